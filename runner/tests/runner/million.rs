//! How long a journal of a million matches takes to answer. Run with
//! `cargo test --release -p flipside-runner --test runner million -- --ignored --nocapture`.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use flipside_ratings::RatingPeriods;
use flipside_referee::{MatchResult, Player, SeatFault, SeatResult};
use flipside_runner::{RunSummary, StopSignal, run};
use flipside_sandbox::Sandbox;
use flipside_store::{
    Arena, FinishedMatch, MatchFilter, PackedRecord, full_table, ratings, unix_ms,
};
use flipside_tournament::{Bot, BotId, Pairing, ScoredPairing, Settings};

use crate::SALT;

const BOTS: usize = 20;
const ROUNDS: u32 = 2_632;

/// The most memory that this process has had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        * 1024
}

/// The processor time that this thread has had: a busy machine does not count.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split_whitespace().next().unwrap().parse().unwrap())
}

/// Does the work, and prints how much processor time it took: who runs this by hand judges it.
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (began, before) = (Instant::now(), processor_time());
    let done = work();
    let took = processor_time() - before;
    println!("{what}: {took:?} of {:?}", began.elapsed());
    done
}

/// A record as a match of 40 plies makes it.
fn record() -> String {
    let acts = (0..40u64).map(|ply| {
        let (from, to) = (ply * 7 % 36, ply * 11 % 36);
        format!(
            "{{\"type\":\"acts\",\"acts\":[{{\"seat\":{},\"action\":\"{from}-{to}\",\"us\":{}}}]}}\n",
            ply % 2,
            ply * ply * 37 % 1_000
        )
    });
    acts.collect()
}

#[test]
#[ignore = "by hand: it measures a release build, and writes about 1 GB"]
fn a_million_matches_take_200_megabytes_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let arena = Arena::create(folder.path().join("arena")).unwrap();
    let mut journal = arena.journal().unwrap();
    let bots: Vec<BotId> = (0..BOTS)
        .map(|bot| {
            let file = folder.path().join(format!("bot{bot}.wat"));
            std::fs::write(&file, bot.to_string()).unwrap();
            let name = format!("bot{bot}").parse().unwrap();
            journal
                .add_bot(&name, &arena.keep(&file).unwrap(), unix_ms())
                .unwrap()
                .bot
                .id
        })
        .collect();
    let settings = Settings {
        game: "flipfour".into(),
        rounds: ROUNDS,
        seed: 1,
        salt: SALT.parse().unwrap(),
        pause_after: 0,
        trust: true,
        ..Settings::default()
    };
    let begun = journal
        .begin(&"evening".parse().unwrap(), &settings, &bots, unix_ms())
        .unwrap();
    let tournament = begun.tournament;
    let schedule = tournament.schedule().unwrap();

    let text = record();
    timed("packing 1000 records", || {
        for _ in 0..1_000 {
            std::hint::black_box(PackedRecord::pack(&text));
        }
    });
    println!("  of {} bytes each", text.len());
    let record = PackedRecord::pack(&text);
    let finished = |pairing: Pairing| {
        let winner = (pairing.index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % 2;
        let faulty = pairing.index.is_multiple_of(500);
        let seat = |seat: u64| SeatResult {
            points: i32::from(seat == winner),
            place: if seat == winner { 1 } else { 2 },
            fault: (faulty && seat != winner).then(|| SeatFault {
                name: "late".into(),
                detail: "no answer in 1 s".into(),
            }),
            used_us: 12_345,
            plies: 20,
            model: None,
        };
        let result = MatchResult {
            reason: ["four", "full", "late"][(pairing.index % 3) as usize].into(),
            plies: 40,
            seats: (0..2).map(seat).collect(),
        };
        FinishedMatch {
            record: Some(record.clone()),
            ..FinishedMatch::new(
                &tournament,
                ScoredPairing { pairing, result },
                (unix_ms(), 23_456),
            )
        }
    };
    let mut one_by_one: Vec<FinishedMatch> = schedule.iter().map(finished).take(10_000).collect();
    timed("landing 10000 matches one by one", || {
        one_by_one
            .drain(..)
            .for_each(|finished| journal.land(&finished).unwrap());
    });
    timed("landing the rest by 100", || {
        let mut rest = schedule.iter().skip(10_000).map(finished).peekable();
        while rest.peek().is_some() {
            let some: Vec<FinishedMatch> = rest.by_ref().take(100).collect();
            journal.land_all(&some).unwrap();
        }
    });
    timed("settling", || journal.settle().unwrap());
    drop(journal);
    let size = std::fs::metadata(arena.path().join("journal.sqlite"))
        .unwrap()
        .len();
    println!("{} matches, {} MB", schedule.total(), size / 1_000_000);

    let mut journal = timed("opening", || arena.journal().unwrap());
    let sandbox = Sandbox::new(flipside_sandbox::SandboxSettings::default());
    let ran = timed("resuming", || {
        let stop = StopSignal::default();
        let one = NonZeroUsize::MIN;
        // Nothing is left to be played.
        let player = |bot: &Bot| Ok(Player::person(bot.label()));
        run(
            &mut journal,
            &tournament,
            player,
            &sandbox,
            one,
            &stop,
            |_| {},
        )
        .unwrap()
    });
    assert_eq!(ran, RunSummary::default());
    let played = timed("played", || journal.played(tournament.id).unwrap());
    assert_eq!(played.len(), schedule.total());
    let full = timed("table with all statistics", || {
        full_table(&journal, &tournament).unwrap()
    });
    assert_eq!(full.standings.played, schedule.total());
    assert_eq!(full.statistics.blocks, schedule.total() / 2);
    let counted: u64 = full.statistics.ends.iter().map(|end| end.matches).sum();
    assert_eq!(counted, schedule.total());
    let rated = timed("ratings", || ratings(&journal, "flipfour").unwrap());
    assert_eq!(rated.rows.len(), BOTS);
    let mut result = ScoredPairing::default();
    timed("rating alone", || {
        let mut ladder = RatingPeriods::new(BOTS);
        for pairing in schedule.iter() {
            let winner = (pairing.index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % 2;
            result.pairing = pairing;
            result.result.seats.clear();
            for seat in 0..2 {
                result.result.seats.push(SeatResult {
                    place: if seat == winner { 1 } else { 2 },
                    ..SeatResult::default()
                });
            }
            ladder.take(&result).unwrap();
        }
        ladder.into_ratings()
    });
    for (what, bot, faults_only) in [
        ("latest", None, false),
        ("of a bot", Some(bots[3]), false),
        ("with faults", None, true),
    ] {
        let filter = MatchFilter {
            bot,
            faults_only,
            ..MatchFilter::default()
        };
        let rows = timed(what, || journal.matches(&filter).unwrap());
        assert_eq!(rows.len(), 50);
    }
    timed("a record", || journal.record("evening-500000").unwrap());
    println!("peak memory: {} MB", peak_memory() / 1_000_000);
    assert!(peak_memory() < 200_000_000);
}
