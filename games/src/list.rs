//! The one table of games: adding a game is a file, and a line here.

use crate::{AnyGame, Flip4, FlipFlop, FlipFour, Game, Of, Yonmoque};

/// Something to be done with a game of which only the id is known.
pub trait Visitor {
    /// What comes of it.
    type Out;

    /// Does it.
    fn visit<G: Game>(self) -> Self::Out;
}

macro_rules! games {
    ($(#[$about:meta])* $($game:ty),+ $(,)?) => {
        $(#[$about])*
        pub static GAMES: &[&dyn AnyGame] = &[$(&Of::<$game>::NEW),+];

        /// Calls the visitor with the game of this id, if there is one.
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

games! {
    /// Every game built in.
    FlipFlop<3>, FlipFlop<5>, FlipFour, Yonmoque, Flip4
}

/// The game of this id.
pub fn find(id: &str) -> Option<&'static dyn AnyGame> {
    GAMES.iter().find(|game| game.info().id == id).copied()
}
