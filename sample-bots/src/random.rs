//! The bot `random`: any legal action, all alike. It needs to know no game.

use flipside_bot::{Bot, Error, SessionPlayer, ready};
use flipside_games::chance::one_of;
use flipside_protocol::{Hello, Ready, Turn};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Plays any legal action, all alike.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl Bot for Random {
    fn ready(&self) -> Ready {
        Ready {
            actions: true,
            ..ready("random")
        }
    }

    fn begin(&self, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
        Ok(Box::new(Dice(ChaCha8Rng::seed_from_u64(hello.seed))))
    }
}

struct Dice(ChaCha8Rng);

impl SessionPlayer for Dice {
    fn choose(&mut self, turn: &Turn, action: &mut String) -> Result<(), Error> {
        match turn.actions.as_deref() {
            None | Some([]) => Err(Error::Turn("it lists no actions".into())),
            Some(actions) => {
                action.clone_from(one_of(&mut self.0, actions));
                Ok(())
            }
        }
    }
}
