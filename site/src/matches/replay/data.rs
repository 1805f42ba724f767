//! What a script needs to show a match: the drawings of every step as changes, and what happened in words. A page of
//! the site loads them in parts: an outline with all words and no drawing, and the drawings of some steps of a view.

use std::ops::Range;

use flipside_games::{Seat, Viewer};
use flipside_operations::{Failure, MatchReplay, ReplayStep, Result, StepKind};
use flipside_report::plain_line;
use serde::Serialize;

use super::pieces::{ReplayPieces, changes};

/// The version of the data, for the script that reads them.
const DATA_FORMAT: u32 = 1;

/// The steps of a part: few enough that the first board is there at once, and so many that short matches have one part.
pub(super) const PART_STEPS: usize = 64;

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

/// A match without its drawings.
#[derive(Serialize)]
pub(super) struct Outline {
    format: u32,
    steps: Vec<ReplayedStep>,
    views: Vec<OutlinedView>,
}

/// A view to choose.
#[derive(Serialize)]
struct OutlinedView {
    name: String,
}

/// The drawings of some steps of a view.
#[derive(Serialize)]
pub(super) struct Part {
    /// As in a view; the first step changes an empty list.
    changes: Vec<Vec<u32>>,
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
    /// How long the clock stood still before it, in words; none: the bot did not pause.
    #[serde(skip_serializing_if = "Option::is_none")]
    paused: Option<String>,
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
        let mut pieces = ReplayPieces::default();
        let changes = drawn(
            replay,
            &replay.viewers(),
            0..replay.steps.len(),
            &mut pieces,
        )?;
        let names = views(replay).into_iter();
        Ok(Data {
            format: DATA_FORMAT,
            steps: steps(replay),
            views: names
                .zip(changes)
                .map(|(view, changes)| ReplayView {
                    name: view.name,
                    changes,
                })
                .collect(),
            pieces: pieces.into_all(),
        })
    }

    /// Writes the data as JSON that may stand within a `<script>` of a page.
    pub(super) fn json(&self) -> String {
        let json = serde_json::to_string(self).expect("the data are always JSON");
        escaped(&json)
    }
}

impl Outline {
    pub(super) fn of(replay: &MatchReplay) -> Self {
        Outline {
            format: DATA_FORMAT,
            steps: steps(replay),
            views: views(replay),
        }
    }
}

impl Part {
    /// Collects the drawings of a view, from 0, in a part, from 0; nothing where there is none.
    ///
    /// # Errors
    /// When the rules refuse a line of the record.
    pub(super) fn of(replay: &MatchReplay, view: usize, part: usize) -> Result<Option<Self>> {
        let all = replay.steps.len();
        let first = part.saturating_mul(PART_STEPS);
        let (Some(&viewer), true) = (replay.viewers().get(view), first < all) else {
            return Ok(None);
        };
        let mut pieces = ReplayPieces::default();
        let range = first..all.min(first + PART_STEPS);
        let changes = drawn(replay, &[viewer], range, &mut pieces)?;
        Ok(Some(Part {
            changes: changes.into_iter().flatten().collect(),
            pieces: pieces.into_all(),
        }))
    }
}

fn steps(replay: &MatchReplay) -> Vec<ReplayedStep> {
    let steps = replay.steps.iter();
    steps.map(|step| ReplayedStep::of(replay, step)).collect()
}

fn views(replay: &MatchReplay) -> Vec<OutlinedView> {
    let viewers = replay.viewers().into_iter();
    let view = |viewer| OutlinedView {
        name: plain_line(&replay.viewer_in_words(viewer)),
    };
    viewers.map(view).collect()
}

/// Draws what viewers see after these steps: for each viewer, the changes of each step.
fn drawn(
    replay: &MatchReplay,
    viewers: &[Viewer],
    steps: Range<usize>,
    pieces: &mut ReplayPieces,
) -> Result<Vec<Vec<Vec<u32>>>> {
    let mut frames = replay.frames().map_err(Failure::new)?;
    let mut drawn = vec![Vec::with_capacity(steps.len()); viewers.len()];
    let mut shown = vec![Vec::new(); viewers.len()];
    for step in steps {
        for ((viewer, drawn), before) in viewers.iter().zip(&mut drawn).zip(&mut shown) {
            let after = pieces.of(&frames.svg(step, *viewer)?);
            drawn.push(changes(before, &after));
            *before = after;
        }
    }
    Ok(drawn)
}

impl ReplayedStep {
    fn of(replay: &MatchReplay, step: &ReplayStep) -> Self {
        let act = |act: &flipside_operations::ReplayAct| ReplayedAct {
            seat: act.seat,
            us: act.us,
            clock: act.clock_us,
            note: act.note.as_deref().map(plain_line),
            paused: act
                .paused
                .as_ref()
                .map(|paused| plain_line(&paused.to_string())),
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
