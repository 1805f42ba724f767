use flipside_games::GAMES;
use flipside_operations::{Result, find_game};
use serde_json::json;

use crate::output;

/// Print JSON Schemas: of the protocol's messages, or of a game's options, actions and view
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game [default: the messages of the protocol]
    game: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let schema = match &args.game {
        Some(id) => serde_json::to_value(find_game(id)?.schemas()).expect("schemas are JSON"),
        None => json!({
            "protocol": flipside_protocol::VERSION,
            "from_referee": flipside_protocol::schema_from_referee(),
            "from_bot": flipside_protocol::schema_from_bot(),
            "games": GAMES.iter().map(|game| game.info().id).collect::<Vec<_>>(),
        }),
    };
    output::print(&format!("{schema:#}\n"))
}
