use flipside_operations::{Result, cancel};
use flipside_tournament::ChangeReason;

use crate::args::ArenaArg;
use crate::changes::show;

/// Cancel a tournament that has begun
///
/// The tournament is then over, and no further match is played. Its results count up to the first match in the schedule
/// that has none; later results are removed. Running matches are finished first. A cancelled tournament cannot be
/// resumed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Tournament
    tournament: String,
    /// Give a reason, which tables show: one line of at most 200 characters
    #[arg(long, value_name = "TEXT")]
    reason: Option<ChangeReason>,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = args.arena.path();
    show(&cancel(folder, &args.tournament, args.reason.as_ref())?)
}
