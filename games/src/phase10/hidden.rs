//! Dealing out what a viewer does not see: all that fits what is seen is alike.

use rand_core::Rng;

use super::cards::{CARDS, Card, Face, Side, Stock};
use super::groups::{Faces, Progress};
use crate::chance::below;

/// So many deals are tried. About every second has no star on a star; with a hand that must be
/// able to complete a phase it may be one in some hundred.
const TRIES: u32 = 400;

/// So many deals are tried with the cards that complete the phase put into the hand.
const PLANTED_TRIES: u32 = 2000;

/// What is known of a card: its colour face, its wild face, or neither.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    pub(super) colour: Option<Face>,
    pub(super) wild: Option<Face>,
}

impl Known {
    /// A card that shows this face.
    pub(super) fn showing(face: Face) -> Self {
        match face.side() {
            Side::Colour => Known {
                colour: Some(face),
                wild: None,
            },
            Side::Wild => Known {
                colour: None,
                wild: Some(face),
            },
        }
    }

    /// A card of which this side, if it is a face, is seen.
    pub(super) fn maybe(face: Option<Face>) -> Self {
        face.map_or(Known::default(), Known::showing)
    }

    fn face(self, side: Side) -> Option<Face> {
        match side {
            Side::Colour => self.colour,
            Side::Wild => self.wild,
        }
    }
}

/// A hand that is known to be able to complete a phase: the places of its cards.
pub(super) struct Completes<'a> {
    pub(super) places: std::ops::Range<usize>,
    pub(super) side: Side,
    pub(super) progress: Progress<'a>,
}

/// Gives every card two faces that fit what is known. All ways to do so are alike; only where a
/// hand must complete a phase and hardly any way does, one is found by putting cards that do
/// so into the hand. None if there is no way.
pub(super) fn deal(
    known: &[Known],
    flips_each_side: u32,
    completes: Option<&Completes<'_>>,
    rng: &mut dyn Rng,
) -> Option<Vec<Card>> {
    if known.len() != CARDS {
        return None;
    }
    let colour = left(known, Side::Colour, flips_each_side)?;
    let wild = left(known, Side::Wild, flips_each_side)?;
    let fits = |cards: &[Card]| !cards.iter().any(|card| card.is_star_twice());
    for _ in 0..TRIES {
        let cards = assigned(known, &colour.drawn(rng), &wild.drawn(rng));
        if fits(&cards) && completes.is_none_or(|completes| completes.holds(&cards)) {
            return Some(cards);
        }
    }
    let completes = completes?;
    for _ in 0..PLANTED_TRIES {
        let mut faces = [colour.drawn(rng), wild.drawn(rng)];
        completes.plant(known, &mut faces[completes.side as usize], rng)?;
        let cards = assigned(known, &faces[0], &faces[1]);
        if fits(&cards) && completes.holds(&cards) {
            return Some(cards);
        }
    }
    None
}

/// The faces of a side that are not known to lie anywhere.
fn left(known: &[Known], side: Side, flips_each_side: u32) -> Option<Stock> {
    let mut stock = Stock::new(side, flips_each_side);
    let seen = known.iter().filter_map(|card| card.face(side));
    for face in seen {
        if !stock.take(face) {
            return None;
        }
    }
    stock.has_room_for_flips().then_some(stock)
}

/// The cards, the faces that are not known taken from these in their order.
fn assigned(known: &[Known], colour: &[Face], wild: &[Face]) -> Vec<Card> {
    let (mut colour, mut wild) = (colour.iter(), wild.iter());
    let next = |seen: Option<Face>, left: &mut std::slice::Iter<'_, Face>| {
        seen.unwrap_or_else(|| *left.next().expect("as many are left as are not known"))
    };
    known
        .iter()
        .map(|card| {
            let colour = next(card.colour, &mut colour);
            Card(colour, next(card.wild, &mut wild))
        })
        .collect()
}

impl Completes<'_> {
    fn holds(&self, cards: &[Card]) -> bool {
        let hand = &cards[self.places.clone()];
        Faces::of(hand.iter().map(|card| card.face(self.side))).complete(self.progress)
    }

    /// Puts cards that complete the phase among those that the hand will get.
    fn plant(&self, known: &[Known], faces: &mut [Face], rng: &mut dyn Rng) -> Option<()> {
        let unknown_before = |place: usize| {
            let before = known[..place].iter();
            before.filter(|card| card.face(self.side).is_none()).count()
        };
        let (from, to) = (
            unknown_before(self.places.start),
            unknown_before(self.places.end),
        );
        let wanted = Faces::of(faces.iter().copied()).completion(self.progress)?;
        let mut free: Vec<usize> = (from..to).collect();
        if wanted.len() > free.len() {
            return None;
        }
        for laid in wanted {
            let place = free.swap_remove(below(rng, free.len() as u32) as usize);
            // A face that has found its place in the hand stays there.
            let is_free = |at: &usize| *at < from || *at >= to || free.contains(at) || *at == place;
            let at = (0..faces.len())
                .filter(is_free)
                .find(|&at| faces[at] == laid.face)?;
            faces.swap(place, at);
        }
        Some(())
    }
}
