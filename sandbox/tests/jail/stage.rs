//! The jail's stage for the tests of this crate, and nothing else: the command has its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(flipside_sandbox::jail::enter(std::env::args_os().skip(1)))
}
