//! The file `site.db`: opening it, bringing it up to date, and one transaction after the other.

use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, Params, Row, TransactionBehavior};

use super::Error;
use crate::threads::locked;

/// Its name in the arena's folder.
const FILE: &str = "site.db";

/// It is this user's only: it holds who has an account.
const MODE: u32 = 0o600;

/// Marks the file as one of accounts.
const APPLICATION_ID: i64 = 0x666c_7073;

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many statements are kept prepared.
const STATEMENTS: usize = 64;

/// The steps that lead to the newest form; `user_version` counts those that were taken.
const MIGRATIONS: &[&str] = &[
    include_str!("store-1.sql"),
    include_str!("store-2.sql"),
    include_str!("store-3.sql"),
    include_str!("store-4.sql"),
    include_str!("store-5.sql"),
    include_str!("store-6.sql"),
];

/// What is known of accounts. One connection serves all: each transaction takes some milliseconds at most.
pub(crate) struct Store {
    /// Nothing once the site stops.
    connection: Mutex<Option<Connection>>,
    /// Counts the changes that pages for everybody show.
    shown_changes: AtomicU64,
}

impl Store {
    /// Opens the store of the arena in this folder; makes it, or brings it up to date.
    pub(crate) fn open(arena: &Path) -> Result<Self, Error> {
        let path = arena.join(FILE);
        make_private(&path).map_err(|error| Error::File {
            path: path.clone(),
            error,
        })?;
        // SQLite gives the files beside it the same mode.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(&path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.pragma_update(None, "trusted_schema", false)?;
        refuse_foreign(&connection, &path)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        // What a person was told is done outlives a loss of power.
        connection.pragma_update(None, "synchronous", "FULL")?;
        migrate(&mut connection)?;
        Ok(Store {
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

fn refuse_foreign(connection: &Connection, path: &Path) -> Result<(), Error> {
    let path: PathBuf = path.into();
    let query = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
                 FROM pragma_application_id, pragma_user_version";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let found: Result<(i64, i64, i64), _> = connection.query_row(query, [], read);
    let (id, found, tables) = match found.map_err(Error::from) {
        Ok(found) => found,
        Err(Error::Busy) => return Err(Error::Busy),
        Err(_) => return Err(Error::Foreign { path }),
    };
    if id != APPLICATION_ID && (id != 0 || tables > 0) {
        return Err(Error::Foreign { path });
    }
    let known = MIGRATIONS.len() as i64;
    if found > known {
        return Err(Error::Newer { path, found, known });
    }
    Ok(())
}

fn migrate(connection: &mut Connection) -> Result<(), Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: usize = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    for migration in MIGRATIONS.iter().skip(found) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests;
