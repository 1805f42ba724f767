//! Ctrl-C while a tournament runs: once finishes what is running, twice breaks it off.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, Once};

use flipside_tournament::Stop;
use signal_hook::consts::{SIGCONT, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::failure::{Failure, Result};
use crate::output::note;
use crate::watch;

/// What the signals that come now stop; nothing: they end the process, as they would without us.
static RUNNING: Mutex<Option<Stop>> = Mutex::new(None);

/// The first signal that came; 0: none.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// While it lives, SIGINT and SIGTERM stop a run instead of the process.
pub(crate) struct Stopping {
    stop: Stop,
}

impl Stopping {
    /// # Errors
    /// When the operating system lets us wait for no signals.
    pub(crate) fn begin() -> Result<Self> {
        static WAITING: Once = Once::new();
        let mut failed = Ok(());
        WAITING.call_once(|| failed = wait_for_signals());
        failed.map_err(|error| Failure::new(format!("cannot wait for signals: {error}")))?;
        let stop = Stop::default();
        *RUNNING.lock().expect("nobody panics who holds it") = Some(stop.clone());
        Ok(Stopping { stop })
    }

    /// What the run looks at.
    pub(crate) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The signal that came, if one did.
    pub(crate) fn signal(&self) -> Option<i32> {
        Some(SIGNAL.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
    }
}

impl Drop for Stopping {
    fn drop(&mut self) {
        *RUNNING.lock().expect("nobody panics who holds it") = None;
    }
}

fn wait_for_signals() -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGQUIT, SIGTSTP, SIGCONT])?;
    let wait = move || {
        for signal in signals.forever() {
            let running = RUNNING.lock().expect("nobody panics who holds it").clone();
            match signal {
                // They do what they do, but not while there is a screen.
                SIGTSTP => {
                    let halts = running.unwrap_or_default().halts().clone();
                    let halt = || drop(emulate_default_handler(signal));
                    watch::while_away(|| halts.halt(halt));
                    continue;
                }
                // Whoever stopped the process did it without asking, as with SIGSTOP.
                SIGCONT => {
                    if let Some(stop) = running {
                        stop.halts().passed();
                    }
                    continue;
                }
                SIGQUIT => {
                    watch::leave();
                    drop(emulate_default_handler(signal));
                    continue;
                }
                _ => {}
            }
            match running {
                Some(stop) if !stop.is_asked() => {
                    SIGNAL.store(signal, Ordering::Relaxed);
                    stop.soon();
                    note!(
                        "stopping: the matches that are running are played to their end; once more breaks them off"
                    );
                }
                Some(stop) if !stop.is_now() => {
                    stop.now();
                    note!("stopping now");
                }
                // What the signal does to a process that does not wait for it: it ends.
                _ => {
                    watch::leave();
                    drop(emulate_default_handler(signal));
                }
            }
        }
    };
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(wait)
        .map(drop)
}
