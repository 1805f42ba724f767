//! The statistics mean what they say: 95 % intervals hold the truth in 93 to 97 cases of 100, and sequential
//! tests err no more often than they may. By simulation with known strengths and fixed seeds.
//! `docs/reference/statistics.md` sums up the long tables.

use std::ops::RangeInclusive;

use flipside_ratings::{Model, Sprt, SprtDecision};

use super::known::{KnownField, KnownKind, KnownPairs, PAIRS, SPREAD, coverage, tested};
use flipside_tournament::formats::Swiss;
use flipside_tournament::{Format, Seeding};

/// Enough that chance moves the parts by about half of a hundredth.
const TOURNAMENTS: u64 = 250;

const ROUNDS: u32 = 10;

/// The percentages of intervals that may hold where this is a part of the usual number: chance moves few by more.
fn allowed(part: f64) -> RangeInclusive<f64> {
    let off = 2.0 / part.sqrt();
    95.0 - off..=95.0 + off
}

fn holds(seats: u8, kind: KnownKind) {
    holds_among(seats, kind, TOURNAMENTS);
}

fn holds_among(seats: u8, kind: KnownKind, tournaments: u64) {
    let found = coverage(&KnownField::usual(seats, ROUNDS), kind, tournaments);
    for (what, held) in [
        ("score", found.scores),
        ("score against one", found.pairs),
        ("Elo", found.elo),
    ] {
        let percent = held.percent();
        assert!(
            allowed(tournaments as f64 / TOURNAMENTS as f64).contains(&percent),
            "{seats} seats, {kind:?}, {what}: {percent:.1} % of {}",
            held.asked
        );
    }
}

#[test]
fn intervals_of_scores_and_of_elo_hold_the_truth_at_two_seats() {
    holds(2, KnownKind::Ranking);
}

#[test]
#[ignore = "long: simulations"]
fn intervals_of_scores_and_of_elo_hold_the_truth_at_two_to_six_seats() {
    for seats in 2..=6 {
        holds(seats, KnownKind::Ranking);
    }
}

#[test]
fn intervals_hold_the_truth_in_a_few_tournaments_of_each_kind() {
    for (seats, kind) in [
        (2, KnownKind::Openings(200)),
        (2, KnownKind::Suits(150)),
        (3, KnownKind::Winner),
        (4, KnownKind::Ranking),
    ] {
        holds_among(seats, kind, 40);
    }
}

#[test]
#[ignore = "long: simulations"]
fn they_do_so_where_the_matches_of_a_block_hang_together_and_where_only_the_winner_is_known() {
    for seats in [2, 4] {
        holds(seats, KnownKind::Openings(200));
        holds(seats, KnownKind::Suits(150));
    }
    holds(3, KnownKind::Winner);
    holds(6, KnownKind::Winner);
}

/// Enough that chance moves the parts by about half of a hundredth.
const BOTS: u64 = 2_400;

fn holds_of_scores(bots: usize, seats: u8, format: Format, rounds: u32, kinds: &[KnownKind]) {
    holds_of_scores_among(BOTS, bots, seats, format, rounds, kinds);
}

fn holds_of_scores_among(
    asked: u64,
    bots: usize,
    seats: u8,
    format: Format,
    rounds: u32,
    kinds: &[KnownKind],
) {
    for spread in [0.0, SPREAD] {
        let field = KnownField {
            bots,
            spread,
            seats,
            format,
            rounds,
        };
        for &kind in kinds {
            let percent = coverage(&field, kind, asked / bots as u64).scores.percent();
            assert!(
                allowed(asked as f64 / BOTS as f64).contains(&percent),
                "{field:?}, {kind:?}: {percent:.1} %"
            );
        }
    }
}

const PAIRWISE: [KnownKind; 3] = [
    KnownKind::Ranking,
    KnownKind::Openings(200),
    KnownKind::Suits(150),
];

const SWISS: Format = Format::Swiss(Swiss {
    seeding: Seeding::Entry,
});

#[test]
fn intervals_of_scores_hold_the_truth_where_seven_meet_each_other_once() {
    holds_of_scores(7, 2, Format::RoundRobin, 1, &[KnownKind::Ranking]);
}

#[test]
#[ignore = "long: simulations"]
fn intervals_of_scores_hold_the_truth_where_each_meets_each_once() {
    for bots in [4, 7, 12, 30] {
        holds_of_scores(bots, 2, Format::RoundRobin, 1, &PAIRWISE);
    }
    holds_of_scores(7, 2, Format::RoundRobin, 2, &PAIRWISE);
    holds_of_scores(
        7,
        3,
        Format::RoundRobin,
        1,
        &[KnownKind::Ranking, KnownKind::Winner],
    );
    holds_of_scores(
        7,
        5,
        Format::RoundRobin,
        1,
        &[KnownKind::Ranking, KnownKind::Winner],
    );
}

#[test]
fn intervals_of_scores_hold_the_truth_in_a_few_swisses() {
    holds_of_scores_among(480, 12, 2, SWISS, 4, &[KnownKind::Ranking]);
}

#[test]
#[ignore = "long: simulations"]
fn intervals_of_scores_hold_the_truth_in_a_swiss() {
    holds_of_scores(12, 2, SWISS, 4, &PAIRWISE);
    holds_of_scores(
        60,
        2,
        SWISS,
        6,
        &[KnownKind::Ranking, KnownKind::Suits(150)],
    );
    holds_of_scores(24, 4, SWISS, 5, &PAIRWISE);
}

/// Enough that chance moves the rates by a third of a hundredth.
const TESTS: u64 = 4_000;

/// Two standard deviations of a rate of 5 % among so many.
const CHANCE: f64 = 0.7;

fn errs_no_more_than_it_may<'a>(
    model: Model,
    kinds: impl Iterator<Item = &'a KnownPairs>,
    tests: u64,
) {
    let chance = CHANCE / (tests as f64 / TESTS as f64).sqrt();
    let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, model).unwrap();
    for pairs in kinds {
        for truth in [SprtDecision::Elo0, SprtDecision::Elo1] {
            let found = tested(&sprt, pairs, truth, tests);
            assert!(
                found.wrong <= 5.0 + chance,
                "{model}, {}, {truth} is true: {:.1} % wrong after {:.0} blocks",
                pairs.name,
                found.wrong,
                found.blocks
            );
        }
    }
}

#[test]
#[ignore = "long: simulations"]
fn a_test_in_logistic_elo_errs_no_more_than_it_may() {
    errs_no_more_than_it_may(Model::Logistic, PAIRS.iter(), TESTS);
}

#[test]
fn a_few_tests_in_normalised_elo_err_no_more_than_they_may() {
    errs_no_more_than_it_may(Model::Normalized, PAIRS.iter().take(1), 200);
}

#[test]
#[ignore = "long: simulations"]
fn a_test_in_normalised_elo_errs_no_more_than_it_may() {
    // It takes five times as long: every second kind.
    errs_no_more_than_it_may(Model::Normalized, PAIRS.iter().step_by(2), TESTS);
}

/// One that may err in one case of a hundred the one way, in one of five the other.
#[test]
fn rates_of_errors_may_differ() {
    let sprt = Sprt::new(-20.0, 60.0, 0.01, 0.2, Model::Logistic).unwrap();
    let one = tested(&sprt, &PAIRS[0], SprtDecision::Elo0, TESTS);
    let other = tested(&sprt, &PAIRS[0], SprtDecision::Elo1, TESTS);
    assert!(one.wrong <= 1.0 + 0.35, "{:.2} %", one.wrong);
    assert!(
        (10.0..=20.0 + 1.3).contains(&other.wrong),
        "{:.2} %",
        other.wrong
    );
}
