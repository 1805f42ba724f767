use std::path::PathBuf;

use flipside_games::words::counted;
use flipside_operations::{Result, backup};
use flipside_site::copy_accounts;

use crate::args::ArenaArg;
use crate::output::note;

/// Write a backup of the arena to one file
///
/// It contains the journal, the accounts of the site with their bots, leagues, ladders and webhooks, and the files of the
/// bots. Tournaments and the server may run meanwhile: the backup is a consistent snapshot. Only you can read it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file, for example arena.tar.zst
    file: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let backup = backup(args.arena.path(), &args.file, args.force, copy_accounts)?;
    note!(
        "{} is written: the journal{} and {} of bots",
        args.file.display(),
        if backup.has_accounts() {
            ", the accounts"
        } else {
            ""
        },
        counted(backup.bots(), "file")
    );
    Ok(())
}
