use flipside_operations::Result;
use flipside_store::{Arena, tournaments};

use crate::args::ArenaArg;
use crate::output::OutputFormat;

/// List the arena's tournaments, the latest first
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let arena = Arena::open(args.arena.path())?;
    args.format
        .print(&tournaments(&arena, &arena.read_journal()?)?)
}
