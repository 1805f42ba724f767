//! What is measured, and how long.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A part of the measurements, which can be measured alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BenchPart {
    /// The ply of a process.
    Process,
    /// The ply of a module.
    Module,
    /// The ply of a game that is a program, between modules.
    Games,
    /// From the start of a process until its first answer.
    Start,
    /// Whole tournaments, with one and with two match threads.
    Tournaments,
    /// The referee's memory over many matches.
    Memory,
}

impl BenchPart {
    /// All parts, in the order in which they are measured. Memory comes last: what others leave would not be there yet.
    pub const ALL: [BenchPart; 6] = [
        BenchPart::Process,
        BenchPart::Module,
        BenchPart::Games,
        BenchPart::Start,
        BenchPart::Tournaments,
        BenchPart::Memory,
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            BenchPart::Process => "process",
            BenchPart::Module => "module",
            BenchPart::Games => "games",
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
            BenchPart::Games => {
                "ply of a game that is a process or a module, against the same game built in"
            }
            BenchPart::Start => "start of a process: bare, by the sandbox, and in the jail",
            BenchPart::Tournaments => {
                "matches a second of tournaments, two match threads against one"
            }
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
    /// FlipFour as a game program that is a module: what `bench/game/` is built to.
    #[serde(skip)]
    pub game_module: Option<PathBuf>,
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
