//! Ratings and statistics of matches: numbers in, numbers out. This crate knows no game and no arena, and does no I/O.
//!
//! - [`Fit`] rates by all results at once: the most likely strengths, with the prior of Glicko (Bradley and Terry,
//!   "Rank analysis of incomplete block designs", 1952).
//! - [`RatingPeriods`] rates over time: Glicko-2 (Glickman, "Example of the Glicko-2 system", 2022), for matches of two
//!   and of more bots, and for sides of several bots.
//! - [`Statistics`] counts blocks of matches: scores with 95 % intervals, Elo differences, how likely a bot is better,
//!   results by seat.
//! - [`BlockScores`] has the same for two bots, from trinomial or pentanomial counts.
//! - [`Sprt`] is the generalised sequential probability ratio test (Van den Bergh, "Comments on Normalized Elo").
//! - [`void_far_more_often`] is Fisher's exact test, for one bot against the others.
//!
//! A match comes as an [`Outcome`], which is a trait: who has results in a form of their own need not convert them.
//! [`RankedMatch`] is a plain one.
//!
//! ```
//! use flipside_ratings::{BlockScores, Fit, RankedMatch, Seating, Sprt, rate};
//!
//! // Bot 0 beats bot 1, which beats bot 2; then bot 2 draws with bot 0. Each pair of places is by seat.
//! let results = [
//!     RankedMatch::of(0, &[(0, 1), (1, 2)]).at(0, 0),
//!     RankedMatch::of(0, &[(1, 1), (2, 2)]).at(1, 1),
//!     RankedMatch::of(1, &[(2, 1), (0, 1)]).at(2, 2),
//! ];
//! let fit = Fit::of(3, &Seating::single(2), &results);
//! assert!(fit.rating(0).points > fit.rating(1).points);
//! let [_, _, low, high] = fit.difference(0, 2).rounded();
//! assert!(low < 0.0 && 0.0 < high, "three matches tell next to nothing");
//! let over_time = rate(3, &results)?;
//! assert!(over_time[0].deviation < 350.0);
//!
//! // 290 pairs of matches between two bots: how many gave the first 0, 1/2, 1, 3/2 and 2 points.
//! let pairs = BlockScores::pentanomial([34, 54, 63, 64, 75]);
//! assert_eq!(pairs.elo().expect("there are pairs").to_string(), "Elo: 55.58 +/- 27.65, nElo: 57.94 +/- 28.28");
//! let test = Sprt::default().running(&pairs);
//! assert!(test.llr > 0.0 && test.llr < test.bounds.upper && test.decision.is_none(), "it goes on");
//! # Ok::<(), flipside_ratings::RatingError>(())
//! ```

mod fit;
mod glicko;
mod linear_solver;
pub mod numbers;
mod outcome;
mod pairwise;
mod rating;
mod seating;
mod sprt;
mod statistics;
#[cfg(test)]
mod testing;

pub use fit::{Batch, Covariance, Estimate, Fit, LEVEL};
pub use glicko::{RatingError, RatingPeriods, SCALE, rate};
pub use numbers::hundredths;
pub use outcome::{Outcome, RankedMatch, SeatOutcome};
pub use pairwise::{
    BotPlace, MatchComparison, Outcomes, Score, Weight, best, compared, half_points, placed, rivals,
};
pub use rating::{INTERVAL_DEVIATIONS, NEW_VOLATILITY, Rating, SYSTEM_CONSTANT};
pub use seating::{MAX_SEATS, Seating, SeatingError};
pub use sprt::{Bounds, INSTEAD_OF_ZERO, Model, Running, Sprt, SprtDecision, SprtError};
pub use statistics::{
    BlockScores, BotReport, Counts, Elo, EndReport, FieldReport, Interval, MAX_IN_BLOCK, MAX_PAIRS,
    MAX_REASONS, OTHER_REASONS, PairReport, SeatReport, Statistics, StatisticsReport, VOID_LEVEL,
    told, void_far_more_often,
};
