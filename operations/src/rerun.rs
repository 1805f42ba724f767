//! Recorded matches that are played again: what a module sees follows from its match alone, so it gives the same
//! answers on every machine, and a record in which it gives others was not made by it.

pub(crate) mod outcome;
mod seat;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use flipside_protocol::{ClockUnit, Pace};
use flipside_referee::Record;
use flipside_report::plain_line;
use flipside_sandbox::lock::lock;
use flipside_sandbox::{METERING, Program, ProgramKind, Sandbox};
use flipside_store::{Arena, Error, Journal};
use flipside_tournament::{Bot, match_id};

pub use self::outcome::{Rerun, RerunResult};
use crate::concurrency::cores;
use crate::entry::program_of;
use crate::failure::{Failure, Result};
use crate::programs::Processes;
use crate::rerun::seat::SeatRerun;
use crate::verify::one_or_all;

/// How often longer than its clock allowed a module may take for an answer when it is played again, on a slower
/// machine.
const SLOWER: u32 = 4;

/// The least time that a module has for an answer when it is played again.
const LEAST_PATIENCE: Duration = Duration::from_secs(10);

/// The most time: the clock is that of somebody else's record.
const MOST_PATIENCE: Duration = Duration::from_secs(600);

/// Plays recorded matches again with the modules of an arena.
pub struct Rerunner {
    arena: Option<Arena>,
    sandbox: Sandbox,
    /// The modules that were looked for, by SHA-256.
    known: Mutex<HashMap<String, Option<Program>>>,
}

impl Rerunner {
    /// Plays one match after the other. Modules are those of the arena in this folder, if there is one.
    pub fn new(arena: &Path) -> Self {
        Rerunner::at_once(arena, NonZeroUsize::MIN)
    }

    /// The same for so many matches at once.
    pub(crate) fn at_once(arena: &Path, matches: NonZeroUsize) -> Self {
        Rerunner {
            arena: Arena::open(arena).ok(),
            sandbox: Processes::default().sandbox(arena, matches.get()),
            known: Mutex::default(),
        }
    }

    /// The module of this SHA-256, if its file is here.
    pub(crate) fn module(&self, sha256: &str) -> Option<Program> {
        let mut known = lock(&self.known);
        if let Some(found) = known.get(sha256) {
            return found.clone();
        }
        let found = self.find(sha256);
        known.insert(sha256.to_owned(), found.clone());
        found
    }

    fn find(&self, sha256: &str) -> Option<Program> {
        let arena = self.arena.as_ref()?;
        let bots = arena.read_journal().ok()?.bots().ok()?;
        let is_it = |bot: &&Bot| bot.sha256 == sha256 && bot.kind == ProgramKind::Module;
        let mut programs = bots.iter().filter(is_it).filter(|bot| bot.is_here());
        programs.find_map(|bot| program_of(arena, bot).ok())
    }

    /// Plays the modules of a recorded match again, each with the lines that its seat was sent, and compares what they
    /// answer with the record. It trusts the record as far as the rules do: [`verify`](crate::verify) comes first.
    ///
    /// # Errors
    /// When a module cannot be started.
    pub fn play(&self, record: &Record) -> Result<RerunResult> {
        let mut all = Rerun::default();
        for (seat, line) in (0..).zip(&record.header.seats) {
            if line.kind.parse() != Ok(ProgramKind::Module) {
                all.others += 1;
                continue;
            }
            let Some(program) = self.module(&line.sha256) else {
                all.absent += 1;
                continue;
            };
            let unit = record.header.clock_of(seat).unit;
            let metering = record.header.metering.as_deref();
            if unit == ClockUnit::Fuel && metering != Some(METERING) {
                if record.header.flipside == env!("CARGO_PKG_VERSION") {
                    let metering = plain_line(metering.unwrap_or_default());
                    return Ok(Err(format!(
                        "its fuel is that of {metering}, and flipside {} counts that of {METERING}",
                        record.header.flipside
                    )));
                }
                all.other_fuel += 1;
                continue;
            }
            let memory = line.memory_limit(record.header.limits.memory);
            let again = SeatRerun {
                record,
                seat,
                program: &program.with_memory(Some(memory)),
                sandbox: &self.sandbox,
                unit,
                patience: patience(record),
            };
            let about = format!("seat {seat}, {}", plain_line(&line.bot));
            match again.play().map_err(|failure| failure.about(&about))? {
                Ok(one) => all.add(one),
                Err(what) => return Ok(Err(format!("{about}: {what}"))),
            }
        }
        Ok(Ok(all))
    }
}

/// Does the same for one record, as [`Rerunner`] does.
///
/// # Errors
/// When a module cannot be started, or an answer is not the recorded one.
pub fn rerun(arena: &Path, record: &Record) -> Result<Rerun> {
    let outcome = Rerunner::new(arena).play(record)?;
    outcome.map_err(|what| Failure::new(what).hint(hint(record)))
}

/// What a person may do about an answer that is not the recorded one.
pub(crate) fn hint(record: &Record) -> String {
    let (theirs, own) = (&record.header.flipside, env!("CARGO_PKG_VERSION"));
    match theirs == own {
        true => "the module did not play this match: the result should not count".into(),
        false => format!(
            "the record is of flipside {}, and this is {own}: what modules are sent may differ",
            plain_line(theirs)
        ),
    }
}

/// How long a module may take for an answer.
fn patience(record: &Record) -> Duration {
    let clocks = record.header.seats.iter().map(|seat| seat.settings.clock);
    let clocks = clocks.map(|own| own.unwrap_or(record.header.clock));
    let longest = clocks.map(|clock| match clock.pace {
        Pace::Move(time) => clock.start + time,
        Pace::Bank { bank, increment } => clock.start + bank + increment,
    });
    let patience = longest.max().unwrap_or_default().saturating_mul(SLOWER);
    patience.clamp(LEAST_PATIENCE, MOST_PATIENCE)
}

/// What is heard while the matches of tournaments are played again.
pub enum RerunNews {
    /// So many matches will be played again.
    Begins(u64),
    /// So many matches are done.
    Reached(u64),
    /// An answer is not the recorded one: a line about it.
    Wrong(String),
}

/// Plays the modules of all matches of the tournament of this name, or of all, again, on all cores. `on` hears of each;
/// what came of all is returned, with the number of matches in which an answer is not the recorded one.
///
/// # Errors
/// When the journal cannot be read, or `on` fails.
pub fn rerun_tournaments(
    arena: &Arena,
    name: Option<&str>,
    mut on: impl FnMut(RerunNews) -> Result<()>,
) -> Result<(Rerun, u64)> {
    let threads = cores();
    let journal = arena.read_journal()?;
    let mut ids = Vec::new();
    for tournament in one_or_all(&journal, name)? {
        let played = journal.played(tournament.id)?;
        ids.extend(played.iter().map(|index| match_id(&tournament.name, index)));
    }
    on(RerunNews::Begins(ids.len() as u64))?;
    let rerunner = Rerunner::at_once(arena.path(), threads);
    let work = |journal: &Journal, id: &str| match journal.record(id) {
        // A forfeit has none: nobody played it.
        Err(Error::NotPlayed { .. }) => Ok(Ok(Rerun::default())),
        Err(error) => Err(error.into()),
        Ok(text) => match flipside_referee::verify(&text) {
            Ok(verified) => rerunner.play(&verified.record),
            Err(error) => Ok(Err(error.to_string())),
        },
    };
    let (mut sum, mut wrong, mut done) = (Rerun::default(), 0, 0);
    each(arena, &ids, threads, work, |id, outcome| {
        done += 1;
        // One that cannot be played again keeps nobody from the others.
        let outcome = outcome.unwrap_or_else(|failure| Err(failure.message().to_owned()));
        match outcome {
            Ok(one) => sum.add(one),
            Err(what) => {
                wrong += 1;
                on(RerunNews::Wrong(format!("{id}: wrong: {what}")))?;
            }
        }
        on(RerunNews::Reached(done))
    })?;
    Ok((sum, wrong))
}

/// Does this work for each match on so many threads. `take` hears what came of each, in any order.
fn each(
    arena: &Arena,
    ids: &[String],
    threads: NonZeroUsize,
    work: impl Fn(&Journal, &str) -> Result<RerunResult> + Sync,
    mut take: impl FnMut(&str, Result<RerunResult>) -> Result<()>,
) -> Result<()> {
    let journals = (0..threads.get()).map(|_| arena.read_journal());
    let journals: Vec<Journal> = journals.collect::<flipside_store::Result<_>>()?;
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (hand_over, outcomes) = sync_channel(2 * threads.get());
        for journal in journals {
            let (hand_over, next, work) = (hand_over.clone(), &next, &work);
            scope.spawn(move || {
                // When nobody takes it, the others are not wanted.
                while let at = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(id) = ids.get(at)
                    && hand_over.send((at, work(&journal, id))).is_ok()
                {}
            });
        }
        drop(hand_over);
        outcomes
            .into_iter()
            .try_for_each(|(at, outcome)| take(&ids[at], outcome))
    })
}
