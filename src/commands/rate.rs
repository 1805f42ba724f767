use std::path::PathBuf;

use flipside_games::words::joined;
use flipside_operations::{Failure, Result, read_results};
use flipside_report::{
    ReportRow as _, ReportTable, cross_csv, figures, rated_cross, rated_document, standings_table,
};
use flipside_tournament::Against;

use crate::output::{OutputFormat, against_caption};
use crate::terminal;

/// Rate bots by results that were played anywhere
///
/// A file is PGN, TRF or CSV, as its beginning tells. Several files become one list.
///
///   PGN   games with the tags White, Black and Result; moves are passed over
///   TRF   a report of a chess tournament: a line for each player
///   CSV   a table whose first line names the columns, in any order; further columns are ignored
///
/// The columns of CSV are one of these:
///
///   bot,opponent,wins,draws,losses     all matches of two bots in a line
///   bot,opponent,score                 a match in a line; the score is 1, 0.5 or 0
///   bot,opponent,0,0.5,1,1.5,2         how many pairs of matches gave the bot so many points
///   match,bot,place                    a seat in a line, as `flipside export NAME FILE.csv` writes it
///
/// A column `block` names matches of the same bots that share their random events or their opening.
///
/// Nothing verifies such results: no records are behind them.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Files of results; /dev/stdin reads them from a pipe
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Show only the cross table
    #[arg(long)]
    cross: bool,
    /// Show every statistic
    #[arg(long, conflicts_with = "cross")]
    full: bool,
    /// Show by how many rating points each bot is stronger than this one
    #[arg(long, value_name = "BOT", conflicts_with_all = ["cross", "full"])]
    against: Option<String>,
    #[command(flatten)]
    format: OutputFormat,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let list = read_results(&args.files)?;
    let name = |file: &PathBuf| {
        let name = file.file_name().unwrap_or(file.as_os_str());
        name.to_string_lossy().into_owned()
    };
    let title = joined(args.files.iter().map(name), ", ");
    if let Some(bot) = &args.against {
        let rows = list.against(bot).ok_or_else(|| {
            let all = list.bots().iter().take(MAX_NAMED).map(String::as_str);
            let all: Vec<&str> = all.collect();
            let more = match list.bots().len() {
                0..=MAX_NAMED => "",
                _ => ", ...",
            };
            Failure::usage(format!("{bot:?} is not in it"))
                .hint(format!("its bots: {}{more}", all.join(", ")))
        })?;
        let table = || ReportTable::of("", Against::COLUMNS, &rows);
        let text = || Ok(table().text(&[against_caption(bot)], terminal::columns()));
        return args.format.print_value(&rows, text, || table().csv());
    }
    let table = list.table();
    let standings = &table.standings;
    if args.cross {
        let csv = || cross_csv(&standings.cross);
        let document = rated_cross(&title, standings);
        return args.format.print_document(&document, &standings.cross, csv);
    }
    let document = rated_document(&title, &list, &table, args.full);
    match args.full {
        true => args
            .format
            .print_document(&document, &table, || figures(&document)),
        false => {
            let csv = || standings_table(standings).csv();
            args.format.print_document(&document, standings, csv)
        }
    }
}

/// How many bots a hint names.
const MAX_NAMED: usize = 20;
