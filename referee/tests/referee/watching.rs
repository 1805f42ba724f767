//! Whoever watches sees the table as the public does, also while a bot thinks for long, and changes nothing.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::common::{Hall, find, shell_bot};
use flipside_games::AnyGame;
use flipside_referee::{
    Match, MatchSeed, PlayedMatch, Player, Referee, SeatScene, WatchView, Watcher,
};
use flipside_sandbox::{Sandbox, SandboxSettings};

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
enum WatchedMatch {
    Look {
        board: String,
        plies: u64,
        asked: Vec<u8>,
        seats: Vec<SeatScene>,
    },
    Over,
}

/// What was seen, and a file that is made when the slow bot is seen thinking.
#[derive(Clone, Default)]
struct Eyes(Arc<Mutex<Vec<WatchedMatch>>>, Option<PathBuf>);

impl Watcher for Eyes {
    fn look(&mut self, scene: &WatchView<'_>) {
        assert_eq!(scene.the_match().id, "watched");
        self.0.lock().unwrap().push(WatchedMatch::Look {
            board: scene.board(),
            plies: scene.plies(),
            asked: (0..2).filter(|&seat| scene.is_asked(seat)).collect(),
            seats: scene.seats().to_vec(),
        });
        if let Some(seen) = self.1.as_ref().filter(|_| scene.is_asked(1)) {
            std::fs::write(seen, "").unwrap();
        }
    }

    fn over(&mut self) {
        self.0.lock().unwrap().push(WatchedMatch::Over);
    }
}

fn the_match(game: &'static dyn AnyGame, players: Vec<Player>) -> Match {
    Match {
        id: "watched".into(),
        game,
        options: "{}".into(),
        clock: "move=10m,start=10m".parse().unwrap(),
        seed: MatchSeed::from_number(1),
        players,
        opening_plies: 0,
        patience: None,
    }
}

/// Plays a watched match of a quick bot and one that waits at its first turn until it was seen: what was seen, and how
/// many plies the match had.
fn watched(game: &'static dyn AnyGame) -> (Vec<WatchedMatch>, u64) {
    let hall = Hall::new();
    let seen = hall.path("seen");
    let waits = format!(
        "[ $turn -ne 1 ] || until [ -e '{}' ]; do sleep 0.01; done",
        seen.display()
    );
    let players = vec![hall.first(), hall.shell("slow", &shell_bot(&waits))];
    let eyes = Eyes(Arc::default(), Some(seen));
    let mut referee = Referee::new(Sandbox::new(SandboxSettings::default()))
        .unwrap()
        .watched_by(eyes.clone());
    let played = referee.play(&the_match(game, players)).unwrap();
    let seen = eyes.0.lock().unwrap().clone();
    (seen, played.result.plies)
}

#[test]
fn a_table_that_waits_for_a_slow_bot_is_shown_as_it_is() {
    // Seat 0 answers at once: the turn of seat 1 begins while nobody may look yet.
    let game = find("flipfour").unwrap();
    let (seen, plies) = watched(game);
    let slow_turn = seen.iter().find_map(|seen| match seen {
        WatchedMatch::Look {
            board,
            plies: 1,
            asked,
            ..
        } => Some((board, asked)),
        _ => None,
    });
    let (board, asked) = slow_turn.expect("the turn of the slow bot is seen");
    assert_eq!(asked, &[1]);
    let mut table = game.set_up("{}", 2).unwrap().table;
    let first = table.actions(0)[0].clone();
    table.act(&[(0, &first)]).unwrap();
    assert_eq!(board, &table.text(flipside_games::Viewer::Public));
    assert_eq!(seen.last(), Some(&WatchedMatch::Over));
    let most = seen.iter().filter_map(|seen| match seen {
        WatchedMatch::Look { plies, .. } => Some(*plies),
        WatchedMatch::Over => None,
    });
    assert!(most.max() <= Some(plies));
}

#[test]
fn no_secret_is_shown_while_the_match_runs() {
    for (game, hidden, secrets) in [
        ("test-kuhn", "card hidden", ["card J", "card Q", "card K"]),
        (
            "phase10-flip",
            "10 cards",
            ["your hand", "    colour side", "    wild side"],
        ),
    ] {
        let (seen, _) = watched(find(game).unwrap());
        let boards = seen.iter().filter_map(|seen| match seen {
            WatchedMatch::Look { board, .. } => Some(board),
            WatchedMatch::Over => None,
        });
        assert!(
            boards.clone().any(|board| board.contains(hidden)),
            "{seen:?}"
        );
        for board in boards {
            assert!(
                !secrets.iter().any(|secret| board.contains(secret)),
                "{board}"
            );
        }
    }
}

#[test]
fn to_be_watched_changes_no_record() {
    let mut hall = Hall::new();
    let game = find("flipfour").unwrap();
    let players = || vec![hall.first(), hall.first()];
    let the_match = the_match(game, players());
    let timeless = |record: &str| {
        let acts = record.lines().filter(|line| line.contains("\"action\""));
        acts.map(|line| line.split("\"us\"").next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let alone = hall.referee.play(&the_match).unwrap();
    let mut referee = Referee::new(Sandbox::new(SandboxSettings::default()))
        .unwrap()
        .watched_by(Eyes::default());
    let watched = referee.play(&the_match).unwrap();
    let what = |played: &PlayedMatch| {
        let result = &played.result;
        (result.reason.clone(), result.points(), result.places())
    };
    assert_eq!(what(&alone), what(&watched));
    assert!(!timeless(&alone.record).is_empty());
    assert_eq!(timeless(&alone.record), timeless(&watched.record));
    crate::common::verified(&watched.record).unwrap();
}
