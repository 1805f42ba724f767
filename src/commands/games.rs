use flipside_games::{AnyGame, Info, all_games};
use flipside_operations::{Result, games_left_out};
use flipside_report::{Column, ReportRow};
use serde::Serialize;

use crate::args::ArenaArg;
use crate::output::{OutputFormat, note};

/// List the games, the built-in ones and those of the arena
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    arena: ArenaArg,
}

#[derive(Serialize)]
struct ListedGame {
    #[serde(flatten)]
    info: Info,
    /// The SHA-256 of its program; none of a built-in game.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<&'static str>,
}

impl ListedGame {
    fn of(game: &'static dyn AnyGame) -> Self {
        ListedGame {
            info: *game.info(),
            sha256: game.program().map(|program| &*program.sha256),
        }
    }
}

impl ReportRow for ListedGame {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::text("game", |row: &ListedGame| row.info.id.into()),
        Column::text("seats", |row: &ListedGame| row.info.seats_in_words().into()),
        Column::text("has", |row: &ListedGame| {
            row.info.traits().join(", ").into()
        }),
        Column::text("about", |row: &ListedGame| row.info.summary.into()),
    ];
    const NOTHING: &'static str = "no games are built in";
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let rows = all_games().into_iter().map(ListedGame::of);
    args.format.print(&rows.collect::<Vec<_>>())?;
    for (game, why) in games_left_out() {
        note!("{game} is left out: {why}");
    }
    Ok(())
}
