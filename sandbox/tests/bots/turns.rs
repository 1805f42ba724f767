//! Whose time it is: bots that compute on others' turns, and machines that do not let them run.

use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use flipside_sandbox::{Bot, Fault, PonderGuard, Program, bare};

use crate::common::{BOUND, answer, block_on, fault_by, sh, within};
use crate::start_one as start;

/// Answers at once, and computes all the time.
const PONDERER: &str = "exec 3<&0; { while read x; do echo ok; done; } <&3 & while :; do :; done";
/// The same, and it is a child that computes.
const PONDERING_CHILD: &str = "(while :; do :; done) & while read x; do echo ok; done";
const POLITE: &str = "while read x; do echo ok; done";
const SLOW: &str = "while read x; do sleep 0.3; echo ok; done";

fn python(script: &str) -> Program {
    Program::command("/usr/bin/env", ["python3", "-c", script]).unwrap()
}

/// Plays some turns of a bot and a slow one, and gives both.
async fn some_turns(script: &str) -> (Bot, Bot) {
    some_turns_of(&sh(script)).await
}

async fn some_turns_of(program: &Program) -> (Bot, Bot) {
    let ponder_guard = PonderGuard::default();
    let mut bots = (start(program), start(&sh(SLOW)));
    bots.0.join(&ponder_guard);
    bots.1.join(&ponder_guard);
    for _ in 0..3 {
        assert_eq!(answer(&mut bots.0, "x\n").await, "ok");
        answer(&mut bots.1, "x\n").await;
    }
    bots
}

#[test]
fn a_bot_that_computes_on_others_turns_is_stopped_there() {
    block_on(async {
        let (mut ponderer, mut slow) = some_turns(PONDERER).await;
        assert!(ponderer.ponders() && !slow.ponders());
        answer(&mut ponderer, "x\n").await;
        // The stop is on its way for a moment.
        let until = Instant::now() + BOUND;
        let mut before = ponderer.cpu().unwrap();
        loop {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let now = ponderer.cpu().unwrap();
            if std::mem::replace(&mut before, now) == now {
                break;
            }
            assert!(Instant::now() < until, "it is not stopped");
        }
        answer(&mut slow, "x\n").await;
        assert_eq!(ponderer.cpu().unwrap(), before);
        assert_eq!(answer(&mut ponderer, "x\n").await, "ok");
    });
}

#[test]
fn its_children_are_seen_too() {
    block_on(async {
        let (mut ponderer, _slow) = some_turns(PONDERING_CHILD).await;
        assert!(ponderer.ponders());
        assert_eq!(answer(&mut ponderer, "x\n").await, "ok");
        // What stands still can be ended.
        ponderer.finish(Duration::ZERO).await;
    });
}

#[test]
fn a_bot_that_keeps_still_is_left_alone() {
    block_on(async {
        let (polite, slow) = some_turns(POLITE).await;
        assert!(!polite.ponders() && !slow.ponders());
    });
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

#[test]
fn a_clock_stands_still_while_the_machine_is_busy_with_others() {
    block_on(async {
        let _pinned = bare::Pinned::here().unwrap();
        let mut bot = start(&python(COMPUTES));
        answer(&mut bot, "x\n").await;
        let _busy = Busy::with(5);
        for _ in 0..3 {
            let answer = bot.ask(b"x\n", within(ALLOWANCE)).await;
            assert_eq!(answer.unwrap().line, "ok");
            let spent = bot.spent();
            assert!(
                spent.wall > spent.charged + Duration::from_millis(50),
                "{spent:?}"
            );
            assert!(spent.charged <= ALLOWANCE, "{spent:?}");
            let cpu = spent.cpu.unwrap();
            assert!(
                cpu >= Duration::from_millis(140) && cpu <= ALLOWANCE,
                "{spent:?}"
            );
        }
    });
}

#[test]
fn a_busy_machine_excuses_neither_sleep_nor_endless_work() {
    block_on(async {
        let _pinned = bare::Pinned::here().unwrap();
        let _busy = Busy::with(2);
        for script in ["read x; sleep 60", "read x; while :; do :; done"] {
            let mut bot = start(&sh(script));
            let fault = fault_by(&mut bot, "x\n", within(ALLOWANCE)).await;
            assert_eq!(fault.name(), "late");
            let charged = bot.spent().charged;
            assert!(charged >= ALLOWANCE, "{charged:?}");
        }
    });
}

#[test]
fn a_bot_that_stands_in_its_own_way_is_late() {
    block_on(async {
        let _pinned = bare::Pinned::here().unwrap();
        let children =
            "import os\nfor _ in range(7):\n  if os.fork() == 0:\n    while True: pass\n";
        let mut bot = start(&python(&format!("{children}{COMPUTES}")));
        answer(&mut bot, "x\n").await;
        let fault = fault_by(&mut bot, "x\n", within(ALLOWANCE)).await;
        assert_eq!(fault.name(), "late");
    });
}

/// Computes in children that come and go, and that the kernel reaps by itself and counts nowhere.
const HIDDEN: &str = "
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
def compute():
    until = time.monotonic() + 0.003
    while time.monotonic() < until: pass
for _ in range(3):
    if os.fork() == 0:
        while True:
            if os.fork() == 0:
                compute()
                os._exit(0)
            time.sleep(0.003)
";

#[test]
fn children_that_come_and_go_hide_nothing() {
    block_on(async {
        let script = format!("{HIDDEN}\nfor line in sys.stdin: print('ok', flush=True)\n");
        let ponder_guard = PonderGuard::default();
        let mut bots = (start(&python(&script)), start(&sh(SLOW)));
        bots.0.join(&ponder_guard);
        bots.1.join(&ponder_guard);
        for _ in 0..4 {
            answer(&mut bots.0, "x\n").await;
            answer(&mut bots.1, "x\n").await;
        }
        assert!(bots.0.ponders());
    });
}

/// Has children that compute on its own turn, and that it does not reap; and on others' turns computes, while one of
/// them vanishes every few milliseconds: what all have used together becomes less then.
const ON_CREDIT: &str = "
import os, signal, sys, threading, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
def burn(seconds):
    begun = time.thread_time()
    while time.thread_time() - begun < seconds: pass
children, own = [], True
def spend():
    while True:
        if own or not children:
            time.sleep(0.001)
        else:
            os.kill(children.pop(), signal.SIGKILL)
            burn(0.004)
threading.Thread(target=spend, daemon=True).start()
for line in sys.stdin:
    own = True
    for _ in range(20 - len(children)):
        child = os.fork()
        if child == 0:
            burn(0.02)
            time.sleep(60)
        children.append(child)
    time.sleep(0.5)
    own = False
    print('ok', flush=True)
";

#[test]
fn nobody_computes_on_others_turns_on_credit() {
    block_on(async {
        let (mut ponderer, slow) = some_turns_of(&python(ON_CREDIT)).await;
        assert!(ponderer.ponders() && !slow.ponders());
        answer(&mut ponderer, "x\n").await;
    });
}

#[test]
fn a_crowd_of_its_own_excuses_nobody() {
    block_on(async {
        let _pinned = bare::Pinned::here().unwrap();
        let script = format!("{HIDDEN}\n{COMPUTES}");
        let mut bot = start(&python(&script));
        answer(&mut bot, "x\n").await;
        match bot.ask(b"x\n", within(ALLOWANCE)).await {
            // A quiet machine may let it be in time.
            Ok(answer) => assert!(answer.elapsed <= ALLOWANCE),
            Err(error) => assert!(error.to_string().contains("in time"), "{error}"),
        }
        let spent = bot.spent();
        assert_eq!(spent.charged, spent.wall);
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

#[test]
fn a_bot_that_goes_on_though_it_is_stopped_gains_little_and_is_ended() {
    block_on(async {
        let ponder_guard = PonderGuard::default();
        let mut bots = (start(&python(DEFIANT)), start(&sh(SLOW)));
        bots.0.join(&ponder_guard);
        bots.1.join(&ponder_guard);
        let mut gained = Duration::ZERO;
        for _ in 0..20 {
            if let Err(error) = bots.0.ask(b"x\n", within(crate::common::LONG)).await {
                assert!(error.to_string().contains("signal 9"), "{error}");
                return;
            }
            let before = bots.0.cpu().unwrap_or_default();
            answer(&mut bots.1, "x\n").await;
            gained += bots.0.cpu().unwrap_or_default().saturating_sub(before);
        }
        // Without the stop it would be the whole of 20 times 300 ms.
        assert!(gained < Duration::from_secs(2), "{gained:?}");
    });
}

/// Goes on to fork after it has answered, each time for a while, for there is much memory to copy.
const FORKS: &str = "
import os, sys
memory = bytearray(b'x') * (64 << 20)
for line in sys.stdin:
    print('ok', flush=True)
    for _ in range(3):
        child = os.fork()
        if child == 0: os._exit(0)
        os.waitpid(child, 0)
";

#[test]
fn a_bot_that_forks_while_it_is_stopped_and_resumed_goes_on_with_its_child() {
    block_on(async {
        let ponder_guard = PonderGuard::default();
        let mut bot = start(&python(FORKS));
        for at in 0..300 {
            // Only a bot of a match is stopped after it.
            bot.join(&ponder_guard);
            // With its turn, it is resumed.
            assert_eq!(answer(&mut bot, "x\n").await, "ok");
            thread::sleep(Duration::from_micros(50) * (at % 100));
            bot.rest();
        }
    });
}

/// Computes for 600 ms by the clock on the wall, and has a child then. In the jail it has a session of its own,
/// and thereby half of the processor: it must not be late by that alone.
const TAKES_BACK: &str = "
import os, sys, time
for number, line in enumerate(sys.stdin):
    begun = time.monotonic()
    while number and time.monotonic() - begun < 0.6: pass
    if number and os.fork() == 0: time.sleep(60)
    print('ok', flush=True)
";

#[test]
fn what_a_bot_takes_back_is_no_lateness_of_the_referee() {
    block_on(async {
        let _pinned = bare::Pinned::here().unwrap();
        let mut bot = start(&python(TAKES_BACK));
        answer(&mut bot, "x\n").await;
        let _busy = Busy::with(5);
        let fault = fault_by(&mut bot, "x\n", within(ALLOWANCE)).await;
        let Fault::Late { by, .. } = fault else {
            panic!("{fault:?}")
        };
        let over = bot.spent().charged - ALLOWANCE;
        assert!(over > Duration::from_millis(150), "{over:?}");
        assert!(by < over / 2, "{by:?} of {over:?}");
    });
}
