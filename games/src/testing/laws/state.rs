//! The face of a game that the laws see: everything that the trait promises, in texts.
//!
//! It is erased so that the laws are compiled once, and not once for every game. The referee's
//! [`Table`](crate::Table) is another such face, and one that the laws judge.

use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

use flipside_protocol::game::ActionPath;
use rand_core::Rng;

use super::words::plain;
use crate::chance;
use crate::game::{Event, Game, Illegal, Info, ParseError, Refusal};
use crate::seats::{Seat, SeatTurn, Viewer};
use crate::table::{AnyGame, GameHandle};
use crate::testing::LawStep;

/// A game to be judged.
pub(super) struct Subject {
    pub(super) info: Info,
    pub(super) notation: &'static str,
    pub(super) game: &'static dyn AnyGame,
    pub(super) cases: Vec<StateCase>,
}

/// A way to play it: options, by name and as JSON, and a number of seats.
pub(super) struct StateCase {
    pub(super) preset: &'static str,
    pub(super) options: String,
    pub(super) seats: u8,
    pub(super) start: Box<dyn LawState>,
}

/// A state of a match.
pub(super) trait LawState {
    fn as_any(&self) -> &dyn Any;
    fn copy(&self) -> Box<dyn LawState>;
    /// A copy that is made over another state, which keeps what it has allocated.
    fn copy_over(&self, other: &dyn LawState) -> Box<dyn LawState>;

    fn seats(&self) -> u8;
    fn side(&self, seat: Seat) -> u8;
    fn turn(&self) -> SeatTurn;

    /// What is listed for a seat, into a list that has other actions before.
    fn actions(&self, seat: Seat) -> Vec<String>;
    fn count_actions(&self, seat: Seat) -> usize;
    /// How the seat's actions are pointed at.
    fn paths(&self, seat: Seat) -> Vec<ActionPath>;
    /// Reads an action and writes it again.
    fn rewritten(&self, action: &str) -> Result<String, ParseError>;
    /// The order of two actions, not of their texts.
    fn order(&self, one: &str, other: &str) -> Option<Ordering>;
    fn check(&self, seat: Seat, action: &str) -> Result<(), Refusal>;

    /// Draws what chance does; and whether the game allows its own draw.
    fn sample(&self, rng: &mut dyn Rng) -> (String, Result<(), Illegal>);
    /// Reads a draw and writes it again; and whether the game allows it.
    fn redrawn(&self, draw: &str) -> Result<(String, Result<(), Illegal>), ParseError>;

    /// Takes any legal step; nothing when the match is over, or does not go on.
    fn step(&mut self, rng: &mut dyn Rng) -> Option<LawStep>;
    /// Takes this step, which must be legal.
    fn apply(&mut self, entry: &LawStep);

    fn view(&self, viewer: Viewer) -> String;
    /// What a viewer learns of a step that is taken from here: a text that is empty where nothing of it is learnt.
    fn learnt(&self, viewer: Viewer, entry: &LawStep) -> Vec<String>;
    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Box<dyn LawState>;
    /// Reads a view, and builds a state from it. Gives the view as it is written again.
    fn build(&self, viewer: Viewer, view: &str, rng: &mut dyn Rng) -> Result<Built, String>;
    fn text(&self, viewer: Viewer) -> String;
    fn svg(&self, viewer: Viewer) -> String;
}

/// A state that was built from a view.
pub(super) struct Built {
    pub(super) state: Box<dyn LawState>,
    pub(super) view: String,
}

/// A game behind this face.
struct ErasedState<G: Game> {
    game: G,
    options: Rc<G::Options>,
}

impl Subject {
    /// The game with every preset at every number of seats that it can be played at.
    pub(super) fn of<G: Game>() -> Self {
        let mut presets = vec![("default", G::Options::default())];
        presets.extend(G::presets());
        let mut cases = Vec::new();
        for (preset, options) in presets {
            let json = serde_json::to_string(&options).expect("options are always JSON");
            let options = Rc::new(options);
            for &seats in G::INFO.seats {
                if let Ok(game) = G::new(&options, seats) {
                    let start = Box::new(ErasedState {
                        game,
                        options: Rc::clone(&options),
                    });
                    cases.push(StateCase {
                        preset,
                        options: json.clone(),
                        seats,
                        start,
                    });
                }
            }
        }
        Subject {
            info: G::INFO,
            notation: G::NOTATION,
            game: &GameHandle::<G>::NEW,
            cases,
        }
    }
}

impl<G: Game> ErasedState<G> {
    fn holding(&self, game: G) -> Box<dyn LawState> {
        Box::new(ErasedState {
            game,
            options: Rc::clone(&self.options),
        })
    }
}

impl<G: Game> LawState for ErasedState<G> {
    fn as_any(&self) -> &dyn Any {
        &self.game
    }

    fn copy(&self) -> Box<dyn LawState> {
        self.holding(self.game.clone())
    }

    fn copy_over(&self, other: &dyn LawState) -> Box<dyn LawState> {
        let over = other.as_any().downcast_ref::<G>();
        let mut over = over.expect("the same game").clone();
        over.clone_from(&self.game);
        self.holding(over)
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

    fn actions(&self, seat: Seat) -> Vec<String> {
        let mut actions = Vec::new();
        if let Some(asked) = self.game.turn().asked().lowest() {
            self.game.actions(asked, &mut actions);
        }
        self.game.actions(seat, &mut actions);
        let text = |action| self.game.action_text(action);
        actions.into_iter().map(text).collect()
    }

    fn count_actions(&self, seat: Seat) -> usize {
        self.game.count_actions(seat)
    }

    fn paths(&self, seat: Seat) -> Vec<ActionPath> {
        let mut actions = Vec::new();
        self.game.actions(seat, &mut actions);
        let path = |action| self.game.path(seat, action);
        actions.into_iter().map(path).collect()
    }

    fn rewritten(&self, action: &str) -> Result<String, ParseError> {
        let action = self.game.read_action(action)?;
        Ok(self.game.action_text(action))
    }

    fn order(&self, one: &str, other: &str) -> Option<Ordering> {
        let read = |text| self.game.read_action(text).ok();
        Some(read(one)?.cmp(&read(other)?))
    }

    fn check(&self, seat: Seat, action: &str) -> Result<(), Refusal> {
        self.game.parse(seat, action).map(drop)
    }

    fn sample(&self, rng: &mut dyn Rng) -> (String, Result<(), Illegal>) {
        let draw = self.game.sample(rng);
        (self.game.chance_text(&draw), self.game.check_chance(&draw))
    }

    fn redrawn(&self, draw: &str) -> Result<(String, Result<(), Illegal>), ParseError> {
        let draw = self.game.read_chance(draw)?;
        Ok((self.game.chance_text(&draw), self.game.check_chance(&draw)))
    }

    fn step(&mut self, rng: &mut dyn Rng) -> Option<LawStep> {
        let asked = match self.game.turn() {
            SeatTurn::Seats(asked) => asked,
            SeatTurn::Over(_) => return None,
            SeatTurn::Chance => {
                let draw = self.game.sample(rng);
                let entry = LawStep::Draw(self.game.chance_text(&draw));
                self.game.apply(Event::Chance(&draw));
                return Some(entry);
            }
        };
        let mut actions = Vec::new();
        let mut acts = Vec::new();
        for seat in asked {
            self.game.actions(seat, &mut actions);
            if actions.is_empty() {
                return None;
            }
            acts.push((seat, *chance::one_of(rng, &actions)));
        }
        if acts.is_empty() {
            return None;
        }
        let text = |&(seat, action): &(Seat, G::Action)| (seat, self.game.action_text(action));
        let entry = acts.iter().map(text).collect();
        self.game.apply(Event::Acts(&acts));
        Some(LawStep::Acts(entry))
    }

    fn apply(&mut self, entry: &LawStep) {
        match entry {
            LawStep::Acts(acts) => {
                let read = |text: &str| self.game.read_action(text).expect("it was written so");
                let acts: Vec<_> = acts
                    .iter()
                    .map(|(seat, text)| (*seat, read(text)))
                    .collect();
                self.game.apply(Event::Acts(&acts));
            }
            LawStep::Draw(draw) => {
                let draw = self.game.read_chance(draw).expect("it was written so");
                self.game.apply(Event::Chance(&draw));
            }
        }
    }

    fn view(&self, viewer: Viewer) -> String {
        serde_json::to_string(&self.game.view(viewer)).expect("a view is always JSON")
    }

    fn learnt(&self, viewer: Viewer, entry: &LawStep) -> Vec<String> {
        let seen = |sees: bool, text: &String| match sees {
            true => text.clone(),
            false => String::new(),
        };
        match entry {
            LawStep::Acts(acts) => {
                let act = |(seat, text): &(Seat, String)| {
                    let action = self.game.read_action(text).expect("it was written so");
                    seen(self.game.sees_action(viewer, *seat, action), text)
                };
                acts.iter().map(act).collect()
            }
            LawStep::Draw(text) => {
                let event = self.game.read_chance(text).expect("it was written so");
                vec![seen(self.game.sees_chance(viewer, &event), text)]
            }
        }
    }

    fn redeal(&self, viewer: Viewer, rng: &mut dyn Rng) -> Box<dyn LawState> {
        self.holding(self.game.redeal(viewer, rng))
    }

    fn build(&self, viewer: Viewer, view: &str, rng: &mut dyn Rng) -> Result<Built, String> {
        let view: G::View = serde_json::from_str(view).map_err(|error| error.to_string())?;
        let game = G::from_view(&self.options, self.game.seats(), viewer, &view, rng);
        let state = self.holding(game.map_err(|malformed| malformed.0)?);
        let view = serde_json::to_string(&view).expect("a view is always JSON");
        Ok(Built { state, view })
    }

    fn text(&self, viewer: Viewer) -> String {
        G::text(&self.game.view(viewer))
    }

    fn svg(&self, viewer: Viewer) -> String {
        G::svg(&self.game.view(viewer))
    }
}

impl LawStep {
    /// How many seats act.
    pub(super) fn plies(&self) -> usize {
        match self {
            LawStep::Acts(acts) => acts.len(),
            LawStep::Draw(_) => 0,
        }
    }
}

impl fmt::Display for LawStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LawStep::Acts(acts) if acts.is_empty() => f.write_str("no act"),
            LawStep::Acts(acts) => {
                let act = |(seat, text): &(Seat, String)| format!("seat {seat} {}", plain(text));
                f.write_str(&acts.iter().map(act).collect::<Vec<_>>().join(", "))
            }
            LawStep::Draw(draw) => write!(f, "chance {}", plain(draw)),
        }
    }
}
