use flipside_operations::Result;
use flipside_tournament::Arena;

use crate::args::ArenaArg;
use crate::output::Format;

/// List the arena's bots
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let arena = Arena::open(args.arena.path())?;
    let bots = arena.read_journal()?.bots()?;
    let bots: Vec<_> = bots.into_iter().map(|bot| arena.describe(bot)).collect();
    args.format.print(&bots)
}
