//! The program: serves FlipFour to the referee, over standard input and output.

use std::io;

fn main() -> io::Result<()> {
    flipside_bench_game::serve_flipfour(io::stdin().lock(), io::stdout().lock())
}
