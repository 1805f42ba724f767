//! Reading an archive, file by file and never as a whole. Nothing in it is believed here but its form.

use std::io::{self, Read};
use std::str::FromStr;
use std::vec;

use flipside_referee::PublicKey;
use flipside_tournament::Name;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tar::{Entries, EntryType};

use super::hashing::ends;
use super::seal::{HashingReader, LONGEST_SEAL, ReadHash};
use super::{
    ArchiveError, ArchiveFiles, ArchiveHeader, BATCH, BATCH_BYTES, FORMAT, HEAD, LONGEST_TABLE,
    MAX_FILLING, MAX_VOIDS, ResultLine,
};
use crate::journal::packed::LONGEST_RECORD;
use crate::journal::results::VoidMatch;

/// The files of an archive that is not compressed, in order.
pub(super) struct Reader<'a, R: Read> {
    entries: Entries<'a, HashingReader<R>>,
    closing: ReadHash,
    pub(super) head: ArchiveHeader,
    pub(super) voids: Vec<VoidMatch>,
    /// The hash of what was read before the first results.
    pub(super) preamble: [u8; 32],
    /// The files of results that were read.
    batch: u64,
    /// The results of the last one whose records were not read yet.
    results: vec::IntoIter<ResultLine>,
    /// The bytes of those that were.
    bytes: usize,
    /// Matches that were read.
    read: u64,
}

/// What is said of a file that does not begin as an archive does.
const NO_ARCHIVE: &str = "it does not begin as one, or is cut off there";

/// A match, with its record and the hash of that.
pub(super) type ArchivedRow = (ResultLine, Option<(String, [u8; 32])>);

impl<'a, R: Read> Reader<'a, R> {
    /// Reads what stands before the results.
    pub(super) fn new(
        archive: &'a mut tar::Archive<HashingReader<R>>,
        closing: ReadHash,
    ) -> Result<Self, ArchiveError> {
        let not_one = |what: &str| ArchiveError::NotAnArchive(what.into());
        // Names that do not fit into a header would be read into memory, however long they are.
        let mut entries = archive
            .entries()
            .map_err(|_| not_one(NO_ARCHIVE))?
            .raw(true);
        let (path, text) = match next(&mut entries, LONGEST_TABLE) {
            Ok(Some(file)) => file,
            Ok(None) => return Err(not_one("there is nothing in it")),
            // The error repeats what it found, and that may be anything.
            Err(ArchiveError::Cut(_)) => return Err(not_one(NO_ARCHIVE)),
            Err(error) => return Err(error),
        };
        let tournament = path
            .strip_suffix(HEAD)
            .and_then(|folder| folder.strip_suffix('/'))
            .and_then(|folder| Name::from_str(folder).ok())
            .ok_or_else(|| not_one(&format!("its first file is {path:?}")))?;
        let head = head(&path, &text)?;
        if head.tournament != tournament {
            let what = format!("it is of the tournament {}", head.tournament);
            return Err(ArchiveError::file(path, what));
        }
        let mut hash = Sha256::new().chain_update(&text);
        let due = ArchiveFiles(&tournament).voids();
        let text = expect(&mut entries, &due, LONGEST_TABLE)?;
        hash.update([0]);
        hash.update(&text);
        // More could be of no match, and would only fill the memory.
        let most = usize::try_from(head.matches).unwrap_or(usize::MAX);
        Ok(Reader {
            voids: lines(&due, &text, most.saturating_mul(MAX_VOIDS))?,
            entries,
            closing,
            head,
            preamble: hash.finalize().into(),
            batch: 0,
            results: Vec::new().into_iter(),
            bytes: 0,
            read: 0,
        })
    }

    /// The next match; none after the last one.
    pub(super) fn row(&mut self) -> Result<Option<ArchivedRow>, ArchiveError> {
        if self.read == self.head.matches {
            return Ok(None);
        }
        let result = match self.results.next() {
            Some(result) => result,
            None => self.next_results()?,
        };
        let files = ArchiveFiles(&self.head.tournament);
        if self.bytes >= BATCH_BYTES {
            let file = files.results(self.batch - 1);
            let what = "the records of its matches are too long";
            return Err(ArchiveError::file(file, what));
        }
        let record = match &result.record {
            None => None,
            Some(due) => {
                // It is a part of a file's name now.
                let file = files.record(&result.id);
                let text = expect(&mut self.entries, &file, LONGEST_RECORD)?;
                let hash = Sha256::digest(&text).into();
                if *due != hex::encode(hash) {
                    let what = "it does not have the hash that its result names";
                    return Err(ArchiveError::file(file, what));
                }
                self.bytes += text.len();
                Some((text, hash))
            }
        };
        self.read += 1;
        Ok(Some((result, record)))
    }

    /// Reads the next file of results, and gives the first of them.
    fn next_results(&mut self) -> Result<ResultLine, ArchiveError> {
        let due = ArchiveFiles(&self.head.tournament).results(self.batch);
        let text = expect(&mut self.entries, &due, LONGEST_TABLE)?;
        let results: Vec<ResultLine> = lines(&due, &text, BATCH)?;
        let fit = results.len() as u64 <= self.head.matches - self.read;
        self.results = results.into_iter();
        self.bytes = 0;
        self.batch += 1;
        match self.results.next() {
            Some(first) if fit => Ok(first),
            _ => {
                let what = "it has not as many lines as are due";
                Err(ArchiveError::file(due, what))
            }
        }
    }

    /// Reads the signature of a signed archive, and makes sure that nothing follows.
    pub(super) fn end(mut self) -> Result<Option<Unproven>, ArchiveError> {
        let file = ArchiveFiles(&self.head.tournament).signature();
        let seal = if self.head.signed {
            self.closing.begins();
            Some(expect(&mut self.entries, &file, LONGEST_SEAL)?)
        } else {
            None
        };
        if let Some((path, _)) = next(&mut self.entries, LONGEST_TABLE)? {
            let what = "nothing may follow the last match";
            return Err(ArchiveError::file(path, what));
        }
        Ok(seal.map(|seal| Unproven {
            head: self.head,
            closing: self.closing,
            seal,
        }))
    }
}

/// A signature that was read. What it is of ends with the last byte of the archive.
pub(super) struct Unproven {
    head: ArchiveHeader,
    closing: ReadHash,
    seal: String,
}

impl Unproven {
    /// Who signed the archive, when all of it was read.
    ///
    /// # Errors
    /// [`ArchiveError::WrongSignature`].
    pub(super) fn signer(&self) -> Result<PublicKey, ArchiveError> {
        self.closing.signer(&self.head, &self.seal)
    }
}

/// Reads to the end, where compression keeps its checksum.
pub(super) fn drain(rest: impl Read) -> Result<(), ArchiveError> {
    match ends(rest) {
        Ok(true) => Ok(()),
        Ok(false) => {
            let what = format!("more than {MAX_FILLING} bytes follow the last file");
            Err(ArchiveError::file("the end", what))
        }
        Err(error) => Err(ArchiveError::Cut(error.to_string())),
    }
}

fn head(path: &str, text: &str) -> Result<ArchiveHeader, ArchiveError> {
    #[derive(Deserialize)]
    struct ArchiveFormat {
        format: u32,
    }
    let wrong = |error: serde_json::Error| ArchiveError::other_file(path, None, &error);
    let ArchiveFormat { format } = serde_json::from_str(text).map_err(wrong)?;
    if format != FORMAT {
        return Err(ArchiveError::OtherFormat { found: format });
    }
    serde_json::from_str(text).map_err(wrong)
}

/// A text with a value in each line, at most so many.
fn lines<T: DeserializeOwned>(file: &str, text: &str, most: usize) -> Result<Vec<T>, ArchiveError> {
    let mut values = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if number >= most {
            return Err(ArchiveError::file(
                file,
                format!("it has more than {most} lines"),
            ));
        }
        let wrong = |error| ArchiveError::other_file(file, Some(number + 1), &error);
        values.push(serde_json::from_str(line).map_err(wrong)?);
    }
    Ok(values)
}

/// The next file, which must be this one.
fn expect<R: Read>(
    entries: &mut Entries<'_, R>,
    due: &str,
    most: u64,
) -> Result<String, ArchiveError> {
    match next(entries, most)? {
        Some((path, text)) if path == due => Ok(text),
        Some((path, _)) => Err(ArchiveError::file(path, format!("{due} is due here"))),
        None => Err(ArchiveError::Cut(format!("{due} is missing"))),
    }
}

/// The next file with its text.
fn next<R: Read>(
    entries: &mut Entries<'_, R>,
    most: u64,
) -> Result<Option<(String, String)>, ArchiveError> {
    let cut = |error: io::Error| ArchiveError::Cut(error.to_string());
    let Some(entry) = entries.next().transpose().map_err(cut)? else {
        return Ok(None);
    };
    let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    if entry.header().entry_type() != EntryType::Regular {
        return Err(ArchiveError::file(path, "it is not a plain file"));
    }
    let size = entry.size();
    if size > most {
        let what = format!("it is over {most} bytes long");
        return Err(ArchiveError::file(path, what));
    }
    let mut bytes = Vec::new();
    entry.take(most).read_to_end(&mut bytes).map_err(cut)?;
    if bytes.len() as u64 != size {
        return Err(ArchiveError::Cut(format!("{path} is not whole")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some((path, text))),
        Err(_) => Err(ArchiveError::file(path, "it is not text")),
    }
}
