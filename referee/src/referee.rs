//! The referee: plays matches between running bots, one after the other.

use std::pin::pin;
use std::time::Duration;

use flipside_sandbox::Sandbox;
use futures_util::future::{Either, select};
use tracing::Instrument;

use crate::error::Error;
use crate::match_setup::Match;
use crate::observer::{Observer, Observing};
use crate::person::{NoPerson, Person};
use crate::play::MatchHost;
use crate::result::PlayedMatch;
use crate::suspend_counter::SuspendCounter;
use crate::watch::{WatchFeed, Watcher};

/// How often somebody who may break a match off is asked whether to.
pub const STOP_LOOK: Duration = Duration::from_millis(50);

/// Plays matches, one after the other, on the thread that calls it. It keeps the bots that wish to
/// be used again, but for matches of a block that they have met: before one of these they are ended.
pub struct Referee {
    runtime: tokio::runtime::Runtime,
    host: MatchHost,
}

impl Referee {
    /// A referee whose bots start in this sandbox.
    ///
    /// # Errors
    /// When the operating system gives no event queue.
    pub fn new(sandbox: Sandbox) -> Result<Self, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let host = MatchHost::new(sandbox);
        Ok(Referee { runtime, host })
    }

    /// The same, watched from outside: see [`Watcher`].
    pub fn watched_by(mut self, watcher: impl Watcher + Send + 'static) -> Self {
        self.host.showing = WatchFeed::to(Box::new(watcher));
        self
    }

    /// The same; this observer hears every message of its matches.
    pub fn observed_by(mut self, observer: impl Observer + Send + 'static) -> Self {
        self.host.observing = Observing::of(observer);
        self
    }

    /// The same; it looks for files that jailed bots lose at the end of a match.
    pub fn looking_for_files(mut self) -> Self {
        self.host.looks_for_files = true;
        self
    }

    /// The same, told by these when the process was stopped.
    pub fn counting_suspends(mut self, suspend_counter: &SuspendCounter) -> Self {
        self.host.suspend_counter = suspend_counter.clone();
        self
    }

    /// The same; records name this class of machines wherever a clock counts time. [`is_machine`](crate::is_machine)
    /// says what names a class.
    pub fn on_machine(mut self, class: &str) -> Self {
        self.host.machine = Some(class.to_owned());
        self
    }

    /// Whether bots wait for their next match.
    pub fn keeps_bots(&self) -> bool {
        self.host.pool.bots().next().is_some()
    }

    /// Ends the bots that wait for their next match.
    pub fn end_kept(&mut self) {
        // They are parts of the runtime's event queue.
        let _inside = self.runtime.enter();
        self.host.pool.end_all();
    }

    /// Plays a match to its end.
    ///
    /// # Errors
    /// When the host, not a bot, is at fault: then there is no result.
    pub fn play(&mut self, the_match: &Match) -> Result<PlayedMatch, Error> {
        self.play_with(the_match, &mut NoPerson)
    }

    /// Plays a match in which this person is asked for every seat that is a person's.
    ///
    /// # Errors
    /// As [`play`](Referee::play), and when the person breaks the match off.
    pub fn play_with(
        &mut self,
        the_match: &Match,
        person: &mut dyn Person,
    ) -> Result<PlayedMatch, Error> {
        let playing = self.host.play(the_match, person);
        (self.runtime).block_on(playing.instrument(span(the_match)))
    }

    /// Plays a match to its end, unless `stop` is true before: it is asked every [`STOP_LOOK`], and as
    /// soon as a module that computes gives way. Then the match is broken off, and nothing came of it.
    ///
    /// # Errors
    /// As [`play`](Referee::play).
    pub fn play_unless(
        &mut self,
        the_match: &Match,
        stop: impl Fn() -> bool,
    ) -> Result<Option<PlayedMatch>, Error> {
        let mut nobody = NoPerson;
        let playing = self.host.play(the_match, &mut nobody);
        let playing = playing.instrument(span(the_match));
        let stopping = async {
            while !stop() {
                tokio::time::sleep(STOP_LOOK).await;
            }
        };
        self.runtime.block_on(async {
            match select(pin!(playing), pin!(stopping)).await {
                Either::Left((played, _)) => played.map(Some),
                Either::Right(_) => Ok(None),
            }
        })
    }
}

/// At the highest level, so that every line of the log has it, however it is filtered.
fn span(the_match: &Match) -> tracing::Span {
    tracing::error_span!("match", id = %the_match.id, game = the_match.game.info().id)
}

impl Drop for Referee {
    fn drop(&mut self) {
        // They go before the runtime does.
        self.end_kept();
    }
}
