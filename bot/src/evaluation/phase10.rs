//! How a table of Phase 10 Flip looks: how many phases each seat has, how many cards are missing
//! to the next one, and how many it has to get rid of.

use flipside_games::phase10::{Face, HIGHEST, Hue, Kind};
use flipside_games::{Game, MAX_SEATS, Phase10, Seat};

use super::Scores;

/// What a phase is worth.
const PHASE: f64 = 0.8;

/// What part of it is left for each card that is missing.
const MISSING: f64 = 0.72;

/// What of it is there before a phase that could be laid is laid.
const READY: f64 = 0.85;

/// What each card costs that is still to get rid of, once the phase is laid.
const CARD: f64 = 0.05;

/// The cards of a hand before and after a turn, until the phase is laid.
const DEALT: f64 = 10.0;

/// What part of that it costs if it could be added to a group on the table.
const FITTING: f64 = 0.3;

/// What each point costs that the hand would score.
const POINT: f64 = 0.0008;

/// What each point of the total costs.
const TOTAL: f64 = 0.002;

pub(super) fn scores(game: &Phase10) -> Scores {
    let mut scores = [0.0; MAX_SEATS];
    for seat in 0..game.seats() {
        scores[usize::from(seat)] = score(game, seat);
    }
    scores
}

fn score(game: &Phase10, seat: Seat) -> f64 {
    let (completed, total) = game.standing(seat);
    let done = PHASE * f64::from(completed) - TOTAL * f64::from(total);
    if game.is_between_rounds() {
        return done;
    }
    let (mut cards, mut points) = (0.0, 0.0);
    let mut held = Held::default();
    for face in game.hand(seat) {
        cards += 1.0;
        points += f64::from(face.score());
        held.add(face);
    }
    // A card that was drawn will be discarded again: what it counts says nothing.
    let done = if cards <= DEALT {
        done - POINT * points
    } else {
        done
    };
    if game.is_down(seat) {
        let mut stuck = game
            .hand(seat)
            .filter(|&face| !game.fits_on_table(face))
            .count() as f64;
        let mut fitting = cards - stuck;
        if game.is_to_discard(seat) {
            // One of them goes with the discard.
            if stuck > 0.0 {
                stuck -= 1.0;
            } else {
                fitting -= 1.0;
            }
        }
        done - CARD * (stuck + fitting * FITTING)
    } else if cards == 0.0 {
        // It does not play this round.
        done
    } else if game.groups_laid(seat) > 0 {
        // What is begun can be finished.
        done + PHASE * (READY + 0.05) - CARD * cards
    } else {
        let missing = held.missing(&game.wanted(seat).collect::<Vec<_>>());
        let near = (0..missing).fold(1.0, |near, _| near * MISSING);
        done + PHASE * READY * near - CARD * DEALT
    }
}

/// The colours, wild among them.
const SUITS: usize = Hue::Wild as usize + 1;

/// One more than the highest number.
const NUMBERS: usize = HIGHEST as usize + 1;

/// A hand, counted.
#[derive(Clone, Default)]
struct Held {
    /// By suit and number.
    cards: [[u8; NUMBERS]; SUITS],
    stars: [u8; SUITS],
}

impl Held {
    fn add(&mut self, face: Face) {
        let suit = face.hue() as usize;
        match face.number() {
            Some(number) => self.cards[suit][usize::from(number)] += 1,
            None => self.stars[suit] += 1,
        }
    }

    /// How many cards are missing to the phase, at least nearly: runs are chosen first, then sets
    /// from what is left, each the best alone.
    fn missing(&self, groups: &[(Kind, u8)]) -> u32 {
        let runs = groups.iter().filter(|(kind, _)| *kind == Kind::Run).count();
        self.missing_runs(runs, groups)
    }

    fn missing_runs(&self, runs: usize, groups: &[(Kind, u8)]) -> u32 {
        let mut fewest = u32::MAX;
        let Some(&(_, cards)) = groups.first().filter(|_| runs > 0) else {
            return self.missing_sets(groups);
        };
        for suit in 0..SUITS {
            if self.cards[suit].iter().all(|&count| count == 0) && self.stars[suit] == 0 {
                continue;
            }
            for low in 1..=NUMBERS - usize::from(cards) {
                let mut rest = self.clone();
                let mut missing = 0;
                for number in low..low + usize::from(cards) {
                    if rest.cards[suit][number] > 0 {
                        rest.cards[suit][number] -= 1;
                    } else if rest.stars[suit] > 0 {
                        rest.stars[suit] -= 1;
                    } else {
                        missing += 1;
                    }
                }
                // Another way as bad as the best cannot be better in the end.
                if missing < fewest && missing < u32::from(cards) {
                    fewest = fewest.min(missing + rest.missing_runs(runs - 1, &groups[1..]));
                }
            }
        }
        match fewest {
            u32::MAX => groups.iter().map(|&(_, cards)| u32::from(cards)).sum(),
            fewest => fewest,
        }
    }

    fn missing_sets(&self, groups: &[(Kind, u8)]) -> u32 {
        let mut counts = [0; NUMBERS];
        for cards in &self.cards {
            counts
                .iter_mut()
                .zip(cards)
                .for_each(|(sum, count)| *sum += count);
        }
        let mut stars: u8 = self.stars.iter().sum();
        let mut missing = 0;
        for &(_, wanted) in groups {
            let most = counts.iter_mut().max();
            let used = most.map_or(0, |most| {
                let used = wanted.min(*most);
                *most -= used;
                used
            });
            let filled = stars.min(wanted - used);
            stars -= filled;
            missing += u32::from(wanted - used - filled);
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hand from words like `r7` and `b*`.
    fn held(words: &str) -> Held {
        let mut held = Held::default();
        for word in words.split_whitespace() {
            held.add(serde_json::from_str(&format!("\"{word}\"")).expect("a face"));
        }
        held
    }

    #[test]
    fn missing_cards_are_counted() {
        const RUN: Kind = Kind::Run;
        const SET: Kind = Kind::Set;
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
                held(words).missing(groups),
                missing,
                "{words} for {groups:?}"
            );
        }
    }
}
