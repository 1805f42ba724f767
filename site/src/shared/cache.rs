//! What was computed once and is good until the arena changes: values by key, each with the stamp of what it was
//! derived from. The least recently used go first when there are too many bytes of them, and nothing else bounds how
//! many there are: what a page is made of must not go while the page is made.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lru::LruCache;
use prometheus_client::metrics::counter::Counter;

use flipside_store::unix_ms;

use super::problem::Result;
use super::threads::locked;

/// A value that is kept says how many bytes it takes, about.
pub(crate) trait Weigh: Any + Send + Sync {
    /// The bytes.
    fn bytes(&self) -> usize;
}

/// About the bytes of a place, beside its key and its value.
const SLOT: usize = 256;

/// Values by key.
pub(crate) struct SiteCache {
    most: usize,
    slots: Mutex<Slots>,
    /// How many values were made.
    made: Counter,
}

struct Slots {
    by_key: LruCache<Arc<str>, Arc<Slot>>,
    /// Of all of them.
    bytes: usize,
}

/// The place of a value.
pub(crate) struct Slot {
    key: Arc<str>,
    value: Mutex<Option<CacheValue>>,
    /// Held by the request that makes the value, so that the others wait for it and do not make it too.
    pub(crate) making: Arc<tokio::sync::Mutex<()>>,
    /// Whether it is being made anew in the background.
    pub(crate) renewing: AtomicBool,
}

#[derive(Clone)]
struct CacheValue {
    /// None: it is made of something that was old already.
    stamp: Option<u64>,
    as_of: u64,
    cost: Duration,
    bytes: usize,
    value: Arc<dyn Any + Send + Sync>,
}

/// A value that was just made.
pub(crate) struct FreshValue<T> {
    pub(crate) value: T,
    /// How much longer it takes when nothing is there that it is made of.
    pub(crate) saved: Duration,
    /// Where something that it is made of was old already: since when that is so, in milliseconds since 1970.
    pub(crate) as_of: Option<u64>,
}

/// A value that was found.
pub(crate) struct CacheHit<T> {
    pub(crate) value: Arc<T>,
    /// Whether it has the stamp that was asked for.
    pub(crate) fresh: bool,
    /// How long it took to make.
    pub(crate) cost: Duration,
    /// When it was made, in milliseconds since 1970; if it was made of something older, when that was.
    pub(crate) as_of: u64,
}

impl SiteCache {
    /// Keeps so many bytes at most, and counts what is made.
    pub(crate) fn new(most: usize, made: Counter) -> Self {
        let slots = Slots {
            by_key: LruCache::unbounded(),
            bytes: 0,
        };
        SiteCache {
            most,
            slots: Mutex::new(slots),
            made,
        }
    }

    /// How many keys have a place.
    pub(crate) fn len(&self) -> usize {
        locked(&self.slots).by_key.len()
    }

    /// The place of a key.
    pub(crate) fn slot(&self, key: &str) -> Arc<Slot> {
        let mut slots = locked(&self.slots);
        if let Some(slot) = slots.by_key.get(key) {
            return Arc::clone(slot);
        }
        let key: Arc<str> = key.into();
        let slot = Arc::new(Slot {
            key: Arc::clone(&key),
            value: Mutex::default(),
            making: Arc::default(),
            renewing: AtomicBool::default(),
        });
        slots.bytes += slot.bytes();
        slots.by_key.put(key, Arc::clone(&slot));
        slot
    }

    /// The value of a key with this stamp, fresh if it is there; it is made if it is not. `make` says the stamp of what
    /// it was made of: that may be older than the one that was asked for.
    pub(crate) fn get<T: Weigh>(
        &self,
        key: &str,
        stamp: u64,
        make: impl FnOnce() -> Result<(T, u64)>,
    ) -> Result<CacheHit<T>> {
        let slot = self.slot(key);
        match slot.found::<T>(stamp) {
            Some(found) if found.fresh => Ok(found),
            _ => {
                let value = self.make(&slot, || {
                    let (value, stamp) = make()?;
                    let made = FreshValue {
                        value,
                        saved: Duration::ZERO,
                        as_of: None,
                    };
                    Ok((made, stamp))
                })?;
                Ok(CacheHit {
                    value,
                    fresh: false,
                    cost: Duration::ZERO,
                    as_of: unix_ms(),
                })
            }
        }
    }

    /// Makes the value of a slot, whatever is there, with the stamp of what it was made of.
    pub(crate) fn make<T: Weigh>(
        &self,
        slot: &Arc<Slot>,
        make: impl FnOnce() -> Result<(FreshValue<T>, u64)>,
    ) -> Result<Arc<T>> {
        let (begun, now) = (Instant::now(), unix_ms());
        let (made, stamp) = match make() {
            Ok(made) => made,
            Err(problem) => {
                self.leave(slot);
                return Err(problem);
            }
        };
        self.made.inc();
        let value = Arc::new(made.value);
        let new = CacheValue {
            stamp: made.as_of.is_none().then_some(stamp),
            as_of: made.as_of.unwrap_or(now),
            cost: begun.elapsed() + made.saved,
            bytes: value.bytes(),
            value: value.clone(),
        };
        self.put(slot, Some(new));
        Ok(value)
    }

    /// Drops the value of a slot.
    pub(crate) fn forget(&self, slot: &Arc<Slot>) {
        self.put(slot, None);
    }

    /// Puts a value into a slot, and drops what was used longest ago until the rest is small enough.
    fn put(&self, slot: &Arc<Slot>, value: Option<CacheValue>) {
        let mut slots = locked(&self.slots);
        // It was used just now, also if it was dropped while its value was made.
        let known = slots.by_key.put(Arc::clone(&slot.key), Arc::clone(slot));
        slots.bytes -= known.map_or(0, |known| known.bytes());
        *locked(&slot.value) = value;
        slots.bytes += slot.bytes();
        while slots.bytes > self.most
            && let Some((_, dropped)) = slots.by_key.pop_lru()
        {
            slots.bytes -= dropped.bytes();
        }
    }

    /// Gives back the place of a key that nothing was found for.
    fn leave(&self, slot: &Arc<Slot>) {
        let mut slots = locked(&self.slots);
        let known = slots.by_key.peek(&slot.key);
        let is_there = known.is_some_and(|known| Arc::ptr_eq(known, slot));
        if is_there && locked(&slot.value).is_none() {
            slots.by_key.pop(&slot.key);
            slots.bytes -= slot.bytes();
        }
    }
}

impl Slot {
    fn bytes(&self) -> usize {
        let value = locked(&self.value);
        SLOT + self.key.len() + value.as_ref().map_or(0, |value| value.bytes)
    }

    /// The value, whatever its stamp.
    pub(crate) fn found<T: Weigh>(&self, stamp: u64) -> Option<CacheHit<T>> {
        let value = locked(&self.value).clone()?;
        Some(CacheHit {
            fresh: value.stamp == Some(stamp),
            cost: value.cost,
            as_of: value.as_of,
            value: value.value.downcast().ok()?,
        })
    }

    /// Whether the caller is the one to renew it now.
    pub(crate) fn begin_renewal(&self) -> bool {
        !self.renewing.swap(true, Ordering::AcqRel)
    }

    /// It was renewed, or that failed.
    pub(crate) fn end_renewal(&self) {
        self.renewing.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    struct CachedText(&'static str, usize);

    impl Weigh for CachedText {
        fn bytes(&self) -> usize {
            self.1
        }
    }

    fn cache(most: usize) -> SiteCache {
        SiteCache::new(most, Counter::default())
    }

    #[test]
    fn a_value_is_made_once_for_each_stamp() {
        let cache = cache(100_000);
        let made = Cell::new(0);
        let get = |stamp| {
            let make = || {
                made.set(made.get() + 1);
                Ok((CachedText("a", 10), stamp))
            };
            cache.get("key", stamp, make).ok().map(|text| text.value.0)
        };
        assert_eq!([get(1), get(1), get(2), get(2)], [Some("a"); 4]);
        assert_eq!(made.get(), 2);
    }

    #[test]
    fn a_value_takes_as_long_as_all_that_it_is_made_of() {
        let cache = cache(100_000);
        let slot = cache.slot("page");
        let hour = Duration::from_secs(3_600);
        for as_of in [None, Some(5)] {
            let made = FreshValue {
                value: CachedText("a", 1),
                saved: hour,
                as_of,
            };
            assert!(cache.make(&slot, || Ok((made, 1))).is_ok());
            let found = slot.found::<CachedText>(1).unwrap();
            assert!(found.fresh == as_of.is_none() && found.cost >= hour);
            assert_eq!(found.as_of == 5, as_of.is_some());
        }
        let text = |text| move || Ok((CachedText(text, 1), 1));
        let part = cache.get("part", 1, text("b")).ok().unwrap();
        assert_eq!((part.fresh, part.cost), (false, Duration::ZERO));
        let again = cache.get("part", 1, text("c")).ok().unwrap();
        assert!(again.fresh && again.value.0 == "b");
    }

    #[test]
    fn what_was_made_of_an_older_state_than_asked_for_is_made_again() {
        let cache = cache(100_000);
        let of = |stamp, text| move || Ok((CachedText(text, 1), stamp));
        let get = |stamp, make| cache.get("key", stamp, make).ok().unwrap();
        // Its reader still sees the state before, though the stamp of the next one is known.
        assert_eq!(get(2, of(1, "old")).value.0, "old");
        let now = get(2, of(2, "new"));
        assert!(!now.fresh && now.value.0 == "new");
        assert!(get(2, of(2, "again")).fresh);
    }

    #[test]
    fn a_key_that_nothing_was_found_for_has_no_place() {
        let cache = cache(100_000);
        let absent = || Err(crate::shared::problem::Problem::not_found("absent"));
        assert!(cache.get::<CachedText>("absent", 1, absent).is_err());
        assert_eq!((cache.len(), locked(&cache.slots).bytes), (0, 0));
        // What is there stays when it cannot be made anew.
        assert!(cache.get("key", 1, || Ok((CachedText("x", 1), 1))).is_ok());
        assert!(cache.get::<CachedText>("key", 2, absent).is_err());
        assert!(cache.slot("key").found::<CachedText>(1).is_some());
    }

    #[test]
    fn however_many_values_there_are_only_their_bytes_drop_any() {
        const COUNT: usize = 60_000;
        let cache = cache(COUNT * (SLOT + 20));
        let made = Cell::new(0);
        for _ in 0..2 {
            for key in 0..COUNT {
                let make = || {
                    made.set(made.get() + 1);
                    Ok((CachedText("x", 8), 1))
                };
                assert!(cache.get(&key.to_string(), 1, make).is_ok());
            }
        }
        assert_eq!((made.get(), cache.len()), (COUNT, COUNT));
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let place = SLOT + 1 + 100;
        let cache = cache(2 * place + SLOT);
        let has = |key: &str| cache.slot(key).found::<CachedText>(1).is_some();
        for key in ["a", "b"] {
            assert!(cache.get(key, 1, || Ok((CachedText("x", 100), 1))).is_ok());
        }
        assert!(has("a"));
        assert!(cache.get("c", 1, || Ok((CachedText("x", 100), 1))).is_ok());
        assert_eq!(cache.len(), 2);
        assert_eq!([has("a"), has("c"), has("b")], [true, true, false]);
    }

    #[test]
    fn a_value_that_took_long_to_make_is_not_the_first_to_go() {
        let cache = cache(2 * (SLOT + 20));
        let slow = cache.slot("slow");
        let made = cache.make(&slow, || {
            for key in ["a", "b"] {
                assert!(cache.get(key, 1, || Ok((CachedText("x", 1), 1))).is_ok());
            }
            let value = CachedText("slow", 10);
            let made = FreshValue {
                value,
                saved: Duration::ZERO,
                as_of: None,
            };
            Ok((made, 1))
        });
        assert!(made.is_ok());
        assert!(cache.slot("slow").found::<CachedText>(1).is_some());
        assert!(cache.slot("b").found::<CachedText>(1).is_some());
        assert_eq!(cache.len(), 2);
    }
}
