//! Statistics over blocks: scores with intervals, Elo differences, likelihoods of superiority, results
//! by seat. Pure; drawing them is left to those who have a screen. `docs/reference/statistics.md` says
//! where every formula comes from.
//!
//! The matches of a block have the same chance with the seats permuted, so they hang together, and what is
//! independent is the block. A block's score is the mean of the scores of its matches.

mod fisher;
pub(super) mod fold;
pub(super) mod game_pairs;
mod interval;
mod strengths;
mod voids;

pub use fisher::Counts;
pub use fold::{
    BotReport, EndReport, FieldReport, MAX_PAIRS, MAX_REASONS, OTHER_REASONS, PairReport,
    SeatReport, Statistics, StatisticsReport,
};
pub use game_pairs::{BlockScores, Elo, MAX_IN_BLOCK, told};
pub use interval::Interval;
pub use voids::{VOID_LEVEL, void_far_more_often};
