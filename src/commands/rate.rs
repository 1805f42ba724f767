use std::path::PathBuf;

use flipside_operations::{Failure, Result, read_results};
use flipside_report::{
    ReportRow as _, ReportTable, cross_csv, figures, rated_cross, rated_document, standings_table,
};
use flipside_tournament::Against;

use crate::output::{OutputFormat, against_caption};
use crate::terminal;

/// Rate bots by results that were played anywhere
///
/// The file is CSV. Its first line names the columns, in any order. Further columns are ignored.
///
///   bot,opponent,wins,draws,losses     all matches of two bots in a line
///   bot,opponent,score                 a match in a line; the score is 1, 0.5 or 0
///   bot,opponent,0,0.5,1,1.5,2         how many pairs of matches gave the bot so many points
///   match,bot,place                    a seat in a line, as `flipside export NAME FILE.csv` writes it
///
/// A column `block` names matches of the same bots that share their random events or their opening.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// CSV file of results; /dev/stdin reads them from a pipe
    file: PathBuf,
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
    let list = read_results(&args.file)?;
    let title = args.file.file_name().unwrap_or(args.file.as_os_str());
    let title = title.to_string_lossy();
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
