use flipside_operations::{Leaving, Result, withdraw};
use flipside_tournament::{BotRef, ChangeReason};

use crate::args::ArenaArg;
use crate::changes::show;

/// Withdraw or disqualify a bot from tournaments that have begun
///
/// Its results stay, and it forfeits its remaining matches. This also works while the tournament runs: the running
/// matches are finished first. A bot can also be disqualified when the tournament is over: then its row stands last and
/// says why. Records and results stay as they are.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The bot: NAME for all its versions, or NAME@VERSION
    bot: BotRef,
    /// Withdraw it from this tournament [default: all that are not over]
    #[arg(long, value_name = "TOURNAMENT")]
    from: Option<String>,
    /// Disqualify it, also when the tournament is over; requires --reason
    #[arg(long, requires = "reason")]
    disqualify: bool,
    /// Take its matches out of the table, for all bots; requires --disqualify
    #[arg(long, requires = "disqualify")]
    void_matches: bool,
    /// Give a reason, which tables show: one line of at most 200 characters
    #[arg(long, value_name = "TEXT")]
    reason: Option<ChangeReason>,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let how = match args.disqualify {
        true => Leaving::Disqualified {
            counts: !args.void_matches,
        },
        false => Leaving::Withdrawn,
    };
    let (arena, from) = (args.arena.path(), args.from.as_deref());
    let made = withdraw(arena, &args.bot, from, how, args.reason.as_ref())?;
    made.iter().try_for_each(show)
}
