//! What tests need: the laws that every game must keep, and small games that exist to be tested.
//!
//! The small games are complete, and each shows one thing that a game may have: chance and many
//! seats ([`Race`]), hidden cards ([`Kuhn`]), simultaneous choices ([`Goofspiel`]), teams
//! ([`Teams`]). They are good to copy from.

mod goofspiel;
mod kuhn;
pub mod laws;
mod picture;
mod race;
mod teams;

use rand_core::Rng;

use crate::game::{Game, Refusal};
use crate::list::{Visitor, games};
use crate::seats::{Seat, SeatTurn};
use crate::table::{AnyGame, GameHandle, Table};

pub use goofspiel::Goofspiel;
pub use kuhn::Kuhn;
pub use race::Race;
pub use teams::Teams;

games! {
    /// The games that exist to be tested. Their ids begin with `test-`.
    Race, Kuhn, Goofspiel, Teams
}

/// What happened at a table, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LawStep {
    /// What chance did, as JSON.
    Draw(String),
    /// What the seats did that were asked, by ascending seat.
    Acts(Vec<(Seat, String)>),
}

impl LawStep {
    /// Gives this to a table.
    ///
    /// # Errors
    /// Says what the table refuses, and why.
    pub fn play(&self, table: &mut dyn Table) -> Result<(), Refusal> {
        match self {
            LawStep::Draw(draw) => table.chance(draw),
            LawStep::Acts(acts) => {
                let texts = acts.iter().map(|(seat, text)| (*seat, text.as_str()));
                table.act(&texts.collect::<Vec<_>>())
            }
        }
    }
}

/// Plays a match on by one step, drawn at random; nothing if it is over.
///
/// # Panics
/// When the table refuses its own draw or a listed action, which the laws forbid.
pub fn step_at_random(table: &mut dyn Table, rng: &mut dyn Rng) -> Option<LawStep> {
    match table.turn() {
        SeatTurn::Over(_) => None,
        SeatTurn::Chance => {
            let mut draw = Vec::new();
            table.sample(rng, &mut draw);
            let draw = LawStep::Draw(String::from_utf8(draw).expect("JSON is UTF-8"));
            draw.play(table).expect("its own draw");
            Some(draw)
        }
        SeatTurn::Seats(asked) => {
            let mut drawn = |seat| {
                let mut action = String::new();
                table.random_action(seat, rng, &mut action);
                (seat, action)
            };
            let acts = LawStep::Acts(asked.map(&mut drawn).collect());
            acts.play(table).expect("listed actions");
            Some(acts)
        }
    }
}
