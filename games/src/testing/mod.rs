//! What tests need: the laws that every game must keep, and small games that exist to be tested.
//!
//! The small games are complete, and each shows one thing that a game may have: chance and many
//! seats ([`Race`]), hidden cards ([`Kuhn`]), simultaneous choices ([`Goofspiel`]), teams
//! ([`Teams`]). They are good to copy from.

mod goofspiel;
mod kuhn;
pub mod laws;
mod race;
mod teams;

use rand_core::Rng;

use crate::list::games;
use crate::{AnyGame, Game, Of, Seat, Table, Turn, Visitor};

pub use goofspiel::Goofspiel;
pub use kuhn::Kuhn;
pub use race::Race;
pub use teams::Teams;

games! {
    /// The games that exist to be tested. Their ids begin with `test-`.
    Race, Kuhn, Goofspiel, Teams
}

/// The test game of this id.
pub fn find(id: &str) -> Option<&'static dyn AnyGame> {
    GAMES.iter().find(|game| game.info().id == id).copied()
}

/// What happened at a table, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// What chance did, as JSON.
    Draw(String),
    /// What the seats did that were asked, by ascending seat.
    Acts(Vec<(Seat, String)>),
}

/// Plays a match on by one step, drawn at random; nothing if it is over.
///
/// # Panics
/// When the table refuses its own draw or a listed action, which the laws forbid.
pub fn step_at_random(table: &mut dyn Table, rng: &mut dyn Rng) -> Option<Step> {
    match table.turn() {
        Turn::Over(_) => None,
        Turn::Chance => {
            let mut draw = Vec::new();
            table.sample(rng, &mut draw);
            let draw = String::from_utf8(draw).expect("JSON is UTF-8");
            table.chance(&draw).expect("its own draw");
            Some(Step::Draw(draw))
        }
        Turn::Seats(asked) => {
            let mut drawn = |seat| {
                let mut action = String::new();
                table.random_action(seat, rng, &mut action);
                (seat, action)
            };
            let acts: Vec<(Seat, String)> = asked.map(&mut drawn).collect();
            let texts: Vec<_> = acts
                .iter()
                .map(|(seat, action)| (*seat, action.as_str()))
                .collect();
            table.act(&texts).expect("listed actions");
            Some(Step::Acts(acts))
        }
    }
}

/// A page's drawing that is only text: enough for a game that nobody watches.
fn picture(text: &str) -> String {
    const LINE: usize = 20;
    const LETTER: usize = 10;
    let lines: Vec<&str> = text.lines().collect();
    let longest = lines.iter().map(|line| line.len()).max().unwrap_or(0);
    let (width, height) = ((longest + 2) * LETTER, (lines.len() + 1) * LINE);
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="monospace" font-size="16">"#
    );
    for (row, line) in lines.iter().enumerate() {
        let escaped = line.replace('&', "&amp;").replace('<', "&lt;");
        svg += &format!(
            r#"<text x="{LETTER}" y="{}">{escaped}</text>"#,
            (row + 1) * LINE
        );
    }
    svg + "</svg>"
}
