//! A bot on its seat: what it was asked, what it answered, and how it fares.

use std::time::{Duration, Instant};

use flipside_games::{Refusal, Seat};
use flipside_protocol::{Act, FromBot, Ready, write_act, write_turn};
use flipside_sandbox::{AskError, Bot, Company, Kind};

use crate::clock::micros;
use crate::fault::{Fault, FaultKind};
use crate::kept::Met;
use crate::play::{Error, MOST_LATENESS, SeatReport};
use crate::record::{Measured, ReadyLine, evidence};
use crate::traffic::Traffic;

/// A bot in a match, or the seat of a person.
pub(crate) struct SeatedBot {
    pub(crate) seat: Seat,
    /// None: it has fallen and was stopped, or a person sits here.
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
    pub(crate) report: SeatReport,
}

/// What a seat does at a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    pub(crate) action: String,
    pub(crate) note: Option<String>,
    /// The time it took, in microseconds; none: the referee acts for a seat that has fallen.
    pub(crate) us: Option<u64>,
    pub(crate) measured: Measured,
}

impl Choice {
    pub(crate) fn stand_in(action: String) -> Self {
        Choice {
            action,
            note: None,
            us: None,
            measured: Measured::default(),
        }
    }
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
            report: SeatReport::default(),
        }
    }

    /// Lets its bot take turns with the others of a company.
    pub(crate) fn join(&mut self, company: &Company) {
        if let Some(bot) = &mut self.bot {
            bot.join(company);
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
            .expect("a bot that is greeted has not fallen");
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
                return Ok(Err(Fault::of_sandbox(&fault, used, allowance_us, bot)));
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

    /// Asks the prepared question and waits so many microseconds at most; the answer is kept.
    pub(crate) async fn ask(&mut self, allowance_us: u64) -> Result<(), Error> {
        let bot = self
            .bot
            .as_mut()
            .expect("a bot that is asked has not fallen");
        let now = Instant::now();
        if let Some(line) = bot.unread(now) {
            let line = String::from_utf8_lossy(line).into_owned();
            self.traffic.unsent();
            self.answer = Some(Err(self.early("this turn", &line)));
            return Ok(());
        }
        let deadline = now + Duration::from_micros(allowance_us);
        let answer = match bot.ask(self.traffic.written(), deadline).await {
            Ok(answer) => {
                self.traffic.received(answer.line);
                read_act(answer.line, self.id, micros(answer.elapsed))
            }
            Err(AskError::Host(error)) => return Err(error.into()),
            Err(AskError::Fault(fault)) => {
                host_was_late(bot, &fault)?;
                let used = bot.spent().charged;
                Err(Fault::of_sandbox(&fault, used, allowance_us, bot))
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

    /// Stops the bot and gives the end of its standard error; what was said last is in the report.
    pub(crate) fn stop(&mut self) -> String {
        self.report.traffic = self.traffic.exchanged();
        let Some(bot) = self.bot.take() else {
            return String::new();
        };
        self.report.ponders = bot.ponders();
        bot.stderr_tail()
    }

    /// Counts the action that was just taken, if it was the bot's own.
    pub(crate) fn count(&mut self) {
        if let Some(us) = self.choice.us {
            self.report.plies += 1;
            self.report.used_us += us;
            let wall_us = self.choice.measured.wall_us;
            self.report.withheld_us += wall_us.map_or(0, |wall| wall.saturating_sub(us));
        }
    }

    /// The bot leaves the table; if it can play again it is given back, running, with what it had met before.
    pub(crate) async fn leave(mut self, allowance: Duration) -> (SeatReport, Option<(Bot, Met)>) {
        let Some(mut bot) = self.bot.take() else {
            return (self.report, None);
        };
        self.report.ponders = bot.ponders();
        if self.reuse && bot.unread(Instant::now()).is_none() && bot.kind() == Kind::Process {
            bot.rest();
            return (self.report, Some((bot, self.met)));
        }
        // It had its time with `over`; a bot that let it pass does not get it twice.
        bot.finish(if self.lingers {
            Duration::ZERO
        } else {
            allowance
        })
        .await;
        (self.report, None)
    }
}

/// A process that seems late because the referee did not wake in time voids the match. A module has
/// no such excuse: it runs on the referee's own thread, and what holds that up is the module.
fn host_was_late(bot: &Bot, fault: &flipside_sandbox::Fault) -> Result<(), Error> {
    match *fault {
        flipside_sandbox::Fault::Late { by, waiting: false }
            if by > MOST_LATENESS && bot.kind() == Kind::Process =>
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
                measured: Measured::default(),
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
    pub(crate) fn new(kind: FaultKind, detail: String, us: u64) -> Self {
        Fault {
            kind,
            detail,
            evidence: None,
            stderr: String::new(),
            us,
            measured: Measured::default(),
        }
    }

    /// The fault of an answer that came in full, but too late.
    pub(crate) fn late(us: u64, detail: &str) -> Self {
        Fault::new(FaultKind::Late, detail.to_owned(), us)
    }

    /// The fault of an action that the table refuses.
    pub(crate) fn refused(refusal: &Refusal, us: u64, evidence: String) -> Self {
        let kind = match refusal {
            Refusal::Malformed(_) => FaultKind::Malformed,
            Refusal::Illegal(_) | Refusal::Unasked(_) => FaultKind::Illegal,
        };
        Fault {
            evidence: Some(evidence),
            ..Fault::new(kind, refusal.to_string(), us)
        }
    }

    fn of_sandbox(
        fault: &flipside_sandbox::Fault,
        used: Duration,
        allowance_us: u64,
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
        Fault {
            measured: Measured::of(bot.kind(), bot.spent()),
            ..Fault::new(kind, fault.to_string(), us)
        }
    }
}
