//! A tiny referee: enough of one to play whole matches, and no more. It has no clock.

#![allow(dead_code, reason = "each test uses its part of it")]

use std::cmp::Ordering;

use flipside_games::{AnyGame, Seat, SeatTurn, Viewer};
use flipside_protocol::{
    Clock, FromBot, FromReferee, Hello, LONGEST_LINE, Limits, Over, SEED_RANGE, TurnText, VERSION,
    write_turn,
};
use flipside_sample_bots::{Bot, Session};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use serde_json::value::RawValue;

/// A bot, as the referee sees it: it takes a line and may answer with one.
pub(crate) trait RefereePeer {
    /// Sends a line; answers with the bot's, if one is due.
    fn exchange(&mut self, line: &str, due: bool) -> String;
}

impl RefereePeer for Session {
    fn exchange(&mut self, line: &str, due: bool) -> String {
        let mut out = Vec::new();
        self.answer(line, &mut out)
            .unwrap_or_else(|error| panic!("{error}\non {line}"));
        let answer = String::from_utf8(out).expect("a bot writes text");
        assert_eq!(due, answer.ends_with('\n'));
        answer
    }
}

/// A session with one of the bots here.
pub(crate) fn session(bot: impl Bot + 'static) -> Session {
    Session::new(Box::new(bot))
}

/// Half points of the first of two bots over so many matches, the seats changed after each: two
/// for a win, one for a draw.
pub(crate) fn half_points(
    game: &dyn AnyGame,
    first: &mut dyn RefereePeer,
    second: &mut dyn RefereePeer,
    matches: u64,
) -> u64 {
    let mut total = 0;
    for seed in 0..matches {
        let seat = (seed % 2) as usize;
        let points = match seat {
            0 => play(game, &mut [first, second], seed / 2).points,
            _ => play(game, &mut [second, first], seed / 2).points,
        };
        total += match points[seat].cmp(&points[1 - seat]) {
            Ordering::Greater => 2,
            Ordering::Equal => 1,
            Ordering::Less => 0,
        };
    }
    total
}

/// A match that has been played.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RefereePlayed {
    /// The actions in order, with their seats.
    pub(crate) actions: Vec<(Seat, String)>,
    /// The points by seat.
    pub(crate) points: Vec<i32>,
    /// Why it ended.
    pub(crate) reason: String,
}

/// Plays a match with the game's default options; all randomness comes from the seed.
///
/// # Panics
/// When a bot does anything that is not allowed.
pub(crate) fn play(
    game: &dyn AnyGame,
    peers: &mut [&mut dyn RefereePeer],
    seed: u64,
) -> RefereePlayed {
    play_with(game, "{}", peers, seed)
}

/// As [`play`], with the game's brief options.
pub(crate) fn play_briefly(
    game: &dyn AnyGame,
    peers: &mut [&mut dyn RefereePeer],
    seed: u64,
) -> RefereePlayed {
    play_with(game, &game.brief(), peers, seed)
}

/// As [`play`], with options.
pub(crate) fn play_with(
    game: &dyn AnyGame,
    options: &str,
    peers: &mut [&mut dyn RefereePeer],
    seed: u64,
) -> RefereePlayed {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let seats = peers.len() as u8;
    let setup = game.set_up(options, seats).expect("the options fit");
    let mut table = setup.table;
    let mut lists = Vec::new();
    for (seat, peer) in peers.iter_mut().enumerate() {
        let hello = FromReferee::Hello(Hello {
            protocol: VERSION,
            match_id: format!("m{seed}"),
            game: game.info().id.into(),
            options: RawValue::from_string(setup.options.clone()).expect("options are JSON"),
            seat: seat as u8,
            seats,
            clock: Clock::per_move(std::time::Duration::from_secs(1)),
            bot_options: None,
            limits: Limits {
                line: LONGEST_LINE as u64,
                memory: 0,
            },
            patience: None,
            commitment: String::new(),
            seed: rng.next_u64() % SEED_RANGE,
        });
        match FromBot::read(&peer.exchange(&line(&hello), true)) {
            Ok(FromBot::Ready(ready)) => lists.push(ready.actions),
            other => panic!("not ready: {other:?}"),
        }
    }
    let clocks = vec![1000; peers.len()];
    let mut actions = Vec::new();
    let mut id = 0;
    let outcome = loop {
        match table.turn() {
            SeatTurn::Over(outcome) => break outcome,
            SeatTurn::Chance => {
                let mut draw = Vec::new();
                table.sample(&mut rng, &mut draw);
                table
                    .chance(std::str::from_utf8(&draw).expect("JSON"))
                    .expect("a draw is legal");
            }
            SeatTurn::Seats(asked) => {
                let mut acts = Vec::new();
                for seat in asked {
                    id += 1;
                    let (mut list, mut view, mut turn) = (Vec::new(), Vec::new(), Vec::new());
                    table.write_actions(seat, &mut list);
                    table.write_view(Viewer::Seat(seat), &mut view);
                    let listed = lists[usize::from(seat)].then_some(&list[..]);
                    let text = TurnText {
                        actions: listed,
                        clocks: &clocks,
                        fuel: None,
                        charged: None,
                        view: &view,
                        events: None,
                    };
                    write_turn(&mut turn, id, &text);
                    let turn = String::from_utf8(turn).expect("JSON");
                    match FromBot::read(&peers[usize::from(seat)].exchange(&turn, true)) {
                        Ok(FromBot::Act(act)) => {
                            assert_eq!(act.id, id, "an answer to another turn");
                            acts.push((seat, act.action));
                        }
                        other => panic!("not an act: {other:?}"),
                    }
                }
                let texts: Vec<_> = acts
                    .iter()
                    .map(|(seat, text)| (*seat, text.as_str()))
                    .collect();
                table
                    .act(&texts)
                    .unwrap_or_else(|refusal| panic!("{refusal}: {texts:?}\n{table:?}"));
                actions.extend(acts);
            }
        }
    };
    let points = outcome.points.to_vec();
    let places = points
        .iter()
        .map(|own| 1 + points.iter().filter(|other| *other > own).count() as u8)
        .collect();
    let mut view = Vec::new();
    table.write_view(Viewer::Open, &mut view);
    let view = RawValue::from_string(String::from_utf8(view).expect("JSON")).expect("JSON");
    let reason = outcome.reason.to_owned();
    let over = line(&FromReferee::Over(Over {
        points: points.clone(),
        places,
        reason: reason.clone(),
        view,
    }));
    for peer in peers {
        peer.exchange(&over, false);
    }
    RefereePlayed {
        actions,
        points,
        reason,
    }
}

fn line(message: &FromReferee) -> String {
    serde_json::to_string(message).expect("a message is JSON") + "\n"
}
