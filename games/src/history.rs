//! The positions of a match, for the rule of repetition.

/// The positions since the last irreversible action, each as a number.
///
/// A linear scan compares them. At the default limits of the games it costs far less than the rest
/// of a ply.
#[derive(Debug, Default)]
pub struct History {
    positions: Vec<u128>,
    /// How often the last position has occurred.
    repetitions: usize,
}

impl History {
    /// Removes all positions. After an irreversible action none of them can recur.
    pub fn forget(&mut self) {
        self.positions.clear();
        self.repetitions = 0;
    }

    /// Adds a position and returns how often it has occurred.
    pub fn push(&mut self, position: u128) -> usize {
        let before = self.positions.iter().filter(|&&seen| seen == position);
        self.repetitions = before.count() + 1;
        self.positions.push(position);
        self.repetitions
    }

    /// Returns how often the last position has occurred.
    pub fn repetitions(&self) -> usize {
        self.repetitions
    }
}

/// Written by hand so that `clone_from` reuses the allocation.
impl Clone for History {
    fn clone(&self) -> Self {
        History {
            positions: self.positions.clone(),
            repetitions: self.repetitions,
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.positions.clone_from(&source.positions);
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
