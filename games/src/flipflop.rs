//! FlipFlop by Masahiro Nakajima, on 3×3 and 5×5 squares.

use serde::{Deserialize, Serialize};

use crate::board::{Ground, Picture, Rows, Square, Squares};
use crate::course::{Course, Over, Reason, Standing, malformed, mover, other, quoted, turns_of};
use crate::faces::{self, Pieces};
use crate::{
    Event, Game, Illegal, Info, Malformed, Never, OptionsError, Seat, Turn, Viewer, Whole,
};

/// A match of FlipFlop on `N` by `N` squares.
#[derive(Debug)]
pub struct FlipFlop<const N: usize> {
    pieces: Pieces<N>,
    course: Course,
}

/// The settings of FlipFlop.
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
            max_plies: Whole::new(200),
        }
    }
}

/// A move: `a1-a2`, or with a capture `b1xb3`. The order of the fields is the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Action<const N: usize> {
    from: Square<N>,
    captures: bool,
    to: Square<N>,
}

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct View<const N: usize> {
    /// The ranks from the top down, each a string from file a on. `R` and `B` are seat 0's pieces
    /// that move like a rook (+ up) and like a bishop (x up), `r` and `b` seat 1's; `.` is empty.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[.RBrb]*$"))))]
    board: Rows<N>,
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

impl<const N: usize> FlipFlop<N> {
    /// The home rank of each seat.
    const HOMES: [Squares<N>; 2] = [Squares::rank(0), Squares::rank(N - 1)];

    /// The goal square in each home rank: its middle.
    const GOALS: [Square<N>; 2] = [goal(0), goal(N as i8 - 1)];

    /// Both goal squares; only there pieces are captured.
    const EITHER_GOAL: Squares<N> = Squares::one(Self::GOALS[0]).with(Self::GOALS[1]);

    /// Where a seat's piece can go: to empty squares, and to those where it captures.
    fn targets(&self, seat: Seat, from: Square<N>) -> (Squares<N>, Squares<N>) {
        let occupied = self.pieces.occupied();
        let seen = Squares::seen(from, self.pieces.way(from), occupied);
        (
            seen & !occupied,
            seen & self.pieces.of(other(seat)) & Self::EITHER_GOAL,
        )
    }

    fn can_move(&self, seat: Seat) -> bool {
        self.pieces.of(seat).any(|from| {
            let (quiet, captures) = self.targets(seat, from);
            !(quiet | captures).is_empty()
        })
    }

    /// What is judged at the start of a seat's turn.
    fn judged(&self, seat: Seat) -> Option<Over> {
        let goal = Self::GOALS[usize::from(other(seat))];
        if self.pieces.of(seat).has(goal) {
            // The opponent had a turn to capture it there, and did not.
            Some(Over::won(seat, Reason::Goal))
        } else if !self.can_move(seat) {
            Some(Over::won(other(seat), Reason::NoMoves))
        } else {
            None
        }
    }
}

impl<const N: usize> Game for FlipFlop<N> {
    type Options = Options;
    type Action = Action<N>;
    type Chance = Never;
    type View = View<N>;

    const INFO: Info = Info {
        id: match N {
            3 => "flipflop-3x3",
            5 => "flipflop-5x5",
            _ => panic!("FlipFlop is played on 3×3 or 5×5 squares"),
        },
        title: if N == 3 {
            "FlipFlop 3×3"
        } else {
            "FlipFlop 5×5"
        },
        summary: "Pieces that turn over with every move: bring one to the far goal and keep it there",
        seats: &[2],
        chance: false,
        secrets: false,
        simultaneous: false,
    };

    const NOTATION: &'static str = if N == 3 {
        "[a-c][1-3][-x][a-c][1-3]"
    } else {
        "[a-e][1-5][-x][a-e][1-5]"
    };

    fn new(options: &Options, _: u8) -> Result<Self, OptionsError> {
        let pieces = Pieces::new(Self::HOMES);
        Ok(FlipFlop {
            pieces,
            course: Course::start(options.max_plies.get(), pieces.key()),
        })
    }

    fn presets() -> Vec<(&'static str, Options)> {
        vec![(
            "short",
            Options {
                max_plies: Whole::new(12),
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

    fn actions(&self, seat: Seat, actions: &mut Vec<Action<N>>) {
        actions.clear();
        if !self.course.asks(seat) {
            return;
        }
        for from in self.pieces.of(seat) {
            let (quiet, captured) = self.targets(seat, from);
            actions.extend(quiet.map(|to| Action {
                from,
                captures: false,
                to,
            }));
            actions.extend(captured.map(|to| Action {
                from,
                captures: true,
                to,
            }));
        }
    }

    fn count_actions(&self, seat: Seat) -> usize {
        if !self.course.asks(seat) {
            return 0;
        }
        let count = |from| {
            let (quiet, captures) = self.targets(seat, from);
            (quiet | captures).len()
        };
        self.pieces.of(seat).map(count).sum()
    }

    fn read_action(&self, text: &str) -> Result<Action<N>, Malformed> {
        let wrong = || {
            malformed(format!(
                "{} is not like a1-a2 or b1xb{N}, with files a to {} and ranks 1 to {N}",
                quoted(text),
                (b'a' + N as u8 - 1) as char
            ))
        };
        let &[file, rank, sign @ (b'-' | b'x'), to_file, to_rank] = text.as_bytes() else {
            return Err(wrong());
        };
        let from = Square::named([file, rank]).ok_or_else(wrong)?;
        let to = Square::named([to_file, to_rank]).ok_or_else(wrong)?;
        Ok(Action {
            from,
            captures: sign == b'x',
            to,
        })
    }

    fn write_action(&self, Action { from, captures, to }: Action<N>, out: &mut String) {
        from.write(out);
        out.push(if captures { 'x' } else { '-' });
        to.write(out);
    }

    fn check(&self, seat: Seat, Action { from, captures, to }: Action<N>) -> Result<(), Illegal> {
        self.course.check(seat)?;
        let pieces = &self.pieces;
        if let Some(why) = pieces
            .miss(seat, from)
            .or_else(|| pieces.misdirection(from, to))
        {
            return Err(Illegal(why));
        }
        if let Some(square) = from
            .between(to)
            .find(|&square| pieces.occupied().has(square))
        {
            return Err(Illegal(format!(
                "the piece on {square} is in the way from {from} to {to}"
            )));
        }
        let why = if pieces.of(seat).has(to) {
            format!("your own piece is on {to}")
        } else if !pieces.of(other(seat)).has(to) {
            if !captures {
                return Ok(());
            }
            format!("there is nothing to capture on {to}; a move is written {from}-{to}")
        } else if !Self::EITHER_GOAL.has(to) {
            let [low, high] = Self::GOALS;
            format!("{to} is not empty, and pieces are captured only on {low} and {high}")
        } else if !captures {
            format!("{to} is not empty; a capture is written {from}x{to}")
        } else {
            return Ok(());
        };
        Err(Illegal(why))
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        let (seat, Action { from, captures, to }) = match event {
            Event::Acts(acts) => acts[0],
            Event::Chance(never) => match *never {},
        };
        self.pieces.move_over(seat, from, to);
        if captures {
            self.course.forget();
        }
        self.course
            .advance(self.pieces.key(), self.judged(other(seat)));
    }

    crate::without_chance!();

    fn view(&self, _: Viewer) -> View<N> {
        let Standing {
            to_move,
            ply,
            repetitions,
            over,
        } = self.course.standing();
        View {
            board: self.pieces.rows(),
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
        view: &View<N>,
        _: &mut dyn rand_core::Rng,
    ) -> Result<Self, Malformed> {
        let View {
            ref board,
            to_move,
            ply,
            repetitions,
            over,
        } = *view;
        let pieces = Pieces::read(board)?;
        let mut captured = 0;
        for seat in [0, 1] {
            let name = faces::SIDES[usize::from(seat)].name();
            let of = pieces.of(seat);
            let gone = (N as u32)
                .checked_sub(of.len() as u32)
                .ok_or_else(|| malformed(format!("{name} has more than {N} pieces")))?;
            let moved = of & !(Self::HOMES[usize::from(seat)] & !pieces.bishops());
            if turns_of(seat, ply) < moved.len() as u32 || turns_of(other(seat), ply) < gone {
                return Err(malformed(format!(
                    "{name} cannot stand so after {ply} plies"
                )));
            }
            captured += gone;
        }
        if captured == 0 && pieces.bishops().len() % 2 != ply as usize % 2 {
            return Err(malformed(
                "every ply turns one piece, and these faces do not fit the ply",
            ));
        }
        let standing = Standing {
            to_move,
            ply,
            repetitions,
            over,
        };
        let max_plies = options.max_plies.get();
        let mut game = FlipFlop {
            pieces,
            course: Course::start(max_plies, pieces.key()),
        };
        let judged = game.judged(mover(ply));
        game.course = Course::resume(max_plies, standing, pieces.key(), judged, captured)?;
        Ok(game)
    }

    fn text(view: &View<N>) -> String {
        picture(view).text()
    }

    fn svg(view: &View<N>) -> String {
        picture(view).svg()
    }
}

/// By hand, so that `clone_from` keeps what the history has allocated.
impl<const N: usize> Clone for FlipFlop<N> {
    fn clone(&self) -> Self {
        FlipFlop {
            pieces: self.pieces,
            course: self.course.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.pieces = source.pieces;
        self.course.clone_from(&source.course);
    }
}

/// The middle of a rank.
const fn goal<const N: usize>(rank: i8) -> Square<N> {
    Square::at(N as i8 / 2, rank).expect("the middle of a rank is on the board")
}

fn picture<const N: usize>(view: &View<N>) -> Picture<'_, N> {
    let View {
        ref board,
        to_move,
        ply,
        repetitions,
        over,
    } = *view;
    Picture {
        title: FlipFlop::<N>::INFO.title,
        sides: faces::SIDES,
        legend: faces::LEGEND,
        board,
        piece: faces::piece,
        ground: |square| match FlipFlop::<N>::EITHER_GOAL.has(square) {
            true => Ground::Goal,
            false => Ground::Plain,
        },
        hands: None,
        standing: Standing {
            to_move,
            ply,
            repetitions,
            over,
        },
    }
}
