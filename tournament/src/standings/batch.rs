//! A batch rating: the strengths that make all results at once most likely, with Glicko's prior. The order of the
//! results means nothing, and mirrored results give equal ratings. Glicko-2 stays the rating over time.
//!
//! Bradley and Terry, "Rank analysis of incomplete block designs" (1952), with ties as halves. Comparisons, weights
//! and sides are those of Glicko-2 here; `docs/ratings.md` says where they come from, and when to read which rating.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Rating;
use crate::gradients::conjugate_gradients;
use crate::placing::{Compared, Weight};
use crate::ratings::SCALE;

/// The search ends with a step that moves no rating by more than this, in units of [`SCALE`] rating points.
const TOLERANCE: f64 = 1e-12;

/// The most steps of the search. A million matches that one of two bots won take 20.
const MAX_STEPS: u32 = 100;

/// Bots whose ratings differ by no more, in rating points, are level.
pub(super) const LEVEL: f64 = 1e-6;

/// Counts results, in any order, until their ratings are asked for. What it holds grows with the number of sides that
/// have met.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    bots: usize,
    sides: Sides,
    /// How often a side lost to, drew with and beat another. The side with the lesser bots comes first.
    counts: HashMap<Meeting, [u32; 3]>,
}

/// Two sides that were compared, by their numbers, and how much of a game that was worth.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Meeting {
    sides: [u32; 2],
    weight: Weight,
}

/// The sides that were compared, with numbers: a bot alone has its own, and teams have those behind all bots.
#[derive(Clone, Debug)]
struct Sides {
    /// All bots.
    bots: Vec<usize>,
    /// Their bots in ascending order.
    teams: Vec<Arc<[usize]>>,
    numbers: HashMap<Arc<[usize]>, u32>,
}

impl Sides {
    fn of(bots: usize) -> Self {
        Sides {
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
            sides: Sides::of(bots),
            counts: HashMap::new(),
        }
    }

    /// Counts a result.
    ///
    /// # Panics
    /// When an entrant is none of the bots.
    pub fn take(&mut self, result: &Compared) {
        let Compared {
            all,
            parties,
            scores,
            weight,
        } = result;
        assert!(
            all.iter().all(|bot| bot.entrant < self.bots),
            "entrants are the batch's bots"
        );
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

    /// The ratings, by bot: 1500 on average, and 1500 for who has not played.
    pub fn ratings(&self) -> Vec<f64> {
        let newcomer = Rating::default();
        let strengths = self.game_list().most_likely(self.bots);
        let strengths = strengths.into_iter();
        strengths
            .map(|strength| newcomer.rating + SCALE * strength)
            .collect()
    }

    /// The counts in an order of their own, for sums of floating-point numbers depend on it.
    fn game_list(&self) -> Games<'_> {
        let game = |(meeting, [lost, drawn, won]): (&Meeting, &[u32; 3])| {
            let [lost, drawn, won] = [*lost, *drawn, *won].map(u64::from);
            let weight = meeting.weight.value();
            let game = Game {
                sides: meeting.sides,
                weight: weight * (lost + drawn + won) as f64,
                won: weight * (won as f64 + drawn as f64 / 2.0),
            };
            (meeting.weight, game)
        };
        let mut games: Vec<_> = self.counts.iter().map(game).collect();
        let key = |(weight, game): &(Weight, Game)| {
            (game.sides.map(|side| self.sides.order(side)), *weight)
        };
        games.sort_unstable_by(|one, other| key(one).cmp(&key(other)));
        Games {
            sides: &self.sides,
            games: games.into_iter().map(|(_, game)| game).collect(),
        }
    }
}

/// All games of one side against another.
struct Game {
    sides: [u32; 2],
    /// How many games.
    weight: f64,
    /// The points of the first side.
    won: f64,
}

struct Games<'a> {
    sides: &'a Sides,
    games: Vec<Game>,
}

impl Games<'_> {
    /// By how much the first side is stronger; a side is as strong as its bots are on average.
    fn difference(&self, game: &Game, strengths: &[f64]) -> f64 {
        let [first, second] = game.sides.map(|side| {
            let bots = self.sides.bots(side);
            let sum: f64 = bots.iter().map(|&bot| strengths[bot]).sum();
            sum / bots.len() as f64
        });
        first - second
    }

    /// Adds so much for the first side, and as much against the second, to each of their bots' parts.
    fn add(&self, game: &Game, amount: f64, to: &mut [f64]) {
        for (side, amount) in game.sides.into_iter().zip([amount, -amount]) {
            let bots = self.sides.bots(side);
            bots.iter()
                .for_each(|&bot| to[bot] += amount / bots.len() as f64);
        }
    }

    /// The strengths at which results and prior together are most likely: by Newton's method, whose steps are cut to
    /// ln(1 + r) / r where they change a difference by r. That never overshoots a logistic likelihood (Bach,
    /// "Self-concordant analysis for logistic regression", 2010), and there is one maximum only.
    fn most_likely(&self, bots: usize) -> Vec<f64> {
        let prior = (SCALE / Rating::default().deviation).powi(2);
        let mut strengths = vec![0.0; bots];
        for _ in 0..MAX_STEPS {
            let mut slope: Vec<f64> = strengths.iter().map(|strength| -prior * strength).collect();
            let mut information = Vec::with_capacity(self.games.len());
            for game in &self.games {
                let expected = 1.0 / (1.0 + (-self.difference(game, &strengths)).exp());
                self.add(game, game.won - game.weight * expected, &mut slope);
                information.push(game.weight * expected * (1.0 - expected));
            }
            let step = self.solved(prior, &information, slope);
            let reach = self.games.iter();
            let reach = reach.map(|game| self.difference(game, &step).abs());
            let reach = reach.fold(0.0, f64::max);
            let part = if reach > 0.0 {
                reach.ln_1p() / reach
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

    /// Solves (information + prior) x = right, by conjugate gradients (Hestenes and Stiefel, 1952).
    fn solved(&self, prior: f64, information: &[f64], right: Vec<f64>) -> Vec<f64> {
        conjugate_gradients(right, TOLERANCE * TOLERANCE, |direction| {
            let mut ahead: Vec<f64> = direction.iter().map(|part| prior * part).collect();
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
    use crate::placing::compared;
    use crate::testing::{in_teams, ranked, scored};
    use crate::{Scored, Seating};

    fn rated(bots: usize, seating: &Seating, results: &[Scored]) -> Vec<f64> {
        let mut batch = Batch::new(bots);
        results
            .iter()
            .for_each(|result| batch.take(&compared(result, seating)));
        batch.ratings()
    }

    fn of_two(bots: usize, results: &[Scored]) -> Vec<f64> {
        rated(bots, &Seating::single(2), results)
    }

    /// A match as the formulas of `docs/ratings.md` have it: the bots and the place of every side.
    fn sides(result: &Scored, seating: &Seating) -> Vec<(Vec<usize>, u8)> {
        let mut sides: Vec<(Vec<usize>, u8)> = Vec::new();
        for of in 0..result.pairing.seats.len() as u8 {
            let seats = (0..).zip(result.seats());
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
    fn by_ascent(bots: usize, seating: &Seating, results: &[Scored]) -> Vec<f64> {
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
        let results: Vec<Scored> = (0..40)
            .map(|at| scored(at / 2, [0, 1], if at < 20 { 2 } else { 0 }))
            .collect();
        let ratings = of_two(2, &results);
        assert!(close(&ratings, &[1500.0; 2], 1e-9), "{ratings:?}");
        // The circle: each beats the next.
        let circle: Vec<Scored> = (0..7)
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
        assert_eq!(Batch::new(2).ratings(), [1500.0; 2]);
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

    fn results(bots: usize, seats: usize) -> impl Strategy<Value = Vec<Scored>> {
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
                let places: Vec<u8> = result.result.places().into_iter().rev().collect();
                result.result.seats.iter_mut().zip(places).for_each(|(seat, place)| seat.place = place);
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
