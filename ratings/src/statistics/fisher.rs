//! Fisher's exact test: whether something happens more often to some than to all.

use libm::{exp, lgamma};

/// How often something could have happened, and how often it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How often it could have happened.
    pub all: u64,
    /// How often it did; at most `all`.
    pub hits: u64,
}

/// How probable it is that it happens at least so often to some, where it happens so often in the whole field, to which
/// they belong, and chance alone says to whom: the upper tail of the hypergeometric distribution (R. A. Fisher, 1935).
/// 1 where they are the whole field.
pub fn upper_tail(own: Counts, field: Counts) -> f64 {
    let most = own.all.min(field.hits);
    let others = field.all.saturating_sub(own.all);
    let least = field.hits.saturating_sub(others).max(own.hits);
    let ways =
        |of: u64, taken: u64| ln_factorial(of) - ln_factorial(taken) - ln_factorial(of - taken);
    let all = ways(field.all, field.hits);
    let each = |hits| exp(ways(own.all, hits) + ways(others, field.hits - hits) - all);
    (least..=most).map(each).sum::<f64>().min(1.0)
}

fn ln_factorial(number: u64) -> f64 {
    lgamma(number as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_that_of_fishers_exact_test() {
        let counts = |all, hits| Counts { all, hits };
        // By counting: of 8 there are 4 hits; of the own 4 there are 3 or more with 16 + 1 of 70 ways.
        for (own, field, chance) in [
            (counts(4, 3), counts(8, 4), 17.0 / 70.0),
            (counts(4, 4), counts(8, 4), 1.0 / 70.0),
            (counts(4, 0), counts(8, 4), 1.0),
            (counts(8, 4), counts(8, 4), 1.0),
            (counts(5, 2), counts(5, 2), 1.0),
            (counts(2, 1), counts(10, 1), 0.2),
        ] {
            let found = upper_tail(own, field);
            assert!((found - chance).abs() < 1e-12, "{own:?} {field:?}: {found}");
        }
    }
}
