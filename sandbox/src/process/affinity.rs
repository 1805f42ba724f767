//! Keeping a thread and the bots of its matches on processors of their own, as long as that hurts none of them.
//!
//! A question and its answer are faster where both sides share a processor: neither has to be woken on another one.
//! But a bot that uses several processors must have them. So each process starts free to run anywhere, for many
//! runtimes count processors when they start. It is pinned after some answers, if it has one thread by then. It is set
//! free for good as soon as it is seen with more, threads or processes: a program in Python, for example, uses
//! several processors by several processes.
//!
//! The thread that plays is pinned unless a process of its match was set free: beside that one, it would only stand in
//! its way. While a process starts, it mostly waits, and would only move to a processor of another match and back.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rustix::io::Errno;
use rustix::thread::{CpuSet, Pid, gettid};

use crate::cores::{Cores, processors};
use crate::lock::lock;
use crate::process::usage::ProcessRoot;

/// After so many answers a process is pinned, if it has one thread then. The first answer is the one to `hello`, which
/// many bots give before they start their threads; the second is the first move.
pub const PIN_AFTER: u32 = 2;

/// How often the threads of a bot are listed to set them free. A thread that is started meanwhile may be pinned as the
/// one that started it was; it is in the next list.
pub const MAX_UNPINS: usize = 8;

/// The most threads that are set free: more than the kernel lets a user have by default.
const MAX_FREED: usize = 1 << 20;

/// Keeps one thread on its processors, with the processes that it starts. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Pinning(Arc<AffinityShared>);

#[derive(Debug)]
struct AffinityShared {
    /// Where it is kept.
    cores: Cores,
    /// Where everything may run that is not pinned.
    all: Cores,
    thread: Pid,
    /// How many processes that play were set free.
    free: AtomicUsize,
}

impl Pinning {
    /// Pins the calling thread to `cores`. While it plays with processes that were set free, it runs on `all`, which
    /// are those that it may run on.
    ///
    /// # Errors
    /// The system's, where it does not allow it.
    pub fn of_this_thread(cores: Cores, all: Cores) -> io::Result<Self> {
        // It is counted once: not by a thread that is pinned.
        processors();
        let pinning = Pinning(Arc::new(AffinityShared {
            cores,
            all,
            thread: gettid(),
            free: AtomicUsize::new(0),
        }));
        pinning.0.cores.pin_thread(Some(pinning.0.thread))?;
        Ok(pinning)
    }

    /// Where a process is to start.
    pub(crate) fn everywhere(&self) -> CpuSet {
        self.0.all.set()
    }

    /// One process more plays that was set free.
    fn one_is_free(&self) {
        if self.0.free.fetch_add(1, Ordering::Relaxed) == 0 {
            self.move_thread(&self.0.all);
        }
    }

    /// One such process less.
    fn one_is_not(&self) {
        if self.0.free.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.move_thread(&self.0.cores);
        }
    }

    /// Where it fails, everything runs as well, only slower.
    fn move_thread(&self, to: &Cores) {
        if let Err(error) = to.pin_thread(Some(self.0.thread)) {
            tracing::debug!(%error, cores = %to, "a thread of matches cannot be moved");
        }
    }
}

/// Where a process is kept.
#[derive(Debug)]
pub(crate) struct Placement {
    pinning: Pinning,
    answers: AtomicU32,
    now: Mutex<PinState>,
}

#[derive(Clone, Copy, Debug)]
struct PinState {
    place: Pin,
    /// Whether it plays, and does not wait for its next match.
    plays: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pin {
    /// It runs anywhere, and nothing is decided.
    Open,
    /// It runs on the processors of its thread.
    Pinned,
    /// It runs anywhere from now on.
    Free,
}

impl PinState {
    fn counts_as_free(self) -> bool {
        self.plays && self.place == Pin::Free
    }
}

impl Placement {
    /// Of a process that is about to start.
    pub(crate) fn new(pinning: &Pinning) -> Self {
        Placement {
            pinning: pinning.clone(),
            answers: AtomicU32::new(0),
            now: Mutex::new(PinState {
                place: Pin::Open,
                plays: true,
            }),
        }
    }

    /// It plays in a match, or waits for its next.
    pub(crate) fn plays(&self, plays: bool) {
        self.change(|now| now.plays = plays);
    }

    /// It has answered.
    pub(crate) fn answered(&self, root: ProcessRoot) {
        let answers = self.answers.fetch_add(1, Ordering::Relaxed) + 1;
        // Threads that begin later are mostly seen in a long turn. In short ones, looking each time would take longer
        // than the turn.
        if answers >= PIN_AFTER && answers.is_power_of_two() {
            let place = lock(&self.now).place;
            match place {
                Pin::Open => self.decide(root),
                Pin::Pinned => {
                    let threads = root.threads().map_or(usize::MAX, |threads| threads.len());
                    self.seen_with(root, threads);
                }
                Pin::Free => {}
            }
        }
    }

    /// It was seen with so many threads.
    pub(crate) fn seen_with(&self, root: ProcessRoot, threads: usize) {
        if threads > 1 && lock(&self.now).place == Pin::Pinned {
            tracing::debug!(
                threads,
                "a bot has several threads, and is not pinned any more"
            );
            set_free(root, &self.pinning.0.all);
            self.change(|now| now.place = Pin::Free);
        }
    }

    /// It did not start everywhere, as it is to: it could not be moved then.
    pub(crate) fn starts_everywhere(&self, root: ProcessRoot) {
        set_free(root, &self.pinning.0.all);
    }

    /// Pins it, if it has one thread, which nobody else has put somewhere.
    fn decide(&self, root: ProcessRoot) {
        let place = match root.threads().as_deref() {
            Some(&[thread]) => self.pin(thread),
            _ => Pin::Free,
        };
        tracing::debug!(?place, "where a bot runs is decided");
        self.change(|now| now.place = place);
    }

    fn pin(&self, thread: u32) -> Pin {
        let AffinityShared { cores, all, .. } = &*self.pinning.0;
        let thread = Pid::from_raw(thread.cast_signed());
        let Some(thread) = thread.filter(|&thread| all.holds(thread)) else {
            return Pin::Free;
        };
        match cores.pin_thread(Some(thread)) {
            Ok(()) => Pin::Pinned,
            Err(error) => {
                tracing::debug!(%error, "a bot cannot be pinned");
                Pin::Free
            }
        }
    }

    fn change(&self, change: impl FnOnce(&mut PinState)) {
        let mut now = lock(&self.now);
        let before = now.counts_as_free();
        change(&mut now);
        match (before, now.counts_as_free()) {
            (false, true) => self.pinning.one_is_free(),
            (true, false) => self.pinning.one_is_not(),
            _ => {}
        }
    }
}

impl Drop for Placement {
    fn drop(&mut self) {
        self.plays(false);
    }
}

/// Lets all threads of a bot run on these processors.
fn set_free(root: ProcessRoot, all: &Cores) {
    let mut freed = BTreeSet::new();
    for _ in 0..MAX_UNPINS {
        let threads = root.threads_up_to(MAX_FREED).into_iter();
        let new: Vec<u32> = threads.filter(|&thread| freed.insert(thread)).collect();
        if new.is_empty() {
            return;
        }
        for thread in new {
            let thread = Pid::from_raw(thread.cast_signed());
            let moved = thread.map_or(Ok(()), |thread| all.pin_thread(Some(thread)));
            match moved {
                Err(error) if error.raw_os_error() != Some(Errno::SRCH.raw_os_error()) => {
                    tracing::debug!(%error, ?thread, "a thread of a bot stays pinned");
                }
                // It may have ended.
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::num::NonZeroUsize;
    use std::process::{Child, ChildStdin, Command, Stdio};
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// A thread that is pinned, on which a bot plays that is this script.
    struct AffinityStage {
        all: Cores,
        one: Cores,
        placement: Placement,
        bot: Child,
        stdin: ChildStdin,
        root: ProcessRoot,
    }

    /// Lets a bot play on a thread of its own.
    fn staged(script: &str, play: impl FnOnce(AffinityStage) + Send) {
        let stage = || {
            let all = Cores::allowed().unwrap();
            let one = all.parts(NonZeroUsize::MIN, NonZeroUsize::MIN).unwrap();
            let one = one.into_iter().next().unwrap();
            let pinning = Pinning::of_this_thread(one.clone(), all.clone()).unwrap();
            assert!(one.holds(gettid()));
            let placement = Placement::new(&pinning);
            assert!(one.holds(gettid()));
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]).stdin(Stdio::piped());
            // As the sandbox starts it: everywhere.
            all.pin().unwrap();
            let mut bot = command.spawn().unwrap();
            one.pin().unwrap();
            let stdin = bot.stdin.take().unwrap();
            let root = ProcessRoot::Bot(bot.id());
            play(AffinityStage {
                all,
                one,
                placement,
                bot,
                stdin,
                root,
            });
            assert!(pinning.0.cores.holds(gettid()));
        };
        thread::scope(|scope| scope.spawn(stage).join().unwrap());
    }

    impl AffinityStage {
        fn wait_for_threads(&self, number: usize) {
            while self.root.threads().unwrap().len() != number {
                thread::sleep(Duration::from_millis(1));
            }
        }

        fn answer(&self, times: u32) {
            (0..times).for_each(|_| self.placement.answered(self.root));
        }

        /// Whether all of its threads are on these.
        fn is_on(&self, cores: &Cores) -> bool {
            let threads = self.root.threads().unwrap();
            let mut threads = threads.iter().map(|&thread| thread.cast_signed());
            threads.all(|thread| cores.holds(Pid::from_raw(thread).unwrap()))
        }

        fn end(self) {
            let AffinityStage {
                mut bot,
                stdin,
                placement,
                ..
            } = self;
            drop(stdin);
            bot.wait().unwrap();
            drop(placement);
        }
    }

    #[test]
    fn a_process_of_one_thread_is_pinned_and_the_thread_that_plays_with_it() {
        staged("read x", |stage| {
            let AffinityStage { all, one, .. } = &stage;
            stage.answer(PIN_AFTER - 1);
            assert!(stage.is_on(all) && one.holds(gettid()));
            stage.answer(1);
            assert!(stage.is_on(one) && one.holds(gettid()));
            // While it waits, the thread plays on.
            stage.placement.plays(false);
            assert!(one.holds(gettid()));
            stage.placement.plays(true);
            stage.answer(100);
            assert!(stage.is_on(one) && one.holds(gettid()));
            // It is seen with several, once.
            stage.placement.seen_with(stage.root, 2);
            assert!(stage.is_on(all) && all.holds(gettid()));
            stage.placement.seen_with(stage.root, 1);
            stage.answer(200);
            assert!(stage.is_on(all) && all.holds(gettid()));
            // The thread is pinned while it plays without it.
            stage.placement.plays(false);
            assert!(one.holds(gettid()) && stage.is_on(all));
            stage.placement.plays(true);
            assert!(all.holds(gettid()));
            stage.end();
        });
    }

    #[test]
    fn a_bot_of_several_processes_is_not_pinned() {
        staged("exec 3<&0; cat <&3 & wait", |stage| {
            stage.wait_for_threads(2);
            stage.answer(100);
            assert!(stage.is_on(&stage.all) && stage.all.holds(gettid()));
            stage.end();
        });
    }

    #[test]
    fn what_a_pinned_process_begins_is_set_free_with_it() {
        staged(
            "exec 3<&0; read x; cat <&3 & cat <&3 & wait",
            |mut stage| {
                stage.answer(PIN_AFTER);
                assert!(stage.is_on(&stage.one));
                stage.stdin.write_all(b"x\n").unwrap();
                stage.wait_for_threads(3);
                assert!(stage.is_on(&stage.one), "what it begins is where it is");
                stage.answer(PIN_AFTER);
                assert!(stage.is_on(&stage.all) && stage.all.holds(gettid()));
                stage.end();
            },
        );
    }

    #[test]
    fn what_could_not_start_everywhere_is_set_free() {
        staged("read x", |stage| {
            let pid = Pid::from_raw(stage.bot.id().cast_signed());
            // As where its thread is kept.
            stage.one.pin_thread(pid).unwrap();
            stage.placement.starts_everywhere(stage.root);
            assert!(stage.is_on(&stage.all));
            stage.end();
        });
    }

    #[test]
    fn who_chose_its_processors_keeps_them() {
        staged("read x", |stage| {
            let pid = Pid::from_raw(stage.bot.id().cast_signed());
            let others = stage
                .all
                .parts(NonZeroUsize::MIN, NonZeroUsize::MIN)
                .unwrap();
            others[0].pin_thread(pid).unwrap();
            stage.answer(100);
            assert!(stage.is_on(&others[0]));
            assert!(stage.all.holds(gettid()) || stage.all.count() == 1);
            stage.end();
        });
    }
}
