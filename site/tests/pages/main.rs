//! The pages of a small arena, asked for in process.

mod arena;
mod client;
mod harmless;
mod honest;
mod large;
mod live;
mod whole;
