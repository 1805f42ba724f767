//! Reading a packed bundle. It may come from anywhere, so nothing of it is believed: every header must be, byte by
//! byte, the one that flipside writes for its entry.

use std::io::{self, Read};
use std::path::Path;

use crate::bundle::entry::{self, BLOCK, BundleEntry, EntryKind, LONG_PATH, LONG_TARGET, padding};
use crate::bundle::error::{BundleError, shown};
use crate::bundle::limits::{
    LARGEST_PACKED, LONGEST_LINK, LONGEST_MANIFEST, LONGEST_PATH, is_manifest,
};
use crate::bundle::manifest::Manifest;
use crate::bundle::reader::BundleReader;
use crate::open_regular::{FileError, open_regular};

/// The largest window that is needed to unpack, as a power of two: what the decoder may take in memory.
const LARGEST_WINDOW: u32 = 23;

/// How many bytes a packed bundle may have beyond what compression can add: one byte in 256 and a few. What
/// decompression skips would be stored, and counted nowhere.
const MAX_ADDED: u64 = 64 << 10;

/// Hands over what a packed bundle holds.
pub(crate) fn read(path: &Path, reader: &mut BundleReader<'_>) -> Result<(), BundleError> {
    let (archive, packed) = unpacked(path)?;
    let mut counted = CountingReader { archive, read: 0 };
    read_tar(&mut counted, reader)?;
    match packed > counted.read + counted.read / 256 + MAX_ADDED {
        true => Err(foreign("it has bytes that are of no file")),
        false => Ok(()),
    }
}

/// The manifest of a packed bundle. Nothing that comes after it is read, and nothing else is checked.
pub(crate) fn manifest(path: &Path) -> Result<Manifest, BundleError> {
    let (mut archive, _) = unpacked(path)?;
    while let Some((entry, _)) = next(&mut archive)? {
        let size = entry.size();
        let is_manifest = is_manifest(&entry.path);
        let size = if is_manifest {
            size.min(LONGEST_MANIFEST + 1)
        } else {
            size.saturating_add(padding(size) as u64)
        };
        let mut content = archive.by_ref().take(size);
        if is_manifest {
            let mut bytes = Vec::new();
            content.read_to_end(&mut bytes).map_err(cut)?;
            return Manifest::parse(&bytes, &entry.path);
        }
        io::copy(&mut content, &mut io::sink()).map_err(cut)?;
    }
    Err(BundleError::NoManifest)
}

/// The archive before its compression, and how many bytes the packed file has.
fn unpacked(path: &Path) -> Result<(impl Read + use<>, u64), BundleError> {
    let (file, found) = open_regular(path).map_err(|error| match error {
        FileError::NotRegular(found) => BundleError::kind(&path.to_string_lossy(), found.what),
        FileError::Io(error) => BundleError::io(path)(error),
    })?;
    if found.len() > LARGEST_PACKED {
        return Err(BundleError::TooLargePacked);
    }
    let mut decoder =
        zstd::Decoder::new(file.take(LARGEST_PACKED)).map_err(BundleError::io(path))?;
    let limited = decoder.window_log_max(LARGEST_WINDOW);
    limited.map_err(BundleError::io(path))?;
    Ok((decoder, found.len()))
}

/// Counts the bytes that are read.
struct CountingReader<R> {
    archive: R,
    read: u64,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.archive.read(out)?;
        self.read += count as u64;
        Ok(count)
    }
}

/// Hands over what an archive holds.
pub(crate) fn read_tar(
    archive: &mut dyn Read,
    reader: &mut BundleReader<'_>,
) -> Result<(), BundleError> {
    while let Some((entry, headers)) = next(archive)? {
        entry.check()?;
        if entry.headers() != headers {
            let path = shown(&entry.path);
            return Err(foreign(format!("{path} has times, owners or modes")));
        }
        let size = entry.size();
        reader.take(&entry, &mut archive.take(size))?;
        let mut zeros = [0; BLOCK];
        let zeros = &mut zeros[..padding(size)];
        archive.read_exact(zeros).map_err(cut)?;
        if zeros.iter().any(|&byte| byte != 0) {
            return Err(foreign("something stands between its files"));
        }
    }
    let mut rest = [0; 1];
    match archive.read(&mut rest).map_err(cut)? {
        0 => Ok(()),
        _ => Err(foreign("something follows its end")),
    }
}

fn cut(_: io::Error) -> BundleError {
    BundleError::Cut
}

fn foreign(what: impl Into<String>) -> BundleError {
    BundleError::Foreign(what.into())
}

/// The next entry, and its headers as they are; nothing at the archive's end.
fn next(archive: &mut dyn Read) -> Result<Option<(BundleEntry, Vec<u8>)>, BundleError> {
    let mut headers = Vec::new();
    let (mut long_path, mut long_target) = (None, None);
    loop {
        let mut header = [0; BLOCK];
        archive.read_exact(&mut header).map_err(cut)?;
        if header == [0; BLOCK] {
            archive.read_exact(&mut header).map_err(cut)?;
            return match headers.is_empty() && header == [0; BLOCK] {
                true => Ok(None),
                false => Err(BundleError::Cut),
            };
        }
        headers.extend(header);
        let (long, most) = match header[156] {
            LONG_PATH => (&mut long_path, LONGEST_PATH + 1),
            LONG_TARGET => (&mut long_target, LONGEST_LINK),
            _ => {
                let entry = entry_of(&header, long_path, long_target)?;
                return Ok(Some((entry, headers)));
            }
        };
        let size = number(&header[124..136])?;
        // With the null at its end.
        if size == 0 || size > most as u64 + 1 || long.is_some() {
            return Err(foreign("a path or the target of a link is too long"));
        }
        let size = size as usize;
        let mut text = vec![0; size + padding(size as u64)];
        archive.read_exact(&mut text).map_err(cut)?;
        *long = Some(text[..size - 1].to_vec());
        headers.extend(text);
    }
}

fn entry_of(
    header: &[u8; BLOCK],
    long_path: Option<Vec<u8>>,
    long_target: Option<Vec<u8>>,
) -> Result<BundleEntry, BundleError> {
    let path = long_path.unwrap_or_else(|| text(&header[..100]));
    let not_text = |path: &[u8]| BundleError::NotText(shown(&String::from_utf8_lossy(path)));
    let path = String::from_utf8(path).map_err(|error| not_text(error.as_bytes()))?;
    let what = match header[156] {
        entry::FILE => {
            let size = number(&header[124..136])?;
            let executable = number(&header[100..108])? & 0o111 != 0;
            let kind = EntryKind::File { size, executable };
            return Ok(BundleEntry { path, kind });
        }
        entry::FOLDER => {
            let path = path.strip_suffix('/').unwrap_or(&path).to_owned();
            let kind = EntryKind::Folder;
            return Ok(BundleEntry { path, kind });
        }
        entry::LINK => {
            let to = long_target.unwrap_or_else(|| text(&header[157..257]));
            let to = String::from_utf8(to).map_err(|_| BundleError::BadLink(shown(&path)))?;
            let kind = EntryKind::Link { to };
            return Ok(BundleEntry { path, kind });
        }
        b'1' => "a hard link",
        b'3' | b'4' => "a device",
        b'6' => "a pipe",
        b'g' | b'x' => return Err(foreign("it has extended headers")),
        _ => {
            return Err(foreign(
                "it does not begin as a tar archive, or has other headers",
            ));
        }
    };
    Err(BundleError::kind(&path, what))
}

/// A field up to its null.
fn text(field: &[u8]) -> Vec<u8> {
    let end = field.iter().position(|&byte| byte == 0);
    field[..end.unwrap_or(field.len())].to_vec()
}

/// A field with an octal number.
fn number(field: &[u8]) -> Result<u64, BundleError> {
    let digits = text(field);
    std::str::from_utf8(&digits)
        .ok()
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|digits| u64::from_str_radix(digits, 8).ok())
        .ok_or_else(|| foreign("a number in it is none"))
}
