//! The trait of a game.

use std::convert::Infallible;
use std::fmt::Debug;

use rand_core::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Later, OptionsError, Seat, Turn, Viewer};

/// The facts of a game that hold for every match.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Info {
    /// The id, as people type it.
    pub id: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// One line: what it is.
    pub summary: &'static str,
    /// The numbers of seats that the game is for, ascending.
    pub seats: &'static [u8],
    /// Whether chance plays a part.
    pub chance: bool,
    /// Whether anything is hidden from a seat.
    pub secrets: bool,
    /// Whether several seats may be asked at once.
    pub simultaneous: bool,
}

impl Info {
    /// The fewest seats.
    pub const fn least_seats(&self) -> u8 {
        self.seats[0]
    }

    /// The numbers of seats in words: `2`, `2 to 6`, `2, 4 or 6`.
    pub fn seats_in_words(&self) -> String {
        let words = |numbers: &[u8]| {
            let numbers: Vec<String> = numbers.iter().map(u8::to_string).collect();
            numbers.join(", ")
        };
        match self.seats {
            [only] => only.to_string(),
            [least, .., most] if usize::from(most - least) + 1 == self.seats.len() => {
                format!("{least} to {most}")
            }
            [others @ .., last] => format!("{} or {last}", words(others)),
            [] => String::new(),
        }
    }
}

/// One step of a match. Events are all that moves a state, and all that a record keeps.
pub enum Event<'a, G: Game> {
    /// The choices of exactly the seats that the turn asked for, by ascending seat.
    Acts(&'a [(Seat, G::Action)]),
    /// What chance did.
    Chance(&'a G::Chance),
}

/// A text that is not in the game's notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

/// An action or a draw that the rules do not allow now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Illegal(pub String);

/// The chance of a game without chance: there is no value of it.
pub type Never = Infallible;

/// With the feature `schema`, what has a JSON Schema; without it, everything.
#[cfg(feature = "schema")]
pub trait Described: schemars::JsonSchema {}
#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> Described for T {}

/// With the feature `schema`, what has a JSON Schema; without it, everything.
#[cfg(not(feature = "schema"))]
pub trait Described {}
#[cfg(not(feature = "schema"))]
impl<T> Described for T {}

/// A game's rules: the state of one match, which moves only by events.
///
/// The laws that every game must keep are in `testing::laws`; a game that passes them can be
/// refereed, recorded, replayed and verified.
pub trait Game: Clone + Send + 'static {
    /// The game's settings. `Default` is the game as its page decides it.
    type Options: Clone + Default + Debug + Serialize + DeserializeOwned + Described;
    /// A choice of a seat. Its order is the byte order of its notation.
    type Action: Copy + Ord + Debug + Send;
    /// What chance does; [`Never`] in a game without chance.
    type Chance: Clone + Debug;
    /// What may be seen, as JSON.
    type View: Serialize + DeserializeOwned + Described;

    /// The facts of the game.
    const INFO: Info;

    /// A regular expression that every action's text matches as a whole.
    const NOTATION: &'static str;

    /// The start of a match.
    ///
    /// # Errors
    /// Names the option that does not fit and what would. The number of seats is one of
    /// [`Info`]'s already.
    fn new(options: &Self::Options, seats: u8) -> Result<Self, OptionsError>;

    /// Options that deserve a test of their own, beside the default, each with a name.
    fn presets() -> Vec<(&'static str, Self::Options)> {
        Vec::new()
    }

    /// Options with which a match is soon over and still shows the game: for trying a bot.
    fn brief() -> Self::Options {
        Self::Options::default()
    }

    /// The options that were added when records without them had been written.
    fn later() -> &'static [Later] {
        &[]
    }

    /// How many seats play.
    fn seats(&self) -> u8;

    /// The side that a seat plays for: in a game without teams, the seat.
    fn side(&self, seat: Seat) -> u8 {
        seat
    }

    /// What the table waits for.
    fn turn(&self) -> Turn;

    /// Puts the legal actions of a seat into `actions` (emptied first), in byte order of their
    /// notation, each once; nothing for a seat that is not asked.
    fn actions(&self, seat: Seat, actions: &mut Vec<Self::Action>);

    /// How many legal actions a seat has.
    fn count_actions(&self, seat: Seat) -> usize {
        let mut actions = Vec::new();
        self.actions(seat, &mut actions);
        actions.len()
    }

    /// Reads an action in the game's notation.
    ///
    /// # Errors
    /// When the text is not in the notation at all. Whether the action is legal is
    /// [`check`](Game::check)'s question.
    fn read_action(&self, text: &str) -> Result<Self::Action, Malformed>;

    /// Writes an action in the game's notation; [`read_action`](Game::read_action) reads it back.
    fn write_action(&self, action: Self::Action, out: &mut String);

    /// Whether a seat may do this now.
    ///
    /// # Errors
    /// Says why not, in words for the bot's author.
    fn check(&self, seat: Seat, action: Self::Action) -> Result<(), Illegal>;

    /// Takes a step that has been checked.
    fn apply(&mut self, event: Event<'_, Self>);

    /// Samples what chance does next, without changing the state.
    fn draw(&self, rng: &mut dyn Rng) -> Self::Chance;

    /// Whether chance could do this now.
    ///
    /// # Errors
    /// Says why not.
    fn check_chance(&self, event: &Self::Chance) -> Result<(), Illegal>;

    /// Reads a draw from a record's JSON.
    ///
    /// # Errors
    /// When it is not a draw of this game.
    fn read_chance(&self, json: &str) -> Result<Self::Chance, Malformed>;

    /// Writes a draw as JSON, for the record.
    fn write_chance(&self, event: &Self::Chance, out: &mut Vec<u8>);

    /// What a viewer may see now.
    fn view(&self, viewer: Viewer) -> Self::View;

    /// Builds a state from what a viewer sees: one that the viewer cannot tell from the true one.
    /// What the view does not show is drawn from `rng`.
    ///
    /// # Errors
    /// When the view cannot be one of this game with these options.
    fn from_view(
        options: &Self::Options,
        seats: u8,
        viewer: Viewer,
        view: &Self::View,
        rng: &mut dyn Rng,
    ) -> Result<Self, Malformed>;

    /// Another state that the viewer cannot tell from this one, what it must not know drawn anew.
    /// Games with secrets say how; without secrets it is the same state.
    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Self {
        let _ = (viewer, rng);
        self.clone()
    }

    /// Draws a view for a terminal, a few lines, each ended by a newline.
    fn text(view: &Self::View) -> String;

    /// Draws a view for a page, as one `<svg>` element that needs nothing around it.
    fn svg(view: &Self::View) -> String;
}

/// For games without chance: the three methods about it.
#[macro_export]
macro_rules! without_chance {
    () => {
        fn draw(&self, _: &mut dyn ::rand_core::Rng) -> $crate::Never {
            unreachable!("this game never waits for chance")
        }

        fn check_chance(&self, event: &$crate::Never) -> Result<(), $crate::Illegal> {
            match *event {}
        }

        fn read_chance(&self, _: &str) -> Result<$crate::Never, $crate::Malformed> {
            Err($crate::Malformed("there is no chance in this game".into()))
        }

        fn write_chance(&self, event: &$crate::Never, _: &mut Vec<u8>) {
            match *event {}
        }
    };
}

/// For games with chance: reading and writing draws through serde.
#[macro_export]
macro_rules! chance_by_serde {
    () => {
        fn read_chance(&self, json: &str) -> Result<Self::Chance, $crate::Malformed> {
            ::serde_json::from_str(json).map_err(|error| $crate::Malformed(error.to_string()))
        }

        fn write_chance(&self, event: &Self::Chance, out: &mut Vec<u8>) {
            ::serde_json::to_writer(out, event).expect("a draw is always JSON");
        }
    };
}
