//! Lines, results and the limit.

use flipside_games::chance::shuffle;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::placing::FOUR_SEATS;
use super::seat::{begun, placed};

const LAYOUT: [[u8; 5]; 5] = [
    [99, 15, 16, 12, 99],
    [9, 7, 4, 8, 10],
    [25, 6, 1, 3, 36],
    [30, 2, 5, 0, 20],
    [99, 18, 24, 11, 99],
];

/// How many of the 36 rolls have this number among their results.
fn chances(number: u8) -> u32 {
    let rolls = (1..=6u8).flat_map(|a| (1..=6u8).map(move |b| (a, b)));
    let gives = rolls.filter(|&(a, b)| [a + b, a.abs_diff(b), a * b].contains(&number));
    gives.count() as u32
}

/// All lines of four squares; corners are 99.
fn lines(board: &[[u8; 5]; 5]) -> Vec<[u8; 4]> {
    let mut lines = Vec::new();
    for row in 0..5i32 {
        for column in 0..5i32 {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let (last_row, last_column) = (row + 3 * down, column + 3 * right);
                if (0..5).contains(&last_row) && (0..5).contains(&last_column) {
                    lines.push([0, 1, 2, 3].map(|far| {
                        board[(row + far * down) as usize][(column + far * right) as usize]
                    }));
                }
            }
        }
    }
    lines
}

fn lines_without_corners() -> Vec<[u8; 4]> {
    lines(&LAYOUT)
        .into_iter()
        .filter(|line| !line.contains(&99))
        .collect()
}

#[test]
fn sixteen_lines_win() {
    assert_eq!(
        (lines(&LAYOUT).len(), lines_without_corners().len()),
        (28, 16)
    );
    for line in lines_without_corners() {
        let mut others = vec![15, 36, 30, 11, 12, 25, 18, 20];
        others.retain(|other| !line.contains(other));
        let mut game = begun("{}", 2, 0);
        for at in 0..3 {
            game = game.place(line[at]).place(others[at]);
            assert_eq!(game.end(), "goes on");
        }
        assert_eq!(game.place(line[3]).end(), "[1, 0] line", "{line:?}");
    }
}

#[test]
fn four_with_a_gap_are_no_line() {
    assert_eq!(
        placed("{}", &[[9, 7, 4, 10], [15, 36, 30, 11]]).end(),
        "goes on"
    );
    // On one line of the board, but round the edge of it.
    assert_eq!(
        placed("{}", &[[8, 10, 25, 6], [15, 36, 30, 11]]).end(),
        "goes on"
    );
}

#[test]
fn a_line_made_by_a_move_wins() {
    let game = placed("{}", &[[7, 4, 8, 36], [6, 1, 20, 24]]).roll(6, 6);
    assert_eq!(game.act("36-10").end(), "[1, 0] line");
}

#[test]
fn a_line_made_by_way_of_a_corner_wins() {
    let game = placed("{}", &[[7, 4, 8, 18], [6, 1, 20, 24]]).roll(3, 6);
    assert_eq!(game.act("18-C-10").end(), "[1, 0] line");
}

#[test]
fn a_piece_never_rests_on_a_corner_so_no_line_through_one_wins() {
    // The rulebook's case: 7, 1 and 0 and a corner at either end.
    let game = placed("{}", &[[7, 1, 0, 11], [15, 36, 30, 25]]).roll(5, 6);
    for action in game
        .actions()
        .split(' ')
        .filter(|action| action.starts_with("11-C-"))
    {
        let then = super::seat::SeatMatch {
            table: game.table.copy(),
        }
        .act(action);
        assert_eq!(then.end(), "goes on", "{action}");
        let board = then.view()["board"].clone();
        assert!(
            board[0]
                .as_str()
                .is_some_and(|row| row.starts_with('C') && row.ends_with('C'))
        );
        assert!(
            board[4]
                .as_str()
                .is_some_and(|row| row.starts_with('C') && row.ends_with('C'))
        );
    }
}

#[test]
fn a_flip_that_completes_an_opponents_line_lets_that_opponent_win() {
    let pieces = [[7, 4, 9, 36], [6, 1, 3, 10], [15, 24, 30, 20]];
    for rule in ["mover", "opponent", "both"] {
        let game = placed(&format!(r#"{{"double_line":"{rule}"}}"#), &pieces);
        assert_eq!(game.roll(6, 6).act("36-10").end(), "[0, 1, 0] line");
    }
}

#[test]
fn if_mover_and_opponent_complete_a_line_the_option_double_line_decides() {
    let pieces = [[7, 4, 8, 36], [6, 1, 3, 10], [15, 24, 30, 20]];
    for (options, end) in [
        ("{}", "[1, 0, 0] line"),
        (r#"{"double_line":"mover"}"#, "[1, 0, 0] line"),
        (r#"{"double_line":"opponent"}"#, "[0, 1, 0] line"),
        (r#"{"double_line":"both"}"#, "[1, 1, 0] line"),
    ] {
        let game = placed(options, &pieces).roll(6, 6).act("36-10");
        assert_eq!(game.end(), end, "{options}");
        assert_eq!(game.view()["over"]["reason"], "line");
    }
}

#[test]
fn the_winner_gets_one_point_and_all_others_none() {
    let mut game = begun("{}", 4, 3);
    for number in [7, 15, 16, 12, 4, 30, 25, 24, 8, 11, 18, 20] {
        game = game.place(number);
    }
    assert_eq!(game.place(10).end(), "[0, 0, 0, 1] line");
}

#[test]
fn at_max_turns_the_match_is_a_draw_of_all() {
    let game = begun(r#"{"max_turns":3}"#, 3, 0).place(1).place(2);
    assert_eq!(game.end(), "goes on");
    let game = game.place(3);
    assert_eq!(game.end(), "[0, 0, 0] limit");
    assert_eq!(game.view()["to_move"], serde_json::Value::Null);
}

#[test]
fn rolling_again_within_a_turn_does_not_count_as_a_turn() {
    let game = begun(r#"{"max_turns":3}"#, 2, 0).place(0).place(4);
    let game = game.roll(2, 2).roll(2, 2).roll(2, 2);
    assert_eq!(game.view()["turns"], 2);
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.act("36").end(), "[0, 0] limit");
}

#[test]
fn lost_turns_count_as_turns() {
    let game = placed(r#"{"max_turns":10}"#, &FOUR_SEATS[..2]).roll(4, 4);
    assert_eq!(game.view()["turns"], 9);
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.roll(4, 4).end(), "[0, 0] limit");
}

#[test]
fn a_pass_counts_as_a_turn_and_the_limit_waits_for_its_end() {
    let mut game = placed(r#"{"max_turns":13}"#, &FOUR_SEATS[..2]);
    for _ in 0..5 {
        game = game.roll(4, 4);
    }
    assert_eq!(game.view()["turns"], 12);
    assert_eq!(game.asked(), Some(0), "the third lost turn is not over yet");
    assert_eq!(game.act("pass").end(), "[0, 0] limit");
}

#[test]
fn a_win_in_the_last_turn_counts() {
    let game = placed(r#"{"max_turns":9}"#, &[[7, 4, 8, 36], [6, 1, 20, 24]]).roll(6, 6);
    assert_eq!(game.act("36-10").end(), "[1, 0] line");
    let game = placed(r#"{"max_turns":9}"#, &[[7, 4, 8, 36], [6, 1, 20, 24]]).roll(6, 6);
    assert_eq!(game.act("36-20").end(), "[0, 0] limit");
}

#[test]
fn the_default_layout_has_the_likeliest_numbers_in_the_middle() {
    let mut numbers: Vec<u8> = LAYOUT.concat();
    numbers.retain(|&number| number != 99);
    let middle: Vec<u8> = LAYOUT[1..4]
        .iter()
        .flat_map(|row| &row[1..4])
        .copied()
        .collect();
    let least = middle.iter().map(|&number| chances(number)).min();
    let edge = numbers.iter().filter(|number| !middle.contains(number));
    assert!(edge.map(|&number| chances(number)).max() < least);
}

/// How far apart the lines of a board are: for each line, in how many of the 36 rolls its numbers
/// are results, each number counted for itself.
fn spread(board: &[[u8; 5]; 5]) -> u32 {
    let sums = lines(board).into_iter().filter(|line| !line.contains(&99));
    let sums: Vec<u32> = sums
        .map(|line| line.into_iter().map(chances).sum())
        .collect();
    sums.iter().max().expect("a line") - sums.iter().min().expect("a line")
}

#[test]
fn no_random_edge_makes_the_lines_of_the_default_layout_more_alike() {
    assert_eq!(spread(&LAYOUT), 8);
    let places: Vec<(usize, usize)> = (0..5)
        .flat_map(|row| (0..5).map(move |column| (row, column)))
        .filter(|&(row, column)| row % 4 == 0 || column % 4 == 0)
        .filter(|&(row, column)| LAYOUT[row][column] != 99)
        .collect();
    let mut edge: Vec<u8> = places
        .iter()
        .map(|&(row, column)| LAYOUT[row][column])
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..2000 {
        shuffle(&mut rng, &mut edge);
        let mut board = LAYOUT;
        for (&(row, column), &number) in places.iter().zip(&edge) {
            board[row][column] = number;
        }
        assert!(spread(&board) >= 8, "{board:?}");
    }
}
