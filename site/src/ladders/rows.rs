//! Where it is stored for which games the server keeps ladders.

use std::collections::HashSet;

use rusqlite::{Row, params};

use super::keep::HostedLadder;
use crate::shared::store::error::Error;
use crate::shared::store::{AccountStore, rows, value};

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
