use std::fmt::Write;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use flipside_operations::{
    CheckStatus, CheckedStep, GAME_LANGUAGES, GameCheck, GameCheckRequest, NewFile, NewGame,
    Result, add_game, check_game, game_checks, junit_of_game, make_game,
};
use flipside_report::ReportTable;
use flipside_sandbox::shell::quoted;
use serde::Serialize;

use crate::args::{ArenaArg, TrustArg};
use crate::number;
use crate::output::{self, OutputFormat, print};
use crate::step_lines::{COLUMNS, ListedStep, does_not_pass, summary, tell};
use crate::terminal::Style;

/// Bring a game of your own
///
/// The program of a game is an executable, a WebAssembly module, or a folder with a game.toml. match, play, debug, check,
/// rules and schema take the path of one as GAME, such as ./mygame.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: GameCommand,
}

#[derive(clap::Subcommand)]
enum GameCommand {
    New(NewArgs),
    Check(Box<CheckArgs>),
    Add(Box<AddArgs>),
}

/// Make a folder with a new game
///
/// It is a small game that works. Its README has the commands to check it and to play it.
#[derive(clap::Args)]
struct NewArgs {
    /// Language
    #[arg(value_parser = PossibleValuesParser::new(GAME_LANGUAGES.iter().map(|language| language.id)))]
    language: String,
    /// Folder to make
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Name [default: the folder's name]
    #[arg(long)]
    name: Option<String>,
    /// Clone of Flipside's repository, for a Rust game, which uses the crate flipside-games
    #[arg(long, value_name = "DIR")]
    checkout: Option<PathBuf>,
}

/// Check the program of a game in named steps
///
/// Plays random matches, and holds what the program says against the laws that every game must keep. Exits with 1 if it
/// breaks one. A step that finds something names the seed of its match: --seed with --step shows it again.
#[derive(clap::Args)]
struct CheckArgs {
    /// Program of the game: a file or a folder
    #[arg(required_unless_present = "list")]
    game: Option<PathBuf>,
    /// Random matches with each options at each number of seats
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = number::near::<u32>(1, 100_000))]
    matches: u32,
    /// Seed of the first of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Run only this step; repeatable
    #[arg(long = "step", value_name = "NAME")]
    steps: Vec<String>,
    /// Show the whole lines that were said where a step finds something
    #[arg(long)]
    full: bool,
    /// List the steps
    #[arg(long, conflicts_with_all = ["game", "junit"])]
    list: bool,
    /// Write the result as JUnit XML to this new file
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    trust: TrustArg,
    #[command(flatten)]
    arena: ArenaArg,
}

/// Add a game to the arena
///
/// It is checked first. The arena keeps a copy under the id that the program says, as its next version: nim@1, nim@2.
/// Each version has tables and ratings of its own, because it may have other rules. NAME without a version means the
/// latest one. The same program is added only once.
#[derive(clap::Args)]
struct AddArgs {
    /// Program of the game: a file or a folder
    game: PathBuf,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    trust: TrustArg,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.what {
        GameCommand::New(args) => make(args),
        GameCommand::Check(args) => check(args),
        GameCommand::Add(args) => add(args),
    }
}

fn add(args: &AddArgs) -> Result<()> {
    let mut hear = |step: &CheckedStep| {
        if args.format.for_people() && step.outcome.status == CheckStatus::Failed {
            let mut text = String::new();
            tell(&mut text, step, false);
            print(&text)?;
        }
        Ok(())
    };
    let arena = args.arena.path();
    let added = add_game(arena, &args.game, args.trust.into(), &mut hear)?;
    let text = || {
        let label = added.game.label();
        Ok(match added.new {
            true => format!("{label} is in the arena\nflipside rules {label}\n"),
            false => format!("{label} is in the arena already\n"),
        })
    };
    let row = AddedRow {
        game: added.game.label(),
        sha256: added.game.sha256.clone(),
        new: added.new,
    };
    args.format.print_value(&row, text, || {
        format!("game,sha256,new\n{},{},{}\n", row.game, row.sha256, row.new)
    })
}

/// What was added.
#[derive(Serialize)]
struct AddedRow {
    game: String,
    sha256: String,
    new: bool,
}

fn make(args: &NewArgs) -> Result<()> {
    let made = make_game(NewGame {
        language: &args.language,
        folder: &args.folder,
        name: args.name.as_deref(),
        checkout: args.checkout.as_deref(),
    })?;
    let folder = args.folder.display();
    let mut told = format!(
        "{} in {folder} is a game in {}:\n",
        made.name, made.language
    );
    for file in &made.files {
        let _ = writeln!(told, "  {file}");
    }
    let _ = writeln!(told, "Next:\n  cd {}", quoted(&args.folder));
    for command in &made.commands {
        let _ = writeln!(told, "  {command}");
    }
    output::print(&told)
}

fn check(args: &CheckArgs) -> Result<()> {
    let format = args.format;
    let Some(game) = &args.game else {
        let listed = |check: &GameCheck| ListedStep {
            group: check.group,
            name: check.name,
            purpose: check.purpose,
        };
        return format.print(&game_checks().map(listed).collect::<Vec<_>>());
    };
    // The file is made before the check: afterwards it would be too late to learn that it cannot be.
    let file = args.junit.as_deref().map(NewFile::make).transpose()?;
    let request = GameCheckRequest {
        game,
        steps: &args.steps,
        matches: args.matches,
        seed: args.seed,
        processes: args.trust.into(),
        most: None,
    };
    let style = Style::of_stdout();
    let mut group = "";
    let checked = check_game(args.arena.path(), &request, &mut |step: &CheckedStep| {
        if !format.for_people() {
            return Ok(());
        }
        let mut text = String::new();
        if step.group != group {
            group = step.group;
            text = style.bold(group) + "\n";
        }
        tell(&mut text, step, args.full);
        print(&text)
    })?;
    if let Some(file) = file {
        file.write(junit_of_game(&checked).as_bytes())?;
    }
    let csv = || ReportTable::of("", COLUMNS, &checked.steps).csv();
    format.print_value(&checked, || Ok(summary(&checked.steps, checked.ms)), csv)?;
    if checked.passed() {
        return Ok(());
    }
    Err(does_not_pass(game.display(), &checked.steps))
}
