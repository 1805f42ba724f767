//! Reports of arenas and of results, as a user of the library has them.

mod arenas;
mod results;

use flipside_referee::{MatchResult, SeatFault, SeatResult};
use flipside_sandbox::ProgramKind;
use flipside_store::{FinishedMatch, Journal, KeptFile, PackedRecord};
use flipside_tournament::{BotId, Pairing, ScoredPairing, Settings, Tournament, match_id};
use tempfile::TempDir;

fn new_journal() -> (TempDir, Journal) {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open(folder.path().join("journal.sqlite")).unwrap();
    (folder, journal)
}

/// Enters so many bots, which have no files, into a new tournament.
fn tournament(journal: &mut Journal, name: &str, bots: u8, rounds: u32) -> Tournament {
    let mut ids: Vec<BotId> = Vec::new();
    for bot in 0..bots {
        let sha256 = format!("{bot:02x}").repeat(32);
        let file = KeptFile {
            kind: ProgramKind::Module,
            size: 1,
            file: format!("{sha256}.wasm").parse().unwrap(),
            sha256,
        };
        let name = format!("bot{bot}").parse().unwrap();
        ids.push(journal.add_bot(&name, &file, 1).unwrap().bot.id);
    }
    let settings = Settings {
        game: "flipfour".into(),
        rounds,
        seed: 7,
        salt: "5a".repeat(32).parse().unwrap(),
        // Made-up faults pause nobody.
        pause_after: 0,
        ..Settings::default()
    };
    let begun = journal.begin(&name.parse().unwrap(), &settings, &ids, 2);
    begun.unwrap().tournament
}

/// A result of a pairing. What comes of it follows from the index, some faults included.
fn finished(tournament: &Tournament, pairing: &Pairing) -> FinishedMatch {
    let places = [[1, 2], [2, 1], [1, 1], [1, 2]][(pairing.index * 7 + 3) as usize % 11 % 4];
    let seats = places.map(|place| SeatResult {
        points: i32::from(places == [1, 1]) + 2 * i32::from(place == 1),
        place,
        fault: (place == 2 && pairing.index.is_multiple_of(5)).then(|| SeatFault {
            name: "late".into(),
            detail: "no answer in 1 s".into(),
        }),
        used_us: 1_000,
        plies: 20,
    });
    let scored = ScoredPairing {
        pairing: pairing.clone(),
        result: MatchResult {
            reason: "four".into(),
            plies: 40,
            seats: seats.to_vec(),
        },
    };
    let id = match_id(&tournament.name, pairing.index);
    let record = format!("{{\"type\":\"match\",\"id\":\"{id}\"}}\n");
    FinishedMatch {
        record: Some(PackedRecord::pack(&record)),
        ..FinishedMatch::new(tournament, scored, (1_000 + pairing.index, 2_000))
    }
}
