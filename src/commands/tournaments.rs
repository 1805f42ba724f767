use flipside_tournament::tournaments;

use crate::arena::ArenaArg;
use crate::failure::Result;
use crate::output::Format;

/// List the arena's tournaments, the latest first
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let arena = args.arena.open()?;
    args.format
        .print(&tournaments(&arena, &arena.read_journal()?)?)
}
