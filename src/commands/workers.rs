use flipside_operations::Result;
use flipside_workers::list;

use crate::args::ServerArgs;
use crate::output::Format;

/// List the workers at a server
///
/// A worker says of itself how much it plays. One that was not seen for some time is not listed.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let workers = list(&args.server.address()?, &args.server.options("director")?)?;
    args.format.print(&workers)
}
