use flipside_operations::{Result, rename};
use flipside_tournament::Name;

use crate::args::ArenaArg;
use crate::output::print;

/// Rename a bot, with all its versions
///
/// All its results appear under the new name. Records keep the name under which the matches were played, and still
/// verify. To resume a tournament of the bot that was begun without --name, pass the name of the tournament with
/// --name.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The bot
    bot: Name,
    /// Its new name
    new: Name,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let bots = rename(args.arena.path(), &args.bot, &args.new)?;
    bots.iter().try_for_each(|bot| {
        let (was, version) = (&args.bot, bot.version);
        print(&format!("{was}@{version} is {} now\n", bot.label()))
    })
}
