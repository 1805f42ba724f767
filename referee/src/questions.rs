//! The lines that a seat is sent: the referee writes them here while it plays, and from a record they are written
//! again, byte for byte, by the same code.

use flipside_games::{Seat, Seats, Table, Viewer, without_version};
use flipside_protocol::{FromReferee, Hello, Limits, Over, TurnText, write_turn};
use serde_json::value::RawValue;

use crate::clock::SeatClock;
use crate::event_log::EventLog;
use crate::fault::FaultKind;
use crate::match_setup::PERSON;
use crate::ranges::ensure;
use crate::record::{ActLine, FaultLine, Header, Line, ReadyLine, Record, SeatLine};
use crate::result::{MatchResult, SeatResult};
use crate::seed::MatchSeed;
use crate::state::{MatchState, NextStep};
use crate::verify::{VerifyError, revealed_seed, set_up, was_early, was_judged};

/// The `hello` of a match, still of no seat.
pub(crate) fn hello_of(header: &Header) -> Hello {
    Hello {
        protocol: flipside_protocol::VERSION,
        match_id: header.id.clone(),
        game: without_version(&header.game).to_owned(),
        options: header.options.clone(),
        seat: 0,
        seats: u8::try_from(header.seats.len()).unwrap_or(u8::MAX),
        clock: header.clock,
        bot_options: None,
        limits: header.limits,
        patience: header
            .patience
            .map(|patience| patience.time().as_millis() as u64),
        commitment: header.commitment.clone(),
        seed: 0,
    }
}

/// The line that greets this seat.
pub(crate) fn hello_line(hello: &Hello, seat: Seat, line: &SeatLine, seed: &MatchSeed) -> Vec<u8> {
    let options = line.settings.options_json();
    let hello = Hello {
        seat,
        seed: seed.of_bot(seat),
        clock: line.settings.clock.unwrap_or(hello.clock),
        bot_options: options.map(|json| RawValue::from_string(json).expect("it is JSON")),
        limits: Limits {
            memory: line.memory_limit(hello.limits.memory),
            ..hello.limits
        },
        patience: hello.patience.filter(|_| line.may_pause()),
        ..hello.clone()
    };
    line_of(&FromReferee::Hello(hello))
}

/// The line that tells every seat how a match has ended.
pub(crate) fn over_line(state: &MatchState, result: &MatchResult) -> Vec<u8> {
    line_of(&FromReferee::Over(Over {
        points: result.points(),
        places: result.places(),
        reason: result.reason.clone(),
        view: RawValue::from_string(state.final_view()).expect("a view is JSON"),
    }))
}

fn line_of(message: &FromReferee) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("a message is JSON");
    line.push(b'\n');
    line
}

/// The parts of a turn's line, in buffers that every turn reuses.
#[derive(Default)]
pub(crate) struct TurnParts {
    /// By seat, the time for its next move, in whole milliseconds.
    clocks: Vec<u64>,
    /// By seat, the fuel for its next move.
    fuel: Vec<Option<u64>>,
    /// By seat, what its last answer was charged, in whole milliseconds.
    charged: Vec<Option<u64>>,
    view: Vec<u8>,
    actions: Vec<u8>,
    events: Vec<u8>,
}

impl TurnParts {
    /// Reads the clocks, which are the same for all seats that are asked at once.
    pub(crate) fn take_clocks(&mut self, state: &MatchState) {
        let ms = state.clocks.iter().map(|clock| clock.for_move() / 1000);
        self.clocks.clear();
        self.clocks.extend(ms);
        let fuel = state.clocks.iter().map(SeatClock::fuel_for_move);
        self.fuel.clear();
        self.fuel.extend(fuel);
        let charged = state.clocks.iter().map(SeatClock::charged_ms);
        self.charged.clear();
        self.charged.extend(charged);
    }

    /// The legal actions if the seat's bot wants them, the clocks, the seat's view, and what it has learnt if its bot
    /// wants that. The seat is asked now: what it learns from here on is for its next turn.
    pub(crate) fn of(
        &mut self,
        table: &mut dyn Table,
        seat: Seat,
        wants_actions: bool,
        event_log: &mut EventLog,
    ) -> TurnText<'_> {
        self.view.clear();
        table.write_view(Viewer::Seat(seat), &mut self.view);
        if wants_actions {
            self.actions.clear();
            table.write_actions(seat, &mut self.actions);
        }
        self.events.clear();
        let wants_events = event_log.write(seat, &mut self.events);
        TurnText {
            actions: wants_actions.then_some(&self.actions[..]),
            clocks: &self.clocks,
            fuel: self.fuel[usize::from(seat)],
            charged: self.charged[usize::from(seat)],
            view: &self.view,
            events: wants_events.then_some(&self.events[..]),
        }
    }
}

/// A line that a seat was sent in a recorded match.
#[derive(Clone, Debug)]
pub struct SentLine<'r> {
    /// The actions that had been taken in the match before.
    pub plies: u64,
    /// The number of the question, from 1, where it is a turn.
    pub question: Option<u64>,
    /// The line, without its newline.
    pub line: String,
    /// The time that the seat had to answer, in microseconds; none where no answer is due.
    pub allowance_us: Option<u64>,
    /// What came back.
    pub answer: RecordedAnswer<'r>,
}

/// What a seat answered in a recorded match.
#[derive(Clone, Copy, Debug)]
pub enum RecordedAnswer<'r> {
    /// It was ready.
    Ready(&'r ReadyLine),
    /// It acted.
    Act(&'r ActLine),
    /// It had a fault.
    Fault(&'r FaultLine),
    /// No answer was due.
    Nothing,
}

impl SentLine<'_> {
    /// Whether this is the turn after so many plies of all seats.
    pub fn asks_at(&self, ply: u64) -> bool {
        self.question.is_some() && self.plies == ply
    }
}

/// What one seat was sent in a recorded match, line by line.
///
/// It trusts the record as far as the rules do; whether all of it is true is [`verify`](crate::verify)'s question.
pub struct Questions<'r> {
    record: &'r Record,
    seat: Seat,
    seed: MatchSeed,
    state: MatchState,
    parts: TurnParts,
    /// The table as it was when the last line was sent.
    shown: Box<dyn Table>,
    wants_actions: bool,
    wants_events: bool,
    event_log: EventLog,
    /// Whether the record has that the seat wrote before it was asked, for which it fell.
    fell_early: bool,
    /// The number of the seat's last question.
    id: u64,
    /// The next line of the record.
    at: usize,
    next: QuestionPhase,
}

enum QuestionPhase {
    Hello,
    Turns,
    Done,
}

/// What the record has of a turn in which seats were asked.
struct TurnLines<'r> {
    faults: Vec<&'r FaultLine>,
    acts: &'r [ActLine],
}

impl<'r> Questions<'r> {
    /// The lines to this seat, from the first.
    ///
    /// # Errors
    /// When the record has no such seat or only a person on it, or begins with what the rules do not know.
    pub fn of(record: &'r Record, seat: Seat) -> Result<Self, VerifyError> {
        let header = &record.header;
        let wrong = |what| Err(VerifyError::at(1, what));
        match header.seats.get(usize::from(seat)) {
            None => return wrong(format!("there is no seat {seat}")),
            Some(line) if line.kind == PERSON => {
                return wrong(format!("seat {seat} was a person's, who was sent nothing"));
            }
            Some(_) => {}
        }
        let seed = revealed_seed(record)?;
        let setup = set_up(record, flipside_games::find)?;
        let shown = setup.table.copy();
        Ok(Questions {
            record,
            seat,
            seed,
            state: MatchState::new(setup, header.seat_clocks(), &seed),
            parts: TurnParts::default(),
            shown,
            wants_actions: false,
            wants_events: false,
            event_log: EventLog::new(header.seats.len()),
            fell_early: false,
            id: 0,
            at: 0,
            next: QuestionPhase::Hello,
        })
    }

    /// Lets the turns that follow list the legal actions and the events, or not, whatever the recorded bot wanted.
    pub fn wants(&mut self, actions: bool, events: bool) {
        (self.wants_actions, self.wants_events) = (actions, events);
    }

    /// The table as it was when the last line was sent.
    pub fn table(&self) -> &dyn Table {
        &*self.shown
    }

    /// Whether the seat fell for a line that it had written before it was asked: then it was not sent the question. It
    /// is known when there is no next line.
    pub fn fell_early(&self) -> bool {
        self.fell_early
    }

    /// The seed that this seat's bot was given.
    pub fn bot_seed(&self) -> u64 {
        self.seed.of_bot(self.seat)
    }

    /// The next line that the seat was sent.
    ///
    /// # Errors
    /// When the record has a line that the rules do not allow.
    pub fn next_sent(&mut self) -> Result<Option<SentLine<'r>>, VerifyError> {
        match self.next {
            QuestionPhase::Hello => {
                self.next = QuestionPhase::Turns;
                (self.greeting()).map_err(|what| VerifyError::at(2, what))
            }
            QuestionPhase::Turns => self.turn_or_over(),
            QuestionPhase::Done => Ok(None),
        }
    }

    /// The `hello`; after it, all seats have answered theirs.
    fn greeting(&mut self) -> Result<Option<SentLine<'r>>, String> {
        let seats = self.record.header.seats.len();
        let mut answer = RecordedAnswer::Nothing;
        let mut fell = Seats::NONE;
        let allowance_us = self.state.clocks[usize::from(self.seat)].for_ready();
        let lines: Vec<&Line> = self.ahead().map(|(_, line)| line).take(seats).collect();
        for line in lines {
            let (seat, theirs) = match line {
                Line::Ready(ready) => {
                    // Of this seat, all is kept: another bot may want it.
                    self.event_log.wants(ready.seat, ready.seat == self.seat);
                    if let Some(clock) = self.state.clocks.get_mut(usize::from(ready.seat)) {
                        clock.ready_took(ready.us);
                    }
                    (ready.seat, RecordedAnswer::Ready(ready))
                }
                Line::Fault(fault) => {
                    if usize::from(fault.seat) >= seats {
                        return Err(format!("there is no seat {}", fault.seat));
                    }
                    self.event_log.fault(fault.seat, fault.fault);
                    fell = fell.with(fault.seat);
                    (fault.seat, RecordedAnswer::Fault(fault))
                }
                // A match that is decided before it begins has no further lines.
                _ => break,
            };
            if seat == self.seat {
                answer = theirs;
            }
            self.at += 1;
        }
        self.state.disqualify(fell);
        match answer {
            RecordedAnswer::Ready(ready) => self.wants(ready.actions, ready.events),
            RecordedAnswer::Fault(fault) => {
                if self.falls_early(fault) || fault.fault == FaultKind::Forfeit {
                    return Ok(None);
                }
            }
            RecordedAnswer::Act(_) | RecordedAnswer::Nothing => {}
        }
        let header = &self.record.header;
        let line = &header.seats[usize::from(self.seat)];
        let hello = hello_line(&hello_of(header), self.seat, line, &self.seed);
        Ok(Some(SentLine {
            plies: 0,
            question: None,
            line: text_of(hello),
            allowance_us: Some(allowance_us),
            answer,
        }))
    }

    fn turn_or_over(&mut self) -> Result<Option<SentLine<'r>>, VerifyError> {
        loop {
            let number = self.ahead().next().map_or(0, |(number, _)| *number);
            let wrong = |what: String| VerifyError::at(number, what);
            match self.state.next() {
                NextStep::Decided => return Ok(Some(self.over())),
                _ if self.at == self.record.lines.len() => {
                    let what = "the record stops before the match is decided";
                    return Err(VerifyError::End(what.into()));
                }
                NextStep::Chance => self.chance().map_err(wrong)?,
                NextStep::Seats { .. } if self.opening().map_err(wrong)? => {}
                NextStep::Seats { asked, .. } => {
                    if let Some(sent) = self.turn(asked).map_err(wrong)? {
                        return Ok(Some(sent));
                    }
                    if matches!(self.next, QuestionPhase::Done) {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn ahead(&self) -> std::slice::Iter<'r, (usize, Line)> {
        let record: &'r Record = self.record;
        record.lines[self.at..].iter()
    }

    fn chance(&mut self) -> Result<(), String> {
        let Some((_, Line::Chance { event })) = self.ahead().next() else {
            return Err("the rules ask for a draw here".into());
        };
        self.at += 1;
        let taken = self.state.table.chance(event.get());
        self.event_log.chance(event.get(), &*self.state.table);
        taken.map_err(|refusal| refusal.to_string())
    }

    /// Takes the opening, if it comes next.
    fn opening(&mut self) -> Result<bool, String> {
        let Some((_, Line::Opening { acts })) = self.ahead().next() else {
            return Ok(false);
        };
        self.at += 1;
        for act in acts {
            let acted = self.state.act(&[(act.seat, &act.action)]);
            (self.event_log).acts(&[(act.seat, &act.action)], &*self.state.table);
            acted.map_err(|refusal| refusal.to_string())?;
        }
        Ok(true)
    }

    /// Takes a turn in which these seats were asked; nothing where the seat was sent nothing in it.
    fn turn(&mut self, asked: Seats) -> Result<Option<SentLine<'r>>, String> {
        let lines = self.turn_lines()?;
        let is_asked = asked.contains(self.seat);
        let fault = lines.faults.iter().find(|fault| fault.seat == self.seat);
        let act = lines.acts.iter().find(|act| act.seat == self.seat);
        let answer = match (fault, act) {
            (Some(fault), _) => RecordedAnswer::Fault(fault),
            (None, Some(act)) => RecordedAnswer::Act(act),
            // Another seat's fault has decided the match before this answer was judged.
            (None, None) => RecordedAnswer::Nothing,
        };
        let sent = is_asked.then(|| self.question(answer));
        self.take(&lines)?;
        if fault.is_some_and(|fault| self.falls_early(fault)) {
            return Ok(None);
        }
        Ok(sent)
    }

    /// The seat has fallen. Returns whether that was for a line that it wrote before it was asked.
    fn falls_early(&mut self, fault: &FaultLine) -> bool {
        self.next = QuestionPhase::Done;
        self.fell_early = was_early(fault);
        self.fell_early
    }

    /// The question that the seat is asked now.
    fn question(&mut self, answer: RecordedAnswer<'r>) -> SentLine<'r> {
        self.id += 1;
        self.shown = self.state.table.copy();
        self.parts.take_clocks(&self.state);
        let table = &mut *self.state.table;
        let turn = (self.parts).of(table, self.seat, self.wants_actions, &mut self.event_log);
        let turn = TurnText {
            events: turn.events.filter(|_| self.wants_events),
            ..turn
        };
        let mut line = Vec::new();
        write_turn(&mut line, self.id, &turn);
        SentLine {
            plies: self.state.plies,
            question: Some(self.id),
            line: text_of(line),
            allowance_us: Some(self.state.clocks[usize::from(self.seat)].for_move()),
            answer,
        }
    }

    /// The faults and the actions of the turn that comes next.
    fn turn_lines(&mut self) -> Result<TurnLines<'r>, String> {
        let mut lines = TurnLines {
            faults: Vec::new(),
            acts: &[],
        };
        for (_, line) in self.ahead() {
            match line {
                Line::Fault(fault) => lines.faults.push(fault),
                Line::Acts { acts } => {
                    lines.acts = acts;
                    self.at += 1;
                    break;
                }
                _ => break,
            }
            self.at += 1;
        }
        let seats = self.state.clocks.len();
        let mut named = (lines.faults.iter().map(|fault| fault.seat))
            .chain(lines.acts.iter().map(|act| act.seat))
            .peekable();
        let is_turn = named.peek().is_some() && named.all(|seat| usize::from(seat) < seats);
        ensure(is_turn, || "the rules ask seats here".into())?;
        Ok(lines)
    }

    /// The clocks run, the faults count together, and the table takes the actions.
    fn take(&mut self, lines: &TurnLines<'_>) -> Result<(), String> {
        for act in lines.acts {
            let clock = &mut self.state.clocks[usize::from(act.seat)];
            if let Some(us) = act.us {
                clock.move_took(us);
            }
            if let Some(paused) = &act.paused {
                clock.stood_still(paused.us);
            }
        }
        for fault in lines.faults.iter().filter(|fault| was_judged(fault)) {
            self.state.clocks[usize::from(fault.seat)].move_took(fault.us);
        }
        for fault in &lines.faults {
            self.event_log.fault(fault.seat, fault.fault);
        }
        let fell = lines.faults.iter().map(|fault| fault.seat).collect();
        self.state.disqualify(fell);
        if lines.acts.is_empty() {
            return match self.state.next() {
                NextStep::Decided => Ok(()),
                _ => Err("the actions of the turn are missing".into()),
            };
        }
        let acts = lines.acts.iter();
        let acts: Vec<(Seat, &str)> = acts.map(|act| (act.seat, &*act.action)).collect();
        let acted = self.state.act(&acts);
        self.event_log.acts(&acts, &*self.state.table);
        acted.map_err(|refusal| refusal.to_string())
    }

    fn over(&mut self) -> SentLine<'r> {
        self.next = QuestionPhase::Done;
        self.shown = self.state.table.copy();
        let seats = vec![SeatResult::default(); self.record.header.seats.len()];
        let over = over_line(&self.state, &self.state.result(seats));
        SentLine {
            plies: self.state.plies,
            question: None,
            line: text_of(over),
            allowance_us: None,
            answer: RecordedAnswer::Nothing,
        }
    }
}

fn text_of(mut line: Vec<u8>) -> String {
    line.pop();
    String::from_utf8(line).expect("messages are text")
}
