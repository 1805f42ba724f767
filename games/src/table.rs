//! Games behind one type: actions, views and options are texts.

use std::fmt;
use std::marker::PhantomData;

use flipside_protocol::game::ActionPath;
use rand_core::Rng;

use crate::failure::{GameFailure, ProgramFacts};
use crate::game::{Event, Game, Info, ParseError, Refusal, SeatLook};
use crate::observation::ObservationForm;
use crate::options::OptionsError;
use crate::perft::{PerftError, perft};
use crate::seats::{Seat, SeatTurn, Viewer};
use crate::{chance, options};

/// A match of any game.
///
/// JSON is passed as text, and written into the caller's buffer.
pub trait Table: Send {
    /// Returns the facts of the game.
    fn info(&self) -> &'static Info;
    /// Returns the number of seats.
    fn seats(&self) -> u8;
    /// Returns the side of a seat.
    fn side(&self, seat: Seat) -> u8;
    /// Returns what the match waits for.
    fn turn(&self) -> SeatTurn;
    /// Appends the legal actions of a seat as a JSON array of strings.
    fn write_actions(&mut self, seat: Seat, out: &mut Vec<u8>);
    /// Returns the legal actions of a seat as texts.
    fn actions(&self, seat: Seat) -> Vec<String>;
    /// Appends a legal action of a seat, sampled uniformly. Appends nothing if there is none.
    fn random_action(&mut self, seat: Seat, rng: &mut dyn Rng, out: &mut String);
    /// Returns whether a seat may do this now. Nothing changes.
    ///
    /// # Errors
    /// Says why not.
    fn check(&self, seat: Seat, action: &str) -> Result<(), Refusal>;
    /// Reads and checks the choice of a seat, and keeps it for [`play`](Table::play). A later
    /// choice of the seat replaces it.
    ///
    /// # Errors
    /// Says what is refused and why. An earlier choice of the seat stays.
    fn choose(&mut self, seat: Seat, action: &str) -> Result<(), Refusal>;
    /// Takes the kept choices, once all seats that are asked have chosen.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, when a choice is missing.
    fn play(&mut self) -> Result<(), Refusal>;
    /// Reads, checks and takes the choices of all seats that are asked, by ascending seat. On an
    /// error nothing changes.
    ///
    /// # Errors
    /// Says what is refused and why.
    fn act(&mut self, acts: &[(Seat, &str)]) -> Result<(), Refusal>;
    /// Appends a sampled outcome of chance as JSON. Nothing changes.
    fn sample(&self, rng: &mut dyn Rng, out: &mut Vec<u8>);
    /// Takes an outcome of chance. On an error nothing changes.
    ///
    /// # Errors
    /// Says why chance cannot have this outcome now.
    fn chance(&mut self, event: &str) -> Result<(), Refusal>;
    /// Appends what a viewer may see, as JSON.
    fn write_view(&self, viewer: Viewer, out: &mut Vec<u8>);
    /// Appends what a seat sees as an array; see [`Game::write_observation`].
    fn write_observation(&self, seat: Seat, out: &mut Vec<u8>) {
        let _ = (seat, out);
    }
    /// Returns whether a viewer learns what a seat does when it does this; see [`Game::sees_action`]. What is not in
    /// the game's notation is not seen.
    fn sees_action(&self, viewer: Viewer, seat: Seat, action: &str) -> bool;
    /// Returns whether a viewer learns this outcome of chance; see [`Game::sees_chance`].
    fn sees_chance(&self, viewer: Viewer, event: &str) -> bool;
    /// Returns how a person points at the legal actions of a seat, in their order, on the drawing of what the seat sees.
    fn paths(&self, seat: Seat) -> Vec<ActionPath>;
    /// Describes an action in words that follow the name of who takes it. What is not in the game's notation stays as
    /// it is.
    fn action_in_words(&self, action: &str) -> String;
    /// Describes an outcome of chance in words. What is not an outcome of the game stays as it is.
    fn chance_in_words(&self, event: &str) -> String;
    /// Returns a match that the viewer cannot tell from this one.
    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Box<dyn Table>;
    /// Draws what a viewer may see as text for a terminal.
    fn text(&self, viewer: Viewer) -> String;
    /// Draws what a viewer may see as SVG for a page, with the last action marked where the game can do that.
    fn svg(&self, viewer: Viewer) -> String;
    /// Counts the sequences of `depth` actions.
    ///
    /// # Errors
    /// Returns an error when the game has chance or simultaneous turns, or the count is over 2^64 - 1.
    fn perft(&self, depth: u32) -> Result<u64, PerftError>;
    /// Returns a copy of the match.
    fn copy(&self) -> Box<dyn Table>;
    /// Returns how the program of the game has failed, if it has. From then on the table is of no use: it is asked after
    /// each event and each sample. A built-in game never fails.
    fn failure(&self) -> Option<GameFailure> {
        None
    }
    /// Returns whether the table lists the actions of the seats that are asked.
    fn lists_actions(&self) -> bool {
        true
    }
}

/// A match at its start.
pub struct Setup {
    /// The table.
    pub table: Box<dyn Table>,
    /// All options with their values, as canonical JSON.
    pub options: String,
}

/// A game of any type.
pub trait AnyGame: Send + Sync {
    /// Returns the facts of the game.
    fn info(&self) -> &'static Info;
    /// Returns a regular expression that matches the whole text of every action.
    fn notation(&self) -> &'static str;
    /// Returns the facts of its program; nothing for a built-in game.
    fn program(&self) -> Option<&ProgramFacts> {
        None
    }
    /// Starts a match. `options` is a JSON object; omitted options take their defaults.
    ///
    /// # Errors
    /// Names the option or the number of seats that is out of range, and the range.
    fn set_up(&self, options: &str, seats: u8) -> Result<Setup, OptionsError>;
    /// Draws a view, given as JSON, as text or as SVG.
    ///
    /// # Errors
    /// It is no view of the game, or its program does not draw.
    fn draw(&self, view: &str, as_svg: bool) -> Result<String, ParseError>;
    /// Returns what the pieces of a seat look like in drawings; nothing where it has none.
    fn look(&self, seat: Seat) -> Option<SeatLook> {
        let _ = seat;
        None
    }
    /// Returns the form of what a seat sees as an array; nothing where the game has none.
    fn observation_form(&self) -> Option<ObservationForm> {
        None
    }
    /// Returns the default and the presets, each with its name and its options as JSON.
    fn presets(&self) -> Vec<(&'static str, String)>;
    /// Returns options for short matches that still show the game, as JSON.
    fn brief(&self) -> String;
    /// Returns the JSON Schemas of options, actions and views.
    #[cfg(feature = "schema")]
    fn schemas(&self) -> Schemas;
}

/// The JSON Schemas of a game.
#[cfg(feature = "schema")]
#[derive(Clone, Debug, serde::Serialize)]
pub struct Schemas {
    /// The schema of the options.
    pub options: schemars::Schema,
    /// The schema of an action.
    pub action: schemars::Schema,
    /// The schema of a view.
    pub view: schemars::Schema,
}

/// A game as a value: `GameHandle::<FlipFour>::NEW`.
pub struct GameHandle<G>(PhantomData<fn() -> G>);

impl<G> GameHandle<G> {
    /// The only value.
    pub const NEW: Self = GameHandle(PhantomData);
}

impl<G: Game> AnyGame for GameHandle<G> {
    fn info(&self) -> &'static Info {
        &G::INFO
    }

    fn notation(&self) -> &'static str {
        G::NOTATION
    }

    fn set_up(&self, options: &str, seats: u8) -> Result<Setup, OptionsError> {
        G::INFO.refuse_seats(seats)?;
        let options: G::Options = options::read(options)?;
        Ok(Setup {
            table: SeatedTable::of(G::new(&options, seats)?),
            options: options::written(&options),
        })
    }

    fn draw(&self, view: &str, as_svg: bool) -> Result<String, ParseError> {
        let read = serde_json::from_str(view);
        let view: G::View = read.map_err(|error| ParseError(error.to_string()))?;
        Ok(if as_svg {
            G::svg(&view)
        } else {
            G::text(&view)
        })
    }

    fn look(&self, seat: Seat) -> Option<SeatLook> {
        G::look(seat)
    }

    fn observation_form(&self) -> Option<ObservationForm> {
        G::observation_form()
    }

    fn presets(&self) -> Vec<(&'static str, String)> {
        let mut presets = vec![("default", G::Options::default())];
        presets.extend(G::presets());
        let written = |(name, options)| (name, options::written(&options));
        presets.into_iter().map(written).collect()
    }

    fn brief(&self) -> String {
        options::written(&G::brief())
    }

    #[cfg(feature = "schema")]
    fn schemas(&self) -> Schemas {
        // Bots read views: fields that are always written are required.
        let written = schemars::generate::SchemaSettings::default()
            .for_serialize()
            .into_generator();
        Schemas {
            options: schemars::schema_for!(G::Options),
            action: schemars::json_schema!({ "type": "string", "pattern": format!("^(?:{})$", G::NOTATION) }),
            view: written.into_root_schema_for::<G::View>(),
        }
    }
}

/// A game with buffers that save allocations at every turn.
struct SeatedTable<G: Game> {
    game: G,
    /// The action that led to this position, if one seat acted alone.
    last: Option<G::Action>,
    /// The choices that were read and checked in this position, by ascending seat.
    chosen: Vec<(Seat, G::Action)>,
    actions: Vec<G::Action>,
    text: String,
}

/// Refuses a seat that is not asked.
pub(crate) fn refuse_unasked(turn: SeatTurn, seat: Seat) -> Result<(), Refusal> {
    match turn {
        SeatTurn::Seats(seats) if seats.contains(seat) => Ok(()),
        SeatTurn::Seats(_) => Err(Refusal::Unasked(format!("it is not seat {seat}'s turn"))),
        SeatTurn::Chance => Err(Refusal::Unasked("it is chance's turn".into())),
        SeatTurn::Over(_) => Err(Refusal::Unasked("the match is over".into())),
    }
}

/// Refuses the choices of seats that are not exactly those that are asked, in order.
pub(crate) fn refuse_others(
    turn: SeatTurn,
    seats: impl ExactSizeIterator<Item = Seat>,
) -> Result<(), Refusal> {
    let SeatTurn::Seats(asked) = turn else {
        return Err(Refusal::Unasked("the table waits for no seat".into()));
    };
    let count = seats.len();
    if asked.eq(seats) {
        return Ok(());
    }
    Err(Refusal::Unasked(match count {
        1 => "several seats choose at once, and one choice came".into(),
        _ => "the choices are not those of the seats that are asked".into(),
    }))
}

impl<G: Game> SeatedTable<G> {
    fn of(game: G) -> Box<dyn Table> {
        SeatedTable::after(game, None)
    }

    fn after(game: G, last: Option<G::Action>) -> Box<dyn Table> {
        Box::new(SeatedTable {
            game,
            last,
            chosen: Vec::new(),
            actions: Vec::new(),
            text: String::new(),
        })
    }

    fn parse(&self, seat: Seat, action: &str) -> Result<G::Action, Refusal> {
        refuse_unasked(self.game.turn(), seat)?;
        self.game.parse(seat, action)
    }

    /// Takes an event. The choices of the seats were for the position before it.
    fn apply(&mut self, event: Event<'_, G>) {
        self.last = alone(&event);
        self.game.apply(event);
        self.chosen.clear();
    }
}

/// Returns the action of an event in which one seat acts.
fn alone<G: Game>(event: &Event<'_, G>) -> Option<G::Action> {
    match *event {
        Event::Acts(&[(_, action)]) => Some(action),
        _ => None,
    }
}

impl<G: Game> Table for SeatedTable<G> {
    fn info(&self) -> &'static Info {
        &G::INFO
    }

    fn seats(&self) -> u8 {
        self.game.seats()
    }

    fn side(&self, seat: Seat) -> u8 {
        self.game.side(seat)
    }

    fn turn(&self) -> SeatTurn {
        self.game.turn()
    }

    fn write_actions(&mut self, seat: Seat, out: &mut Vec<u8>) {
        let SeatedTable {
            game,
            actions,
            text,
            ..
        } = self;
        game.actions(seat, actions);
        text.clear();
        for (at, &action) in actions.iter().enumerate() {
            text.push(if at == 0 { '[' } else { ',' });
            text.push('"');
            let begin = text.len();
            game.write_action(action, text);
            debug_assert!(
                text[begin..]
                    .bytes()
                    .all(|b| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\')
            );
            text.push('"');
        }
        text.push_str(if actions.is_empty() { "[]" } else { "]" });
        out.extend_from_slice(text.as_bytes());
    }

    fn actions(&self, seat: Seat) -> Vec<String> {
        let mut actions = Vec::new();
        self.game.actions(seat, &mut actions);
        let text = |action| self.game.action_text(action);
        actions.into_iter().map(text).collect()
    }

    fn random_action(&mut self, seat: Seat, rng: &mut dyn Rng, out: &mut String) {
        self.game.actions(seat, &mut self.actions);
        if !self.actions.is_empty() {
            let one = chance::one_of(rng, &self.actions);
            self.game.write_action(*one, out);
        }
    }

    fn check(&self, seat: Seat, action: &str) -> Result<(), Refusal> {
        self.parse(seat, action).map(drop)
    }

    fn choose(&mut self, seat: Seat, action: &str) -> Result<(), Refusal> {
        let action = self.parse(seat, action)?;
        match self.chosen.binary_search_by_key(&seat, |&(seat, _)| seat) {
            Ok(place) => self.chosen[place] = (seat, action),
            Err(place) => self.chosen.insert(place, (seat, action)),
        }
        Ok(())
    }

    fn play(&mut self) -> Result<(), Refusal> {
        refuse_others(self.game.turn(), self.chosen.iter().map(|&(seat, _)| seat))?;
        let acts = Event::Acts(&self.chosen);
        self.last = alone(&acts);
        self.game.apply(acts);
        self.chosen.clear();
        Ok(())
    }

    fn act(&mut self, acts: &[(Seat, &str)]) -> Result<(), Refusal> {
        let parse = |&(seat, text): &(Seat, &str)| Ok((seat, self.parse(seat, text)?));
        let acts = acts
            .iter()
            .map(parse)
            .collect::<Result<Vec<_>, Refusal>>()?;
        refuse_others(self.game.turn(), acts.iter().map(|&(seat, _)| seat))?;
        self.apply(Event::Acts(&acts));
        Ok(())
    }

    fn sample(&self, rng: &mut dyn Rng, out: &mut Vec<u8>) {
        self.game.write_chance(&self.game.sample(rng), out);
    }

    fn chance(&mut self, event: &str) -> Result<(), Refusal> {
        if self.game.turn() != SeatTurn::Chance {
            return Err(Refusal::Unasked(
                "the table does not wait for chance".into(),
            ));
        }
        let event = self.game.read_chance(event)?;
        self.game.check_chance(&event)?;
        self.apply(Event::Chance(&event));
        Ok(())
    }

    fn write_view(&self, viewer: Viewer, out: &mut Vec<u8>) {
        self.game.write_view(viewer, out);
    }

    fn write_observation(&self, seat: Seat, out: &mut Vec<u8>) {
        self.game.write_observation(seat, out);
    }

    fn sees_action(&self, viewer: Viewer, seat: Seat, action: &str) -> bool {
        if !G::INFO.secrets {
            return true;
        }
        let action = self.game.read_action(action);
        action.is_ok_and(|action| self.game.sees_action(viewer, seat, action))
    }

    fn sees_chance(&self, viewer: Viewer, event: &str) -> bool {
        if !G::INFO.secrets {
            return true;
        }
        let event = self.game.read_chance(event);
        event.is_ok_and(|event| self.game.sees_chance(viewer, &event))
    }

    fn paths(&self, seat: Seat) -> Vec<ActionPath> {
        let mut actions = Vec::new();
        self.game.actions(seat, &mut actions);
        let path = |action| self.game.path(seat, action);
        actions.into_iter().map(path).collect()
    }

    fn action_in_words(&self, action: &str) -> String {
        match self.game.read_action(action) {
            Ok(action) => self.game.action_in_words(action),
            Err(_) => action.to_owned(),
        }
    }

    fn chance_in_words(&self, event: &str) -> String {
        match self.game.read_chance(event) {
            Ok(event) => self.game.chance_in_words(&event),
            Err(_) => event.to_owned(),
        }
    }

    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Box<dyn Table> {
        SeatedTable::of(self.game.redeal(viewer, rng))
    }

    fn text(&self, viewer: Viewer) -> String {
        G::text(&self.game.view(viewer))
    }

    fn svg(&self, viewer: Viewer) -> String {
        let told = self.last.filter(|_| !G::INFO.secrets);
        G::svg_after(&self.game.view(viewer), told)
    }

    fn perft(&self, depth: u32) -> Result<u64, PerftError> {
        perft(&self.game, depth)
    }

    fn copy(&self) -> Box<dyn Table> {
        SeatedTable::after(self.game.clone(), self.last)
    }
}

impl fmt::Debug for dyn Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:\n{}", self.info().id, self.text(Viewer::Open))
    }
}
