//! What a bot for Flipside is made of.
//!
//! There are three ways to write a bot, from the simplest to the freest:
//!
//! - a function from a [`Question`] to an action: [`Function`]
//! - a [`Strategy`], which chooses from a state of the game and so plays every game: [`StrategyBot`]
//! - a [`Bot`] with a [`SessionPlayer`] for each match, which sees every message
//!
//! [`main`] keeps the protocol for each of them. [`games`] has the rules for a search, with typed
//! options, views and actions, and [`evaluation`] has an evaluation of each game. The crate also
//! builds for `wasm32-wasip1`: the same source is a process and a module.
//!
//! ```no_run
//! use flipside_bot::{Error, Function, Question};
//!
//! fn choose(question: &mut Question<'_>) -> Result<String, Error> {
//!     Ok(question.actions()[0].clone())
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     flipside_bot::main(Function::new("mybot", choose))
//! }
//! ```

use std::io::{stdin, stdout};
use std::process::ExitCode;

pub mod evaluation;
mod function;
mod session;
mod strategy;

pub use flipside_games as games;
pub use flipside_protocol as protocol;
pub use function::{Function, Question};
pub use rand;
pub use session::{Bot, Error, Session, SessionPlayer, play};
pub use strategy::{
    MatchContext, Strategy, StrategyBot, begin, nothing_to_do, options, ready, view,
};

/// Runs a bot on the standard streams, and says on standard error what went wrong.
pub fn main(bot: impl Bot + 'static) -> ExitCode {
    let name = bot.ready().name.unwrap_or_else(|| "bot".into());
    told(&name, play(Box::new(bot), stdin().lock(), stdout().lock()))
}

/// Returns how a bot's program ends, and says on standard error what went wrong.
pub fn told(name: &str, result: Result<(), Error>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}
