use flipside_operations::{Result, games_or_all};
use flipside_store::rerate;

use crate::args::ArenaArg;
use crate::output::OutputFormat;

/// Recompute all ratings and print their fingerprint
///
/// Ratings are never stored. The fingerprint covers every bit: compare it between machines or versions.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game [default: all]
    game: Option<String>,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let games = games_or_all(args.game.as_deref())?;
    let journal = args.arena.journal()?;
    let rows = games.iter().map(|game| rerate(&journal, game.info().id));
    let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
    rows.retain(|row| row.matches > 0 || args.game.is_some());
    args.format.print(&rows)
}
