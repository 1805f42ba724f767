use flipside_operations::{Failure, Result, jail};
use flipside_report::{Column, ReportRow, Value};
use flipside_sandbox::jail::{DoctorFinding, Group, examine, seek_group, works};
use serde::Serialize;

use crate::output::{OutputFormat, note};

/// Test the isolation on this machine
///
/// A probe tests each part from the inside. Exits with 0 if bots can start, even if an optional part is missing, and
/// with 1 otherwise.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: OutputFormat,
}

/// A wall, as it is told.
#[derive(Serialize)]
struct LayerReport {
    wall: &'static str,
    ok: bool,
    needed: bool,
    what: &'static str,
    found: String,
    remedy: &'static str,
}

impl LayerReport {
    fn of(finding: DoctorFinding) -> Self {
        let DoctorFinding { wall, missing } = finding;
        LayerReport {
            wall: wall.name(),
            ok: missing.is_none(),
            needed: wall.needed(),
            what: wall.what(),
            remedy: if missing.is_some() { wall.hint() } else { "" },
            found: missing.unwrap_or_default(),
        }
    }
}

impl ReportRow for LayerReport {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::text("wall", |told: &LayerReport| told.wall.into()).heading("part"),
        Column::text("state", |told: &LayerReport| {
            Value::from(match (told.ok, told.needed) {
                (true, _) => "ok",
                (false, true) => "MISSING",
                (false, false) => "missing",
            })
        }),
        Column::text(
            "what it is, or what is missing and what to do",
            |told: &LayerReport| {
                Value::Text(if told.ok {
                    told.what.to_owned()
                } else {
                    format!("{}; {}", told.found, told.remedy)
                })
            },
        ),
    ];
    const NOTHING: &'static str = "nothing was tested";
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let jail = jail();
    let group = seek_group(&jail.limits());
    let findings = examine(&jail)?;
    let works = works(&findings);
    let told: Vec<LayerReport> = findings.into_iter().map(LayerReport::of).collect();
    args.format.print(&told)?;
    if !works {
        return Err(
            Failure::new("bots cannot be started in a jail on this machine").hint(
                "see what is MISSING above; --trust starts bots that you trust without a jail",
            ),
        );
    }
    if args.format.for_people() {
        if group != Group::NotAsked {
            note!("{group}");
        }
        note!("bots are started in a jail");
    }
    Ok(())
}
