//! Results that were played anywhere, from files.

use std::path::{Path, PathBuf};

use flipside_tournament::{ResultList, ResultsError, ResultsReader};

use crate::failure::{Failure, Result};
use crate::files::{is_no_text, read_bytes};

/// The largest file of results, in bytes.
const LARGEST: u64 = 1 << 30;

/// Reads one list of results from files of CSV, PGN or TRF.
///
/// # Errors
/// When a file cannot be read, or is none of this, or they have no result.
pub fn read_results(paths: &[PathBuf]) -> Result<ResultList> {
    let failure = |error: &ResultsError| Failure::new(error).hint(error.hint());
    let mut reader = ResultsReader::default();
    for path in paths {
        let read = reader.read(&text(path, read_bytes(path, LARGEST)?)?);
        read.map_err(|error| failure(&error).about(path.display()))?;
    }
    reader.list().map_err(|error| match paths {
        [path] => failure(&error).about(path.display()),
        _ => failure(&error),
    })
}

/// The text of a file: UTF-8, or what PGN and TRF were before, ISO 8859-1, whose bytes are the first characters of
/// Unicode.
fn text(path: &Path, bytes: Vec<u8>) -> Result<String> {
    let is_of_texts = |byte: &u8| !byte.is_ascii_control() || b"\t\n\r\x1a".contains(byte);
    String::from_utf8(bytes).or_else(|error| {
        let bytes = error.into_bytes();
        match bytes.iter().all(is_of_texts) {
            true => Ok(bytes.into_iter().map(char::from).collect()),
            false => Err(is_no_text(path)),
        }
    })
}
