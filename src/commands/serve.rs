use std::net::SocketAddr;

use flipside_operations::{Result, raise_open_files};
use flipside_site::{DEFAULT_LISTEN, Limits, serve};
use flipside_tournament::Arena;

use crate::args::ArenaArg;
use crate::output::{self, note};

/// Show the arena as a web site
///
/// Stops at Ctrl-C or SIGTERM, and finishes running requests first. The site only reads the arena.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Address and port; port 0 takes a free one
    #[arg(long, default_value = DEFAULT_LISTEN, value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let arena = Arena::open(args.arena.path())?;
    if !args.listen.ip().is_loopback() {
        note!(
            "warning: {} is open to other machines, and the site has no accounts: everybody can read it",
            args.listen
        );
    }
    raise_open_files();
    serve(arena, args.listen, Limits::default(), &mut |address| {
        output::print(&format!("http://{address}/\n"))
    })
}
