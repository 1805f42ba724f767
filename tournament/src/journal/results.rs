//! Results as tables and ratings need them: in order of the schedule, without the records, and
//! never all in memory.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Row, Rows, params};
use serde::Serialize;

use super::matches::OF_A_MATCH;
use super::{BotId, Journal, Tournament, TournamentId, Unsigned, to_sql};
use crate::{Bot, Error, Indices, Pause, Result};

/// A result: who took which place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Scored {
    /// The match's index in the schedule.
    pub index: u64,
    /// Its round.
    pub round: u32,
    /// Its block.
    pub block: u64,
    /// How each seat fared.
    pub seats: Vec<SeatScore>,
}

/// How a seat fared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatScore {
    /// Who sat there: a number of an entrant.
    pub entrant: usize,
    /// Its points.
    pub points: i32,
    /// Its place, from 1; equal is a tie.
    pub place: u8,
    /// The name of its fault, if it had one.
    pub fault: Option<String>,
}

/// A match that the host failed to play.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Void {
    /// The match's index in the schedule.
    pub index: u64,
    /// What the host failed in.
    pub reason: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

impl Journal {
    /// The indices of the matches that have a result.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn played(&self, tournament: TournamentId) -> Result<Indices> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT idx FROM matches WHERE tournament = ? ORDER BY idx")?;
        let indices =
            statement.query_map([tournament], |row| row.get(0).map(|Unsigned(idx)| idx))?;
        Ok(indices.collect::<rusqlite::Result<Indices>>()?)
    }

    /// Gives the results of a tournament one by one, in order of the schedule.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn for_each_result(
        &self,
        tournament: &Tournament,
        mut take: impl FnMut(&Scored),
    ) -> Result<()> {
        let entrants = tournament
            .entrants
            .iter()
            .map(|bot| bot.id)
            .zip(0..)
            .collect();
        self.scan_results(tournament.id, &entrants, |scored| {
            take(scored);
            Ok(())
        })
    }

    /// The same with other numbers for the bots, and until `take` fails.
    pub(crate) fn scan_results(
        &self,
        tournament: TournamentId,
        numbers: &HashMap<BotId, usize>,
        mut take: impl FnMut(&Scored) -> Result<()>,
    ) -> Result<()> {
        // Two readings side by side, both in the order of their keys: a join would look every match
        // up for each of its seats.
        let mut matches = self.connection.prepare_cached(
            "SELECT idx, round, block FROM matches WHERE tournament = ? ORDER BY idx",
        )?;
        let mut seats = self.connection.prepare_cached(
            "SELECT idx, bot, points, place, fault FROM match_seats WHERE tournament = ?
             ORDER BY idx, seat",
        )?;
        let mut matches = matches.query([tournament])?;
        let mut seats = Seats {
            rows: seats.query([tournament])?,
            numbers,
            next: None,
        };
        let mut scored = Scored::default();
        // While a statement is being read the connection stays in one moment, so both agree.
        while let Some(row) = matches.next()? {
            scored.index = row.get::<_, Unsigned>(0)?.0;
            scored.round = row.get(1)?;
            scored.block = row.get::<_, Unsigned>(2)?.0;
            seats.of(scored.index, &mut scored.seats)?;
            take(&scored)?;
        }
        Ok(())
    }

    /// The result of one match, with the numbers of its bots.
    pub(crate) fn scored(
        &self,
        tournament: TournamentId,
        index: u64,
        numbers: &HashMap<BotId, usize>,
    ) -> Result<Scored> {
        let mut one = self
            .connection
            .prepare_cached("SELECT round, block FROM matches WHERE tournament = ? AND idx = ?")?;
        let mut seats = self.connection.prepare_cached(
            "SELECT idx, bot, points, place, fault FROM match_seats
             WHERE tournament = ? AND idx = ? ORDER BY seat",
        )?;
        let key = params![tournament, to_sql(index)];
        let mut scored = one.query_row(key, |row| {
            Ok(Scored {
                index,
                round: row.get(0)?,
                block: row.get::<_, Unsigned>(1)?.0,
                seats: Vec::new(),
            })
        })?;
        let mut rows = seats.query(key)?;
        while let Some(row) = rows.next()? {
            scored.seats.push(read_seat(row, numbers)?.1);
        }
        Ok(scored)
    }

    /// Takes all matches from an index on out of the journal, in one transaction: a result has ended
    /// the tournament before them. Gives how many there were.
    pub(crate) fn forget_from(&mut self, tournament: TournamentId, end: u64) -> Result<u64> {
        self.immediately(|transaction| {
            let mut matches = 0;
            for table in OF_A_MATCH.into_iter().chain(["voids", "pauses"]) {
                let delete = format!("DELETE FROM {table} WHERE tournament = ? AND idx >= ?");
                let deleted = transaction
                    .prepare_cached(&delete)?
                    .execute(params![tournament, to_sql(end)])?;
                if table == "matches" {
                    matches = deleted as u64;
                }
            }
            Ok(matches)
        })
    }

    /// Notes that a bot is paused after a match, with its faults; what happened last is that match's.
    pub(crate) fn pause(
        &mut self,
        tournament: TournamentId,
        bot: &Bot,
        index: u64,
        faults: BTreeMap<String, u32>,
    ) -> Result<Pause> {
        let json = serde_json::to_string(&faults).expect("names and numbers are JSON");
        let detail = self.immediately(|transaction| {
            let key = params![tournament, to_sql(index), bot.id];
            let detail: Option<String> = transaction
                .prepare_cached(
                    "SELECT fault_detail FROM match_seats
                     WHERE tournament = ? AND idx = ? AND bot = ? AND fault IS NOT NULL
                     ORDER BY seat LIMIT 1",
                )?
                .query_row(key, |row| row.get(0))?;
            let detail = detail.unwrap_or_default();
            transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO pauses (tournament, idx, bot, faults, detail)
                     VALUES (?, ?, ?, ?, ?)",
                )?
                .execute(params![tournament, to_sql(index), bot.id, json, detail])?;
            Ok(detail)
        })?;
        Ok(Pause::of(bot, index, faults, detail))
    }

    /// The bots that are paused, in the order in which they were.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn pauses(&self, tournament: &Tournament) -> Result<Vec<Pause>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT bot, idx, faults, detail FROM pauses WHERE tournament = ? ORDER BY idx, bot",
        )?;
        let read = |row: &Row<'_>| {
            let faults: String = row.get(2)?;
            let bot: BotId = row.get(0)?;
            Ok((bot, row.get::<_, Unsigned>(1)?.0, faults, row.get(3)?))
        };
        let rows = statement.query_map([tournament.id], read)?;
        rows.map(|row| {
            let (id, index, faults, detail) = row?;
            let bot = tournament.entrants.iter().find(|bot| bot.id == id);
            match (bot, serde_json::from_str(&faults)) {
                (Some(bot), Ok(faults)) => Ok(Pause::of(bot, index, faults, detail)),
                _ => Err(Error::Damaged("who is paused cannot be read".into())),
            }
        })
        .collect()
    }

    /// Notes that the host failed to play a match. It stays to be played.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn void(
        &mut self,
        tournament: TournamentId,
        index: u64,
        reason: &str,
        at: u64,
    ) -> Result<()> {
        let void = Void {
            index,
            reason: reason.into(),
            at,
        };
        self.void_all(tournament, &[void])
    }

    /// The same for several, all in one transaction.
    pub(crate) fn void_all(&mut self, tournament: TournamentId, all: &[Void]) -> Result<()> {
        self.immediately(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO voids (tournament, idx, reason, at) VALUES (?, ?, ?, ?)",
            )?;
            for Void { index, reason, at } in all {
                insert.execute(params![tournament, to_sql(*index), reason, to_sql(*at)])?;
            }
            Ok(())
        })
    }

    /// The matches that the host failed to play, by index and time.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn voids(&self, tournament: TournamentId) -> Result<Vec<Void>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT idx, reason, at FROM voids WHERE tournament = ? ORDER BY idx, at, rowid",
        )?;
        let read = |row: &Row<'_>| {
            Ok(Void {
                index: row.get::<_, Unsigned>(0)?.0,
                reason: row.get(1)?,
                at: row.get::<_, Unsigned>(2)?.0,
            })
        };
        Ok(statement
            .query_map([tournament], read)?
            .collect::<rusqlite::Result<_>>()?)
    }
}

/// The seats of all matches, read in order, match by match.
struct Seats<'a> {
    rows: Rows<'a>,
    numbers: &'a HashMap<BotId, usize>,
    /// The first seat of a later match, already read.
    next: Option<(u64, SeatScore)>,
}

impl Seats<'_> {
    /// Puts the seats of a match into `seats`.
    fn of(&mut self, index: u64, seats: &mut Vec<SeatScore>) -> Result<()> {
        seats.clear();
        loop {
            let (idx, seat) = match self.next.take() {
                Some(next) => next,
                None => match self.rows.next()? {
                    Some(row) => read_seat(row, self.numbers)?,
                    None => return Ok(()),
                },
            };
            if idx != index {
                self.next = Some((idx, seat));
                return Ok(());
            }
            seats.push(seat);
        }
    }
}

pub(super) fn read_seat(
    row: &Row<'_>,
    numbers: &HashMap<BotId, usize>,
) -> Result<(u64, SeatScore)> {
    let Unsigned(idx) = row.get(0)?;
    let bot: BotId = row.get(1)?;
    let entrant = *numbers.get(&bot).ok_or_else(|| {
        Error::Damaged(format!(
            "bot {} played match {idx} without being entered",
            bot.0
        ))
    })?;
    let seat = SeatScore {
        entrant,
        points: row.get(2)?,
        place: row.get(3)?,
        fault: row.get(4)?,
    };
    Ok((idx, seat))
}
