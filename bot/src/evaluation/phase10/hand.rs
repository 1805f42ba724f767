//! What a hand of Phase 10 Flip needs for its phase: how many cards are missing, and how many cards
//! of the deck would help.

use std::ops::Range;

use flipside_games::phase10::{CardColor, Face, GroupKind, HIGHEST};

/// The colours, wild among them.
const SUITS: usize = CardColor::Wild as usize + 1;

/// One more than the highest number.
const NUMBERS: usize = HIGHEST as usize + 1;

/// How many cards of each suit and number there are, and how many stars of each suit.
const COPIES: [u8; SUITS] = [2, 2, 2, 2, 8];

/// A hand, counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hand {
    /// By suit and number; stars are number 0.
    cards: [[u8; NUMBERS]; SUITS],
    /// By number, of all suits.
    numbers: [u8; NUMBERS],
    /// By suit, a bit for each number in the hand.
    there: [u16; SUITS],
}

/// What a hand needs for its phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseNeed {
    /// How many cards are missing.
    pub missing: u8,
    /// How many cards of the deck, apart from those in the hand, would leave one less missing.
    pub outs: u8,
}

impl Hand {
    /// Counts the cards of a hand.
    pub fn of(faces: impl IntoIterator<Item = Face>) -> Self {
        let mut hand = Hand::default();
        for face in faces {
            hand.add(face);
        }
        hand
    }

    /// Adds a card.
    pub fn add(&mut self, face: Face) {
        let (suit, number) = (face.hue() as usize, face.number().unwrap_or(0));
        self.cards[suit][usize::from(number)] += 1;
        if number > 0 {
            self.numbers[usize::from(number)] += 1;
            self.there[suit] |= 1 << number;
        }
    }

    /// Removes a card that the hand has.
    pub fn remove(&mut self, face: Face) {
        self.take(face.hue() as usize, face.number().unwrap_or(0).into());
    }

    /// Removes a card by suit and number.
    fn take(&mut self, suit: usize, number: usize) {
        let count = &mut self.cards[suit][number];
        *count -= 1;
        if number > 0 {
            self.numbers[number] -= 1;
            if *count == 0 {
                self.there[suit] &= !(1 << number);
            }
        }
    }

    /// Returns what the hand needs for the groups of a phase, runs before sets.
    pub fn need(&self, groups: &[(GroupKind, u8)]) -> PhaseNeed {
        let runs = groups
            .iter()
            .filter(|(kind, _)| *kind == GroupKind::Run)
            .count();
        let (runs, sets) = groups.split_at(runs);
        let mut search = HandSearch {
            suits: self.suits(),
            sets,
            // Runs take cards away, so it is never less.
            least_of_sets: self.sets(sets).0,
            least: groups.iter().map(|&(_, cards)| cards).sum(),
            outs: Outs::default(),
        };
        search.runs(self, runs, 0, 0, Outs::default());
        PhaseNeed {
            missing: search.least,
            outs: search.outs.count(self),
        }
    }

    /// Returns how many cards sets miss, and the numbers that would leave one less missing: for each
    /// set in turn, the number of which there are most is chosen.
    fn sets(&self, sets: &[(GroupKind, u8)]) -> (u8, u16) {
        let mut left = self.numbers;
        let mut stars: u8 = self.cards.iter().map(|cards| cards[0]).sum();
        let mut missing = 0;
        let mut useful = 0;
        for &(_, wanted) in sets {
            let most = left[1..].iter().copied().max().unwrap_or(0);
            let used = most.min(wanted);
            if used < wanted {
                for (number, &count) in left.iter().enumerate().skip(1) {
                    useful |= u16::from(count == most) << number;
                }
            }
            if let Some(place) = left[1..].iter().position(|&count| count == most) {
                left[1 + place] -= used;
            }
            let filled = stars.min(wanted - used);
            stars -= filled;
            missing += wanted - used - filled;
        }
        (missing, useful)
    }
}

/// The cards that help, as bits.
#[derive(Clone, Copy, Debug, Default)]
struct Outs {
    /// By suit, the numbers.
    numbers: [u16; SUITS],
    /// The suits whose stars help, as bits.
    stars: u8,
}

impl Outs {
    /// Adds what another way needs.
    fn join(&mut self, other: &Outs) {
        for (own, more) in self.numbers.iter_mut().zip(other.numbers) {
            *own |= more;
        }
        self.stars |= other.stars;
    }

    /// Counts the cards that are not in the hand, on the side that the hand is on.
    fn count(&self, hand: &Hand) -> u8 {
        let mut count = 0;
        for suit in hand.suits() {
            let mut helps = self.numbers[suit] | u16::from(self.stars >> suit & 1);
            while helps != 0 {
                let number = helps.trailing_zeros() as usize;
                count += COPIES[suit].saturating_sub(hand.cards[suit][number]);
                helps &= helps - 1;
            }
        }
        count
    }
}

/// The search for the ways to a phase that miss the fewest cards.
struct HandSearch<'a> {
    /// Those of the side that the hand is on.
    suits: Range<usize>,
    sets: &'a [(GroupKind, u8)],
    least_of_sets: u8,
    least: u8,
    outs: Outs,
}

impl HandSearch<'_> {
    /// Tries all ways to make the runs, and then the sets from what is left. `missing` and `outs` are
    /// those of the runs made before; a run starts no earlier than at `from`, by suit and number.
    fn runs(
        &mut self,
        hand: &Hand,
        runs: &[(GroupKind, u8)],
        missing: u8,
        from: usize,
        outs: Outs,
    ) {
        let [(_, cards), rest @ ..] = runs else {
            return self.rest(hand, missing, outs);
        };
        let cards = usize::from(*cards);
        for suit in self.suits.clone() {
            let first = from.saturating_sub(suit * NUMBERS).max(1);
            for low in first..=NUMBERS - cards {
                let window = ((1 << cards) - 1) << low;
                let lacking = window & !hand.there[suit];
                let lack = lacking.count_ones() as u8;
                let stars = hand.cards[suit][0].min(lack);
                let missing = missing + lack - stars;
                if missing + self.least_of_sets > self.least {
                    continue;
                }
                let mut left = *hand;
                left.cards[suit][0] -= stars;
                let mut used = window & hand.there[suit];
                while used != 0 {
                    left.take(suit, used.trailing_zeros() as usize);
                    used &= used - 1;
                }
                let mut outs = outs;
                outs.numbers[suit] |= lacking;
                if lack > stars {
                    outs.stars |= 1 << suit;
                }
                self.runs(&left, rest, missing, suit * NUMBERS + low, outs);
            }
        }
    }

    fn rest(&mut self, hand: &Hand, missing: u8, mut outs: Outs) {
        let (more, numbers) = hand.sets(self.sets);
        let missing = missing + more;
        if missing > self.least {
            return;
        }
        if missing < self.least {
            self.least = missing;
            self.outs = Outs::default();
        }
        if missing > 0 {
            if more > 0 {
                outs.numbers.iter_mut().for_each(|suit| *suit |= numbers);
                outs.stars = u8::MAX;
            }
            self.outs.join(&outs);
        }
    }
}

impl Hand {
    /// Returns the suits of the side that the cards are on.
    fn suits(&self) -> Range<usize> {
        let wild = CardColor::Wild as usize;
        if self.there[wild] != 0 || self.cards[wild][0] > 0 {
            wild..SUITS
        } else {
            0..wild
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hand from words like `r7` and `b*`.
    fn held(words: &str) -> Hand {
        let mut held = Hand::default();
        for word in words.split_whitespace() {
            held.add(serde_json::from_str(&format!("\"{word}\"")).expect("a face"));
        }
        held
    }

    #[test]
    fn cards_that_help_are_counted_without_those_held() {
        const RUN: GroupKind = GroupKind::Run;
        const SET: GroupKind = GroupKind::Set;
        for (words, groups, outs) in [
            // r5 and r6 (two each), and both stars of the suit.
            ("r3 r4 r5 g8", &[(RUN, 4)][..], 2 + 2 + 2),
            // One of the stars is in the hand: it is the third card of a run of five.
            ("r3 r4 r* g8", &[(RUN, 4)], 2 + 2 + 2 + 2 + 1),
            // The other 7 of each colour but two of these, and all stars.
            ("r7 g7 b2", &[(SET, 3)], 8 - 2 + 8),
            ("w7 w7 w2", &[(SET, 3)], 8 - 2 + 8),
            // Nothing is missing.
            ("r7 g7 b7", &[(SET, 3)], 0),
        ] {
            assert_eq!(
                held(words).need(groups).outs,
                outs,
                "{words} for {groups:?}"
            );
        }
    }

    #[test]
    fn missing_cards_are_counted() {
        const RUN: GroupKind = GroupKind::Run;
        const SET: GroupKind = GroupKind::Set;
        for (words, groups, missing) in [
            ("r3 r4 g7 g8", &[(RUN, 2), (RUN, 2)][..], 0),
            ("r3 r4 g7 b9", &[(RUN, 2), (RUN, 2)], 1),
            ("r3 r4 g4", &[(RUN, 2), (SET, 2)], 1),
            ("r3 r4 g5 b5", &[(RUN, 2), (SET, 2)], 0),
            ("r3 r* g5 b*", &[(RUN, 2), (SET, 2)], 0),
            ("w1 w2 w3 w4 w5 w9 w9", &[(RUN, 5), (SET, 2)], 0),
            ("w1 w2 w4 w5 w9 w9", &[(RUN, 5), (SET, 2)], 1),
            ("r1 r2 r3 g5 b5 y7 r7", &[(RUN, 3), (SET, 2), (SET, 2)], 0),
        ] {
            assert_eq!(
                held(words).need(groups).missing,
                missing,
                "{words} for {groups:?}"
            );
        }
    }
}
