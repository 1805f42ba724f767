//! What is promised of descriptions, divisions and total tables.

use std::collections::HashSet;

use flipside_ratings::{Rating, Seating};
use proptest::prelude::*;

use super::*;
use crate::settings::Settings;
use crate::standings::Tally;

const SPRING: &str = "name = \"spring\"\ntitle = \"Spring league\"\n\
                      games = [\"flipflop-3x3\", \"flipfour\"]\ndivisions = 2\nplaces = 4\nmoves = 1\n\
                      rounds = 3\nclock = \"move=2s\"";

#[test]
fn a_description_gives_the_tournaments_of_each_season() {
    let league = League::from_toml(SPRING).unwrap();
    assert_eq!(league.headline(), "Spring league");
    let bots = vec!["ada@1".to_owned(), "bob@2".to_owned()];
    let (name, spec) = league.tournament(3, 2, "flipfour", bots.clone()).unwrap();
    assert_eq!(name.as_str(), "spring-s3-d2-flipfour");
    let title = "Spring league, season 3, division 2: flipfour";
    for (key, value) in [
        ("name", Value::from(name.as_str())),
        ("title", title.into()),
        ("game", "flipfour".into()),
        ("bots", bots.into()),
        ("rounds", 3.into()),
        ("clock", "move=2s".into()),
    ] {
        assert_eq!(spec.get(key), Some(&value), "{key}");
    }
    let one = SPRING.replace("divisions = 2\n", "");
    let one = League::from_toml(&one).unwrap();
    let (name, _) = one.tournament(1, 1, "flipfour", vec![]).unwrap();
    assert_eq!(name.as_str(), "spring-s1-flipfour");
}

#[test]
fn what_does_not_describe_a_league_says_why() {
    let long = format!("name = \"{}\"", "x".repeat(60));
    for (from, to, why) in [
        ("name = \"spring\"", "", "the league has no name"),
        ("name = \"spring\"", &*long, "the name is too long"),
        ("\"flipfour\"]", "\"chess\"]", "there is no game \"chess\""),
        (
            "\"flipfour\"]",
            "\"flipflop-3x3\"]",
            "flipflop-3x3 is named twice",
        ),
        ("[\"flipflop-3x3\", \"flipfour\"]", "[]", "1 to 20 games"),
        (
            "[\"flipflop-3x3\", \"flipfour\"]",
            "3",
            "line 3, column 9: games is a list",
        ),
        (
            "divisions = 2",
            "divisions = 0",
            "divisions is a number from 1 to 20",
        ),
        (
            "divisions = 2",
            "divisions = -1",
            "divisions is a whole number",
        ),
        (
            "places = 4",
            "places = 1",
            "places is a number from 2 to 1000",
        ),
        ("moves = 1", "moves = 3", "moves is a number from 0 to 2"),
        ("rounds = 3", "bots = [\"ada\"]", "bots is not for leagues"),
        (
            "rounds = 3",
            "format = \"knockout\"",
            "round robins or swiss",
        ),
        ("rounds = 3", "turns = 3", "turns"),
        ("rounds = 3", "rounds = \"x\"", "line 7, column 10"),
    ] {
        assert!(SPRING.contains(from), "{from}");
        let error = League::from_toml(&SPRING.replacen(from, to, 1)).unwrap_err();
        assert!(error.to_string().contains(why), "{to}: {error}");
        assert!(error.hint.is_some(), "{to}: {error}");
    }
}

#[test]
fn the_best_move_up_and_the_last_move_down() {
    let last = [
        vec!["a", "b", "c", "d"],
        vec!["e", "f", "g", "h"],
        vec!["i", "j"],
    ];
    let all = ["i", "a", "b", "c", "d", "e", "f", "g", "h", "j"];
    let next = divide(&last, &all, 3, 4, 1);
    assert_eq!(
        next,
        [
            vec!["a", "b", "c", "e"],
            vec!["d", "f", "g", "i"],
            vec!["h", "j"]
        ]
    );
    // Nobody is moved twice, and a division of one is none.
    assert_eq!(
        divide(&[vec!["a", "b"], vec!["c"]], &["a", "b", "c"], 2, 2, 2),
        [["a", "b", "c"]]
    );
    // Whoever leaves makes room for the next, and who is new begins below.
    let next = divide(
        &last,
        &["new", "a", "b", "e", "f", "g", "i", "newer"],
        3,
        4,
        1,
    );
    assert_eq!(
        next,
        [vec!["a", "b", "e", "f"], vec!["g", "i", "new", "newer"]]
    );
}

proptest! {
    #[test]
    fn every_entrant_plays_once_and_all_divisions_but_the_last_are_full(
        seasons in prop::collection::vec(prop::collection::vec(0_u8..40, 0..30), 1..5),
        divisions in 1_usize..6,
        places in 2_usize..8,
        moves in 0_usize..4,
    ) {
        let mut last: Vec<Vec<u8>> = Vec::new();
        for entrants in seasons {
            let all: HashSet<u8> = entrants.iter().copied().collect();
            let next = divide(&last, &entrants, divisions, places, moves);
            let placed: Vec<u8> = next.iter().flatten().copied().collect();
            prop_assert_eq!(placed.len(), all.len());
            prop_assert_eq!(placed.iter().copied().collect::<HashSet<u8>>(), all.clone());
            prop_assert!(next.len() <= divisions);
            for (at, division) in next.iter().enumerate() {
                let is_last = at + 1 == next.len();
                prop_assert!(!division.is_empty());
                prop_assert!(is_last || division.len() == places);
                prop_assert!(at == 0 || division.len() >= MIN_DIVISION);
            }
            // Who is new stands below all that were there.
            let known: HashSet<u8> = last.iter().flatten().copied().collect();
            let first_new = placed.iter().position(|bot| !known.contains(bot));
            let last_known = placed.iter().rposition(|bot| known.contains(bot));
            if let (Some(new), Some(old)) = (first_new, last_known) {
                prop_assert!(old < new);
            }
            last = next;
        }
    }

    #[test]
    fn with_the_same_bots_as_many_move_as_are_to(moves in 0_usize..4) {
        let last: Vec<Vec<u8>> = vec![(0..8).collect(), (8..16).collect(), (16..24).collect()];
        let all: Vec<u8> = (0..24).collect();
        let next = divide(&last, &all, 3, 8, moves);
        for at in 0..3 {
            let before: HashSet<u8> = last[at].iter().copied().collect();
            let gone = before.iter().filter(|bot| !next[at].contains(bot)).count();
            let edges = if at == 1 { 2 } else { 1 };
            prop_assert_eq!(gone, moves * edges);
        }
    }
}

/// Standings of these bots: games, wins and score.
fn standings(lines: &[(&str, u64, u64, f64)]) -> crate::standings::Standings {
    let names: Vec<String> = lines.iter().map(|line| line.0.to_owned()).collect();
    let ratings = vec![Rating::default(); lines.len()];
    let tally = Tally::new(lines.len(), &Seating::single(2));
    let mut standings = tally.standings(&names, Some(&ratings), &tally.fit(None));
    for row in &mut standings.rows {
        let line = lines.iter().find(|line| line.0 == row.bot).unwrap();
        (row.games, row.wins, row.score) = (line.1, line.2, line.3);
        row.percent = 100.0 * line.3 / (line.1 as f64).max(1.0);
    }
    standings
}

#[test]
fn each_game_counts_the_same_and_equal_bots_share_a_rank() {
    let bots: Vec<String> = ["ada", "bob", "eve", "zoe"].map(String::from).into();
    // Ten times as many matches in the second game.
    let first = standings(&[("ada", 4, 3, 3.0), ("bob", 4, 1, 1.0), ("eve", 4, 2, 2.0)]);
    let second = standings(&[
        ("ada", 40, 10, 10.0),
        ("bob", 40, 30, 30.0),
        ("eve", 0, 0, 0.0),
    ]);
    let table = |standings| GameTable {
        game: "x",
        standings,
    };
    let rows = totals(
        &bots,
        &[table(Some(&first)), table(Some(&second)), table(None)],
    );
    let seen: Vec<_> = rows
        .iter()
        .map(|row| (row.rank, &*row.bot, row.points, row.matches, row.wins))
        .collect();
    // Level in points; more matches won decide.
    assert_eq!(
        seen,
        [
            (1, "bob", 100.0, 44, 31),
            (2, "ada", 100.0, 44, 13),
            (3, "eve", 50.0, 4, 2),
            (4, "zoe", 0.0, 0, 0),
        ]
    );
    assert_eq!(rows[2].shares, [Some(50.0), None, None]);
    let none = totals(&bots, &[]);
    assert!(none.iter().all(|row| row.rank == 1));
    let names: Vec<&str> = none.iter().map(|row| &*row.bot).collect();
    assert_eq!(names, ["ada", "bob", "eve", "zoe"]);
}

#[test]
fn a_swiss_of_few_bots_has_the_rounds_that_can_be_paired() {
    let text = "name = \"spring\"\ngames = [\"flipfour\", \"flip4\"]\nformat = \"swiss\"\n";
    let rounds = |more: &str, game: &str, bots: usize| {
        let league = League::from_toml(&format!("{text}{more}")).unwrap();
        let bots: Vec<String> = (0..bots).map(|bot| format!("bot{bot}@1")).collect();
        let number = bots.len();
        let (_, spec) = league.tournament(1, 1, game, bots).unwrap();
        let game = Settings {
            game: game.into(),
            seats: 2,
            ..Settings::default()
        };
        spec.settings(game, number).unwrap().rounds
    };
    assert_eq!(rounds("rounds = 7\n", "flipfour", 30), 7);
    assert_eq!(rounds("rounds = 7\n", "flipfour", 6), 5);
    assert_eq!(rounds("rounds = 7\n", "flipfour", 2), 1);
    assert_eq!(rounds("rounds = 7\n", "flip4", 5), 5);
    assert_eq!(rounds("rounds = 9\nseats = 4\ncopies = 2\n", "flip4", 6), 5);
    // Six bots are one match of four with two byes, and nobody has two of these.
    assert_eq!(rounds("rounds = 9\nseats = 4\n", "flip4", 6), 3);
    // Without a number, each swiss has its usual one.
    assert_eq!(rounds("", "flipfour", 30), 5);
    // Nothing is changed in a round robin.
    let league = League::from_toml(&text.replace("swiss", "round-robin")).unwrap();
    let (_, spec) = league.tournament(1, 1, "flipfour", Vec::new()).unwrap();
    assert!(spec.get("rounds").is_none());
}
