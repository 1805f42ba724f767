//! Formats that decide on whole blocks by the results of earlier ones: what they have in common. Pure: nothing but the
//! settings and the results comes in.
//!
//! Whatever a plan decides, it decides while it is made, while it takes a result or while
//! a change comes, never when it is asked for the next
//! match. So which match has which index follows from the results in order, however many matches are played at once.

use std::collections::VecDeque;

use flipside_ratings::{Seating, placed, rivals};
use flipside_referee::MatchResult;

use super::ranking::{Encounter, Ranking};

use crate::change::Change;
use crate::director::{Director, Next, Total};
use crate::schedule::Pairing;
use crate::scored_pairing::ScoredPairing;
use flipside_ratings::numbers::mixed;

/// Decides which blocks are played.
pub(crate) trait FormatPlan: Send {
    /// Decides on the first blocks.
    fn begin(&mut self, blocks: &mut BlockPlan);

    /// All results of a block are known: of the first one that was decided on and not heard of yet.
    fn heard(&mut self, block: &Block, blocks: &mut BlockPlan);

    /// A change acts from now on. It may decide on further blocks.
    fn change(&mut self, _: &Change, _: &mut BlockPlan) {}

    /// A bot comes to none of its matches from now on. It may decide on further blocks.
    fn absent(&mut self, _entrant: usize, _: &mut BlockPlan) {}

    /// How many blocks may still be decided on: an exact number or, with `false`, at most so many.
    fn left(&self) -> (u64, bool);

    /// The order of the bots as far as it is known, if points alone do not make it.
    fn ranking(&self) -> Option<Ranking> {
        None
    }

    /// The encounters until now, where the format has any: round by round.
    fn encounters(&self) -> Vec<Encounter<usize>> {
        Vec::new()
    }
}

/// A plan as a director.
pub(crate) struct PlanDirector<P> {
    plan: P,
    blocks: BlockPlan,
}

impl<P: FormatPlan> PlanDirector<P> {
    pub(crate) fn new(mut plan: P, seating: Seating) -> Self {
        let mut blocks = BlockPlan::new(seating);
        plan.begin(&mut blocks);
        PlanDirector { plan, blocks }
    }
}

impl<P: FormatPlan> Director for PlanDirector<P> {
    fn next(&mut self) -> Next {
        match self.blocks.due.pop_front() {
            Some(pairing) => Next::Match(pairing),
            None if self.blocks.open.is_empty() && self.plan.left().0 == 0 => Next::Over,
            None => Next::Wait,
        }
    }

    fn take(&mut self, index: u64, result: &MatchResult) {
        if let Some(block) = self.blocks.take(index, result) {
            self.plan.heard(&block, &mut self.blocks);
        }
    }

    fn change(&mut self, change: &Change) {
        self.plan.change(change, &mut self.blocks);
    }

    fn absent(&mut self, entrant: usize) {
        self.plan.absent(entrant, &mut self.blocks);
    }

    fn total(&self) -> Total {
        let (left, exact) = self.plan.left();
        let matches = (self.blocks.decided + left) * self.blocks.seating.orders();
        if exact || left == 0 {
            Total::Exactly(matches)
        } else {
            Total::AtMost(matches)
        }
    }

    fn ranking(&self) -> Option<Ranking> {
        self.plan.ranking()
    }

    fn encounters(&self) -> Vec<Encounter<usize>> {
        self.plan.encounters()
    }
}

/// So many orders are looked through for one with two bots on different sides: there are at most 10 ways to make two
/// sides of six bots, and orders next to each other take them in turn.
const ORDERS_TRIED: u64 = 10;

/// The blocks that were decided on: it makes their matches and gathers what came of them.
pub(crate) struct BlockPlan {
    seating: Seating,
    /// How many blocks there are until now.
    decided: u64,
    /// Matches that nobody has asked for yet.
    due: VecDeque<Pairing>,
    /// Blocks of which not all results are known, with the matches whose results are not.
    open: VecDeque<(Block, VecDeque<Pairing>)>,
}

/// A block and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Who plays.
    pub(crate) set: Vec<usize>,
    /// What each of them scored: two for every rival left behind in a match, one for every rival that it
    /// was level with, and nothing where it did not come.
    pub(crate) half_points: Vec<u32>,
    /// The matches whose results are known.
    pub(crate) matches: Vec<ScoredPairing>,
}

impl BlockPlan {
    fn new(seating: Seating) -> Self {
        BlockPlan {
            seating,
            decided: 0,
            due: VecDeque::new(),
            open: VecDeque::new(),
        }
    }

    /// How many bots a block has.
    pub(crate) fn bots(&self) -> usize {
        self.seating.bots().into()
    }

    /// How its bots sit.
    pub(crate) fn seating(&self) -> &Seating {
        &self.seating
    }

    /// The most that a bot can score in a block.
    pub(crate) fn most_half_points(&self) -> u32 {
        2 * self.seating.orders() as u32 * u32::from(self.seating.rivals())
    }

    /// The number of the order in which the next block begins. Where bots are partners, the first two are rivals, for
    /// a format names those first whom it would tell apart; the others are drawn.
    fn order(&self, set: &[usize], bots: &[u64]) -> u64 {
        if !self.seating.has_partners() {
            return self.decided;
        }
        let first = mixed(self.decided) >> 32;
        let rivals = |&number: &u64| self.seating.are_rivals(bots, number, [set[0], set[1]]);
        (first..first + ORDERS_TRIED).find(rivals).unwrap_or(first)
    }

    /// These bots play a block in this round.
    pub(crate) fn decide(&mut self, round: u32, set: Vec<usize>) {
        let (block, orders) = (self.decided, self.seating.orders());
        let bots: Vec<u64> = set.iter().map(|&bot| bot as u64).collect();
        let number = self.order(&set, &bots);
        let pairing = |turn: u64| Pairing {
            index: block * orders + turn,
            round,
            block,
            // Not every block of a bot begins with the same order.
            seats: self.seating.order(&bots, number, turn + block),
        };
        let matches: VecDeque<Pairing> = (0..orders).map(pairing).collect();
        self.decided += 1;
        self.due.extend(matches.iter().cloned());
        let block = Block {
            half_points: vec![0; set.len()],
            set,
            matches: Vec::new(),
        };
        self.open.push_back((block, matches));
    }

    /// Takes back the last blocks, so many, if nobody has been told of a match of them; says whether it did.
    pub(crate) fn take_back(&mut self, blocks: usize) -> bool {
        let untold: usize = self.open.iter().map(|(_, matches)| matches.len()).sum();
        let whole = blocks as u64 * self.seating.orders();
        if self.open.len() != blocks || untold as u64 != whole || self.due.len() != untold {
            return false;
        }
        self.decided -= blocks as u64;
        self.open.clear();
        self.due.clear();
        true
    }

    /// Takes a result; gives its block when that is whole.
    fn take(&mut self, index: u64, result: &MatchResult) -> Option<Block> {
        let (block, open) = self.open.front_mut().expect("a match was named");
        let pairing = open.pop_front().expect("an open block has open matches");
        assert_eq!(pairing.index, index, "results come in order");
        let result = result.clone();
        let scored = ScoredPairing { pairing, result };
        let bots = placed(&scored, &self.seating);
        for own in &bots {
            let at = block.set.iter().position(|&bot| bot == own.entrant);
            block.half_points[at.expect("it is one of the block's")] += rivals(own, &bots)
                .map(|rival| own.scored(rival))
                .sum::<u32>();
        }
        block.matches.push(scored);
        if open.is_empty() {
            self.open.pop_front().map(|(block, _)| block)
        } else {
            None
        }
    }
}

/// Half points in words: `3½` as `3.5`.
pub(super) fn points(half: u64) -> String {
    format!("{}.{}", half / 2, half % 2 * 5)
}
