use flipside_operations::{Result, find_entrant, find_tournament};
use flipside_report::{
    ReportRow as _, ReportTable, brief, cross_csv, cross_document, figures, full_document,
    seed_note,
};
use flipside_store::{against, full_table, slowest_of_each_bot, table};
use flipside_tournament::{Against, BotRef, FullTable};

use crate::args::{ArenaArg, bot_ref};
use crate::output::{self, OutputFormat, WithTournament, against_caption};
use crate::terminal;

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
    /// Show by how many rating points each bot is stronger than this one: NAME or NAME@VERSION
    #[arg(long, value_name = "BOT", value_parser = bot_ref, conflicts_with_all = ["cross", "full", "brief"])]
    against: Option<BotRef>,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let journal = args.arena.journal()?;
    let tournament = find_tournament(&journal, args.tournament.as_deref())?;
    if let Some(bot) = &args.against {
        let entrant = find_entrant(&tournament, bot)?;
        let rows = against(&journal, &tournament, entrant)?;
        let against = tournament.entrants[entrant].label();
        let table = || ReportTable::of("", Against::COLUMNS, &rows);
        let text = || Ok(table().text(&[against_caption(&against)], terminal::columns()));
        return args.format.print_value(&rows, text, || table().csv());
    }
    if args.cross {
        let standings = table(&journal, &tournament)?;
        let document = cross_document(&tournament, &standings);
        let csv = || cross_csv(&standings.cross);
        return args.format.print_document(&document, &standings.cross, csv);
    }
    if args.full {
        let table = FullTable {
            slowest: Some(slowest_of_each_bot(&journal, &tournament)?),
            ..full_table(&journal, &tournament)?
        };
        let mut document = full_document(&tournament, &table);
        document.notes.push(seed_note(&tournament));
        return args.format.print_document(
            &document,
            &WithTournament::new(&tournament, &table),
            || figures(&document),
        );
    }
    if args.brief {
        let standings = table(&journal, &tournament)?;
        return output::print(&output::summary(&brief(&tournament, &standings, None)));
    }
    args.format.print_table(&journal, &tournament).map(drop)
}
