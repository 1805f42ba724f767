//! The bot `mcts` as a program: a process, or a WASI command.

use flipside_sample_bots::{Knowing, Mcts};

fn main() -> std::process::ExitCode {
    flipside_sample_bots::main(Knowing(Mcts::default()))
}
