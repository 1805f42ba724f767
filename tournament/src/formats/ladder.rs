//! Ladder: the matches that tell most of the order of the bots, one batch after the other, until as many
//! as were asked for have been played.
//!
//! How much a block of two tells is by how much less a wrong order is expected to cost after it, a pair in
//! the wrong order costing the rating points between the two. For two that are `d` apart as far as is
//! known, with the variance `v`, this expected cost falls with the variance at the rate `φ(d / √v) / 2√v`
//! (φ being the normal density): much where they are close. A block has the information
//! `I = games · p (1 - p)` for the expected score `p`, and takes from the variances of its two bots
//! `v₁² I / (1 + I (v₁ + v₂))` and the same with `v₂²` (Kalman's filter), which counts for all pairs that a
//! bot is of, and from the variance of their difference twice as much with `v₁ v₂` besides.
//! What was decided on and is not known yet counts as known for the variances, so that not all of a batch
//! goes to the same two. Who has played less than half of the average plays next, so that nobody starves.
//!
//! A batch is a rating period. The first one of matches of two is a round of a round robin, or the beginning
//! of one; the next ones are decided on when it is known, and each further one when all results but those of
//! the batch before it are: there is one to play while the next is being decided on, and what is played
//! does not depend on how fast that goes. The ratings are those of the table.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Block, Blocks, Longer, Order, Plan, Planned, Ranking, Rules};
use crate::spec::{Heading, Key, described};
use crate::{
    Change, Director, Rating, RatingPeriods as Ratings, RoundRobin, ScheduleError, Seating,
    Settings,
};

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

/// Rating points to the natural logarithm of odds: 400 make ten to one.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

described! {
    /// A ladder.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case", deny_unknown_fields)]
    pub struct Ladder {
        /// Play at least N matches: the last block is played to its end
        matches: u64 = 1_000 => Key::whole(Heading::Format, 1, MAX_LADDER_MATCHES).detail();
    }
}

impl Rules for Ladder {
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

    fn order(&self) -> Order {
        Order::Ratings
    }

    fn longer(&self) -> Longer {
        Longer::Matches
    }

    fn no_newcomers(&self, _: &Settings) -> Option<&'static str> {
        None
    }

    fn director(
        &self,
        settings: &Settings,
        bots: usize,
    ) -> Result<Box<dyn Director>, ScheduleError> {
        let seating = settings.seating()?;
        let plan = LadderPlan::new(bots, seating, self.matches)?;
        Ok(Box::new(Planned::new(plan, seating)))
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
    ratings: Ratings,
    /// Ratings after the last batch that is known as a whole.
    known: Vec<Rating>,
    /// By batch that is under way, its blocks.
    under_way: Vec<Batch>,
    /// By bot, the blocks that were decided on.
    played: Vec<u64>,
    /// The bots that have not left, in order.
    present: Vec<usize>,
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

/// The blocks of a batch.
struct Batch {
    round: u32,
    sets: Vec<Vec<usize>>,
    heard: usize,
}

impl LadderPlan {
    fn new(bots: usize, seating: Seating, matches: u64) -> Result<Self, ScheduleError> {
        let of_match = usize::from(seating.bots());
        ScheduleError::check_bots("ladder", bots, of_match.max(2))?;
        ScheduleError::check_range("matches of a ladder", 1..=MAX_LADDER_MATCHES, matches)?;
        let mut ratings = Ratings::new(bots);
        ratings.begin_tournament(&seating);
        Ok(LadderPlan {
            ratings,
            known: vec![Rating::default(); bots],
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
        self.ratings.enter(number);
        self.known.resize(number, Rating::default());
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
    fn go_on(&mut self, blocks: &mut Blocks) {
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
    fn put(&mut self, sets: Vec<Vec<usize>>, blocks: &mut Blocks) {
        for set in &sets {
            blocks.decide(self.round, set.clone());
        }
        self.decided += sets.len() as u64;
        self.under_way.push(Batch {
            round: self.round,
            sets,
            heard: 0,
        });
        self.round += 1;
    }

    /// Decides on as many batches as may be under way.
    fn decide_ahead(&mut self, blocks: &mut Blocks) {
        while self.under_way.len() < BATCHES_AHEAD && self.blocks_left() > 0 {
            self.decide(blocks);
        }
    }

    /// Decides on a batch.
    fn decide(&mut self, blocks: &mut Blocks) {
        let size = self.batch().min(self.blocks_left());
        if size == 0 {
            return;
        }
        // A field is of the bots that are present: there a bot is its place among these.
        let known: Vec<Rating> = self.present.iter().map(|&bot| self.known[bot]).collect();
        let mut field = Field::new(&known, blocks.seating());
        for set in self.under_way.iter().flat_map(|batch| &batch.sets) {
            let places = set
                .iter()
                .filter_map(|bot| self.present.binary_search(bot).ok());
            field.expect(&places.collect::<Vec<_>>());
        }
        let mut sets = Vec::new();
        for _ in 0..size {
            let places = self.choose(&field, blocks.bots());
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
    fn choose(&self, field: &Field, of_match: usize) -> Vec<usize> {
        let played = |place: usize| self.played[self.present[place]];
        let bots = self.present.len();
        let all: u64 = (0..bots).map(played).sum();
        let least = (0..bots).min_by_key(|&place| (played(place), place));
        let starving = least.filter(|&place| played(place) * bots as u64 * STARVING < all);
        let (one, other) = match starving {
            Some(bot) => (bot, field.best[bot].1),
            None => field.best_pair(),
        };
        let mut set = vec![one, other];
        while set.len() < of_match {
            set.push(field.best_to_join(&set));
        }
        set
    }
}

/// What is known of the bots, and what will be when all that was decided on has been played.
struct Field {
    /// The ratings, as natural logarithms of odds.
    strengths: Vec<f64>,
    /// Their variances to be.
    variances: Vec<f64>,
    /// By bot, those that stand near it in order of rating.
    near: Vec<Vec<Near>>,
    /// By bot, the rate at which less variance of it makes all its pairs cheaper.
    rates: Vec<f64>,
    /// By bot, which of those tells most, and how much.
    best: Vec<(f64, usize)>,
    /// How many games two that are rivals have in a block, as far as these tell of each: where bots share a side, a
    /// difference of two is a part of that of their sides, and its square is what a game tells less.
    games: f64,
    /// The part of a game that a comparison with each of the others is worth, on average.
    weight: f64,
}

/// A bot beside another.
#[derive(Clone, Copy, Debug)]
struct Near {
    bot: usize,
    /// The information of a game between the two.
    information: f64,
    /// The rate at which less variance makes a wrong order of the two cheaper.
    rate: f64,
}

impl Field {
    fn new(ratings: &[Rating], seating: &Seating) -> Self {
        let (bots, parties) = (f64::from(seating.bots()), f64::from(seating.parties()));
        let games = f64::from(seating.matches_of_block()) / (bots / parties).powi(2);
        // The comparisons of a match of many hang together: they are worth 3 / (n + 1) each. Partners are not compared.
        let weight = 3.0 / (parties + 1.0) * (parties - 1.0) / (bots - 1.0);
        let mut order: Vec<usize> = (0..ratings.len()).collect();
        order.sort_by(|&one, &other| {
            let better = ratings[other].rating.total_cmp(&ratings[one].rating);
            better.then(one.cmp(&other))
        });
        let strengths: Vec<f64> = ratings.iter().map(|r| r.rating / SCALE).collect();
        let deviation = |r: &Rating| r.deviation / SCALE;
        let variances: Vec<f64> = ratings.iter().map(|r| deviation(r).powi(2)).collect();
        let beside = |bot: usize, other: usize| {
            let apart = strengths[bot] - strengths[other];
            Near {
                bot: other,
                information: information(apart),
                rate: rate(apart, variances[bot] + variances[other]),
            }
        };
        let mut near = vec![Vec::new(); order.len()];
        for (place, &bot) in order.iter().enumerate() {
            let around = place.saturating_sub(NEAR)..(place + NEAR + 1).min(order.len());
            let others = order[around].iter().filter(|&&other| other != bot);
            near[bot] = others.map(|&other| beside(bot, other)).collect::<Vec<_>>();
        }
        let rates = |near: &Vec<Near>| near.iter().map(|near| near.rate).sum();
        let mut field = Field {
            rates: near.iter().map(rates).collect(),
            best: Vec::new(),
            strengths,
            variances,
            near,
            games,
            weight,
        };
        field.best = (0..ratings.len())
            .map(|bot| field.best_rival(bot))
            .collect();
        field
    }

    /// What a block tells of two.
    fn tells(&self, bot: usize, near: &Near) -> f64 {
        let (own, other) = (self.variances[bot], self.variances[near.bot]);
        let information = self.games * near.information;
        let all = self.rates[bot] * own * own
            + self.rates[near.bot] * other * other
            + 2.0 * near.rate * own * other;
        all * information / (1.0 + information * (own + other))
    }

    /// A block of these is decided on: the variances become what they will be.
    fn expect(&mut self, set: &[usize]) {
        let before: Vec<f64> = set.iter().map(|&bot| self.variances[bot]).collect();
        for (at, &bot) in set.iter().enumerate() {
            let rivals = set.iter().zip(&before).filter(|&(&rival, _)| rival != bot);
            let told: f64 = rivals
                .map(|(&rival, variance)| {
                    let apart = self.strengths[bot] - self.strengths[rival];
                    let information = information(apart) * self.games * self.weight;
                    // What a rival's own strength leaves open.
                    information / (1.0 + information * variance)
                })
                .sum();
            self.variances[bot] = 1.0 / (1.0 / before[at] + told);
        }
        // Less is told by those now, so that others change only where one of them was the best.
        for bot in 0..self.best.len() {
            if set.contains(&bot) || set.contains(&self.best[bot].1) {
                self.best[bot] = self.best_rival(bot);
            }
        }
    }

    fn best_rival(&self, bot: usize) -> (f64, usize) {
        let rivals = self.near[bot].iter();
        best(rivals.map(|near| (self.tells(bot, near), near.bot)))
    }

    fn best_pair(&self) -> (usize, usize) {
        let bests = self.best.iter().enumerate();
        let pairs = bests.map(|(bot, &(tells, rival))| (tells, (bot.min(rival), bot.max(rival))));
        best(pairs).1
    }

    /// Who tells most together with those who play already.
    fn best_to_join(&self, set: &[usize]) -> usize {
        let others = (0..self.near.len()).filter(|bot| !set.contains(bot));
        best(others.map(|bot| {
            let rivals = self.near[bot].iter().filter(|near| set.contains(&near.bot));
            (rivals.map(|near| self.tells(bot, near)).sum(), bot)
        }))
        .1
    }
}

/// The rate at which less variance makes a wrong order of two cheaper that are so far apart.
fn rate(apart: f64, variance: f64) -> f64 {
    (-apart * apart / (2.0 * variance)).exp() / variance.sqrt()
}

/// The information of a game between two that are so far apart.
fn information(apart: f64) -> f64 {
    let expected = 1.0 / (1.0 + (-apart).exp());
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

impl Plan for LadderPlan {
    fn begin(&mut self, blocks: &mut Blocks) {
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

    fn heard(&mut self, block: &Block, blocks: &mut Blocks) {
        for scored in &block.matches {
            self.ratings.take(scored).expect("results come in order");
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
            self.known = self.ratings.clone().into_ratings();
            self.decide_ahead(blocks);
        }
    }

    fn absent(&mut self, entrant: usize, blocks: &mut Blocks) {
        self.leave(entrant);
        self.go_on(blocks);
    }

    fn change(&mut self, change: &Change, blocks: &mut Blocks) {
        match *change {
            Change::Withdraw { entrant } | Change::Disqualify { entrant } => {
                self.leave(entrant);
            }
            Change::Join { entrant } => self.enter(entrant),
            Change::Matches { more } => self.matches = self.matches.saturating_add(more),
            Change::Rounds { .. } | Change::Cancel => {}
        }
        self.go_on(blocks);
    }

    fn left(&self) -> (u64, bool) {
        (self.blocks_left(), true)
    }

    fn ranking(&self) -> Option<Ranking> {
        // All that was heard, and not only whole batches: as the table has it.
        Some(Ranking::by_rating(&self.ratings.clone().into_ratings()))
    }
}
