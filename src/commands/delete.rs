use flipside_operations::{Result, delete};
use flipside_tournament::BotRef;

use crate::args::ArenaArg;
use crate::output::print;

/// Delete a bot's file
///
/// Its results and records stay under its name. It cannot enter tournaments until somebody submits the same file again.
/// If the bot plays in a tournament that is not over, withdraw it first.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The bot: NAME for all its versions, or NAME@VERSION
    bot: BotRef,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let bots = delete(args.arena.path(), &args.bot)?;
    bots.iter()
        .try_for_each(|bot| print(&format!("{} is deleted; its results stay\n", bot.label())))
}
