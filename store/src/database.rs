//! Databases in SQLite: whose a file is, and of which version, before anything of it changes. What is in them is the
//! business of others.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, TransactionBehavior};

/// The tables of a database, and what tells its files from others.
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    /// The `application_id` of its files.
    pub application_id: i64,
    /// The version of the tables: the `user_version` of its files.
    pub version: i64,
    /// The statements that make them.
    pub sql: &'static str,
}

/// Why a file is not opened.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// It is something else.
    #[error("it is something else")]
    Foreign,
    /// It has tables of another version.
    #[error("it has version {0}")]
    OtherVersion(i64),
    /// SQLite fails.
    #[error(transparent)]
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for TablesError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => TablesError::Foreign,
            _ => TablesError::Sqlite(error),
        }
    }
}

impl Tables {
    /// Opens a file. One that is refused stays as it is, and nothing is made beside it unless it has a write-ahead log:
    /// then SQLite may make that log's index. [`are_made`](Tables::are_made) must follow, for it looks into the log.
    ///
    /// # Errors
    /// When the file is something else or of another version, as far as that is known without its log.
    pub fn open(&self, path: &Path, flags: OpenFlags) -> Result<Connection, TablesError> {
        self.look(path)?;
        let connection = Connection::open_with_flags(path, flags)?;
        // The log of a file that is not ours, or of another version, is not brought into it.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        Ok(connection)
    }

    /// Refuses a file by what it holds itself, if it has no log. To take part in a log, SQLite makes files beside it.
    ///
    /// SQLite does this too: whoever opens and closes the file in another way takes away the locks that other
    /// connections of this process have on it.
    fn look(&self, path: &Path) -> Result<(), TablesError> {
        if !path.is_file() || has_log(path) {
            return Ok(());
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let found = Connection::open_with_flags(unchanging(path), flags).and_then(|connection| {
            // Another process may be just making the file: both are of one moment.
            let moment = connection.unchecked_transaction()?;
            let found = header(&moment)?;
            // Only a file that has neither can be a new one.
            let tables = if found == (0, 0) { tables(&moment)? } else { 0 };
            Ok((found, tables))
        });
        match found.map_err(TablesError::from) {
            Ok((header, tables)) => self.judge(header, tables).map(drop),
            Err(TablesError::Foreign) => Err(TablesError::Foreign),
            // Whoever opens it for good is told what is wrong with it.
            Err(_) => Ok(()),
        }
    }

    /// Whether an open file has the tables; a new file has none.
    ///
    /// # Errors
    /// When the file is something else or of another version, or cannot be read.
    pub fn are_made(&self, connection: &Connection) -> Result<bool, TablesError> {
        // In one statement, so that another process which is just making the file is seen before or
        // after it, not half-way.
        let query = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
                     FROM pragma_application_id, pragma_user_version";
        let read = |row: &Row<'_>| Ok(((row.get(0)?, row.get(1)?), row.get(2)?));
        let (header, tables) = connection.query_row(query, [], read)?;
        let are_made = self.judge(header, tables)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        Ok(are_made)
    }

    /// Makes the tables of a new file, whole or not at all.
    ///
    /// # Errors
    /// When the file is something else or of another version, or cannot be written.
    pub fn make(&self, connection: &mut Connection) -> Result<(), TablesError> {
        // Another process may be making them: what is there counts once we may write.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if !self.are_made(&transaction)? {
            transaction.execute_batch(self.sql)?;
            transaction.pragma_update(None, "application_id", self.application_id)?;
            transaction.pragma_update(None, "user_version", self.version)?;
        }
        Ok(transaction.commit()?)
    }

    /// Whether a file with this application and version, and so many tables, has ours.
    fn judge(&self, header: (i64, i64), tables: i64) -> Result<bool, TablesError> {
        match header {
            (application, version) if application == self.application_id => {
                if version == self.version {
                    Ok(true)
                } else {
                    Err(TablesError::OtherVersion(version))
                }
            }
            (0, 0) if tables == 0 => Ok(false),
            _ => Err(TablesError::Foreign),
        }
    }
}

/// The application and the version that stand in the header of a file.
fn header(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let value = |name| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok((value("application_id")?, value("user_version")?))
}

/// How many tables and other things there are.
fn tables(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
}

/// Whether there is something in the write-ahead log of a database, or may be.
pub(crate) fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(log).map_or_else(
        |error| error.kind() != io::ErrorKind::NotFound,
        |log| log.len() > 0,
    )
}

/// The name by which SQLite opens a file that nobody changes, <https://www.sqlite.org/uri.html>.
pub(crate) fn unchanging(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let mut name = OsString::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                name.push(char::from(*byte).to_string());
            }
            byte => name.push(format!("%{byte:02x}")),
        }
    }
    name.push("?immutable=1");
    name.into()
}

/// What is in a journal. Its application is "FLJN".
pub(crate) const TABLES: Tables = Tables {
    application_id: 0x464c_4a4e,
    version: 1,
    sql: include_str!("journal/schema.sql"),
};
