use flipside_tournament::{Rerated, rerate};

use crate::arena::ArenaArg;
use crate::commands::games;
use crate::failure::Result;
use crate::output::{Column, Format, Row};

/// Compute the ratings anew from the journal, and print their fingerprint
///
/// Ratings are never stored: every table folds the results again. The fingerprint covers every bit of
/// every rating, so that two machines, or two days, can be compared.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game; without it all of them.
    game: Option<String>,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    arena: ArenaArg,
}

impl Row for Rerated {
    const COLUMNS: &'static [Column] = &[
        Column::Text("game"),
        Column::Number("matches"),
        Column::Number("periods"),
        Column::Number("bots"),
        Column::Text("sha256"),
    ];
    const NOTHING: &'static str =
        "no matches yet; `flipside tournament GAME BOT BOT...` plays some";

    fn cells(&self) -> Vec<String> {
        vec![
            self.game.clone(),
            self.matches.to_string(),
            self.periods.to_string(),
            self.bots.to_string(),
            self.sha256.clone(),
        ]
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let wanted = match &args.game {
        Some(id) => vec![games::find(id)?],
        None => flipside_games::GAMES.to_vec(),
    };
    let journal = args.arena.open()?.read_journal()?;
    let mut rows = Vec::new();
    for game in wanted {
        let rerated = rerate(&journal, game.info().id)?;
        if rerated.matches > 0 || args.game.is_some() {
            rows.push(rerated);
        }
    }
    args.format.print(&rows)
}
