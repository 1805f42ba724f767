//! Bots to play against and to copy, and the small kit they are made of.
//!
//! A bot is a [`Bot`], which makes a [`Brain`] for each match; [`play`] keeps the protocol for it.
//! This crate knows no clock and starts nothing: it reads lines and writes lines.
//!
//! ```
//! let input = concat!(
//!     r#"{"type":"hello","protocol":1,"match":"m1","game":"flipfour","options":{},"seat":0,"seats":2,"#,
//!     r#""clock":"move=1s","limits":{"line":65536,"memory":0},"seed":7}"#, "\n",
//!     r#"{"type":"turn","id":1,"actions":["+a1"],"clocks":[1000,1000],"view":{}}"#, "\n",
//! );
//! let mut output = Vec::new();
//! flipside_sample_bots::run("random", input.as_bytes(), &mut output)?;
//! assert!(output.ends_with(b"{\"type\":\"act\",\"id\":1,\"action\":\"+a1\"}\n"));
//! # Ok::<(), flipside_sample_bots::Error>(())
//! ```

use std::io::{BufRead, Write, stdin, stdout};
use std::process::ExitCode;

mod evaluation;
mod greedy;
mod mcts;
mod random;
mod session;
mod strategy;

pub use greedy::Greedy;
pub use mcts::{APPRAISED_STEPS, Mcts, PLAYOUT_STEPS, PLAYOUTS};
pub use random::Random;
pub use session::{Bot, Brain, Error, Session, play};
pub use strategy::{Knowing, Strategy, begin};

/// The version of the bots' play: it changes whenever one of them may play otherwise.
pub const VERSION: &str = "3";

/// The bots of this crate: name, and one line about each.
pub const SAMPLES: &[(&str, &str)] = &[
    ("random", "plays any legal action, all alike"),
    ("greedy", "looks one move ahead"),
    ("mcts", "searches by playouts, a fixed number for each move"),
];

/// The bot of this name.
///
/// # Errors
/// When there is none, with the names there are.
pub fn sample(name: &str) -> Result<Box<dyn Bot>, Error> {
    match name {
        "random" => Ok(Box::new(Random)),
        "greedy" => Ok(Box::new(Knowing(Greedy))),
        "mcts" => Ok(Box::new(Knowing(Mcts::default()))),
        _ => Err(Error::NoSuchBot(name.into())),
    }
}

/// Is the bot of this name until the input ends.
///
/// # Errors
/// When there is no such bot, the bot does not know the game, or a line cannot be understood,
/// read or written.
pub fn run(name: &str, input: impl BufRead, output: impl Write) -> Result<(), Error> {
    play(sample(name)?, input, output)
}

/// All that the program of a bot does: is the bot on the standard streams, and says on standard
/// error what went wrong.
pub fn main(bot: impl Bot + 'static) -> ExitCode {
    let name = bot.ready().name.unwrap_or_else(|| "bot".into());
    match play(Box::new(bot), stdin().lock(), stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}
