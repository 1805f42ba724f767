use std::time::Instant;

use flipside_sandbox::{Program, Sandbox};
use flipside_tournament::spec::Heading;
use flipside_tournament::{
    Arena, Bot, Event, Finished, Journal, Name, Policy, Ran, Seeding, Settings, Tournament,
    Workers, run as play, seeds, table as standings, unix_ms,
};

use crate::arena::{self, ArenaArg, Entry};
use crate::commands::export::in_part;
use crate::commands::play_match::prepare;
use crate::commands::table;
use crate::concurrency;
use crate::dry_run;
use crate::failure::{Failure, Result};
use crate::isolation::ProcessArgs;
use crate::output::Format;
use crate::output::{note, plain_line};
use crate::policy::{DiskArg, Room};
use crate::progress::{Progress, Steps};
use crate::resume;
use crate::seed;
use crate::spec::{Flags, Request};
use crate::stopping::Stopping;
use crate::summary::{self, Took};
use crate::watch::Watch;
use crate::words;

/// Play a tournament, or resume one that was stopped
///
/// The same command resumes a tournament. Ctrl-C (or SIGTERM) finishes the running matches and stops; a second one
/// breaks them off; a third ends everything at once. No match that was played is lost. The exit code is then 128 plus
/// the signal's number: 130 or 143.
///
/// Flags describe a tournament, or a file in TOML with the same keys, or both; a flag replaces the key of the file.
/// A block is the same chance with the seats permuted: two bots play both seatings, three all six, more all rotations
/// of an order. A bot that is a file enters the arena under the name of the file.
///
/// A bot's name without a version means its newest version when the tournament begins. The same command resumes with
/// the versions that the tournament began with, whatever was submitted since. Once the tournament is over, it begins a
/// new one with the newest versions. If it can mean several tournaments, it prints the command for each.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game, or a file that ends in .toml and describes the tournament
    game: String,
    /// The bots, at least two; none where a file names them
    bots: Vec<String>,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten, next_help_heading = Heading::Where.text())]
    disk: DiskArg,
    /// Resume a tournament that was imported only in part
    ///
    /// What is missing is played here. The rest of the archive cannot be imported any more.
    #[arg(long, help_heading = Heading::Where.text(), hide_short_help = true)]
    despite_import: bool,
    /// Show what would be played, and how long it would take
    ///
    /// It looks at everything that was typed, starts each bot once, and changes nothing.
    #[arg(long, help_heading = Heading::Output.text())]
    dry_run: bool,
    /// Watch the standings and the running matches
    ///
    /// On a terminal it is a screen with the boards, the time left and the faults; elsewhere the same in plain lines
    /// now and then. No secrets are shown.
    #[arg(long, conflicts_with = "dry_run", help_heading = Heading::Output.text())]
    watch: bool,
    #[command(flatten, next_help_heading = Heading::Output.text())]
    format: Format,
    #[command(flatten, next_help_heading = Heading::Where.text())]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let request = Request::of(&args.flags, &args.game, &args.bots)?;
    let settings = &request.settings;
    // Nothing is made or written before everything that was typed has been looked at.
    let there = Arena::open(args.arena.path()).ok();
    let entries = find(there.as_ref(), &request.run.bots)?;
    let (name, entries) = match &there {
        None => (request.run.name.clone(), entries),
        Some(arena) => resume::meant(arena, &request, entries)?,
    };
    let kinds = entries.iter().map(|(_, program)| program.kind());
    let workers = concurrency::workers(settings, kinds, request.at_once())?;
    if let Some(warning) = words::may_repeat(settings) {
        note!("{warning}");
    }
    let process = ProcessArgs::of(settings.trust, settings.ponder);
    let sandbox = args.arena.sandbox(workers.number.get(), process);
    for ((_, program), typed) in entries.iter().zip(&request.run.bots) {
        sandbox
            .prepare(program)
            .map_err(|error| Failure::from(error).about(typed))?;
        arena::try_start(&sandbox, program).map_err(|failure| failure.about(typed))?;
    }
    if args.dry_run {
        return show_plan(args, &request, (there.as_ref(), name), &entries, &workers);
    }
    let arena = args.arena.create()?;
    let mut journal = arena.journal()?;
    let bots = entries
        .into_iter()
        .map(|(entry, _)| entry.enter(&arena, &mut journal))
        .collect::<Result<Vec<Bot>>>()?;
    let name = match name {
        Some(name) => name,
        None => default_name(settings, &bots)?,
    };
    warn_of_untested(&bots, &settings.game);
    let tournament = begin(&mut journal, &name, &bots, &request)?;
    if !args.despite_import {
        refuse_in_part(&journal, &tournament)?;
    }
    play_and_show(args, (&arena, &mut journal), &sandbox, &tournament, workers)
}

/// Prints what would be played.
fn show_plan(
    args: &Args,
    request: &Request,
    (there, name): (Option<&Arena>, Option<Name>),
    entries: &[(Entry, Program)],
    workers: &Workers,
) -> Result<()> {
    let journal = match there.map(Arena::read_journal) {
        // It is only looked into.
        Some(Err(_)) if name.is_none() => None,
        journal => journal.transpose()?,
    };
    let known = match &journal {
        Some(journal) => goes_on(journal, request, name.as_ref(), entries)?,
        None => None,
    };
    if let (Some(journal), Some(known), false) = (&journal, &known, args.despite_import) {
        refuse_in_part(journal, known)?;
    }
    let settings = request.settings.clone();
    let settings = match &journal {
        Some(journal) => seeded(journal, settings, entries)?,
        None => settings,
    };
    let planned = dry_run::Planned {
        settings: &settings,
        bots: &request.run.bots,
        seed: request.spec.get("seed").and_then(serde_json::Value::as_u64),
        known: known.as_ref(),
    };
    dry_run::show(&planned, workers.number, journal.as_ref(), args.format)
}

/// Says which bots may not know the game.
fn warn_of_untested(bots: &[Bot], game: &String) {
    let untested = |bot: &&Bot| !bot.games.is_empty() && !bot.games.contains(game);
    for bot in bots.iter().filter(untested) {
        let bot = bot.label();
        note!("{bot} did not finish a match against itself at {game} when it was submitted");
    }
}

/// Plays what remains, and prints the table.
fn play_and_show(
    args: &Args,
    (arena, journal): (&Arena, &mut Journal),
    sandbox: &Sandbox,
    tournament: &Tournament,
    workers: Workers,
) -> Result<()> {
    let began = Instant::now();
    let before = journal.played(tournament.id)?.len();
    let watched = args.watch;
    let carried_on = carry_on(
        arena,
        journal,
        sandbox,
        tournament,
        (workers, watched),
        args.disk,
    );
    let matches = journal.played(tournament.id)?.len().saturating_sub(before);
    let standings = match &carried_on {
        Ok(_) => table::show(journal, tournament, args.format)?,
        Err(_) if matches > 0 => standings(journal, tournament)?,
        Err(_) => return carried_on.map(drop),
    };
    let took = Took {
        matches,
        beyond: carried_on.as_ref().map_or(0, |ran| ran.beyond),
        time: began.elapsed(),
    };
    note!(
        "\n{}",
        summary::of(tournament, &standings, Some(took)).trim_end()
    );
    if let (Ok(_), Some(salt)) = (&carried_on, tournament.settings.salt) {
        let seed = tournament.settings.seed;
        // No line is wider than a summary's.
        note!("\nthe same chance again: --seed {seed} \\\n--salt {salt}");
    }
    carried_on.map(drop)
}

/// Looks up the bots, each of which is to be named once.
fn find(arena: Option<&Arena>, typed_bots: &[String]) -> Result<Vec<(Entry, Program)>> {
    let mut entries: Vec<(Entry, Program)> = Vec::new();
    for typed in typed_bots {
        let entry = Entry::find(arena, typed)?;
        let program = entry.program(arena)?;
        let same = |(other, theirs): &(Entry, Program)| {
            other.name() == entry.name() && theirs.sha256() == program.sha256()
        };
        if let Some(other) = entries.iter().position(same) {
            let what = format!("{} and {typed} are the same bot", typed_bots[other]);
            return Err(Failure::usage(what)
                .hint("name each bot once; another version of it is NAME@VERSION"));
        }
        entries.push((entry, program));
    }
    Ok(entries)
}

/// A name that the same command gives again between the same versions of the bots, so that it resumes.
pub(crate) fn default_name(settings: &Settings, bots: &[Bot]) -> Result<Name> {
    let fingerprint = settings.fingerprint(bots);
    format!("{}-{}", settings.game, &fingerprint[..8])
        .parse()
        .map_err(Failure::new)
}

/// The tournament of this name: a new one, or the one that was stopped, which keeps what is not asked for.
fn begin(
    journal: &mut Journal,
    name: &Name,
    bots: &[Bot],
    request: &Request,
) -> Result<Tournament> {
    let known = (journal.tournaments()?.into_iter()).find(|known| known.name == *name);
    let settings = match &known {
        Some(known) => {
            let settings = resumed(request, known)?;
            if settings.salt.is_none() {
                note!(
                    "{} began without a salt: bots can find its chance by trying seeds; another --name begins a \
                     tournament with one",
                    known.name
                );
            }
            settings
        }
        None => new(journal, request, bots)?,
    };
    let ids: Vec<_> = bots.iter().map(|bot| bot.id).collect();
    journal
        .begin(name, &settings, &ids, unix_ms())
        .map(|begun| begun.tournament)
        .map_err(|error| refused(&error))
}

/// The settings of a new tournament.
fn new(journal: &Journal, request: &Request, bots: &[Bot]) -> Result<Settings> {
    let usual = Settings {
        seed: rand::random(),
        policy: Policy::usual(),
        ..Settings::default()
    };
    let settings = request.resumed(&usual)?;
    let seeds = match settings.format.seeding() {
        Some(Seeding::Ratings) => {
            let labels: Vec<String> = bots.iter().map(Bot::label).collect();
            seeds(journal, &settings.game, &labels)?
        }
        _ => Vec::new(),
    };
    let salt = Some(seed::salt(settings.salt)?);
    Ok(Settings {
        seeds,
        salt,
        ..settings
    })
}

/// The settings of a tournament that goes on.
pub(crate) fn resumed(request: &Request, known: &Tournament) -> Result<Settings> {
    let seeds = known.settings.seeds.clone();
    Ok(Settings {
        seeds,
        ..request.resumed(&known.settings)?
    })
}

/// The tournament that [`begin`] would go on with, if there is one. Refuses what that would refuse: to go on with
/// other settings or bots.
fn goes_on(
    journal: &Journal,
    request: &Request,
    name: Option<&Name>,
    entries: &[(Entry, Program)],
) -> Result<Option<Tournament>> {
    let there = entries.iter().map(|(entry, _)| entry.there(journal));
    let there = there.collect::<Result<Vec<Option<Bot>>>>()?;
    let name = match (name, there.iter().cloned().collect::<Option<Vec<_>>>()) {
        (Some(name), _) => name.clone(),
        (None, Some(bots)) => default_name(&request.settings, &bots)?,
        // With a bot that is new it is another tournament.
        (None, None) => return Ok(None),
    };
    let mut known = journal.tournaments()?.into_iter();
    let Some(known) = known.find(|known| known.name == name) else {
        return Ok(None);
    };
    let label = |(bot, (entry, _)): (&Option<Bot>, &(Entry, Program))| match bot {
        Some(bot) => bot.label(),
        None => format!("{}, which is new here", entry.name()),
    };
    let labels: Vec<String> = there.iter().zip(entries).map(label).collect();
    match known.goes_on_with(&resumed(request, &known)?, &labels) {
        Ok(()) => Ok(Some(known)),
        Err(error) => Err(refused(&error)),
    }
}

/// The settings of a new tournament with the seeds of its bots, where these come from ratings: one that is new has
/// none.
fn seeded(journal: &Journal, settings: Settings, entries: &[(Entry, Program)]) -> Result<Settings> {
    if settings.format.seeding() != Some(Seeding::Ratings) {
        return Ok(settings);
    }
    let there = entries.iter().map(|(entry, _)| entry.there(journal));
    let there = there.collect::<Result<Vec<Option<Bot>>>>()?;
    let label = |bot: &Option<Bot>| bot.as_ref().map_or_else(String::new, Bot::label);
    let labels: Vec<String> = there.iter().map(label).collect();
    let seeds = seeds(journal, &settings.game, &labels)?;
    Ok(Settings { seeds, ..settings })
}

/// Matches that are played here can not be taken in any more.
fn refuse_in_part(journal: &Journal, tournament: &Tournament) -> Result<()> {
    match in_part(journal, tournament)? {
        None => Ok(()),
        Some(in_part) => Err(Failure::new(in_part)
            .hint("--despite-import plays here what is missing; the rest of the archive does not fit then")),
    }
}

fn refused(error: &flipside_tournament::Error) -> Failure {
    Failure::usage(error).maybe_hint(error.hint())
}

/// Plays what remains of a tournament, with progress on standard error, or watched.
pub(crate) fn carry_on(
    arena: &Arena,
    journal: &mut Journal,
    sandbox: &Sandbox,
    tournament: &Tournament,
    (workers, watched): (Workers, bool),
    disk: DiskArg,
) -> Result<Ran> {
    let _lock = arena.lock_run(&tournament.name)?;
    raise_open_files();
    let mut players = Vec::new();
    for bot in &tournament.entrants {
        players.push(arena::player(arena, bot)?);
    }
    prepare(sandbox, &players)?;
    let room = disk.room(arena)?;
    let stopping = Stopping::begin()?;
    let watch = match watched {
        true => Some(Watch::begin(arena.path(), tournament, stopping.stop())?),
        false => None,
    };
    let live = watch.as_ref().map(Watch::live);
    let mut teller = Teller {
        tournament,
        watch,
        progress: None,
    };
    let ran = play(
        journal,
        tournament,
        &players,
        sandbox,
        Workers { live, ..workers },
        stopping.stop(),
        |event| {
            if !room.is_left() {
                stopping.stop().soon();
            }
            teller.hear(&event);
        },
    );
    // How many of them count is told by whoever asked for it.
    drop(teller);
    ended(ran?, &stopping, &room)
}

/// Whether a run played all that it could, and why not.
fn ended(ran: Ran, stopping: &Stopping, room: &Room<'_>) -> Result<Ran> {
    if let (true, Some(signal)) = (ran.stopped, stopping.signal()) {
        return Err(Failure::stopped(signal, "what has been played is kept")
            .hint("the same command again goes on"));
    }
    if ran.stopped {
        let most = room.most();
        let what = format!("the arena has grown to {most}; what has been played is kept");
        return Err(Failure::new(what).hint("give it more with --most-disk SIZE, and it goes on"));
    }
    match ran.given_up {
        0 => Ok(ran),
        open => Err(Failure::new(format!(
            "{} could not be played, by no fault of a bot",
            summary::counted(open, "match")
        ))
        .hint("the same command again plays what is missing; -v tells more")),
    }
}

/// Tells of a run while it goes on: on the screen that watches it, or in lines above a bar.
struct Teller<'a> {
    tournament: &'a Tournament,
    watch: Option<Watch>,
    progress: Option<Progress>,
}

impl Teller<'_> {
    fn hear(&mut self, event: &Event<'_>) {
        if let Some(watch) = &self.watch {
            watch.hear(event);
        }
        match event {
            Event::Begins { landed, total } if self.watch.is_none() => {
                let open = total.most().saturating_sub(*landed);
                note!(
                    "{}: {open} of {total} matches to play",
                    self.tournament.name
                );
                self.progress = Some(Progress::new(Steps("match", ""), *landed, landed + open));
            }
            Event::Begins { .. } => {}
            Event::Landed(finished) => {
                tell_faults(finished);
                self.progress.iter_mut().for_each(Progress::step);
            }
            Event::LeftOut => self.progress.iter_mut().for_each(Progress::step),
            Event::Paused(pause) => self.say(&words::paused(self.tournament, pause)),
            Event::Void { id, reason, again } => {
                let next = if *again {
                    "it is played again"
                } else {
                    "it stays open"
                };
                self.say(&format!("{id} is void: {reason}; {next}"));
            }
        }
    }

    fn say(&self, line: &str) {
        match &self.progress {
            Some(progress) => progress.say(&plain_line(line)),
            None => note!("{}", plain_line(line)),
        }
    }
}

fn tell_faults(finished: &Finished) {
    for (seat, fault) in (finished.scored.result.seats.iter().enumerate())
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
