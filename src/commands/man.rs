use std::path::PathBuf;

use flipside_operations::{Failure, Result};

use crate::command_line;

/// Write the manual pages, one for each command
///
/// For all users: mkdir -p /usr/local/share/man/man1 && flipside man /usr/local/share/man/man1, as root.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Existing folder
    folder: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    clap_mangen::generate_to(command_line(), &args.folder).map_err(|error| {
        Failure::new(format!(
            "cannot write to {}: {error}",
            args.folder.display()
        ))
    })
}
