use flipside_operations::Result;
use flipside_site::{Invite, invite};

use crate::args::{ArenaArg, NewArg};
use crate::{number, output};

/// Invite somebody to the arena's site
///
/// Prints the path of a page where an account can be made. The path is shown only once. `flipside serve` need not run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Invite an organiser, who sees all uploads and accounts
    #[arg(long)]
    organiser: bool,
    /// Number of accounts that can be made
    #[arg(long, default_value = "1", value_name = "N", value_parser = number::whole(1_u32, 10_000))]
    uses: u32,
    /// Number of days for which the page works
    #[arg(long, default_value = "7", value_name = "N", value_parser = number::whole(1_u32, 365))]
    days: u32,
    #[command(flatten)]
    new: NewArg,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let arena = args.arena.open(args.new)?;
    let path = invite(
        &arena,
        Invite {
            organiser: args.organiser,
            uses: args.uses,
            days: args.days,
        },
    )?;
    output::print(&format!("{path}\n"))
}
