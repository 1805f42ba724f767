//! The table of games. A new game needs a file, and a line here.

use crate::flip4::state::Flip4;
use crate::flipflop::FlipFlop;
use crate::flipfour::FlipFour;
use crate::game::Game;
use crate::phase10::state::Phase10;
use crate::puissance4::extra_pro::state::ExtraPro as Puissance4ExtraPro;
use crate::puissance4::{Puissance4Basic, Puissance4Championship};
use crate::table::{AnyGame, GameHandle};
use crate::yonmoque::Yonmoque;

/// An operation on a game that is known by its id only.
pub trait Visitor {
    /// The result.
    type Out;

    /// Runs the operation.
    fn visit<G: Game>(self) -> Self::Out;
}

macro_rules! games {
    ($(#[$about:meta])* $($game:ty),+ $(,)?) => {
        $(#[$about])*
        pub static GAMES: &[&dyn AnyGame] = &[$(&GameHandle::<$game>::NEW),+];

        /// Returns the game with this id.
        pub fn find(id: &str) -> Option<&'static dyn AnyGame> {
            GAMES.iter().find(|game| game.info().id == id).copied()
        }

        /// Runs the operation on the game with this id, if there is one.
        pub fn visit<V: Visitor>(id: &str, visitor: V) -> Option<V::Out> {
            $(if id == <$game>::INFO.id {
                return Some(visitor.visit::<$game>());
            })+
            None
        }
    };
}

#[cfg(feature = "testing")]
pub(crate) use games;

/// Returns whether this is the id of a built-in game.
pub(crate) fn is_built_in(id: &str) -> bool {
    find(id).is_some()
}

games! {
    /// All built-in games.
    Flip4, FlipFlop<3>, FlipFlop<5>, FlipFour, Phase10,
    Puissance4Basic, Puissance4Championship, Puissance4ExtraPro, Yonmoque
}
