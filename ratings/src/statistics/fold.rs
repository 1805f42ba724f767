//! All statistics of a tournament in one pass over its results, in order of the schedule.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::game_pairs::{BlockScores, Elo};
use super::interval::{BlockSample, Interval, PRIOR_BLOCKS, WIDTH, binomial, width};
use super::strengths::{self, Strengths};
use crate::outcome::{Outcome, SeatOutcome};
use crate::pairwise::{Outcomes, best, half_points, placed, rivals};
use crate::seating::Seating;

/// The most reasons that are counted apart; others are counted together, as [`OTHER_REASONS`].
pub const MAX_REASONS: usize = 100;

/// The name of all further reasons.
pub const OTHER_REASONS: &str = "(others)";

/// The most pairs that are reported of more than two entrants: those of a round robin of 20.
pub const MAX_PAIRS: usize = 190;

/// As how many blocks of a bot's own that counts which all bots' blocks tell of the design effect. Of the numbers
/// tried it holds the coverage nearest to 95 % where pairs meet twice or three times.
const POOLED_BLOCKS: f64 = 5.0;

/// Counts results as they come, in memory that does not grow with their number: some for every two entrants
/// and every seat, and the block that is not over.
///
/// Whole blocks count. One that misses a match, for it is still being played or could not be, is passed over
/// and counted as such; what is counted by the match, as the reasons, is counted there too.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// The same without matches that nobody played, once there are any.
    played: Option<Box<Statistics>>,
    entrants: usize,
    seating: Seating,
    matches_of_block: u8,
    /// For every two entrants how many blocks had each score, as the first one sees them.
    pairs: Vec<u32>,
    /// The same matches one by one: lost, drawn, won.
    singles: Vec<[u32; 3]>,
    /// The blocks and half points of every two entrants, as the first one sees them: what `pairs` adds up to.
    sums: Vec<(u32, u32)>,
    bots: Vec<BotCounts>,
    /// What was made of the blocks by all bots.
    all: strengths::Sums,
    seats: Vec<SeatCounts>,
    /// By reason, which is not in the report yet.
    reasons: BTreeMap<String, EndReport>,
    open: OpenBlock,
    blocks: u64,
    broken: u64,
}

/// What is counted of an entrant.
#[derive(Clone, Copy, Debug, Default)]
struct BotCounts {
    matches: u64,
    plies: u64,
    used_us: u64,
    faults: u64,
    /// Whole blocks, and the sum of their scores.
    blocks: u64,
    score: f64,
    /// The squared errors of predicting a block from those before it, each over how uncertain the prediction
    /// was (recursive residuals), and how many were predicted.
    squares: f64,
    predicted: f64,
}

/// What is counted of a seat.
#[derive(Clone, Copy, Debug, Default)]
struct SeatCounts {
    outcomes: Outcomes,
    /// Whole blocks: how many, the sum of their scores, and that of their squares.
    blocks: u64,
    score: f64,
    squares: f64,
}

/// A block of which not all matches have come.
#[derive(Clone, Debug, Default)]
struct OpenBlock {
    number: Option<u64>,
    matches: u8,
    /// Its bots, ascending.
    bots: Vec<usize>,
    /// Row by row: against whom of them who has made how many half points.
    half_points: Vec<u32>,
    /// Row by row: how many matches were lost, drawn, won.
    singles: Vec<[u32; 3]>,
    /// The sum of each seat's scores.
    seats: Vec<f64>,
    /// Whether the matches are between the same bots.
    same: bool,
}

/// The statistics of a tournament.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "Statistics")]
pub struct StatisticsReport {
    /// How many matches a whole block has.
    pub matches_of_block: u8,
    /// How many whole blocks there are.
    pub blocks: u64,
    /// How many blocks miss a match.
    pub broken: u64,
    /// How many times the variance of a match is as large singly as it is in blocks, between the same bots.
    /// None where blocks do not vary.
    pub saved: Option<f64>,
    /// The bots in the order that was asked for.
    pub bots: Vec<BotReport>,
    /// Row by row, in that order: how likely the bot of the row is better than the one of the column, from 0 to
    /// 1. None where they have no whole block together.
    pub superiority: Vec<Vec<Option<f64>>>,
    /// With two entrants, how the one that entered first fared against the other, whatever the order.
    pub pair: Option<PairReport>,
    /// With more entrants, in matches of two bots, the same of all who met, in order of entry. Empty where these are
    /// more than [`MAX_PAIRS`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairReport>,
    /// How many pairs met and are left out for being too many.
    #[serde(skip_serializing_if = "is_default")]
    pub pairs_left_out: usize,
    /// The seats in their order.
    pub seats: Vec<SeatReport>,
    /// Why matches ended, the most frequent reason first.
    pub ends: Vec<EndReport>,
}

/// The statistics of a bot.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct BotReport {
    /// Its name.
    pub bot: String,
    /// How many matches it has played.
    pub matches: u64,
    /// How many whole blocks.
    pub blocks: u64,
    /// Its score in these: the part of its rivals that it leaves behind, half of those it is level with.
    pub score: Option<Interval>,
    /// The time that it used in a match, on average, in milliseconds.
    pub used_ms: f64,
    /// Its actions in a match, on average.
    pub plies: f64,
    /// How many of its seats were at fault.
    pub faults: u64,
    /// How it fared against all others together. None without whole blocks, and in matches of more than two bots.
    pub field: Option<FieldReport>,
}

/// How a bot fared against the field.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct FieldReport {
    /// How many of its blocks had each score, from 0 to 1 in equal steps.
    pub blocks: Vec<u64>,
    /// The part of its matches that were drawn.
    pub drawn: f64,
    /// The difference to the average opponent in Elo.
    pub elo: Elo,
}

/// The statistics of two bots.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct PairReport {
    /// The names of both.
    pub bots: [String; 2],
    /// How many blocks had each score of the first, from 0 to 1 in equal steps.
    pub blocks: Vec<u64>,
    /// How many of their matches the first lost, drew and won.
    pub matches: [u64; 3],
    /// The score of the first.
    pub score: Interval,
    /// The difference in Elo.
    pub elo: Elo,
    /// How likely the first is the better one.
    pub superiority: f64,
}

/// The results of a seat.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct SeatReport {
    /// Which, from 0.
    pub seat: u8,
    /// How many matches there are.
    pub matches: u64,
    /// In how many the seat, or its side, came first alone.
    pub won: u64,
    /// In how many it shared the first place with rivals.
    pub shared: u64,
    /// The score of the seat over whole blocks, in which every bot sat there equally often.
    pub score: Option<Interval>,
    /// How likely it is that the seat is an advantage: that its mean score is over one half.
    pub advantage: Option<f64>,
}

/// How often matches ended for a reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct EndReport {
    /// The reason, as the game says it.
    pub reason: String,
    /// In how many matches.
    pub matches: u64,
    /// In how many of these nobody came first alone.
    pub drawn: u64,
}

impl Statistics {
    /// Nothing yet, for so many entrants whose matches have this seating.
    pub fn new(entrants: usize, seating: &Seating) -> Self {
        Statistics::of_blocks(entrants, seating, seating.matches_of_block())
    }

    /// The same, where a block has so many matches.
    pub fn of_blocks(entrants: usize, seating: &Seating, matches_of_block: u8) -> Self {
        let pairs = entrants * entrants.saturating_sub(1) / 2;
        Statistics {
            entrants,
            seating: *seating,
            matches_of_block,
            pairs: vec![0; pairs * (2 * usize::from(matches_of_block) + 1)],
            singles: vec![[0; 3]; pairs],
            sums: vec![(0, 0); pairs],
            bots: vec![BotCounts::default(); entrants],
            all: strengths::Sums::default(),
            seats: Vec::new(),
            reasons: BTreeMap::new(),
            open: OpenBlock::default(),
            blocks: 0,
            broken: 0,
            played: None,
        }
    }

    /// Counts a result; they come in order of the schedule.
    ///
    /// # Panics
    /// When an entrant is none of the statistics'.
    pub fn take(&mut self, outcome: &impl Outcome) {
        let is_unplayed = outcome.is_unplayed();
        if is_unplayed && self.played.is_none() {
            self.played = Some(Box::new(self.clone()));
        }
        if let Some(played) = self.played.as_mut().filter(|_| !is_unplayed) {
            played.take(outcome);
        }
        let block = outcome.block();
        if self.open.number != Some(block) {
            self.end_block();
            self.open.number = Some(block);
        }
        let all = placed(outcome, &self.seating);
        let (_, drawn) = best(&all);
        self.count_reason(outcome.reason(), drawn);

        for bot in &all {
            self.bots[bot.entrant].matches += 1;
        }
        for (at, &entrant) in outcome.entrants().iter().enumerate() {
            let (seat, bot) = (outcome.seat(at), &mut self.bots[entrant]);
            bot.used_us += seat.used_us;
            bot.plies += seat.plies;
            bot.faults += u64::from(seat.is_faulty);
        }
        self.count_seats(outcome);

        let open = &mut self.open;
        if open.matches == 0 {
            open.bots.clear();
            open.bots.extend(all.iter().map(|bot| bot.entrant));
            open.bots.sort_unstable();
            open.half_points.resize(all.len() * all.len(), 0);
            open.singles.resize(all.len() * all.len(), [0; 3]);
            open.same = true;
        } else if open.bots.len() != all.len()
            || all.iter().any(|bot| !open.bots.contains(&bot.entrant))
        {
            open.same = false;
        }
        open.matches = open.matches.saturating_add(1);
        if !open.same {
            return;
        }
        for own in &all {
            let row = open.at(own.entrant) * all.len();
            for rival in rivals(own, &all) {
                let half_points = own.scored(rival);
                let at = row + open.at(rival.entrant);
                open.half_points[at] += half_points;
                open.singles[at][half_points as usize] += 1;
            }
        }
    }

    /// The report, with the names of the entrants and the order in which they are to stand.
    ///
    /// # Panics
    /// When there are not as many names as entrants, or the order names another.
    pub fn report(mut self, names: &[String], order: &[usize]) -> StatisticsReport {
        assert_eq!(names.len(), self.entrants, "a name for each entrant");
        self.end_block();
        let strengths = self.strengths();
        let (pairs, pairs_left_out) = self.pair_reports(names);
        let ends = std::mem::take(&mut self.reasons).into_iter();
        let mut ends: Vec<EndReport> = ends
            .map(|(reason, ends)| EndReport { reason, ..ends })
            .collect();
        // They stand by name already, and the sort is stable.
        ends.sort_by_key(|end| Reverse(end.matches));
        StatisticsReport {
            matches_of_block: self.matches_of_block,
            blocks: self.blocks,
            broken: self.broken,
            saved: self.saved(),
            bots: order
                .iter()
                .map(|&of| self.bot_report(of, &names[of], strengths.as_ref()))
                .collect(),
            superiority: order
                .iter()
                .map(|&row| {
                    let cell = |&column: &usize| {
                        let blocks = (row != column).then(|| self.between(row, column))?;
                        blocks.superiority()
                    };
                    order.iter().map(cell).collect()
                })
                .collect(),
            pair: match names {
                [_, _] => self.pair_report([0, 1], names),
                _ => None,
            },
            pairs,
            pairs_left_out,
            seats: (0..)
                .zip(&self.seats)
                .map(|(seat, counted)| self.seat_report(seat, counted))
                .collect(),
            ends,
        }
    }

    /// How the blocks of two entrants went, as the first one sees them. The block of the latest result is not
    /// among them yet.
    ///
    /// # Panics
    /// When they are not two entrants of these statistics.
    pub fn between(&self, one: usize, other: usize) -> BlockScores {
        let scores = 2 * usize::from(self.matches_of_block) + 1;
        let at = pair(self.entrants, one, other) * scores;
        BlockScores::of(&self.pairs[at..at + scores]).seen_by(one < other)
    }

    /// How many times the variance of a match between the same bots is as large singly as it is in blocks, over
    /// all pairs that have met twice.
    fn saved(&self) -> Option<f64> {
        let (mut single, mut blocked) = (0.0, 0.0);
        for (one, other) in pairs_of(self.entrants) {
            let blocks = self.between(one, other);
            let number = blocks.total() as f64;
            if number > 1.0 {
                single += number * self.single(one, other).sample_variance();
                blocked += number * blocks.sample_variance();
            }
        }
        (blocked > 0.0).then(|| single / (f64::from(self.matches_of_block) * blocked))
    }

    /// The matches of these blocks one by one.
    fn single(&self, one: usize, other: usize) -> BlockScores {
        BlockScores::of(&self.singles[pair(self.entrants, one, other)]).seen_by(one < other)
    }

    fn count_reason(&mut self, reason: &str, drawn: bool) {
        let is_full = self.reasons.len() >= MAX_REASONS && !self.reasons.contains_key(reason);
        let reason = if is_full { OTHER_REASONS } else { reason };
        let ends = match self.reasons.get_mut(reason) {
            Some(ends) => ends,
            None => self.reasons.entry(reason.into()).or_default(),
        };
        ends.matches += 1;
        ends.drawn += u64::from(drawn);
    }

    fn count_seats(&mut self, outcome: &impl Outcome) {
        let entrants = outcome.entrants();
        let seats: Vec<SeatOutcome> = (0..entrants.len()).map(|at| outcome.seat(at)).collect();
        if self.seats.len() < seats.len() {
            self.seats.resize(seats.len(), SeatCounts::default());
            self.open.seats.resize(seats.len(), 0.0);
        }
        let seating = self.seating;
        let best = seats.iter().map(|seat| seat.place).min();
        let first = (0..)
            .zip(&seats)
            .filter(|(_, seat)| Some(seat.place) == best);
        let first: Vec<u8> = first.map(|(at, _)| seating.side(at)).collect();
        let shared = first.iter().any(|&side| side != first[0]);
        for (at, (&entrant, own)) in entrants.iter().zip(&seats).enumerate() {
            let side = seating.side(at);
            let counted = &mut self.seats[at];
            counted.outcomes.add(Some(own.place) == best, shared);
            let rivals = (entrants.iter().zip(&seats).enumerate())
                .filter(|&(at, (&rival, _))| rival != entrant && seating.side(at) != side);
            let (number, sum) = rivals.fold((0u32, 0u32), |(number, sum), (_, (_, rival))| {
                (number + 1, sum + half_points(own.place, rival.place))
            });
            self.open.seats[at] += f64::from(sum) / f64::from(2 * number.max(1));
        }
    }

    /// Ends the block of the latest result: it counts if it is whole. The next result begins another one.
    pub fn end_block(&mut self) {
        let mut open = std::mem::take(&mut self.open);
        if open.matches == self.matches_of_block && open.same {
            self.blocks += 1;
            self.count_block(&open);
        } else if open.matches > 0 {
            self.broken += 1;
        }
        // Its room is used again.
        open.half_points.clear();
        open.singles.clear();
        open.seats.iter_mut().for_each(|seat| *seat = 0.0);
        self.open = OpenBlock {
            number: None,
            matches: 0,
            same: false,
            ..open
        };
    }

    fn count_block(&mut self, open: &OpenBlock) {
        let (count, matches) = (open.bots.len(), f64::from(self.matches_of_block));
        let mut squares = 0.0;
        for (row, &own) in open.bots.iter().enumerate() {
            let score = self.count_own(open, row, own);
            squares += (score - 0.5).powi(2);
        }
        self.all.add(count, self.seating.parties().into(), squares);
        let scores = 2 * usize::from(self.matches_of_block) + 1;
        for (row, &own) in open.bots.iter().enumerate() {
            for (column, &rival) in open.bots.iter().enumerate().skip(row + 1) {
                let (at, cell) = (pair(self.entrants, own, rival), row * count + column);
                // Partners do not meet.
                if open.met(cell) != u32::from(self.matches_of_block) {
                    continue;
                }
                let half_points = open.half_points[cell];
                self.pairs[at * scores + half_points as usize] += 1;
                self.sums[at].0 += 1;
                self.sums[at].1 += half_points;
                for (sum, more) in self.singles[at].iter_mut().zip(open.singles[cell]) {
                    *sum += more;
                }
            }
        }
        for (seat, sum) in self.seats.iter_mut().zip(&open.seats) {
            let score = sum / matches;
            seat.blocks += 1;
            seat.score += score;
            seat.squares += score * score;
        }
    }

    /// Counts a block of one of its bots: its score, which is given back, and how far it is from what the blocks
    /// before it let expect against these rivals.
    fn count_own(&mut self, open: &OpenBlock, row: usize, own: usize) -> f64 {
        let count = open.bots.len();
        let rivals = f64::from(self.seating.rivals());
        let whole = f64::from(2 * u32::from(self.matches_of_block)) * rivals;
        // What is uncertain is the mean of a score against each rival, whose variances are larger than its own.
        let share = ranking(self.seating.parties().into());
        let (mut score, mut expected, mut uncertain) = (0.0, 0.0, 0.0);
        let mut known = true;
        for (column, &rival) in open.bots.iter().enumerate() {
            let cell = row * count + column;
            if open.met(cell) == 0 {
                continue;
            }
            score += f64::from(open.half_points[cell]) / whole;
            match self.mean(own, rival) {
                Some((blocks, mean)) => {
                    expected += mean / rivals;
                    uncertain += 1.0 / (blocks * rivals * rivals * share);
                }
                None => known = false,
            }
        }
        let bot = &mut self.bots[own];
        bot.blocks += 1;
        bot.score += score;
        if known {
            bot.squares += (score - expected).powi(2) / (1.0 + uncertain);
            bot.predicted += 1.0;
        }
        score
    }

    /// How many blocks two bots have had, and the mean score of the first.
    fn mean(&self, own: usize, rival: usize) -> Option<(f64, f64)> {
        let (blocks, half_points) = self.sums[pair(self.entrants, own, rival)];
        let blocks = (blocks > 0).then_some(f64::from(blocks))?;
        let whole = blocks * f64::from(2 * u32::from(self.matches_of_block));
        let mean = f64::from(half_points) / whole;
        Some((blocks, if own < rival { mean } else { 1.0 - mean }))
    }

    /// How many times the variance of a block's score is as large as that of independent matches that are won or lost,
    /// over the blocks that were played. None before the first.
    pub fn design(&mut self) -> Option<f64> {
        if let Some(played) = &mut self.played {
            return played.design();
        }
        self.end_block();
        match self.entrants {
            _ if self.blocks == 0 => None,
            2 => Some(self.between(0, 1).design()),
            _ => self.strengths().map(|all| all.design),
        }
    }

    /// What all blocks tell of the strengths. None without blocks, and between two entrants, where the blocks of
    /// all are those of each.
    fn strengths(&self) -> Option<Strengths> {
        if self.entrants <= 2 {
            return None;
        }
        let met = pairs_of(self.entrants).filter_map(|(one, other)| {
            let (blocks, _) = self.sums[pair(self.entrants, one, other)];
            (blocks > 0).then_some((one, other, f64::from(blocks)))
        });
        let above = |bot: &BotCounts| bot.score - bot.blocks as f64 / 2.0;
        let blocks = strengths::StrengthBlocks {
            met: met.collect(),
            above: self.bots.iter().map(above).collect(),
            sums: self.all,
            rivals: self.seating.rivals().into(),
            matches: self.matches_of_block.into(),
            guess: ranking(self.seating.parties().into()),
        };
        blocks.strengths()
    }

    fn bot_report(&self, of: usize, name: &str, strengths: Option<&Strengths>) -> BotReport {
        let bot = &self.bots[of];
        let (own, matches) = (bot.blocks as f64, f64::from(self.matches_of_block));
        let mean = bot.score / own.max(1.0);
        let (mut blocks, mut expected) = (0.0, 0.0);
        for rival in (0..self.entrants).filter(|&rival| rival != of) {
            if let Some((number, mean)) = self.mean(of, rival) {
                let seen = binomial(mean, number * matches);
                // A single block tells next to nothing of what is to be expected.
                let first = strengths.map_or(seen, |all| all.variance(of, rival));
                blocks += number;
                expected += first + (number - 1.0) * seen;
            }
        }
        let expected = expected / f64::max(blocks, 1.0);
        // The squares that the bot's own blocks tell are not counted again.
        let others = 1.0 - bot.predicted / (self.blocks as f64).max(1.0);
        let guess = ranking(self.seating.parties().into());
        let pooled = strengths.map_or(guess, |all| all.design);
        let sample = BlockSample {
            blocks: own,
            matches,
            mean,
            squares: bot.squares,
            freedom: bot.predicted,
            // Rivals that differ make the matches against each vary less, never more.
            expected: expected.min(binomial(mean, own * matches)),
            guess: guess + others * (pooled - guess),
            prior: match strengths {
                Some(_) => PRIOR_BLOCKS + others * (POOLED_BLOCKS - PRIOR_BLOCKS),
                None => PRIOR_BLOCKS,
            },
            // Of two bots, the score of each is that against the other.
            width: match self.entrants {
                2 => width(own, self.matches_of_block),
                _ => WIDTH,
            },
        };
        let average = |sum: u64| sum as f64 / bot.matches.max(1) as f64;
        BotReport {
            bot: name.into(),
            matches: bot.matches,
            blocks: bot.blocks,
            score: sample.interval(),
            used_ms: average(bot.used_us) / 1e3,
            plies: average(bot.plies),
            faults: bot.faults,
            field: self.field_report(of),
        }
    }

    /// How an entrant fared against all others, where it met one at a time.
    fn field_report(&self, of: usize) -> Option<FieldReport> {
        if self.seating.bots() != 2 {
            return None;
        }
        let mut blocks = BlockScores::new(self.matches_of_block);
        let mut matches = BlockScores::new(1);
        for rival in (0..self.entrants).filter(|&rival| rival != of) {
            blocks.add_all(&self.between(of, rival));
            matches.add_all(&self.single(of, rival));
        }
        Some(FieldReport {
            elo: blocks.elo()?,
            drawn: matches.counts()[1] as f64 / matches.total() as f64,
            blocks: blocks.counts().to_vec(),
        })
    }

    /// Of all pairs of more than two entrants that met in matches of two, or how many there would be.
    fn pair_reports(&self, names: &[String]) -> (Vec<PairReport>, usize) {
        if self.entrants <= 2 || self.seating.bots() != 2 {
            return (Vec::new(), 0);
        }
        let met = || {
            let pairs = pairs_of(self.entrants);
            pairs.filter(|&(one, other)| self.sums[pair(self.entrants, one, other)].0 > 0)
        };
        match met().count() {
            0..=MAX_PAIRS => {
                let reports =
                    met().filter_map(|(one, other)| self.pair_report([one, other], names));
                (reports.collect(), 0)
            }
            all => (Vec::new(), all),
        }
    }

    fn pair_report(&self, [one, other]: [usize; 2], names: &[String]) -> Option<PairReport> {
        let blocks = self.between(one, other);
        let matches = self.single(one, other);
        Some(PairReport {
            bots: [names[one].clone(), names[other].clone()],
            blocks: blocks.counts().to_vec(),
            matches: [0, 1, 2].map(|at| matches.counts()[at]),
            score: blocks.score()?,
            elo: blocks.elo()?,
            superiority: blocks.superiority()?,
        })
    }

    fn seat_report(&self, seat: u8, counted: &SeatCounts) -> SeatReport {
        let (blocks, matches) = (counted.blocks as f64, f64::from(self.matches_of_block));
        let mean = counted.score / blocks.max(1.0);
        let sample = BlockSample {
            blocks,
            matches,
            mean,
            squares: (counted.squares - blocks * mean * mean).max(0.0),
            freedom: blocks - 1.0,
            expected: binomial(mean, blocks * matches),
            guess: ranking(self.seating.parties().into()),
            prior: PRIOR_BLOCKS,
            width: WIDTH,
        };
        SeatReport {
            seat,
            matches: counted.outcomes.games(),
            won: counted.outcomes.wins,
            shared: counted.outcomes.draws,
            score: sample.interval(),
            advantage: sample.superiority(),
        }
    }
}

impl OpenBlock {
    /// In how many matches the bot of the row and that of the column were rivals.
    fn met(&self, cell: usize) -> u32 {
        self.singles[cell].iter().sum()
    }

    /// Which of the block's bots this is.
    fn at(&self, entrant: usize) -> usize {
        let found = self.bots.iter().position(|&bot| bot == entrant);
        found.expect("the matches of a block are between the same bots")
    }
}

/// The variance of a bot's score in a match of so many equals who are all ranked, over that of a match that is
/// won or lost: a score is the mean of comparisons.
fn ranking(bots: f64) -> f64 {
    (bots + 1.0) / (3.0 * (bots - 1.0)).max(1.0)
}

/// The place of two entrants among all pairs, whichever is named first.
fn pair(entrants: usize, one: usize, other: usize) -> usize {
    let (low, high) = (one.min(other), one.max(other));
    assert!(low < high && high < entrants, "two entrants");
    low * entrants - low * (low + 1) / 2 + high - low - 1
}

fn pairs_of(entrants: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..entrants).flat_map(move |one| (one + 1..entrants).map(move |other| (one, other)))
}

/// Whether a value is the one of its type that goes without saying.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
