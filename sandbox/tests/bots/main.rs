//! Bots of every bad kind, and what the sandbox makes of them.

#[path = "../../../tests/zoo/modules/big.rs"]
mod big;
mod common;
mod compile;
mod fuel;
mod module;
mod process;
mod program;
mod turns;

/// For what is tried here without a jail, and in one elsewhere.
fn start_one(program: &flipside_sandbox::Program) -> flipside_sandbox::SandboxBot {
    common::start(program)
}
