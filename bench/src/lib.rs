//! Measurements of Flipside on this machine, as figures that compare two sides: a yardstick and what Flipside does.
//!
//! Both sides of a figure are measured in turns, because a machine's speed changes while it measures. The ratio is what
//! to compare. A [`BenchReport`] holds every value; it can be stored, read again, and compared with another.

mod baseline;
mod compare;
mod files;
mod games;
mod machine;
mod measuring;
mod memory;
mod plan;
mod plies;
mod random;
mod report;
mod starts;
#[cfg(test)]
mod tests;
mod tournaments;
mod turns;

use flipside_operations::Result;
use flipside_runner::StopSignal;
use flipside_store::unix_ms;
use flipside_tournament::utc;

pub use games::SERVE;
pub use machine::Machine;
pub use plan::{BenchEvent, BenchPart, BenchPlan};
pub use report::{
    BenchReport, ComparedFigure, Comparison, FORMAT, Figure, FigureTarget, MAX_SAVED, RatioChange,
    Series, Spread,
};

use files::Files;
use measuring::{Bench, GAME};
use random::BenchRandom;

/// Measures. Nothing else should run on the machine meanwhile.
///
/// # Errors
/// When a bot cannot be started or is disqualified, the temporary folder cannot be written, or `stop` asks to stop.
pub fn measure(
    plan: &BenchPlan,
    stop: &StopSignal,
    on: &mut dyn FnMut(BenchEvent),
) -> Result<BenchReport> {
    let mut bench = Bench {
        plan,
        files: Files::make()?,
        random: BenchRandom::of(GAME)?,
        figures: Vec::new(),
        notes: Vec::new(),
        stop,
        on,
    };
    for part in BenchPart::ALL {
        if plan.parts.contains(&part) {
            match part {
                BenchPart::Process => plies::process(&mut bench),
                BenchPart::Module => plies::module(&mut bench),
                BenchPart::Games => games::games(&mut bench),
                BenchPart::Start => starts::starts(&mut bench),
                BenchPart::Tournaments => tournaments::tournaments(&mut bench),
                BenchPart::Memory => memory::memory(&mut bench),
            }?;
            (bench.on)(BenchEvent::Ends);
        }
    }
    let machine = Machine::this();
    Ok(BenchReport {
        flipside_bench: FORMAT,
        version: env!("CARGO_PKG_VERSION").into(),
        optimized: !cfg!(debug_assertions),
        date: utc(unix_ms()),
        machine,
        plan: plan.clone(),
        question_bytes: bench.random.question_bytes,
        figures: bench.figures,
        notes: bench.notes,
        comparison: None,
    })
}
