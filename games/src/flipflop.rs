//! FlipFlop by Masahiro Nakajima, on 3×3 and 5×5 squares.

use flipside_protocol::game::ActionPath;

use crate::board::picture::{BoardStyle, Ground};
use crate::board::rows::Rows;
use crate::board::{Square, Squares};
use crate::board_game::{BoardGame, MoveOutcome, Plies, Rules, board_json, facts};
use crate::faces::{self, Pieces};
use crate::game::{Info, ParseError, malformed, quoted, require};
use crate::seats::Seat;
use crate::turn_order::{Reason, TurnOrderOver, other};

/// A match of FlipFlop on `N` by `N` squares.
pub type FlipFlop<const N: usize> = BoardGame<FlipFlopBoard<N>, N>;

board_json! {
    /// The settings of FlipFlop.
    max_plies: 200,
    /// The ranks from the top down, each a string from file a on. `R` and `B` are seat 0's pieces
    /// that move like a rook (+ up) and like a bishop (x up), `r` and `b` seat 1's; `.` is empty.
    board: N for N, "^[.RBrb]*$"
}

/// The pieces on the board.
#[derive(Clone, Copy, Debug)]
pub struct FlipFlopBoard<const N: usize>(Pieces<N>);

/// A move: `a1-a2`, or with a capture `b1xb3`. The fields are in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlipFlopAction<const N: usize> {
    /// The square that the piece leaves.
    pub from: Square<N>,
    /// Whether it captures.
    pub captures: bool,
    /// The square that it goes to.
    pub to: Square<N>,
}

impl<const N: usize> FlipFlopBoard<N> {
    /// The home rank of each seat.
    const HOMES: [Squares<N>; 2] = [Squares::rank(0), Squares::rank(N - 1)];

    /// The goal square in the middle of each home rank.
    const GOALS: [Square<N>; 2] = [goal(0), goal(N as i8 - 1)];

    /// Both goal squares, where alone pieces are captured.
    const EITHER_GOAL: Squares<N> = Squares::one(Self::GOALS[0]).with(Self::GOALS[1]);

    /// Returns the empty squares where a seat's piece can move, and those where it captures.
    fn targets(&self, seat: Seat, from: Square<N>) -> (Squares<N>, Squares<N>) {
        let occupied = self.0.occupied();
        let seen = Squares::seen(from, self.0.way(from), occupied);
        let captures = seen & self.0.of(other(seat)) & Self::EITHER_GOAL;
        (seen & !occupied, captures)
    }

    /// Judges the position at the start of a seat's turn.
    fn judged(&self, to_move: Seat) -> Option<TurnOrderOver> {
        let goal = Self::GOALS[usize::from(other(to_move))];
        let is_stuck = |from| {
            let (quiet, captures) = self.targets(to_move, from);
            (quiet | captures).is_empty()
        };
        if self.0.of(to_move).has(goal) {
            // The opponent had a turn to capture it there, and did not.
            Some(TurnOrderOver::won(to_move, Reason::Goal))
        } else if self.0.of(to_move).all(is_stuck) {
            Some(TurnOrderOver::won(other(to_move), Reason::NoMoves))
        } else {
            None
        }
    }
}

impl<const N: usize> Rules<N> for FlipFlopBoard<N> {
    type Options = BoardGameOptions;
    type View = View<N>;
    type Action = FlipFlopAction<N>;

    const INFO: Info = facts(
        match N {
            3 => "flipflop-3x3",
            5 => "flipflop-5x5",
            _ => panic!("FlipFlop is played on 3×3 or 5×5 squares"),
        },
        if N == 3 {
            "FlipFlop 3×3"
        } else {
            "FlipFlop 5×5"
        },
        "Pieces that turn over with every move: bring one to the far goal and keep it there",
    );
    const NOTATION: &'static str = if N == 3 {
        "[a-c][1-3][-x][a-c][1-3]"
    } else {
        "[a-e][1-5][-x][a-e][1-5]"
    };
    const LOOK: BoardStyle<N> = BoardStyle {
        ground: |square| {
            if Self::EITHER_GOAL.has(square) {
                Ground::Goal
            } else {
                Ground::Plain
            }
        },
        ..Pieces::LOOK
    };
    const SHORT: Plies = Plies::new(12);

    fn start() -> Self {
        FlipFlopBoard(Pieces::new(Self::HOMES))
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<FlipFlopAction<N>>) {
        for from in self.0.of(seat) {
            let (quiet, captures) = self.targets(seat, from);
            for (captures, targets) in [(false, quiet), (true, captures)] {
                actions.extend(targets.map(|to| FlipFlopAction { from, captures, to }));
            }
        }
    }

    fn count_actions(&self, seat: Seat) -> usize {
        let count = |from| {
            let (quiet, captures) = self.targets(seat, from);
            (quiet | captures).len()
        };
        self.0.of(seat).map(count).sum()
    }

    fn read_action(text: &str) -> Result<FlipFlopAction<N>, ParseError> {
        let wrong = || {
            let last = (b'a' + N as u8 - 1) as char;
            malformed!(
                "{} is not like a1-a2 or b1xb{N}, with files a to {last} and ranks 1 to {N}",
                quoted(text)
            )
        };
        let &[file, rank, sign @ (b'-' | b'x'), to_file, to_rank] = text.as_bytes() else {
            return Err(wrong());
        };
        Ok(FlipFlopAction {
            from: Square::named([file, rank]).ok_or_else(wrong)?,
            captures: sign == b'x',
            to: Square::named([to_file, to_rank]).ok_or_else(wrong)?,
        })
    }

    fn write_action(FlipFlopAction { from, captures, to }: FlipFlopAction<N>, out: &mut String) {
        from.write(out);
        out.push(if captures { 'x' } else { '-' });
        to.write(out);
    }

    fn action_in_words(FlipFlopAction { from, captures, to }: FlipFlopAction<N>) -> String {
        if captures {
            format!("captures on {to} from {from}, turning the piece over")
        } else {
            format!("moves {from} to {to}, turning the piece over")
        }
    }

    fn path(FlipFlopAction { from, to, .. }: FlipFlopAction<N>) -> ActionPath {
        ActionPath::on([from, to])
    }

    fn why_not(
        &self,
        seat: Seat,
        FlipFlopAction { from, captures, to }: FlipFlopAction<N>,
    ) -> Option<String> {
        let FlipFlopBoard(pieces) = self;
        if let Some(why) = pieces.misdirection(seat, from, to) {
            return Some(why);
        }
        let mut between = from.between(to);
        if let Some(square) = between.find(|&square| pieces.occupied().has(square)) {
            return Some(format!(
                "the piece on {square} is in the way from {from} to {to}"
            ));
        }
        let [low, high] = Self::GOALS;
        let is_enemy = pieces.of(other(seat)).has(to);
        match (is_enemy, captures) {
            _ if pieces.of(seat).has(to) => Some(format!("your own piece is on {to}")),
            (false, false) => None,
            (false, true) => Some(format!(
                "there is nothing to capture on {to}; a move is written {from}-{to}"
            )),
            (true, _) if !Self::EITHER_GOAL.has(to) => Some(format!(
                "{to} is not empty, and pieces are captured only on {low} and {high}"
            )),
            (true, false) => Some(format!(
                "{to} is not empty; a capture is written {from}x{to}"
            )),
            (true, true) => None,
        }
    }

    fn act(
        &mut self,
        seat: Seat,
        FlipFlopAction { from, captures, to }: FlipFlopAction<N>,
    ) -> MoveOutcome {
        self.0.move_over(seat, from, to);
        MoveOutcome {
            irreversible: captures,
            over: self.judged(other(seat)),
        }
    }

    fn judge(&self, to_move: Seat, _: Option<TurnOrderOver>) -> Option<TurnOrderOver> {
        self.judged(to_move)
    }

    fn key(&self, _: Seat) -> u128 {
        self.0.key()
    }

    fn letter(&self, square: Square<N>) -> u8 {
        self.0.letter(square)
    }

    fn read(board: &Rows<N>, _: [u8; 2]) -> Result<Self, ParseError> {
        let pieces = Pieces::read(board);
        for (seat, side) in (0..).zip(faces::SIDES) {
            let name = side.name();
            require!(
                pieces.of(seat).len() <= N,
                "{name} has more than {N} pieces"
            );
        }
        Ok(FlipFlopBoard(pieces))
    }
}

/// Returns the middle of a rank.
const fn goal<const N: usize>(rank: i8) -> Square<N> {
    Square::at(N as i8 / 2, rank).expect("the middle of a rank is on the board")
}
