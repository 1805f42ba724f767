//! What archives and backups have in common: a tar archive under zstd whose files come in a fixed order. It is written
//! and read file by file, and never as a whole. Which files there are is left to archives and backups.

use std::io::{self, BufReader, Read, Write};

use flipside_sandbox::bundle::is_packed;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tar::{Builder, Entries, Entry, EntryType, Header};

/// How many bytes tell whether a file is compressed.
const MAGIC_BYTES: usize = 4;

/// The most bytes that may follow the last file: tar fills its last block up.
const MAX_FILLING: u64 = 1 << 20;

/// What is said of a file that does not begin as a container does.
const NO_FILE: &str = "it does not begin as one, or is cut off there";

/// Why a container is not read any further.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ContainerError {
    /// It does not begin with a file.
    #[error("{0}")]
    NotOne(String),
    /// It stops before its end, or is damaged.
    #[error("{0}")]
    Cut(String),
    /// A file is not what is due, or is none that a container holds.
    #[error("{0}: {1}")]
    File(String, String),
}

impl From<io::Error> for ContainerError {
    fn from(error: io::Error) -> Self {
        ContainerError::Cut(error.to_string())
    }
}

/// A container without its compression, which it must have: this keeps a checksum over all of it.
pub(crate) fn unpacked_only<'a>(
    container: impl Read + 'a,
) -> Result<Box<dyn Read + 'a>, ContainerError> {
    match opened(container)? {
        (true, unpacked) => Ok(unpacked),
        (false, _) => Err(ContainerError::NotOne(
            "it is not compressed with zstd".into(),
        )),
    }
}

/// A container without its compression, if it has any.
pub(crate) fn unpacked<'a>(
    container: impl Read + 'a,
) -> Result<Box<dyn Read + 'a>, ContainerError> {
    opened(container).map(|(_, unpacked)| unpacked)
}

/// A container without its compression, and whether it has any.
fn opened<'a>(container: impl Read + 'a) -> Result<(bool, Box<dyn Read + 'a>), ContainerError> {
    let not_one = |error: io::Error| ContainerError::NotOne(error.to_string());
    let mut container = BufReader::new(container);
    let mut magic = Vec::with_capacity(MAGIC_BYTES);
    let mut first = container.by_ref().take(MAGIC_BYTES as u64);
    first.read_to_end(&mut magic).map_err(not_one)?;
    let is_packed = is_packed(&magic);
    let whole = io::Cursor::new(magic).chain(container);
    if !is_packed {
        return Ok((false, Box::new(whole)));
    }
    let unpacked = zstd::Decoder::with_buffer(BufReader::new(whole));
    Ok((true, Box::new(unpacked.map_err(not_one)?)))
}

/// The files of a container that is not compressed, in order.
pub(crate) struct Files<'a, R: Read> {
    entries: Entries<'a, R>,
    is_first: bool,
}

impl<'a, R: Read> Files<'a, R> {
    pub(crate) fn new(tar: &'a mut tar::Archive<R>) -> Self {
        let entries = tar.entries().expect("nothing of it was read");
        Files {
            // Names that do not fit into a header would be read into memory, however long they are.
            entries: entries.raw(true),
            is_first: true,
        }
    }

    /// The next file, which must be a plain one and at most so many bytes long; none after the last one.
    pub(crate) fn next(&mut self, most: u64) -> Result<Option<DueFile<'a, R>>, ContainerError> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        let entry = match self.entries.next() {
            None => return Ok(None),
            Some(Ok(entry)) => entry,
            // The error repeats what it found, and that may be anything.
            Some(Err(_)) if is_first => return Err(ContainerError::NotOne(NO_FILE.into())),
            Some(Err(error)) => return Err(error.into()),
        };
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if entry.header().entry_type() != EntryType::Regular {
            return Err(ContainerError::File(path, "it is not a plain file".into()));
        }
        if entry.size() > most {
            let what = format!("it is over {most} bytes long");
            return Err(ContainerError::File(path, what));
        }
        Ok(Some(DueFile { path, entry }))
    }

    /// The next file, which must be this one.
    pub(crate) fn due(&mut self, due: &str, most: u64) -> Result<DueFile<'a, R>, ContainerError> {
        match self.next(most)? {
            Some(file) if file.path == due => Ok(file),
            Some(other) => Err(ContainerError::File(
                other.path,
                format!("{due} is due here"),
            )),
            None => Err(ContainerError::Cut(format!("{due} is missing"))),
        }
    }

    /// Makes sure that no file follows. Whoever owns the tar calls [`drain`] then.
    pub(crate) fn end(mut self) -> Result<(), ContainerError> {
        let what = "nothing may follow the last file";
        match self.next(u64::MAX)? {
            None => Ok(()),
            Some(file) => Err(ContainerError::File(file.path, what.into())),
        }
    }
}

/// A file whose content was not read yet.
pub(crate) struct DueFile<'a, R: Read> {
    pub(crate) path: String,
    entry: Entry<'a, R>,
}

impl<R: Read> DueFile<'_, R> {
    pub(crate) fn text(self) -> Result<String, ContainerError> {
        let path = self.path.clone();
        let mut bytes = Vec::new();
        let copied = self.copy(&mut bytes)?;
        copied.expect("memory takes what is written");
        String::from_utf8(bytes).map_err(|_| ContainerError::File(path, "it is not text".into()))
    }

    /// Copies the whole content, and gives its size. The inner error is that of writing.
    pub(crate) fn copy(mut self, out: &mut impl Write) -> Result<io::Result<u64>, ContainerError> {
        let mut piece = [0; 8192];
        let mut size = 0;
        loop {
            match self.entry.read(&mut piece) {
                Ok(0) if size == self.entry.size() => return Ok(Ok(size)),
                Ok(0) => return Err(ContainerError::Cut(format!("{} is not whole", self.path))),
                Ok(length) => {
                    if let Err(error) = out.write_all(&piece[..length]) {
                        return Ok(Err(error));
                    }
                    size += length as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Reads what follows the last file to the end, where compression keeps its checksum. Only what fills the last block up
/// may follow.
pub(crate) fn drain(rest: impl Read) -> Result<(), ContainerError> {
    let length = io::copy(&mut rest.take(MAX_FILLING + 1), &mut io::sink())?;
    if length <= MAX_FILLING {
        return Ok(());
    }
    let what = format!("more than {MAX_FILLING} bytes follow the last file");
    Err(ContainerError::File("the end".into(), what))
}

/// Reads the first file, which names its format. Of another format, it gives no more than its number.
pub(crate) fn of_format<T: DeserializeOwned>(
    text: &str,
    format: u32,
) -> serde_json::Result<Result<T, u32>> {
    #[derive(Deserialize)]
    struct Named {
        format: u32,
    }
    match serde_json::from_str(text)? {
        Named { format: found } if found == format => serde_json::from_str(text).map(Ok),
        Named { format: found } => Ok(Err(found)),
    }
}

/// The text of the first file.
pub(crate) fn first_text(first: &impl Serialize) -> String {
    serde_json::to_string_pretty(first).expect("texts and numbers are JSON") + "\n"
}

/// Compresses what is written, with a checksum at the end.
pub(crate) fn packing<W: Write>(out: W, level: i32) -> io::Result<zstd::Encoder<'static, W>> {
    let mut packing = zstd::Encoder::new(out, level)?;
    packing.include_checksum(true)?;
    Ok(packing)
}

/// Adds a file of exactly this size to a tar. Nothing of this machine or its user is in it. `at` is in milliseconds since
/// 1970. A file that shrinks meanwhile is an error, and what comes later is not in the container.
pub(crate) fn append(
    tar: &mut Builder<impl Write>,
    path: &str,
    at: u64,
    (content, size): (impl Read, u64),
) -> io::Result<()> {
    let mut header = Header::new_ustar();
    header.set_path(path)?;
    header.set_entry_type(EntryType::Regular);
    header.set_size(size);
    header.set_mode(0o644);
    header.set_mtime(at / 1000);
    header.set_cksum();
    let mut content = content.take(size);
    tar.append(&header, &mut content)?;
    match content.limit() {
        0 => Ok(()),
        _ => Err(io::Error::other(format!("{path} changed meanwhile"))),
    }
}

/// The content and the size of a text.
pub(crate) fn of_text(text: &str) -> (&[u8], u64) {
    (text.as_bytes(), text.len() as u64)
}
