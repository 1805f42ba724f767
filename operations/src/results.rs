//! Results that were played anywhere, from a file.

use std::path::Path;

use flipside_tournament::ResultList;

use crate::failure::{Failure, Result};
use crate::files::read_text;

/// The largest file of results, in bytes.
const LARGEST: u64 = 1 << 30;

/// Reads a list of results from a CSV file.
///
/// # Errors
/// When it cannot be read, or is none.
pub fn read_results(path: &Path) -> Result<ResultList> {
    let list = ResultList::from_csv(&read_text(path, LARGEST)?);
    list.map_err(|error| {
        Failure::new(&error)
            .about(path.display())
            .hint(error.hint())
    })
}
