use flipside_tournament::report::{
    brief, cross_csv, cross_document, figures, full_document, standings_table, table_document,
};
use flipside_tournament::{Journal, Standings, Tournament, full_table, table};

use crate::arena::ArenaArg;
use crate::failure::{Failure, Result};
use crate::output::{self, Format};

/// Show a tournament's standings and cross table
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Tournament [default: the latest]
    tournament: Option<String>,
    /// Show only the cross table
    #[arg(long)]
    cross: bool,
    /// Show every statistic
    #[arg(long, conflicts_with = "cross")]
    full: bool,
    /// Show a short summary to paste into a message
    #[arg(long, conflicts_with_all = ["cross", "full", "json", "csv"])]
    brief: bool,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let journal = args.arena.open()?.read_journal()?;
    let tournament = match &args.tournament {
        Some(name) => journal.tournament(name)?,
        None => journal.latest_tournament()?.ok_or_else(|| {
            Failure::new("no tournament was played in this arena")
                .hint("`flipside tournament GAME BOT BOT...` plays one")
        })?,
    };
    if args.cross {
        let standings = table(&journal, &tournament)?;
        let document = cross_document(&tournament, &standings);
        let csv = || cross_csv(&standings.cross);
        return args.format.print_document(&document, &standings.cross, csv);
    }
    if args.full {
        let table = full_table(&journal, &tournament)?;
        let document = full_document(&tournament, &table);
        return args
            .format
            .print_document(&document, &table, || figures(&document));
    }
    if args.brief {
        let standings = table(&journal, &tournament)?;
        return output::print(&brief(&tournament, &standings, None));
    }
    show(&journal, &tournament, args.format).map(drop)
}

/// Prints a tournament's standings and its cross table; gives the standings.
pub(crate) fn show(
    journal: &Journal,
    tournament: &Tournament,
    format: Format,
) -> Result<Standings> {
    let table = full_table(journal, tournament)?;
    let document = table_document(tournament, &table);
    let csv = || standings_table(&table.standings).csv();
    format.print_document(&document, &table.standings, csv)?;
    Ok(table.standings)
}
