//! What people have at hand, as an arena takes it: a folder of a bot as a zip, a tar or a tar.gz, or one source file.
//! It is unpacked within the bounds of [`bounds`], and becomes a packed bundle. What is wrong is told in words for
//! somebody at a browser.

mod bounds;
mod folder;
mod languages;
mod tar;
mod zip;

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use flipside_sandbox::Program;
use flipside_sandbox::bundle::{self, GAME_MANIFEST, MANIFEST};

use self::bounds::Unpacked;
use self::folder::FoundProgram;
use self::languages::{built_language, source_only};
use crate::admission::received_ending;
use crate::failure::{Failure, Result};
use crate::new::kit_files;

pub use self::bounds::{FREE_UNPACKED, MAX_RATIO, MAX_UNPACKED, MAX_UNPACKED_FILES};
pub use self::languages::SourceLanguage;

/// What a file is that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceivedKind {
    /// A program, a module or a packed bundle, with the ending that its file gets.
    Program(&'static str),
    /// What becomes a packed bundle.
    Repacked(RepackForm),
}

/// What must be made into something else before an arena takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepackForm {
    /// A folder, as this.
    Archive(ArchiveForm),
    /// A source file in a language whose programs need no build.
    Source(SourceLanguage),
}

/// How a folder is packed into a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveForm {
    /// A zip.
    Zip,
    /// A tar.
    Tar,
    /// A tar, compressed by gzip.
    TarGz,
}

impl ReceivedKind {
    /// Tells what a file is, by its first [`RECEIVED_HEAD`](crate::RECEIVED_HEAD) bytes and by the name that its sender
    /// gave it, which may be empty.
    ///
    /// # Errors
    /// When it is nothing that an arena can run.
    pub fn of(head: &[u8], name: &str) -> Result<Self> {
        let language = SourceLanguage::of(name);
        let uses_kit = || String::from_utf8_lossy(head).contains(KIT);
        if let Some(ending) = received_ending(head) {
            // A script that needs the kit does not run alone.
            return Ok(match language {
                Some(language) if head.starts_with(b"#!") && uses_kit() => {
                    ReceivedKind::Repacked(RepackForm::Source(language))
                }
                _ => ReceivedKind::Program(ending),
            });
        }
        let form = match head {
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(ArchiveForm::Zip),
            [0x1f, 0x8b, ..] => Some(ArchiveForm::TarGz),
            _ if tar::is_tar(head) => Some(ArchiveForm::Tar),
            _ => None,
        };
        if let Some(form) = form {
            return Ok(ReceivedKind::Repacked(RepackForm::Archive(form)));
        }
        let is_text = !head.contains(&0);
        match language.filter(|_| is_text) {
            Some(language) => Ok(ReceivedKind::Repacked(RepackForm::Source(language))),
            None => Err(refused(head, name)),
        }
    }
}

/// What the modules of the kits are called.
const KIT: &str = "flipside";

/// Why a file is refused.
fn refused(head: &[u8], name: &str) -> Failure {
    const FORMS: &str = "choose a Linux program, a script that begins with #!, a .wasm or .wat module, or the bot's \
                         folder as a zip";
    if let Some(language) = built_language(name).filter(|_| !head.contains(&0)) {
        return source_only(language);
    }
    let what = match head {
        [b'R', b'a', b'r', b'!', ..] => "this is a rar archive",
        [b'7', b'z', 0xbc, 0xaf, ..] => "this is a 7z archive",
        [0xfd, b'7', b'z', b'X', b'Z', ..] => "this is an xz archive",
        [b'B', b'Z', b'h', ..] => "this is a bzip2 archive",
        [b'M', b'Z', ..] => "this is a Windows program, and bots run on Linux",
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] => "this is a macOS program, and bots run on Linux",
        _ => "this file is no program that can run here",
    };
    Failure::usage(what).hint(FORMS)
}

/// Makes of a file a packed bundle, which it writes into a file that is empty. `name` is the name that the sender gave
/// the file; `is_game` says that it is meant as a game. While this works, the files are in a folder in `room`.
///
/// # Errors
/// When it is refused, in words for who sent it, or the disk fails.
pub fn repack(
    form: RepackForm,
    (received, name): (&File, &str),
    is_game: bool,
    room: &Path,
    into: &mut File,
) -> Result<()> {
    let system = |error: io::Error| Failure::of_system(&error);
    let unpacked = tempfile::Builder::new().prefix(UNPACKING).tempdir_in(room);
    let unpacked = unpacked.map_err(system)?;
    let size = received.metadata().map_err(system)?.len();
    let mut received = received;
    received.rewind().map_err(system)?;
    let root = unpacked.path();
    match form {
        RepackForm::Archive(form) => {
            let mut bounded = Unpacked::new(root, size);
            match form {
                ArchiveForm::Zip => zip::unpack(received, &mut bounded)?,
                ArchiveForm::Tar => tar::unpack(&mut received, &mut bounded)?,
                ArchiveForm::TarGz => {
                    tar::unpack(&mut MultiGzDecoder::new(received), &mut bounded)?;
                }
            }
        }
        RepackForm::Source(language) => {
            let mut text = String::new();
            let read = received.read_to_string(&mut text);
            read.map_err(|_| Failure::usage("this source file is not UTF-8"))?;
            let main = folder::file_name(name, language);
            fs::write(root.join(&main), &text).map_err(system)?;
            write_manifest(root, is_game, &folder::started_by(language, &main))?;
            add_kit(root, language, &text)?;
        }
    }
    let root = folder::enter(root).map_err(system)?;
    match folder::look(&root)? {
        FoundProgram::Own(name) => {
            let command = serde_json::to_string(&[format!("./{name}")]).expect("a list of texts");
            write_manifest(&root, is_game, &format!("command = {command}\n"))?;
        }
        FoundProgram::Source(language, main) => {
            let text = fs::read(root.join(&main)).map_err(system)?;
            write_manifest(&root, is_game, &folder::started_by(language, &main))?;
            add_kit(&root, language, &String::from_utf8_lossy(&text))?;
        }
        FoundProgram::Bundle => {}
    }
    let program = Program::open(&root).map_err(Failure::from)?;
    let program = program.as_bundle().expect("it has a manifest");
    bundle::pack(program, into).map_err(Failure::from)?;
    into.flush().map_err(system)
}

/// What the folders of files that are being unpacked begin with.
pub const UNPACKING: &str = ".unpacking-";

fn write_manifest(root: &Path, is_game: bool, text: &str) -> Result<()> {
    let name = if is_game { GAME_MANIFEST } else { MANIFEST };
    fs::write(root.join(name), text).map_err(|error| Failure::of_system(&error))
}

/// Adds the module of the kit where a program uses it and it is not there.
fn add_kit(root: &Path, language: SourceLanguage, text: &str) -> Result<()> {
    if !text.contains(KIT) {
        return Ok(());
    }
    for (path, content) in kit_files(language.id) {
        let path = root.join(path);
        if path.symlink_metadata().is_err() {
            fs::write(path, content).map_err(|error| Failure::of_system(&error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
