//! The records of an archive that was checked, for whoever looks at more of them than an import does.

use std::io::Read;
use std::num::NonZeroUsize;

use flipside_referee::Record;

use super::ArchiveError;
use super::check::{CheckedArchive, sized_row};
use super::read::{ArchivedRow, Reader};
use super::seal::HashingReader;
use crate::container::unpacked;
use crate::parallel::in_order;

/// Does some work for the record of each match of an archive that was checked, on so many threads. `take` gets the id
/// of each match with what came of it, in order of the schedule. Forfeits have no record. `archive` is read from its
/// beginning.
///
/// # Errors
/// [`ArchiveError::Changed`] when it is not what was checked; and the first error of `take`.
pub fn for_each_record<T: Send, E: From<ArchiveError>>(
    archive: impl Read,
    checked: &CheckedArchive,
    threads: NonZeroUsize,
    work: impl Fn(&Record) -> T + Sync,
    mut take: impl FnMut(&str, Option<T>) -> Result<(), E>,
) -> Result<(), E> {
    let changed = |_| ArchiveError::Changed;
    let (hashed, closing) =
        HashingReader::new(unpacked(archive).map_err(|_| ArchiveError::Changed)?);
    let mut archive = tar::Archive::new(hashed);
    let mut reader = Reader::new(&mut archive, closing).map_err(changed)?;
    let mut due = checked.seen.iter();
    let mut next = || {
        let row = sized_row(&mut reader).map_err(changed)?;
        let is_due = match (&row, due.next()) {
            (Some(((line, record), _)), Some(seen)) => {
                line.index == seen.index && record.as_ref().map(|(_, hash)| *hash) == seen.record
            }
            (row, seen) => row.is_none() && seen.is_none(),
        };
        if is_due {
            Ok(row)
        } else {
            Err(ArchiveError::Changed)
        }
    };
    let worked = |(line, record): ArchivedRow| {
        let worked = record.map(|(text, _)| Record::read(&text).map(|record| work(&record)));
        (line.id, worked.transpose())
    };
    in_order(
        threads,
        || next().map_err(E::from),
        worked,
        |(id, worked)| take(&id, worked.map_err(|_| ArchiveError::Changed)?),
    )
}
