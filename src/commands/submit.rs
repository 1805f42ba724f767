use std::path::PathBuf;

use flipside_operations::{Result, Submission, Tried, submit};
use flipside_protocol::Clock;
use flipside_tournament::{Arena, Name};

use crate::args::{ArenaArg, ProcessArgs};
use crate::output::{self, Format, note};

/// Check a bot and add it to the arena
///
/// The bot plays a short match against itself at each --game, or at every game. It is refused if it finishes none
/// without a fault. With --game, it must finish all.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Executable, .wasm or .wat file, or folder with a bot.toml
    file: PathBuf,
    /// Name [default: the file's name]
    #[arg(long)]
    name: Option<Name>,
    /// Game that the bot must play; repeatable
    #[arg(long = "game")]
    games: Vec<String>,
    /// Clock of the test match
    #[arg(long, default_value = "move=1s")]
    clock: Clock,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    process: ProcessArgs,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let submission = Submission {
        file: &args.file,
        name: args.name.clone(),
        games: &args.games,
        clock: args.clock,
        processes: args.process.into(),
    };
    let people = args.format.for_people();
    let submitted = submit(args.arena.path(), &submission, |tried| {
        match tried {
            Tried::Plays(id) if people => output::print(&format!("{id}: plays\n"))?,
            Tried::Plays(_) => {}
            Tried::Fails(games, report) => {
                note!("it does not play {}: {}", games.join(", "), report.fault);
                for line in report.lines() {
                    note!("  {line}");
                }
            }
        }
        Ok(())
    })?;
    let label = submitted.bot.label();
    for warning in &submitted.warnings {
        note!("warning: {warning}");
    }
    if !people {
        let arena = Arena::open(args.arena.path())?;
        args.format.print(&[arena.describe(submitted.bot)])
    } else if submitted.new {
        output::print(&format!("{label} is in the arena\n"))
    } else {
        let same = "is in the arena already, with the same bytes";
        output::print(&format!("{label} {same}\n"))
    }
}
