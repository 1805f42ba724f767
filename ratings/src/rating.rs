//! A Glicko-2 rating.

use serde::Serialize;

/// The system constant τ: how much the volatility may change; the paper's own choice.
pub const SYSTEM_CONSTANT: f64 = 0.5;

/// The volatility of a newcomer. The paper proposes 0.06, for people, who change from one period to
/// the next. What is rated here is a version of a bot, which stays as it is, so that nearly no change
/// is expected; with 0.06 the intervals would be too wide by a half (`docs/reference/ratings.md`).
pub const NEW_VOLATILITY: f64 = 0.005;

/// How many deviations lie to each side of a rating in its 95 % interval.
pub const INTERVAL_DEVIATIONS: f64 = 1.96;

/// Where the search for the volatility ends: finer than the paper's 1e-6, for folding hundreds of
/// periods without carrying its error along.
pub(super) const CONVERGENCE: f64 = 1e-9;

/// A rating. The default is a newcomer's: 1500, deviation 350, volatility [`NEW_VOLATILITY`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The rating: 400 more means ten times the chance to win.
    pub rating: f64,
    /// The rating's standard deviation, never over a newcomer's 350.
    pub deviation: f64,
    /// How much the rating is expected to move in a period.
    pub volatility: f64,
}

impl Default for Rating {
    fn default() -> Self {
        Rating {
            rating: 1500.0,
            deviation: 350.0,
            volatility: NEW_VOLATILITY,
        }
    }
}
