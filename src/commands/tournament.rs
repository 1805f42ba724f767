use std::ffi::OsString;
use std::time::Instant;

use flipside_operations::{PreparedTournament, Request, Result, Started};
use flipside_report::{RunStats, brief};
use flipside_runner::MatchThreads;
use flipside_sandbox::shell::quoted;
use flipside_store::table;
use flipside_tournament::Name;
use flipside_tournament::spec::Heading;

use crate::args::{ArenaArg, DiskArg, Flags, WorkersArgs};
use crate::output::{OutputFormat, note, say_line, summary};
use crate::{dry_run, running};

/// Play a tournament, or resume one that was stopped
///
/// The same command resumes a tournament. Ctrl-C (or SIGTERM) finishes the running matches and stops; a second one
/// aborts them; a third ends the process at once. No match that was played is lost. The exit code is then 128 plus the
/// signal's number: 130 or 143.
///
/// Describe a tournament with flags, a TOML file with the same keys, or both; a flag overrides the file. A block is a
/// set of matches with the same random events and permuted seats: two bots play both seatings, three bots all six, and
/// more bots all rotations of an order. A bot that is a file enters the arena under the name of the file.
///
/// A bot's name without a version means its newest version when the tournament begins. The same command resumes with
/// the versions that the tournament began with, whatever was submitted since. Once the tournament is over, the same
/// command prints its table. If there are newer versions and no --name is given, it begins a new tournament with them.
/// If the command can mean several tournaments, it prints a command for each of them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game, or a file that ends in .toml and describes the tournament
    game: String,
    /// The bots, at least two; none where a file names them
    bots: Vec<String>,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten, next_help_heading = Heading::Where.text())]
    workers: WorkersArgs,
    #[command(flatten, next_help_heading = Heading::Where.text())]
    disk: DiskArg,
    /// Resume a tournament that was imported only in part
    ///
    /// This arena plays the missing matches. After that, the rest of the archive can no longer be imported.
    #[arg(long, help_heading = Heading::Where.text(), hide_short_help = true)]
    despite_import: bool,
    /// Show what would be played, and how long it would take
    ///
    /// Checks the whole command, starts each bot once, and changes nothing.
    #[arg(long, help_heading = Heading::Output.text())]
    dry_run: bool,
    /// Watch the standings and the running matches
    ///
    /// A terminal shows a screen with the boards, the time left and the faults; other outputs show the same as plain
    /// lines. Both show only what all players may see.
    #[arg(long, conflicts_with = "dry_run", help_heading = Heading::Output.text())]
    watch: bool,
    #[command(flatten, next_help_heading = Heading::Output.text())]
    format: OutputFormat,
    #[command(flatten, next_help_heading = Heading::Where.text())]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let request = Request::of(
        args.arena.path(),
        &args.flags.0,
        &args.game,
        &args.bots,
        &mut say_line,
    )?;
    // Nothing is made or written before everything that was typed has been looked at.
    let again = |name: &Name| named(std::env::args_os(), name);
    let prepared = PreparedTournament::new(args.arena.path(), &request, &again, &mut say_line)?;
    if args.dry_run {
        return prepared.plan(args.despite_import, |plan, matches| {
            dry_run::show(plan, matches, args.format)
        });
    }
    let remote = (args.workers).remote(args.arena.path(), |line| note!("{line}"))?;
    let mut started = prepared.start(args.despite_import, &mut say_line)?;
    if let Some(remote) = remote {
        started.threads = MatchThreads::elsewhere(remote);
    }
    play_and_show(args, started)
}

/// Plays what remains, and prints the table.
fn play_and_show(args: &Args, mut started: Started) -> Result<()> {
    let began = Instant::now();
    let before = started.journal.played(started.tournament.id)?.len();
    let ran = running::play(&mut started, args.disk.most_disk, args.watch);
    let (journal, tournament) = (&started.journal, &started.tournament);
    let matches = journal.played(tournament.id)?.len().saturating_sub(before);
    let standings = match &ran {
        Ok(_) => args.format.print_table(journal, tournament)?,
        Err(_) if matches > 0 => table(journal, tournament)?,
        Err(_) => return ran.map(drop),
    };
    let took = RunStats {
        matches,
        beyond: ran.as_ref().map_or(0, |ran| ran.beyond),
        time: began.elapsed(),
        has_table: ran.is_ok() && args.format.for_people(),
    };
    let summary = summary(&brief(tournament, &standings, Some(took)));
    note!("\n{}", summary.trim_end());
    if ran.is_ok() {
        // On a line of its own, which is easy to copy.
        let seed = tournament.settings.whole_seed();
        note!("\nto repeat the random events:\n--seed {seed}");
    }
    ran.map(drop)
}

/// A command with a name for the tournament, as a shell reads it.
fn named(args: impl Iterator<Item = OsString>, name: &Name) -> String {
    let mut args: Vec<String> = args.map(|arg| quoted(&arg)).collect();
    // Behind the subcommand, for what follows `--` is no flag. An arena of this name may stand before it.
    let is_command = |&at: &usize| args[at] == "tournament" && args[at - 1] != "--arena";
    let at = (1..args.len()).find(is_command);
    let at = at.map_or(args.len(), |at| at + 1);
    args.splice(at..at, ["--name".to_owned(), name.to_string()]);
    args.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_printed_as_a_shell_reads_it() {
        let name: Name = "evening".parse().unwrap();
        let typed = [
            "flipside",
            "-v",
            "tournament",
            "flipfour",
            "--options",
            "{\"a\": 1}",
            "--",
            "it's",
            "",
        ];
        assert_eq!(
            named(typed.into_iter().map(OsString::from), &name),
            r#"flipside -v tournament --name evening flipfour --options '{"a": 1}' -- 'it'\''s' ''"#
        );
    }
}
