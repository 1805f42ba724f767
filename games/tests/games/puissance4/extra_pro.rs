//! Every ruling of the game in turns; the name of a test is the ruling.

use flipside_games::{Refusal, Seat, SeatTurn, Table, Viewer, find};
use serde_json::{Value, json};

use super::script::options;

/// A match in which each launch comes down where a test says.
struct ExtraProMatch {
    table: Box<dyn Table>,
}

fn start(rules: Value, seats: u8, starter: u8) -> ExtraProMatch {
    let options = options([("rules", rules)]).to_string();
    let setup = find("puissance4-extra-pro")
        .expect("a game")
        .set_up(&options, seats);
    let mut table = setup.expect("options that fit").table;
    table
        .chance(&format!(r#"{{"starter":{starter}}}"#))
        .expect("a side starts");
    ExtraProMatch { table }
}

fn game() -> ExtraProMatch {
    start(json!({}), 2, 0)
}

impl ExtraProMatch {
    fn view(&self) -> Value {
        let mut json = Vec::new();
        self.table.write_view(Viewer::Public, &mut json);
        serde_json::from_slice(&json).expect("a view is JSON")
    }

    fn mover(&self) -> Option<Seat> {
        match self.table.turn() {
            SeatTurn::Seats(seats) => seats.lowest(),
            _ => None,
        }
    }

    fn phase(&self) -> String {
        self.view()["phase"].as_str().expect("a phase").into()
    }

    fn act(&mut self, text: &str) {
        let seat = self.mover().expect("a seat's turn");
        self.table
            .act(&[(seat, text)])
            .unwrap_or_else(|why| panic!("{text}: {why}"));
    }

    /// The seat whose turn it is launches a token of this kind, which comes down there.
    fn launch(&mut self, kind: &str, place: &str) {
        let side = self.mover().expect("a seat's turn") % 2;
        let aim = if place == "miss" {
            "top c3".into()
        } else {
            place.replace("rim", "c3")
        };
        self.act(&format!("launch {aim} {kind}"));
        let landing = json!({ "landings": [{ "side": side, "kind": kind, "place": place }] });
        self.table
            .chance(&landing.to_string())
            .unwrap_or_else(|why| panic!("{place}: {why}"));
    }

    /// The sides launch basic tokens in turns.
    fn basics(&mut self, places: &[&str]) {
        for place in places {
            self.launch("basic", place);
        }
    }

    fn stack(&self, place: &str) -> String {
        let (tray, cell) = place.split_once(' ').expect("a tray and a cell");
        let file = "abcdef".find(&cell[..1]).expect("a file");
        let rank: usize = cell[1..].parse().expect("a rank");
        let ranks = self.view()[tray]["ranks"].clone();
        let row = ranks.as_array().expect("ranks").len() - rank;
        ranks[row][file].as_str().expect("a stack").into()
    }

    fn scores(&self) -> [u64; 2] {
        [0, 1].map(|side| {
            self.view()["sides"][side]["score"]
                .as_u64()
                .expect("points")
        })
    }

    fn hand(&self, side: usize) -> Value {
        self.view()["sides"][side]["hand"].clone()
    }

    fn out(&self, side: usize) -> Value {
        self.view()["sides"][side]["out"].clone()
    }

    fn over(&self) -> Option<(Vec<i32>, &'static str)> {
        match self.table.turn() {
            SeatTurn::Over(outcome) => Some((outcome.points.to_vec(), outcome.reason)),
            _ => None,
        }
    }

    /// Both sides throw what they have beside the trays, until the round is over.
    fn throw_away(&mut self) {
        let round = self.view()["round"].clone();
        while self.over().is_none() && self.view()["round"] == round {
            let seat = self.mover().expect("a seat's turn");
            let hand = self.hand(usize::from(seat % 2));
            let kinds = hand.as_object().expect("kinds");
            let (kind, _) = kinds
                .iter()
                .find(|(_, count)| **count != 0)
                .expect("a token");
            self.launch(kind, "miss");
        }
    }
}

#[test]
fn each_side_has_13_basic_tokens_and_two_of_each_power() {
    let all = json!({ "basic": 13, "bomb": 2, "cell": 2, "double": 2, "line": 2 });
    assert_eq!(game().hand(0), all);
    assert_eq!(game().hand(1), all);
}

#[test]
fn powers_each_splits_the_21_tokens() {
    for (each, basic) in [(0, 21), (5, 1)] {
        let game = start(json!({ "powers_each": each }), 2, 0);
        let hand = game.hand(1);
        assert_eq!(
            (&hand["basic"], &hand["line"]),
            (&json!(basic), &json!(each))
        );
    }
}

#[test]
fn one_token_is_launched_a_turn_and_launching_is_compulsory() {
    let mut game = game();
    for text in ["wait", "pass", ""] {
        let why = game.table.check(0, text).expect_err(text);
        assert!(matches!(why, Refusal::Malformed(_)), "{text}");
    }
    assert_eq!(game.table.actions(0).len(), 50 * 5);
    assert!(game.table.actions(1).is_empty());
    game.launch("basic", "top a1");
    assert_eq!(game.mover(), Some(1));
    game.launch("basic", "top a1");
    assert_eq!(game.mover(), Some(0));
}

#[test]
fn the_kind_is_always_named_and_must_be_in_hand() {
    let mut game = start(json!({ "powers_each": 1 }), 2, 0);
    let why = game.table.check(0, "launch top c3").expect_err("no kind");
    assert!(matches!(why, Refusal::Malformed(_)));
    game.launch("bomb", "miss");
    game.launch("basic", "miss");
    let why = game
        .table
        .check(0, "launch top c3 bomb")
        .expect_err("no bomb left");
    assert_eq!(why.to_string(), "you have no bomb token in hand");
    assert!(
        game.table
            .actions(0)
            .iter()
            .all(|text| !text.ends_with("bomb"))
    );
}

#[test]
fn chance_picks_the_side_that_starts_and_then_the_first_launch_of_a_round_alternates() {
    for starter in [0, 1] {
        let mut game = start(json!({ "max_rounds": 4 }), 4, starter);
        assert_eq!(
            game.mover(),
            Some(starter),
            "the lowest seat has the launcher first"
        );
        for round in 1..4 {
            game.throw_away();
            let first = (starter + round) % 2;
            assert_eq!(game.view()["starts"], first);
            assert_eq!(game.mover().map(|seat| seat % 2), Some(first));
        }
    }
}

#[test]
fn a_round_ends_at_a_line_even_if_its_side_did_not_start() {
    let mut game = game();
    game.basics(&["miss", "top a1", "miss", "top b1", "miss", "top c1", "miss"]);
    assert_eq!(game.view()["round"], 1);
    game.basics(&["top d1"]);
    assert_eq!(game.view()["round"], 2);
    assert_eq!(game.scores(), [0, 2]);
    assert_eq!(game.stack("top a1"), "");
    assert_eq!(game.hand(0)["basic"], 13);
    assert_eq!(game.mover(), Some(1), "side 1 starts the second round");
}

#[test]
fn a_round_ends_when_both_are_out_and_missed_tokens_are_back_in_the_next() {
    let mut game = game();
    game.launch("basic", "miss");
    assert_eq!(game.hand(0)["basic"], 12);
    assert_eq!(game.out(0)["basic"], 1);
    game.throw_away();
    assert_eq!(game.view()["round"], 2);
    assert_eq!(game.hand(0)["basic"], 13);
    assert_eq!(game.out(0)["basic"], 0);
}

#[test]
fn a_side_without_tokens_is_passed_over() {
    // Doubles let side 0 run out first.
    let mut game = start(json!({ "powers_each": 5 }), 2, 0);
    for _ in 0..5 {
        game.launch("double", "bottom a1");
    }
    while game
        .hand(0)
        .as_object()
        .expect("kinds")
        .values()
        .any(|count| *count != 0)
    {
        let hand = game.hand(usize::from(game.mover().expect("a turn") % 2));
        let kinds = hand.as_object().expect("kinds");
        let kind = kinds
            .iter()
            .find(|(_, count)| **count != 0)
            .expect("a token")
            .0
            .clone();
        game.launch(&kind, "miss");
    }
    assert_eq!(game.mover(), Some(1));
    game.launch("double", "miss");
    assert_eq!(game.mover(), Some(1), "side 0 has nothing left");
}

#[test]
fn the_side_with_more_tokens_controls_a_cell() {
    let mut game = game();
    // Two of side 0 under one of side 1.
    game.basics(&["top a1", "top e5", "top a1", "top a1"]);
    assert_eq!(game.stack("top a1"), "TTt");
    game.basics(&["top b1", "miss", "top c1", "miss", "top d1"]);
    assert_eq!(game.scores(), [2, 0]);
}

#[test]
fn a_cell_with_equally_many_is_neutral() {
    let mut game = game();
    game.basics(&[
        "top a1", "top a1", "top b1", "miss", "top c1", "miss", "top d1",
    ]);
    assert_eq!(
        (game.scores(), game.view()["round"].clone()),
        ([0, 0], json!(1))
    );
    game.basics(&["miss", "top a1"]);
    assert_eq!(game.scores(), [2, 0]);
}

#[test]
fn a_line_scores_two_points_in_the_top_tray_and_one_in_the_bottom_and_three_win() {
    let mut game = game();
    let line = |tray: &str| {
        let cells = ["a1", "b2", "c3", "d4"];
        cells.map(|cell| format!("{tray} {cell}"))
    };
    for (tray, scores) in [("bottom", [1, 0]), ("top", [3, 0])] {
        for place in line(tray) {
            if game.mover() == Some(1) {
                game.launch("basic", "miss");
            }
            game.launch("basic", &place);
        }
        assert_eq!(game.scores(), scores);
    }
    assert_eq!(game.over(), Some((vec![1, 0], "points")));
}

#[test]
fn only_one_line_scores() {
    let mut game = game();
    for place in [
        "bottom a1",
        "bottom b1",
        "bottom d1",
        "bottom e1",
        "bottom c1",
    ] {
        game.launch("basic", place);
        if place != "bottom c1" {
            game.launch("basic", "miss");
        }
    }
    assert_eq!(game.scores(), [1, 0]);
    assert_eq!(
        game.view()["scored"]["line"]["cells"],
        json!(["a1", "b1", "c1", "d1"])
    );
}

#[test]
fn at_max_rounds_it_is_a_draw_whatever_the_score() {
    let mut game = start(json!({ "max_rounds": 1 }), 6, 1);
    game.basics(&[
        "top a1", "miss", "top b1", "miss", "top c1", "miss", "top d1",
    ]);
    assert_eq!(game.scores(), [0, 2]);
    assert_eq!(game.over(), Some((vec![0; 6], "limit")));
    let default = find("puissance4-extra-pro").expect("a game").presets()[0]
        .1
        .clone();
    assert!(default.contains(r#""max_rounds":50"#), "{default}");
}

#[test]
fn every_seat_of_the_winning_side_has_a_point() {
    let mut game = start(json!({}), 4, 1);
    for _ in 0..2 {
        for place in ["top a1", "top b1", "top c1", "top d1"] {
            if game.mover().map(|seat| seat % 2) == Some(0) {
                game.launch("basic", "miss");
            }
            game.launch("basic", place);
        }
    }
    assert_eq!(game.over(), Some((vec![0, 1, 0, 1], "points")));
}

#[test]
fn the_launcher_goes_on_after_the_teams_turn_and_across_rounds() {
    let mut game = start(json!({ "powers_each": 0, "max_rounds": 3 }), 6, 0);
    let mut movers = Vec::new();
    for _ in 0..43 {
        movers.push(game.mover().expect("a turn"));
        game.launch("basic", "miss");
    }
    assert_eq!(movers[..8], [0, 1, 2, 3, 4, 5, 0, 1]);
    // 21 turns each: the launchers are back at seats 0 and 1, and side 1 starts.
    assert_eq!(movers[42], 1);
    assert_eq!(game.mover(), Some(0));
}

#[test]
fn the_launch_of_a_double_and_the_choice_of_a_power_belong_to_the_same_seat() {
    let mut game = start(json!({}), 6, 0);
    game.launch("double", "top a1");
    assert_eq!((game.mover(), game.phase()), (Some(0), "double".into()));
    game.launch("line", "top a1");
    assert_eq!((game.mover(), game.phase()), (Some(0), "line".into()));
    game.act("row");
    assert_eq!(game.mover(), Some(1));
    game.launch("cell", "top a1");
    assert_eq!((game.mover(), game.phase()), (Some(1), "cell".into()));
    game.act("clear a2");
    assert_eq!(game.mover(), Some(2));
}

#[test]
fn a_token_on_a_rim_does_nothing_and_is_out_or_stays_there() {
    for kind in ["double", "bomb", "line", "cell"] {
        let mut game = game();
        game.launch(kind, "top rim");
        assert_eq!(
            (game.mover(), game.phase()),
            (Some(1), "launch".into()),
            "{kind}"
        );
        assert_eq!(game.out(0)[kind], 1);
        assert_eq!(game.view()["top"]["rim"], "");
        let mut game = start(json!({ "rim": "leave" }), 2, 0);
        game.launch(kind, "bottom rim");
        assert_eq!(
            (game.mover(), game.phase()),
            (Some(1), "launch".into()),
            "{kind}"
        );
        assert_eq!(game.out(0)[kind], 0);
        assert_eq!(game.view()["bottom"]["rim"], kind[..1].to_uppercase());
    }
}

#[test]
fn a_power_token_that_misses_does_nothing() {
    for kind in ["double", "bomb", "line", "cell"] {
        let mut game = game();
        game.launch(kind, "miss");
        assert_eq!(
            (game.mover(), game.phase()),
            (Some(1), "launch".into()),
            "{kind}"
        );
    }
}

#[test]
fn a_power_acts_in_whatever_tray_its_token_lands() {
    let mut game = game();
    game.launch("basic", "bottom b1");
    game.act("launch top a1 bomb");
    let landing = r#"{"landings":[{"side":1,"kind":"bomb","place":"bottom a1"}]}"#;
    game.table
        .chance(landing)
        .expect("it falls into the bottom tray");
    assert_eq!(game.stack("bottom b1"), "");
    assert_eq!(game.stack("bottom a1"), "b");
}

#[test]
fn a_double_lets_its_seat_launch_one_more_token_of_any_kind_and_chains_are_allowed() {
    let mut game = game();
    game.launch("double", "top a1");
    assert_eq!(game.mover(), Some(0));
    assert_eq!(game.table.actions(0).len(), 250, "any kind");
    game.launch("double", "top a2");
    assert_eq!((game.mover(), game.phase()), (Some(0), "double".into()));
    game.launch("basic", "top a3");
    assert_eq!(game.mover(), Some(1));
}

#[test]
fn a_double_with_no_token_left_does_nothing() {
    let mut game = start(json!({ "max_rounds": 1 }), 2, 0);
    while game.over().is_none() {
        let side = usize::from(game.mover().expect("a turn") % 2);
        let hand = game.hand(side);
        let kinds = hand.as_object().expect("kinds");
        // Doubles last.
        let left = kinds.iter().filter(|(_, count)| **count != 0);
        let kind = left
            .min_by_key(|(kind, _)| *kind == "double")
            .expect("a token")
            .0
            .clone();
        let count: u64 = kinds.values().filter_map(Value::as_u64).sum();
        game.launch(&kind, if count == 1 { "top a1" } else { "miss" });
        if count == 1 && side == 0 {
            assert_eq!((game.mover(), game.phase()), (Some(1), "launch".into()));
        }
    }
    assert_eq!(game.over(), Some((vec![0, 0], "limit")));
}

#[test]
fn a_double_that_completes_a_line_ends_the_round_without_its_launch() {
    let mut game = game();
    game.basics(&["top a1", "miss", "top b1", "miss", "top c1", "miss"]);
    game.launch("double", "top d1");
    assert_eq!(game.scores(), [2, 0]);
    assert_eq!(
        (game.view()["round"].clone(), game.mover()),
        (json!(2), Some(1))
    );
}

#[test]
fn a_bomb_removes_all_tokens_in_the_neighbouring_cells_of_its_tray() {
    let mut game = game();
    for cell in ["b2", "b3", "b4", "c2", "c4", "d2", "d3", "d4"] {
        game.launch("basic", &format!("top {cell}"));
    }
    game.basics(&["top c3", "top a3", "bottom b3", "top b3"]);
    game.launch("bomb", "top c3");
    for cell in ["b2", "b3", "b4", "c2", "c4", "d2", "d3", "d4"] {
        assert_eq!(game.stack(&format!("top {cell}")), "", "{cell}");
    }
    assert_eq!(game.stack("top c3"), "TB", "the landing cell stays");
    assert_eq!(game.stack("top a3"), "t", "two cells away");
    assert_eq!(game.stack("bottom b3"), "T", "the other tray");
    assert_eq!(
        [game.out(0)["basic"].clone(), game.out(1)["basic"].clone()],
        [4, 5]
    );
}

#[test]
fn a_bomb_in_a_corner_removes_three_cells_and_goes_round_no_corner() {
    let mut game = game();
    game.basics(&[
        "top a2", "top b1", "top b2", "top e1", "top a5", "top e5", "top b5",
    ]);
    game.launch("bomb", "top a1");
    for (cell, stack) in [
        ("a2", ""),
        ("b1", ""),
        ("b2", ""),
        ("e1", "t"),
        ("a5", "T"),
        ("e5", "t"),
        ("b5", "T"),
    ] {
        assert_eq!(game.stack(&format!("top {cell}")), stack, "{cell}");
    }
}

#[test]
fn a_line_token_removes_the_row_or_the_column_as_chosen_with_its_own_cell() {
    for (choice, left) in [("row", ["", "t", "", ""]), ("column", ["T", "", "", ""])] {
        let mut game = game();
        game.basics(&["top a2", "top c5", "top c2", "top c2"]);
        game.launch("line", "top c2");
        assert_eq!(game.table.actions(0), ["column", "row"]);
        assert!(game.table.check(0, "launch top a1 basic").is_err());
        game.act(choice);
        let stacks = ["a2", "c5", "c2", "e2"].map(|cell| game.stack(&format!("top {cell}")));
        assert_eq!(stacks, left, "{choice}");
        assert_eq!(game.out(0)["line"], 1, "the token itself is removed too");
        assert_eq!(game.mover(), Some(1));
    }
}

#[test]
fn a_cell_token_removes_the_tokens_of_one_neighbouring_cell_of_its_tray() {
    let mut game = game();
    game.basics(&["top b1", "top b1", "bottom b1", "top b2"]);
    game.launch("cell", "top a1");
    assert_eq!(game.table.actions(0), ["clear a2", "clear b1", "clear b2"]);
    for (text, why) in [
        ("clear a1", "a1 is not next to a1"),
        ("clear c1", "c1 is not next to a1"),
    ] {
        assert_eq!(game.table.check(0, text).expect_err(text).to_string(), why);
    }
    game.act("clear b1");
    assert_eq!(game.stack("top b1"), "");
    assert_eq!(game.stack("bottom b1"), "T");
    assert_eq!(game.stack("top b2"), "t");
    assert_eq!(game.stack("top a1"), "C");
}

#[test]
fn an_empty_cell_may_be_cleared() {
    let mut game = game();
    game.launch("cell", "top c3");
    assert_eq!(game.table.actions(0).len(), 8);
    game.act("clear b3");
    assert_eq!(game.mover(), Some(1));
}

#[test]
fn a_power_acts_before_lines_are_looked_for() {
    // The bomb would make a line, but removes two of its cells.
    let mut game = game();
    game.basics(&["top a1", "miss", "top b1", "miss", "top d1", "miss"]);
    game.launch("bomb", "top c1");
    assert_eq!(
        (game.scores(), game.view()["round"].clone()),
        ([0, 0], json!(1))
    );
    // So does the line token, which removes itself.
    let mut game = self::game();
    game.basics(&["top a1", "miss", "top b1", "miss", "top c1", "miss"]);
    game.launch("line", "top d1");
    assert_eq!(game.phase(), "line");
    game.act("column");
    assert_eq!(
        (game.scores(), game.view()["round"].clone()),
        ([0, 0], json!(1))
    );
}

#[test]
fn a_power_token_counts_like_any_that_is_still_there() {
    let mut game = game();
    game.basics(&["top a1", "miss", "top b1", "miss", "top c1", "miss"]);
    game.launch("cell", "top d1");
    assert_eq!(game.scores(), [0, 0], "its power comes first");
    game.act("clear d2");
    assert_eq!(game.scores(), [2, 0]);
    // A bomb far from the rest of the line.
    let mut game = self::game();
    game.launch("bomb", "top a1");
    game.basics(&["miss", "top b1", "miss", "top c1", "miss", "top d1"]);
    assert_eq!(game.scores(), [2, 0]);
}

#[test]
fn a_power_can_take_control_away_from_the_side_that_threw_it() {
    let mut game = game();
    game.basics(&["top a1", "miss", "top b1", "miss", "top c1", "miss"]);
    game.launch("cell", "top d1");
    game.act("clear c1");
    assert_eq!(
        (game.scores(), game.view()["round"].clone()),
        ([0, 0], json!(1))
    );
}

#[test]
fn removed_tokens_are_out_for_the_round_and_back_in_the_next() {
    let mut game = game();
    game.basics(&["top a2", "top b2"]);
    game.launch("bomb", "top a1");
    assert_eq!([0, 1].map(|side| game.out(side)["basic"].clone()), [1, 1]);
    assert_eq!(
        [0, 1].map(|side| game.hand(side)["basic"].clone()),
        [12, 12]
    );
    game.throw_away();
    assert_eq!(
        [0, 1].map(|side| game.hand(side)["basic"].clone()),
        [13, 13]
    );
}

#[test]
fn everybody_sees_everything() {
    let mut game = game();
    game.act("launch top c3 bomb");
    let seen = |viewer| {
        let mut json = Vec::new();
        game.table.write_view(viewer, &mut json);
        String::from_utf8(json).expect("JSON is UTF-8")
    };
    let open = seen(Viewer::Open);
    for viewer in [Viewer::Seat(0), Viewer::Seat(1), Viewer::Public] {
        assert_eq!(seen(viewer), open);
    }
    assert!(
        open.contains(r#""in_air":{"side":0,"kind":"bomb","aim":"top c3"}"#),
        "{open}"
    );
}

/// Side 0 has three of a row of the top tray, and side 1 a token beside the fourth cell.
fn three_in_a_row(rules: Value) -> ExtraProMatch {
    let mut game = start(rules, 2, 0);
    game.basics(&["top a1", "top c2", "top b1", "miss", "top c1", "miss"]);
    game
}

#[test]
fn by_default_a_power_acts_before_lines_are_looked_for() {
    let mut game = three_in_a_row(json!({}));
    game.launch("bomb", "top d1");
    assert_eq!(
        (game.scores(), game.stack("top c1")),
        ([0, 0], String::new())
    );
    let mut game = three_in_a_row(json!({ "lines_first": false }));
    game.launch("line", "top d1");
    assert_eq!(game.phase(), "line");
    game.act("row");
    assert_eq!(
        (game.scores(), game.stack("top d1")),
        ([0, 0], String::new())
    );
}

#[test]
fn with_lines_first_every_power_token_can_complete_a_line_which_ends_the_round() {
    for kind in ["bomb", "cell", "double", "line"] {
        let mut game = three_in_a_row(json!({ "lines_first": true }));
        game.launch(kind, "top d1");
        assert_eq!(game.scores(), [2, 0], "{kind}");
        assert_eq!(game.view()["round"], 2, "{kind}");
        assert_eq!(game.phase(), "launch", "{kind}");
    }
}

#[test]
fn with_lines_first_a_power_acts_where_its_token_completes_nothing() {
    let lines_first = || json!({ "lines_first": true });
    let mut game = three_in_a_row(lines_first());
    game.launch("bomb", "top d2");
    assert_eq!(game.scores(), [0, 0]);
    assert_eq!(
        (game.stack("top c1"), game.stack("top c2")),
        (String::new(), String::new())
    );
    for (kind, act) in [("line", "column"), ("cell", "clear c2")] {
        let mut game = three_in_a_row(lines_first());
        game.launch(kind, "top d2");
        assert_eq!(game.phase(), kind);
        game.act(act);
        assert_eq!((game.scores(), game.mover()), ([0, 0], Some(1)));
    }
}

#[test]
fn with_lines_first_the_token_whose_line_ends_the_match_lies_where_it_came_down() {
    for (kind, letter) in [("bomb", "B"), ("line", "L"), ("cell", "C")] {
        let mut game = three_in_a_row(json!({ "lines_first": true, "max_rounds": 1 }));
        game.launch(kind, "top d1");
        assert_eq!(game.over(), Some((vec![0, 0], "limit")));
        assert_eq!(
            (game.stack("top d1"), game.stack("top c2")),
            (letter.into(), "t".into())
        );
        assert_eq!(game.scores(), [2, 0]);
    }
}
