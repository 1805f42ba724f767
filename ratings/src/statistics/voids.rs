//! Whether the matches of one bot are void far more often than those of the others: Fisher's exact test.

use super::fisher::{Counts, upper_tail};

/// How probable it may be, at most, that chance alone makes any bot of a tournament be named. Of each bot it is this
/// divided by how many bots there are (Bonferroni).
pub const VOID_LEVEL: f64 = 0.001;

/// Whether a bot's matches are void far more often than those of `bots - 1` others.
pub fn void_far_more_often(own: Counts, field: Counts, bots: usize) -> bool {
    own.hits > 0 && upper_tail(own, field) < VOID_LEVEL / bots.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tries(all: u64, hits: u64) -> Counts {
        Counts { all, hits }
    }

    #[test]
    fn who_has_the_voids_is_named_and_nobody_by_chance() {
        // Four bots, each pair 20 matches: all 15 voids are in one bot's matches.
        assert!(void_far_more_often(tries(75, 15), tries(135, 15), 4));
        // Its opponents had five each.
        assert!(!void_far_more_often(tries(65, 5), tries(135, 15), 4));
        // With 12 the chance is 1 in 2,500, and of four bots none is named above 1 in 4,000.
        assert!(!void_far_more_often(tries(72, 12), tries(132, 12), 4));
        // Two bots have the same matches.
        assert!(!void_far_more_often(tries(50, 25), tries(50, 25), 2));
        // A machine that fails everybody alike.
        assert!(!void_far_more_often(tries(2_000, 60), tries(8_000, 200), 4));
        assert!(!void_far_more_often(tries(0, 0), tries(0, 0), 0));
        // However many there are.
        assert!(void_far_more_often(
            tries(500_000, 600),
            tries(10_000_000, 2_000),
            40
        ));
    }
}
