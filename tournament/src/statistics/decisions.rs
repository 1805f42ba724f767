//! Whether a process decides otherwise when a worker takes part than it does among others: of matches that were played
//! twice, the decisions in the same position are counted. What a bot does otherwise by itself, it does with every worker.

use std::collections::BTreeMap;

use super::fisher::{Counts, upper_tail};
use crate::{BotId, Comparison};

/// How probable it may be, at most, that chance alone makes any worker of a tournament be named.
pub const DECISIONS_LEVEL: f64 = 0.001;

/// A bot that decides otherwise when a worker plays one of the two matches, and another the other, than in all comparisons
/// together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherDecisions {
    /// The bot.
    pub bot: BotId,
    /// The worker.
    pub worker: String,
    /// Decisions in comparisons of this worker with others, and how many of them differ.
    pub with_it: Counts,
    /// The same of all other comparisons: those among other workers, and of a worker with itself.
    pub without_it: Counts,
}

/// Finds them, by Fisher's exact test. Each bot and worker is tested at [`DECISIONS_LEVEL`] divided by how many tests there
/// are (Bonferroni). With two workers, it cannot be told apart which of them it is, so both are named.
pub fn other_decisions(comparisons: &[Comparison]) -> Vec<OtherDecisions> {
    let mut field: BTreeMap<BotId, Counts> = BTreeMap::new();
    let mut own: BTreeMap<(BotId, &str), Counts> = BTreeMap::new();
    for one in comparisons {
        let add = |counts: &mut Counts| {
            counts.all += one.decisions;
            counts.hits += one.different;
        };
        add(field.entry(one.bot).or_default());
        if one.worker != one.auditor {
            add(own.entry((one.bot, &one.worker)).or_default());
            add(own.entry((one.bot, &one.auditor)).or_default());
        }
    }
    let level = DECISIONS_LEVEL / own.len().max(1) as f64;
    let mut found = Vec::new();
    for ((bot, worker), with_it) in own {
        let all = field[&bot];
        if with_it.hits > 0 && upper_tail(with_it, all) < level {
            found.push(OtherDecisions {
                bot,
                worker: worker.into(),
                with_it,
                without_it: Counts {
                    all: all.all - with_it.all,
                    hits: all.hits - with_it.hits,
                },
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `matches` comparisons of 20 decisions each, of which so many in all differ.
    fn compared(worker: &str, auditor: &str, matches: u64, different: u64) -> Vec<Comparison> {
        let one = |index| Comparison {
            index,
            bot: BotId(1),
            worker: worker.into(),
            auditor: auditor.into(),
            decisions: 20,
            different: u64::from(index < different),
        };
        (0..matches).map(one).collect()
    }

    fn named(all: &[Vec<Comparison>]) -> Vec<String> {
        let found = other_decisions(&all.concat());
        found.into_iter().map(|one| one.worker).collect()
    }

    #[test]
    fn the_worker_with_which_decisions_differ_is_named() {
        // A process that is noisy by itself, and another bot in its place on `c`.
        let honest = compared("a", "b", 40, 4);
        assert_eq!(named(std::slice::from_ref(&honest)), [""; 0]);
        let all = [
            honest,
            compared("c", "a", 20, 20),
            compared("b", "c", 20, 20),
        ];
        assert_eq!(named(&all), ["c"]);
        // A bot that decides by chance does so everywhere.
        let noisy = [
            compared("a", "b", 40, 38),
            compared("c", "a", 40, 39),
            compared("b", "c", 40, 40),
        ];
        assert_eq!(named(&noisy), [""; 0]);
    }

    #[test]
    fn of_two_workers_both_are_named_where_each_agrees_with_itself() {
        let all = [
            compared("a", "a", 15, 0),
            compared("b", "b", 15, 0),
            compared("a", "b", 15, 15),
        ];
        assert_eq!(named(&all), ["a", "b"]);
    }
}
