//! Packing a bundle into one file.

use std::fs::File;
use std::io::{self, Read, Write};

use crate::bundle::Bundle;
use crate::bundle::entry::BundleEntry;
use crate::bundle::error::BundleError;
use crate::bundle::limits::LARGEST_PACKED;
use crate::bundle::reader::Sink;

/// How hard zstd tries: a folder with numpy takes a second or two.
const LEVEL: i32 = 7;

/// Packs a bundle that was opened into a file, which is empty. Gives the bytes that were written.
///
/// # Errors
/// When the bundle is no longer what was opened, is too large packed, or the file cannot be written.
pub fn pack(bundle: &Bundle, file: &mut File) -> Result<u64, BundleError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::FileTooLarge => BundleError::TooLargePacked,
        _ => BundleError::io("the packed bundle")(error),
    };
    let counted = CountingWriter { file, written: 0 };
    let mut packer = Packer(zstd::Encoder::new(counted, LEVEL).map_err(failed)?);
    let packed = bundle.read_again(&mut packer);
    match packed {
        Err(BundleError::Io { source, .. }) if source.kind() == io::ErrorKind::FileTooLarge => {
            return Err(BundleError::TooLargePacked);
        }
        packed => packed?,
    }
    let counted = packer.0.finish().map_err(failed)?;
    Ok(counted.written)
}

struct Packer<W: Write>(zstd::Encoder<'static, W>);

impl<W: Write> Sink for Packer<W> {
    fn take(&mut self, entry: &BundleEntry, content: &mut dyn Read) -> Result<(), BundleError> {
        io::copy(content, &mut self.0).map_err(BundleError::io(&entry.path))?;
        Ok(())
    }

    fn archive(&mut self, bytes: &[u8]) -> Result<(), BundleError> {
        let written = self.0.write_all(bytes);
        written.map_err(BundleError::io("the packed bundle"))
    }
}

/// Counts what is written, up to [`LARGEST_PACKED`].
struct CountingWriter<'a> {
    file: &'a mut File,
    written: u64,
}

impl Write for CountingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written + bytes.len() as u64 > LARGEST_PACKED {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.file.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
