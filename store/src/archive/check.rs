//! Checking an archive, before anything of it counts: every record is refereed again, and must be that of
//! the match which the tournament's settings and all results before it ask for.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::num::NonZeroUsize;

use flipside_referee::{LARGEST_NUMBER, PublicKey, VerifyError};
use flipside_tournament::{
    Bot, BotId, MAX_ENTRANTS, MAX_VERSIONS, Pairing, PolicyDecision, ScheduleCursor, ScoredPairing,
    Tournament, TournamentId, is_sha256,
};
use sha2::{Digest, Sha256};

use super::read::{ArchivedRow, Reader};
use super::seal::HashingReader;
use super::{ArchiveError, ArchiveHeader, BATCH, BATCH_BYTES, MAX_VOIDS, ResultLine};
use crate::container::{drain, unpacked};
use crate::journal::games::ImportedGame;
use crate::journal::matches::FinishedMatch;
use crate::journal::packed::PackedRecord;
use crate::journal::played_by::PlayedBy;
use crate::journal::results::VoidMatch;
use crate::parallel::in_order;
use crate::record_summary::RecordSummary;

/// The latest time, in milliseconds since 1970: the end of the year 9999.
pub const LATEST_MS: u64 = 253_402_300_799_999;

/// The longest that a match may have taken, in microseconds: a year.
const LONGEST_US: u64 = 366 * 24 * 3600 * 1_000_000;

/// The most matches between two others that may be left out, because no side was there. Settings that leave
/// out more cost whoever reads them much time, and whoever wrote them nothing.
pub(crate) const MAX_LEFT_OUT: u64 = 10_000_000;

/// An archive that was found true.
#[derive(Clone, Debug)]
pub struct CheckedArchive {
    /// What is in it.
    pub head: ArchiveHeader,
    /// How many of its matches have a record; the others were forfeited.
    pub records: u64,
    /// How many faults are in them that no evidence shows: that a bot was late, crashed, closed its
    /// output.
    pub faults_told: u64,
    /// Who signed it; none: nobody did.
    pub signer: Option<PublicKey>,
    /// Its game, if that is a program: whoever imports it puts the program into the arena.
    pub game: Option<ImportedGame>,
    /// What stood before the results.
    preamble: [u8; 32],
    /// The matches, in order of the schedule.
    pub(super) seen: Vec<CheckedMatch>,
}

impl CheckedArchive {
    /// The index of its last match; none if it has no match.
    pub(crate) fn last(&self) -> Option<u64> {
        self.seen.last().map(|seen| seen.index)
    }
}

/// What was seen of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CheckedMatch {
    pub(super) index: u64,
    /// When it began, in milliseconds since 1970.
    pub(super) started_at: u64,
    /// The hash of its line in the results.
    line: [u8; 32],
    /// The hash of its record.
    pub(super) record: Option<[u8; 32]>,
}

/// A match as it was read, with entrants in place of bots.
pub(super) struct ImportedMatch {
    pub(super) seen: CheckedMatch,
    /// The match, with its record if it is to be stored.
    pub(super) finished: FinishedMatch,
    /// How many of its faults no evidence shows.
    faults_told: u64,
}

/// Referees all matches of an archive again, on so many threads. `step` is called with how many are done,
/// and how many there are.
///
/// # Errors
/// Names the first thing that is not as it must be.
pub fn check(
    archive: impl Read,
    threads: NonZeroUsize,
    mut step: impl FnMut(u64, u64),
) -> Result<CheckedArchive, ArchiveError> {
    let (mut records, mut faults_told, mut seen) = (0, 0, Vec::new());
    let scanned = scan(archive, threads, Unjudged::refereed, |head, taken| {
        let taken = taken?;
        records += u64::from(taken.seen.record.is_some());
        faults_told += taken.faults_told;
        seen.push(taken.seen);
        step(seen.len() as u64, head.matches);
        Ok(())
    })?;
    Ok(CheckedArchive {
        head: scanned.head,
        records,
        faults_told,
        signer: scanned.signer,
        game: None,
        preamble: scanned.preamble,
        seen,
    })
}

/// Reads an archive that was checked once more, on so many threads, and makes sure that it is still the same. `take`
/// gets some matches at a time, with their records.
pub(super) fn read_again(
    archive: impl Read,
    checked: &CheckedArchive,
    threads: NonZeroUsize,
    mut take: impl FnMut(Vec<ImportedMatch>) -> Result<(), ArchiveError>,
) -> Result<Vec<VoidMatch>, ArchiveError> {
    let mut due = checked.seen.iter();
    let mut batch = Vec::new();
    let mut bytes = 0;
    let scanned = scan(archive, threads, Unjudged::packed, |_, taken| {
        let taken = taken.map_err(|_| ArchiveError::Changed)?;
        if due.next() != Some(&taken.seen) {
            return Err(ArchiveError::Changed);
        }
        bytes += taken
            .finished
            .record
            .as_ref()
            .map_or(0, PackedRecord::bytes);
        batch.push(taken);
        if batch.len() >= BATCH || bytes >= BATCH_BYTES {
            bytes = 0;
            take(std::mem::take(&mut batch))?;
        }
        Ok(())
    })?;
    if !batch.is_empty() {
        take(batch)?;
    }
    if scanned.preamble == checked.preamble && due.next().is_none() {
        Ok(scanned.voids)
    } else {
        Err(ArchiveError::Changed)
    }
}

/// A match with what its record shows: all that needs no other match, so that many threads can do it.
struct Unjudged {
    line: ResultLine,
    seen: CheckedMatch,
    /// None: it has no record.
    shown: Option<JudgedMatch>,
    /// The record, if it is to be stored.
    packed: Option<PackedRecord>,
}

impl Unjudged {
    /// With the record refereed again.
    fn refereed(row: ArchivedRow) -> Self {
        Unjudged::of(row, |text| (RecordSummary::verified(text), None))
    }

    /// With the record read and packed.
    fn packed(row: ArchivedRow) -> Self {
        Unjudged::of(row, |text| {
            (RecordSummary::read(text), Some(PackedRecord::pack(text)))
        })
    }

    fn of(
        (line, record): ArchivedRow,
        read: impl Fn(&str) -> (JudgedMatch, Option<PackedRecord>),
    ) -> Self {
        let json = serde_json::to_vec(&line).expect("texts and numbers are JSON");
        let (shown, packed) = record.as_ref().map(|(text, _)| read(text)).unzip();
        Unjudged {
            seen: CheckedMatch {
                index: line.index,
                started_at: line.started_at,
                line: Sha256::digest(json).into(),
                record: record.map(|(_, hash)| hash),
            },
            shown,
            packed: packed.flatten(),
            line,
        }
    }

    /// The match, if it is the next that the tournament asks for.
    fn judged(self, cursor: &mut ScheduleCursor<'_>) -> Result<ImportedMatch, ArchiveError> {
        let Unjudged {
            line,
            seen,
            shown,
            packed,
        } = self;
        let shown = shown.transpose().map_err(|error| ArchiveError::Record {
            id: line.id.clone(),
            error,
        })?;
        let faults_told = shown.as_ref().map_or(0, |shown| shown.faults_told);
        let finished = take(cursor, &line, shown.as_ref()).map_err(|what| ArchiveError::Match {
            id: line.id.clone(),
            what,
        })?;
        Ok(ImportedMatch {
            seen,
            finished: FinishedMatch {
                record: packed,
                ..finished
            },
            faults_told,
        })
    }
}

/// What was read of an archive beside its matches.
struct Scanned {
    head: ArchiveHeader,
    /// What stood before the results.
    preamble: [u8; 32],
    voids: Vec<VoidMatch>,
    signer: Option<PublicKey>,
}

/// Reads an archive match by match: `read` does what needs no other match, on so many threads, and `take` hears of each
/// match in order.
fn scan(
    archive: impl Read,
    threads: NonZeroUsize,
    read: fn(ArchivedRow) -> Unjudged,
    mut take: impl FnMut(
        &ArchiveHeader,
        Result<ImportedMatch, ArchiveError>,
    ) -> Result<(), ArchiveError>,
) -> Result<Scanned, ArchiveError> {
    let (hashed, closing) = HashingReader::new(unpacked(archive)?);
    let mut archive = tar::Archive::new(hashed);
    let mut reader = Reader::new(&mut archive, closing)?;
    let tournament = tournament_of(&reader.head)?;
    let head = reader.head.clone();
    let mut director = tournament.director()?;
    let mut cursor = ScheduleCursor::new(&tournament, &mut *director).leaving_out(MAX_LEFT_OUT);
    let mut last = 0;
    in_order(
        threads,
        || sized_row(&mut reader),
        read,
        |unjudged| {
            last = unjudged.line.index;
            take(&head, unjudged.judged(&mut cursor))
        },
    )?;
    let (preamble, voids) = (reader.preamble, std::mem::take(&mut reader.voids));
    may_be(&voids, last)?;
    let unproven = reader.end()?;
    drain(archive.into_inner())?;
    Ok(Scanned {
        signer: unproven.map(|unproven| unproven.signer()).transpose()?,
        head,
        preamble,
        voids,
    })
}

/// The next match with the size of its record in bytes; none after the last one.
pub(super) fn sized_row(
    reader: &mut Reader<'_, impl Read>,
) -> Result<Option<(ArchivedRow, usize)>, ArchiveError> {
    let size = |(line, record): ArchivedRow| {
        let bytes = record.as_ref().map_or(0, |(text, _)| text.len());
        ((line, record), bytes)
    };
    Ok(reader.row()?.map(size))
}

/// Whether there may have been such voids, up to the last match.
fn may_be(voids: &[VoidMatch], last: u64) -> Result<(), ArchiveError> {
    let mut times: HashMap<u64, usize> = HashMap::new();
    for void in voids {
        let times = times.entry(void.index).or_default();
        *times += 1;
        if void.index > last || void.at > LATEST_MS || *times > MAX_VOIDS {
            return Err(ArchiveError::Match {
                id: void.index.to_string(),
                what: "it cannot have been void so, or so often".into(),
            });
        }
    }
    Ok(())
}

/// What a record shows, if it is true.
type JudgedMatch = Result<RecordSummary, VerifyError>;

/// Takes the next match, if that is what the tournament asks for; otherwise what is wrong with it.
fn take(
    cursor: &mut ScheduleCursor<'_>,
    line: &ResultLine,
    record: Option<&RecordSummary>,
) -> Result<FinishedMatch, String> {
    is_a_time(line.started_at, line.duration_us)?;
    let Some((pairing, disposition)) = cursor.next_match() else {
        return Err("the tournament is over before it, or leaves too many matches out".into());
    };
    if line.index != pairing.index {
        return Err(format!("match {} is due here", pairing.index));
    }
    let times = (line.started_at, line.duration_us);
    let finished = due(cursor, (&pairing, &disposition), times, record)?;
    ScheduleCursor::fits(&pairing, &disposition, &finished.scored)?;
    let shown = ResultLine::of(&finished, cursor.tournament, line.record.clone());
    if let Some(differences) = line.differences(&shown) {
        return Err(format!(
            "its line in the results is not what its record says: {differences}"
        ));
    }
    cursor.hear(&pairing, &disposition, &finished.scored.result);
    Ok(finished)
}

/// The result that a match must have: by its record, or as the forfeit of bots that are paused.
pub(super) fn due(
    cursor: &ScheduleCursor<'_>,
    (pairing, disposition): (&Pairing, &PolicyDecision),
    times: (u64, u64),
    record: Option<&RecordSummary>,
) -> Result<FinishedMatch, String> {
    match (disposition, record) {
        (PolicyDecision::Forfeit(away), None) => {
            Ok(FinishedMatch::forfeited(cursor, pairing, away, times.0))
        }
        (PolicyDecision::Forfeit(_), Some(_)) => {
            Err("it was played, and a bot of it is paused or has left".into())
        }
        (_, None) => Err("it has no record, and nobody forfeits it".into()),
        (_, Some(record)) => derived(cursor.tournament, pairing, times, record),
    }
}

/// Whether a match can have begun then, in milliseconds since 1970, and taken so long, in microseconds.
pub fn is_a_time(started_at: u64, duration_us: u64) -> Result<(), &'static str> {
    if started_at <= LATEST_MS && duration_us <= LONGEST_US {
        Ok(())
    } else {
        Err("there is no such time")
    }
}

/// The result that a record tells, if it is the record of this match; otherwise what is wrong with it.
/// Whether the record is true is another question.
pub fn derived(
    tournament: &Tournament,
    pairing: &Pairing,
    times: (u64, u64),
    record: &RecordSummary,
) -> Result<FinishedMatch, String> {
    of_the_match(tournament, pairing, record)?;
    let (pairing, result) = (pairing.clone(), record.result.clone());
    let scored = ScoredPairing { pairing, result };
    // Which worker it was is told by nobody.
    let played_by = record.header.machine.clone().map(|class| PlayedBy {
        worker: String::new(),
        class,
    });
    Ok(FinishedMatch {
        played_by,
        ..FinishedMatch::new(tournament, scored, times)
    })
}

/// Whether a record is of this match: of its game, settings, chance and bots.
fn of_the_match(
    tournament: &Tournament,
    pairing: &Pairing,
    record: &RecordSummary,
) -> Result<(), String> {
    if record.is_signed {
        return Err("its record has a signature of its own, and stored records have none".into());
    }
    let settings = &tournament.settings;
    let header = &record.header;
    let seed = settings.match_seed(pairing);
    let isolation = if settings.trust { "trust" } else { "jail" };
    let same = [
        ("game", header.game == settings.game),
        ("options", header.options.get() == settings.options),
        ("clock", header.clock == settings.clock),
        ("opening", header.opening_plies == settings.opening_plies),
        ("patience", header.patience == settings.provider_patience),
        ("ponder", header.ponder == settings.ponder),
        ("isolation", header.isolation == isolation),
        (
            "number",
            header.id.ends_with(&format!("-{}", pairing.index)),
        ),
        ("seed", record.seed == seed.to_string()),
        ("commitment", header.number == seed.number()),
    ];
    if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
        return Err(format!("its record has another {what} than the tournament"));
    }
    let seated = header
        .seats
        .iter()
        .map(|seat| (&*seat.sha256, seat.kind.clone()));
    let due = pairing.seats.iter().map(|&entrant| {
        let bot = &tournament.entrants[entrant];
        (&*bot.sha256, bot.kind.to_string())
    });
    if !seated.eq(due) {
        return Err("its record is of other bots than are due to play it".into());
    }
    let own = header.seats.iter().map(|seat| seat.settings.clone());
    let due = pairing.seats.iter();
    if !own.eq(due.map(|&entrant| settings.bot.of(&tournament.entrants[entrant]))) {
        return Err("its record has other settings of a bot than the tournament".into());
    }
    Ok(())
}

/// The tournament of an archive: the ids of its bots are their numbers.
fn tournament_of(head: &ArchiveHeader) -> Result<Tournament, ArchiveError> {
    let wrong = |what: String| Err(ArchiveError::Settings(what));
    let settings = &head.settings;
    let Some(game) = flipside_games::find(&settings.game) else {
        return wrong(format!("the game {:?} is not known here", settings.game));
    };
    let here = game.program().map(|program| &program.sha256);
    let there = head.game.as_ref().map(|game| game.file.sha256());
    let is_same =
        here.is_some() == head.game.is_some() && here.map(String::as_str) == there.flatten();
    if !is_same || game.info().id != settings.game {
        return wrong(format!("the game {:?} is another one here", settings.game));
    }
    match game.set_up(&settings.options, settings.seats) {
        Err(error) => return wrong(error.to_string()),
        Ok(setup) if setup.options != settings.options => {
            return wrong("the options are not written out in full".into());
        }
        Ok(_) => {}
    }
    if head.matches == 0 {
        return wrong("there is no match in it".into());
    }
    if head.created_at > LATEST_MS || head.bots.len() > MAX_ENTRANTS {
        return wrong("there is no such time, or there are too many bots".into());
    }
    if head.changes.iter().any(|changed| changed.at > LATEST_MS) {
        return wrong("there is no such time of a change".into());
    }
    let mut labels = HashSet::new();
    for bot in &head.bots {
        if !is_sha256(&bot.sha256) || bot.size > LARGEST_NUMBER {
            return wrong(format!("{} has no such file", bot.label()));
        }
        if !(1..=MAX_VERSIONS).contains(&bot.version) || !labels.insert(bot.label()) {
            return wrong(format!("{} is there twice, or not a version", bot.label()));
        }
    }
    let entrants = (0..).zip(&head.bots).map(|(number, bot)| Bot {
        id: BotId::of_number(number),
        name: bot.name.clone(),
        version: bot.version,
        kind: bot.kind,
        sha256: bot.sha256.clone(),
        size: bot.size,
        file: None,
        submitted_at: 0,
        games: Vec::new(),
        former_names: Vec::new(),
        deleted_at: None,
    });
    Ok(Tournament {
        id: TournamentId::of_number(0),
        name: head.tournament.clone(),
        settings: settings.clone(),
        created_at: head.created_at,
        entrants: entrants.collect(),
        changes: head.changes.clone(),
    })
}
