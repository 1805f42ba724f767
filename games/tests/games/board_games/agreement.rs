//! The games and their plain counterparts, side by side: the same actions, refusals, outcomes and
//! views in every position that random play comes to.

use flipside_games::{FlipFlop, FlipFour, Game, Yonmoque};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng};

use super::plain::{self, PlainGame};
use super::play::{PlayMatch, resume, start};

/// How often a walk's seat chooses what it always chooses: the action at some one place of the
/// list. So pieces go to and fro, positions recur, and crowds form, which chance alone rarely does.
const HABITS: [f64; 4] = [0.0, 0.7, 0.9, 0.99];

/// Every so many positions, everything that can be written is put to the check, and the position
/// is rebuilt from its view.
const THOROUGH: usize = 7;

fn agree<G: Game, P: PlainGame>(limits: &[usize], walks: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let notation = P::notation();
    let mut ends = std::collections::BTreeMap::<String, usize>::new();
    let mut positions = 0;
    for walk in 0..walks {
        let limit = limits[walk % limits.len()];
        let habit = HABITS[walk / limits.len() % HABITS.len()];
        let options = format!(r#"{{"max_plies":{limit}}}"#);
        let places: [f64; 2] = [rng.random(), rng.random()];
        let mut fast: PlayMatch<G> = start(&options);
        let mut plain = P::start(limit);
        loop {
            let actions = plain.actions();
            compare(&fast, &plain, &actions);
            if positions % THOROUGH == 0 {
                compare_thoroughly(&fast, &actions, &notation, &options);
            }
            positions += 1;
            if actions.is_empty() {
                break;
            }
            let place = match rng.random_bool(habit) {
                true => places[usize::from(fast.mover().expect("it goes on"))],
                false => rng.random(),
            };
            let action = &actions[(place * actions.len() as f64) as usize];
            plain.act(action);
            fast = fast.play(action);
        }
        *ends.entry(fast.end()).or_default() += 1;
    }
    println!("{}: {positions} positions, {ends:?}", G::INFO.id);
}

fn compare<G: Game>(fast: &PlayMatch<G>, plain: &impl PlainGame, actions: &[String]) {
    assert_eq!(fast.view(), plain.view());
    let end = match plain.outcome() {
        Some((points, reason)) => format!("{} {} {reason}", points[0], points[1]),
        None => "goes on".into(),
    };
    assert_eq!(fast.end(), end, "{}", plain.view());
    assert_eq!(fast.actions(), actions.join(" "), "{}", plain.view());
    for seat in [0, 1] {
        let count = if fast.mover() == Some(seat) {
            actions.len()
        } else {
            0
        };
        assert_eq!(fast.game.count_actions(seat), count, "{}", plain.view());
    }
}

fn compare_thoroughly<G: Game>(
    fast: &PlayMatch<G>,
    actions: &[String],
    notation: &[String],
    options: &str,
) {
    for text in notation {
        let legal = actions.binary_search(text).is_ok();
        assert_eq!(fast.allows(text), legal, "{text} in {}", fast.view());
    }
    let rebuilt: PlayMatch<G> = resume(options, &fast.view()).expect("a view of the game");
    assert_eq!(rebuilt.view(), fast.view());
    assert_eq!(rebuilt.end(), fast.end());
    assert_eq!(rebuilt.actions(), fast.actions());
}

#[test]
fn flipflop_3x3_is_as_plain_as_its_page() {
    agree::<FlipFlop<3>, plain::FlipFlop3>(&[200, 1, 2, 7, 12, 200], 1200);
}

#[test]
fn flipflop_5x5_is_as_plain_as_its_page() {
    agree::<FlipFlop<5>, plain::FlipFlop5>(&[200, 3, 20, 200], 400);
}

#[test]
fn flipfour_is_as_plain_as_its_page() {
    agree::<FlipFour, plain::PlainFlipFour>(&[1000, 9, 40, 1000], 120);
}

#[test]
fn yonmoque_is_as_plain_as_its_page() {
    agree::<Yonmoque, plain::PlainYonmoque>(&[300, 4, 25, 300], 500);
}
