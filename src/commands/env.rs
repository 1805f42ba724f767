use std::io::{BufReader, stdin, stdout};

use flipside_operations::{Result, game_named, serve_environment};

use crate::args::{ArenaArg, TrustArg};

/// Play on tables of a game without a referee, by lines of JSON: an environment for programs that learn
///
/// Reads requests from standard input and answers each with one line, which raw arrays follow if many tables play
/// at once. The Python package flipside-env speaks them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game
    game: String,
    #[command(flatten)]
    trust: TrustArg,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let game = game_named(args.arena.path(), &args.game, args.trust.into())?;
    serve_environment(game, BufReader::new(stdin().lock()), stdout().lock())
}
