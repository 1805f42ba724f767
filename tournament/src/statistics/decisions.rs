//! Whether a process decides otherwise when a worker takes part than it does among others: of matches that were played
//! twice, it is counted in how many some decision differs. What a bot does otherwise by itself, it does with every worker.

use std::collections::{BTreeMap, BTreeSet};

use super::fisher::{Counts, upper_tail};
use crate::{BotId, Comparison};

/// How probable it may be, at most, that chance alone makes any worker of a tournament be named.
pub const DECISIONS_LEVEL: f64 = 0.001;

/// A bot that decides otherwise when a worker plays one of the two matches, and another the other, than among others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherDecisions {
    /// The bot.
    pub bot: BotId,
    /// The worker.
    pub worker: String,
    /// Matches that this worker and another one played, and in how many of them some decision of the bot differs.
    pub with_it: Counts,
    /// The same of all matches that it did not play.
    pub without_it: Counts,
}

/// Finds them, by Fisher's exact test. A match is a trial: its decisions hang together. Each bot and worker is tested at
/// [`DECISIONS_LEVEL`] divided by how many tests there are (Bonferroni). After the most significant worker of a bot is
/// found, its matches are left out, and the others are tested again: otherwise they would be named for what they have played
/// with it. With two workers, it cannot be told apart which of them it is, so both are named.
///
/// A worker that plays a match twice itself could do so to look noisy, so such matches count only for others.
pub fn other_decisions(comparisons: &[Comparison]) -> Vec<OtherDecisions> {
    let names = |one: &Comparison| {
        let both = [&one.worker, &one.auditor];
        both.map(|worker| (one.bot, worker.clone()))
    };
    let tested: BTreeSet<(BotId, String)> = comparisons.iter().flat_map(names).collect();
    let level = DECISIONS_LEVEL / tested.len().max(1) as f64;
    let bots: BTreeSet<BotId> = comparisons.iter().map(|one| one.bot).collect();
    let mut found = Vec::new();
    for bot in bots {
        let mut left: Vec<&Comparison> = comparisons.iter().filter(|one| one.bot == bot).collect();
        loop {
            let named = most_significant(bot, &left, level);
            if named.is_empty() {
                break;
            }
            let named = with_partner(named, &left);
            let is_its = |one: &&Comparison| {
                let of = |it: &OtherDecisions| [&one.worker, &one.auditor].contains(&&it.worker);
                named.iter().any(of)
            };
            left.retain(|one| !is_its(one));
            found.extend(named);
        }
    }
    found
}

/// Two workers that have played with nobody else cannot be told apart: then both are named.
fn with_partner(named: Vec<OtherDecisions>, all: &[&Comparison]) -> Vec<OtherDecisions> {
    let partners = |worker: &str| -> BTreeSet<String> {
        let crossed = all.iter().filter(|one| one.worker != one.auditor);
        let its = crossed.filter(|one| one.worker == worker || one.auditor == worker);
        let both = its.flat_map(|one| [&one.worker, &one.auditor]);
        both.filter(|other| *other != worker).cloned().collect()
    };
    let [one] = &named[..] else {
        return named;
    };
    let only = partners(&one.worker);
    match only.first() {
        Some(other) if only.len() == 1 && partners(other).len() == 1 => {
            let other = OtherDecisions {
                worker: other.clone(),
                ..one.clone()
            };
            vec![one.clone(), other]
        }
        _ => named,
    }
}

/// The worker with which the decisions of a bot differ most significantly; several, if they have the same counts.
fn most_significant(bot: BotId, all: &[&Comparison], level: f64) -> Vec<OtherDecisions> {
    let mut field = Counts::default();
    let mut with: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut alone: BTreeMap<&str, Counts> = BTreeMap::new();
    for one in all {
        let add = |counts: &mut Counts| {
            counts.all += 1;
            counts.hits += u64::from(one.different > 0);
        };
        add(&mut field);
        match one.worker == one.auditor {
            true => add(alone.entry(&one.worker).or_default()),
            false => {
                add(with.entry(&one.worker).or_default());
                add(with.entry(&one.auditor).or_default());
            }
        }
    }
    let mut best = (level, Vec::new());
    for (worker, with_it) in with {
        let alone = alone.get(worker).copied().unwrap_or_default();
        let field = Counts {
            all: field.all - alone.all,
            hits: field.hits - alone.hits,
        };
        let chance = upper_tail(with_it, field);
        if with_it.hits == 0 || chance > best.0 || chance >= level {
            continue;
        }
        if chance < best.0 {
            best = (chance, Vec::new());
        }
        best.1.push(OtherDecisions {
            bot,
            worker: worker.into(),
            with_it,
            without_it: Counts {
                all: field.all - with_it.all,
                hits: field.hits - with_it.hits,
            },
        });
    }
    best.1
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
    fn nobody_is_named_beside_the_worker_with_which_decisions_differ() {
        let all = [
            compared("a", "b", 30, 0),
            compared("c", "a", 60, 60),
            compared("b", "c", 60, 60),
            // What it plays twice itself does not make it look noisy.
            compared("c", "c", 60, 60),
        ];
        assert_eq!(named(&all), ["c"]);
        // `a` plays the most of all.
        let all = [
            compared("a", "b", 400, 4),
            compared("a", "c", 60, 60),
            compared("b", "c", 3, 3),
        ];
        assert_eq!(named(&all), ["c"]);
    }

    #[test]
    fn of_two_workers_both_are_named_where_each_agrees_with_itself() {
        let all = [
            compared("a", "a", 15, 0),
            compared("b", "b", 15, 0),
            compared("a", "b", 15, 15),
        ];
        assert_eq!(named(&all), ["a", "b"]);
        // One of them plays much more often twice itself.
        let all = [compared("c", "c", 60, 0), compared("a", "c", 15, 15)];
        assert_eq!(named(&all), ["a", "c"]);
    }

    /// A bot that draws its first decision, and then decides the same, on four honest workers.
    #[test]
    fn a_bot_that_differs_once_or_never_in_a_match_names_nobody() {
        let mut state = 1_u64;
        let mut draw = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let workers = ["a", "b", "c", "d"];
        for percent in [10, 50, 80, 90] {
            let mut wrong = 0;
            for _ in 0..400 {
                let mut all = Vec::new();
                for _ in 0..60 {
                    let [one, other] = [draw(4), draw(4)].map(|at| workers[at as usize]);
                    all.extend(compared(one, other, 1, u64::from(draw(100) < percent)));
                }
                wrong += usize::from(!other_decisions(&all).is_empty());
            }
            assert!(wrong <= 3, "{percent} %: named {wrong} times of 400");
        }
    }
}
