//! Bots of every bad kind, and what the sandbox makes of them.

#[path = "../../../tests/zoo/modules/big.rs"]
mod big;
mod common;
mod compile;
mod module;
mod process;
mod program;
