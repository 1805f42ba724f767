use std::io::{BufRead, BufReader, Write, stdin, stdout};

use flipside_operations::{Failure, Result};

use crate::output::writing;

/// Answer every line, for the yardsticks of `flipside bench`
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How: "fixed" answers a fixed short line; "instant" is a bot that plays a random legal action
    /// at once.
    how: String,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match args.how.as_str() {
        "fixed" => answer(|_, out| out.extend_from_slice(FIXED)),
        "instant" => {
            let mut bot = Instant {
                random: 0x9e37_79b9,
            };
            answer(move |line, out| bot.answer(line, out))
        }
        other => Err(Failure::usage(format!("there is no echo {other:?}"))),
    }
}

/// As long as an `act` of the instant bot is.
const FIXED: &[u8] = b"{\"type\":\"act\",\"id\":100,\"action\":\"a1-b2\"}\n";

/// Reads line after line, with one system call a line, and writes each answer with one.
fn answer(mut answer: impl FnMut(&[u8], &mut Vec<u8>)) -> Result<()> {
    let mut input = BufReader::with_capacity(128 * 1024, stdin().lock());
    let mut output = stdout().lock();
    let (mut line, mut out) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        out.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(()),
            Ok(_) => answer(&line, &mut out),
            Err(error) => return Err(Failure::new(format!("cannot read: {error}"))),
        }
        output
            .write_all(&out)
            .and_then(|()| output.flush())
            .map_err(writing)?;
    }
}

/// A bot that costs as little as a bot can: it finds a random action by its quotation marks.
struct Instant {
    random: u32,
}

impl Instant {
    fn answer(&mut self, line: &[u8], out: &mut Vec<u8>) {
        match line.get(9) {
            Some(b'h') => out.extend_from_slice(
                b"{\"type\":\"ready\",\"name\":\"instant\",\"actions\":true,\"reuse\":true}\n",
            ),
            Some(b't') => {
                let id_end = 20
                    + line[20..]
                        .iter()
                        .position(|b| *b == b',')
                        .expect("an id ends");
                let list = &line[id_end + ",\"actions\":[".len()..];
                let end = list.iter().position(|b| *b == b']').expect("a list ends");
                // Start somewhere in the list, and take the next action that begins there.
                self.random = self
                    .random
                    .wrapping_mul(1_664_525)
                    .wrapping_add(1_013_904_223);
                let somewhere = ((u64::from(self.random) * end as u64) >> 32) as usize;
                let begin = list[somewhere..end]
                    .iter()
                    .position(|b| *b == b',')
                    .map_or(0, |comma| somewhere + comma + 1);
                let action = list[begin + 1..]
                    .split(|b| *b == b'"')
                    .next()
                    .expect("an action ends");
                out.extend_from_slice(b"{\"type\":\"act\",\"id\":");
                out.extend_from_slice(&line[20..id_end]);
                out.extend_from_slice(b",\"action\":\"");
                out.extend_from_slice(action);
                out.extend_from_slice(b"\"}\n");
            }
            _ => {}
        }
    }
}
