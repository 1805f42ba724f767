use flipside_operations::{Result, withdraw};
use flipside_tournament::{BotRef, ChangeReason};

use crate::args::ArenaArg;
use crate::changes::show;

/// Withdraw or disqualify a bot from tournaments that have begun
///
/// Its results stay, and it forfeits its remaining matches. This also works while the tournament runs: the running
/// matches are finished first.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The bot: NAME for all its versions, or NAME@VERSION
    bot: BotRef,
    /// Withdraw it from this tournament [default: all that are not over]
    #[arg(long, value_name = "TOURNAMENT")]
    from: Option<String>,
    /// Disqualify it; requires --reason
    #[arg(long, requires = "reason")]
    disqualify: bool,
    /// Give a reason, which tables show: one line of at most 200 characters
    #[arg(long, value_name = "TEXT")]
    reason: Option<ChangeReason>,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let made = withdraw(
        args.arena.path(),
        &args.bot,
        args.from.as_deref(),
        args.disqualify,
        args.reason.as_ref(),
    )?;
    made.iter().try_for_each(show)
}
