//! Threads that work until they are told to end, beside those of the runtime.

use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use flipside_operations::{Failure, Result};

/// Threads that were started.
#[derive(Default)]
pub(crate) struct Threads(Mutex<Vec<JoinHandle<()>>>);

impl Threads {
    /// Starts one, under this name.
    ///
    /// # Errors
    /// When there can be no thread.
    pub(crate) fn start(&self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let thread = Builder::new().name(name.into()).spawn(work);
        let thread =
            thread.map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(thread);
        Ok(())
    }

    /// Waits for the end of all that were started.
    pub(crate) fn join(&self) {
        let started = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in started {
            let name = thread.thread().name().unwrap_or_default().to_owned();
            if thread.join().is_err() {
                tracing::error!(name, "a thread has panicked");
            }
        }
    }
}
