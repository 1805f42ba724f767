//! A match that was played, as one value: who sat where, what happened step by step, and what everybody saw. The
//! command, its screen and the pages show it; this module decides what a viewer may know of it.
//!
//! The value holds what happened. Boards are drawn on demand by [`Frames`], which walks through the record again.

mod frames;
mod json;
pub(crate) mod parts;
#[cfg(test)]
mod tests;
mod words;

use flipside_games::{Info, Seat, SeatTurn, Table, Viewer};
use flipside_referee::{
    ActLine, FaultLine, Line, Paused, Record, Replay, SeatLine, VerifyError, without_stderr,
};
use flipside_tournament::single_match_points;

use crate::failure::{Failure, Result};

pub use self::parts::{
    MatchReplay, ReplayAct, ReplayChance, ReplayFault, ReplayHeader, ReplayReady, ReplaySeat,
    ReplayStep, StepKind,
};
pub use frames::Frames;
pub use json::REPLAY_FORMAT;
pub use words::in_ms;

impl MatchReplay {
    /// Reads a record, to be shown to a viewer: [`Viewer::Open`] knows everything, a seat only what it learnt.
    ///
    /// # Errors
    /// When the text is not a record that can be replayed, or the match has not this seat.
    pub fn read(text: &str, seen_by: Viewer) -> Result<Self> {
        let record = Record::read(text).map_err(VerifyError::from)?;
        if let Viewer::Seat(seat) = seen_by {
            line_of_seat(&record, seat)?;
        }
        Ok(MatchReplay::new(record, seen_by)?)
    }

    /// Returns a match to be shown to a viewer.
    ///
    /// # Errors
    /// When the rules refuse a line of the record.
    pub fn new(record: Record, seen_by: Viewer) -> Result<Self, VerifyError> {
        let mut replay = Replay::new(&record)?;
        let info = replay.table().info();
        let seats = 0..record.header.seats.len() as Seat;
        let sides: Vec<u8> = seats.map(|seat| replay.table().side(seat)).collect();
        let mut steps = vec![ReplayStep::of(StepKind::Start, 0)];
        let mut open_from = None;
        let mut ply = 0;
        for (_, line) in &record.lines {
            let mut acts = Vec::new();
            let is_opening = matches!(line, Line::Opening { .. });
            replay
                .step_by_act(|table, act| acts.push(seen_act(act, is_opening, seen_by, table)))?;
            for act in &mut acts {
                act.clock_us = act.us.and_then(|_| replay.clock_us(act.seat));
            }
            ply += line.plies();
            if open_from.is_none() && matches!(replay.table().turn(), SeatTurn::Over(_)) {
                open_from = Some(steps.len());
            }
            steps.push(seen(line, acts, ply, seen_by, replay.table()));
        }
        steps.push(ReplayStep::of(StepKind::Over, ply));
        let header = ReplayHeader::of(&record, info, &sides)?;
        Ok(MatchReplay {
            header,
            open_from: open_from.unwrap_or(steps.len() - 1),
            steps,
            record,
            seen_by,
        })
    }

    /// Leaves out what bots wrote to stderr, which the details of faults quote and only their authors may read.
    #[must_use]
    pub fn without_stderr(mut self) -> Self {
        for fault in self.steps.iter_mut().filter_map(|step| step.fault.as_mut()) {
            let shown = fault.detail.as_deref().map(without_stderr);
            fault.detail = shown.map(str::to_owned);
        }
        self
    }

    /// Returns for whom the match is shown.
    pub fn seen_by(&self) -> Viewer {
        self.seen_by
    }

    /// Returns the viewers whose views can be shown, the widest first. Where a game hides nothing, all would see the
    /// same.
    pub fn viewers(&self) -> Vec<Viewer> {
        match self.seen_by {
            Viewer::Open if self.header.secrets => {
                let seats = self.header.seats.iter().map(|seat| Viewer::Seat(seat.seat));
                let others = [Viewer::Open, Viewer::Public].into_iter();
                others.chain(seats).collect()
            }
            seen_by => vec![seen_by],
        }
    }

    /// Returns what can be drawn at every step.
    ///
    /// # Errors
    /// When the game refuses the options.
    pub fn frames(&self) -> Result<Frames<'_>, VerifyError> {
        Frames::new(self)
    }

    /// Returns the step that takes this ply, alone or with others of an opening or of seats that act at once; the start
    /// for ply 0; none: the match has fewer.
    pub fn step_of_ply(&self, ply: u64) -> Option<usize> {
        use StepKind::{Acts, Opening, Start};
        let takes = |step: &ReplayStep| matches!(step.kind, Start | Opening | Acts);
        (self.steps.iter()).position(|step| step.ply >= ply && takes(step))
    }
}

impl ReplayHeader {
    fn of(record: &Record, info: &Info, sides: &[u8]) -> Result<Self, VerifyError> {
        let header = &record.header;
        let result = record.result()?;
        let points = single_match_points(&result, sides);
        let seats = (0..)
            .zip(&header.seats)
            .zip(result.seats.into_iter().zip(points));
        let seats = seats.map(|((seat, line), (result, points))| ReplaySeat {
            seat,
            bot: line.bot.clone(),
            kind: line.kind.clone(),
            place: result.place,
            points,
            fault: result.fault.map(|fault| fault.name),
        });
        Ok(ReplayHeader {
            id: header.id.clone(),
            game: header.game.clone(),
            title: info.title.into(),
            options: header.options.clone(),
            clock: header.clock.to_string(),
            isolation: header.isolation.clone(),
            seats: seats.collect(),
            reason: result.reason,
            plies: result.plies,
            secrets: info.secrets,
        })
    }
}

impl ReplayStep {
    fn of(kind: StepKind, ply: u64) -> Self {
        ReplayStep {
            kind,
            ply,
            acts: Vec::new(),
            chance: None,
            fault: None,
            ready: None,
        }
    }
}

/// Returns the step of a line with these acts, as far as a viewer may know it.
fn seen(
    line: &Line,
    acts: Vec<ReplayAct>,
    ply: u64,
    viewer: Viewer,
    table: &dyn Table,
) -> ReplayStep {
    match line {
        Line::Ready(ready) => ReplayStep {
            ready: Some(ReplayReady {
                seat: ready.seat,
                name: ready.name.clone(),
                version: ready.version.clone(),
                us: ready.us,
            }),
            ..ReplayStep::of(StepKind::Ready, ply)
        },
        Line::Opening { .. } => ReplayStep {
            acts,
            ..ReplayStep::of(StepKind::Opening, ply)
        },
        Line::Acts { .. } => ReplayStep {
            acts,
            ..ReplayStep::of(StepKind::Acts, ply)
        },
        Line::Chance { event } => {
            let is_seen = table.sees_chance(viewer, event.get());
            ReplayStep {
                chance: Some(ReplayChance {
                    event: is_seen.then(|| event.clone()),
                    words: is_seen.then(|| table.chance_in_words(event.get())),
                }),
                ..ReplayStep::of(StepKind::Chance, ply)
            }
        }
        Line::Fault(fault) => ReplayStep {
            fault: Some(seen_fault(fault, viewer, table)),
            ..ReplayStep::of(StepKind::Fault, ply)
        },
        Line::Over(_) | Line::End { .. } => ReplayStep::of(StepKind::Over, ply),
    }
}

/// An act with the table right after it; the clock is not known here. A note, or the reason of a pause, is for the record, so only its own seat
/// and those who see everything know it during the match.
fn seen_act(act: &ActLine, is_opening: bool, viewer: Viewer, table: &dyn Table) -> ReplayAct {
    let is_seen = table.sees_action(viewer, act.seat, &act.action);
    let sees_note = viewer == Viewer::Open || viewer == Viewer::Seat(act.seat);
    ReplayAct {
        seat: act.seat,
        action: is_seen.then(|| act.action.clone()),
        words: is_seen.then(|| table.action_in_words(&act.action)),
        us: act.us,
        clock_us: None,
        paused: act.paused.clone().map(|paused| Paused {
            reason: paused.reason.filter(|_| sees_note),
            ..paused
        }),
        note: act.note.clone().filter(|_| sees_note),
        stand_in: act.us.is_none() && !is_opening,
    }
}

/// The detail of a fault may quote an action, which others may not know.
fn seen_fault(fault: &FaultLine, viewer: Viewer, table: &dyn Table) -> ReplayFault {
    let is_own = viewer == Viewer::Seat(fault.seat);
    let is_seen = viewer == Viewer::Open || is_own || !table.info().secrets;
    ReplayFault {
        seat: fault.seat,
        fault: fault.fault.name().into(),
        detail: is_seen.then(|| fault.detail.clone()),
        us: fault.us,
    }
}

/// The table at the end of a record, all open, as text.
///
/// # Errors
/// When the record is wrong.
pub fn last_board(record: &str) -> Result<String> {
    let replay = MatchReplay::read(record, Viewer::Open)?;
    let mut frames = replay.frames()?;
    frames.text(replay.steps.len() - 1, Viewer::Open)
}

/// Who sat on a seat.
///
/// # Errors
/// When the match has not this seat.
pub(crate) fn line_of_seat(record: &Record, seat: Seat) -> Result<&SeatLine> {
    let seats = &record.header.seats;
    seats.get(usize::from(seat)).ok_or_else(|| {
        let last = seats.len().saturating_sub(1);
        Failure::usage(format!("there is no seat {seat} in this match"))
            .hint(format!("its seats are 0 to {last}"))
    })
}
