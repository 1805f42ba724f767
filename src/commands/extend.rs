use flipside_operations::{Extension, Failure, Result, extend};
use flipside_tournament::Reason;

use crate::args::ArenaArg;
use crate::changes::show;
use crate::output::note;

/// Extend a tournament that has begun
///
/// A tournament that is over goes on: the command that began it plays the rest. A tournament that is running goes on by
/// itself. A knockout cannot be extended: it has as many rounds as it needs.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("by").required(true).args(["rounds", "matches"])))]
pub(crate) struct Args {
    /// Tournament
    tournament: String,
    /// Play N rounds more; of a sequential test, N blocks
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Play N matches more, for a ladder
    #[arg(long, value_name = "N")]
    matches: Option<u64>,
    /// Say why: one line of at most 200 characters, which tables show
    #[arg(long, value_name = "TEXT")]
    reason: Option<Reason>,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let by = match (args.rounds, args.matches) {
        (Some(rounds), _) => Extension::Rounds(rounds),
        (None, Some(matches)) => Extension::Matches(matches),
        (None, None) => return Err(Failure::usage("by how much?").hint("--rounds 1")),
    };
    let folder = args.arena.path();
    let made = extend(folder, &args.tournament, by, args.reason.as_ref())?;
    show(&made)?;
    if made.change.index.is_some() && !made.is_running {
        note!(
            "hint: the command that began {} plays the rest",
            made.tournament.name
        );
    }
    Ok(())
}
