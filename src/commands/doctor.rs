use flipside_sandbox::jail::{Finding, Group, examine, seek_group, works};
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::output::{Column, Format, Row, note};
use crate::walls;

/// Try whether this machine can start bots in a jail, wall by wall
///
/// A program is started in the jail and tries each wall from the inside. The exit code is 0 where bots
/// are started, though a wall may be missing that is not needed, and 1 where they are not.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: Format,
}

/// A wall, as it is told.
#[derive(Serialize)]
struct Told {
    wall: &'static str,
    ok: bool,
    needed: bool,
    what: &'static str,
    found: String,
    remedy: &'static str,
}

impl Told {
    fn of(finding: Finding) -> Self {
        let Finding { wall, missing } = finding;
        Told {
            wall: wall.name(),
            ok: missing.is_none(),
            needed: wall.needed(),
            what: wall.what(),
            remedy: if missing.is_some() { wall.hint() } else { "" },
            found: missing.unwrap_or_default(),
        }
    }
}

impl Row for Told {
    const COLUMNS: &'static [Column] = &[
        Column::Text("wall"),
        Column::Text("state"),
        Column::Text("what it is, or what is missing and what to do"),
    ];
    const NOTHING: &'static str = "there are no walls";

    fn cells(&self) -> Vec<String> {
        let (state, text) = match (self.ok, self.needed) {
            (true, _) => ("ok", self.what.to_owned()),
            (false, true) => ("MISSING", format!("{}; {}", self.found, self.remedy)),
            (false, false) => ("missing", format!("{}; {}", self.found, self.remedy)),
        };
        vec![self.wall.into(), state.into(), text]
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let jail = walls::jail();
    let group = seek_group(&jail.limits());
    let findings = examine(&jail)?;
    let works = works(&findings);
    let told: Vec<Told> = findings.into_iter().map(Told::of).collect();
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
