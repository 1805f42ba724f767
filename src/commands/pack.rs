use std::path::PathBuf;

use flipside_operations::{Result, pack};

use crate::output;

/// Pack a bot or a game of several files into one file
///
/// The site and `submit` accept the packed file; `submit` also accepts the folder.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder with a bot.toml or a game.toml
    folder: PathBuf,
    /// New file, such as mybot.tar.zst
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let packed = pack(&args.folder, &args.file)?;
    output::print(&format!("{}: {} bytes\n", packed.name, packed.size))
}
