//! Whose time it is: bots that compute on others' turns, and machines that do not let them run.

use std::process::{Child, Command};
use std::time::Duration;

use flipside_sandbox::{Bot, Company, Program, bare};

use crate::common::{answer, block_on, fault_by, sh, within};
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
    let company = Company::default();
    let mut bots = (start(&sh(script)), start(&sh(SLOW)));
    bots.0.join(&company);
    bots.1.join(&company);
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
        tokio::time::sleep(Duration::from_millis(100)).await;
        let before = ponderer.cpu().unwrap();
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
