//! Machines that do not let a bot run, and bots that take time from others: what the clock makes of them.
//!
//! `sandbox/src/process/` tries the same with a clock in the hands of its tests. Here are the clocks and the processors
//! of this machine.

use std::io;
use std::process::{Child, Command};
use std::time::Duration;

use flipside_sandbox::{PonderGuard, Program, SandboxBot, SandboxFault, Timing};
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

use crate::common::{HIDDEN, LONG, SLOW, answer, block_on, fault_by, late, python, sh, within};

/// How a bot is started.
pub(crate) type ClockStart = fn(&Program) -> SandboxBot;

/// This thread, and what it starts, on the one processor where it is now, until this is dropped.
struct Pinned(CpuSet);

impl Pinned {
    fn here() -> io::Result<Self> {
        let before = sched_getaffinity(None)?;
        let mut one = CpuSet::new();
        one.set(sched_getcpu());
        sched_setaffinity(None, &one)?;
        Ok(Pinned(before))
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        sched_setaffinity(None, &self.0).unwrap();
    }
}

/// Programs that keep this thread's processor busy, until it is dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn with(programs: usize) -> Self {
        let one = |_| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", "while :; do :; done"]).spawn().unwrap()
        };
        Busy((0..programs).map(one).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

const ALLOWANCE: Duration = Duration::from_millis(400);

/// Computes for 150 ms, however long that takes.
const COMPUTES: &str = "
import sys, time
for line in sys.stdin:
    begun = time.process_time()
    while time.process_time() - begun < 0.15: pass
    print('ok', flush=True)
";

/// What a bot was charged beyond what it has used.
fn beyond(timing: Timing) -> Duration {
    timing
        .charged
        .saturating_sub(timing.cpu.unwrap_or_default())
}

pub(crate) fn a_clock_stands_still_while_the_machine_is_busy_with_others(start: ClockStart) {
    block_on(async {
        let _pinned = Pinned::here().unwrap();
        let mut bot = start(&python(COMPUTES));
        answer(&mut bot, "x\n").await;
        // What the machine does beside this test.
        let mut noise = Duration::ZERO;
        for _ in 0..3 {
            answer(&mut bot, "x\n").await;
            noise = noise.max(beyond(bot.timing()));
        }
        let _busy = Busy::with(5);
        for _ in 0..3 {
            let answer = bot.ask(b"x\n", within(ALLOWANCE + noise)).await;
            assert_eq!(answer.unwrap().line, "ok");
            let timing = bot.timing();
            assert!(
                timing.wall > timing.charged + Duration::from_millis(50),
                "{timing:?}"
            );
            assert!(timing.cpu >= Some(Duration::from_millis(140)), "{timing:?}");
            assert!(
                beyond(timing) <= ALLOWANCE / 4 + noise,
                "{timing:?} {noise:?}"
            );
        }
    });
}

pub(crate) fn a_busy_machine_excuses_neither_sleep_nor_endless_work(start: ClockStart) {
    block_on(async {
        let _pinned = Pinned::here().unwrap();
        let _busy = Busy::with(2);
        for script in ["read x; sleep 1000", "read x; while :; do :; done"] {
            let mut bot = start(&sh(script));
            late(&mut bot, "x\n", ALLOWANCE).await;
        }
    });
}

pub(crate) fn a_bot_that_stands_in_its_own_way_is_late(start: ClockStart) {
    block_on(async {
        let _pinned = Pinned::here().unwrap();
        // They end with their bot, for a test that is killed ends nobody.
        let children = "import os\nbot = os.getpid()\nfor _ in range(7):\n  if os.fork() == 0:\n    \
                        while os.getppid() == bot: pass\n    os._exit(0)\n";
        let mut bot = start(&python(&format!("{children}{COMPUTES}")));
        answer(&mut bot, "x\n").await;
        let fault = fault_by(&mut bot, "x\n", within(ALLOWANCE)).await;
        assert_eq!(fault.name(), "late");
    });
}

pub(crate) fn a_crowd_of_its_own_excuses_nobody(start: ClockStart) {
    block_on(async {
        let _pinned = Pinned::here().unwrap();
        let script = format!("{HIDDEN}\n{COMPUTES}");
        let mut bot = start(&python(&script));
        answer(&mut bot, "x\n").await;
        match bot.ask(b"x\n", within(ALLOWANCE)).await {
            // A quiet machine may let it be in time.
            Ok(answer) => assert!(answer.charged <= ALLOWANCE),
            Err(error) => assert!(error.to_string().contains("in time"), "{error}"),
        }
        let timing = bot.timing();
        assert_eq!(timing.charged, timing.wall);
    });
}

/// Goes on by itself whenever it is stopped: a timer sends it the signal for that.
const DEFIANT: &str = "
import ctypes, os, signal, sys, threading
signal.signal(signal.SIGCONT, lambda *_: None)
class Spec(ctypes.Structure):
    _fields_ = [('v', ctypes.c_long * 4)]
class Event(ctypes.Structure):
    _fields_ = [('value', ctypes.c_void_p), ('signo', ctypes.c_int), ('notify', ctypes.c_int), ('pad', ctypes.c_char * 48)]
libc = ctypes.CDLL(None, use_errno=True)
timer = ctypes.c_void_p()
event = Event(None, signal.SIGCONT, 0)
libc.timer_create(1, ctypes.byref(event), ctypes.byref(timer))
spec = Spec()
for i, n in enumerate([0, 5000000, 0, 5000000]): spec.v[i] = n
libc.timer_settime(timer, 0, ctypes.byref(spec), None)
def spin():
    while True: pass
threading.Thread(target=spin, daemon=True).start()
for line in sys.stdin: print('ok', flush=True)
";

pub(crate) fn a_bot_that_goes_on_though_it_is_stopped_gains_little_and_is_ended(start: ClockStart) {
    block_on(async {
        let ponder_guard = PonderGuard::default();
        let mut bots = (start(&python(DEFIANT)), start(&sh(SLOW)));
        bots.0.join(&ponder_guard);
        bots.1.join(&ponder_guard);
        let (mut gained, mut others) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..20 {
            if let Err(error) = bots.0.ask(b"x\n", within(LONG)).await {
                assert!(error.to_string().contains("signal 9"), "{error}");
                return;
            }
            let before = bots.0.cpu().unwrap_or_default();
            answer(&mut bots.1, "x\n").await;
            gained += bots.0.cpu().unwrap_or_default().saturating_sub(before);
            others += bots.1.timing().wall;
        }
        // Without the stop it would be all of it.
        assert!(gained < others / 3, "{gained:?} of {others:?}");
    });
}

/// Computes for 600 ms by the clock on the wall, and has a child then. In the jail it has a session of its own,
/// and thereby half of the processor: it must not be late by that alone.
const TAKES_BACK: &str = "
import os, sys, time
bot = os.getpid()
for number, line in enumerate(sys.stdin):
    begun = time.monotonic()
    while number and time.monotonic() - begun < 0.6: pass
    if number and os.fork() == 0:
        while os.getppid() == bot: time.sleep(1)
        os._exit(0)
    print('ok', flush=True)
";

pub(crate) fn what_a_bot_takes_back_is_no_lateness_of_the_referee(start: ClockStart) {
    block_on(async {
        let _pinned = Pinned::here().unwrap();
        let mut bot = start(&python(TAKES_BACK));
        answer(&mut bot, "x\n").await;
        let _busy = Busy::with(5);
        let fault = fault_by(&mut bot, "x\n", within(ALLOWANCE)).await;
        let SandboxFault::Late { by, .. } = fault else {
            panic!("{fault:?}")
        };
        let over = bot.timing().charged - ALLOWANCE;
        assert!(over > Duration::from_millis(150), "{over:?}");
        assert!(by < over / 2, "{by:?} of {over:?}");
    });
}
