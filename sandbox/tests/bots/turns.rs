//! Bots that compute on others' turns are seen and stopped. What a machine withholds is tried in `tests/timing/`.

use std::time::Duration;
use std::{fs, thread};

use flipside_sandbox::{PonderGuard, Program, SandboxBot};

use crate::common::{HIDDEN, SLOW, answer, block_on, python, sh, until};
use crate::start_one as start;

/// Answers at once, and computes all the time.
const PONDERER: &str = "exec 3<&0; { while read x; do echo ok; done; } <&3 & while :; do :; done";
/// The same, and it is a child that computes.
const PONDERING_CHILD: &str = "(while :; do :; done) & while read x; do echo ok; done";
const POLITE: &str = "while read x; do echo ok; done";

/// Plays turns of a bot and a slow one until the first is seen computing on the other's, and gives both.
async fn turns_until_it_is_seen(program: &Program) -> (SandboxBot, SandboxBot) {
    let mut bots = both(program);
    while !bots.0.ponders() {
        a_turn_of_each(&mut bots).await;
    }
    assert!(!bots.1.ponders());
    bots
}

fn both(program: &Program) -> (SandboxBot, SandboxBot) {
    let ponder_guard = PonderGuard::default();
    let mut bots = (start(program), start(&sh(SLOW)));
    bots.0.join(&ponder_guard);
    bots.1.join(&ponder_guard);
    bots
}

async fn a_turn_of_each(bots: &mut (SandboxBot, SandboxBot)) {
    assert_eq!(answer(&mut bots.0, "x\n").await, "ok");
    answer(&mut bots.1, "x\n").await;
}

/// Whether a bot is stopped: its stop is on its way for a moment.
fn is_stopped(bot: &SandboxBot) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", bot.pid().unwrap())).unwrap();
    stat.rsplit_once(") ").unwrap().1.starts_with('T')
}

#[test]
fn a_bot_that_computes_on_others_turns_is_stopped_there() {
    block_on(async {
        let (mut ponderer, mut slow) = turns_until_it_is_seen(&sh(PONDERER)).await;
        answer(&mut ponderer, "x\n").await;
        until("it is stopped", || is_stopped(&ponderer));
        let before = ponderer.cpu().unwrap();
        answer(&mut slow, "x\n").await;
        assert_eq!(ponderer.cpu().unwrap(), before);
        assert_eq!(answer(&mut ponderer, "x\n").await, "ok");
    });
}

#[test]
fn its_children_are_seen_too() {
    block_on(async {
        let (mut ponderer, _slow) = turns_until_it_is_seen(&sh(PONDERING_CHILD)).await;
        assert_eq!(answer(&mut ponderer, "x\n").await, "ok");
        // What stands still can be ended.
        ponderer.finish(Duration::ZERO).await;
    });
}

#[test]
fn a_bot_that_keeps_still_is_left_alone() {
    block_on(async {
        let mut bots = both(&sh(POLITE));
        for _ in 0..3 {
            a_turn_of_each(&mut bots).await;
        }
        assert!(!bots.0.ponders() && !bots.1.ponders());
    });
}

#[test]
fn children_that_come_and_go_hide_nothing() {
    block_on(async {
        let script = format!("{HIDDEN}\nfor line in sys.stdin: print('ok', flush=True)\n");
        turns_until_it_is_seen(&python(&script)).await;
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
        let (mut ponderer, _slow) = turns_until_it_is_seen(&python(ON_CREDIT)).await;
        answer(&mut ponderer, "x\n").await;
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
