//! A batch rating: the strengths that make all results at once most likely, with Glicko's prior. The order of the
//! results means nothing, and mirrored results give equal ratings. Glicko-2 stays the rating over time.
//!
//! Nothing here depends on the machine's own logarithms: ladders decide by it, and are to decide alike everywhere.
//!
//! Bradley and Terry, "Rank analysis of incomplete block designs" (1952), with ties as halves. Comparisons, weights
//! and sides are those of Glicko-2 here; `docs/reference/ratings.md` says where they come from, and when to read which
//! rating.

mod factor;

use std::collections::HashMap;
use std::sync::Arc;

use libm::{exp, log1p};

use crate::glicko::weighted::SCALE;
use crate::linear_solver::conjugate_gradients;
use crate::numbers::{hundredths, mixed};
use crate::outcome::Outcome;
use crate::pairwise::{MatchComparison, Score, Weight, compared};
use crate::rating::{INTERVAL_DEVIATIONS, Rating};
use crate::seating::Seating;
use crate::statistics::fold::Statistics;
use factor::dot;
pub use factor::{Covariance, Factor};

/// The search ends with a step that moves no rating by more than this, in units of [`SCALE`] rating points.
const TOLERANCE: f64 = 1e-12;

/// Up to so many bots, the intervals of a table come from the exact covariance.
const EXACT: usize = 1_000;

/// With more bots, the variances of a table are estimates from so many columns, with a relative error of 6 %.
const COLUMNS: usize = 512;

/// Up to so many bots, what a ladder and links need is exact.
const ROUGHLY_EXACT: usize = 256;

/// With more bots, their variances are estimates from so many columns, with a relative error of 18 %.
const ROUGH_COLUMNS: usize = 64;

/// The prior is that of Glicko until results tell of so many bots: the spread of fewer is less certain than it.
const ASSUMED: f64 = 100.0;

/// With many bots, of how many results tell is an estimate from so many columns: each variance has a relative error of
/// 35 %, and their sum one of about 2 %.
const TOLD_COLUMNS: usize = 16;

/// The search for the spread of a field ends with a step that does not change its variance by a larger part.
const SPREAD_TOLERANCE: f64 = 1e-6;

/// How much of the prior counts in links: it compares large groups that have not met as some matches would.
const FAINT: f64 = 0.01;

/// The most steps of the search. A million matches that one of two bots won take 20.
const MAX_STEPS: u32 = 100;

/// A column of a sketch is exact enough where the squared residual has shrunk so far.
const SKETCHED: f64 = 1e-6;

/// Bots whose ratings differ by no more, in rating points, are level.
pub const LEVEL: f64 = 1e-6;

/// Counts results, in any order, until their ratings are asked for. What it holds grows with the number of sides that
/// have met.
#[derive(Clone, Debug)]
pub struct Batch {
    bots: usize,
    sides: FitSides,
    /// How often a side lost to, drew with and beat another. The side with the lesser bots comes first.
    counts: HashMap<Meeting, [u32; 3]>,
    /// How many matches ended in each way.
    ends: HashMap<FitEnd, u32>,
}

/// How a match ended, whoever was who.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct FitEnd {
    weight: Weight,
    parties: usize,
    /// How many comparisons, each seen from both sides.
    comparisons: usize,
    is_drawn: bool,
}

/// Two sides that were compared, by their numbers, and how much of a game that was worth.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Meeting {
    sides: [u32; 2],
    weight: Weight,
}

/// The sides that were compared, with numbers: a bot alone has its own, and teams have those behind all bots.
#[derive(Clone, Debug)]
struct FitSides {
    /// All bots.
    bots: Vec<usize>,
    /// Their bots in ascending order.
    teams: Vec<Arc<[usize]>>,
    numbers: HashMap<Arc<[usize]>, u32>,
}

impl FitSides {
    fn of(bots: usize) -> Self {
        FitSides {
            bots: (0..bots).collect(),
            teams: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    /// The number of the side with these bots.
    fn number(&mut self, mut bots: impl Iterator<Item = usize> + Clone) -> u32 {
        let number = |of: usize| u32::try_from(of).expect("there are not so many sides");
        let mut team: Vec<usize> = match (bots.next(), bots.clone().next()) {
            (Some(bot), None) => return number(bot),
            (first, _) => first.into_iter().chain(bots).collect(),
        };
        team.sort_unstable();
        if let Some(&known) = self.numbers.get(&team[..]) {
            return known;
        }
        let new = number(self.bots.len() + self.teams.len());
        let team: Arc<[usize]> = team.into();
        self.teams.push(Arc::clone(&team));
        self.numbers.insert(team, new);
        new
    }

    /// The bots of a side.
    fn bots(&self, number: u32) -> &[usize] {
        let number = number as usize;
        match number.checked_sub(self.bots.len()) {
            None => &self.bots[number..=number],
            Some(team) => &self.teams[team],
        }
    }

    /// The order of sides, which does not depend on that of the results: single bots come before teams.
    fn order(&self, number: u32) -> (bool, &[usize]) {
        (number as usize >= self.bots.len(), self.bots(number))
    }
}

impl Batch {
    /// No results yet, of so many bots.
    pub fn new(bots: usize) -> Self {
        Batch {
            bots,
            sides: FitSides::of(bots),
            counts: HashMap::new(),
            ends: HashMap::new(),
        }
    }

    /// Counts a result.
    ///
    /// # Panics
    /// When an entrant is none of the bots.
    pub fn take(&mut self, result: &MatchComparison) {
        let MatchComparison {
            all,
            parties,
            scores,
            weight,
        } = result;
        assert!(
            all.iter().all(|bot| bot.entrant < self.bots),
            "entrants are the batch's bots"
        );
        if scores.is_empty() {
            return;
        }
        let end = FitEnd {
            weight: *weight,
            parties: parties.len(),
            comparisons: scores.len(),
            is_drawn: scores.iter().all(|&(_, _, score)| score == Score::Draw),
        };
        *self.ends.entry(end).or_default() += 1;
        for &(own, rival, score) in scores {
            let [own, rival] = [own, rival].map(|party: usize| {
                let side = parties[party].side;
                let bots = all.iter().filter(move |bot| bot.side == side);
                self.sides.number(bots.map(|bot| bot.entrant))
            });
            // Each comparison is seen from both sides, and counts once.
            if self.sides.order(own) < self.sides.order(rival) {
                let sides = [own, rival];
                let counts = self
                    .counts
                    .entry(Meeting {
                        sides,
                        weight: *weight,
                    })
                    .or_default();
                counts[score as usize] += 1;
            }
        }
    }

    /// The strengths, as natural logarithms of odds, found sooner from those of before; for further bots these are 0.
    pub fn strengths(&self, mut before: Vec<f64>) -> Vec<f64> {
        before.resize(self.bots, 0.0);
        self.game_list().most_likely(before)
    }

    /// What the results tell of the differences of these bots' strengths: exactly with few bots; with many, an estimate
    /// from columns whose signs are drawn from a seed of their own.
    pub fn known(&self, strengths: &[f64], of: &[usize]) -> Covariance {
        let games = self.game_list();
        let factor = games.factor(strengths, 1.0, ROUGHLY_EXACT, ROUGH_COLUMNS);
        let factor = factor.of_bots(of);
        match self.bots <= ROUGHLY_EXACT {
            true => Covariance::Exactly(of.len(), factor.covariance()),
            false => Covariance::About(factor),
        }
    }

    /// Of each two neighbours among these bots: as how many matches between the two all matches, directly and through
    /// others, tell of their difference, if all bots were equal.
    pub fn links(&self, order: &[usize]) -> Vec<f64> {
        let equal = vec![0.0; self.bots];
        // Matches that are worth a hundred times as much, and so their links.
        let games = self.game_list();
        let factor = games.factor(&equal, FAINT, ROUGHLY_EXACT, ROUGH_COLUMNS);
        // A match between equals has the information of a quarter.
        let link = |two: &[usize]| 4.0 * FAINT / factor.variance(two[0], two[1]);
        order.windows(2).map(link).collect()
    }

    /// The ratings with what is known of their differences. `design` is how many times the variance of a block's score
    /// is as large as that of independent matches that are won or lost (`docs/reference/statistics.md`); without one,
    /// the matches count as independent.
    pub fn fitted(&self, design: Option<f64>) -> Fit {
        let design = design.map_or(1.0, |design| self.dispersion(design));
        let mut games = self.game_list();
        let strengths = games.in_their_field(self.bots);
        let mut played = vec![false; self.bots];
        for game in &games.games {
            let bots = game.sides.iter().flat_map(|&side| self.sides.bots(side));
            bots.for_each(|&bot| played[bot] = true);
        }
        let factor = games.factor(&strengths, design, EXACT, COLUMNS);
        let field = (0..self.bots).filter(|&bot| played[bot]);
        Fit {
            average: factor.mean(field).unwrap_or_default(),
            strengths,
            factor,
            played,
        }
    }

    /// How many times the variance of a block is as large as the model has it, in which matches are independent: that
    /// of its score is over that of a score where who has which place is a matter of luck; and matches that all drew,
    /// which have luck in the model, have none there.
    fn dispersion(&self, design: f64) -> f64 {
        let mut ends: Vec<(&FitEnd, &u32)> = self.ends.iter().collect();
        ends.sort_unstable();
        let (mut matches, mut varied, mut told, mut drawn) = (0.0, 0.0, 0.0, 0.0);
        for (end, &times) in ends {
            let (times, weight) = (f64::from(times), end.weight.value());
            let (parties, comparisons) = (end.parties as f64, end.comparisons as f64);
            let information = times * weight * comparisons / (4.0 * parties);
            matches += times;
            match end.is_drawn {
                true => drawn += information,
                false => {
                    told += information;
                    varied += information / (weight * (parties - 1.0)).powi(2);
                }
            }
        }
        match varied > 0.0 {
            true => design / (4.0 * varied / matches) * told / (told + drawn),
            // All matches drew: the design effect alone says how little luck there is.
            false => design,
        }
    }

    /// There are so many bots now.
    pub fn enter(&mut self, bots: usize) {
        if bots > self.bots {
            let mut larger = Batch::new(bots);
            larger.ends.clone_from(&self.ends);
            for (meeting, counts) in &self.counts {
                let sides = meeting.sides.map(|side| {
                    let bots = self.sides.bots(side);
                    larger.sides.number(bots.iter().copied())
                });
                let weight = meeting.weight;
                larger.counts.insert(Meeting { sides, weight }, *counts);
            }
            *self = larger;
        }
    }

    /// The counts in an order of their own, for sums of floating-point numbers depend on it.
    fn game_list(&self) -> Games<'_> {
        let game = |(meeting, [lost, drawn, won]): (&Meeting, &[u32; 3])| {
            let [lost, drawn, won] = [*lost, *drawn, *won].map(u64::from);
            let weight = meeting.weight.value();
            let game = FitGame {
                sides: meeting.sides,
                weight: weight * (lost + drawn + won) as f64,
                won: weight * (won as f64 + drawn as f64 / 2.0),
            };
            (meeting.weight, game)
        };
        let mut games: Vec<_> = self.counts.iter().map(game).collect();
        let key = |(weight, game): &(Weight, FitGame)| {
            (game.sides.map(|side| self.sides.order(side)), *weight)
        };
        games.sort_unstable_by(|one, other| key(one).cmp(&key(other)));
        Games {
            sides: &self.sides,
            games: games.into_iter().map(|(_, game)| game).collect(),
            prior: prior(),
        }
    }
}

/// Ratings by all results at once, with their intervals.
#[derive(Clone, Debug)]
pub struct Fit {
    strengths: Vec<f64>,
    factor: Factor,
    played: Vec<bool>,
    average: Vec<f64>,
}

/// A number with its standard deviation, in rating points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub points: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

impl Fit {
    /// The fit of these results, which come in order of the schedule, block by block.
    ///
    /// # Panics
    /// When an entrant is none of so many bots.
    pub fn of(bots: usize, seating: &Seating, results: &[impl Outcome]) -> Self {
        let mut batch = Batch::new(bots);
        let mut statistics = Statistics::new(bots, seating);
        for result in results {
            batch.take(&compared(result, seating));
            statistics.take(result);
        }
        batch.fitted(statistics.design())
    }

    /// The rating of a bot. Its deviation is that from the average of all that have played.
    pub fn rating(&self, bot: usize) -> Estimate {
        let deviation = match self.played[bot] {
            true => SCALE * self.factor.distance(bot, &self.average).sqrt(),
            false => Rating::default().deviation,
        };
        Estimate {
            points: rating(self.strengths[bot]),
            deviation,
        }
    }

    /// Whether a bot has a result.
    pub fn has_played(&self, bot: usize) -> bool {
        self.played[bot]
    }

    /// By how much one is stronger than another.
    pub fn difference(&self, one: usize, other: usize) -> Estimate {
        Estimate {
            points: SCALE * (self.strengths[one] - self.strengths[other]),
            deviation: SCALE * self.factor.variance(one, other).sqrt(),
        }
    }
}

impl Estimate {
    /// Whether its 95 % interval leaves out zero.
    pub fn is_told(&self) -> bool {
        let [_, _, low, high] = self.bounds();
        low > 0.0 || high < 0.0
    }

    /// The number, its deviation, and the bounds of its 95 % interval.
    fn bounds(&self) -> [f64; 4] {
        let Estimate { points, deviation } = *self;
        let reach = INTERVAL_DEVIATIONS * deviation;
        [points, deviation, points - reach, points + reach]
    }

    /// The same, rounded to hundredths as tables show them.
    pub fn rounded(&self) -> [f64; 4] {
        self.bounds().map(hundredths)
    }
}

/// What the prior tells of a strength before the first result.
fn prior() -> f64 {
    (SCALE / Rating::default().deviation).powi(2)
}

/// The rating of a strength.
pub fn rating(strength: f64) -> f64 {
    Rating::default().rating + SCALE * strength
}

/// All games of one side against another.
struct FitGame {
    sides: [u32; 2],
    /// How many games.
    weight: f64,
    /// The points of the first side.
    won: f64,
}

struct Games<'a> {
    sides: &'a FitSides,
    games: Vec<FitGame>,
    /// What is assumed of each strength: the inverse of its variance.
    prior: f64,
}

impl Games<'_> {
    /// By how much the first side is stronger; a side is as strong as its bots are on average.
    fn difference(&self, game: &FitGame, strengths: &[f64]) -> f64 {
        let [first, second] = game.sides.map(|side| {
            let bots = self.sides.bots(side);
            let sum: f64 = bots.iter().map(|&bot| strengths[bot]).sum();
            sum / bots.len() as f64
        });
        first - second
    }

    /// Adds so much for the first side, and as much against the second, to each of their bots' parts.
    fn add(&self, game: &FitGame, amount: f64, to: &mut [f64]) {
        for (side, amount) in game.sides.into_iter().zip([amount, -amount]) {
            let bots = self.sides.bots(side);
            bots.iter()
                .for_each(|&bot| to[bot] += amount / bots.len() as f64);
        }
    }

    /// The strengths at which results and prior together are most likely, with a prior as narrow as the field: its
    /// spread counts as much as the bots beyond [`ASSUMED`] of which the results tell, and Glicko's prior as the
    /// others.
    ///
    /// How many bots they tell of, γ, and the spread Σ μ² / γ are those of MacKay, "Bayesian interpolation" (1992).
    fn in_their_field(&mut self, bots: usize) -> Vec<f64> {
        let glicko = 1.0 / self.prior;
        let mut strengths = self.most_likely(vec![0.0; bots]);
        if bots as f64 <= ASSUMED {
            return strengths;
        }
        for _ in 0..MAX_STEPS {
            let factor = self.factor(&strengths, 1.0, ROUGHLY_EXACT, TOLD_COLUMNS);
            let unknown = |bot| self.prior * dot(factor.row(bot), factor.row(bot));
            let told = (bots as f64 - (0..bots).map(unknown).sum::<f64>()).max(ASSUMED);
            let spread = dot(&strengths, &strengths) / told;
            let share = ASSUMED / told;
            // Where the stronger always wins, nothing but the prior keeps strengths together: it becomes no wider.
            let variance = (share * glicko + (1.0 - share) * spread).min(glicko);
            let changed = (variance * self.prior - 1.0).abs();
            self.prior = 1.0 / variance;
            strengths = self.most_likely(strengths);
            if changed <= SPREAD_TOLERANCE {
                break;
            }
        }
        strengths
    }

    /// The strengths at which results and prior together are most likely: by Newton's method, whose steps are cut to
    /// ln(1 + r) / r where they change a difference by r. That never overshoots a logistic likelihood (Bach,
    /// "Self-concordant analysis for logistic regression", 2010), and there is one maximum only.
    fn most_likely(&self, mut strengths: Vec<f64>) -> Vec<f64> {
        let prior = self.prior;
        for _ in 0..MAX_STEPS {
            let mut slope: Vec<f64> = strengths.iter().map(|strength| -prior * strength).collect();
            let mut information = Vec::with_capacity(self.games.len());
            for game in &self.games {
                let expected = 1.0 / (1.0 + exp(-self.difference(game, &strengths)));
                self.add(game, game.won - game.weight * expected, &mut slope);
                information.push(game.weight * expected * (1.0 - expected));
            }
            let step = self.solved(&information, slope, TOLERANCE * TOLERANCE);
            let reach = self.games.iter();
            let reach = reach.map(|game| self.difference(game, &step).abs());
            let reach = reach.fold(0.0, f64::max);
            let part = if reach > 0.0 {
                log1p(reach) / reach
            } else {
                1.0
            };
            let mut moved = 0.0_f64;
            for (strength, step) in strengths.iter_mut().zip(step) {
                *strength += part * step;
                moved = moved.max((part * step).abs());
            }
            if moved <= TOLERANCE {
                break;
            }
        }
        strengths
    }

    /// What the games tell of the differences of the strengths, where they tell `design` times less than if they were
    /// independent.
    fn factor(&self, strengths: &[f64], design: f64, most: usize, columns: usize) -> Factor {
        let bots = strengths.len();
        match bots <= most {
            true => Factor::of(self.information(strengths, design), bots),
            false => Factor::of_columns(&self.sketch(strengths, design, columns), bots),
        }
    }

    /// The inverse of the covariance, row by row: the information of the games, and the prior.
    fn information(&self, strengths: &[f64], design: f64) -> Vec<f64> {
        let bots = strengths.len();
        let mut matrix = vec![0.0; bots * bots];
        (0..bots).for_each(|bot| matrix[bot * bots + bot] = self.prior);
        for game in &self.games {
            let information = self.told(game, strengths) / design;
            let parts = self.parts(game);
            for &(one, part) in &parts {
                for &(other, with) in &parts {
                    matrix[one * bots + other] += information * part * with;
                }
            }
        }
        matrix
    }

    /// The information of games, which is the variance of their points.
    fn told(&self, game: &FitGame, strengths: &[f64]) -> f64 {
        let expected = 1.0 / (1.0 + exp(-self.difference(game, strengths)));
        game.weight * expected * (1.0 - expected)
    }

    /// By how much the difference of the sides grows with the strength of each bot.
    fn parts(&self, game: &FitGame) -> Vec<(usize, f64)> {
        let sides = game.sides.iter().zip([1.0, -1.0]);
        let parts = sides.flat_map(|(&side, sign)| {
            let bots = self.sides.bots(side);
            bots.iter().map(move |&bot| (bot, sign / bots.len() as f64))
        });
        parts.collect()
    }

    /// Columns of a factor of the covariance: the covariance times the square root of the information with random
    /// signs (Spielman and Srivastava, "Graph sparsification by effective resistances", 2011).
    fn sketch(&self, strengths: &[f64], design: f64, columns: usize) -> Vec<Vec<f64>> {
        let mut drawn = 0;
        let mut sign = || {
            drawn += 1;
            if mixed(drawn) >> 63 == 0 { 1.0 } else { -1.0 }
        };
        let (prior, scale) = (self.prior, (columns as f64).sqrt());
        let games = self.games.iter();
        let information: Vec<f64> = games
            .map(|game| self.told(game, strengths) / design)
            .collect();
        let column = |_| {
            let mut right: Vec<f64> = strengths.iter().map(|_| sign() * prior.sqrt()).collect();
            for (game, information) in self.games.iter().zip(&information) {
                self.add(game, sign() * information.sqrt(), &mut right);
            }
            right.iter_mut().for_each(|number| *number /= scale);
            self.solved(&information, right, SKETCHED)
        };
        (0..columns).map(column).collect()
    }

    /// Solves (information + prior) x = right, by conjugate gradients (Hestenes and Stiefel, 1952).
    fn solved(&self, information: &[f64], right: Vec<f64>, part: f64) -> Vec<f64> {
        conjugate_gradients(right, part, |direction| {
            let mut ahead: Vec<f64> = direction.iter().map(|part| self.prior * part).collect();
            for (game, information) in self.games.iter().zip(information) {
                let amount = information * self.difference(game, direction);
                self.add(game, amount, &mut ahead);
            }
            ahead
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::outcome::RankedMatch;
    use crate::testing::{drawn, in_teams, information, inverse, ranked, scored};

    fn rated(bots: usize, seating: &Seating, results: &[RankedMatch]) -> Vec<f64> {
        let mut batch = Batch::new(bots);
        results
            .iter()
            .for_each(|result| batch.take(&compared(result, seating)));
        let fit = batch.fitted(None);
        (0..bots).map(|bot| fit.rating(bot).points).collect()
    }

    fn of_two(bots: usize, results: &[RankedMatch]) -> Vec<f64> {
        rated(bots, &Seating::single(2), results)
    }

    /// A match as the formulas of `docs/reference/ratings.md` have it: the bots and the place of every side.
    fn sides(result: &RankedMatch, seating: &Seating) -> Vec<(Vec<usize>, u8)> {
        let mut sides: Vec<(Vec<usize>, u8)> = Vec::new();
        for of in 0..result.entrants.len() as u8 {
            let seats = (0..).zip(result.entrants.iter().copied().zip(&result.seats));
            let own = seats.filter(|&(at, _)| seating.side(at) == of);
            let own: Vec<_> = own.map(|(_, seat)| seat).collect();
            if let Some((_, first)) = own.first() {
                let place = first.place;
                sides.push((own.into_iter().map(|(entrant, _)| entrant).collect(), place));
            }
        }
        sides
    }

    /// Σ m (n − m) / Σ m (b − a)² over the places, or 1 / (n − 1) where all are level.
    fn weight(sides: &[(Vec<usize>, u8)]) -> f64 {
        let number =
            |of: &dyn Fn(u8) -> bool| sides.iter().filter(|side| of(side.1)).count() as f64;
        let (mut compared, mut varied) = (0.0, 0.0);
        for &(_, place) in sides {
            compared += number(&|other| other != place);
            varied += (number(&|other| other > place) - number(&|other| other < place)).powi(2);
        }
        if varied > 0.0 {
            compared / varied
        } else {
            1.0 / (sides.len() as f64 - 1.0)
        }
    }

    /// A plain second implementation: every comparison as it comes, and gradient ascent.
    fn by_ascent(bots: usize, seating: &Seating, results: &[RankedMatch]) -> Vec<f64> {
        let variance = (350.0_f64 / 173.7178).powi(2);
        let mut strengths = vec![0.0; bots];
        let matches: Vec<_> = results
            .iter()
            .map(|result| sides(result, seating))
            .collect();
        let rate = 1.0 / (1.0 / variance + matches.len() as f64);
        for _ in 0..200_000 {
            let mut slope: Vec<f64> = strengths.iter().map(|x| -x / variance).collect();
            let mean = |side: &[usize]| {
                side.iter().map(|&bot| strengths[bot]).sum::<f64>() / side.len() as f64
            };
            for sides in &matches {
                let (weight, level) =
                    (weight(sides), sides.iter().all(|side| side.1 == sides[0].1));
                for (at, (own, place)) in sides.iter().enumerate() {
                    for (rival, other) in sides[..at].iter().chain(&sides[at + 1..]) {
                        let score = match place.cmp(other) {
                            std::cmp::Ordering::Less => 1.0,
                            std::cmp::Ordering::Greater => 0.0,
                            std::cmp::Ordering::Equal if level => 0.5,
                            std::cmp::Ordering::Equal => continue,
                        };
                        let expected = 1.0 / (1.0 + (mean(rival) - mean(own)).exp());
                        let part = weight * (score - expected) / own.len() as f64;
                        own.iter().for_each(|&bot| slope[bot] += part);
                    }
                }
            }
            let largest = slope
                .iter()
                .fold(0.0_f64, |most, slope| most.max(slope.abs()));
            strengths
                .iter_mut()
                .zip(&slope)
                .for_each(|(x, slope)| *x += rate * slope);
            if largest < 1e-12 {
                break;
            }
        }
        strengths
            .into_iter()
            .map(|x| 1500.0 + 173.7178 * x)
            .collect()
    }

    fn close(one: &[f64], other: &[f64], by: f64) -> bool {
        one.iter().zip(other).all(|(x, y)| (x - y).abs() <= by)
    }

    #[test]
    fn mirrored_results_give_equal_ratings() {
        // In blocks, the first half won by the one and the second by the other.
        let results: Vec<RankedMatch> = (0..40)
            .map(|at| scored(at / 2, [0, 1], if at < 20 { 2 } else { 0 }))
            .collect();
        let ratings = of_two(2, &results);
        assert!(close(&ratings, &[1500.0; 2], 1e-9), "{ratings:?}");
        // The circle: each beats the next.
        let circle: Vec<RankedMatch> = (0..7)
            .map(|bot| scored(0, [bot, (bot + 1) % 7], 2))
            .collect();
        assert!(close(&of_two(7, &circle), &[1500.0; 7], 1e-9));
    }

    #[test]
    fn who_wins_everything_has_a_finite_rating_and_who_has_not_played_the_prior_s() {
        let results = vec![scored(0, [0, 1], 2); 1000];
        let ratings = of_two(3, &results);
        assert!((2000.0..3000.0).contains(&ratings[0]), "{ratings:?}");
        assert!((ratings[0] + ratings[1] - 3000.0).abs() < 1e-9);
        assert_eq!(ratings[2], 1500.0);
        assert_eq!(of_two(2, &[]), [1500.0; 2]);
    }

    /// With one match won the maximum solves x (1 + e^(2x)) = σ², by hand.
    #[test]
    fn one_match_is_as_by_hand() {
        let x = (of_two(2, &[scored(0, [0, 1], 2)])[0] - 1500.0) / SCALE;
        let variance = (350.0_f64 / SCALE).powi(2);
        assert!((x * (1.0 + (2.0 * x).exp()) - variance).abs() < 1e-9, "{x}");
    }

    #[test]
    fn teams_are_as_strong_as_their_bots_on_average() {
        let teams = in_teams(4);
        let results = [
            ranked(0, &[(0, 1), (1, 3), (2, 1), (3, 3)]),
            ranked(0, &[(0, 1), (2, 3), (1, 1), (4, 3)]),
            ranked(0, &[(0, 1), (3, 1), (4, 1), (2, 1)]),
        ];
        let ratings = rated(5, &teams, &results);
        assert!(
            close(&ratings, &by_ascent(5, &teams, &results), 1e-6),
            "{ratings:?}"
        );
        assert!(ratings[0] > ratings[1]);
    }

    fn results(bots: usize, seats: usize) -> impl Strategy<Value = Vec<RankedMatch>> {
        let order = Just((0..bots).collect::<Vec<usize>>()).prop_shuffle();
        let one = (order, proptest::collection::vec(1u8..4, seats));
        proptest::collection::vec(one, 1..24).prop_map(move |all| {
            let result = |(order, places): (Vec<usize>, Vec<u8>)| {
                let seats: Vec<(usize, u8)> = order.into_iter().zip(places).collect();
                ranked(0, &seats)
            };
            all.into_iter().map(result).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn permuting_matches_changes_no_bit(results in results(5, 3), seed in any::<u64>()) {
            let mut other = results.clone();
            other.rotate_left(seed as usize % results.len());
            other.reverse();
            let seating = Seating::single(3);
            prop_assert_eq!(rated(5, &seating, &results), rated(5, &seating, &other));
        }

        #[test]
        fn turning_every_result_round_turns_the_ratings_round(results in results(4, 2)) {
            let mut other = results.clone();
            for result in &mut other {
                let places: Vec<u8> = result.seats.iter().rev().map(|seat| seat.place).collect();
                result.seats.iter_mut().zip(places).for_each(|(seat, place)| seat.place = place);
            }
            let turned: Vec<f64> = of_two(4, &other).iter().map(|rating| 3000.0 - rating).collect();
            prop_assert!(close(&of_two(4, &results), &turned, 1e-9));
        }

        #[test]
        fn a_further_win_never_lowers_the_winner(mut results in results(4, 2), winner in 0usize..4, other in 1usize..4) {
            let before = of_two(4, &results)[winner];
            results.push(scored(0, [winner, (winner + other) % 4], 2));
            prop_assert!(of_two(4, &results)[winner] > before);
        }
    }

    /// Results between pairs that are drawn, of bots whose strengths have this standard deviation, in rating points.
    fn drawn_results(bots: usize, matches: u64, spread: f64) -> Vec<RankedMatch> {
        let uniform = |from: [u64; 2]| (drawn(from) >> 11) as f64 / (1u64 << 53) as f64;
        let normal = |bot: u64| (0..12).map(|at| uniform([bot, at])).sum::<f64>() - 6.0;
        let truth: Vec<f64> = (0..bots as u64)
            .map(|bot| spread / SCALE * normal(bot))
            .collect();
        let result = |at: u64| {
            let [one, other] = [100, 101].map(|of| drawn([at, of]) as usize % bots);
            let expected = 1.0 / (1.0 + (truth[other] - truth[one]).exp());
            let points = if uniform([at, 102]) < expected { 2 } else { 0 };
            (one != other).then(|| scored(0, [one, other], points))
        };
        (0..matches).filter_map(result).collect()
    }

    /// The prior that the fit has found, as a standard deviation in rating points, and what the formula of
    /// `docs/reference/ratings.md` says of it, in which the covariance comes from elimination by Gauss and Jordan.
    fn spreads(bots: usize, results: &[RankedMatch]) -> [f64; 2] {
        let mut batch = Batch::new(bots);
        for result in results {
            batch.take(&compared(result, &Seating::single(2)));
        }
        let mut games = batch.game_list();
        let strengths = games.in_their_field(bots);
        let prior = games.prior;
        let mut slope: Vec<f64> = strengths.iter().map(|x| -prior * x).collect();
        let mut told = Vec::new();
        for result in results {
            let [one, other] = [0, 1].map(|seat| result.entrants[seat]);
            let expected = 1.0 / (1.0 + (strengths[other] - strengths[one]).exp());
            let score = f64::from(u8::from(result.seats[0].place == 1));
            slope[one] += score - expected;
            slope[other] -= score - expected;
            told.push((one, other, expected * (1.0 - expected)));
        }
        // They are the most likely strengths with this prior.
        assert!(slope.iter().all(|slope| slope.abs() < 1e-9), "{slope:?}");
        let covariance = inverse(&information(bots, prior, told.into_iter()), bots);
        let variances = covariance.iter().step_by(bots + 1);
        let told: f64 = variances.map(|variance| 1.0 - prior * variance).sum();
        let squares: f64 = strengths.iter().map(|x| x * x).sum();
        let glicko = (350.0 / SCALE).powi(2);
        let variance = match told > 100.0 {
            true => glicko.min((100.0 * glicko + (told - 100.0) * squares / told) / told),
            false => glicko,
        };
        [1.0 / prior, variance].map(|variance| SCALE * variance.sqrt())
    }

    #[test]
    fn many_bots_give_the_prior_the_width_of_their_field() {
        // The exact covariance up to 256 bots, and an estimate beyond.
        for (bots, close, range) in [(240, 1e-5, 200.0..300.0), (320, 1.0, 200.0..290.0)] {
            let [found, formula] = spreads(bots, &drawn_results(bots, 60 * bots as u64, 200.0));
            assert!((found - formula).abs() < close, "{bots}: {found} {formula}");
            assert!(range.contains(&found), "{bots}: {found}");
        }
    }

    #[test]
    fn no_field_makes_the_prior_wider() {
        let ordered = |bots: usize| -> Vec<RankedMatch> {
            let all = (1..bots).flat_map(|bot| [[bot, bot - 1]; 20]);
            all.map(|two| scored(0, two, 2)).collect()
        };
        for results in [
            drawn_results(240, 14_400, 500.0),
            ordered(240),
            ordered(320),
        ] {
            let bots = results.iter().flat_map(|one| &one.entrants);
            let bots = bots.max().map_or(0, |last| last + 1);
            let [found, formula] = spreads(bots, &results);
            assert!(found < 350.0 + 1e-9, "{bots}: {found}");
            assert!((found - formula).abs() < 1.0, "{bots}: {found} {formula}");
        }
    }

    #[test]
    fn a_field_of_which_little_is_told_has_the_prior_of_glicko() {
        for (bots, matches) in [(2, 40), (100, 20_000), (240, 120), (320, 0)] {
            let found = spreads(bots, &drawn_results(bots, matches, 200.0));
            assert!(close(&found, &[350.0; 2], 1e-9), "{bots}: {found:?}");
        }
    }

    #[test]
    fn a_link_is_what_the_matches_between_two_and_through_others_tell() {
        // Matches in series tell as conductors conduct.
        let mut results = Vec::new();
        for (one, other, times) in [(0, 1, 100), (1, 2, 4), (2, 3, 100)] {
            results.extend((0..times).map(|_| scored(0, [one, other], 2)));
        }
        let mut batch = Batch::new(5);
        for result in &results {
            batch.take(&compared(result, &Seating::single(2)));
        }
        let links = batch.links(&[0, 1, 2, 3, 4]);
        let told = [100.0, 4.0, 100.0, 0.0];
        for (link, told) in links.iter().zip(told) {
            assert!((0.0..0.05).contains(&(link - told)), "{links:?}");
        }
        let [link] = batch.links(&[0, 2])[..] else {
            panic!("two bots have one link")
        };
        let told = 1.0 / (1.0 / 100.0 + 1.0 / 4.0);
        assert!((0.0..0.05).contains(&(link - told)), "{link}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn it_agrees_with_a_plain_second_implementation(two in results(4, 2), many in results(5, 4)) {
            prop_assert!(close(&of_two(4, &two), &by_ascent(4, &Seating::single(2), &two), 1e-6));
            let seating = Seating::single(4);
            prop_assert!(close(&rated(5, &seating, &many), &by_ascent(5, &seating, &many), 1e-6));
        }
    }
}
