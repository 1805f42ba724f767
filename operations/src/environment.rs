//! Environments: tables without a referee, on which programs that learn play by lines of JSON and arrays of bytes.
//! `docs/reference/environments.md` describes the messages.

mod batch;
mod messages;
mod played;
mod session;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::io::{BufRead, Read as _, Write};

use flipside_games::AnyGame;

pub use session::{Environment, MAX_PROGRAM_TABLES, MAX_TABLES};

use crate::failure::{Failure, Result};

/// The longest line of a request, in bytes, its newline not counted.
pub const LONGEST_REQUEST: usize = 64 * 1024 * 1024;

/// Answers each line of the input by one line, which the arrays of a batch follow, until the input ends.
///
/// # Errors
/// A line is over [`LONGEST_REQUEST`], the input cannot be read, or the output cannot be written other than because
/// nobody reads it any more.
pub fn serve_environment(
    game: &'static dyn AnyGame,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<()> {
    let mut environment = Environment::new(game);
    let (mut line, mut answer) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        answer.clear();
        let mut bounded = input.by_ref().take(LONGEST_REQUEST as u64 + 1);
        let read = bounded
            .read_until(b'\n', &mut line)
            .map_err(|error| Failure::of_system(&error))?;
        if read == 0 {
            return Ok(());
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() > LONGEST_REQUEST {
            let failure = Failure::usage(format!("a request has at most {LONGEST_REQUEST} bytes"));
            return Err(failure.hint("step fewer tables at once"));
        }
        environment.answer(&line, &mut answer);
        answer.push(b'\n');
        let written = output.write_all(&answer).and_then(|()| output.flush());
        match written {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            other => other.map_err(|error| Failure::of_system(&error))?,
        }
    }
}
