//! The program: serves chess to the referee, over standard input and output.

use std::io;

use flipside_chess::{Chess, RULES};
use flipside_games::{GameHandle, serve};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

fn main() -> io::Result<()> {
    let game = GameHandle::<Chess>::NEW;
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    serve(&game, RULES, ChaCha8Rng::from_seed, input, output)
}
