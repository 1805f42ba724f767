use std::time::Instant;

use flipside_operations::{Failure, Result, find_game, set_up};

use crate::number;
use crate::output::{self, note, on_terminal};

/// The deepest count: far beyond what any machine finishes.
const DEEPEST: u32 = 100;

/// Count action sequences to test a rules engine
///
/// Prints one line for each length up to --depth. Matches that end earlier add nothing.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game
    game: String,
    /// Longest sequence
    #[arg(long, value_parser = number::whole(1, DEEPEST))]
    depth: u32,
    /// Options of the game, as JSON
    #[arg(long, default_value = "{}")]
    options: String,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let game = find_game(&args.game)?;
    let setup = set_up(game, &args.options, game.info().least_seats())?;
    for depth in 1..=args.depth {
        let began = Instant::now();
        let leaves = setup.table.perft(depth).map_err(Failure::new)?;
        if let Some(failure) = setup.table.failure() {
            return Err(Failure::new(failure));
        }
        output::print(&format!("{} {depth} {leaves}\n", args.game))?;
        let seconds = began.elapsed().as_secs_f64();
        if on_terminal() && seconds > 0.1 {
            note!(
                "  {seconds:.1} s, {:.1} million leaves a second",
                leaves as f64 / seconds / 1e6
            );
        }
    }
    Ok(())
}
