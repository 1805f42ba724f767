use flipside_games::AnyGame;
use flipside_games::GAMES;
use flipside_games::words::counted;
use flipside_operations::{ExampleLine, Result, example, game_named};
use serde_json::json;

use crate::args::{ArenaArg, TrustArg};
use crate::output;

/// Print JSON Schemas: of the protocol's messages, or of a game's options, actions and view
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game [default: the messages of the protocol]
    game: Option<String>,
    /// Print messages of a short match instead: `→` marks a line to the bot, `←` a line from it
    #[arg(long, requires = "game")]
    example: bool,
    #[command(flatten)]
    trust: TrustArg,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let named = |typed: &String| game_named(args.arena.path(), typed, args.trust.into());
    let schema = match args.game.as_ref().map(named).transpose()? {
        Some(game) if args.example => return print_example(game),
        Some(game) => serde_json::to_value(game.schemas()).expect("schemas are JSON"),
        None => json!({
            "protocol": flipside_protocol::VERSION,
            "from_referee": flipside_protocol::schema_from_referee(),
            "from_bot": flipside_protocol::schema_from_bot(),
            "to_game": flipside_protocol::schema_game_request(),
            "from_game": flipside_protocol::schema_game_reply(),
            "games": GAMES.iter().map(|game| game.info().id).collect::<Vec<_>>(),
        }),
    };
    output::print(&format!("{schema:#}\n"))
}

/// Prints an example with the arrows of PROTOCOL.md.
fn print_example(game: &dyn AnyGame) -> Result<()> {
    let line = |line: ExampleLine| match line {
        ExampleLine::ToBot(line) => format!("→ {line}\n"),
        ExampleLine::ToReferee(line) => format!("← {line}\n"),
        ExampleLine::Omitted(turns) => {
            let turns = counted(turns as u64, "turn");
            format!("  {turns} of this seat not shown\n")
        }
    };
    let lines = example(game)?.lines;
    output::print(&lines.into_iter().map(line).collect::<String>())
}
