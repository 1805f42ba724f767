//! A bot that is a process: lines over its pipes, under one deadline; and its end.

pub(crate) mod affinity;
pub(crate) mod dying;
pub(crate) mod stopwatch;
pub(crate) mod turns;
pub(crate) mod usage;

use std::ffi::OsString;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use std::{fs, io};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::task::AbortHandle;
use tokio::time::Sleep;

use self::dying::{Dying, init_of, number};
use crate::answer::{BotAnswer, FinishedBot, LastWords, SilenceEvidence};
use crate::error::StartError;
use crate::fault::{AskError, ProcessEnd, SandboxFault};
use crate::jail::{GO_ON_ALL, STOP_ALL};
use crate::launch::{Jailed, Launch, Launched, Launching};
use crate::lines::Lines;
use crate::lock::lock;
use crate::poll::{self, Readable};
use crate::process::affinity::{Pinning, Placement};
use crate::process::stopwatch::{SHORT, Stopwatch, TimerOutcome, Timing, UsageReader};
use crate::process::turns::{PonderGuard, SuspendOrder, TurnAccounting};
use crate::process::usage::{ProcessRoot, Stat, Used, own_cpu};
use crate::stderr_tail::Tail;

/// How long a bot that closed its output is waited for, to learn how it ended: a process that ends closes
/// its pipes first, and on a busy machine it is a while until the rest of it is gone. Nobody's clock runs.
pub const EXIT_WAIT: Duration = Duration::from_millis(500);

/// How long one is waited for beyond that which is ending, or would if the machine let it run; and how often it is
/// looked whether it still would. One that runs for half of the time between two looks is kept from nothing.
const ENDING_WAIT: Duration = Duration::from_secs(10);
const ENDING_LOOK: Duration = Duration::from_millis(100);

/// How much of the error stream is read at a time, and how often at the end: more than a pipe
/// holds, and no more, for a bot may write on.
const STDERR_READ: usize = 4 * 1024;
const LAST_READS: usize = 32;

/// So soon after its answer nothing that a bot writes is looked for: a call for every question would take long.
const JUST_ANSWERED: Duration = Duration::from_micros(100);

/// How long bots may be asked one after the other before the thread's other tasks have their turn: whoever stops a
/// match or watches it, and the error streams of other bots.
const GIVE_WAY: Duration = Duration::from_millis(10);

/// How many entries of a bot's working directory are looked at.
const MAX_ENTRIES: usize = 64;

/// How soon a full pipe is tried again that cannot be watched.
const WRITE_AGAIN: Duration = Duration::from_millis(1);

/// A running process.
pub(crate) struct Process {
    // The order is that of dropping: the process is ended first.
    leader: Leader,
    stdin: Option<OwnedFd>,
    stdout: Stdout,
    at_once: TakenAtOnce,
    pub(crate) lines: Lines,
    /// The deadline. It lives as long as the bot: to move a timer that waits is cheap, to make and
    /// to forget one for every line is not.
    timer: Pin<Box<Sleep>>,
    stderr: Arc<Stderr>,
    drain: AbortHandle,
    pub(crate) turns: Arc<TurnAccounting>,
    /// Those with whom it takes turns.
    ponder_guard: Option<PonderGuard>,
    /// What the last question took.
    pub(crate) timing: Timing,
    /// What it had used when it was looked at last in a turn of its own.
    known: Option<Arc<Used>>,
    /// When its last answer was taken; nothing since it was told something.
    answered: Option<Instant>,
    /// When the thread's other tasks had their turn last.
    gave_way: Instant,
}

/// A process whose start has begun. Dropping it ends it. It is killed when the thread ends that began it, which is why
/// it stays there.
pub(crate) struct ProcessStarting<'l> {
    launching: Launching<'l>,
    placement: Option<Placement>,
    stays: PhantomData<*const ()>,
}

impl ProcessStarting<'_> {
    /// Waits until it runs; inside a tokio runtime.
    pub(crate) fn started(self) -> Result<Process, StartError> {
        Process::of(self.launching.launched()?, self.placement)
    }
}

/// What else goes on where a bot is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// Other bots of the thread are asked meanwhile: the runtime waits for the answer.
    Others,
    /// Nobody else is asked: the thread itself waits at first, for most answers come soon.
    Nobody,
    /// The thread waits whatever happens, and gives nobody a turn.
    Nothing,
}

/// The time that a bot has for taking a line.
enum WriteDeadline<'a> {
    /// With that for its answer.
    Answer(&'a mut Stopwatch),
    /// The line wants no answer.
    Until(Instant),
}

impl Process {
    /// Begins to start a program.
    pub(crate) fn begin<'l>(
        launch: Launch<'l>,
        pinning: Option<&Pinning>,
    ) -> Result<ProcessStarting<'l>, StartError> {
        let placement = pinning.map(Placement::new);
        let launching = launch.begin()?;
        Ok(ProcessStarting {
            launching,
            placement,
            stays: PhantomData,
        })
    }

    fn of(launched: Launched, placement: Option<Placement>) -> Result<Self, StartError> {
        let Launched {
            pid,
            pipes,
            jailed,
            strays,
        } = launched;
        // First of all, for from here on an early return ends the process.
        let leader = Leader::new(pid, jailed)?;
        for pipe in [&pipes.stdin, &pipes.stdout, &pipes.stderr] {
            rustix::io::ioctl_fionbio(pipe, true).map_err(io::Error::from)?;
        }
        let stdout = Stdout::of(pipes.stdout);
        let pipe = watch(pipes.stderr, Interest::READABLE)?;
        let stderr = Arc::new(Stderr {
            pipe,
            tail: Mutex::default(),
            closed: AtomicBool::new(false),
        });
        let drain = tokio::spawn(drain(Arc::clone(&stderr))).abort_handle();
        let turns = leader.turns(placement)?;
        if strays {
            turns.starts_everywhere();
        }
        Ok(Process {
            leader,
            stdin: Some(pipes.stdin),
            stdout,
            at_once: TakenAtOnce::default(),
            lines: Lines::default(),
            timer: Box::pin(tokio::time::sleep(Duration::ZERO)),
            stderr,
            drain,
            turns,
            ponder_guard: None,
            timing: Timing::default(),
            known: None,
            answered: None,
            gave_way: Instant::now(),
        })
    }

    /// Lets it take turns with the other bots of a match.
    pub(crate) fn join(&mut self, ponder_guard: &PonderGuard) {
        ponder_guard.join(&self.turns);
        self.turns.plays(true);
        self.ponder_guard = Some(ponder_guard.clone());
    }

    /// The regular files in its working directory, where that is a jail's and vanishes with it; at most so many names.
    pub(crate) fn files(&self, most: usize) -> Vec<OsString> {
        let bot = self.leader.jailed.as_ref().and_then(Jailed::bot);
        let folder = bot.and_then(|bot| fs::read_dir(format!("/proc/{bot}/cwd")).ok());
        let entries = folder.into_iter().flatten().take(MAX_ENTRIES).flatten();
        let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let names = files.map(|entry| entry.file_name());
        let names = names.filter(|name| !name.as_encoded_bytes().starts_with(b"."));
        names.take(most).collect()
    }

    /// What is to be seen of the last question.
    pub(crate) fn seen(&self) -> SilenceEvidence {
        let stdin = self.stdin.as_ref();
        let unread = stdin.and_then(|pipe| rustix::io::ioctl_fionread(pipe).ok());
        SilenceEvidence::new(&self.lines, unread.map(|bytes| bytes > 0))
    }

    /// The path of a ply. Its system calls are one write, one read, and one wait unless the answer
    /// is there at once.
    pub(crate) async fn ask(
        &mut self,
        line: &[u8],
        deadline: Instant,
        beside: Beside,
    ) -> Result<BotAnswer<'_>, AskError> {
        let mut begun = Instant::now();
        if beside == Beside::Nobody && begun.saturating_duration_since(self.gave_way) >= GIVE_WAY {
            tokio::task::yield_now().await;
            begun = Instant::now();
            self.gave_way = begun;
        }
        let is_first = self.timing == Timing::default();
        // What was used by more than one process may be counted nowhere.
        let mut is_counted = self.turns.is_counted();
        self.turns.begin();
        let mut deadline = deadline;
        if deadline.saturating_duration_since(begun) < SHORT {
            self.look();
            is_counted = self.turns.is_counted();
            // To look is none of the bot's time.
            let looked = begun.elapsed();
            (begun, deadline) = (begun + looked, deadline + looked);
        }
        let known = self.known.clone().filter(|_| is_counted);
        let mut stopwatch = Stopwatch::start(begun, deadline, known);
        let answered = self.exchange(line, begun, &mut stopwatch, beside).await;
        self.timing = stopwatch.stop(&*self.turns);
        let line = match answered {
            Ok(line) => line,
            Err(error) => return Err(self.told(error).await),
        };
        self.timing = stopwatch.in_doubt(self.timing, &*self.turns, self.known.as_deref());
        self.turns.end(self.timing.wall);
        self.answered = Some(begun + self.timing.wall);
        let charged = self.timing.charged;
        if charged > stopwatch.allowance {
            let over = charged - stopwatch.allowance;
            return Err(late(over.min(stopwatch.stood_still(self.timing))));
        }
        if let Some(used) = stopwatch.into_used() {
            self.known = Some(Arc::new(used));
        } else if is_first && self.known.is_none() {
            self.look();
        }
        self.turns.answered();
        Ok(BotAnswer {
            line: self.lines.text(line)?,
            charged,
            fuel: None,
        })
    }

    /// Learns what it has used until now.
    fn look(&mut self) {
        self.known = self.turns.used().map(Arc::new);
    }

    async fn exchange(
        &mut self,
        line: &[u8],
        begun: Instant,
        stopwatch: &mut Stopwatch,
        beside: Beside,
    ) -> Result<Range<usize>, AskError> {
        self.lines.forget();
        let at_once = self.write(line, WriteDeadline::Answer(stopwatch)).await?;
        let mut is_soon = beside != Beside::Others;
        // Where the line was taken at once, the clock was just read.
        let mut now = at_once.then_some(begun);
        if is_soon {
            self.stdout.unwatch();
        }
        loop {
            if let Some(line) = self.lines.find()? {
                return Ok(line);
            }
            stopwatch.no_answer_yet();
            if is_soon {
                let now = now.take().unwrap_or_else(Instant::now);
                is_soon = self.read_soon(now, stopwatch.next)?;
            }
            if !is_soon {
                self.read(stopwatch).await?;
            }
        }
    }

    pub(crate) async fn tell(&mut self, line: &[u8], deadline: Instant) -> Result<(), AskError> {
        self.turns.begin();
        self.answered = None;
        match self.write(line, WriteDeadline::Until(deadline)).await {
            Ok(_) => Ok(()),
            Err(error) => Err(self.told(error).await),
        }
    }

    /// It waits for its next match.
    pub(crate) fn rest(&mut self) {
        self.turns.plays(false);
        let ponder_guard = self.ponder_guard.take();
        if ponder_guard.is_some_and(|ponder_guard| !ponder_guard.may_ponder()) {
            self.turns.pause();
        }
    }

    /// What it has written that nobody asked for. The runtime has noticed what came while it waited for others;
    /// where it may not have waited, it is read here.
    pub(crate) fn unread(&mut self, now: Instant) -> Option<&[u8]> {
        let just_now = |at| now.saturating_duration_since(at) < JUST_ANSWERED;
        if self.lines.left() == 0 {
            let room = self.lines.room();
            let mut read = |pipe: &OwnedFd| {
                let read = rustix::io::read(pipe, rustix::buffer::spare_capacity(room));
                read.map_err(io::Error::from)
            };
            // Whatever fails, fails again where an answer is read.
            let _ = match (self.answered.is_some_and(just_now), &self.stdout.watched) {
                (false, _) => read(&self.stdout.pipe),
                (true, Some(stdout)) => stdout.try_io(Interest::READABLE, |pipe| read(pipe)),
                (true, None) => Ok(0),
            };
        }
        self.lines.rest()
    }

    /// Ends it at once, for it has a fault; what is left of it is cleared away later.
    pub(crate) fn fall(&self) {
        self.turns.fall();
        if let Some(ponder_guard) = &self.ponder_guard {
            ponder_guard.has_lost_one();
        }
    }

    /// How much was read of its standard error.
    pub(crate) fn stderr_read(&self) -> u64 {
        lock(&self.stderr.tail).written
    }

    /// What came on standard error since it had this length, which becomes that of now.
    pub(crate) fn stderr_since(&self, mark: &mut u64) -> String {
        self.stderr.read_rest();
        lock(&self.stderr.tail).take_since(mark)
    }

    pub(crate) fn cpu(&self) -> Option<Duration> {
        self.leader.cpu()
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        self.leader.bot()
    }

    /// Closes its input, and reads until there is a line, it has ended, or so much time is over.
    pub(crate) async fn last_words(&mut self, grace: Duration) -> LastWords {
        self.stdin = None;
        self.lines.clear();
        self.timer.as_mut().reset((Instant::now() + grace).into());
        let mut ended = false;
        while self.lines.lacks_a_line() {
            let (stdout, lines, timer) = (&mut self.stdout, &mut self.lines, &mut self.timer);
            match poll_fn(|cx| poll_read(stdout, lines, timer.as_mut(), cx)).await {
                Ok(Some(1..)) => {}
                Ok(None) => break,
                Ok(Some(0)) | Err(_) => {
                    ended = true;
                    break;
                }
            }
        }
        LastWords::new(&self.lines, ended)
    }

    pub(crate) async fn finish(mut self, grace: Duration, mut marks: [u64; 2]) -> FinishedBot {
        self.turns.begin();
        self.stdin = None;
        let ended = self.leader.wait(grace, &*self.turns).await;
        let ended = ended.unwrap_or(ProcessEnd::Killed);
        let cpu = self.leader.cpu();
        self.leader.end();
        FinishedBot {
            stderr_tail: self.stderr_since(&mut marks[0]),
            new_stderr: self.stderr_since(&mut marks[1]),
            ended,
            cpu,
        }
    }

    /// Writes a line, and says whether the pipe took it at once.
    async fn write(
        &mut self,
        line: &[u8],
        mut allowed: WriteDeadline<'_>,
    ) -> Result<bool, AskError> {
        let stdin = self.stdin.as_ref();
        let stdin = stdin.expect("stdin is open until the bot is finished");
        let mut rest = match rustix::io::write(stdin, line) {
            Ok(written) if written == line.len() => return Ok(true),
            Ok(written) => &line[written..],
            Err(Errno::AGAIN | Errno::INTR) => line,
            Err(Errno::PIPE) => return Err(closed()),
            Err(error) => return Err(host(error)),
        };
        let mut next = match &allowed {
            WriteDeadline::Answer(stopwatch) => stopwatch.next,
            WriteDeadline::Until(deadline) => *deadline,
        };
        loop {
            self.timer.as_mut().reset(next.into());
            match write_rest(stdin.as_fd(), &mut rest, self.timer.as_mut()).await {
                Ok(true) => return Ok(false),
                Ok(false) => match &mut allowed {
                    WriteDeadline::Answer(stopwatch) => next = self.ring(stopwatch)?,
                    WriteDeadline::Until(deadline) => return Err(late(deadline.elapsed())),
                },
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Err(closed()),
                Err(error) => return Err(AskError::Host(error)),
            }
        }
    }

    /// Reads output that comes before then, on this thread, which does nothing else meanwhile. False: there is none.
    fn read_soon(&mut self, mut now: Instant, until: Instant) -> Result<bool, AskError> {
        if self.at_once.is_likely() {
            let is_there = self.read_now()?;
            self.at_once.note(is_there);
            if is_there {
                return Ok(true);
            }
        }
        loop {
            let stdout = self.stdout.pipe.as_fd();
            let stderr = (!self.stderr.is_closed()).then(|| self.stderr.pipe.as_fd());
            let ready = poll::either_readable(stdout, stderr, now, until);
            match ready.map_err(AskError::Host)? {
                None => return Ok(false),
                // A bot is never held up by what it says there, and holds nobody up by it.
                Some(Readable::Second) => {
                    let _ = self.stderr.read();
                }
                Some(Readable::First) => {
                    if self.read_now()? {
                        return Ok(true);
                    }
                }
            }
            now = Instant::now();
            if now >= until {
                return Ok(false);
            }
        }
    }

    /// Reads the output that is there. False: there is none.
    fn read_now(&mut self) -> Result<bool, AskError> {
        let room = rustix::buffer::spare_capacity(self.lines.room());
        match rustix::io::read(&self.stdout.pipe, room) {
            Ok(0) => Err(closed()),
            Ok(_) => Ok(true),
            Err(Errno::AGAIN | Errno::INTR) => Ok(false),
            Err(error) => Err(host(error)),
        }
    }

    /// Waits for more output, and reads it. Others have their turn meanwhile.
    async fn read(&mut self, stopwatch: &mut Stopwatch) -> Result<(), AskError> {
        self.timer.as_mut().reset(stopwatch.next.into());
        let rings = || self.ponder_guard.as_ref().map_or(0, PonderGuard::rings);
        let mut noted = rings();
        loop {
            let (stdout, lines, timer) = (&mut self.stdout, &mut self.lines, &mut self.timer);
            let polled = poll_fn(|cx| {
                let polled = poll_read(stdout, lines, timer.as_mut(), cx);
                if polled.is_pending() {
                    noted = rings();
                }
                polled
            });
            match polled.await {
                Ok(Some(0)) => return Err(closed()),
                Ok(Some(_)) => {
                    if let Some(ponder_guard) = &self.ponder_guard {
                        stopwatch.others_rang(ponder_guard.rang_since(noted, Instant::now()));
                    }
                    return Ok(());
                }
                Ok(None) => {
                    let next = self.ring(stopwatch)?;
                    self.timer.as_mut().reset(next.into());
                    noted = rings();
                }
                Err(error) => return Err(AskError::Host(error)),
            }
        }
    }

    /// The timer has run out: until when to wait on.
    fn ring(&self, stopwatch: &mut Stopwatch) -> Result<Instant, AskError> {
        let (ran, begun) = (own_cpu(), Instant::now());
        let ponder_guard = self.ponder_guard.as_ref();
        match stopwatch.ring(&*self.turns, ponder_guard.and_then(PonderGuard::hushed)) {
            TimerOutcome::Again(next) => {
                let aside = Instant::now();
                if let Some(ponder_guard) = ponder_guard {
                    ponder_guard.look();
                    if stopwatch.is_overdue() {
                        ponder_guard.hush();
                    }
                    let now = Instant::now();
                    ponder_guard.rang(now, now - begun);
                }
                let aside = aside.elapsed();
                let there = poll::readable(&self.stdout.pipe, Instant::now()).unwrap_or(false);
                stopwatch.looked(ran, if there { aside } else { Duration::ZERO });
                Ok(next)
            }
            TimerOutcome::Late(by) => Err(late(by)),
            TimerOutcome::Starved => Err(AskError::Host(io::Error::other(
                "the machine has hardly let a bot run: run fewer matches at once, or less beside \
                 them",
            ))),
        }
    }

    /// The fault of a bot that closed a pipe tells how it ended, if it does.
    async fn told(&self, error: AskError) -> AskError {
        if !matches!(error, AskError::Fault(SandboxFault::Closed { code: None })) {
            return error;
        }
        let ended = self.leader.wait(EXIT_WAIT, &*self.turns).await;
        ended.map_or(error, |ended| AskError::Fault(ended.fault()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.drain.abort();
    }
}

/// Makes a descriptor known to the runtime.
fn watch<T: AsFd + AsRawFd>(fd: T, interest: Interest) -> io::Result<AsyncFd<T>> {
    #[expect(
        unsafe_code,
        reason = "what is asked for is that the descriptor stays the same and open, which is so for \
                  all that owns or borrows one and is only used by shared reference"
    )]
    let watched = unsafe { AsyncFd::register_with_interest(fd, interest) };
    watched.map_err(Into::into)
}

fn host(error: Errno) -> AskError {
    AskError::Host(error.into())
}

/// It closed a pipe, and nobody has looked yet whether it ended.
fn closed() -> AskError {
    AskError::Fault(SandboxFault::Closed { code: None })
}

fn late(by: Duration) -> AskError {
    AskError::Fault(SandboxFault::Late { by, waiting: false })
}

/// Whether the answer is likely to be there as soon as a question is written. On a processor that both share, the bot
/// runs before the write returns, and to wait for its answer would be a system call in vain.
#[derive(Default)]
struct TakenAtOnce {
    /// How many answers in a row were not there.
    missed: u8,
    /// How many questions were asked since then without looking.
    passed: u8,
}

impl TakenAtOnce {
    /// Whether to look. After some answers in a row that were not there, that is seldom worth it.
    fn is_likely(&mut self) -> bool {
        if self.missed < TakenAtOnce::MISSES {
            return true;
        }
        self.passed = (self.passed + 1) % TakenAtOnce::LOOK_AGAIN;
        self.passed == 0
    }

    fn note(&mut self, is_there: bool) {
        self.missed = if is_there {
            0
        } else {
            self.missed.saturating_add(1)
        };
    }

    /// A look in vain takes a fifth of what one saves that is not.
    const MISSES: u8 = 5;
    const LOOK_AGAIN: u8 = 32;
}

/// The output of a process.
struct Stdout {
    pipe: Arc<OwnedFd>,
    /// What the runtime knows of it while it waits. A bot writes faster to a pipe that the runtime does not watch.
    watched: Option<AsyncFd<Arc<OwnedFd>>>,
}

impl Stdout {
    fn of(pipe: OwnedFd) -> Self {
        Stdout {
            pipe: Arc::new(pipe),
            watched: None,
        }
    }

    fn watched(&mut self) -> io::Result<&AsyncFd<Arc<OwnedFd>>> {
        let watched = match self.watched.take() {
            Some(watched) => watched,
            None => watch(Arc::clone(&self.pipe), Interest::READABLE)?,
        };
        Ok(self.watched.insert(watched))
    }

    fn unwatch(&mut self) {
        self.watched = None;
    }
}

/// Reads what is there, and otherwise waits; nothing where the timer ran out.
fn poll_read(
    stdout: &mut Stdout,
    lines: &mut Lines,
    timer: Pin<&mut Sleep>,
    cx: &mut Context<'_>,
) -> Poll<io::Result<Option<usize>>> {
    let stdout = stdout.watched()?;
    while let Poll::Ready(guard) = stdout.poll_read_ready(cx) {
        let mut guard = guard?;
        let room = lines.room();
        let space = room.capacity() - room.len();
        match rustix::io::read(stdout.get_ref(), rustix::buffer::spare_capacity(room)) {
            Ok(length) => {
                if length < space {
                    // The pipe is empty, and its next byte is a new event: so the next wait begins
                    // without a read in vain.
                    guard.clear_ready();
                }
                return Poll::Ready(Ok(Some(length)));
            }
            Err(Errno::AGAIN) => guard.clear_ready(),
            Err(Errno::INTR) => {}
            Err(error) => return Poll::Ready(Err(error.into())),
        }
    }
    timer.poll(cx).map(|()| Ok(None))
}

/// Writes what the pipe did not take at once, and takes it off; false where the timer ran out. The pipe
/// is known to the runtime only meanwhile.
async fn write_rest(
    stdin: BorrowedFd<'_>,
    rest: &mut &[u8],
    mut timer: Pin<&mut Sleep>,
) -> io::Result<bool> {
    // What a user may watch in all can be used up, and by a bot of his.
    let Ok(pipe) = watch(stdin, Interest::WRITABLE) else {
        return write_unwatched(stdin, rest, timer).await;
    };
    poll_fn(|cx| {
        while let Poll::Ready(guard) = pipe.poll_write_ready(cx) {
            let mut guard = guard?;
            match rustix::io::write(stdin, rest) {
                Ok(written) if written == rest.len() => return Poll::Ready(Ok(true)),
                Ok(written) => *rest = &rest[written..],
                Err(Errno::AGAIN) => guard.clear_ready(),
                Err(Errno::INTR) => {}
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
        timer.as_mut().poll(cx).map(|()| Ok(false))
    })
    .await
}

/// The same where the pipe cannot be made known to the runtime.
async fn write_unwatched(
    stdin: BorrowedFd<'_>,
    rest: &mut &[u8],
    mut timer: Pin<&mut Sleep>,
) -> io::Result<bool> {
    loop {
        match rustix::io::write(stdin, rest) {
            Ok(written) if written == rest.len() => return Ok(true),
            Ok(written) => *rest = &rest[written..],
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut pause = pin!(tokio::time::sleep(WRITE_AGAIN));
        let is_up = poll_fn(|cx| match timer.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending => pause.as_mut().poll(cx).map(|()| false),
        });
        if is_up.await {
            return Ok(false);
        }
    }
}

/// The error stream of a process, and what is kept of it.
struct Stderr {
    pipe: AsyncFd<OwnedFd>,
    tail: Mutex<Tail>,
    closed: AtomicBool,
}

/// Reads the error stream until it closes, so that a bot is never held up by what it says there.
async fn drain(stderr: Arc<Stderr>) {
    while let Ok(mut guard) = stderr.pipe.readable().await {
        match stderr.read() {
            Ok(0) => return,
            Ok(_) | Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => guard.clear_ready(),
            Err(_) => return,
        }
    }
}

impl Stderr {
    fn read(&self) -> Result<usize, Errno> {
        let mut bytes = [0; STDERR_READ];
        let length = rustix::io::read(self.pipe.get_ref(), &mut bytes)?;
        lock(&self.tail).push(&bytes[..length]);
        if length == 0 {
            self.closed.store(true, Ordering::Relaxed);
        }
        Ok(length)
    }

    /// Whether it was found closed: nothing comes any more.
    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Reads what is in the pipe now.
    fn read_rest(&self) {
        for _ in 0..LAST_READS {
            if !matches!(self.read(), Ok(1..)) {
                break;
            }
        }
    }
}

/// Init of a bot and the leader of its group. It is reaped last of all: until then
/// its number, which is the group's, belongs to nobody else.
struct Leader {
    /// Whether it was ended.
    ended: bool,
    pid: Pid,
    /// Readable when the process has ended.
    pidfd: Option<OwnedFd>,
    /// Where it is the supervisor of a jail.
    jailed: Option<Jailed>,
}

impl Leader {
    fn new(pid: Pid, jailed: Option<Jailed>) -> io::Result<Self> {
        let mut leader = Leader {
            ended: false,
            pid,
            pidfd: None,
            jailed,
        };
        leader.pidfd = Some(rustix::process::pidfd_open(pid, PidfdFlags::empty())?);
        Ok(leader)
    }

    /// Whose turn it is, of the bot that was started.
    fn turns(&self, placement: Option<Placement>) -> io::Result<Arc<TurnAccounting>> {
        let Some(jailed) = &self.jailed else {
            let (pid, root) = (self.pid, ProcessRoot::Bot(number(self.pid)));
            // The group is stopped only while the process is there that has its number.
            let stopper = move |order| {
                let signal = match order {
                    SuspendOrder::Stop => Signal::STOP,
                    SuspendOrder::GoOn => Signal::CONT,
                    SuspendOrder::End => Signal::KILL,
                };
                let _ = rustix::process::kill_process_group(pid, signal);
            };
            return Ok(TurnAccounting::new(root, placement, Box::new(stopper)));
        };
        let first = init_of(self.pid, jailed.first)?;
        let stopper = move |order| {
            let signal = match order {
                SuspendOrder::Stop => STOP_ALL,
                SuspendOrder::GoOn => GO_ON_ALL,
                // With it, the kernel ends all others there.
                SuspendOrder::End => Signal::KILL,
            };
            // Nothing where it has ended.
            if let Some(first) = &first {
                let _ = rustix::process::pidfd_send_signal(first, signal);
            }
        };
        let root = ProcessRoot::Below(jailed.first);
        Ok(TurnAccounting::new(root, placement, Box::new(stopper)))
    }

    /// How the process ended, as the kernel tells it; it stays there to be reaped.
    fn exit(&self) -> Option<WaitIdStatus> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        rustix::process::waitid(WaitId::Pid(self.pid), look).ok()?
    }

    /// How the bot ended, if it did.
    fn status(&self) -> Option<ProcessEnd> {
        let status = self.exit()?;
        let code = status.exit_status().map(ProcessEnd::Exited);
        let ended = code.or_else(|| status.terminating_signal().map(ProcessEnd::Signalled))?;
        Some(match &self.jailed {
            Some(jailed) => jailed.judged(ended),
            None => ended,
        })
    }

    /// Waits for the process to end by itself; a while longer, if that is not its doing.
    async fn wait(&self, most: Duration, looks: &impl UsageReader) -> Option<ProcessEnd> {
        if let Some(ended) = self.status() {
            return Some(ended);
        }
        let pidfd = self.pidfd.as_ref()?.as_fd();
        let ends = watch(pidfd, Interest::READABLE).ok()?;
        // Whether it ended in time or not, the status tells.
        let _ = tokio::time::timeout(most, ends.readable()).await;
        let (until, mut before) = (Instant::now() + ENDING_WAIT, None);
        while !most.is_zero()
            && self.status().is_none()
            && (self.is_ending() || is_starved(looks, &mut before))
            && Instant::now() < until
        {
            let _ = tokio::time::timeout(ENDING_LOOK, ends.readable()).await;
        }
        self.status()
    }

    /// Whether the bot is ending, or has ended and its supervisor has not yet: a busy machine takes a while to clear
    /// a jail away.
    fn is_ending(&self) -> bool {
        let clears_away = self.jailed.as_ref().is_some_and(Jailed::bot_ended);
        clears_away || self.bot().is_some_and(usage::is_ending)
    }

    /// The number of the bot's own process.
    fn bot(&self) -> Option<u32> {
        match &self.jailed {
            None => Some(number(self.pid)),
            Some(jailed) => jailed.bot(),
        }
    }

    /// The time on the processors of all its threads and of its reaped children.
    fn cpu(&self) -> Option<Duration> {
        let own = Stat::of(number(self.pid))?;
        Some(match &self.jailed {
            None => own.ran() + own.reaped(),
            // Of the supervisor and init, what they have reaped counts, and of the bot all.
            // Nothing is there twice: a process that is reaped is no more.
            Some(jailed) => {
                let first = Stat::of(jailed.first).map(|first| first.reaped());
                let bot = jailed.bot().and_then(Stat::of);
                let bot = bot.map(|bot| bot.ran() + bot.reaped());
                own.reaped() + first.unwrap_or_default() + bot.unwrap_or_default()
            }
        })
    }

    /// Kills all of the group, and reaps the leader.
    fn end(&mut self) {
        if !std::mem::replace(&mut self.ended, true) {
            let jail = self.jailed.take().map(Jailed::into_remains);
            Dying::new(self.pid, self.pidfd.take(), jail).end();
        }
    }
}

/// Whether one of its processes is ready to run and hardly has since the look before. Where processes came or went that
/// are counted nowhere, nobody can tell, and a bot could see to that for as long as it likes.
fn is_starved(looks: &impl UsageReader, before: &mut Option<Used>) -> bool {
    let Some(now) = looks.used().filter(|_| looks.ready_to_run()) else {
        return false;
    };
    let since = before.as_ref().map(|before| now.since(before));
    *before = Some(now);
    since.is_none_or(|since| !since.is_open && since.used < ENDING_LOOK / 2)
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::thread;

    use super::*;
    use crate::process::usage::Usage;

    /// What is told at one look after the other of a bot that is ready to run.
    struct ScriptedUsage(RefCell<Vec<Used>>);

    impl UsageReader for ScriptedUsage {
        fn now(&self) -> Instant {
            Instant::now()
        }

        fn usage(&self) -> Option<Usage> {
            None
        }

        fn used(&self) -> Option<Used> {
            self.0.borrow_mut().pop()
        }

        fn is_counted(&self) -> bool {
            true
        }

        fn ready_to_run(&self) -> bool {
            true
        }
    }

    #[test]
    fn only_a_bot_that_is_kept_from_running_is_starved() {
        let begun = Instant::now();
        // The number of its process at each look, and how long that has run.
        for (looks, due) in [
            (&[(7, 0), (7, 10), (7, 59)][..], &[true, true, true][..]),
            // It runs.
            (&[(7, 0), (7, 60), (7, 160)], &[true, false, false]),
            // Short-lived children, one after the other, which are counted nowhere.
            (&[(7, 0), (8, 0), (9, 0)], &[true, false, false]),
        ] {
            let used = |&(number, ms)| Used::of(begun, &[(number, Duration::from_millis(ms))]);
            let told = ScriptedUsage(RefCell::new(looks.iter().rev().map(used).collect()));
            let mut before = None;
            let starved = looks.iter().map(|_| is_starved(&told, &mut before));
            assert_eq!(starved.collect::<Vec<_>>(), due, "{looks:?}");
            // The kernel does not tell.
            assert!(!is_starved(&told, &mut before));
        }
    }

    #[test]
    fn a_pipe_that_cannot_be_watched_is_written_to_nevertheless() {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        runtime.block_on(async {
            let (reader, writer) = rustix::pipe::pipe().unwrap();
            rustix::io::ioctl_fionbio(&writer, true).unwrap();
            // Nothing is watched twice.
            let _watched = watch(writer.as_fd(), Interest::WRITABLE).unwrap();
            let text = vec![b'x'; 300_000];
            let reads = thread::spawn(move || {
                let mut bytes = vec![0; 64 * 1024];
                let mut left = 300_000;
                while left > 0 {
                    left -= rustix::io::read(&reader, &mut bytes).unwrap();
                }
                reader
            });
            let mut timer = Box::pin(tokio::time::sleep(Duration::from_secs(3600)));
            let mut rest = &text[..];
            let written = write_rest(writer.as_fd(), &mut rest, timer.as_mut());
            assert!(written.await.unwrap());
            // Nobody reads any more.
            let _reader = reads.join().unwrap();
            timer = Box::pin(tokio::time::sleep(Duration::from_millis(20)));
            let mut rest = &text[..];
            let written = write_rest(writer.as_fd(), &mut rest, timer.as_mut());
            assert!(!written.await.unwrap());
        });
    }
}
