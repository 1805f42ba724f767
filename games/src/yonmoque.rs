//! Yonmoque by Mitsuo Yamamoto: four in a row made by a move wins, five in a row loses.

use serde::{Deserialize, Serialize};

use crate::board::{Cross, Ground, Picture, Piece, Rows, Side, Square, Squares, Way, lines};
use crate::course::{Course, Over, Reason, Standing, malformed, mover, other, quoted, turns_of};
use crate::{
    Event, Game, Illegal, Info, Malformed, Never, OptionsError, Seat, Turn, Viewer, Whole,
};

/// The squares of a side of the board.
const SIDE: usize = 5;

/// The pieces of each seat at the start.
const PIECES: u8 = 6;

const SIDES: [Side; 2] = [Side::Blue, Side::White];

/// The colours of the squares, from the top rank down: neutral, white, blue.
const BOARD: [&str; SIDE] = ["NWBWN", "WBWBW", "BWNWB", "WBWBW", "NWBWN"];

/// The squares of each seat's colour.
const OWN_COLOUR: [Squares<SIDE>; 2] = [Squares::drawn(BOARD, b'B'), Squares::drawn(BOARD, b'W')];

const FOURS: [Squares<SIDE>; 28] = lines(4);
const FIVES: [Squares<SIDE>; 12] = lines(5);

/// A match of Yonmoque.
#[derive(Debug)]
pub struct Yonmoque {
    position: Position,
    course: Course,
}

/// What is on the board and in the hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Position {
    pieces: [Squares<SIDE>; 2],
    hands: [u8; 2],
}

/// The settings of Yonmoque.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// After so many plies the match is a draw.
    pub max_plies: Whole<1, 1_000_000>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_plies: Whole::new(300),
        }
    }
}

/// What a seat can do: `c3` puts a piece, `b4-c3` moves one. The order of the fields is the
/// order of the text, for a text is before all that go on from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Action {
    square: Square<SIDE>,
    to: Option<Square<SIDE>>,
}

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The ranks from the top down, each a string from file a on. `B` is a blue piece (seat 0),
    /// `W` a white one (seat 1); `.` is empty.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[.BW]*$"))))]
    board: Rows<SIDE>,
    /// How many pieces each seat has yet to put.
    hands: [u8; 2],
    /// The seat whose turn it is; null when the match is over.
    to_move: Option<Seat>,
    /// How many actions have been taken.
    ply: u32,
    /// How often the present position has occurred, this time included.
    repetitions: u32,
    /// How the match ended; left out while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    over: Option<Over>,
}

impl Position {
    fn of(&self, seat: Seat) -> Squares<SIDE> {
        self.pieces[usize::from(seat)]
    }

    fn hand(&self, seat: Seat) -> u8 {
        self.hands[usize::from(seat)]
    }

    fn empty(&self) -> Squares<SIDE> {
        !(self.pieces[0] | self.pieces[1])
    }

    /// Where a seat can put a piece.
    fn puts(&self, seat: Seat) -> Squares<SIDE> {
        if self.hand(seat) > 0 {
            self.empty()
        } else {
            Squares::NONE
        }
    }

    /// Where a seat's piece can go: a step, or from its own colour a slide over its own colour.
    fn targets(&self, seat: Seat, from: Square<SIDE>) -> Squares<SIDE> {
        let empty = self.empty();
        let steps = Squares::around(from) & empty;
        let own_colour = OWN_COLOUR[usize::from(seat)];
        if !own_colour.has(from) {
            return steps;
        }
        let free = own_colour & empty;
        steps | Squares::seen(from, Way::Diagonal, !free) & free
    }

    fn can_act(&self, seat: Seat) -> bool {
        let mut pieces = self.of(seat);
        self.hand(seat) > 0 || pieces.any(|from| !self.targets(seat, from).is_empty())
    }

    /// Puts a seat's piece on an empty square.
    fn put(&mut self, seat: Seat, at: Square<SIDE>) {
        self.hands[usize::from(seat)] -= 1;
        self.pieces[usize::from(seat)] = self.of(seat).with(at);
    }

    /// Moves a seat's piece and flips what it encloses. Tells all squares that became the seat's.
    fn move_and_flip(&mut self, seat: Seat, from: Square<SIDE>, to: Square<SIDE>) -> Squares<SIDE> {
        let own = self.of(seat).without(from);
        let enemy = self.of(other(seat));
        let flipped = Squares::enclosed(to, enemy, own);
        let gained = flipped.with(to);
        self.pieces[usize::from(seat)] = own | gained;
        self.pieces[usize::from(other(seat))] = enemy & !flipped;
        gained
    }

    fn has_five(&self, seat: Seat) -> bool {
        FIVES.iter().any(|line| line.within(self.of(seat)))
    }

    /// Whether a seat has four in a row that hold one of these squares.
    fn has_four_with(&self, seat: Seat, gained: Squares<SIDE>) -> bool {
        let own = self.of(seat);
        FOURS
            .iter()
            .any(|&line| line.within(own) && !(line & gained).is_empty())
    }

    /// What the rules make of the position after an action of a seat by which it gained these
    /// squares with a move (none with a put).
    fn judged(&self, seat: Seat, gained: Squares<SIDE>) -> Option<Over> {
        if self.has_five(seat) {
            Some(Over::won(other(seat), Reason::Five))
        } else if self.has_four_with(seat, gained) {
            Some(Over::won(seat, Reason::Four))
        } else if !self.can_act(other(seat)) {
            Some(Over::won(seat, Reason::NoMoves))
        } else {
            None
        }
    }

    /// A number that tells positions apart, the side to move included. The hands need not be in
    /// it: they change only by puts, after which no earlier position can come again.
    fn key(&self, to_move: Seat) -> u128 {
        u128::from(self.pieces[0].bits())
            | u128::from(self.pieces[1].bits()) << 32
            | u128::from(to_move) << 64
    }

    fn rows(&self) -> Rows<SIDE> {
        Rows::of(|square| match square {
            _ if self.pieces[0].has(square) => b'B',
            _ if self.pieces[1].has(square) => b'W',
            _ => b'.',
        })
    }

    /// Reads a view's board and hands.
    fn read(rows: &Rows<SIDE>, hands: [u8; 2]) -> Result<Self, Malformed> {
        let mut position = Position {
            pieces: [Squares::NONE; 2],
            hands,
        };
        for square in Square::all() {
            match (rows.at(square), piece(rows.at(square))) {
                (b'.', _) => {}
                (_, Some(Piece { seat, .. })) => {
                    let own = &mut position.pieces[usize::from(seat)];
                    *own = own.with(square);
                }
                (letter, None) => {
                    let letter = letter as char;
                    return Err(malformed(format!(
                        "{letter:?} on {square} is none of . B W"
                    )));
                }
            }
        }
        Ok(position)
    }

    /// Refuses what cannot be after so many plies. Returns how many of them were puts.
    fn puts_until(&self, ply: u32) -> Result<u32, Malformed> {
        if self.hands.iter().any(|&hand| hand > PIECES) {
            return Err(malformed(format!("a hand has at most {PIECES} pieces")));
        }
        let puts = self.hands.map(|hand| u32::from(PIECES - hand));
        let pieces = self.pieces.map(|own| own.len() as u32);
        if puts[0] + puts[1] != pieces[0] + pieces[1] {
            return Err(malformed(format!(
                "there are not {} pieces in all",
                2 * PIECES
            )));
        }
        for seat in [0, 1] {
            let (turns, puts) = (turns_of(seat, ply), puts[usize::from(seat)]);
            if puts > turns || (puts == 0 && turns > 0) {
                return Err(malformed(format!(
                    "seat {seat} cannot have put {puts} by ply {ply}"
                )));
            }
        }
        if puts[0] + puts[1] == ply && puts != pieces {
            return Err(malformed("without a move nothing is flipped"));
        }
        Ok(puts[0] + puts[1])
    }
}

impl Game for Yonmoque {
    type Options = Options;
    type Action = Action;
    type Chance = Never;
    type View = View;

    const INFO: Info = Info {
        id: "yonmoque",
        title: "Yonmoque",
        summary: "Four in a row made by a move wins, five in a row loses; enclosed pieces change sides",
        seats: &[2],
        chance: false,
        secrets: false,
        simultaneous: false,
    };

    const NOTATION: &'static str = "[a-e][1-5](?:-[a-e][1-5])?";

    fn new(options: &Options, _: u8) -> Result<Self, OptionsError> {
        let position = Position {
            pieces: [Squares::NONE; 2],
            hands: [PIECES; 2],
        };
        Ok(Yonmoque {
            position,
            course: Course::start(options.max_plies.get(), position.key(0)),
        })
    }

    fn presets() -> Vec<(&'static str, Options)> {
        vec![(
            "short",
            Options {
                max_plies: Whole::new(20),
            },
        )]
    }

    fn brief() -> Options {
        Options {
            max_plies: Whole::new(60),
        }
    }

    fn seats(&self) -> u8 {
        2
    }

    fn turn(&self) -> Turn {
        self.course.turn()
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<Action>) {
        actions.clear();
        if !self.course.asks(seat) {
            return;
        }
        let puts = self.position.puts(seat);
        for square in puts | self.position.of(seat) {
            if puts.has(square) {
                actions.push(Action { square, to: None });
            } else {
                let targets = self.position.targets(seat, square);
                actions.extend(targets.map(|to| Action {
                    square,
                    to: Some(to),
                }));
            }
        }
    }

    fn count_actions(&self, seat: Seat) -> usize {
        if !self.course.asks(seat) {
            return 0;
        }
        let position = &self.position;
        let moves = position
            .of(seat)
            .map(|from| position.targets(seat, from).len());
        position.puts(seat).len() + moves.sum::<usize>()
    }

    fn read_action(&self, text: &str) -> Result<Action, Malformed> {
        let square = |file, rank| {
            Square::named([file, rank]).ok_or_else(|| {
                malformed(format!(
                    "{} names no square: those are a1 to e5",
                    quoted(text)
                ))
            })
        };
        match *text.as_bytes() {
            [file, rank] => Ok(Action {
                square: square(file, rank)?,
                to: None,
            }),
            [file, rank, b'-', to_file, to_rank] => Ok(Action {
                square: square(file, rank)?,
                to: Some(square(to_file, to_rank)?),
            }),
            _ => Err(malformed(format!(
                "{} is not like c3 or b4-c3",
                quoted(text)
            ))),
        }
    }

    fn write_action(&self, Action { square, to }: Action, out: &mut String) {
        square.write(out);
        if let Some(to) = to {
            out.push('-');
            to.write(out);
        }
    }

    fn check(&self, seat: Seat, Action { square, to }: Action) -> Result<(), Illegal> {
        self.course.check(seat)?;
        let why = match to {
            None => self.why_no_put(seat, square),
            Some(to) => self.why_no_move(seat, square, to),
        };
        why.map_or(Ok(()), |why| Err(Illegal(why)))
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        let (seat, Action { square, to }) = match event {
            Event::Acts(acts) => acts[0],
            Event::Chance(never) => match *never {},
        };
        let gained = match to {
            Some(to) => self.position.move_and_flip(seat, square, to),
            None => {
                self.position.put(seat, square);
                self.course.forget();
                Squares::NONE
            }
        };
        let judged = self.position.judged(seat, gained);
        self.course.advance(self.position.key(other(seat)), judged);
    }

    crate::without_chance!();

    fn view(&self, _: Viewer) -> View {
        let Standing {
            to_move,
            ply,
            repetitions,
            over,
        } = self.course.standing();
        let Position { hands, .. } = self.position;
        View {
            board: self.position.rows(),
            hands,
            to_move,
            ply,
            repetitions,
            over,
        }
    }

    fn from_view(
        options: &Options,
        _: u8,
        _: Viewer,
        view: &View,
        _: &mut dyn rand_core::Rng,
    ) -> Result<Self, Malformed> {
        let View {
            ref board,
            hands,
            to_move,
            ply,
            repetitions,
            over,
        } = *view;
        let position = Position::read(board, hands)?;
        let puts = position.puts_until(ply)?;
        let (next, last) = (mover(ply), other(mover(ply)));
        if position.has_five(next) {
            return Err(malformed("five in a row were there before the last ply"));
        }
        // A standing four tells nothing of how it came about: there the view is believed.
        let made_four = over == Some(Over::won(last, Reason::Four)) && puts < ply;
        let gained = if made_four {
            position.of(last)
        } else {
            Squares::NONE
        };
        let course = Course::resume(
            options.max_plies.get(),
            Standing {
                to_move,
                ply,
                repetitions,
                over,
            },
            position.key(next),
            position.judged(last, gained),
            puts,
        )?;
        Ok(Yonmoque { position, course })
    }

    fn text(view: &View) -> String {
        picture(view).text()
    }

    fn svg(view: &View) -> String {
        picture(view).svg()
    }
}

impl Yonmoque {
    fn why_no_put(&self, seat: Seat, at: Square<SIDE>) -> Option<String> {
        if !self.position.empty().has(at) {
            Some(format!("{at} is not empty"))
        } else if self.position.hand(seat) == 0 {
            Some("your hand is empty: all your pieces have been put".into())
        } else {
            None
        }
    }

    fn why_no_move(&self, seat: Seat, from: Square<SIDE>, to: Square<SIDE>) -> Option<String> {
        let position = &self.position;
        let own_colour = OWN_COLOUR[usize::from(seat)];
        if position.of(other(seat)).has(from) {
            return Some(format!("the piece on {from} is your opponent's"));
        }
        if !position.of(seat).has(from) {
            return Some(format!("there is no piece on {from}"));
        }
        if from == to {
            return Some(format!("a move from {from} to {to} goes nowhere"));
        }
        if !position.empty().has(to) {
            return Some(format!("{to} is not empty"));
        }
        if from.distance(to) == 1 {
            return None;
        }
        if from.way_to(to) != Some(Way::Diagonal) {
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
        if let Some(square) = on_the_way().find(|&square| !position.empty().has(square)) {
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

/// By hand, so that `clone_from` keeps what the history has allocated.
impl Clone for Yonmoque {
    fn clone(&self) -> Self {
        Yonmoque {
            position: self.position,
            course: self.course.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.position = source.position;
        self.course.clone_from(&source.course);
    }
}

/// The piece that a letter of a view means.
fn piece(letter: u8) -> Option<Piece> {
    match letter {
        b'B' => Some(Piece {
            seat: 0,
            cross: Cross::None,
        }),
        b'W' => Some(Piece {
            seat: 1,
            cross: Cross::None,
        }),
        _ => None,
    }
}

fn picture(view: &View) -> Picture<'_, SIDE> {
    let View {
        ref board,
        hands,
        to_move,
        ply,
        repetitions,
        over,
    } = *view;
    Picture {
        title: Yonmoque::INFO.title,
        sides: SIDES,
        legend: "( ) blue squares, [ ] white squares, the others neutral; B blue pieces, W white",
        board,
        piece,
        ground: |square| match OWN_COLOUR.map(|colour| colour.has(square)) {
            [true, _] => Ground::Blue,
            [_, true] => Ground::White,
            _ => Ground::Neutral,
        },
        hands: Some(hands),
        standing: Standing {
            to_move,
            ply,
            repetitions,
            over,
        },
    }
}
