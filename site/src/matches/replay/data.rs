//! What a script needs to show a match: the drawings of every step as changes, and what happened in words.

use flipside_games::Seat;
use flipside_operations::{Failure, MatchReplay, ReplayStep, Result, StepKind};
use flipside_report::plain_line;
use serde::Serialize;

use super::pieces::{ReplayPieces, changes};

/// The version of the data, for the script that reads them.
const DATA_FORMAT: u32 = 1;

/// A match as data for the script. Texts of bots and records are written with their escapes: the script shows them as
/// they are.
#[derive(Serialize)]
pub(super) struct Data {
    format: u32,
    steps: Vec<ReplayedStep>,
    /// The views to choose from, the widest first.
    views: Vec<ReplayView>,
    /// The texts that drawings consist of.
    pieces: Vec<String>,
}

/// What happened in a step.
#[derive(Serialize)]
struct ReplayedStep {
    kind: StepKind,
    ply: u64,
    /// In words, without what a viewer may not know.
    text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    acts: Vec<ReplayedAct>,
}

/// The time and the note of an action.
#[derive(Serialize)]
struct ReplayedAct {
    seat: Seat,
    /// Microseconds of thinking; none: nobody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    us: Option<u64>,
    /// Microseconds for the next move.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// What one viewer sees.
#[derive(Serialize)]
struct ReplayView {
    name: String,
    /// For each step what changes in the list of pieces, which is empty before the first: numbers of pieces that are
    /// kept, dropped and added, then the added ones; and again.
    changes: Vec<Vec<u32>>,
}

impl Data {
    /// Collects what the viewers of a replay may see, and nothing else.
    ///
    /// # Errors
    /// When the rules refuse a line of the record.
    pub(super) fn of(replay: &MatchReplay) -> Result<Self> {
        let viewers = replay.viewers();
        let mut pieces = ReplayPieces::default();
        let mut frames = replay.frames().map_err(Failure::new)?;
        let mut views: Vec<ReplayView> = viewers
            .iter()
            .map(|&viewer| ReplayView {
                name: plain_line(&replay.viewer_in_words(viewer)),
                changes: Vec::with_capacity(replay.steps.len()),
            })
            .collect();
        let mut shown = vec![Vec::new(); viewers.len()];
        for number in 0..replay.steps.len() {
            for ((viewer, view), before) in viewers.iter().zip(&mut views).zip(&mut shown) {
                let after = pieces.of(&frames.svg(number, *viewer)?);
                view.changes.push(changes(before, &after));
                *before = after;
            }
        }
        Ok(Data {
            format: DATA_FORMAT,
            steps: replay
                .steps
                .iter()
                .map(|step| ReplayedStep::of(replay, step))
                .collect(),
            views,
            pieces: pieces.into_all(),
        })
    }

    /// Writes the data as JSON that may stand within a `<script>` of a page.
    pub(super) fn json(&self) -> String {
        let json = serde_json::to_string(self).expect("the data are always JSON");
        escaped(&json)
    }
}

impl ReplayedStep {
    fn of(replay: &MatchReplay, step: &ReplayStep) -> Self {
        let act = |act: &flipside_operations::ReplayAct| ReplayedAct {
            seat: act.seat,
            us: act.us,
            clock: act.clock_us,
            note: act.note.as_deref().map(plain_line),
        };
        ReplayedStep {
            kind: step.kind,
            ply: step.ply,
            text: plain_line(&replay.sentence(step)),
            acts: step.acts.iter().map(act).collect(),
        }
    }
}

/// Escapes JSON so that nothing in it ends a script, begins a comment, or ends a line for old readers. These
/// characters are in JSON within strings only.
fn escaped(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
