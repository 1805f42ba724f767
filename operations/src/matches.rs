//! Matches, tournaments and ratings that are looked up.

use flipside_games::AnyGame;
use flipside_referee::{Line, Record};
use flipside_tournament::report::Rated;
use flipside_tournament::{
    Evidence, HistoryRow, Journal, MatchFilter, MatchRow, Name, SeatNotes, SeatTime, Tournament,
    for_each_in_history, ratings,
};
use serde::Serialize;

use crate::{Failure, Result, plies_of};

/// Which matches are looked for.
#[derive(Clone, Debug, Default)]
pub struct MatchQuery<'a> {
    /// Of the tournament of this name.
    pub tournament: Option<&'a str>,
    /// At the game of this id.
    pub game: Option<&'a str>,
    /// Of this bot: its name, or its name and version.
    pub bot: Option<&'a str>,
    /// Only those with a fault.
    pub faults: bool,
    /// So many at most.
    pub limit: usize,
}

/// A match with what is kept of its faults.
#[derive(Debug, Serialize)]
pub struct MatchDetails {
    /// The match.
    #[serde(flatten)]
    pub row: MatchRow,
    /// Of each seat of which something is kept.
    pub evidence: Vec<SeatEvidence>,
    /// What is kept of the seats whose bots did not fail.
    pub notes: Vec<NotesOfSeat>,
}

/// What is kept of a seat.
#[derive(Debug, Serialize)]
pub struct SeatEvidence {
    /// The seat, from 0.
    pub seat: u8,
    /// What is kept.
    #[serde(flatten)]
    pub evidence: Evidence,
}

/// What is kept of a seat whose bot did not fail.
#[derive(Debug, Serialize)]
pub struct NotesOfSeat {
    /// The seat, from 0.
    pub seat: u8,
    /// What is kept.
    #[serde(flatten)]
    pub notes: SeatNotes,
}

/// Shows the matches that are looked for one by one, the latest first.
///
/// # Errors
/// When there is no such tournament or bot, or the journal cannot be read; and what `show` fails with.
pub fn for_each_match(
    journal: &Journal,
    query: &MatchQuery<'_>,
    show: &mut dyn FnMut(MatchRow) -> Result<()>,
) -> Result<()> {
    let filter = filter_of(journal, query)?;
    let mut shown = Ok(());
    journal.for_each_listed(&filter, |row| {
        shown = show(row);
        shown.is_ok()
    })?;
    shown
}

fn filter_of(journal: &Journal, query: &MatchQuery<'_>) -> Result<MatchFilter> {
    let bot = |typed: &str| {
        let wanted = typed.parse();
        let wanted = wanted.map_err(|error| Failure::usage(format!("{typed:?}: {error}")))?;
        Ok::<_, Failure>(journal.bot(&wanted)?.id)
    };
    let bot = query.bot.map(bot).transpose()?;
    let tournament = query.tournament.map(|name| journal.tournament(name));
    let tournament = tournament.transpose()?.map(|tournament| tournament.id);
    Ok(MatchFilter {
        tournament,
        game: query.game.map(String::from),
        bot,
        faults_only: query.faults,
        limit: query.limit,
        ..MatchFilter::default()
    })
}

/// How many records are read at most to find slow moves.
pub const MAX_RECORDS_READ: usize = 5_000;

/// A slow move: of a bot in a match the slowest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SlowMove {
    /// The id of the match.
    pub id: String,
    /// The game's id.
    pub game: String,
    /// The bot: `greedy@2`.
    pub bot: String,
    /// Its seat.
    pub seat: u8,
    /// The plies of all seats before its turn.
    pub ply: u64,
    /// The action.
    pub action: String,
    /// The time that was taken off its clock, in microseconds.
    pub us: u64,
}

/// The slowest moves, the slowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SlowMoves {
    /// The moves.
    pub moves: Vec<SlowMove>,
    /// How many records were read.
    pub read: usize,
    /// Whether no match that was not read can have a slower move.
    pub all: bool,
}

/// The slowest move of each seat in the matches that are looked for, `limit` of them.
///
/// The journal has the time that each bot used in a match, which no move of it exceeds. So the records are read from
/// the most time downwards, until none that is left can have a slower move, and at most [`MAX_RECORDS_READ`] of them.
///
/// # Errors
/// When there is no such tournament or bot, or the journal cannot be read.
pub fn slowest_moves(journal: &Journal, query: &MatchQuery<'_>) -> Result<SlowMoves> {
    let filter = filter_of(journal, query)?;
    let mut found = SlowMoves {
        all: true,
        ..SlowMoves::default()
    };
    let mut failed = Ok(());
    journal.for_each_by_time(&filter, |seat| {
        let least = match found.moves.get(query.limit.saturating_sub(1)) {
            _ if query.limit == 0 => return Ok(false),
            Some(last) => last.us,
            None => 0,
        };
        if seat.used_us <= least {
            return Ok(false);
        }
        if found.read == MAX_RECORDS_READ {
            found.all = false;
            return Ok(false);
        }
        found.read += 1;
        match slowest_of(journal, seat) {
            Ok(Some(slow)) if slow.us > least => {
                let at = found.moves.partition_point(|other| other.us >= slow.us);
                found.moves.insert(at, slow);
                found.moves.truncate(query.limit);
            }
            Ok(_) => {}
            Err(failure) => {
                failed = Err(failure);
                return Ok(false);
            }
        }
        Ok(true)
    })?;
    failed.map(|()| found)
}

/// The slowest move of a seat, by the record; nothing where it never acted.
fn slowest_of(journal: &Journal, seat: SeatTime) -> Result<Option<SlowMove>> {
    let text = journal.record(&seat.id)?;
    let record = Record::read(&text).map_err(|error| Failure::new(error).about(&seat.id))?;
    let mut slowest: Option<(u64, u64, &str)> = None;
    let mut plies = 0;
    for (_, line) in &record.lines {
        if let Line::Acts { acts } = line {
            for act in acts {
                let us = act.us.filter(|_| act.seat == seat.seat);
                if let Some(us) = us.filter(|us| slowest.is_none_or(|(most, ..)| *us > most)) {
                    slowest = Some((us, plies, &act.action));
                }
            }
        }
        plies += plies_of(line);
    }
    Ok(slowest.map(|(us, ply, action)| SlowMove {
        id: seat.id,
        game: seat.game,
        bot: seat.bot,
        seat: seat.seat,
        ply,
        action: action.to_owned(),
        us,
    }))
}

/// The match of this id.
///
/// # Errors
/// When there is none, or the journal cannot be read.
pub fn match_details(journal: &Journal, id: &str) -> Result<MatchDetails> {
    let kept = journal.evidence(id)?.into_iter();
    let notes = journal.notes(id)?.into_iter();
    Ok(MatchDetails {
        row: journal.match_row(id)?,
        evidence: kept
            .map(|(seat, evidence)| SeatEvidence { seat, evidence })
            .collect(),
        notes: notes
            .map(|(seat, notes)| NotesOfSeat { seat, notes })
            .collect(),
    })
}

/// The tournament of this name, or the latest.
///
/// # Errors
/// When there is none, or the journal cannot be read.
pub fn find_tournament(journal: &Journal, name: Option<&str>) -> Result<Tournament> {
    match name {
        Some(name) => Ok(journal.tournament(name)?),
        None => journal.latest_tournament()?.ok_or_else(|| {
            Failure::new("no tournament was played in this arena")
                .hint("`flipside tournament GAME BOT BOT...` plays one")
        }),
    }
}

/// The ratings at these games.
///
/// # Errors
/// When the journal cannot be read.
pub fn find_ratings(journal: &Journal, games: &[&dyn AnyGame]) -> Result<Vec<Rated>> {
    let mut all = Vec::new();
    for game in games {
        let id = game.info().id;
        all.extend(ratings(journal, id)?.rows.into_iter().map(|row| Rated {
            game: id.to_owned(),
            row,
        }));
    }
    Ok(all)
}

/// Shows how the ratings of all versions of a bot have changed at these games, row by row.
///
/// # Errors
/// When there is no such bot, or the journal cannot be read; and what `show` fails with.
pub fn find_history(
    journal: &Journal,
    name: &Name,
    games: &[&dyn AnyGame],
    show: &mut dyn FnMut(HistoryRow) -> Result<()>,
) -> Result<()> {
    if !journal.bots()?.iter().any(|bot| bot.name == *name) {
        return Err(
            Failure::usage(format!("no bot is named {:?}", name.as_str()))
                .hint("`flipside bots` lists the arena's bots; the name is without its version"),
        );
    }
    let mut shown = Ok(());
    for game in games {
        for_each_in_history(journal, game.info().id, name.as_str(), |row| {
            if shown.is_ok() {
                shown = show(row);
            }
        })?;
    }
    shown
}
