//! A set of indices as ranges: results land nearly in the order of their indices, so there are few.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Indices of matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges {
    /// The last index of each range by its first one; ranges do not touch.
    last: BTreeMap<u64, u64>,
}

impl Ranges {
    pub(super) fn contains(&self, index: u64) -> bool {
        let before = self.last.range(..=index).next_back();
        before.is_some_and(|(_, last)| index <= *last)
    }

    pub(super) fn insert(&mut self, index: u64) {
        if self.contains(index) {
            return;
        }
        let before = self.last.range(..index).next_back();
        let first = match before {
            Some((first, last)) if last + 1 == index => *first,
            _ => index,
        };
        let after = index
            .checked_add(1)
            .and_then(|next| self.last.remove(&next));
        self.last.insert(first, after.unwrap_or(index));
    }

    /// Inserts all indices below this one.
    pub(super) fn insert_below(&mut self, end: u64) {
        let Some(end) = end.checked_sub(1) else {
            return;
        };
        let above = self.last.range(..=end).next_back().map(|(_, last)| *last);
        let mut rest = self.last.split_off(&(end + 1));
        let mut last = above.map_or(end, |above| above.max(end));
        if let Some(touching) = rest.remove(&(last + 1)) {
            last = touching;
        }
        self.last = rest;
        self.last.insert(0, last);
    }

    /// The lowest index that is not in the set.
    pub(super) fn lowest_missing(&self) -> u64 {
        self.last.get(&0).map_or(0, |last| last + 1)
    }
}

impl FromIterator<u64> for Ranges {
    fn from_iter<I: IntoIterator<Item = u64>>(indices: I) -> Self {
        let mut ranges = Ranges::default();
        indices.into_iter().for_each(|index| ranges.insert(index));
        ranges
    }
}

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (first, last)) in self.last.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{first}-{last}")?;
        }
        Ok(())
    }
}

/// A stored text is none of a set.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no range of matches")]
pub(super) struct BadRange(String);

impl FromStr for Ranges {
    type Err = BadRange;

    fn from_str(text: &str) -> Result<Self, BadRange> {
        let mut ranges = Ranges::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let bad = || BadRange(part.to_owned());
            let (first, last) = part.split_once('-').ok_or_else(bad)?;
            let (first, last) = (first.parse(), last.parse());
            let (Ok(first), Ok(last)) = (first, last) else {
                return Err(bad());
            };
            ranges.last.insert(first, last);
        }
        Ok(ranges)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_are_a_set_whose_text_can_be_read(
            all in proptest::collection::vec(0_u64..60, 0..80),
            below in 0_u64..40,
        ) {
            let mut ranges: Ranges = all.iter().copied().collect();
            let mut set: BTreeSet<u64> = all.iter().copied().collect();
            for round in 0..2 {
                if round == 1 {
                    ranges.insert_below(below);
                    set.extend(0..below);
                }
                for index in 0..62 {
                    prop_assert_eq!(ranges.contains(index), set.contains(&index), "{}", index);
                }
                let missing = (0..).find(|index| !set.contains(index));
                prop_assert_eq!(Some(ranges.lowest_missing()), missing);
                let read: Ranges = ranges.to_string().parse().unwrap();
                prop_assert_eq!(&read, &ranges);
                let whole: Ranges = set.iter().copied().collect();
                prop_assert_eq!(&whole, &ranges, "ranges do not touch");
            }
        }
    }
}
