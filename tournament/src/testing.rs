//! What the tests of this crate and of those above it share: settings, and results that are made up.

use std::collections::HashMap;

use flipside_ratings::Seating;
use flipside_referee::MatchResult;

use crate::names::Name;
use crate::schedule::Pairing;
use crate::scored_pairing::ScoredPairing;
use crate::settings::Settings;

/// This text as a name.
pub fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

/// A salt.
pub const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Settings of a round robin whose faults pause nobody.
pub fn settings(rounds: u32) -> Settings {
    Settings {
        game: "flipfour".into(),
        rounds,
        seed: 7,
        salt: SALT.parse().expect("a salt"),
        // Made-up faults are not to end the tests.
        pause_after: 0,
        ..Settings::default()
    }
}

/// A result between two entrants; a score of 2, 1 or 0 for the first.
pub fn scored(round: u32, [one, other]: [usize; 2], score: u8) -> ScoredPairing {
    let [first, second] = [[2, 1], [1, 1], [1, 2]][usize::from(score)];
    ranked(round, &[(one, first), (other, second)])
}

/// A result of a match in which these entrants took these places.
pub fn ranked(round: u32, places: &[(usize, u8)]) -> ScoredPairing {
    let (seats, places): (Vec<usize>, Vec<u8>) = places.iter().copied().unzip();
    ScoredPairing {
        pairing: Pairing {
            round,
            seats,
            ..Pairing::default()
        },
        result: MatchResult::of_places(places),
    }
}

/// One bot in each seat, and every second seat on the same side.
pub fn in_teams(seats: u8) -> Seating {
    let sides: Vec<u8> = (0..seats).map(|seat| seat % 2).collect();
    Seating::copies(&sides, 1).expect("one bot in each seat")
}

/// In how many matches each bot was each other's partner, where every second seat is on the same side.
pub fn partners(pairings: impl Iterator<Item = Pairing>) -> HashMap<(usize, usize), u64> {
    let mut partners = HashMap::new();
    for pairing in pairings {
        for (seat, &bot) in pairing.seats.iter().enumerate() {
            let side = pairing.seats.iter().skip(seat % 2).step_by(2);
            for &partner in side.filter(|&&partner| partner != bot) {
                *partners.entry((bot, partner)).or_default() += 1;
            }
        }
    }
    partners
}
