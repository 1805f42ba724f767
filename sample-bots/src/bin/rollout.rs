//! The bot `rollout` as a program: a process, or a WASI command.

fn main() -> std::process::ExitCode {
    flipside_sample_bots::main_with_arguments("rollout")
}
