//! Reading a zip of a stranger, by its central directory (APPNOTE.TXT of PKWARE, 4.3): files that are stored or
//! deflated, and folders. All else is refused: encryption, links, several disks, ZIP64. Memory is bounded: the directory
//! is read entry by entry.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::bounds::{MAX_UNPACKED_FILES, Unpacked, damaged, not_text, odd};
use crate::failure::{Failure, Result};

/// The bytes of the record at the end, without its comment, and the longest comment.
const END: usize = 22;
const LONGEST_COMMENT: usize = u16::MAX as usize;

/// The bytes of an entry of the directory, and of the header before a content, without names.
const ENTRY: usize = 46;
const LOCAL: usize = 30;

/// Flags of an entry.
const ENCRYPTED: u16 = 1;

/// The ways in which a content is compressed, and the one that says it is encrypted.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const AES: u16 = 99;

/// The systems whose attributes are modes of Unix: Unix, and macOS.
const UNIX: [u8; 2] = [3, 19];

/// What an entry is, in its mode.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

/// Where the directory is.
struct Directory {
    start: u64,
    /// What stands before the archive, as in one that unpacks itself.
    before: u64,
    count: u16,
}

/// Unpacks an archive.
pub(super) fn unpack(file: &File, into: &mut Unpacked<'_>) -> Result<()> {
    let directory = find_directory(file)?;
    if usize::from(directory.count) > MAX_UNPACKED_FILES {
        let what = format!("the archive has more than {MAX_UNPACKED_FILES} files and folders");
        return Err(Failure::usage(what).hint("pack only what the bot needs"));
    }
    let mut entries = BufReader::new(file);
    let seek = entries.seek(SeekFrom::Start(directory.start));
    seek.map_err(|_| damaged())?;
    for _ in 0..directory.count {
        let entry = ZipEntry::read(&mut entries)?;
        entry.unpack(file, &directory, into)?;
    }
    Ok(())
}

fn find_directory(file: &File) -> Result<Directory> {
    let length = file
        .metadata()
        .map_err(|error| Failure::of_system(&error))?
        .len();
    let tail_length = length.min((END + LONGEST_COMMENT) as u64);
    let mut tail = vec![0; tail_length as usize];
    let tail_start = length - tail_length;
    file.read_exact_at(&mut tail, tail_start)
        .map_err(|_| damaged())?;
    let is_end = |at: &usize| {
        let record = &tail[*at..];
        record.starts_with(b"PK\x05\x06") && END + usize::from(short(record, 20)) == record.len()
    };
    let mut places = (0..tail.len().saturating_sub(END - 1)).rev();
    let at = places.find(is_end).ok_or_else(damaged)?;
    let record = &tail[at..];
    let (count, size, start) = (short(record, 10), long(record, 12), long(record, 16));
    if count == u16::MAX || size == u32::MAX || start == u32::MAX {
        let what = "this zip is of the form for very large archives (ZIP64)";
        return Err(Failure::usage(what).hint("pack only what the bot needs"));
    }
    if short(record, 4) != 0 || short(record, 8) != count {
        return Err(Failure::usage("this zip has several parts").hint("pack the folder as one zip"));
    }
    let end = tail_start + at as u64;
    let start_in_file = end.checked_sub(size.into()).ok_or_else(damaged)?;
    let before = start_in_file.checked_sub(start.into());
    Ok(Directory {
        start: start_in_file,
        before: before.ok_or_else(damaged)?,
        count,
    })
}

struct ZipEntry {
    name: String,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
    /// Its mode on Unix; 0 where it does not say one.
    mode: u32,
    start: u32,
}

impl ZipEntry {
    fn read(entries: &mut impl Read) -> Result<Self> {
        let mut entry = [0; ENTRY];
        entries.read_exact(&mut entry).map_err(|_| damaged())?;
        if !entry.starts_with(b"PK\x01\x02") {
            return Err(damaged());
        }
        let mut name = vec![0; short(&entry, 28).into()];
        entries.read_exact(&mut name).map_err(|_| damaged())?;
        let rest = u64::from(short(&entry, 30)) + u64::from(short(&entry, 32));
        let skipped = io::copy(&mut entries.take(rest), &mut io::sink());
        if skipped.ok() != Some(rest) {
            return Err(damaged());
        }
        let name = String::from_utf8(name).map_err(|_| not_text())?;
        let is_unix = UNIX.contains(&entry[5]);
        Ok(ZipEntry {
            // Some programs on Windows write its own separators.
            name: name.replace('\\', "/"),
            flags: short(&entry, 8),
            method: short(&entry, 10),
            crc: long(&entry, 16),
            packed: long(&entry, 20),
            size: long(&entry, 24),
            mode: if is_unix { long(&entry, 38) >> 16 } else { 0 },
            start: long(&entry, 42),
        })
    }

    fn unpack(&self, file: &File, directory: &Directory, into: &mut Unpacked<'_>) -> Result<()> {
        let name = &self.name;
        if self.flags & ENCRYPTED != 0 || self.method == AES {
            return Err(Failure::usage("this zip is encrypted").hint("pack it without a password"));
        }
        match self.mode & KIND {
            LINK => return Err(odd(name, "a link")),
            0 | REGULAR | FOLDER => {}
            _ => return Err(odd(name, "no ordinary file")),
        }
        if name.ends_with('/') || self.mode & KIND == FOLDER {
            return into.folder(name);
        }
        let mut header = [0; LOCAL];
        let at = directory.before + u64::from(self.start);
        file.read_exact_at(&mut header, at).map_err(|_| damaged())?;
        if !header.starts_with(b"PK\x03\x04") {
            return Err(damaged());
        }
        let names = u64::from(short(&header, 26)) + u64::from(short(&header, 28));
        let at = at + LOCAL as u64 + names;
        if at + u64::from(self.packed) > directory.start {
            return Err(damaged());
        }
        let packed = FileRange {
            file,
            at,
            end: at + u64::from(self.packed),
        };
        let content: &mut dyn Read = match self.method {
            STORED => &mut { packed },
            DEFLATED => &mut DeflateDecoder::new(packed),
            _ => {
                let what = format!("{name} is compressed in a way that is not understood here");
                let hint = "pack the folder with the zip of your system";
                return Err(Failure::usage(what).hint(hint));
            }
        };
        let mut summed = CrcReader {
            // One byte more than it says tells that it has more.
            content: content.take(u64::from(self.size) + 1),
            crc: Crc::new(),
        };
        let size = into.file(name, self.mode & 0o111 != 0, &mut summed)?;
        match size == u64::from(self.size) && summed.crc.sum() == self.crc {
            true => Ok(()),
            false => Err(damaged()),
        }
    }
}

/// A part of a file.
struct FileRange<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl Read for FileRange<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let most = most.min(out.len());
        let count = self.file.read_at(&mut out[..most], self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// Sums up what is read.
struct CrcReader<R> {
    content: R,
    crc: Crc,
}

impl<R: Read> Read for CrcReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.content.read(out)?;
        self.crc.update(&out[..count]);
        Ok(count)
    }
}

fn short(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn long(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
