//! From what a person types to a bot that can be started.

use flipside_sample_bots::SAMPLES;
use flipside_sandbox::Program;

use crate::failure::{Failure, Result};

/// What stands in front of the name of a bot that is built in.
pub(crate) const SAMPLE: &str = "sample:";

/// A bot that is built in: this very program, started as the bot.
pub(crate) fn sample(name: &str) -> Result<Program> {
    if !SAMPLES.iter().any(|(known, _)| *known == name) {
        let names: Vec<_> = SAMPLES
            .iter()
            .map(|(name, _)| format!("{SAMPLE}{name}"))
            .collect();
        return Err(Failure::usage(format!("there is no sample bot {name:?}"))
            .hint(format!("there are {}", names.join(", "))));
    }
    let myself = std::env::current_exe()
        .map_err(|error| Failure::new(format!("cannot find this program's own file: {error}")))?;
    let identity = format!("{SAMPLE}{name} {}", flipside_sample_bots::VERSION);
    Ok(Program::built_in(&myself, ["sample", name], &identity)?)
}

/// Whether what was typed can only be a file: it has a slash, or the ending of a module.
pub(crate) fn is_surely_a_path(typed: &str) -> bool {
    typed.contains('/') || typed.ends_with(".wasm") || typed.ends_with(".wat")
}
