//! The groups of the phases, the groups that a hand can lay, and the cards that a group takes.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::cards::{CardColor, CardId, CardList, Face, HIGHEST, PlayedCard};

/// The number of phases.
pub(super) const PHASES: u8 = 10;

/// The maximum number of groups of a phase.
pub(super) const MAX_GROUPS: usize = 3;

/// The maximum number of cards with which a group is laid.
pub(super) const MAX_LAID: usize = 5;

/// The maximum number of cards of a set: the eight with its number on each side, and all stars.
pub(super) const MAX_GROUP_CARDS: usize = 32;

/// What a group is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GroupKind {
    /// Consecutive numbers of one colour.
    Run,
    /// One number.
    #[default]
    Set,
}

/// A group that a phase asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) kind: GroupKind,
    pub(super) cards: u8,
}

const fn run(cards: u8) -> Shape {
    Shape {
        kind: GroupKind::Run,
        cards,
    }
}

const fn set(cards: u8) -> Shape {
    Shape {
        kind: GroupKind::Set,
        cards,
    }
}

/// The groups of the phases from 1 to 10, in the order in which they are laid.
static SHAPES: [&[Shape]; PHASES as usize] = [
    &[run(2), run(2)],
    &[run(2), set(2)],
    &[run(2), set(3)],
    &[run(3), set(2)],
    &[run(4), set(2)],
    &[run(3), run(3)],
    &[run(3), set(3)],
    &[run(5), set(2)],
    &[run(2), set(4)],
    &[run(3), set(2), set(2)],
];

/// Returns the groups of a phase.
pub(super) fn shapes(phase: u8) -> &'static [Shape] {
    SHAPES[usize::from(phase) - 1]
}

/// Returns a phase as the reference card writes it: `ABC+AA+ZZ`.
pub(super) fn letters(phase: u8) -> &'static str {
    [
        "AB+YZ",
        "AB+AA",
        "AB+AAA",
        "ABC+AA",
        "ABCD+AA",
        "ABC+XYZ",
        "ABC+AAA",
        "ABCDE+AA",
        "AB+AAAA",
        "ABC+AA+ZZ",
    ][usize::from(phase) - 1]
}

/// Returns the group than which the next one of a phase must not be lower: the last one that lies, if it is of the same
/// shape.
pub(super) fn floor_of<'a>(shapes: &[Shape], lie: &[&'a [PlayedCard]]) -> Option<&'a [PlayedCard]> {
    let last = *lie.last()?;
    (shapes.get(lie.len()) == shapes.get(lie.len() - 1)).then_some(last)
}

impl Shape {
    /// Describes the group: `a run of 3`.
    pub(super) fn words(self) -> String {
        let kind = match self.kind {
            GroupKind::Run => "run",
            GroupKind::Set => "set",
        };
        format!("a {kind} of {}", self.cards)
    }

    /// Returns whether these cards, in this order, are such a group of one side.
    pub(super) fn fits(self, cards: &[PlayedCard]) -> bool {
        cards.len() == usize::from(self.cards)
            && cards.iter().all(|card| card.side() == cards[0].side())
            && is_group(self.kind, cards)
            && (self.kind == GroupKind::Run || cards.is_sorted())
    }
}

/// Returns whether these cards may lie together. A set may be in any order.
pub(super) fn is_group(kind: GroupKind, cards: &[PlayedCard]) -> bool {
    match kind {
        GroupKind::Set => cards.iter().all(|card| card.number() == cards[0].number()),
        GroupKind::Run => {
            let hue = colour(cards);
            cards
                .windows(2)
                .all(|pair| pair[1].number() == pair[0].number() + 1)
                && cards
                    .iter()
                    .all(|card| card.hue() == CardColor::Wild || Some(card.hue()) == hue)
        }
    }
}

/// Returns the colour of the cards of a run, if any has one.
pub(super) fn colour(cards: &[PlayedCard]) -> Option<CardColor> {
    let mut hues = cards.iter().map(|card| card.hue());
    hues.find(|&hue| hue != CardColor::Wild)
}

/// A group on the table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Phase10Group {
    pub(super) kind: GroupKind,
    /// The numbers of the cards by place. `cards` are the cards as they are played.
    pub(super) ids: CardList<CardId, MAX_GROUP_CARDS>,
    pub(super) cards: CardList<PlayedCard, MAX_GROUP_CARDS>,
}

/// An end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// Above its last card.
    High,
    /// Below its first card.
    Low,
}

impl Phase10Group {
    /// Returns the colour of a run, once a coloured card is in it.
    pub(super) fn colour(&self) -> Option<CardColor> {
        match self.kind {
            GroupKind::Run => colour(&self.cards),
            GroupKind::Set => None,
        }
    }

    /// Returns the number that a card must have to be hit at this end of a run or in a set.
    pub(super) fn number_wanted(&self, end: Option<End>) -> Option<u8> {
        let (first, last) = (
            self.cards[0].number(),
            self.cards[self.cards.len() - 1].number(),
        );
        match (self.kind, end) {
            (GroupKind::Set, None) => Some(first),
            (GroupKind::Run, Some(End::High)) => Some(last + 1).filter(|&number| number <= HIGHEST),
            (GroupKind::Run, Some(End::Low)) => Some(first - 1).filter(|&number| number > 0),
            _ => None,
        }
    }

    /// Returns whether the group takes a card of this colour.
    pub(super) fn takes(&self, hue: CardColor) -> bool {
        hue == CardColor::Wild || self.colour().is_none_or(|colour| colour == hue)
    }

    /// Returns the card that a face becomes when it is hit here, if it fits.
    pub(super) fn hit(&self, face: Face, end: Option<End>) -> Option<PlayedCard> {
        let wanted = self.number_wanted(end)?;
        let fits = self.takes(face.hue()) && face.number().is_none_or(|number| number == wanted);
        fits.then(|| PlayedCard::of(face, wanted))
    }

    /// Returns the ends at which cards can be hit.
    pub(super) fn ends(&self) -> &'static [Option<End>] {
        match self.kind {
            GroupKind::Run => &[Some(End::High), Some(End::Low)],
            GroupKind::Set => &[None],
        }
    }

    pub(super) fn add(&mut self, id: CardId, card: PlayedCard, end: Option<End>) {
        if end == Some(End::Low) {
            self.ids.push_front(id);
            self.cards.push_front(card);
        } else {
            self.ids.push(id);
            self.cards.push(card);
        }
    }
}

/// A group as it is laid: up to five cards, ascending.
pub(super) type Laid = CardList<PlayedCard, MAX_LAID>;

/// Returns whether a number card is among these.
pub(super) fn has_number_card(cards: &[PlayedCard]) -> bool {
    cards.iter().any(|card| !card.is_star())
}

/// The cards of a hand, counted.
#[derive(Clone, Copy, Default)]
pub(super) struct Holding {
    /// The number of cards by colour and number, without and with a flip symbol. Index 0 is unused.
    numbers: [[[u8; 2]; HIGHEST as usize + 1]; CardColor::ALL.len()],
    stars: [u8; CardColor::ALL.len()],
    /// By colour, a bit for each number in the hand.
    there: [u16; CardColor::ALL.len()],
    /// The number of cards of any colour by number.
    cards: [u8; HIGHEST as usize + 1],
}

impl Holding {
    pub(super) fn of(faces: impl IntoIterator<Item = Face>) -> Self {
        let mut holding = Holding::default();
        for face in faces {
            holding.add(face);
        }
        holding
    }

    pub(super) fn add(&mut self, face: Face) {
        let hue = face.hue() as usize;
        match face.number() {
            None => self.stars[hue] += 1,
            Some(number) => {
                self.numbers[hue][usize::from(number)][usize::from(face.flips())] += 1;
                self.there[hue] |= 1 << number;
                self.cards[usize::from(number)] += 1;
            }
        }
    }

    fn remove(&mut self, face: Face) {
        let hue = face.hue() as usize;
        match face.number() {
            None => self.stars[hue] -= 1,
            Some(number) => {
                let held = &mut self.numbers[hue][usize::from(number)];
                held[usize::from(face.flips())] -= 1;
                if *held == [0, 0] {
                    self.there[hue] &= !(1 << number);
                }
                self.cards[usize::from(number)] -= 1;
            }
        }
    }

    /// Returns the hand without these cards.
    pub(super) fn without(&self, laid: &[PlayedCard]) -> Self {
        let mut rest = *self;
        for card in laid {
            rest.remove(card.face());
        }
        rest
    }

    /// Returns whether the hand has all these cards.
    pub(super) fn has_all(&self, laid: &[PlayedCard]) -> bool {
        let mut rest = *self;
        laid.iter().all(|card| {
            let there = rest.count(card.face()) > 0;
            if there {
                rest.remove(card.face());
            }
            there
        })
    }

    fn count(&self, face: Face) -> u8 {
        let hue = face.hue() as usize;
        match face.number() {
            None => self.stars[hue],
            Some(number) => self.numbers[hue][usize::from(number)][usize::from(face.flips())],
        }
    }

    fn all_stars(&self) -> u8 {
        self.stars.iter().sum()
    }

    /// Visits each group of a shape that can be laid and begins with one of these numbers, until a
    /// visit returns true. Returns whether one did.
    pub(super) fn groups(
        &self,
        shape: Shape,
        first: RangeInclusive<u8>,
        visit: &mut dyn FnMut(&Laid) -> bool,
    ) -> bool {
        let mut laid = Laid::default();
        match shape.kind {
            GroupKind::Run => first.into_iter().any(|number| {
                number + shape.cards <= HIGHEST + 1
                    && CardColor::ALL.into_iter().any(|hue| {
                        self.missing(hue, number, shape.cards) <= self.stars[hue as usize]
                            && self.runs(hue, number, shape.cards, 0, &mut laid, visit)
                    })
            }),
            GroupKind::Set => first.into_iter().any(|number| {
                self.cards[usize::from(number)] + self.all_stars() >= shape.cards
                    && self.sets(number, shape.cards, 0, 0, &mut laid, visit)
            }),
        }
    }

    /// Returns how many numbers of a run of this colour are not in the hand.
    fn missing(&self, hue: CardColor, first: u8, cards: u8) -> u8 {
        let wanted = ((1u16 << cards) - 1) << first;
        cards - (self.there[hue as usize] & wanted).count_ones() as u8
    }

    fn runs(
        &self,
        hue: CardColor,
        number: u8,
        cards: u8,
        stars: u8,
        laid: &mut Laid,
        visit: &mut dyn FnMut(&Laid) -> bool,
    ) -> bool {
        if cards == 0 {
            return visit(laid);
        }
        let candidates = [
            Face::numbered(hue, number, false),
            Face::numbered(hue, number, true),
            Face::star(hue),
        ];
        candidates.into_iter().any(|face| {
            let stars = stars + u8::from(face.is_star());
            let there = self.count(face) > if face.is_star() { stars - 1 } else { 0 };
            there && {
                laid.push(PlayedCard::of(face, number));
                let enough = self.runs(hue, number + 1, cards - 1, stars, laid, visit);
                laid.pop();
                enough
            }
        })
    }

    /// Adds cards to a set, from one kind on, of which some may be in it already. The kinds are the
    /// colours, each without and with a flip symbol and as a star: the order of faces.
    fn sets(
        &self,
        number: u8,
        cards: u8,
        from: usize,
        taken: u8,
        laid: &mut Laid,
        visit: &mut dyn FnMut(&Laid) -> bool,
    ) -> bool {
        if cards == 0 {
            return visit(laid);
        }
        (from..3 * CardColor::ALL.len()).any(|kind| {
            let hue = CardColor::ALL[kind / 3];
            let face = match kind % 3 {
                2 => Face::star(hue),
                flips => Face::numbered(hue, number, flips == 1),
            };
            let taken = if kind == from { taken } else { 0 };
            self.count(face) > taken && {
                laid.push(PlayedCard::of(face, number));
                let enough = self.sets(number, cards - 1, kind, taken + 1, laid, visit);
                laid.pop();
                enough
            }
        })
    }

    /// Returns whether the remaining groups can be laid so that the whole phase has a number card.
    /// The first of them must not be lower than `floor`. `numbered` tells whether the groups on the
    /// table have a number card.
    pub(super) fn completes(
        &self,
        rest: &[Shape],
        floor: Option<&[PlayedCard]>,
        numbered: bool,
    ) -> bool {
        match *rest {
            [] => numbered,
            [last] => self.has(last, floor, numbered),
            [one, other] if floor.is_none() && one == other && one.kind == GroupKind::Set => {
                self.has_two_sets(one.cards, numbered)
            }
            _ => self.next_groups(rest, floor, numbered, &mut |_| true),
        }
    }

    /// Visits every group that can be laid as the first of the remaining ones, until a visit returns true. Returns
    /// whether one did.
    fn next_groups(
        &self,
        rest: &[Shape],
        floor: Option<&[PlayedCard]>,
        numbered: bool,
        visit: &mut dyn FnMut(&Laid) -> bool,
    ) -> bool {
        let Some(&shape) = rest.first() else {
            return false;
        };
        let lowest = floor.map_or(1, |floor| floor[0].number());
        self.groups(shape, lowest..=HIGHEST, &mut |laid| {
            floor.is_none_or(|floor| **laid >= *floor)
                && self.leaves_enough(rest, laid, numbered)
                && visit(laid)
        })
    }

    /// Returns whether there is a group of this shape that is not lower than `floor`, with a number
    /// card unless `numbered`.
    fn has(&self, shape: Shape, floor: Option<&[PlayedCard]>, numbered: bool) -> bool {
        let lowest = floor.map_or(0, |floor| floor[0].number());
        // Groups that begin above the floor are higher, so only counts matter.
        let above = (lowest + 1..=HIGHEST).any(|number| match shape.kind {
            GroupKind::Run => {
                number + shape.cards <= HIGHEST + 1
                    && CardColor::ALL.into_iter().any(|hue| {
                        let missing = self.missing(hue, number, shape.cards);
                        missing <= self.stars[hue as usize] && (numbered || missing < shape.cards)
                    })
            }
            GroupKind::Set => {
                let cards = self.cards[usize::from(number)];
                cards + self.all_stars() >= shape.cards && (numbered || cards > 0)
            }
        });
        above
            || floor.is_some_and(|floor| {
                self.groups(shape, lowest..=lowest, &mut |laid| {
                    **laid >= *floor && (numbered || has_number_card(laid))
                })
            })
    }

    /// Returns whether there are two sets of this many cards.
    fn has_two_sets(&self, cards: u8, numbered: bool) -> bool {
        let stars = self.all_stars();
        let count = |number: u8| self.cards[usize::from(number)];
        (1..=HIGHEST).any(|one| {
            let twice = count(one).min(2 * cards);
            let alone = count(one).min(cards);
            (2 * cards - twice <= stars && (numbered || twice > 0))
                || (one + 1..=HIGHEST).any(|other| {
                    let numbers = alone + count(other).min(cards);
                    2 * cards - numbers <= stars && (numbered || numbers > 0)
                })
        })
    }

    /// Visits every group that can be laid after those on the table, until a visit returns true.
    /// Returns whether one did. The shapes are those of the whole phase.
    pub(super) fn lays(
        &self,
        shapes: &[Shape],
        lie: &[&[PlayedCard]],
        visit: &mut dyn FnMut(&Laid) -> bool,
    ) -> bool {
        let numbered = lie.iter().any(|cards| has_number_card(cards));
        let rest = &shapes[lie.len()..];
        self.next_groups(rest, floor_of(shapes, lie), numbered, visit)
    }

    /// Returns whether the rest of the hand completes the phase after the first of the remaining groups is laid so.
    pub(super) fn leaves_enough(
        &self,
        rest: &[Shape],
        laid: &[PlayedCard],
        numbered: bool,
    ) -> bool {
        let numbered = numbered || has_number_card(laid);
        self.without(laid)
            .completes(&rest[1..], floor_of(rest, &[laid]), numbered)
    }

    /// Returns whether this hand completes a phase of which these groups are on the table.
    pub(super) fn can_go_on(&self, shapes: &[Shape], lie: &[&[PlayedCard]]) -> bool {
        let numbered = lie.iter().any(|cards| has_number_card(cards));
        self.completes(&shapes[lie.len()..], floor_of(shapes, lie), numbered)
    }
}
