//! What an action did, said on the page to which it leads.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use lru::LruCache;

use super::threads::locked;
use crate::accounts::visitor::AccountVisitor;

/// How many sessions have a notice that they have not seen, at most.
const MAX_NOTICES: NonZeroUsize = NonZeroUsize::new(10_000).expect("it is not zero");

/// What sessions are to be told next, by the word of their forms.
pub(crate) struct Notices {
    told: Mutex<LruCache<String, String>>,
}

impl Default for Notices {
    fn default() -> Self {
        let told = Mutex::new(LruCache::new(MAX_NOTICES));
        Notices { told }
    }
}

impl Notices {
    /// What a session is told now, once.
    pub(crate) fn take(&self, visitor: &AccountVisitor) -> Option<String> {
        visitor.session()?;
        locked(&self.told).pop(&visitor.form_word())
    }

    /// Tells a session something with the next page that it is shown.
    pub(crate) fn tell(&self, visitor: &AccountVisitor, what: String) {
        if visitor.session().is_some() {
            locked(&self.told).put(visitor.form_word(), what);
        }
    }
}
