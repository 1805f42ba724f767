//! The slowest moves, found in the records of the matches in which bots used most time.
//!
//! The journal has the time that each bot used in a match, which no move of it exceeds. So records are read from the
//! most time downwards, until none that is left can have a slower move, and at most [`MAX_RECORDS_READ`] of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use flipside_referee::{Line, Record};
use flipside_tournament::{SlowMove, SlowMoves, Tournament};

use crate::error::{Error, Result};
use crate::journal::Journal;
use crate::journal::matches::MatchFilter;
use crate::journal::slowest::SeatTime;

/// How many records are read at most to find slow moves.
pub const MAX_RECORDS_READ: usize = 5_000;

/// What to do with the next match in the order of time used.
enum NextRecord {
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
    let mut slowest = Slowest {
        most: filter.limit,
        read: 0,
        moves: Vec::new(),
    };
    let (read, all) = search(journal, filter, &mut slowest)?;
    let moves = slowest.moves;
    Ok(SlowMoves { moves, read, all })
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
    let mut of_each = OfEachBot {
        bots,
        most: (MAX_RECORDS_READ / bots.max(1)).max(1),
        read: BTreeMap::new(),
        slowest: BTreeMap::new(),
        least: None,
    };
    let (read, all) = search(journal, &filter, &mut of_each)?;
    let mut moves: Vec<_> = of_each.slowest.into_values().collect();
    moves.sort_by_key(|one| Reverse(one.used_us));
    Ok(SlowMoves { moves, read, all })
}

/// What is looked for among the seats, which come in the order of the time that was used.
trait SlowMoveSearch {
    fn next(&mut self, seat: &SeatTime) -> NextRecord;
    /// Takes the slowest move of a seat that was wanted.
    fn take(&mut self, slow: SlowMove);
}

/// The slowest moves of all.
struct Slowest {
    most: usize,
    read: usize,
    /// The slowest first.
    moves: Vec<SlowMove>,
}

impl SlowMoveSearch for Slowest {
    fn next(&mut self, seat: &SeatTime) -> NextRecord {
        let last = self.most.checked_sub(1).map(|last| self.moves.get(last));
        match last {
            None => NextRecord::Stop { all: true },
            Some(Some(last)) if seat.used_us <= last.used_us => NextRecord::Stop { all: true },
            Some(_) if self.read == MAX_RECORDS_READ => NextRecord::Stop { all: false },
            Some(_) => {
                self.read += 1;
                NextRecord::Read
            }
        }
    }

    fn take(&mut self, slow: SlowMove) {
        let at = self
            .moves
            .partition_point(|other| other.used_us >= slow.used_us);
        self.moves.insert(at, slow);
        self.moves.truncate(self.most);
    }
}

/// The slowest move of each bot.
struct OfEachBot {
    bots: usize,
    /// How many records of each are read at most.
    most: usize,
    read: BTreeMap<String, usize>,
    slowest: BTreeMap<String, SlowMove>,
    /// The time of the least slow one, once there is one of each bot.
    least: Option<u64>,
}

impl SlowMoveSearch for OfEachBot {
    fn next(&mut self, seat: &SeatTime) -> NextRecord {
        if self.least.is_some_and(|least| seat.used_us <= least) {
            return NextRecord::Stop { all: true };
        }
        let known = self.slowest.get(&seat.bot);
        if known.is_some_and(|known| seat.used_us <= known.used_us) {
            return NextRecord::Skip;
        }
        let read = self.read.entry(seat.bot.clone()).or_default();
        if *read == self.most {
            return NextRecord::GiveUp;
        }
        *read += 1;
        NextRecord::Read
    }

    fn take(&mut self, slow: SlowMove) {
        let known = self.slowest.get(&slow.bot);
        if known.is_none_or(|known| slow.used_us > known.used_us) {
            self.slowest.insert(slow.bot.clone(), slow);
        }
        if self.slowest.len() == self.bots {
            self.least = self.slowest.values().map(|slow| slow.used_us).min();
        }
    }
}

/// Reads the records that are wanted. Says how many it read, and whether no match that it did not read can have a move
/// that is wanted.
fn search(
    journal: &Journal,
    filter: &MatchFilter,
    wanted: &mut dyn SlowMoveSearch,
) -> Result<(usize, bool)> {
    let (mut read, mut has_all) = (0, true);
    journal.for_each_by_time(filter, |seat| {
        match wanted.next(&seat) {
            NextRecord::Stop { all } => {
                has_all &= all;
                return Ok(false);
            }
            NextRecord::Skip => return Ok(true),
            NextRecord::GiveUp => {
                has_all = false;
                return Ok(true);
            }
            NextRecord::Read => read += 1,
        }
        if let Some(slow) = slowest_of(journal, seat)? {
            wanted.take(slow);
        }
        Ok(true)
    })?;
    Ok((read, has_all))
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
        used_us: us,
    }))
}
