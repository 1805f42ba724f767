//! A match as JSON lines: every message both ways with its time, and what the bots wrote to their standard error.
//! [docs/reference/records.md](../../docs/reference/records.md) describes the format.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use flipside_games::Seat;
use flipside_sandbox::lock::lock;
use serde::{Deserialize, Serialize};

use crate::clock::micros;
use crate::match_setup::Match;
use crate::observer::{Observer, ObserverEvent};
use crate::result::MatchResult;

/// The version of the format.
pub const TRANSCRIPT_FORMAT: u32 = 1;

/// A line of a transcript. Times named `at` are microseconds since the match began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum TranscriptLine {
    /// The first line.
    Transcript {
        /// The version of the format.
        format: u32,
        /// The id of the match.
        id: String,
        /// The id of the game.
        game: String,
        /// The clock.
        clock: String,
        /// Who sits where.
        bots: Vec<String>,
    },
    /// The referee writes a line to a bot.
    Sent {
        /// When.
        at: u64,
        /// To which seat.
        seat: Seat,
        /// The line, without its newline.
        line: String,
    },
    /// A bot answers.
    Received {
        /// When the referee had read the whole line.
        at: u64,
        /// From which seat.
        seat: Seat,
        /// The time that counts, in microseconds.
        us: u64,
        /// The wall-clock time in microseconds, where it differs by a millisecond or more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wall_us: Option<u64>,
        /// The CPU time in microseconds, where it was measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cpu_us: Option<u64>,
        /// The line, without its newline.
        line: String,
    },
    /// A bot wrote something that it was not asked for, or no whole line.
    Stray {
        /// When it was noticed.
        at: u64,
        /// At which seat.
        seat: Seat,
        /// What it wrote.
        text: String,
    },
    /// A bot wrote to its standard error.
    Stderr {
        /// When it was noticed: with the next message of the bot.
        at: u64,
        /// At which seat.
        seat: Seat,
        /// What it wrote.
        text: String,
    },
    /// A bot is disqualified.
    Fault {
        /// When.
        at: u64,
        /// At which seat.
        seat: Seat,
        /// The name of the fault.
        fault: String,
        /// What happened, in words.
        detail: String,
    },
    /// A bot has ended after the match.
    Ended {
        /// When.
        at: u64,
        /// At which seat.
        seat: Seat,
        /// How, in words.
        how: String,
    },
    /// The last line.
    Over {
        /// When.
        at: u64,
        /// Why the match ended.
        reason: String,
        /// The points, by seat.
        points: Vec<i32>,
    },
}

impl TranscriptLine {
    /// Returns the line of what is said at a seat, so long after the match began.
    pub fn of(seat: Seat, at: Duration, said: &ObserverEvent<'_>) -> Self {
        let at = micros(at);
        match *said {
            ObserverEvent::Sent(line) => TranscriptLine::Sent {
                at,
                seat,
                line: line.to_owned(),
            },
            ObserverEvent::Received { line, us, measured } => TranscriptLine::Received {
                at,
                seat,
                us,
                wall_us: measured.wall_us,
                cpu_us: measured.cpu_us,
                line: line.to_owned(),
            },
            ObserverEvent::Stray(text) => TranscriptLine::Stray {
                at,
                seat,
                text: text.to_owned(),
            },
            ObserverEvent::Stderr(text) => TranscriptLine::Stderr {
                at,
                seat,
                text: text.to_owned(),
            },
            ObserverEvent::Fault(fault) => TranscriptLine::Fault {
                at,
                seat,
                fault: fault.kind.name().to_owned(),
                detail: fault.detail.clone(),
            },
            ObserverEvent::Ended(ended) => TranscriptLine::Ended {
                at,
                seat,
                how: ended.to_string(),
            },
        }
    }
}

/// Writes the transcript of each match. Clones write to the same place.
pub struct Transcript<W>(Arc<Mutex<Inner<W>>>);

struct Inner<W> {
    out: W,
    /// The first failure; nothing is written after it.
    failed: io::Result<()>,
}

impl<W> Clone for Transcript<W> {
    fn clone(&self) -> Self {
        Transcript(Arc::clone(&self.0))
    }
}

impl<W: Write> Transcript<W> {
    /// A transcript that is written here, in many small pieces.
    pub fn new(out: W) -> Self {
        Transcript(Arc::new(Mutex::new(Inner {
            out,
            failed: Ok(()),
        })))
    }

    /// Flushes what was written, and hands over the failure that it had, if any.
    ///
    /// # Errors
    /// What the first write failed with; the rest is missing.
    pub fn finish(&self) -> io::Result<()> {
        let mut inner = self.inner();
        std::mem::replace(&mut inner.failed, Ok(()))?;
        inner.out.flush()
    }

    fn inner(&self) -> MutexGuard<'_, Inner<W>> {
        lock(&self.0)
    }

    fn line(&self, line: &TranscriptLine) {
        let mut inner = self.inner();
        if inner.failed.is_ok() {
            let mut json = serde_json::to_vec(line).expect("texts and numbers are JSON");
            json.push(b'\n');
            inner.failed = inner.out.write_all(&json);
        }
    }
}

impl<W: Write> Observer for Transcript<W> {
    fn begins(&mut self, the_match: &Match) {
        let bots = the_match.players.iter();
        self.line(&TranscriptLine::Transcript {
            format: TRANSCRIPT_FORMAT,
            id: the_match.id.clone(),
            game: the_match.game.info().id.to_owned(),
            clock: the_match.clock.to_string(),
            bots: bots.map(|player| player.name.clone()).collect(),
        });
    }

    fn hear(&mut self, seat: Seat, at: Duration, said: &ObserverEvent<'_>) {
        self.line(&TranscriptLine::of(seat, at, said));
    }

    fn over(&mut self, at: Duration, result: &MatchResult) {
        self.line(&TranscriptLine::Over {
            at: micros(at),
            reason: result.reason.clone(),
            points: result.points(),
        });
    }
}
