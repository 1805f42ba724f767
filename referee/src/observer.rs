//! Every message of a match, both ways, for somebody who looks for what is wrong with a bot. Unlike a
//! [`Watcher`](crate::Watcher), an observer hears the secrets of all seats, so it must not be shown to a bot's author
//! while the match runs.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use flipside_games::Seat;
use flipside_sandbox::lock::lock;
use flipside_sandbox::{ProcessEnd, SandboxBot};

use crate::answer::MeasuredTime;
use crate::fault::Fault;
use crate::match_setup::Match;
use crate::result::MatchResult;

/// Somebody who hears every message of the matches of a referee, on the thread that plays them. Clocks run meanwhile
/// where several seats are asked at once, so a call should not take long.
pub trait Observer {
    /// A match begins; nothing was said yet.
    fn begins(&mut self, _the_match: &Match) {}

    /// Something was said at a seat, so long after the match began.
    fn hear(&mut self, seat: Seat, at: Duration, said: &ObserverEvent<'_>);

    /// The match is over, after so long. It is not called for a match that the host failed to play.
    fn over(&mut self, _at: Duration, _result: &MatchResult) {}
}

/// What is said between the referee and the bot on a seat. Lines are without their newlines.
#[derive(Clone, Copy, Debug)]
pub enum ObserverEvent<'a> {
    /// The referee writes this line to the bot: `hello`, `turn` or `over`.
    Sent(&'a str),
    /// The bot has answered with this line. Whether it is a good answer is judged after this.
    Received {
        /// The line.
        line: &'a str,
        /// The time that counts, in microseconds; for `ready`, since the bot was started.
        us: u64,
        /// What else was measured of it.
        measured: MeasuredTime,
    },
    /// The bot wrote this though it was not asked, or without a newline. What is not UTF-8 is replaced.
    Stray(&'a str),
    /// The bot wrote this to its standard error since the last call for its seat. It is heard at the next message of
    /// the bot, so it may be older than the lines of other seats before it.
    Stderr(&'a str),
    /// The bot is disqualified.
    Fault(&'a Fault),
    /// The bot has ended after the match. A bot that is used again does not end.
    Ended(&'a ProcessEnd),
}

/// An observer of all seats, or nobody; then it costs nothing.
#[derive(Clone)]
pub(crate) struct Observing {
    observer: Option<Arc<Mutex<dyn Observer + Send>>>,
    /// When the match began; without meaning between two matches.
    began: Instant,
}

impl Default for Observing {
    fn default() -> Self {
        Observing {
            observer: None,
            began: Instant::now(),
        }
    }
}

impl Observing {
    pub(crate) fn of(observer: impl Observer + Send + 'static) -> Self {
        Observing {
            observer: Some(Arc::new(Mutex::new(observer))),
            ..Observing::default()
        }
    }

    /// The same in a match that begins.
    pub(crate) fn begins(&self, the_match: &Match) -> Self {
        if let Some(observer) = &self.observer {
            lock(observer).begins(the_match);
        }
        Observing {
            observer: self.observer.clone(),
            began: Instant::now(),
        }
    }

    pub(crate) fn is_somebody(&self) -> bool {
        self.observer.is_some()
    }

    pub(crate) fn hear(&self, seat: Seat, said: &ObserverEvent<'_>) {
        if let Some(observer) = &self.observer {
            lock(observer).hear(seat, self.began.elapsed(), said);
        }
    }

    /// A line of the referee's, with its newline. Returns when it was heard, if anybody heard it.
    pub(crate) fn sent(&self, seat: Seat, line: &[u8]) -> Option<Instant> {
        self.is_somebody().then(|| {
            let line = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
            self.hear(seat, &ObserverEvent::Sent(&line));
            Instant::now()
        })
    }

    /// A line that is heard later.
    pub(crate) fn copy(&self, line: &str) -> Option<String> {
        self.is_somebody().then(|| line.to_owned())
    }

    pub(crate) fn received(&self, seat: Seat, line: &str, us: u64, measured: MeasuredTime) {
        self.hear(seat, &ObserverEvent::Received { line, us, measured });
    }

    /// What a bot has written to its standard error meanwhile.
    pub(crate) fn stderr_of(&self, seat: Seat, bot: &mut SandboxBot) {
        if self.is_somebody() {
            let text = bot.new_stderr();
            if !text.is_empty() {
                self.hear(seat, &ObserverEvent::Stderr(&text));
            }
        }
    }

    pub(crate) fn over(&self, result: &MatchResult) {
        if let Some(observer) = &self.observer {
            lock(observer).over(self.began.elapsed(), result);
        }
    }
}
