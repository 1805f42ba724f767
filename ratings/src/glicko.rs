//! Glicko-2 ratings from results, in rating periods: one for each round of a schedule. Pure; where
//! the results come from, and what is shown of them, is not its business.
//!
//! Glickman, "Example of the Glicko-2 system" (2022), glicko.net/glicko/glicko2.pdf. All games of
//! a period are rated at once, from the ratings before it: their order within it means nothing,
//! and the order in which matches happen to be completed never comes in.
//!
//! A match of more than two bots is taken as the comparisons of every two of them, each worth a
//! part of a game, for they hang together. Where several bots are on one side, the sides are compared, each as
//! strong as its bots are on average. `docs/reference/ratings.md` tells how and why.

pub(super) mod weighted;

use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};

use crate::numbers::hundredths;
use crate::outcome::Outcome;
use crate::pairwise::{BotPlace, MatchComparison, Score, Weight, compared};
use crate::rating::{CONVERGENCE, INTERVAL_DEVIATIONS, Rating, SYSTEM_CONSTANT};
use crate::seating::{MAX_SEATS, Seating};
pub use weighted::SCALE;
use weighted::WeightedGame;

/// Ratings of players that results are folded into, in order of their rounds.
#[derive(Clone, Debug)]
pub struct RatingPeriods {
    ratings: Vec<Rating>,
    /// How the bots sit in the matches that are being taken.
    seating: Seating,
    /// The round whose games are being gathered.
    round: Option<u32>,
    /// The games of that round, each twice: as either player sees it.
    games: Vec<RatedGame>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RatedGame {
    player: usize,
    opponent: Opponent,
    score: Score,
    /// The part of a game that it is worth.
    weight: Weight,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Opponent {
    Bot(usize),
    Sides(Sides),
}

/// The bots of two sides but one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sides {
    /// First the partners, ascending, and then the rivals.
    bots: Box<[usize]>,
    /// How many of them are partners.
    partners: usize,
}

/// Why results cannot be rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatingError {
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
/// When the results are not in order of rounds.
pub fn rate<'a>(
    players: usize,
    results: impl IntoIterator<Item = &'a (impl Outcome + 'a)>,
) -> Result<Vec<Rating>, RatingError> {
    let mut ladder = RatingPeriods::new(players);
    for result in results {
        ladder.take(result)?;
    }
    Ok(ladder.into_ratings())
}

impl RatingPeriods {
    /// So many newcomers, each of whom plays for itself.
    pub fn new(players: usize) -> Self {
        RatingPeriods {
            ratings: vec![Rating::default(); players],
            seating: Seating::single(MAX_SEATS as u8),
            round: None,
            games: Vec::new(),
        }
    }

    /// Ends the tournament before, if there was one: the results that come now are of matches with this seating.
    pub fn begin_tournament(&mut self, seating: &Seating) {
        self.end_tournament();
        self.seating = *seating;
    }

    /// Takes a result; the results of a round in any order, the rounds in theirs. Rounds that were
    /// left out count as periods in which nobody played.
    ///
    /// # Errors
    /// When the result is of an earlier round.
    ///
    /// # Panics
    /// When an entrant is none of the ladder's players.
    pub fn take(&mut self, result: &impl Outcome) -> Result<(), RatingError> {
        let compared = compared(result, &self.seating);
        self.take_compared((result.index(), result.round()), &compared)
    }

    /// The same of a result that is compared already, of the match with this index and round.
    ///
    /// # Errors
    /// When the result is of an earlier round.
    ///
    /// # Panics
    /// When an entrant is none of the players.
    pub fn take_compared(
        &mut self,
        (index, round): (u64, u32),
        compared: &MatchComparison,
    ) -> Result<(), RatingError> {
        self.turn_to(round)
            .map_err(|()| RatingError::Order { index, round })?;
        let MatchComparison {
            all,
            parties,
            scores,
            weight,
        } = compared;
        assert!(
            all.iter().all(|bot| bot.entrant < self.ratings.len()),
            "entrants are the ladder's players"
        );
        let is_single = all.iter().filter(|bot| !bot.is_away).count() == parties.len();
        for &(own, rival, score) in scores {
            let (own, rival) = (&parties[own], &parties[rival]);
            let of_side = all.iter().filter(|bot| bot.side == own.side);
            self.games.extend(of_side.map(|bot| RatedGame {
                player: bot.entrant,
                opponent: if is_single {
                    Opponent::Bot(rival.entrant)
                } else {
                    Opponent::Sides(Sides::of(bot, rival, all))
                },
                score,
                weight: *weight,
            }));
        }
        Ok(())
    }

    /// Ends a tournament: the next result is of the first round of another one.
    pub fn end_tournament(&mut self) {
        if self.round.take().is_some() {
            self.end_period();
        }
    }

    /// The ratings after the last period that has ended.
    pub fn ratings(&self) -> &[Rating] {
        &self.ratings
    }

    /// The round whose results are being taken.
    pub fn round(&self) -> Option<u32> {
        self.round
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
        for (player, rating) in self.ratings.iter_mut().enumerate() {
            let games = games.next_if(|games| games[0].player == player);
            *rating = rating.after(games.unwrap_or(&[]), &before);
        }
        self.games.clear();
    }
}

impl Sides {
    /// Those of a bot and of one of its rivals, among the bots of their match.
    fn of(own: &BotPlace, rival: &BotPlace, all: &[BotPlace]) -> Self {
        let on = |side: u8| {
            let bots = all.iter().filter(move |bot| bot.side == side);
            let others = bots.filter(|bot| bot.entrant != own.entrant);
            let mut others: Vec<usize> = others.map(|bot| bot.entrant).collect();
            others.sort_unstable();
            others
        };
        let (partners, rivals) = (on(own.side), on(rival.side));
        Sides {
            bots: [&partners[..], &rivals].concat().into(),
            partners: partners.len(),
        }
    }

    /// By how much the strength of its side rises with that of a bot.
    fn reach(&self) -> f64 {
        1.0 / (self.partners + 1) as f64
    }

    /// The opponent that a bot has in what its rivals are stronger than its partners, both times their part of the
    /// strength of a side.
    fn opponent(&self, before: &[Rating]) -> Rating {
        let newcomer = Rating::default();
        let (mut rating, mut variance) = (newcomer.rating, 0.0);
        let (partners, rivals) = self.bots.split_at(self.partners);
        let parts = [
            (rivals, 1.0 / rivals.len() as f64),
            (partners, -self.reach()),
        ];
        for (bots, part) in parts {
            for bot in bots.iter().map(|&bot| before[bot]) {
                rating += part * (bot.rating - newcomer.rating);
                variance += (part * bot.deviation).powi(2);
            }
        }
        Rating {
            rating,
            deviation: variance.sqrt(),
            ..newcomer
        }
    }
}

impl RatedGame {
    fn comparison(&self, before: &[Rating]) -> WeightedGame {
        let (opponent, reach) = match &self.opponent {
            Opponent::Bot(bot) => (before[*bot], 1.0),
            Opponent::Sides(sides) => (sides.opponent(before), sides.reach()),
        };
        WeightedGame {
            opponent,
            reach,
            score: self.score.points(),
            weight: self.weight.value(),
        }
    }

    /// The opponent and the outcome of a game of two bots.
    fn of_two(&self, before: &[Rating]) -> Option<(Glicko2Rating, Outcomes)> {
        match self.opponent {
            Opponent::Bot(bot) if self.weight == Weight::ONE => {
                Some((before[bot].into(), self.score.into()))
            }
            _ => None,
        }
    }
}

impl Rating {
    /// The bounds of the 95 % interval.
    pub fn interval(&self) -> (f64, f64) {
        let half = INTERVAL_DEVIATIONS * self.deviation;
        (self.rating - half, self.rating + half)
    }

    /// The rating, its deviation and the bounds of its interval, rounded to hundredths as tables show them.
    pub fn rounded(&self) -> [f64; 4] {
        let (low, high) = self.interval();
        [self.rating, self.deviation, low, high].map(hundredths)
    }

    /// The rating after a period with these games, against opponents rated so before it.
    fn after(&self, games: &[RatedGame], before: &[Rating]) -> Rating {
        let results: Option<Vec<_>> = games.iter().map(|game| game.of_two(before)).collect();
        let Some(results) = results else {
            let comparisons: Vec<_> = games.iter().map(|game| game.comparison(before)).collect();
            return weighted::period(*self, &comparisons);
        };
        let config = Glicko2Config {
            tau: SYSTEM_CONSTANT,
            convergence_tolerance: CONVERGENCE,
        };
        let after = glicko2_rating_period(&(*self).into(), &results, &config);
        Rating {
            rating: after.rating,
            deviation: after.deviation.min(Rating::default().deviation),
            volatility: after.volatility,
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
    fn points(self) -> f64 {
        match self {
            Score::Loss => 0.0,
            Score::Draw => 0.5,
            Score::Win => 1.0,
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
    use crate::outcome::RankedMatch;
    use crate::testing::{in_teams, ranked, scored};

    /// Glicko-2 once more, written step by step from Glickman, "Example of the Glicko-2 system"
    /// (2022), with bisection in place of its search in step 5.
    mod plain {
        use std::f64::consts::PI;

        use crate::rating::Rating;

        /// Step 2's scale.
        const SCALE: f64 = 173.7178;

        pub(super) fn period(player: Rating, games: &[(Rating, f64)], tau: f64) -> Rating {
            let alone = |&(opponent, score): &(Rating, f64)| (opponent, 1.0, score);
            steps(player, &games.iter().map(alone).collect::<Vec<_>>(), tau)
        }

        /// A game is an opponent, over how many points of the rating the difference to it is spread, and a score.
        fn steps(player: Rating, games: &[(Rating, f64, f64)], tau: f64) -> Rating {
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
            for (opponent, size, score) in games {
                let (mu_j, phi_j) = (
                    (opponent.rating - 1500.0) / SCALE,
                    opponent.deviation / SCALE,
                );
                let e = 1.0 / (1.0 + (-g(phi_j) * (mu - mu_j) / size).exp());
                inverse_v += (g(phi_j) / size).powi(2) * e * (1.0 - e);
                sum += g(phi_j) / size * (score - e);
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

        /// The same for a player of a side: games as the sides, the player's own first, and its score. A side is as
        /// strong as its players are on average.
        pub(super) fn period_of_sides(
            player: usize,
            ratings: &[Rating],
            games: &[([Vec<usize>; 2], f64)],
            tau: f64,
        ) -> Rating {
            let mu = |of: usize| (ratings[of].rating - 1500.0) / SCALE;
            let mean =
                |side: &[usize]| side.iter().map(|&of| mu(of)).sum::<f64>() / side.len() as f64;
            // In units of the player's part of its side, it plays alone against all that the others add up to.
            let as_of_two = games.iter().map(|([own, rivals], score)| {
                let size = own.len() as f64;
                let others = mean(rivals) - (mean(own) - mu(player) / size);
                let variance = |side: &[usize]| -> f64 {
                    let all = side.iter().filter(|&&of| of != player);
                    let squares = all.map(|&of| (ratings[of].deviation / SCALE).powi(2));
                    squares.sum::<f64>() / (side.len() as f64).powi(2)
                };
                let phi = (variance(own) + variance(rivals)).sqrt();
                let opponent = Rating {
                    rating: 1500.0 + SCALE * size * others,
                    deviation: SCALE * phi,
                    volatility: 0.0,
                };
                (opponent, size, *score)
            });
            steps(ratings[player], &as_of_two.collect::<Vec<_>>(), tau)
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

    fn start(ratings: &[(f64, f64)]) -> RatingPeriods {
        let mut ladder = RatingPeriods::new(ratings.len());
        for (rating, &(at, deviation)) in ladder.ratings.iter_mut().zip(ratings) {
            (rating.rating, rating.deviation, rating.volatility) = (at, deviation, 0.06);
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
            volatility: 0.06,
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
        let unordered = [scored(1, [0, 1], 2), scored(0, [0, 1], 2)];
        assert!(matches!(
            rate(2, &unordered),
            Err(RatingError::Order { round: 0, .. })
        ));
        assert_eq!(
            rate(2, &[] as &[RankedMatch]).unwrap(),
            [Rating::default(); 2]
        );
    }

    #[test]
    fn another_tournament_begins_with_a_period_of_its_own() {
        let mut ladder = RatingPeriods::new(3);
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
            let mut ladder = RatingPeriods::new(3);
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

    fn results(games: &[(u32, usize, usize, u8)]) -> Vec<RankedMatch> {
        games
            .iter()
            .map(|&(round, one, other, score)| scored(round, [one, other], score))
            .collect()
    }

    #[test]
    fn a_match_of_many_says_less_than_all_its_pairs() {
        let many = rate(4, &[ranked(0, &[(0, 1), (1, 2), (2, 3), (3, 4)])]).unwrap();
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let apart: Vec<RankedMatch> = pairs
            .iter()
            .map(|&(one, other)| scored(0, [one, other], 2))
            .collect();
        let apart = rate(4, &apart).unwrap();
        assert!(many[0].deviation > apart[0].deviation && many[0].rating < apart[0].rating);
        let one_game = rate(4, &[scored(0, [0, 1], 2)]).unwrap();
        assert!(many[0].deviation < one_game[0].deviation);
    }

    #[test]
    fn a_team_of_copies_plays_one_game() {
        let team = rate(2, &[ranked(0, &[(0, 1), (1, 3), (0, 1), (1, 3)])]).unwrap();
        assert_eq!(team, rate(2, &[scored(0, [0, 1], 2)]).unwrap());
    }

    fn rate_teams(players: usize, seats: u8, results: &[RankedMatch]) -> Vec<Rating> {
        let mut ladder = RatingPeriods::new(players);
        ladder.begin_tournament(&in_teams(seats));
        results
            .iter()
            .for_each(|result| ladder.take(result).unwrap());
        ladder.into_ratings()
    }

    /// Matches of teams, as who sits where and how many half points the first seat's side has.
    fn matches_of_teams() -> impl Strategy<Value = Vec<(Vec<usize>, u8)>> {
        let order = Just((0..8).collect::<Vec<usize>>()).prop_shuffle();
        let of_four = order.prop_map(|order| order[..4].to_vec());
        prop::collection::vec((of_four, 0u8..=2), 1..20)
    }

    fn result_in_teams((seats, score): &(Vec<usize>, u8)) -> RankedMatch {
        let places = match score {
            0 => [3, 1],
            1 => [1, 1],
            _ => [1, 3],
        };
        let seats: Vec<_> = seats.iter().zip(places.iter().cycle()).collect();
        let seats = seats.iter().map(|&(&entrant, &place)| (entrant, place));
        ranked(0, &seats.collect::<Vec<_>>())
    }

    #[test]
    fn partners_rise_together_and_are_not_compared() {
        let after = rate_teams(4, 4, &[ranked(0, &[(0, 1), (1, 3), (2, 1), (3, 3)])]);
        assert_eq!(after[0], after[2]);
        assert_eq!(after[1], after[3]);
        assert!((after[0].rating - 1500.0 - (1500.0 - after[1].rating)).abs() < 1e-9);
        // What a side has done tells less of each of two than of one alone.
        let alone = rate(2, &[scored(0, [0, 1], 2)]).unwrap();
        assert!(after[0].deviation > alone[0].deviation);
        let drawn = rate_teams(4, 4, &[ranked(0, &[(0, 1), (1, 1), (2, 1), (3, 1)])]);
        assert!(drawn.iter().all(|one| (one.rating - 1500.0).abs() < 1e-9));
        // A side of copies is one player, whatever the seating says.
        let mut ladder = RatingPeriods::new(2);
        ladder.begin_tournament(&Seating::copies(&[0, 1, 0, 1], 2).unwrap());
        ladder
            .take(&ranked(0, &[(0, 1), (1, 3), (0, 1), (1, 3)]))
            .unwrap();
        assert_eq!(ladder.into_ratings(), alone);
    }

    #[test]
    fn who_is_better_than_its_partners_is_found() {
        // The side of player 0 always wins; its partner changes.
        let lineups = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]];
        let results: Vec<RankedMatch> = (0..6)
            .flat_map(|round| {
                let result = move |[a, b, c, d]: [usize; 4]| {
                    ranked(round, &[(a, 1), (b, 3), (c, 1), (d, 3)])
                };
                lineups.map(result)
            })
            .collect();
        let after = rate_teams(4, 4, &results);
        for other in 1..4 {
            assert!(
                after[0].interval().0 > after[other].interval().1,
                "{after:?}"
            );
            assert!(
                (after[other].rating - after[1].rating).abs() < 1e-6,
                "{after:?}"
            );
        }
    }

    #[test]
    fn who_shares_the_last_place_has_not_drawn() {
        let after = rate(3, &[ranked(0, &[(0, 1), (1, 2), (2, 2)])]).unwrap();
        assert_eq!(after[1], after[2]);
        let level = rate(3, &[ranked(0, &[(0, 1), (1, 1), (2, 1)])]).unwrap();
        assert!(
            level
                .iter()
                .all(|rating| (rating.rating - 1500.0).abs() < 1e-9)
        );
        assert!(
            level[0].deviation > after[0].deviation,
            "a draw of all is one game"
        );
    }

    proptest! {
        #[test]
        fn with_whole_games_the_weighted_period_is_glicko_2(
            (rating, deviation) in (1000.0..2000.0, 30.0..350.0),
            games in prop::collection::vec((1000.0..2000.0, 30.0..350.0, 0u8..=2), 1..20),
        ) {
            let player = Rating { rating, deviation, volatility: 0.06 };
            let games: Vec<(Rating, f64)> = games
                .into_iter()
                .map(|(rating, deviation, score)| {
                    (Rating { rating, deviation, volatility: 0.06 }, f64::from(score) / 2.0)
                })
                .collect();
            let comparisons: Vec<WeightedGame> = games
                .iter()
                .map(|&(opponent, score)| WeightedGame { opponent, reach: 1.0, score, weight: 1.0 })
                .collect();
            let ours = weighted::period(player, &comparisons);
            assert_near(&[ours], &[plain::period(player, &games, 0.5)]);
        }

        #[test]
        fn two_half_games_are_a_whole_one(score in 0u8..=2) {
            let player = Rating::default();
            let opponent = Rating { rating: 1600.0, deviation: 80.0, volatility: 0.06 };
            let game = |weight| WeightedGame { opponent, reach: 1.0, score: f64::from(score) / 2.0, weight };
            let whole = weighted::period(player, &[game(1.0)]);
            assert_near(&[weighted::period(player, &[game(0.5), game(0.5)])], &[whole]);
        }

        #[test]
        fn two_implementations_agree_on_teams(
            before in prop::collection::vec((1000.0..2000.0, 30.0..350.0), 8),
            games in matches_of_teams(),
        ) {
            let mut ladder = start(&before);
            let before = ladder.ratings.clone();
            ladder.begin_tournament(&in_teams(4));
            for game in &games {
                ladder.take(&result_in_teams(game)).unwrap();
            }
            let ours = ladder.into_ratings();
            for (player, ours) in ours.iter().enumerate() {
                let of_player = games.iter().filter_map(|(seats, score)| {
                    let at = seats.iter().position(|&seat| seat == player)?;
                    let side = |turn: usize| vec![seats[turn % 2], seats[turn % 2 + 2]];
                    let score = if at % 2 == 0 { *score } else { 2 - score };
                    Some(([side(at), side(at + 1)], f64::from(score) / 2.0))
                });
                let of_player: Vec<_> = of_player.collect();
                let plain = plain::period_of_sides(player, &before, &of_player, SYSTEM_CONSTANT);
                assert_near(&[*ours], &[plain]);
            }
        }

        #[test]
        fn the_order_and_the_seats_of_teams_do_not_matter_to_the_last_bit(
            games in matches_of_teams(),
            turns in prop::collection::vec(0usize..4, 20),
        ) {
            let turned = games.iter().zip(&turns).map(|((seats, score), &turn)| {
                let mut seats = seats.clone();
                seats.rotate_left(turn);
                (seats, if turn % 2 == 0 { *score } else { 2 - score })
            });
            let turned: Vec<RankedMatch> = turned.rev().map(|game| result_in_teams(&game)).collect();
            let results: Vec<RankedMatch> = games.iter().map(result_in_teams).collect();
            prop_assert_eq!(rate_teams(8, 4, &results), rate_teams(8, 4, &turned));
        }

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
            let results: Vec<RankedMatch> = (0..).zip(&scores).map(|(round, &score)| scored(round, [0, 1], score)).collect();
            let ratings = rate(2, &results).unwrap();
            prop_assert!((ratings[0].rating + ratings[1].rating - 3000.0).abs() < 1e-6);
            prop_assert!((ratings[0].deviation - ratings[1].deviation).abs() < 1e-6);
        }
    }
}
