use crate::arena::ArenaArg;
use crate::failure::Result;
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
    let bots = args.arena.open()?.read_journal()?.bots()?;
    args.format.print(&bots)
}
