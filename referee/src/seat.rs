//! A bot on its seat: what it was asked, what it answered, and how it fares.

use std::time::{Duration, Instant};

use flipside_games::Seat;
use flipside_protocol::{Act, FromBot, Pause, Ready, TurnText, write_act, write_turn};
use flipside_sandbox::{Allowance, AskError, PonderGuard, ProgramKind, SandboxBot};

use crate::answer::{Choice, MeasuredTime};
use crate::bot_pool::SeenBlocks;
use crate::clock::{MoveTime, micros};
use crate::diagnosis::{self, FaultMoment, NoAnswer};
use crate::error::Error;
use crate::fault::{Fault, FaultKind, evidence};
use crate::observer::{ObserverEvent, Observing};
use crate::pauses::Spent;
use crate::record::ReadyLine;
use crate::result::SeatTrace;
use crate::traffic::Traffic;

/// How late the referee itself may be before a bot's lateness is the host's doing.
pub const MAX_LATENESS: Duration = Duration::from_millis(100);

/// How long a bot may take to read `over` and to end after it, before it is stopped.
pub const OVER_ALLOWANCE: Duration = Duration::from_millis(200);

/// How many files of a bot are named that it loses with its jail.
const MAX_FILES: usize = 3;

/// A bot in a match, or the seat of a person.
pub(crate) struct SeatedBot {
    pub(crate) seat: Seat,
    /// None: it is disqualified and was stopped, or a person sits here.
    bot: Option<SandboxBot>,
    /// From when on the time until it is ready counts.
    began: Instant,
    pub(crate) wants_actions: bool,
    reuse: bool,
    /// The blocks that its bot has met in earlier matches.
    pub(crate) met: SeenBlocks,
    /// Whether it did not take `over` in time.
    lingers: bool,
    /// The number of its last question, counted in this match from 1: a number that the seats
    /// shared would tell what others do.
    id: u64,
    /// The plies of all seats before that question.
    ply: u64,
    /// What was said last, with the question that is asked.
    traffic: Traffic,
    /// Who hears all that is said.
    pub(crate) observing: Observing,
    /// What it answered and nobody has judged yet.
    pub(crate) answer: Option<Result<Choice, Fault>>,
    /// What it does at this turn.
    pub(crate) choice: Choice,
    /// What was seen of it.
    pub(crate) trace: SeatTrace,
}

impl SeatedBot {
    pub(crate) fn new(seat: Seat, bot: Option<SandboxBot>, began: Instant) -> Self {
        SeatedBot {
            seat,
            bot,
            began,
            wants_actions: false,
            reuse: false,
            met: SeenBlocks::default(),
            lingers: false,
            id: 0,
            ply: 0,
            traffic: Traffic::default(),
            observing: Observing::default(),
            answer: None,
            choice: Choice::default(),
            trace: SeatTrace::default(),
        }
    }

    /// All bots of the match run since then. What it waited for the others to start is not its time, but what it has
    /// computed meanwhile is.
    pub(crate) fn all_run(&mut self, since: Instant) {
        // One that was kept has waited for its next match.
        let is_new = self.met.is_empty();
        let bot = self.bot.as_ref().filter(|_| is_new);
        let computed = bot.and_then(SandboxBot::cpu).unwrap_or_default();
        self.began = counted_from(self.began, since, computed);
    }

    /// Lets its bot take turns with the other bots of a match.
    pub(crate) fn join(&mut self, ponder_guard: &PonderGuard) {
        if let Some(bot) = &mut self.bot {
            bot.join(ponder_guard);
        }
    }

    /// The seat of a bot that does not come.
    pub(crate) fn away(seat: Seat, why: &str, began: Instant) -> Self {
        let fault = Fault::new(FaultKind::Forfeit, why.to_owned(), 0);
        SeatedBot {
            answer: Some(Err(fault)),
            ..SeatedBot::new(seat, None, began)
        }
    }

    /// Says `hello` and waits for `ready`, at most so many microseconds after all bots of the match were started. What
    /// the bot had computed by then counts too.
    pub(crate) async fn greet(
        &mut self,
        hello: Vec<u8>,
        allowance_us: u64,
        lists_actions: bool,
    ) -> Result<Result<ReadyLine, Fault>, Error> {
        if let Some(Err(fault)) = self.answer.take() {
            return Ok(Err(fault));
        }
        let now = Instant::now();
        if self.is_module() {
            // It begins to run now, when it is its turn to.
            self.began = now;
        }
        let bot = (self.bot.as_mut()).expect("a bot that is greeted is not disqualified");
        // A new one may have begun with its own line before it was started in full.
        if !self.met.is_empty()
            && let Some(line) = bot.unread(now)
        {
            let line = String::from_utf8_lossy(line).into_owned();
            return Ok(Err(self.early(0, FaultMoment::Ready, &line)));
        }
        self.observing.sent(self.seat, &hello);
        let starting = now - self.began;
        let allowance = allowance(self.began, allowance_us);
        self.traffic.next_line().extend_from_slice(&hello);
        let answer = match bot.ask(&hello, allowance).await {
            Ok(answer) => answer,
            Err(error) => {
                let used = micros(starting + bot.timing().charged);
                let measured = MeasuredTime::of(bot.kind(), bot.timing());
                let times = (used, allowance_us);
                let fault = no_answer(error, FaultMoment::Ready, times, measured, bot).await?;
                bot.fall();
                return Ok(Err(fault));
            }
        };
        self.traffic.received(answer.line);
        let us = micros(starting + answer.charged);
        let fuel = answer.fuel;
        (self.observing).received(self.seat, answer.line, us, MeasuredTime::default());
        let read = read_ready(self.seat, answer.line, us, fuel, lists_actions);
        Ok(match read {
            Ok((ready, reuse)) => {
                (self.wants_actions, self.reuse) = (ready.actions, reuse);
                Ok(ready)
            }
            Err(fault) => {
                bot.fall();
                Err(*fault)
            }
        })
    }

    /// What a bot did that wrote this before it was asked. The line may be the answer that it was going to be asked
    /// for, so that it shows nothing by itself; it is among the last lines that were said.
    fn early(&mut self, answered: u64, when: FaultMoment, line: &str) -> Fault {
        self.traffic.received(line);
        self.observing.hear(self.seat, &ObserverEvent::Stray(line));
        let (detail, hint) = diagnosis::too_many(line, answered, when);
        if let Some(bot) = &mut self.bot {
            bot.fall();
        }
        Fault::new(FaultKind::Unasked, detail, 0).hinted(hint)
    }

    /// When its question is asked, in the words of a fault.
    pub(crate) fn when(&self) -> FaultMoment {
        FaultMoment::Turn {
            ply: self.ply,
            question: self.id,
        }
    }

    /// Whether it computes on the referee's own thread.
    pub(crate) fn is_module(&self) -> bool {
        (self.bot.as_ref()).is_some_and(|bot| bot.kind() == ProgramKind::Module)
    }

    /// Prepares the next question, after so many plies of all seats.
    pub(crate) fn write_turn(&mut self, ply: u64, turn: &TurnText<'_>) {
        self.id += 1;
        self.ply = ply;
        write_turn(self.traffic.next_line(), self.id, turn);
    }

    /// Asks the prepared question and waits for so long at most; the answer is kept. `is_alone`: no other seat is asked
    /// meanwhile.
    pub(crate) async fn ask(&mut self, time: MoveTime, is_alone: bool) -> Result<(), Error> {
        let when = self.when();
        let bot = (self.bot.as_mut()).expect("a bot that is asked is not disqualified");
        let now = Instant::now();
        if let Some(line) = bot.unread(now) {
            let line = String::from_utf8_lossy(line).into_owned();
            self.traffic.unsent();
            self.answer = Some(Err(self.early(self.id - 1, self.when(), &line)));
            return Ok(());
        }
        self.observing.stderr_of(self.seat, bot);
        let now = self
            .observing
            .sent(self.seat, self.traffic.written())
            .unwrap_or(now);
        let mut now = now;
        let mut spent = Spent::nothing_of(time);
        let (answer, measured) = loop {
            let allowance = allowance(now, spent.left_us());
            let asked = match (spent.has_paused(), is_alone) {
                (true, _) => bot.hear(allowance).await,
                (false, true) => bot.ask_alone(self.traffic.written(), allowance).await,
                (false, false) => bot.ask(self.traffic.written(), allowance).await,
            };
            let mut heard = None;
            let read = match asked {
                Ok(answer) => {
                    self.traffic.received(answer.line);
                    heard = self.observing.copy(answer.line);
                    let us = spent.charged_us(answer.charged);
                    let read = read_answer(answer.line, self.id, us, when);
                    spent.took(bot.timing());
                    read
                }
                Err(error) => {
                    spent.took(bot.timing());
                    let times = (micros(spent.timing().charged), time.us);
                    let measured = MeasuredTime::of(bot.kind(), spent.timing());
                    Err(no_answer(error, when, times, measured, bot).await?.into())
                }
            };
            let measured = MeasuredTime::of(bot.kind(), spent.timing());
            if let Some(line) = heard {
                let us = micros(spent.timing().charged);
                self.observing.stderr_of(self.seat, bot);
                self.observing.received(self.seat, &line, us, measured);
            }
            match read {
                Ok(Answer::Pause(pause)) => match spent.pause(pause.reason) {
                    // From here on the clock stands still.
                    Ok(()) => now = Instant::now(),
                    Err(refusal) => {
                        let (detail, hint) = diagnosis::paused(refusal, bot.kind(), when);
                        let us = micros(spent.timing().charged);
                        let line = self.traffic.exchanged().pop();
                        let fault = Fault::new(FaultKind::Unasked, detail, us).hinted(hint);
                        let fault = Fault {
                            evidence: line.map(|line| evidence(&line.line)),
                            ..fault
                        };
                        break (Err(fault), measured);
                    }
                },
                Ok(Answer::Act(choice)) => break (Ok(choice), measured),
                Err(fault) => break (Err(*fault), measured),
            }
        };
        let paused = spent.into_paused();
        self.answer = Some(match answer {
            Ok(choice) => Ok(Choice {
                measured,
                paused,
                ..choice
            }),
            Err(fault) => {
                // Others may still be thinking, and it is to take nothing from them. To hear its last words, only a
                // bot that computes nothing was let run on.
                bot.fall();
                Err(Fault {
                    measured,
                    paused,
                    ..fault
                })
            }
        });
        Ok(())
    }

    /// Takes a person's answer, which is one to a question of this seat as a bot's would be.
    pub(crate) fn answered_by_hand(&mut self, answer: Result<Choice, Fault>) {
        self.id += 1;
        self.answer = Some(answer);
    }

    /// Looks for files that its bot loses with its jail.
    pub(crate) fn look_for_files(&mut self) {
        if let Some(bot) = &self.bot {
            let names = bot.files(MAX_FILES);
            let plain = names.iter().map(|name| name.to_string_lossy().into_owned());
            self.trace.files = plain.collect();
        }
    }

    /// Tells a bot that is still there something that wants no answer.
    pub(crate) async fn tell(&mut self, line: &[u8]) {
        if let Some(bot) = &mut self.bot {
            self.observing.sent(self.seat, line);
            // Whatever goes wrong now, the match is decided.
            let allowance = Allowance {
                from: Instant::now(),
                time: OVER_ALLOWANCE,
            };
            if bot.tell(line, allowance).await.is_err() {
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
        self.trace.traffic = self.traffic.exchanged();
        let Some(mut bot) = self.bot.take() else {
            return String::new();
        };
        self.trace.pondered = bot.ponders().then(|| bot.pondered());
        self.observing.stderr_of(self.seat, &mut bot);
        self.trace.stderr = bot.stderr_tail();
        self.trace.stderr.clone()
    }

    /// The bot leaves the table: gives what was seen of it. One that can play again goes on running, and is given with
    /// the blocks that it has met before.
    pub(crate) async fn leave(mut self) -> (SeatTrace, Option<(SandboxBot, SeenBlocks)>) {
        let Some(mut bot) = self.bot.take() else {
            return (self.trace, None);
        };
        self.trace.pondered = bot.ponders().then(|| bot.pondered());
        self.observing.stderr_of(self.seat, &mut bot);
        if self.reuse && bot.unread(Instant::now()).is_none() && bot.kind() == ProgramKind::Process
        {
            self.trace.stderr = bot.stderr_tail();
            bot.rest();
            return (self.trace, Some((bot, self.met)));
        }
        // It had its time with `over`; a bot that let it pass does not get it twice.
        let grace = if self.lingers {
            Duration::ZERO
        } else {
            OVER_ALLOWANCE
        };
        let finished = bot.finish(grace).await;
        if !finished.new_stderr.is_empty() {
            let text = ObserverEvent::Stderr(&finished.new_stderr);
            self.observing.hear(self.seat, &text);
        }
        let ended = ObserverEvent::Ended(&finished.ended);
        self.observing.hear(self.seat, &ended);
        self.trace.stderr = finished.stderr_tail;
        (self.trace, None)
    }
}

/// The fault of a bot that gave no answer, with what it has used of its allowance and the allowance, in microseconds.
async fn no_answer(
    error: AskError,
    when: FaultMoment,
    times: (u64, u64),
    measured: MeasuredTime,
    bot: &mut SandboxBot,
) -> Result<Fault, Error> {
    let fault = match error {
        AskError::Host(error) => return Err(error.into()),
        AskError::Fault(fault) => fault,
    };
    host_was_late(bot, &fault)?;
    let silence = NoAnswer::of(&fault, when, times, measured, bot).await;
    Ok(Fault::of_sandbox(&fault, &silence))
}

/// A process that seems late because the referee did not wake in time voids the match. A module has
/// no such excuse: it runs on the referee's own thread, and what holds that up is the module.
fn host_was_late(bot: &SandboxBot, fault: &flipside_sandbox::SandboxFault) -> Result<(), Error> {
    match *fault {
        flipside_sandbox::SandboxFault::Late { by, waiting: false }
            if by > MAX_LATENESS && bot.kind() == ProgramKind::Process =>
        {
            let what = format!("the referee woke {} ms after a deadline", by.as_millis());
            Err(std::io::Error::other(what).into())
        }
        _ => Ok(()),
    }
}

/// From when on the time counts until a bot is ready: its start `began`, and when all ran it had `computed` for so
/// long.
fn counted_from(began: Instant, all_run: Instant, computed: Duration) -> Instant {
    let from = all_run.checked_sub(computed);
    from.map_or(began, |from| from.max(began))
}

/// So many microseconds from then on.
fn allowance(from: Instant, us: u64) -> Allowance {
    Allowance {
        from,
        time: Duration::from_micros(us),
    }
}

/// Reads the answer to `hello`. With it comes whether the bot can play again.
fn read_ready(
    seat: Seat,
    line: &str,
    us: u64,
    fuel: Option<u64>,
    lists_actions: bool,
) -> Result<(ReadyLine, bool), Box<Fault>> {
    let fault = match FromBot::read(line) {
        Ok(FromBot::Ready(Ready { actions: true, .. })) if !lists_actions => Fault::new(
            FaultKind::Malformed,
            "it asks for the legal actions, and this game has too many to list them".into(),
            us,
        )
        .hinted(diagnosis::NO_LISTS),
        Ok(FromBot::Ready(Ready {
            name,
            version,
            actions,
            reuse,
            events,
        })) => {
            let ready = ReadyLine {
                seat,
                name,
                version,
                actions,
                events,
                us,
                fuel,
            };
            return Ok((ready, reuse));
        }
        Ok(FromBot::Act(_)) => Fault::new(
            FaultKind::Unasked,
            "it answered `hello` with an `act`, not with `ready`".into(),
            us,
        )
        .hinted(diagnosis::IN_TURN),
        Ok(FromBot::Pause(_)) => Fault::new(
            FaultKind::Unasked,
            "it answered `hello` with a `pause`, not with `ready`".into(),
            us,
        )
        .hinted(diagnosis::IN_TURN),
        Err(error) => Fault::malformed(&error, us, FaultMoment::Ready),
    };
    Err(Box::new(Fault {
        evidence: Some(evidence(line)),
        measured: MeasuredTime {
            fuel,
            ..MeasuredTime::default()
        },
        ..fault
    }))
}

/// What a bot writes when it is to act.
enum Answer {
    Act(Choice),
    Pause(Pause),
}

/// Reads an answer to the question of this number.
fn read_answer(line: &str, id: u64, us: u64, when: FaultMoment) -> Result<Answer, Box<Fault>> {
    let unasked = |detail: String| Fault::new(FaultKind::Unasked, format!("{detail}; {when}"), us);
    let fault = match FromBot::read(line) {
        Ok(FromBot::Act(Act {
            id: theirs,
            action,
            note,
        })) if theirs == id => {
            return Ok(Answer::Act(Choice {
                action,
                note,
                us: Some(us),
                ..Choice::default()
            }));
        }
        Ok(FromBot::Pause(pause)) => return Ok(Answer::Pause(pause)),
        Ok(FromBot::Act(Act { id: theirs, .. })) => {
            let detail = if (1..id).contains(&theirs) {
                format!(
                    "its answer to question {id} has the id {theirs}, of a question that it has answered"
                )
            } else {
                format!("its answer to question {id} has the id {theirs}, which nobody asked")
            };
            unasked(detail).hinted(diagnosis::COPY_ID)
        }
        Ok(FromBot::Ready(_)) => {
            unasked("it answered a `turn` with another `ready`, not with an `act`".into())
                .hinted(diagnosis::IN_TURN)
        }
        Err(error) => Fault::malformed(&error, us, when),
    };
    Err(Box::new(Fault {
        evidence: Some(evidence(line)),
        ..fault
    }))
}

impl Fault {
    /// The fault of a bot that gave no answer.
    fn of_sandbox(fault: &flipside_sandbox::SandboxFault, silence: &NoAnswer) -> Self {
        use flipside_sandbox::SandboxFault as Theirs;
        let (used, allowance_us) = silence.times;
        let (kind, us) = match fault {
            // A module that reads on instead of answering would never answer: nobody waits for
            // its deadline, and all its time counts as used.
            Theirs::Late { .. } => (FaultKind::Late, allowance_us.max(used)),
            Theirs::Closed { .. } => (FaultKind::Closed, used),
            Theirs::Crashed(_) => (FaultKind::Crashed, used),
            Theirs::TooLong => (FaultKind::TooLong, used),
            Theirs::NotText { .. } => (FaultKind::NotText, used),
            Theirs::Memory { .. } => (FaultKind::Memory, used),
        };
        let (detail, hint) = silence.told(fault);
        Fault {
            measured: silence.measured,
            ..Fault::new(kind, detail, us).hinted(hint)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bot_pays_for_the_slow_start_of_another() {
        let ms = Duration::from_millis;
        let began = Instant::now();
        // The first seat was held up for a minute.
        let all_run = began + ms(60_000);
        for (computed, before) in [(0, 0), (30, 30), (59_000, 59_000), (90_000, 60_000)] {
            let from = counted_from(began, all_run, ms(computed));
            assert_eq!(all_run - from, ms(before), "{computed}");
        }
        let mut seat = SeatedBot::new(1, None, began);
        seat.all_run(all_run);
        assert_eq!(seat.began, all_run);
    }
}
