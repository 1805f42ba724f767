//! The bots in the journal.

use std::collections::BTreeSet;

use flipside_games::without_version;
use flipside_sandbox::ProgramKind;
use flipside_tournament::{Bot, BotFile, BotId, BotRef, MAX_VERSIONS, Name, Settings};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, params};

use super::columns::{Json, Parsed, as_json, bot_id};
use super::{Journal, Queries};

use crate::error::{Error, Result};
use crate::kept_file::KeptFile;

/// A bot that was added, or that was there already.
#[derive(Clone, Debug)]
pub struct Added {
    /// The bot.
    pub bot: Bot,
    /// Whether it is a new version.
    pub new: bool,
}

const COLUMNS: &str = "SELECT id, name, version, kind, sha256, size, file, submitted_at,
    (SELECT group_concat(game, ',' ORDER BY game) FROM bot_games WHERE bot = bots.id),
    (SELECT group_concat(name, ',' ORDER BY renamed_at, name) FROM former_names WHERE bot = bots.id),
    deleted_at FROM bots";

impl Journal {
    /// Adds a bot as a new version of its name. When the latest version has the very same file, it
    /// is that one; and where a version is known of which only the file was missing, that one has it now.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn add_bot(&mut self, name: &Name, file: &KeptFile, at: u64) -> Result<Added> {
        self.durably(|transaction| {
            let latest = latest(transaction, name)?;
            match latest {
                Some(bot) if bot.sha256 == file.sha256 && bot.file.as_ref() == Some(&file.file) => {
                    return Ok(Added { bot, new: false });
                }
                _ => {}
            }
            if let Some(id) = supply(transaction, name, file)? {
                let bot = by_id(transaction, id)?;
                return Ok(Added { bot, new: true });
            }
            let version = match latest {
                None => 1,
                Some(bot) => next_version(&bot.name, bot.version)?,
            };
            let KeptFile {
                kind,
                sha256,
                size,
                file,
            } = file;
            transaction.execute(
                "INSERT INTO bots (name, version, kind, sha256, size, file, submitted_at)
                 VALUES (?, ?, ?, ?, ?, ?, ?)",
                params![
                    name.as_str(),
                    version,
                    KindText(*kind),
                    sha256,
                    size,
                    file.to_string(),
                    at
                ],
            )?;
            let id = BotId::of_number(transaction.last_insert_rowid());
            Ok(Added {
                bot: by_id(transaction, id)?,
                new: true,
            })
        })
    }

    /// Notes that a bot has passed its check in a game.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn pass(&mut self, bot: BotId, game: &str) -> Result<()> {
        self.durably(|transaction| {
            let game = without_version(game);
            let insert = "INSERT INTO bot_games (bot, game) VALUES (?, ?) ON CONFLICT DO NOTHING";
            Ok(transaction
                .run(insert, params![bot.number(), game])
                .map(drop)?)
        })
    }

    /// All bots, by name and version.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn bots(&self) -> Result<Vec<Bot>> {
        let query = format!("{COLUMNS} ORDER BY name, version");
        Ok(self.connection.all(&query, [], read)?)
    }

    /// The bot that people call so.
    ///
    /// # Errors
    /// When there is none; a name that is nearly it is named.
    pub fn bot(&self, wanted: &BotRef) -> Result<Bot> {
        let name = &wanted.name;
        let Some(latest) = latest(&self.connection, name)? else {
            return Err(no_such_bot(&self.connection, name)?);
        };
        let Some(version) = wanted.version.filter(|version| *version != latest.version) else {
            return Ok(latest);
        };
        let query = format!("{COLUMNS} WHERE name = ? AND version = ?");
        let found = (self.connection).first(&query, params![name.as_str(), version], read)?;
        found.ok_or_else(|| Error::NoSuchVersion {
            name: name.to_string(),
            version,
            latest: latest.version,
        })
    }
}

impl Journal {
    /// Gives all versions of a bot another name. Their results stand under it from then on, and the settings of
    /// tournaments that name the bot follow.
    ///
    /// # Errors
    /// When there is no such bot, or the name is taken.
    pub fn rename_bot(&mut self, from: &Name, to: &Name, at: u64) -> Result<()> {
        self.durably(|transaction| {
            if latest(transaction, from)?.is_none() {
                return Err(no_such_bot(transaction, from)?);
            }
            if latest(transaction, to)?.is_some() {
                let name = to.to_string();
                return Err(Error::NameTaken { name });
            }
            transaction.execute(
                "INSERT OR REPLACE INTO former_names (bot, name, renamed_at)
                 SELECT id, name, ? FROM bots WHERE name = ?",
                params![at, from.as_str()],
            )?;
            let entered: Vec<(i64, Settings)> = transaction.all(
                "SELECT DISTINCT t.id, t.settings FROM tournaments t
                 JOIN entrants e ON e.tournament = t.id JOIN bots b ON b.id = e.bot
                 WHERE b.name = ?",
                [from.as_str()],
                |row| Ok((row.get(0)?, row.get::<_, Json<_>>(1)?.0)),
            )?;
            for (id, mut settings) in entered {
                if let Some(bot) = settings.bot.renamed(from, to) {
                    settings.bot = bot;
                    transaction.execute(
                        "UPDATE tournaments SET settings = ? WHERE id = ?",
                        params![as_json(&settings), id],
                    )?;
                }
            }
            transaction.execute(
                "UPDATE bots SET name = ? WHERE name = ?",
                params![to.as_str(), from.as_str()],
            )?;
            Ok(())
        })
    }

    /// Notes that the files of bots are deleted, and gives the names of those files that no other bot has. `refuse` may
    /// object to each bot, and nothing has happened then.
    ///
    /// # Errors
    /// What `refuse` fails with, or when the journal cannot be written.
    pub fn delete_bots(
        &mut self,
        bots: &[Bot],
        at: u64,
        refuse: impl Fn(&Journal, &Bot) -> Result<()>,
    ) -> Result<Vec<BotFile>> {
        self.durably_together(|journal| {
            for bot in bots {
                refuse(journal, bot)?;
            }
            for bot in bots {
                journal.connection.execute(
                    "UPDATE bots SET file = NULL, deleted_at = ? WHERE id = ?",
                    params![at, bot.id.number()],
                )?;
            }
            let files: BTreeSet<&BotFile> =
                bots.iter().filter_map(|bot| bot.file.as_ref()).collect();
            let query =
                "SELECT 1 FROM bots WHERE file = ?1 UNION ALL SELECT 1 FROM games WHERE file = ?1";
            let mut free = Vec::new();
            for file in files {
                if !journal.connection.has(query, [file.to_string()])? {
                    free.push(file.clone());
                }
            }
            Ok(free)
        })
    }
}

fn no_such_bot(connection: &Connection, name: &Name) -> Result<Error> {
    let names = names(connection, "SELECT DISTINCT name FROM bots")?;
    Ok(Error::NoSuchBot {
        name: name.to_string(),
        nearest: nearest(name.as_str(), names),
    })
}

/// The version after this one.
pub(super) fn next_version(name: &Name, version: u32) -> Result<u32> {
    match version {
        ..MAX_VERSIONS => Ok(version + 1),
        _ => Err(Error::TooManyVersions {
            name: name.to_string(),
        }),
    }
}

/// Gives a file to the bot that was only missing it.
fn supply(transaction: &Connection, name: &Name, file: &KeptFile) -> Result<Option<BotId>> {
    let missing = transaction.first(
        "SELECT id FROM bots WHERE name = ? AND sha256 = ? AND kind = ? AND file IS NULL
         ORDER BY version DESC LIMIT 1",
        params![name.as_str(), file.sha256, KindText(file.kind)],
        |row| bot_id(row, 0),
    )?;
    if let Some(id) = missing {
        transaction.execute(
            "UPDATE bots SET file = ?, size = ?, deleted_at = NULL WHERE id = ?",
            params![file.file.to_string(), file.size, id.number()],
        )?;
    }
    Ok(missing)
}

pub(super) fn by_id(connection: &Connection, id: BotId) -> Result<Bot> {
    Ok(connection.one(&format!("{COLUMNS} WHERE id = ?"), [id.number()], read)?)
}

fn latest(connection: &Connection, name: &Name) -> Result<Option<Bot>> {
    let query = format!("{COLUMNS} WHERE name = ? ORDER BY version DESC LIMIT 1");
    Ok(connection.first(&query, [name.as_str()], read)?)
}

/// What is wrong with the row of a bot.
#[derive(Debug, thiserror::Error)]
#[error("the file of a bot is named by another SHA-256 than the bot's")]
struct OtherFile;

fn read(row: &Row<'_>) -> rusqlite::Result<Bot> {
    let games: Option<String> = row.get(8)?;
    let former: Option<String> = row.get(9)?;
    let sha256: String = row.get(4)?;
    let file: Option<Parsed<BotFile>> = row.get(6)?;
    let file = file.map(|file| file.0);
    if let Some(BotFile::Stored { sha256: named, .. }) = &file
        && *named != sha256
    {
        return Err(FromSqlError::other(OtherFile).into());
    }
    Ok(Bot {
        id: bot_id(row, 0)?,
        name: row.get::<_, Parsed<_>>(1)?.0,
        version: row.get(2)?,
        kind: row.get::<_, KindText>(3)?.0,
        sha256,
        size: row.get(5)?,
        file,
        submitted_at: row.get(7)?,
        games: games
            .map(|all| all.split(',').map(str::to_owned).collect())
            .unwrap_or_default(),
        former_names: former.map_or_else(Vec::new, |all| {
            all.split(',')
                .filter_map(|name| name.parse().ok())
                .collect()
        }),
        deleted_at: row.get(10)?,
    })
}

/// The first column of a query.
pub(super) fn names(connection: &Connection, query: &str) -> Result<Vec<String>> {
    Ok(connection.all(query, [], |row| row.get(0))?)
}

/// The name that somebody may have meant.
pub(super) fn nearest(wanted: &str, mut names: Vec<String>) -> Option<String> {
    names.sort_unstable();
    let names = names.iter().rev().map(String::as_str);
    flipside_tournament::nearest(wanted, names).map(String::from)
}

/// How a bot runs, as text.
pub(super) struct KindText(pub(super) ProgramKind);

impl ToSql for KindText {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.to_string().into())
    }
}

impl FromSql for KindText {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let kind = value.as_str()?.parse();
        kind.map(KindText).map_err(FromSqlError::other)
    }
}
