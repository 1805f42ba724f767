//! The journal: one SQLite file that remembers who was submitted and what was played. It knows
//! nothing of how matches are played; the files of the bots are the arena's.
//!
//! A connection is for one thread. One writes; others read beside it, undisturbed, since the
//! journal is in write-ahead mode.

pub(super) mod bots;
mod changes;
mod columns;
pub(super) mod games;
pub(super) mod imports;
pub(super) mod matches;
pub(super) mod notes;
pub(super) mod packed;
pub(super) mod played_by;
pub(super) mod results;
pub(super) mod runs;
pub(super) mod slowest;
#[cfg(test)]
mod tests;
pub(super) mod tournaments;
pub(super) mod workers;

use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{io, thread};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Params, Row, Transaction};
use rustix::fs::{Access, access};

use crate::database::{TABLES, has_log, unchanging};
use crate::error::{Error, Result};
use crate::limits::PRIVATE_FILE;

pub use bots::Added;
pub use games::{DamagedGame, ImportedGame, StoredGame};
pub use matches::{Evidence, FinishedMatch, MatchFilter, MatchRow, SeatRow};
pub use notes::{KEPT_STDERR, NOTED_MATCHES, PackedNotes, SeatNotes};
pub use packed::{LONGEST_RECORD, PackedRecord};
pub use played_by::PlayedBy;
pub use results::{RatingsStamp, TableVersion, VoidMatch};
pub use slowest::SeatTime;
pub use tournaments::{
    OpenedTournament, TournamentFilter, TournamentKey, TournamentOrder, check_settings,
};
pub use workers::{Audit, BannedWorker, WorkerTrail};

/// How long to wait for another process that writes.
const BUSY_PATIENCE: Duration = Duration::from_secs(10);

/// The pause before a journal that is being made by another is tried again.
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// How many prepared statements a connection keeps.
const KEPT_STATEMENTS: usize = 32;

/// The size that the write-ahead log is cut back to, in bytes, when a long reader let it grow.
const LONGEST_LOG: i64 = 64 << 20;

/// How long the write-ahead log grows, in pages of 4 KiB, before it is brought into the journal. A
/// match touches the same few pages as the one before it: the later, the fewer are written twice.
const LOG_PAGES: i64 = 8_192;

/// A connection to the journal.
#[derive(Debug)]
pub struct Journal {
    connection: Connection,
}

/// While it lives, its journal reads the state of one moment, however much is written meanwhile.
#[derive(Debug)]
pub struct Snapshot<'a> {
    /// None inside another snapshot, whose moment it shares.
    _open: Option<Transaction<'a>>,
}

/// Milliseconds since the beginning of 1970, UTC, now.
pub fn unix_ms() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    since.as_millis().try_into().unwrap_or(u64::MAX)
}

impl Journal {
    /// Opens a journal for writing; makes it if need be.
    ///
    /// # Errors
    /// When the file is not a journal, is damaged or of another version, or cannot be written. It
    /// is then left as it is.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        // SQLite would open it for reading, say nothing, and leave files beside it.
        if path.exists() && access(path, Access::WRITE_OK).is_err() {
            return Err(Error::NotWritable { path: path.into() });
        }
        // SQLite would make it readable for all, and gives what lies beside it the same mode. Why it cannot be made,
        // SQLite says, too.
        let mut new = File::options();
        let _ = new
            .write(true)
            .create_new(true)
            .mode(PRIVATE_FILE)
            .open(path);
        let mut journal = Journal::connect(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        )?;
        let until = Instant::now() + BUSY_PATIENCE;
        loop {
            match journal.make_ready().map_err(|error| at(path, error)) {
                Ok(()) => return Ok(journal),
                // While another process turns the write-ahead log on, SQLite does not wait but says
                // so at once.
                Err(Error::Busy) if Instant::now() < until => thread::sleep(BUSY_PAUSE),
                Err(error) => return Err(error),
            }
        }
    }

    /// Opens a journal for reading.
    ///
    /// # Errors
    /// When there is none, or it is not one of this version.
    pub fn open_to_read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if !path.exists() {
            return Err(Error::NoArena {
                path: path.parent().unwrap_or(path).into(),
            });
        }
        // Opening a pipe would wait for its writer.
        if !path.is_file() {
            return Err(Error::NotAJournal { path: path.into() });
        }
        // What a process has just begun to make is in the log beside it.
        if fs::metadata(path).is_ok_and(|found| found.len() == 0) && !has_log(path) {
            return Err(Error::EmptyJournal { path: path.into() });
        }
        let mut journal = Journal::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut is_made = journal.is_made();
        let is_closed = || {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            access(folder.unwrap_or(Path::new(".")), Access::WRITE_OK).is_err()
        };
        if is_made.is_err() && !has_log(path) && is_closed() {
            // Who may not write beside it cannot take part in its log, and there is none: nobody writes now.
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            journal = Journal::connect(&unchanging(path), flags)?;
            is_made = journal.is_made();
        }
        if is_made.map_err(|error| at(path, error))? {
            Ok(journal)
        } else {
            Err(Error::EmptyJournal { path: path.into() })
        }
    }

    /// Keeps what is read until the guard is dropped to the state of one moment.
    ///
    /// # Errors
    /// When the journal fails.
    pub fn snapshot(&self) -> Result<Snapshot<'_>> {
        if !self.connection.is_autocommit() {
            return Ok(Snapshot { _open: None });
        }
        let transaction = self.connection.unchecked_transaction()?;
        // The moment is that of the first reading.
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(Snapshot {
            _open: Some(transaction),
        })
    }

    /// A number that changes when another connection has written to the journal. It is comparable with those of this
    /// connection only.
    ///
    /// # Errors
    /// When the journal fails.
    pub fn data_version(&self) -> Result<u64> {
        let read = |row: &Row<'_>| row.get(0);
        Ok(self.connection.query_row("PRAGMA data_version", [], read)?)
    }

    /// Writes a copy of the journal as it is at this moment to a file that is not there yet, while others may write to
    /// the journal.
    pub(crate) fn copy_to(&self, path: &Path) -> Result<()> {
        let Some(name) = path.to_str() else {
            return Err(Error::NotWritable { path: path.into() });
        };
        self.connection.execute("VACUUM INTO ?", [name])?;
        Ok(())
    }

    /// What is in the journal's file that no journal has: rows that refer to nothing, values and indices that
    /// contradict each other, and anything that acts by itself. In words, a line each.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn strays(&self) -> Result<Vec<String>> {
        let refers = |row: &Row<'_>| {
            let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
            Ok(format!("a row of {table} refers to nothing in {parent}"))
        };
        // First, for what is foreign may compute something at every check: an index on an expression, or a constraint.
        let mut strays = self.foreign_forms()?;
        if !strays.is_empty() {
            return Ok(strays);
        }
        strays = self
            .connection
            .all("PRAGMA foreign_key_check", [], refers)?;
        let found: Vec<String> =
            (self.connection).all("PRAGMA integrity_check", [], |row| row.get(0))?;
        strays.extend(found.into_iter().filter(|found| found != "ok"));
        strays.dedup();
        Ok(strays)
    }

    /// Tables, indices, views and triggers that a new journal does not have, or has in another form. In words, a line
    /// each.
    fn foreign_forms(&self) -> Result<Vec<String>> {
        // The indices of keys have no text, and `ANALYZE` makes these tables.
        let forms = "SELECT type, name, sql FROM sqlite_schema
                     WHERE sql IS NOT NULL AND name NOT IN ('sqlite_stat1', 'sqlite_stat4') ORDER BY type, name";
        let form = |row: &Row<'_>| Ok([row.get(0)?, row.get(1)?, row.get(2)?]);
        let made = Connection::open_in_memory()?;
        made.execute_batch(TABLES.sql)?;
        let ours: Vec<[String; 3]> = made.all(forms, [], form)?;
        let found: Vec<[String; 3]> = self.connection.all(forms, [], form)?;
        let foreign = found.iter().filter(|one| !ours.contains(one));
        let foreign = foreign.map(|[what, name, _]| format!("there is a foreign {what} {name}"));
        let absent = ours.iter().filter(|one| !found.contains(one));
        let absent =
            absent.map(|[what, name, _]| format!("its {what} {name} is not as it was made"));
        Ok(foreign.chain(absent).collect())
    }

    /// Brings everything that is written onto the disk itself. To be called when a tournament is
    /// over, before its table is announced.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn settle(&mut self) -> Result<()> {
        // A commit that waits for the disk takes the whole log there with it, whoever reads.
        self.durably(|transaction| {
            Ok(transaction.pragma_update(None, "user_version", TABLES.version)?)
        })?;
        // To empty the log is only neat, and waits for nobody: a reader may keep it from that.
        self.connection.busy_timeout(Duration::ZERO)?;
        let emptied = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        self.connection.busy_timeout(BUSY_PATIENCE)?;
        match emptied.map_err(Error::from) {
            Err(Error::Busy) => Ok(()),
            other => other,
        }
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self> {
        // SQLite would wait for the writer of a pipe, of those beside it as well.
        for ending in ["", "-journal", "-wal", "-shm"] {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            if fs::metadata(&name).is_ok_and(|found| !found.is_file()) {
                return Err(Error::NotAJournal { path: name.into() });
            }
        }
        let connection = (TABLES.open(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX))
            .map_err(|error| at(path, error.into()))?;
        connection.busy_timeout(BUSY_PATIENCE)?;
        // A journal from somebody else may bring views of its own.
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.set_prepared_statement_cache_capacity(KEPT_STATEMENTS);
        // Because an index covers faults only, SQLite would prepare every query of seats anew for each new value,
        // which takes several times as long as the query.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(Journal { connection })
    }

    /// May be called again after it has failed.
    fn make_ready(&mut self) -> Result<()> {
        // Whose file it is comes first: neither somebody else's nor one of another version is to be changed.
        self.is_made()?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        self.connection
            .pragma_update(None, "journal_size_limit", LONGEST_LOG)?;
        self.connection
            .pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
        let mode: String =
            self.connection
                .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
        if mode != "wal" {
            tracing::warn!(
                mode,
                "this file system has no write-ahead log: readers will wait"
            );
        }
        self.synchronous("NORMAL")?;
        Ok(TABLES.make(&mut self.connection)?)
    }

    /// Whether the file has the tables; a new file has none.
    fn is_made(&self) -> Result<bool> {
        Ok(TABLES.are_made(&self.connection)?)
    }

    /// What a committed transaction outlives.
    ///
    /// What was committed is with the operating system, so the death of this process loses nothing,
    /// `kill -9` included. Without further ado a loss of power takes the last transactions, whole
    /// ones in order: some matches are then played again, as if they had been in flight. That is not
    /// worth a wait for the disk after each of thousands of short matches. What a person was told
    /// is done, a submission or a new tournament, waits for the disk.
    fn synchronous(&self, level: &str) -> Result<()> {
        Ok(self.connection.pragma_update(None, "synchronous", level)?)
    }

    /// Does in one transaction what a person is told is done. It is never part of a [group](Journal::together).
    fn durably<T>(&mut self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.durably_together(|journal| work(&journal.connection))
    }

    /// The same for what several calls write.
    fn durably_together<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.synchronous("FULL")?;
        let done = self.together(work);
        self.synchronous("NORMAL")?;
        done
    }

    /// Does the work in one transaction, which takes the right to write at its beginning: it waits
    /// its turn instead of failing half-way. An error undoes it. Within a [group](Journal::together),
    /// the transaction is the group's.
    fn immediately<T>(&mut self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        if self.connection.is_autocommit() {
            self.together(|journal| work(&journal.connection))
        } else {
            work(&self.connection)
        }
    }

    /// Executes one command, as [`immediately`](Journal::immediately) does.
    fn write(&mut self, command: &str, values: impl Params) -> Result<()> {
        self.immediately(|transaction| Ok(transaction.run(command, values).map(drop)?))
    }

    /// Commits everything that the work writes in one transaction, however many calls write it.
    ///
    /// # Errors
    /// Returns the error of the work, or of the commit. Then nothing of it was written.
    pub fn together<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.connection.run("BEGIN IMMEDIATE", [])?;
        let done = work(self).and_then(|done| {
            self.connection.run("COMMIT", [])?;
            Ok(done)
        });
        // It has failed. SQLite may have rolled back by itself, for instance when the disk is full.
        if !self.connection.is_autocommit() {
            // The first error is the one to tell.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        done
    }
}

/// Puts the path into an error that came while a journal was opened.
fn at(path: &Path, error: Error) -> Error {
    match error {
        // The file was seen to be writable, so it is its folder: the log cannot be made there.
        Error::ReadOnly => Error::NotWritable {
            path: path.parent().unwrap_or(path).into(),
        },
        Error::NotAJournal { .. } => Error::NotAJournal { path: path.into() },
        Error::OtherVersion { found, .. } => Error::OtherVersion {
            path: path.into(),
            found,
        },
        Error::Database(error) => match error
            .downcast_ref()
            .and_then(rusqlite::Error::sqlite_error_code)
        {
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => cannot_open(path, error),
            _ => Error::Database(error),
        },
        other => other,
    }
}

/// Whether this process or the system can open no further file.
fn is_used_up(folder: &Path) -> bool {
    use rustix::io::Errno;
    let refused = fs::File::open(folder).err();
    let code = refused.and_then(|error| Errno::from_io_error(&error));
    code.is_some_and(|code| [Errno::MFILE, Errno::NFILE].contains(&code))
}

/// SQLite says "unable to open" for everything; the file system tells more.
///
/// It is only asked, and the file not opened: to close it would take away the locks that other
/// connections of this process have on it.
fn cannot_open(path: &Path, error: Box<dyn std::error::Error + Send + Sync>) -> Error {
    let folder = path.parent().unwrap_or(path);
    match fs::metadata(path).or_else(|_| fs::metadata(folder)) {
        // Without a further file of its own, this process can open no journal.
        Ok(_) if is_used_up(folder) => Error::Short("too many open files".into()),
        Err(error) => Error::reading(folder, error),
        Ok(found) if path.exists() && !found.is_file() => Error::NotAJournal { path: path.into() },
        Ok(_) if path.exists() && access(path, Access::READ_OK).is_err() => {
            Error::reading(path, io::ErrorKind::PermissionDenied.into())
        }
        Ok(_) if access(folder, Access::WRITE_OK).is_err() => Error::NotWritable {
            path: folder.into(),
        },
        Ok(_) => Error::Database(error),
    }
}

/// Queries by statements that the connection keeps prepared.
trait Queries {
    /// All rows that a query finds.
    fn all<T, C: FromIterator<T>>(
        &self,
        query: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<C>;

    /// The first row that a query finds, if there is one.
    fn first<T>(
        &self,
        query: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>>;

    /// The row of a query that always finds one, as a count does.
    fn one<T>(
        &self,
        query: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T>;

    /// Whether a query finds a row.
    fn has(&self, query: &str, values: impl Params) -> rusqlite::Result<bool>;

    /// Executes a command; gives how many rows it changed.
    fn run(&self, command: &str, values: impl Params) -> rusqlite::Result<usize>;
}

impl Queries for Connection {
    fn all<T, C: FromIterator<T>>(
        &self,
        query: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<C> {
        let mut statement = self.prepare_cached(query)?;
        statement.query_map(values, read)?.collect()
    }

    fn first<T>(
        &self,
        query: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        self.one(query, values, read).optional()
    }

    fn one<T>(
        &self,
        query: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.prepare_cached(query)?.query_row(values, read)
    }

    fn has(&self, query: &str, values: impl Params) -> rusqlite::Result<bool> {
        self.prepare_cached(query)?.exists(values)
    }

    fn run(&self, command: &str, values: impl Params) -> rusqlite::Result<usize> {
        self.prepare_cached(command)?.execute(values)
    }
}

/// Reads a structure from a row whose columns are these fields, in this order.
macro_rules! reader {
    ($Name:ident: $($field:ident),+) => {
        |row: &rusqlite::Row<'_>| -> rusqlite::Result<$Name> {
            let mut columns = 0_usize..;
            let mut next = || columns.next().expect("it has no end");
            Ok($Name { $($field: row.get(next())?,)+ })
        }
    };
}
pub(crate) use reader;
