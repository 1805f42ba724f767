//! What the tests of this crate share: small arenas, bots without files, made-up results.

use std::collections::HashMap;

use flipside_ratings::Seating;
use flipside_referee::{MatchResult, SeatFault, SeatResult};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use tempfile::TempDir;

use crate::bot::BotId;
use crate::bot_file::KeptFile;
use crate::journal::Journal;
use crate::journal::matches::Finished;
use crate::journal::packed::PackedRecord;
use crate::journal::scored::Scored;
use crate::journal::tournaments::Tournament;
use crate::names::Name;
use crate::schedule::{Pairing, match_id};
use crate::settings::Settings;

/// A number that follows from these and from the seed of the tests, which `.cargo/config.toml` fixes.
pub(crate) fn drawn(from: [u64; 2]) -> u64 {
    let seed = std::env::var("PROPTEST_RNG_SEED").expect("cargo sets it: .cargo/config.toml");
    let seed: u64 = seed.parse().expect("a seed is a whole number");
    let numbers = [seed, from[0], from[1], 0].map(u64::to_le_bytes);
    let bytes = numbers.as_flattened().try_into();
    ChaCha8Rng::from_seed(bytes.expect("four numbers are 32 bytes")).next_u64()
}

pub(crate) fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

/// A salt.
pub(crate) const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

pub(crate) fn settings(rounds: u32) -> Settings {
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

/// A file that is in no arena; other bytes for another `content`.
pub(crate) fn file(content: u8) -> KeptFile {
    let sha256 = format!("{content:02x}").repeat(32);
    KeptFile {
        kind: flipside_sandbox::ProgramKind::Module,
        size: 1,
        file: format!("{sha256}.wasm").parse().expect("a name of a file"),
        sha256,
    }
}

pub(crate) fn new_journal() -> (TempDir, Journal) {
    let folder = tempfile::tempdir().expect("a folder for a test");
    let journal = Journal::open(folder.path().join("journal.sqlite")).expect("a journal");
    (folder, journal)
}

/// Enters so many bots into a new tournament.
pub(crate) fn tournament(journal: &mut Journal, title: &str, bots: u8, rounds: u32) -> Tournament {
    let bots: Vec<BotId> = (0..bots)
        .map(|bot| {
            journal
                .add_bot(&name(&format!("bot{bot}")), &file(bot), 1)
                .expect("added")
                .bot
                .id
        })
        .collect();
    journal
        .begin(&name(title), &settings(rounds), &bots, 2)
        .expect("begun")
        .tournament
}

/// A result of a pairing: what comes of it is drawn from the index, some faults included.
pub(crate) fn finished(tournament: &Tournament, pairing: &Pairing) -> Finished {
    let id = match_id(&tournament.name, pairing.index);
    let places = [[1, 2], [2, 1], [1, 1], [1, 2]][(pairing.index * 7 + 3) as usize % 11 % 4];
    let seats = places.map(|place| SeatResult {
        points: i32::from(places == [1, 1]) + 2 * i32::from(place == 1),
        place,
        fault: (place == 2 && pairing.index.is_multiple_of(5)).then(|| SeatFault {
            name: if pairing.index.is_multiple_of(2) {
                "late"
            } else {
                "crashed"
            }
            .into(),
            detail: "no answer in 1 s".into(),
        }),
        used_us: 1_000,
        plies: 20,
    });
    let scored = Scored {
        pairing: pairing.clone(),
        result: MatchResult {
            reason: "four".into(),
            plies: 40,
            seats: seats.to_vec(),
        },
    };
    let record = format!("{{\"type\":\"match\",\"id\":\"{id}\"}}\n");
    Finished {
        record: Some(PackedRecord::pack(&record)),
        ..Finished::new(tournament, scored, (1_000 + pairing.index, 2_000))
    }
}

/// A result between two entrants; a score of 2, 1 or 0 for the first.
pub(crate) fn scored(round: u32, [one, other]: [usize; 2], score: u8) -> Scored {
    let [first, second] = [[2, 1], [1, 1], [1, 2]][usize::from(score)];
    ranked(round, &[(one, first), (other, second)])
}

/// A result of a match in which these entrants took these places.
pub(crate) fn ranked(round: u32, places: &[(usize, u8)]) -> Scored {
    let (seats, places): (Vec<usize>, Vec<u8>) = places.iter().copied().unzip();
    Scored {
        pairing: Pairing {
            round,
            seats,
            ..Pairing::default()
        },
        result: MatchResult::of_places(places),
    }
}

/// One bot in each seat, and every second seat on the same side.
pub(crate) fn in_teams(seats: u8) -> Seating {
    let sides: Vec<u8> = (0..seats).map(|seat| seat % 2).collect();
    Seating::copies(&sides, 1).expect("one bot in each seat")
}

/// In how many matches each bot was each other's partner, where every second seat is on the same side.
pub(crate) fn partners(pairings: impl Iterator<Item = Pairing>) -> HashMap<(usize, usize), u64> {
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
