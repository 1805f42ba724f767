//! The referee's memory while it plays many matches: it must not grow.

use flipside_operations::{Failure, Result};
use flipside_protocol::ClockUnit;
use flipside_referee::Referee;
use flipside_sandbox::{Program, Sandbox, SandboxSettings};

use crate::measuring::{Bench, refuse_fault, step, the_match};
use crate::plan::BenchPart;
use crate::report::{Figure, FigureTarget, Series};

/// The game with the shortest matches.
const GAME: &str = "flipflop-3x3";

pub(crate) fn memory(bench: &mut Bench<'_>) -> Result<()> {
    let matches = bench.plan.matches;
    bench.begins(BenchPart::Memory, "match", matches);
    let bot = Program::open(&bench.files.modules[0])?;
    let sandbox = Sandbox::new(SandboxSettings::default());
    sandbox.prepare(&bot, ClockUnit::Time)?;
    let mut referee = Referee::new(sandbox)?;
    let mut after_a_tenth = 0;
    for number in 0..matches {
        refuse_fault(&referee.play(&the_match(GAME, &bot, number)?)?)?;
        if number == matches / 10 {
            after_a_tenth = resident_kb()?;
        }
        step(bench.on, bench.stop)?;
    }
    let series = |what, kb: u64| Series::new(what, vec![kb as f64]);
    bench.add(Figure::new(
        "memory",
        "kB",
        FigureTarget::Low,
        series("after a tenth", after_a_tenth),
        series("after all", resident_kb()?),
    ))
}

/// The resident memory of this process, in kilobytes.
fn resident_kb() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(Failure::new)?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .ok_or_else(|| Failure::new("the kernel does not tell the resident memory"))
}
