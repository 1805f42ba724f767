//! What threads take their matches from: a short queue, filled by the thread that owns the journal.
//!
//! The matches of a block share their chance: who has met one of them knows what happens in the others. So no
//! two of them are played at the same time, and none is played while a bot is there that has met another:
//! as long as a thread has such bots, the block is its own, and before it plays on there it ends them.
//!
//! Bots of which only some matches may run at the same time keep further ones waiting, while others are played.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use flipside_store::Task;
use flipside_tournament::Pairing;

use crate::stop_signal::StopSignal;

/// How often a thread that has nothing to do looks whether it is to stop.
const STOP_LOOK: Duration = Duration::from_millis(50);

/// Matches that wait for a thread.
#[derive(Debug)]
pub(crate) struct Queue<'a> {
    waiting: Mutex<Waiting>,
    filled: Condvar,
    closed: AtomicBool,
    winds_up: AtomicBool,
    /// How many matches are being audited that have landed.
    pub(crate) audits: AtomicUsize,
    stop: &'a StopSignal,
}

#[derive(Debug)]
struct Waiting {
    tasks: VecDeque<Task>,
    /// By thread, the blocks that bots of its have met which may still be there.
    met: Vec<HashSet<u64>>,
    /// By entrant, how many of its matches may run at the same time; where it is limited.
    at_once: Vec<Option<u32>>,
    /// By thread, the limited entrants of the match that it plays.
    playing: Vec<Vec<usize>>,
    /// The first index beyond all that were taken.
    begun: u64,
    /// How many threads wait for a task.
    idle: usize,
}

/// What a thread is to play.
#[derive(Debug)]
pub(crate) struct QueuedTask {
    pub(crate) task: Task,
    /// Whether bots that the thread has kept may have met the block: it ends them before.
    pub(crate) met: bool,
}

impl<'a> Queue<'a> {
    /// `at_once`: by entrant, how many of its matches may run at the same time, where it is limited.
    pub(crate) fn new(threads: usize, at_once: Vec<Option<u32>>, stop: &'a StopSignal) -> Self {
        Queue {
            waiting: Mutex::new(Waiting {
                tasks: VecDeque::new(),
                met: vec![HashSet::new(); threads],
                at_once,
                playing: vec![Vec::new(); threads],
                begun: 0,
                idle: 0,
            }),
            filled: Condvar::new(),
            closed: AtomicBool::new(false),
            winds_up: AtomicBool::new(false),
            audits: AtomicUsize::new(0),
            stop,
        }
    }

    pub(crate) fn put(&self, tasks: Vec<Task>) {
        if tasks.is_empty() {
            return;
        }
        let mut waiting = self.waiting();
        waiting.tasks.extend(tasks);
        self.wake(&waiting);
    }

    /// Wakes whoever waits for a task: not every thread may play each of them. To wake nobody would be a system call.
    fn wake(&self, waiting: &Waiting) {
        if waiting.idle > 0 {
            self.filled.notify_all();
        }
    }

    /// The next task for this thread, which plays nothing now; sleeps until there is one. None: the thread is to end.
    /// When the run is to stop, only what was passed over is played, so that no gap is left.
    pub(crate) fn take(&self, thread: usize) -> Option<QueuedTask> {
        let mut waiting = self.waiting();
        if !std::mem::take(&mut waiting.playing[thread]).is_empty() {
            self.wake(&waiting);
        }
        loop {
            if self.is_abandoned() {
                return None;
            }
            let end = self.end(&waiting);
            if let Some(taken) = waiting.take(thread, end) {
                return Some(taken);
            }
            waiting.idle += 1;
            (waiting, _) = self
                .filled
                .wait_timeout(waiting, STOP_LOOK)
                .expect(NO_PANIC);
            waiting.idle -= 1;
        }
    }

    /// All waiting tasks of one block that `is_out` does not know, to be played together, without waiting for them; for
    /// whoever keeps no bots. When the run is to stop, only what was passed over is given.
    pub(crate) fn take_block(&self, is_out: &dyn Fn(u64) -> bool) -> Vec<Task> {
        if self.is_abandoned() {
            return Vec::new();
        }
        let mut waiting = self.waiting();
        let end = self.end(&waiting);
        waiting.take_block(is_out, end)
    }

    /// Before which index matches may begin.
    fn end(&self, waiting: &Waiting) -> u64 {
        if self.ends() { waiting.begun } else { u64::MAX }
    }

    /// Whether nothing new is begun any more.
    pub(crate) fn ends(&self) -> bool {
        self.stop.is_asked() || self.winds_up.load(Ordering::Relaxed)
    }

    /// The first index beyond all that were begun; later tasks are taken out. How many these are is given, too. Once
    /// nothing new is begun, that index is final.
    pub(crate) fn begun(&self) -> (u64, usize) {
        let mut waiting = self.waiting();
        let (begun, all) = (waiting.begun, waiting.tasks.len());
        waiting.tasks.retain(|task| task.pairing.index < begun);
        (begun, all - waiting.tasks.len())
    }

    /// All bots of this thread have ended that have met a block; perhaps it begins to play in one.
    pub(crate) fn ended(&self, thread: usize, begins: Option<&Task>) {
        let mut waiting = self.waiting();
        let met = &mut waiting.met[thread];
        met.clear();
        met.extend(begins.map(|task| task.pairing.block));
        self.wake(&waiting);
    }

    /// Whether bots may be there that have met other blocks than the one in which they play.
    pub(crate) fn keeps_bots(&self) -> bool {
        self.waiting().met.iter().any(|met| met.len() > 1)
    }

    /// How many blocks bots of this thread have met which may still be there.
    pub(crate) fn met(&self, thread: usize) -> usize {
        self.waiting().met[thread].len()
    }

    /// Takes the tasks out that are not wanted any more.
    pub(crate) fn withdraw(&self, unwanted: impl Fn(&Task) -> bool) -> Vec<Task> {
        let tasks = &mut self.waiting().tasks;
        let (out, left) = tasks.drain(..).partition(unwanted);
        *tasks = left;
        Vec::from(out)
    }

    /// Lets nothing new begin, as if the run were to stop.
    pub(crate) fn wind_up(&self) {
        self.winds_up.store(true, Ordering::Relaxed);
    }

    /// Whether nobody waits any more for what is being played.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.stop.is_now() || self.closed.load(Ordering::Relaxed)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().expect(NO_PANIC)
    }
}

impl Waiting {
    /// The first task of a block that nobody has met who may still be there; where there is none, the first of a
    /// block that only bots of this thread have met. Its index is below `before`, and none of its bots plays in as many
    /// matches as it may.
    fn take(&mut self, thread: usize, before: u64) -> Option<QueuedTask> {
        let met_by = |block| self.met.iter().position(|met| met.contains(&block));
        let first = |by: Option<usize>| {
            self.tasks.iter().position(|task| {
                let Pairing { index, block, .. } = task.pairing;
                index < before && met_by(block) == by && self.has_room(task)
            })
        };
        let (at, met) = match first(None) {
            Some(at) => (at, false),
            None => (first(Some(thread))?, true),
        };
        let task = self.tasks.remove(at)?;
        self.met[thread].insert(task.pairing.block);
        self.playing[thread] = self.limited(&task).map(|(entrant, _)| entrant).collect();
        self.begun = self.begun.max(task.pairing.index + 1);
        Some(QueuedTask { task, met })
    }

    /// The entrants that come to a match and of which only so many matches may run at the same time.
    fn limited<'t>(&'t self, task: &'t Task) -> impl Iterator<Item = (usize, u32)> + 't {
        let comes = |seat: &usize| task.away.iter().all(|(away, _)| away != seat);
        let seats = task.pairing.seats.iter().enumerate();
        let entrants = seats.filter(move |(seat, _)| comes(seat));
        entrants.filter_map(|(_, &entrant)| {
            let most = self.at_once.get(entrant).copied().flatten();
            Some((entrant, most?))
        })
    }

    /// Whether none of its bots plays in as many matches as it may.
    fn has_room(&self, task: &Task) -> bool {
        self.limited(task).all(|(entrant, most)| {
            let plays = self
                .playing
                .iter()
                .filter(|match_of| match_of.contains(&entrant));
            plays.count() < most as usize
        })
    }

    /// The waiting tasks of the first block that is not out, with an index below `before`.
    fn take_block(&mut self, is_out: &dyn Fn(u64) -> bool, before: u64) -> Vec<Task> {
        let mut open = self.tasks.iter().map(|task| &task.pairing);
        let may_begin = |pairing: &&Pairing| pairing.index < before && !is_out(pairing.block);
        let Some(&Pairing { block, .. }) = open.find(may_begin) else {
            return Vec::new();
        };
        let is_of_it = |task: &Task| task.pairing.block == block && task.pairing.index < before;
        let (taken, left): (VecDeque<_>, VecDeque<_>) = self.tasks.drain(..).partition(is_of_it);
        self.tasks = left;
        let mut taken = Vec::from(taken);
        taken.sort_by_key(|task| task.pairing.index);
        let last = taken.last().map_or(0, |task| task.pairing.index + 1);
        self.begun = self.begun.max(last);
        taken
    }
}

const NO_PANIC: &str = "nobody panics who holds the queue";

/// Ends the threads when it is dropped, however the run ends: what they still play is broken off.
pub(crate) struct Closing<'a, 'b>(pub(crate) &'a Queue<'b>);

impl Drop for Closing<'_, '_> {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Relaxed);
        self.0.filled.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A match of a block of four.
    fn of_four(index: u64) -> Task {
        Task {
            pairing: Pairing {
                index,
                block: index / 4,
                ..Pairing::default()
            },
            away: Vec::new(),
        }
    }

    /// Of bots that are kept, few are ended, as long as enough is waiting.
    #[test]
    fn to_keep_bots_pays_though_they_end_for_blocks_that_they_have_met() {
        for threads in [1, 2, 5, 16] {
            let (waits, total) = (64 * threads, 4_000);
            let stop = StopSignal::default();
            let queue = Queue::new(threads, Vec::new(), &stop);
            let (mut put, mut taken, mut ends) = (0, 0, 0);
            while taken < total {
                for thread in 0..threads {
                    let next: Vec<_> = (put..total.min(taken + waits as u64))
                        .map(of_four)
                        .collect();
                    put += next.len() as u64;
                    queue.put(next);
                    let Some(QueuedTask { task, met }) = queue.waiting().take(thread, u64::MAX)
                    else {
                        continue;
                    };
                    taken += 1;
                    if met {
                        ends += 1;
                        queue.ended(thread, Some(&task));
                    }
                }
            }
            assert!(ends * 16 <= total, "{threads} threads: {ends} of {total}");
        }
    }

    /// A match of a block of its own between these entrants.
    fn between(index: u64, seats: [usize; 2]) -> Task {
        Task {
            pairing: Pairing {
                index,
                block: index,
                seats: seats.to_vec(),
                ..Pairing::default()
            },
            away: Vec::new(),
        }
    }

    #[test]
    fn a_bot_plays_in_no_more_matches_at_once_than_it_may() {
        let stop = StopSignal::default();
        let queue = Queue::new(4, vec![Some(1), None, Some(2)], &stop);
        let away = Task {
            away: vec![(0, "withdrawn".into())],
            ..between(5, [0, 1])
        };
        let tasks = [
            between(0, [0, 1]),
            between(1, [1, 0]),
            between(2, [2, 2]),
            between(3, [0, 2]),
            between(4, [2, 1]),
            away,
        ];
        queue.put(tasks.into());
        let take = |thread: usize| {
            let taken = queue.waiting().take(thread, u64::MAX)?;
            Some(taken.task.pairing.index)
        };
        // The first bot plays, so that its other matches wait; a match of copies is one.
        assert_eq!([0, 1, 2, 3].map(take), [Some(0), Some(2), Some(4), Some(5)]);
        // The match of a bot that does not come is none of its.
        queue.waiting().playing[3].clear();
        assert_eq!(take(3), None);
        queue.waiting().playing[0].clear();
        assert_eq!(take(0), Some(1));
        queue.waiting().playing[0].clear();
        // Two matches of the third bot still run.
        assert_eq!(take(0), None);
        queue.waiting().playing[1].clear();
        assert_eq!(take(0), Some(3));
    }

    #[test]
    fn whoever_takes_the_next_match_has_ended_the_one_before() {
        let stop = StopSignal::default();
        let queue = Queue::new(1, vec![Some(1), None], &stop);
        queue.put((0..3).map(|index| between(index, [0, 1])).collect());
        let taken = [(); 3].map(|()| queue.take(0).unwrap().task.pairing.index);
        assert_eq!(taken, [0, 1, 2]);
    }
}
