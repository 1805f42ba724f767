//! A replay as JSON, one line for each step, with what the viewers see.

use flipside_games::Viewer;
use serde::Serialize;
use serde_json::value::RawValue;

use super::frames::Frames;
use super::parts::{MatchReplay, ReplayHeader, ReplayStep, StepKind};
use crate::failure::{Failure, Result};

/// The version of the format.
pub const REPLAY_FORMAT: u32 = 1;

/// The first line.
#[derive(Serialize)]
struct ReplayHead<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    format: u32,
    /// Null: everything is shown.
    seat: Option<u8>,
    #[serde(flatten)]
    header: &'a ReplayHeader,
}

/// A line for a step.
#[derive(Serialize)]
struct StepLine<'a> {
    step: usize,
    #[serde(flatten)]
    happened: &'a ReplayStep,
    /// What happened, in a sentence.
    text: String,
    /// What the viewer sees, if the step may have changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<Box<RawValue>>,
    /// What a spectator sees, where that is less.
    #[serde(skip_serializing_if = "Option::is_none")]
    public: Option<Box<RawValue>>,
    /// What each seat sees, where that is less.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    seats: Vec<Box<RawValue>>,
}

impl MatchReplay {
    /// Writes a line for the header and a line for each step.
    ///
    /// # Errors
    /// When the rules refuse a line of the record; `write` fails.
    pub fn write_json(&self, mut write: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let seat = match self.seen_by {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Public | Viewer::Open => None,
        };
        let head = ReplayHead {
            kind: "replay",
            format: REPLAY_FORMAT,
            seat,
            header: &self.header,
        };
        write(&line(&head))?;
        let mut frames = self.frames()?;
        for (number, step) in self.steps.iter().enumerate() {
            write(&line(&self.step_line(number, step, &mut frames)?))?;
        }
        Ok(())
    }

    fn step_line<'a>(
        &'a self,
        number: usize,
        step: &'a ReplayStep,
        frames: &mut Frames<'_>,
    ) -> Result<StepLine<'a>> {
        let mut told = StepLine {
            step: number,
            happened: step,
            text: self.sentence(step),
            view: None,
            public: None,
            seats: Vec::new(),
        };
        if matches!(step.kind, StepKind::Ready | StepKind::Fault) {
            return Ok(told);
        }
        for viewer in self.viewers() {
            let view = RawValue::from_string(frames.view(number, viewer)?).map_err(Failure::new)?;
            match viewer {
                _ if viewer == self.seen_by => told.view = Some(view),
                Viewer::Public => told.public = Some(view),
                Viewer::Seat(_) => told.seats.push(view),
                Viewer::Open => {}
            }
        }
        Ok(told)
    }
}

fn line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("a replay is always JSON");
    line.push(b'\n');
    line
}
