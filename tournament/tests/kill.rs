//! `kill -9` while matches land: what was said to be in the journal is there, whole, and the
//! tournament goes on.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use flipside_referee::{MatchResult, SeatResult};
use flipside_tournament::report;
use flipside_tournament::{
    Arena, Finished, Journal, PackedRecord, Pairing, Scored, Settings, Tournament, match_id, table,
    unix_ms,
};

const ARENA: &str = "FLIPSIDE_TEST_ARENA";
const ROUNDS: u32 = 200;

fn begin(arena: &Arena, journal: &mut Journal) -> Tournament {
    let mut bots = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let file = arena
            .path()
            .parent()
            .unwrap()
            .join(name)
            .with_extension("wat");
        std::fs::write(&file, name).unwrap();
        let kept = arena.keep(&file).unwrap();
        bots.push(
            journal
                .add_bot(&name.parse().unwrap(), &kept, unix_ms())
                .unwrap()
                .bot
                .id,
        );
    }
    let settings = Settings {
        game: "flipfour".into(),
        rounds: ROUNDS,
        seed: 1,
        trust: true,
        ..Settings::default()
    };
    journal
        .begin(&"evening".parse().unwrap(), &settings, &bots, unix_ms())
        .unwrap()
        .tournament
}

fn finished(tournament: &Tournament, pairing: &Pairing) -> Finished {
    let id = match_id(&tournament.name, pairing.index);
    let winner = pairing.index as usize * 5 / 3 % 2;
    let seat = |seat: usize| SeatResult {
        points: i32::from(seat == winner),
        place: if seat == winner { 1 } else { 2 },
        used_us: 1,
        plies: 1,
        ..SeatResult::default()
    };
    let scored = Scored {
        pairing: pairing.clone(),
        result: MatchResult {
            reason: "four".into(),
            plies: 2,
            seats: (0..2).map(seat).collect(),
        },
    };
    Finished {
        record: Some(PackedRecord::pack(&format!("record of {id}\n").repeat(200))),
        ..Finished::new(tournament, scored, (unix_ms(), 1))
    }
}

/// What a run does: resumes, lands what is missing, and says what has landed.
fn run(arena: &Path) {
    let arena = Arena::create(arena).unwrap();
    let mut journal = arena.journal().unwrap();
    let tournament = begin(&arena, &mut journal);
    let _lock = arena.lock_run(&tournament.name).unwrap();
    let schedule = tournament.schedule().unwrap();
    for index in journal
        .played(tournament.id)
        .unwrap()
        .missing(schedule.total())
    {
        journal
            .land(&finished(&tournament, &schedule.pairing(index).unwrap()))
            .unwrap();
        println!("landed {index}");
    }
}

/// Not a test of its own: the process that is killed.
#[test]
fn child() {
    if let Some(arena) = std::env::var_os(ARENA) {
        run(arena.as_ref());
    }
}

#[test]
fn a_killed_run_loses_nothing_that_had_landed_and_goes_on_to_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena");
    let mut landed = 0u64;
    for kill_after in [0, 1, 40, 150, 400] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["child", "--exact", "--nocapture"])
            .env(ARENA, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        let mut lines = 0;
        while lines < kill_after {
            let start = said.len();
            assert!(
                output.read_line(&mut said).unwrap() > 0,
                "the child ended: {said}"
            );
            lines += usize::from(said[start..].contains("landed "));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        output.read_to_string(&mut said).unwrap();
        // A line that the kill cut off says nothing.
        for line in said
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
        {
            if let Some((_, index)) = line.rsplit_once("landed ") {
                assert_eq!(
                    index.trim(),
                    landed.to_string(),
                    "nothing is left out or played twice"
                );
                landed += 1;
            }
        }

        if kill_after > 0 {
            let journal = Arena::open(&path).unwrap().journal().unwrap();
            let played = journal
                .played(journal.tournament("evening").unwrap().id)
                .unwrap();
            // One more may have landed without a word.
            assert!(
                (landed..=landed + 1).contains(&played.len()),
                "{landed} {}",
                played.len()
            );
            landed = played.len();
            for index in 0..landed {
                let record = journal.record(&format!("evening-{index}")).unwrap();
                assert_eq!(record, format!("record of evening-{index}\n").repeat(200));
            }
        }
    }
    assert!(landed >= 500, "{landed}");

    run(&path);
    let killed = Arena::open(&path).unwrap().journal().unwrap();
    let whole = folder.path().join("whole");
    run(&whole);
    let whole = Arena::open(&whole).unwrap().journal().unwrap();
    let csv = |journal: &Journal| {
        let table = table(journal, &journal.tournament("evening").unwrap()).unwrap();
        assert_eq!(table.played, u64::from(ROUNDS) * 12);
        report::standings_table(&table).csv() + &report::cross_csv(&table.cross)
    };
    assert_eq!(csv(&killed), csv(&whole));
}
