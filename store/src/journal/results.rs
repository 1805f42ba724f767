//! Results as tables and ratings need them: in order of the schedule, without the records, and
//! never all in memory.

use std::collections::{BTreeMap, HashMap};

use flipside_tournament::{
    Bot, BotId, Pairing, Pause, PolicyDecision, ScheduleCursor, ScoredPairing, Tournament,
    TournamentId,
};
use rusqlite::types::ValueRef;
use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use super::columns::bot_id;
use super::{Journal, Queries, reader};
use crate::error::{Error, Result};
use crate::indices::Indices;
use crate::journal::played_by::{OF_A_MATCH, SEAT_COLUMNS, read_seat};

/// A match that the host failed to play; also a line of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VoidMatch {
    /// The match's index in the schedule.
    pub index: u64,
    /// What the host failed in.
    pub reason: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// What the tables of a tournament derive from, in numbers. A match is never replaced without a pause or a
/// withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableVersion {
    /// Matches with a result.
    pub matches: u64,
    /// Matches that were void.
    pub voids: u64,
    /// Bots that are paused.
    pub pauses: u64,
    /// Changes that were requested, settled or not.
    pub changes: u64,
    /// Those that were settled.
    pub settled_changes: u64,
    /// Runs.
    pub runs: u64,
    /// Archives that were taken in.
    pub imports: u64,
    /// Those that were taken in whole.
    pub finished_imports: u64,
    /// Results that were withdrawn.
    pub withdrawn: u64,
    /// Workers that are banned from the arena.
    pub banned: u64,
}

/// What the ratings at a game derive from, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RatingsStamp {
    /// The tournaments at the game that count.
    pub tournaments: u64,
    /// The number of the latest of them.
    pub latest: u64,
    /// Matches with a result.
    pub matches: u64,
    /// Bots that are paused.
    pub pauses: u64,
    /// Archives that were taken in whole.
    pub finished_imports: u64,
    /// Changes, settled or not.
    pub changes: u64,
    /// Those that were settled.
    pub settled_changes: u64,
    /// Results that were withdrawn.
    pub withdrawn: u64,
    /// Workers that are banned from the arena.
    pub banned: u64,
    /// When a bot was renamed last, in milliseconds since 1970.
    pub renamed_at: u64,
}

impl Journal {
    /// The indices of the matches that have a result.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn played(&self, tournament: TournamentId) -> Result<Indices> {
        let query = "SELECT idx FROM matches WHERE tournament = ? ORDER BY idx";
        Ok((self.connection).all(query, [tournament.number()], |row| row.get(0))?)
    }

    /// Gives the results of a tournament one by one, in order of the schedule, until `take` fails. All are read into
    /// the same memory.
    ///
    /// # Errors
    /// When the journal cannot be read, and what `take` fails with.
    pub fn for_each_result(
        &self,
        tournament: &Tournament,
        take: impl FnMut(&mut ScoredPairing) -> Result<()>,
    ) -> Result<()> {
        self.scan(tournament, [0, i64::MAX as u64], take)
    }

    /// The same of those matches only that stand before this one in the schedule.
    pub(crate) fn for_each_result_before(
        &self,
        tournament: &Tournament,
        index: u64,
        take: impl FnMut(&mut ScoredPairing) -> Result<()>,
    ) -> Result<()> {
        match index.checked_sub(1) {
            Some(last) => self.scan(tournament, [0, last], take),
            None => Ok(()),
        }
    }

    /// Lets a cursor hear what is in the journal, up to the first match that is missing there, and gives that.
    pub(crate) fn up_to_now(
        &self,
        cursor: &mut ScheduleCursor<'_>,
    ) -> Result<Option<(Pairing, PolicyDecision)>> {
        let mut next = cursor.next_match();
        self.for_each_result(cursor.tournament, |scored| {
            if let Some((pairing, disposition)) =
                (next.as_ref()).filter(|(next, _)| next.index == scored.pairing.index)
            {
                cursor.hear(pairing, disposition, &scored.result);
                next = cursor.next_match();
            }
            Ok(())
        })?;
        Ok(next)
    }

    /// What the tables of a tournament derive from, beside its settings, in numbers: they are the same as long as the
    /// stamp is.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn stamp(&self, tournament: TournamentId) -> Result<TableVersion> {
        let query = "SELECT (SELECT count(*) FROM matches WHERE tournament = ?1),
             (SELECT count(*) FROM voids WHERE tournament = ?1),
             (SELECT count(*) FROM pauses WHERE tournament = ?1),
             (SELECT count(*) FROM runs WHERE tournament = ?1),
             (SELECT count(*) FROM imports WHERE tournament = ?1),
             (SELECT count(*) FROM imports WHERE tournament = ?1 AND finished),
             (SELECT count(*) FROM changes WHERE tournament = ?1),
             (SELECT count(*) FROM changes WHERE tournament = ?1 AND idx IS NOT NULL),
             (SELECT count(*) FROM withdrawn WHERE tournament = ?1),
             (SELECT count(*) FROM banned_workers)";
        let read = reader!(
            TableVersion: matches, voids, pauses, runs, imports, finished_imports, changes, settled_changes,
            withdrawn, banned
        );
        Ok(self.connection.one(query, [tournament.number()], read)?)
    }

    /// What the ratings at a game derive from, in numbers: they are the same as long as the stamp is. What becomes
    /// fewer, as results that are withdrawn, makes something else more.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn stamp_of_ratings(&self, game: &str) -> Result<RatingsStamp> {
        // All but the matches have few rows.
        let count = |table: &str, more: &str| {
            format!(
                "(SELECT count(*) FROM {table} AS it CROSS JOIN tournaments AS t ON t.id = it.tournament
                  WHERE t.game = ?1 AND t.unrated = 0 {more})"
            )
        };
        let query = format!(
            "SELECT (SELECT count(*) FROM tournaments WHERE game = ?1 AND unrated = 0),
             (SELECT coalesce(max(id), 0) FROM tournaments WHERE game = ?1 AND unrated = 0),
             (SELECT count(*) FROM tournaments AS t CROSS JOIN matches AS it ON it.tournament = t.id
              WHERE t.game = ?1 AND t.unrated = 0),
             {}, {}, {}, {}, {},
             (SELECT count(*) FROM banned_workers), (SELECT coalesce(max(renamed_at), 0) FROM former_names)",
            count("pauses", ""),
            count("imports", "AND it.finished"),
            count("changes", ""),
            count("changes", "AND it.idx IS NOT NULL"),
            count("withdrawn", ""),
        );
        let read = reader!(
            RatingsStamp: tournaments, latest, matches, pauses, finished_imports, changes, settled_changes, withdrawn,
            banned, renamed_at
        );
        Ok(self.connection.one(&query, [game], read)?)
    }

    /// How many matches of a tournament have a result; one that is there twice counts twice.
    pub(crate) fn count_matches(&self, tournament: TournamentId) -> Result<u64> {
        let query = "SELECT count(*) FROM matches WHERE tournament = ?";
        Ok((self.connection).one(query, [tournament.number()], |row| row.get(0))?)
    }

    /// When the n-th last of the matches of a tournament in order of the schedule began, in milliseconds since 1970;
    /// none if there are fewer. The last one is the first.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn began_at_from_the_end(&self, tournament: TournamentId, n: u64) -> Result<Option<u64>> {
        let query = "SELECT started_at FROM matches WHERE tournament = ? ORDER BY idx DESC LIMIT 1 OFFSET ?";
        let before = n.saturating_sub(1);
        Ok(
            (self.connection).first(query, params![tournament.number(), before], |row| {
                row.get(0)
            })?,
        )
    }

    /// The result of one match.
    pub(crate) fn scored(&self, tournament: &Tournament, index: u64) -> Result<ScoredPairing> {
        let mut found = None;
        self.scan(tournament, [index; 2], |scored| {
            found = Some(std::mem::take(scored));
            Ok(())
        })?;
        found.ok_or_else(|| Error::Damaged(format!("match {index} has no result any more")))
    }

    /// Reads the results of the matches from the first of two indices to the last.
    pub(super) fn scan(
        &self,
        tournament: &Tournament,
        [first, last]: [u64; 2],
        mut take: impl FnMut(&mut ScoredPairing) -> Result<()>,
    ) -> Result<()> {
        let entrants = || tournament.entrants.iter().map(|bot| bot.id);
        // A map is worth its cost where many matches are read.
        let numbers: Option<HashMap<BotId, usize>> =
            (first < last).then(|| entrants().zip(0..).collect());
        let number = |bot: BotId| match &numbers {
            Some(numbers) => numbers.get(&bot).copied(),
            None => entrants().position(|entrant| entrant == bot),
        };
        // Two readings side by side, both in the order of their keys: a join would look every match
        // up for each of its seats.
        let mut matches = self.connection.prepare_cached(
            "SELECT idx, round, block, reason, plies FROM matches
             WHERE tournament = ? AND idx BETWEEN ? AND ? ORDER BY idx",
        )?;
        let mut seats = self.connection.prepare_cached(&format!(
            "SELECT idx, bot, {SEAT_COLUMNS} FROM match_seats
             WHERE tournament = ? AND idx BETWEEN ? AND ? ORDER BY idx, seat"
        ))?;
        let key = params![tournament.id.number(), first, last];
        let mut matches = matches.query(key)?;
        let mut seats = seats.query(key)?;
        let mut seat = seats.next()?;
        let mut scored = ScoredPairing::default();
        // While a statement is being read the connection stays in one moment, so both agree.
        while let Some(row) = matches.next()? {
            let ScoredPairing { pairing, result } = &mut scored;
            pairing.index = row.get(0)?;
            pairing.round = row.get(1)?;
            pairing.block = row.get(2)?;
            text_into(row, 3, &mut result.reason)?;
            result.plies = row.get(4)?;
            pairing.seats.clear();
            result.seats.clear();
            // Seats of a match that is not there must not hide those of all later ones.
            while let Some(row) = seat
                && row.get::<_, u64>(0)? < pairing.index
            {
                seat = seats.next()?;
            }
            while let Some(row) = seat
                && row.get::<_, u64>(0)? == pairing.index
            {
                let bot = bot_id(row, 1)?;
                pairing.seats.push(number(bot).ok_or_else(|| {
                    let (bot, index) = (bot.number(), pairing.index);
                    Error::Damaged(format!(
                        "bot {bot} played match {index} without being entered"
                    ))
                })?);
                result.seats.push(read_seat(row, 2)?);
                seat = seats.next()?;
            }
            take(&mut scored)?;
        }
        Ok(())
    }

    /// Takes all matches from an index on out of the journal, in one transaction: a result has ended
    /// the tournament before them. Gives how many there were.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn forget_from(&mut self, tournament: TournamentId, end: u64) -> Result<u64> {
        self.immediately(|transaction| {
            let mut matches = 0;
            for table in OF_A_MATCH.into_iter().chain(["voids", "pauses"]) {
                let delete = format!("DELETE FROM {table} WHERE tournament = ? AND idx >= ?");
                let deleted = transaction.run(&delete, params![tournament.number(), end])?;
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
            let key = params![tournament.number(), index, bot.id.number()];
            let detail: Option<String> = transaction.one(
                "SELECT fault_detail FROM match_seats
                 WHERE tournament = ? AND idx = ? AND bot = ? AND fault IS NOT NULL
                 ORDER BY seat LIMIT 1",
                key,
                |row| row.get(0),
            )?;
            let detail = detail.unwrap_or_default();
            transaction.run(
                "INSERT OR REPLACE INTO pauses (tournament, idx, bot, faults, detail)
                 VALUES (?, ?, ?, ?, ?)",
                params![tournament.number(), index, bot.id.number(), json, detail],
            )?;
            Ok(detail)
        })?;
        Ok(Pause::of(bot, index, faults, detail))
    }

    /// The bots that are paused, in the order in which they were.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn pauses(&self, tournament: &Tournament) -> Result<Vec<Pause>> {
        let rows: Vec<(i64, u64, String, String)> = self.connection.all(
            "SELECT bot, idx, faults, detail FROM pauses WHERE tournament = ? ORDER BY idx, bot",
            [tournament.id.number()],
            |row| row.try_into(),
        )?;
        let pause = |(id, index, faults, detail): (i64, u64, String, String)| {
            let mut bots = tournament.entrants.iter();
            let bot = bots.find(|bot| bot.id.number() == id);
            match (bot, serde_json::from_str(&faults)) {
                (Some(bot), Ok(faults)) => Ok(Pause::of(bot, index, faults, detail)),
                _ => Err(Error::Damaged("who is paused cannot be read".into())),
            }
        };
        rows.into_iter().map(pause).collect()
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
        let void = VoidMatch {
            index,
            reason: reason.into(),
            at,
        };
        self.void_all(tournament, &[void])
    }

    /// The same for several, all in one transaction.
    pub(crate) fn void_all(&mut self, tournament: TournamentId, all: &[VoidMatch]) -> Result<()> {
        self.immediately(|transaction| {
            for VoidMatch { index, reason, at } in all {
                transaction.run(
                    "INSERT INTO voids (tournament, idx, reason, at) VALUES (?, ?, ?, ?)",
                    params![tournament.number(), index, reason, at],
                )?;
            }
            Ok(())
        })
    }

    /// The matches that the host failed to play, by index and time.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn voids(&self, tournament: TournamentId) -> Result<Vec<VoidMatch>> {
        let read = reader!(VoidMatch: index, reason, at);
        Ok(self.connection.all(
            "SELECT idx, reason, at FROM voids WHERE tournament = ? ORDER BY idx, at, rowid",
            [tournament.number()],
            read,
        )?)
    }
}

/// Reads a text into a buffer that is used again.
fn text_into(row: &Row<'_>, column: usize, text: &mut String) -> Result<()> {
    text.clear();
    match row.get_ref(column)? {
        ValueRef::Text(bytes) => text.push_str(&String::from_utf8_lossy(bytes)),
        _ => return Err(Error::Damaged("a reason is no text".into())),
    }
    Ok(())
}
