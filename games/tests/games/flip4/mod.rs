//! FLIP 4: every ruling of its page, the notation, the options, the views, what chance does, and a
//! second, plainly written engine beside the first.

mod agreement;
mod chance;
mod moving;
mod notation;
mod options;
mod placing;
#[path = "../../plain/flip4.rs"]
mod plain;
mod seat;
mod views;
mod winning;
