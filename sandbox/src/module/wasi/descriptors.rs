//! The descriptors of a guest: the three standard streams, the folder of its bundle if it has one, and what it opens
//! there.

use std::collections::BTreeSet;

use crate::bundle::content::ROOT;
use crate::module::wasi::errno::WasiErrno;
use crate::module::wasi::streams::Stream;

/// The most descriptors of a guest.
const MAX_OPEN: usize = 256;

/// What a descriptor stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenDescriptor {
    Stream(Stream),
    Folder(OpenFolder),
    File(OpenFile),
}

/// A folder of the bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenFolder {
    pub(crate) node: usize,
    /// Whether it was opened before the guest began.
    pub(crate) preopened: bool,
}

/// A file of the bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenFile {
    pub(crate) node: usize,
    pub(crate) position: u64,
    /// The flags that it was opened with, or got later.
    pub(crate) flags: u16,
}

/// What each descriptor stands for.
#[derive(Debug)]
pub(crate) struct Descriptors {
    open: Vec<Option<OpenDescriptor>>,
    /// Numbers that were closed. The highest is used first, as in wasmtime-wasi.
    free: BTreeSet<u32>,
}

impl Descriptors {
    /// The streams, and the folder of a bundle if there is one.
    pub(crate) fn new(has_bundle: bool) -> Self {
        let streams = [Stream::Stdin, Stream::Stdout, Stream::Stderr].map(OpenDescriptor::Stream);
        let folder = has_bundle.then_some(OpenDescriptor::Folder(OpenFolder {
            node: ROOT,
            preopened: true,
        }));
        Descriptors {
            open: streams.into_iter().chain(folder).map(Some).collect(),
            free: BTreeSet::new(),
        }
    }

    pub(crate) fn get(&self, fd: u32) -> Result<OpenDescriptor, WasiErrno> {
        let open = self.open.get(fd as usize).copied().flatten();
        open.ok_or(WasiErrno::Badf)
    }

    pub(crate) fn file(&mut self, fd: u32) -> Result<&mut OpenFile, WasiErrno> {
        match self.open.get_mut(fd as usize) {
            Some(Some(OpenDescriptor::File(file))) => Ok(file),
            _ => Err(WasiErrno::Badf),
        }
    }

    pub(crate) fn folder(&self, fd: u32) -> Result<OpenFolder, WasiErrno> {
        match self.get(fd)? {
            OpenDescriptor::Folder(folder) => Ok(folder),
            _ => Err(WasiErrno::Badf),
        }
    }

    pub(crate) fn close(&mut self, fd: u32) -> Result<(), WasiErrno> {
        self.get(fd)?;
        self.open[fd as usize] = None;
        self.free.insert(fd);
        Ok(())
    }

    /// Closes a descriptor and puts another in its place; both must be open.
    pub(crate) fn renumber(&mut self, from: u32, to: u32) -> Result<(), WasiErrno> {
        let open = self.get(from)?;
        self.get(to)?;
        if from != to {
            self.open[from as usize] = None;
            self.open[to as usize] = Some(open);
            self.free.insert(from);
        }
        Ok(())
    }

    /// Gives a number to what was opened.
    pub(crate) fn push(&mut self, open: OpenDescriptor) -> Result<u32, WasiErrno> {
        if let Some(fd) = self.free.pop_last() {
            self.open[fd as usize] = Some(open);
            return Ok(fd);
        }
        // Without free numbers all are in use.
        if self.open.len() >= MAX_OPEN {
            return Err(WasiErrno::Mfile);
        }
        self.open.push(Some(open));
        Ok(self.open.len() as u32 - 1)
    }
}
