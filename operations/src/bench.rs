//! Measurements of Flipside on this machine, as figures that compare two sides: a yardstick and what Flipside does.
//!
//! Both sides of a figure are measured in turns, because a machine's speed changes while it measures. The ratio is what
//! to compare. A [`BenchReport`] holds every value; it can be stored, read again, and compared with another.

mod compare;
mod files;
mod machine;
mod memory;
mod plies;
mod random;
mod report;
mod starts;
#[cfg(test)]
mod tests;
mod tournaments;
mod turns;

use std::fmt;
use std::str::FromStr;

use flipside_referee::{Match, MatchSeed, PlayedMatch, Player};
use flipside_sandbox::Program;
use flipside_tournament::{Stop, unix_ms};
use serde::{Deserialize, Serialize};

pub use compare::{ComparedFigure, Comparison, RatioChange};
pub use machine::Machine;
pub use report::{BenchReport, FORMAT, Figure, FigureTarget, MAX_SAVED, Series, Spread};

use crate::failure::{Failure, Result};
use crate::games::find_game;
use files::Files;
use random::BenchRandom;

/// The game of the plies that are measured.
const GAME: &str = "flipfour";

/// A clock that no bot here comes near.
const CLOCK: &str = "move=10s,start=30s";

/// A part of the measurements, which can be measured alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BenchPart {
    /// The ply of a process.
    Process,
    /// The ply of a module.
    Module,
    /// From the start of a process until its first answer.
    Start,
    /// Whole tournaments, with one and with two workers.
    Tournaments,
    /// The referee's memory over many matches.
    Memory,
}

impl BenchPart {
    /// All parts, in the order in which they are measured. Memory comes last: what others leave would not be there yet.
    pub const ALL: [BenchPart; 5] = [
        BenchPart::Process,
        BenchPart::Module,
        BenchPart::Start,
        BenchPart::Tournaments,
        BenchPart::Memory,
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            BenchPart::Process => "process",
            BenchPart::Module => "module",
            BenchPart::Start => "start",
            BenchPart::Tournaments => "tournaments",
            BenchPart::Memory => "memory",
        }
    }

    /// Says what it measures, in a line.
    pub fn about(self) -> &'static str {
        match self {
            BenchPart::Process => "ply of a process against bare pipes, pinned to one core and not",
            BenchPart::Module => {
                "ply of a module against the smallest host, and plain wasmtime-wasi"
            }
            BenchPart::Start => "start of a process: bare, by the sandbox, and in the jail",
            BenchPart::Tournaments => "matches a second of tournaments, two workers against one",
            BenchPart::Memory => "memory of the referee over --matches matches",
        }
    }
}

impl fmt::Display for BenchPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for BenchPart {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = BenchPart::ALL.into_iter();
        parts
            .find(|part| part.name() == text)
            .ok_or_else(|| format!("nothing called {text:?} is measured"))
    }
}

/// What is measured, and how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchPlan {
    /// The parts.
    pub parts: Vec<BenchPart>,
    /// How often each figure is measured.
    pub repeats: u32,
    /// Round trips and plies of one measurement. Tournaments play a multiple of it.
    pub rounds: u32,
    /// The matches over which memory is watched.
    pub matches: u64,
}

/// What happens while it measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchEvent {
    /// A part begins, which has so many steps.
    Begins {
        /// The part.
        part: BenchPart,
        /// What a step is: `measurement` or `match`.
        step: &'static str,
        /// How many there are.
        steps: u64,
    },
    /// A step is done.
    Step,
    /// The part has ended.
    Ends,
}

/// What is measured, and what came of it so far.
struct Bench<'a> {
    plan: &'a BenchPlan,
    files: Files,
    random: BenchRandom,
    figures: Vec<Figure>,
    notes: Vec<String>,
    stop: &'a Stop,
    on: &'a mut dyn FnMut(BenchEvent),
}

/// Measures. Nothing else should run on the machine meanwhile.
///
/// # Errors
/// When a bot cannot be started or is disqualified, the temporary folder cannot be written, or `stop` asks to stop.
pub fn measure(
    plan: &BenchPlan,
    stop: &Stop,
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
        date: flipside_tournament::report::words::utc(unix_ms()),
        machine,
        plan: plan.clone(),
        question_bytes: bench.random.question_bytes,
        figures: bench.figures,
        notes: bench.notes,
        comparison: None,
    })
}

impl Bench<'_> {
    fn begins(&mut self, part: BenchPart, step: &'static str, steps: u64) {
        (self.on)(BenchEvent::Begins { part, step, steps });
    }

    fn add(&mut self, figure: Result<Figure, String>) -> Result<()> {
        self.figures.push(figure.map_err(Failure::new)?);
        Ok(())
    }
}

/// Tells of a step, unless the run is to stop.
fn step(on: &mut dyn FnMut(BenchEvent), stop: &Stop) -> Result<()> {
    on(BenchEvent::Step);
    match stop.is_asked() {
        false => Ok(()),
        true => Err(Failure::new("measuring was stopped")),
    }
}

/// A match of a bot against itself.
fn the_match(game: &str, bot: &Program, number: u64) -> Result<Match> {
    Ok(Match {
        id: format!("bench-{number}"),
        game: find_game(game)?,
        options: "{}".into(),
        clock: CLOCK.parse().expect("the clock is right"),
        seed: MatchSeed::from_number(number),
        players: vec![Player::of(bot.clone()); 2],
        opening_plies: 0,
    })
}

/// A match with a fault is short, and says nothing of the others.
fn refuse_fault(played: &PlayedMatch) -> Result<()> {
    match played.seats.iter().find_map(|seat| seat.fault.as_ref()) {
        None => Ok(()),
        Some(fault) => Err(disqualified(fault)),
    }
}

fn disqualified(fault: impl fmt::Display) -> Failure {
    Failure::new(format!("the instant bot is disqualified: {fault}"))
}
