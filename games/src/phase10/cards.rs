//! The cards of Phase 10 Flip: faces, what a star stands for, and what the deck is made of.

use std::fmt;

use rand_core::Rng;
use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Malformed;
use crate::chance::shuffle;
use crate::course::{malformed, quoted};

/// The cards of the deck, each with two faces.
pub(super) const CARDS: usize = 104;

/// The highest number.
pub const HIGHEST: u8 = 12;

/// The number cards of a colour on the colour side: two of each number.
const NUMBERS_OF_COLOUR: usize = 2 * HIGHEST as usize;

/// The stars of a colour on the colour side.
const STARS_OF_COLOUR: usize = 2;

/// On the wild side, how many there are of each number, and of stars.
const WILD_OF_EACH: usize = 8;

/// The colours, or none on the wild side; in order.
const SUITS: [u8; 5] = *b"rygbw";

/// The suit of the wild side.
pub const WILD: u8 = 4;

/// In a face's code a star comes after all numbers.
const STAR: u8 = HIGHEST + 1;

/// A side of the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Each card has a colour.
    Colour,
    /// No card has a colour.
    Wild,
}

impl Side {
    pub(super) fn other(self) -> Side {
        match self {
            Side::Colour => Side::Wild,
            Side::Wild => Side::Colour,
        }
    }
}

/// One face of a card. The order is that of a hand: by number, stars last; then red, yellow,
/// green, blue, wild; then those without a flip symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Face(u8);

impl Face {
    pub(super) const fn number_card(suit: u8, number: u8, flips: bool) -> Self {
        Face(number << 4 | suit << 1 | flips as u8)
    }

    pub(super) const fn star(suit: u8) -> Self {
        Face(STAR << 4 | suit << 1)
    }

    /// 0 to 3 are red, yellow, green and blue, 4 is wild.
    pub fn suit(self) -> u8 {
        self.0 >> 1 & 7
    }

    /// The number; none for a star.
    pub fn number(self) -> Option<u8> {
        match self.0 >> 4 {
            STAR => None,
            number => Some(number),
        }
    }

    /// Whether it stands for any number.
    pub fn is_star(self) -> bool {
        self.number().is_none()
    }

    pub(super) fn flips(self) -> bool {
        self.0 & 1 == 1
    }

    /// The same without its flip symbol.
    pub(super) fn plain(self) -> Face {
        Face(self.0 & !1)
    }

    /// The same with a flip symbol.
    fn flipping(self) -> Face {
        Face(self.0 | 1)
    }

    /// The side of the card that it is.
    pub fn side(self) -> Side {
        if self.suit() == WILD {
            Side::Wild
        } else {
            Side::Colour
        }
    }

    /// What it counts in a hand when the round ends.
    pub fn points(self) -> u32 {
        match self.number() {
            Some(1..=9) => 5,
            Some(_) => 10,
            None => 20,
        }
    }

    /// Reads a face: `r7`, `w12^`, `b*`.
    pub(super) fn read(text: &str) -> Option<Face> {
        let (&letter, rest) = text.as_bytes().split_first()?;
        let suit = SUITS.iter().position(|&suit| suit == letter)? as u8;
        let (number, flips) = match rest {
            b"*" => return Some(Face::star(suit)),
            [number @ .., b'^'] => (number, true),
            number => (number, false),
        };
        Some(Face::number_card(suit, read_number(number)?, flips))
    }
}

/// Reads a number from 1 to 12 without leading zeros.
pub(super) fn read_number(text: &[u8]) -> Option<u8> {
    match *text {
        [digit @ b'1'..=b'9'] => Some(digit - b'0'),
        [b'1', digit @ b'0'..=b'2'] => Some(10 + digit - b'0'),
        _ => None,
    }
}

impl std::str::FromStr for Face {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        Face::read(text)
            .ok_or_else(|| malformed(format!("{} is no face like r7, w12^ or b*", quoted(text))))
    }
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = char::from(SUITS[usize::from(self.suit())]);
        match self.number() {
            None => write!(f, "{letter}*"),
            Some(number) => write!(f, "{letter}{number}{}", if self.flips() { "^" } else { "" }),
        }
    }
}

impl fmt::Debug for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Face {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Face {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Face::read(&text).ok_or_else(|| {
            D::Error::invalid_value(Unexpected::Str(&text), &"a face like r7, w12^ or b*")
        })
    }
}

/// A face as it lies in a group: a star stands for a number. The order is that of a group: by
/// number, then by colour, then number cards before stars, then those without a flip symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Laid {
    pub(super) face: Face,
    pub(super) number: u8,
}

impl Laid {
    /// A card that stands for a number; none if it shows another.
    pub(super) fn new(face: Face, number: u8) -> Option<Laid> {
        let fits = face.number().is_none_or(|own| own == number);
        (fits && (1..=HIGHEST).contains(&number)).then_some(Laid { face, number })
    }

    fn key(self) -> (u8, u8, bool, bool) {
        let Laid { face, number } = self;
        (number, face.suit(), face.is_star(), face.flips())
    }

    /// Reads a card of a group: `r7`, `b*=5`.
    pub(super) fn read(text: &str) -> Option<Laid> {
        match text.split_once('=') {
            Some((star, number)) => {
                let face = Face::read(star).filter(|face| face.is_star())?;
                Laid::new(face, read_number(number.as_bytes())?)
            }
            None => {
                let face = Face::read(text)?;
                Laid::new(face, face.number()?)
            }
        }
    }
}

impl Ord for Laid {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Laid {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Laid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.face.is_star() {
            true => write!(f, "{}={}", self.face, self.number),
            false => write!(f, "{}", self.face),
        }
    }
}

impl fmt::Debug for Laid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Laid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Laid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Laid::read(&text).ok_or_else(|| {
            D::Error::invalid_value(Unexpected::Str(&text), &"a card like r7, w12^ or b*=5")
        })
    }
}

#[cfg(feature = "schema")]
macro_rules! schema_by_pattern {
    ($type:ty, $name:literal, $pattern:literal) => {
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "pattern": $pattern })
            }
        }
    };
}

#[cfg(feature = "schema")]
schema_by_pattern!(Face, "Face", r"^[rygbw](?:(?:[1-9]|1[0-2])\^?|\*)$");
#[cfg(feature = "schema")]
schema_by_pattern!(
    Laid,
    "Laid",
    r"^[rygbw](?:(?:[1-9]|1[0-2])\^?|\*=(?:[1-9]|1[0-2]))$"
);

/// A card: its colour face and its wild face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Card(pub(super) Face, pub(super) Face);

impl Card {
    pub(super) fn face(self, side: Side) -> Face {
        match side {
            Side::Colour => self.0,
            Side::Wild => self.1,
        }
    }

    /// Whether both faces are stars: no card is so.
    pub(super) fn is_star_twice(self) -> bool {
        self.0.is_star() && self.1.is_star()
    }
}

/// The faces of one side that are left to be dealt out: how many of each, and how many of them
/// get a flip symbol.
#[derive(Clone, Debug)]
pub(super) struct Stock {
    /// By the code of the face without its symbol.
    left: [u8; 256],
    /// Symbols left by suit.
    flips: [u8; SUITS.len()],
}

impl Stock {
    /// All faces of a side.
    pub(super) fn new(side: Side, flips_each_side: u32) -> Self {
        let mut stock = Stock {
            left: [0; 256],
            flips: [0; SUITS.len()],
        };
        let (suits, numbers, stars, flips) = match side {
            Side::Colour => (
                0..WILD,
                NUMBERS_OF_COLOUR / usize::from(HIGHEST),
                STARS_OF_COLOUR,
                flips_each_side / u32::from(WILD),
            ),
            Side::Wild => (WILD..WILD + 1, WILD_OF_EACH, WILD_OF_EACH, flips_each_side),
        };
        for suit in suits {
            for number in 1..=HIGHEST {
                let face = Face::number_card(suit, number, false);
                stock.left[usize::from(face.0)] = numbers as u8;
            }
            stock.left[usize::from(Face::star(suit).0)] = stars as u8;
            stock.flips[usize::from(suit)] = flips as u8;
        }
        stock
    }

    /// Takes a face that is known to lie somewhere; false if there are not so many.
    pub(super) fn take(&mut self, face: Face) -> bool {
        let flips = &mut self.flips[usize::from(face.suit())];
        let left = &mut self.left[usize::from(face.plain().0)];
        let enough = *left > 0 && (!face.flips() || *flips > 0);
        if enough {
            *left -= 1;
            *flips -= u8::from(face.flips());
        }
        enough
    }

    /// Whether the symbols that are left find a number card each.
    pub(super) fn has_room_for_flips(&self) -> bool {
        (0..SUITS.len() as u8).all(|suit| {
            let numbers: u32 = (1..=HIGHEST)
                .map(|number| Face::number_card(suit, number, false).0)
                .map(|code| u32::from(self.left[usize::from(code)]))
                .sum();
            numbers >= u32::from(self.flips[usize::from(suit)])
        })
    }

    /// All faces that are left, the symbols on number cards of their suit drawn from all alike,
    /// in an order drawn from all orders alike.
    pub(super) fn drawn(&self, rng: &mut dyn Rng) -> Vec<Face> {
        let mut all = Vec::with_capacity(CARDS);
        for suit in 0..SUITS.len() as u8 {
            let from = all.len();
            for number in 1..=HIGHEST {
                let face = Face::number_card(suit, number, false);
                let count = self.left[usize::from(face.0)];
                all.extend(std::iter::repeat_n(face, count.into()));
            }
            let flips = usize::from(self.flips[usize::from(suit)]);
            if flips > 0 {
                shuffle(rng, &mut all[from..]);
                all[from..]
                    .iter_mut()
                    .take(flips)
                    .for_each(|face| *face = face.flipping());
            }
            let star = Face::star(suit);
            all.extend(std::iter::repeat_n(
                star,
                self.left[usize::from(star.0)].into(),
            ));
        }
        shuffle(rng, &mut all);
        all
    }

    /// Whether all flip symbols have been taken.
    pub(super) fn has_all_flips(&self) -> bool {
        self.flips.iter().all(|&flips| flips == 0)
    }

    /// Whether nothing is left.
    pub(super) fn is_empty(&self) -> bool {
        self.left.iter().all(|&left| left == 0)
    }
}
