//! Actions, their notation and their order.

use std::cmp::Ordering;
use std::fmt::Write as _;

use flipside_protocol::game::ActionPath;

use super::cards::{Face, PlayedCard};
use super::groups::{End, Laid, MAX_GROUPS, MAX_LAID};
use crate::game::{ParseError, malformed, quoted};
use crate::seats::{MAX_SEATS, Seat};
use crate::words::joined;

/// A regular expression for every action.
pub(super) const NOTATION: &str = concat!(
    r"discard [rygbw](?:\*|(?:[1-9]|1[0-2])\^?)|draw (?:discard|pile)|",
    r"hit [rygbw](?:\*=(?:[1-9]|1[0-2])|(?:[1-9]|1[0-2])\^?) [0-5]\.[1-3](?: (?:high|low))?|",
    r"lay [rygbw](?:\*=(?:[1-9]|1[0-2])|(?:[1-9]|1[0-2])\^?)",
    r"(?: [rygbw](?:\*=(?:[1-9]|1[0-2])|(?:[1-9]|1[0-2])\^?)){1,4}",
);

/// The marks of the piles on a drawing.
pub(super) const DRAW_PILE: &str = "draw-pile";
pub(super) const DISCARD_PILE: &str = "discard-pile";

/// Returns the mark of a group on a drawing, or of an end of it: `2.1-high`.
pub(super) fn group_mark(seat: Seat, number: u8, end: Option<End>) -> String {
    let end = ["", "-high", "-low"][rank_of(end)];
    format!("{seat}.{number}{end}")
}

/// An action of a seat. Actions are in the byte order of their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase10Action {
    /// `discard r9`: ends the turn.
    Discard(Face),
    /// `draw discard`: takes the top of the discard pile.
    DrawDiscard,
    /// `draw pile`: takes the top of the draw pile.
    DrawPile,
    /// `hit r8 2.1 high`: adds a card to a group, of this seat and number (from 1).
    Hit(PlayedCard, Seat, u8, Option<End>),
    /// `lay r3 r*=4`: lays the next group of the phase.
    Lay(Lay),
}

/// A group to be laid, of two to five cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lay([Option<PlayedCard>; MAX_LAID]);

impl Lay {
    pub(super) fn of(laid: &[PlayedCard]) -> Self {
        let mut cards = [None; MAX_LAID];
        for (place, &card) in cards.iter_mut().zip(laid) {
            *place = Some(card);
        }
        Lay(cards)
    }

    /// Returns the number of stars among the cards.
    pub fn stars(self) -> usize {
        let cards = self.0.into_iter().flatten();
        cards.filter(|card| card.is_star()).count()
    }

    pub(super) fn cards(self) -> Laid {
        self.0.into_iter().flatten().collect()
    }
}

impl Phase10Action {
    /// Returns a number in the order of the texts. A blank sorts before every letter, so texts
    /// compare word by word, and each word gets a byte.
    fn rank(self) -> u64 {
        let bytes: [u8; 6] = match self {
            Phase10Action::Discard(face) => [0, face.text_rank(), 0, 0, 0, 0],
            Phase10Action::DrawDiscard => [1, 0, 0, 0, 0, 0],
            Phase10Action::DrawPile => [2, 0, 0, 0, 0, 0],
            Phase10Action::Hit(card, seat, number, end) => {
                [3, card.text_rank(), seat, number, rank_of(end) as u8, 0]
            }
            Phase10Action::Lay(Lay(cards)) => {
                let word = |place: usize| cards[place].map_or(0, |card| card.text_rank() + 1);
                [4, word(0), word(1), word(2), word(3), word(4)]
            }
        };
        bytes
            .into_iter()
            .fold(0, |rank, byte| rank << 8 | u64::from(byte))
    }

    /// Describes the action in words that follow the name of who takes it.
    pub(super) fn in_words(self) -> String {
        match self {
            Phase10Action::Discard(face) => format!("discards {face}"),
            Phase10Action::DrawDiscard => "draws from the discard pile".into(),
            Phase10Action::DrawPile => "draws from the draw pile".into(),
            Phase10Action::Hit(card, seat, number, end) => {
                let end = ["", " at the high end", " at the low end"][rank_of(end)];
                format!("hits group {seat}.{number} with {card}{end}")
            }
            Phase10Action::Lay(lay) => format!("lays {}", joined(lay.cards().iter(), " ")),
        }
    }

    /// Returns how a person points at the action on a drawing: at cards of the hand by their faces, and at piles and
    /// groups.
    pub(super) fn path(self) -> ActionPath {
        match self {
            Phase10Action::DrawPile => ActionPath::on([DRAW_PILE]),
            Phase10Action::DrawDiscard => ActionPath::on([DISCARD_PILE]),
            Phase10Action::Discard(face) => ActionPath::on([face.to_string(), DISCARD_PILE.into()]),
            Phase10Action::Hit(card, seat, number, end) => {
                ActionPath::on([card.face().to_string(), group_mark(seat, number, end)])
            }
            Phase10Action::Lay(lay) => {
                let mut text = String::new();
                self.write(&mut text);
                ActionPath::on(lay.cards().iter().map(|card| card.face())).choose(text)
            }
        }
    }

    pub(super) fn write(self, out: &mut String) {
        let written = match self {
            Phase10Action::Discard(face) => write!(out, "discard {face}"),
            Phase10Action::DrawDiscard => out.write_str("draw discard"),
            Phase10Action::DrawPile => out.write_str("draw pile"),
            Phase10Action::Hit(card, seat, number, end) => {
                let end = ["", " high", " low"][rank_of(end)];
                write!(out, "hit {card} {seat}.{number}{end}")
            }
            Phase10Action::Lay(lay) => out.write_str("lay").and_then(|()| {
                let cards = lay.cards();
                cards.iter().try_for_each(|card| write!(out, " {card}"))
            }),
        };
        written.expect("a string takes everything");
    }
}

/// Returns the place of an end in the order of the texts: none, `high`, `low`.
fn rank_of(end: Option<End>) -> usize {
    end.map_or(0, |end| 1 + end as usize)
}

impl Ord for Phase10Action {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Phase10Action {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Reads an action.
pub(super) fn read(text: &str) -> Result<Phase10Action, ParseError> {
    /// More words than any action has. Longer texts are not read further.
    const TOO_MANY: usize = MAX_LAID + 2;
    let words: Vec<&str> = text.split(' ').take(TOO_MANY).collect();
    let action = match words[..] {
        ["draw", "discard"] => Some(Phase10Action::DrawDiscard),
        ["draw", "pile"] => Some(Phase10Action::DrawPile),
        ["discard", face] => Some(Phase10Action::Discard(
            Face::read(face).ok_or_else(|| no_face(face))?,
        )),
        ["hit", card, group] => Some(read_hit(card, group, None)?),
        ["hit", card, group, "high"] => Some(read_hit(card, group, Some(End::High))?),
        ["hit", card, group, "low"] => Some(read_hit(card, group, Some(End::Low))?),
        ["lay", ref cards @ ..] if (2..=MAX_LAID).contains(&cards.len()) => {
            let laid = cards.iter().map(|card| read_played(card));
            Some(Phase10Action::Lay(Lay::of(
                &laid.collect::<Result<Laid, _>>()?,
            )))
        }
        _ => None,
    };
    action.ok_or_else(|| {
        malformed!(
            "{} is not like draw pile, draw discard, lay r3 r*=4, hit r8 2.1 high or discard r9",
            quoted(text)
        )
    })
}

fn read_hit(card: &str, group: &str, end: Option<End>) -> Result<Phase10Action, ParseError> {
    let card = read_played(card)?;
    if let [seat, b'.', number] = *group.as_bytes() {
        let (seat, number) = (seat.wrapping_sub(b'0'), number.wrapping_sub(b'0'));
        if usize::from(seat) < MAX_SEATS && (1..=MAX_GROUPS).contains(&number.into()) {
            return Ok(Phase10Action::Hit(card, seat, number, end));
        }
    }
    Err(malformed!(
        "{} names no group: those are a seat from 0 to 5, a dot, a number from 1 to 3",
        quoted(group)
    ))
}

fn read_played(text: &str) -> Result<PlayedCard, ParseError> {
    PlayedCard::read(text).ok_or_else(|| match Face::read(text) {
        Some(_) => malformed!("say what the star stands for: {text}=5"),
        None => no_face(text),
    })
}

fn no_face(text: &str) -> ParseError {
    malformed!(
        "{} is no card: those are like r7, r7^, w12 and r*, and a star that is played r*=5",
        quoted(text)
    )
}
