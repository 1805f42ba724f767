//! Why a bundle is refused, each reason with the way out where there is one.

use std::io;
use std::path::PathBuf;

use crate::bundle::limits::{
    LARGEST_BUNDLE, LARGEST_CONTENT, LARGEST_PACKED, LONGEST_LINK, LONGEST_MANIFEST, LONGEST_PATH,
    MAX_DEPTH, MAX_ENTRIES,
};

/// What is wrong with a bundle. The names of its entries in a message have no control characters.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// There is no manifest.
    #[error("it has no bot.toml or game.toml")]
    NoManifest,
    /// The manifest is longer than [`LONGEST_MANIFEST`] bytes.
    #[error("its {file} has more than {LONGEST_MANIFEST} bytes")]
    LongManifest {
        /// The name of its file.
        file: &'static str,
    },
    /// The manifest does not say what the program is.
    #[error("{file}: {what}")]
    Manifest {
        /// The name of its file.
        file: &'static str,
        /// What is wrong.
        what: String,
        /// The way out.
        hint: Option<String>,
    },
    /// A path leads out of the bundle: it is absolute, or has a `..`.
    #[error("the path {0} leads out of the bundle")]
    PathLeadsOut(String),
    /// A path is none: it is empty, has a `.`, two slashes one after the other, or a control character.
    #[error("{0:?} is not a path that a bundle may have")]
    BadPath(String),
    /// A name is not UTF-8; the path, as far as it is text.
    #[error("the name {0:?} is not UTF-8")]
    NotText(String),
    /// A path is longer than [`LONGEST_PATH`] bytes; how it begins.
    #[error("a path has more than {LONGEST_PATH} bytes: {0}…")]
    LongPath(String),
    /// A path is deeper than [`MAX_DEPTH`] folders.
    #[error("{0} lies more than {MAX_DEPTH} folders deep")]
    Deep(String),
    /// A link leads out of the bundle.
    #[error("the link {path} leads out of the bundle, to {to}")]
    LinkLeadsOut {
        /// Where the link is.
        path: String,
        /// Where it leads.
        to: String,
    },
    /// A link has a target that is none, or that is longer than [`LONGEST_LINK`] bytes.
    #[error(
        "the link {0} has a target that a bundle may not have: it is empty, longer than {LONGEST_LINK} bytes, \
         or steps back after a step forward"
    )]
    BadLink(String),
    /// An entry is no file, folder or link.
    #[error("{path} is {what}")]
    Kind {
        /// Its path.
        path: String,
        /// What it is, with its article.
        what: &'static str,
    },
    /// Two entries have one path.
    #[error("{0} is there twice")]
    Twice(String),
    /// An entry lies in what is no folder of the bundle.
    #[error("{0} lies in no folder of the bundle")]
    NoFolder(String),
    /// There are more than [`MAX_ENTRIES`] entries.
    #[error("it has more than {MAX_ENTRIES} files, folders and links")]
    TooMany,
    /// Its files have more than [`LARGEST_BUNDLE`] bytes together.
    #[error("its files have more than {} MiB together", LARGEST_BUNDLE >> 20)]
    TooLarge,
    /// The files of a bundle with a module have more than [`LARGEST_CONTENT`] bytes together.
    #[error("its files have more than {} MiB together, which lie in memory beside a module", LARGEST_CONTENT >> 20)]
    TooMuchContent,
    /// Packed it has more than [`LARGEST_PACKED`] bytes.
    #[error("packed it has more than {} MiB", LARGEST_PACKED >> 20)]
    TooLargePacked,
    /// The archive is not as flipside writes it; what is different.
    #[error("it was not packed by flipside: {0}")]
    Foreign(String),
    /// The archive ends before its end, or is damaged.
    #[error("it is cut off or damaged")]
    Cut,
    /// It changed while it was read, or since it was opened.
    #[error("it changed while it was looked at")]
    Changed,
    /// The bundles of other matches take all the room that unpacked bundles have together.
    #[error("there is no room to unpack it: the bundles of other matches take it, of {} MiB in all", most >> 20)]
    StoreInUse {
        /// The room, in bytes.
        most: u64,
    },
    /// The bundles of one match have no room together.
    #[error("the bundles of its match take more than {} MiB together, which is all the room for unpacked bundles", most >> 20)]
    LargerThanStore {
        /// The room, in bytes.
        most: u64,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl BundleError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| BundleError::Io { path, source }
    }

    pub(crate) fn kind(path: &str, what: &'static str) -> Self {
        let path = shown(path);
        BundleError::Kind { path, what }
    }

    /// The way out, where there is one to name.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            BundleError::NoManifest => "write one beside its files, such as: language = \"python\"",
            BundleError::Manifest { hint, .. } => return hint.clone(),
            BundleError::LinkLeadsOut { .. } | BundleError::BadLink(_) => {
                "a program sees nothing outside of its bundle: put the file itself into it, or leave the link out \
                 with files = [...] in its bot.toml or game.toml"
            }
            BundleError::Kind {
                what: "a hard link",
                ..
            }
            | BundleError::Foreign(_) => "unpack it, and name the folder: flipside packs it",
            BundleError::Kind { .. } => {
                "a bundle has files, folders and links; remove it, or leave it out with files = [...] in its bot.toml or game.toml"
            }
            BundleError::TooMany
            | BundleError::TooLarge
            | BundleError::TooMuchContent
            | BundleError::TooLargePacked => {
                "leave out what is not needed, with files = [...] in its bot.toml or game.toml"
            }
            BundleError::Changed => "try again when nothing writes to it",
            BundleError::StoreInUse { .. } => "try again when fewer matches are played at a time",
            BundleError::LargerThanStore { .. } => "play it with fewer or smaller bundles",
            _ => return None,
        };
        Some(hint.into())
    }
}

/// A path as a message shows it.
pub(crate) fn shown(path: &str) -> String {
    path.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
