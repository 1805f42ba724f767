use std::io::{BufReader, BufWriter, stdin, stdout};

use flipside_operations::{Failure, Result};

/// Run as a built-in bot
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Bot with its parameters, such as alphabeta:depth=4
    name: String,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    flipside_sample_bots::run(
        &args.name,
        BufReader::new(stdin().lock()),
        BufWriter::new(stdout().lock()),
    )
    .map_err(Failure::new)
}
