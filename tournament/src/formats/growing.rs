//! Schedules that ask for no results, and grow: further rounds and what bots that join have still to play are appended.
//! What is in them stays as it was.

use std::collections::BTreeSet;

use flipside_referee::MatchResult;

use crate::change::Change;
use crate::director::{Director, Next, Total};
use crate::schedule::Pairing;

/// A part of a schedule: some rounds. The pairings of a part count from 0.
pub(super) struct GrowingPart {
    /// How many matches it has.
    pub(super) matches: u64,
    /// How many matches a block has.
    pub(super) orders: u64,
    /// How many rounds it has.
    pub(super) rounds: u32,
    /// The match with an index. It knows further rounds as well.
    pub(super) at: Box<dyn Fn(u64) -> Pairing + Send>,
}

impl GrowingPart {
    /// The same between other bots: `bots` has them by their numbers in the part.
    pub(super) fn between(self, bots: Vec<usize>) -> Self {
        let at = move |index| {
            let mut pairing = (self.at)(index);
            (pairing.seats.iter_mut()).for_each(|seat| *seat = bots[*seat]);
            pairing
        };
        GrowingPart {
            at: Box::new(at),
            ..self
        }
    }
}

/// What parts a format has. None: there is nothing to play.
pub(super) trait GrowingFormat: Send {
    /// So many rounds between so many bots.
    fn rounds(&self, bots: usize, rounds: u32) -> Option<GrowingPart>;

    /// The same between these entrants only, ascending.
    fn rounds_between(&self, bots: &[usize], rounds: u32) -> Option<GrowingPart>;

    /// What a bot that joins has to play in so many rounds: `present` are the others that have not left, ascending.
    fn newcomer(&self, entrant: usize, present: &[usize], rounds: u32) -> Option<GrowingPart>;
}

/// A schedule of parts.
pub(super) struct GrowingDirector<P> {
    format: P,
    /// The parts, with the first index, block and round of each.
    parts: Vec<(GrowingStart, GrowingPart)>,
    /// Where the next part begins.
    end: GrowingStart,
    /// Whether the last part is of rounds between all bots: then it is what further rounds prolong.
    ends_with_rounds: bool,
    /// By entrant, whether it has not left.
    present: Vec<bool>,
    /// Who plays in no further rounds.
    absent: BTreeSet<usize>,
    /// How many rounds each bot plays.
    rounds: u32,
    next: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct GrowingStart {
    index: u64,
    block: u64,
    round: u32,
}

impl<P: GrowingFormat> GrowingDirector<P> {
    /// A schedule that begins with these rounds.
    pub(super) fn new(format: P, bots: usize, rounds: u32) -> Self {
        let first = format.rounds(bots, rounds);
        let mut growing = GrowingDirector {
            format,
            parts: Vec::new(),
            end: GrowingStart::default(),
            ends_with_rounds: true,
            present: vec![true; bots],
            absent: BTreeSet::new(),
            rounds,
            next: 0,
        };
        growing.append(first);
        growing
    }

    fn append(&mut self, part: Option<GrowingPart>) {
        let Some(part) = part.filter(|part| part.matches > 0) else {
            return;
        };
        self.parts.push((self.end, part));
        self.find_end();
    }

    fn find_end(&mut self) {
        if let Some((start, part)) = self.parts.last() {
            self.end = GrowingStart {
                index: start.index.saturating_add(part.matches),
                block: start.block.saturating_add(part.matches / part.orders),
                round: start.round.saturating_add(part.rounds),
            };
        }
    }

    /// Further rounds between all bots that are not absent.
    fn prolong(&mut self, more: u32) {
        self.rounds = self.rounds.saturating_add(more);
        if !self.absent.is_empty() {
            let part = self.format.rounds_between(&self.others(), more);
            self.append(part);
            self.ends_with_rounds = false;
            return;
        }
        match self.parts.last_mut() {
            Some((_, part)) if self.ends_with_rounds => {
                let per_round = part.matches / u64::from(part.rounds.max(1));
                let matches = per_round.saturating_mul(more.into());
                part.matches = part.matches.saturating_add(matches);
                part.rounds = part.rounds.saturating_add(more);
                self.find_end();
            }
            _ => {
                let part = self.format.rounds(self.present.len(), more);
                self.append(part);
                self.ends_with_rounds = true;
            }
        }
    }

    /// The entrants that have not left and are not absent.
    fn others(&self) -> Vec<usize> {
        let all = 0..self.present.len();
        all.filter(|bot| self.present[*bot] && !self.absent.contains(bot))
            .collect()
    }

    /// A bot joins.
    fn enter(&mut self, entrant: usize) {
        let part = self.format.newcomer(entrant, &self.others(), self.rounds);
        self.append(part);
        self.ends_with_rounds = false;
        let bots = self.present.len().max(entrant + 1);
        self.present.resize(bots, false);
        self.present[entrant] = true;
    }

    fn at(&self, index: u64) -> Option<Pairing> {
        let after = self
            .parts
            .partition_point(|(start, _)| start.index <= index);
        let (start, part) = self.parts.get(after.checked_sub(1)?)?;
        let pairing = (part.at)(index - start.index);
        Some(Pairing {
            index,
            block: start.block + pairing.block,
            round: start.round + pairing.round,
            ..pairing
        })
    }
}

impl<P: GrowingFormat> Director for GrowingDirector<P> {
    fn next(&mut self) -> Next {
        if self.next == self.end.index {
            return Next::Over;
        }
        self.next += 1;
        self.at(self.next - 1).map_or(Next::Over, Next::Match)
    }

    fn take(&mut self, _: u64, _: &MatchResult) {}

    fn change(&mut self, change: &Change) {
        match *change {
            Change::Rounds { more } => self.prolong(more),
            Change::Join { entrant } => self.enter(entrant),
            Change::Withdraw { entrant } | Change::Disqualify { entrant } => {
                if let Some(is_present) = self.present.get_mut(entrant) {
                    *is_present = false;
                }
            }
            Change::Matches { .. } | Change::Strike { .. } | Change::Cancel => {}
        }
    }

    fn absent(&mut self, entrant: usize) {
        self.absent.insert(entrant);
    }

    fn total(&self) -> Total {
        Total::Exactly(self.end.index)
    }
}
