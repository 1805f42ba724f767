//! The positions of a match, for the rule of repetition.

/// The positions since the last irreversible action, each as a number.
///
/// A linear scan compares them. Most positions occur for the first time, and a Bloom filter tells that without a scan.
#[derive(Debug, Default)]
pub struct History {
    positions: Vec<u128>,
    /// A bit for each of them, at a place that follows from the position.
    seen: [u64; FILTER],
    /// How often the last position has occurred.
    repetitions: usize,
}

/// The words of the filter. With 100 positions, one new position in ten is looked for in vain.
const FILTER: usize = 16;

impl History {
    /// Removes all positions. After an irreversible action none of them can recur.
    pub fn forget(&mut self) {
        self.positions.clear();
        self.seen = [0; FILTER];
        self.repetitions = 0;
    }

    /// Adds a position and returns how often it has occurred.
    pub fn push(&mut self, position: u128) -> usize {
        let (word, bit) = place(position);
        self.repetitions = 1;
        if self.seen[word] & bit != 0 {
            let before = self.positions.iter().filter(|&&seen| seen == position);
            self.repetitions += before.count();
        }
        self.seen[word] |= bit;
        self.positions.push(position);
        self.repetitions
    }

    /// Returns how often the last position has occurred.
    pub fn repetitions(&self) -> usize {
        self.repetitions
    }
}

/// Where the bit of a position is: a word, and the bit in it.
fn place(position: u128) -> (usize, u64) {
    // Fibonacci hashing: the upper bits of a product depend on all bits of the factor.
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let folded = (position as u64).wrapping_mul(GOLDEN) ^ (position >> 64) as u64;
    let hash = folded.wrapping_mul(GOLDEN) >> (u64::BITS - (FILTER * 64).ilog2());
    (hash as usize / 64, 1 << (hash % 64))
}

/// Written by hand so that `clone_from` reuses the allocation.
impl Clone for History {
    fn clone(&self) -> Self {
        History {
            positions: self.positions.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.positions.clone_from(&source.positions);
        self.seen = source.seen;
        self.repetitions = source.repetitions;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_counted_as_often_as_it_occurs() {
        let mut history = History::default();
        assert_eq!(history.repetitions(), 0);
        assert_eq!(
            [7, 8, 7, 9, 7].map(|position| history.push(position)),
            [1, 1, 2, 1, 3]
        );
        assert_eq!(history.repetitions(), 3);
        history.forget();
        assert_eq!(history.repetitions(), 0);
        assert_eq!(history.push(7), 1);
    }

    #[test]
    fn positions_that_share_a_place_are_told_apart() {
        let mut history = History::default();
        for round in 1..=3 {
            for position in 0..1_000_u128 {
                let position = position << (position % 100);
                let known = history.positions.iter().filter(|&&seen| seen == position);
                let due = known.count() + 1;
                assert_eq!(history.push(position), due, "{position} in round {round}");
            }
        }
        assert_eq!(history.clone().push(0), history.push(0));
    }

    #[test]
    fn copying_over_a_history_allocates_nothing_where_there_is_room() {
        let mut source = History::default();
        source.push(1);
        let mut copy = History {
            positions: Vec::with_capacity(50),
            ..History::default()
        };
        let place = copy.positions.as_ptr();
        copy.clone_from(&source);
        assert_eq!(copy.positions, source.positions);
        assert_eq!(
            (copy.positions.as_ptr(), copy.positions.capacity()),
            (place, 50)
        );
    }
}
