//! The bot `greedy` as a program: a process, or a WASI command.

use flipside_sample_bots::{Greedy, Knowing};

fn main() -> std::process::ExitCode {
    flipside_sample_bots::main(Knowing(Greedy))
}
