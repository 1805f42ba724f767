//! The bot `strong`: plays each game as the best of the other bots does.

use flipside_bot::{Bot, Error, SessionPlayer, StrategyBot, ready};
use flipside_protocol::{Hello, Ready};

use crate::alphabeta::AlphaBeta;
use crate::expectimax::Expectimax;
use crate::mcts::Mcts;
use crate::perfect::Perfect;
use crate::rollout::Rollout;
use crate::{alphabeta, expectimax, perfect, rollout};

/// Plays every game as the best of the other bots, with its defaults.
#[derive(Clone, Default)]
pub struct Strong {
    perfect: Perfect,
}

impl Bot for Strong {
    fn ready(&self) -> Ready {
        ready("strong")
    }

    fn begin(&self, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
        let plays = |games: &[&str]| games.contains(&hello.game.as_str());
        if plays(perfect::GAMES) {
            self.perfect.begin(hello)
        } else if plays(alphabeta::GAMES) {
            AlphaBeta::default().begin(hello)
        } else if plays(expectimax::GAMES) {
            Expectimax::default().begin(hello)
        } else if plays(rollout::GAMES) {
            Rollout::default().begin(hello)
        } else {
            StrategyBot(Mcts::default()).begin(hello)
        }
    }
}
