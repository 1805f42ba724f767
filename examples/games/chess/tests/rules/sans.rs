//! Moves in words: the scores of famous games are played by their words alone, and cases that they do not have.

use flipside_games::{SeatTurn, Table};

use super::{play, table};

/// Plays the move that these words mean: in each position, only one may have them.
fn play_words(table: &mut dyn Table, words: &str) {
    let seat = table.turn().asked().lowest().expect("the match goes on");
    let actions = table.actions(seat);
    let meant: Vec<_> = { actions.iter() }
        .filter(|action| table.action_in_words(action) == words)
        .collect();
    let &[action] = &meant[..] else {
        panic!("{words} is {meant:?}");
    };
    table.act(&[(seat, action)]).unwrap();
    assert_eq!(table.action_in_words(action), words, "after it was played");
}

#[test]
fn famous_games_are_played_by_their_words() {
    for (name, score, reason) in [
        (
            "Morphy against the Duke of Brunswick and Count Isouard, Paris 1858",
            "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+ Nbd7 O-O-O Rd8 \
             Rxd7 Rxd7 Rd1 Qe6 Bxd7+ Nxd7 Qb8+ Nxb8 Rd8#",
            Some("checkmate"),
        ),
        (
            "Anderssen against Kieseritzky, London 1851",
            "e4 e5 f4 exf4 Bc4 Qh4+ Kf1 b5 Bxb5 Nf6 Nf3 Qh6 d3 Nh5 Nh4 Qg5 Nf5 c6 g4 Nf6 Rg1 cxb5 h4 Qg6 h5 Qg5 Qf3 \
             Ng8 Bxf4 Qf6 Nc3 Bc5 Nd5 Qxb2 Bd6 Bxg1 e5 Qxa1+ Ke2 Na6 Nxg7+ Kd8 Qf6+ Nxf6 Be7#",
            Some("checkmate"),
        ),
        (
            "Anderssen against Dufresne, Berlin 1852",
            "e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4 c3 Ba5 d4 exd4 O-O d3 Qb3 Qf6 e5 Qg6 Re1 Nge7 Ba3 b5 Qxb5 Rb8 Qa4 Bb6 \
             Nbd2 Bb7 Ne4 Qf5 Bxd3 Qh5 Nf6+ gxf6 exf6 Rg8 Rad1 Qxf3 Rxe7+ Nxe7 Qxd7+ Kxd7 Bf5+ Ke8 Bd7+ Kf8 Bxe7#",
            Some("checkmate"),
        ),
        (
            "Byrne against Fischer, New York 1956",
            "Nf3 Nf6 c4 g6 Nc3 Bg7 d4 O-O Bf4 d5 Qb3 dxc4 Qxc4 c6 e4 Nbd7 Rd1 Nb6 Qc5 Bg4 Bg5 Na4 Qa3 Nxc3 bxc3 \
             Nxe4 Bxe7 Qb6 Bc4 Nxc3 Bc5 Rfe8+ Kf1 Be6 Bxb6 Bxc4+ Kg1 Ne2+ Kf1 Nxd4+ Kg1 Ne2+ Kf1 Nc3+ Kg1 axb6 Qb4 \
             Ra4 Qxb6 Nxd1 h3 Rxa2 Kh2 Nxf2 Re1 Rxe1 Qd8+ Bf8 Nxe1 Bd5 Nf3 Ne4 Qb8 b5 h4 h5 Ne5 Kg7 Kg1 Bc5+ Kf1 \
             Ng3+ Ke1 Bb4+ Kd1 Bb3+ Kc1 Ne2+ Kb1 Nc3+ Kc1 Rc2#",
            Some("checkmate"),
        ),
        (
            "a draw by repetition in the Ruy Lopez",
            "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Bb7 d4 Re8 Ng5 Rf8 Nf3 Re8 Ng5 Rf8 Nf3",
            Some("repetition"),
        ),
    ] {
        println!("{name}");
        let mut table = table(None);
        score
            .split_whitespace()
            .for_each(|words| play_words(&mut *table, words));
        let over = match table.turn() {
            SeatTurn::Over(outcome) => Some(outcome.reason),
            _ => None,
        };
        assert_eq!(over, reason, "{name}");
    }
}

#[test]
fn words_tell_moves_apart() {
    for (fen, action, words) in [
        // By file, by rank, by both, and not if the other piece is pinned.
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "a1d1", "Rd1"),
        ("3k4/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1", "Rad1+"),
        ("3k4/8/8/8/8/8/4K3/R6R w - - 0 1", "h1d1", "Rhd1+"),
        ("4k3/R7/8/8/8/8/8/R3K3 w - - 0 1", "a1a4", "R1a4"),
        ("4k3/R7/8/8/8/8/8/R3K3 w - - 0 1", "a7a4", "R7a4"),
        ("6k1/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
        ("6k1/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "e4e1", "Qee1"),
        ("6k1/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h1e1", "Q1e1"),
        ("4k3/8/8/8/4r3/8/4N3/N3K3 w - - 0 1", "a1c2", "Nc2"),
        ("4k3/8/4r3/8/8/8/4N3/N3K3 w - - 0 1", "a1b3", "Nb3"),
        ("4k3/8/4r3/8/8/2N5/4N3/4K3 w - - 0 1", "c3d5", "Nd5"),
        // Captures, en passant, promotions and castling.
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "exd5"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a8=Q+"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "a8=N"),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8r", "axb8=R+"),
        ("7k/P5pp/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a8=Q#"),
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+"),
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+"),
        ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8g8", "O-O"),
        ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8c8", "O-O-O"),
        ("4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", "e1e2", "Kxe2"),
        // By the piece behind.
        ("4k3/8/8/8/8/8/4B3/K3R3 w - - 0 1", "e2b5", "Bb5+"),
        ("7k/7p/8/6N1/2B5/8/8/K6R w - - 0 1", "g5f7", "Nf7+"),
        ("6rk/6pp/8/6N1/8/8/8/K7 w - - 0 1", "g5f7", "Nf7#"),
    ] {
        let table = table(Some(fen));
        assert_eq!(table.action_in_words(action), words, "{action} in {fen}");
    }
}

#[test]
fn a_move_that_is_not_legal_stays_as_it_is() {
    let mut table = table(None);
    for text in ["e2e5", "e7e5", "e7e8q", "Nf3", ""] {
        assert_eq!(table.action_in_words(text), text);
    }
    play(&mut *table, "e2e4");
    assert_eq!(table.action_in_words("e2e4"), "e4");
    assert_eq!(table.action_in_words("e7e5"), "e5");
    assert_eq!(table.action_in_words("e2e3"), "e2e3");
}
