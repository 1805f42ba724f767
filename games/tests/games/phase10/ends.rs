//! The rulings about how a match ends: the last phase, the deciding round, ranking, variants,
//! limits; and the options.

use flipside_games::{SeatTurn, Viewer, find};
use serde_json::{Value, json};

use super::stack::{StackDeal, StackMatch, start};

/// A hand that goes out in its first turn in phase 1, whatever it draws.
const QUICK: &str = "r1 r2 y1 y2 r3 r4 r5 r6 r7 r8";

/// What it does, but for the last discard, by the seat that has it.
fn out(seat: u8) -> String {
    let hits = (3..=8).map(|number| format!("; hit r{number} {seat}.1 high"));
    format!(
        "draw pile; lay r1 r2; lay y1 y2{}",
        hits.collect::<String>()
    )
}

/// Goes out with that hand; the last card is what was drawn.
fn go_out(game: &mut StackMatch) {
    let seat = game.mover();
    game.play(&out(seat));
    let last = game.listed("discard")[0].clone();
    game.play(&last);
}

/// One phase decides. All but the last seat lay it with what they hold; the last goes out.
fn one_phase(options: &str, hands: &[&str], lays: &[&str]) -> StackMatch {
    let deal = StackDeal {
        hands,
        discard: "b12",
        pile: "",
    };
    let mut game = start(options, hands.len() as u8, deal);
    for lay in lays {
        game.play("draw pile").play(lay);
        let harmless = game
            .listed("discard")
            .into_iter()
            .find(|text| !text.ends_with('^'));
        game.play(&harmless.expect("a card to discard"));
    }
    go_out(&mut game);
    game
}

const ONE_PHASE: &str = r#"{"variant":"short","phases":1}"#;

#[test]
fn the_match_ends_after_a_round_in_which_somebody_completed_the_last_phase() {
    let game = one_phase(ONE_PHASE, &["", QUICK], &[""]);
    assert_eq!(game.end(), "[0, 1] last-phase");
    assert_eq!(
        game.shown("/over"),
        json!({ "points": [0, 1], "reason": "last-phase" })
    );
    assert_eq!(game.shown("/stage"), "over");
    assert_eq!(game.shown("/to_move"), json!(null));
}

#[test]
fn it_does_not_end_before_the_round_has() {
    let hands = ["g1 g2 b4 b5 g9 g11 b9 b11 y9 y11", QUICK];
    let mut game = start(
        ONE_PHASE,
        2,
        StackDeal {
            hands: &hands,
            discard: "b12",
            pile: "y7",
        },
    );
    game.play("draw pile; lay g1 g2; lay b4 b5; discard y7");
    assert_eq!(game.shown("/seats/0/completed"), 1);
    assert_eq!(game.end(), "goes on");
}

#[test]
fn several_completed_the_last_phase_then_the_lowest_total_wins() {
    // Seat 0 keeps six low cards, which is 30; the winner of the round scores 10.
    let hands = ["g1 g2 b4 b5 g6 g8 b7 b9 y6 y8", QUICK];
    let game = one_phase(ONE_PHASE, &hands, &["lay g1 g2; lay b4 b5"]);
    assert_eq!(
        (game.shown("/seats/0/score"), game.shown("/seats/1/score")),
        (json!(30), json!(10))
    );
    assert_eq!(game.end(), "[0, 1] last-phase");
    // With a hundred for the winner it is the other way round.
    let options = r#"{"variant":"short","phases":1,"round_winner_points":100}"#;
    let game = one_phase(options, &hands, &["lay g1 g2; lay b4 b5"]);
    assert_eq!(game.end(), "[1, 0] last-phase");
}

/// Seats 1 and 3 of four tie: one goes out and scores 30, the other holds six low cards.
fn tied() -> StackMatch {
    let options = r#"{"variant":"short","phases":1,"round_winner_points":30}"#;
    let hands = ["", "g1 g2 b4 b5 g6 g8 b7 b9 y6 y8", "", QUICK];
    one_phase(options, &hands, &["", "lay g1 g2; lay b4 b5", ""])
}

#[test]
fn still_tied_then_only_the_tied_seats_are_dealt_cards_and_take_turns_in_a_deciding_round() {
    let mut game = tied();
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.shown("/stage"), "deal");
    assert_eq!(game.shown("/dealer"), 3);
    game.deal(StackDeal::default());
    assert_eq!(game.shown("/deciding"), json!([1, 3]));
    assert_eq!(
        game.shown("/dealer"),
        0,
        "the dealer passes left over all seats"
    );
    assert_eq!(game.mover(), 1, "the first tied seat to the dealer's left");
    for (seat, cards) in [0, 10, 0, 10].into_iter().enumerate() {
        assert_eq!(game.shown(&format!("/seats/{seat}/cards")), cards);
    }
    assert_eq!(game.shown("/draw_pile/cards"), 104 - 20 - 1);
    assert_eq!(game.shown("/seats/1/phase"), 1, "the last phase again");
    game.pass(1);
    assert_eq!(game.mover(), 3);
    game.pass(1);
    assert_eq!(game.mover(), 1);
}

#[test]
fn in_the_deciding_round_the_first_to_go_out_wins_and_nothing_is_scored() {
    let mut game = tied();
    let before: Vec<_> = (0..4)
        .map(|seat| game.shown(&format!("/seats/{seat}/score")))
        .collect();
    // Seat 1 lays the phase first, but seat 3 goes out first.
    game.deal(StackDeal {
        hands: &["", "g1 g2 b4 b5", "", QUICK],
        ..StackDeal::default()
    });
    game.play("draw pile; lay g1 g2; lay b4 b5");
    let harmless = game
        .listed("discard")
        .into_iter()
        .find(|text| !text.ends_with('^'));
    game.play(&harmless.expect("a card to discard"));
    assert_eq!(game.shown("/seats/1/completed"), 1, "not a phase more");
    go_out(&mut game);
    let after: Vec<_> = (0..4)
        .map(|seat| game.shown(&format!("/seats/{seat}/score")))
        .collect();
    assert_eq!(before, after);
    // The winner is first, the other tied seat second; the others have completed no phase, and
    // rank by their totals.
    let SeatTurn::Over(outcome) = game.table.turn() else {
        panic!("it is over")
    };
    assert_eq!(outcome.reason, "deciding-round");
    assert_eq!((outcome.points[3], outcome.points[1]), (3, 2));
}

#[test]
fn the_deciding_round_counts_towards_the_most_rounds() {
    let options = r#"{"variant":"short","phases":1,"round_winner_points":30,"max_rounds":1}"#;
    let hands = ["", "g1 g2 b4 b5 g6 g8 b7 b9 y6 y8", "", QUICK];
    let game = one_phase(options, &hands, &["", "lay g1 g2; lay b4 b5", ""]);
    let SeatTurn::Over(outcome) = game.table.turn() else {
        panic!("it is over")
    };
    assert_eq!(outcome.reason, "limit");
    assert_eq!(
        (outcome.points[1], outcome.points[3]),
        (2, 2),
        "a tie stays one"
    );
}

#[test]
fn a_limit_in_the_deciding_round_leaves_the_tie() {
    let options =
        r#"{"variant":"short","phases":1,"round_winner_points":30,"max_turns_per_round":4}"#;
    let hands = ["", "g1 g2 b4 b5 g6 g8 b7 b9 y6 y8", "", QUICK];
    let mut game = one_phase(options, &hands, &["", "lay g1 g2; lay b4 b5", ""]);
    game.deal(StackDeal::default());
    game.pass(4);
    let SeatTurn::Over(outcome) = game.table.turn() else {
        panic!("it is over")
    };
    assert_eq!(outcome.reason, "limit");
    assert_eq!((outcome.points[1], outcome.points[3]), (2, 2));
}

#[test]
fn the_others_rank_by_phases_completed_then_by_lower_score_and_equal_is_a_tie() {
    // Two phases decide. In the first round seats 1 and 3 complete theirs; in the second seat 3.
    let options = r#"{"variant":"short","phases":2,"flips_each_side":0}"#;
    let hands = [
        "r9 r11 y9 y11 g3 g5 g7 g9 b1 b3",
        "g1 g2 b4 b5 g6 g8 b7 b9 y6 y8",
        "y10 y12 y3 y5 y7 r10 r12 g10 g12 b10",
        QUICK,
    ];
    let mut game = one_phase(options, &hands, &["", "lay g1 g2; lay b4 b5", ""]);
    assert_eq!(game.end(), "goes on");
    game.deal(StackDeal {
        hands: &[
            "r9 r11 y9 y11 g3 g5 g7 g9 b1 b3",
            "r* r* y* y* g* g* b* b* y10 y12",
            "y10 y12 y3 y5 y7 r10 r12 g10 g12 b10",
            "r1 r2 y1 g1 r3 r4 r5 r6 r7 r8",
        ],
        ..StackDeal::default()
    });
    game.pass(2);
    game.play("draw pile; lay r1 r2; lay y1 g1");
    for number in 3..=8 {
        game.play(&format!("hit r{number} 3.1 high"));
    }
    let last = game.listed("discard")[0].clone();
    game.play(&last);
    let score = |seat: u8| game.shown(&format!("/seats/{seat}/score")).as_u64();
    assert!(score(3) < score(0) && score(0) < score(2) && score(2) < score(1));
    assert_eq!(game.end(), "[1, 2, 0, 3] last-phase");
}

#[test]
fn points_are_the_number_of_seats_ranked_strictly_behind() {
    let options = r#"{"max_turns_per_round":4}"#;
    let hands = ["", "g1 g2 b4 b5", "", ""];
    let mut game = start(
        options,
        4,
        StackDeal {
            hands: &hands,
            discard: "b12",
            pile: "",
        },
    );
    game.pass(1);
    game.play("draw pile; lay g1 g2; lay b4 b5");
    let harmless = game
        .listed("discard")
        .into_iter()
        .find(|text| !text.ends_with('^'));
    game.play(&harmless.expect("a card to discard"));
    game.pass(2);
    assert_eq!(
        game.end(),
        "[0, 3, 0, 0] limit",
        "a phase laid in that round counts"
    );
}

#[test]
fn at_the_limit_of_turns_hands_are_not_scored_and_a_last_phase_is_no_win() {
    let options = r#"{"variant":"short","phases":1,"max_turns_per_round":3}"#;
    let hands = ["g1 g2 b4 b5", "", "r5 r6 y9 y10"];
    let mut game = start(
        options,
        3,
        StackDeal {
            hands: &hands,
            discard: "b12",
            pile: "",
        },
    );
    game.play("draw pile; lay g1 g2; lay b4 b5");
    let harmless = game
        .listed("discard")
        .into_iter()
        .find(|text| !text.ends_with('^'));
    game.play(&harmless.expect("a card to discard")).pass(2);
    assert_eq!(game.end(), "[2, 0, 0] limit");
    for seat in 0..3 {
        assert_eq!(game.shown(&format!("/seats/{seat}/score")), 0);
    }
    assert_eq!(game.shown("/turn"), 3);
}

#[test]
fn one_seats_turn_counts_one_turn() {
    let options = r#"{"max_turns_per_round":5}"#;
    let mut game = start(options, 2, StackDeal::default());
    game.pass(4);
    assert_eq!(game.end(), "goes on");
    game.pass(1);
    assert_eq!(game.end(), "[0, 0] limit");
}

#[test]
fn going_out_on_the_last_turn_ends_the_round_and_not_the_match() {
    let options = r#"{"max_turns_per_round":2}"#;
    let mut game = start(
        options,
        2,
        StackDeal {
            hands: &["", QUICK],
            discard: "b12",
            pile: "",
        },
    );
    game.pass(1);
    go_out(&mut game);
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.shown("/stage"), "deal");
    let options = r#"{"variant":"short","phases":1,"max_turns_per_round":2,"max_rounds":1}"#;
    let game = one_phase(options, &["", QUICK], &[""]);
    assert_eq!(
        game.end(),
        "[0, 1] last-phase",
        "an ordinary win comes first"
    );
}

#[test]
fn after_the_most_rounds_the_match_ends_as_it_stands() {
    let options = r#"{"max_rounds":1}"#;
    let game = one_phase(options, &["", QUICK], &[""]);
    assert_eq!(game.end(), "[0, 1] limit");
    assert!(
        game.shown("/seats/0/score").as_u64() > Some(0),
        "its hands were scored: it ended"
    );
}

#[test]
fn in_ten_rounds_everybody_moves_on_each_round_and_the_lowest_total_wins() {
    let options = r#"{"variant":"ten-rounds","round_winner_points":0}"#;
    let hands = ["", QUICK];
    let mut game = start(
        options,
        2,
        StackDeal {
            hands: &hands,
            discard: "b12",
            pile: "",
        },
    );
    game.pass(1);
    go_out(&mut game);
    game.deal(StackDeal::default());
    for seat in 0..2 {
        assert_eq!(
            game.shown(&format!("/seats/{seat}/phase")),
            2,
            "completed or not"
        );
    }
    assert_eq!(game.shown("/seats/0/completed"), 0);
    assert_eq!(game.end(), "goes on");
}

#[test]
fn ten_rounds_rank_by_total_alone_at_the_limits_too() {
    // Seat 1 goes out, but the winner's points are more than what the others hold.
    let options = r#"{"variant":"ten-rounds","max_rounds":1,"round_winner_points":100}"#;
    let low = "r9 y3 y5 y7 y9 g1 g3 g5 g7 b9";
    let game = one_phase(options, &[low, QUICK], &[""]);
    assert_eq!(game.end(), "[1, 0] limit");
    // In the standard game phases come first.
    let options = r#"{"max_rounds":1,"round_winner_points":100}"#;
    let game = one_phase(options, &[low, QUICK], &[""]);
    assert_eq!(game.end(), "[0, 1] limit");
    // Both have nothing when turns are over: a tie, although one has laid its phase.
    let options = r#"{"variant":"ten-rounds","max_turns_per_round":2}"#;
    let hands = ["g1 g2 b4 b5", ""];
    let mut game = start(
        options,
        2,
        StackDeal {
            hands: &hands,
            discard: "b12",
            pile: "",
        },
    );
    game.play("draw pile; lay g1 g2; lay b4 b5");
    let harmless = game
        .listed("discard")
        .into_iter()
        .find(|text| !text.ends_with('^'));
    game.play(&harmless.expect("a card to discard")).pass(1);
    assert_eq!(game.end(), "[0, 0] limit");
}

#[test]
fn ten_rounds_end_after_ten_rounds() {
    let ended = ends_of_random_matches(r#"{"variant":"ten-rounds","max_turns_per_round":10000}"#);
    for (round, reason, view) in ended {
        assert_eq!((round, reason), (10, "ten-rounds"));
        let scores = view["seats"].as_array().expect("seats").iter();
        let scores: Vec<u64> = scores.filter_map(|seat| seat["score"].as_u64()).collect();
        for (seat, score) in scores.iter().enumerate() {
            let behind = scores.iter().filter(|&other| other > score).count();
            assert_eq!(view["over"]["points"][seat], behind, "{scores:?}");
        }
    }
}

fn ends_of_random_matches(options: &str) -> Vec<(u64, &'static str, Value)> {
    let game = find("phase10-flip").expect("built in");
    let ends = (0..10).map(|seed| {
        let setup = game.set_up(options, 3).expect("options that fit");
        let mut game = StackMatch::of(setup.table);
        game.play_at_random(seed);
        let SeatTurn::Over(outcome) = game.table.turn() else {
            panic!("it is over")
        };
        let view = game.view(Viewer::Public);
        let round = view["round"].as_u64().expect("a number");
        (round, outcome.reason, view)
    });
    ends.collect()
}

#[test]
fn a_short_game_has_as_many_phases_as_the_option_says_and_five_by_default() {
    let game = find("phase10-flip").expect("built in");
    let options = game
        .set_up(r#"{"variant":"short"}"#, 2)
        .expect("options")
        .options;
    assert!(options.contains(r#""phases":5"#), "{options}");
    for phases in [1, 2, 3] {
        let options = format!(r#"{{"variant":"short","phases":{phases}}}"#);
        let setup = game.set_up(&options, 2).expect("options that fit");
        let mut game = StackMatch::of(setup.table);
        game.play_at_random(phases);
        let view = game.view(Viewer::Public);
        let most = view["seats"].as_array().expect("seats").iter();
        assert_eq!(
            most.map(|seat| seat["completed"].as_u64()).max().flatten(),
            Some(phases)
        );
    }
}

#[test]
fn options_that_do_not_fit_are_refused_by_name_and_range() {
    let game = find("phase10-flip").expect("built in");
    for (options, words) in [
        (
            r#"{"phases":5}"#,
            "option phases: only with the variant \"short\", there a whole number from 1 to 9",
        ),
        (
            r#"{"variant":"ten-rounds","phases":5}"#,
            "option phases: only with the variant",
        ),
        (
            r#"{"variant":"short","phases":0}"#,
            "option phases: a whole number from 1 to 9, not 0",
        ),
        (r#"{"variant":"short","phases":10}"#, "from 1 to 9"),
        (r#"{"variant":"short","phases":null}"#, "option phases: "),
        (
            r#"{"variant":"long"}"#,
            "option variant: one of `standard`, `ten-rounds`, `short`, not \"long\"",
        ),
        (
            r#"{"flips_each_side":6}"#,
            "option flips_each_side: 6 is not a multiple of 4 from 0 to 24",
        ),
        (
            r#"{"flips_each_side":28}"#,
            "option flips_each_side: a whole number from 0 to 24, not 28",
        ),
        (
            r#"{"round_winner_points":101}"#,
            "option round_winner_points: a whole number from 0 to 100, not 101",
        ),
        (
            r#"{"max_rounds":0}"#,
            "option max_rounds: a whole number from 1 to 1000, not 0",
        ),
        (
            r#"{"max_turns_per_round":10001}"#,
            "option max_turns_per_round: a whole number from 1 to 10000, not 10001",
        ),
        (
            r#"{"max_plies":3}"#,
            "option max_plies: there is no such option",
        ),
    ] {
        let why = game
            .set_up(options, 2)
            .err()
            .map(|why| why.to_string())
            .unwrap_or_default();
        assert!(why.contains(words), "{options}: {why}");
    }
    for seats in [0, 1, 7] {
        let why = game
            .set_up("{}", seats)
            .err()
            .map(|why| why.to_string())
            .unwrap_or_default();
        assert!(why.contains("2 to 6 seats"), "{why}");
    }
}

#[test]
fn random_matches_end_well_inside_the_limits() {
    let game = find("phase10-flip").expect("built in");
    let mut by_limit = 0;
    for seed in 0..2_000 {
        let setup = game
            .set_up("{}", 2 + (seed % 5) as u8)
            .expect("options that fit");
        let mut game = StackMatch::of(setup.table);
        game.play_at_random(seed);
        by_limit += usize::from(game.end().ends_with("limit"));
    }
    assert!(by_limit <= 10, "{by_limit} of 2000");
}
