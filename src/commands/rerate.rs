use flipside_tournament::rerate;

use crate::arena::ArenaArg;
use crate::commands::games;
use crate::failure::Result;
use crate::output::Format;

/// Recompute all ratings and print their fingerprint
///
/// Ratings are never stored. The fingerprint covers every bit, so it compares machines and versions.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game [default: all]
    game: Option<String>,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    arena: ArenaArg,
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
