//! What a bot is given for an answer, what came of it, and what is seen of a bot that gave none.

use std::time::{Duration, Instant};

use crate::fault::ProcessEnd;
use crate::lines::Lines;

/// A bot's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotAnswer<'a> {
    /// The line, without its newline.
    pub line: &'a str,
    /// What counts as the bot's time: from the beginning of the question's writing until the line was
    /// complete, but for what the machine withheld; see [`Timing`](crate::Timing).
    pub charged: Duration,
    /// The fuel that it used, where its clock counts fuel. Then `charged` is its time, in
    /// whole microseconds, rounded up.
    pub fuel: Option<u64>,
}

/// How long a bot may take for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// When that time begins.
    pub from: Instant,
    /// How long it is. For a module whose clock counts fuel, that of so much fuel: a nanosecond for each
    /// [`FUEL_PER_NS`](flipside_protocol::FUEL_PER_NS) units.
    pub time: Duration,
}

impl Allowance {
    /// When it is over, for bots whose clock counts time.
    pub fn deadline(self) -> Instant {
        self.from + self.time
    }
}

/// The time from now until a deadline.
impl From<Instant> for Allowance {
    fn from(deadline: Instant) -> Self {
        let from = Instant::now();
        Allowance {
            from,
            time: deadline.saturating_duration_since(from),
        }
    }
}

/// What is left of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedBot {
    /// The last that it wrote to its error stream in its last match: at most [`STDERR_TAIL`](crate::STDERR_TAIL)
    /// bytes as text, with an "…" before them where there was more.
    pub stderr_tail: String,
    /// What came on its error stream since [`SandboxBot::new_stderr`](crate::SandboxBot::new_stderr) was called last.
    pub new_stderr: String,
    /// How it ended.
    pub ended: ProcessEnd,
    /// As of [`SandboxBot::cpu`](crate::SandboxBot::cpu).
    pub cpu: Option<Duration>,
}

/// What was seen of a bot at its last question, where that ended with a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SilenceEvidence {
    /// The beginning of the whole line that it wrote, if it wrote one, which came too late or is not text; without
    /// its newline. At most [`SEEN_BYTES`] bytes.
    pub line: Option<Vec<u8>>,
    /// The beginning of what it wrote without a newline; at most [`SEEN_BYTES`] bytes.
    pub unfinished: Vec<u8>,
    /// The length of that.
    pub unfinished_bytes: usize,
    /// Whether it left some of the question unread; nothing where the system does not tell.
    pub unread: Option<bool>,
}

/// What a bot that gave no answer did when its input was closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastWords {
    /// The beginning of what it wrote then; at most [`SEEN_BYTES`] bytes.
    pub text: Vec<u8>,
    /// Whether it closed its output then, as a bot does that ends.
    pub ended: bool,
}

/// How many bytes of a bot's output are shown with a fault.
pub const SEEN_BYTES: usize = 1024;

/// What is shown of a bot's output.
fn beginning(bytes: &[u8]) -> Vec<u8> {
    bytes[..bytes.len().min(SEEN_BYTES)].to_vec()
}

impl LastWords {
    pub(crate) fn new(lines: &Lines, ended: bool) -> Self {
        LastWords {
            text: beginning(lines.unfinished()),
            ended,
        }
    }
}

impl SilenceEvidence {
    pub(crate) fn new(lines: &Lines, unread: Option<bool>) -> Self {
        let unfinished = lines.unfinished();
        SilenceEvidence {
            line: lines.last().strip_suffix(b"\n").map(beginning),
            unfinished: beginning(unfinished),
            unfinished_bytes: unfinished.len(),
            unread,
        }
    }
}
