//! Chess: how matches end, how moves are written and which positions are refused; published counts of moves, also
//! counted by asking the program line by line; and the laws of all games.

mod ends;
mod fens;
mod laws;
mod perft;
mod sans;
mod served;

use flipside_games::{AnyGame, GameHandle, Table};

use flipside_chess::Chess;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn game() -> &'static dyn AnyGame {
    &GameHandle::<Chess>::NEW
}

/// A match from a position; without one, from the usual.
fn table(fen: Option<&str>) -> Box<dyn Table> {
    table_of(game(), fen)
}

fn table_of(game: &dyn AnyGame, fen: Option<&str>) -> Box<dyn Table> {
    let options = fen.map_or("{}".into(), |fen| format!("{{\"fen\":{fen:?}}}"));
    game.set_up(&options, 2).unwrap().table
}

/// Plays moves, one after the other.
fn play(table: &mut dyn Table, moves: &str) {
    for action in moves.split_whitespace() {
        let seat = table.turn().asked().lowest().expect("the match goes on");
        table
            .act(&[(seat, action)])
            .unwrap_or_else(|refused| panic!("{action}: {refused}"));
    }
}
