//! Games of the arena that cannot be played, with the reasons, which are told where games are listed.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Why each of them cannot be made known, by its label.
static LEFT_OUT: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Tells that a game is not made known, and why.
pub(crate) fn leave_out(label: String, why: String) {
    tracing::warn!(game = label, "a game of the arena is left out: {why}");
    let mut left_out = LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner);
    left_out.insert(label, why);
}

/// The games of the arena that were looked for and cannot be played: each with its version, and why.
pub fn games_left_out() -> Vec<(String, String)> {
    let left_out = LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner);
    left_out.clone().into_iter().collect()
}
