//! Ctrl-C while a tournament runs: once finishes what is running, twice breaks it off.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, Once, Weak};
use std::thread;
use std::time::{Duration, Instant};

use flipside_operations::{Failure, Result};
use flipside_runner::StopSignal;
use flipside_sandbox::lock::lock;
use signal_hook::consts::{SIGCONT, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::output::note;
use crate::screen;
use crate::stop_lines::{STOPPING_NOW, STOPPING_SOON};

/// What the signals that come now stop, and its pulse; nothing: they end the process, as they would without us.
static RUNNING: Mutex<Option<(StopSignal, Weak<Mutex<Pulse>>)>> = Mutex::new(None);

/// The first signal that came; 0: none.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// While it lives, SIGINT and SIGTERM stop a run instead of the process.
pub(crate) struct Stopping {
    stop: StopSignal,
    _pulse: Arc<Mutex<Pulse>>,
}

/// How often the pulse beats, and how long it must have stood still for a stop of the whole process: SIGCONT
/// comes to processes that were not stopped too, as behind each signal of `timeout`.
const BEAT: Duration = Duration::from_millis(20);
const STOOD_STILL: Duration = Duration::from_millis(50);

/// At most so long after it went on SIGCONT may be heard. On a busy machine the thread that hears it comes to run
/// later than the pulse; but who stood still for a moment only did so for being busy, and has as short a moment.
const HEARD_WITHIN: Duration = Duration::from_secs(2);

/// Tells whether the process stood still just now.
struct Pulse {
    beat: Instant,
    /// When it last went on after it had stood still, and for how long.
    went_on: Option<(Instant, Duration)>,
}

impl Pulse {
    /// Beats as long as somebody else has it.
    fn begin() -> std::io::Result<Arc<Mutex<Self>>> {
        let pulse = Arc::new(Mutex::new(Pulse {
            beat: Instant::now(),
            went_on: None,
        }));
        let weak = Arc::downgrade(&pulse);
        let beats = move || {
            while let Some(pulse) = Weak::upgrade(&weak) {
                lock(&pulse).beats(Instant::now());
                drop(pulse);
                thread::sleep(BEAT);
            }
        };
        thread::Builder::new().name("pulse".into()).spawn(beats)?;
        Ok(pulse)
    }

    fn beats(&mut self, now: Instant) {
        let stood = now - self.beat;
        if stood >= STOOD_STILL {
            self.went_on = Some((now, stood));
        }
        self.beat = now;
    }

    /// Whether the process stood still, and goes on since just now. It is told once.
    fn stood_still(&mut self, now: Instant) -> bool {
        self.beats(now);
        let went_on = self.went_on.take();
        went_on.is_some_and(|(at, stood)| now - at < stood.min(HEARD_WITHIN))
    }
}

impl Stopping {
    /// # Errors
    /// When the operating system lets us wait for no signals.
    pub(crate) fn begin() -> Result<Self> {
        static WAITING: Once = Once::new();
        let mut failed = Ok(());
        WAITING.call_once(|| failed = wait_for_signals());
        failed.map_err(|error| Failure::new(format!("cannot wait for signals: {error}")))?;
        let stop = StopSignal::default();
        let pulse = Pulse::begin()
            .map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
        *lock(&RUNNING) = Some((stop.clone(), Arc::downgrade(&pulse)));
        Ok(Stopping {
            stop,
            _pulse: pulse,
        })
    }

    /// What the run looks at.
    pub(crate) fn stop(&self) -> &StopSignal {
        &self.stop
    }

    /// The signal that came, if one did.
    pub(crate) fn signal(&self) -> Option<i32> {
        Some(SIGNAL.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
    }
}

impl Drop for Stopping {
    fn drop(&mut self) {
        *lock(&RUNNING) = None;
    }
}

fn wait_for_signals() -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGQUIT, SIGTSTP, SIGCONT])?;
    let wait = move || {
        for signal in signals.forever() {
            let (running, pulse) = lock(&RUNNING).clone().unzip();
            let pulse = pulse.as_ref().and_then(Weak::upgrade);
            match signal {
                // They do what they do, but not while there is a screen.
                SIGTSTP => {
                    let suspend_counter = running.unwrap_or_default().suspend_counter().clone();
                    let halt = || drop(emulate_default_handler(signal));
                    screen::while_away(|| suspend_counter.halt(halt));
                    continue;
                }
                // Whoever stopped the process did it without asking, as with SIGSTOP; if anybody did.
                SIGCONT => {
                    // The shell may have written over it.
                    screen::redraw();
                    let still = pulse.is_some_and(|pulse| lock(&pulse).stood_still(Instant::now()));
                    if let (Some(stop), true) = (running, still) {
                        stop.suspend_counter().passed();
                    }
                    continue;
                }
                _ => {}
            }
            match running.filter(|_| signal != SIGQUIT) {
                Some(stop) if !stop.is_asked() => {
                    SIGNAL.store(signal, Ordering::Relaxed);
                    stop.soon();
                    note!("{STOPPING_SOON}");
                }
                Some(stop) if !stop.is_now() => {
                    stop.now();
                    note!("{STOPPING_NOW}");
                }
                // What the signal does to a process that does not wait for it: it ends. SIGQUIT always does that.
                _ => {
                    screen::leave();
                    drop(emulate_default_handler(signal));
                }
            }
        }
    };
    thread::Builder::new()
        .name("signals".into())
        .spawn(wait)
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stood_still_is_known_for_a_moment() {
        let begun = Instant::now();
        let ms = Duration::from_millis;
        let at = |after| begun + ms(after);
        let stood_still = |beat, went_on: Option<(u64, u64)>| {
            let (beat, went_on) = (at(beat), went_on.map(|(on, stood)| (at(on), ms(stood))));
            let mut pulse = Pulse { beat, went_on };
            let first = pulse.stood_still(at(10_000));
            assert!(!pulse.stood_still(at(10_001)), "it is told once");
            first
        };
        assert!(stood_still(9_500, None));
        assert!(!stood_still(9_980, None));
        // The pulse went on first, and SIGCONT is heard later.
        assert!(stood_still(9_999, Some((9_950, 60))));
        assert!(!stood_still(9_999, Some((9_930, 60))));
        assert!(stood_still(9_999, Some((9_000, 3_500))));
        assert!(!stood_still(9_999, Some((7_900, 3_500))));
    }
}
