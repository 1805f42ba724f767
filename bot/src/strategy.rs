//! Bots that know the rules: from the lines of a match to a state of its game, and back.

use std::marker::PhantomData;

use flipside_games::{Game, Seat, Viewer, Visitor, visit};
use flipside_protocol::{Hello, Ready, Turn};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::{Bot, Brain, Error};

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
pub struct Knowing<S>(pub S);

impl<S: Strategy> Bot for Knowing<S> {
    fn ready(&self) -> Ready {
        ready(S::NAME)
    }

    fn begin(&self, hello: &Hello) -> Result<Box<dyn Brain>, Error> {
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
    type Out = Result<Box<dyn Brain>, Error>;

    fn visit<G: Game>(self) -> Self::Out {
        begin::<G, S>(self.strategy, self.hello)
    }
}

/// Begins a match of a game, also of one that the rules crate does not have.
///
/// # Errors
/// When the options are not those of the game.
pub fn begin<G: Game, S: Strategy>(strategy: S, hello: &Hello) -> Result<Box<dyn Brain>, Error> {
    let options: G::Options = serde_json::from_str(hello.options.get())
        .map_err(|error| Error::Options(error.to_string()))?;
    Ok(Box::new(Seated::<G, S> {
        options,
        seats: hello.seats,
        seat: hello.seat,
        rng: ChaCha8Rng::seed_from_u64(hello.seed),
        strategy,
        game: PhantomData,
    }))
}

/// A strategy in a match of a game.
struct Seated<G: Game, S> {
    options: G::Options,
    seats: u8,
    seat: Seat,
    rng: ChaCha8Rng,
    strategy: S,
    game: PhantomData<fn() -> G>,
}

impl<G: Game, S: Strategy> Brain for Seated<G, S> {
    fn choose(&mut self, turn: &Turn, action: &mut String) -> Result<(), Error> {
        let view: G::View = serde_json::from_str(turn.view.get())
            .map_err(|error| Error::Turn(error.to_string()))?;
        let viewer = Viewer::Seat(self.seat);
        let state = G::from_view(&self.options, self.seats, viewer, &view, &mut self.rng)
            .map_err(|error| Error::Turn(error.to_string()))?;
        if state.count_actions(self.seat) == 0 {
            return Err(Error::Turn("this seat has nothing to do".into()));
        }
        let chosen = self.strategy.choose(&state, self.seat, &mut self.rng);
        state.write_action(chosen, action);
        Ok(())
    }
}
