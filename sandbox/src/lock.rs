//! Locking, also where another holder has panicked: what a lock guards here is whole at any time.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits for a lock and takes it.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
