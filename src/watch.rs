//! Watching a tournament while it runs: on a terminal a screen that is drawn anew a few times a second,
//! elsewhere plain lines now and then. Always on standard error; what is played is the same.

mod layout;
mod lines;
mod shared;
mod state;
mod table;

use std::io::stderr;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use flipside_operations::{Failure, Result};
use flipside_runner::{Live, RunEvent, StopSignal};
use flipside_tournament::Tournament;

use crate::output::note;
use crate::screen::{self, Keys, Screen};

use self::layout::WatchScreen;
use self::state::{StopState, WatchState};

use self::shared::{NO_PANIC, WatchShared};

/// The time between two drawings of the screen.
const FRAME: Duration = Duration::from_millis(200);

/// All of the screen is drawn so often, not only what changes: other programs may have written over it.
const WHOLE_FRAME: Duration = Duration::from_secs(5);

/// The time before the first block of plain lines.
const FIRST_LINES: Duration = Duration::from_secs(1);

/// The least time between two blocks of plain lines.
const LINES_EVERY: Duration = Duration::from_secs(5);

/// Blocks of plain lines come after at least this part of the time that the run has taken already, so that
/// a night of it fills no disk: a hundred blocks or two.
const LINES_PART: u32 = 20;

/// A tournament that is watched.
pub(crate) struct Watch {
    shared: Arc<WatchShared>,
    live: Live,
    threads: Vec<JoinHandle<()>>,
}

impl Watch {
    /// Begins to show a tournament of the arena in this folder.
    ///
    /// # Errors
    /// When the terminal cannot be written, or no thread be started.
    pub(crate) fn begin(arena: &Path, tournament: &Tournament, stop: &StopSignal) -> Result<Self> {
        let shared = Arc::new(WatchShared {
            state: Mutex::new(WatchState::of(tournament)),
            ended: Mutex::new(false),
            ends: Condvar::new(),
        });
        let mut watch = Watch {
            shared,
            live: Live::default(),
            threads: Vec::new(),
        };
        // A log on the same screen would tear it.
        let log = tracing::enabled!(tracing::Level::ERROR);
        let drawn = Screen::fits(&stderr()) && !log;
        let screen = drawn.then(|| Screen::open(&stderr(), Keys::Signals));
        let screen = screen.transpose().map_err(|error| {
            Failure::new(format!("cannot draw on this terminal: {error}"))
                .hint("without --watch there is a plain bar")
        })?;
        let (shared, live, stop) = (watch.shared.clone(), watch.live.clone(), stop.clone());
        watch.spawn("watch", move || match screen {
            Some(screen) => draw(&shared, &live, &stop, screen),
            None => tell(&shared, &live),
        })?;
        let (shared, arena) = (watch.shared.clone(), arena.to_owned());
        let tournament = tournament.clone();
        watch.spawn("standings", move || {
            table::keep(&shared, &arena, &tournament);
        })?;
        Ok(watch)
    }

    /// Where the match threads show what they play.
    pub(crate) fn live(&self) -> Live {
        self.live.clone()
    }

    /// Something has happened.
    pub(crate) fn hear(&self, event: &RunEvent) {
        self.shared.state().hear(event);
    }

    fn spawn(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let thread = std::thread::Builder::new().name(name.into()).spawn(work);
        let failed = |error| Failure::new(format!("cannot start a thread: {error}"));
        self.threads.push(thread.map_err(failed)?);
        Ok(())
    }
}

impl Drop for Watch {
    /// The screen goes, and the terminal is as it was.
    fn drop(&mut self) {
        *self.shared.ended.lock().expect(NO_PANIC) = true;
        self.shared.ends.notify_all();
        for thread in self.threads.drain(..) {
            // It has told its panic.
            let _ = thread.join();
        }
    }
}

/// Draws the screen until the run ends.
fn draw(shared: &WatchShared, live: &Live, stop: &StopSignal, mut screen: Screen) {
    let mut whole_at = Instant::now();
    loop {
        if whole_at.elapsed() >= WHOLE_FRAME {
            screen::redraw();
            whole_at = Instant::now();
        }
        let drawn = screen.draw(|frame| {
            let mut state = shared.state();
            state.look(live.matches(), Instant::now());
            state.stopping = StopState::of(stop);
            frame.render_widget(WatchScreen(&state), frame.area());
        });
        // Whoever cannot be shown anything any more is no reason to stop.
        if drawn.is_err() || !shared.goes_on_after(FRAME) {
            return;
        }
    }
}

/// Tells how it goes in plain lines until the run ends.
fn tell(shared: &WatchShared, live: &Live) {
    let began = Instant::now();
    let mut rest = FIRST_LINES;
    while shared.goes_on_after(rest) {
        rest = LINES_EVERY.max(began.elapsed() / LINES_PART);
        let mut state = shared.state();
        state.look(live.matches(), Instant::now());
        let lines = lines::block(&mut state);
        drop(state);
        lines.iter().for_each(|line| note!("{line}"));
    }
    let faults = lines::faults(&mut shared.state());
    faults.iter().for_each(|line| note!("{line}"));
}
