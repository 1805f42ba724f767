//! The board of FLIP 4: where each number lies, whose pieces stand where, and the lines.

use serde::{Deserialize, Deserializer, Serialize};

use super::{MOST, Value};
use crate::Seat;

/// The squares of a side.
pub(super) const SIDE: usize = 5;

/// The squares of the board, in reading order.
pub(super) const SQUARES: usize = SIDE * SIDE;

/// The numbers that two dice give by adding, subtracting and multiplying.
pub const VALUES: [Value; 21] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 18, 20, 24, 25, 30, 36,
];

/// The greatest of the numbers.
const GREATEST: usize = 36;

/// The four corners.
const CORNERS: Squares = 1 << 0 | 1 << 4 | 1 << 20 | 1 << 24;

/// A set of squares: a bit each, in reading order.
pub type Squares = u32;

/// The lines of four squares: none has a corner.
pub const LINES: [Squares; 16] = lines();

const fn lines() -> [Squares; 16] {
    let mut lines = [0; 16];
    let mut count = 0;
    let mut from = 0;
    while from < SQUARES {
        let (row, column) = (from / SIDE, from % SIDE);
        let across = column + 3 < SIDE;
        let down = row + 3 < SIDE;
        let ways = [
            (across, 1),
            (down, SIDE),
            (across && down, SIDE + 1),
            (column >= 3 && down, SIDE - 1),
        ];
        let mut way = 0;
        while way < 4 {
            let (fits, step) = ways[way];
            if fits {
                let line = 1 << from
                    | 1 << (from + step)
                    | 1 << (from + 2 * step)
                    | 1 << (from + 3 * step);
                if line & CORNERS == 0 {
                    lines[count] = line;
                    count += 1;
                }
            }
            way += 1;
        }
        from += 1;
    }
    assert!(count == 16, "the rulebook's board has sixteen");
    lines
}

/// Where the numbers lie: in reading order, the corners left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Layout([Value; VALUES.len()]);

impl Layout {
    /// The page's layout: 1 in the middle, the likeliest numbers around it.
    pub const DEFAULT: Layout = Layout([
        15, 16, 12, 9, 7, 4, 8, 10, 25, 6, 1, 3, 36, 30, 2, 5, 0, 20, 18, 24, 11,
    ]);

    /// The numbers from the least to the greatest, backwards: a layout unlike the default.
    pub(super) fn reversed() -> Self {
        let mut values = VALUES;
        values.reverse();
        Layout(values)
    }

    /// The numbers in reading order, the corners left out.
    pub fn values(&self) -> &[Value; VALUES.len()] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Layout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Vec::<u32>::deserialize(deserializer)?;
        let mut sorted = values.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(VALUES.map(u32::from)) {
            return Err(serde::de::Error::custom(format!(
                "expected each of the 21 numbers {VALUES:?} once, in reading order without the corners"
            )));
        }
        let mut layout = Layout(VALUES);
        for (place, value) in layout.0.iter_mut().zip(values) {
            *place = value as Value;
        }
        Ok(layout)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Layout {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Layout".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "array",
            "items": { "type": "integer", "enum": VALUES },
            "minItems": VALUES.len(),
            "maxItems": VALUES.len(),
        })
    }
}

/// The pieces on the board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    /// By seat, the squares of its pieces.
    of: [Squares; MOST],
    /// By number, its square.
    square: [u8; GREATEST + 1],
    /// By square, its number; corners have none.
    value: [Option<Value>; SQUARES],
}

/// The squares that are no corners, in reading order.
fn numbered() -> impl Iterator<Item = usize> {
    (0..SQUARES).filter(|&square| CORNERS >> square & 1 == 0)
}

/// The squares next to a square, in all eight directions.
fn around(square: usize) -> impl Iterator<Item = usize> {
    let (row, column) = (square / SIDE, square % SIDE);
    (0..SQUARES).filter(move |&other| {
        other != square && (other / SIDE).abs_diff(row) <= 1 && (other % SIDE).abs_diff(column) <= 1
    })
}

impl Board {
    pub(super) fn new(layout: &Layout) -> Self {
        let mut board = Board {
            of: [0; MOST],
            square: [0; GREATEST + 1],
            value: [None; SQUARES],
        };
        for (square, &value) in numbered().zip(layout.values()) {
            board.square[usize::from(value)] = square as u8;
            board.value[square] = Some(value);
        }
        board
    }

    fn square(&self, value: Value) -> usize {
        self.square[usize::from(value)].into()
    }

    /// The squares of a seat's pieces, a bit each.
    pub(super) fn of(&self, seat: Seat) -> Squares {
        self.of[usize::from(seat)]
    }

    /// Whose piece is on a square, by its place in reading order.
    pub(super) fn on_square(&self, square: usize) -> Option<Seat> {
        let seat = self.of.iter().position(|of| of >> square & 1 == 1);
        seat.map(|seat| seat as Seat)
    }

    /// Whose piece is on a number.
    pub(super) fn owner(&self, value: Value) -> Option<Seat> {
        self.on_square(self.square(value))
    }

    pub(super) fn is_open(&self, value: Value) -> bool {
        self.owner(value).is_none()
    }

    /// The numbers on which a seat has pieces.
    pub(super) fn values_of(&self, seat: Seat) -> impl Iterator<Item = Value> + '_ {
        let of = self.of(seat);
        (0..SQUARES)
            .filter(move |square| of >> square & 1 == 1)
            .filter_map(|square| self.value[square])
    }

    pub(super) fn are_neighbours(&self, one: Value, other: Value) -> bool {
        let other = self.square(other);
        around(self.square(one)).any(|square| square == other)
    }

    /// The numbers next to a number.
    pub(super) fn neighbours(&self, value: Value) -> impl Iterator<Item = Value> + '_ {
        around(self.square(value)).filter_map(|square| self.value[square])
    }

    pub(super) fn touches_corner(&self, value: Value) -> bool {
        around(self.square(value)).any(|square| CORNERS >> square & 1 == 1)
    }

    /// Whether a seat's pieces make a line; it has as many as a line has.
    pub(super) fn has_line(&self, seat: Seat) -> bool {
        LINES.contains(&self.of(seat))
    }

    /// Puts a piece on an open square, by its number.
    pub(super) fn place(&mut self, seat: Seat, value: Value) {
        self.put(seat, self.square(value));
    }

    /// Puts a piece on a square, by its place in reading order.
    pub(super) fn put(&mut self, seat: Seat, square: usize) {
        self.of[usize::from(seat)] |= 1 << square;
    }

    /// What stands on two numbers changes places.
    pub(super) fn flip(&mut self, one: Value, other: Value) {
        let (one, other) = (self.square(one), self.square(other));
        for of in &mut self.of {
            let differ = (*of >> one ^ *of >> other) & 1;
            *of ^= differ << one | differ << other;
        }
    }

    /// The number of a square; none for a corner.
    pub(super) fn value(&self, square: usize) -> Option<Value> {
        self.value[square]
    }
}
