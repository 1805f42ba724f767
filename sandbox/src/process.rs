//! A bot that is a process: lines over its pipes, under one deadline; and its end.

use std::fs;
use std::future::poll_fn;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::pin::Pin;
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::task::AbortHandle;
use tokio::time::Sleep;

use crate::fault::Fault;
use crate::launch::{Jailed, Launched, launch};
use crate::lines::Lines;
use crate::sandbox::Walls;
use crate::tail::Tail;
use crate::{Answer, AskError, Ended, Finished, Program, StartError};

/// How long a bot that closed its output is waited for, to learn how it ended.
pub const EXIT_WAIT: Duration = Duration::from_millis(100);

/// How long a killed process is waited for here; a thread of its own waits on. The kernel ends a
/// process at once unless it hangs in a device.
const REAP_WAIT: Duration = Duration::from_secs(1);

/// How much of the error stream is read at a time, and how often at the end: more than a pipe
/// holds, and no more, for a bot may write on.
const STDERR_READ: usize = 4 * 1024;
const LAST_READS: usize = 32;

/// A running process.
pub(crate) struct Process {
    // The order is that of dropping: the process is ended first.
    leader: Leader,
    stdin: Option<OwnedFd>,
    stdout: AsyncFd<OwnedFd>,
    lines: Lines,
    /// The deadline. It lives as long as the bot: to move a timer that waits is cheap, to make and
    /// to forget one for every line is not.
    timer: Pin<Box<Sleep>>,
    stderr: Arc<Stderr>,
    drain: AbortHandle,
}

impl Process {
    /// Starts a program; inside a tokio runtime.
    pub(crate) fn start(program: &Program, walls: &Walls) -> Result<Self, StartError> {
        let Launched {
            child,
            stdin,
            stdout,
            stderr,
            jailed,
        } = launch(program, walls)?;
        // First of all, for from here on an early return ends the process.
        let leader = Leader::new(child, jailed).map_err(StartError::Host)?;
        for pipe in [&stdin, &stdout, &stderr] {
            rustix::io::ioctl_fionbio(pipe, true)
                .map_err(|error| StartError::Host(error.into()))?;
        }
        let stdout = watch(stdout, Interest::READABLE).map_err(StartError::Host)?;
        let pipe = watch(stderr, Interest::READABLE).map_err(StartError::Host)?;
        let stderr = Arc::new(Stderr {
            pipe,
            tail: Mutex::default(),
        });
        let drain = tokio::spawn(drain(Arc::clone(&stderr))).abort_handle();
        Ok(Process {
            leader,
            stdin: Some(stdin),
            stdout,
            lines: Lines::default(),
            timer: Box::pin(tokio::time::sleep(Duration::ZERO)),
            stderr,
            drain,
        })
    }

    /// The path of a ply. Its system calls are one write, one wait and one read.
    pub(crate) async fn ask(
        &mut self,
        line: &[u8],
        deadline: Instant,
    ) -> Result<Answer<'_>, AskError> {
        let begun = Instant::now();
        self.lines.forget();
        self.timer.as_mut().reset(deadline.into());
        self.write(line, deadline).await?;
        let line = loop {
            match self.lines.find()? {
                Some(line) => break line,
                None => self.read(deadline).await?,
            }
        };
        let now = Instant::now();
        if now > deadline {
            return Err(late(deadline));
        }
        Ok(Answer {
            line: self.lines.text(line)?,
            elapsed: now - begun,
        })
    }

    pub(crate) async fn tell(&mut self, line: &[u8], deadline: Instant) -> Result<(), AskError> {
        self.timer.as_mut().reset(deadline.into());
        self.write(line, deadline).await
    }

    pub(crate) fn unread(&self) -> bool {
        self.lines.left() > 0
    }

    pub(crate) fn stderr_tail(&self) -> String {
        self.stderr.read_rest();
        self.stderr.tail().text()
    }

    pub(crate) fn cpu(&self) -> Option<Duration> {
        self.leader.cpu()
    }

    pub(crate) async fn finish(mut self, grace: Duration) -> Finished {
        self.stdin = None;
        let ended = self.leader.wait(grace).await.unwrap_or(Ended::Killed);
        let cpu = self.leader.cpu();
        self.leader.end();
        Finished {
            stderr_tail: self.stderr_tail(),
            ended,
            cpu,
        }
    }

    async fn write(&mut self, line: &[u8], deadline: Instant) -> Result<(), AskError> {
        let stdin = self
            .stdin
            .as_ref()
            .expect("stdin is open until the bot is finished");
        let written = match rustix::io::write(stdin, line) {
            Ok(written) if written == line.len() => return Ok(()),
            Ok(written) => written,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(Errno::PIPE) => return Err(self.closed().await),
            Err(error) => return Err(host(error)),
        };
        match write_rest(stdin.as_fd(), &line[written..], self.timer.as_mut()).await {
            Ok(Some(())) => Ok(()),
            Ok(None) => Err(late(deadline)),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(self.closed().await),
            Err(error) => Err(AskError::Host(error)),
        }
    }

    /// Waits for more output, and reads it.
    async fn read(&mut self, deadline: Instant) -> Result<(), AskError> {
        let (stdout, lines, timer) = (&self.stdout, &mut self.lines, &mut self.timer);
        match poll_fn(|cx| poll_read(stdout, lines, timer.as_mut(), cx)).await {
            Ok(Some(0)) => Err(self.closed().await),
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(late(deadline)),
            Err(error) => Err(AskError::Host(error)),
        }
    }

    /// The fault of a bot that closed a pipe: how it ended, if it does.
    async fn closed(&self) -> AskError {
        let ended = self.leader.wait(EXIT_WAIT).await;
        AskError::Fault(ended.map_or(Fault::Closed { code: None }, |ended| ended.fault()))
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

fn late(deadline: Instant) -> AskError {
    AskError::Fault(Fault::Late {
        by: deadline.elapsed(),
        waiting: false,
    })
}

/// Reads what is there, and otherwise waits; nothing where the timer ran out.
fn poll_read(
    stdout: &AsyncFd<OwnedFd>,
    lines: &mut Lines,
    timer: Pin<&mut Sleep>,
    cx: &mut Context<'_>,
) -> Poll<io::Result<Option<usize>>> {
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

/// Writes what the pipe did not take at once; nothing where the timer ran out. The pipe is known
/// to the runtime only meanwhile.
async fn write_rest(
    stdin: BorrowedFd<'_>,
    mut rest: &[u8],
    mut timer: Pin<&mut Sleep>,
) -> io::Result<Option<()>> {
    let pipe = watch(stdin, Interest::WRITABLE)?;
    poll_fn(|cx| {
        while let Poll::Ready(guard) = pipe.poll_write_ready(cx) {
            let mut guard = guard?;
            match rustix::io::write(stdin, rest) {
                Ok(written) if written == rest.len() => return Poll::Ready(Ok(Some(()))),
                Ok(written) => rest = &rest[written..],
                Err(Errno::AGAIN) => guard.clear_ready(),
                Err(Errno::INTR) => {}
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
        timer.as_mut().poll(cx).map(|()| Ok(None))
    })
    .await
}

/// The error stream of a process, and what is kept of it.
struct Stderr {
    pipe: AsyncFd<OwnedFd>,
    tail: Mutex<Tail>,
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
    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> Result<usize, Errno> {
        let mut bytes = [0; STDERR_READ];
        let length = rustix::io::read(self.pipe.get_ref(), &mut bytes)?;
        self.tail().push(&bytes[..length]);
        Ok(length)
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

/// The first process of a bot and the leader of its group. It is reaped last of all: until then
/// its number, which is the group's, belongs to nobody else.
struct Leader {
    child: Child,
    pid: Pid,
    /// Readable when the process has ended.
    pidfd: Option<OwnedFd>,
    reaped: bool,
    /// Where it is the warden of a jail.
    jailed: Option<Jailed>,
}

impl Leader {
    fn new(child: Child, jailed: Option<Jailed>) -> io::Result<Self> {
        let pid = Pid::from_child(&child);
        let mut leader = Leader {
            child,
            pid,
            pidfd: None,
            reaped: false,
            jailed,
        };
        leader.pidfd = Some(rustix::process::pidfd_open(pid, PidfdFlags::empty())?);
        Ok(leader)
    }

    /// How the process ended, if it did; it stays there to be reaped.
    fn status(&self) -> Option<Ended> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = rustix::process::waitid(WaitId::Pid(self.pid), look).ok()??;
        let code = status.exit_status().map(Ended::Exited);
        let ended = code.or_else(|| status.terminating_signal().map(Ended::Signalled))?;
        Some(match &self.jailed {
            Some(jailed) => jailed.judged(ended),
            None => ended,
        })
    }

    /// Waits for the process to end by itself.
    async fn wait(&self, most: Duration) -> Option<Ended> {
        if let Some(ended) = self.status() {
            return Some(ended);
        }
        let pidfd = self.pidfd.as_ref()?.as_fd();
        let ends = watch(pidfd, Interest::READABLE).ok()?;
        // Whether it ended in time or not, the status tells.
        let _ = tokio::time::timeout(most, ends.readable()).await;
        if self.status().is_none() && self.clears_away() {
            let _ = tokio::time::timeout(REAP_WAIT, ends.readable()).await;
        }
        self.status()
    }

    /// Whether the bot has ended, and its warden has not yet: a busy machine takes a while to clear a
    /// jail away.
    fn clears_away(&self) -> bool {
        self.jailed.as_ref().is_some_and(Jailed::bot_ended)
    }

    /// The time on the processors of all its threads and of its reaped children.
    fn cpu(&self) -> Option<Duration> {
        let own = Times::of(self.pid.as_raw_nonzero().get().unsigned_abs())?;
        let ticks = match &self.jailed {
            None => own.itself + own.children,
            // Of the warden and the first process, what they have reaped counts, and of the bot all.
            // Nothing is there twice: a process that is reaped is no more.
            Some(jailed) => {
                let first = Times::of(jailed.first).map_or(0, |times| times.children);
                let bot = jailed.bot().and_then(Times::of);
                own.children + first + bot.map_or(0, |times| times.itself + times.children)
            }
        };
        Some(Duration::from_millis(
            ticks * 1000 / rustix::param::clock_ticks_per_second(),
        ))
    }

    /// Kills all of the group, and reaps the leader.
    fn end(&mut self) {
        if self.reaped {
            return;
        }
        self.reaped = true;
        if self.jailed.is_some() {
            // The warden ends all that is in the jail, waits for it, and clears away behind it.
            let _ = rustix::process::kill_process(self.pid, Signal::TERM);
            self.ends_within(REAP_WAIT);
        }
        // It fails where all have ended; then there is nothing to kill.
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        if !self.ends_within(REAP_WAIT) {
            tracing::warn!(pid = %self.pid, "a killed process does not end; a thread waits for it");
            let pid = self.pid;
            thread::spawn(move || rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED));
            return;
        }
        if let Err(error) = self.child.wait() {
            tracing::warn!(pid = %self.pid, %error, "a process cannot be reaped");
        }
    }

    fn ends_within(&self, most: Duration) -> bool {
        let Some(pidfd) = &self.pidfd else {
            return true;
        };
        let mut fds = [PollFd::new(pidfd, PollFlags::IN)];
        let until = Instant::now() + most;
        loop {
            let left = Timespec::try_from(until.saturating_duration_since(Instant::now()));
            match rustix::event::poll(&mut fds, left.ok().as_ref()) {
                Err(Errno::INTR) => {}
                Ok(0) => return false,
                _ => return true,
            }
        }
    }
}

/// What the kernel says of a process's time on the processors, in ticks.
struct Times {
    itself: u64,
    /// Of its reaped children, and of theirs.
    children: u64,
}

impl Times {
    fn of(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The second field is a name in brackets, which may have anything in it; the fields 14 to
        // 17 are the times.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut times = fields.split_whitespace().skip(11);
        let mut next = || times.next()?.parse::<u64>().ok();
        Some(Times {
            itself: next()? + next()?,
            children: next()? + next()?,
        })
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.end();
    }
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stdout = self.stdout.as_raw_fd();
        f.debug_struct("Process")
            .field("pid", &self.leader.pid)
            .field("stdout", &stdout)
            .finish()
    }
}
