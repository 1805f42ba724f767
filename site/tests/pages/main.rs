//! The pages of a small arena, asked for in process.

mod api;
mod arena;
mod client;
#[path = "../common/described.rs"]
mod described;
mod downloads;
mod harmless;
mod honest;
mod large;
mod live;
mod many;
mod parts;
mod pictures;
mod whole;
