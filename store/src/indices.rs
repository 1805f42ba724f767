//! A set of indices of a schedule, small however long the schedule is: what has been played is one
//! long range and a few holes.

use std::ops::Range;

/// A set of indices of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Indices {
    /// Ascending; between two ranges at least one index is missing.
    ranges: Vec<Range<u64>>,
}

impl Indices {
    /// Whether an index is in the set.
    pub fn contains(&self, index: u64) -> bool {
        let after = self.ranges.partition_point(|range| range.start <= index);
        after > 0 && index < self.ranges[after - 1].end
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.ranges.iter().cloned().flatten()
    }

    /// How many indices there are.
    pub fn len(&self) -> u64 {
        self.ranges
            .iter()
            .map(|range| range.end - range.start)
            .sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The greatest of them.
    pub fn last(&self) -> Option<u64> {
        self.ranges.last().map(|range| range.end - 1)
    }

    /// The indices below `total` that are not in the set, ascending.
    pub fn missing(&self, total: u64) -> impl Iterator<Item = u64> + Send + use<> {
        let mut holes = Vec::with_capacity(self.ranges.len() + 1);
        let mut from = 0;
        for range in self.ranges.iter().take_while(|range| range.start < total) {
            holes.push(from..range.start);
            from = range.end;
        }
        holes.push(from..total.max(from));
        holes.into_iter().flatten()
    }
}

impl FromIterator<u64> for Indices {
    /// In any order: in a damaged journal they may not ascend, or come twice.
    fn from_iter<I: IntoIterator<Item = u64>>(indices: I) -> Self {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        let mut strays = Vec::new();
        for index in indices {
            match ranges.last_mut() {
                Some(last) if index == last.end => last.end += 1,
                Some(last) if index < last.end => strays.push(index),
                _ => ranges.push(index..index + 1),
            }
        }
        if !strays.is_empty() {
            let mut all: Vec<u64> = ranges.into_iter().flatten().chain(strays).collect();
            all.sort_unstable();
            all.dedup();
            return all.into_iter().collect();
        }
        Indices { ranges }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_set_holds_what_was_put_in_and_misses_the_rest(set in prop::collection::btree_set(0u64..60, 0..60), total in 0u64..70) {
            let indices: Indices = set.iter().copied().collect();
            prop_assert_eq!(indices.len(), set.len() as u64);
            prop_assert_eq!(indices.is_empty(), set.is_empty());
            prop_assert_eq!(indices.last(), set.last().copied());
            for index in 0..70 {
                prop_assert_eq!(indices.contains(index), set.contains(&index));
            }
            let missing: Vec<u64> = indices.missing(total).collect();
            let all: BTreeSet<u64> = (0..total).collect();
            prop_assert_eq!(missing, all.difference(&set).copied().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_million_indices_in_a_row_are_one_range() {
        let indices: Indices = (0..1_000_000).collect();
        assert_eq!(indices.ranges.len(), 1);
        assert_eq!(indices.missing(1_000_001).collect::<Vec<_>>(), [1_000_000]);
    }
}
