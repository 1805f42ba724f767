//! What is derived from the journal for a page, kept as long as it is true.

use std::sync::Arc;
use std::time::Duration;

use super::cache::Weigh;
use super::problem::Result;
use crate::site::ReadContext;

/// About the bytes of a row of anything with some names.
pub(crate) const ROW: usize = 300;

/// A stamp in a version of the arena.
impl Weigh for u64 {
    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

impl ReadContext<'_> {
    /// The value of this key, if it was made with this stamp; otherwise it is made anew.
    pub(crate) fn kept<T: Weigh>(
        &self,
        key: &str,
        stamp: u64,
        make: impl FnOnce() -> Result<(T, u64)>,
    ) -> Result<Arc<T>> {
        let found = self.site.cache.get(key, stamp, make)?;
        if found.fresh {
            self.reuses(key, found.cost);
        }
        Ok(found.value)
    }

    /// Notes that a value was there which took so long.
    pub(crate) fn reuses(&self, key: &str, cost: Duration) {
        self.reused.borrow_mut().insert(key.to_owned(), cost);
    }

    /// How long it took to make all that was there already.
    pub(crate) fn saved(&self) -> Duration {
        self.reused.borrow().values().sum()
    }
}
