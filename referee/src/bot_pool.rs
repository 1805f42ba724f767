//! The bots that wait, running, for their next match, and what each of them has met.
//!
//! The matches of a block share their chance, so a process that has met a block knows what will happen in
//! its other matches. It plays in none of them, and it is not even there while they are played: two processes
//! of one bot have ways to tell each other things, though one of them be stopped (a futex on a page of a file
//! that both see shows whether somebody waits there).

use std::collections::HashMap;

use flipside_sandbox::{OwnSettings, Program, SandboxBot};

use crate::seed::MatchSeed;

/// The most bots of one kind that wait, running, for their next match.
const MAX_IDLE: usize = 2;

/// The most bots in all that wait so; when there are as many, all of them go.
const MAX_IDLE_IN_ALL: usize = 16;

/// After so many matches a process is not used again: what it has met is kept in memory.
const MAX_MET: usize = 1_000;

/// The bots that wait with what they have met, by the hash of their file and what they have of their own.
#[derive(Default)]
pub(crate) struct BotPool(HashMap<PoolKey, Vec<(SandboxBot, SeenBlocks)>>);

type PoolKey = (String, OwnSettings);

/// The blocks that a process has met.
#[derive(Default)]
pub(crate) struct SeenBlocks(Vec<MatchSeed>);

fn key(program: &Program) -> PoolKey {
    (program.sha256().to_owned(), program.own().clone())
}

impl BotPool {
    /// Ends all bots that have met the block of this match.
    pub(crate) fn end_those_that_met(&mut self, seed: &MatchSeed) {
        for waiting in self.0.values_mut() {
            waiting.retain(|(_, met)| !met.has(seed));
        }
    }

    /// A bot of this program, running.
    pub(crate) fn take(&mut self, program: &Program) -> Option<(SandboxBot, SeenBlocks)> {
        self.0.get_mut(&key(program))?.pop()
    }

    /// Keeps a bot that has played the match of this seed, or ends it.
    pub(crate) fn keep(
        &mut self,
        program: &Program,
        bot: SandboxBot,
        mut met: SeenBlocks,
        seed: MatchSeed,
    ) {
        if self.bots().count() >= MAX_IDLE_IN_ALL {
            self.end_all();
        }
        met.0.push(seed);
        let waiting = self.0.entry(key(program)).or_default();
        if waiting.len() < MAX_IDLE && met.0.len() < MAX_MET {
            waiting.push((bot, met));
        }
    }

    /// Ends all of them.
    pub(crate) fn end_all(&mut self) {
        self.0.clear();
    }

    /// All of them.
    pub(crate) fn bots(&self) -> impl Iterator<Item = &SandboxBot> {
        self.0.values().flatten().map(|(bot, _)| bot)
    }
}

impl SeenBlocks {
    /// Whether it is a process that has not played yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, seed: &MatchSeed) -> bool {
        self.0.iter().any(|met| met.is_of_block(seed))
    }
}
