//! The command `flipside`: it reads the command line, sets up the log, and hands over to one file
//! of `commands/` per subcommand. Results go to standard output, progress and notes to standard
//! error; the exit code is 0 when it is done, 1 when it failed, 2 when it was used wrongly, 128
//! and a signal's number when that stopped it.

mod args;
mod changes;
mod commands;
mod dry_run;
mod exit_codes;
mod logging;
mod number;
mod output;
mod page;
mod person;
mod progress;
mod prompt;
mod replaying;
mod running;
mod screen;
mod step_lines;
mod stop_lines;
mod stopping;
mod terminal;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};
use flipside_operations::{Processes, Result, enter_if_asked, use_games};

use crate::args::ArenaArg;
use crate::commands::Command;
use crate::exit_codes::EndReason;

/// An arena for game bots: referee, sandbox, tournaments, ratings.
#[derive(Parser)]
#[command(
    name = "flipside",
    version,
    max_term_width = 100,
    propagate_version = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Log to stderr (-v: events, -vv: everything)
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,

    /// Format of the log; json implies -v
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        hide_short_help = true,
        global = true
    )]
    log: logging::LogFormat,

    #[command(flatten)]
    arena: ArenaArg,
}

/// What a bot can be, which all commands have in common.
const A_BOT: &str = "A BOT is a path to an executable, a .wasm or .wat file, or a folder with a bot.toml; a submitted \
                     bot (NAME or NAME@VERSION); or a built-in bot (sample:NAME or sample:NAME:PARAMETER=VALUE).";

/// The command line with all subcommands.
fn command_line() -> clap::Command {
    let all = Cli::command()
        .after_help(A_BOT)
        .after_long_help(format!("{A_BOT}\n\n{}", exit_codes::help()));
    number::with_negatives(all)
}

/// Reads what was typed.
fn typed(args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<Cli, clap::Error> {
    let matches = command_line().try_get_matches_from(args)?;
    Cli::from_arg_matches(&matches)
}

/// Ends the program as clap does, with what was typed made plain: it stands in the message, and may be a file's name.
fn refuse(error: &clap::Error) -> ! {
    let plain =
        std::env::args_os().map(|typed| flipside_report::plain_line(&typed.to_string_lossy()));
    typed(plain).err().as_ref().unwrap_or(error).exit()
}

fn main() -> ExitCode {
    if let Some(ended) = enter_if_asked(std::env::args_os().skip(1)) {
        return code(ended);
    }
    let cli = typed(std::env::args_os()).unwrap_or_else(|error| refuse(&error));
    if let Err(failure) = logging::begin(cli.verbose, cli.log) {
        return output::tell(&failure);
    }
    if let Some(typed) = cli.arena.typed() {
        output::name_arena(typed, commands::takes_arena);
    }
    use_games(cli.arena.path(), Processes::default());
    code(commands::run(&cli.command))
}

/// The exit code; of a failure, once it was told.
fn code(ended: Result<()>) -> ExitCode {
    match ended {
        Ok(()) => EndReason::Done.code(),
        Err(failure) => output::tell(&failure),
    }
}
