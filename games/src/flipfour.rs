//! FlipFour by Masahiro Nakajima: four in a row with exactly four pieces each.

use flipside_protocol::game::ActionPath;

use crate::board::picture::BoardStyle;
use crate::board::rows::Rows;
use crate::board::{BoardDirection, Square, Squares, lines};
use crate::board_game::{BoardGame, MoveOutcome, Plies, Rules, board_json, facts, read_square};
use crate::faces::{self, Pieces};
use crate::game::{Info, ParseError, malformed, quoted, require};
use crate::seats::Seat;
use crate::turn_order::{Reason, TurnOrderOver, other};

/// The side of the board.
const SIDE: usize = 5;

/// The number of pieces of each seat, and of a line.
const PIECES: u8 = 4;

const LINES: [Squares<SIDE>; 28] = lines(PIECES as i8);

/// A match of FlipFour.
pub type FlipFour = BoardGame<FlipFourBoard, SIDE>;

board_json! {
    /// The settings of FlipFour.
    max_plies: 1000,
    /// The ranks from the top down, each a string from file a on. `R` and `B` are seat 0's pieces
    /// that move like a rook (+ up) and like a bishop (x up), `r` and `b` seat 1's; `.` is empty.
    board: SIDE, "^[.RBrb]*$",
    /// How many pieces each seat has yet to place.
    hands
}

/// The pieces on the board. The others are in hand.
#[derive(Clone, Copy, Debug)]
pub struct FlipFourBoard(Pieces<SIDE>);

/// An action of a seat. The variants are in the order of their first letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlipFourAction {
    /// `+c3` places a piece that moves like a rook.
    PlaceRook(Square<SIDE>),
    /// `c3-e5` moves a piece.
    Move(Square<SIDE>, Square<SIDE>),
    /// `xc3` places a piece that moves like a bishop.
    PlaceBishop(Square<SIDE>),
}

impl FlipFourBoard {
    fn hand(&self, seat: Seat) -> u8 {
        PIECES - self.0.of(seat).len() as u8
    }

    /// Returns where a seat can place a piece.
    fn places(&self, seat: Seat) -> Squares<SIDE> {
        if self.hand(seat) == 0 {
            Squares::NONE
        } else {
            !self.0.occupied()
        }
    }

    /// Returns where a piece can move. It jumps over all pieces in between.
    fn targets(&self, from: Square<SIDE>) -> Squares<SIDE> {
        Squares::star(from, self.0.way(from)) & !self.0.occupied()
    }

    /// Judges the position at the start of a seat's turn.
    fn judged(&self, to_move: Seat) -> Option<TurnOrderOver> {
        let last = other(to_move);
        let is_stuck = |mut pieces: Squares<SIDE>| pieces.all(|from| self.targets(from).is_empty());
        if LINES.contains(&self.0.of(last)) {
            Some(TurnOrderOver::won(last, Reason::Line))
        } else if self.hand(to_move) == 0 && is_stuck(self.0.of(to_move)) {
            Some(TurnOrderOver::won(last, Reason::NoMoves))
        } else {
            None
        }
    }
}

impl Rules<SIDE> for FlipFourBoard {
    type Options = BoardGameOptions;
    type View = View;
    type Action = FlipFourAction;

    const INFO: Info = facts(
        "flipfour",
        "FlipFour",
        "Four in a row with four pieces, which jump, and turn over with every move",
    );
    const NOTATION: &'static str = "[+x][a-e][1-5]|[a-e][1-5]-[a-e][1-5]";
    const LOOK: BoardStyle<SIDE> = BoardStyle {
        has_hands: true,
        lines: |board, winner, reason| match reason {
            // A seat has as many pieces as a line.
            Reason::Line => Pieces::read(board).of(winner),
            _ => Squares::NONE,
        },
        ..Pieces::LOOK
    };
    const SHORT: Plies = Plies::new(20);

    fn start() -> Self {
        FlipFourBoard(Pieces::new([Squares::NONE; 2]))
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<FlipFourAction>) {
        let places = self.places(seat);
        actions.extend(places.map(FlipFourAction::PlaceRook));
        for from in self.0.of(seat) {
            actions.extend(self.targets(from).map(|to| FlipFourAction::Move(from, to)));
        }
        actions.extend(places.map(FlipFourAction::PlaceBishop));
    }

    fn count_actions(&self, seat: Seat) -> usize {
        let moves = self.0.of(seat).map(|from| self.targets(from).len());
        2 * self.places(seat).len() + moves.sum::<usize>()
    }

    fn read_action(text: &str) -> Result<FlipFourAction, ParseError> {
        let square = |file, rank| read_square(text, [file, rank]);
        match *text.as_bytes() {
            [b'+', file, rank] => Ok(FlipFourAction::PlaceRook(square(file, rank)?)),
            [b'x', file, rank] => Ok(FlipFourAction::PlaceBishop(square(file, rank)?)),
            [file, rank, b'-', to_file, to_rank] => Ok(FlipFourAction::Move(
                square(file, rank)?,
                square(to_file, to_rank)?,
            )),
            _ => Err(malformed!("{} is not like +c3, xc3 or c3-e5", quoted(text))),
        }
    }

    fn write_action(action: FlipFourAction, out: &mut String) {
        match action {
            FlipFourAction::PlaceRook(_) => out.push('+'),
            FlipFourAction::PlaceBishop(_) => out.push('x'),
            FlipFourAction::Move(from, _) => {
                from.write(out);
                out.push('-');
            }
        }
        let (FlipFourAction::PlaceRook(to)
        | FlipFourAction::PlaceBishop(to)
        | FlipFourAction::Move(_, to)) = action;
        to.write(out);
    }

    fn action_in_words(action: FlipFourAction) -> String {
        match action {
            FlipFourAction::PlaceRook(to) => format!("places a rook on {to}"),
            FlipFourAction::PlaceBishop(to) => format!("places a bishop on {to}"),
            FlipFourAction::Move(from, to) => {
                format!("moves {from} to {to}, turning the piece over")
            }
        }
    }

    fn path(action: FlipFourAction) -> ActionPath {
        match action {
            FlipFourAction::PlaceRook(to) => ActionPath::on([to]).choose("rook"),
            FlipFourAction::PlaceBishop(to) => ActionPath::on([to]).choose("bishop"),
            FlipFourAction::Move(from, to) => ActionPath::on([from, to]),
        }
    }

    fn why_not(&self, seat: Seat, action: FlipFourAction) -> Option<String> {
        let FlipFourBoard(pieces) = self;
        let (to, why) = match action {
            FlipFourAction::PlaceRook(to) | FlipFourAction::PlaceBishop(to) => {
                let why = "your pieces are all on the board";
                (to, (self.hand(seat) == 0).then(|| why.into()))
            }
            FlipFourAction::Move(from, to) => (to, pieces.misdirection(seat, from, to)),
        };
        let occupied = pieces.occupied().has(to);
        why.or_else(|| occupied.then(|| format!("{to} is not empty")))
    }

    fn act(&mut self, seat: Seat, action: FlipFourAction) -> MoveOutcome {
        match action {
            FlipFourAction::Move(from, to) => self.0.move_over(seat, from, to),
            FlipFourAction::PlaceRook(to) => self.0.put(seat, to, BoardDirection::Straight),
            FlipFourAction::PlaceBishop(to) => self.0.put(seat, to, BoardDirection::Diagonal),
        }
        MoveOutcome {
            irreversible: !matches!(action, FlipFourAction::Move(..)),
            over: self.judged(other(seat)),
        }
    }

    fn judge(&self, to_move: Seat, _: Option<TurnOrderOver>) -> Option<TurnOrderOver> {
        self.judged(to_move)
    }

    fn key(&self, _: Seat) -> u128 {
        self.0.key()
    }

    fn letter(&self, square: Square<SIDE>) -> u8 {
        self.0.letter(square)
    }

    fn hands(&self) -> [u8; 2] {
        [self.hand(0), self.hand(1)]
    }

    fn read(board: &Rows<SIDE>, hands: [u8; 2]) -> Result<Self, ParseError> {
        let pieces = Pieces::read(board);
        for (seat, hand) in (0..).zip(hands) {
            let name = faces::SIDES[usize::from(seat)].name();
            let all = pieces.of(seat).len() + usize::from(hand);
            require!(
                all == usize::from(PIECES),
                "{name} has not {PIECES} pieces in all"
            );
        }
        Ok(FlipFourBoard(pieces))
    }
}
