//! Forms that count once: what they make is shown once, and made anew it would replace what somebody has already.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use lru::LruCache;

use super::threads::locked;

/// How many are known at most.
const MAX_SENT: NonZeroUsize = NonZeroUsize::new(1_000).expect("it is not zero");

/// The words of the forms that were sent, which each form that is shown has of its own.
pub(crate) struct SentForms(Mutex<LruCache<String, ()>>);

impl Default for SentForms {
    fn default() -> Self {
        SentForms(Mutex::new(LruCache::new(MAX_SENT)))
    }
}

impl SentForms {
    /// The word of a form that is shown now.
    pub(crate) fn word() -> String {
        hex::encode(rand::random::<[u8; 16]>())
    }

    /// Notes that a form is sent. Says whether it is for the first time.
    pub(crate) fn begin(&self, word: &str) -> bool {
        locked(&self.0).put(word.to_owned(), ()).is_none()
    }

    /// It came to nothing, and can be sent again.
    pub(crate) fn undo(&self, word: &str) {
        locked(&self.0).pop(word);
    }
}
