//! Bots that know the rules: from the lines of a match to a state of its game, and back.

use flipside_games::{Game, Seat, Viewer, Visitor, visit};
use flipside_protocol::{Hello, Ready, Turn};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::session::{Bot, Error, SessionPlayer};

/// A way to play every game that the rules crate has.
pub trait Strategy: Clone + 'static {
    /// What a bot that plays so is called.
    const NAME: &'static str;

    /// Chooses a legal action for a seat that is asked.
    ///
    /// The state is built from what the seat sees, and the rest of it is made up: it must not be
    /// believed in. [`Game::redeal`] makes up another.
    fn choose<G: Game>(&self, state: &G, seat: Seat, rng: &mut ChaCha8Rng) -> G::Action;
}

/// Returns the `ready` of a bot that builds states from views: it can play several matches, and
/// needs no list of actions and no events.
pub fn ready(name: &str) -> Ready {
    Ready {
        name: Some(name.into()),
        version: Some(env!("CARGO_PKG_VERSION").into()),
        reuse: true,
        ..Ready::default()
    }
}

/// A bot that plays by a strategy.
#[derive(Clone, Copy, Debug)]
pub struct StrategyBot<S>(pub S);

impl<S: Strategy> Bot for StrategyBot<S> {
    fn ready(&self) -> Ready {
        ready(S::NAME)
    }

    fn begin(&self, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
        visit(
            &hello.game,
            Begin {
                hello,
                strategy: self.0.clone(),
            },
        )
        .ok_or_else(|| Error::UnknownGame(hello.game.clone()))?
    }
}

/// Finds the type of the game.
struct Begin<'a, S> {
    hello: &'a Hello,
    strategy: S,
}

impl<S: Strategy> Visitor for Begin<'_, S> {
    type Out = Result<Box<dyn SessionPlayer>, Error>;

    fn visit<G: Game>(self) -> Self::Out {
        begin::<G, S>(self.strategy, self.hello)
    }
}

/// Begins a match of a game, also of one that the rules crate does not have.
///
/// # Errors
/// When the options are not those of the game.
pub fn begin<G: Game, S: Strategy>(
    strategy: S,
    hello: &Hello,
) -> Result<Box<dyn SessionPlayer>, Error> {
    let place = MatchContext::<G>::of(hello)?;
    Ok(Box::new(StrategySeat { place, strategy }))
}

/// A strategy in a match of a game.
struct StrategySeat<G: Game, S> {
    place: MatchContext<G>,
    strategy: S,
}

impl<G: Game, S: Strategy> SessionPlayer for StrategySeat<G, S> {
    fn choose(&mut self, turn: &Turn, action: &mut String) -> Result<(), Error> {
        let StrategySeat { place, strategy } = self;
        let state = place.state(&view::<G>(turn)?)?;
        if state.count_actions(place.seat) == 0 {
            return Err(nothing_to_do());
        }
        let chosen = strategy.choose(&state, place.seat, &mut place.rng);
        state.write_action(chosen, action);
        Ok(())
    }
}

/// A bot's place in a match of a game: what it takes to make states of views, and random numbers.
#[derive(Debug)]
pub struct MatchContext<G: Game> {
    /// The options of the match.
    pub options: G::Options,
    /// How many seats play.
    pub seats: u8,
    /// The seat of the bot.
    pub seat: Seat,
    /// The random numbers of the match, which follow from the bot's seed.
    pub rng: ChaCha8Rng,
}

impl<G: Game> MatchContext<G> {
    /// Takes the place that the message names which begins the match.
    ///
    /// # Errors
    /// When the options are not those of the game.
    pub fn of(hello: &Hello) -> Result<Self, Error> {
        Ok(MatchContext {
            options: options::<G>(hello)?,
            seats: hello.seats,
            seat: hello.seat,
            rng: ChaCha8Rng::seed_from_u64(hello.seed),
        })
    }

    /// Returns the state in which the match starts.
    ///
    /// # Errors
    /// When the game refuses the options.
    pub fn start(&self) -> Result<G, Error> {
        G::new(&self.options, self.seats).map_err(|error| Error::Options(error.to_string()))
    }

    /// Builds a state that shows this view. What the seat does not see is sampled.
    ///
    /// # Errors
    /// When the view contradicts itself or the options.
    pub fn state(&mut self, view: &G::View) -> Result<G, Error> {
        state_of(&self.options, (self.seats, self.seat), view, &mut self.rng)
    }

    /// Lists the legal actions of the seat.
    ///
    /// # Errors
    /// When there is none.
    pub fn actions(&self, state: &G) -> Result<Vec<G::Action>, Error> {
        let mut actions = Vec::new();
        state.actions(self.seat, &mut actions);
        if actions.is_empty() {
            return Err(nothing_to_do());
        }
        Ok(actions)
    }
}

/// Reads the options of a match.
///
/// # Errors
/// When they are not those of the game.
pub fn options<G: Game>(hello: &Hello) -> Result<G::Options, Error> {
    serde_json::from_str(hello.options.get()).map_err(|error| Error::Options(error.to_string()))
}

/// Reads the view of a turn.
///
/// # Errors
/// When it is not one of the game.
pub fn view<G: Game>(turn: &Turn) -> Result<G::View, Error> {
    serde_json::from_str(turn.view.get()).map_err(|error| Error::Turn(error.to_string()))
}

/// Builds a state that shows this view to a seat of so many. What the seat does not see is sampled.
///
/// # Errors
/// When the view contradicts itself or the options.
pub(crate) fn state_of<G: Game>(
    options: &G::Options,
    (seats, seat): (u8, Seat),
    view: &G::View,
    rng: &mut ChaCha8Rng,
) -> Result<G, Error> {
    G::from_view(options, seats, Viewer::Seat(seat), view, rng)
        .map_err(|error| Error::Turn(error.to_string()))
}

/// The error for a turn that does not ask this seat.
pub fn nothing_to_do() -> Error {
    Error::Turn("this seat has nothing to do".into())
}
