//! Tournaments that are started, or go on: everything is looked at first, then the arena changes, then matches are
//! played.

use std::path::Path;

use flipside_games::words::counted;
use flipside_protocol::{ClockUnit, Size};
use flipside_referee::Player;
use flipside_report::words;
use flipside_runner::{MatchThreads, RunEvent, RunSummary, RunnerError, StopSignal, Unready, run};
use flipside_sandbox::Sandbox;
use flipside_store::{Arena, Journal, RunLock, table, unix_ms};
use flipside_tournament::spec::RunOptions;
use flipside_tournament::{Bot, Name, Settings, Tournament};

use crate::arena_games::know;
use crate::disk::DiskSpace;
use crate::entry::{Entry, NotOpened, deleted, opened};
use crate::failure::{Failure, Result};
use crate::programs::Processes;
use crate::request::{Request, default_name};
use crate::resume::ResumeContext;
use crate::{NoteSink, ResumeHint, concurrency};

/// A tournament that can be started: its bots were found and tried, and nothing has changed.
pub struct PreparedTournament<'a> {
    folder: &'a Path,
    pub(crate) request: &'a Request,
    pub(crate) there: Option<Arena>,
    /// The name, if it does not follow from the bots that enter.
    pub(crate) name: Option<Name>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) threads: MatchThreads,
    sandbox: Sandbox,
}

/// A tournament that is in the journal.
pub struct Started {
    /// Its arena.
    pub arena: Arena,
    /// The arena's journal, for writing.
    pub journal: Journal,
    /// The tournament.
    pub tournament: Tournament,
    /// Where its bots run.
    pub sandbox: Sandbox,
    /// The threads for its matches.
    pub threads: MatchThreads,
}

/// The right to play what remains of a tournament, with its bots ready. Dropping it gives the right back.
pub struct Runner<'a> {
    arena: &'a Arena,
    tournament: &'a Tournament,
    sandbox: &'a Sandbox,
    /// Its bots in order, or why one cannot play.
    players: Vec<Result<Player>>,
    room: DiskSpace<'a>,
    _lock: RunLock,
}

impl<'a> PreparedTournament<'a> {
    /// Looks up the bots and the tournament that are meant, and starts each bot once. `folder` is the arena's, which
    /// need not be there; `again` tells a person how to ask for the same under a name. Notes are warnings, and what is
    /// resumed or begun otherwise than one might think.
    ///
    /// # Errors
    /// When a bot is not found or does not start, several tournaments can be meant, or there are too few cores.
    pub fn new(
        folder: &'a Path,
        request: &'a Request,
        again: ResumeHint<'_>,
        note: NoteSink<'_>,
    ) -> Result<Self> {
        let settings = &request.settings;
        if request.run.deterministic {
            refuse_time(settings)?;
        }
        let there = Arena::open(folder).ok();
        let entries = find(there.as_ref(), request)?;
        let (name, entries) = match &there {
            None => (request.run.name.clone(), entries),
            Some(arena) => ResumeContext {
                arena,
                request,
                again,
            }
            .meant(entries, note)?,
        };
        for entry in &entries {
            entry.refuse_unplayed(&settings.game)?;
        }
        let kinds = entries.iter().map(|entry| entry.program.kind());
        let threads = concurrency::threads(settings, kinds, &request.run, note)?;
        if let Some(warning) = words::may_repeat(settings) {
            note(&warning);
        }
        let sandbox = Processes::of(settings).sandbox(folder, threads.number.get());
        let bots = entries.iter().map(|entry| (&entry.name, entry.version()));
        let bots: Vec<(&Name, Option<u32>)> = bots.collect();
        if let Some(stray) = settings.bot.stray(&bots) {
            let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
            let what = format!("[bot.{stray}] is of no bot that plays");
            return Err(Failure::usage(what).hint(format!("the bots are {}", names.join(", "))));
        }
        for (entry, typed) in entries.iter().zip(&request.run.bots) {
            if entry.deleted().is_none() {
                let tried = entry.try_out(settings, &sandbox);
                tried.map_err(|failure| failure.about(typed))?;
            }
        }
        let prepared = PreparedTournament {
            folder,
            request,
            there,
            name,
            entries,
            threads,
            sandbox,
        };
        prepared.refuse_deleted()?;
        Ok(prepared)
    }

    /// A bot whose file was deleted can be named only where it need not play any more.
    fn refuse_deleted(&self) -> Result<()> {
        let mut gone = self.entries.iter().filter_map(Entry::deleted).peekable();
        let (Some(_), Some(arena)) = (gone.peek(), &self.there) else {
            return Ok(());
        };
        let journal = arena.read_journal()?;
        let there = self.entries.iter().map(|entry| entry.there(&journal));
        let there = there.collect::<Result<Vec<Option<Bot>>>>()?;
        let known = self.goes_on(&journal, &there)?;
        if let Some(known) = &known
            && table(&journal, known)?.over
        {
            return Ok(());
        }
        let plays = |bot: &&Bot| {
            known.as_ref().is_none_or(|known| {
                let entrant = known.entrants.iter().position(|one| one.id == bot.id);
                entrant.is_none_or(|entrant| !known.has_left(entrant))
            })
        };
        gone.find(plays).map_or(Ok(()), |bot| Err(deleted(bot)))
    }

    /// Enters the bots into the arena, which is made if it is not there, and the tournament into its journal; or finds
    /// it there. A tournament that was imported only in part is refused unless `despite_import` is set.
    ///
    /// # Errors
    /// When the arena cannot be written, or the tournament began with other settings or bots.
    pub fn start(self, despite_import: bool, note: NoteSink<'_>) -> Result<Started> {
        let settings = &self.request.settings;
        let arena = Arena::create(self.folder)?;
        let mut journal = arena.journal()?;
        if let Some(program) = &self.request.game {
            let entered = program.enter(&arena)?;
            let added = entered.game.label();
            if added != settings.game {
                let what = format!("the game is {added} here, and was to be {}", settings.game);
                return Err(Failure::new(what).hint("run the same command again"));
            }
            // It plays from the arena's copy.
            know(&arena, &entered.game, Processes::of(settings))?;
        }
        let entries = self.entries.into_iter();
        let bots = entries.map(|entry| entry.enter(&arena, &mut journal));
        let bots = bots.collect::<Result<Vec<Bot>>>()?;
        let name = match self.name {
            Some(name) => name,
            None => default_name(settings, &bots)?,
        };
        warn_of_untested(&bots, &settings.game, note);
        let tournament = begin(&mut journal, &name, &bots, self.request, note)?;
        if !despite_import {
            refuse_in_part(&journal, &tournament)?;
        }
        Ok(Started {
            arena,
            journal,
            tournament,
            sandbox: self.sandbox,
            threads: self.threads,
        })
    }
}

impl Started {
    /// A tournament of the journal that is to go on, as it began. Notes say what is unusual of its threads.
    ///
    /// # Errors
    /// When there is no such tournament, the arena cannot be written, or it was imported only in part.
    pub fn again(arena: Arena, name: &Name, note: NoteSink<'_>) -> Result<Self> {
        let journal = arena.journal()?;
        let tournament = journal.tournament(name.as_str())?;
        refuse_in_part(&journal, &tournament)?;
        let settings = &tournament.settings;
        // Who has left plays no more.
        let entrants = tournament.entrants.iter().enumerate();
        let needed = entrants.filter(|(at, _)| !tournament.has_left(*at));
        let kinds = needed.map(|(_, bot)| bot.kind);
        let threads = concurrency::threads(settings, kinds, &RunOptions::default(), note)?;
        Ok(Started {
            sandbox: Processes::of(settings).sandbox(arena.path(), threads.number.get()),
            arena,
            journal,
            tournament,
            threads,
        })
    }

    /// Reads the tournament again: it may have been changed while it was played.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn refresh(&mut self) -> Result<()> {
        self.tournament = self.journal.tournament(self.tournament.name.as_str())?;
        Ok(())
    }
}

impl<'a> Runner<'a> {
    /// Takes the right to play a tournament, and makes its bots ready. One whose file is missing, changed, or not to be
    /// compiled is set aside when the run begins. The run stops when the arena takes as much disk as `most_disk`.
    ///
    /// # Errors
    /// When somebody else plays it, or the machine lacks what it takes to make bots ready.
    pub fn new(
        arena: &'a Arena,
        tournament: &'a Tournament,
        sandbox: &'a Sandbox,
        most_disk: Size,
    ) -> Result<Self> {
        let lock = arena.lock_run(&tournament.name)?;
        raise_open_files();
        let players = tournament.entrants.iter();
        let players = players.map(|bot| ready(arena, tournament, sandbox, bot));
        // Who cannot play is set aside when the run begins; what the machine lacks ends it here.
        let players = players.map(|player| match player {
            Err(NotOpened {
                failure,
                is_of_bot: false,
            }) => Err(failure),
            player => Ok(player.map_err(|not| not.failure)),
        });
        let players = players.collect::<Result<Vec<Result<Player>>>>()?;
        Ok(Runner {
            arena,
            tournament,
            sandbox,
            players,
            room: DiskSpace::of(arena, most_disk)?,
            _lock: lock,
        })
    }

    /// Plays what remains, until `stop` asks to stop: [`StopSignal::soon`] pauses the tournament after the running
    /// matches, and [`StopSignal::now`] breaks these off. It goes on when it is run again.
    ///
    /// # Errors
    /// When the arena takes all the disk that it may, the journal cannot be written, or a match could not be played
    /// by no fault of a bot. What has been played is kept.
    pub fn run(
        self,
        journal: &mut Journal,
        threads: MatchThreads,
        stop: &StopSignal,
        mut on: impl FnMut(&RunEvent),
    ) -> Result<RunSummary> {
        let of_here = self.tournament.settings.bot.iter();
        let mut of_here = of_here.filter(|(_, own)| own.is_of_this_machine());
        if let (Some((bot, _)), Some(_)) = (of_here.next(), &threads.remote) {
            let what =
                format!("[bot.{bot}] has network, env or at_once, which workers do not have");
            return Err(Failure::usage(what).hint("play this tournament without workers"));
        }
        let mut is_full = false;
        let mut players = self.players.into_iter();
        let said = |failure: &Failure| failure.message().to_owned();
        let player = |bot: &Bot| match players.next() {
            Some(player) => player.map_err(|failure| Unready::Bot(said(&failure))),
            // It has joined meanwhile.
            None => ready(self.arena, self.tournament, self.sandbox, bot).map_err(|not| match not
                .is_of_bot
            {
                true => Unready::Bot(said(&not.failure)),
                false => Unready::Failed(RunnerError::Short(said(&not.failure))),
            }),
        };
        let ran = run(
            journal,
            self.tournament,
            player,
            self.sandbox,
            threads,
            stop,
            |event: RunEvent| {
                // To ask for each match would take longer than to store it.
                if matches!(event, RunEvent::Stored) && !stop.is_asked() && !self.room.is_left() {
                    is_full = true;
                    stop.soon();
                }
                on(&event);
            },
        )?;
        if ran.stopped && is_full {
            let most = self.room.most;
            let what = format!("the arena has grown to {most}; what has been played is kept");
            return Err(
                Failure::full(what).hint("give it more with --most-disk SIZE, and it goes on")
            );
        }
        if ran.stopped || ran.given_up == 0 {
            return Ok(ran);
        }
        let open = counted(ran.given_up, "match");
        let what = format!("{open} could not be played, by no fault of a bot");
        Err(Failure::short(what)
            .hint("the same command again plays what is missing; -v tells more"))
    }
}

/// A tournament that is the same on every machine has no clock that counts time. So it has no processes, which can have
/// no other clock.
fn refuse_time(settings: &Settings) -> Result<()> {
    let mut clocks = settings.clocks();
    match clocks.find(|clock| clock.unit == ClockUnit::Time) {
        None => Ok(()),
        Some(clock) => Err(Failure::usage(format!(
            "a deterministic tournament has clocks that count fuel, and {clock} counts time"
        ))
        .hint("--clock fuel=10G gives each move ten billion instructions")),
    }
}

/// Makes a bot of a tournament ready to play.
fn ready(
    arena: &Arena,
    tournament: &Tournament,
    sandbox: &Sandbox,
    bot: &Bot,
) -> Result<Player, NotOpened> {
    // Only a file that is not needed can be deleted.
    if bot.deleted_at.is_some() {
        return Ok(Player::named(bot.label(), bot.absent()));
    }
    let player = Player::named(bot.label(), opened(arena, bot)?);
    let player = player.with_settings(tournament.settings.bot.of(bot));
    if let Some(name) = player.settings().missing_variable() {
        let failure = Failure::new(format!(
            "{} is to have {name}, which is not set",
            bot.label()
        ));
        return Err(NotOpened {
            is_of_bot: false,
            failure: failure.hint(format!(
                "set it where flipside runs, and begin again: export {name}=…"
            )),
        });
    }
    let program = player.program().expect("it was just given one");
    let clock = player.settings().clock.unwrap_or(tournament.settings.clock);
    let prepared = sandbox.prepare(program, clock.unit);
    prepared.map_err(|error| NotOpened {
        is_of_bot: error.is_of_program(),
        failure: Failure::from(error)
            .with_path(program.path(), Path::new("its file"))
            .about(bot.label()),
    })?;
    Ok(player)
}

/// Looks up the bots, each of which is to be named once.
fn find(arena: Option<&Arena>, request: &Request) -> Result<Vec<Entry>> {
    let typed_bots = &request.run.bots;
    let mut entries: Vec<Entry> = Vec::new();
    for typed in typed_bots {
        let entry = match arena {
            Some(arena) if !request.files => Entry::of_arena(arena, typed)?,
            _ => Entry::find(arena, typed)?,
        };
        let same = |other: &Entry| {
            other.name == entry.name && other.program.sha256() == entry.program.sha256()
        };
        if let Some(other) = entries.iter().position(same) {
            let what = format!("{} and {typed} are the same bot", typed_bots[other]);
            return Err(Failure::usage(what)
                .hint("name each bot once; another version of it is NAME@VERSION"));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// Says which bots may not know the game.
pub(crate) fn warn_of_untested(bots: &[Bot], game: &str, note: NoteSink<'_>) {
    let untested = |bot: &&Bot| !bot.games.is_empty() && !bot.plays(game);
    for bot in bots.iter().filter(untested) {
        let bot = bot.label();
        note(&format!(
            "{bot} did not finish a match against itself at {game} when it was submitted"
        ));
    }
}

/// The tournament of this name: a new one, or the one that was stopped, which keeps what is not asked for.
fn begin(
    journal: &mut Journal,
    name: &Name,
    bots: &[Bot],
    request: &Request,
    note: NoteSink<'_>,
) -> Result<Tournament> {
    let settings = match known(journal, name)? {
        Some(known) => request.resumed(&known)?,
        None => {
            let labels: Vec<String> = bots.iter().map(Bot::label).collect();
            request.begun(journal, &labels, note)?
        }
    };
    let ids: Vec<_> = bots.iter().map(|bot| bot.id).collect();
    journal
        .begin(name, &settings, &ids, unix_ms())
        .map(|begun| begun.tournament)
        .map_err(Failure::refusal)
}

/// The tournament of this name, if there is one.
pub(crate) fn known(journal: &Journal, name: &Name) -> Result<Option<Tournament>> {
    Ok(journal.find_tournament(name.as_str())?)
}

/// That a tournament was imported only in part, in one line, if it was and is not over.
///
/// # Errors
/// When the journal cannot be read.
pub fn in_part(journal: &Journal, tournament: &Tournament) -> Result<Option<String>> {
    let imports = journal.imports(tournament.id)?;
    // Whether it is over is a longer question.
    if imports.iter().all(|import| import.finished) {
        return Ok(None);
    }
    Ok(words::in_part(&table(journal, tournament)?.imports))
}

/// Matches that are played here can not be imported any more.
pub(crate) fn refuse_in_part(journal: &Journal, tournament: &Tournament) -> Result<()> {
    match in_part(journal, tournament)? {
        None => Ok(()),
        Some(in_part) => Err(Failure::new(in_part)
            .hint("--despite-import plays here what is missing; the rest of the archive does not fit then")),
    }
}

/// Allows as many open files as this user may have: every process takes four, every visitor of a site one.
pub fn raise_open_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files stays as it was");
    }
}
