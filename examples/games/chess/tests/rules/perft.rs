//! Published counts of the sequences of moves (https://www.chessprogramming.org/Perft_Results): the rules alone, and the
//! program asked line by line.

use std::time::Instant;

use super::served::program;
use super::{KIWIPETE, game, table_of};
use flipside_games::AnyGame;

/// Compares the count at each depth, from 1.
fn counts(game: &dyn AnyGame, fen: Option<&str>, due: &[u64]) {
    let table = table_of(game, fen);
    for (depth, &due) in (1..).zip(due) {
        let begun = Instant::now();
        let counted = table.perft(depth);
        assert_eq!(table.failure(), None);
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "perft {depth} of {}: {counted:?} in {seconds:.1} s",
            fen.unwrap_or("the start")
        );
        assert_eq!(counted, Ok(due), "depth {depth} of {fen:?}");
    }
}

const START: [u64; 5] = [20, 400, 8_902, 197_281, 4_865_609];
const OF_KIWIPETE: [u64; 4] = [48, 2_039, 97_862, 4_085_603];

#[test]
fn the_rules_have_the_published_counts() {
    counts(game(), None, &START);
    counts(game(), Some(KIWIPETE), &OF_KIWIPETE);
    for (fen, due) in [
        (
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            [14, 191, 2_812, 43_238],
        ),
        (
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            [6, 264, 9_467, 422_333],
        ),
        (
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            [44, 1_486, 62_379, 2_103_487],
        ),
    ] {
        counts(game(), Some(fen), &due);
    }
}

#[test]
fn the_program_has_the_published_counts() {
    let program = program();
    counts(&program, None, &START[..3]);
    counts(&program, Some(KIWIPETE), &OF_KIWIPETE[..2]);
}

#[test]
#[ignore = "long: 300,000 positions, asked line by line"]
fn the_program_has_the_published_counts_to_their_full_depth() {
    let program = program();
    counts(&program, None, &START);
    counts(&program, Some(KIWIPETE), &OF_KIWIPETE);
}
