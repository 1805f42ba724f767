//! The scores that evaluations give.

use flipside_games::MAX_SEATS;

/// Scores by seat for what is on the table. A lead of 1 is about three wins in four.
pub type Scores = [f64; MAX_SEATS];
