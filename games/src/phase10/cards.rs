//! The cards: faces, the numbers they stand for on the table, their order and their texts; what
//! the deck is made of; and the draw of which faces share a card.

use std::fmt;
use std::ops::{Deref, DerefMut};

use rand_core::Rng;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::chance;
use crate::json::{inline_schema, named};

/// How many cards there are.
pub(super) const CARDS: usize = 104;

/// The highest number on a card; a run goes no further.
pub const HIGHEST: u8 = 12;

/// A star in a hand comes after all numbers.
const STAR: u8 = HIGHEST + 1;

/// How many stars each side has.
pub(super) const STARS: usize = 8;

/// The number of a card: its place in the draw of the cards.
pub(super) type CardId = u8;

named! {
    /// One of the two sides of all cards.
    pub enum CardSide {
        /// Each card has a colour.
        Colour = "colour",
        /// A card may be any colour.
        Wild = "wild",
    }
}

/// The colour of a face, by its letter in texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CardColor {
    /// Red.
    #[serde(rename = "r")]
    Red,
    /// Yellow.
    #[serde(rename = "y")]
    Yellow,
    /// Green.
    #[serde(rename = "g")]
    Green,
    /// Blue.
    #[serde(rename = "b")]
    Blue,
    /// Any colour: the wild side.
    #[serde(rename = "w")]
    Wild,
}

/// What one side of a card shows: `r7`, `r7^` with a flip symbol, `r*` a star.
///
/// The order is that of the game: number, colour, then without a flip symbol before with one; a
/// star comes after 12.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Face(u8);

/// A face with the number it stands for: `r7`, `r7^`, `r*=5`.
///
/// The order is that of the game: number, colour, then number cards before stars, then without a
/// flip symbol before with one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayedCard(u8);

/// The two faces of a card: its colour side, then its wild side.
pub(super) type Card = [Face; 2];

/// A short list in place: copying it is copying bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct CardList<T, const MOST: usize> {
    items: [T; MOST],
    len: u8,
}

impl CardSide {
    pub(super) const BOTH: [CardSide; 2] = [CardSide::Colour, CardSide::Wild];

    pub(super) fn other(self) -> Self {
        match self {
            CardSide::Colour => CardSide::Wild,
            CardSide::Wild => CardSide::Colour,
        }
    }

    pub(super) fn hues(self) -> &'static [CardColor] {
        match self {
            CardSide::Colour => &CardColor::ALL[..4],
            CardSide::Wild => &CardColor::ALL[4..],
        }
    }
}

impl CardColor {
    pub(super) const ALL: [CardColor; 5] = [
        CardColor::Red,
        CardColor::Yellow,
        CardColor::Green,
        CardColor::Blue,
        CardColor::Wild,
    ];

    pub(super) fn letter(self) -> u8 {
        b"rygbw"[self as usize]
    }

    pub(super) fn name(self) -> &'static str {
        ["red", "yellow", "green", "blue", "wild"][self as usize]
    }

    pub(super) fn side(self) -> CardSide {
        if self == CardColor::Wild {
            CardSide::Wild
        } else {
            CardSide::Colour
        }
    }

    /// How many cards of each number and this colour there are, and how many stars.
    pub(super) fn copies(self) -> u8 {
        if self == CardColor::Wild { 8 } else { 2 }
    }

    /// How many of its cards with a number have a flip symbol, if each side has so many.
    pub(super) fn flips(self, flips_each_side: u8) -> u8 {
        if self == CardColor::Wild {
            flips_each_side
        } else {
            flips_each_side / 4
        }
    }

    fn read(letter: u8) -> Option<Self> {
        CardColor::ALL
            .into_iter()
            .find(|hue| hue.letter() == letter)
    }

    /// The place of the letter in the alphabet, among these letters.
    fn text_rank(self) -> u8 {
        [2, 4, 1, 0, 3][self as usize]
    }
}

/// The place of `7` or `7^` among such texts in byte order.
fn number_rank(number: u8, flips: bool) -> u8 {
    match (number, flips) {
        (1, false) => 0,
        (10..=HIGHEST, _) => 1 + 2 * (number - 10) + u8::from(flips),
        (1, true) => 7,
        _ => 8 + 2 * (number - 2) + u8::from(flips),
    }
}

/// How many texts [`number_rank`] ranks.
const NUMBER_RANKS: u8 = 2 * HIGHEST;

fn read_number(text: &[u8]) -> Option<u8> {
    match *text {
        [ones @ b'1'..=b'9'] => Some(ones - b'0'),
        [b'1', ones @ b'0'..=b'2'] => Some(10 + ones - b'0'),
        _ => None,
    }
}

impl Face {
    pub(super) fn numbered(hue: CardColor, number: u8, flips: bool) -> Self {
        debug_assert!((1..=HIGHEST).contains(&number));
        Face((number - 1) * 10 + hue as u8 * 2 + u8::from(flips))
    }

    pub(super) fn star(hue: CardColor) -> Self {
        Face((STAR - 1) * 10 + hue as u8 * 2)
    }

    /// The colour.
    pub fn hue(self) -> CardColor {
        CardColor::ALL[usize::from(self.0 % 10 / 2)]
    }

    /// The number, unless it is a star.
    pub fn number(self) -> Option<u8> {
        Some(self.0 / 10 + 1).filter(|&number| number < STAR)
    }

    pub(super) fn is_star(self) -> bool {
        self.number().is_none()
    }

    /// Whether it has a flip symbol.
    pub fn flips(self) -> bool {
        self.0 % 2 == 1
    }

    pub(super) fn side(self) -> CardSide {
        self.hue().side()
    }

    /// The face without its flip symbol.
    pub(super) fn plain(self) -> Self {
        Face(self.0 & !1)
    }

    /// The face with a flip symbol; only for a face with a number.
    pub(super) fn marked(self) -> Self {
        Face(self.0 | 1)
    }

    /// What it counts against its holder at the end of a round.
    pub fn score(self) -> u32 {
        match self.number() {
            None => 20,
            Some(10..) => 10,
            Some(_) => 5,
        }
    }

    /// Reads a face as a hand has it.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (&letter, rest) = text.as_bytes().split_first()?;
        let hue = CardColor::read(letter)?;
        if rest == b"*" {
            return Some(Face::star(hue));
        }
        match rest.strip_suffix(b"^") {
            Some(rest) => Some(Face::numbered(hue, read_number(rest)?, true)),
            None => Some(Face::numbered(hue, read_number(rest)?, false)),
        }
    }

    /// The place in the byte order of the texts of faces.
    pub(super) fn text_rank(self) -> u8 {
        let within = match self.number() {
            None => 0,
            Some(number) => 1 + number_rank(number, self.flips()),
        };
        self.hue().text_rank() * (1 + NUMBER_RANKS) + within
    }
}

impl PlayedCard {
    /// A face that stands for its number, or a star that stands for this one.
    pub(super) fn of(face: Face, number: u8) -> Self {
        let kind = if face.is_star() {
            2
        } else {
            u8::from(face.flips())
        };
        PlayedCard((number - 1) * 15 + face.hue() as u8 * 3 + kind)
    }

    pub(super) fn number(self) -> u8 {
        self.0 / 15 + 1
    }

    pub(super) fn hue(self) -> CardColor {
        CardColor::ALL[usize::from(self.0 % 15 / 3)]
    }

    pub(super) fn is_star(self) -> bool {
        self.0 % 3 == 2
    }

    /// The face as it was in the hand.
    pub(super) fn face(self) -> Face {
        match self.0 % 3 {
            2 => Face::star(self.hue()),
            flips => Face::numbered(self.hue(), self.number(), flips == 1),
        }
    }

    pub(super) fn side(self) -> CardSide {
        self.hue().side()
    }

    /// Reads a card as it is laid or hit: a star with its number.
    pub(super) fn read(text: &str) -> Option<Self> {
        match text.split_once("*=") {
            Some((letter, number)) => {
                let star = Face::read(&format!("{letter}*"))?;
                Some(PlayedCard::of(star, read_number(number.as_bytes())?))
            }
            None => {
                let face = Face::read(text)?;
                Some(PlayedCard::of(face, face.number()?))
            }
        }
    }

    /// The place in the byte order of the texts of played cards.
    pub(super) fn text_rank(self) -> u8 {
        let number = self.number();
        let within = if self.is_star() {
            // 1, 10, 11, 12, 2, 3, …
            match number {
                1 => 0,
                10..=HIGHEST => number - 9,
                _ => number + 2,
            }
        } else {
            HIGHEST + number_rank(number, self.0 % 3 == 1)
        };
        self.hue().text_rank() * (HIGHEST + NUMBER_RANKS) + within
    }
}

/// A face in letters: at most `w*=12`.
type CardLetters = CardList<u8, 5>;

fn push_number(letters: &mut CardLetters, number: u8) {
    if number > 9 {
        letters.push(b'1');
    }
    letters.push(b'0' + number % 10);
}

impl CardLetters {
    fn as_str(&self) -> &str {
        std::str::from_utf8(self).expect("letters and digits are text")
    }
}

impl Face {
    fn letters(self) -> CardLetters {
        let mut letters = CardLetters::default();
        letters.push(self.hue().letter());
        match self.number() {
            None => letters.push(b'*'),
            Some(number) => push_number(&mut letters, number),
        }
        if self.flips() {
            letters.push(b'^');
        }
        letters
    }
}

impl PlayedCard {
    fn letters(self) -> CardLetters {
        let mut letters = self.face().letters();
        if self.is_star() {
            letters.push(b'=');
            push_number(&mut letters, self.number());
        }
        letters
    }
}

/// Implements texts and JSON of cards: their letters.
macro_rules! letters {
    ($($card:ident: $pattern:literal, $wrong:literal;)+) => {$(
        impl fmt::Display for $card {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.letters().as_str())
            }
        }

        impl fmt::Debug for $card {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl Serialize for $card {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.letters().as_str())
            }
        }

        impl<'de> Deserialize<'de> for $card {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                $card::read(&text).ok_or_else(|| D::Error::custom($wrong))
            }
        }

        inline_schema!($card, schemars::json_schema!({ "type": "string", "pattern": $pattern }));
    )+};
}

letters! {
    Face: r"^[rygbw](?:\*|(?:[1-9]|1[0-2])\^?)$", "a face is like r7, r7^, r* or w12";
    PlayedCard: r"^[rygbw](?:\*=(?:[1-9]|1[0-2])|(?:[1-9]|1[0-2])\^?)$",
        "a card on the table is like r7, r7^ or r*=5";
}

impl Default for Face {
    fn default() -> Self {
        Face::star(CardColor::Wild)
    }
}

impl Default for PlayedCard {
    fn default() -> Self {
        PlayedCard::of(Face::default(), 1)
    }
}

impl<T: Copy + Default, const MOST: usize> Default for CardList<T, MOST> {
    fn default() -> Self {
        CardList {
            items: [T::default(); MOST],
            len: 0,
        }
    }
}

impl<T: Copy + Default, const MOST: usize> CardList<T, MOST> {
    pub(super) fn push(&mut self, item: T) {
        self.items[usize::from(self.len)] = item;
        self.len += 1;
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.items[usize::from(self.len)])
    }

    pub(super) fn push_front(&mut self, item: T) {
        self.push(item);
        self.rotate_right(1);
    }

    pub(super) fn remove(&mut self, place: usize) -> T {
        self[place..].rotate_left(1);
        self.pop().expect("there is something to remove")
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}

impl<T: Copy + Default, const MOST: usize> Extend<T> for CardList<T, MOST> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T: Copy + Default, const MOST: usize> FromIterator<T> for CardList<T, MOST> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut few = CardList::default();
        few.extend(items);
        few
    }
}

impl<T, const MOST: usize> Deref for CardList<T, MOST> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items[..usize::from(self.len)]
    }
}

impl<T, const MOST: usize> DerefMut for CardList<T, MOST> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..usize::from(self.len)]
    }
}

/// All faces of a side without flip symbols, the stars last.
pub(super) fn deck(side: CardSide) -> impl Iterator<Item = Face> {
    let copies = |face: Face, count: u8| (0..count).map(move |_| face);
    let numbers = (1..=HIGHEST).flat_map(move |number| {
        let of = move |hue: &CardColor| copies(Face::numbered(*hue, number, false), hue.copies());
        side.hues().iter().flat_map(of)
    });
    let stars = side
        .hues()
        .iter()
        .flat_map(move |hue| copies(Face::star(*hue), hue.copies()));
    numbers.chain(stars)
}

/// Gives so many of the faces of this colour with a number a flip symbol, all choices alike.
pub(super) fn mark(faces: &mut [Face], hue: CardColor, flips: u8, rng: &mut dyn Rng) {
    if flips == 0 {
        return;
    }
    let mut places: CardList<u8, CARDS> = CardList::default();
    for (place, face) in (0..).zip(&*faces) {
        if face.hue() == hue && !face.is_star() {
            places.push(place);
        }
    }
    chance::shuffle(rng, &mut places);
    for &place in &places[..usize::from(flips)] {
        faces[usize::from(place)] = faces[usize::from(place)].marked();
    }
}

/// Draws the cards: flip symbols, then which faces share a card, uniformly over all pairings
/// without star on star.
pub(super) fn sample(flips_each_side: u8, rng: &mut dyn Rng) -> Vec<Card> {
    let [colour, mut wild] = CardSide::BOTH.map(|side| {
        let mut faces: Vec<Face> = deck(side).collect();
        for &hue in side.hues() {
            mark(&mut faces, hue, hue.flips(flips_each_side), rng);
        }
        faces
    });
    // More than half of all pairings have no star on a star.
    loop {
        chance::shuffle(rng, &mut wild);
        let pairs = colour.iter().zip(&wild);
        let cards: Vec<Card> = pairs.map(|(&one, &other)| [one, other]).collect();
        if !cards.iter().any(is_star_on_star) {
            return cards;
        }
    }
}

/// Returns whether a card has a star on both sides, as no card has.
pub(super) fn is_star_on_star(card: &Card) -> bool {
    card.iter().all(|face| face.is_star())
}

/// Says why these cannot be the cards.
pub(super) fn misprint(cards: &[Card], flips_each_side: u8) -> Option<String> {
    if cards.len() != CARDS {
        return Some(format!("there are {CARDS} cards, not {}", cards.len()));
    }
    if cards.iter().any(is_star_on_star) {
        return Some("no card has a star on both sides".into());
    }
    for (place, side) in CardSide::BOTH.into_iter().enumerate() {
        let mut faces: Vec<Face> = cards.iter().map(|card| card[place].plain()).collect();
        faces.sort_unstable();
        let mut right: Vec<Face> = deck(side).collect();
        right.sort_unstable();
        if faces != right {
            return Some(format!("this is not the {} side of the deck", side.name()));
        }
        for &hue in side.hues() {
            let marked = |card: &&Card| card[place].flips() && card[place].hue() == hue;
            let (flips, due) = (
                cards.iter().filter(marked).count(),
                hue.flips(flips_each_side),
            );
            if flips != usize::from(due) {
                let name = hue.name();
                return Some(format!(
                    "{flips} {name} cards have a flip symbol, and {due} should"
                ));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faces() -> impl Iterator<Item = Face> {
        CardColor::ALL.into_iter().flat_map(|hue| {
            let numbers = (1..=HIGHEST).flat_map(move |number| {
                [false, true].map(|flips| Face::numbered(hue, number, flips))
            });
            numbers.chain([Face::star(hue)])
        })
    }

    fn played() -> impl Iterator<Item = PlayedCard> {
        faces().flat_map(|face| match face.number() {
            Some(number) => vec![PlayedCard::of(face, number)],
            None => (1..=HIGHEST)
                .map(|number| PlayedCard::of(face, number))
                .collect(),
        })
    }

    #[test]
    fn every_face_is_written_in_one_way_and_ranked_as_its_text() {
        let mut by_rank: Vec<Face> = faces().collect();
        by_rank.sort_by_key(|face| face.text_rank());
        let texts: Vec<String> = by_rank.iter().map(Face::to_string).collect();
        assert!(texts.is_sorted_by(|one, next| one < next), "{texts:?}");
        assert!(
            by_rank
                .iter()
                .zip(&texts)
                .all(|(&face, text)| Face::read(text) == Some(face))
        );

        let mut by_rank: Vec<PlayedCard> = played().collect();
        by_rank.sort_by_key(|played| played.text_rank());
        let texts: Vec<String> = by_rank.iter().map(PlayedCard::to_string).collect();
        assert!(texts.is_sorted_by(|one, next| one < next), "{texts:?}");
        assert!(
            by_rank
                .iter()
                .zip(&texts)
                .all(|(&one, text)| PlayedCard::read(text) == Some(one))
        );
        assert!(
            by_rank
                .iter()
                .all(|one| PlayedCard::of(one.face(), one.number()) == *one)
        );
    }

    #[test]
    fn faces_are_ordered_by_number_then_colour_then_stars_then_flip_symbols() {
        let order = |texts: &str| {
            let played: Vec<PlayedCard> = texts
                .split(' ')
                .map(|text| PlayedCard::read(text).expect("a played card"))
                .collect();
            assert!(played.is_sorted_by(|one, next| one < next), "{texts}");
        };
        order("r1 r1^ r*=1 y1 y1^ y*=1 g1 b1 b1^ b*=1 w1 w1^ w*=1 r2 w*=11 r12");
        let hand: Vec<Face> = "r1 r1^ y1 g1 b1 w1 w1^ r2 b12 w12 r* y* g* b* w*"
            .split(' ')
            .map(|text| Face::read(text).expect("a face"))
            .collect();
        assert!(hand.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn what_is_no_face_is_not_read() {
        for text in [
            "", "r", "7", "r0", "r13", "r07", "r7^^", "R7", "r 7", "r*^", "r**", "x7", "r7 ",
            "^r7", "r1é", "r111", "é7", "r+7",
        ] {
            assert_eq!(Face::read(text), None, "{text}");
            assert_eq!(PlayedCard::read(text), None, "{text}");
        }
        for text in [
            "r*", "r*=", "r*=0", "r*=13", "r*=5^", "r*=05", "*=5", "rr*=5", "r*=5*=5",
        ] {
            assert_eq!(PlayedCard::read(text), None, "{text}");
        }
    }
}
