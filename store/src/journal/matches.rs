//! Single matches in the journal: landing them, listing them, and their records.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::OnceLock;

use flipside_games::words::joined;
use flipside_games::{GAMES, MAX_SEATS};
use flipside_ratings::Seating;
use flipside_referee::{
    MatchResult, ModelUse, PlayedMatch, SeatFault, SeatResult, SeatTrace, TrafficLine,
    without_stderr,
};
use flipside_tournament::{
    Bot, BotId, FORFEIT, Pairing, ScheduleCursor, ScoredPairing, Tournament, TournamentId,
    match_id, milliseconds, seat_points, serialize_ms, serialize_utc,
};
use rusqlite::types::ToSql;
use rusqlite::{Connection, Params, Row, ffi, params, params_from_iter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::columns::tournament_id;
use super::notes::{self, PackedNotes};
use super::packed::{PackedRecord, of_seats, read_of_seat, read_packed};
use crate::journal::played_by::{KeptModel, OF_A_MATCH, PlayedBy, SEAT_COLUMNS, read_seat};

use super::{Journal, Queries};
use crate::error::{Error, Result};

/// A match that has been played, with all that the journal keeps of it.
#[derive(Clone, Debug)]
pub struct FinishedMatch {
    /// The tournament it belongs to.
    pub tournament: TournamentId,
    /// Its id; the record has the same.
    pub id: String,
    /// Its place in the schedule, and what came of it.
    pub scored: ScoredPairing,
    /// When it began, in milliseconds since 1970.
    pub started_at: u64,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// The record; none of a match that was not played.
    pub record: Option<PackedRecord>,
    /// What is kept of faults, by seat.
    pub evidence: Vec<(u8, PackedRecord)>,
    /// What is kept of bots without a fault. It is not read again with the match.
    pub notes: Vec<PackedNotes>,
    /// Which worker on another machine played it, if one did. It is not read again with the match.
    pub played_by: Option<PlayedBy>,
}

impl FinishedMatch {
    /// A match of a tournament, still without a record. It began at `started_at`, in milliseconds since 1970, and took
    /// `duration_us` microseconds.
    pub fn new(
        tournament: &Tournament,
        scored: ScoredPairing,
        (started_at, duration_us): (u64, u64),
    ) -> Self {
        FinishedMatch {
            tournament: tournament.id,
            id: match_id(&tournament.name, scored.pairing.index),
            scored,
            started_at,
            duration_us,
            record: None,
            evidence: Vec::new(),
            notes: Vec::new(),
            played_by: None,
        }
    }

    /// A match of a tournament that was played, at such times as for [`new`](FinishedMatch::new).
    pub fn played(
        tournament: &Tournament,
        pairing: &Pairing,
        times: (u64, u64),
        played: PlayedMatch,
    ) -> Self {
        let packed = |trace: &SeatTrace| {
            let evidence = Evidence {
                stderr: trace.fault.as_ref()?.stderr.clone(),
                traffic: trace.traffic.clone(),
                hint: trace.fault.as_ref()?.hint.map(String::from),
            };
            Some(PackedRecord::of(&evidence))
        };
        let evidence = (0..).zip(&played.seats);
        let evidence = evidence.filter_map(|(seat, trace)| Some((seat, packed(trace)?)));
        let notes = (0..).zip(&played.seats);
        let notes = notes.filter_map(|(seat, trace)| PackedNotes::of(seat, trace));
        let scored = ScoredPairing {
            pairing: pairing.clone(),
            result: played.result,
        };
        FinishedMatch {
            record: Some(PackedRecord::pack(&played.record)),
            evidence: evidence.collect(),
            notes: notes.collect(),
            ..FinishedMatch::new(tournament, scored, times)
        }
    }

    /// The next match of a cursor, which these seats forfeit, at a time in milliseconds since 1970.
    pub(crate) fn forfeited(
        cursor: &ScheduleCursor<'_>,
        pairing: &Pairing,
        away: &[usize],
        at: u64,
    ) -> Self {
        FinishedMatch::new(cursor.tournament, cursor.forfeited(pairing, away), (at, 0))
    }
}

/// What is kept of a fault for the author of the bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The end of what the bot wrote to its standard error.
    pub stderr: String,
    /// The last lines that were said between the referee and the bot, the oldest first.
    pub traffic: Vec<TrafficLine>,
    /// What the author can do, if there is something to name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Which matches to list. The default: all, the first 50.
#[derive(Clone, Debug)]
pub struct MatchFilter {
    /// Only of this tournament.
    pub tournament: Option<TournamentId>,
    /// Only of this game.
    pub game: Option<String>,
    /// Only those of this round, from 0.
    pub round: Option<u32>,
    /// Only those in which this bot played.
    pub bot: Option<BotId>,
    /// Only those in which this bot played, too.
    pub against: Option<BotId>,
    /// Only those with a fault; with a bot, with a fault of its own.
    pub faults_only: bool,
    /// Only those after this one in the list: where the next page begins.
    pub before: Option<(TournamentId, u64)>,
    /// The most that are listed.
    pub limit: usize,
}

/// A match as lists show it: of any tournament, with names in place of numbers, in the form that programs read.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
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
    /// When it began, in milliseconds since 1970; in JSON, RFC 3339.
    #[serde(serialize_with = "serialize_utc")]
    #[schemars(with = "String")]
    pub started_at: u64,
    /// How long it took, in microseconds; in JSON, milliseconds.
    #[serde(rename = "duration_ms", serialize_with = "serialize_ms")]
    #[schemars(with = "f64")]
    pub duration_us: u64,
    /// Why it ended.
    pub reason: String,
    /// Actions taken, of all seats.
    pub plies: u64,
    /// Whether it was played in another arena, and came here in an archive.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// Whether it counts in the table: it does not if a bot in it was disqualified afterwards without its matches.
    pub counts: bool,
    /// Which worker on another machine played it; none if it was played in an arena.
    #[serde(flatten)]
    pub played_by: Option<PlayedBy>,
    /// How each seat fared.
    pub seats: Vec<SeatRow>,
}

impl MatchRow {
    /// The same without what a bot wrote to standard error, which is for its owner.
    #[must_use]
    pub fn without_stderr(mut self) -> Self {
        for seat in &mut self.seats {
            if let Some(fault) = &mut seat.result.fault {
                fault.detail = without_stderr(&fault.detail).to_owned();
            }
        }
        self
    }
}

/// A seat as lists show it.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct SeatRow {
    /// Who sat there: `greedy@2`.
    pub bot: String,
    /// What people call the seat, where the game has names for seats: `White`.
    pub colour: Option<&'static str>,
    /// Its side, where several bots are one side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<u8>,
    /// What it adds to the bot's score in the table, from 0 to 1: one for a win and half of one for a draw of two.
    pub points: f64,
    /// How that went.
    #[serde(flatten, serialize_with = "listed")]
    #[schemars(with = "ListedResult")]
    pub result: SeatResult,
}

/// A seat's result in lists, where `points` are those of the table.
#[derive(JsonSchema, Serialize)]
struct ListedResult<'a> {
    /// Its place, from 1; equal is a tie, and the place after a tie of two is two further.
    place: u8,
    /// What its bot did wrong, if anything.
    fault: &'a Option<SeatFault>,
    /// The time that was charged to its bot, in milliseconds.
    used_ms: f64,
    /// Actions of its bot.
    plies: u64,
    /// What the game gives it; more is better.
    game_points: i32,
    /// What the notes of its bot tell of a language model; none if they tell of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: &'a Option<ModelUse>,
}

fn listed<S: Serializer>(
    result: &SeatResult,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    let SeatResult {
        points,
        place,
        fault,
        used_us,
        plies,
        model,
    } = result;
    let listed = ListedResult {
        place: *place,
        fault,
        used_ms: milliseconds(*used_us),
        plies: *plies,
        game_points: *points,
        model,
    };
    listed.serialize(serializer)
}

/// A match with all that the journal keeps of it, as it is there.
#[derive(Debug)]
pub(crate) struct StoredMatch {
    pub(crate) finished: FinishedMatch,
    /// Whether it came in an archive.
    pub(crate) elsewhere: bool,
    /// The numbers of its seats.
    pub(crate) seats: Vec<u64>,
    /// Whether a seat without a fault has the description of one.
    pub(crate) has_stray_detail: bool,
}

impl StoredMatch {
    /// How much memory its record and its evidence take, packed and unpacked, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let FinishedMatch {
            record, evidence, ..
        } = &self.finished;
        let evidence = evidence.iter().map(|(_, packed)| packed);
        (record.iter().chain(evidence))
            .map(PackedRecord::bytes)
            .sum()
    }

    /// The text of its record.
    pub(crate) fn record(&self) -> Result<String> {
        unpacked(self.finished.record.as_ref(), &self.finished.id)
    }
}

/// A match of the journal, or why it cannot be read.
pub(crate) type StoredRow = std::result::Result<StoredMatch, String>;

/// The matches of a tournament, one after the other.
pub(crate) struct KeptInOrder<'a> {
    journal: &'a Journal,
    tournament: &'a Tournament,
    /// Whether the evidence is read, too.
    evidence: bool,
    /// The last index that was read; -1 before the first.
    after: i64,
    /// Matches that were read, still without records and evidence.
    chunk: VecDeque<(u64, StoredRow)>,
}

/// How many matches are read by one query. Their records are read one by one: many long ones would fill the memory.
const CHUNK: usize = 32;

impl KeptInOrder<'_> {
    /// The next match; none after the last one.
    ///
    /// # Errors
    /// When the journal cannot be read. What is wrong with one match is in its row.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, StoredRow)>> {
        if self.chunk.is_empty() {
            self.read()?;
        }
        let Some((index, row)) = self.chunk.pop_front() else {
            return Ok(None);
        };
        let row = match row {
            Ok(stored) => damaged(self.filled(stored))?,
            wrong => wrong,
        };
        Ok(Some((index, row)))
    }

    fn filled(&self, mut stored: StoredMatch) -> Result<StoredMatch> {
        self.journal.add_record(self.tournament, &mut stored)?;
        if self.evidence {
            self.journal.add_evidence(self.tournament, &mut stored)?;
        }
        Ok(stored)
    }

    /// Reads the next matches.
    fn read(&mut self) -> Result<()> {
        let (journal, tournament) = (self.journal, self.tournament);
        let indices: Vec<u64> = journal.connection.all(
            "SELECT idx FROM matches WHERE tournament = ? AND idx > ? ORDER BY idx LIMIT ?",
            params![tournament.id.number(), self.after, CHUNK],
            |row| row.get(0),
        )?;
        let (Some(&first), Some(&last)) = (indices.first(), indices.last()) else {
            return Ok(());
        };
        let after = i64::try_from(last).unwrap_or(i64::MAX);
        if after <= self.after {
            return Err(Error::Damaged("its matches are not in order".into()));
        }
        self.after = after;
        let read = journal.stored_between(tournament, [first, last]);
        let of = |stored: &StoredMatch| stored.finished.scored.pairing.index;
        self.chunk = match read {
            Ok(all) if all.iter().map(of).eq(indices.iter().copied()) => {
                indices.into_iter().zip(all.into_iter().map(Ok)).collect()
            }
            // One by one, so that what is wrong with one says nothing of the others.
            _ => {
                let one = |index| Ok((index, damaged(journal.stored(tournament, index))?));
                indices.into_iter().map(one).collect::<Result<_>>()?
            }
        };
        Ok(())
    }
}

/// A match that cannot be read is one of those that are wrong.
pub(crate) fn damaged(stored: Result<StoredMatch>) -> Result<StoredRow> {
    match stored {
        Ok(stored) => Ok(Ok(stored)),
        Err(Error::Damaged(what)) => Ok(Err(what)),
        Err(error) => Err(error),
    }
}

const COLUMNS: &str = "m.id, t.name, m.tournament, t.game, m.idx, m.round, m.block, m.started_at,
    m.duration_us, m.reason, m.plies, m.import IS NOT NULL,
    (SELECT name FROM workers w WHERE w.id = m.worker), (SELECT class FROM workers w WHERE w.id = m.worker)";

impl Default for MatchFilter {
    fn default() -> Self {
        MatchFilter {
            tournament: None,
            game: None,
            round: None,
            bot: None,
            against: None,
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
    pub fn land(&mut self, finished: &FinishedMatch) -> Result<()> {
        self.land_all([finished])
    }

    /// Lands some matches that have been finished meanwhile, all in one transaction: where matches
    /// are short, a transaction for each costs as much as playing it.
    ///
    /// # Errors
    /// As [`land`](Journal::land); then none of them lands.
    pub fn land_all<'a>(&mut self, all: impl IntoIterator<Item = &'a FinishedMatch>) -> Result<()> {
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
        by: Option<&FinishedMatch>,
    ) -> Result<()> {
        self.immediately(|transaction| {
            for table in OF_A_MATCH {
                let delete = format!("DELETE FROM {table} WHERE tournament = ? AND idx = ?");
                transaction.run(&delete, params![tournament.number(), index])?;
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
        let mut rows = Vec::new();
        self.for_each_listed(filter, |row| {
            rows.push(row);
            true
        })?;
        Ok(rows)
    }

    /// Shows the same matches one by one, until it is told to stop (false).
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn for_each_listed(
        &self,
        filter: &MatchFilter,
        show: impl FnMut(MatchRow) -> bool,
    ) -> Result<()> {
        let _moment = self.snapshot()?;
        let (query, values) = filter.query();
        self.show(&query, params_from_iter(values), show)
    }

    /// The indices of a tournament's matches that have a result, from this one on, ascending.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn landed(&self, tournament: TournamentId, from: u64) -> Result<Vec<u64>> {
        let landed = self.connection.all(
            "SELECT idx FROM matches WHERE tournament = ? AND idx >= ? ORDER BY idx",
            params![tournament.number(), from],
            |row| row.get(0),
        )?;
        Ok(landed)
    }

    /// The match with an id.
    ///
    /// # Errors
    /// When there is none.
    pub fn match_row(&self, id: &str) -> Result<MatchRow> {
        let query = format!(
            "SELECT {COLUMNS} FROM matches m JOIN tournaments t ON t.id = m.tournament WHERE m.id = ?"
        );
        let found = self.connection.first(&query, [id], read)?;
        let row = found.ok_or_else(|| Error::NoSuchMatch { id: id.into() })?;
        self.with_seats(row, &mut HashMap::new())
    }

    /// The tournament of a match, and its index there.
    pub(crate) fn find_match(&self, id: &str) -> Result<(Tournament, u64)> {
        let found = self.connection.first(
            "SELECT t.name, m.idx FROM matches m JOIN tournaments t ON t.id = m.tournament
             WHERE m.id = ?",
            [id],
            |row| row.try_into(),
        )?;
        let (name, index): (String, u64) =
            found.ok_or_else(|| Error::NoSuchMatch { id: id.into() })?;
        Ok((self.tournament(&name)?, index))
    }

    /// A match with all that is kept of it.
    pub(crate) fn stored(&self, tournament: &Tournament, index: u64) -> Result<StoredMatch> {
        let stored = self.stored_between(tournament, [index; 2])?.pop();
        let mut stored = stored
            .ok_or_else(|| Error::Damaged(format!("match {index} has no result any more")))?;
        self.add_record(tournament, &mut stored)?;
        self.add_evidence(tournament, &mut stored)?;
        Ok(stored)
    }

    /// All matches of a tournament, in order of the schedule, with all that is kept of them; without the evidence,
    /// if it is not asked for. One that is there twice comes twice.
    pub(crate) fn kept_in_order<'a>(
        &'a self,
        tournament: &'a Tournament,
        evidence: bool,
    ) -> KeptInOrder<'a> {
        KeptInOrder {
            journal: self,
            tournament,
            evidence,
            after: -1,
            chunk: VecDeque::new(),
        }
    }

    /// The matches from the first of two indices to the last, without records and evidence.
    fn stored_between(&self, tournament: &Tournament, range: [u64; 2]) -> Result<Vec<StoredMatch>> {
        let key = params![tournament.id.number(), range[0], range[1]];
        let read = |row: &Row<'_>| {
            let times = (row.get(1)?, row.get(2)?);
            Ok(StoredMatch {
                finished: FinishedMatch {
                    id: row.get(0)?,
                    ..FinishedMatch::new(tournament, ScoredPairing::default(), times)
                },
                elsewhere: row.get(3)?,
                seats: Vec::new(),
                has_stray_detail: false,
            })
        };
        let mut all: Vec<StoredMatch> = self.connection.all(
            "SELECT id, started_at, duration_us, import IS NOT NULL FROM matches
             WHERE tournament = ? AND idx BETWEEN ? AND ? ORDER BY idx",
            key,
            read,
        )?;
        let mut rest = all.iter_mut();
        self.scan(tournament, range, |scored| {
            if let Some(stored) = rest.next() {
                stored.finished.scored = std::mem::take(scored);
            }
            Ok(())
        })?;
        let mut statement = self.connection.prepare_cached(
            "SELECT idx, seat, fault IS NULL AND fault_detail IS NOT NULL FROM match_seats
             WHERE tournament = ? AND idx BETWEEN ? AND ? ORDER BY idx, seat",
        )?;
        let mut rows = statement.query(key)?;
        while let Some(row) = rows.next()? {
            let index: u64 = row.get(0)?;
            let of = |stored: &StoredMatch| stored.finished.scored.pairing.index;
            if let Ok(at) = all.binary_search_by_key(&index, of) {
                all[at].seats.push(row.get(1)?);
                all[at].has_stray_detail |= row.get::<_, bool>(2)?;
            }
        }
        Ok(all)
    }

    fn add_record(&self, tournament: &Tournament, stored: &mut StoredMatch) -> Result<()> {
        let index = stored.finished.scored.pairing.index;
        stored.finished.record = self.connection.first(
            "SELECT sha256, zstd FROM records WHERE tournament = ? AND idx = ?",
            params![tournament.id.number(), index],
            read_packed,
        )?;
        Ok(())
    }

    fn add_evidence(&self, tournament: &Tournament, stored: &mut StoredMatch) -> Result<()> {
        let index = stored.finished.scored.pairing.index;
        stored.finished.evidence = self.connection.all(
            "SELECT sha256, zstd, seat FROM evidence WHERE tournament = ? AND idx = ? ORDER BY seat",
            params![tournament.id.number(), index],
            read_of_seat,
        )?;
        Ok(())
    }

    /// Shows all matches of a tournament in order of the schedule, until it is told to stop (false).
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn for_each_match(
        &self,
        tournament: TournamentId,
        show: impl FnMut(MatchRow) -> bool,
    ) -> Result<()> {
        let _moment = self.snapshot()?;
        let query = format!(
            "SELECT {COLUMNS} FROM matches m JOIN tournaments t ON t.id = m.tournament
             WHERE m.tournament = ? ORDER BY m.idx"
        );
        self.show(&query, [tournament.number()], show)
    }

    /// Shows the matches that a query finds, until it is told to stop (false).
    fn show(
        &self,
        query: &str,
        values: impl Params,
        mut show: impl FnMut(MatchRow) -> bool,
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(query)?;
        let mut known = HashMap::new();
        for row in statement.query_map(values, read)? {
            if !show(self.with_seats(row?, &mut known)?) {
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
        let found = self.connection.first(
            "SELECT sha256, zstd FROM records JOIN matches USING (tournament, idx) WHERE id = ?",
            [id],
            read_packed,
        )?;
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
        let all: Vec<(u8, PackedRecord)> = self.connection.all(
            "SELECT e.sha256, e.zstd, seat FROM evidence e JOIN matches USING (tournament, idx)
             WHERE id = ? ORDER BY seat",
            [id],
            read_of_seat,
        )?;
        of_seats("evidence", id, all)
    }

    /// The match with its seats. `known` keeps what is known of tournaments.
    fn with_seats(
        &self,
        mut row: MatchRow,
        known: &mut HashMap<TournamentId, RowContext>,
    ) -> Result<MatchRow> {
        let read = |row: &Row<'_>| {
            let (bot, result) = (row.get(0)?, read_seat(row, 1)?);
            Ok(SeatRow {
                bot,
                colour: None,
                side: None,
                points: 0.0,
                result,
            })
        };
        row.seats = self.connection.all(
            &format!(
                "SELECT b.name || '@' || b.version, {SEAT_COLUMNS} FROM match_seats s JOIN bots b ON b.id = s.bot
                 WHERE s.tournament = ? AND s.idx = ? ORDER BY s.seat"
            ),
            params![row.tournament_id.number(), row.index],
            read,
        )?;
        let context = match known.entry(row.tournament_id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                new.insert(RowContext::of(&self.tournament_by_id(row.tournament_id)?))
            }
        };
        let points = context.points(&row);
        let has_partners = context.seating.has_partners();
        for (number, (seat, points)) in row.seats.iter_mut().zip(points).enumerate() {
            seat.points = points;
            seat.colour = context.colours.get(number).copied().flatten();
            seat.side = has_partners.then(|| context.seating.side(number));
        }
        let is_void = |seat: &SeatRow| context.void.contains(&seat.bot);
        row.counts = !row.seats.iter().any(is_void);
        Ok(row)
    }
}

/// What the rows of a tournament's matches need to know of it.
struct RowContext {
    seating: Seating,
    /// By seat, what people call it.
    colours: Vec<Option<&'static str>>,
    /// The bots whose matches do not count.
    void: Vec<String>,
}

impl RowContext {
    fn of(tournament: &Tournament) -> Self {
        let settings = &tournament.settings;
        let void = tournament.uncounted().into_iter();
        let void = void.filter_map(|entrant| tournament.entrants.get(entrant));
        // Seats of other games have no names.
        let game = GAMES.iter().find(|game| game.info().id == settings.game);
        let colour = |seat: u8| game?.look(seat)?.name;
        RowContext {
            colours: (0..settings.seats).map(colour).collect(),
            // Two seats are always those of two rivals, and need no look at the game.
            seating: match settings.seats {
                2 => Seating::single(2),
                seats => settings.seating().unwrap_or(Seating::single(seats)),
            },
            void: void.map(Bot::label).collect(),
        }
    }

    /// The points of the seats of a match.
    fn points(&self, row: &MatchRow) -> Vec<f64> {
        let first_seat = |of: &SeatRow| row.seats.iter().position(|seat| seat.bot == of.bot);
        let scored = ScoredPairing {
            pairing: Pairing {
                seats: row.seats.iter().filter_map(first_seat).collect(),
                ..Pairing::default()
            },
            result: MatchResult {
                reason: row.reason.clone(),
                plies: row.plies,
                seats: row.seats.iter().map(|seat| seat.result.clone()).collect(),
            },
        };
        seat_points(&scored, &self.seating)
    }
}

impl MatchFilter {
    /// Which matches of which bots it asks for, with the values. `key` is the table whose key drives the query.
    pub(super) fn conditions(&self, key: &str) -> (Vec<String>, Vec<Box<dyn ToSql>>) {
        let (mut conditions, mut values) = (Vec::new(), Vec::<Box<dyn ToSql>>::new());
        if let Some(bot) = self.bot {
            conditions.push("s.bot = ?".into());
            values.push(Box::new(bot.number()));
        }
        if let Some(bot) = self.against {
            conditions.push(format!(
                "EXISTS (SELECT 1 FROM match_seats o WHERE o.tournament = {key}.tournament AND o.idx = {key}.idx
                 AND o.bot = ?)"
            ));
            values.push(Box::new(bot.number()));
        }
        if let Some(tournament) = self.tournament {
            conditions.push(format!("{key}.tournament = ?"));
            values.push(Box::new(tournament.number()));
        }
        if let Some(game) = &self.game {
            conditions.push("t.game = ?".into());
            values.push(Box::new(game.clone()));
        }
        if self.faults_only {
            conditions.push("s.fault IS NOT NULL".into());
        }
        (conditions, values)
    }
    /// The query with its values. It is driven by the narrowest index: by a bot's seats, by the
    /// seats with faults, or by the matches' own key.
    pub(super) fn query(&self) -> (String, Vec<Box<dyn ToSql>>) {
        let by_seat = self.bot.is_some() || self.faults_only;
        let (from, key) = if by_seat {
            let from = "match_seats s CROSS JOIN matches m CROSS JOIN tournaments t";
            (from, "s")
        } else {
            ("matches m CROSS JOIN tournaments t", "m")
        };
        let (mut conditions, mut values) = self.conditions(key);
        conditions.push("t.id = m.tournament".into());
        if let Some(round) = self.round {
            conditions.push("m.round = ?".into());
            values.push(Box::new(round));
        }
        if let Some((tournament, index)) = self.before {
            conditions.push(format!("({key}.tournament, {key}.idx) < (?, ?)"));
            values.extend([
                Box::new(tournament.number()) as Box<dyn ToSql>,
                Box::new(index),
            ]);
        }
        if by_seat {
            conditions.push("m.tournament = s.tournament AND m.idx = s.idx".into());
        }
        values.push(Box::new(i64::try_from(self.limit).unwrap_or(i64::MAX)));
        let conditions = conditions.join(" AND ");
        // Several seats of one match may have a fault.
        let once = if self.faults_only && self.bot.is_none() {
            "GROUP BY s.tournament, s.idx"
        } else {
            ""
        };
        let query = format!(
            "SELECT {COLUMNS} FROM {from} WHERE {conditions} {once}
             ORDER BY {key}.tournament DESC, {key}.idx DESC LIMIT ?"
        );
        (query, values)
    }
}

pub(super) fn land(transaction: &Connection, finished: &FinishedMatch) -> Result<()> {
    insert(transaction, finished).map_err(|error| {
        if is_duplicate(&error) {
            let id = finished.id.clone();
            Error::AlreadyThere { id }
        } else {
            error.into()
        }
    })
}

fn insert(transaction: &Connection, finished: &FinishedMatch) -> rusqlite::Result<()> {
    let FinishedMatch {
        tournament,
        id,
        scored: ScoredPairing { pairing, result },
        started_at,
        duration_us,
        record,
        evidence,
        notes: seat_notes,
        played_by,
    } = finished;
    let idx = pairing.index;
    let worker = played_by.as_ref();
    let worker = worker.map(|it| it.id(transaction)).transpose()?;
    transaction.run(
        "INSERT INTO matches
         (tournament, idx, id, round, block, started_at, duration_us, reason, plies, worker)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            tournament.number(),
            idx,
            id,
            pairing.round,
            pairing.block,
            started_at,
            duration_us,
            result.reason,
            result.plies,
            worker,
        ],
    )?;
    insert_seats(transaction, finished)?;
    for (seat, PackedRecord { sha256, zstd }) in evidence {
        transaction.run(
            "INSERT INTO evidence (tournament, idx, seat, sha256, zstd) VALUES (?, ?, ?, ?, ?)",
            params![tournament.number(), idx, seat, sha256, zstd],
        )?;
    }
    for one in seat_notes {
        notes::insert(transaction, (*tournament, idx), one)?;
    }
    if let Some(PackedRecord { sha256, zstd }) = record {
        transaction.run(
            "INSERT INTO records (tournament, idx, sha256, zstd) VALUES (?, ?, ?, ?)",
            params![tournament.number(), idx, sha256, zstd],
        )?;
    }
    Ok(())
}

/// Inserts the seats of a match by one statement: it takes less time than one for each.
fn insert_seats(transaction: &Connection, finished: &FinishedMatch) -> rusqlite::Result<()> {
    /// By number of seats.
    static COMMANDS: [OnceLock<String>; MAX_SEATS + 1] = [const { OnceLock::new() }; MAX_SEATS + 1];
    let seats = finished.scored.seats().count();
    let command = COMMANDS
        .get(seats)
        .map(|known| known.get_or_init(|| seats_command(seats)));
    let command = command.map_or_else(|| seats_command(seats).into(), Cow::from);
    let mut statement = transaction.prepare_cached(&command)?;
    statement.raw_bind_parameter(1, finished.tournament.number())?;
    statement.raw_bind_parameter(2, finished.scored.pairing.index)?;
    for (number, (entrant, seat)) in finished.scored.seats().enumerate() {
        let fault = seat.fault.as_ref();
        let values: [&dyn ToSql; VALUES_OF_SEAT] = [
            &number,
            &entrant,
            &seat.points,
            &seat.place,
            &fault.map(|fault| &fault.name),
            &fault.map(|fault| &fault.detail),
            &seat.used_us,
            &seat.plies,
            &KeptModel(&seat.model),
        ];
        for (value, at) in values.into_iter().zip(3 + VALUES_OF_SEAT * number..) {
            statement.raw_bind_parameter(at, value)?;
        }
    }
    statement.raw_execute().map(drop)
}

/// How many values a seat has beside its match.
const VALUES_OF_SEAT: usize = 9;

/// The command that inserts so many seats of a match.
fn seats_command(seats: usize) -> String {
    let row = |number| {
        let at = |value| 3 + VALUES_OF_SEAT * number + value;
        let rest = (2..VALUES_OF_SEAT).map(|value| format!("?{}", at(value)));
        format!(
            "(?1, ?2, ?{}, (SELECT bot FROM entrants WHERE tournament = ?1 AND number = ?{}), {})",
            at(0),
            at(1),
            joined(rest, ", ")
        )
    };
    format!(
        "INSERT INTO match_seats
         (tournament, idx, seat, bot, {SEAT_COLUMNS})
         VALUES {}",
        joined((0..seats).map(row), ", ")
    )
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
        tournament_id: tournament_id(row, 2)?,
        game: row.get(3)?,
        index: row.get(4)?,
        round: row.get(5)?,
        block: row.get(6)?,
        started_at: row.get(7)?,
        duration_us: row.get(8)?,
        reason: row.get(9)?,
        plies: row.get(10)?,
        elsewhere: row.get(11)?,
        counts: true,
        played_by: match (row.get(12)?, row.get(13)?) {
            (Some(worker), Some(class)) => Some(PlayedBy { worker, class }),
            _ => None,
        },
        seats: Vec::new(),
    })
}

/// The text of the record of a match that was played.
fn unpacked(record: Option<&PackedRecord>, id: &str) -> Result<String> {
    let damaged = |why: &str| Error::Damaged(format!("the record of match {id}{why}"));
    let record = record.ok_or_else(|| damaged(" is missing"))?;
    record.unpack().map_err(|why| damaged(&format!(": {why}")))
}
