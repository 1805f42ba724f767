use std::path::PathBuf;

use flipside_operations::{Result, public_key};
use flipside_report::plain_line;
use flipside_store::Arena;
use flipside_workers::make_credentials;

use crate::args::ArenaArg;
use crate::output::{note, print};

/// Make the arena's key, which signs records and archives
///
/// Prints the public key. Give it to people who should know what comes from this arena.
///
/// The secret key is a file in the arena's folder. No backup or export contains it: copy it yourself, and keep it
/// secret.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the arena's public key and make no new key
    #[arg(long)]
    show: bool,
    /// Make a key for a user of a NATS server instead, and write its secret to this file
    ///
    /// Prints the public key, which the configuration of the server names. `flipside worker` and `tournament --workers`
    /// read the file with --credentials.
    #[arg(long, value_name = "FILE", conflicts_with = "show")]
    worker: Option<PathBuf>,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(file) = &args.worker {
        return print(&format!("{}\n", make_credentials(file)?));
    }
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
