//! Refereeing a record again, without the bots.
//!
//! Every line is judged by the rules that the referee judged by: the draws must be those of the
//! revealed seed, and the seed that which was committed to; actions legal and in time; faults such
//! as their evidence shows; the outcome that of the rules. What only the referee could see (that a
//! bot crashed, or how long it took) is taken from the record.

use std::collections::BTreeMap;
use std::fmt::Display;

use flipside_games::{AnyGame, GameFailure, MAX_SEATS, Refusal, Seat, Seats, Setup};
use flipside_protocol::{FromBot, MAX_PAUSES};
use serde_json::value::RawValue;

use crate::fault::{FaultKind, LONGEST_EVIDENCE};
use crate::opening::opening_fits;
use crate::ranges::{self, AskContext, SeatKind, ensure};
use crate::record::{ActLine, FaultLine, Header, Line, NoteQuota, ReadyLine, Record, RecordError};
use crate::result::{MatchResult, SeatResult};
use crate::seed::MatchSeed;
use crate::state::{MatchState, NextStep};

/// What was found true.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The record.
    pub record: Record,
    /// Draws of chance that were drawn again.
    pub draws: u64,
    /// Faults that the record shows by evidence.
    pub faults_shown: u64,
    /// Faults that no evidence shows: that a bot was late, closed its output, crashed.
    pub faults_told: u64,
}

/// Why a record is not true.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// It is not a whole record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A line is not what the rules give.
    #[error("line {line}: {what}")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The end is not what the rules give.
    #[error("the end: {0}")]
    End(String),
    /// The game is a program that is not here.
    #[error("the program of the game {game} is needed, with the SHA-256 {sha256}")]
    NoProgram {
        /// The id of the game.
        game: String,
        /// The SHA-256 of its program, hexadecimal.
        sha256: String,
    },
    /// The program of the game failed, which says nothing of the record.
    #[error(transparent)]
    Game(#[from] GameFailure),
    /// The game is another program here.
    #[error("the game {game} is {here} here, and the record was made with {there}")]
    OtherProgram {
        /// The id of the game.
        game: String,
        /// The SHA-256 of its program here, hexadecimal, or that it is built in.
        here: String,
        /// That of the record.
        there: String,
    },
}

impl VerifyError {
    /// Something is wrong with the line of this number.
    pub(crate) fn at(line: usize, what: impl Display) -> Self {
        let what = what.to_string();
        VerifyError::Line { line, what }
    }

    /// The way out, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            VerifyError::Record(error) => error.hint(),
            VerifyError::NoProgram { .. } => {
                Some("name the file or the folder of the game: --game GAME")
            }
            VerifyError::Game(_) => Some(
                "nothing is said of the record; `flipside game check` tries the program as matches do",
            ),
            VerifyError::OtherProgram { .. } => Some(
                "a record belongs to the exact files of its game; if they have changed, name a copy of the old ones: --game GAME",
            ),
            VerifyError::Line { .. } | VerifyError::End(_) => {
                Some("the record does not tell what happened; its result should not count")
            }
        }
    }
}

/// Referees a record of a built-in game again.
///
/// # Errors
/// Names the first line that is not as the rules have it.
pub fn verify(text: &str) -> Result<Verified, VerifyError> {
    verify_with(text, flipside_games::find)
}

/// Referees a record again, of any game that `find` knows by its id.
///
/// # Errors
/// Names the first line that is not as the rules have it.
pub fn verify_with(
    text: &str,
    find: impl FnOnce(&str) -> Option<&'static dyn AnyGame>,
) -> Result<Verified, VerifyError> {
    let record = Record::read(text)?;
    let seed = revealed_seed(&record)?;
    if seed.commitment() != record.header.commitment {
        return Err(VerifyError::End(
            "the revealed seed is not the one that was committed to".into(),
        ));
    }
    let setup = set_up(&record, find)?;
    let opening_plies = record.header.opening_plies;
    opening_fits(setup.table.info(), opening_plies).map_err(|error| VerifyError::at(1, error))?;
    let kinds = ranges::header(&record.header).map_err(|what| VerifyError::at(1, what))?;
    ranges::over(&record.over).map_err(VerifyError::End)?;
    let mut judge = RecordJudge {
        state: MatchState::new(setup, record.header.seat_clocks(), &seed),
        notes: NoteQuota::default(),
        kinds,
        last: None,
        ids: vec![0; record.header.seats.len()],
        pending: BTreeMap::new(),
        ready: Seats::NONE,
        starting: true,
        opening: (opening_plies > 0).then_some((opening_plies, seed)),
        buffer: Vec::new(),
        draws: 0,
        faults_shown: 0,
        faults_told: 0,
    };
    for (number, line) in &record.lines {
        let judged = judge.line(line);
        // Where the program of the game failed, nothing was judged.
        judge.state.not_failed()?;
        judged.map_err(|what| VerifyError::at(*number, what))?;
    }
    let ended = judge.end(&record);
    judge.state.not_failed()?;
    ended.map_err(VerifyError::End)?;
    Ok(Verified {
        record,
        draws: judge.draws,
        faults_shown: judge.faults_shown,
        faults_told: judge.faults_told,
    })
}

/// The seed that a record reveals at its end.
pub(crate) fn revealed_seed(record: &Record) -> Result<MatchSeed, VerifyError> {
    let seed = record.over.seed.parse::<MatchSeed>();
    let seed =
        seed.map_err(|_| VerifyError::End("the seed is not 64 hexadecimal digits".into()))?;
    Ok(seed.numbered(record.header.number))
}

/// The table that a record begins with. Its options must be written out in full.
pub(crate) fn set_up(
    record: &Record,
    find: impl FnOnce(&str) -> Option<&'static dyn AnyGame>,
) -> Result<Setup, VerifyError> {
    let header = &record.header;
    let unknown = || match &header.game_sha256 {
        None => VerifyError::at(1, format!("the game {:?} is not known here", header.game)),
        Some(sha256) => VerifyError::NoProgram {
            game: header.game.clone(),
            sha256: sha256.clone(),
        },
    };
    let is_it = |game: &&dyn AnyGame| same_program(header, *game).is_ok();
    let found = find(&header.game);
    // It may be known under another version, or by its path.
    let by_program = || {
        let sha256 = header.game_sha256.as_ref()?;
        flipside_games::find_program(&header.game, sha256)
    };
    let game = found.filter(is_it).or_else(by_program).or(found);
    let game = game.ok_or_else(unknown)?;
    same_program(header, game)?;
    let seats = u8::try_from(header.seats.len()).unwrap_or(u8::MAX);
    let setup = game.set_up(header.options.get(), seats);
    let setup = setup.map_err(|error| VerifyError::at(1, error))?;
    if let Some(failure) = setup.table.failure() {
        return Err(failure.into());
    }
    if setup.options != header.options.get() {
        return Err(VerifyError::at(
            1,
            "the options are not written out in full",
        ));
    }
    Ok(setup)
}

/// Makes sure that a game is the one that a record was made with, as far as programs tell.
fn same_program(header: &Header, game: &dyn AnyGame) -> Result<(), VerifyError> {
    let here = game.program().map(|program| &program.sha256);
    if here == header.game_sha256.as_ref() {
        return Ok(());
    }
    let of = |sha256: Option<&String>| sha256.map_or("built in", String::as_str).to_owned();
    Err(VerifyError::OtherProgram {
        game: header.game.clone(),
        here: of(here),
        there: of(header.game_sha256.as_ref()),
    })
}

/// Whether a bot fell for a line that it wrote before it was asked: then the question was not sent. Of this fault alone
/// there is no evidence, because the line may be the very answer.
pub(crate) fn was_early(fault: &FaultLine) -> bool {
    fault.fault == FaultKind::Unasked && fault.evidence.is_none()
}

/// Whether an answer came in time and the rules refused its action: its time was taken off the clock by then.
pub(crate) fn was_judged(fault: &FaultLine) -> bool {
    match (fault.fault, &fault.evidence) {
        (FaultKind::Illegal, _) => true,
        (FaultKind::Malformed, Some(line)) if line.len() < LONGEST_EVIDENCE - 3 => {
            matches!(FromBot::read(line), Ok(FromBot::Act(_)))
        }
        // It was cut. What no reader of messages understands is called "not a message".
        (FaultKind::Malformed, Some(_)) => !fault.detail.starts_with("not a message"),
        _ => false,
    }
}

/// The state of the match, and the faults of the turn that is being read.
struct RecordJudge {
    state: MatchState,
    /// By seat, who sits there.
    kinds: Vec<SeatKind>,
    notes: NoteQuota,
    /// The seat of the last line of those that come by ascending seat: who is ready or falls at the start, and
    /// who falls in a turn.
    last: Option<Seat>,
    /// By seat, the number of its last question.
    ids: Vec<u64>,
    /// The faults since the last step, by seat; they count together, when the next step comes.
    pending: BTreeMap<Seat, FaultKind>,
    /// Who has answered `hello`.
    ready: Seats,
    /// Whether the first step is still to come.
    starting: bool,
    /// The plies of the opening that is still to come, and the seed that they are drawn from.
    opening: Option<(u32, MatchSeed)>,
    /// Where draws are written, one after the other.
    buffer: Vec<u8>,
    draws: u64,
    faults_shown: u64,
    faults_told: u64,
}

impl RecordJudge {
    fn line(&mut self, line: &Line) -> Result<(), String> {
        match line {
            Line::Ready(ready) => self.ready(ready),
            Line::Fault(fault) => self.fault(fault),
            Line::Opening { acts } => self.opening(acts),
            Line::Chance { event } => self.chance(event),
            Line::Acts { acts } => self.acts(acts),
            Line::Over(_) | Line::End { .. } => Err("the record ends here, and goes on".into()),
        }
    }

    fn ready(&mut self, line: &ReadyLine) -> Result<(), String> {
        let (seat, us) = (line.seat, line.us);
        self.seat(seat)?;
        if !self.starting || self.ready.contains(seat) || self.pending.contains_key(&seat) {
            return Err(format!(
                "seat {seat} is ready at a time when it was not asked"
            ));
        }
        self.ready = self.ready.with(seat);
        if !self.state.clocks[usize::from(seat)].ready_took(us) {
            return Err(format!(
                "seat {seat} was ready after {us} µs, which is too late, and is not out"
            ));
        }
        self.ascends(seat)?;
        ranges::ready(line, &self.asked(seat))
    }

    /// Lines of one turn come by ascending seat.
    fn ascends(&mut self, seat: Seat) -> Result<(), String> {
        match self.last.replace(seat) {
            Some(last) if last >= seat => Err(format!(
                "seat {seat} comes after seat {last}, and they were asked together"
            )),
            _ => Ok(()),
        }
    }

    /// When a seat was asked, and what it has now.
    fn asked(&self, seat: Seat) -> AskContext {
        let clock = &self.state.clocks[usize::from(seat)];
        AskContext {
            kind: self.kinds[usize::from(seat)],
            unit: clock.unit,
            starting: self.starting,
            allowance_us: match self.starting {
                true => clock.for_ready(),
                false => clock.for_move(),
            },
            patience_us: match self.starting {
                true => None,
                false => clock.move_time().patience_us,
            },
        }
    }

    fn opening(&mut self, acts: &[ActLine]) -> Result<(), String> {
        self.settle()?;
        if self.state.next() == NextStep::Decided {
            return Err("the match was decided before this".into());
        }
        let Some((plies, seed)) = self.opening.take() else {
            return Err("an opening comes where there is none".into());
        };
        let drawn = self
            .state
            .open(plies, &seed)
            .map_err(|failure| failure.to_string())?;
        let same = |(act, (seat, action)): (&ActLine, &(Seat, String))| {
            act.seat == *seat && act.action == *action && act.us.is_none()
        };
        for act in acts {
            self.seat(act.seat)?;
            ranges::act(act, &self.asked(act.seat))?;
        }
        let is_it = acts.len() == drawn.len() && acts.iter().zip(&drawn).all(same);
        ensure(is_it, || {
            format!("the seed draws another opening: {drawn:?}")
        })
    }

    /// The match goes on only when its opening was there.
    fn opened(&self) -> Result<(), String> {
        match self.opening {
            None => Ok(()),
            Some((plies, _)) => Err(format!("the opening of {plies} plies is missing")),
        }
    }

    fn chance(&mut self, event: &RawValue) -> Result<(), String> {
        self.settle()?;
        self.opened()?;
        if self.state.next() != NextStep::Chance {
            return Err("a draw comes where the rules ask for none".into());
        }
        let drawn = self.state.sample(&mut self.buffer);
        let drawn = drawn.map_err(|failure| failure.to_string())?;
        if drawn != event.get() {
            // The same event may be written with other spaces, or its keys in another order.
            let value = |text: &str| {
                serde_json::from_str::<serde_json::Value>(text).map_err(|error| error.to_string())
            };
            let (drawn, event) = (value(drawn)?, value(event.get())?);
            if drawn != event {
                return Err(format!(
                    "the seed draws {drawn}, and the record has {event}"
                ));
            }
        }
        self.draws += 1;
        Ok(())
    }

    fn acts(&mut self, acts: &[ActLine]) -> Result<(), String> {
        let faulted: Seats = self.pending.keys().copied().collect();
        let before = self.state.next();
        self.settle()?;
        self.opened()?;
        let NextStep::Seats {
            asked,
            disqualified,
        } = self.state.next()
        else {
            return Err(match before {
                NextStep::Decided => "the match was decided before this".into(),
                _ => "actions come where the rules ask for none".into(),
            });
        };
        if !asked
            .chain(disqualified)
            .collect::<Seats>()
            .eq(acts.iter().map(|act| act.seat))
        {
            return Err("these are not the seats that the rules ask, in ascending order".into());
        }
        for act in acts {
            let seat = act.seat;
            let what = |what: String| format!("seat {seat}, {:?}: {what}", act.action);
            let before = self.asked(seat);
            match act.us {
                Some(us) if asked.contains(seat) => {
                    if !self.state.clocks[usize::from(seat)].move_took(us) {
                        return Err(what(format!("it took {us} µs, which is too late")));
                    }
                    if let Some(paused) = &act.paused {
                        // How long that may be, the ranges say.
                        self.state.clocks[usize::from(seat)].stood_still(paused.us);
                    }
                    self.ids[usize::from(seat)] += 1;
                }
                None if disqualified.contains(seat) => {
                    let due = self.state.stand_in(seat);
                    let due = due.map_err(|failure| failure.to_string())?;
                    if due != act.action {
                        return Err(what(format!(
                            "the stand-in's action from the seed is {due:?}"
                        )));
                    }
                    if !faulted.contains(seat) {
                        self.ids[usize::from(seat)] += 1;
                    }
                }
                Some(_) => return Err(what("the bot of this seat was disqualified".into())),
                None => {
                    return Err(what(
                        "the bot of this seat was not disqualified, and its time is missing".into(),
                    ));
                }
            }
            ranges::act(act, &before).map_err(what)?;
            ranges::note(act, &mut self.notes).map_err(what)?;
        }
        // They are of different seats.
        let mut choices = [(0, ""); MAX_SEATS];
        for (choice, act) in choices.iter_mut().zip(acts) {
            *choice = (act.seat, act.action.as_str());
        }
        let acted = self.state.act(&choices[..acts.len()]);
        acted.map_err(|refusal| refusal.to_string())
    }

    fn fault(&mut self, fault: &FaultLine) -> Result<(), String> {
        let seat = fault.seat;
        self.seat(seat)?;
        if self.starting && self.ready.contains(seat) {
            // Who was ready falls in the first turn, which begins when all were asked to be.
            self.settle()?;
        }
        let asked = if self.starting {
            Seats::first(self.ids.len() as u8)
        } else {
            self.opened()?;
            match self.state.next() {
                NextStep::Seats { asked, .. } => asked,
                NextStep::Chance | NextStep::Decided => Seats::NONE,
            }
        };
        if !asked.contains(seat) || self.pending.contains_key(&seat) {
            return Err(format!("seat {seat} falls at a time when it was not asked"));
        }
        self.ids[usize::from(seat)] += 1;
        match self.shown(fault)? {
            true => self.faults_shown += 1,
            false => self.faults_told += 1,
        }
        self.ascends(seat)?;
        ranges::fault(fault, &self.asked(seat)).map_err(|what| format!("seat {seat}: {what}"))?;
        self.pending.insert(seat, fault.fault);
        Ok(())
    }

    /// Whether the evidence shows the fault; an error where it shows that there was none.
    fn shown(&self, fault: &FaultLine) -> Result<bool, String> {
        let seat = usize::from(fault.seat);
        let starting = self.starting;
        let allowance = self.asked(fault.seat).allowance_us;
        if fault.fault == FaultKind::Late {
            // No evidence shows the time itself.
            let is_late = ensure(fault.us >= allowance, || {
                format!("{} µs of {allowance} µs is not late", fault.us)
            });
            return is_late.map(|()| false);
        }
        if fault.fault == FaultKind::Forfeit && !starting {
            return Err("a bot that came to the match cannot forfeit it".into());
        }
        let Some(line) = fault.evidence.as_deref() else {
            return match fault.fault {
                FaultKind::Malformed | FaultKind::Illegal => Err(format!(
                    "the bot's answer was {}, and is not there",
                    fault.fault
                )),
                _ => Ok(false),
            };
        };
        if line.len() >= LONGEST_EVIDENCE - 3 {
            // It was cut, and what is left shows nothing.
            return Ok(false);
        }
        let message = FromBot::read(line);
        let refusal = match &message {
            Ok(FromBot::Act(act)) if !starting => {
                self.state.table.check(fault.seat, &act.action).err()
            }
            _ => None,
        };
        let shown = match fault.fault {
            FaultKind::Malformed => match &message {
                // Who asks for a list that the game does not have.
                Ok(FromBot::Ready(ready)) if starting => {
                    ready.actions && !self.state.table.lists_actions()
                }
                message => message.is_err() || matches!(refusal, Some(Refusal::Malformed(_))),
            },
            FaultKind::Illegal => matches!(refusal, Some(Refusal::Illegal(_))),
            FaultKind::Unasked => match message {
                Ok(FromBot::Act(act)) => starting || act.id != self.ids[seat],
                Ok(FromBot::Ready(_)) => !starting,
                Ok(FromBot::Pause(_)) => {
                    let times = fault.paused.as_ref().map_or(0, |paused| paused.times);
                    self.asked(fault.seat).patience_us.is_none() || times == MAX_PAUSES
                }
                Err(_) => false,
            },
            FaultKind::Late
            | FaultKind::Closed
            | FaultKind::Crashed
            | FaultKind::TooLong
            | FaultKind::NotText
            | FaultKind::Memory
            | FaultKind::Forfeit => false,
        };
        let shown = ensure(shown, || {
            format!(
                "the evidence does not show that the bot's answer was {}",
                fault.fault
            )
        });
        shown.map(|()| true)
    }

    /// The faults of the turn take effect, together.
    fn settle(&mut self) -> Result<(), String> {
        if self.starting {
            let there: Seats = self.pending.keys().copied().chain(self.ready).collect();
            if there.len() != self.ids.len() {
                return Err("the match begins before every seat was ready or disqualified".into());
            }
            self.ids.fill(0);
            self.ready = Seats::first(self.ids.len() as u8);
        }
        let fell: Seats = std::mem::take(&mut self.pending).into_keys().collect();
        self.last = None;
        self.starting = false;
        self.state.disqualify(fell);
        Ok(())
    }

    fn seat(&self, seat: Seat) -> Result<(), String> {
        ensure(usize::from(seat) < self.ids.len(), || {
            format!("there is no seat {seat}")
        })
    }

    fn end(&mut self, record: &Record) -> Result<(), String> {
        self.settle()?;
        if self.state.next() != NextStep::Decided {
            return Err("the record stops before the match is decided".into());
        }
        let over = &record.over;
        let result = (self.state).result(vec![SeatResult::default(); self.ids.len()]);
        let MatchResult { reason, plies, .. } = &result;
        let (points, places) = (result.points(), result.places());
        let same = points == over.points && places == over.places && *reason == over.reason;
        ensure(same && *plies == over.plies, || {
            format!(
                "the rules give points {points:?}, places {places:?}, reason {reason}, {plies} plies; the record says {:?}, {:?}, {}, {}",
                over.points, over.places, over.reason, over.plies,
            )
        })
    }
}
