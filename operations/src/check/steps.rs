//! The list of the steps.

use crate::check::context::Check;
use crate::check::edge_positions::RareFeature;
use crate::check::{again, matches, positions, shutdown, start, time, turns};

/// Declares the steps, by group: name, purpose, the steps that it builds on, function.
macro_rules! checks {
    ($($group:literal { $($name:literal, $purpose:literal, $after:expr, $run:expr;)+ })+) => {
        /// All steps, in order.
        pub const CHECKS: &[Check] = &[$($(Check {
            group: $group,
            name: $name,
            purpose: $purpose,
            after: &$after,
            run: $run,
        },)+)+];
    };
}

checks! {
    "start" {
        "games", "Starts, and is ready for its games", [], start::games;
        "silent-before-hello", "Writes nothing before it is asked", [], start::silent_before_hello;
        "ready-message", "What ready says", ["games"], start::ready_message;
        "one-ready", "Answers hello with one line", ["games"], start::one_ready;
        "start-time", "Is ready soon", ["games"], start::start_time;
        "hello-unknown-field", "Ignores an unknown field in hello", ["games"], start::hello_unknown_field;
        "unknown-game", "Exits and says why if it does not know the game", ["games"], start::unknown_game;
        "starts-twice", "Runs twice at the same time", ["games"], start::starts_twice;
        "numbers-of-seats", "Is ready for every number of seats", ["games"], start::numbers_of_seats;
    }
    "turns" {
        "first-turn", "Answers the first turn with a legal action", ["games", "one-ready"], turns::first_turn;
        "several-turns", "Answers several turns, each with its id", ["first-turn"], turns::several_turns;
        "one-answer", "Answers a turn with one line", ["first-turn"], turns::one_answer;
        "answer-form", "Writes plain lines", ["first-turn"], turns::answer_fields;
        "notes", "Keeps its notes short", ["first-turn"], turns::notes;
        "ids", "Copies the id instead of counting", ["several-turns"], turns::ids_are_read;
        "turn-unknown-field", "Ignores an unknown field in turn", ["first-turn"], turns::turn_unknown_field;
        "long-line", "Reads a line of 64 KiB", ["first-turn"], turns::long_line;
    }
    "end" {
        "over", "Does not answer over", ["several-turns"], shutdown::over_is_not_answered;
        "two-lines-at-once", "Reads two lines that come together", ["over"], shutdown::several_in_a_pipe;
        "exits-after-over", "Exits when its input ends after over", ["several-turns"], shutdown::exits_after_over;
        "exits-when-cut-off", "Exits when its input ends in a match", ["first-turn"], shutdown::exits_when_input_ends;
        "stderr", "Writes little to standard error", ["several-turns"], shutdown::stderr;
    }
    "positions" {
        "most-actions", "Answers where there are most actions", ["several-turns"], |context| positions::rare(context, RareFeature::MostActions);
        "longest-turn", "Answers the longest turn", ["several-turns"], |context| positions::rare(context, RareFeature::Longest);
        "forced-move", "Answers where there is one action", ["several-turns"], |context| positions::rare(context, RareFeature::Forced);
        "last-move", "Answers where the match ends", ["several-turns"], |context| positions::rare(context, RareFeature::Last);
        "late-position", "Answers late in a long match", ["several-turns"], |context| positions::rare(context, RareFeature::Late);
        "after-opening", "Answers first after an opening", ["several-turns"], |context| positions::rare(context, RareFeature::Opening);
        "full-table", "Answers on the last seat of a full table", ["several-turns"], |context| positions::rare(context, RareFeature::Full);
        "asked-together", "Answers where several seats are asked at once", ["several-turns"], positions::asked_together;
    }
    "matches" {
        "match-least-seats", "Plays itself with as few seats as may be", ["several-turns", "one-answer"], matches::two_seats;
        "match-most-seats", "Plays itself with as many seats as may be", ["match-least-seats"], matches::most_seats;
        "match-options", "Plays with all options", ["match-least-seats"], matches::all_options;
        "match-opening", "Plays after an opening", ["match-least-seats", "after-opening"], matches::an_opening;
        "match-bank", "Plays with a bank and an increment", ["match-least-seats"], matches::a_bank;
        "match-random", "Plays the sample bot random, on every seat", ["match-least-seats"], matches::against_random;
    }
    "time" {
        "move-times", "Time of its moves", ["match-least-seats"], time::move_times;
        "clocks", "Clocks that its slowest move fits", ["match-least-seats"], time::several_clocks;
        "short-clock", "Notices a short clock", ["first-turn"], time::reads_clocks;
        "cpu", "CPU time of its moves", ["several-turns"], time::processor;
        "memory", "Memory", ["several-turns"], time::memory;
        "idle", "Is idle on the turns of others", ["first-turn"], time::idle;
        "idle-between-matches", "Is idle between matches", ["over"], time::idle_between_matches;
    }
    "again" {
        "reuse", "Plays another match if it says so", ["over"], shutdown::reuse;
        "same-seed", "Plays the same match again with the same seed", ["several-turns"], again::same_seed;
        "same-after-reuse", "Plays the same match after another one", ["reuse"], again::same_after_reuse;
        "also", "Plays like its other build", ["several-turns"], again::also;
    }
}

/// The step of this name.
pub(super) fn step_named(name: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|check| check.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_builds_on_earlier_ones_only() {
        for (at, check) in CHECKS.iter().enumerate() {
            for name in check.after {
                let earlier = &CHECKS[..at];
                assert!(
                    earlier.iter().any(|step| step.name == *name),
                    "{}: {name}",
                    check.name
                );
            }
        }
    }
}
