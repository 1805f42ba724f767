//! Whole matches between the Rust bots, in process. Everything follows from fixed seeds, so that
//! a result here is always the same.

mod referee;

use std::ops::Range;

use flipside_games::{AnyGame, Game, Visitor, testing};
use flipside_protocol::{FromBot, Hello, Ready};
use flipside_sample_bots::{
    Bot, Error, Greedy, Mcts, Random, SAMPLES, Session, SessionPlayer, Strategy, StrategyBot,
    begin, sample,
};
use referee::{RefereePeer, half_points, play, play_briefly, play_with, session};

/// Enough playouts to be a search, and few enough for a test.
const FEW: u32 = 60;

/// The bots of the crate that play a game, with little time to think. `strong` is one of the others at
/// each game.
fn bots(game: &str) -> Vec<(&'static str, Session)> {
    SAMPLES
        .iter()
        .filter(|sample| sample.plays(game) && sample.name != "strong")
        .map(|listed| match listed.name {
            "mcts" => (listed.name, session(StrategyBot(Mcts { playouts: FEW }))),
            "alphabeta" => (listed.name, named("alphabeta:nodes=300")),
            "expectimax" => (listed.name, named("expectimax:turns=1")),
            "rollout" => (listed.name, named("rollout:playouts=20")),
            name => (name, named(name)),
        })
        .collect()
}

/// A bot by its name, with parameters.
fn named(name: &str) -> Session {
    Session::new(sample(name).expect("listed"))
}

#[test]
fn strong_is_another_bot_at_each_game() {
    for (game, other) in [
        ("flipflop-3x3", "perfect"),
        ("yonmoque", "alphabeta"),
        ("flip4", "expectimax"),
        ("puissance4-basic", "expectimax"),
        ("phase10-flip", "rollout"),
    ] {
        let game = flipside_games::find(game).expect("a game");
        let [strong, other] = ["strong", other]
            .map(|name| play_briefly(game, &mut [&mut named(name), &mut named("greedy")], 1));
        assert_eq!(strong, other);
    }
}

#[test]
fn every_bot_finishes_legal_matches_at_every_game() {
    finish_matches(0..1);
}

#[test]
#[ignore = "long: more matches of each pair"]
fn every_bot_finishes_many_legal_matches_at_every_game() {
    finish_matches(1..8);
}

/// Each bot with each, at every seat of two.
fn finish_matches(seeds: Range<u64>) {
    for game in flipside_games::GAMES {
        for (_, mut one) in bots(game.info().id) {
            for (_, mut other) in bots(game.info().id) {
                for seed in seeds.clone() {
                    play_briefly(*game, &mut [&mut one, &mut other], seed);
                }
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_match_also_with_a_bot_that_has_played_before() {
    for game in flipside_games::GAMES {
        let bots = || bots(game.info().id);
        for ((name, mut used), (_, mut rival)) in bots().into_iter().zip(bots()) {
            let matches: Vec<_> = (0..3)
                .map(|seed| play_briefly(*game, &mut [&mut used, &mut rival], seed))
                .collect();
            // Only the first action of a list needs no seed.
            let is_another = matches[0] != matches[1];
            assert!(
                is_another || name == "first",
                "{name} makes nothing of its seed"
            );
            for (seed, first) in (0..3).zip(matches) {
                let named = |(other, _): &(&str, Session)| *other == name;
                let new = || bots().into_iter().find(named).expect("listed").1;
                let (mut new, mut rival) = (new(), new());
                assert_eq!(
                    play_briefly(*game, &mut [&mut new, &mut rival], seed),
                    first,
                    "{name}"
                );
            }
        }
    }
}

/// The games without luck, where the better bot wins nearly always.
fn games_of_skill() -> impl Iterator<Item = &'static dyn AnyGame> {
    flipside_games::GAMES
        .iter()
        .copied()
        .filter(|game| !game.info().chance)
}

/// Of 60 matches between equals a bot wins 42 or more about once in a thousand; `greedy` wins some
/// 56 against `random`.
#[test]
fn greedy_beats_random_at_every_game_of_skill() {
    for game in games_of_skill() {
        let points = half_points(
            game,
            &mut session(StrategyBot(Greedy)),
            &mut session(Random),
            60,
        );
        assert!(points >= 2 * 48, "{}: {points} of 120", game.info().id);
    }
}

/// Of 10 matches between equals a bot wins all about once in a thousand; at these games `greedy` wins
/// nearly every one, by its scores.
#[test]
fn greedy_beats_random_at_every_game_of_luck() {
    for game in flipside_games::GAMES
        .iter()
        .filter(|game| game.info().chance)
    {
        let points = half_points(
            *game,
            &mut session(StrategyBot(Greedy)),
            &mut session(Random),
            10,
        );
        assert!(points >= 2 * 9, "{}: {points} of 20", game.info().id);
    }
}

/// Of 20 matches between equals a bot wins 17 or more about once in a thousand. `greedy` wins
/// one in fifteen against so many playouts.
#[test]
fn mcts_beats_greedy_at_every_game_of_skill() {
    for game in games_of_skill() {
        let mut mcts = session(StrategyBot(Mcts { playouts: 2000 }));
        let points = half_points(game, &mut mcts, &mut session(StrategyBot(Greedy)), 20);
        assert!(points >= 2 * 17, "{}: {points} of 40", game.info().id);
    }
}

/// Of 20 matches between equals a bot wins 17 or more about once in a thousand.
#[test]
fn alphabeta_beats_greedy_at_its_games() {
    for game in ["flipflop-3x3", "flipflop-5x5", "flipfour", "yonmoque"] {
        let mut alphabeta = named("alphabeta:nodes=20000");
        let game = flipside_games::find(game).expect("a game");
        let points = half_points(game, &mut alphabeta, &mut session(StrategyBot(Greedy)), 20);
        assert!(points >= 2 * 17, "{}: {points} of 40", game.info().id);
    }
}

/// Of 10 matches between equals a bot wins all about once in a thousand. Against `greedy` there is so
/// much luck that a difference needs many matches; docs/authors/sample-bots.md has them.
#[test]
fn bots_for_games_of_luck_beat_random() {
    for (game, bot) in [
        ("flip4", "expectimax:turns=1"),
        ("flip4", "expectimax:turns=2"),
        ("puissance4-basic", "expectimax:turns=2"),
        ("puissance4-championship", "expectimax:turns=2"),
        ("puissance4-extra-pro", "expectimax:turns=2"),
        ("phase10-flip", "rollout:playouts=20"),
    ] {
        let found = flipside_games::find(game).expect("a game");
        let points = half_points(found, &mut named(bot), &mut session(Random), 10);
        assert!(points >= 2 * 9, "{bot} at {game}: {points} of 20");
    }
}

#[test]
fn bots_for_games_of_luck_play_with_few_and_many_seats_and_all_options() {
    for (bot, games) in [
        (
            "expectimax:turns=2",
            &["puissance4-basic", "puissance4-extra-pro"][..],
        ),
        ("rollout:playouts=1", &["phase10-flip"]),
    ] {
        for game in games {
            let game = flipside_games::find(game).expect("a game");
            let seats = game.info().seats;
            // The first preset is the default; after it few and many seats take turns.
            for (place, (_, options)) in game.presets().iter().enumerate().skip(1) {
                let seats = if place % 2 == 1 {
                    seats[0]
                } else {
                    seats[seats.len() - 1]
                };
                let mut bots: Vec<_> = (0..seats).map(|_| named(bot)).collect();
                let mut peers: Vec<_> = bots
                    .iter_mut()
                    .map(|one| one as &mut dyn RefereePeer)
                    .collect();
                play_with(game, options, &mut peers, 1);
            }
        }
    }
}

/// The side that begins wins FlipFlop 3×3 by force.
#[test]
fn perfect_wins_every_match_that_it_begins() {
    let game = flipside_games::find("flipflop-3x3").expect("a game");
    for rival in [
        "random",
        "greedy",
        "mcts:playouts=1000",
        "alphabeta:nodes=20000",
        "perfect",
    ] {
        let [mut perfect, mut rival] =
            ["perfect", rival].map(|name| Session::new(sample(name).expect("a bot")));
        for seed in 0..10 {
            let played = play(game, &mut [&mut perfect, &mut rival], seed);
            assert_eq!(played.points, [1, 0], "{played:?}");
        }
    }
}

#[test]
fn a_bot_says_which_games_it_plays() {
    for (bot, game) in [
        ("alphabeta", "flip4"),
        ("perfect", "flipfour"),
        ("expectimax", "yonmoque"),
        ("rollout", "flip4"),
    ] {
        let mut session = named(bot);
        let hello = format!(
            r#"{{"type":"hello","protocol":1,"match":"m","game":"{game}","options":{{}},"seat":0,"seats":2,"clock":"move=1s","limits":{{"line":65536,"memory":0}},"seed":1}}"#
        );
        let error = session
            .answer(&hello, &mut Vec::new())
            .expect_err("another game");
        let words = error.to_string();
        assert!(
            words.contains(&format!("does not play the game {game:?}; it plays ")),
            "{words}"
        );
        assert!(
            words.contains("strong plays every built-in game"),
            "{words}"
        );
    }
}

/// A bot at the games that exist to be tested: dice, hidden cards, simultaneous choices, teams.
struct ModuleGuest<S>(S);

impl<S: Strategy> Bot for ModuleGuest<S> {
    fn ready(&self) -> Ready {
        Ready {
            reuse: true,
            ..Ready::default()
        }
    }

    fn begin(&self, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
        struct StartFn<'a, S>(S, &'a Hello);
        impl<S: Strategy> Visitor for StartFn<'_, S> {
            type Out = Result<Box<dyn SessionPlayer>, Error>;
            fn visit<G: Game>(self) -> Self::Out {
                begin::<G, S>(self.0, self.1)
            }
        }
        testing::visit(&hello.game, StartFn(self.0.clone(), hello)).expect("a game for tests")
    }
}

#[test]
fn bots_that_know_the_rules_play_every_kind_of_game() {
    for game in testing::GAMES {
        let info = game.info();
        for &seats in info.seats {
            let mut sessions: Vec<_> = (0..seats)
                .map(|seat| match seat % 2 {
                    0 => session(ModuleGuest(Mcts { playouts: FEW })),
                    _ => session(ModuleGuest(Greedy)),
                })
                .collect();
            let mut peers: Vec<_> = sessions
                .iter_mut()
                .map(|one| one as &mut dyn RefereePeer)
                .collect();
            assert_eq!(play(*game, &mut peers, 1), play(*game, &mut peers, 1));
        }
    }
}

/// What `mcts` does on seat 0 of two at a game for tests.
fn answer(game: &str, options: &str, view: &str) -> String {
    let mut mcts = session(ModuleGuest(Mcts { playouts: 1000 }));
    let hello = format!(
        r#"{{"type":"hello","protocol":1,"match":"m","game":"{game}","options":{options},"seat":0,"seats":2,"clock":"move=1s","limits":{{"line":65536,"memory":0}},"seed":1}}"#
    );
    mcts.exchange(&hello, true);
    let act = mcts.exchange(
        &format!(r#"{{"type":"turn","id":1,"clocks":[1000,1000],"view":{view}}}"#),
        true,
    );
    match FromBot::read(&act) {
        Ok(FromBot::Act(act)) => act.action,
        other => panic!("not an act: {other:?}"),
    }
}

#[test]
fn mcts_reckons_with_dice() {
    // The runner b can go home with this roll, and then a with any; else b needs another such roll.
    let view =
        r#"{"track":12,"runners":[[11,7],[11,11]],"to_move":0,"roll":5,"ply":8,"over":null}"#;
    assert_eq!(
        answer("test-race", r#"{"track":12,"max_plies":300}"#, view),
        "b"
    );
}

#[test]
fn mcts_reckons_with_cards_that_it_does_not_see() {
    for (card, action) in [("K", "call"), ("J", "fold")] {
        let view = format!(
            r#"{{"rounds":4,"round":1,"chips":[1,-1],"cards":["{card}",null],"moves":["bet"],"shown":null,"to_move":0}}"#
        );
        assert_eq!(answer("test-kuhn", r#"{"rounds":4}"#, &view), action);
    }
}

/// Of 60 matches between equals a bot wins 42 or more about once in a thousand.
#[test]
fn mcts_reckons_with_choices_made_at_the_same_time() {
    let game = testing::find("test-goofspiel").expect("a game for tests");
    let mut mcts = session(ModuleGuest(Mcts { playouts: 300 }));
    let points = half_points(game, &mut mcts, &mut session(Random), 60);
    assert!(points >= 2 * 42, "{points} of 120");
}

#[test]
fn a_team_of_mcts_plays_nim_as_it_can_be_proven() {
    // Misère Nim with heaps of 3, 4 and 5 is a win for the team that begins.
    let game = testing::find("test-teams").expect("a game for tests");
    let (mut mcts, mut mate) = (
        session(ModuleGuest(Mcts { playouts: 3000 })),
        session(ModuleGuest(Mcts { playouts: 3000 })),
    );
    for seed in 0..5 {
        let (mut one, mut other) = (session(Random), session(Random));
        let played = play(
            game,
            &mut [&mut mcts, &mut one, &mut mate, &mut other],
            seed,
        );
        assert_eq!(played.points, [1, 0, 1, 0]);
    }
}
