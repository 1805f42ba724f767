//! Reading a tar archive of a stranger: the headers of POSIX, with the long names of GNU and of pax. Whatever is no file
//! or folder is refused.

use std::io::{self, Read};

use super::bounds::{Unpacked, damaged, not_text, odd};
use crate::failure::{Failure, Result};

/// The unit of a tar archive, in bytes.
const BLOCK: usize = 512;

/// The most bytes of a long name, and of the extended headers of an entry.
const MAX_EXTENDED: u64 = 64 << 10;

/// Whether a file begins as a tar archive does.
pub(super) fn is_tar(head: &[u8]) -> bool {
    let header = head.first_chunk::<BLOCK>();
    header.is_some_and(has_its_sum)
}

/// Unpacks an archive.
pub(super) fn unpack(archive: &mut dyn Read, into: &mut Unpacked<'_>) -> Result<()> {
    let mut long = None;
    let mut is_first = true;
    loop {
        let header = match next(archive) {
            Ok(None) => return Ok(()),
            Ok(Some(header)) if has_its_sum(&header) => header,
            _ if is_first => {
                return Err(Failure::usage("this file holds no tar archive")
                    .hint("pack the folder of the bot as a zip"));
            }
            _ => return Err(damaged()),
        };
        is_first = false;
        let size = number(&header[124..136])?;
        let kind = header[156];
        if matches!(kind, b'L' | b'x' | b'g') {
            into.count()?;
            let text = extended(archive, size)?;
            match kind {
                b'L' => long = Some(up_to_null(&text).to_vec()),
                // Those of all entries say nothing that matters here.
                b'x' => long = pax_path(&text).map(<[u8]>::to_vec).or(long),
                _ => {}
            }
            continue;
        }
        let name = long.take().unwrap_or_else(|| short_name(&header));
        let name = String::from_utf8(name).map_err(|_| not_text())?;
        let is_folder = kind == b'5' || name.ends_with('/');
        match kind {
            b'0' | 0 | b'5' if is_folder => {
                // What is skipped would be counted by nobody.
                if size > 0 {
                    return Err(damaged());
                }
                into.folder(&name)?;
            }
            b'0' | 0 => {
                let is_executable = number(&header[100..108])? & 0o111 != 0;
                let mut content = archive.take(size);
                if into.file(&name, is_executable, &mut content)? != size {
                    return Err(damaged());
                }
                skip(archive, padded(size) - size)?;
            }
            b'1' => return Err(odd(&name, "a hard link")),
            b'2' => return Err(odd(&name, "a link")),
            b'3' | b'4' => return Err(odd(&name, "a device")),
            b'6' => return Err(odd(&name, "a pipe")),
            _ => return Err(odd(&name, "no ordinary file")),
        }
    }
}

/// The next header; nothing at the end, which is a block of zeros or that of the file.
fn next(archive: &mut dyn Read) -> Result<Option<[u8; BLOCK]>> {
    let mut header = [0; BLOCK];
    let mut filled = 0;
    while filled < BLOCK {
        match archive.read(&mut header[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(damaged()),
        }
    }
    match filled {
        BLOCK if header != [0; BLOCK] => Ok(Some(header)),
        0 | BLOCK => Ok(None),
        _ => Err(damaged()),
    }
}

/// The content of an extended header.
fn extended(archive: &mut dyn Read, size: u64) -> Result<Vec<u8>> {
    if size > MAX_EXTENDED {
        return Err(Failure::usage("a name in the archive is too long").hint("rename the file"));
    }
    let mut text = vec![0; padded(size) as usize];
    archive.read_exact(&mut text).map_err(|_| damaged())?;
    text.truncate(size as usize);
    Ok(text)
}

/// The path that an extended header of pax names: records such as `30 path=a/very/long/name` and a line end.
fn pax_path(mut text: &[u8]) -> Option<&[u8]> {
    let mut path = None;
    while !text.is_empty() {
        let space = text.iter().position(|&byte| byte == b' ')?;
        let length: usize = std::str::from_utf8(&text[..space]).ok()?.parse().ok()?;
        let record = text.get(space + 1..length)?.strip_suffix(b"\n")?;
        path = record.strip_prefix(b"path=").or(path);
        text = &text[length..];
    }
    path
}

/// The name in a header, with the folders that stand before it in the form of POSIX.
fn short_name(header: &[u8; BLOCK]) -> Vec<u8> {
    let name = up_to_null(&header[..100]);
    let prefix = match &header[257..263] {
        b"ustar\0" => up_to_null(&header[345..500]),
        _ => b"",
    };
    match prefix {
        b"" => name.to_vec(),
        prefix => [prefix, b"/", name].concat(),
    }
}

fn up_to_null(field: &[u8]) -> &[u8] {
    let end = field.iter().position(|&byte| byte == 0);
    &field[..end.unwrap_or(field.len())]
}

/// Whether a header has the sum that it says it has.
fn has_its_sum(header: &[u8; BLOCK]) -> bool {
    let blanked = |(at, &byte): (usize, &u8)| match at {
        148..156 => u64::from(b' '),
        _ => u64::from(byte),
    };
    let sum: u64 = header.iter().enumerate().map(blanked).sum();
    number(&header[148..156]).is_ok_and(|said| said == sum)
}

/// A field with an octal number, between blanks and nulls.
fn number(field: &[u8]) -> Result<u64> {
    let text = std::str::from_utf8(field).map_err(|_| damaged())?;
    let digits = text.trim_matches([' ', '\0']);
    match digits {
        "" => Ok(0),
        digits => u64::from_str_radix(digits, 8).map_err(|_| damaged()),
    }
}

/// A size up to the end of its last block.
fn padded(size: u64) -> u64 {
    size.next_multiple_of(BLOCK as u64)
}

fn skip(archive: &mut dyn Read, bytes: u64) -> Result<()> {
    match io::copy(&mut archive.take(bytes), &mut io::sink()) {
        Ok(skipped) if skipped == bytes => Ok(()),
        _ => Err(damaged()),
    }
}
