//! The statistics of tournaments that were scheduled: what they count, and laws that hold whatever the results.

use flipside_ratings::{BlockScores, MAX_REASONS, OTHER_REASONS, Seating, Statistics};
use proptest::prelude::*;

use flipside_referee::{MatchResult, SeatFault};
use flipside_tournament::{Pairing, RoundRobin, ScoredPairing};

/// One bot in each seat, and every second seat on the same side.
fn in_teams(seats: u8) -> Seating {
    let sides: Vec<u8> = (0..seats).map(|seat| seat % 2).collect();
    Seating::copies(&sides, 1).expect("one bot in each seat")
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("bot{number}")).collect()
}

/// The matches of a schedule with the places that `places` gives for the entrants by seat.
fn played(
    schedule: &RoundRobin,
    mut places: impl FnMut(&Pairing) -> Vec<u8>,
) -> Vec<ScoredPairing> {
    schedule
        .iter()
        .map(|pairing| {
            let mut result = MatchResult::of_places(places(&pairing));
            result.reason = ["four", "full", "late"][(pairing.index % 3) as usize].into();
            result.plies = 20;
            for (at, seat) in (0..).zip(&mut result.seats) {
                (seat.used_us, seat.plies) = (100 * (at + 1), 10 + at);
                seat.fault = (seat.place == 3).then(|| SeatFault {
                    name: "late".into(),
                    detail: String::new(),
                });
            }
            ScoredPairing { pairing, result }
        })
        .collect()
}

fn fold(entrants: usize, seats: u8, results: &[ScoredPairing]) -> Statistics {
    let mut statistics = Statistics::new(entrants, &Seating::single(seats));
    results.iter().for_each(|result| statistics.take(result));
    statistics
}

fn in_order(entrants: usize) -> Vec<usize> {
    (0..entrants).collect()
}

#[test]
fn pairs_of_matches_are_counted_as_blocks_and_one_by_one() {
    let schedule = RoundRobin::new(2, 2, 4).unwrap();
    // Round 0: the better bot wins both; 1: the first seat wins both; 2: a draw and a loss; 3: two draws.
    let results = played(&schedule, |pairing| match pairing.round {
        0 => pairing.seats.iter().map(|&bot| 1 + bot as u8).collect(),
        1 => vec![1, 2],
        2 if pairing.index.is_multiple_of(2) => vec![1, 1],
        2 => pairing.seats.iter().map(|&bot| 2 - bot as u8).collect(),
        _ => vec![1, 1],
    });
    let report = fold(2, 2, &results).report(&names(2), &[0, 1]);
    let pair = report.pair.unwrap();
    assert_eq!(pair.blocks, [0, 1, 2, 0, 1]);
    assert_eq!(pair.matches, [2, 3, 3]);
    assert_eq!((report.blocks, report.broken), (4, 0));
    assert_eq!(pair.score.mean, 2.25 / 4.0);
    // The two-sided story: what is 1 for the one is 0 for the other.
    let both = &report.superiority;
    assert_eq!(both[0][0], None);
    assert!((both[0][1].unwrap() + both[1][0].unwrap() - 1.0).abs() < 1e-12);
    let other = fold(2, 2, &results).report(&names(2), &[1, 0]);
    assert_eq!(other.bots[0].bot, "bot1");
    // The order of the table turns nothing round: a sequential test is one of the first entrant.
    assert_eq!(other.pair, Some(pair));
}

#[test]
fn where_the_first_seat_always_wins_blocks_save_everything_and_say_who_begins_wins() {
    let schedule = RoundRobin::new(3, 2, 5).unwrap();
    let mut results = played(&schedule, |_| vec![1, 2]);
    let report = fold(3, 2, &results).report(&names(3), &in_order(3));
    assert_eq!(report.saved, None, "the blocks are all alike");
    let [first, second] = &report.seats[..] else {
        panic!("two seats")
    };
    assert_eq!((first.matches, first.won, second.won), (30, 30, 0));
    assert_eq!(first.score.unwrap().mean, 1.0);
    assert!(first.advantage.unwrap() > 0.999 && second.advantage.unwrap() < 0.001);
    for bot in &report.bots {
        assert_eq!(bot.score.unwrap().mean, 0.5);
        assert_eq!((bot.matches, bot.blocks), (20, 10));
        let field = bot.field.as_ref().unwrap();
        assert_eq!(
            (&field.blocks[..], field.drawn),
            (&[0, 0, 10, 0, 0][..], 0.0)
        );
        assert_eq!(field.elo.elo, 0.0);
    }
    // In one block of five a bot wins both.
    let otherwise = |result: &&mut ScoredPairing| result.pairing.block.is_multiple_of(5);
    for result in results.iter_mut().filter(otherwise) {
        let least = result.pairing.seats.iter().min().copied();
        let seats = result.pairing.seats.iter().zip(&mut result.result.seats);
        for (&entrant, seat) in seats {
            seat.place = if Some(entrant) == least { 1 } else { 2 };
        }
    }
    let report = fold(3, 2, &results).report(&names(3), &in_order(3));
    assert!(report.saved.unwrap() > 2.0, "{:?}", report.saved);
}

#[test]
fn partners_are_no_rivals() {
    let seating = in_teams(4);
    let schedule = RoundRobin::seated(4, seating, 6).unwrap();
    // The side of bot 0 always wins.
    let results = played(&schedule, |pairing| {
        let at = pairing.seats.iter().position(|&bot| bot == 0).unwrap();
        let place = |seat: usize| if seat % 2 == at % 2 { 1 } else { 3 };
        (0..4).map(place).collect()
    });
    let mut statistics = Statistics::new(4, &seating);
    results.iter().for_each(|result| statistics.take(result));
    let report = statistics.clone().report(&names(4), &in_order(4));
    assert_eq!((report.blocks, report.broken), (6, 0));
    assert_eq!(report.bots[0].score.unwrap().mean, 1.0);
    assert!(report.ends.iter().all(|end| end.drawn == 0), "{report:?}");
    for seat in &report.seats {
        assert_eq!((seat.matches, seat.won, seat.shared), (24, 12, 0));
    }
    statistics.end_block();
    for rival in 1..4 {
        // In a block of four matches it is the partner of one bot, and beats the two others.
        let blocks = statistics.between(0, rival);
        assert!((1..6).contains(&blocks.total()), "{rival}");
        assert_eq!(blocks.moments().unwrap().0, 1.0);
        // Each is on the side of bot 0 in some matches, and on the other one in some.
        let score = report.bots[rival].score.unwrap().mean;
        assert!((0.1..0.6).contains(&score), "{rival}: {score}");
    }
}

#[test]
fn blocks_whose_matches_are_independent_save_nothing() {
    let schedule = RoundRobin::new(4, 2, 2_000).unwrap();
    let mut state = 7u64;
    let results = played(&schedule, |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        if state >> 63 == 0 {
            vec![1, 2]
        } else {
            vec![2, 1]
        }
    });
    let report = fold(4, 2, &results).report(&names(4), &in_order(4));
    let saved = report.saved.unwrap();
    assert!((saved - 1.0).abs() < 0.05, "{saved}");
}

#[test]
fn a_block_that_misses_a_match_is_passed_over_and_counted() {
    let schedule = RoundRobin::new(3, 2, 2).unwrap();
    let mut results = played(&schedule, |_| vec![1, 2]);
    results.remove(4);
    results.pop();
    let report = fold(3, 2, &results).report(&names(3), &in_order(3));
    assert_eq!((report.blocks, report.broken), (4, 2));
    let matches: u64 = report.bots.iter().map(|bot| bot.matches).sum();
    assert_eq!(matches, 20);
    assert_eq!(report.bots.iter().map(|bot| bot.blocks).sum::<u64>(), 8);
    assert_eq!(report.seats[0].matches, 10);
}

/// Each meets each once, and each has half of all points. Whether the matches of a block went the same way says
/// how much chance there was.
#[test]
fn pairs_that_are_decided_tell_less_than_pairs_that_are_split() {
    let schedule = RoundRobin::new(7, 2, 1).unwrap();
    let width = |results: &[ScoredPairing]| {
        let report = fold(7, 2, results).report(&names(7), &in_order(7));
        let score = report.bots[3].score.unwrap();
        assert_eq!(score.mean, 0.5);
        score.high - score.low
    };
    let decided = width(&played(&schedule, |pairing| {
        let ahead = (pairing.seats[1] + 7 - pairing.seats[0]) % 7;
        if ahead <= 3 { vec![1, 2] } else { vec![2, 1] }
    }));
    let split = width(&played(&schedule, |_| vec![1, 2]));
    let independent = BlockScores::pentanomial([0, 3, 0, 3, 0]).score().unwrap();
    assert!(split < (independent.high - independent.low) / 2.0);
    // As six matches and not as twelve.
    let six = BlockScores::trinomial([3, 0, 3]).score().unwrap();
    assert!((decided - (six.high - six.low)).abs() < 0.05, "{decided}");
}

#[test]
fn the_score_of_one_of_two_bots_is_that_against_the_other() {
    for rounds in [1, 2, 9] {
        let schedule = RoundRobin::new(2, 2, rounds).unwrap();
        let results = played(&schedule, |pairing| match pairing.index % 3 {
            0 => vec![1, 2],
            1 => vec![1, 1],
            _ => vec![2, 1],
        });
        let report = fold(2, 2, &results).report(&names(2), &in_order(2));
        let (bot, pair) = (report.bots[0].score.unwrap(), report.pair.unwrap().score);
        assert!((bot.low - pair.low).abs() < 1e-12 && (bot.high - pair.high).abs() < 1e-12);
    }
}

#[test]
fn each_pair_that_met_is_told_as_if_it_had_played_alone() {
    let schedule = RoundRobin::new(4, 2, 5).unwrap();
    let mut results = played(&schedule, |pairing| match pairing.index % 5 {
        0 | 3 => vec![1, 2],
        1 => vec![1, 1],
        _ => vec![2, 1],
    });
    // The last two never meet.
    results.retain(|result| result.pairing.seats.iter().any(|&bot| bot < 2));
    let report = fold(4, 2, &results).report(&names(4), &[3, 1, 0, 2]);
    let met: Vec<_> = (report.pairs.iter().map(|pair| pair.bots.join(" "))).collect();
    let expected = [
        "bot0 bot1",
        "bot0 bot2",
        "bot0 bot3",
        "bot1 bot2",
        "bot1 bot3",
    ];
    assert_eq!(met, expected);
    assert_eq!((&report.pair, report.pairs_left_out), (&None, 0));
    let mut of_two = results.clone();
    let entrants = |result: &ScoredPairing| {
        let mut seats = result.pairing.seats.clone();
        seats.sort_unstable();
        seats
    };
    of_two.retain(|result| entrants(result) == [0, 3]);
    for result in &mut of_two {
        for entrant in &mut result.pairing.seats {
            *entrant = (*entrant).min(1);
        }
    }
    let two = ["bot0".to_owned(), "bot3".to_owned()];
    let alone = fold(2, 2, &of_two).report(&two, &[0, 1]).pair.unwrap();
    assert_eq!(report.pairs[2], alone);
}

#[test]
fn pairs_that_are_too_many_are_left_out_and_counted() {
    for (bots, told, left_out) in [(20, 190, 0), (21, 0, 210)] {
        let results = played(&RoundRobin::new(bots, 2, 1).unwrap(), |_| vec![1, 2]);
        let report = fold(bots, 2, &results).report(&names(bots), &in_order(bots));
        assert_eq!(
            (report.pairs.len(), report.pairs_left_out),
            (told, left_out)
        );
    }
    let results = played(&RoundRobin::new(4, 3, 1).unwrap(), |_| vec![1, 2, 2]);
    let report = fold(4, 3, &results).report(&names(4), &in_order(4));
    assert!(report.pairs.is_empty() && report.pairs_left_out == 0);
}

#[test]
fn ends_times_plies_and_faults_are_counted_by_the_match() {
    let schedule = RoundRobin::new(3, 3, 1).unwrap();
    let results = played(&schedule, |pairing| match pairing.index {
        0 | 3 => vec![1, 1, 3],
        _ => vec![2, 1, 3],
    });
    let report = fold(3, 3, &results).report(&names(3), &in_order(3));
    let ends: Vec<_> = report
        .ends
        .iter()
        .map(|end| (end.reason.as_str(), end.matches, end.drawn))
        .collect();
    assert_eq!(ends, [("four", 2, 2), ("full", 2, 0), ("late", 2, 0)]);
    assert_eq!((report.matches_of_block, report.blocks), (6, 1));
    for bot in &report.bots {
        // In six matches each seat twice.
        assert_eq!((bot.used_ms, bot.plies, bot.faults), (0.2, 11.0, 2));
    }
    assert_eq!(report.seats[1].won, 4);
    assert_eq!((report.seats[0].won, report.seats[0].shared), (0, 2));
    assert_eq!(report.pair, None);
}

#[test]
fn reasons_without_end_are_counted_together() {
    let schedule = RoundRobin::new(2, 2, 200).unwrap();
    let mut results = played(&schedule, |_| vec![1, 1]);
    for (at, result) in results.iter_mut().enumerate() {
        result.result.reason = format!("reason {at:03}");
    }
    let report = fold(2, 2, &results).report(&names(2), &in_order(2));
    assert_eq!(report.ends.len(), MAX_REASONS + 1);
    assert_eq!(report.ends[0].reason, OTHER_REASONS);
    assert_eq!(report.ends[0].matches, 400 - MAX_REASONS as u64);
    assert_eq!(report.ends.iter().map(|end| end.drawn).sum::<u64>(), 400);
}

#[test]
fn without_results_there_is_a_report_without_figures() {
    let report = fold(3, 2, &[]).report(&names(3), &in_order(3));
    assert_eq!((report.blocks, report.saved), (0, None));
    assert!(report.bots.iter().all(|bot| bot.score.is_none()));
    assert!(report.seats.is_empty() && report.ends.is_empty());
    let json = serde_json::to_string(&report).unwrap();
    assert!(json.contains("null"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn scores_in_teams_add_up_whatever_the_results(six in any::<bool>(), more in 0usize..3, rounds in 1u32..4, seed in any::<u64>()) {
        let seats = if six { 6 } else { 4 };
        let bots = usize::from(seats) + more;
        let seating = in_teams(seats);
        let schedule = RoundRobin::seated(bots, seating, rounds).unwrap();
        let mut state = seed;
        let results = played(&schedule, |pairing| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let sides = [[1, 1], [1, 4], [4, 1], [1, 4]][(state >> 62) as usize];
            pairing.seats.iter().zip(sides.iter().cycle()).map(|(_, &place)| place).collect()
        });
        let mut statistics = Statistics::new(bots, &seating);
        results.iter().for_each(|result| statistics.take(result));
        let report = statistics.report(&names(bots), &in_order(bots));
        let mut sum = 0.0;
        for bot in &report.bots {
            let interval = bot.score.unwrap();
            prop_assert!(0.0 <= interval.low && interval.low <= interval.mean);
            prop_assert!(interval.mean <= interval.high && interval.high <= 1.0);
            sum += interval.mean * bot.blocks as f64;
        }
        let blocks: u64 = report.bots.iter().map(|bot| bot.blocks).sum();
        prop_assert!((sum / blocks as f64 - 0.5).abs() < 1e-9);
        let drawn: u64 = report.ends.iter().map(|end| end.drawn).sum();
        let level = |result: &&ScoredPairing| result.result.seats.windows(2).all(|two| two[0].place == two[1].place);
        prop_assert_eq!(drawn, results.iter().filter(level).count() as u64);
    }

    #[test]
    fn scores_add_up_whatever_the_results(seats in 2u8..=6, bots in 2usize..8, rounds in 1u32..4, seed in any::<u64>()) {
        prop_assume!(bots >= seats.into());
        let schedule = RoundRobin::new(bots, seats, rounds).unwrap();
        let mut state = seed;
        let results = played(&schedule, |pairing| {
            pairing.seats.iter().map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                1 + (state >> 62) as u8
            }).collect()
        });
        let mut statistics = fold(bots, seats, &results);
        statistics.end_block();
        let report = statistics.clone().report(&names(bots), &in_order(bots));
        prop_assert_eq!(report.blocks * schedule.orders(), schedule.total());
        for (of, bot) in report.bots.iter().enumerate() {
            let interval = bot.score.unwrap();
            prop_assert!(0.0 <= interval.low && interval.low <= interval.mean);
            prop_assert!(interval.mean <= interval.high && interval.high <= 1.0);
            // A bot's score is the mean of those against each.
            let against: Vec<f64> = (0..bots).filter(|&rival| rival != of)
                .map(|rival| statistics.between(of, rival).moments().unwrap().0).collect();
            let mean = against.iter().sum::<f64>() / against.len() as f64;
            prop_assert!((mean - interval.mean).abs() < 1e-9);
        }
        let seats_mean = report.seats.iter().map(|seat| seat.score.unwrap().mean).sum::<f64>() / f64::from(seats);
        prop_assert!((seats_mean - 0.5).abs() < 1e-9);
    }
}
