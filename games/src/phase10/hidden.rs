//! The hidden faces of the cards, sampled anew: the other sides of visible cards, and both sides of
//! the cards in the piles.
//!
//! The distribution is exact unless a phase is half laid: all ways to print, pair and deal the cards
//! that agree with the visible faces are equally likely.

use rand_core::Rng;

use super::cards::{
    CARDS, Card, CardColor, CardList, CardSide, Face, HIGHEST, PlayedCard, STARS, deck,
    is_star_on_star, mark,
};
use super::groups::{Holding, Laid, Shape, floor_of, has_number_card};
use super::state::Phase10;
use crate::chance;
use crate::seats::{Seat, Viewer};

/// The maximum number of samples until a seat that is between two groups can complete its phase.
/// After that, its hand is built.
const MAX_SAMPLES: usize = 400;

/// The maximum number of hands that are built.
const MAX_BUILDS: usize = 4_000;

/// The known faces of the cards by number: of the colour side and of the wild side.
pub(super) type KnownFaces = [[Option<Face>; 2]; CARDS];

/// Samples a match that a viewer cannot tell from this one.
pub(super) fn redeal(game: &Phase10, viewer: Viewer, rng: &mut dyn Rng) -> Phase10 {
    let Some(cards) = &game.cards else {
        return game.clone();
    };
    if viewer == Viewer::Open {
        return game.clone();
    }
    let mut known = seen(game, cards, viewer);
    let drawn = sample(game, &known, viewer, rng).or_else(|| {
        // The true hand completes the phase, so the rest can be sampled around it.
        let seat = game.pending()?;
        for &card in game.place(seat).hand.iter() {
            let side = game.side as usize;
            known[usize::from(card)][side] = Some(cards[usize::from(card)][side]);
        }
        fill(game, &known, rng)
    });
    Phase10 {
        cards: Some(drawn.expect("the true cards are one way")),
        ..game.clone()
    }
}

/// Returns the faces that a viewer sees.
fn seen(game: &Phase10, cards: &[Card; CARDS], viewer: Viewer) -> KnownFaces {
    let mut known = [[None; 2]; CARDS];
    let mut see = |card: u8, side: CardSide| {
        known[usize::from(card)][side as usize] = Some(cards[usize::from(card)][side as usize]);
    };
    if let Some(&top) = game.discard_pile.last() {
        see(top, game.side);
    }
    if let Some(&top) = game.draw_pile.last() {
        see(top, game.side.other());
    }
    for (seat, place) in (0..).zip(game.all_places()) {
        for group in place.groups.iter() {
            for (&id, card) in group.ids.iter().zip(group.cards.iter()) {
                see(id, card.side());
            }
        }
        let side = match viewer {
            Viewer::Seat(own) if own == seat => game.side,
            Viewer::Seat(_) => game.side.other(),
            Viewer::Public | Viewer::Open => continue,
        };
        place.hand.iter().for_each(|&card| see(card, side));
    }
    known
}

/// Samples all unknown faces. A seat other than the viewer that is between two groups of its phase
/// gets a hand that can complete it. Returns nothing when no such cards exist or were found.
pub(super) fn sample(
    game: &Phase10,
    known: &KnownFaces,
    viewer: Viewer,
    rng: &mut dyn Rng,
) -> Option<[Card; CARDS]> {
    let pending = game.pending();
    let Some(seat) = pending.filter(|&seat| Viewer::Seat(seat) != viewer) else {
        let cards = fill(game, known, rng)?;
        return pending
            .is_none_or(|seat| can_go_on(game, seat, &cards))
            .then_some(cards);
    };
    for _ in 0..MAX_SAMPLES {
        let cards = fill(game, known, rng)?;
        if can_go_on(game, seat, &cards) {
            return Some(cards);
        }
    }
    build(game, known, seat, rng)
}

/// Returns whether a seat that is between two groups can complete its phase with these cards.
pub(super) fn can_go_on(game: &Phase10, seat: Seat, cards: &[Card; CARDS]) -> bool {
    let hand = game.place(seat).hand.iter();
    let faces = hand.map(|&card| cards[usize::from(card)][game.side as usize]);
    Holding::of(faces).can_go_on(game.shapes(seat), &game.lie(seat))
}

/// The unknown faces of a side.
struct Pool {
    faces: CardList<Face, CARDS>,
    /// By colour, the number of faces with a number that still need a flip symbol.
    flips: [u8; CardColor::ALL.len()],
}

impl Pool {
    /// Returns nothing when the known faces are not part of one deck.
    fn of(side: CardSide, known: &KnownFaces, flips_each_side: u8) -> Option<Self> {
        let mut left = [[0u8; HIGHEST as usize + 1]; CardColor::ALL.len()];
        for face in deck(side) {
            left[face.hue() as usize][usize::from(face.number().unwrap_or(0))] += 1;
        }
        let mut flips = CardColor::ALL.map(|hue| hue.flips(flips_each_side));
        for face in known.iter().filter_map(|card| card[side as usize]) {
            let hue = face.hue() as usize;
            let left = &mut left[hue][usize::from(face.number().unwrap_or(0))];
            *left = left.checked_sub(1)?;
            flips[hue] = flips[hue].checked_sub(u8::from(face.flips()))?;
        }
        let mut faces = CardList::default();
        for &hue in side.hues() {
            let [stars, numbers @ ..] = &left[hue as usize];
            if numbers.iter().sum::<u8>() < flips[hue as usize] {
                return None;
            }
            for (number, &left) in (1..).zip(numbers) {
                (0..left).for_each(|_| faces.push(Face::numbered(hue, number, false)));
            }
            (0..*stars).for_each(|_| faces.push(Face::star(hue)));
        }
        Some(Pool { faces, flips })
    }

    /// Samples the flip symbols, and orders of the faces with numbers and of the stars.
    fn shuffled(mut self, side: CardSide, rng: &mut dyn Rng) -> [CardList<Face, CARDS>; 2] {
        for &hue in side.hues() {
            mark(&mut self.faces, hue, self.flips[hue as usize], rng);
        }
        chance::shuffle(rng, &mut self.faces);
        let mut sorted = [CardList::default(), CardList::default()];
        for &face in self.faces.iter() {
            sorted[usize::from(face.is_star())].push(face);
        }
        sorted
    }
}

/// Samples all unknown faces uniformly from all ways without stars on both sides of a card. Returns
/// nothing when there is no way.
fn fill(game: &Phase10, known: &KnownFaces, rng: &mut dyn Rng) -> Option<[Card; CARDS]> {
    let flips = game.rules.flips_each_side;
    let mut pools = CardList::<CardList<Face, CARDS>, 4>::default();
    for side in CardSide::BOTH {
        let pool = Pool::of(side, known, flips)?.shuffled(side, rng);
        pool.into_iter().for_each(|faces| pools.push(faces));
    }
    let [
        ref mut colours,
        ref mut colour_stars,
        ref mut wilds,
        ref mut wild_stars,
    ] = pools[..]
    else {
        return None;
    };
    let star_places = star_places(known, colour_stars.len(), wild_stars.len(), rng)?;
    let mut cards = [Card::default(); CARDS];
    for (place, card) in cards.iter_mut().enumerate() {
        let face = |side: CardSide,
                    numbers: &mut CardList<Face, CARDS>,
                    stars: &mut CardList<Face, CARDS>| {
            known[place][side as usize].or_else(|| {
                if star_places[side as usize][place] {
                    stars.pop()
                } else {
                    numbers.pop()
                }
            })
        };
        card[0] = face(CardSide::Colour, colours, colour_stars)?;
        card[1] = face(CardSide::Wild, wilds, wild_stars)?;
    }
    (!cards.iter().any(is_star_on_star)).then_some(cards)
}

/// Samples the cards of the unknown stars of both sides, uniformly from all choices without stars on
/// both sides of a card. Returns nothing when there is none.
fn star_places(
    known: &KnownFaces,
    colour_stars: usize,
    wild_stars: usize,
    rng: &mut dyn Rng,
) -> Option<[[bool; CARDS]; 2]> {
    // Cards that can get a star on both sides, on the colour side only and on the wild side only.
    let mut both: CardList<u8, CARDS> = CardList::default();
    let mut colour: CardList<u8, CARDS> = CardList::default();
    let mut wild: CardList<u8, CARDS> = CardList::default();
    for (place, faces) in (0..).zip(known) {
        match *faces {
            [None, None] => both.push(place),
            [None, Some(face)] if !face.is_star() => colour.push(place),
            [Some(face), None] if !face.is_star() => wild.push(place),
            _ => {}
        }
    }
    // The number of ways with this many colour stars among the first.
    let ways = |among_both: usize| {
        choices(both.len(), among_both)
            * choices(colour.len(), colour_stars - among_both)
            * choices(both.len() - among_both + wild.len(), wild_stars)
    };
    let all: u128 = (0..=colour_stars.min(both.len())).map(ways).sum();
    let mut one = below(rng, all)?;
    let mut among_both = 0;
    while one >= ways(among_both) {
        one -= ways(among_both);
        among_both += 1;
    }
    let mut stars = [[false; CARDS]; 2];
    chance::shuffle(rng, &mut both);
    chance::shuffle(rng, &mut colour);
    let (with_colour, left) = both.split_at(among_both);
    for &place in with_colour
        .iter()
        .chain(&colour[..colour_stars - among_both])
    {
        stars[CardSide::Colour as usize][usize::from(place)] = true;
    }
    left.iter().for_each(|&place| wild.push(place));
    chance::shuffle(rng, &mut wild);
    for &place in &wild[..wild_stars] {
        stars[CardSide::Wild as usize][usize::from(place)] = true;
    }
    Some(stars)
}

/// Returns the binomial coefficient; `count` is at most eight.
fn choices(of: usize, count: usize) -> u128 {
    debug_assert!(count <= STARS);
    if count > of {
        return 0;
    }
    (0..count as u128).fold(1, |ways, taken| ways * (of as u128 - taken) / (taken + 1))
}

/// Samples a number below a bound uniformly. Returns nothing when the bound is 0.
fn below(rng: &mut dyn Rng, bound: u128) -> Option<u128> {
    let mask = u128::MAX
        .checked_shr(bound.checked_sub(1)?.leading_zeros())
        .unwrap_or(0);
    loop {
        let bits = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
        if bits & mask < bound {
            return Some(bits & mask);
        }
    }
}

/// Builds a hand that completes the phase, and samples the rest. The hands are not equally likely:
/// this is for phases that too few hands complete to find one by sampling.
fn build(
    game: &Phase10,
    known: &KnownFaces,
    seat: Seat,
    rng: &mut dyn Rng,
) -> Option<[Card; CARDS]> {
    let side = game.side;
    let pool = Pool::of(side, known, game.rules.flips_each_side)?;
    let mut holding = Holding::default();
    for &face in pool.faces.iter() {
        holding.add(face);
        if !face.is_star() && pool.flips[face.hue() as usize] > 0 {
            holding.add(face.marked());
        }
    }
    let (shapes, lie) = (game.shapes(seat), game.lie(seat));
    let mut tries = 0;
    let mut built = None;
    let (rest, floor) = (&shapes[lie.len()..], floor_of(shapes, &lie));
    let mut try_them = |needed: &[Face]| {
        tries += 1;
        let with = give(game, known, seat, needed, rng);
        let cards = with.and_then(|known| fill(game, &known, rng));
        built = cards.filter(|cards| can_go_on(game, seat, cards));
        built.is_some() || tries == MAX_BUILDS
    };
    let mut needed = CardList::default();
    complete(&holding, rest, floor, &mut needed, &mut try_them);
    built
}

/// Visits choices of cards that make these groups until a visit returns true.
fn complete(
    holding: &Holding,
    rest: &[Shape],
    floor: Option<&[PlayedCard]>,
    needed: &mut CardList<Face, 8>,
    visit: &mut dyn FnMut(&[Face]) -> bool,
) -> bool {
    let [shape, after @ ..] = rest else {
        return visit(needed);
    };
    let mut each = |laid: &Laid| {
        if floor.is_some_and(|floor| **laid < *floor) {
            return false;
        }
        let before = *needed;
        laid.iter().for_each(|card| needed.push(card.face()));
        let floor = floor_of(rest, &[&**laid]);
        let enough = complete(&holding.without(laid), after, floor, needed, visit);
        *needed = before;
        enough
    };
    // Groups with a number card come first: stars alone complete no phase.
    holding.groups(*shape, 1..=HIGHEST, &mut |laid| {
        has_number_card(laid) && each(laid)
    }) || holding.groups(*shape, 1..=HIGHEST, &mut |laid| {
        !has_number_card(laid) && each(laid)
    })
}

/// Puts these faces into a hand on the side in play. No star comes on a card with a star behind.
fn give(
    game: &Phase10,
    known: &KnownFaces,
    seat: Seat,
    needed: &[Face],
    rng: &mut dyn Rng,
) -> Option<KnownFaces> {
    let (side, back) = (game.side as usize, game.side.other() as usize);
    let mut hand = game.place(seat).hand;
    chance::shuffle(rng, &mut hand);
    // Stars go to cards from the front and numbers from the back, where the cards with a star
    // behind are.
    let has_star = |card: u8| known[usize::from(card)][back].is_some_and(Face::is_star);
    hand.sort_by_key(|&card| has_star(card));
    let first_with_star = hand.partition_point(|&card| !has_star(card));
    let mut known = *known;
    let (stars, numbers): (Vec<Face>, Vec<Face>) = needed.iter().partition(|face| face.is_star());
    if stars.len() > first_with_star || needed.len() > hand.len() {
        return None;
    }
    let given = stars.iter().zip(hand.iter());
    for (&face, &card) in given.chain(numbers.iter().zip(hand.iter().rev())) {
        known[usize::from(card)][side] = Some(face);
    }
    Some(known)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use serde_json::{Value, json};

    use super::super::cards::misprint;
    use super::super::state::Phase10Options;
    use super::super::view::Phase10View;
    use super::*;
    use crate::game::Game;

    fn face(text: &str) -> Option<Face> {
        Face::read(text)
    }

    #[test]
    fn every_choice_of_places_for_stars_is_alike() {
        // Two cards of which nothing is known, two with a wild number, two with a coloured one; a
        // star for either side. All others are known.
        let mut known: KnownFaces = [[face("r1"), face("w1")]; CARDS];
        known[0] = [None, None];
        known[1] = [None, None];
        known[2] = [None, face("w2")];
        known[3] = [None, face("w3")];
        known[4] = [face("r2"), None];
        known[5] = [face("r3"), None];
        // Nothing goes behind a star.
        known[6] = [face("r*"), None];
        known[7] = [None, face("w*")];
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut counts = BTreeMap::<(usize, usize), f64>::new();
        for _ in 0..14_000 {
            let stars = star_places(&known, 1, 1, &mut rng).expect("there are ways");
            let place = |side: usize| {
                let mut places = (0..CARDS).filter(|&place| stars[side][place]);
                let place = places.next().expect("a star");
                assert_eq!(places.next(), None);
                place
            };
            *counts.entry((place(0), place(1))).or_default() += 1.0;
        }
        // Four places for either, but not the same one of the two.
        assert_eq!(counts.len(), 4 * 4 - 2);
        let chi_squared: f64 = counts
            .values()
            .map(|count| (count - 1000.0).powi(2) / 1000.0)
            .sum();
        // 13 degrees of freedom: 34.53 is exceeded once in a thousand.
        assert!(chi_squared < 34.53, "{chi_squared}");
        assert!(star_places(&known, 5, 1, &mut rng).is_none(), "no such way");
    }

    /// Seat 0 of two has laid these groups of its phase on the colour side, and the public looks.
    fn between_groups(phase: u8, groups: &Value, held: u8) -> Phase10 {
        let before = u32::from(phase) - 1;
        let seat = |cards: u8, groups: &Value| {
            json!({
                "score": 60 * before, "completed": before, "phase": phase, "laid": false,
                "cards": cards, "groups": groups,
            })
        };
        let view = json!({
            "round": 2 * before + 1, "deciding": null, "dealer": 1, "side": "colour", "turn": 0,
            "stage": "play", "to_move": 0, "seats": [seat(held, groups), seat(10, &json!([]))],
            "draw_pile": { "cards": 82, "top": "w7" },
            "discard_pile": { "cards": 1, "top": "b12" },
        });
        let view: Phase10View = serde_json::from_value(view).expect("a view");
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let options = Phase10Options::default();
        Phase10::from_view(&options, 2, Viewer::Public, &view, &mut rng).expect("it can be")
    }

    #[test]
    fn a_hand_that_is_built_completes_the_phase_with_a_deck_that_can_be() {
        let run = |cards: Value| {
            let colour = &cards[0].as_str().expect("a card")[..1];
            json!([{ "kind": "run", "colour": colour, "cards": cards }])
        };
        for (phase, groups, held) in [
            (1, run(json!(["b11", "b12"])), 9),
            (1, run(json!(["r*=11", "r*=12"])), 9),
            (6, run(json!(["b10^", "b11", "b12"])), 8),
            (9, run(json!(["b*=11", "b*=12"])), 9),
            (10, run(json!(["b*=10", "b*=11", "b12"])), 8),
        ] {
            let game = between_groups(phase, &groups, held);
            let cards = game.cards.expect("they are drawn");
            let known = seen(&game, &cards, Viewer::Public);
            let mut rng = ChaCha8Rng::seed_from_u64(phase.into());
            for _ in 0..50 {
                let built = build(&game, &known, 0, &mut rng).expect("there is such a hand");
                assert!(can_go_on(&game, 0, &built), "phase {phase}");
                assert_eq!(misprint(&built, 8), None);
                for (card, known) in built.iter().zip(&known) {
                    let agrees = |side: usize| known[side].is_none_or(|face| face == card[side]);
                    assert!(agrees(0) && agrees(1));
                }
            }
        }
    }
}
