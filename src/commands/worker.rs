use std::num::NonZeroUsize;
use std::path::PathBuf;

use flipside_operations::Result;
use flipside_workers::{PlayerSettings, work};

use crate::args::{ServerArgs, concurrency, machine_class};
use crate::output::note;
use crate::stopping::Stopping;

/// Play matches for tournaments on other machines
///
/// It fetches matches from a NATS server with JetStream, plays them here, and returns the records. `flipside tournament
/// --workers ADDRESS` hands them out. Ctrl-C (or SIGTERM) finishes what is played and ends the worker.
///
/// Only tournaments of the same version of Flipside are played. Files of bots come from the server and stay in the
/// worker's folder.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    server: ServerArgs,
    /// Name the worker, with a-z, 0-9, - and _ [default: a drawn one]
    ///
    /// The permissions of its user on the server can demand a name.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Play N matches at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = concurrency)]
    concurrency: Option<NonZeroUsize>,
    /// Keep files of bots and compiled modules in this folder
    #[arg(long, value_name = "DIR", default_value = "worker")]
    folder: PathBuf,
    /// Name the class of this machine [default: measured by a short benchmark]
    ///
    /// Records name it where clocks count time. Machines of one class must be equally fast.
    #[arg(long, value_name = "CLASS", value_parser = machine_class)]
    class: Option<String>,
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
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let settings = PlayerSettings {
        address: args.server.address()?,
        options: args.server.options(&name)?,
        folder: args.folder.clone(),
        threads: args.concurrency.unwrap_or(cores),
        trust: args.trust,
        class: args.class.clone(),
    };
    let stopping = Stopping::begin()?;
    let done = work(&settings, stopping.stop(), &mut |line| note!("{line}"))?;
    note!("{} matches played, {} void", done.played, done.voids);
    Ok(())
}
