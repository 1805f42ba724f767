use flipside_operations::{Failure, Result};
use flipside_sandbox::Compiler;

/// Compile one module for the parent process
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<()> {
    Compiler::enter().map_err(|error| {
        Failure::usage(error)
            .hint("modules are compiled as they are needed; there is nothing to do")
    })
}
