use std::path::PathBuf;

use flipside_games::words::counted;
use flipside_operations::{Result, restore};

use crate::args::ArenaArg;
use crate::output::note;

/// Make an arena from a backup
///
/// The arena's folder must not exist yet. Every file is compared with its checksum before the arena appears.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file that `flipside backup` wrote
    file: PathBuf,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = args.arena.path();
    let backup = restore(&args.file, folder)?;
    note!(
        "{} is restored: the journal{} and {} of bots",
        folder.display(),
        if backup.has_accounts() {
            ", the accounts"
        } else {
            ""
        },
        counted(backup.bots(), "file")
    );
    Ok(())
}
