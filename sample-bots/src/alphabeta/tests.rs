//! The positions of the search agree with the rules crate: on legal moves, results and counts.

use flipside_games::chance::below;
use flipside_games::{Event, FlipFlop, FlipFour, Game, SeatTurn, Yonmoque, perft};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::position::{GameEnd, Move, SearchPosition};
use super::{flipflop, flipfour, position_of, yonmoque};

fn moves<P: SearchPosition>(position: &P) -> Vec<(String, Move)> {
    let mut moves = Vec::new();
    position.moves(|action, _| {
        let mut text = String::new();
        position.write(action, &mut text);
        moves.push((text, action));
    });
    moves.sort_by(|(one, _), (other, _)| one.cmp(other));
    moves
}

/// Plays random matches by both, and compares each step.
fn agrees<G: Game, P: SearchPosition>(matches: u64) {
    let mut reasons = std::collections::BTreeMap::new();
    for seed in 0..matches {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut state = G::new(&G::Options::default(), 2).expect("the defaults fit");
        let mut seat = 0;
        let mut position: P = position_of(&state, seat);
        loop {
            let listed = moves(&position);
            let mut actions = Vec::new();
            state.actions(seat, &mut actions);
            let texts = actions.iter().map(|&action| {
                let mut text = String::new();
                state.write_action(action, &mut text);
                text
            });
            assert!(
                texts.eq(listed.iter().map(|(text, _)| text.clone())),
                "seed {seed}"
            );
            let at = below(&mut rng, actions.len() as u32) as usize;
            let (next, end) = position.play(listed[at].1);
            state.apply(Event::Acts(&[(seat, actions[at])]));
            let rival = 1 - seat;
            assert_eq!(
                next.key(),
                position_of::<G, P>(&state, rival).key(),
                "seed {seed}"
            );
            position = next;
            if let SeatTurn::Over(outcome) = state.turn() {
                *reasons.entry(outcome.reason).or_insert(0) += 1;
                let own = outcome.points[usize::from(seat)];
                let expected = match own.cmp(&outcome.points[usize::from(rival)]) {
                    std::cmp::Ordering::Greater => GameEnd::Won,
                    std::cmp::Ordering::Equal => GameEnd::Open,
                    std::cmp::Ordering::Less => GameEnd::Lost,
                };
                assert_eq!(end, expected, "seed {seed}: {}", outcome.reason);
                break;
            }
            assert_eq!(end, GameEnd::Open, "seed {seed}");
            seat = rival;
        }
    }
    assert!(reasons.len() >= 2, "{reasons:?} shows little");
}

fn count<P: SearchPosition>(position: &P, depth: u32) -> u64 {
    let mut total = 0;
    position.moves(|action, _| {
        let (next, end) = position.play(action);
        total += match depth {
            1 => 1,
            _ if end == GameEnd::Open => count(&next, depth - 1),
            _ => 0,
        };
    });
    total
}

/// Compares the numbers of sequences of actions. They are short enough for no position to occur a
/// third time.
fn counts_agree<G: Game, P: SearchPosition>(depth: u32) {
    let state = G::new(&G::Options::default(), 2).expect("the defaults fit");
    for depth in 1..=depth {
        let expected = perft(&state, depth).expect("a game without chance");
        assert_eq!(
            count(&position_of::<G, P>(&state, 0), depth),
            expected,
            "depth {depth}"
        );
    }
}

#[test]
fn flipflop_agrees_with_the_rules() {
    agrees::<FlipFlop<3>, flipflop::FlipFlopPosition<3>>(2000);
    agrees::<FlipFlop<5>, flipflop::FlipFlopPosition<5>>(1000);
    counts_agree::<FlipFlop<3>, flipflop::FlipFlopPosition<3>>(7);
    counts_agree::<FlipFlop<5>, flipflop::FlipFlopPosition<5>>(5);
}

#[test]
fn flipfour_agrees_with_the_rules() {
    agrees::<FlipFour, flipfour::FlipFourPosition>(1000);
    counts_agree::<FlipFour, flipfour::FlipFourPosition>(4);
}

#[test]
fn yonmoque_agrees_with_the_rules() {
    agrees::<Yonmoque, yonmoque::YonmoquePosition>(2000);
    counts_agree::<Yonmoque, yonmoque::YonmoquePosition>(4);
}
