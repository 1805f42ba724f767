use flipside_games::GAMES;
use flipside_games::words::counted;
use flipside_operations::{ExampleLine, Result, example, find_game};
use serde_json::json;

use crate::output;

/// Print JSON Schemas: of the protocol's messages, or of a game's options, actions and view
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game [default: the messages of the protocol]
    game: Option<String>,
    /// Print messages of a short match instead: `→` marks a line to the bot, `←` a line from it
    #[arg(long, requires = "game")]
    example: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let schema = match &args.game {
        Some(id) if args.example => return print_example(id),
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

/// Prints an example with the arrows of PROTOCOL.md.
fn print_example(id: &str) -> Result<()> {
    let line = |line: ExampleLine| match line {
        ExampleLine::ToBot(line) => format!("→ {line}\n"),
        ExampleLine::ToReferee(line) => format!("← {line}\n"),
        ExampleLine::Omitted(turns) => {
            let turns = counted(turns as u64, "turn");
            format!("  {turns} of this seat not shown\n")
        }
    };
    let lines = example(find_game(id)?)?.lines;
    output::print(&lines.into_iter().map(line).collect::<String>())
}
