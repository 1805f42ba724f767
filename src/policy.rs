//! What becomes of bots that fail in match after match, on the command line.

use flipside_tournament::{Paused, Policy};

/// The policy towards failing bots.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct PolicyArg {
    /// Pause a bot after so many matches in a row with a fault, by the order of the schedule; 0: never.
    /// A tournament goes on with what it began with; a new one has 5.
    #[arg(long, value_name = "N")]
    pause_after: Option<u32>,
    /// What becomes of a paused bot's matches: a forfeit, which it loses (bots of other sides play on
    /// if there are two sides or more), or leave-out.
    #[arg(long, value_name = "forfeit|leave-out")]
    paused: Option<Paused>,
}

impl PolicyArg {
    /// Only what was typed: the name that a tournament has by itself follows from this.
    pub(crate) fn typed(self) -> Policy {
        self.over(Policy::default())
    }

    /// What was typed; else what the tournament was begun with; else what is usual.
    pub(crate) fn or(self, known: Option<Policy>) -> Policy {
        self.over(known.unwrap_or(Policy::usual()))
    }

    fn over(self, policy: Policy) -> Policy {
        Policy {
            pause_after: self.pause_after.unwrap_or(policy.pause_after),
            paused: self.paused.unwrap_or(policy.paused),
        }
    }
}
