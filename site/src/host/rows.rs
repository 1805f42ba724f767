//! Where it is stored what the server plays, and for which games it keeps ladders.

use std::collections::HashSet;

use flipside_tournament::Name;
use rusqlite::params;

use super::{Hosted, Ladder, Rank, Wanted};
use crate::accounts::{Error, Store};

impl Store {
    /// What the server plays or is to play, in no order.
    pub(super) fn hosted(&self) -> Result<Vec<Hosted>, Error> {
        self.read(|store| {
            let sql = "SELECT tournament, rank, since, wanted, why FROM hosted";
            let mut query = store.prepare(sql)?;
            let mut rows = query.query([])?;
            let mut hosted = Vec::new();
            while let Some(row) = rows.next()? {
                let (name, wanted): (String, String) = (row.get(0)?, row.get(3)?);
                let name = name.parse::<Name>();
                hosted.push(Hosted {
                    tournament: name.map_err(|error| Error::Value(error.to_string()))?,
                    rank: match row.get(1)? {
                        0 => Rank::Request,
                        1 => Rank::Tournament,
                        _ => Rank::Ladder,
                    },
                    since: row.get(2)?,
                    wanted: match &*wanted {
                        "play" => Wanted::Play,
                        "pause" => Wanted::Pause,
                        _ => Wanted::Failed(row.get::<_, Option<String>>(4)?.unwrap_or_default()),
                    },
                });
            }
            Ok(hosted)
        })
    }

    /// Stores what is to become of a tournament.
    pub(super) fn put_hosted(&self, hosted: &Hosted) -> Result<(), Error> {
        let (wanted, why) = match &hosted.wanted {
            Wanted::Play => ("play", None),
            Wanted::Pause => ("pause", None),
            Wanted::Failed(why) => ("failed", Some(why)),
        };
        self.change(|store| {
            let sql =
                "REPLACE INTO hosted (tournament, rank, since, wanted, why) VALUES (?, ?, ?, ?, ?)";
            let name = hosted.tournament.as_str();
            store.execute(
                sql,
                params![name, hosted.rank as u8, hosted.since, wanted, why],
            )?;
            Ok(())
        })
    }

    /// The server has no more to do with a tournament.
    pub(super) fn remove_hosted(&self, name: &Name) -> Result<(), Error> {
        self.change(|store| {
            store.execute("DELETE FROM hosted WHERE tournament = ?", [name.as_str()])?;
            Ok(())
        })
    }

    /// The continuous ladders, by game.
    pub(super) fn ladders(&self) -> Result<Vec<Ladder>, Error> {
        self.read(|store| {
            let sql = "SELECT game, a_day, clock, bots FROM ladders ORDER BY game";
            let mut query = store.prepare_cached(sql)?;
            let read = |row: &rusqlite::Row<'_>| {
                let bots: String = row.get(3)?;
                Ok(Ladder {
                    game: row.get(0)?,
                    a_day: row.get(1)?,
                    clock: row.get(2)?,
                    bots: bots.split_whitespace().map(str::to_owned).collect(),
                })
            };
            let ladders = query.query_map([], read)?;
            Ok(ladders.collect::<Result<_, _>>()?)
        })
    }

    /// Keeps a continuous ladder from now on, or changes what it is kept by.
    pub(super) fn put_ladder(&self, ladder: &Ladder) -> Result<(), Error> {
        let Ladder {
            game,
            a_day,
            clock,
            bots,
        } = ladder;
        self.change(|store| {
            let sql = "REPLACE INTO ladders (game, a_day, clock, bots) VALUES (?, ?, ?, ?)";
            store.execute(sql, params![game, a_day, clock, bots.join(" ")])?;
            Ok(())
        })
    }

    /// Keeps the ladder of a game no longer. Says whether there was one.
    pub(super) fn remove_ladder(&self, game: &str) -> Result<bool, Error> {
        self.change(|store| Ok(store.execute("DELETE FROM ladders WHERE game = ?", [game])? > 0))
    }

    /// The names of bots, in lower case, whose accounts are disabled.
    pub(super) fn disabled_names(&self) -> Result<HashSet<String>, Error> {
        self.read(|store| {
            let mut query = store.prepare_cached(
                "SELECT owners.folded FROM owners JOIN accounts ON accounts.id = owners.account
                 WHERE accounts.disabled_at IS NOT NULL",
            )?;
            let names = query.query_map([], |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        })
    }
}
