//! Glicko-2 ratings from results, in rating periods: one for each round of a schedule. Pure; where
//! the results come from, and what is shown of them, is not its business.
//!
//! Glickman, "Example of the Glicko-2 system" (2022), glicko.net/glicko/glicko2.pdf. All games of
//! a period are rated at once, from the ratings before it: their order within it means nothing,
//! and the order in which matches happen to be completed never comes in.

use serde::Serialize;
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};

use crate::Scored;

/// The system constant τ: how much the volatility may change; the paper's own choice.
pub const SYSTEM_CONSTANT: f64 = 0.5;

/// How many deviations lie to each side of a rating in its 95 % interval.
const INTERVAL_DEVIATIONS: f64 = 1.96;

/// Where the search for the volatility ends: finer than the paper's 1e-6, for folding hundreds of
/// periods without carrying its error along.
const CONVERGENCE: f64 = 1e-9;

/// A rating. The default is a newcomer's: 1500, deviation 350, volatility 0.06.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The rating: 400 more means ten times the chance to win.
    pub rating: f64,
    /// The rating's standard deviation, never over a newcomer's 350.
    pub deviation: f64,
    /// How much the rating is expected to move in a period.
    pub volatility: f64,
}

/// Ratings of players that results are folded into, in order of their rounds.
#[derive(Clone, Debug)]
pub struct Ladder {
    ratings: Vec<Rating>,
    /// The round whose games are being gathered.
    round: Option<u32>,
    /// The games of that round, each twice: as either player sees it.
    games: Vec<Game>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Game {
    player: usize,
    opponent: usize,
    score: Score,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Score {
    Loss,
    Draw,
    Win,
}

/// Why results cannot be rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatingError {
    /// A match of another number of seats than two.
    #[error("ratings are for matches of two seats, and match {index} has {seats}")]
    Seats {
        /// The match's index.
        index: u64,
        /// How many seats it has.
        seats: usize,
    },
    /// A round after a later one.
    #[error("match {index} of round {round} comes after a later round")]
    Order {
        /// The match's index.
        index: u64,
        /// Its round.
        round: u32,
    },
}

/// The ratings after a tournament, by entrant.
///
/// # Errors
/// When the results are not in order of rounds, or not of two seats.
pub fn rate<'a>(
    players: usize,
    results: impl IntoIterator<Item = &'a Scored>,
) -> Result<Vec<Rating>, RatingError> {
    let mut ladder = Ladder::new(players);
    for result in results {
        ladder.take(result)?;
    }
    Ok(ladder.into_ratings())
}

impl Ladder {
    /// So many newcomers.
    pub fn new(players: usize) -> Self {
        Ladder {
            ratings: vec![Rating::default(); players],
            round: None,
            games: Vec::new(),
        }
    }

    /// Takes a result; the results of a round in any order, the rounds in theirs. Rounds that were
    /// left out count as periods in which nobody played.
    ///
    /// # Errors
    /// When the result is not of two seats, or of an earlier round.
    ///
    /// # Panics
    /// When an entrant is none of the ladder's players.
    pub fn take(&mut self, result: &Scored) -> Result<(), RatingError> {
        let Scored {
            index,
            round,
            seats,
            ..
        } = result;
        let [one, other] = &seats[..] else {
            return Err(RatingError::Seats {
                index: *index,
                seats: seats.len(),
            });
        };
        self.turn_to(*round).map_err(|()| RatingError::Order {
            index: *index,
            round: *round,
        })?;
        let score = match one.place.cmp(&other.place) {
            std::cmp::Ordering::Less => Score::Win,
            std::cmp::Ordering::Equal => Score::Draw,
            std::cmp::Ordering::Greater => Score::Loss,
        };
        let (player, opponent) = (one.entrant, other.entrant);
        assert!(
            player.max(opponent) < self.ratings.len(),
            "entrants are the ladder's players"
        );
        self.games.push(Game {
            player,
            opponent,
            score,
        });
        self.games.push(Game {
            player: opponent,
            opponent: player,
            score: score.reversed(),
        });
        Ok(())
    }

    /// Ends a tournament: the next result is of the first round of another one.
    pub fn end_tournament(&mut self) {
        if self.round.take().is_some() {
            self.end_period();
        }
    }

    /// The ratings after all that was taken.
    pub fn into_ratings(mut self) -> Vec<Rating> {
        self.end_tournament();
        self.ratings
    }

    fn turn_to(&mut self, round: u32) -> Result<(), ()> {
        let empty = match self.round {
            Some(current) if round < current => return Err(()),
            Some(current) if round == current => return Ok(()),
            Some(current) => {
                self.end_period();
                round - current - 1
            }
            None => round,
        };
        self.round = Some(round);
        for _ in 0..empty {
            // Nothing widens any more once everybody is as little known as a newcomer.
            if self
                .ratings
                .iter()
                .all(|rating| rating.deviation >= Rating::default().deviation)
            {
                break;
            }
            self.end_period();
        }
        Ok(())
    }

    /// Rates the games of a period, all from the ratings before it. Who played nothing in it keeps
    /// its rating, and its deviation widens.
    fn end_period(&mut self) {
        // Sums of floating-point numbers depend on their order, so the order is made one.
        self.games.sort_unstable();
        let before = self.ratings.clone();
        let mut games = self
            .games
            .chunk_by(|one, next| one.player == next.player)
            .peekable();
        let mut results = Vec::new();
        for (player, rating) in self.ratings.iter_mut().enumerate() {
            results.clear();
            if let Some(games) = games.next_if(|games| games[0].player == player) {
                results.extend(
                    games
                        .iter()
                        .map(|g| (before[g.opponent].into(), g.score.into())),
                );
            }
            *rating = rating.after(&results);
        }
        self.games.clear();
    }
}

impl Rating {
    /// The bounds of the 95 % interval.
    pub fn interval(&self) -> (f64, f64) {
        let half = INTERVAL_DEVIATIONS * self.deviation;
        (self.rating - half, self.rating + half)
    }

    fn after(&self, results: &[(Glicko2Rating, Outcomes)]) -> Rating {
        let config = Glicko2Config {
            tau: SYSTEM_CONSTANT,
            convergence_tolerance: CONVERGENCE,
        };
        let after = glicko2_rating_period(&(*self).into(), results, &config);
        Rating {
            rating: after.rating,
            deviation: after.deviation.min(Rating::default().deviation),
            volatility: after.volatility,
        }
    }
}

impl Default for Rating {
    fn default() -> Self {
        Rating {
            rating: 1500.0,
            deviation: 350.0,
            volatility: 0.06,
        }
    }
}

impl From<Rating> for Glicko2Rating {
    fn from(
        Rating {
            rating,
            deviation,
            volatility,
        }: Rating,
    ) -> Self {
        Glicko2Rating {
            rating,
            deviation,
            volatility,
        }
    }
}

impl Score {
    fn reversed(self) -> Score {
        match self {
            Score::Loss => Score::Win,
            Score::Draw => Score::Draw,
            Score::Win => Score::Loss,
        }
    }
}

impl From<Score> for Outcomes {
    fn from(score: Score) -> Self {
        match score {
            Score::Loss => Outcomes::LOSS,
            Score::Draw => Outcomes::DRAW,
            Score::Win => Outcomes::WIN,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::scored;

    /// Glicko-2 once more, written step by step from Glickman, "Example of the Glicko-2 system"
    /// (2022), with bisection in place of its search in step 5.
    mod plain {
        use std::f64::consts::PI;

        use super::Rating;

        /// Step 2's scale.
        const SCALE: f64 = 173.7178;

        pub(super) fn period(player: Rating, games: &[(Rating, f64)], tau: f64) -> Rating {
            let (mu, phi, sigma) = (
                (player.rating - 1500.0) / SCALE,
                player.deviation / SCALE,
                player.volatility,
            );
            if games.is_empty() {
                // The end of step 8; the cap is ours.
                let deviation = SCALE * (phi * phi + sigma * sigma).sqrt();
                return Rating {
                    deviation: deviation.min(350.0),
                    ..player
                };
            }
            // Steps 3 and 4.
            let g = |phi: f64| 1.0 / (1.0 + 3.0 * phi * phi / (PI * PI)).sqrt();
            let (mut inverse_v, mut sum) = (0.0, 0.0);
            for (opponent, score) in games {
                let (mu_j, phi_j) = (
                    (opponent.rating - 1500.0) / SCALE,
                    opponent.deviation / SCALE,
                );
                let e = 1.0 / (1.0 + (-g(phi_j) * (mu - mu_j)).exp());
                inverse_v += g(phi_j).powi(2) * e * (1.0 - e);
                sum += g(phi_j) * (score - e);
            }
            let v = 1.0 / inverse_v;
            let delta = v * sum;
            // Step 5.
            let f = |x: f64| {
                let ex = x.exp();
                ex * (delta * delta - phi * phi - v - ex) / (2.0 * (phi * phi + v + ex).powi(2))
                    - (x - (sigma * sigma).ln()) / (tau * tau)
            };
            let (mut low, mut high) = (-60.0, 60.0);
            for _ in 0..200 {
                let middle = (low + high) / 2.0;
                if f(middle) > 0.0 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let sigma = (low / 2.0).exp();
            // Steps 6, 7 and 8.
            let phi_star = (phi * phi + sigma * sigma).sqrt();
            let phi = 1.0 / (1.0 / (phi_star * phi_star) + inverse_v).sqrt();
            Rating {
                rating: SCALE * (mu + phi * phi * sum) + 1500.0,
                deviation: (SCALE * phi).min(350.0),
                volatility: sigma,
            }
        }

        /// All periods of a tournament; games as (round, player, opponent, half points).
        pub(super) fn fold(players: usize, games: &[(u32, usize, usize, u8)]) -> Vec<Rating> {
            let mut ratings = vec![Rating::default(); players];
            let last = games.iter().map(|game| game.0).max();
            for round in 0..last.map_or(0, |last| last + 1) {
                let before = ratings.clone();
                for (player, rating) in ratings.iter_mut().enumerate() {
                    let of_round = games.iter().filter(|game| game.0 == round);
                    let results: Vec<(Rating, f64)> = of_round
                        .filter_map(|&(_, one, other, score)| match () {
                            () if one == player => Some((before[other], f64::from(score) / 2.0)),
                            () if other == player => {
                                Some((before[one], f64::from(2 - score) / 2.0))
                            }
                            () => None,
                        })
                        .collect();
                    *rating = period(before[player], &results, 0.5);
                }
            }
            ratings
        }
    }

    fn assert_near(ours: &[Rating], theirs: &[Rating]) {
        for (one, other) in ours.iter().zip(theirs) {
            let far = (one.rating - other.rating)
                .abs()
                .max((one.deviation - other.deviation).abs());
            assert!(far < 1e-6, "{one:?} {other:?}");
            assert!(
                (one.volatility - other.volatility).abs() < 1e-6,
                "{one:?} {other:?}"
            );
        }
        assert_eq!(ours.len(), theirs.len());
    }

    fn start(ratings: &[(f64, f64)]) -> Ladder {
        let mut ladder = Ladder::new(ratings.len());
        for (rating, &(at, deviation)) in ladder.ratings.iter_mut().zip(ratings) {
            (rating.rating, rating.deviation) = (at, deviation);
        }
        ladder
    }

    #[test]
    fn the_papers_example_comes_out_to_its_printed_digits() {
        let mut ladder = start(&[
            (1500.0, 200.0),
            (1400.0, 30.0),
            (1550.0, 100.0),
            (1700.0, 300.0),
        ]);
        for (opponent, score) in [(1, 2), (2, 0), (3, 0)] {
            ladder.take(&scored(0, [0, opponent], score)).unwrap();
        }
        let player = ladder.into_ratings()[0];
        // On its own scale the paper prints μ' = -0.2069 and φ' = 0.8722, and turns these, rounded,
        // back into 1464.06 and 151.52; without rounding on the way the rating is 1464.0507. Of the
        // volatility, 0.059996, it prints 0.05999.
        let (mu, phi) = (
            (player.rating - 1500.0) / 173.7178,
            player.deviation / 173.7178,
        );
        assert_eq!(format!("{mu:.4} {phi:.4}"), "-0.2069 0.8722");
        assert_eq!(format!("{:.6}", player.volatility), "0.059996");
        assert_eq!(format!("{:.2}", 173.7178 * -0.2069 + 1500.0), "1464.06");
        assert_eq!(
            format!("{:.4} {:.2}", player.rating, player.deviation),
            "1464.0507 151.52"
        );
        // The same from the implementation that ours is compared with.
        let of = |rating, deviation| Rating {
            rating,
            deviation,
            ..Rating::default()
        };
        let games = [
            (of(1400.0, 30.0), 1.0),
            (of(1550.0, 100.0), 0.0),
            (of(1700.0, 300.0), 0.0),
        ];
        assert_near(
            &[player],
            &[plain::period(of(1500.0, 200.0), &games, SYSTEM_CONSTANT)],
        );
    }

    #[test]
    fn who_does_not_play_in_a_period_is_known_less_after_it() {
        let mut ladder = start(&[
            (1500.0, 200.0),
            (1500.0, 200.0),
            (1623.0, 50.0),
            (1400.0, 349.99),
        ]);
        ladder.take(&scored(0, [0, 1], 2)).unwrap();
        let ratings = ladder.into_ratings();
        let widened = (50.0f64.powi(2) + (0.06f64 * 173.7178).powi(2)).sqrt();
        assert!(
            (ratings[2].deviation - widened).abs() < 1e-9,
            "{:?}",
            ratings[2]
        );
        assert_eq!((ratings[2].rating, ratings[2].volatility), (1623.0, 0.06));
        assert_eq!(
            ratings[3].deviation, 350.0,
            "nobody is known less than a newcomer"
        );
        assert!(ratings[0].deviation < 200.0);
    }

    #[test]
    fn a_round_without_results_is_a_period_for_all() {
        let results = [scored(0, [0, 1], 2), scored(3, [0, 1], 2)];
        let games = [(0, 0, 1, 2), (3, 0, 1, 2)];
        assert_near(&rate(3, &results).unwrap(), &plain::fold(3, &games));
        // A damaged round number must not cost four thousand million periods.
        let far = [scored(0, [0, 1], 2), scored(u32::MAX, [0, 1], 2)];
        assert!(rate(2, &far).unwrap()[0].deviation <= 350.0);
    }

    #[test]
    fn what_cannot_be_rated_is_an_error() {
        let mut three = scored(0, [0, 1], 2);
        three.seats.push(three.seats[0].clone());
        assert!(matches!(
            rate(2, &[three]),
            Err(RatingError::Seats { seats: 3, .. })
        ));
        let unordered = [scored(1, [0, 1], 2), scored(0, [0, 1], 2)];
        assert!(matches!(
            rate(2, &unordered),
            Err(RatingError::Order { round: 0, .. })
        ));
        assert_eq!(rate(2, &[]).unwrap(), [Rating::default(); 2]);
    }

    #[test]
    fn another_tournament_begins_with_a_period_of_its_own() {
        let mut ladder = Ladder::new(3);
        ladder.take(&scored(0, [0, 1], 2)).unwrap();
        ladder.take(&scored(1, [0, 1], 1)).unwrap();
        ladder.end_tournament();
        ladder.take(&scored(0, [1, 2], 2)).unwrap();
        let games = [(0, 0, 1, 2), (1, 0, 1, 1), (2, 1, 2, 2)];
        assert_near(&ladder.into_ratings(), &plain::fold(3, &games));
    }

    #[test]
    fn the_interval_is_1_96_deviations_to_each_side() {
        let rating = Rating {
            rating: 1500.0,
            deviation: 50.0,
            volatility: 0.06,
        };
        assert_eq!(rating.interval(), (1402.0, 1598.0));
    }

    #[test]
    fn the_strongest_and_the_weakest_stay_finite_over_many_rounds() {
        for (games_of_round, rounds) in [(1, 5_000), (20, 1_000), (1_000, 100)] {
            let mut ladder = Ladder::new(3);
            for round in 0..rounds {
                for _ in 0..games_of_round {
                    ladder.take(&scored(round, [0, 1], 2)).unwrap();
                    ladder.take(&scored(round, [2, 1], 2)).unwrap();
                }
            }
            for rating in ladder.into_ratings() {
                assert!(rating.rating.abs() < 10_000.0, "{rating:?}");
                assert!((0.1..=350.0).contains(&rating.deviation), "{rating:?}");
                assert!((1e-6..1.0).contains(&rating.volatility), "{rating:?}");
            }
        }
    }

    /// Games of some players over some rounds, in order of rounds.
    fn games() -> impl Strategy<Value = Vec<(u32, usize, usize, u8)>> {
        let game = (0u32..12, 0usize..6, 1usize..6, 0u8..=2);
        prop::collection::vec(game, 0..120).prop_map(|mut games| {
            games
                .iter_mut()
                .for_each(|game| game.2 = (game.1 + game.2) % 6);
            games.sort_by_key(|game| game.0);
            games
        })
    }

    fn results(games: &[(u32, usize, usize, u8)]) -> Vec<Scored> {
        games
            .iter()
            .map(|&(round, one, other, score)| scored(round, [one, other], score))
            .collect()
    }

    proptest! {
        #[test]
        fn two_implementations_agree(games in games()) {
            assert_near(&rate(6, &results(&games)).unwrap(), &plain::fold(6, &games));
        }

        #[test]
        fn the_order_within_a_round_does_not_matter_to_the_last_bit(games in games(), seed in any::<u64>()) {
            let mut shuffled = games.clone();
            shuffled.sort_by_key(|&(round, one, other, score)| {
                (round, (one * 31 + other * 7 + usize::from(score)) as u64 ^ seed)
            });
            let reversed: Vec<_> = shuffled.iter().map(|&(r, one, other, score)| (r, other, one, 2 - score)).collect();
            let ratings = rate(6, &results(&games)).unwrap();
            prop_assert_eq!(&ratings, &rate(6, &results(&shuffled)).unwrap());
            prop_assert_eq!(&ratings, &rate(6, &results(&reversed)).unwrap());
        }

        #[test]
        fn the_numbers_of_the_players_do_not_matter(games in games(), turn in 0usize..6) {
            let renamed: Vec<_> = games.iter().map(|&(r, one, other, s)| (r, (one + turn) % 6, (other + turn) % 6, s)).collect();
            let mut ratings = rate(6, &results(&renamed)).unwrap();
            ratings.rotate_left(turn);
            assert_near(&rate(6, &results(&games)).unwrap(), &ratings);
        }

        #[test]
        fn who_wins_where_the_other_loses_stands_as_far_above_as_the_other_below(scores in prop::collection::vec(0u8..=2, 1..20)) {
            let results: Vec<Scored> = (0..).zip(&scores).map(|(round, &score)| scored(round, [0, 1], score)).collect();
            let ratings = rate(2, &results).unwrap();
            prop_assert!((ratings[0].rating + ratings[1].rating - 3000.0).abs() < 1e-6);
            prop_assert!((ratings[0].deviation - ratings[1].deviation).abs() < 1e-6);
        }
    }
}
