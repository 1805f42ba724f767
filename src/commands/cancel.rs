use flipside_operations::{Result, cancel};
use flipside_tournament::Reason;

use crate::args::ArenaArg;
use crate::changes::show;

/// Cancel a tournament that has begun
///
/// It is over then: its results count up to the first match in the schedule that has none, later ones are removed, and
/// no further match is played. If it runs, the running matches are finished first. It cannot be resumed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Tournament
    tournament: String,
    /// Say why: one line of at most 200 characters, which tables show
    #[arg(long, value_name = "TEXT")]
    reason: Option<Reason>,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = args.arena.path();
    show(&cancel(folder, &args.tournament, args.reason.as_ref())?)
}
