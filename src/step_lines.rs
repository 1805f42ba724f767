//! The steps of a check, of a bot or a game, for people and as columns.

use std::fmt::Write;

use flipside_operations::{CheckOutcome, CheckedStep};
use flipside_report::{Column, plain_line};

/// How much of a line is shown without --full, in characters.
const SHOWN: usize = 200;

/// How many of the last lines are shown without --full.
const SHOWN_LINES: usize = 2;

pub(crate) const COLUMNS: &[Column<CheckedStep>] = &[
    Column::data("group", |step: &CheckedStep| step.group.into()),
    Column::data("step", |step: &CheckedStep| step.name.into()),
    Column::data("status", |step: &CheckedStep| {
        step.outcome.status.name().into()
    }),
    Column::data("found", |step: &CheckedStep| {
        step.outcome.found.as_str().into()
    }),
];

/// A step for people. What bots wrote cannot steer the terminal.
pub(crate) fn tell(text: &mut String, step: &CheckedStep, full: bool) {
    let CheckOutcome {
        status,
        found,
        advice,
        said,
        stderr,
    } = &step.outcome;
    let name = status.name();
    let _ = writeln!(text, "  {name:<7} {}: {}", step.name, plain_line(found));
    if let Some(advice) = advice {
        let _ = writeln!(text, "          hint: {}", plain_line(advice));
    }
    let first = match full {
        true => 0,
        false => said.len().saturating_sub(SHOWN_LINES),
    };
    for line in &said[first..] {
        let way = if line.from_bot { '<' } else { '>' };
        let line = shown(&line.line, line.bytes, full);
        let _ = writeln!(text, "          {way} {line}");
    }
    for line in stderr.lines() {
        let _ = writeln!(text, "          | {}", plain_line(line));
    }
}

/// A line, or its beginning.
fn shown(line: &str, bytes: u64, full: bool) -> String {
    let kept = match line.char_indices().nth(SHOWN) {
        Some((end, _)) if !full => &line[..end],
        _ => line,
    };
    let more = match kept.len() as u64 == bytes {
        true => String::new(),
        false => format!(" ... ({bytes} bytes)"),
    };
    plain_line(kept) + &more
}
