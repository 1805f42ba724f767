//! FlipFour by Masahiro Nakajima: four in a row with exactly four pieces each.

use serde::{Deserialize, Serialize};

use crate::board::{Ground, Picture, Rows, Square, Squares, Way, lines};
use crate::course::{Course, Over, Reason, Standing, malformed, mover, other, quoted, turns_of};
use crate::faces::{self, Pieces};
use crate::{
    Event, Game, Illegal, Info, Malformed, Never, OptionsError, Seat, Turn, Viewer, Whole,
};

/// The squares of a side of the board.
const SIDE: usize = 5;

/// The pieces of each seat, as many as make a line.
const PIECES: u8 = 4;

const LINES: [Squares<SIDE>; 28] = lines(PIECES as i8);

/// A match of FlipFour.
#[derive(Debug)]
pub struct FlipFour {
    pieces: Pieces<SIDE>,
    course: Course,
}

/// The settings of FlipFour.
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
            max_plies: Whole::new(1000),
        }
    }
}

/// What a seat can do. The order of the variants is that of the first letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// `+c3` places a piece that moves like a rook.
    PlaceRook(Square<SIDE>),
    /// `c3-e5` moves a piece.
    Move(Square<SIDE>, Square<SIDE>),
    /// `xc3` places a piece that moves like a bishop.
    PlaceBishop(Square<SIDE>),
}

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The ranks from the top down, each a string from file a on. `R` and `B` are seat 0's pieces
    /// that move like a rook (+ up) and like a bishop (x up), `r` and `b` seat 1's; `.` is empty.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[.RBrb]*$"))))]
    board: Rows<SIDE>,
    /// How many pieces each seat has yet to place.
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

impl FlipFour {
    fn hand(&self, seat: Seat) -> u8 {
        PIECES - self.pieces.of(seat).len() as u8
    }

    /// Where a piece can go. It jumps over whatever is in between.
    fn targets(&self, from: Square<SIDE>) -> Squares<SIDE> {
        Squares::star(from, self.pieces.way(from)) & !self.pieces.occupied()
    }

    fn can_act(&self, seat: Seat) -> bool {
        let mut pieces = self.pieces.of(seat);
        self.hand(seat) > 0 || pieces.any(|from| !self.targets(from).is_empty())
    }

    /// What is judged at the start of a seat's turn, after the other one's action.
    fn judged(&self, seat: Seat) -> Option<Over> {
        if LINES.contains(&self.pieces.of(other(seat))) {
            Some(Over::won(other(seat), Reason::Line))
        } else if !self.can_act(seat) {
            Some(Over::won(other(seat), Reason::NoMoves))
        } else {
            None
        }
    }
}

impl Game for FlipFour {
    type Options = Options;
    type Action = Action;
    type Chance = Never;
    type View = View;

    const INFO: Info = Info {
        id: "flipfour",
        title: "FlipFour",
        summary: "Four in a row with four pieces, which jump, and turn over with every move",
        seats: &[2],
        chance: false,
        secrets: false,
        simultaneous: false,
    };

    const NOTATION: &'static str = "[+x][a-e][1-5]|[a-e][1-5]-[a-e][1-5]";

    fn new(options: &Options, _: u8) -> Result<Self, OptionsError> {
        let pieces = Pieces::new([Squares::NONE; 2]);
        Ok(FlipFour {
            pieces,
            course: Course::start(options.max_plies.get(), pieces.key()),
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
        let places = match self.hand(seat) {
            0 => Squares::NONE,
            _ => !self.pieces.occupied(),
        };
        actions.extend(places.map(Action::PlaceRook));
        for from in self.pieces.of(seat) {
            actions.extend(self.targets(from).map(|to| Action::Move(from, to)));
        }
        actions.extend(places.map(Action::PlaceBishop));
    }

    fn count_actions(&self, seat: Seat) -> usize {
        if !self.course.asks(seat) {
            return 0;
        }
        let places = match self.hand(seat) {
            0 => 0,
            _ => 2 * (!self.pieces.occupied()).len(),
        };
        places
            + self
                .pieces
                .of(seat)
                .map(|from| self.targets(from).len())
                .sum::<usize>()
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
            [b'+', file, rank] => Ok(Action::PlaceRook(square(file, rank)?)),
            [b'x', file, rank] => Ok(Action::PlaceBishop(square(file, rank)?)),
            [file, rank, b'-', to_file, to_rank] => {
                Ok(Action::Move(square(file, rank)?, square(to_file, to_rank)?))
            }
            _ => Err(malformed(format!(
                "{} is not like +c3, xc3 or c3-e5",
                quoted(text)
            ))),
        }
    }

    fn write_action(&self, action: Action, out: &mut String) {
        match action {
            Action::PlaceRook(to) => {
                out.push('+');
                to.write(out);
            }
            Action::PlaceBishop(to) => {
                out.push('x');
                to.write(out);
            }
            Action::Move(from, to) => {
                from.write(out);
                out.push('-');
                to.write(out);
            }
        }
    }

    fn check(&self, seat: Seat, action: Action) -> Result<(), Illegal> {
        self.course.check(seat)?;
        let pieces = &self.pieces;
        let (to, why) = match action {
            Action::PlaceRook(to) | Action::PlaceBishop(to) => {
                let why = (self.hand(seat) == 0).then(|| "your pieces are all on the board".into());
                (to, why)
            }
            Action::Move(from, to) => (
                to,
                pieces
                    .miss(seat, from)
                    .or_else(|| pieces.misdirection(from, to)),
            ),
        };
        match why {
            Some(why) => Err(Illegal(why)),
            None if pieces.occupied().has(to) => Err(Illegal(format!("{to} is not empty"))),
            None => Ok(()),
        }
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        let (seat, action) = match event {
            Event::Acts(acts) => acts[0],
            Event::Chance(never) => match *never {},
        };
        match action {
            Action::Move(from, to) => self.pieces.move_over(seat, from, to),
            Action::PlaceRook(to) => self.pieces.put(seat, to, Way::Straight),
            Action::PlaceBishop(to) => self.pieces.put(seat, to, Way::Diagonal),
        }
        if !matches!(action, Action::Move(..)) {
            self.course.forget();
        }
        self.course
            .advance(self.pieces.key(), self.judged(other(seat)));
    }

    crate::without_chance!();

    fn view(&self, _: Viewer) -> View {
        let Standing {
            to_move,
            ply,
            repetitions,
            over,
        } = self.course.standing();
        let hands = [self.hand(0), self.hand(1)];
        View {
            board: self.pieces.rows(),
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
        let pieces = Pieces::read(board)?;
        let mut placed = 0;
        for seat in [0, 1] {
            let name = faces::SIDES[usize::from(seat)].name();
            let on_board = pieces.of(seat).len() as u32;
            if on_board + u32::from(hands[usize::from(seat)]) != u32::from(PIECES) {
                return Err(malformed(format!("{name} has not {PIECES} pieces in all")));
            }
            if turns_of(seat, ply) < on_board {
                return Err(malformed(format!(
                    "{name} cannot have placed so many in {ply} plies"
                )));
            }
            placed += on_board;
        }
        // The first turn of each seat is a placement: there is nothing to move.
        if (ply >= 1 && hands[0] == PIECES) || (ply >= 2 && hands[1] == PIECES) {
            return Err(malformed("each seat begins by placing a piece"));
        }
        let standing = Standing {
            to_move,
            ply,
            repetitions,
            over,
        };
        let max_plies = options.max_plies.get();
        let mut game = FlipFour {
            pieces,
            course: Course::start(max_plies, pieces.key()),
        };
        let judged = game.judged(mover(ply));
        if LINES.contains(&pieces.of(mover(ply))) {
            return Err(malformed("a line was made before the last ply"));
        }
        game.course = Course::resume(max_plies, standing, pieces.key(), judged, placed)?;
        Ok(game)
    }

    fn text(view: &View) -> String {
        picture(view).text()
    }

    fn svg(view: &View) -> String {
        picture(view).svg()
    }
}

/// By hand, so that `clone_from` keeps what the history has allocated.
impl Clone for FlipFour {
    fn clone(&self) -> Self {
        FlipFour {
            pieces: self.pieces,
            course: self.course.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.pieces = source.pieces;
        self.course.clone_from(&source.course);
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
        title: FlipFour::INFO.title,
        sides: faces::SIDES,
        legend: faces::LEGEND,
        board,
        piece: faces::piece,
        ground: |_| Ground::Plain,
        hands: Some(hands),
        standing: Standing {
            to_move,
            ply,
            repetitions,
            over,
        },
    }
}
