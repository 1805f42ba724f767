//! When the search for a move ends.

use std::time::{Duration, Instant};

/// When the search for a move ends: at the first limit that is reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchLimits {
    /// The depth in plies.
    pub depth: Option<u32>,
    /// The number of moves tried in the search.
    pub nodes: Option<u32>,
    /// The milliseconds. Not for modules, which have no clock.
    pub ms: Option<u32>,
}

impl SearchLimits {
    pub(super) fn depth(&self) -> i32 {
        self.depth.map_or(i32::MAX, |depth| depth as i32)
    }

    pub(super) fn nodes(&self) -> u64 {
        self.nodes.map_or(u64::MAX, u64::from)
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.ms
            .map(|ms| Instant::now() + Duration::from_millis(ms.into()))
    }

    /// Returns the size of the table of positions, as a power of two. An entry has 24 bytes.
    pub(super) fn table_bits(&self) -> u32 {
        const BITS: std::ops::RangeInclusive<u32> = 12..=20;
        let entries = self.nodes().min(1 << BITS.end()).next_power_of_two();
        entries.ilog2().clamp(*BITS.start(), *BITS.end())
    }
}
