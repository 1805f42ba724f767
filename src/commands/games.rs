use flipside_games::{GAMES, Info};
use flipside_operations::Result;
use flipside_report::{Column, ReportRow};
use serde::Serialize;

use crate::output::OutputFormat;

/// List the games
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: OutputFormat,
}

#[derive(Serialize)]
struct ListedGame(Info);

impl ReportRow for ListedGame {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::text("game", |row: &ListedGame| row.0.id.into()),
        Column::text("seats", |row: &ListedGame| row.0.seats_in_words().into()),
        Column::text("has", |row: &ListedGame| row.0.traits().join(", ").into()),
        Column::text("about", |row: &ListedGame| row.0.summary.into()),
    ];
    const NOTHING: &'static str = "no games are built in";
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let rows = GAMES.iter().map(|game| ListedGame(*game.info()));
    args.format.print(&rows.collect::<Vec<_>>())
}
