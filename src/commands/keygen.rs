use flipside_operations::{Result, public_key};
use flipside_tournament::Arena;

use crate::args::ArenaArg;
use crate::output::{note, plain_line, print};

/// Make the arena's key, which signs records and archives
///
/// Prints the public key. Give it to people who should know what comes from this arena.
///
/// The secret key is a file in the arena's folder. No backup or export contains it: copy it yourself, and keep it secret.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the public key of the arena's key; make none
    #[arg(long)]
    show: bool,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let path = args.arena.path();
    if args.show {
        return print(&format!("{}\n", public_key(path)?));
    }
    let arena = Arena::create(path)?;
    let public = arena.make_key()?;
    let file = plain_line(&arena.key_path().display().to_string());
    note!("the secret key is in {file}; backups do not contain it");
    print(&format!("{public}\n"))
}
