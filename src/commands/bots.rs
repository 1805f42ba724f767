use flipside_operations::Result;
use flipside_store::{Arena, DescribedBot};

use crate::args::ArenaArg;
use crate::output::OutputFormat;

/// List the arena's bots
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let arena = Arena::open(args.arena.path())?;
    let bots = arena.read_journal()?.bots()?;
    // People are not shown what bundles say of themselves, so none is opened for them.
    let described = |bot| match args.format.for_people() {
        true => DescribedBot::from(bot),
        false => arena.describe(bot),
    };
    let bots: Vec<_> = bots.into_iter().map(described).collect();
    args.format.print(&bots)
}
