//! A rating period of Glicko-2 in which each comparison has a weight: the part of a game that it
//! is worth. With weights of 1 it is the published Glicko-2.
//!
//! Glickman, "Example of the Glicko-2 system" (2022); the steps are numbered as there. A weight
//! multiplies what a comparison adds to both sums of steps 3 and 4, as if so much of a game had been
//! played. A bot that is one of a side reaches the strength of its side with a part of its own only: by the chain
//! rule that part multiplies what it adds to the first derivative, and its square what it adds to the second.
//! `docs/reference/ratings.md` says where weights and parts come from.

use std::f64::consts::PI;

use crate::rating::{CONVERGENCE, Rating, SYSTEM_CONSTANT};

/// The rating points of one unit of the scale that the steps use (step 2).
pub const SCALE: f64 = 173.7178;

/// The search of step 5 has always been shorter.
const MAX_STEPS: u32 = 1000;

/// What a player is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightedGame {
    pub(super) opponent: Rating,
    /// The part of the player's rating that counts against it: above 0, at most 1.
    pub(super) reach: f64,
    /// 1 for a win, 0.5 for a draw, 0 for a loss.
    pub(super) score: f64,
    /// Above 0, at most 1.
    pub(super) weight: f64,
}

/// The rating after a period with these comparisons; there is at least one.
pub(super) fn period(player: Rating, comparisons: &[WeightedGame]) -> Rating {
    let (mu, phi) = scaled(player);
    // Steps 3 and 4, with weights.
    let (mut information, mut surprise) = (0.0, 0.0);
    for comparison in comparisons {
        let (opponent, deviation) = scaled(comparison.opponent);
        let g = 1.0 / (1.0 + 3.0 * deviation * deviation / (PI * PI)).sqrt();
        let slope = g * comparison.reach;
        let expected = 1.0 / (1.0 + (-g * (comparison.reach * mu - opponent)).exp());
        information += comparison.weight * slope * slope * expected * (1.0 - expected);
        surprise += comparison.weight * slope * (comparison.score - expected);
    }
    let variance = 1.0 / information;
    let change = variance * surprise;
    let volatility = volatility(phi, player.volatility, variance, change);
    // Steps 6 to 8.
    let wider = phi * phi + volatility * volatility;
    let after = 1.0 / (1.0 / wider + information);
    Rating {
        rating: 1500.0 + SCALE * (mu + after * surprise),
        deviation: (SCALE * after.sqrt()).min(Rating::default().deviation),
        volatility,
    }
}

/// Step 2.
fn scaled(rating: Rating) -> (f64, f64) {
    ((rating.rating - 1500.0) / SCALE, rating.deviation / SCALE)
}

/// Step 5: the new volatility, by the Illinois algorithm.
fn volatility(phi: f64, sigma: f64, variance: f64, change: f64) -> f64 {
    let a = (sigma * sigma).ln();
    let f = |x: f64| {
        let spread = phi * phi + variance + x.exp();
        x.exp() * (change * change - spread) / (2.0 * spread * spread)
            - (x - a) / (SYSTEM_CONSTANT * SYSTEM_CONSTANT)
    };
    let excess = change * change - phi * phi - variance;
    let mut low = a;
    let mut high = if excess > 0.0 {
        excess.ln()
    } else {
        let steps = (1..MAX_STEPS).map(|step| a - f64::from(step) * SYSTEM_CONSTANT);
        steps.into_iter().find(|&x| f(x) >= 0.0).unwrap_or(a)
    };
    let (mut at_low, mut at_high) = (f(low), f(high));
    for _ in 0..MAX_STEPS {
        if (high - low).abs() <= CONVERGENCE {
            break;
        }
        let between = low + (low - high) * at_low / (at_high - at_low);
        let at_between = f(between);
        if at_between * at_high <= 0.0 {
            (low, at_low) = (high, at_high);
        } else {
            at_low /= 2.0;
        }
        (high, at_high) = (between, at_between);
    }
    (low / 2.0).exp()
}
