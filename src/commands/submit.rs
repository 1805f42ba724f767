use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flipside_operations::{
    Failure, FaultReport, LONGEST_TOKEN, RemoteBot, RemoteNews, RemoteSite, Result, Submission,
    TryoutResult, submit,
};
use flipside_protocol::Clock;
use flipside_report::{Column, ReportRow, plain_line};
use flipside_store::Arena;
use flipside_tournament::Name;
use serde::Serialize;

use crate::args::{ArenaArg, ProcessArgs};
use crate::output::{self, OutputFormat, note};

/// Where the token of an account is, so that the list of processes does not show it.
const TOKEN_VARIABLE: &str = "FLIPSIDE_TOKEN";

/// Check a bot and add it to the arena
///
/// The bot plays a short match against itself at each --game, or at every game. The bot is refused if it has a fault in
/// a match that it began, or plays no game. With --game, it must finish all of them without a fault.
///
/// With --server, the bot enters the arena of a site instead, after the check there. Your account's page on the site
/// makes the token.
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
    /// Submit to the arena of this site
    #[arg(long, value_name = "URL", conflicts_with_all = ["clock", "trust", "ponder"])]
    server: Option<String>,
    /// File with the token of your account there [default: the variable FLIPSIDE_TOKEN]
    #[arg(long, value_name = "FILE", requires = "server")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    process: ProcessArgs,
    #[command(flatten)]
    arena: ArenaArg,
}

/// A bot that is in the arena of a site.
#[derive(Serialize)]
struct Entered(RemoteBot);

impl ReportRow for Entered {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::text("bot", |row: &Entered| (&*row.0.bot).into()),
        Column::text("page", |row: &Entered| (&*row.0.page).into()),
    ];
    const NOTHING: &'static str = "no bots";
}

/// The token of an account.
fn token(file: Option<&Path>) -> Result<String> {
    if let Some(path) = file {
        let cannot = |error| Failure::new(format!("cannot read {}: {error}", path.display()));
        let opened = File::open(path).map_err(cannot)?;
        let mut text = String::new();
        let mut some = opened.take(LONGEST_TOKEN as u64 + 1);
        some.read_to_string(&mut text).map_err(cannot)?;
        return Ok(text);
    }
    std::env::var(TOKEN_VARIABLE).map_err(|_| {
        let what = format!("the variable {TOKEN_VARIABLE} holds no token");
        Failure::usage(what).hint("--token-file FILE reads it from a file")
    })
}

fn submit_to(url: &str, args: &Args) -> Result<()> {
    let site = RemoteSite::new(url, &token(args.token_file.as_deref())?)?;
    let people = args.format.for_people();
    let entered = site.submit(&args.file, args.name.as_ref(), &args.games, |news| {
        match news {
            RemoteNews::Unencrypted => note!("warning: the token is sent without encryption"),
            RemoteNews::Received(page) => note!("received: {page}"),
            RemoteNews::Waiting(before) => note!("{before} uploads are checked before it"),
            RemoteNews::Step(step) => {
                let line = format!("{:<7} {}: {}", step.status, step.name, step.found);
                note!("{}", plain_line(&line));
                if let Some(advice) = &step.advice {
                    note!("        hint: {}", plain_line(advice));
                }
            }
        }
        Ok(())
    })?;
    for warning in &entered.warnings {
        note!("warning: {}", plain_line(warning));
    }
    if !people {
        return args.format.print(&[Entered(entered)]);
    }
    let bot = plain_line(&entered.bot);
    output::print(&format!("{bot} is in the arena of {}\n", plain_line(url)))
}

/// Tells of a fault that is the same at these games.
fn told(what: &str, games: &[&str], report: &FaultReport) {
    note!("{what} {}: {}", games.join(", "), report.fault);
    for line in report.lines() {
        note!("  {line}");
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(url) = &args.server {
        return submit_to(url, args);
    }
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
            TryoutResult::Plays(id) if people => output::print(&format!("{id}: plays\n"))?,
            TryoutResult::Plays(_) => {}
            TryoutResult::Declines(games, report) => told("it does not play", games, report),
            TryoutResult::Breaks(games, report) => {
                told("it ends before it is ready for", games, report);
            }
            TryoutResult::Fails(games, report) => told("it fails at", games, report),
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
