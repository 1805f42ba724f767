use std::env::consts::ARCH;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use flipside_operations::{Result, cores};
use flipside_workers::{PlayerSettings, work};

use crate::args::{LoginArgs, address, concurrency, machine_class};
use crate::output::note;
use crate::stopping::Stopping;

/// Play matches for tournaments on other machines
///
/// Fetches matches from a NATS server with JetStream, plays them here, and returns the records.
/// `flipside tournament --workers ADDRESS` hands out the matches. Ctrl-C (or SIGTERM) finishes the running matches and
/// ends the worker.
///
/// A worker plays only tournaments of its own version of Flipside. Files of bots come from the server and stay in the
/// worker's folder.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The server: nats://HOST:PORT, or tls://HOST:PORT for TLS; the port is 4222 by default
    #[arg(long, value_name = "ADDRESS")]
    server: String,
    #[command(flatten)]
    login: LoginArgs,
    /// Name the worker, with a-z, 0-9, - and _ [default: random]
    ///
    /// The permissions of the worker's user on the server can require a certain name.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Play N matches at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = concurrency)]
    concurrency: Option<NonZeroUsize>,
    /// Keep files of bots and compiled modules in this folder
    #[arg(long, value_name = "DIR", default_value = "worker")]
    folder: PathBuf,
    /// Name the class of this machine [default: its architecture]
    ///
    /// Records name it where clocks count time. Machines of one class must be equally fast.
    #[arg(long, value_name = "CLASS", value_parser = machine_class, default_value = ARCH, hide_default_value = true)]
    class: String,
    /// Run processes without isolation, if a tournament asks for it
    ///
    /// They can then do whatever you can do.
    #[arg(long)]
    trust: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let name = match &args.name {
        Some(name) => name.clone(),
        None => format!("worker-{:08x}", rand::random::<u32>()),
    };
    let settings = PlayerSettings {
        address: address(&args.server)?,
        options: args.login.options(&name)?,
        folder: args.folder.clone(),
        threads: args.concurrency.unwrap_or(cores()),
        trust: args.trust,
        class: args.class.clone(),
    };
    let stopping = Stopping::begin()?;
    let done = work(&settings, stopping.stop(), &mut |line| note!("{line}"))?;
    note!("{} matches played, {} void", done.played, done.voids);
    Ok(())
}
