//! Yonmoque by Mitsuo Yamamoto: four in a row made by a move wins, five in a row loses.

use flipside_protocol::game::ActionPath;

use crate::board::picture::{BoardStyle, Cross, Ground, PictureSide, Piece};
use crate::board::rows::Rows;
use crate::board::{BoardDirection, Square, Squares, lines};
use crate::board_game::{
    BoardGame, MoveOutcome, Plies, Rules, board_json, facts, no_move, read_square,
};
use crate::game::{Info, ParseError, malformed, quoted, require};
use crate::seats::Seat;
use crate::turn_order::{Reason, TurnOrderOver, other};

/// The side of the board.
const SIDE: usize = 5;

/// The number of pieces of each seat at the start.
const PIECES: u8 = 6;

/// The colours of the squares, from the top rank down: neutral, white, blue.
const BOARD: [&str; SIDE] = ["NWBWN", "WBWBW", "BWNWB", "WBWBW", "NWBWN"];

/// The squares of each seat's colour.
const OWN_COLOUR: [Squares<SIDE>; 2] = [Squares::drawn(BOARD, b'B'), Squares::drawn(BOARD, b'W')];

const FOURS: [Squares<SIDE>; 28] = lines(4);
const FIVES: [Squares<SIDE>; 12] = lines(5);

/// A match of Yonmoque.
pub type Yonmoque = BoardGame<Position, SIDE>;

board_json! {
    /// The settings of Yonmoque.
    max_plies: 300,
    /// The ranks from the top down, each a string from file a on. `B` is a blue piece (seat 0),
    /// `W` a white one (seat 1); `.` is empty.
    board: SIDE, "^[.BW]*$",
    /// How many pieces each seat has yet to put.
    hands
}

/// The pieces on the board and in the hands.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pieces: [Squares<SIDE>; 2],
    hands: [u8; 2],
}

/// An action of a seat: `c3` puts a piece, `b4-c3` moves one. The fields are in the order of the
/// text; `None` sorts first, as a text sorts before all that continue it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Action {
    /// The square of a put, or the square that a move leaves.
    pub square: Square<SIDE>,
    /// The square that a move goes to; nothing for a put.
    pub to: Option<Square<SIDE>>,
}

impl Position {
    fn of(&self, seat: Seat) -> Squares<SIDE> {
        self.pieces[usize::from(seat)]
    }

    fn empty(&self) -> Squares<SIDE> {
        !(self.pieces[0] | self.pieces[1])
    }

    /// Returns where a seat can put a piece.
    fn puts(&self, seat: Seat) -> Squares<SIDE> {
        if self.hands[usize::from(seat)] > 0 {
            self.empty()
        } else {
            Squares::NONE
        }
    }

    /// Returns where a seat's piece can go: by a step, or from its own colour by a slide over its
    /// own colour.
    fn targets(&self, seat: Seat, from: Square<SIDE>) -> Squares<SIDE> {
        let empty = self.empty();
        let steps = Squares::around(from) & empty;
        let own_colour = OWN_COLOUR[usize::from(seat)];
        if !own_colour.has(from) {
            return steps;
        }
        let free = own_colour & empty;
        steps | Squares::seen(from, BoardDirection::Diagonal, !free) & free
    }

    /// Moves a seat's piece and flips the pieces that it encloses. Returns all squares that became
    /// the seat's.
    fn move_and_flip(&mut self, seat: Seat, from: Square<SIDE>, to: Square<SIDE>) -> Squares<SIDE> {
        let own = self.of(seat).without(from);
        let enemy = self.of(other(seat));
        let flipped = Squares::enclosed(to, enemy, own);
        let gained = flipped.with(to);
        self.pieces[usize::from(seat)] = own | gained;
        self.pieces[usize::from(other(seat))] = enemy & !flipped;
        gained
    }

    /// Judges the position after an action of a seat. `gained` are the squares that became the
    /// seat's by a move; a put gains none.
    fn judged(&self, seat: Seat, gained: Squares<SIDE>) -> Option<TurnOrderOver> {
        let (own, next) = (self.of(seat), other(seat));
        let is_new = |line: Squares<SIDE>| line.within(own) && !(line & gained).is_empty();
        let is_stuck = |from| self.targets(next, from).is_empty();
        if FIVES.iter().any(|line| line.within(own)) {
            Some(TurnOrderOver::won(next, Reason::Five))
        } else if FOURS.iter().any(|&line| is_new(line)) {
            Some(TurnOrderOver::won(seat, Reason::Four))
        } else if self.hands[usize::from(next)] == 0 && self.of(next).all(is_stuck) {
            Some(TurnOrderOver::won(seat, Reason::NoMoves))
        } else {
            None
        }
    }

    fn why_no_put(&self, seat: Seat, at: Square<SIDE>) -> Option<String> {
        if !self.empty().has(at) {
            Some(format!("{at} is not empty"))
        } else if self.hands[usize::from(seat)] == 0 {
            Some("your hand is empty: all your pieces have been put".into())
        } else {
            None
        }
    }

    fn why_no_move(&self, seat: Seat, from: Square<SIDE>, to: Square<SIDE>) -> Option<String> {
        let own_colour = OWN_COLOUR[usize::from(seat)];
        let no_move = no_move(self.of(seat), self.of(other(seat)), from, to);
        if no_move.is_some() {
            return no_move;
        }
        if !self.empty().has(to) {
            return Some(format!("{to} is not empty"));
        }
        if from.distance(to) == 1 {
            return None;
        }
        if from.way_to(to) != Some(BoardDirection::Diagonal) {
            return Some(format!(
                "{to} is more than a step from {from}, and slides are diagonal"
            ));
        }
        if !own_colour.has(from) {
            return Some(format!(
                "only from a square of its colour a piece slides, and {from} is none"
            ));
        }
        let on_the_way = || from.between(to);
        if let Some(square) = on_the_way().find(|&square| !self.empty().has(square)) {
            return Some(format!(
                "the piece on {square} is in the way from {from} to {to}"
            ));
        }
        on_the_way()
            .chain([to])
            .find(|&square| !own_colour.has(square))
            .map(|square| format!("a slide goes over squares of its colour, and {square} is none"))
    }
}

impl Rules<SIDE> for Position {
    type Options = BoardGameOptions;
    type View = View;
    type Action = Action;

    const INFO: Info = facts(
        "yonmoque",
        "Yonmoque",
        "Four in a row made by a move wins, five in a row loses; enclosed pieces change sides",
    );
    const NOTATION: &'static str = "[a-e][1-5](?:-[a-e][1-5])?";
    const LOOK: BoardStyle<SIDE> = BoardStyle {
        sides: [PictureSide::Blue, PictureSide::White],
        legend: "( ) blue squares, [ ] white squares, the others neutral; B blue pieces, W white",
        letters: "B W",
        piece,
        ground: |square| match OWN_COLOUR.map(|colour| colour.has(square)) {
            [true, _] => Ground::Blue,
            [_, true] => Ground::White,
            _ => Ground::Neutral,
        },
        lines: |board, winner, reason| {
            let of = |seat: Seat| board.with([b'B', b'W'][usize::from(seat)]);
            let within = |lines: &[Squares<SIDE>], own: Squares<SIDE>| {
                let whole = lines.iter().filter(|line| line.within(own));
                whole.fold(Squares::NONE, |all, &line| all | line)
            };
            match reason {
                Reason::Four => within(&FOURS, of(winner)),
                Reason::Five => within(&FIVES, of(other(winner))),
                _ => Squares::NONE,
            }
        },
        has_hands: true,
    };
    const SHORT: Plies = Plies::new(20);

    fn start() -> Self {
        Position {
            pieces: [Squares::NONE; 2],
            hands: [PIECES; 2],
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<Action>) {
        let puts = self.puts(seat);
        for square in puts | self.of(seat) {
            if puts.has(square) {
                actions.push(Action { square, to: None });
            } else {
                let targets = self.targets(seat, square).map(Some);
                actions.extend(targets.map(|to| Action { square, to }));
            }
        }
    }

    fn count_actions(&self, seat: Seat) -> usize {
        let moves = self.of(seat).map(|from| self.targets(seat, from).len());
        self.puts(seat).len() + moves.sum::<usize>()
    }

    fn read_action(text: &str) -> Result<Action, ParseError> {
        let square = |file, rank| read_square(text, [file, rank]);
        match *text.as_bytes() {
            [file, rank] => Ok(Action {
                square: square(file, rank)?,
                to: None,
            }),
            [file, rank, b'-', to_file, to_rank] => Ok(Action {
                square: square(file, rank)?,
                to: Some(square(to_file, to_rank)?),
            }),
            _ => Err(malformed!("{} is not like c3 or b4-c3", quoted(text))),
        }
    }

    fn write_action(Action { square, to }: Action, out: &mut String) {
        square.write(out);
        if let Some(to) = to {
            out.push('-');
            to.write(out);
        }
    }

    fn action_in_words(Action { square, to }: Action) -> String {
        match to {
            Some(to) => format!("moves {square} to {to}"),
            None => format!("places a piece on {square}"),
        }
    }

    fn path(Action { square, to }: Action) -> ActionPath {
        ActionPath::on(std::iter::once(square).chain(to))
    }

    fn why_not(&self, seat: Seat, Action { square, to }: Action) -> Option<String> {
        match to {
            None => self.why_no_put(seat, square),
            Some(to) => self.why_no_move(seat, square, to),
        }
    }

    fn act(&mut self, seat: Seat, Action { square, to }: Action) -> MoveOutcome {
        let gained = match to {
            Some(to) => self.move_and_flip(seat, square, to),
            None => {
                self.hands[usize::from(seat)] -= 1;
                self.pieces[usize::from(seat)] = self.of(seat).with(square);
                Squares::NONE
            }
        };
        MoveOutcome {
            irreversible: to.is_none(),
            over: self.judged(seat, gained),
        }
    }

    fn judge(&self, to_move: Seat, shown: Option<TurnOrderOver>) -> Option<TurnOrderOver> {
        // The board does not tell whether a standing four was made by a move.
        let last = other(to_move);
        let made_four = shown == Some(TurnOrderOver::won(last, Reason::Four));
        let gained = if made_four {
            self.of(last)
        } else {
            Squares::NONE
        };
        self.judged(last, gained)
    }

    /// The hands are not part of the key: they change only by puts, which are irreversible.
    fn key(&self, to_move: Seat) -> u128 {
        u128::from(self.pieces[0].bits())
            | u128::from(self.pieces[1].bits()) << 32
            | u128::from(to_move) << 64
    }

    fn letter(&self, square: Square<SIDE>) -> u8 {
        if self.pieces[0].has(square) {
            b'B'
        } else if self.pieces[1].has(square) {
            b'W'
        } else {
            b'.'
        }
    }

    fn hands(&self) -> [u8; 2] {
        self.hands
    }

    fn read(board: &Rows<SIDE>, hands: [u8; 2]) -> Result<Self, ParseError> {
        let can_be = hands.iter().all(|&hand| hand <= PIECES);
        require!(can_be, "a hand has at most {PIECES} pieces");
        let pieces = [b'B', b'W'].map(|letter| board.with(letter));
        let all = pieces[0].len() + pieces[1].len() + usize::from(hands[0] + hands[1]);
        let due = 2 * usize::from(PIECES);
        require!(all == due, "there are not {due} pieces in all");
        Ok(Position { pieces, hands })
    }
}

/// Returns the piece that a letter of a view means.
fn piece(letter: u8) -> Option<Piece> {
    let seat = [b'B', b'W'].iter().position(|&own| own == letter)?;
    Some(Piece {
        seat: seat as Seat,
        cross: Cross::None,
    })
}
