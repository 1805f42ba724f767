//! Recorded matches that are played again: what a module sees follows from its match alone, so it gives the same answers
//! on every machine, and a record in which it gives others was not made by it.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use flipside_protocol::Pace;
use flipside_referee::{FaultKind, Line, Player, Record, SeatLine};
use flipside_sandbox::{Kind, Sandbox};
use flipside_tournament::report::plain_line;
use flipside_tournament::{Arena, Error, Name, match_id};
use serde::Serialize;

use crate::debug::{FedAll, Feed, feed};
use crate::entry::find_player;
use crate::verify::threads;
use crate::{Failure, Processes, Result};

/// How often longer than its clock allowed a module may take for an answer when it is played again, on a slower machine.
const SLOWER: u32 = 4;

/// The least time that a module has for an answer when it is played again.
const LEAST_PATIENCE: Duration = Duration::from_secs(10);

/// What came of matches that were played again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rerun {
    /// Seats whose modules were played again.
    pub seats: u64,
    /// Answers of theirs that were compared.
    pub answers: u64,
    /// Faults that cannot be compared: those of time.
    pub by_time: u64,
    /// Seats of modules whose files are not here.
    pub absent: u64,
    /// Seats of processes and people, which are not played again.
    pub others: u64,
}

impl Rerun {
    /// Adds what came of another match.
    pub fn add(&mut self, other: Rerun) {
        let Rerun {
            seats,
            answers,
            by_time,
            absent,
            others,
        } = other;
        self.seats += seats;
        self.answers += answers;
        self.by_time += by_time;
        self.absent += absent;
        self.others += others;
    }
}

/// What came of one match: counts, or the first answer that is not the recorded one, in words.
type Outcome = std::result::Result<Rerun, String>;

/// Plays the modules of a recorded match again, each with the lines that its seat was sent, and compares what they answer
/// with the record. It trusts the record as far as the rules do: [`verify`](crate::verify) comes first.
///
/// # Errors
/// When a module cannot be started, or an answer is not the recorded one.
pub fn rerun(arena: &Path, record: &Record) -> Result<Rerun> {
    let sandbox = Processes::default().sandbox(arena, 1);
    let outcome = Stage::new(arena, &sandbox).play(record)?;
    outcome.map_err(|what| {
        Failure::new(what)
            .hint("the bot did not play this match, or its file is not the one that did")
    })
}

/// Where matches are played again, one after the other.
struct Stage<'a> {
    arena: &'a Path,
    sandbox: &'a Sandbox,
    /// The modules that were looked for, by name and hash.
    known: HashMap<(String, String), Option<Player>>,
}

impl<'a> Stage<'a> {
    fn new(arena: &'a Path, sandbox: &'a Sandbox) -> Self {
        Stage {
            arena,
            sandbox,
            known: HashMap::new(),
        }
    }

    fn play(&mut self, record: &Record) -> Result<Outcome> {
        let mut all = Rerun::default();
        for (seat, line) in (0..).zip(&record.header.seats) {
            if line.kind.parse() != Ok(Kind::Module) {
                all.others += 1;
                continue;
            }
            let Some(player) = self.module(line) else {
                all.absent += 1;
                continue;
            };
            let asked = Feed {
                record,
                seat,
                ply: None,
                program: player.program().expect("it is a bot's player"),
                sandbox: self.sandbox,
                patience: patience(record),
                // How long it takes depends on the machine.
                spares_late: true,
                attach: None,
            };
            let fed = feed(asked, &mut |_| Ok(()));
            let fed = fed.map_err(|failure| failure.about(format!("seat {seat}, {}", line.bot)))?;
            match compared(record, seat, &fed) {
                Ok(one) => all.add(one),
                Err(what) => {
                    let bot = plain_line(&line.bot);
                    return Ok(Err(format!("seat {seat}, {bot}: {what}")));
                }
            }
        }
        Ok(Ok(all))
    }

    /// The module of a seat, if its file is here as it was.
    fn module(&mut self, line: &SeatLine) -> Option<Player> {
        let key = (line.bot.clone(), line.sha256.clone());
        let arena = self.arena;
        let found = self.known.entry(key).or_insert_with(|| {
            let player = find_player(arena, &line.bot).ok()?;
            let is_it = player.program()?.sha256() == line.sha256;
            is_it.then_some(player)
        });
        Some(found.clone()?.with_settings(line.settings.clone()))
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
    (longest.max().unwrap_or_default() * SLOWER).max(LEAST_PATIENCE)
}

/// Compares what a module has answered with the record.
fn compared(record: &Record, seat: u8, fed: &FedAll) -> std::result::Result<Rerun, String> {
    let mut all = Rerun {
        seats: 1,
        ..Rerun::default()
    };
    let is_late = |line: &Line| match line {
        Line::Fault(fault) => fault.seat == seat && fault.fault == FaultKind::Late,
        _ => false,
    };
    all.by_time = u64::from(record.lines.iter().any(|(_, line)| is_late(line)));
    if let Some(why) = &fed.unready {
        return Err(format!("it is not ready as recorded: {why}"));
    }
    for answer in &fed.answers {
        let at = format!("question {}, after ply {}", answer.question, answer.ply);
        let now = match (&answer.action, &answer.refused) {
            (Some(action), _) => format!("it plays {}", plain_line(action)),
            (None, Some(why)) => plain_line(why),
            (None, None) => "it gives no answer".into(),
        };
        match (&answer.recorded, &answer.fault) {
            (Some(action), _) if answer.action.as_ref() == Some(action) => all.answers += 1,
            (Some(action), _) => {
                return Err(format!(
                    "at {at}, {now}; the record has {}",
                    plain_line(action)
                ));
            }
            (None, Some(_)) if answer.refused.is_some() => all.answers += 1,
            (None, Some(fault)) => {
                return Err(format!(
                    "at {at}, {now}; the record has the fault {}",
                    plain_line(fault)
                ));
            }
            // The match was decided before this answer was judged.
            (None, None) => {}
        }
    }
    Ok(all)
}

/// What is heard while the matches of tournaments are played again.
pub enum RerunNews {
    /// So many matches are done.
    Reached(u64),
    /// An answer is not the recorded one: a line about it.
    Wrong(String),
}

/// Plays the modules of all matches of these tournaments again, on all cores. `on` hears of each; what came of all is
/// returned, with the number of matches in which an answer is not the recorded one.
///
/// # Errors
/// When the journal cannot be read, a module cannot be started, or `on` fails.
pub fn rerun_tournaments(
    arena: &Arena,
    names: &[Name],
    mut on: impl FnMut(RerunNews) -> Result<()>,
) -> Result<(Rerun, u64)> {
    let threads = threads()?;
    let sandbox = Processes::default().sandbox(arena.path(), threads.get());
    let journal = arena.read_journal()?;
    let mut ids = Vec::new();
    for name in names {
        let tournament = journal.tournament(name.as_str())?;
        let played = journal.played(tournament.id)?;
        ids.extend(played.iter().map(|index| match_id(name, index)));
    }
    let (mut sum, mut wrong, mut done) = (Rerun::default(), 0, 0);
    each(arena, &ids, threads, &sandbox, |id, outcome| {
        done += 1;
        match outcome? {
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

/// Plays these matches again on so many threads. `take` hears what came of each, in any order.
fn each(
    arena: &Arena,
    ids: &[String],
    threads: NonZeroUsize,
    sandbox: &Sandbox,
    mut take: impl FnMut(&str, Result<Outcome>) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    thread::scope(|scope| {
        let (hand_over, outcomes) = sync_channel(2 * threads.get());
        for _ in 0..threads.get() {
            let (hand_over, next, failure) = (hand_over.clone(), &next, &failure);
            scope.spawn(move || {
                if let Err(failed) = work(arena, ids, next, sandbox, &hand_over) {
                    failure
                        .lock()
                        .expect("nobody panics here")
                        .get_or_insert(failed);
                }
            });
        }
        drop(hand_over);
        // When this ends early, nobody takes what the threads hand over, and they end.
        outcomes
            .into_iter()
            .try_for_each(|(at, outcome)| take(&ids[at], outcome))
    })?;
    match failure.into_inner().expect("nobody panics here") {
        None => Ok(()),
        Some(failed) => Err(failed),
    }
}

fn work(
    arena: &Arena,
    ids: &[String],
    next: &AtomicUsize,
    sandbox: &Sandbox,
    hand_over: &SyncSender<(usize, Result<Outcome>)>,
) -> Result<()> {
    let journal = arena.read_journal()?;
    let mut stage = Stage::new(arena.path(), sandbox);
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(id) = ids.get(at) else {
            return Ok(());
        };
        let outcome = match journal.record(id) {
            // A forfeit has none: nobody played it.
            Err(Error::NotPlayed { .. }) => Ok(Ok(Rerun::default())),
            Err(error) => Err(error.into()),
            Ok(text) => match flipside_referee::verify(&text) {
                Ok(verified) => (stage.play(&verified.record)).map_err(|failure| failure.about(id)),
                Err(error) => Ok(Err(error.to_string())),
            },
        };
        if hand_over.send((at, outcome)).is_err() {
            return Ok(());
        }
    }
}
