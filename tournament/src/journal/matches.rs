//! Single matches in the journal: landing them, listing them, and their records.

use flipside_referee::{Exchanged, SeatResult};
use rusqlite::types::ToSql;
use rusqlite::{OptionalExtension, Row, Transaction, ffi, params};
use serde::{Deserialize, Serialize};

use super::results::{Scored, read_seat};
use super::{BotId, Journal, PackedRecord, Tournament, TournamentId, Unsigned, to_sql};
use crate::{Error, FORFEIT, Result, match_id};

/// A match that has been played, with all that the journal keeps of it.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The tournament it belongs to.
    pub tournament: TournamentId,
    /// Its id; the record has the same.
    pub id: String,
    /// Its place in the schedule, and what came of it.
    pub scored: Scored,
    /// When it began, in milliseconds since 1970.
    pub started_at: u64,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// The record; none of a match that was not played.
    pub record: Option<PackedRecord>,
    /// What is kept of faults, by seat.
    pub evidence: Vec<(u8, PackedRecord)>,
}

impl Finished {
    /// A match of a tournament, still without a record. It began at `started_at`, in milliseconds since 1970, and took
    /// `duration_us` microseconds.
    pub fn new(
        tournament: &Tournament,
        scored: Scored,
        (started_at, duration_us): (u64, u64),
    ) -> Self {
        Finished {
            tournament: tournament.id,
            id: match_id(&tournament.name, scored.pairing.index),
            scored,
            started_at,
            duration_us,
            record: None,
            evidence: Vec::new(),
        }
    }
}

/// What is kept of a fault for the author of the bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The end of what the bot wrote to its standard error.
    pub stderr: String,
    /// The last lines that were said between the referee and the bot, the oldest first.
    pub traffic: Vec<Exchanged>,
}

/// Which matches to list. The default: all, the first 50.
#[derive(Clone, Debug)]
pub struct MatchFilter {
    /// Only of this tournament.
    pub tournament: Option<TournamentId>,
    /// Only of this game.
    pub game: Option<String>,
    /// Only those in which this bot played.
    pub bot: Option<BotId>,
    /// Only those with a fault; with a bot, with a fault of its own.
    pub faults_only: bool,
    /// Only those after this one in the list: where the next page begins.
    pub before: Option<(TournamentId, u64)>,
    /// The most that are listed.
    pub limit: usize,
}

/// A match as lists show it: of any tournament, with names in place of numbers, in the form that programs read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchRow {
    /// Its id.
    pub id: String,
    /// The name of its tournament.
    pub tournament: String,
    /// Which tournament that is.
    pub tournament_id: TournamentId,
    /// The game's id.
    pub game: String,
    /// Its index in the schedule.
    pub index: u64,
    /// Its round, from 0.
    pub round: u32,
    /// Its block, from 0.
    pub block: u64,
    /// When it began, in milliseconds since 1970.
    pub started_at: u64,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// Why it ended.
    pub reason: String,
    /// Actions taken, of all seats.
    pub plies: u64,
    /// Whether it was played in another arena, and came here in an archive.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// How each seat fared.
    pub seats: Vec<SeatRow>,
}

/// A seat as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatRow {
    /// Who sat there: `greedy@2`.
    pub bot: String,
    /// How that went.
    #[serde(flatten)]
    pub result: SeatResult,
}

/// A match with all that the journal keeps of it, as it is there.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) finished: Finished,
    /// Whether it came in an archive.
    pub(crate) elsewhere: bool,
    /// The numbers of its seats.
    pub(crate) seats: Vec<u64>,
    /// Whether a seat without a fault has the description of one.
    pub(crate) has_stray_detail: bool,
}

impl Kept {
    /// How long its packed record is.
    pub(crate) fn bytes(&self) -> usize {
        let record = self.finished.record.as_ref();
        record.map_or(0, |record| record.zstd.len())
    }

    /// The text of its record.
    pub(crate) fn record(&self) -> Result<String> {
        unpacked(self.finished.record.as_ref(), &self.finished.id)
    }
}

/// The tables that hold a match, those first that refer to others.
pub(super) const OF_A_MATCH: [&str; 4] = ["evidence", "records", "match_seats", "matches"];

const COLUMNS: &str = "m.id, t.name, m.tournament, t.game, m.idx, m.round, m.block, m.started_at,
    m.duration_us, m.reason, m.plies, m.import IS NOT NULL";

impl Default for MatchFilter {
    fn default() -> Self {
        MatchFilter {
            tournament: None,
            game: None,
            bot: None,
            faults_only: false,
            before: None,
            limit: 50,
        }
    }
}

impl Journal {
    /// Lands a match: its result and its record, in one transaction, exactly once.
    ///
    /// # Errors
    /// [`Error::AlreadyThere`] when the match has a result; nothing changes. The same when the disk
    /// is full.
    pub fn land(&mut self, finished: &Finished) -> Result<()> {
        self.land_all([finished])
    }

    /// Lands some matches that have been finished meanwhile, all in one transaction: where matches
    /// are short, a transaction for each costs as much as playing it.
    ///
    /// # Errors
    /// As [`land`](Journal::land); then none of them lands.
    pub fn land_all<'a>(&mut self, all: impl IntoIterator<Item = &'a Finished>) -> Result<()> {
        self.immediately(|transaction| {
            for finished in all {
                land(transaction, finished)?;
            }
            Ok(())
        })
    }

    /// Lands a match in place of what was there, in one transaction; of a match that is left out, nothing
    /// is there afterwards.
    pub(crate) fn supersede(
        &mut self,
        tournament: TournamentId,
        index: u64,
        by: Option<&Finished>,
    ) -> Result<()> {
        self.immediately(|transaction| {
            for table in OF_A_MATCH {
                let delete = format!("DELETE FROM {table} WHERE tournament = ? AND idx = ?");
                transaction
                    .prepare_cached(&delete)?
                    .execute(params![tournament, to_sql(index)])?;
            }
            if let Some(finished) = by {
                insert(transaction, finished)?;
            }
            Ok(())
        })
    }

    /// Lists matches: those of the latest tournament first, and of each the last of the schedule
    /// first.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn matches(&self, filter: &MatchFilter) -> Result<Vec<MatchRow>> {
        let (query, values) = filter.query();
        let values: Vec<&dyn ToSql> = values.iter().map(|value| &**value).collect();
        let mut statement = self.connection.prepare_cached(&query)?;
        let rows: Vec<MatchRow> = statement
            .query_map(&values[..], read)?
            .collect::<rusqlite::Result<_>>()?;
        rows.into_iter().map(|row| self.with_seats(row)).collect()
    }

    /// The match with an id.
    ///
    /// # Errors
    /// When there is none.
    pub fn match_row(&self, id: &str) -> Result<MatchRow> {
        let query = format!(
            "SELECT {COLUMNS} FROM matches m JOIN tournaments t ON t.id = m.tournament WHERE m.id = ?"
        );
        let found = self
            .connection
            .prepare_cached(&query)?
            .query_row([id], read)
            .optional()?;
        self.with_seats(found.ok_or_else(|| Error::NoSuchMatch { id: id.into() })?)
    }

    /// The tournament of a match, and its index there.
    pub(crate) fn find_match(&self, id: &str) -> Result<(Tournament, u64)> {
        let found = self
            .connection
            .prepare_cached(
                "SELECT t.name, m.idx FROM matches m JOIN tournaments t ON t.id = m.tournament
                 WHERE m.id = ?",
            )?
            .query_row([id], |row| Ok((row.get(0)?, row.get::<_, Unsigned>(1)?.0)))
            .optional()?;
        let (name, index): (String, u64) =
            found.ok_or_else(|| Error::NoSuchMatch { id: id.into() })?;
        Ok((self.tournament(&name)?, index))
    }

    /// The indices of all matches of a tournament, ascending; one that is there twice comes twice.
    pub(crate) fn indices(&self, tournament: TournamentId) -> Result<Vec<u64>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT idx FROM matches WHERE tournament = ? ORDER BY idx")?;
        let indices =
            statement.query_map([tournament], |row| row.get(0).map(|Unsigned(idx)| idx))?;
        Ok(indices.collect::<rusqlite::Result<_>>()?)
    }

    /// A match with all that is kept of it.
    pub(crate) fn kept(&self, tournament: &Tournament, index: u64) -> Result<Kept> {
        let key = params![tournament.id, to_sql(index)];
        let mut kept = self
            .connection
            .prepare_cached(
                "SELECT id, started_at, duration_us, import IS NOT NULL FROM matches
                 WHERE tournament = ? AND idx = ?",
            )?
            .query_row(key, |row| {
                let times = (row.get::<_, Unsigned>(1)?.0, row.get::<_, Unsigned>(2)?.0);
                Ok(Kept {
                    finished: Finished {
                        id: row.get(0)?,
                        ..Finished::new(tournament, Scored::default(), times)
                    },
                    elsewhere: row.get(3)?,
                    seats: Vec::new(),
                    has_stray_detail: false,
                })
            })?;
        let finished = &mut kept.finished;
        finished.scored = self.scored(tournament, index)?;
        let mut statement = self.connection.prepare_cached(
            "SELECT seat, fault IS NULL AND fault_detail IS NOT NULL FROM match_seats
             WHERE tournament = ? AND idx = ? ORDER BY seat",
        )?;
        let mut rows = statement.query(key)?;
        while let Some(row) = rows.next()? {
            kept.seats.push(row.get::<_, Unsigned>(0)?.0);
            kept.has_stray_detail |= row.get::<_, bool>(1)?;
        }
        finished.record = self
            .connection
            .prepare_cached("SELECT sha256, zstd FROM records WHERE tournament = ? AND idx = ?")?
            .query_row(key, read_packed)
            .optional()?;
        let mut statement = self.connection.prepare_cached(
            "SELECT sha256, zstd, seat FROM evidence WHERE tournament = ? AND idx = ? ORDER BY seat",
        )?;
        finished.evidence = statement
            .query_map(key, |row| Ok((row.get(2)?, read_packed(row)?)))?
            .collect::<rusqlite::Result<_>>()?;
        Ok(kept)
    }

    /// Shows all matches of a tournament in order of the schedule, until it is told to stop (false).
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn for_each_match(
        &self,
        tournament: TournamentId,
        mut show: impl FnMut(MatchRow) -> bool,
    ) -> Result<()> {
        let _moment = self.snapshot()?;
        let query = format!(
            "SELECT {COLUMNS} FROM matches m JOIN tournaments t ON t.id = m.tournament
             WHERE m.tournament = ? ORDER BY m.idx"
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        for row in statement.query_map([tournament], read)? {
            if !show(self.with_seats(row?)?) {
                break;
            }
        }
        Ok(())
    }

    /// The text of a match's record.
    ///
    /// # Errors
    /// When there is no such match, it was not played, or the record is damaged.
    pub fn record(&self, id: &str) -> Result<String> {
        let mut statement = self.connection.prepare_cached(
            "SELECT sha256, zstd FROM records JOIN matches USING (tournament, idx) WHERE id = ?",
        )?;
        let found = statement.query_row([id], read_packed).optional()?;
        if found.is_none() && self.match_row(id)?.reason == FORFEIT {
            return Err(Error::NotPlayed { id: id.into() });
        }
        unpacked(found.as_ref(), id)
    }

    /// What is kept of the faults in a match, by seat: of a match from before it was, nothing.
    ///
    /// # Errors
    /// When the journal cannot be read, or what is kept is damaged.
    pub fn evidence(&self, id: &str) -> Result<Vec<(u8, Evidence)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT e.sha256, e.zstd, seat FROM evidence e JOIN matches USING (tournament, idx)
             WHERE id = ? ORDER BY seat",
        )?;
        let all: Vec<(u8, PackedRecord)> = statement
            .query_map([id], |row| Ok((row.get(2)?, read_packed(row)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let unpack = |(seat, packed): (u8, PackedRecord)| {
            let damaged =
                |why: String| Error::Damaged(format!("the evidence of match {id}: {why}"));
            let text = packed.unpack().map_err(damaged)?;
            let evidence =
                serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
            Ok((seat, evidence))
        };
        all.into_iter().map(unpack).collect()
    }

    fn with_seats(&self, mut row: MatchRow) -> Result<MatchRow> {
        let mut statement = self.connection.prepare_cached(
            "SELECT b.name || '@' || b.version, s.points, s.place, s.fault, s.fault_detail, s.used_us,
             s.plies FROM match_seats s JOIN bots b ON b.id = s.bot
             WHERE s.tournament = ? AND s.idx = ? ORDER BY s.seat",
        )?;
        let key = params![row.tournament_id, to_sql(row.index)];
        row.seats = statement
            .query_map(key, |row| {
                Ok(SeatRow {
                    bot: row.get(0)?,
                    result: read_seat(row, 1)?,
                })
            })?
            .collect::<rusqlite::Result<_>>()?;
        Ok(row)
    }
}

impl MatchFilter {
    /// The query with its values. It is driven by the narrowest index: by a bot's seats, by the
    /// seats with faults, or by the matches' own key.
    pub(super) fn query(&self) -> (String, Vec<Box<dyn ToSql>>) {
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        let mut conditions = vec!["t.id = m.tournament".to_owned()];
        let mut also = |condition: &str, value: Box<dyn ToSql>| {
            conditions.push(condition.into());
            values.push(value);
        };
        let by_seat = self.bot.is_some() || self.faults_only;
        let (from, key) = match by_seat {
            true => (
                "match_seats s CROSS JOIN matches m CROSS JOIN tournaments t",
                "s",
            ),
            false => ("matches m CROSS JOIN tournaments t", "m"),
        };
        if let Some(bot) = self.bot {
            also("s.bot = ?", Box::new(bot));
        }
        if let Some(tournament) = self.tournament {
            also(&format!("{key}.tournament = ?"), Box::new(tournament));
        }
        if let Some(game) = &self.game {
            also("t.game = ?", Box::new(game.clone()));
        }
        if let Some((tournament, index)) = self.before {
            also(
                &format!("({key}.tournament, {key}.idx) < (?, ?)"),
                Box::new(tournament),
            );
            values.push(Box::new(to_sql(index)));
        }
        if by_seat {
            conditions.push("m.tournament = s.tournament AND m.idx = s.idx".into());
        }
        if self.faults_only {
            conditions.push("s.fault IS NOT NULL".into());
        }
        values.push(Box::new(i64::try_from(self.limit).unwrap_or(i64::MAX)));
        let conditions = conditions.join(" AND ");
        // Several seats of one match may have a fault.
        let once = match self.faults_only && self.bot.is_none() {
            true => "GROUP BY s.tournament, s.idx",
            false => "",
        };
        let query = format!(
            "SELECT {COLUMNS} FROM {from} WHERE {conditions} {once}
             ORDER BY {key}.tournament DESC, {key}.idx DESC LIMIT ?"
        );
        (query, values)
    }
}

pub(super) fn land(transaction: &Transaction<'_>, finished: &Finished) -> Result<()> {
    insert(transaction, finished).map_err(|error| match is_duplicate(&error) {
        true => Error::AlreadyThere {
            id: finished.id.clone(),
        },
        false => error.into(),
    })
}

fn insert(transaction: &Transaction<'_>, finished: &Finished) -> rusqlite::Result<()> {
    let Finished {
        tournament,
        id,
        scored: Scored { pairing, result },
        started_at,
        duration_us,
        record,
        evidence,
    } = finished;
    let idx = to_sql(pairing.index);
    transaction
        .prepare_cached(
            "INSERT INTO matches
             (tournament, idx, id, round, block, started_at, duration_us, reason, plies)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            tournament,
            idx,
            id,
            pairing.round,
            to_sql(pairing.block),
            to_sql(*started_at),
            to_sql(*duration_us),
            result.reason,
            to_sql(result.plies),
        ])?;
    let mut seat_statement = transaction.prepare_cached(
        "INSERT INTO match_seats
         (tournament, idx, seat, bot, points, place, fault, fault_detail, used_us, plies)
         VALUES (?1, ?2, ?3, (SELECT bot FROM entrants WHERE tournament = ?1 AND number = ?4),
         ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for (number, (entrant, seat)) in (0i64..).zip(finished.scored.seats()) {
        seat_statement.execute(params![
            tournament,
            idx,
            number,
            to_sql(entrant as u64),
            seat.points,
            seat.place,
            seat.fault.as_ref().map(|fault| &fault.name),
            seat.fault.as_ref().map(|fault| &fault.detail),
            to_sql(seat.used_us),
            to_sql(seat.plies),
        ])?;
    }
    for (seat, PackedRecord { sha256, zstd }) in evidence {
        transaction
            .prepare_cached(
                "INSERT INTO evidence (tournament, idx, seat, sha256, zstd)
                 VALUES (?, ?, ?, ?, ?)",
            )?
            .execute(params![tournament, idx, seat, sha256, zstd])?;
    }
    if let Some(record) = record {
        transaction
            .prepare_cached(
                "INSERT INTO records (tournament, idx, sha256, zstd) VALUES (?, ?, ?, ?)",
            )?
            .execute(params![tournament, idx, record.sha256, record.zstd])?;
    }
    Ok(())
}

fn is_duplicate(error: &rusqlite::Error) -> bool {
    const DUPLICATES: [i32; 2] = [
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY,
        ffi::SQLITE_CONSTRAINT_UNIQUE,
    ];
    error
        .sqlite_error()
        .is_some_and(|failure| DUPLICATES.contains(&failure.extended_code))
}

/// The match of a row, still without its seats.
fn read(row: &Row<'_>) -> rusqlite::Result<MatchRow> {
    Ok(MatchRow {
        id: row.get(0)?,
        tournament: row.get(1)?,
        tournament_id: row.get(2)?,
        game: row.get(3)?,
        index: row.get::<_, Unsigned>(4)?.0,
        round: row.get(5)?,
        block: row.get::<_, Unsigned>(6)?.0,
        started_at: row.get::<_, Unsigned>(7)?.0,
        duration_us: row.get::<_, Unsigned>(8)?.0,
        reason: row.get(9)?,
        plies: row.get::<_, Unsigned>(10)?.0,
        elsewhere: row.get(11)?,
        seats: Vec::new(),
    })
}

fn read_packed(row: &Row<'_>) -> rusqlite::Result<PackedRecord> {
    Ok(PackedRecord {
        sha256: row.get(0)?,
        zstd: row.get(1)?,
    })
}

/// The text of the record of a match that was played.
fn unpacked(record: Option<&PackedRecord>, id: &str) -> Result<String> {
    match record {
        None => Err(Error::Damaged(format!(
            "the record of match {id} is missing"
        ))),
        Some(record) => record
            .unpack()
            .map_err(|why| Error::Damaged(format!("the record of match {id}: {why}"))),
    }
}
