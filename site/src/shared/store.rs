//! The file `site.db`: opening it, making it, and one transaction after the other.

pub(crate) mod audit_log;
pub(crate) mod error;
mod schema;
#[cfg(test)]
mod tests;

use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use flipside_operations::{Failure, Result as Outcome};
use flipside_store::{Arena, TablesError, unix_ms};
use flipside_tournament::Name;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, Params, Row, TransactionBehavior};

use self::error::Error;
use self::schema::TABLES;
use super::threads::locked;

/// Its name in the arena's folder.
const FILE: &str = "site.db";

/// It is this user's only: it holds who has an account.
const MODE: u32 = 0o600;

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many statements are kept prepared.
const STATEMENTS: usize = 64;

/// What is known of accounts. One connection serves all: each transaction takes some milliseconds at most.
pub(crate) struct AccountStore {
    /// Nothing once the site stops.
    connection: Mutex<Option<Connection>>,
    /// Counts the changes that pages for everybody show.
    shown_changes: AtomicU64,
}

impl AccountStore {
    /// Opens the store of the arena in this folder; makes it if need be.
    ///
    /// # Errors
    /// When the file is something else, or of another version. It is then left as it is, but for who can read it.
    pub(crate) fn open(arena: &Path) -> Result<Self, Error> {
        let path = arena.join(FILE);
        make_private(&path).map_err(|error| Error::File {
            path: path.clone(),
            error,
        })?;
        // SQLite gives the files beside it the same mode.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let refused = |error| refused(&path, error);
        let mut connection = TABLES.open(&path, flags).map_err(refused)?;
        connection.busy_timeout(PATIENCE)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.pragma_update(None, "trusted_schema", false)?;
        TABLES.are_made(&connection).map_err(refused)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        // What a person was told is done outlives a loss of power.
        connection.pragma_update(None, "synchronous", "FULL")?;
        TABLES.make(&mut connection).map_err(refused)?;
        Ok(AccountStore {
            connection: Mutex::new(Some(connection)),
            shown_changes: AtomicU64::new(0),
        })
    }

    /// Reads what is there at one moment.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let open = self.locked();
        let connection = open.as_ref().ok_or(Error::Stopping)?;
        let transaction = connection.unchecked_transaction()?;
        work(&transaction)
    }

    /// Changes something in one transaction, which an error undoes. It is on the disk when this returns.
    pub(crate) fn change<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut open = self.locked();
        let connection = open.as_mut().ok_or(Error::Stopping)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }

    /// The same for what pages for everybody show: who has one open sees it change.
    pub(crate) fn change_shown<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let done = self.change(work)?;
        self.shown_changes.fetch_add(1, Ordering::Release);
        Ok(done)
    }

    /// Changes something by one statement. Says how many rows it was about.
    pub(crate) fn execute(&self, sql: &str, params: impl Params) -> Result<usize, Error> {
        self.change(|store| Ok(store.prepare_cached(sql)?.execute(params)?))
    }

    /// How many changes there were since the start that pages for everybody show.
    pub(crate) fn shown_changes(&self) -> u64 {
        self.shown_changes.load(Ordering::Acquire)
    }

    /// Waits for the transaction that runs and lets no other begin.
    pub(crate) fn close(&self) {
        self.locked().take();
    }

    fn locked(&self) -> MutexGuard<'_, Option<Connection>> {
        // A transaction that panicked was undone when it was dropped.
        locked(&self.connection)
    }
}

/// Copies the accounts of an arena to a file that is not there yet, for a backup. Says whether there are some.
///
/// # Errors
/// When the file is something else, or cannot be read or written.
pub fn copy_accounts(arena: &Arena, to: &Path) -> Outcome<bool> {
    let path = arena.path().join(FILE);
    if !path.try_exists().map_err(Failure::new)? {
        return Ok(false);
    }
    let failed = |error: Error| Failure::from(error);
    copy(&path, to, unix_ms()).map_err(failed)?;
    Ok(true)
}

fn copy(from: &Path, to: &Path, now: u64) -> Result<(), Error> {
    let name = to.to_str().ok_or_else(|| Error::File {
        path: to.into(),
        error: io::Error::other("its name is not UTF-8"),
    })?;
    let refused = |error| refused(from, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = TABLES.open(from, flags).map_err(refused)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    TABLES.are_made(&connection).map_err(refused)?;
    connection.execute("VACUUM INTO ?", [name])?;
    drop(connection);
    // Files that wait for their check are not copied.
    let copy = TABLES.open(to, flags).map_err(refused)?;
    copy.execute(
        "UPDATE uploads SET state = 'failed', file = '', ended_at = ?,
         said = 'its file was not in the backup that was restored: submit it again' WHERE file <> ''",
        [now],
    )?;
    Ok(())
}

/// All rows of a query.
pub(crate) fn rows<T, C: FromIterator<T>>(
    store: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T, Error>,
) -> Result<C, Error> {
    let mut query = store.prepare_cached(sql)?;
    query.query_and_then(params, read)?.collect()
}

/// The first row of a query, if there is one.
pub(crate) fn first<T>(
    store: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let mut query = store.prepare_cached(sql)?;
    query.query_and_then(params, read)?.next().transpose()
}

/// The only value of a row.
pub(crate) fn value<T: FromSql>(row: &Row<'_>) -> Result<T, Error> {
    Ok(row.get(0)?)
}

/// A name that is stored.
pub(crate) fn name(text: &str) -> Result<Name, Error> {
    text.parse()
        .map_err(|_| Error::Value(format!("name {text:?}")))
}

/// The value of a query that always has one, such as a count.
pub(crate) fn one<T: FromSql>(
    store: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<T, Error> {
    Ok(store
        .prepare_cached(sql)?
        .query_row(params, |row| row.get(0))?)
}

/// Makes an empty file that nobody else can read; or takes the right to read one from all others.
fn make_private(path: &Path) -> io::Result<()> {
    let mut new = OpenOptions::new();
    match new.write(true).create_new(true).mode(MODE).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Opening a pipe would wait for its writer.
            let found = fs::symlink_metadata(path)?;
            if !found.is_file() {
                return Err(io::Error::new(error.kind(), "it is not a file"));
            }
            if found.permissions().mode() & 0o077 != 0 {
                fs::set_permissions(path, Permissions::from_mode(MODE))?;
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}

fn refused(path: &Path, error: TablesError) -> Error {
    let path = path.into();
    match error {
        TablesError::Foreign => Error::Foreign { path },
        TablesError::OtherVersion(found) => Error::OtherVersion { path, found },
        TablesError::Sqlite(error) => error.into(),
    }
}
