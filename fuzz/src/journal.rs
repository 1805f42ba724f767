//! A journal that somebody else has made, or that a disk has damaged. The bytes are a whole file, or
//! what is changed in a small one: a zero, and then again and again where, and what is to be there.

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use flipside_referee::{MatchResult, SeatFault, SeatResult};
use flipside_sandbox::ProgramKind;
use flipside_store::audit::{audit, audit_match};
use flipside_store::{FinishedMatch, Journal, KeptFile, MatchFilter, PackedRecord, ratings, table};
use flipside_tournament::{Name, ScoredPairing, Settings};

/// The salt of its tournament.
const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// The most of a journal's tables that is looked at: a damaged one may have more matches than there
/// is time.
const MOST: usize = 100;

/// The most bots, rounds and seats of a schedule that is written out.
const MAX_MATCHES: u64 = 100_000;

pub(crate) fn run(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let file = folder.path().join("journal.sqlite");
    let journal = match bytes.split_first() {
        Some((0, changes)) => changed(changes),
        _ => bytes.to_vec(),
    };
    fs::write(&file, journal).expect("there is room for a file");
    if let Ok(journal) = Journal::open_to_read(&file) {
        read(&journal);
    }
    if let Ok(mut journal) = Journal::open(&file) {
        read(&journal);
        // It may fail, for what is there may not be what it says it is.
        let _ = journal.add_bot(&name("third"), &kept(3), 9);
        let _ = journal.settle();
    }
}

/// Reads all that the commands read.
fn read(journal: &Journal) {
    let _ = journal.bots();
    let _ = journal.latest_tournament();
    let filter = MatchFilter {
        limit: MOST,
        ..MatchFilter::default()
    };
    for row in journal.matches(&filter).unwrap_or_default() {
        let _ = journal.match_row(&row.id);
        let _ = journal.evidence(&row.id);
        let _ = audit_match(journal, &row.id);
        if let Ok(record) = journal.record(&row.id) {
            let _ = flipside_referee::verify(&record);
        }
    }
    let tournaments = journal.tournaments().unwrap_or_default();
    for tournament in tournaments.iter().take(MOST) {
        let _ = journal.voids(tournament.id);
        let _ = journal.pauses(tournament);
        let Ok(schedule) = tournament.schedule() else {
            continue;
        };
        if let Ok(played) = journal.played(tournament.id)
            && schedule.total() < MAX_MATCHES
        {
            let _ = played.missing(schedule.total()).count();
            let on = |_: &_, _, _| ControlFlow::Continue(());
            let _ = audit(journal, tournament, NonZeroUsize::MIN, on);
        }
        let _ = table(journal, tournament);
    }
    let _ = ratings(journal, "flipfour");
}

/// The small journal with some bytes changed, each told by its place in three bytes.
fn changed(changes: &[u8]) -> Vec<u8> {
    static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();
    let mut journal = WHOLE.get_or_init(small).clone();
    for change in changes.chunks_exact(4) {
        let at = u32::from_le_bytes([change[0], change[1], change[2], 0]) as usize;
        let length = journal.len();
        journal[at % length] = change[3];
    }
    journal
}

/// The bytes of a journal with two bots, a tournament, two matches and a void one.
fn small() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let file = folder.path().join("journal.sqlite");
    let mut journal = Journal::open(&file).expect("a new journal");
    let bots = [1, 2].map(|number| {
        let name = name(["", "first", "second"][usize::from(number)]);
        let added = journal.add_bot(&name, &kept(number), 1).expect("added");
        journal.pass(added.bot.id, "flipfour").expect("passed");
        added.bot.id
    });
    let settings = Settings {
        game: "flipfour".into(),
        options: "{\"max_plies\":40}".into(),
        rounds: 2,
        seed: 7,
        salt: SALT.parse().expect("a salt"),
        ..Settings::default()
    };
    let tournament = journal
        .begin(&name("evening"), &settings, &bots, 3)
        .expect("begun")
        .tournament;
    let schedule = tournament.schedule().expect("two bots");
    for pairing in schedule.iter().take(2) {
        let seat = |place: u8| SeatResult {
            points: i32::from(2 - place),
            place,
            fault: (place == 2).then(|| SeatFault {
                name: "late".into(),
                detail: "did not answer in time".into(),
            }),
            used_us: 100,
            plies: 4,
            model: None,
        };
        let scored = ScoredPairing {
            pairing,
            result: MatchResult {
                reason: "line".into(),
                plies: 7,
                seats: (1..=2).map(seat).collect(),
            },
        };
        let evidence = PackedRecord::pack(r#"{"stderr":"help","traffic":[]}"#);
        let finished = FinishedMatch {
            record: Some(PackedRecord::pack(include_str!(
                "../../referee/tests/records/format-1.jsonl"
            ))),
            evidence: vec![(1, evidence)],
            ..FinishedMatch::new(&tournament, scored, (4, 1000))
        };
        journal.land(&finished).expect("landed");
    }
    journal
        .void(tournament.id, 2, "the machine failed", 5)
        .expect("void");
    journal.settle().expect("settled");
    drop(journal);
    fs::read(&file).expect("it was written")
}

fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

fn kept(content: u8) -> KeptFile {
    let sha256 = format!("{content:02x}").repeat(32);
    KeptFile {
        kind: ProgramKind::Module,
        size: 1,
        file: format!("{sha256}.wasm").parse().expect("a name of a file"),
        sha256,
    }
}
