//! The three processes of a jailed start: the supervisor outside, init inside, the bot.

use core::cell::Cell;
use core::time::Duration;

use crate::cgroup::{REMOVE_WITHIN, Tree};
use crate::layer::{Builds, Layer, MissingLayer};
use crate::namespaces::{self, Identity, Users};
use crate::order::StageOrder;
use crate::report::{Reporter, StageReport};
use crate::seccomp::{self, Sharing};
use crate::sys::{
    self, Errno, Fd, Fork, Signals, Strings, WaitStatus, Whom, int, open, request, signal,
};
use crate::watch::{self, MemoryVerdict, Watch};
use crate::{landlock, limits, root, text};

/// What a stage that was told nonsense exits with: somebody typed the hidden command.
pub const WRONG_USE: u8 = 2;

/// The highest `oom_score_adj`, which any process may give itself and none can lower without a capability.
const FIRST_TO_GO: &[u8] = b"1000";

/// What the referee sends to init: that all others there are to stand still, and that they
/// may go on. Where both wait to be taken, the lower number comes first, so that nobody is left standing.
pub const STOP_ALL: i32 = signal::USR1;
/// See [`STOP_ALL`].
pub const GO_ON_ALL: i32 = signal::USR2;

/// The one signal that a bot begins with held back: `SIGCONT`, which makes a stopped process go on all the same. If a
/// process is stopped and resumed while it forks, the kernel hands its child the stop, but not a `SIGCONT` that the
/// process would ignore; the child would stay stopped for ever. A signal that is held back is not ignored (Linux,
/// `kernel/signal.c`: `sig_ignored` and `__send_signal_locked`, with `multiprocess`).
pub const HELD_BY_BOTS: i32 = signal::CONT;

/// Becomes the jail's stage, and in the end the bot. To be called with the launcher's arguments and this process's
/// environment, in a process that has one thread. It returns, with an exit code, only where it was not started by a
/// launcher.
pub fn enter(mut args: Strings, environment: Strings) -> u8 {
    // The launcher's pipe comes before the order.
    let number = args
        .next()
        .and_then(|number| text::number(number.to_bytes()))
        .and_then(|number| i32::try_from(number).ok());
    let (Some(number), Some(mut order)) = (number, StageOrder::read(args)) else {
        return WRONG_USE;
    };
    let Some(reporter) = Reporter::take(number) else {
        return WRONG_USE;
    };
    // One that cannot be used is as none.
    order.network = order
        .network
        .filter(|&network| namespaces::join_network(network));
    // What others had open in the launcher when it started us is not for this process.
    sys::close_others(&reporter.0);
    // From here on a signal is taken when the supervisor looks for it.
    Signals::ALL.hold();
    // When the referee ends, however that comes, the supervisor hears it and ends the bot.
    let asked = sys::prctl(request::SET_DEATH_SIGNAL, int(signal::TERM));
    if sys::parent_pid() != order.launcher {
        // It ended before that, and nothing is there yet that would be left behind.
        sys::exit(1);
    }
    let mut tree = Tree::make(order.places(), &order.limits, order.number);
    let begun = asked
        .and_then(|()| limits::no_core())
        .builds(Layer::Namespaces, "setting up the supervisor")
        .and_then(|()| begin(&order, environment, &mut tree, &reporter));
    match begun {
        Ok((init, status, life)) => {
            let joined = order.network.is_some();
            keep_watch(init, &status, life, &tree, joined, &reporter)
        }
        Err(missing) => {
            tree.remove(REMOVE_WITHIN);
            reporter.say(&StageReport::Missing(&missing));
            reporter.say(&StageReport::Gone);
            sys::exit(1)
        }
    }
}

/// Starts init. The supervisor learns from one pipe how the bot ended, and by the other one
/// init learns that it may begin, and whether the supervisor lives.
fn begin(
    order: &StageOrder,
    environment: Strings,
    tree: &mut Tree<'_>,
    reporter: &Reporter,
) -> Result<(i32, Fd, Fd), MissingLayer> {
    let pipe = || sys::pipe().builds(Layer::Namespaces, "making a pipe");
    let ((status, say_status), (life, our_life)) = (pipe()?, pipe()?);
    let users = Users::plan(order.identity, order.maps());
    let birthplace = tree.birthplace();
    let forked = sys::fork_init(birthplace.as_ref()).or_else(|error| match &birthplace {
        // The group may be one in which nobody may be born; then it is none.
        Some(_) => {
            let forked = sys::fork_init(None)?;
            tree.lose_birthplace(matches!(forked, Fork::Parent(_)));
            Ok(forked)
        }
        None => Err(error),
    });
    match forked.builds(Layer::Users, "making it")? {
        Fork::Parent(init) => {
            // Where it fails, init waits in vain, and ends when the pipe closes.
            users.map(init)?;
            // It fails where init has ended, which shows soon.
            let _ = our_life.write_all(&[0]);
            sys::close_standard();
            Ok((init, status, our_life))
        }
        Fork::Child => {
            drop((status, our_life));
            let found = be_init(order, environment, users.identity, tree, &life, reporter);
            if let Ok(ended) = found {
                // The supervisor that could hear it may be gone.
                let _ = say_status.write_all(&ended.status().to_le_bytes());
                sys::exit(0)
            }
            sys::exit(1)
        }
    }
}

/// Ends this process as another one has ended.
fn end_like(ended: WaitStatus) -> ! {
    match ended {
        WaitStatus::Exited(code) => sys::exit(code),
        WaitStatus::Signalled(signal) => {
            sys::default_action(signal);
            Signals::NONE.hold();
            sys::kill(sys::own_pid().cast_signed(), signal);
            sys::exit(128 + signal)
        }
    }
}

/// The supervisor: it waits for the end of init, and with it of the whole namespace, or for
/// the word to end it; then it reaps, removes the control group, and ends as the bot has ended. Init sees by `life`
/// that it is there. `joined`: it is in the network namespace that was handed over.
fn keep_watch(
    init: i32,
    status: &Fd,
    life: Fd,
    tree: &Tree<'_>,
    joined: bool,
    reporter: &Reporter,
) -> ! {
    let signals = Signals::of(&[signal::CHLD, signal::TERM, signal::INT, signal::HUP]);
    reporter.say(&StageReport::First(init));
    // Where the kernel ends one process for want of memory, all are to end, as elsewhere.
    let look = tree
        .loses_single_processes()
        .then_some(watch::LONGEST_PAUSE);
    let ended = loop {
        match sys::reap(Whom::This(init)) {
            Ok(Some((_, ended))) => break Some(ended),
            Ok(None) => {}
            Err(_) => break None,
        }
        let told_to_end = match signals.wait_for(look) {
            Some(taken) => taken.signal != signal::CHLD,
            None => look.is_some() && tree.ran_out_of_memory(),
        };
        if told_to_end {
            // It is ours and not reaped, so that the number is its.
            sys::kill(init, signal::KILL);
        }
    };
    drop(life);
    let mut bytes = [0; 4];
    let told = status.read_all(&mut bytes) == Ok(bytes.len());
    if tree.ran_out_of_memory() {
        reporter.say(&StageReport::Memory);
    }
    // Init ends last of all in its namespace.
    if joined && ended.is_some() && namespaces::is_vacant() {
        reporter.say(&StageReport::Vacant);
    }
    tree.remove(REMOVE_WITHIN);
    reporter.say(&StageReport::Gone);
    match ended {
        _ if told => end_like(WaitStatus::of(i32::from_le_bytes(bytes))),
        Some(ended @ WaitStatus::Signalled(_)) => end_like(ended),
        _ => sys::exit(1),
    }
}

/// Why the bot does not run: that was told.
struct StartFailed;

/// Init: builds the walls around itself, starts the bot inside of them, and reaps.
fn be_init(
    order: &StageOrder,
    environment: Strings,
    identity: Identity,
    tree: &Tree<'_>,
    life: &Fd,
    reporter: &Reporter,
) -> Result<WaitStatus, StartFailed> {
    if life.read(&mut [0]) != Ok(1) {
        sys::exit(1);
    }
    let start = || {
        let sharing = build_walls(order, identity, tree, life)?;
        let pipe = sys::pipe().builds(Layer::Limits, "making a pipe")?;
        let bot = sys::fork().builds(Layer::Limits, "starting the bot")?;
        Ok::<_, MissingLayer>((sharing, pipe, bot))
    };
    let (sharing, (started, say_failed), bot) = start().map_err(|missing| {
        reporter.say(&StageReport::Missing(&missing));
        StartFailed
    })?;
    let Fork::Parent(bot) = bot else {
        let Errno(number) = become_bot(order, environment, sharing);
        let _ = say_failed.write_all(&number.to_le_bytes());
        sys::exit(127)
    };
    drop(say_failed);
    sys::close_standard();
    // The pipe closes with the bot's beginning.
    let mut number = [0; 4];
    if started.read_all(&mut number) == Ok(number.len()) {
        reporter.say(&StageReport::NotExecuted(Errno(i32::from_le_bytes(number))));
        return Err(StartFailed);
    }
    drop(started);
    reporter.say(&StageReport::Running);
    let watch = (!tree.counts_memory()).then(|| Watch::new(order.limits.memory, order.processors));
    Ok(reap(bot, watch, reporter))
}

/// Reaps what ends in the namespace, until that is the bot. With `watch`, all of it is ended when it
/// uses more memory than it may.
fn reap(bot: i32, mut watch: Option<Watch>, reporter: &Reporter) -> WaitStatus {
    let signals = Signals::of(&[signal::CHLD, STOP_ALL, GO_ON_ALL]);
    let mut stopped = false;
    loop {
        // By the clock, and not when there is nobody to reap: a crowd of orphans could see to it that
        // there always is. For the same reason the signals are looked at every time.
        let pause = match sys::reap(Whom::Any) {
            Ok(Some((pid, ended))) if pid == bot => {
                reporter.say(&StageReport::Ended);
                return ended;
            }
            Ok(Some(_)) | Err(Errno::INTR) => Some(Duration::ZERO),
            Ok(None) => watch.as_ref().map(Watch::due_in),
            Err(_) => return WaitStatus::Exited(1),
        };
        match signals.wait_for(pause) {
            // The bot may send them too. Those that are known for its own are dropped; others gain it no more than
            // what it may do anyway: SIGCONT.
            Some(taken) if !taken.from_outside => {}
            Some(taken) if taken.signal == STOP_ALL => {
                stopped = true;
                sys::signal_all(signal::STOP);
            }
            Some(taken) if taken.signal == GO_ON_ALL => {
                stopped = false;
                sys::signal_all(signal::CONT);
            }
            _ => {}
        }
        if let Some(watch) = &mut watch
            && watch.due_in().is_zero()
        {
            look(watch, stopped, reporter);
        }
    }
}

/// Looks what all use, and ends them where that is too much.
fn look(watch: &mut Watch, stopped: bool, reporter: &Reporter) {
    let held = Cell::new(false);
    let seen = watch.look(|still| {
        // Those that the referee has stopped stay so.
        if !stopped && held.replace(still) != still {
            sys::signal_all(if still { signal::STOP } else { signal::CONT });
        }
    });
    if seen == MemoryVerdict::Exceeds {
        reporter.say(&StageReport::Memory);
    }
    if seen != MemoryVerdict::Fits {
        sys::signal_all(signal::KILL);
    }
}

/// Tells which memory the bot's processes may share.
fn build_walls(
    order: &StageOrder,
    identity: Identity,
    tree: &Tree<'_>,
    life: &Fd,
) -> Result<Sharing, MissingLayer> {
    tree.join()
        .builds(Layer::TreeMemory, "joining the control group")?;
    // Where memory runs out on the machine, the kernel is to end a bot rather than anything else. Without it the bot is
    // as likely to be ended as others are.
    let _ = sys::open(c"/proc/self/oom_score_adj", open::WRITE)
        .and_then(|file| file.write_all(FIRST_TO_GO));
    if order.outside_network && !tree.counts_memory() {
        // Its sockets are memory.
        let doing = "joining a control group that limits memory, which a bot with a network needs";
        return Err(MissingLayer::new(Layer::TreeMemory, doing, Errno::NOENT));
    }
    // Without such a group, the sockets of the namespace count as the bot's memory, so that it must be a new one.
    let joined = order.network.is_some() && tree.counts_memory();
    namespaces::enter_others(joined || order.outside_network)?;
    root::enter(order, identity, tree.counts_memory())?;
    order.limits.apply(tree.counts_memory())?;
    namespaces::give_up_privileges(identity)?;
    // Both requests are taken back when a process changes its user, so here is their place.
    sys::prctl(request::SET_DEATH_SIGNAL, int(signal::KILL))
        .builds(Layer::Namespaces, "asking to end with the supervisor")?;
    sys::prctl(request::SET_DUMPABLE, 0)
        .builds(Layer::Privileges, "closing this process to the bot")?;
    // The supervisor may have ended before that request.
    if life.readable() {
        sys::exit(1);
    }
    let locked =
        landlock::lock(order.outside_network).builds(Layer::Landlock, "locking the files")?;
    if !tree.counts_memory() {
        watch::possible().builds(Layer::TreeMemory, "looking at the memory instead")?;
        // So it looks in time though many processes of the bot run. Where it cannot, it looks later.
        let _ = sys::ask_for_short_turns();
    }
    // A session of its own, which is also the bot's and the last one; this process leads no group.
    sys::own_session().builds(Layer::Namespaces, "making a session")?;
    let sharing = match (tree.counts_memory(), locked) {
        (true, _) => Sharing::Any,
        (false, true) => Sharing::Files,
        (false, false) => Sharing::None,
    };
    seccomp::filter(sharing, order.outside_network).builds(Layer::Calls, "installing it")?;
    Ok(sharing)
}

/// Becomes the bot: a group of its own, no signal ignored, [`HELD_BY_BOTS`] held back, nothing open but its streams.
fn become_bot(order: &StageOrder, environment: Strings, sharing: Sharing) -> Errno {
    // The session is that of init. It cannot fail for one that was just born.
    let _ = sys::own_group();
    // Whoever started us may have had some ignored, and that is handed down.
    (1..=signal::LAST).for_each(sys::default_action);
    Signals::of(&[HELD_BY_BOTS]).hold();
    match seccomp::filter_of_the_bot(sharing) {
        Ok(()) => sys::execute(order.program, order.args, environment),
        Err(error) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_whole() {
        for end in [
            WaitStatus::Exited(0),
            WaitStatus::Exited(255),
            WaitStatus::Signalled(11),
        ] {
            assert_eq!(WaitStatus::of(end.status()), end);
        }
    }
}
