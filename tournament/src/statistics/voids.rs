//! Whether the matches of one bot are void far more often than those of the others: Fisher's exact test.

use libm::{exp, lgamma};

/// How probable it may be, at most, that chance alone makes any bot of a tournament be named. Of each bot it is this
/// divided by how many bots there are (Bonferroni).
pub const VOID_LEVEL: f64 = 0.001;

/// How often matches were tried, and how many of these tries were void.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tries {
    /// All tries.
    pub all: u64,
    /// Those that were void.
    pub voids: u64,
}

/// How probable it is that at least so many of a bot's tries are void, where voids fall on all tries of the tournament
/// alike: the upper tail of the hypergeometric distribution (R. A. Fisher, 1935). 1 where every match is one of the
/// bot's.
pub fn chance_of_voids(own: Tries, field: Tries) -> f64 {
    let most = own.all.min(field.voids);
    let others = field.all.saturating_sub(own.all);
    let least = field.voids.saturating_sub(others).max(own.voids);
    let ways =
        |of: u64, taken: u64| ln_factorial(of) - ln_factorial(taken) - ln_factorial(of - taken);
    let all = ways(field.all, field.voids);
    let each = |voids| exp(ways(own.all, voids) + ways(others, field.voids - voids) - all);
    (least..=most).map(each).sum::<f64>().min(1.0)
}

/// Whether a bot's matches are void far more often than those of `bots - 1` others.
pub fn void_far_more_often(own: Tries, field: Tries, bots: usize) -> bool {
    own.voids > 0 && chance_of_voids(own, field) < VOID_LEVEL / bots.max(1) as f64
}

fn ln_factorial(number: u64) -> f64 {
    lgamma(number as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tries(all: u64, voids: u64) -> Tries {
        Tries { all, voids }
    }

    #[test]
    fn the_chance_is_that_of_fishers_exact_test() {
        // By counting: of 8 tries 4 are void; of the bot's 4 there are 3 or more with 16 + 1 of 70 ways.
        for (own, field, chance) in [
            (tries(4, 3), tries(8, 4), 17.0 / 70.0),
            (tries(4, 4), tries(8, 4), 1.0 / 70.0),
            (tries(4, 0), tries(8, 4), 1.0),
            (tries(8, 4), tries(8, 4), 1.0),
            (tries(5, 2), tries(5, 2), 1.0),
            (tries(2, 1), tries(10, 1), 0.2),
        ] {
            let found = chance_of_voids(own, field);
            assert!((found - chance).abs() < 1e-12, "{own:?} {field:?}: {found}");
        }
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
