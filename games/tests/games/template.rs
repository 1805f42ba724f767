//! The template of a game in Rust, on the crates of the workspace: its own tests run here, with those of our games.

#[path = "../../../kits/rust-game/src/main.rs"]
#[expect(dead_code, reason = "a program begins with its main")]
mod mygame;
