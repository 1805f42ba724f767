use flipside_games::{GAMES, Info};
use flipside_operations::Result;
use serde::Serialize;

use crate::output::{Column, Format, Row};

/// List the games
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct GameRow(Info);

impl Row for GameRow {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::text("game", |row: &GameRow| row.0.id.into()),
        Column::text("seats", |row: &GameRow| row.0.seats_in_words().into()),
        Column::text("has", |row: &GameRow| row.0.traits().join(", ").into()),
        Column::text("about", |row: &GameRow| row.0.summary.into()),
    ];
    const NOTHING: &'static str = "no games are built in";
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let rows = GAMES.iter().map(|game| GameRow(*game.info()));
    args.format.print(&rows.collect::<Vec<_>>())
}
