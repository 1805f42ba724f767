//! Bots to play against and to copy, made with the crate `flipside-bot`.
//!
//! A bot is a [`Bot`], which makes a [`SessionPlayer`] for each match; [`play`] keeps the protocol for it.
//! This crate starts nothing: it reads lines and writes lines. It looks at a clock only for bots with
//! the parameter `ms`.
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

mod alphabeta;
mod expectimax;
mod first;
mod greedy;
mod halving;
mod mcts;
mod perfect;
mod random;
mod refusal;
mod rollout;
mod samples;
mod strong;

pub use alphabeta::{AlphaBeta, Effort, NODES, SearchLimits};
pub use expectimax::{Expectimax, TURNS};
pub use first::First;
pub use flipside_bot::{
    Bot, Error, Session, SessionPlayer, Strategy, StrategyBot, begin, main, play, ready,
};
pub use greedy::Greedy;
pub use mcts::{APPRAISED_STEPS, Mcts, PLAYOUT_STEPS, PLAYOUTS};
pub use perfect::Perfect;
pub use random::Random;
pub use rollout::{ROLLOUT_PLAYOUTS, Rollout};
pub use samples::{Parameter, SAMPLES, Sample, Spec, SpecError};
pub use strong::Strong;

/// The version of the bots' play: it changes whenever one of them may play otherwise.
pub const VERSION: &str = "4";

/// The bot of this name, which may have parameters: `mcts`, `alphabeta:depth=4`.
///
/// # Errors
/// When there is none, with what there is.
pub fn sample(name: &str) -> Result<Box<dyn Bot>, Error> {
    Ok(name.parse::<Spec>()?.bot())
}

/// Is the bot of this name until the input ends.
///
/// # Errors
/// When there is no such bot, the bot does not know the game, or a line cannot be understood,
/// read or written.
pub fn run(name: &str, input: impl BufRead, output: impl Write) -> Result<(), Error> {
    play(sample(name)?, input, output)
}

/// All that the program of a sample bot does. Its arguments are parameters, such as `depth=4`; a module
/// has none.
pub fn main_with_arguments(name: &str) -> ExitCode {
    let mut whole = name.to_owned();
    for argument in std::env::args_os().skip(1) {
        whole.push(':');
        whole.push_str(&argument.to_string_lossy());
    }
    flipside_bot::told(name, run(&whole, stdin().lock(), stdout().lock()))
}
