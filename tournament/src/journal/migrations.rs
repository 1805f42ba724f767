//! The journal's schema, as the steps that lead to it. A step that has been released never changes.

use rusqlite::{Connection, ErrorCode, Row, TransactionBehavior};

use super::APPLICATION_ID;
use crate::{Error, Result};

/// The steps in order; the journal's `user_version` counts those that were taken.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("migration-1.sql"),
    include_str!("migration-2.sql"),
    include_str!("migration-3.sql"),
    include_str!("migration-4.sql"),
    include_str!("migration-5.sql"),
    include_str!("migration-6.sql"),
    include_str!("migration-7.sql"),
    include_str!("migration-8.sql"),
    include_str!("migration-9.sql"),
    include_str!("migration-10.sql"),
];

/// The newest version.
pub(super) const KNOWN: i64 = MIGRATIONS.len() as i64;

/// The version of a journal: 0 for a file that is still empty.
///
/// # Errors
/// [`Error::NotAJournal`], still without its path, for any file that is not ours.
pub(super) fn version(connection: &Connection) -> Result<i64> {
    // In one statement, so that another process which is just making the journal is seen before or
    // after it, not half-way.
    let query = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
                 FROM pragma_application_id, pragma_user_version";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let (ours, version, tables): (i64, i64, i64) = connection
        .query_row(query, [], read)
        .map_err(not_a_journal)?;
    match (ours, version, tables) {
        (APPLICATION_ID, 1.., _) | (0, 0, 0) => Ok(version),
        _ => Err(Error::NotAJournal {
            path: Default::default(),
        }),
    }
}

/// Takes the steps that a journal lacks, each in a transaction: a crash leaves it at one version or
/// the next.
pub(super) fn migrate(connection: &mut Connection, steps: &[&str]) -> Result<()> {
    let known = steps.len() as i64;
    loop {
        // Another process may be taking the same steps: the version counts once we may write.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found = version(&transaction)?;
        refuse_newer(found, known)?;
        let Some(step) = steps.get(found as usize) else {
            return Ok(());
        };
        tracing::debug!(from = found, to = found + 1, "migrating the journal");
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", found + 1)?;
        transaction.commit()?;
    }
}

pub(super) fn refuse_newer(found: i64, known: i64) -> Result<()> {
    if found > known {
        Err(Error::Newer { found, known })
    } else {
        Ok(())
    }
}

fn not_a_journal(error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => Error::NotAJournal {
            path: Default::default(),
        },
        _ => error.into(),
    }
}
