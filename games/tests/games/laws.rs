//! Every game keeps the laws, whatever it is told.

use std::thread;

use flipside_games::testing::laws::{Breach, LawEffort, breaches};
use flipside_games::{AnyGame, GAMES, Game, Table, Visitor, chance, testing, visit};
use proptest::prelude::*;
use proptest::string::string_regex;
use proptest::test_runner::TestRunner;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Judges the game by the laws.
struct LawJudge;

impl Visitor for LawJudge {
    type Out = Vec<Breach>;

    fn visit<G: Game>(self) -> Vec<Breach> {
        breaches::<G>(LawEffort {
            matches: 24,
            looks: 16,
            events: 20_000,
        })
    }
}

#[test]
fn every_game_keeps_the_laws() {
    all_keep(GAMES, |id| visit(id, LawJudge));
}

/// With far more matches than a test has time for: 3,000 of each game, and 20 of each case at least.
#[test]
#[ignore = "long: 3,000 matches of each game"]
fn every_game_keeps_the_laws_in_thousands_of_matches() {
    struct JudgeAtLength;
    impl Visitor for JudgeAtLength {
        type Out = Vec<Breach>;

        fn visit<G: Game>(self) -> Vec<Breach> {
            breaches::<G>(LawEffort {
                matches: 3_000,
                looks: 4,
                events: usize::MAX,
            })
        }
    }
    all_keep(GAMES, |id| visit(id, JudgeAtLength));
}

#[test]
fn every_test_game_keeps_the_laws() {
    all_keep(testing::GAMES, |id| testing::visit(id, LawJudge));
}

/// Judges games, each in a thread of its own.
fn all_keep(games: &[&dyn AnyGame], judge: fn(&str) -> Option<Vec<Breach>>) {
    let ids = games.iter().map(|game| game.info().id);
    let judges: Vec<_> = ids.map(|id| thread::spawn(move || judge(id))).collect();
    let breaches = judges.into_iter().flat_map(|judge| {
        let breaches = judge.join().expect("breaches are found without a panic");
        breaches.expect("the table has this id")
    });
    let breaches: Vec<String> = breaches.map(|breach| breach.to_string()).collect();
    assert!(breaches.is_empty(), "\n{}", breaches.join("\n"));
}

#[test]
fn every_id_is_there_once_and_is_found() {
    let ids = || {
        GAMES
            .iter()
            .chain(testing::GAMES)
            .map(|game| game.info().id)
    };
    for (place, id) in ids().enumerate() {
        assert_eq!(
            ids().position(|other| other == id),
            Some(place),
            "{id} is there twice"
        );
        let is_test = id.starts_with("test-");
        assert_eq!(flipside_games::find(id).is_some(), !is_test, "{id}");
        assert_eq!(testing::find(id).is_some(), is_test, "{id}");
    }
}

#[test]
fn whatever_a_game_is_told_it_takes_only_what_it_lists() {
    for &game in GAMES {
        tell(
            game,
            visit(game.info().id, Notation).expect("the table has this id"),
        );
    }
    for &game in testing::GAMES {
        tell(
            game,
            testing::visit(game.info().id, Notation).expect("the table has this id"),
        );
    }
}

/// Asks for the notation of the game.
struct Notation;

impl Visitor for Notation {
    type Out = &'static str;

    fn visit<G: Game>(self) -> &'static str {
        G::NOTATION
    }
}

/// Tells a game all kinds of texts, at positions of random matches.
fn tell(game: &dyn AnyGame, notation: &str) {
    let notation = string_regex(notation).expect("the notation is a regular expression");
    let json = string_regex(r#"[\[{]["a-z:0-9.,\[\]{} -]{0,40}"#).expect("an expression");
    let told = (
        prop_oneof![notation, json, any::<String>()],
        any::<u64>(),
        0..60u32,
    );
    // The same texts in every run: a test that fails sometimes helps nobody.
    let ran = TestRunner::deterministic().run(&told, |(text, seed, events)| {
        let seats = game.info().least_seats();
        let mut table = random_table(game, seats, seed, events);
        for seat in 0..seats {
            let listed = table.actions(seat).contains(&text);
            prop_assert_eq!(
                table.check(seat, &text).is_ok(),
                listed,
                "{:?} by seat {}",
                text,
                seat
            );
        }
        let _ = table.chance(&text);
        let _ = game.set_up(&text, seats);
        Ok(())
    });
    ran.unwrap_or_else(|why| panic!("{}: {why}", game.info().id));
}

/// A position after so many random events.
fn random_table(game: &dyn AnyGame, seats: u8, seed: u64, events: u32) -> Box<dyn Table> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let presets = game.presets();
    let preset = &presets[chance::below(&mut rng, presets.len() as u32) as usize].1;
    let setup = game
        .set_up(preset, seats)
        .or_else(|_| game.set_up("{}", seats));
    let mut table = setup.expect("the default is for any number of seats").table;
    for _ in 0..events {
        if testing::step_at_random(&mut *table, &mut rng).is_none() {
            break;
        }
    }
    table
}
