//! The bot `first`: the first legal action in the order of the list. It needs to know no game, and no seed.

use flipside_bot::{Bot, Error, SessionPlayer, ready};
use flipside_protocol::{Hello, Ready, Turn};

/// Plays the first legal action.
#[derive(Clone, Copy, Debug, Default)]
pub struct First;

impl Bot for First {
    fn ready(&self) -> Ready {
        Ready {
            actions: true,
            ..ready("first")
        }
    }

    fn begin(&self, _: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
        Ok(Box::new(First))
    }
}

impl SessionPlayer for First {
    fn choose(&mut self, turn: &Turn, action: &mut String) -> Result<(), Error> {
        let first = turn.actions.as_deref().and_then(<[String]>::first);
        action.clone_from(first.ok_or_else(|| Error::Turn("it lists no actions".into()))?);
        Ok(())
    }
}
