//! The steps of a check, of a bot or a game, for people and as columns.

use std::fmt::{Display, Write};

use flipside_games::words::counted;
use flipside_operations::{CheckOutcome, CheckStatus, CheckedStep, Failure};
use flipside_report::{Column, ReportRow, plain_line};
use serde::Serialize;

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

/// A step, as it is listed.
#[derive(Serialize)]
pub(crate) struct ListedStep {
    pub(crate) group: &'static str,
    pub(crate) name: &'static str,
    pub(crate) purpose: &'static str,
}

impl ReportRow for ListedStep {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::text("group", |row: &ListedStep| row.group.into()),
        Column::text("step", |row: &ListedStep| row.name.into()),
        Column::text("purpose", |row: &ListedStep| row.purpose.into()),
    ];
    const NOTHING: &'static str = "there are no steps";
}

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

/// How many steps ended how, and how long they took.
pub(crate) fn summary(steps: &[CheckedStep], ms: u64) -> String {
    let count = |status| ended_so(steps, status).count() as u64;
    format!(
        "{}: {} ok, {}, {} failed, {} skipped, in {:.1} s\n",
        counted(steps.len() as u64, "step"),
        count(CheckStatus::Ok),
        counted(count(CheckStatus::Warning), "warning"),
        count(CheckStatus::Failed),
        count(CheckStatus::Skipped),
        ms as f64 / 1000.0
    )
}

/// The failure of what does not pass these steps.
pub(crate) fn does_not_pass(what: impl Display, steps: &[CheckedStep]) -> Failure {
    let failed = ended_so(steps, CheckStatus::Failed);
    let names: Vec<&str> = failed.map(|step| step.name).collect();
    Failure::new(format!("{what} does not pass: {}", names.join(", ")))
}

fn ended_so(steps: &[CheckedStep], status: CheckStatus) -> impl Iterator<Item = &CheckedStep> {
    let ended_so = move |step: &&CheckedStep| step.outcome.status == status;
    steps.iter().filter(ended_so)
}
