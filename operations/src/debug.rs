//! A bot that is sent again what a seat was sent in a recorded match.

use std::path::Path;
use std::time::{Duration, Instant};

use flipside_games::Table;
use flipside_protocol::{FromBot, MAX_PAUSES};
use flipside_referee::{FaultLine, Player, Questions, Record, RecordedAnswer, SentLine};
use flipside_sandbox::{AskError, BotAnswer, Program, ProgramKind, Sandbox, SandboxBot, Start};
use serde::Serialize;

use crate::NoteSink;
use crate::entry::find_player;
use crate::failure::{Failure, Result};
use crate::programs::runtime;
use crate::replay::line_of_seat;

/// The time that a bot has for every answer while it is debugged, whatever its clock says.
pub const DEBUG_PATIENCE: Duration = Duration::from_secs(600);

/// The same for a bot that a debugger is attached to.
pub const ATTACHED_PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// The time that a bot has to exit when it was sent its last line.
const LAST_GRACE: Duration = Duration::from_secs(1);

/// How often the number of a process is looked for.
const PID_LOOK: Duration = Duration::from_millis(5);

/// Called when the bot runs, with the number of its process, before it is sent anything. It returns when a debugger is
/// attached.
pub type Attach<'a> = &'a mut dyn FnMut(u32) -> Result<()>;

/// What is sent again, and to whom.
pub struct DebugReplay<'a> {
    /// The recorded match.
    pub record: &'a Record,
    /// The seat.
    pub seat: u8,
    /// The last question is that after so many plies of all seats; none: all that the seat was sent.
    pub ply: Option<u64>,
    /// The bot.
    pub program: &'a Program,
    /// Where it runs.
    pub sandbox: &'a Sandbox,
    /// Waits for a debugger.
    pub attach: Option<Attach<'a>>,
}

/// What happens meanwhile.
#[derive(Clone, Copy, Debug)]
pub enum ReplayEvent<'a> {
    /// The bot is sent this.
    Sent(&'a SentLine<'a>),
    /// It answers with this line, after so long.
    Answer(&'a str, Duration),
    /// It gives no answer, for this reason.
    Failed(&'a str),
    /// It has written this to its standard error.
    Stderr(&'a str),
    /// The question was answered: how the answer compares with the recorded one.
    Compared(&'a ComparedAnswer),
}

/// An answer beside the recorded one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedAnswer {
    /// The number of the question.
    pub question: u64,
    /// The plies of all seats before it.
    pub ply: u64,
    /// The action that the bot chooses now; none if it gave no answer that can be read.
    pub action: Option<String>,
    /// Why this answer would be refused, if it would be.
    pub refused: Option<String>,
    /// The recorded action; none where the record has a fault.
    pub recorded: Option<String>,
    /// The recorded fault.
    pub fault: Option<String>,
    /// Whether the bot does what it did then: chooses the same action, or has a fault of the same kind.
    pub same: bool,
    /// The time now, in microseconds.
    pub us: u64,
    /// The recorded time, in microseconds.
    pub recorded_us: Option<u64>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DebugOutcome {
    /// The questions that were answered or should have been, in order.
    pub answers: Vec<ComparedAnswer>,
    /// Why the bot gave no further answer, if it did not.
    pub failed: Option<String>,
}

impl DebugOutcome {
    /// The answers that are not the recorded ones.
    pub fn others(&self) -> impl Iterator<Item = &ComparedAnswer> {
        self.answers.iter().filter(|answer| !answer.same)
    }
}

/// The bot that is debugged: who was recorded on that seat, or another one. It has no network and no environment of its
/// own, whatever the record says: anybody may have written that.
///
/// # Errors
/// When there is no such seat, or no such bot here.
pub fn find_debugged(
    arena: &Path,
    record: &Record,
    seat: u8,
    against: Option<&str>,
    note: NoteSink<'_>,
) -> Result<Player> {
    let line = line_of_seat(record, seat)?;
    if let Some(typed) = against {
        return Ok(find_player(arena, typed)?.with_settings(line.settings.clone().of_others()));
    }
    let player = find_player(arena, &line.bot).map_err(|failure| {
        failure
            .about(format!("seat {seat}"))
            .hint("name the bot's file with --against ./FILE")
    })?;
    let program = player.program();
    if program.is_some_and(|program| program.sha256() != line.sha256) {
        note(&format!(
            "{} is not the file that played this match: its content has changed since",
            line.bot
        ));
    }
    Ok(player.with_settings(line.settings.clone().of_others()))
}

/// Sends a bot what a seat was sent, up to a ply. Of an answer that differs nothing follows: the bot is asked the
/// recorded questions.
///
/// # Errors
/// When the record is wrong, the seat was not asked at this ply, or the bot cannot be started; and what `hear` fails
/// with.
pub fn feed(
    feed: DebugReplay<'_>,
    hear: &mut dyn FnMut(ReplayEvent<'_>) -> Result<()>,
) -> Result<DebugOutcome> {
    if let Some(ply) = feed.ply {
        refuse_unasked(feed.record, feed.seat, ply)?;
    }
    let unit = feed.record.header.clock_of(feed.seat).unit;
    feed.sandbox.prepare(feed.program, unit)?;
    if feed.attach.is_some() && feed.program.kind() == ProgramKind::Module {
        return Err(
            Failure::usage("a module has no process that a debugger could attach to")
                .hint("build the bot for this machine, and name that file with --against ./FILE"),
        );
    }
    runtime()?.block_on(feed_inside(feed, hear))
}

/// Finds out whether a seat was asked at a ply, before its bot is started.
fn refuse_unasked(record: &Record, seat: u8, ply: u64) -> Result<()> {
    let mut questions = Questions::of(record, seat)?;
    let mut before = None;
    while let Some(sent) = questions.next_sent().map_err(Failure::new)? {
        if sent.asks_at(ply) {
            return Ok(());
        }
        if sent.question.is_some() {
            let asked = sent.plies;
            if asked > ply {
                let hint = match before {
                    Some(before) => format!("--ply {before} or --ply {asked}"),
                    None => format!("--ply {asked}"),
                };
                return Err(unasked(seat, ply).hint(hint));
            }
            before = Some(asked);
        }
    }
    Err(unasked(seat, ply).maybe_hint(before.map(|before| format!("--ply {before}"))))
}

fn unasked(seat: u8, ply: u64) -> Failure {
    Failure::usage(format!("seat {seat} was not asked at ply {ply}"))
}

/// A bot that is being fed.
struct FedBot<'f> {
    bot: SandboxBot,
    patience: Duration,
    hear: &'f mut dyn FnMut(ReplayEvent<'_>) -> Result<()>,
}

async fn feed_inside(
    feed: DebugReplay<'_>,
    hear: &mut dyn FnMut(ReplayEvent<'_>) -> Result<()>,
) -> Result<DebugOutcome> {
    let mut questions = Questions::of(feed.record, feed.seat)?;
    let label = format!("{} seat {}", feed.record.header.id, feed.seat);
    let start = Start {
        seed: questions.bot_seed(),
        unit: feed.record.header.clock_of(feed.seat).unit,
        label: &label,
    };
    let bot = feed.sandbox.start(feed.program, &start)?;
    let attached = feed.attach.is_some();
    if let Some(attach) = feed.attach {
        attach(pid_of(&bot).await?)?;
    }
    let mut feeding = FedBot {
        bot,
        patience: match attached {
            true => ATTACHED_PATIENCE,
            false => DEBUG_PATIENCE,
        },
        hear,
    };
    let mut all = DebugOutcome::default();
    while let Some(sent) = questions.next_sent().map_err(Failure::new)? {
        (feeding.hear)(ReplayEvent::Sent(&sent))?;
        if sent.allowance_us.is_none() {
            feeding.tell(&sent.line).await?;
            break;
        }
        let answer = feeding.ask(&sent.line).await?;
        feeding.tell_stderr()?;
        if let Some(question) = sent.question {
            let compared = compare(question, &sent, &answer, &questions, feed.seat);
            (feeding.hear)(ReplayEvent::Compared(&compared))?;
            all.answers.push(compared);
        } else if let Ok((line, _)) = &answer
            && let Ok(FromBot::Ready(ready)) = FromBot::read(line)
        {
            questions.wants(ready.actions, ready.events);
        }
        if let Err(fallen) = answer {
            all.failed = Some(fallen.why);
            break;
        }
        if feed.ply.is_some_and(|ply| sent.asks_at(ply)) {
            break;
        }
    }
    feeding.end().await?;
    Ok(all)
}

/// The number of a bot's process: in a jail it takes a moment until it is there.
async fn pid_of(bot: &SandboxBot) -> Result<u32> {
    let end = Instant::now() + LAST_GRACE;
    loop {
        if let Some(pid) = bot.pid() {
            return Ok(pid);
        }
        if Instant::now() >= end {
            return Err(Failure::new(
                "the bot has ended before a debugger could attach",
            ));
        }
        tokio::time::sleep(PID_LOOK).await;
    }
}

impl FedBot<'_> {
    /// Sends a line and takes the answer; the inner error is the bot's.
    async fn ask(&mut self, line: &str) -> Result<Result<(String, Duration), FedFault>> {
        let question = format!("{line}\n");
        let deadline = Instant::now() + self.patience;
        let mut answer = told(self.bot.ask(question.as_bytes(), deadline).await)?;
        for _ in 0..MAX_PAUSES {
            let Ok((line, took)) = &answer else { break };
            if !matches!(FromBot::read(line), Ok(FromBot::Pause(_))) {
                break;
            }
            (self.hear)(ReplayEvent::Answer(line, *took))?;
            answer = told(self.bot.hear(deadline).await)?;
        }
        match &answer {
            Ok((line, took)) => (self.hear)(ReplayEvent::Answer(line, *took))?,
            Err(fallen) => (self.hear)(ReplayEvent::Failed(&fallen.why))?,
        }
        Ok(answer)
    }

    async fn tell(&mut self, line: &str) -> Result<()> {
        let message = format!("{line}\n");
        let deadline = Instant::now() + LAST_GRACE;
        if let Err(AskError::Host(error)) = self.bot.tell(message.as_bytes(), deadline).await {
            return Err(Failure::new(error));
        }
        Ok(())
    }

    fn tell_stderr(&mut self) -> Result<()> {
        match &*self.bot.new_stderr() {
            "" => Ok(()),
            new => (self.hear)(ReplayEvent::Stderr(new)),
        }
    }

    async fn end(self) -> Result<()> {
        match &*self.bot.finish(LAST_GRACE).await.new_stderr {
            "" => Ok(()),
            new => (self.hear)(ReplayEvent::Stderr(new)),
        }
    }
}

/// What a bot has answered, after how long; the inner error is the bot's.
fn told(answered: Result<BotAnswer<'_>, AskError>) -> Result<Result<(String, Duration), FedFault>> {
    match answered {
        Ok(answer) => Ok(Ok((answer.line.to_owned(), answer.charged))),
        Err(AskError::Host(error)) => Err(Failure::new(error)),
        Err(AskError::Fault(fault)) => Ok(Err(FedFault {
            name: Some(fault.name()),
            why: format!("{}: {fault}", fault.name()),
        })),
    }
}

/// Compares an answer with the recorded one.
fn compare(
    question: u64,
    sent: &SentLine<'_>,
    answer: &Result<(String, Duration), FedFault>,
    questions: &Questions<'_>,
    seat: u8,
) -> ComparedAnswer {
    let now = TurnState::of(question, answer, questions.table(), seat);
    let (recorded, fault, recorded_us) = match sent.answer {
        RecordedAnswer::Act(act) => (Some(act.action.clone()), None, act.us),
        RecordedAnswer::Fault(fault) => {
            let told = format!("{}: {}", fault.fault, fault.detail);
            (None, Some(told), Some(fault.us))
        }
        RecordedAnswer::Ready(_) | RecordedAnswer::Nothing => (None, None, None),
    };
    let same = match sent.answer {
        RecordedAnswer::Fault(fault) => now.is_fault(fault),
        _ => now.action.is_some() && now.action == recorded,
    };
    let took = answer.as_ref().map_or(Duration::ZERO, |(_, took)| *took);
    ComparedAnswer {
        question,
        ply: sent.plies,
        action: now.action,
        refused: now.refused.map(|fallen| fallen.why),
        recorded,
        fault,
        same,
        us: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        recorded_us,
    }
}

/// What a bot does wrong.
#[derive(Clone)]
struct FedFault {
    /// The name of the fault, where there was no answer.
    name: Option<&'static str>,
    /// Why, in words.
    why: String,
}

impl FedFault {
    /// By an answer.
    fn by_answer(why: impl Into<String>) -> Self {
        FedFault {
            name: None,
            why: why.into(),
        }
    }
}

/// How a bot answers now.
struct TurnState {
    /// The action, if it answers the question.
    action: Option<String>,
    /// The action of its answer, to whatever question.
    acted: Option<String>,
    /// What is wrong with the answer, if anything is.
    refused: Option<FedFault>,
}

impl TurnState {
    fn of(
        question: u64,
        answer: &Result<(String, Duration), FedFault>,
        table: &dyn Table,
        seat: u8,
    ) -> Self {
        let message = answer.as_ref().map(|(line, _)| FromBot::read(line));
        let (acted, refused) = match message {
            Err(fallen) => (None, Some(fallen.clone())),
            Ok(Err(error)) => (None, Some(FedFault::by_answer(error.to_string()))),
            Ok(Ok(FromBot::Ready(_))) => (None, Some(FedFault::by_answer("it says ready"))),
            Ok(Ok(FromBot::Pause(_))) => (None, Some(FedFault::by_answer("it pauses"))),
            Ok(Ok(FromBot::Act(act))) if act.id != question => {
                let why = format!("it answers question {}", act.id);
                (Some(act.action), Some(FedFault::by_answer(why)))
            }
            Ok(Ok(FromBot::Act(act))) => {
                let refusal = table.check(seat, &act.action).err();
                let refused = refusal.map(|refusal| FedFault::by_answer(refusal.to_string()));
                return TurnState {
                    action: Some(act.action.clone()),
                    acted: Some(act.action),
                    refused,
                };
            }
        };
        TurnState {
            action: None,
            acted,
            refused,
        }
    }

    /// Whether it is the recorded fault again: one of that name, or an answer that is refused like the recorded one.
    fn is_fault(&self, recorded: &FaultLine) -> bool {
        let Some(fallen) = &self.refused else {
            return false;
        };
        if let Some(name) = fallen.name {
            return name == recorded.fault.name();
        }
        match recorded.evidence.as_deref().map(FromBot::read) {
            // It fell without an answer.
            None => false,
            Some(Ok(FromBot::Act(act))) => self.acted.as_ref() == Some(&act.action),
            // A line that was cut, or is no answer.
            Some(_) => self.acted.is_none(),
        }
    }
}
