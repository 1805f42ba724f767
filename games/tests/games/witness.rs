//! What an independent program, written from the rules' pages without having seen this crate, found
//! out: counts of action sequences, and whole matches with their ends.

use std::fs;
use std::path::PathBuf;

use flipside_games::{GAMES, SeatTurn, Table, find};

fn read(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/witness");
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn set_up(id: &str, options: &str) -> Box<dyn Table> {
    find(id)
        .expect("a game")
        .set_up(options, 2)
        .expect("a match")
        .table
}

/// Compares the counts up to the largest that does not take too long.
fn agree_on_counts(id: &str, largest: u64) {
    let counts = read("counts.txt");
    let mut compared = 0;
    for line in counts.lines().filter(|line| !line.starts_with('#')) {
        let [game, depth, count] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("not a count: {line}")
        };
        let (depth, count) = (
            depth.parse().expect("a depth"),
            count.parse().expect("a count"),
        );
        if game == id && count <= largest {
            assert_eq!(set_up(id, "{}").perft(depth), Ok(count), "{line}");
            compared += 1;
        }
    }
    assert!(compared >= 4, "only {compared} counts of {id}");
}

fn agree_on_matches(file: &str, id: &str, options: &str) {
    for (number, line) in read(file).lines().enumerate() {
        let place = format!("{file}, line {}", number + 1);
        let (actions, end) = line
            .split_once(" | ")
            .unwrap_or_else(|| panic!("{place}: no end"));
        let mut table = set_up(id, options);
        for action in actions.split(' ') {
            let SeatTurn::Seats(mut seats) = table.turn() else {
                panic!("{place}: over at {action}")
            };
            let seat = seats.next().expect("somebody's turn");
            let listed = table.actions(seat);
            assert!(
                listed.iter().any(|one| one == action),
                "{place}: {action} is not listed"
            );
            table
                .act(&[(seat, action)])
                .unwrap_or_else(|why| panic!("{place}: {action}: {why}"));
        }
        let SeatTurn::Over(outcome) = table.turn() else {
            panic!("{place}: goes on")
        };
        let points = &outcome.points;
        assert_eq!(
            format!("{} {} {}", points[0], points[1], outcome.reason),
            end,
            "{place}"
        );
    }
}

#[test]
fn the_witness_counts_as_many_sequences_of_flipflop_3x3() {
    agree_on_counts("flipflop-3x3", 20_000_000);
}

#[test]
fn the_witness_counts_as_many_sequences_of_flipflop_5x5() {
    agree_on_counts("flipflop-5x5", 200_000_000);
}

#[test]
fn the_witness_counts_as_many_sequences_of_flipfour() {
    agree_on_counts("flipfour", 500_000_000);
}

#[test]
fn the_witness_counts_as_many_sequences_of_yonmoque() {
    agree_on_counts("yonmoque", 500_000_000);
}

#[test]
fn the_witnesses_random_matches_go_the_same_way_here() {
    for id in ["flipflop-3x3", "flipflop-5x5", "flipfour", "yonmoque"] {
        agree_on_matches(&format!("walks-{id}.txt"), id, "{}");
    }
    agree_on_matches(
        "walks-flipflop-3x3-limit12.txt",
        "flipflop-3x3",
        r#"{"max_plies":12}"#,
    );
}

#[test]
fn the_witnesses_rare_ends_come_about_here() {
    for id in ["flipflop-3x3", "flipflop-5x5", "flipfour", "yonmoque"] {
        agree_on_matches(&format!("cases-{id}.txt"), id, "{}");
    }
}

#[test]
fn perft_refuses_no_board_game() {
    for id in ["flipflop-3x3", "flipflop-5x5", "flipfour", "yonmoque"] {
        assert!(GAMES.iter().any(|game| game.info().id == id));
        assert_eq!(set_up(id, "{}").perft(0), Ok(1));
    }
}
