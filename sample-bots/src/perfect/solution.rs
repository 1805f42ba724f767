//! Retrograde analysis: from the ends of all matches back to the start.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::alphabeta::flipflop::FlipFlopPosition;
use crate::alphabeta::position::{GameEnd, PositionKey, SearchPosition};

/// A position of the game that is solved.
pub(crate) type Position3 = FlipFlopPosition<3>;

/// What a position is worth for the seat to move, by the rules without repetition and limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PositionValue {
    /// Neither side can force an end.
    Open,
    /// It wins in this many plies.
    Won(u16),
    /// It loses in this many plies.
    Lost(u16),
}

/// The values of all positions that play can reach from one.
pub(crate) struct Solution {
    numbers: HashMap<PositionKey, u32, BuildHasherDefault<KeyHasher>>,
    values: Vec<PositionValue>,
}

/// A fast hash of keys, which nobody chooses to harm it.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        self.0 = (self.0.rotate_left(31) ^ number).wrapping_mul(ODD);
        self.0 ^= self.0 >> 29;
    }
}

/// The moves between positions, by number.
#[derive(Default)]
struct Graph {
    /// From and to, for each move that does not end the match.
    moves: Vec<(u32, u32)>,
    /// By position, how many of its moves do not lose at once.
    good: Vec<u32>,
    /// The positions with a move that wins at once.
    wins: Vec<u32>,
}

impl Solution {
    /// Solves the game from its start.
    pub(crate) fn of_the_game() -> Self {
        let rows = ["rrr", "...", "RRR"].map(String::from);
        let start = Position3::read(&rows, [0; 2], 0).expect("the start is a position");
        Solution::from(&start)
    }

    /// Solves everything that play can reach from a position.
    pub(crate) fn from(root: &Position3) -> Self {
        let mut solution = Solution {
            numbers: HashMap::default(),
            values: Vec::new(),
        };
        let graph = solution.explore(root);
        solution.solve(&graph);
        solution
    }

    pub(crate) fn value(&self, position: &Position3) -> Option<PositionValue> {
        let number = self.numbers.get(&position.key())?;
        Some(self.values[*number as usize])
    }

    /// Counts the positions that are won, lost and open for the seat to move.
    #[cfg(test)]
    pub(crate) fn counts(&self) -> [usize; 3] {
        let count =
            |wanted: fn(&PositionValue) -> bool| self.values.iter().filter(|it| wanted(it)).count();
        [
            count(|value| matches!(value, PositionValue::Won(_))),
            count(|value| matches!(value, PositionValue::Lost(_))),
            count(|value| matches!(value, PositionValue::Open)),
        ]
    }

    /// Numbers all positions, and notes the moves between them.
    fn explore(&mut self, root: &Position3) -> Graph {
        let mut graph = Graph::default();
        let mut found = vec![*root];
        self.numbers.insert(root.key(), 0);
        let mut at = 0;
        while let Some(&position) = found.get(at) {
            let (mut good, mut wins) = (0, false);
            position.moves(|action, _| match position.play(action) {
                (_, GameEnd::Won) => wins = true,
                (_, GameEnd::Lost) => {}
                (next, GameEnd::Open) => {
                    let count = found.len() as u32;
                    let number = *self.numbers.entry(next.key()).or_insert(count);
                    if number == count {
                        found.push(next);
                    }
                    graph.moves.push((at as u32, number));
                    good += 1;
                }
            });
            graph.good.push(good);
            if wins {
                graph.wins.push(at as u32);
            }
            at += 1;
        }
        graph
    }

    /// Values all positions, those nearest to an end first.
    fn solve(&mut self, graph: &Graph) {
        let count = graph.good.len();
        let before = Predecessors::new(count, &graph.moves);
        self.values = vec![PositionValue::Open; count];
        let mut undecided = graph.good.clone();
        let mut newest = Vec::new();
        for &won in &graph.wins {
            self.values[won as usize] = PositionValue::Won(1);
            newest.push(won);
        }
        for (at, value) in self.values.iter_mut().enumerate() {
            if *value == PositionValue::Open && undecided[at] == 0 {
                *value = PositionValue::Lost(1);
                newest.push(at as u32);
            }
        }
        let mut plies = 1;
        while !newest.is_empty() {
            plies += 1;
            let mut next = Vec::new();
            for &decided in &newest {
                let is_lost = matches!(self.values[decided as usize], PositionValue::Lost(_));
                for &earlier in before.of(decided) {
                    let value = &mut self.values[earlier as usize];
                    undecided[earlier as usize] -= 1;
                    if *value != PositionValue::Open {
                        continue;
                    }
                    if is_lost {
                        *value = PositionValue::Won(plies);
                    } else if undecided[earlier as usize] == 0 {
                        *value = PositionValue::Lost(plies);
                    } else {
                        continue;
                    }
                    next.push(earlier);
                }
            }
            newest = next;
        }
    }
}

/// By position, the positions from which a move leads to it.
struct Predecessors {
    starts: Vec<u32>,
    from: Vec<u32>,
}

impl Predecessors {
    fn new(count: usize, moves: &[(u32, u32)]) -> Self {
        let mut starts = vec![0; count + 1];
        for &(_, to) in moves {
            starts[to as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut free = starts.clone();
        let mut from = vec![0; moves.len()];
        for &(earlier, to) in moves {
            let place = &mut free[to as usize];
            from[*place as usize] = earlier;
            *place += 1;
        }
        Predecessors { starts, from }
    }

    fn of(&self, position: u32) -> &[u32] {
        let [start, end] = [position, position + 1].map(|at| self.starts[at as usize] as usize);
        &self.from[start..end]
    }
}
