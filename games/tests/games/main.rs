//! The games: the laws that all of them keep, the rulings of each, second engines, and what an independent program
//! counted.

mod board_games;
mod flaws;
mod flip4;
mod laws;
mod options;
mod phase10;
mod puissance4;
mod template;
mod witness;
