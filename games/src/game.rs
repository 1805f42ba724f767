//! The trait of a game.

use std::convert::Infallible;
use std::fmt::Debug;

use flipside_protocol::game::ActionPath;
use rand_core::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::GameFailure;
use crate::observation::ObservationForm;
use crate::options::OptionsError;
use crate::seats::{Seat, SeatTurn, Viewer};
use crate::words::joined;

/// Facts about a game that hold for every match.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Info {
    /// The id that people type. That of a game of an arena has its version: `nim@2`.
    pub id: &'static str,
    /// The name that people read.
    pub title: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// The supported numbers of seats, ascending.
    pub seats: &'static [u8],
    /// Whether there is chance.
    pub chance: bool,
    /// Whether any information is hidden from a seat.
    pub secrets: bool,
    /// Whether several seats may have to choose at once.
    pub simultaneous: bool,
}

/// Returns the id of a game without its version, as bots are told it: they need not know which version they play.
pub fn without_version(id: &str) -> &str {
    id.split_once('@').map_or(id, |(id, _)| id)
}

impl Info {
    /// Returns the minimum number of seats.
    pub const fn least_seats(&self) -> u8 {
        self.seats[0]
    }

    /// Names what the game has beside moves in turns; `full information` if it has nothing else.
    pub fn traits(&self) -> Vec<&'static str> {
        let traits = [
            (self.chance, "chance"),
            (self.secrets, "secrets"),
            (self.simultaneous, "simultaneous turns"),
        ];
        let has = traits.iter().filter(|(has, _)| *has);
        let has: Vec<&str> = has.map(|(_, name)| *name).collect();
        if has.is_empty() {
            vec!["full information"]
        } else {
            has
        }
    }

    /// Refuses a number of seats that is not supported.
    ///
    /// # Errors
    /// Names those that are.
    pub(crate) fn refuse_seats(&self, seats: u8) -> Result<(), OptionsError> {
        if self.seats.contains(&seats) {
            return Ok(());
        }
        let (id, all) = (self.id, self.seats_in_words());
        Err(OptionsError(format!(
            "{id} is for {all} seats, not {seats}"
        )))
    }

    /// Describes the numbers of seats: `2`, `2 to 6`, `2, 4 or 6`.
    pub fn seats_in_words(&self) -> String {
        match self.seats {
            [only] => only.to_string(),
            [least, .., most] if usize::from(most - least) + 1 == self.seats.len() => {
                format!("{least} to {most}")
            }
            [others @ .., last] => format!("{} or {last}", joined(others, ", ")),
            [] => String::new(),
        }
    }
}

/// What the pieces of a seat look like in drawings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatLook {
    /// What people call the seat, where they do: `White`.
    pub name: Option<&'static str>,
    /// The colour of its pieces, as SVG has it.
    pub fill: &'static str,
    /// The colour of their rim.
    pub rim: &'static str,
}

/// A step of a match. Only events change a state, and a record stores only events.
pub enum Event<'a, G: Game> {
    /// The choices of all seats that are asked, by ascending seat.
    Acts(&'a [(Seat, G::Action)]),
    /// An outcome of chance.
    Chance(&'a G::Chance),
}

/// A text that is not in the game's notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(pub String);

/// An action or an outcome of chance that the rules do not allow now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Illegal(pub String);

/// Why a table refuses an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The text is not in the game's notation.
    #[error(transparent)]
    Malformed(#[from] ParseError),
    /// The rules do not allow it now.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// It is the turn of another seat or of chance, or the match is over.
    #[error("{0}")]
    Unasked(String),
    /// Nobody is refused anything: the program of the game has failed.
    #[error(transparent)]
    Failed(#[from] GameFailure),
}

/// Options that no match can have belong to no view either.
impl From<OptionsError> for ParseError {
    fn from(error: OptionsError) -> Self {
        ParseError(error.0)
    }
}

impl Illegal {
    /// Returns the error if there is a reason why something is not allowed.
    pub(crate) fn because(why: Option<String>) -> Result<(), Self> {
        why.map_or(Ok(()), |why| Err(Illegal(why)))
    }
}

/// Makes the error for a text, draw or view that no match of the game can have.
macro_rules! malformed {
    ($($why:tt)+) => {
        $crate::ParseError(format!($($why)+))
    };
}

/// Makes the error for an action or an outcome of chance that the rules do not allow now.
macro_rules! illegal {
    ($($why:tt)+) => {
        $crate::Illegal(format!($($why)+))
    };
}

/// Returns with the error of [`malformed`], unless something holds.
macro_rules! require {
    ($holds:expr, $($why:tt)+) => {
        if !$holds {
            return Err($crate::game::malformed!($($why)+));
        }
    };
}

pub(crate) use {illegal, malformed, require};

/// Quotes a bot's text for a message and cuts a long one.
pub(crate) fn quoted(text: &str) -> String {
    const MAX_QUOTE: usize = 24;
    match text.char_indices().nth(MAX_QUOTE) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", &text[..end]),
    }
}

/// The chance of a game without chance. It has no values.
pub type Never = Infallible;

/// Types with a JSON Schema. Without the feature `schema`, all types.
#[cfg(feature = "schema")]
pub trait DescribedGame: schemars::JsonSchema {}
#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> DescribedGame for T {}

/// Types with a JSON Schema. Without the feature `schema`, all types.
#[cfg(not(feature = "schema"))]
pub trait DescribedGame {}
#[cfg(not(feature = "schema"))]
impl<T> DescribedGame for T {}

/// The rules of a game, and the state of one match. Only events change the state.
///
/// `testing::laws` has the laws that every game must keep. A game that keeps them can be refereed,
/// recorded, replayed and verified.
pub trait Game: Clone + Send + 'static {
    /// The settings. `Default` follows the game's page.
    type Options: Clone + Default + Debug + Serialize + DeserializeOwned + DescribedGame;
    /// A choice of a seat. Actions are ordered by the bytes of their notation.
    type Action: Copy + Ord + Debug + Send;
    /// An outcome of chance; [`Never`] in a game without chance.
    type Chance: Clone + Debug;
    /// The visible part of a state, as JSON.
    type View: Serialize + DeserializeOwned + DescribedGame;

    /// The facts of the game.
    const INFO: Info;

    /// A regular expression that matches the whole text of every action.
    const NOTATION: &'static str;

    /// Starts a match. `seats` is one of the numbers in [`Info`].
    ///
    /// # Errors
    /// Names the option that is out of range, and its range.
    fn new(options: &Self::Options, seats: u8) -> Result<Self, OptionsError>;

    /// Returns named options, apart from the default, that tests must cover.
    fn presets() -> Vec<(&'static str, Self::Options)> {
        Vec::new()
    }

    /// Returns options for short matches that still show the game, to try out a bot.
    fn brief() -> Self::Options {
        Self::Options::default()
    }

    /// Returns the number of seats.
    fn seats(&self) -> u8;

    /// Returns the side of a seat. In a game without teams it is the seat.
    fn side(&self, seat: Seat) -> u8 {
        seat
    }

    /// Returns what the match waits for.
    fn turn(&self) -> SeatTurn;

    /// Replaces the contents of `actions` by the legal actions of a seat, each once and in order. A
    /// seat that is not asked has none.
    fn actions(&self, seat: Seat, actions: &mut Vec<Self::Action>);

    /// Returns the number of legal actions of a seat.
    fn count_actions(&self, seat: Seat) -> usize {
        let mut actions = Vec::new();
        self.actions(seat, &mut actions);
        actions.len()
    }

    /// Reads an action in the game's notation.
    ///
    /// # Errors
    /// Returns an error when the text is not in the notation. [`check`](Game::check) tells whether
    /// the action is legal.
    fn read_action(&self, text: &str) -> Result<Self::Action, ParseError>;

    /// Writes an action in the game's notation. [`read_action`](Game::read_action) reads it back.
    fn write_action(&self, action: Self::Action, out: &mut String);

    /// Returns an action in the game's notation.
    fn action_text(&self, action: Self::Action) -> String {
        let mut text = String::new();
        self.write_action(action, &mut text);
        text
    }

    /// Describes an action in words that follow the name of who takes it: `places a rook on c3`. By default it is
    /// the notation.
    fn action_in_words(&self, action: Self::Action) -> String {
        self.action_text(action)
    }

    /// Returns how a person points at a legal action on the drawing of what the seat sees. Marks are the values of
    /// `data-mark` in [`svg`](Game::svg). By default, the action is a button beside the drawing.
    fn path(&self, seat: Seat, action: Self::Action) -> ActionPath {
        let _ = seat;
        ActionPath::beside(self.action_text(action))
    }

    /// Checks whether a seat may take an action now.
    ///
    /// # Errors
    /// Says why not, in words for the bot's author.
    fn check(&self, seat: Seat, action: Self::Action) -> Result<(), Illegal>;

    /// Reads an action and checks whether a seat may take it now.
    ///
    /// # Errors
    /// Says what is refused and why, in words for the bot's author.
    fn parse(&self, seat: Seat, text: &str) -> Result<Self::Action, Refusal> {
        let action = self.read_action(text)?;
        self.check(seat, action)?;
        Ok(action)
    }

    /// Applies an event that was checked.
    fn apply(&mut self, event: Event<'_, Self>);

    /// Samples the next outcome of chance. The state does not change.
    fn sample(&self, rng: &mut dyn Rng) -> Self::Chance;

    /// Checks whether chance can have this outcome now.
    ///
    /// # Errors
    /// Says why not.
    fn check_chance(&self, event: &Self::Chance) -> Result<(), Illegal>;

    /// Reads an outcome of chance from the JSON of a record.
    ///
    /// # Errors
    /// Returns an error when this game has no such outcome.
    fn read_chance(&self, json: &str) -> Result<Self::Chance, ParseError>;

    /// Writes an outcome of chance as JSON, for the record.
    fn write_chance(&self, event: &Self::Chance, out: &mut Vec<u8>);

    /// Returns an outcome of chance as JSON.
    fn chance_text(&self, event: &Self::Chance) -> String {
        let mut json = Vec::new();
        self.write_chance(event, &mut json);
        String::from_utf8(json).expect("JSON is UTF-8")
    }

    /// Describes an outcome of chance in words for people. By default it is the JSON.
    fn chance_in_words(&self, event: &Self::Chance) -> String {
        self.chance_text(event)
    }

    /// Returns what a viewer may see now.
    fn view(&self, viewer: Viewer) -> Self::View;

    /// Appends what a viewer may see now, as JSON: the view as serde writes it, byte for byte. A game may write it
    /// faster.
    fn write_view(&self, viewer: Viewer, out: &mut Vec<u8>) {
        serde_json::to_writer(out, &self.view(viewer)).expect("a view is always JSON");
    }

    /// Returns the form of what a seat sees as an array, for a game whose views are boards.
    fn observation_form() -> Option<ObservationForm> {
        None
    }

    /// Appends what a seat sees now as an array of the [form](Game::observation_form), plane by plane and row by row;
    /// nothing if there is no form. It tells no more than the view of the seat.
    fn write_observation(&self, seat: Seat, out: &mut Vec<u8>) {
        let _ = (seat, out);
    }

    /// Returns whether a viewer learns what a seat does when it does this, and not only that it acts.
    ///
    /// The answer must not depend on what is hidden from the viewer. What the view hides afterwards must not be told. A
    /// seat always learns its own actions. By default, actions are hidden in games with secrets.
    fn sees_action(&self, viewer: Viewer, seat: Seat, action: Self::Action) -> bool {
        let _ = action;
        !Self::INFO.secrets || viewer == Viewer::Open || viewer == Viewer::Seat(seat)
    }

    /// Returns whether a viewer learns this outcome of chance, and not only that there was one. The same holds as for
    /// [`sees_action`](Game::sees_action).
    fn sees_chance(&self, viewer: Viewer, event: &Self::Chance) -> bool {
        let _ = event;
        !Self::INFO.secrets || viewer == Viewer::Open
    }

    /// Builds a state that this viewer cannot tell from the true one. `rng` samples the hidden
    /// information.
    ///
    /// Views of the referee are trusted: nothing asks whether play could have led to one. For any
    /// other value this returns an error, or a state that shows this view and can be played on.
    /// It never panics.
    ///
    /// # Errors
    /// Returns an error when the view contradicts itself or the options.
    fn from_view(
        options: &Self::Options,
        seats: u8,
        viewer: Viewer,
        view: &Self::View,
        rng: &mut dyn Rng,
    ) -> Result<Self, ParseError>;

    /// Returns a state that the viewer cannot tell from this one, with the hidden information
    /// sampled anew. Without secrets it is the same state.
    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Self {
        let _ = (viewer, rng);
        self.clone()
    }

    /// Draws a view as text for a terminal: a few lines, each ended by a newline.
    fn text(view: &Self::View) -> String;

    /// Returns what the pieces of a seat look like in drawings; nothing where seats have none.
    fn look(seat: Seat) -> Option<SeatLook> {
        let _ = seat;
        None
    }

    /// Draws a view for a page, as one self-contained `<svg>` element.
    fn svg(view: &Self::View) -> String;

    /// Draws a view as [`svg`](Game::svg) does, and marks the action that led to it, for games whose views do not tell
    /// it. By default it is not marked. Games with secrets are not told the action.
    fn svg_after(view: &Self::View, action: Option<Self::Action>) -> String {
        let _ = action;
        Self::svg(view)
    }
}

/// Implements the methods about chance for a game without chance.
#[macro_export]
macro_rules! without_chance {
    () => {
        fn sample(&self, _: &mut dyn ::rand_core::Rng) -> $crate::Never {
            unreachable!("this game never waits for chance")
        }

        fn check_chance(&self, event: &$crate::Never) -> Result<(), $crate::Illegal> {
            match *event {}
        }

        fn read_chance(&self, _: &str) -> Result<$crate::Never, $crate::ParseError> {
            Err($crate::ParseError("there is no chance in this game".into()))
        }

        fn write_chance(&self, event: &$crate::Never, _: &mut Vec<u8>) {
            match *event {}
        }

        fn chance_in_words(&self, event: &$crate::Never) -> String {
            match *event {}
        }
    };
}

/// Implements reading and writing of chance through serde.
#[macro_export]
macro_rules! chance_by_serde {
    () => {
        fn read_chance(&self, json: &str) -> Result<Self::Chance, $crate::ParseError> {
            ::serde_json::from_str(json).map_err(|error| $crate::ParseError(error.to_string()))
        }

        fn write_chance(&self, event: &Self::Chance, out: &mut Vec<u8>) {
            ::serde_json::to_writer(out, event).expect("an outcome of chance is always JSON");
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_in_a_message() {
        assert_eq!(quoted("a1"), "\"a1\"");
        assert_eq!(
            quoted(&"é".repeat(70_000)),
            format!("\"{}\"…", "é".repeat(24))
        );
    }
}
