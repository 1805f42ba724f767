//! FlipFour, FlipFlop and Yonmoque: every ruling of their pages, and second, plainly written engines
//! beside them.

mod agreement;
mod drawing;
mod flipflop;
mod flipfour;
#[path = "../../plain/board_games.rs"]
mod plain;
mod play;
mod yonmoque;
