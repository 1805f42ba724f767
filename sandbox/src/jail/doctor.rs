//! Which walls this machine gives: a probe is started in the jail and tries each from the inside.

use std::time::{Duration, Instant};

use flipside_jail::Layer;

use crate::error::StartError;
use crate::isolation::Isolation;
use crate::jail::Jail;
use crate::jail::layer::UnavailableLayer;
use crate::jail::machine::groups_can_be_made;
use crate::jail::probe::{PROBE, STANDS};
use crate::program::Program;
use crate::sandbox::{Sandbox, Start};
use crate::settings::SandboxSettings;

/// How long the probe may take to find out about one wall.
const PROBE_WAIT: Duration = Duration::from_secs(30);

/// What was found out about a wall.
#[derive(Debug)]
pub struct DoctorFinding {
    /// The wall.
    pub wall: Layer,
    /// What is missing. Nothing: it stands.
    pub missing: Option<String>,
}

/// Whether bots are started: whether all the walls that are needed stand.
pub fn works(findings: &[DoctorFinding]) -> bool {
    let broken = |finding: &DoctorFinding| finding.missing.is_some() && finding.wall.needed();
    !findings.is_empty() && !findings.iter().any(broken)
}

/// Tries every wall.
///
/// # Errors
/// Where the probe does not start, for a reason that is no wall's; or does not go on.
///
/// # Panics
/// Inside of a tokio runtime, for it makes one.
pub fn examine(jail: &Jail) -> Result<Vec<DoctorFinding>, StartError> {
    let told = match probe(jail) {
        Err(StartError::Jail(missing)) => return Ok(broken_at(&missing)),
        told => told?,
    };
    let counts_memory = groups_can_be_made(&jail.limits);
    let found = |wall: Layer| {
        if wall == Layer::TreeMemory {
            let none = "no control group for it can be made here";
            return (!counts_memory).then(|| none.to_owned());
        }
        let line = told
            .iter()
            .find_map(|line| line.strip_prefix(wall.name())?.strip_prefix(' '));
        match line {
            Some(found) => (found != STANDS).then(|| found.to_owned()),
            None => Some("the probe did not tell".into()),
        }
    };
    let findings = Layer::ALL.map(|wall| DoctorFinding {
        wall,
        missing: found(wall),
    });
    Ok(findings.into())
}

/// Where one wall cannot be built, those before it could, and those after it were not tried.
fn broken_at(missing: &UnavailableLayer) -> Vec<DoctorFinding> {
    // The groups come first of all.
    let mut after = !missing.wall.needed();
    Layer::ALL
        .into_iter()
        .map(|wall| {
            let what = if wall == missing.wall {
                Some(format!("{} failed: {}", missing.doing, missing.source))
            } else {
                after.then(|| "not tried, for another one is missing".into())
            };
            after |= wall == missing.wall;
            DoctorFinding {
                wall,
                missing: what,
            }
        })
        .collect()
}

/// What the probe told, line by line.
fn probe(jail: &Jail) -> Result<Vec<String>, StartError> {
    let stage = std::fs::canonicalize(&jail.program)?;
    let args = jail.args.iter().cloned().chain([PROBE.into()]);
    let program = Program::command(&stage, args)?;
    let sandbox = Sandbox::new(SandboxSettings {
        isolation: Isolation::Jail(jail.clone()),
        ..SandboxSettings::default()
    });
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build()?;
    runtime.block_on(async {
        let start = Start {
            label: "probe",
            ..Start::default()
        };
        let mut bot = sandbox.start(&program, &start)?;
        let mut lines = Vec::new();
        // It answers a line for each wall, and ends by itself.
        while let Ok(answer) = bot.ask(b"\n", Instant::now() + PROBE_WAIT).await {
            lines.push(answer.line.to_owned());
        }
        Ok(lines)
    })
}
