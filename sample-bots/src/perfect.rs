//! The bot `perfect`: knows for each position of FlipFlop 3×3 who wins, and in how many plies.
//!
//! No position that play can reach is a draw by force. From a won position the bot takes the shortest
//! way, so the distance to the end falls with each move and no position occurs twice: the rule of
//! repetition never costs it a win. The limit of plies does only if fewer plies are left than the
//! win takes. From a lost position it resists as long as possible, which also makes the most of the
//! limit, and of an opponent who repeats moves.

pub(crate) mod solution;

use std::cell::OnceCell;
use std::rc::Rc;

use flipside_bot::{Bot, Error, SessionPlayer, nothing_to_do, options, ready};
use flipside_games::FlipFlop;
use flipside_games::chance::one_of;
use flipside_protocol::{Hello, Ready, Turn};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use self::solution::{Position3, PositionValue, Solution};
use crate::alphabeta::position::{GameEnd, Move, SearchPosition};
use crate::alphabeta::read;
use crate::refusal::check_game;

/// The games that are solved.
pub(crate) const GAMES: &[&str] = &["flipflop-3x3"];

/// Plays FlipFlop 3×3 without a mistake. All matches of a bot share its solution.
#[derive(Clone, Default)]
pub struct Perfect {
    solution: Rc<OnceCell<Solution>>,
}

impl Bot for Perfect {
    fn ready(&self) -> Ready {
        ready("perfect")
    }

    fn begin(&self, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
        check_game(GAMES, &hello.game)?;
        // Only to refuse options that are not understood: the limit of plies changes no choice.
        options::<FlipFlop<3>>(hello)?;
        self.solution.get_or_init(Solution::of_the_game);
        Ok(Box::new(PerfectPlayer {
            solution: Rc::clone(&self.solution),
            seat: hello.seat,
            rng: ChaCha8Rng::seed_from_u64(hello.seed),
        }))
    }
}

/// The bot in a match.
struct PerfectPlayer {
    solution: Rc<OnceCell<Solution>>,
    seat: u8,
    rng: ChaCha8Rng,
}

impl SessionPlayer for PerfectPlayer {
    fn choose(&mut self, turn: &Turn, action: &mut String) -> Result<(), Error> {
        let (position, _) = read::<Position3>(turn, self.seat)?;
        let known = self.solution.get_or_init(Solution::of_the_game);
        let unusual;
        let solution = if known.value(&position).is_some() {
            known
        } else {
            // No legal match leads here, and whoever shows it has reasons.
            unusual = Solution::from(&position);
            &unusual
        };
        let best = best_moves(solution, &position);
        if best.is_empty() {
            return Err(nothing_to_do());
        }
        let chosen = one_of(&mut self.rng, &best);
        position.write(*chosen, action);
        Ok(())
    }
}

/// How good a move is: a greater one is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    /// It loses: later is better, and so is a position in which the rival errs easily.
    Loses { plies: u16, traps: u16 },
    /// It does neither by force.
    Draws,
    /// It wins: sooner is better.
    Wins { less: std::cmp::Reverse<u16> },
}

/// Returns the best moves, which are equally good.
fn best_moves(solution: &Solution, position: &Position3) -> Vec<Move> {
    let mut best: Option<Worth> = None;
    let mut moves = Vec::new();
    position.moves(|action, _| {
        let worth = worth(solution, position, action);
        if best.is_none_or(|best| worth > best) {
            best = Some(worth);
            moves.clear();
        }
        if best == Some(worth) {
            moves.push(action);
        }
    });
    moves
}

fn worth(solution: &Solution, position: &Position3, action: Move) -> Worth {
    let (next, end) = position.play(action);
    let wins = |plies| Worth::Wins {
        less: std::cmp::Reverse(plies),
    };
    match (end, solution.value(&next)) {
        (GameEnd::Won, _) => wins(1),
        (GameEnd::Lost, _) => Worth::Loses { plies: 1, traps: 0 },
        (GameEnd::Open, Some(PositionValue::Lost(plies))) => wins(plies + 1),
        (GameEnd::Open, Some(PositionValue::Won(plies))) => Worth::Loses {
            plies: plies + 1,
            traps: traps(solution, &next),
        },
        (GameEnd::Open, Some(PositionValue::Open) | None) => Worth::Draws,
    }
}

/// Counts the moves that give away a won position.
fn traps(solution: &Solution, position: &Position3) -> u16 {
    let mut traps = 0;
    position.moves(|action, _| {
        let (next, end) = position.play(action);
        let keeps =
            end == GameEnd::Won || matches!(solution.value(&next), Some(PositionValue::Lost(_)));
        traps += u16::from(!keeps);
    });
    traps
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn start() -> Position3 {
        let rows = ["rrr", "...", "RRR"].map(String::from);
        Position3::read(&rows, [0; 2], 0).expect("a board")
    }

    /// Calls a function with each position that play can reach, before the end of the match.
    fn for_each_position(mut visit: impl FnMut(&Position3)) {
        let mut seen = HashSet::from([start().key()]);
        let mut open = vec![start()];
        while let Some(position) = open.pop() {
            visit(&position);
            position.moves(|action, _| {
                let (next, end) = position.play(action);
                if end == GameEnd::Open && seen.insert(next.key()) {
                    open.push(next);
                }
            });
        }
    }

    /// Independent programs have found these numbers. They count the last positions of matches too:
    /// won for the seat to move if its piece has stayed on the goal, lost if it has no move.
    #[test]
    fn the_numbers_of_won_and_lost_positions_are_known() {
        let solution = Solution::of_the_game();
        let [won, lost, open] = solution.counts();
        let mut last = [HashSet::new(), HashSet::new()];
        for_each_position(|position| {
            position.moves(|action, _| {
                let (next, end) = position.play(action);
                match end {
                    GameEnd::Lost => last[0].insert(next.key()),
                    GameEnd::Won => last[1].insert(next.key()),
                    GameEnd::Open => false,
                };
            });
        });
        assert_eq!((won, lost, open), (114_958, 91_242, 0));
        let [last_won, last_lost] = last.map(|positions| positions.len());
        assert_eq!((won + last_won, lost + last_lost), (182_658, 98_312));
    }

    /// Follows all replies of the opponent to the bot's moves, from every position in which the bot
    /// is to move and wins: it wins, in as many plies as promised at most.
    #[test]
    fn no_reply_takes_a_won_position_away() {
        let solution = Solution::of_the_game();
        let mut checked = 0;
        for_each_position(|position| {
            let Some(PositionValue::Won(plies)) = solution.value(position) else {
                return;
            };
            checked += 1;
            for action in best_moves(&solution, position) {
                let (next, end) = position.play(action);
                if end == GameEnd::Won {
                    assert_eq!(plies, 1);
                    continue;
                }
                assert_eq!(solution.value(&next), Some(PositionValue::Lost(plies - 1)));
                next.moves(|reply, _| {
                    let (after, end) = next.play(reply);
                    match end {
                        GameEnd::Won => panic!("a reply wins"),
                        GameEnd::Lost => {}
                        GameEnd::Open => match solution.value(&after) {
                            Some(PositionValue::Won(later)) => assert!(later < plies),
                            other => panic!("{other:?} after a reply to a winning move"),
                        },
                    }
                });
            }
        });
        assert_eq!(checked, 114_958);
    }

    #[test]
    fn a_position_that_play_cannot_reach_is_solved_when_it_comes() {
        // Black has no piece but one on its own goal, and White's three stand around it.
        let rows = [".r.", "B.B", ".B."].map(String::from);
        let position = Position3::read(&rows, [0; 2], 0).expect("a board");
        let solution = Solution::from(&position);
        assert!(solution.value(&position).is_some());
        assert!(!best_moves(&solution, &position).is_empty());
    }
}
