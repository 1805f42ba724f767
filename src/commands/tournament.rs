use std::num::NonZeroUsize;

use flipside_protocol::Clock;
use flipside_sandbox::{Program, Sandbox};
use flipside_tournament::{
    Arena, Bot, Event, Finished, Format as Pairings, Journal, Name, Seeding, Settings, Tournament,
    run as play, seeds, unix_ms,
};

use crate::arena::{self, ArenaArg, Entry};
use crate::commands::play_match::prepare;
use crate::commands::{games, table};
use crate::failure::{Failure, Result};
use crate::output::Format;
use crate::output::note;
use crate::progress::Progress;
use crate::stopping::Stopping;
use crate::walls::TrustArg;

/// The most rounds of a tournament.
const MOST_ROUNDS: u32 = 1_000_000;
/// The most matches that are played at once.
const MOST_CONCURRENCY: usize = 256;
/// The most bots in a tournament.
const MOST_BOTS: usize = 1_000;

/// Play a tournament; called again, it goes on where it was stopped
///
/// Ctrl-C (or SIGTERM) finishes the matches that are running, and stops; a second one breaks them off;
/// a third ends everything at once. Either way nothing is lost that was played. The exit code is then
/// 128 and the signal's number: 130, or 143.
///
/// In a round robin each set of bots meets in every round, in all seatings or, with more than three
/// bots in a match, in all rotations of one, from the same seed. Bots that are files enter the arena
/// under the name of the file.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game.
    game: String,
    /// The bots, at least two.
    #[arg(required = true)]
    bots: Vec<String>,
    /// How bots are paired.
    #[arg(long = "format", value_name = "FORMAT", default_value = "round-robin")]
    pairings: Pairings,
    /// How many seats a match has; without it, as few as the game is for.
    #[arg(long, value_name = "N")]
    seats: Option<u8>,
    /// How many seats of a match each bot takes, with copies of itself. In a game of teams, the size
    /// of a team makes each bot a team.
    #[arg(long, value_name = "K", default_value_t = 1)]
    copies: u8,
    /// How many rounds.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_ROUNDS)))]
    rounds: u32,
    /// The clock: move=1s, or 10s+100ms; ,start=5s behind it for the time to start.
    #[arg(long, default_value = "move=1s")]
    clock: Clock,
    /// The number that all randomness comes from; without it one is drawn when the tournament begins.
    #[arg(long)]
    seed: Option<u64>,
    /// The game's options, as JSON.
    #[arg(long, default_value = "{}")]
    options: String,
    /// How many matches are played at once.
    #[arg(long, default_value = "1", value_parser = concurrency)]
    concurrency: NonZeroUsize,
    /// The tournament's name; without it, one that follows from the game, the bots and the settings.
    #[arg(long)]
    name: Option<Name>,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    trust: TrustArg,
    #[command(flatten)]
    arena: ArenaArg,
}

/// Reads how many matches are played at once.
pub(crate) fn concurrency(typed: &str) -> Result<NonZeroUsize, String> {
    match typed.parse::<NonZeroUsize>() {
        Ok(number) if number.get() <= MOST_CONCURRENCY => Ok(number),
        _ => Err(format!("a whole number from 1 to {MOST_CONCURRENCY}")),
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.bots.len() < 2 {
        return Err(
            Failure::usage("a tournament needs at least two bots, and only one is named")
                .hint("add another, for example sample:random; `flipside bots` lists the arena's"),
        );
    }
    if args.bots.len() > MOST_BOTS {
        return Err(Failure::usage(format!(
            "a tournament has at most {MOST_BOTS} bots, not {}",
            args.bots.len()
        )));
    }
    let game = games::find(&args.game)?;
    let seats = args.seats.unwrap_or(game.info().least_seats());
    let setup = game.set_up(&args.options, seats).map_err(|error| {
        Failure::usage(error).hint(format!("`flipside schema {}` tells the options", args.game))
    })?;
    let settings = Settings {
        game: args.game.clone(),
        options: setup.options,
        seats,
        copies: args.copies,
        format: args.pairings,
        rounds: args.rounds,
        seeds: Vec::new(),
        opening_plies: 0,
        clock: args.clock,
        seed: 0,
        trust: args.trust.trust,
    };
    settings.director(args.bots.len()).map_err(|error| {
        let hint = error.hint();
        Failure::usage(error).hint(hint)
    })?;
    // Nothing is made or written before everything that was typed has been looked at.
    let there = Arena::open(args.arena.path()).ok();
    let sandbox = args.arena.sandbox(args.concurrency.get(), args.trust);
    let mut entries: Vec<Entry> = Vec::new();
    let mut programs: Vec<Program> = Vec::new();
    for typed in &args.bots {
        let entry = Entry::find(there.as_ref(), typed)?;
        let program = entry.program(there.as_ref())?;
        sandbox
            .prepare(&program)
            .map_err(|error| Failure::from(error).about(typed))?;
        arena::try_start(&sandbox, &program).map_err(|failure| failure.about(typed))?;
        let same = |(other, theirs): (&Entry, &Program)| {
            other.name() == entry.name() && theirs.sha256() == program.sha256()
        };
        if let Some(other) = entries.iter().zip(&programs).position(same) {
            let what = format!("{} and {typed} are the same bot", args.bots[other]);
            return Err(Failure::usage(what)
                .hint("name each bot once; another version of it is NAME@VERSION"));
        }
        entries.push(entry);
        programs.push(program);
    }
    let arena = args.arena.create()?;
    let mut journal = arena.journal()?;
    let bots = entries
        .into_iter()
        .map(|entry| entry.enter(&arena, &mut journal))
        .collect::<Result<Vec<Bot>>>()?;
    let name = match args.name.clone() {
        Some(name) => name,
        None => default_name(&settings, &bots)?,
    };
    for bot in bots
        .iter()
        .filter(|bot| !bot.games.is_empty() && !bot.games.contains(&args.game))
    {
        note!(
            "{} did not finish a match against itself at {} when it was submitted",
            bot.label(),
            args.game
        );
    }
    let tournament = begin(&mut journal, &name, settings, &bots, args.seed)?;
    carry_on(
        &arena,
        &mut journal,
        &sandbox,
        &tournament,
        args.concurrency,
    )?;
    table::show(&journal, &tournament, args.format)
}

/// A name that the same command gives again, so that it resumes.
fn default_name(settings: &Settings, bots: &[Bot]) -> Result<Name> {
    let fingerprint = settings.fingerprint(bots);
    format!("{}-{}", settings.game, &fingerprint[..8])
        .parse()
        .map_err(Failure::new)
}

/// The tournament of this name: a new one, or the one that was stopped. A seed that was not named is
/// the one that it began with, and so are the seeds of the bots.
fn begin(
    journal: &mut Journal,
    name: &Name,
    settings: Settings,
    bots: &[Bot],
    seed: Option<u64>,
) -> Result<Tournament> {
    let known = journal
        .tournaments()?
        .into_iter()
        .find(|known| known.name == *name);
    let seeds = match (&known, settings.format.seeding()) {
        (Some(known), _) => known.settings.seeds.clone(),
        (None, Some(Seeding::Ratings)) => seeds(journal, &settings.game, bots)?,
        (None, _) => Vec::new(),
    };
    let seed = seed
        .or(known.map(|known| known.settings.seed))
        .unwrap_or_else(rand::random);
    let settings = Settings {
        seed,
        seeds,
        ..settings
    };
    let ids: Vec<_> = bots.iter().map(|bot| bot.id).collect();
    journal
        .begin(name, &settings, &ids, unix_ms())
        .map(|begun| begun.tournament)
        .map_err(|error| {
            let hint = error.hint();
            Failure::usage(error).maybe_hint(hint)
        })
}

/// Plays what remains of a tournament, with progress on standard error.
pub(crate) fn carry_on(
    arena: &Arena,
    journal: &mut Journal,
    sandbox: &Sandbox,
    tournament: &Tournament,
    concurrency: NonZeroUsize,
) -> Result<()> {
    let _lock = arena.lock_run(&tournament.name)?;
    raise_open_files();
    let mut players = Vec::new();
    for bot in &tournament.entrants {
        players.push(arena::player(arena, bot)?);
    }
    prepare(sandbox, &players)?;
    let stopping = Stopping::begin()?;
    let mut progress = None;
    let ran = play(
        journal,
        tournament,
        &players,
        sandbox,
        concurrency,
        stopping.stop(),
        |event| match event {
            Event::Begins { landed, total } => {
                let open = total.most().saturating_sub(landed);
                note!("{}: {open} of {total} matches to play", tournament.name);
                progress = Some(Progress::new("matches", landed, landed + open));
            }
            Event::Landed(finished) => {
                tell_faults(finished);
                progress.iter_mut().for_each(Progress::step);
            }
            Event::Void { id, reason, again } => {
                let next = if again {
                    "it is played again"
                } else {
                    "it stays open"
                };
                say(
                    progress.as_ref(),
                    &format!("{id} is void: {reason}; {next}"),
                );
            }
        },
    );
    if let Some(progress) = progress {
        progress.end();
    }
    let ran = ran?;
    if let (true, Some(signal)) = (ran.stopped, stopping.signal()) {
        return Err(Failure::stopped(signal, "what has been played is kept")
            .hint("the same command again goes on"));
    }
    match ran.given_up {
        0 => Ok(()),
        open => Err(Failure::new(format!(
            "{open} matches could not be played, by no fault of a bot"
        ))
        .hint("the same command again plays what is missing; -v tells more")),
    }
}

fn say(progress: Option<&Progress>, line: &str) {
    match progress {
        Some(progress) => progress.say(line),
        None => note!("{line}"),
    }
}

fn tell_faults(finished: &Finished) {
    for (seat, fault) in finished
        .seats
        .iter()
        .enumerate()
        .filter_map(|(at, seat)| Some((at, seat.fault.as_ref()?)))
    {
        let (id, fault, detail) = (&finished.id, &fault.name, &fault.detail);
        tracing::warn!(id, seat, fault, detail, "fault");
    }
}

/// Allows as many open files as this user may have: every process takes four.
fn raise_open_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files stays as it was");
    }
}
