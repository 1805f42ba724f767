//! Every ruling of the simultaneous games; the name of a test is the ruling.

use flipside_games::{Refusal, Seat, Viewer};
use serde_json::{Value, json};

use super::script::{Script, basic, championship, options, start};

const ROW: [&str; 4] = ["a1", "b1", "c1", "d1"];

fn with(id: &str, rules: Value, model: Value, seats: u8) -> Script {
    start(id, &options([("rules", rules), ("model", model)]), seats)
}

/// What delays a test can count on.
fn fixed(flight: u64, reload: u64, reaction: u64) -> Value {
    json!({
        "flight": flight, "flight_spread": 0, "reload": reload, "reload_spread": 0,
        "reaction": reaction, "reaction_spread": 0,
    })
}

/// Rules by which a team may wait too.
fn waiting() -> Value {
    json!({ "team_wait": true })
}

fn lines(script: &Script) -> Vec<String> {
    let view = script.view();
    let found = view["lines"].as_array().expect("lines").clone();
    found
        .iter()
        .map(|found| format!("{} {}", found["side"], cells(&found["lines"])))
        .collect()
}

fn cells(lines: &Value) -> String {
    let each = lines.as_array().expect("lines").iter().map(|line| {
        let cells: Vec<&str> = line["cells"]
            .as_array()
            .expect("cells")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        format!(
            "{} {}",
            line["tray"].as_str().expect("a tray"),
            cells.join(" ")
        )
    });
    each.collect::<Vec<_>>().join(", ")
}

#[test]
fn the_trays_are_two_of_five_by_five_cells_and_both_sides_begin_with_21_tokens() {
    let script = basic();
    for tray in ["top", "bottom"] {
        assert_eq!(script.view()[tray]["ranks"], json!(vec![vec![""; 5]; 5]));
    }
    assert_eq!(
        [0, 1].map(|side| script.side(side)["hand"].clone()),
        [21, 21]
    );
    assert_eq!(script.table.actions(0).len(), 51, "50 cells, and waiting");
}

#[test]
fn trays_have_four_to_six_cells_on_a_side() {
    for (size, actions, off) in [(4, 33, "launch top e1"), (6, 73, "launch top g1")] {
        let script = with("puissance4-basic", json!({ "size": size }), json!({}), 2);
        assert_eq!(script.table.actions(0).len(), actions);
        assert!(script.table.check(0, off).is_err());
    }
}

#[test]
fn a_row_a_column_and_both_diagonals_are_lines() {
    for line in [
        ["a2", "b2", "c2", "d2"],
        ["e2", "e3", "e4", "e5"],
        ["b1", "c2", "d3", "e4"],
        ["b5", "c4", "d3", "e2"],
    ] {
        for tray in ["top", "bottom"] {
            let mut script = basic();
            script.line(1, tray, line);
            script.wait_out();
            assert_eq!(script.over(), Some((vec![0, 1], "line")), "{tray} {line:?}");
        }
    }
}

#[test]
fn three_or_four_with_a_gap_or_round_a_corner_are_no_line() {
    for line in [
        ["a1", "b1", "c1", "e1"],
        ["d5", "e5", "a1", "b1"],
        ["a4", "a5", "b1", "b2"],
        ["c5", "d5", "e4", "d4"],
    ] {
        let mut script = basic();
        script.line(0, "top", line);
        script.wait_until(40);
        assert_eq!(script.over(), None, "{line:?}");
    }
}

#[test]
fn a_line_is_in_one_tray() {
    let mut script = basic();
    for place in ["top a1", "top b1", "bottom c1", "bottom d1"] {
        script.then(0, place);
    }
    script.wait_until(40);
    assert_eq!(lines(&script), [""; 0]);
}

#[test]
fn five_in_a_row_hold_two_lines() {
    let mut script = basic();
    script.reaction = 3;
    for cell in ["a1", "b1", "d1", "e1", "c1"] {
        script.then(0, &format!("top {cell}"));
    }
    script.wait_until(19);
    assert_eq!(lines(&script), ["0 top a1 b1 c1 d1, top b1 c1 d1 e1"]);
}

#[test]
fn the_topmost_token_controls_a_cell() {
    let mut script = basic();
    for cell in ["a1", "b1", "c1"] {
        script.then(0, &format!("top {cell}"));
    }
    script.then(1, "top d1");
    script.then(1, "top d1");
    script.then(0, "top d1");
    script.wait_out();
    assert_eq!(script.stack("top d1"), "ttT");
    assert_eq!(script.over(), Some((vec![1, 0], "line")));
}

#[test]
fn a_covered_token_controls_nothing() {
    let mut script = basic();
    for cell in ["a1", "b1", "c1", "d1"] {
        script.then(0, &format!("top {cell}"));
        if cell == "b1" {
            script.then(1, "top b1");
        }
    }
    script.wait_until(60);
    assert_eq!(script.over(), None);
}

#[test]
fn a_token_off_both_trays_is_back_in_hand_pick_up_ticks_after_it_came_down() {
    let mut script = basic();
    script.throw(&[(0, "miss")]);
    script.wait_until(3);
    assert_eq!(script.side(0)["picked_up"], json!([11]));
    script.wait_until(10);
    assert_eq!(script.side(0)["hand"], 20);
    script.wait_until(11);
    assert_eq!(script.side(0)["hand"], 21);
    assert_eq!(script.side(0)["picked_up"], json!([]));
}

#[test]
fn the_next_launch_need_not_wait_for_a_token_that_is_picked_up() {
    let mut script = basic();
    script.throw(&[(0, "miss")]);
    script.wait_until(4);
    assert_eq!(script.side(0)["ready"], true);
    script.throw(&[(0, "top a1")]);
    assert_eq!(script.side(0)["hand"], 19);
}

#[test]
fn a_token_on_a_tray_but_in_no_cell_is_removed_for_the_round() {
    let mut script = basic();
    script.throw(&[(0, "top rim"), (1, "bottom rim")]);
    script.wait_until(30);
    for side in [0, 1] {
        assert_eq!(script.side(side)["out"], 1);
        assert_eq!(script.side(side)["hand"], 20);
    }
    for tray in ["top", "bottom"] {
        assert_eq!(script.view()[tray]["rim"], "");
    }
}

#[test]
fn with_leave_a_token_stays_on_the_rim_without_any_effect() {
    let mut script = with("puissance4-basic", json!({ "rim": "leave" }), json!({}), 2);
    script.throw(&[(0, "top rim"), (1, "bottom rim")]);
    script.wait_until(30);
    assert_eq!(script.view()["top"]["rim"], "T");
    assert_eq!(script.view()["bottom"]["rim"], "t");
    assert_eq!(script.side(0)["out"], 0);
    assert_eq!(script.side(0)["hand"], 20);
    assert_eq!(lines(&script), [""; 0]);
}

/// Throws all tokens of a side beside the cells.
fn run_out(script: &mut Script, side: u64) {
    let round = script.round();
    while script.round() == round && script.side(side)["hand"] != 0 {
        script.then(side, "top rim");
    }
}

#[test]
fn when_a_side_has_no_tokens_the_other_goes_on() {
    let mut script = basic();
    run_out(&mut script, 0);
    script.wait_until(script.tick() + 20);
    assert_eq!(script.asked(), [1]);
    script.line(1, "bottom", ROW);
    script.wait_out();
    assert_eq!(script.over(), Some((vec![0, 1], "line")));
}

#[test]
fn seats_play_in_two_teams_of_alternate_numbers() {
    let script = with("puissance4-championship", json!({}), json!({}), 6);
    let sides: Vec<u8> = (0..6).map(|seat| script.table.side(seat)).collect();
    assert_eq!(sides, [0, 1, 0, 1, 0, 1]);
}

#[test]
fn after_each_launch_the_launcher_goes_to_the_next_member_and_on_across_rounds() {
    let mut script = with(
        "puissance4-championship",
        json!({ "max_ticks": 35, "team_wait": true }),
        fixed(3, 4, 2),
        6,
    );
    let mut holders: Vec<Seat> = Vec::new();
    for _ in 0..4 {
        while !script.asked().contains(&0) && !script.asked().iter().any(|seat| seat % 2 == 0) {
            script.throw(&[]);
        }
        holders.extend(script.asked().iter().filter(|&&seat| seat % 2 == 0));
        script.throw(&[(0, "bottom rim")]);
    }
    assert_eq!(holders, [0, 2, 4, 0]);
    script.wait_out();
    assert_eq!(script.round(), 2);
    assert_eq!(script.asked(), [1, 2], "side 1 never launched");
}

#[test]
fn only_the_holder_of_the_launcher_decides() {
    let mut script = with("puissance4-basic", waiting(), json!({}), 4);
    assert_eq!(script.asked(), [0, 1]);
    assert!(script.table.check(2, "wait").is_err());
    script.throw(&[(0, "top a1")]);
    assert_eq!(script.side(0)["holder"], 2);
    assert_eq!(script.side(1)["holder"], 1, "who waits keeps the launcher");
}

#[test]
fn handing_over_in_a_team_is_added_to_the_reload() {
    for (seats, ready) in [(2, 4), (4, 7), (6, 7)] {
        let mut script = with("puissance4-basic", waiting(), json!({}), seats);
        script.throw(&[(0, "top a1")]);
        script.wait_until(ready - 1);
        assert_eq!(script.side(0)["ready"], false);
        script.wait_until(ready);
        assert_eq!(script.side(0)["ready"], true);
    }
}

#[test]
fn a_team_mate_launches_immediately_if_no_option_allows_to_wait() {
    for id in ["puissance4-basic", "puissance4-championship"] {
        for seats in [4, 6] {
            let script = with(id, json!({}), json!({}), seats);
            assert_eq!(script.asked(), [0, 1]);
            let actions = script.table.actions(0);
            assert_eq!(actions.len(), 50);
            assert!(actions.iter().all(|action| action != "wait"));
            let why = script.table.check(0, "wait").expect_err("a team may not");
            assert!(matches!(why, Refusal::Illegal(_)), "{why}");
            assert!(why.to_string().contains("team_wait"), "{why}");
        }
        let alone = with(id, json!({ "team_wait": false }), json!({}), 2);
        assert!(
            alone.table.check(0, "wait").is_ok(),
            "one player has no mate"
        );
    }
}

#[test]
fn with_team_wait_teams_may_wait_and_who_waits_chooses_again_in_the_next_tick() {
    let mut script = with("puissance4-basic", waiting(), json!({}), 6);
    assert!(script.table.check(0, "wait").is_ok());
    script.throw(&[]);
    assert_eq!((script.tick(), script.asked()), (1, vec![0, 1]));
}

#[test]
fn every_seat_of_the_winning_side_has_a_point_and_the_others_none() {
    let mut script = with("puissance4-basic", waiting(), json!({}), 6);
    script.line(1, "top", ROW);
    script.wait_out();
    assert_eq!(script.over(), Some((vec![0, 1, 0, 1, 0, 1], "line")));
}

#[test]
fn at_max_rounds_it_is_a_draw_whatever_the_score() {
    let mut script = with(
        "puissance4-championship",
        json!({ "max_rounds": 2 }),
        json!({}),
        2,
    );
    for _ in 0..2 {
        script.line(0, "top", ROW);
        script.wait_out();
    }
    assert_eq!(script.scores(), [4, 0]);
    assert_eq!(script.over(), Some((vec![0, 0], "limit")));
}

#[test]
fn basic_has_twenty_rounds_and_championship_fifty_of_two_thousand_ticks() {
    for (id, rounds) in [("puissance4-basic", 20), ("puissance4-championship", 50)] {
        let presets = flipside_games::find(id).expect("a game").presets();
        let default: Value = serde_json::from_str(&presets[0].1).expect("options");
        assert_eq!(default["rules"]["max_rounds"], rounds);
        assert_eq!(default["rules"]["max_ticks"], 2000);
        assert_eq!(default["rules"]["rim"], "remove");
    }
}

#[test]
fn both_sides_choose_at_once() {
    let mut script = basic();
    assert_eq!(script.asked(), [0, 1]);
    script.act(&[(0, "top a1"), (1, "top a1")]);
    for side in [0, 1] {
        assert_eq!(script.side(side)["in_air"], json!([{ "launched": 0 }]));
    }
}

#[test]
fn a_line_is_claimed_reaction_ticks_after_it_was_made() {
    for reaction in 1..=3 {
        let mut script = basic();
        script.reaction = reaction;
        script.line(0, "top", ROW);
        // The fourth token was launched at tick 12 and came down at 15.
        script.wait_until(14 + reaction);
        assert_eq!(script.over(), None);
        script.wait_until(15 + reaction);
        assert_eq!(script.over(), Some((vec![1, 0], "line")));
    }
}

#[test]
fn a_line_that_does_not_stand_any_more_is_not_claimed() {
    let mut script = basic();
    script.line(0, "top", ROW);
    // It comes down in the very tick in which the line would be claimed.
    script.wait_until(14);
    script.then(1, "top c1");
    script.wait_until(40);
    assert_eq!(script.over(), None);
    assert_eq!(lines(&script), [""; 0]);
}

#[test]
fn a_line_that_stands_again_needs_a_new_delay() {
    let mut script = with("puissance4-basic", json!({}), fixed(3, 4, 6), 2);
    script.reaction = 6;
    script.line(0, "top", ROW);
    // Found at 15. Broken at 17, it stands again from 19 on: 25, and not 21.
    script.wait_until(14);
    script.throw(&[(1, "top c1")]);
    script.wait_until(16);
    script.throw(&[(0, "top c1")]);
    script.wait_until(19);
    assert_eq!(script.view()["lines"][0]["since"], 19);
    script.wait_until(24);
    assert_eq!(script.over(), None);
    script.wait_until(25);
    assert_eq!(script.over(), Some((vec![1, 0], "line")));
}

/// Side 0 has claimed a line in the first row of the top tray, and these tokens of side 1 (and at
/// the same tick of side 0) are in the air.
fn claimed(id: &str, falling: &[(u64, &str)]) -> Script {
    let mut script = with(id, json!({}), fixed(3, 4, 2), 2);
    script.line(0, "top", ROW);
    script.wait_until(16);
    script.act(falling);
    script.run_to("claim");
    assert_eq!(script.phase(), "claim");
    script
}

#[test]
fn on_a_claim_everything_in_the_air_lands() {
    let mut script = claimed("puissance4-basic", &[(0, "bottom e5"), (1, "bottom e5")]);
    assert_eq!(script.tick(), 17, "they would have landed at 19");
    let claim = script.view()["claim"].clone();
    assert_eq!(claim["side"], 0);
    assert_eq!(claim["line"], json!({ "tray": "top", "cells": ROW }));
    script.chance();
    assert_eq!(script.stack("bottom e5"), "Tt");
    assert_eq!(script.over(), Some((vec![1, 0], "line")));
}

#[test]
fn an_opponents_token_in_a_cell_of_the_claimed_line_voids_the_claim() {
    let mut script = claimed("puissance4-basic", &[(1, "top c1")]);
    script.run_to("none");
    assert_eq!(script.over(), None);
    assert_eq!(lines(&script), [""; 0]);
    script.wait_until(40);
    assert_eq!(script.over(), None);
}

#[test]
fn a_claim_is_void_even_if_the_cell_is_covered_again_and_then_needs_a_new_delay() {
    let mut script = claimed("puissance4-basic", &[(0, "top c1"), (1, "top c1")]);
    // Side 1's token first, then side 0's on top of it.
    script.backwards = true;
    script.chance();
    assert_eq!(script.stack("top c1"), "TtT");
    assert_eq!(script.phase(), "void");
    assert_eq!(lines(&script), ["0 top a1 b1 c1 d1"]);
    assert_eq!(script.view()["lines"][0]["since"], 17);
    script.run_to("none");
    assert_eq!(
        (script.tick(), script.over()),
        (19, Some((vec![1, 0], "line")))
    );
}

#[test]
fn a_token_of_its_own_side_or_in_another_cell_voids_no_claim() {
    for falling in [
        (0, "top c1"),
        (1, "bottom c1"),
        (1, "top c2"),
        (1, "top rim"),
        (1, "miss"),
    ] {
        let mut script = claimed("puissance4-basic", &[falling]);
        script.run_to("none");
        assert_eq!(script.over(), Some((vec![1, 0], "line")), "{falling:?}");
    }
}

#[test]
fn the_first_valid_claim_wins_the_basic_game() {
    let mut script = basic();
    script.line(0, "bottom", ROW);
    script.wait_out();
    assert_eq!(script.over(), Some((vec![1, 0], "line")));
    assert_eq!(
        script.view()["scored"]["line"],
        json!({ "tray": "bottom", "cells": ROW })
    );
}

#[test]
fn when_both_run_out_without_a_line_basic_is_played_again_from_empty_trays() {
    let mut script = basic();
    script.throw(&[(0, "top a1"), (1, "top b1")]);
    run_out(&mut script, 0);
    assert_eq!(script.round(), 1, "side 1 goes on");
    run_out(&mut script, 1);
    assert_eq!((script.round(), script.tick()), (2, 0));
    assert_eq!(script.view()["top"]["ranks"], json!(vec![vec![""; 5]; 5]));
    assert_eq!(
        [0, 1].map(|side| script.side(side)["hand"].clone()),
        [21, 21]
    );
    assert_eq!(script.over(), None);
}

#[test]
fn nobody_is_out_while_a_token_is_in_the_air_or_picked_up_or_a_line_waits() {
    let mut script = with("puissance4-championship", json!({}), fixed(3, 4, 6), 2);
    script.reaction = 6;
    run_out(&mut script, 1);
    while script.side(0)["hand"] != 5 {
        script.then(0, "bottom rim");
    }
    script.then(0, "miss");
    script.line(0, "top", ROW);
    // The token that missed is back long before: it is thrown away now.
    while script.side(0)["hand"] != 0 {
        script.then(0, "bottom rim");
    }
    script.wait_out();
    assert_eq!(script.scores(), [2, 0], "the line was waited for");
}

#[test]
fn a_line_in_the_top_tray_scores_two_points_and_one_in_the_bottom_tray_one() {
    let mut script = championship();
    script.line(0, "top", ROW);
    script.wait_out();
    assert_eq!((script.round(), script.scores()), (2, [json!(2), json!(0)]));
    script.line(1, "bottom", ROW);
    script.wait_out();
    assert_eq!((script.round(), script.scores()), (3, [json!(2), json!(1)]));
}

#[test]
fn the_first_with_five_points_wins_the_championship() {
    let mut script = championship();
    for _ in 0..2 {
        script.line(1, "top", ROW);
        script.wait_out();
        assert_eq!(script.over(), None);
    }
    script.line(1, "bottom", ROW);
    script.wait_out();
    assert_eq!(script.over(), Some((vec![0, 1], "points")));
    assert_eq!(script.scores(), [0, 5]);
}

#[test]
fn of_several_lines_due_at_once_the_top_one_is_claimed_and_only_one_scores() {
    // The top tray's fourth and the bottom tray's come down in the same tick.
    let mut script = with("puissance4-championship", json!({}), fixed(3, 1, 2), 2);
    script.reload = 1;
    for cell in ["a1", "b1", "c1"] {
        script.then(0, &format!("bottom {cell}"));
        script.then(0, &format!("top {cell}"));
    }
    script.flight = 3;
    script.then(0, "bottom d1");
    script.then(0, "top d1");
    // Found at 9 and 10; both stand, and the bottom one is due first.
    script.wait_out();
    assert_eq!(script.scores(), [1, 0]);
    // Five in a row are two lines that are due at once: the first by its cells is claimed.
    for cell in ["a1", "b1", "d1", "e1", "c1"] {
        script.then(0, &format!("top {cell}"));
    }
    script.wait_out();
    assert_eq!(script.scores(), [3, 0]);
    assert_eq!(script.view()["scored"]["line"]["cells"], json!(ROW));
}

#[test]
fn lines_that_are_found_together_have_one_delay_and_top_is_claimed_before_bottom() {
    let mut script = with(
        "puissance4-championship",
        json!({}),
        json!({ "flight": 3, "flight_spread": 2, "reload": 1, "reload_spread": 0 }),
        2,
    );
    script.reload = 1;
    for cell in ["a1", "b1", "c1"] {
        script.then(0, &format!("bottom {cell}"));
        script.then(0, &format!("top {cell}"));
    }
    script.flight = 4;
    script.then(0, "bottom d1");
    script.flight = 3;
    script.then(0, "top d1");
    script.wait_until(10);
    assert_eq!(lines(&script), ["0 top a1 b1 c1 d1, bottom a1 b1 c1 d1"]);
    let reactions = script
        .log
        .iter()
        .filter(|event| event.contains("reactions"));
    assert_eq!(
        reactions.collect::<Vec<_>>(),
        [r#"{"reactions":[{"side":0,"ticks":2}]}"#]
    );
    script.wait_out();
    assert_eq!(script.scores(), [2, 0]);
}

/// Both sides have a line in the same tick: side 0 in the first row of the top tray, side 1 in the
/// fifth. These tokens are in the air when they claim.
fn both_claim(falling: &[(u64, &str)]) -> Script {
    let mut script = with("puissance4-championship", json!({}), fixed(3, 4, 2), 2);
    for file in ["a", "b", "c", "d"] {
        let [own, other] = [format!("top {file}1"), format!("bottom {file}5")];
        script.throw(&[(0, &own), (1, &other)]);
        while script.asked() != [0, 1] {
            script.throw(&[]);
        }
    }
    // Launched at 12, found at 15, due at 17.
    assert_eq!(script.tick(), 16);
    script.act(falling);
    script.run_to("claimant");
    assert_eq!((script.phase(), script.tick()), ("claimant".into(), 17));
    script
}

#[test]
fn when_both_sides_claim_at_once_chance_picks_who_is_heard_first() {
    for (first, scores) in [(0, [2, 0]), (1, [0, 1])] {
        let mut script = both_claim(&[]);
        script.claimant = first;
        script.run_to("none");
        assert_eq!(script.scores(), scores);
        assert_eq!(script.round(), 2);
    }
}

#[test]
fn a_void_claim_lets_other_due_claims_be_tried() {
    let mut script = both_claim(&[(1, "top c1")]);
    script.claimant = 0;
    script.run_to("none");
    assert_eq!(script.scores(), [0, 1], "side 1 was heard second");
}

#[test]
fn a_due_line_that_a_void_claims_landings_broke_is_not_claimed() {
    let mut script = both_claim(&[(0, "bottom c5"), (1, "top c1")]);
    script.claimant = 0;
    script.run_to("none");
    assert_eq!(script.scores(), [0, 0]);
    assert_eq!(script.round(), 1);
}

/// Side 0 claims its line at the next tick, and side 1 has three of a row.
fn before_a_claim(id: &str) -> Script {
    let mut script = with(id, json!({}), fixed(3, 4, 2), 2);
    for (own, other) in [("a1", "a5"), ("b1", "b5"), ("c1", "c5")] {
        script.throw(&[(0, &format!("bottom {own}")), (1, &format!("top {other}"))]);
        while script.asked() != [0, 1] {
            script.throw(&[]);
        }
    }
    script.throw(&[(0, "bottom d1")]);
    script.wait_until(16);
    script
}

#[test]
fn lines_made_by_the_landings_of_a_valid_claim_count_for_nothing() {
    let mut script = before_a_claim("puissance4-championship");
    // Its line comes down with the claim.
    script.throw(&[(1, "top d5")]);
    assert_eq!(script.scores(), [1, 0]);
    assert_eq!((script.round(), script.tick()), (2, 0));
    script.wait_until(30);
    assert_eq!(script.scores(), [1, 0]);
}

#[test]
fn a_new_round_takes_back_every_token_and_all_delays() {
    let rules = json!({ "rim": "leave" });
    let mut script = with("puissance4-championship", rules, fixed(3, 4, 2), 2);
    script.throw(&[(0, "bottom rim"), (1, "miss")]);
    script.line(0, "top", ROW);
    script.wait_until(20);
    // Side 0's line is claimed at 21, when these have just been launched.
    script.throw(&[(0, "bottom e5"), (1, "miss")]);
    let view = script.view();
    assert_eq!((&view["round"], &view["tick"]), (&json!(2), &json!(0)));
    assert_eq!(script.asked(), [0, 1], "both are ready at once");
    for side in [0, 1] {
        let side = script.side(side);
        assert_eq!(side["hand"], 21);
        assert_eq!(
            (&side["in_air"], &side["picked_up"]),
            (&json!([]), &json!([]))
        );
        assert_eq!(side["launched"], Value::Null);
    }
    assert_eq!(view["bottom"]["rim"], "");
    assert_eq!(view["lines"], json!([]));
}

#[test]
fn max_ticks_ends_a_round_without_a_line() {
    let mut script = with(
        "puissance4-championship",
        json!({ "max_ticks": 16 }),
        json!({}),
        2,
    );
    script.line(0, "top", ROW);
    script.wait_until(15);
    assert_eq!(lines(&script).len(), 1, "it would be claimed at 17");
    script.throw(&[]);
    assert_eq!((script.round(), script.tick()), (2, 0));
    assert_eq!(script.scores(), [0, 0]);
}

#[test]
fn a_claim_in_the_last_tick_counts() {
    let mut script = with(
        "puissance4-championship",
        json!({ "max_ticks": 17 }),
        json!({}),
        2,
    );
    script.line(0, "top", ROW);
    script.wait_out();
    assert_eq!(script.scores(), [2, 0]);
}

#[test]
fn marks_mean_nothing_and_are_not_named() {
    let script = basic();
    assert!(script.table.check(0, "launch top c3").is_ok());
    for text in [
        "launch top c3 basic",
        "launch top c3 bomb",
        "row",
        "clear a1",
    ] {
        let why = script.table.check(0, text).expect_err(text);
        assert!(
            matches!(why, flipside_games::Refusal::Malformed(_)),
            "{text}: {why}"
        );
    }
}

#[test]
fn a_token_is_back_in_hand_before_the_sides_that_are_ready_choose() {
    let mut script = basic();
    run_out(&mut script, 1);
    while script.side(0)["hand"] != 1 {
        script.then(0, "bottom rim");
    }
    script.then(0, "miss");
    // Nobody has a token until it is picked up; then, in that tick, its side chooses.
    let back = script.side(0)["picked_up"].as_array().map_or(0, Vec::len);
    assert_eq!((back, script.side(0)["hand"].clone()), (0, json!(1)));
    assert_eq!(script.asked(), [0]);
    let launched = script.side(0)["launched"].as_u64().expect("a tick");
    assert_eq!(script.tick(), launched + 3 + 8);
}

#[test]
fn tokens_that_are_due_come_down_in_an_order_that_chance_draws() {
    for (backwards, stack) in [(false, "Tt"), (true, "tT")] {
        let mut script = basic();
        script.backwards = backwards;
        script.throw(&[(0, "top a1"), (1, "top a1")]);
        script.wait_until(3);
        assert_eq!(script.stack("top a1"), stack);
    }
}

#[test]
fn lines_are_looked_for_when_all_that_is_due_is_down() {
    // Side 0's fourth token comes down first, and side 1's on top of it: there was never a line.
    let mut script = basic();
    for cell in ["a1", "b1", "c1"] {
        script.then(0, &format!("top {cell}"));
    }
    while script.asked() != [0, 1] {
        script.throw(&[]);
    }
    script.throw(&[(0, "top d1"), (1, "top d1")]);
    script.wait_until(script.tick() + 3);
    assert_eq!(script.stack("top d1"), "Tt");
    assert!(script.log.iter().all(|event| !event.contains("reactions")));
}

#[test]
fn chance_draws_flight_and_reload_after_the_choices_and_landings_when_they_come_down() {
    let mut script = basic();
    script.act(&[(0, "top a1"), (1, "bottom rim")]);
    assert_eq!(script.phase(), "delays");
    assert_eq!(
        script.plan().to_string(),
        r#"{"delays":[{"flight":3,"reload":4,"side":0},{"flight":3,"reload":4,"side":1}]}"#
    );
    script.chance();
    assert_eq!((script.phase(), script.tick()), ("landings".into(), 3));
    assert_eq!(script.stack("top a1"), "");
    script.chance();
    assert_eq!(script.stack("top a1"), "T");
}

#[test]
fn what_chance_cannot_do_is_refused() {
    let mut script = basic();
    script.act(&[(0, "top a1")]);
    for bad in [
        r#"{"delays":[]}"#,
        r#"{"delays":[{"side":1,"flight":3,"reload":6}]}"#,
        r#"{"delays":[{"side":0,"flight":1,"reload":6}]}"#,
        r#"{"delays":[{"side":0,"flight":3,"reload":9}]}"#,
        r#"{"claimant":0}"#,
    ] {
        assert!(script.table.chance(bad).is_err(), "{bad}");
    }
    script.run_to("none");
    script.wait_until(2);
    script.act(&[]);
    for bad in [
        r#"{"landings":[]}"#,
        r#"{"landings":[{"side":1,"launched":0,"place":"miss"}]}"#,
        r#"{"landings":[{"side":0,"launched":1,"place":"miss"}]}"#,
        r#"{"landings":[{"side":0,"launched":0,"place":"top f6"}]}"#,
        r#"{"landings":[{"side":0,"launched":0,"place":"bottom c3"}]}"#,
        r#"{"landings":[{"side":0,"launched":0,"place":"bottom rim"}]}"#,
        r#"{"landings":[{"side":0,"launched":0,"place":"miss"},{"side":0,"launched":0,"place":"miss"}]}"#,
        r#"{"reactions":[]}"#,
    ] {
        assert!(script.table.chance(bad).is_err(), "{bad}");
    }
    script
        .table
        .chance(r#"{"landings":[{"side":0,"launched":0,"place":"bottom c1"}]}"#)
        .expect("what falls off the top tray lands in a border cell of the bottom tray");
}

#[test]
fn everybody_sees_since_when_tokens_are_in_the_air_and_only_their_side_the_aims() {
    let mut script = with("puissance4-basic", waiting(), json!({}), 4);
    script.act(&[(0, "top a1"), (1, "bottom b2")]);
    script.chance();
    let shown = |viewer: Viewer, side: usize| script.sees(viewer)["sides"][side]["in_air"].clone();
    for viewer in [Viewer::Seat(0), Viewer::Seat(2)] {
        assert_eq!(
            shown(viewer, 0),
            json!([{ "launched": 0, "aim": "top a1" }])
        );
        assert_eq!(shown(viewer, 1), json!([{ "launched": 0 }]));
    }
    assert_eq!(
        shown(Viewer::Seat(3), 1),
        json!([{ "launched": 0, "aim": "bottom b2" }])
    );
    assert_eq!(shown(Viewer::Public, 0), json!([{ "launched": 0 }]));
    let open = json!([{ "launched": 0, "aim": "bottom b2", "lands": 3 }]);
    assert_eq!(shown(Viewer::Open, 1), open);
}

#[test]
fn nobody_sees_when_a_token_lands_a_launcher_is_ready_or_a_line_is_claimed() {
    let mut script = basic();
    script.reaction = 3;
    script.line(0, "top", ROW);
    script.wait_until(15);
    script.throw(&[(1, "top e5")]);
    for viewer in [Viewer::Seat(0), Viewer::Seat(1), Viewer::Public] {
        let view = script.sees(viewer).to_string();
        for word in ["lands", "reloaded", "claimed"] {
            assert!(!view.contains(word), "{viewer:?} sees {word}");
        }
    }
    let open = script.sees(Viewer::Open);
    assert_eq!(open["lines"][0]["claimed"], 18);
    assert_eq!(open["sides"][1]["in_air"][0]["lands"], 18);
    assert_eq!(open["sides"][1]["reloaded"], 19);
}

#[test]
fn the_line_that_is_claimed_is_in_claim_and_not_among_the_lines() {
    // Five in a row are two lines that were found together; the first is claimed while a token is in the air.
    let mut script = with("puissance4-basic", json!({}), fixed(3, 1, 2), 2);
    script.reload = 1;
    for cell in ["a1", "b1", "d1", "e1", "c1"] {
        script.then(0, &format!("top {cell}"));
    }
    script.wait_until(script.tick() + 3);
    assert_eq!(lines(&script), ["0 top a1 b1 c1 d1, top b1 c1 d1 e1"]);
    let since = script.view()["lines"][0]["since"].clone();
    script.act(&[(1, "top e5")]);
    script.run_to("claim");
    for viewer in [
        Viewer::Seat(0),
        Viewer::Seat(1),
        Viewer::Public,
        Viewer::Open,
    ] {
        let view = script.sees(viewer);
        assert_eq!(view["phase"], "claim");
        assert_eq!(
            view["claim"],
            json!({ "side": 0, "since": since, "line": { "tray": "top", "cells": ROW } })
        );
        assert_eq!(view["lines"].as_array().map(Vec::len), Some(1));
        assert_eq!(cells(&view["lines"][0]["lines"]), "top b1 c1 d1 e1");
    }
}

#[test]
fn after_the_match_the_lines_that_stand_and_did_not_count_are_shown() {
    // Five in a row: one of the two lines wins, the other stands.
    let mut script = with("puissance4-basic", json!({}), fixed(3, 1, 2), 2);
    script.reload = 1;
    for cell in ["a1", "b1", "d1", "e1", "c1"] {
        script.then(0, &format!("top {cell}"));
    }
    script.wait_out();
    assert_eq!(script.over(), Some((vec![1, 0], "line")));
    for viewer in [Viewer::Seat(1), Viewer::Public, Viewer::Open] {
        let view = script.sees(viewer);
        assert_eq!(view["scored"]["line"]["cells"], json!(ROW));
        let since = view["lines"][0]["since"].clone();
        assert!(since.is_u64(), "{view}");
        let cells = json!(["b1", "c1", "d1", "e1"]);
        let line = json!({ "tray": "top", "cells": cells });
        let expected = json!([{ "side": 0, "since": since, "lines": [line] }]);
        assert_eq!(view["lines"], expected);
    }
}

#[test]
fn a_line_that_nobody_claimed_before_the_last_round_ended_is_shown_after_the_match() {
    let rules = json!({ "max_ticks": 16, "max_rounds": 1 });
    let mut script = with("puissance4-basic", rules, json!({}), 2);
    script.line(0, "top", ROW);
    script.wait_out();
    assert_eq!(script.over(), Some((vec![0, 0], "limit")));
    assert_eq!(lines(&script), ["0 top a1 b1 c1 d1"]);
    let view = script.view();
    assert_eq!(view["scored"], Value::Null);
    assert_eq!(view["lines"][0]["new"], Value::Null, "nobody claims it");
}

#[test]
fn a_line_that_the_last_claims_landings_made_is_shown_after_the_match() {
    let mut script = before_a_claim("puissance4-basic");
    script.throw(&[(1, "top d5")]);
    assert_eq!(script.over(), Some((vec![1, 0], "line")));
    assert_eq!(lines(&script), ["1 top a5 b5 c5 d5"]);
}
