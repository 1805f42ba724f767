//! A bot on its seat: what it was asked, what it answered, and how it fares.

use std::time::{Duration, Instant};

use flipside_games::Seat;
use flipside_protocol::{Act, FromBot, Ready, write_act, write_turn};
use flipside_sandbox::{AskError, Bot, Kind, PonderGuard};

use crate::answer::{Choice, Measured};
use crate::clock::micros;
use crate::error::Error;
use crate::fault::{Fault, FaultKind, evidence};
use crate::kept::Met;
use crate::record::ReadyLine;
use crate::traffic::{Exchanged, Traffic};

/// How late the referee itself may be before a bot's lateness is the host's doing.
pub const MAX_LATENESS: Duration = Duration::from_millis(100);

/// A bot in a match, or the seat of a person.
pub(crate) struct SeatedBot {
    pub(crate) seat: Seat,
    /// None: it is disqualified and was stopped, or a person sits here.
    bot: Option<Bot>,
    began: Instant,
    pub(crate) wants_actions: bool,
    reuse: bool,
    /// The blocks that its bot has met in earlier matches.
    met: Met,
    /// Whether it did not take `over` in time.
    lingers: bool,
    /// The number of its last question, counted in this match from 1: a number that the seats
    /// shared would tell what others do.
    id: u64,
    /// What was said last, with the question that is asked.
    traffic: Traffic,
    /// What it answered and nobody has judged yet.
    pub(crate) answer: Option<Result<Choice, Fault>>,
    /// What it does at this turn.
    pub(crate) choice: Choice,
    left: Left,
}

/// What is left of a bot when the match is over.
#[derive(Default)]
pub(crate) struct Left {
    /// Whether it was seen computing on the turns of others.
    pub(crate) ponders: bool,
    /// If it was disqualified, the last lines that were said between the referee and it.
    pub(crate) traffic: Vec<Exchanged>,
    /// If it can play again, the running bot with the blocks that it has met before.
    pub(crate) again: Option<(Bot, Met)>,
}

impl SeatedBot {
    pub(crate) fn new(seat: Seat, bot: Option<Bot>, began: Instant) -> Self {
        SeatedBot {
            seat,
            bot,
            began,
            wants_actions: false,
            reuse: false,
            met: Met::default(),
            lingers: false,
            id: 0,
            traffic: Traffic::default(),
            answer: None,
            choice: Choice::default(),
            left: Left::default(),
        }
    }

    /// Lets its bot take turns with the other bots of a match.
    pub(crate) fn join(&mut self, ponder_guard: &PonderGuard) {
        if let Some(bot) = &mut self.bot {
            bot.join(ponder_guard);
        }
    }

    /// The same with a bot that has played before.
    pub(crate) fn that_met(self, met: Met) -> Self {
        SeatedBot { met, ..self }
    }

    /// The seat of a bot that does not come.
    pub(crate) fn away(seat: Seat, why: &str, began: Instant) -> Self {
        let fault = Fault::new(FaultKind::Forfeit, why.to_owned(), 0);
        SeatedBot {
            answer: Some(Err(fault)),
            ..SeatedBot::new(seat, None, began)
        }
    }

    /// Says `hello` and waits for `ready`, at most so many microseconds after the bot was started.
    pub(crate) async fn greet(
        &mut self,
        hello: Vec<u8>,
        allowance_us: u64,
    ) -> Result<Result<ReadyLine, Fault>, Error> {
        if let Some(Err(fault)) = self.answer.take() {
            return Ok(Err(fault));
        }
        if self.is_module() {
            // It begins to run now, when it is its turn to.
            self.began = Instant::now();
        }
        let bot = self
            .bot
            .as_mut()
            .expect("a bot that is greeted is not disqualified");
        let now = Instant::now();
        // A new one may have begun with its own line before it was started in full.
        if !self.met.is_empty()
            && let Some(line) = bot.unread(now)
        {
            let line = String::from_utf8_lossy(line).into_owned();
            return Ok(Err(self.early("hello", &line)));
        }
        let starting = now - self.began;
        let deadline = self.began + Duration::from_micros(allowance_us);
        self.traffic.next_line().extend_from_slice(&hello);
        let answer = match bot.ask(&hello, deadline).await {
            Ok(answer) => answer,
            Err(AskError::Host(error)) => return Err(error.into()),
            Err(AskError::Fault(fault)) => {
                host_was_late(bot, &fault)?;
                bot.fall();
                let used = starting + bot.spent().charged;
                let times = (used, allowance_us);
                return Ok(Err(Fault::of_sandbox(&fault, times, "before `ready`", bot)));
            }
        };
        self.traffic.received(answer.line);
        let us = micros(starting + answer.elapsed);
        let fault = match FromBot::read(answer.line) {
            Ok(FromBot::Ready(Ready {
                name,
                version,
                actions,
                reuse,
            })) => {
                (self.wants_actions, self.reuse) = (actions, reuse);
                return Ok(Ok(ReadyLine {
                    seat: self.seat,
                    name,
                    version,
                    actions,
                    us,
                }));
            }
            Ok(FromBot::Act(_)) => Fault::new(
                FaultKind::Unasked,
                "an act came where `hello` wants a `ready`".into(),
                us,
            ),
            Err(error) => Fault::new(FaultKind::Malformed, error.to_string(), us),
        };
        let evidence = Some(evidence(answer.line));
        bot.fall();
        Ok(Err(Fault { evidence, ..fault }))
    }

    /// What a bot did that wrote this before it was asked. The line may be the answer that it was going to be asked for,
    /// so that it shows nothing by itself; it is among the last lines that were said.
    fn early(&mut self, before: &str, line: &str) -> Fault {
        self.traffic.received(line);
        let detail = format!("it wrote more than it was asked for before {before} began");
        if let Some(bot) = &mut self.bot {
            bot.fall();
        }
        Fault::new(FaultKind::Unasked, detail, 0)
    }

    /// Whether it computes on the referee's own thread.
    pub(crate) fn is_module(&self) -> bool {
        self.bot
            .as_ref()
            .is_some_and(|bot| bot.kind() == Kind::Module)
    }

    /// Prepares the next question.
    pub(crate) fn write_turn(&mut self, actions: Option<&[u8]>, clocks: &[u64], view: &[u8]) {
        self.id += 1;
        write_turn(self.traffic.next_line(), self.id, actions, clocks, view);
    }

    /// Asks the prepared question and waits so many microseconds at most; the answer is kept. `is_alone`: no other
    /// seat is asked meanwhile.
    pub(crate) async fn ask(&mut self, allowance_us: u64, is_alone: bool) -> Result<(), Error> {
        let bot = self
            .bot
            .as_mut()
            .expect("a bot that is asked is not disqualified");
        let now = Instant::now();
        if let Some(line) = bot.unread(now) {
            let line = String::from_utf8_lossy(line).into_owned();
            self.traffic.unsent();
            self.answer = Some(Err(self.early("this turn", &line)));
            return Ok(());
        }
        let deadline = now + Duration::from_micros(allowance_us);
        let asked = if is_alone {
            bot.ask_alone(self.traffic.written(), deadline).await
        } else {
            bot.ask(self.traffic.written(), deadline).await
        };
        let answer = match asked {
            Ok(answer) => {
                self.traffic.received(answer.line);
                read_act(answer.line, self.id, micros(answer.elapsed))
            }
            Err(AskError::Host(error)) => return Err(error.into()),
            Err(AskError::Fault(fault)) => {
                host_was_late(bot, &fault)?;
                let used = bot.spent().charged;
                let question = format!("at question {}", self.id);
                Err(Fault::of_sandbox(
                    &fault,
                    (used, allowance_us),
                    &question,
                    bot,
                ))
            }
        };
        let measured = Measured::of(bot.kind(), bot.spent());
        self.answer = Some(match answer {
            Ok(choice) => Ok(Choice { measured, ..choice }),
            Err(fault) => {
                // Others may still be thinking, and it is to take nothing from them.
                bot.fall();
                Err(Fault { measured, ..fault })
            }
        });
        Ok(())
    }

    /// Takes a person's answer, which is one to a question of this seat as a bot's would be.
    pub(crate) fn answered_by_hand(&mut self, answer: Result<Choice, Fault>) {
        self.id += 1;
        self.answer = Some(answer);
    }

    /// Tells a bot that is still there something that wants no answer.
    pub(crate) async fn tell(&mut self, line: &[u8], allowance: Duration) {
        if let Some(bot) = &mut self.bot {
            // Whatever goes wrong now, the match is decided.
            if bot.tell(line, Instant::now() + allowance).await.is_err() {
                self.reuse = false;
                self.lingers = true;
            }
        }
    }

    /// The question's number and the choice, as the line that the bot would have written.
    pub(crate) fn evidence(&self, choice: &Choice) -> String {
        let mut line = Vec::new();
        write_act(&mut line, self.id, &choice.action);
        evidence(String::from_utf8_lossy(&line).trim_end())
    }

    /// Stops the bot, keeps what was said last, and returns the end of its standard error.
    pub(crate) fn stop(&mut self) -> String {
        self.left.traffic = self.traffic.exchanged();
        let Some(bot) = self.bot.take() else {
            return String::new();
        };
        self.left.ponders = bot.ponders();
        bot.stderr_tail()
    }

    /// The bot leaves the table. One that can play again goes on running.
    pub(crate) async fn leave(mut self, allowance: Duration) -> Left {
        let Some(mut bot) = self.bot.take() else {
            return self.left;
        };
        self.left.ponders = bot.ponders();
        if self.reuse && bot.unread(Instant::now()).is_none() && bot.kind() == Kind::Process {
            bot.rest();
            self.left.again = Some((bot, self.met));
            return self.left;
        }
        // It had its time with `over`; a bot that let it pass does not get it twice.
        bot.finish(if self.lingers {
            Duration::ZERO
        } else {
            allowance
        })
        .await;
        self.left
    }
}

/// A process that seems late because the referee did not wake in time voids the match. A module has
/// no such excuse: it runs on the referee's own thread, and what holds that up is the module.
fn host_was_late(bot: &Bot, fault: &flipside_sandbox::Fault) -> Result<(), Error> {
    match *fault {
        flipside_sandbox::Fault::Late { by, waiting: false }
            if by > MAX_LATENESS && bot.kind() == Kind::Process =>
        {
            let late = by.as_millis();
            Err(
                std::io::Error::other(format!("the referee woke {late} ms after a deadline"))
                    .into(),
            )
        }
        _ => Ok(()),
    }
}

/// Reads an answer to the question of this number.
fn read_act(line: &str, id: u64, us: u64) -> Result<Choice, Fault> {
    let fault = match FromBot::read(line) {
        Ok(FromBot::Act(Act {
            id: theirs,
            action,
            note,
        })) if theirs == id => {
            return Ok(Choice {
                action,
                note,
                us: Some(us),
                ..Choice::default()
            });
        }
        Ok(FromBot::Act(act)) => Fault::new(
            FaultKind::Unasked,
            format!(
                "it answers question {}, and was asked question {id}",
                act.id
            ),
            us,
        ),
        Ok(FromBot::Ready(_)) => Fault::new(
            FaultKind::Unasked,
            "a ready came where `turn` wants an `act`".into(),
            us,
        ),
        Err(error) => Fault::new(FaultKind::Malformed, error.to_string(), us),
    };
    Err(Fault {
        evidence: Some(evidence(line)),
        ..fault
    })
}

impl Fault {
    /// The fault of a bot that gave no answer: what it has used of its allowance, and when that was.
    fn of_sandbox(
        fault: &flipside_sandbox::Fault,
        (used, allowance_us): (Duration, u64),
        when: &str,
        bot: &Bot,
    ) -> Self {
        use flipside_sandbox::Fault as Theirs;
        let us = match fault {
            // A module that reads on instead of answering would never answer: nobody waits for
            // its deadline, and all its time counts as used.
            Theirs::Late { .. } => allowance_us.max(micros(used)),
            _ => micros(used),
        };
        let kind = match fault {
            Theirs::Late { .. } => FaultKind::Late,
            Theirs::Closed { .. } => FaultKind::Closed,
            Theirs::Crashed(_) => FaultKind::Crashed,
            Theirs::TooLong => FaultKind::TooLong,
            Theirs::NotText { .. } => FaultKind::NotText,
            Theirs::Memory { .. } => FaultKind::Memory,
        };
        let measured = Measured::of(bot.kind(), bot.spent());
        let detail = match fault {
            Theirs::Late { waiting: false, .. } => {
                let cpu = measured.cpu_us.map(|us| us / 1000);
                let cpu = cpu.map(|ms| format!("; the bot used {ms} ms of CPU"));
                let (us, of) = (us / 1000, allowance_us / 1000);
                format!("{us} ms of {of} ms {when}{}", cpu.unwrap_or_default())
            }
            _ => fault.to_string(),
        };
        Fault {
            measured,
            ..Fault::new(kind, detail, us)
        }
    }
}
