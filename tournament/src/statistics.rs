//! Statistics over blocks: scores with intervals, Elo differences, likelihoods of superiority, sequential
//! tests, results by seat. Pure; drawing them is left to those who have a screen. `docs/reference/statistics.md` says
//! where every formula comes from.
//!
//! The matches of a block have the same chance with the seats permuted, so they hang together, and what is
//! independent is the block. A block's score is the mean of the scores of its matches.

mod blocks;
mod fisher;
mod fold;
mod interval;
mod sequence;
mod sprt;
mod strengths;
mod voids;

pub(crate) use blocks::told;
pub use blocks::{Elo, GamePairs, MAX_IN_BLOCK};
pub use fisher::{Counts, upper_tail};
pub use fold::{
    BotReport, EndReport, FieldReport, MAX_PAIRS, MAX_REASONS, OTHER_REASONS, PairReport,
    SeatReport, Statistics, StatisticsReport,
};
pub use interval::Interval;
pub use sequence::{Running, SprtDirector};
pub use sprt::{Bounds, INSTEAD_OF_ZERO, Model, Sprt, SprtDecision, SprtError};
pub use voids::{VOID_LEVEL, void_far_more_often};
