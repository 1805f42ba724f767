use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use flipside_games::GAMES;
use flipside_protocol::Clock;
use flipside_sandbox::Kind;
use flipside_tournament::{
    Arena, Bot, BotKind, Format, Journal, Policy, Settings, table as standings, unix_ms,
};

use crate::arena::{Entry, sandbox};
use crate::commands::{table, tournament};
use crate::cup::concurrency;
use crate::failure::{Failure, Result};
use crate::fair;
use crate::number;
use crate::output;
use crate::output::note;
use crate::policy::DiskArg;
use crate::summary::{counted, in_words};
use crate::walls::ProcessArgs;

/// The bots that come as files: their name and their text.
const FIRST_WAT: (&str, &str) = ("first.wat", include_str!("../../sample-bots/wat/first.wat"));
const RANDOM_PY: (&str, &str) = (
    "random-py.py",
    include_str!("../../sample-bots/python/random.py"),
);

/// The seed of the demo: everybody sees the same dice.
const SEED: u64 = 4;

/// Play a small round robin at every game between the bots that are built in, and show the tables
///
/// Needs nothing set up. The arena is a fresh temporary folder unless --arena is given.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many rounds each game gets.
    #[arg(long, default_value_t = 2, value_parser = number::whole(1u32, 1000))]
    rounds: u32,
    /// How many matches are played at once at most; without it, as many as there are cores for.
    #[arg(long, value_parser = concurrency)]
    concurrency: Option<NonZeroUsize>,
    /// The arena's folder.
    #[arg(long, value_name = "DIR")]
    arena: Option<PathBuf>,
    #[command(flatten)]
    process: ProcessArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = match args.arena.clone() {
        Some(folder) => folder,
        None => fresh_folder()?,
    };
    let arena = Arena::create(&folder)?;
    let mut journal = arena.journal()?;

    let sandbox = sandbox(
        Some(arena.path()),
        Some(arena.cache()),
        args.concurrency.unwrap_or(fair::cores()).get(),
        args.process,
    );
    let bots = bots(&arena, &mut journal)?;
    let mut tables = String::new();
    for game in GAMES {
        let id = game.info().id;
        let seats = game.info().least_seats();
        let settings = Settings {
            game: id.to_owned(),
            options: game
                .set_up(&game.brief(), seats)
                .map_err(Failure::new)?
                .options,
            seats,
            copies: 1,
            format: Format::RoundRobin,
            rounds: args.rounds,
            seeds: Vec::new(),
            opening_plies: 0,
            clock: "move=1s,start=10s"
                .parse::<Clock>()
                .expect("the clock is right"),
            seed: SEED,
            salt: None,
            trust: args.process.trust,
            ponder: args.process.ponder(),
            policy: Policy::usual(),
        };
        let kinds = bots.iter().map(|bot| match bot.kind {
            BotKind::Process => Kind::Process,
            BotKind::Module => Kind::Module,
        });
        let concurrency = fair::most(&settings, kinds, args.concurrency)?;
        let name = format!("demo-{id}").parse().map_err(Failure::new)?;
        let ids: Vec<_> = bots.iter().map(|bot| bot.id).collect();
        let tournament = journal
            .begin(&name, &settings, &ids, unix_ms())
            .map_err(|error| {
                Failure::usage(error)
                    .hint("this folder has a demo with other bots or rounds: name another")
            })?
            .tournament;
        let began = Instant::now();
        let ran = tournament::carry_on(
            &arena,
            &mut journal,
            &sandbox,
            &tournament,
            (concurrency.into(), false),
            DiskArg::usual(),
        )?;
        let matches = counted(ran.played + ran.not_played, "match");
        note!("{matches} in {}", in_words(began.elapsed()));
        tables += &table::told(&tournament, &standings(&journal, &tournament)?);
        tables.push('\n');
    }
    output::print(&tables)?;
    let shown = folder.display();
    output::print(&format!(
        "The arena with all records is {shown}. Look around in it:\n  \
         flipside matches --arena {shown} --limit 5\n  \
         flipside replay demo-yonmoque-0 --arena {shown}\n  \
         flipside verify demo-yonmoque-0 --arena {shown}\n"
    ))
}

/// Three processes and a module, which need nothing; and a Python script, where there is Python.
fn bots(arena: &Arena, journal: &mut Journal) -> Result<Vec<Bot>> {
    let mut bots = Vec::new();
    for name in ["sample:mcts", "sample:greedy", "sample:random"] {
        bots.push(Entry::find(Some(arena), name)?.enter(arena, journal)?);
    }
    let files = tempfile::tempdir()
        .map_err(|error| Failure::new(format!("cannot make a folder: {error}")))?;
    bots.push(file_bot(arena, journal, files.path(), FIRST_WAT)?);
    if has_python() {
        bots.push(file_bot(arena, journal, files.path(), RANDOM_PY)?);
    } else {
        note!("there is no python3 here, so the bot written in Python stays away");
    }
    Ok(bots)
}

fn file_bot(
    arena: &Arena,
    journal: &mut Journal,
    folder: &Path,
    (name, text): (&str, &str),
) -> Result<Bot> {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, text)
        .and_then(|()| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)))
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
    let typed = path
        .to_str()
        .ok_or_else(|| Failure::new("the temporary folder's name is not UTF-8"))?;
    Entry::find(Some(arena), typed)?.enter(arena, journal)
}

fn has_python() -> bool {
    let tried = Command::new("python3")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}

fn fresh_folder() -> Result<PathBuf> {
    tempfile::Builder::new()
        .prefix("flipside-demo-")
        .tempdir()
        .map(tempfile::TempDir::keep)
        .map_err(|error| Failure::new(format!("cannot make a temporary folder: {error}")))
}
