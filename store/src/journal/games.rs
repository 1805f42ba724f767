//! The games in the journal that are programs.

use flipside_sandbox::ProgramKind;
use flipside_tournament::{BotFile, GameVersion, MAX_VERSIONS};
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, Row, params};

use super::bots::KindText;
use super::columns::Parsed;
use super::{Journal, Queries};

use crate::error::{Error, Result};
use crate::kept_file::KeptFile;

/// A game of an arena: one version of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// The id that its program says, without a version.
    pub name: String,
    /// Its version, counted from 1 by name.
    pub version: u32,
    /// How it runs.
    pub kind: ProgramKind,
    /// The SHA-256 of its file, hexadecimal.
    pub sha256: String,
    /// Its size in bytes; of a bundle, that of all its files together.
    pub size: u64,
    /// The name of its file in the arena.
    pub file: BotFile,
    /// The line with which its program describes it.
    pub description: String,
    /// When it was added, in milliseconds since 1970.
    pub added_at: u64,
    /// Whether only an archive has brought it: its id without a version does not mean it.
    pub imported: bool,
}

/// A row of a game that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedGame {
    /// Its name and version, as far as they can be read: `nim@2`.
    pub label: String,
    /// What is wrong.
    pub why: String,
}

/// A game that an archive brings.
#[derive(Clone, Debug)]
pub struct ImportedGame {
    /// Its name and its version there.
    pub version: GameVersion,
    /// The file of its program, which lies in the arena.
    pub file: KeptFile,
    /// The line with which its program describes it.
    pub description: String,
}

impl StoredGame {
    /// The id with the version, as settings and records name it: `nim@2`.
    pub fn label(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// The version that a new program of a game gets, of which these are there: the one after the latest that was added
    /// here, unless an archive has brought it.
    pub fn next_version(versions: &[StoredGame]) -> u32 {
        let own = versions.iter().filter(|game| !game.imported);
        let mut next = own.map(|game| game.version).max().unwrap_or(0) + 1;
        while versions.iter().any(|game| game.version == next) {
            next += 1;
        }
        next
    }
}

const COLUMNS: &str =
    "SELECT name, version, kind, sha256, size, file, description, added_at, imported FROM games";

impl Journal {
    /// Adds a game as a new version of its name; returns it, and whether it is new. When any version has the very same
    /// file, it is that one.
    ///
    /// # Errors
    /// When there are too many versions, or the journal cannot be written.
    pub fn add_game(
        &mut self,
        name: &str,
        file: &KeptFile,
        description: &str,
        at: u64,
    ) -> Result<(StoredGame, bool)> {
        self.durably(|transaction| {
            let versions = versions(transaction, name)?;
            let same = |game: &&StoredGame| game.sha256 == file.sha256 && game.kind == file.kind;
            if let Some(known) = versions.iter().rev().find(same) {
                if !known.imported {
                    return Ok((known.clone(), false));
                }
                let own = "UPDATE games SET imported = 0 WHERE name = ? AND version = ?";
                transaction.run(own, params![name, known.version])?;
                return Ok((one(transaction, name, known.version)?, true));
            }
            let version = StoredGame::next_version(&versions);
            if version > MAX_VERSIONS {
                let name = name.to_owned();
                return Err(Error::TooManyVersions { name });
            }
            let row = (name, version, false);
            insert(transaction, row, file, description, at)?;
            Ok((one(transaction, name, version)?, true))
        })
    }

    /// All games that are programs, by name and version.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn games(&self) -> Result<Vec<StoredGame>> {
        let query = format!("{COLUMNS} ORDER BY name, version");
        Ok(self.connection.all(&query, [], read)?)
    }

    /// The same, and apart from them those whose rows are damaged.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn readable_games(&self) -> Result<(Vec<StoredGame>, Vec<DamagedGame>)> {
        let query = format!("{COLUMNS} ORDER BY name, version");
        let row = |row: &Row<'_>| Ok(read(row).map_err(|error| damaged(row, error)));
        let rows: Vec<_> = self.connection.all(&query, [], row)?;
        let (mut games, mut damaged) = (Vec::new(), Vec::new());
        for row in rows {
            match row {
                Ok(game) => games.push(game),
                Err(game) => damaged.push(game),
            }
        }
        Ok((games, damaged))
    }

    /// This version of a game, if it is there.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn game(&self, game: &GameVersion) -> Result<Option<StoredGame>> {
        find(&self.connection, game)
    }

    /// All versions of a game.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn game_versions(&self, name: &str) -> Result<Vec<StoredGame>> {
        versions(&self.connection, name)
    }

    /// How many there are. There are never fewer.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn count_games(&self) -> Result<u64> {
        let count = |row: &Row<'_>| row.get(0);
        Ok(self
            .connection
            .one("SELECT count(*) FROM games", [], count)?)
    }
}

/// Takes in a game of another arena under its version there.
pub(super) fn import(transaction: &Connection, game: &ImportedGame, at: u64) -> Result<()> {
    match find(transaction, &game.version)? {
        None => {
            let row = (game.version.name.as_str(), game.version.version, true);
            insert(transaction, row, &game.file, &game.description, at)
        }
        Some(known) if known.sha256 == game.file.sha256 => Ok(()),
        Some(known) => Err(Error::OtherGame {
            game: known.label(),
        }),
    }
}

fn find(connection: &Connection, game: &GameVersion) -> Result<Option<StoredGame>> {
    let GameVersion { name, version } = game;
    let query = format!("{COLUMNS} WHERE name = ? AND version = ?");
    Ok(connection.first(&query, params![name, version], read)?)
}

fn one(connection: &Connection, name: &str, version: u32) -> Result<StoredGame> {
    let query = format!("{COLUMNS} WHERE name = ? AND version = ?");
    Ok(connection.one(&query, params![name, version], read)?)
}

fn versions(connection: &Connection, name: &str) -> Result<Vec<StoredGame>> {
    let query = format!("{COLUMNS} WHERE name = ? ORDER BY version");
    Ok(connection.all(&query, [name], read)?)
}

fn insert(
    connection: &Connection,
    (name, version, imported): (&str, u32, bool),
    file: &KeptFile,
    description: &str,
    at: u64,
) -> Result<()> {
    connection.run(
        "INSERT INTO games (name, version, kind, sha256, size, file, description, added_at, imported)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            name,
            version,
            KindText(file.kind),
            file.sha256,
            file.size,
            file.file.to_string(),
            description,
            at,
            imported
        ],
    )?;
    Ok(())
}

/// What is wrong with the row of a game.
#[derive(Debug, thiserror::Error)]
#[error("the file of a game is not one that is named by its SHA-256")]
struct OtherFile;

fn damaged(row: &Row<'_>, error: rusqlite::Error) -> DamagedGame {
    let name = row.get(0).unwrap_or_else(|_| "?".to_owned());
    let version: u32 = row.get(1).unwrap_or_default();
    DamagedGame {
        label: format!("{name}@{version}"),
        why: format!("its row in the journal is damaged: {}", Error::from(error)),
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredGame> {
    let sha256: String = row.get(3)?;
    let file = row.get::<_, Parsed<BotFile>>(5)?.0;
    match &file {
        BotFile::Stored { sha256: named, .. } if *named == sha256 => {}
        _ => return Err(FromSqlError::other(OtherFile).into()),
    }
    Ok(StoredGame {
        name: row.get(0)?,
        version: row.get(1)?,
        kind: row.get::<_, KindText>(2)?.0,
        sha256,
        size: row.get(4)?,
        file,
        description: row.get(6)?,
        added_at: row.get(7)?,
        imported: row.get(8)?,
    })
}
