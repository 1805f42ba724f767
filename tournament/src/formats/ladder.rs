//! Ladder: the matches that tell most of the order of the bots, one batch after the other, until as many
//! as were asked for have been played.
//!
//! How much a block of two tells is by how much less a wrong order is expected to cost after it, a pair in the wrong
//! order costing the rating points between the two. For two that are `d` apart as far as is known, with the variance
//! `v` of this difference, the expected cost falls with the variance at the rate `φ(d / √v) / 2√v` (φ being the normal
//! density): much where they are close. The variance is that of a difference, from the covariance of all strengths: two
//! groups that have hardly met are known well inside and badly against each other, which no variance of single bots
//! shows. A block has the information `I = games · p (1 - p)` for the expected score `p`, and takes
//! `c² I / (1 + I v)` from the variance of any difference whose covariance with that of the two is `c` (Kalman's
//! filter). What was decided on and is not known yet counts as known for the variances, so that not all of a batch goes
//! to the same two. Who has played less than half of the average plays next, so that nobody starves.
//!
//! Blocks that are chosen by the results bias the results: whom luck set apart would not meet again, and the luck would
//! stay. Two things prevent that, and simulation chose their numbers (`docs/reference/statistics.md`): a difference
//! counts as decided only far outside of its interval ([`TAIL`]), and one block of [`WEAKEST`] goes to the pair whose
//! difference is known least, whatever its bots have won.
//!
//! A batch is a rating period. The first one of matches of two is a round of a round robin, or the beginning
//! of one; the next ones are decided on when it is known, and each further one when all results but those of
//! the batch before it are: there is one to play while the next is being decided on, and what is played
//! does not depend on how fast that goes. The ratings are those of the table.

use std::cmp::Reverse;
use std::fmt;

use flipside_ratings::{Batch, Covariance, Seating, compared};
use serde::{Deserialize, Serialize};

use libm::{exp, sqrt};

use super::plan::{Block, BlockPlan, FormatPlan, PlanDirector};
use super::rules::{Extension, FormatRules, TableOrder};
use crate::change::Change;
use crate::director::Director;
use crate::formats::rules::FormatSettings;
use crate::schedule::{RoundRobin, ScheduleError};
use crate::spec::described::described;
use crate::spec::key::{Heading, SpecKey};

/// The most matches of a ladder.
pub const MAX_LADDER_MATCHES: u64 = 1_000_000_000;

/// The fewest blocks of a batch, so that a few matches can be played at once even with few bots; where
/// there are many, each bot has one block in a batch on average.
pub const MIN_BATCH: usize = 8;

/// The most blocks that each of two bots' matches has in the first batch, in which nothing is known yet: in
/// order of a round robin, a whole round of it if it is not longer. So the first ratings are from rivals
/// that are spread alike; a period in which newcomers have had few rivals would rate those too.
const FIRST_TURNS: u64 = 12;

/// How many batches may be under way: the one whose results are awaited, and the one after it.
const BATCHES_AHEAD: usize = 2;

/// A bot that has played less than the average over this plays next.
const STARVING: u64 = 2;

/// With how many bots on each side, in order of rating, a bot may be paired. Those farther away are
/// no closer, and with a thousand bots there are half a million pairs.
const NEAR: usize = 12;

/// How many times as wide as it is the normal distribution of a difference is taken, as a variance, where it says how
/// likely an order is wrong.
const TAIL: f64 = 4.0;

/// One block of so many goes to the pair whose difference is known least.
const WEAKEST: u64 = 4;

described! {
    /// A ladder.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case", deny_unknown_fields)]
    pub struct Ladder {
        /// Play at least N matches: the last block is played to its end
        matches: u64 = 1_000 => SpecKey::whole(Heading::Format, 1, MAX_LADDER_MATCHES).detail();
    }
}

impl FormatRules for Ladder {
    fn in_words(&self) -> &'static str {
        "ladder"
    }

    fn details(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.matches {
            1 => f.write_str(" of 1 match"),
            MAX_LADDER_MATCHES => f.write_str(" without an end"),
            matches => write!(f, " of {matches} matches"),
        }
    }

    fn order(&self) -> TableOrder {
        TableOrder::Ratings
    }

    fn longer(&self) -> Extension {
        Extension::Matches
    }

    fn no_newcomers(&self, _: &dyn FormatSettings) -> Option<&'static str> {
        None
    }

    fn director(
        &self,
        settings: &dyn FormatSettings,
        bots: usize,
    ) -> Result<Box<dyn Director>, ScheduleError> {
        let seating = settings.seating()?;
        let plan = LadderPlan::new(bots, seating, self.matches)?;
        Ok(Box::new(PlanDirector::new(plan, seating)))
    }
}

impl Ladder {
    /// The same with so many matches more.
    pub(crate) fn longer_by(self, more: u64) -> Self {
        let matches = self.matches.saturating_add(more);
        Ladder { matches }
    }
}

/// The continuous format.
struct LadderPlan {
    /// All results.
    results: Batch,
    /// The strengths after the last batch that is known as a whole, as natural logarithms of odds.
    known: Vec<f64>,
    /// By batch that is under way, its blocks.
    under_way: Vec<UnderWay>,
    /// By bot, the blocks that were decided on.
    played: Vec<u64>,
    /// The bots that have not left, in order.
    present: Vec<usize>,
    seating: Seating,
    /// How many bots a match has.
    of_match: usize,
    /// How many matches a block has.
    orders: u64,
    /// The number of the next batch.
    round: u32,
    /// How many matches there are to be at least.
    matches: u64,
    /// How many blocks were decided on.
    decided: u64,
}

/// The blocks of a batch that is under way.
struct UnderWay {
    round: u32,
    sets: Vec<Vec<usize>>,
    heard: usize,
}

impl LadderPlan {
    fn new(bots: usize, seating: Seating, matches: u64) -> Result<Self, ScheduleError> {
        let of_match = usize::from(seating.bots());
        ScheduleError::check_bots("ladder", bots, of_match.max(2))?;
        ScheduleError::check_range("matches of a ladder", 1..=MAX_LADDER_MATCHES, matches)?;
        Ok(LadderPlan {
            results: Batch::new(bots),
            seating,
            known: vec![0.0; bots],
            under_way: Vec::new(),
            played: vec![0; bots],
            present: (0..bots).collect(),
            of_match,
            orders: seating.orders(),
            round: 0,
            matches,
            decided: 0,
        })
    }

    /// Blocks that are still to be decided on; none where the bots that are left do not fill a match.
    fn blocks_left(&self) -> u64 {
        if self.present.len() < self.of_match.max(2) {
            return 0;
        }
        let all = self.matches.div_ceil(self.orders);
        all.saturating_sub(self.decided)
    }

    /// A bot joins. It counts as if it had played half of the average: its uncertain rating brings it matches, and
    /// until it is known others do not wait for it.
    fn enter(&mut self, entrant: usize) {
        let bots = self.present.len().max(1) as u64;
        let all: u64 = self.present.iter().map(|&bot| self.played[bot]).sum();
        let number = (entrant + 1).max(self.played.len());
        self.results.enter(number);
        self.known.resize(number, 0.0);
        self.played.resize(number, 0);
        self.played[entrant] = all.div_ceil(bots * STARVING);
        if let Err(place) = self.present.binary_search(&entrant) {
            self.present.insert(place, entrant);
        }
    }

    /// No further block is planned with a bot.
    fn leave(&mut self, entrant: usize) {
        self.present.retain(|&bot| bot != entrant);
    }

    /// Decides on batches if it was over. Otherwise the results of the batch that is being played decide on the next.
    fn go_on(&mut self, blocks: &mut BlockPlan) {
        if self.under_way.is_empty() {
            self.decide_ahead(blocks);
        }
    }

    /// How many blocks a batch has.
    fn batch(&self) -> u64 {
        let blocks = self.present.len().div_ceil(self.of_match);
        blocks.max(MIN_BATCH) as u64
    }

    /// The pairs of the first batch, in order of a round robin.
    fn first_pairs(&self) -> Vec<Vec<usize>> {
        let bots = self.played.len();
        let round_robin = RoundRobin::new(bots, 2, 1).expect("so many bots can play one");
        let most = FIRST_TURNS
            .saturating_mul(bots as u64 / 2)
            .min(self.blocks_left());
        let blocks = round_robin.total() / round_robin.orders();
        (0..blocks.min(most))
            .filter_map(|block| round_robin.pairing(block * round_robin.orders()))
            .map(|pairing| pairing.seats)
            .collect()
    }

    /// A batch is to be played.
    fn put(&mut self, sets: Vec<Vec<usize>>, blocks: &mut BlockPlan) {
        for set in &sets {
            blocks.decide(self.round, set.clone());
        }
        self.decided += sets.len() as u64;
        self.under_way.push(UnderWay {
            round: self.round,
            sets,
            heard: 0,
        });
        self.round += 1;
    }

    /// Decides on as many batches as may be under way.
    fn decide_ahead(&mut self, blocks: &mut BlockPlan) {
        while self.under_way.len() < BATCHES_AHEAD && self.blocks_left() > 0 {
            self.decide(blocks);
        }
    }

    /// Decides on a batch.
    fn decide(&mut self, blocks: &mut BlockPlan) {
        let size = self.batch().min(self.blocks_left());
        if size == 0 {
            return;
        }
        // A field is of the bots that are present: there a bot is its place among these.
        let known: Vec<f64> = self.present.iter().map(|&bot| self.known[bot]).collect();
        let equal = vec![0.0; self.known.len()];
        let [how, met] =
            [&self.known, &equal].map(|strengths| self.results.known(strengths, &self.present));
        let mut field = Field::new(known, how, met, blocks.seating());
        for set in self.under_way.iter().flat_map(|batch| &batch.sets) {
            let places = set
                .iter()
                .filter_map(|bot| self.present.binary_search(bot).ok());
            field.expect(&places.collect::<Vec<_>>());
        }
        field.look();
        let mut sets = Vec::new();
        for _ in 0..size {
            let number = self.decided + sets.len() as u64;
            let is_weakest = number.is_multiple_of(WEAKEST);
            let places = self.choose(&mut field, blocks.bots(), is_weakest);
            field.expect(&places);
            let set: Vec<usize> = places.iter().map(|&place| self.present[place]).collect();
            for &bot in &set {
                self.played[bot] += 1;
            }
            sets.push(set);
        }
        self.put(sets, blocks);
    }

    /// The bots of the block that tells most, by their places among those that are present.
    fn choose(&self, field: &mut Field, of_match: usize, is_weakest: bool) -> Vec<usize> {
        let played = |place: usize| self.played[self.present[place]];
        let bots = self.present.len();
        let all: u64 = (0..bots).map(played).sum();
        let least = (0..bots).min_by_key(|&place| (played(place), place));
        let starving = least.filter(|&place| played(place) * bots as u64 * STARVING < all);
        let is_weakest = is_weakest && starving.is_none();
        let (one, other) = match starving {
            Some(bot) => (bot, field.best_rival(bot).rival),
            None if is_weakest => field.weakest_pair(),
            None => field.best_pair(),
        };
        let mut set = vec![one, other];
        while set.len() < of_match {
            set.push(match is_weakest {
                true => field.weakest_to_join(&set),
                false => field.best_to_join(&set),
            });
        }
        set
    }
}

/// What is known of the bots, and what will be when all that was decided on has been played.
struct Field {
    /// The strengths, as natural logarithms of odds.
    strengths: Vec<f64>,
    /// How they vary together, when all has been played.
    known: Covariance,
    /// The same as if all were equal: it follows from who has met whom, and from no result.
    met: Covariance,
    /// By bot, those that it may be paired with; and at which rate less variance of this difference makes a wrong order
    /// cheaper, by the variances before the batch.
    near: Vec<Vec<(usize, f64)>>,
    /// By bot, which of those tells most, and how much: or how much that was before more became known, which is rarely
    /// less.
    best: Vec<Best>,
    /// How many games two that are rivals have in a block, as far as these tell of each: where bots share a side, a
    /// difference of two is a part of that of their sides, and its square is what a game tells less.
    games: f64,
    /// The part of a game that a comparison with each of the others is worth, on average.
    weight: f64,
}

/// Whom a block with a bot tells most with.
#[derive(Clone, Copy, Debug)]
struct Best {
    tells: f64,
    rival: usize,
    is_current: bool,
}

impl Field {
    fn new(strengths: Vec<f64>, known: Covariance, met: Covariance, seating: &Seating) -> Self {
        let (bots, parties) = (f64::from(seating.bots()), f64::from(seating.parties()));
        Field {
            near: Vec::new(),
            best: Vec::new(),
            strengths,
            known,
            met,
            games: f64::from(seating.matches_of_block()) / (bots / parties).powi(2),
            // The comparisons of a match of many hang together: they are worth 3 / (n + 1) each. Partners are not
            // compared.
            weight: 3.0 / (parties + 1.0) * (parties - 1.0) / (bots - 1.0),
        }
    }

    /// Looks whom each bot may be paired with, and with whom it tells most.
    fn look(&mut self) {
        let bots = self.strengths.len();
        let mut order: Vec<usize> = (0..bots).collect();
        order.sort_by(|&one, &other| {
            let better = self.strengths[other].total_cmp(&self.strengths[one]);
            better.then(one.cmp(&other))
        });
        self.near = vec![Vec::new(); bots];
        for (place, &bot) in order.iter().enumerate() {
            let around = place.saturating_sub(NEAR)..(place + NEAR + 1).min(bots);
            let others = order[around].iter().filter(|&&other| other != bot);
            let with_rate = |&other: &usize| {
                let apart = self.strengths[bot] - self.strengths[other];
                (other, rate(apart, self.known.variance(bot, other)))
            };
            self.near[bot] = others.map(with_rate).collect();
        }
        self.best = (0..bots).map(|bot| self.best_rival(bot)).collect();
    }

    fn information(&self, one: usize, other: usize) -> f64 {
        information(self.strengths[one] - self.strengths[other])
    }

    /// What a block tells of two.
    fn tells(&self, bot: usize, rival: usize) -> f64 {
        let moved = self.known.with_difference(bot, rival);
        let variance = moved(bot) - moved(rival);
        let information = self.games * self.information(bot, rival);
        let mut all = 0.0;
        for (own, other) in [(bot, rival), (rival, bot)] {
            let here = moved(own);
            for &(third, rate) in &self.near[own] {
                // That of the two themselves counts once.
                let part = if third == other { 0.5 } else { 1.0 };
                all += part * rate * (here - moved(third)).powi(2);
            }
        }
        all * information / (1.0 + information * variance)
    }

    /// A block of these is decided on: the variances become what they will be.
    fn expect(&mut self, set: &[usize]) {
        for (at, &bot) in set.iter().enumerate() {
            for &rival in &set[..at] {
                let games = self.games * self.weight;
                self.known
                    .learn(bot, rival, self.information(bot, rival) * games);
                self.met.learn(bot, rival, information(0.0) * games);
            }
        }
        self.best
            .iter_mut()
            .for_each(|best| best.is_current = false);
    }

    fn best_rival(&self, bot: usize) -> Best {
        let rivals = self.near[bot].iter();
        let (tells, rival) = best(rivals.map(|&(rival, _)| (self.tells(bot, rival), rival)));
        Best {
            tells,
            rival,
            is_current: true,
        }
    }

    /// The pair that tells most. What a block tells nearly always falls while more becomes known, so that bots are
    /// looked at in the order of what they told before, until the first is one that was looked at. One that tells more
    /// than before is missed until it is looked at: in the next batch at the latest.
    fn best_pair(&mut self) -> (usize, usize) {
        loop {
            let all = self.best.iter().enumerate();
            let pairs = all.map(|(bot, best)| {
                let pair = (bot.min(best.rival), bot.max(best.rival));
                (best.tells, (pair, bot))
            });
            let (pair, bot) = best(pairs).1;
            if self.best[bot].is_current {
                return pair;
            }
            self.best[bot] = self.best_rival(bot);
        }
    }

    /// Two whose difference would be known least if all were equal: the bot that is known least, and whom it is known
    /// least against.
    fn weakest_pair(&self) -> (usize, usize) {
        let alone = self.met.off_average().into_iter().zip((0..).map(Reverse));
        let one = best(alone).1.0;
        let beside = |bot: usize| (self.met.variance(one, bot), Reverse(bot));
        let others = (0..self.strengths.len()).filter(|&bot| bot != one);
        (one, best(others.map(beside)).1.0)
    }

    /// Who would be known least against those who play already.
    fn weakest_to_join(&self, set: &[usize]) -> usize {
        let others = (0..self.near.len()).filter(|bot| !set.contains(bot));
        let all = |bot: usize| set.iter().map(|&other| self.met.variance(bot, other)).sum();
        best(others.map(|bot| (all(bot), bot))).1
    }

    /// Who tells most together with those who play already.
    fn best_to_join(&self, set: &[usize]) -> usize {
        let others = (0..self.near.len()).filter(|bot| !set.contains(bot));
        best(others.map(|bot| {
            let rivals = self.near[bot].iter().map(|&(rival, _)| rival);
            let rivals = rivals.filter(|rival| set.contains(rival));
            (rivals.map(|rival| self.tells(bot, rival)).sum(), bot)
        }))
        .1
    }
}

/// The rate at which less variance makes a wrong order of two cheaper that are so far apart.
fn rate(apart: f64, variance: f64) -> f64 {
    exp(-apart * apart / (2.0 * TAIL * variance)) / sqrt(variance)
}

/// The information of a game between two that are so far apart.
fn information(apart: f64) -> f64 {
    let expected = 1.0 / (1.0 + exp(-apart));
    expected * (1.0 - expected)
}

/// What has the greatest number; of equals the least.
fn best<T: Ord>(all: impl Iterator<Item = (f64, T)>) -> (f64, T) {
    let better = |one: &(f64, T), other: &(f64, T)| {
        let more = one.0.total_cmp(&other.0);
        more.then_with(|| other.1.cmp(&one.1))
    };
    all.max_by(better).expect("there are two bots at least")
}

impl FormatPlan for LadderPlan {
    fn begin(&mut self, blocks: &mut BlockPlan) {
        if blocks.bots() > 2 {
            return self.decide(blocks);
        }
        let pairs = self.first_pairs();
        for pair in &pairs {
            for &bot in pair {
                self.played[bot] += 1;
            }
        }
        self.put(pairs, blocks);
    }

    fn heard(&mut self, block: &Block, blocks: &mut BlockPlan) {
        for scored in &block.matches {
            self.results.take(&compared(scored, &self.seating));
        }
        let batch = &mut self.under_way[0];
        batch.heard += 1;
        if batch.heard == batch.sets.len() {
            debug_assert!(
                block
                    .matches
                    .iter()
                    .all(|one| one.pairing.round == batch.round)
            );
            self.under_way.remove(0);
            self.known = self.results.strengths(std::mem::take(&mut self.known));
            self.decide_ahead(blocks);
        }
    }

    fn absent(&mut self, entrant: usize, blocks: &mut BlockPlan) {
        self.leave(entrant);
        self.go_on(blocks);
    }

    fn change(&mut self, change: &Change, blocks: &mut BlockPlan) {
        match *change {
            Change::Withdraw { entrant } | Change::Disqualify { entrant } => {
                self.leave(entrant);
            }
            Change::Join { entrant } => self.enter(entrant),
            Change::Matches { more } => self.matches = self.matches.saturating_add(more),
            Change::Rounds { .. } | Change::Strike { .. } | Change::Cancel => {}
        }
        self.go_on(blocks);
    }

    fn left(&self) -> (u64, bool) {
        (self.blocks_left(), true)
    }
}
