//! What the search remembers about positions. Keys are compared whole, so that no position is taken
//! for another.

use super::position::{Move, PositionKey};

/// What a remembered score says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// Nothing: only the move is of use.
    None,
    Exact,
    /// It is at least the score.
    Lower,
    /// It is at most the score.
    Upper,
}

/// What is remembered about a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableEntry {
    key: PositionKey,
    /// See [`Search`](super::search::Search): 0, or the number of plies left in the match.
    left: u8,
    /// The search in which it was written, of the last 256.
    age: u8,
    pub(super) depth: i8,
    pub(super) bound: Bound,
    pub(super) score: i16,
    pub(super) best: Move,
}

const EMPTY: TableEntry = TableEntry {
    key: PositionKey(0, 0),
    left: 0,
    age: 0,
    depth: -1,
    bound: Bound::None,
    score: 0,
    best: Move::NONE,
};

/// Places that a key may take.
const WAYS: usize = 2;

pub(super) struct TranspositionTable {
    entries: Vec<TableEntry>,
    /// The number of bits of a place.
    bits: u32,
    age: u8,
}

impl TranspositionTable {
    /// Returns a table with `2^bits` entries.
    pub(super) fn new(bits: u32) -> Self {
        TranspositionTable {
            entries: vec![EMPTY; 1 << bits],
            bits,
            age: 0,
        }
    }

    /// Prepares for the next search: entries of earlier ones give way first.
    pub(super) fn grow_older(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    pub(super) fn clear(&mut self) {
        self.entries.fill(EMPTY);
    }

    /// Returns the first of the places of a key.
    fn place(&self, key: PositionKey, left: u8) -> usize {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let more = u64::from(key.1) << 8 | u64::from(left);
        let mixed = (key.0.wrapping_mul(ODD).rotate_left(29) ^ more).wrapping_mul(ODD);
        (mixed >> (64 - self.bits)) as usize & !(WAYS - 1)
    }

    pub(super) fn get(&self, key: PositionKey, left: u8) -> Option<TableEntry> {
        let place = self.place(key, left);
        let ways = &self.entries[place..place + WAYS];
        let found = ways
            .iter()
            .find(|entry| entry.key == key && entry.left == left && entry.depth >= 0);
        found.copied()
    }

    pub(super) fn put(
        &mut self,
        (key, left): (PositionKey, u8),
        depth: i32,
        (bound, score): (Bound, i32),
        best: Move,
    ) {
        let place = self.place(key, left);
        let age = self.age;
        let ways = &mut self.entries[place..place + WAYS];
        let same = |entry: &TableEntry| entry.key == key && entry.left == left && entry.depth >= 0;
        let way = ways.iter().position(same).unwrap_or_else(|| {
            let worth = |entry: &TableEntry| (entry.age == age, entry.depth);
            usize::from(worth(&ways[1]) < worth(&ways[0]))
        });
        let entry = &mut ways[way];
        let best = if best == Move::NONE && same(entry) {
            entry.best
        } else {
            best
        };
        *entry = TableEntry {
            key,
            left,
            age,
            depth: depth as i8,
            bound,
            score: score as i16,
            best,
        };
    }
}
