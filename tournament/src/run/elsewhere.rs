//! Matches that are played on other machines. Whole blocks are handed out, so that the matches of a block are played in
//! one place, one after the other. A record that comes back is verified like that of an archive before it counts.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use flipside_referee::{Exchanged, Match, SeatTrace};
use flipside_sandbox::METERING;
use serde::{Deserialize, Serialize};

use super::queue::Queue;
use super::scheduler::Task;
use super::{Done, MAX_TRIES};
use crate::archive::check::{derived, is_a_time};
use crate::shown::Shown;
use crate::{Error, Evidence, Finished, PackedNotes, PackedRecord, Tournament, match_id};

/// The most lines of the traffic with a bot that are kept of a match that was played elsewhere, and the most bytes of a
/// hint.
const MAX_TRAFFIC: usize = 64;
const MAX_HINT: usize = 1_000;

/// How much a worker elsewhere writes of the standard error of a bot at most, in bytes. It keeps less.
const MAX_STDERR: usize = 64 * 1024;

/// Plays matches elsewhere.
pub trait Elsewhere: Send + Sync {
    /// Plays the blocks that `blocks` gives and hands over what comes of them, until [`Blocks::is_over`]. It runs on a
    /// thread of its own.
    ///
    /// # Errors
    /// When it cannot go on. The tournament stops, and keeps what it has.
    fn play(&self, blocks: &mut Blocks<'_>) -> Result<(), Error>;

    /// How many matches are played at the same time, about; at least 1.
    fn at_once(&self) -> usize;
}

/// Where the matches of a tournament are played that are not played here.
#[derive(Clone)]
pub struct Place(pub std::sync::Arc<dyn Elsewhere>);

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}

/// A match that was played elsewhere, as its worker tells it. Only the record counts, after it was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returned {
    /// The record.
    pub record: String,
    /// When it began, in milliseconds since 1970, by the clock of the worker.
    pub started_at: u64,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// What was seen of the bots, by seat.
    pub seats: Vec<ReturnedSeat>,
}

/// What was seen of a bot beside the record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReturnedSeat {
    /// The end of its standard error.
    pub stderr: String,
    /// If it was seen computing on the turns of others, its CPU time there in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pondered_us: Option<u64>,
    /// What the author of a bot with a fault can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The last lines to and from a bot with a fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<Exchanged>,
}

impl ReturnedSeat {
    /// What a referee has seen of a seat.
    pub fn of(trace: SeatTrace) -> Self {
        let micros = |time: Duration| time.as_micros().try_into().unwrap_or(u64::MAX);
        ReturnedSeat {
            stderr: trace.stderr,
            pondered_us: trace.pondered.map(micros),
            hint: trace.fault.and_then(|fault| fault.hint.map(String::from)),
            traffic: trace.traffic,
        }
    }

    /// Whether a worker that means well can have sent it.
    fn fits(&self) -> bool {
        self.stderr.len() <= MAX_STDERR
            && self.hint.as_ref().is_none_or(|hint| hint.len() <= MAX_HINT)
            && self.traffic.len() <= MAX_TRAFFIC
            && self
                .traffic
                .iter()
                .all(|line| line.line.len() <= MAX_STDERR)
    }

    fn trace(&self) -> SeatTrace {
        SeatTrace {
            pondered: self.pondered_us.map(Duration::from_micros),
            stderr: self.stderr.clone(),
            ..SeatTrace::default()
        }
    }
}

/// A match that is to be played elsewhere.
pub struct Assignment {
    /// Its number in the tournament.
    pub index: u64,
    /// The match.
    pub the_match: Match,
}

/// Blocks that are to be played elsewhere, and what comes of them.
pub struct Blocks<'a> {
    queue: &'a Queue<'a, Task>,
    hand_over: &'a SyncSender<Done>,
    plan: &'a dyn Fn(&Task) -> Match,
    tournament: &'a Tournament,
    /// What is out, by index.
    out: HashMap<u64, Out>,
    /// How many matches of each block are out.
    blocks: HashMap<u64, usize>,
}

struct Out {
    task: Task,
    /// Who could not play it, and how often it was void.
    void_by: HashSet<String>,
    voids: u32,
}

/// A match is given up when it was void so often, or at so many workers.
const MAX_VOIDS: u32 = 10;

/// How much of a reason is kept, in bytes.
const MAX_REASON: usize = 1_000;

impl<'a> Blocks<'a> {
    pub(super) fn new(
        queue: &'a Queue<'a, Task>,
        hand_over: &'a SyncSender<Done>,
        plan: &'a dyn Fn(&Task) -> Match,
        tournament: &'a Tournament,
    ) -> Self {
        Blocks {
            queue,
            hand_over,
            plan,
            tournament,
            out: HashMap::new(),
            blocks: HashMap::new(),
        }
    }

    /// The tournament.
    pub fn tournament(&self) -> &Tournament {
        self.tournament
    }

    /// Whether nothing new is begun any more: what is out is still waited for.
    pub fn is_ending(&self) -> bool {
        self.queue.ends()
    }

    /// Whether nobody waits for results any more.
    pub fn is_over(&self) -> bool {
        self.queue.is_abandoned()
    }

    /// Whether this match is out.
    pub fn is_out(&self, index: u64) -> bool {
        self.out.contains_key(&index)
    }

    /// The matches of the next block that may be played, in the order of the schedule; none if there is none at present.
    /// While a match of a block is out, no other of it is given.
    pub fn take(&mut self) -> Vec<Assignment> {
        let tasks = self
            .queue
            .take_block(&|block| self.blocks.contains_key(&block));
        let orders = tasks.into_iter().map(|task| {
            let index = task.pairing.index;
            let the_match = (self.plan)(&task);
            *self.blocks.entry(task.pairing.block).or_default() += 1;
            self.out.insert(
                index,
                Out {
                    task,
                    void_by: HashSet::new(),
                    voids: 0,
                },
            );
            Assignment { index, the_match }
        });
        orders.collect()
    }

    /// A match that is out, to be handed out once more.
    pub fn again(&self, index: u64) -> Option<Assignment> {
        let out = self.out.get(&index)?;
        let the_match = (self.plan)(&out.task);
        Some(Assignment { index, the_match })
    }

    /// Takes a match that was played. One that is not out any more came before.
    ///
    /// # Errors
    /// When it is not the match that is due, or its record is not true: why. Then it is still out.
    pub fn land(&mut self, index: u64, returned: &Returned) -> Result<(), String> {
        let Some(out) = self.out.get(&index) else {
            return Ok(());
        };
        let finished = landed(self.tournament, &out.task, returned)?;
        self.gone(index);
        // When nobody takes it, the run has ended.
        let _ = self.hand_over.send(Done::Finished(Box::new(finished)));
        Ok(())
    }

    /// Notes that a match could not be played by this worker, by no fault of a bot. Says whether it is to be tried again:
    /// one worker that cannot play gives up no match by itself as long as there may be others.
    pub fn void(&mut self, index: u64, worker: &str, reason: &str) -> bool {
        let Some(out) = self.out.get_mut(&index) else {
            return false;
        };
        out.voids += 1;
        out.void_by.insert(worker.into());
        let is_common = out.void_by.len() >= MAX_TRIES as usize;
        let again = !is_common && out.voids < MAX_VOIDS;
        let reason = &reason[..reason.floor_char_boundary(MAX_REASON)];
        let done = Done::Void {
            index,
            id: match_id(&self.tournament.name, index),
            reason: format!("{worker}: {reason}"),
            again,
        };
        if !again {
            self.gone(index);
        }
        let _ = self.hand_over.send(done);
        again
    }

    fn gone(&mut self, index: u64) {
        let Some(out) = self.out.remove(&index) else {
            return;
        };
        let block = out.task.pairing.block;
        if let Some(left) = self.blocks.get_mut(&block) {
            *left -= 1;
            if *left == 0 {
                self.blocks.remove(&block);
            }
        }
    }
}

/// A match that was played elsewhere, if it is the one that is due.
fn landed(tournament: &Tournament, task: &Task, returned: &Returned) -> Result<Finished, String> {
    let (pairing, times) = (&task.pairing, (returned.started_at, returned.duration_us));
    is_a_time(times.0, times.1)?;
    let shown = Shown::verified(&returned.record).map_err(|error| error.to_string())?;
    let id = match_id(&tournament.name, pairing.index);
    if shown.header.id != id {
        return Err(format!("its record is of the match {}", shown.header.id));
    }
    if shown
        .header
        .metering
        .as_deref()
        .is_some_and(|is| is != METERING)
    {
        return Err("its record has fuel of another engine".into());
    }
    let forfeits = |seat: &usize| {
        let fault = shown
            .result
            .seats
            .get(*seat)
            .and_then(|seat| seat.fault.as_ref());
        fault.is_some_and(|fault| fault.name == "forfeit")
    };
    let away: Vec<usize> = task.away.iter().map(|(seat, _)| *seat).collect();
    let seats = 0..shown.result.seats.len();
    if !seats.filter(forfeits).eq(away) {
        return Err("its record has other bots that are paused".into());
    }
    let finished = derived(tournament, pairing, times, &shown)?;
    let is_whole = returned.seats.len() == shown.result.seats.len();
    if !is_whole || !returned.seats.iter().all(ReturnedSeat::fits) {
        return Err("what was seen of its bots does not fit its record".into());
    }
    let seats = (0..).zip(&returned.seats).zip(&shown.result.seats);
    let (mut evidence, mut notes) = (Vec::new(), Vec::new());
    for (((number, seat), result), stderr) in seats.zip(&shown.stderr) {
        match &result.fault {
            None => notes.extend(PackedNotes::of(number, &seat.trace())),
            Some(_) => {
                let kept = Evidence {
                    stderr: stderr.clone(),
                    traffic: seat.traffic.clone(),
                    hint: seat.hint.clone(),
                };
                let json = serde_json::to_string(&kept).expect("texts and numbers are JSON");
                evidence.push((number, PackedRecord::pack(&json)));
            }
        }
    }
    Ok(Finished {
        record: Some(PackedRecord::pack(&returned.record)),
        evidence,
        notes,
        ..finished
    })
}
