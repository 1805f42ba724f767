//! The bot `random` as a program: a process, or a WASI command.

use flipside_sample_bots::Random;

fn main() -> std::process::ExitCode {
    flipside_sample_bots::main(Random)
}
