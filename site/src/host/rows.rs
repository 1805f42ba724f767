//! Where it is stored what the server plays, and for which games it keeps ladders.

use std::collections::HashSet;

use flipside_tournament::Name;
use rusqlite::{Row, params};

use super::ladders::HostedLadder;
use super::state::{DesiredState, Priority, QueuedTournament};
use crate::accounts::error::Error;
use crate::accounts::store::{AccountStore, rows, value};

fn hosted(row: &Row<'_>) -> Result<QueuedTournament, Error> {
    let (name, wanted): (String, String) = (row.get(0)?, row.get(3)?);
    let name = name.parse::<Name>();
    Ok(QueuedTournament {
        tournament: name.map_err(|error| Error::Value(error.to_string()))?,
        rank: match row.get(1)? {
            0 => Priority::Request,
            1 => Priority::Tournament,
            _ => Priority::Ladder,
        },
        since: row.get(2)?,
        wanted: match &*wanted {
            "play" => DesiredState::Play,
            "pause" => DesiredState::Pause,
            _ => DesiredState::Failed(row.get::<_, Option<String>>(4)?.unwrap_or_default()),
        },
    })
}

fn ladder(row: &Row<'_>) -> Result<HostedLadder, Error> {
    let bots: String = row.get(3)?;
    Ok(HostedLadder {
        game: row.get(0)?,
        a_day: row.get(1)?,
        clock: row.get(2)?,
        bots: bots.split_whitespace().map(str::to_owned).collect(),
    })
}

impl AccountStore {
    /// What the server plays or is to play, in no order.
    pub(super) fn hosted(&self) -> Result<Vec<QueuedTournament>, Error> {
        let query = "SELECT tournament, rank, since, wanted, why FROM hosted";
        self.read(|store| rows(store, query, [], hosted))
    }

    /// Stores what is to become of a tournament.
    pub(super) fn put_hosted(&self, hosted: &QueuedTournament) -> Result<(), Error> {
        let (wanted, why) = match &hosted.wanted {
            DesiredState::Play => ("play", None),
            DesiredState::Pause => ("pause", None),
            DesiredState::Failed(why) => ("failed", Some(why)),
        };
        let sql =
            "REPLACE INTO hosted (tournament, rank, since, wanted, why) VALUES (?, ?, ?, ?, ?)";
        let (name, rank) = (hosted.tournament.as_str(), hosted.rank as u8);
        self.execute(sql, params![name, rank, hosted.since, wanted, why])?;
        Ok(())
    }

    /// The server has no more to do with a tournament.
    pub(super) fn remove_hosted(&self, name: &Name) -> Result<(), Error> {
        self.execute("DELETE FROM hosted WHERE tournament = ?", [name.as_str()])?;
        Ok(())
    }

    /// The continuous ladders, by game.
    pub(super) fn ladders(&self) -> Result<Vec<HostedLadder>, Error> {
        let query = "SELECT game, a_day, clock, bots FROM ladders ORDER BY game";
        self.read(|store| rows(store, query, [], ladder))
    }

    /// Keeps a continuous ladder from now on, or changes what it is kept by.
    pub(super) fn put_ladder(&self, ladder: &HostedLadder) -> Result<(), Error> {
        let sql = "REPLACE INTO ladders (game, a_day, clock, bots) VALUES (?, ?, ?, ?)";
        let (game, clock, bots) = (&ladder.game, &ladder.clock, ladder.bots.join(" "));
        self.change_shown(|store| {
            store.execute(sql, params![game, ladder.a_day, clock, bots])?;
            Ok(())
        })
    }

    /// Keeps the ladder of a game no longer. Says whether there was one.
    pub(super) fn remove_ladder(&self, game: &str) -> Result<bool, Error> {
        self.change_shown(|store| {
            Ok(store.execute("DELETE FROM ladders WHERE game = ?", [game])? > 0)
        })
    }

    /// The names of bots, in lower case, whose accounts are disabled.
    pub(super) fn disabled_names(&self) -> Result<HashSet<String>, Error> {
        let query = "SELECT owners.folded FROM owners JOIN accounts ON accounts.id = owners.account
                     WHERE accounts.disabled_at IS NOT NULL";
        self.read(|store| rows(store, query, [], value))
    }
}
