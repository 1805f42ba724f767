//! The erased face of a game: texts in and out, one type for all games.

use std::fmt;
use std::marker::PhantomData;

use rand_core::Rng;

use crate::{
    Event, Game, Illegal, Info, Malformed, OptionsError, PerftError, Seat, Turn, Viewer, chance,
    options,
};

/// A match of any game, as the referee and the command know it.
///
/// JSON goes in and out as text and is written straight into the caller's buffer.
pub trait Table: Send {
    /// The facts of the game.
    fn info(&self) -> &'static Info;
    /// How many seats play.
    fn seats(&self) -> u8;
    /// The side that a seat plays for.
    fn side(&self, seat: Seat) -> u8;
    /// What the table waits for.
    fn turn(&self) -> Turn;
    /// Appends the legal actions of a seat as a JSON array of strings.
    fn write_actions(&mut self, seat: Seat, out: &mut Vec<u8>);
    /// The legal actions of a seat as texts.
    fn actions(&self, seat: Seat) -> Vec<String>;
    /// Appends one legal action of a seat, drawn from all alike; nothing if there is none.
    fn random_action(&mut self, seat: Seat, rng: &mut dyn Rng, out: &mut String);
    /// Whether a seat may do this now; nothing changes.
    ///
    /// # Errors
    /// Says why not.
    fn check(&self, seat: Seat, action: &str) -> Result<(), Refusal>;
    /// Takes the choices of exactly the seats that are asked, by ascending seat. On an error
    /// nothing changes.
    ///
    /// # Errors
    /// Says what is refused and why.
    fn act(&mut self, acts: &[(Seat, &str)]) -> Result<(), Refusal>;
    /// Appends a draw of chance as JSON; nothing changes.
    fn draw(&self, rng: &mut dyn Rng, out: &mut Vec<u8>);
    /// Takes what chance did. On an error nothing changes.
    ///
    /// # Errors
    /// Says why this cannot be a draw now.
    fn chance(&mut self, event: &str) -> Result<(), Refusal>;
    /// Appends what a viewer may see, as JSON.
    fn write_view(&self, viewer: Viewer, out: &mut Vec<u8>);
    /// Another table that the viewer cannot tell from this one.
    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Box<dyn Table>;
    /// What a viewer may see, drawn for a terminal.
    fn text(&self, viewer: Viewer) -> String;
    /// What a viewer may see, drawn for a page.
    fn svg(&self, viewer: Viewer) -> String;
    /// Counts the sequences of so many actions.
    ///
    /// # Errors
    /// When the game does not allow it.
    fn perft(&self, depth: u32) -> Result<u64, PerftError>;
    /// The same match once more.
    fn copy(&self) -> Box<dyn Table>;
}

/// Why a table does not take a step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The text is not in the game's notation.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The rules do not allow it now.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// The table does not wait for this: another seat's turn, chance's, or nobody's.
    #[error("{0}")]
    Unasked(String),
}

/// A match that is about to begin.
pub struct Setup {
    /// The table.
    pub table: Box<dyn Table>,
    /// All options with their values, as canonical JSON.
    pub options: String,
}

/// A game, of whatever type.
pub trait AnyGame: Sync {
    /// The facts of the game.
    fn info(&self) -> &'static Info;
    /// Begins a match. `options` is a JSON object; what it leaves out is as the game's page says.
    ///
    /// # Errors
    /// Names the option or the number of seats that does not fit, and what would.
    fn set_up(&self, options: &str, seats: u8) -> Result<Setup, OptionsError>;
    /// Options that this version or an earlier one wrote out in full, as this version writes them:
    /// what was added since is as it was played before.
    ///
    /// # Errors
    /// When they do not fit, or are not written out in full.
    fn complete(&self, stored: &str) -> Result<String, OptionsError>;
    /// What options mean for something that was begun with `stored` ones: an option that was unknown
    /// then, and is not given now, is as it was. Written as the stored ones are.
    ///
    /// # Errors
    /// When the given options do not fit.
    fn as_begun(&self, given: &str, stored: &str) -> Result<String, OptionsError>;
    /// Options that are written out in full, without those that later versions added and that have
    /// their defaults.
    fn without_later(&self, options: &str) -> String;
    /// The default and the presets, each with its name and its options as JSON.
    fn presets(&self) -> Vec<(&'static str, String)>;
    /// Options as JSON with which a match is soon over and still shows the game.
    fn brief(&self) -> String;
    /// The JSON Schemas of options, actions and view.
    #[cfg(feature = "schema")]
    fn schemas(&self) -> Schemas;
}

/// The JSON Schemas of a game.
#[cfg(feature = "schema")]
#[derive(Clone, Debug, serde::Serialize)]
pub struct Schemas {
    /// Of the options.
    pub options: schemars::Schema,
    /// Of an action.
    pub action: schemars::Schema,
    /// Of a view.
    pub view: schemars::Schema,
}

/// A game as a value: `Of::<FlipFour>::NEW`.
pub struct Of<G>(PhantomData<fn() -> G>);

impl<G> Of<G> {
    /// The only value.
    pub const NEW: Self = Of(PhantomData);
}

impl<G: Game> AnyGame for Of<G> {
    fn info(&self) -> &'static Info {
        &G::INFO
    }

    fn set_up(&self, options: &str, seats: u8) -> Result<Setup, OptionsError> {
        if !G::INFO.seats.contains(&seats) {
            return Err(OptionsError(format!(
                "{} is for {} seats, not {seats}",
                G::INFO.id,
                G::INFO.seats_in_words()
            )));
        }
        let options: G::Options = options::read(options)?;
        let table = Seated {
            game: G::new(&options, seats)?,
            actions: Vec::new(),
            text: String::new(),
        };
        Ok(Setup {
            table: Box::new(table),
            options: serde_json::to_string(&options).expect("options are always JSON"),
        })
    }

    fn complete(&self, stored: &str) -> Result<String, OptionsError> {
        options::complete::<G::Options>(stored, G::later())
    }

    fn as_begun(&self, given: &str, stored: &str) -> Result<String, OptionsError> {
        options::as_begun::<G::Options>(given, stored, G::later())
    }

    fn without_later(&self, options: &str) -> String {
        options::without_later::<G::Options>(options, G::later())
    }

    fn presets(&self) -> Vec<(&'static str, String)> {
        let json =
            |options: &G::Options| serde_json::to_string(options).expect("options are always JSON");
        let mut presets = vec![("default", json(&G::Options::default()))];
        presets.extend(
            G::presets()
                .iter()
                .map(|(name, options)| (*name, json(options))),
        );
        presets
    }

    fn brief(&self) -> String {
        serde_json::to_string(&G::brief()).expect("options are always JSON")
    }

    #[cfg(feature = "schema")]
    fn schemas(&self) -> Schemas {
        // Views are read by bots: what is always written is there for certain.
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

/// A game with the buffers that save it allocating at every turn.
struct Seated<G: Game> {
    game: G,
    actions: Vec<G::Action>,
    text: String,
}

impl<G: Game> Seated<G> {
    fn of(game: G) -> Box<dyn Table> {
        Box::new(Seated {
            game,
            actions: Vec::new(),
            text: String::new(),
        })
    }

    fn refuse_unasked(&self, seat: Seat) -> Result<(), Refusal> {
        match self.game.turn() {
            Turn::Seats(seats) if seats.contains(seat) => Ok(()),
            Turn::Seats(_) => Err(Refusal::Unasked(format!("it is not seat {seat}'s turn"))),
            Turn::Chance => Err(Refusal::Unasked("it is chance's turn".into())),
            Turn::Over(_) => Err(Refusal::Unasked("the match is over".into())),
        }
    }

    fn checked(&self, seat: Seat, action: &str) -> Result<G::Action, Refusal> {
        self.refuse_unasked(seat)?;
        let action = self.game.read_action(action)?;
        self.game.check(seat, action)?;
        Ok(action)
    }
}

impl<G: Game> Table for Seated<G> {
    fn info(&self) -> &'static Info {
        &G::INFO
    }

    fn seats(&self) -> u8 {
        self.game.seats()
    }

    fn side(&self, seat: Seat) -> u8 {
        self.game.side(seat)
    }

    fn turn(&self) -> Turn {
        self.game.turn()
    }

    fn write_actions(&mut self, seat: Seat, out: &mut Vec<u8>) {
        let Seated {
            game,
            actions,
            text,
        } = self;
        game.actions(seat, actions);
        out.push(b'[');
        for (at, &action) in actions.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.push(b'"');
            text.clear();
            game.write_action(action, text);
            debug_assert!(
                text.bytes()
                    .all(|b| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\')
            );
            out.extend_from_slice(text.as_bytes());
            out.push(b'"');
        }
        out.push(b']');
    }

    fn actions(&self, seat: Seat) -> Vec<String> {
        let mut actions = Vec::new();
        self.game.actions(seat, &mut actions);
        let text = |&action: &G::Action| {
            let mut text = String::new();
            self.game.write_action(action, &mut text);
            text
        };
        actions.iter().map(text).collect()
    }

    fn random_action(&mut self, seat: Seat, rng: &mut dyn Rng, out: &mut String) {
        self.game.actions(seat, &mut self.actions);
        if !self.actions.is_empty() {
            let one = chance::below(rng, self.actions.len() as u32) as usize;
            self.game.write_action(self.actions[one], out);
        }
    }

    fn check(&self, seat: Seat, action: &str) -> Result<(), Refusal> {
        self.checked(seat, action).map(drop)
    }

    fn act(&mut self, acts: &[(Seat, &str)]) -> Result<(), Refusal> {
        if let &[(seat, text)] = acts {
            let action = self.checked(seat, text)?;
            if matches!(self.game.turn(), Turn::Seats(asked) if asked.len() > 1) {
                return Err(Refusal::Unasked(
                    "several seats choose at once, and one choice came".into(),
                ));
            }
            self.game.apply(Event::Acts(&[(seat, action)]));
            return Ok(());
        }
        let mut checked = Vec::with_capacity(acts.len());
        for &(seat, text) in acts {
            checked.push((seat, self.checked(seat, text)?));
        }
        let asked = match self.game.turn() {
            Turn::Seats(asked) => asked,
            Turn::Chance | Turn::Over(_) => {
                return Err(Refusal::Unasked("the table waits for no seat".into()));
            }
        };
        if !asked.eq(checked.iter().map(|&(seat, _)| seat)) {
            return Err(Refusal::Unasked(
                "the choices are not those of the seats that are asked".into(),
            ));
        }
        self.game.apply(Event::Acts(&checked));
        Ok(())
    }

    fn draw(&self, rng: &mut dyn Rng, out: &mut Vec<u8>) {
        self.game.write_chance(&self.game.draw(rng), out);
    }

    fn chance(&mut self, event: &str) -> Result<(), Refusal> {
        if self.game.turn() != Turn::Chance {
            return Err(Refusal::Unasked(
                "the table does not wait for chance".into(),
            ));
        }
        let event = self.game.read_chance(event)?;
        self.game.check_chance(&event)?;
        self.game.apply(Event::Chance(&event));
        Ok(())
    }

    fn write_view(&self, viewer: Viewer, out: &mut Vec<u8>) {
        serde_json::to_writer(out, &self.game.view(viewer)).expect("a view is always JSON");
    }

    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Box<dyn Table> {
        Seated::of(self.game.redeal(viewer, rng))
    }

    fn text(&self, viewer: Viewer) -> String {
        G::text(&self.game.view(viewer))
    }

    fn svg(&self, viewer: Viewer) -> String {
        G::svg(&self.game.view(viewer))
    }

    fn perft(&self, depth: u32) -> Result<u64, PerftError> {
        crate::perft(&self.game, depth)
    }

    fn copy(&self) -> Box<dyn Table> {
        Seated::of(self.game.clone())
    }
}

impl fmt::Debug for dyn Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:\n{}", self.info().id, self.text(Viewer::Open))
    }
}
