//! What the tests of this crate and of those above it share: small arenas, bots without files, made-up results.

use flipside_referee::{MatchResult, SeatFault, SeatResult};
use flipside_tournament::testing::{name, settings};
use flipside_tournament::{BotId, Pairing, ScoredPairing, Tournament, match_id};
use tempfile::TempDir;

use crate::journal::Journal;
use crate::journal::matches::FinishedMatch;
use crate::journal::packed::PackedRecord;
use crate::kept_file::KeptFile;

/// A file that is in no arena; other bytes for another `content`.
pub fn file(content: u8) -> KeptFile {
    let sha256 = format!("{content:02x}").repeat(32);
    KeptFile {
        kind: flipside_sandbox::ProgramKind::Module,
        size: 1,
        file: format!("{sha256}.wasm").parse().expect("a name of a file"),
        sha256,
    }
}

/// A journal without anything in it, in a folder that is deleted with it.
pub fn new_journal() -> (TempDir, Journal) {
    let folder = tempfile::tempdir().expect("a folder for a test");
    let journal = Journal::open(folder.path().join("journal.sqlite")).expect("a journal");
    (folder, journal)
}

/// Enters so many bots into a new tournament.
pub fn tournament(journal: &mut Journal, title: &str, bots: u8, rounds: u32) -> Tournament {
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
pub fn finished(tournament: &Tournament, pairing: &Pairing) -> FinishedMatch {
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
        model: None,
    });
    let scored = ScoredPairing {
        pairing: pairing.clone(),
        result: MatchResult {
            reason: "four".into(),
            plies: 40,
            seats: seats.to_vec(),
        },
    };
    let record = format!("{{\"type\":\"match\",\"id\":\"{id}\"}}\n");
    FinishedMatch {
        record: Some(PackedRecord::pack(&record)),
        ..FinishedMatch::new(tournament, scored, (1_000 + pairing.index, 2_000))
    }
}
