use flipside_operations::Result;

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
    let bots = args.arena.journal()?.bots()?;
    args.format.print(&bots)
}
