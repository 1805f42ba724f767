use std::io::{BufReader, BufWriter, stdin, stdout};

use flipside_operations::{Failure, Result};

/// Be a bot that is built in
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which, with its parameters: alphabeta:depth=4.
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
