use std::time::Duration;

use flipside_operations::{Failure, Result};
use flipside_store::Arena;
use flipside_workers::{WorkerSnapshot, list};

use crate::args::{ArenaArg, LoginArgs, address};
use crate::output::{OutputFormat, note, writing};
use crate::terminal;

/// How often the list is shown anew.
const EVERY: Duration = Duration::from_secs(2);

/// List the workers at a server, or what they have done
///
/// With --server, lists the workers that are there, and how many jobs wait for them. The figures are what each worker
/// reports about itself. A worker that was not seen for some time is not listed.
///
/// With --tournament, lists how many matches of a tournament each worker played, and what the audits found.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true)))]
pub(crate) struct Args {
    /// The address of the NATS server: nats://HOST:PORT, or tls://HOST:PORT for TLS
    #[arg(long, value_name = "ADDRESS", group = "what")]
    server: Option<String>,
    /// Refresh the list every 2 seconds, until Ctrl-C
    #[arg(long, requires = "server", conflicts_with_all = ["json", "csv"])]
    watch: bool,
    #[command(flatten)]
    login: LoginArgs,
    /// The tournament whose matches are listed by worker
    #[arg(long, value_name = "NAME", group = "what")]
    tournament: Option<String>,
    /// Let a worker that was banned play again
    #[arg(long, value_name = "WORKER", group = "what")]
    readmit: Option<String>,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(server) = &args.server {
        return at(args, server);
    }
    let arena = Arena::open(args.arena.path())?;
    if let Some(worker) = &args.readmit {
        return readmit(&arena, worker);
    }
    let journal = arena.read_journal()?;
    let tournament = journal.tournament(args.tournament.as_deref().unwrap_or_default())?;
    args.format.print(&journal.worker_trails(tournament.id)?)
}

/// Lists the workers at a server.
fn at(args: &Args, server: &str) -> Result<()> {
    let options = args.login.options("director")?;
    list(&address(server)?, &options, EVERY, |seen| {
        let WorkerSnapshot { workers, backlog } = seen;
        if args.watch {
            terminal::clear().map_err(writing)?;
        }
        args.format.print(&workers)?;
        if let Some(backlog) = backlog.filter(|_| args.format.for_people()) {
            note!(
                "jobs: {} being played, {} waiting",
                backlog.held,
                backlog.waiting
            );
        }
        Ok::<_, Failure>(args.watch)
    })
}

fn readmit(arena: &Arena, worker: &str) -> Result<()> {
    match arena.journal()?.readmit(worker)? {
        true => {
            note!("{worker} may play for this arena again; what was withdrawn stays withdrawn");
            Ok(())
        }
        false => Err(Failure::new(format!("the worker {worker} is not banned"))
            .hint("flipside workers --tournament NAME shows who is")),
    }
}
