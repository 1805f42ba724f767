//! The slowest moves, found in the records of the matches in which bots used most time.
//!
//! The journal has the time that each bot used in a match, which no move of it exceeds. So records are read from the
//! most time downwards, until none that is left can have a slower move, and at most [`MAX_RECORDS_READ`] of them.

use std::collections::{BTreeMap, BTreeSet};

use flipside_referee::{Line, Record};
use serde::Serialize;

use crate::journal::{Journal, MatchFilter, SeatTime, Tournament};
use crate::{Error, Result};

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

/// What to do with the next match in the order of time used.
enum Next {
    Read,
    /// It cannot have a slower move than those that are known.
    Skip,
    /// It could, and enough has been read.
    GiveUp,
    /// Nothing that comes is looked at; `all`: nothing of it can have a slower move.
    Stop {
        all: bool,
    },
}

/// The slowest move of each seat in the matches that a filter lists, as many as its limit.
///
/// # Errors
/// When the journal or a record cannot be read.
pub fn slowest_moves(journal: &Journal, filter: &MatchFilter) -> Result<SlowMoves> {
    let mut read = 0;
    let next = |moves: &[SlowMove], seat: &SeatTime| {
        let last = filter.limit.checked_sub(1).map(|last| moves.get(last));
        match last {
            None => Next::Stop { all: true },
            Some(Some(last)) if seat.used_us <= last.us => Next::Stop { all: true },
            Some(_) if read == MAX_RECORDS_READ => Next::Stop { all: false },
            Some(_) => {
                read += 1;
                Next::Read
            }
        }
    };
    search(journal, filter, next, |moves| moves.truncate(filter.limit))
}

/// The slowest move of each bot of a tournament. Each bot has an equal part of [`MAX_RECORDS_READ`].
///
/// # Errors
/// When the journal or a record cannot be read.
pub fn slowest_of_each_bot(journal: &Journal, tournament: &Tournament) -> Result<SlowMoves> {
    let filter = MatchFilter {
        tournament: Some(tournament.id),
        ..MatchFilter::default()
    };
    let bots = tournament.entrants.len();
    let most = (MAX_RECORDS_READ / bots.max(1)).max(1);
    let mut read: BTreeMap<String, usize> = BTreeMap::new();
    let next = |moves: &[SlowMove], seat: &SeatTime| {
        let is_settled = |known: &SlowMove| seat.used_us <= known.us;
        if moves.len() == bots && moves.iter().all(is_settled) {
            return Next::Stop { all: true };
        }
        match moves.iter().find(|known| known.bot == seat.bot) {
            Some(known) if is_settled(known) => Next::Skip,
            _ => {
                let read = read.entry(seat.bot.clone()).or_default();
                *read += 1;
                if *read > most {
                    Next::GiveUp
                } else {
                    Next::Read
                }
            }
        }
    };
    search(journal, &filter, next, |moves| {
        let mut seen = BTreeSet::new();
        moves.retain(|one| seen.insert(one.bot.clone()));
    })
}

/// Reads the records that `next` wants; `trim` drops moves that are not wanted after one has come.
fn search(
    journal: &Journal,
    filter: &MatchFilter,
    mut next: impl FnMut(&[SlowMove], &SeatTime) -> Next,
    trim: impl Fn(&mut Vec<SlowMove>),
) -> Result<SlowMoves> {
    let mut found = SlowMoves {
        all: true,
        ..SlowMoves::default()
    };
    journal.for_each_by_time(filter, |seat| {
        match next(&found.moves, &seat) {
            Next::Stop { all } => {
                found.all &= all;
                return Ok(false);
            }
            Next::Skip => return Ok(true),
            Next::GiveUp => {
                found.all = false;
                return Ok(true);
            }
            Next::Read => found.read += 1,
        }
        if let Some(slow) = slowest_of(journal, seat)? {
            let at = found.moves.partition_point(|other| other.us >= slow.us);
            found.moves.insert(at, slow);
            trim(&mut found.moves);
        }
        Ok(true)
    })?;
    Ok(found)
}

/// The slowest move of a seat, by the record; nothing where it never acted.
fn slowest_of(journal: &Journal, seat: SeatTime) -> Result<Option<SlowMove>> {
    let text = journal.record(&seat.id)?;
    let record = Record::read(&text)
        .map_err(|error| Error::Damaged(format!("the record of {}: {error}", seat.id)))?;
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
        plies += line.plies();
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
