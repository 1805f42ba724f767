//! A conversation with one running bot, line by line.

use std::rc::Rc;
use std::time::{Duration, Instant};

use flipside_games::{Seat, Table, without_version};
use flipside_protocol::{Clock, FromBot, FromReferee, Hello, LONGEST_LINE, Limits, Ready};
use flipside_referee::{MatchSeed, TRAFFIC_LINE, TRAFFIC_LINES, TrafficLine};
use flipside_runner::StopSignal;
use flipside_sandbox::{AskError, FinishedBot, Program, Sandbox, SandboxBot, Start};
use serde_json::value::RawValue;
use tokio::runtime::Runtime;

use crate::check::outcome::CheckOutcome;
use crate::failure::Failure;
use crate::game_table;

/// The time that a bot has to start and for each answer where no clock is checked.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The clock in `hello` where none is checked.
const SHOWN: &str = "move=10s,start=10s";

/// The time that a seat has in `clocks` then, in milliseconds.
pub(super) const SHOWN_CLOCK: u64 = 10_000;

/// What to do where `hello` gets no `ready`.
const ANSWER_HELLO: &str = "answer hello with {\"type\":\"ready\",\"actions\":true}";

/// How an outcome begins where no answer came.
pub(super) const NO_ANSWER: &str = "no answer";

/// How often a bot that is waited for is looked away from, to see whether the check was stopped.
const LOOK: Duration = Duration::from_millis(200);

/// How much of a bot's standard error is shown, in lines.
const STDERR_LINES: usize = 20;

/// Why a step ends early.
pub(super) enum StepAborted {
    /// By what the bot did.
    Bot(Box<CheckOutcome>),
    /// The machine failed.
    Host(Failure),
}

impl From<CheckOutcome> for StepAborted {
    fn from(outcome: CheckOutcome) -> Self {
        StepAborted::Bot(Box::new(outcome))
    }
}

impl From<Failure> for StepAborted {
    fn from(failure: Failure) -> Self {
        StepAborted::Host(failure)
    }
}

/// What a step gives.
pub(super) type StepResult<T = CheckOutcome> = std::result::Result<T, StepAborted>;

/// What a step gives, with what the bot did wrong apart from a failure of the machine.
pub(super) fn by_the_bot<T>(found: StepResult<T>) -> StepResult<Result<T, CheckOutcome>> {
    match found {
        Ok(given) => Ok(Ok(given)),
        Err(StepAborted::Bot(outcome)) => Ok(Err(*outcome)),
        Err(host) => Err(host),
    }
}

/// A running bot, with what was said.
pub(super) struct Conversation {
    runtime: Rc<Runtime>,
    bot: Option<SandboxBot>,
    /// The last lines that were said.
    pub(super) said: Vec<TrafficLine>,
    asked_to_stop: StopSignal,
    /// What it wishes.
    pub(super) ready: Ready,
    /// What the next turn tells of the turns before, as a JSON array; nothing: nothing happened.
    pub(super) events: Vec<u8>,
    /// The number of the last question.
    pub(super) id: u64,
    /// The time that its last answer took.
    pub(super) took: Duration,
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // A process is part of the runtime's event queue.
        let _inside = self.runtime.enter();
        self.bot = None;
    }
}

/// A `hello` for a seat. Its match is like any other to the bot.
pub(super) fn hello_line(game: &str, options: &str, seat: Seat, seats: u8, limit: u64) -> String {
    let seed = MatchSeed::from_number(1);
    let hello = Hello {
        protocol: flipside_protocol::VERSION,
        match_id: format!("check-{game}"),
        game: without_version(game).to_owned(),
        options: RawValue::from_string(options.to_owned()).expect("options are JSON"),
        seat,
        seats,
        clock: SHOWN.parse::<Clock>().expect("it is a clock"),
        bot_options: None,
        limits: Limits {
            line: LONGEST_LINE as u64,
            memory: limit,
        },
        patience: None,
        commitment: seed.commitment(),
        seed: 4_503_599_627_370_496,
    };
    serde_json::to_string(&FromReferee::Hello(hello)).expect("a message is JSON")
}

/// A line with a field more at its end, which no version of the protocol has.
pub(super) fn with_unknown_field(line: &str) -> String {
    let open = line.strip_suffix('}').expect("a message is an object");
    format!("{open},\"x_future\":{{\"list\":[1,2.5,null],\"text\":\"\\u00e4\"}}}}")
}

impl Conversation {
    /// Starts a program.
    pub(super) fn start(
        runtime: &Rc<Runtime>,
        sandbox: &Sandbox,
        program: &Program,
        asked_to_stop: StopSignal,
    ) -> StepResult<Self> {
        let start = Start {
            seed: 1,
            label: "check",
            ..Start::default()
        };
        let bot = {
            let _inside = runtime.enter();
            sandbox.start(program, &start)
        };
        let bot = bot.map_err(|error| StepAborted::Host(error.into()))?;
        Ok(Conversation {
            runtime: Rc::clone(runtime),
            bot: Some(bot),
            said: Vec::new(),
            asked_to_stop,
            ready: Ready::default(),
            events: Vec::new(),
            id: 0,
            took: Duration::ZERO,
        })
    }

    /// The bot's last match is over: what was said belongs to it.
    pub(super) fn begin_anew(&mut self) {
        self.said.clear();
        let _inside = self.runtime.enter();
        if let Some(bot) = &mut self.bot {
            bot.rest();
        }
    }

    /// The bot.
    pub(super) fn bot(&self) -> &SandboxBot {
        self.bot.as_ref().expect("it runs until it is finished")
    }

    fn note(&mut self, from_bot: bool, line: &str) {
        if self.said.len() == TRAFFIC_LINES {
            self.said.remove(0);
        }
        self.said.push(TrafficLine {
            from_bot,
            line: line[..line.floor_char_boundary(TRAFFIC_LINE)].to_owned(),
            bytes: line.len() as u64,
        });
    }

    /// Sends a line and takes the answer.
    pub(super) fn ask(&mut self, line: &str, patience: Duration) -> StepResult<String> {
        self.note(false, line);
        let question = format!("{line}\n");
        let bot = self.bot.as_mut().expect("it runs until it is finished");
        let asked = self.runtime.block_on(async {
            let mut ask = std::pin::pin!(async {
                let answer = bot
                    .ask(question.as_bytes(), Instant::now() + patience)
                    .await;
                answer.map(|answer| (answer.line.to_owned(), answer.charged))
            });
            loop {
                match tokio::time::timeout(LOOK, &mut ask).await {
                    Ok(asked) => return Some(asked),
                    Err(_) if self.asked_to_stop.is_asked() => return None,
                    Err(_) => {}
                }
            }
        });
        let asked = asked.ok_or_else(|| StepAborted::Host(stopped()))?;
        match asked {
            Ok((answer, took)) => {
                self.took = took;
                self.note(true, &answer);
                Ok(answer)
            }
            Err(AskError::Host(error)) => Err(StepAborted::Host(Failure::of_system(&error))),
            Err(AskError::Fault(fault)) => {
                let found = match fault {
                    flipside_sandbox::SandboxFault::Late { waiting: false, .. } => {
                        format!("{NO_ANSWER} in {} s", patience.as_secs_f64())
                    }
                    _ => format!("{}: {fault}", fault.name()),
                };
                let advice = advice_for(&fault, self.bot().cpu());
                Err(self.failed(found).advise(advice).into())
            }
        }
    }

    /// Sends `hello` and takes `ready`.
    pub(super) fn greet(&mut self, hello: &str) -> StepResult<()> {
        let answer = self.ask(hello, PATIENCE)?;
        self.id = 0;
        self.events.clear();
        match FromBot::read(&answer) {
            Ok(FromBot::Ready(ready)) => {
                self.ready = ready;
                Ok(())
            }
            Ok(FromBot::Act(_) | FromBot::Pause(_)) => {
                let failed = self.failed("another message came where `hello` wants a `ready`");
                Err(failed.advise(ANSWER_HELLO).into())
            }
            Err(error) => {
                let advice = error.hint().unwrap_or(ANSWER_HELLO);
                Err(self.failed(error.to_string()).advise(advice).into())
            }
        }
    }

    /// The line of the next question at this table.
    pub(super) fn turn_line(&mut self, table: &mut dyn Table, seat: Seat, clock_ms: u64) -> String {
        self.id += 1;
        let mut events = std::mem::take(&mut self.events);
        if events.is_empty() {
            events.extend_from_slice(b"[]");
        }
        let events = self.ready.events.then_some(&events[..]);
        game_table::turn_line(table, seat, self.id, clock_ms, self.ready.actions, events).0
    }

    /// Asks at this table; gives a legal action.
    pub(super) fn turn(&mut self, table: &mut dyn Table, seat: Seat) -> StepResult<String> {
        let line = self.turn_line(table, seat, SHOWN_CLOCK);
        self.turn_as(&line, table, seat)
    }

    /// The same with this line.
    pub(super) fn turn_as(
        &mut self,
        line: &str,
        table: &dyn Table,
        seat: Seat,
    ) -> StepResult<String> {
        let answer = self.ask(line, PATIENCE)?;
        let read = match FromBot::read(&answer) {
            Ok(FromBot::Act(act)) if act.id == self.id => Ok(act.action),
            Ok(FromBot::Act(act)) => Err((
                format!(
                    "unasked: it answers question {}, and was asked question {}",
                    act.id, self.id
                ),
                "copy the id of the turn into the act",
            )),
            Ok(FromBot::Pause(_)) => Err((
                "unasked: it paused, and it may not".to_owned(),
                "pause only where `hello` has `patience`",
            )),
            Ok(FromBot::Ready(_)) => Err((
                "unasked: a ready came where `turn` wants an `act`".to_owned(),
                "answer turn with {\"type\":\"act\",\"id\":ID,\"action\":ACTION}",
            )),
            Err(error) => Err((
                format!("malformed: {error}"),
                error.hint().unwrap_or(
                    "answer turn with {\"type\":\"act\",\"id\":ID,\"action\":ACTION} in one line, and nothing else",
                ),
            )),
        };
        let action = read.map_err(|(found, advice)| self.failed(found).advise(advice))?;
        match table.check(seat, &action) {
            Ok(()) => Ok(action),
            Err(refusal) => {
                let advice = match self.ready.actions {
                    true => "choose one of the actions that the turn lists, letter by letter",
                    false => "with \"actions\":true in ready, every turn lists the legal actions",
                };
                let found = format!("the rules refuse {action:?}: {refusal}");
                Err(self.failed(found).advise(advice).into())
            }
        }
    }

    /// Sends a line to which no answer is due. False: the bot did not take it.
    pub(super) fn tell(&mut self, line: &str, patience: Duration) -> bool {
        self.note(false, line);
        let message = format!("{line}\n");
        let bot = self.bot.as_mut().expect("it runs until it is finished");
        let told = bot.tell(message.as_bytes(), Instant::now() + patience);
        self.runtime.block_on(told).is_ok()
    }

    /// Waits, while the bot goes on.
    pub(super) fn pause(&self, time: Duration) {
        (self.runtime).block_on(async { tokio::time::sleep(time).await });
    }

    /// What it wrote unasked.
    pub(super) fn unread(&mut self) -> Option<String> {
        let bot = self.bot.as_mut()?;
        let _inside = self.runtime.enter();
        let text = String::from_utf8_lossy(bot.unread(Instant::now())?).into_owned();
        self.note(true, &text);
        Some(text)
    }

    /// Ends its input and waits for it to exit.
    pub(super) fn finish(&mut self, grace: Duration) -> FinishedBot {
        let bot = self.bot.take().expect("it is finished once");
        self.runtime.block_on(bot.finish(grace))
    }

    /// The end of its standard error.
    fn stderr(&self) -> String {
        let _inside = self.runtime.enter();
        let bot = self.bot.as_ref();
        bot.map_or_else(String::new, |bot| last_lines(&bot.stderr_tail()))
    }

    /// What was found, with what was said.
    fn with_said(&self, outcome: CheckOutcome) -> CheckOutcome {
        CheckOutcome {
            said: self.said.clone(),
            stderr: self.stderr(),
            ..outcome
        }
    }

    pub(super) fn failed(&self, found: impl Into<String>) -> CheckOutcome {
        self.with_said(CheckOutcome::failed(found))
    }

    pub(super) fn warning(&self, found: impl Into<String>) -> CheckOutcome {
        self.with_said(CheckOutcome::warning(found))
    }

    pub(super) fn ok(&self, found: impl Into<String>) -> CheckOutcome {
        self.with_said(CheckOutcome::ok(found))
    }
}

/// The last lines of a text.
pub(super) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(STDERR_LINES)..].join("\n")
}

/// What to do about a bot that gave no answer.
fn advice_for(fault: &flipside_sandbox::SandboxFault, cpu: Option<Duration>) -> &'static str {
    use flipside_sandbox::SandboxFault;
    match fault {
        SandboxFault::Late { waiting: true, .. } => {
            "answer each line when it was read; do not wait for the next one or for the end of the input"
        }
        SandboxFault::Late { .. } if cpu.is_some_and(|cpu| cpu > PATIENCE / 2) => {
            "it computed all the time: look for an endless loop, or read `clocks`"
        }
        SandboxFault::Late { .. } => {
            "it did not compute: flush the output after every line, end the line with a newline, and read line by line"
        }
        SandboxFault::Closed { .. } => {
            "do not exit before `over`: read lines until the input ends; its standard error may say more"
        }
        SandboxFault::Crashed(_) => "it crashed: its standard error may say more",
        SandboxFault::TooLong => {
            "write one line of JSON for each question, at most 65536 bytes, to standard output"
        }
        SandboxFault::NotText { .. } => "write UTF-8 to standard output, without a byte order mark",
        SandboxFault::Memory { .. } => "use less memory: `limits` in hello says how much there is",
    }
}

/// That a check was broken off.
pub(super) fn stopped() -> Failure {
    Failure::new("the check was stopped")
}

/// The line that ends a match, as if it were decided at this table.
pub(super) fn over_line(table: &dyn Table) -> String {
    let seats = usize::from(table.seats());
    game_table::over_line(table, vec![0; seats], vec![1; seats], "fault")
}
