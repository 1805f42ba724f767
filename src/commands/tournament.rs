use std::path::Path;
use std::time::Instant;

use flipside_sandbox::{Program, Sandbox};
use flipside_tournament::{
    Arena, Bot, Event, Finished, Journal, Name, Ran, Seeding, Settings, Tournament, Workers,
    run as play, seeds, table as standings, unix_ms,
};

use crate::arena::{self, ArenaArg, Entry};
use crate::commands::export::in_part;
use crate::commands::play_match::prepare;
use crate::commands::table;
use crate::cup::Cup;
use crate::dry_run;
use crate::failure::{Failure, Result};
use crate::fair;
use crate::output::Format;
use crate::output::{note, plain_line};
use crate::policy::DiskArg;
use crate::progress::{Progress, Steps};
use crate::resume;
use crate::seed;
use crate::stopping::Stopping;
use crate::summary::{self, Took};
use crate::walls::ProcessArgs;
use crate::watch::Watch;
use crate::words;

/// Play a tournament; called again, it goes on where it was stopped
///
/// Ctrl-C (or SIGTERM) finishes the matches that are running, and stops; a second one breaks them off;
/// a third ends everything at once. Either way nothing is lost that was played. The exit code is then
/// 128 and the signal's number: 130, or 143.
///
/// A tournament is described by flags, or by a file in TOML with the same names, or by both: flags go first.
/// A block is the same chance with the seats permuted: two bots play both seatings, three all six, more all
/// rotations of an order. Bots that are files enter the arena under the name of the file.
///
/// A bot's name without a version means its newest version when the tournament begins. The same command goes on with
/// the versions that it began with, whatever was submitted since, until the tournament is over; then it begins a new
/// one with the newest. If it can mean several tournaments, it prints the command for each.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game, or a file that ends in .toml and describes the tournament.
    game: String,
    /// The bots, at least two; none where a file names them.
    bots: Vec<String>,
    /// Only show what would be played: how many matches, the first of them, and about how long it takes.
    #[arg(long)]
    dry_run: bool,
    /// Watch it: on a terminal a screen with the standings, the running matches with their boards, the time
    /// left and the faults; elsewhere the same in plain lines now and then. No secrets are shown.
    #[arg(long, conflicts_with = "dry_run")]
    watch: bool,
    /// Go on though the tournament was taken in from an archive only in part: what is missing is played here, and
    /// the rest of the archive can not be taken in any more.
    #[arg(long)]
    despite_import: bool,
    #[command(flatten)]
    cup: Cup,
    #[command(flatten)]
    disk: DiskArg,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    arena: ArenaArg,
}

/// Whether what stands in the place of the game is a file that describes the tournament.
fn is_a_file(game: &str) -> bool {
    let ending = Path::new(game).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// What was asked for, of the file and the flags together.
fn cup(args: &Args) -> Result<Cup> {
    if !is_a_file(&args.game) {
        return Ok(args.cup.clone().between(&args.game, &args.bots));
    }
    if !args.bots.is_empty() {
        return Err(
            Failure::usage(format!("{} names the bots already", args.game))
                .hint("write all of them into the file: bots = [\"mybot\", \"sample:greedy\"]"),
        );
    }
    Ok(args.cup.clone().or(Cup::read(Path::new(&args.game))?))
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let cup = cup(args)?;
    let at_once = cup.at_once()?;
    let (settings, typed_bots) = cup.settings()?;
    let process = ProcessArgs::of(settings.trust, settings.ponder);
    // Nothing is made or written before everything that was typed has been looked at.
    let there = Arena::open(args.arena.path()).ok();
    let entries = find(there.as_ref(), typed_bots)?;
    let (name, entries) = match &there {
        None => (cup.name.clone(), entries),
        Some(arena) => resume::Asked {
            arena,
            cup: &cup,
            settings: &settings,
            typed: typed_bots,
        }
        .meant(entries)?,
    };
    let kinds = entries.iter().map(|(_, program)| program.kind());
    let workers = fair::workers(&settings, kinds, at_once)?;
    if let Some(warning) = words::may_repeat(&settings) {
        note!("{warning}");
    }
    let sandbox = args.arena.sandbox(workers.number.get(), process);
    for ((_, program), typed) in entries.iter().zip(typed_bots) {
        sandbox
            .prepare(program)
            .map_err(|error| Failure::from(error).about(typed))?;
        arena::try_start(&sandbox, program).map_err(|failure| failure.about(typed))?;
    }
    if args.dry_run {
        let journal = match there.as_ref().map(Arena::read_journal) {
            // It is only looked into.
            Some(Err(_)) if name.is_none() => None,
            journal => journal.transpose()?,
        };
        let known = match &journal {
            Some(journal) => goes_on(journal, (&cup, name.as_ref()), &settings, &entries)?,
            None => None,
        };
        if let (Some(journal), Some(known), false) = (&journal, &known, args.despite_import) {
            refuse_in_part(journal, known)?;
        }
        let settings = match &journal {
            Some(journal) => seeded(journal, settings, &entries)?,
            None => settings,
        };
        let planned = dry_run::Planned {
            settings: &settings,
            bots: typed_bots,
            seed: cup.seed,
            known: known.as_ref(),
        };
        return dry_run::show(&planned, workers.number, journal.as_ref(), args.format);
    }
    let arena = args.arena.create()?;
    let mut journal = arena.journal()?;
    let bots = entries
        .into_iter()
        .map(|(entry, _)| entry.enter(&arena, &mut journal))
        .collect::<Result<Vec<Bot>>>()?;
    let name = match name {
        Some(name) => name,
        None => default_name(&settings, &bots)?,
    };
    for bot in bots
        .iter()
        .filter(|bot| !bot.games.is_empty() && !bot.games.contains(&settings.game))
    {
        note!(
            "{} did not finish a match against itself at {} when it was submitted",
            bot.label(),
            settings.game
        );
    }
    let tournament = begin(&mut journal, &name, settings, &bots, &cup)?;
    if !args.despite_import {
        refuse_in_part(&journal, &tournament)?;
    }
    let began = Instant::now();
    let before = journal.played(tournament.id)?.len();
    let carried_on = carry_on(
        &arena,
        &mut journal,
        &sandbox,
        &tournament,
        (workers, args.watch),
        args.disk,
    );
    let matches = journal.played(tournament.id)?.len().saturating_sub(before);
    let standings = match &carried_on {
        Ok(_) => table::show(&journal, &tournament, args.format)?,
        Err(_) if matches > 0 => standings(&journal, &tournament)?,
        Err(_) => return carried_on.map(drop),
    };
    let took = Took {
        matches,
        beyond: carried_on.as_ref().map_or(0, |ran| ran.beyond),
        time: began.elapsed(),
    };
    note!(
        "\n{}",
        summary::of(&tournament, &standings, Some(took)).trim_end()
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

/// The tournament of this name: a new one, or the one that was stopped. A seed or a salt that was not named is
/// the one that it began with, and so are the seeds of the bots and the policy towards failing bots.
fn begin(
    journal: &mut Journal,
    name: &Name,
    settings: Settings,
    bots: &[Bot],
    cup: &Cup,
) -> Result<Tournament> {
    let known = journal
        .tournaments()?
        .into_iter()
        .find(|known| known.name == *name);
    let seeds = match (&known, settings.format.seeding()) {
        (Some(known), _) => known.settings.seeds.clone(),
        (None, Some(Seeding::Ratings)) => seeds(journal, &settings.game, &labels(bots))?,
        (None, _) => Vec::new(),
    };
    let settings = whole(settings, seeds, known.as_ref(), cup)?;
    let settings = Settings {
        salt: match (&known, settings.salt) {
            (Some(known), None) => {
                note!(
                    "{} began without a salt: bots can find its chance by trying seeds; another --name begins a \
                     tournament with one",
                    known.name
                );
                None
            }
            (Some(_), salt) => salt,
            (None, _) => Some(seed::salt(cup.salt)?),
        },
        ..settings
    };
    let ids: Vec<_> = bots.iter().map(|bot| bot.id).collect();
    journal
        .begin(name, &settings, &ids, unix_ms())
        .map(|begun| begun.tournament)
        .map_err(|error| refused(&error))
}

/// The tournament that [`begin`] would go on with, if there is one. Refuses what that would refuse: to go on with
/// other settings or bots.
fn goes_on(
    journal: &Journal,
    (cup, name): (&Cup, Option<&Name>),
    settings: &Settings,
    entries: &[(Entry, Program)],
) -> Result<Option<Tournament>> {
    let there = entries.iter().map(|(entry, _)| entry.there(journal));
    let there = there.collect::<Result<Vec<Option<Bot>>>>()?;
    let name = match (name, there.iter().cloned().collect::<Option<Vec<_>>>()) {
        (Some(name), _) => name.clone(),
        (None, Some(bots)) => default_name(settings, &bots)?,
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
    let seeds = known.settings.seeds.clone();
    let settings = whole(settings.clone(), seeds, Some(&known), cup)?;
    match known.goes_on_with(&settings, &labels) {
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

fn labels(bots: &[Bot]) -> Vec<String> {
    bots.iter().map(Bot::label).collect()
}

/// The settings with what is as it was when the tournament began, if it is not asked for.
pub(crate) fn whole(
    settings: Settings,
    seeds: Vec<usize>,
    known: Option<&Tournament>,
    cup: &Cup,
) -> Result<Settings> {
    let known = known.map(|known| &known.settings);
    let options = match known {
        Some(known) if known.game == settings.game => cup.options_as_begun(known)?,
        _ => settings.options.clone(),
    };
    Ok(Settings {
        options,
        seed: cup
            .seed
            .or(known.map(|known| known.seed))
            .unwrap_or_else(rand::random),
        salt: cup.salt.or(known.and_then(|known| known.salt)),
        policy: cup.policy().or(known.map(|known| known.policy)),
        seeds,
        ..settings
    })
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
    let mut progress = None;
    let watch = match watched {
        true => Some(Watch::begin(arena.path(), tournament, stopping.stop())?),
        false => None,
    };
    let workers = Workers {
        live: watch.as_ref().map(Watch::live),
        ..workers
    };
    let ran = play(
        journal,
        tournament,
        &players,
        sandbox,
        workers,
        stopping.stop(),
        |event| {
            if !room.is_left() {
                stopping.stop().soon();
            }
            if let Some(watch) = &watch {
                watch.hear(&event);
            }
            match event {
                Event::Begins { landed, total } => {
                    let open = total.most().saturating_sub(landed);
                    if !watched {
                        note!("{}: {open} of {total} matches to play", tournament.name);
                    }
                    let new = || Progress::new(Steps("match", ""), landed, landed + open);
                    progress = (!watched).then(new);
                }
                Event::Landed(finished) => {
                    tell_faults(finished);
                    progress.iter_mut().for_each(Progress::step);
                }
                Event::LeftOut => progress.iter_mut().for_each(Progress::step),
                Event::Paused(pause) => say(progress.as_ref(), &words::paused(tournament, pause)),
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
            }
        },
    );
    drop(watch);
    // How many of them count is told by whoever asked for it.
    drop(progress);
    let ran = ran?;
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

fn say(progress: Option<&Progress>, line: &str) {
    match progress {
        Some(progress) => progress.say(&plain_line(line)),
        None => note!("{}", plain_line(line)),
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
