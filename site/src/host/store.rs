//! Where it is stored what the server plays.

use std::time::Duration;

use flipside_operations::{Failure, Result};
use flipside_tournament::{Arena, Name};
use rusqlite::{Connection, OptionalExtension, params};

use super::{Hosted, Rank, Wanted};

/// The file beside the journal.
const FILE: &str = "site.db";

/// How long to wait for somebody else who writes.
const BUSY: Duration = Duration::from_secs(5);

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS hosted (
    tournament TEXT PRIMARY KEY,
    rank INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 2), -- see Rank
    since INTEGER NOT NULL,                             -- in milliseconds since 1970
    wanted TEXT NOT NULL CHECK (wanted IN ('play', 'pause', 'failed')),
    why TEXT                                            -- why it has failed
) STRICT;
";

/// The table of what the server plays.
pub(super) struct Store(Connection);

fn failed(error: &rusqlite::Error) -> Failure {
    Failure::new(format!("the store of the site cannot be used: {error}"))
        .hint(format!("it is the file {FILE} in the arena's folder"))
}

impl Store {
    pub(super) fn open(arena: &Arena) -> Result<Self> {
        let open = || {
            let connection = Connection::open(arena.path().join(FILE))?;
            connection.busy_timeout(BUSY)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.execute_batch(SCHEMA)?;
            Ok(connection)
        };
        open().map(Store).map_err(|error| failed(&error))
    }

    pub(super) fn all(&self) -> Result<Vec<Hosted>> {
        let read = || {
            let sql = "SELECT tournament, rank, since, wanted, why FROM hosted";
            let mut query = self.0.prepare(sql)?;
            let rows = query.query_map([], |row| {
                let (name, rank): (String, u8) = (row.get(0)?, row.get(1)?);
                let (wanted, why): (String, Option<String>) = (row.get(3)?, row.get(4)?);
                let wanted = match &*wanted {
                    "play" => Wanted::Play,
                    "pause" => Wanted::Pause,
                    _ => Wanted::Failed(why.unwrap_or_default()),
                };
                Ok((name, rank, row.get(2)?, wanted))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = read().map_err(|error| failed(&error))?;
        let hosted = rows.into_iter().map(|(name, rank, since, wanted)| {
            Ok(Hosted {
                tournament: name.parse::<Name>().map_err(Failure::new)?,
                rank: match rank {
                    0 => Rank::Request,
                    1 => Rank::Tournament,
                    _ => Rank::Ladder,
                },
                since,
                wanted,
            })
        });
        hosted.collect()
    }

    pub(super) fn put(&self, hosted: &Hosted) -> Result<()> {
        let (wanted, why) = match &hosted.wanted {
            Wanted::Play => ("play", None),
            Wanted::Pause => ("pause", None),
            Wanted::Failed(why) => ("failed", Some(why)),
        };
        let sql =
            "REPLACE INTO hosted (tournament, rank, since, wanted, why) VALUES (?, ?, ?, ?, ?)";
        let name = hosted.tournament.as_str();
        let values = params![name, hosted.rank as u8, hosted.since, wanted, why];
        let put = self.0.execute(sql, values);
        put.map(drop).map_err(|error| failed(&error))
    }

    pub(super) fn remove(&self, name: &Name) -> Result<()> {
        let sql = "DELETE FROM hosted WHERE tournament = ? RETURNING tournament";
        let removed = self.0.query_row(sql, [name.as_str()], |_| Ok(()));
        removed.optional().map(drop).map_err(|error| failed(&error))
    }
}
