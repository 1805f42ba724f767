use flipside_operations::{ChangeMade, Extension, Failure, Joining, Result, extend, join};
use flipside_tournament::ChangeReason;

use crate::args::ArenaArg;
use crate::changes::show;
use crate::output::note;

/// Extend a tournament that has begun, or let bots join it
///
/// If the tournament is over, run the command that began it to play the rest. A running tournament continues by itself.
/// Neither a knockout nor a double elimination can be extended: it has as many rounds as it needs.
///
/// Bots can join a ladder, a round robin, and a gauntlet with two bots in a match. In a round robin, a bot that joins
/// plays as many rounds against the others as they have played; in a gauntlet, it plays against the challengers. A
/// newer version takes over from an older one, which is withdrawn.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("by").required(true).multiple(true).args(["rounds", "matches", "bots"])))]
pub(crate) struct Args {
    /// Tournament
    tournament: String,
    /// Play N more rounds; in a sequential test, N more blocks
    #[arg(long, value_name = "N", conflicts_with = "matches")]
    rounds: Option<u32>,
    /// Play N more matches, for a ladder
    #[arg(long, value_name = "N")]
    matches: Option<u64>,
    /// Let these bots join: names in the arena, paths or built-in bots
    #[arg(long, value_name = "BOT", num_args = 1..)]
    bots: Vec<String>,
    /// Give a reason, which tables show: one line of at most 200 characters
    #[arg(long, value_name = "TEXT")]
    reason: Option<ChangeReason>,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let (folder, name) = (args.arena.path(), &args.tournament);
    let reason = args.reason.as_ref();
    let mut made: Vec<ChangeMade> = Vec::new();
    if !args.bots.is_empty() {
        let joining = Joining {
            bots: &args.bots,
            files: true,
            reason,
        };
        made = join(folder, name, &joining, &mut |line| note!("{line}"))?;
        made.iter().try_for_each(show)?;
    }
    let rounds = args.rounds.map(Extension::Rounds);
    if let Some(by) = rounds.or(args.matches.map(Extension::Matches)) {
        let longer = extend(folder, name, by, reason)?;
        show(&longer)?;
        made.push(longer);
    }
    let Some(last) = made.last() else {
        return Err(Failure::usage("by how much?").hint("--rounds 1"));
    };
    if last.change.index.is_some() && !last.is_running {
        note!(
            "hint: the command that began {} plays the rest",
            last.tournament.name
        );
    }
    Ok(())
}
