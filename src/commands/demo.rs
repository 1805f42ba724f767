use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use flipside_games::words::counted;
use flipside_games::{AnyGame, GAMES};
use flipside_operations::{
    Entry, Failure, MOST_DISK, Processes, Result, Started, cores, most_at_once,
};
use flipside_report::words::in_words;
use flipside_report::{table_document, text};
use flipside_sandbox::shell::quoted;
use flipside_store::{Arena, Journal, full_table, unix_ms};
use flipside_tournament::{Bot, Settings};

use crate::args::{ARENA_ID, ArenaArg, ProcessArgs, concurrency};
use crate::output::note;
use crate::{number, output, running, terminal};

/// The bots that come as files: their name and their text.
const FIRST_WAT: (&str, &str) = ("first.wat", include_str!("../../sample-bots/wat/first.wat"));
const RANDOM_PY: (&str, &str) = (
    "random-py.py",
    include_str!("../../sample-bots/python/random.py"),
);

/// Options of games whose brief matches are mostly drawn: these decide something, and are soon over as well.
const DECISIVE: [(&str, &str); 2] = [
    (
        "puissance4-championship",
        r#"{"rules":{"max_rounds":3,"max_ticks":150}}"#,
    ),
    ("puissance4-extra-pro", r#"{"rules":{"max_rounds":2}}"#),
];

/// The built-in bots: their names in the demo, and what they are. With its usual playouts, `mcts` would take most of
/// the demo's time.
const BUILT_IN: [(&str, &str); 3] = [
    ("mcts", "sample:mcts:playouts=300"),
    ("greedy", "sample:greedy"),
    ("random", "sample:random"),
];

/// The clock of the demo.
const CLOCK: &str = "move=1s,start=10s";

/// The seed of the demo and its salt: everybody sees the same dice.
const SEED: u64 = 4;
const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Play a small round robin at every game with the built-in bots
///
/// Needs no setup. Plays in a new temporary folder, whatever FLIPSIDE_ARENA says; only --arena names another one.
#[derive(clap::Args)]
#[command(mut_arg(ARENA_ID, |arg| arg.help("The arena's folder [default: a new temporary one]")))]
pub(crate) struct Args {
    /// Rounds per game
    #[arg(long, default_value_t = 2, value_parser = number::whole(1u32, 1000))]
    rounds: u32,
    /// Matches to play at the same time, as far as the cores allow it [default: as many as they allow]
    #[arg(long, value_parser = concurrency)]
    concurrency: Option<NonZeroUsize>,
    #[command(flatten)]
    arena: ArenaArg,
    #[command(flatten)]
    process: ProcessArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = match args.arena.typed() {
        Some(folder) => folder.to_path_buf(),
        None => fresh_folder()?,
    };
    let arena = Arena::create(&folder)?;
    let mut journal = arena.journal()?;

    let at_most = args.concurrency.unwrap_or(cores()).get();
    let sandbox = Processes::from(args.process).sandbox(arena.path(), at_most);
    let bots = bots(&arena, &mut journal)?;
    let mut tables = String::new();
    for game in GAMES {
        let id = game.info().id;
        let settings = settings(*game, args)?;
        let kinds = bots.iter().map(|bot| bot.kind);
        let concurrency = most_at_once(&settings, kinds, args.concurrency)?;
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
        let mut started = Started {
            arena: arena.clone(),
            journal,
            tournament,
            sandbox: sandbox.clone(),
            threads: concurrency.into(),
        };
        let ran = running::play(&mut started, MOST_DISK, false)?;
        let matches = counted(ran.played + ran.not_played, "match");
        note!("{matches} in {}", in_words(began.elapsed()));
        let table = full_table(&started.journal, &started.tournament)?;
        let document = table_document(&started.tournament, &table);
        tables += &text(&document, terminal::columns());
        tables.push('\n');
        journal = started.journal;
    }
    output::print(&tables)?;
    let (shown, typed) = (folder.display(), quoted(&folder));
    output::print(&format!(
        "mcts is {}, which computes less than sample:mcts.\n\n\
         The arena with all records is {shown}. Look around in it:\n  \
         flipside matches --arena {typed} --limit 5\n  \
         flipside replay demo-yonmoque-0 --arena {typed}\n  \
         flipside verify demo-yonmoque-0 --arena {typed}\n\
         Next, show all of it in a browser:\n  \
         flipside serve --arena {typed}\n",
        BUILT_IN[0].1
    ))
}

fn options(game: &dyn AnyGame) -> String {
    let decisive = DECISIVE.iter().find(|(id, _)| *id == game.info().id);
    decisive.map_or_else(|| game.brief(), |(_, options)| (*options).to_owned())
}

/// The settings of the round robin of a game.
fn settings(game: &dyn AnyGame, args: &Args) -> Result<Settings> {
    let Processes { trust, ponder } = args.process.into();
    let seats = game.info().least_seats();
    let setup = game.set_up(&options(game), seats).map_err(Failure::new)?;
    Ok(Settings {
        game: game.info().id.to_owned(),
        options: setup.options,
        seats,
        rounds: args.rounds,
        clock: CLOCK.parse().expect("the clock is right"),
        seed: SEED,
        salt: SALT.parse().expect("the salt is right"),
        trust,
        ponder,
        ..Settings::default()
    })
}

/// Three processes and a module, which need nothing; and a Python script, where there is Python.
fn bots(arena: &Arena, journal: &mut Journal) -> Result<Vec<Bot>> {
    let mut bots = Vec::new();
    for (name, program) in BUILT_IN {
        let entry = Entry::find(Some(arena), program)?.named(name)?;
        bots.push(entry.enter(arena, journal)?);
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
    let unnamed = || Failure::new("the temporary folder's name is not UTF-8");
    let typed = path.to_str().ok_or_else(unnamed)?;
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
