use std::path::{Path, PathBuf};

use flipside_games::words::counted;
use flipside_operations::{NewFile, Result, read_text};
use flipside_site::{ClassInvitations, Invite, MAX_CLASS_BYTES, SiteUrl, invite};
use flipside_store::Arena;

use crate::args::{ArenaArg, NewArg};
use crate::output::note;
use crate::{number, output};

/// Invite somebody to the arena's site
///
/// Prints the link of a page where an account can be made: its path, or with --url its address. It is shown only once.
/// `flipside serve` need not run.
///
/// With --names, invites a whole class. The sheet has a strip to cut out for each name, with a link. If a name is
/// refused, nobody is invited.
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
    /// Address of the site in browsers, such as `https://arena.example`
    #[arg(long, value_name = "URL")]
    url: Option<SiteUrl>,
    /// Invite everybody of a CSV file: the name of an account in each line
    ///
    /// In a second column, it may say whom to hand the strip to, which is printed and not stored. A first line `name` is a
    /// heading.
    #[arg(long, value_name = "FILE", requires_all = ["sheet", "url"], conflicts_with_all = ["organiser", "uses"])]
    names: Option<PathBuf>,
    /// Write the links of --names to this page, to be printed; only you can read it
    #[arg(long, value_name = "FILE", requires = "names")]
    sheet: Option<PathBuf>,
    #[command(flatten)]
    new: NewArg,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let arena = args.arena.open(args.new)?;
    if let (Some(names), Some(sheet), Some(url)) = (&args.names, &args.sheet, &args.url) {
        let class = ClassInvitations::read(&read_text(names, MAX_CLASS_BYTES)?, args.days)?;
        return print_class(&arena, &class, sheet, url);
    }
    let path = invite(
        &arena,
        Invite {
            organiser: args.organiser,
            uses: args.uses,
            days: args.days,
        },
    )?;
    let origin = args.url.as_ref().map_or("", SiteUrl::origin);
    output::print(&format!("{origin}{path}\n"))
}

fn print_class(arena: &Arena, class: &ClassInvitations, sheet: &Path, url: &SiteUrl) -> Result<()> {
    let page = class.sheet(url)?;
    NewFile::private(sheet)?.write_and(page.as_bytes(), || class.enter(arena))?;
    note!(
        "{}: {}; print it, and delete the file",
        sheet.display(),
        counted(class.count() as u64, "invitation")
    );
    Ok(())
}
