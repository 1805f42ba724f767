//! The three processes of a jailed start: the supervisor outside, init inside, the bot.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions, WaitStatus};

use crate::jail::cgroup::Tree;
use crate::jail::layer::{Builds, Layer, Missing};
use crate::jail::namespaces::{self, Identity, Users};
use crate::jail::probe::{self, PROBE};
use crate::jail::report::{Reporter, Said};
use crate::jail::seccomp::Sharing;
use crate::jail::syscalls::{self, Fork, Signals};
use crate::jail::watch::{self, Seen, Watch};
use crate::jail::{Order, files, limits, root, seccomp};
use crate::poll;

/// What a stage that was told nonsense exits with: somebody typed the hidden command.
const WRONG_USE: u8 = 2;

/// The highest `oom_score_adj`, which any process may give itself and none can lower without a capability.
const FIRST_TO_GO: &str = "1000";

/// What the referee sends to init: that all others there are to stand still, and that they
/// may go on. Where both wait to be taken, the lower number comes first, so that nobody is left standing.
pub(crate) const STOP_ALL: Signal = Signal::USR1;
pub(crate) const GO_ON_ALL: Signal = Signal::USR2;

/// Becomes the jail's stage, and in the end the bot. To be called with what follows the arguments of
/// [`Jail`](crate::Jail) on the command line, in a process that has one thread. It returns, with an
/// exit code, only where it was not started by a launcher.
pub fn enter(args: impl Iterator<Item = OsString>) -> u8 {
    let mut args = args.peekable();
    if args.peek().is_some_and(|arg| arg == PROBE) {
        probe::run();
        return 0;
    }
    // The launcher's pipe comes before the order.
    let number = args.next().and_then(|arg| arg.to_str()?.parse().ok());
    let (Some(number), Some(order)) = (number, Order::from_args(args)) else {
        return WRONG_USE;
    };
    let Ok(mut reporter) = Reporter::take(number) else {
        return WRONG_USE;
    };
    // From here on a signal is taken when the supervisor looks for it.
    Signals::all().hold();
    let mut tree = Tree::make(&order.limits);
    match begin(&order, &mut tree, &mut reporter) {
        Ok((first, status, life)) => keep_watch(first, status, life, &tree, reporter),
        Err(missing) => {
            tree.remove();
            reporter.say(&Said::Missing(missing));
            syscalls::exit(1)
        }
    }
}

/// Starts init. The supervisor learns from one pipe how the bot ended, and by the other one
/// init learns that it may begin, and whether the supervisor lives.
fn begin(
    order: &Order,
    tree: &mut Tree,
    reporter: &mut Reporter,
) -> Result<(Pid, File, OwnedFd), Missing> {
    // When the referee ends, however that comes, the supervisor hears it and ends the bot.
    rustix::process::set_parent_process_death_signal(Some(Signal::TERM))
        .and_then(|()| limits::no_core())
        .builds(Layer::Namespaces, "setting up the supervisor")?;
    let pipe = || pipe_with(PipeFlags::CLOEXEC).builds(Layer::Namespaces, "making a pipe");
    let ((status, say_status), (life, our_life)) = (pipe()?, pipe()?);
    let users = Users::plan()?;
    let birthplace = tree.birthplace();
    let forked = syscalls::fork_first(birthplace.as_ref()).or_else(|error| match &birthplace {
        // The group may be one in which nobody may be born; then it is none.
        Some(_) => {
            let forked = syscalls::fork_first(None)?;
            tree.lose_birthplace(matches!(forked, Fork::Parent(_)));
            Ok(forked)
        }
        None => Err(error),
    });
    match forked.builds(Layer::Users, "making it")? {
        Fork::Parent(first) => {
            // Where it fails, init waits in vain, and ends when the pipe closes.
            users.map(first)?;
            // It fails where init has ended, which shows soon.
            let _ = rustix::io::write(&our_life, &[0]);
            syscalls::close_standard();
            Ok((first, File::from(status), our_life))
        }
        Fork::Child => {
            drop((status, our_life));
            match first_process(order, users.identity, tree, life.as_fd(), reporter) {
                Ok(ended) => {
                    // The supervisor that could hear it may be gone.
                    let _ = File::from(say_status).write_all(&ended.to_bytes());
                    syscalls::exit(0)
                }
                Err(said) => {
                    reporter.say(&said);
                    syscalls::exit(1)
                }
            }
        }
    }
}

/// How the bot ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BotEnd {
    Exited(i32),
    Signalled(i32),
}

impl BotEnd {
    fn of(status: WaitStatus) -> Option<Self> {
        let code = status.exit_status().map(BotEnd::Exited);
        code.or_else(|| status.terminating_signal().map(BotEnd::Signalled))
    }

    fn to_bytes(self) -> [u8; 5] {
        let (kind, number) = match self {
            BotEnd::Exited(code) => (0, code),
            BotEnd::Signalled(signal) => (1, signal),
        };
        let [a, b, c, d] = number.to_le_bytes();
        [kind, a, b, c, d]
    }

    fn from_bytes([kind, number @ ..]: [u8; 5]) -> Self {
        let number = i32::from_le_bytes(number);
        match kind {
            0 => BotEnd::Exited(number),
            _ => BotEnd::Signalled(number),
        }
    }

    /// Ends this process in the same way.
    fn repeat(self) -> ! {
        if let BotEnd::Signalled(signal) = self {
            syscalls::default_action(signal);
            Signals::of(&[]).hold();
            syscalls::raise(signal);
            syscalls::exit(128 + signal)
        }
        let BotEnd::Exited(code) = self else {
            unreachable!("it was one or the other")
        };
        syscalls::exit(code)
    }
}

/// The supervisor: it waits for the end of init, and with it of the whole namespace, or for
/// the word to end it; then it reaps, removes the control group, and ends as the bot has ended.
fn keep_watch(
    first: Pid,
    mut status: File,
    _life: OwnedFd,
    tree: &Tree,
    mut reporter: Reporter,
) -> ! {
    let signals = Signals::of(&[libc::SIGCHLD, libc::SIGTERM, libc::SIGINT, libc::SIGHUP]);
    reporter.say(&Said::First(first.as_raw_pid().unsigned_abs()));
    // Where the kernel ends one process for want of memory, all are to end, as elsewhere.
    let look = tree
        .loses_single_processes()
        .then_some(watch::LONGEST_PAUSE);
    let ended = loop {
        match rustix::process::waitpid(Some(first), WaitOptions::NOHANG) {
            Ok(Some((_, status))) => break BotEnd::of(status),
            Ok(None) => {}
            Err(_) => break None,
        }
        let told_to_end = match signals.wait_for(look) {
            Some(taken) => taken.signal != libc::SIGCHLD,
            None => look.is_some() && tree.ran_out_of_memory(),
        };
        if told_to_end {
            // It is ours and not reaped, so that the number is its.
            let _ = rustix::process::kill_process(first, Signal::KILL);
        }
    };
    let mut bytes = [0; 5];
    let told = status.read_exact(&mut bytes).is_ok();
    if tree.ran_out_of_memory() {
        reporter.say(&Said::Memory);
    }
    tree.remove();
    match ended {
        _ if told => BotEnd::from_bytes(bytes).repeat(),
        Some(BotEnd::Signalled(signal)) => BotEnd::Signalled(signal).repeat(),
        _ => syscalls::exit(1),
    }
}

/// Init: builds the walls around itself, starts the bot inside of them, and reaps.
fn first_process(
    order: &Order,
    identity: Identity,
    tree: &Tree,
    life: std::os::fd::BorrowedFd<'_>,
    reporter: &mut Reporter,
) -> Result<BotEnd, Said> {
    if !matches!(rustix::io::read(life, &mut [0]), Ok(1)) {
        syscalls::exit(1);
    }
    build_walls(order, identity, tree, life).map_err(Said::Missing)?;
    let (started, say_failed) = pipe_with(PipeFlags::CLOEXEC)
        .builds(Layer::Limits, "making a pipe")
        .map_err(Said::Missing)?;
    let bot = syscalls::fork()
        .builds(Layer::Limits, "starting the bot")
        .map_err(Said::Missing)?;
    let Fork::Parent(bot) = bot else {
        let Err(error) = become_bot(order);
        let number = error.raw_os_error().unwrap_or(0);
        let _ = File::from(say_failed).write_all(&number.to_le_bytes());
        syscalls::exit(127)
    };
    drop(say_failed);
    syscalls::close_standard();
    // The pipe closes with the bot's beginning.
    let mut number = [0; 4];
    if File::from(started).read_exact(&mut number).is_ok() {
        let error = io::Error::from_raw_os_error(i32::from_le_bytes(number));
        return Err(Said::NotExecuted(error));
    }
    reporter.say(&Said::Running);
    let watched = (!tree.counts_memory()).then_some(order.limits.memory);
    Ok(reap(bot, watched, reporter))
}

/// Reaps what ends in the namespace, until that is the bot. With `watched`, all of it is ended when it
/// uses more memory than that.
fn reap(bot: Pid, watched: Option<u64>, reporter: &mut Reporter) -> BotEnd {
    let (stop, go_on) = (STOP_ALL.as_raw(), GO_ON_ALL.as_raw());
    let signals = Signals::of(&[libc::SIGCHLD, stop, go_on]);
    let mut watch = watched.map(Watch::new);
    let mut stopped = false;
    loop {
        // By the clock, and not when there is nobody to reap: a crowd of orphans could see to it that
        // there always is. For the same reason the signals are looked at every time.
        let pause = match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == bot => {
                if let Some(ended) = BotEnd::of(status) {
                    reporter.say(&Said::Ended);
                    return ended;
                }
                Some(Duration::ZERO)
            }
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => Some(Duration::ZERO),
            Ok(None) => watch.as_ref().map(|watch| watch.due_in()),
            Err(_) => return BotEnd::Exited(1),
        };
        match signals.wait_for(pause) {
            // The bot may send them too. Those that are known for its own are dropped; others gain it no more than
            // what it may do anyway: SIGCONT.
            Some(taken) if !taken.from_outside => {}
            Some(taken) if taken.signal == stop => {
                stopped = true;
                syscalls::signal_all(libc::SIGSTOP);
            }
            Some(taken) if taken.signal == go_on => {
                stopped = false;
                syscalls::signal_all(libc::SIGCONT);
            }
            _ => {}
        }
        if let Some(watch) = &mut watch
            && watch.due_in().is_zero()
        {
            let held = Cell::new(false);
            let seen = watch.look(|still| {
                // Those that the referee has stopped stay so.
                if !stopped && held.replace(still) != still {
                    syscalls::signal_all(if still { libc::SIGSTOP } else { libc::SIGCONT });
                }
            });
            if seen == Seen::Exceeds {
                reporter.say(&Said::Memory);
            }
            if seen != Seen::Fits {
                syscalls::signal_all(libc::SIGKILL);
            }
        }
    }
}

fn build_walls(
    order: &Order,
    identity: Identity,
    tree: &Tree,
    life: std::os::fd::BorrowedFd<'_>,
) -> Result<(), Missing> {
    tree.join()
        .builds(Layer::TreeMemory, "joining the control group")?;
    // Where memory runs out on the machine, the kernel is to end a bot rather than anything else. Without it the bot is
    // as likely to be ended as others are.
    let _ = fs::write("/proc/self/oom_score_adj", FIRST_TO_GO);
    namespaces::enter_others()?;
    root::enter(order, identity, tree.counts_memory())?;
    order.limits.apply(tree.counts_memory())?;
    namespaces::give_up_privileges(identity)?;
    // Both requests are taken back when a process changes its user, so here is their place.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .builds(Layer::Namespaces, "asking to end with the supervisor")?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .builds(Layer::Privileges, "closing this process to the bot")?;
    if supervisor_is_gone(life) {
        syscalls::exit(1);
    }
    let locked = files::lock().map_err(|error| {
        let error = io::Error::other(error.to_string());
        Missing::new(Layer::Landlock, "locking the files", error)
    })?;
    if !tree.counts_memory() {
        watch::possible().builds(Layer::TreeMemory, "looking at the memory instead")?;
        // So it looks in time though many processes of the bot run. Where it cannot, it looks later.
        let _ = syscalls::ask_for_short_turns();
    }
    // A session of its own, which is also the bot's and the last one; this process leads no group.
    rustix::process::setsid().builds(Layer::Namespaces, "making a session")?;
    let sharing = match (tree.counts_memory(), locked) {
        (true, _) => Sharing::Any,
        (false, true) => Sharing::Files,
        (false, false) => Sharing::None,
    };
    seccomp::filter(sharing).builds(Layer::Calls, "installing it")
}

/// Whether the supervisor ended before the request to end with it was made.
fn supervisor_is_gone(life: std::os::fd::BorrowedFd<'_>) -> bool {
    poll::readable(life, Instant::now()).unwrap_or(false)
}

/// Becomes the bot: a group of its own, no signal held back or ignored, nothing open but its streams.
fn become_bot(order: &Order) -> io::Result<std::convert::Infallible> {
    // The session is that of init. It cannot fail for one that was just born.
    let _ = rustix::process::setpgid(None, None);
    // Whoever started us may have had some ignored, and that is handed down.
    (1..=syscalls::LAST_SIGNAL).for_each(syscalls::default_action);
    Signals::of(&[]).hold();
    seccomp::filter_of_the_bot()?;
    let args = order.args.iter().map(OsString::as_os_str);
    syscalls::execute(OsStr::new(Path::new(&order.program)), args)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_whole() {
        for end in [
            BotEnd::Exited(0),
            BotEnd::Exited(255),
            BotEnd::Signalled(11),
        ] {
            assert_eq!(BotEnd::from_bytes(end.to_bytes()), end);
        }
    }

    #[test]
    fn nonsense_is_wrong_use() {
        assert_eq!(enter(["x".into()].into_iter()), WRONG_USE);
        // A whole order, but the pipe would be a stream, or nothing.
        for number in ["2", "1000000", "-1"] {
            let mut order = vec![OsString::from(number)];
            order.extend(["1"; 5].map(OsString::from));
            order.extend(["run", "/bin/true"].map(OsString::from));
            assert_eq!(enter(order.into_iter()), WRONG_USE, "{number}");
        }
    }
}
