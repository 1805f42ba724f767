//! The bot `expectimax`: looks some turns ahead over all that chance can do, at FLIP 4 and Puissance 4
//! Flip.

mod flip4;
mod puissance4;

use flipside_bot::{Bot, Error, SessionPlayer, ready};
use flipside_games::{Puissance4Basic, Puissance4Championship, Puissance4ExtraPro};
use flipside_protocol::{Hello, Ready};

use crate::refusal::check_game;

/// The games that the bot plays.
pub(crate) const GAMES: &[&str] = &[
    "flip4",
    "puissance4-basic",
    "puissance4-championship",
    "puissance4-extra-pro",
];

/// How many turns [`Expectimax::default`] looks ahead, its own included.
pub const TURNS: u32 = 3;

/// Looks some turns ahead over all rolls or landings.
#[derive(Clone, Copy, Debug)]
pub struct Expectimax {
    /// How many turns, the bot's own included.
    pub turns: u32,
}

impl Default for Expectimax {
    fn default() -> Self {
        Expectimax { turns: TURNS }
    }
}

impl Bot for Expectimax {
    fn ready(&self) -> Ready {
        ready("expectimax")
    }

    fn begin(&self, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
        check_game(GAMES, &hello.game)?;
        match hello.game.as_str() {
            "puissance4-basic" => puissance4::begin::<Puissance4Basic>(self.turns, hello),
            "puissance4-championship" => {
                puissance4::begin::<Puissance4Championship>(self.turns, hello)
            }
            "puissance4-extra-pro" => puissance4::begin::<Puissance4ExtraPro>(self.turns, hello),
            _ => flip4::begin(self.turns, hello),
        }
    }
}
