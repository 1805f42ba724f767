use flipside_tournament::Bot;
use serde::Serialize;

use crate::arena::ArenaArg;
use crate::failure::Result;
use crate::output::{Column, Format, Row};

/// List the arena's bots
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    arena: ArenaArg,
}

/// A bot of the arena, as a row.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct BotRow(pub(crate) Bot);

impl Row for BotRow {
    const COLUMNS: &'static [Column] = &[
        Column::Text("bot"),
        Column::Text("kind"),
        Column::Number("bytes"),
        Column::Text("sha256"),
        Column::Text("plays"),
    ];
    const NOTHING: &'static str = "no bots yet; `flipside submit FILE --name NAME` takes one in";

    fn cells(&self) -> Vec<String> {
        let Bot {
            kind,
            size,
            sha256,
            games,
            ..
        } = &self.0;
        let plays = if !self.0.is_here() {
            "played elsewhere; its file is not here".into()
        } else if games.is_empty() {
            "not checked".into()
        } else {
            games.join(" ")
        };
        vec![
            self.0.label(),
            kind.to_string(),
            size.to_string(),
            sha256[..16].to_owned(),
            plays,
        ]
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let bots = args.arena.open()?.read_journal()?.bots()?;
    args.format
        .print(&bots.into_iter().map(BotRow).collect::<Vec<_>>())
}
