//! The 95 % intervals hold the truth as often as they say, at every number of seats.

use super::simulation::{SimulationGauntlet, SimulationReport, coverage, gauntlets};

/// Enough that chance moves the part by half of a hundredth.
const TOURNAMENTS: u64 = 150;

/// So many are played of the kinds that stand for others. Chance moves their part further.
const FEW: u64 = 30;

/// Whether this percentage may hold among so many tournaments.
fn is_right(percent: f64, tournaments: u64) -> bool {
    (percent - 95.0).abs() <= 2.0 / (tournaments as f64 / TOURNAMENTS as f64).sqrt()
}

const GAUNTLET: SimulationGauntlet = SimulationGauntlet {
    seats: 4,
    bots: 5,
    challengers: 2,
    rounds: 20,
};

fn covers(seats: u8, told: SimulationReport) {
    let percent = coverage(seats, told, TOURNAMENTS).percent();
    assert!(is_right(percent, TOURNAMENTS), "{seats} seats: {percent}");
}

#[test]
fn the_intervals_cover_the_truth_in_93_to_97_cases_of_100_at_two_seats() {
    covers(2, SimulationReport::Ranking);
}

#[test]
fn the_intervals_cover_the_truth_in_a_few_tournaments_of_each_kind() {
    for (seats, told) in [
        (3, SimulationReport::Winner),
        (4, SimulationReport::Teams),
        (6, SimulationReport::Ranking),
    ] {
        let percent = coverage(seats, told, FEW).percent();
        assert!(is_right(percent, FEW), "{seats} seats, {told:?}: {percent}");
    }
    let percent = gauntlets(GAUNTLET, FEW).percent();
    assert!(is_right(percent, FEW), "gauntlets: {percent}");
}

#[test]
#[ignore = "long: simulations"]
fn the_intervals_cover_the_truth_in_93_to_97_cases_of_100() {
    for seats in [3, 4, 6] {
        covers(seats, SimulationReport::Ranking);
    }
}

#[test]
#[ignore = "long: simulations"]
fn they_do_so_where_bots_are_partners_now_and_rivals_then() {
    for seats in [4, 6] {
        covers(seats, SimulationReport::Teams);
    }
}

#[test]
#[ignore = "long: simulations"]
fn they_do_so_where_a_bot_and_its_partners_challenge_a_field() {
    let percent = gauntlets(GAUNTLET, TOURNAMENTS).percent();
    assert!(is_right(percent, TOURNAMENTS), "{percent}");
}

#[test]
#[ignore = "long: simulations"]
fn they_do_so_where_only_the_winner_is_known() {
    for seats in [3, 4, 6] {
        covers(seats, SimulationReport::Winner);
    }
}
