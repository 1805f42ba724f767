//! The list of the steps.

use crate::check::lab::Lab;
use crate::check::talk::Found;
use crate::check::{again, ends, matches, positions, start, time, turns};

/// A step of a check.
pub struct Check {
    /// The group that it is shown in.
    pub group: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it finds out, in a line.
    pub purpose: &'static str,
    pub(super) run: fn(&mut Lab) -> Found,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Declares the steps, by group.
macro_rules! checks {
    ($($group:literal { $($name:literal, $purpose:literal, $run:expr;)+ })+) => {
        /// All steps, in order.
        pub const CHECKS: &[Check] = &[$($(Check {
            group: $group,
            name: $name,
            purpose: $purpose,
            run: $run,
        },)+)+];
    };
}

checks! {
    "start" {
        "games", "Starts, and is ready for its games", start::games;
        "silent-before-hello", "Writes nothing before it is asked", start::silent_before_hello;
        "ready-message", "What ready says", start::ready_message;
        "one-ready", "Answers hello with one line", start::one_ready;
        "start-time", "Is ready soon", start::start_time;
        "hello-unknown-field", "Ignores an unknown field in hello", start::hello_unknown_field;
        "unknown-game", "Exits and says why if it does not know the game", start::unknown_game;
        "starts-twice", "Runs twice at the same time", start::starts_twice;
        "numbers-of-seats", "Is ready for every number of seats", start::numbers_of_seats;
    }
    "turns" {
        "first-turn", "Answers the first turn with a legal action", turns::first_turn;
        "several-turns", "Answers several turns, each with its id", turns::several_turns;
        "one-answer", "Answers a turn with one line", turns::one_answer;
        "answer-form", "Writes plain lines", turns::answer_fields;
        "notes", "Keeps its notes short", turns::notes;
        "ids", "Copies the id instead of counting", turns::ids_are_read;
        "turn-unknown-field", "Ignores an unknown field in turn", turns::turn_unknown_field;
        "long-line", "Reads a line of 64 KiB", turns::long_line;
        "two-lines-at-once", "Reads two lines that come together", turns::several_in_a_pipe;
    }
    "end" {
        "over", "Does not answer over", ends::over_is_not_answered;
        "exits-after-over", "Exits when its input ends after over", ends::exits_after_over;
        "exits-when-cut-off", "Exits when its input ends in a match", ends::exits_when_input_ends;
        "reuse", "Plays another match if it says so", ends::reuse;
        "stderr", "Writes little to standard error", ends::stderr;
    }
    "positions" {
        "most-actions", "Answers where there are most actions", positions::most_actions;
        "longest-turn", "Answers the longest turn", positions::longest_turn;
        "forced-move", "Answers where there is one action", positions::forced_move;
        "last-move", "Answers where the match ends", positions::last_move;
        "late-position", "Answers late in a long match", positions::late_position;
        "after-opening", "Answers first after an opening", positions::after_an_opening;
        "full-table", "Answers on the last seat of a full table", positions::full_table;
        "asked-together", "Answers where several seats are asked at once", positions::asked_together;
    }
    "matches" {
        "match-least-seats", "Plays itself with as few seats as may be", matches::two_seats;
        "match-most-seats", "Plays itself with as many seats as may be", matches::most_seats;
        "match-options", "Plays with all options", matches::all_options;
        "match-opening", "Plays after an opening", matches::an_opening;
        "match-bank", "Plays with a bank and an increment", matches::a_bank;
        "match-random", "Plays the sample bot random, on every seat", matches::against_random;
    }
    "time" {
        "move-times", "Time of its moves", time::move_times;
        "clocks", "Clocks that its slowest move fits", time::several_clocks;
        "short-clock", "Notices a short clock", time::reads_clocks;
        "cpu", "CPU time of its moves", time::processor;
        "memory", "Memory", time::memory;
        "idle", "Is idle on the turns of others", time::idle;
        "idle-between-matches", "Is idle between matches", time::idle_between_matches;
    }
    "again" {
        "same-seed", "Plays the same match again with the same seed", again::same_seed;
        "same-after-reuse", "Plays the same match after another one", again::same_after_reuse;
        "also", "Plays like its other build", again::also;
    }
}
