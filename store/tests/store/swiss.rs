//! How long a swiss of a thousand bots takes to pair, and its table to be made. Run with
//! `cargo test --release -p flipside-store --test store swiss -- --ignored --nocapture`.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use flipside_referee::MatchResult;
use flipside_store::{Arena, FinishedMatch, full_table, unix_ms};
use flipside_tournament::{BotId, Next, Pairing, ScoredPairing, Settings};

use crate::SALT;

/// How many rounds are in the journal.
const PLAYED: u32 = 3;

/// The processor time that this thread has had: a busy machine does not count.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split_whitespace().next().unwrap().parse().unwrap())
}

/// Does the work, and tells how much processor time it took.
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (began, before) = (Instant::now(), processor_time());
    let done = work();
    let took = processor_time() - before;
    println!("{what}: {took:?} of {:?}", began.elapsed());
    done
}

/// The seat that wins: the better seed three times out of four.
fn winner(pairing: &Pairing) -> usize {
    let upset = pairing.index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62 == 0;
    usize::from((pairing.seats[0] < pairing.seats[1]) == upset)
}

#[test]
fn in_a_swiss_of_a_hundred_bots_nobody_meets_again() {
    play_rounds_of(100);
}

#[test]
#[ignore = "long: a thousand bots"]
fn in_a_swiss_of_a_thousand_bots_nobody_meets_again() {
    play_rounds_of(1_000);
}

fn play_rounds_of(number: usize) {
    let folder = tempfile::tempdir().unwrap();
    let arena = Arena::create(folder.path().join("arena")).unwrap();
    let mut journal = arena.journal().unwrap();
    let bots: Vec<BotId> = (0..number)
        .map(|bot| {
            let file = folder.path().join(format!("bot{bot}.wat"));
            std::fs::write(&file, bot.to_string()).unwrap();
            let name = format!("bot{bot}").parse().unwrap();
            let kept = arena.keep(&file).unwrap();
            journal.add_bot(&name, &kept, unix_ms()).unwrap().bot.id
        })
        .collect();
    let settings = Settings {
        game: "flipfour".into(),
        format: "swiss".parse().unwrap(),
        rounds: 10,
        seed: 1,
        salt: SALT.parse().unwrap(),
        pause_after: 0,
        trust: true,
        ..Settings::default()
    };
    let name = "evening".parse().unwrap();
    let tournament = timed("beginning", || {
        journal.begin(&name, &settings, &bots, unix_ms()).unwrap()
    })
    .tournament;

    let mut director = timed("the first round", || tournament.director().unwrap());
    let mut pairs = HashSet::new();
    for round in 0..PLAYED {
        let mut played = Vec::new();
        timed("taking a round's results, and pairing the next", || {
            for _ in 0..number {
                let Next::Match(pairing) = director.next() else {
                    panic!("a round has {number} matches")
                };
                assert_eq!(pairing.round, round);
                let winner = winner(&pairing);
                let places = [1 + u8::from(winner == 1), 1 + u8::from(winner == 0)];
                let mut result = MatchResult::of_places(places);
                director.take(pairing.index, &result);
                result.reason = "four".into();
                result.plies = 40;
                for seat in &mut result.seats {
                    (seat.used_us, seat.plies) = (12_345, 20);
                }
                played.push(ScoredPairing { pairing, result });
            }
        });
        for ScoredPairing { pairing, .. } in &played {
            let mut pair = pairing.seats.clone();
            pair.sort_unstable();
            let turn = pairing.index % 2;
            assert!(pairs.insert((pair, turn)), "nobody meets again");
        }
        let finished = |scored| FinishedMatch::new(&tournament, scored, (unix_ms(), 23_456));
        let finished: Vec<FinishedMatch> = played.into_iter().map(finished).collect();
        journal.land_all(&finished).unwrap();
    }
    let table = timed("table with all statistics", || {
        full_table(&journal, &tournament).unwrap()
    });
    assert_eq!(table.standings.played, u64::from(PLAYED) * number as u64);
}
