//! The descriptors of a guest: the three standard streams, which it may close and renumber. There are
//! no files, so no others ever come.

use crate::module::wasi::errno::Errno;
use crate::module::wasi::streams::Stream;

/// The stream of each descriptor.
#[derive(Debug)]
pub(crate) struct Descriptors([Option<Stream>; 3]);

impl Default for Descriptors {
    fn default() -> Self {
        Descriptors([
            Some(Stream::Stdin),
            Some(Stream::Stdout),
            Some(Stream::Stderr),
        ])
    }
}

impl Descriptors {
    pub(crate) fn get(&self, fd: u32) -> Result<Stream, Errno> {
        let stream = self.0.get(fd as usize).copied().flatten();
        stream.ok_or(Errno::Badf)
    }

    pub(crate) fn close(&mut self, fd: u32) -> Result<(), Errno> {
        self.get(fd)?;
        self.0[fd as usize] = None;
        Ok(())
    }

    /// Closes a descriptor and puts another in its place; both must be open.
    pub(crate) fn renumber(&mut self, from: u32, to: u32) -> Result<(), Errno> {
        let stream = self.get(from)?;
        self.get(to)?;
        self.0[from as usize] = None;
        self.0[to as usize] = Some(stream);
        Ok(())
    }
}
