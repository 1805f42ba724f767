//! The two dice, the 21 numbers they can give, and where the board has them.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::board::{Square, Squares};
use crate::json::inline_schema;

/// The squares of a side of the board.
pub(super) const SIDE: usize = 5;

/// The highest number on a die.
pub(super) const HIGHEST: u8 = 6;

/// What two dice can give by adding, subtracting and multiplying, ascending.
const NUMBERS: [u8; 21] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 18, 20, 24, 25, 30, 36,
];

/// The same in the byte order of their texts.
const BY_TEXT: [u8; 21] = [
    0, 1, 10, 11, 12, 15, 16, 18, 2, 20, 24, 25, 3, 30, 36, 4, 5, 6, 7, 8, 9,
];

/// The squares without a number.
pub(super) const CORNERS: Squares<SIDE> =
    Squares::drawn(["C...C", ".....", ".....", ".....", "C...C"], b'C');

/// A number of the board: one of the 21 that two dice can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Number(u8);

/// What both dice show, in the order in which they were drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Roll([u8; 2]);

/// Where the numbers are: an order of all 21, row by row from the top, without the corners.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// By square in reading order; nothing on the corners.
    numbers: [Option<Number>; SIDE * SIDE],
    /// By number; of no meaning for what is none.
    squares: [Square<SIDE>; 37],
}

impl Number {
    /// The number, if two dice can give it.
    pub(super) fn new(number: u8) -> Option<Self> {
        NUMBERS.contains(&number).then_some(Number(number))
    }

    /// Reads a number as it is written: digits, without leading zeros.
    pub(super) fn read(text: &str) -> Option<Self> {
        let number = match *text.as_bytes() {
            [one @ b'0'..=b'9'] => one - b'0',
            [ten @ b'1'..=b'9', one @ b'0'..=b'9'] => 10 * (ten - b'0') + one - b'0',
            _ => return None,
        };
        Number::new(number)
    }

    /// The number as such.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u8::deserialize(deserializer)?;
        Number::new(number).ok_or_else(|| D::Error::custom("two dice cannot give this number"))
    }
}

impl Roll {
    /// The roll, if dice can show it.
    pub(super) fn new(dice: [u8; 2]) -> Option<Self> {
        let shown = |die| (1..=HIGHEST).contains(die);
        dice.iter().all(shown).then_some(Roll(dice))
    }

    /// What each die shows.
    pub const fn dice(self) -> [u8; 2] {
        self.0
    }

    /// Sum, difference and product; some may be equal.
    pub fn results(self) -> [Number; 3] {
        let [a, b] = self.0;
        [a + b, a.abs_diff(b), a * b].map(Number)
    }

    pub(super) const fn is_double(self) -> bool {
        self.0[0] == self.0[1]
    }
}

impl<'de> Deserialize<'de> for Roll {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dice = <[u8; 2]>::deserialize(deserializer)?;
        Roll::new(dice)
            .ok_or_else(|| D::Error::custom(format!("a die shows 1 to {HIGHEST}, not {dice:?}")))
    }
}

impl Layout {
    /// The layout with the numbers in this reading order, if they are all there.
    pub(super) fn new(order: [u8; NUMBERS.len()]) -> Option<Self> {
        let mut sorted = order;
        sorted.sort_unstable();
        if sorted != NUMBERS {
            return None;
        }
        let mut layout = Layout {
            numbers: [None; SIDE * SIDE],
            squares: [square(0); 37],
        };
        let places = (0..SIDE * SIDE).filter(|&place| !CORNERS.has(square(place)));
        for (place, number) in places.zip(order) {
            layout.numbers[place] = Some(Number(number));
            layout.squares[usize::from(number)] = square(place);
        }
        Some(layout)
    }

    /// The numbers on some squares, in the byte order of their texts.
    pub(super) fn numbers(&self, on: Squares<SIDE>) -> impl Iterator<Item = Number> {
        let numbers = BY_TEXT.into_iter().map(Number);
        numbers.filter(move |&number| on.has(self.square(number)))
    }

    /// The square with a number.
    pub(super) fn square(&self, number: Number) -> Square<SIDE> {
        self.squares[usize::from(number.0)]
    }

    /// The squares with the results of a roll.
    pub(super) fn squares(&self, roll: Roll) -> Squares<SIDE> {
        let results = roll.results().into_iter();
        results.map(|number| self.square(number)).collect()
    }

    /// Row by row from the top, nothing on the corners.
    pub(super) fn rows(&self) -> [[Option<Number>; SIDE]; SIDE] {
        let mut rows = [[None; SIDE]; SIDE];
        for (place, &number) in self.numbers.iter().enumerate() {
            rows[place / SIDE][place % SIDE] = number;
        }
        rows
    }

    fn order(&self) -> impl Iterator<Item = Number> {
        self.numbers.iter().flatten().copied()
    }
}

/// The square at a place in reading order.
pub(super) fn square(place: usize) -> Square<SIDE> {
    let (file, rank) = (place % SIDE, SIDE - 1 - place / SIDE);
    Square::at(file as i8, rank as i8).expect("the place is on the board")
}

impl Default for Layout {
    /// The centre is 1, the nine likeliest numbers are in the middle, and the edge makes the
    /// sixteen lines about equally likely.
    fn default() -> Self {
        #[rustfmt::skip]
        let order = [
                15, 16, 12,
             9,  7,  4,  8, 10,
            25,  6,  1,  3, 36,
            30,  2,  5,  0, 20,
                18, 24, 11,
        ];
        Layout::new(order).expect("all numbers are there")
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.order()).finish()
    }
}

impl Serialize for Layout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.order())
    }
}

impl<'de> Deserialize<'de> for Layout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const WANTED: &str = "a list of the numbers 0 to 12, 15, 16, 18, 20, 24, 25, 30 and 36 \
                              in any order, each once";
        struct DiceOrder;
        impl<'de> Visitor<'de> for DiceOrder {
            type Value = Layout;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(WANTED)
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut numbers: A,
            ) -> Result<Layout, A::Error> {
                let wrong = || A::Error::invalid_value(Unexpected::Seq, &self);
                let mut order = [0; NUMBERS.len()];
                for number in &mut order {
                    let next: Option<serde_json::Value> = numbers.next_element()?;
                    let next = next.as_ref().and_then(serde_json::Value::as_u64);
                    *number = next.and_then(|it| it.try_into().ok()).ok_or_else(wrong)?;
                }
                match numbers.next_element::<serde::de::IgnoredAny>()? {
                    None => Layout::new(order).ok_or_else(wrong),
                    Some(_) => Err(wrong()),
                }
            }
        }
        deserializer.deserialize_seq(DiceOrder)
    }
}

inline_schema!(
    Number,
    schemars::json_schema!({ "type": "integer", "enum": NUMBERS })
);

inline_schema!(
    Layout,
    schemars::json_schema!({
        "type": "array",
        "items": { "type": "integer", "enum": NUMBERS },
        "minItems": NUMBERS.len(),
        "maxItems": NUMBERS.len(),
        "uniqueItems": true
    })
);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Roll {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Roll".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "What both dice show.",
            "type": "array",
            "items": { "type": "integer", "minimum": 1, "maximum": HIGHEST },
            "minItems": 2,
            "maxItems": 2
        })
    }
}
