//! The files of a bundle in memory, as modules see them: no path of the machine leads in or out.

use std::collections::BTreeMap;
use std::io::Read;

use crate::bundle::Bundle;
use crate::bundle::entry::{BundleEntry, EntryKind};
use crate::bundle::error::BundleError;
#[cfg(any(test, feature = "fuzzing"))]
use crate::bundle::reader::BundleReader;
use crate::bundle::reader::Sink;

/// The index of the bundle's own folder.
pub(crate) const ROOT: usize = 0;

/// A file, a folder or a link.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Node {
    File(Vec<u8>),
    Folder(Folder),
    Link(String),
}

/// What lies in a folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Folder {
    /// The index of the folder around it; that of the bundle's own is its own.
    pub(crate) parent: usize,
    /// Names in order, and the index of each.
    pub(crate) entries: BTreeMap<String, usize>,
}

/// All files of a bundle. The index of each follows from the bundle's order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content {
    nodes: Vec<Node>,
    /// The bytes of all files together.
    pub(crate) bytes: u64,
}

impl Content {
    /// Reads the files of a bundle that was opened.
    pub(crate) fn of(bundle: &Bundle) -> Result<Self, BundleError> {
        let mut loader = Loader::new();
        bundle.read_again(&mut loader)?;
        Ok(loader.content)
    }

    /// The same of files that are nowhere else, in the order of a bundle.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn of_entries<'e>(
        entries: impl IntoIterator<Item = (BundleEntry, &'e [u8])>,
    ) -> Result<Self, BundleError> {
        let mut loader = Loader::new();
        let mut reader = BundleReader::new(&mut loader, false);
        for (entry, mut content) in entries {
            reader.take(&entry, &mut content)?;
        }
        reader.finish()?;
        Ok(loader.content)
    }

    pub(crate) fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    pub(crate) fn folder(&self, index: usize) -> Option<&Folder> {
        match self.node(index) {
            Node::Folder(folder) => Some(folder),
            _ => None,
        }
    }
}

struct Loader {
    content: Content,
    /// The folders that the last entry is or lies in, each with its index.
    folders: Vec<(String, usize)>,
}

impl Loader {
    fn new() -> Self {
        let root = Folder {
            parent: ROOT,
            entries: BTreeMap::new(),
        };
        Loader {
            content: Content {
                nodes: vec![Node::Folder(root)],
                bytes: 0,
            },
            folders: vec![(String::new(), ROOT)],
        }
    }
}

impl Sink for Loader {
    fn take(&mut self, entry: &BundleEntry, content: &mut dyn Read) -> Result<(), BundleError> {
        let (around, name) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
        while self.folders.last().is_some_and(|(path, _)| path != around) {
            self.folders.pop();
        }
        let parent = self.folders.last().map_or(ROOT, |(_, index)| *index);
        let nodes = &mut self.content.nodes;
        let index = nodes.len();
        nodes.push(match &entry.kind {
            EntryKind::Folder => {
                self.folders.push((entry.path.clone(), index));
                let entries = BTreeMap::new();
                Node::Folder(Folder { parent, entries })
            }
            EntryKind::Link { to } => Node::Link(to.clone()),
            EntryKind::File { size, .. } => {
                self.content.bytes += size;
                let mut bytes = Vec::with_capacity(usize::try_from(*size).unwrap_or(0));
                let read = content.read_to_end(&mut bytes);
                read.map_err(BundleError::io(&entry.path))?;
                Node::File(bytes)
            }
        });
        if let Node::Folder(folder) = &mut nodes[parent] {
            folder.entries.insert(name.into(), index);
        }
        Ok(())
    }
}
