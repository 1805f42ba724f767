//! The report of a check: what `flipside check --json` prints, as far as a page shows it.

use std::path::Path;

use flipside_games::words::counted;
use flipside_operations::{Checked, CheckedStep};
use flipside_referee::without_stderr;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The largest report that is kept, in bytes of JSON. Of a larger one, what was said in steps that went well is left
/// out.
const LARGEST: usize = 1 << 20;

/// A report.
#[derive(Clone, Debug, Default, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "CheckReport")]
pub(crate) struct UploadReport {
    /// `process` or `module`.
    pub(crate) kind: String,
    /// The games that the bot can play.
    pub(crate) games: Vec<String>,
    /// The steps, in order.
    pub(crate) steps: Vec<Step>,
    /// How long it took, in milliseconds.
    pub(crate) ms: u64,
    /// What the author should know beside it.
    pub(crate) warnings: Vec<String>,
}

/// A step of a check.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "CheckStep")]
pub(crate) struct Step {
    /// What it is a part of.
    pub(crate) group: String,
    /// Its name in the group.
    pub(crate) name: String,
    /// What it is for, in words.
    pub(crate) purpose: String,
    /// `ok`, `skipped`, `warning` or `failed`.
    pub(crate) status: String,
    /// What was found, in words.
    pub(crate) found: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) advice: Option<String>,
    pub(crate) said: Vec<ReportLine>,
    pub(crate) stderr: String,
    pub(crate) ms: u64,
}

/// A line that was said.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Said")]
pub(crate) struct ReportLine {
    pub(crate) from_bot: bool,
    pub(crate) line: String,
    /// Its whole length in bytes.
    pub(crate) bytes: u64,
}

impl UploadReport {
    /// The report of a check. The path of the file, which its author does not know, is given as `shown`.
    pub(crate) fn of(checked: &Checked, path: &Path, shown: &str) -> Self {
        let steps = checked.steps.iter();
        UploadReport {
            kind: checked.kind.to_string(),
            games: checked.games.iter().map(|id| (*id).to_owned()).collect(),
            steps: steps.map(|step| Step::of(step, path, shown)).collect(),
            ms: checked.ms,
            warnings: Vec::new(),
        }
    }

    /// Why the bot did not pass, in words: one that begins a match and fails there is told from one that does not
    /// play.
    pub(crate) fn failure_in_words(&self) -> String {
        let failed: Vec<&Step> = (self.steps.iter())
            .filter(|step| step.status == "failed")
            .collect();
        let Some(first) = failed.first() else {
            return "it has not passed its check".into();
        };
        let found = without_stderr(&first.found);
        let what = match &*first.group {
            "start" => format!("it does not begin a match as it should: {found}"),
            _ => format!("it begins a match, and fails in the middle: {found}"),
        };
        match failed.len() - 1 {
            0 => what,
            more => format!("{what}; and {} more", counted(more as u64, "failed step")),
        }
    }

    /// As JSON, within its limit.
    pub(crate) fn json(mut self) -> String {
        let text = |report: &UploadReport| serde_json::to_string(report).expect("a report is JSON");
        let is_dropped: [fn(&Step) -> bool; 2] = [|step| !step.is_notable(), |_| true];
        for is_dropped in is_dropped {
            let whole = text(&self);
            if whole.len() <= LARGEST {
                return whole;
            }
            for step in self.steps.iter_mut().filter(|step| is_dropped(step)) {
                step.said.clear();
            }
        }
        text(&self)
    }
}

impl Step {
    pub(crate) fn of(step: &CheckedStep, path: &Path, shown: &str) -> Self {
        let path = path.display().to_string();
        let plain = |text: &str| text.replace(&path, shown);
        let outcome = &step.outcome;
        let said = outcome.said.iter().map(|said| ReportLine {
            from_bot: said.from_bot,
            line: plain(&said.line),
            bytes: said.bytes,
        });
        Step {
            group: step.group.to_owned(),
            name: step.name.to_owned(),
            purpose: step.purpose.to_owned(),
            status: outcome.status.name().to_owned(),
            found: plain(&outcome.found),
            advice: outcome.advice.as_deref().map(plain),
            said: said.collect(),
            stderr: plain(&outcome.stderr),
            ms: step.ms,
        }
    }

    /// Whether its author has something to do.
    pub(super) fn is_notable(&self) -> bool {
        matches!(&*self.status, "warning" | "failed")
    }
}
