//! The rules of the games behind one trait, with one file or folder per game.
//!
//! A game is a state that only events change. Two-seat board games in turns supply their position
//! and actions only; `board_game` adds the rest. This crate does no I/O and has no clock and no
//! random generator: callers pass a generator.
//!
//! ```
//! let game = flipside_games::find("flipfour").expect("built in");
//! let mut table = game.set_up("{}", 2)?.table;
//! table.act(&[(0, "+c3")])?;
//! assert!(table.text(flipside_games::Viewer::Public).contains("R"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod board;
mod board_game;
pub mod chance;
mod faces;
mod failure;
pub mod flip4;
pub mod flipflop;
pub mod flipfour;
mod game;
mod history;
mod json;
mod known;
mod list;
mod observation;
mod options;
mod paint;
mod perft;
pub mod phase10;
mod program;
pub mod puissance4;
mod seats;
mod table;
#[cfg(feature = "testing")]
pub mod testing;
mod turn_order;
#[doc(hidden)]
pub mod words;
pub mod yonmoque;

pub use flipside_protocol::game::ActionPath;

pub use failure::{GameFailure, ProgramFacts};
pub use flip4::Flip4;
pub use flipflop::FlipFlop;
pub use flipfour::FlipFour;
pub use game::{
    DescribedGame, Event, Game, Illegal, Info, Never, ParseError, Refusal, SeatLook,
    without_version,
};
pub use history::History;
pub use known::{
    GameTaken, all_games, current_games, find, find_program, look_for_more, make_known,
    make_known_imported,
};
pub use list::{GAMES, Visitor, visit};
pub use observation::ObservationForm;
pub use options::{BoundedInt, Decimal, OptionsError, Probability};
pub use paint::unmarked;
pub use perft::{PerftError, perft};
pub use phase10::Phase10;
pub use program::{
    GameHost, GameLink, GameProgramError, GameServer, ProgramGame, not_paths, not_svg, serve,
};
pub use puissance4::{Puissance4Basic, Puissance4Championship, Puissance4ExtraPro};
pub use seats::{MAX_SEATS, Outcome, Points, Seat, SeatTurn, Seats, Viewer};
#[cfg(feature = "schema")]
pub use table::Schemas;
pub use table::{AnyGame, GameHandle, Setup, Table};
pub use turn_order::{Reason, TurnOrderOver};
pub use yonmoque::Yonmoque;
