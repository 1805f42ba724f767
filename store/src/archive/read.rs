//! Reading an archive, file by file and never as a whole. Nothing in it is believed here but its form.

use std::io::{self, Read};
use std::str::FromStr;
use std::vec;

use flipside_referee::PublicKey;
use flipside_tournament::Name;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::seal::{HashingReader, LONGEST_SEAL, ReadHash};
use super::{
    ArchiveError, ArchiveFiles, ArchiveHeader, BATCH, BATCH_BYTES, FORMAT, HEAD, LONGEST_TABLE,
    MAX_VOIDS, ResultLine,
};
use crate::container::{Files, of_format};
use crate::hashing::HashingWriter;
use crate::journal::packed::LONGEST_RECORD;
use crate::journal::results::VoidMatch;
use crate::limits::LARGEST_BOT;

/// The files of an archive that is not compressed, in order.
pub(super) struct Reader<'a, R: Read> {
    files: Files<'a, HashingReader<R>>,
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

/// A match, with its record and the hash of that.
pub(super) type ArchivedRow = (ResultLine, Option<(String, [u8; 32])>);

impl<'a, R: Read> Reader<'a, R> {
    /// Reads what stands before the results.
    pub(super) fn new(
        archive: &'a mut tar::Archive<HashingReader<R>>,
        closing: ReadHash,
    ) -> Result<Self, ArchiveError> {
        let mut files = Files::new(archive);
        let (head, text) = header(&mut files)?;
        let mut hash = Sha256::new().chain_update(&text);
        if let Some(game) = &head.game {
            let mut content = HashingWriter::new(io::sink());
            let due = ArchiveFiles(&head.tournament).game(game);
            let copied = files.due(&due, LARGEST_BOT)?.copy(&mut content)?;
            if copied.expect("a sink takes what is written") != game.bytes {
                let what = format!("it has not the {} bytes that are said", game.bytes);
                return Err(ArchiveError::file(due, what));
            }
            hash.update(content.hash());
        }
        let due = ArchiveFiles(&head.tournament).voids();
        let text = files.due(&due, LONGEST_TABLE)?.text()?;
        hash.update([0]);
        hash.update(&text);
        // More could be of no match, and would only fill the memory.
        let most = usize::try_from(head.matches).unwrap_or(usize::MAX);
        Ok(Reader {
            voids: lines(&due, &text, most.saturating_mul(MAX_VOIDS))?,
            files,
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
                let text = self.files.due(&file, LONGEST_RECORD)?.text()?;
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
        let text = self.files.due(&due, LONGEST_TABLE)?.text()?;
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
            Some(self.files.due(&file, LONGEST_SEAL)?.text()?)
        } else {
            None
        };
        self.files.end()?;
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

/// Reads the first file of an archive; returns its text, too.
pub(super) fn header<R: Read>(
    files: &mut Files<'_, R>,
) -> Result<(ArchiveHeader, String), ArchiveError> {
    let not_one = |what: &str| ArchiveError::NotAnArchive(what.into());
    let first = files.next(LONGEST_TABLE)?;
    let first = first.ok_or_else(|| not_one("there is nothing in it"))?;
    let (path, text) = (first.path.clone(), first.text()?);
    let tournament = path
        .strip_suffix(HEAD)
        .and_then(|folder| folder.strip_suffix('/'))
        .and_then(|folder| Name::from_str(folder).ok())
        .ok_or_else(|| not_one(&format!("its first file is {path:?}")))?;
    let head = of_format::<ArchiveHeader>(&text, FORMAT)
        .map_err(|error| ArchiveError::other_file(&path, None, &error))?
        .map_err(|found| ArchiveError::OtherFormat { found })?;
    if head.tournament != tournament {
        let what = format!("it is of the tournament {}", head.tournament);
        return Err(ArchiveError::file(path, what));
    }
    Ok((head, text))
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
