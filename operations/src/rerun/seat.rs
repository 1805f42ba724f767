//! One seat of a recorded match that its module plays again.

use std::time::{Duration, Instant};

use flipside_protocol::{ClockUnit, FromBot};
use flipside_referee::{
    FaultKind, FaultLine, LONGEST_EVIDENCE, Questions, ReadyLine, Record, RecordedAnswer, SentLine,
};
use flipside_report::plain_line;
use flipside_sandbox::{Allowance, AskError, Program, Sandbox, SandboxFault, Start};

use super::outcome::{Rerun, RerunResult};
use crate::failure::{Failure, Result};
use crate::programs::runtime;

/// The seat and its module.
pub(super) struct SeatRerun<'a> {
    pub(super) record: &'a Record,
    pub(super) seat: u8,
    pub(super) program: &'a Program,
    pub(super) sandbox: &'a Sandbox,
    /// What its clock counts.
    pub(super) unit: ClockUnit,
    /// The time that it has for an answer, where its clock counts time.
    pub(super) patience: Duration,
}

/// The line that a module answers, or why there is none.
type ModuleReply = Result<String, SandboxFault>;

impl SeatRerun<'_> {
    /// Sends the module what the seat was sent, and compares each answer with the record.
    ///
    /// # Errors
    /// When it cannot be started. The inner error says which answer is not the recorded one.
    pub(super) fn play(&self) -> Result<RerunResult> {
        self.sandbox.prepare(self.program, self.unit)?;
        runtime()?.block_on(self.play_inside())
    }

    async fn play_inside(&self) -> Result<RerunResult> {
        let mut questions = Questions::of(self.record, self.seat)?;
        let label = format!("{} seat {}", self.record.header.id, self.seat);
        let start = Start {
            seed: questions.bot_seed(),
            unit: self.unit,
            label: &label,
        };
        let mut bot = self.sandbox.start(self.program, &start)?;
        let mut all = Rerun::default();
        while let Some(sent) = questions.next_sent()? {
            let Some(allowance_us) = sent.allowance_us else {
                break;
            };
            all.seats = 1;
            let at = match sent.question {
                None => "at hello".to_owned(),
                Some(question) => format!("at question {question}, after ply {}", sent.plies),
            };
            if let Some(stray) = bot.unread(Instant::now()) {
                let stray = plain_line(&String::from_utf8_lossy(stray));
                return Ok(Err(format!("{at}, it has written before: {stray}")));
            }
            // How long an answer takes depends on the machine.
            let is_by_time = self.unit == ClockUnit::Time;
            let is_late = matches!(sent.answer, RecordedAnswer::Fault(fault) if fault.fault == FaultKind::Late);
            if is_by_time && is_late {
                all.by_time += 1;
                break;
            }
            let line = format!("{}\n", sent.line);
            let allowance = Allowance {
                from: Instant::now(),
                time: match self.unit {
                    ClockUnit::Time => self.patience,
                    ClockUnit::Fuel => Duration::from_micros(allowance_us),
                },
            };
            let now = match bot.ask(line.as_bytes(), allowance).await {
                Ok(answer) => Ok(answer.line.to_owned()),
                Err(AskError::Host(error)) => return Err(Failure::new(error)),
                Err(AskError::Fault(SandboxFault::Late { waiting: false, .. })) if is_by_time => {
                    all.by_time += 1;
                    break;
                }
                Err(AskError::Fault(fault)) => Err(fault),
            };
            let compared = self.compare(&sent, &now, &questions);
            if let Err(what) = compared.and_then(|()| same_fuel(&sent.answer, bot.timing().fuel)) {
                return Ok(Err(format!("{at}, {what}")));
            }
            all.answers += u64::from(!matches!(sent.answer, RecordedAnswer::Nothing));
        }
        // What it has written before it was asked is in no record; that it was something can be seen.
        let is_early = bot.unread(Instant::now()).is_some();
        let _ = bot.finish(Duration::ZERO).await;
        if questions.fell_early() && !is_early {
            let what = "it writes nothing before it is asked; the record has the fault unasked";
            return Ok(Err(what.into()));
        }
        Ok(Ok(all))
    }

    /// Whether the module answers as recorded, if the record has an answer.
    fn compare(
        &self,
        sent: &SentLine<'_>,
        now: &ModuleReply,
        questions: &Questions<'_>,
    ) -> Result<(), String> {
        let (is_same, recorded) = match sent.answer {
            RecordedAnswer::Nothing => return Ok(()),
            RecordedAnswer::Ready(ready) => (is_ready(now, ready), "another ready".to_owned()),
            RecordedAnswer::Act(act) => {
                let is_same = action_of(now, sent).as_deref() == Some(&*act.action);
                (is_same, plain_line(&act.action))
            }
            RecordedAnswer::Fault(fault) => {
                let is_same = self.falls(sent, now, fault, questions);
                (is_same, format!("the fault {}", fault.fault))
            }
        };
        if is_same {
            return Ok(());
        }
        let does = match (action_of(now, sent), now) {
            (Some(action), _) => format!("it plays {}", plain_line(&action)),
            (None, Ok(line)) => format!("it answers {}", plain_line(line)),
            (None, Err(fault)) => format!("it has the fault {}: {fault}", fault.name()),
        };
        Err(format!("{does}; the record has {recorded}"))
    }

    /// Whether an answer is at fault as recorded.
    fn falls(
        &self,
        sent: &SentLine<'_>,
        now: &ModuleReply,
        recorded: &FaultLine,
        questions: &Questions<'_>,
    ) -> bool {
        let line = match now {
            Err(fault) => return fault.name() == recorded.fault.name(),
            Ok(line) => line,
        };
        let is_right = match sent.question {
            None => matches!(FromBot::read(line), Ok(FromBot::Ready(_))),
            Some(_) => action_of(now, sent)
                .is_some_and(|action| questions.table().check(self.seat, &action).is_ok()),
        };
        // Of an illegal action the evidence is the action, and of a long line its beginning.
        let is_it = match &recorded.evidence {
            Some(evidence) if recorded.fault != FaultKind::Illegal => {
                evidence.len() >= LONGEST_EVIDENCE - 3 || evidence == line
            }
            _ => true,
        };
        recorded.fault.is_of_a_line() && !is_right && is_it
    }
}

/// Whether an answer used the recorded fuel, if its clock counts fuel.
fn same_fuel(recorded: &RecordedAnswer<'_>, now: Option<u64>) -> Result<(), String> {
    let recorded = match recorded {
        RecordedAnswer::Nothing => return Ok(()),
        RecordedAnswer::Ready(ready) => ready.fuel,
        RecordedAnswer::Act(act) => act.fuel,
        RecordedAnswer::Fault(fault) => fault.fuel,
    };
    match recorded == now {
        true => Ok(()),
        false => {
            let (now, recorded) = (now.unwrap_or_default(), recorded.unwrap_or_default());
            Err(format!(
                "it uses {now} units of fuel; the record has {recorded}"
            ))
        }
    }
}

/// The action that answers a question.
fn action_of(now: &ModuleReply, sent: &SentLine<'_>) -> Option<String> {
    match FromBot::read(now.as_ref().ok()?) {
        Ok(FromBot::Act(act)) if Some(act.id) == sent.question => Some(act.action),
        _ => None,
    }
}

/// Whether a module says that it is ready as recorded.
fn is_ready(now: &ModuleReply, recorded: &ReadyLine) -> bool {
    match now.as_ref().map(|line| FromBot::read(line)) {
        Ok(Ok(FromBot::Ready(ready))) => {
            (ready.actions, ready.events) == (recorded.actions, recorded.events)
                && (&ready.name, &ready.version) == (&recorded.name, &recorded.version)
        }
        _ => false,
    }
}
