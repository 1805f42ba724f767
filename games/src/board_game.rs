//! The adapter that makes a [`Game`] of the rules of a two-seat board game.
//!
//! A game supplies its position, its actions and its own ends as [`Rules`]. The adapter adds turn
//! order, repetition, the limit of plies, options, views and drawings.

use std::fmt::Debug;

use flipside_protocol::game::ActionPath;
use rand_core::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::board::picture::{BoardStyle, Picture};
use crate::board::rows::Rows;
use crate::board::{Square, Squares};
use crate::game::{
    DescribedGame, Event, Game, Illegal, Info, Never, ParseError, SeatLook, malformed, quoted,
    require,
};
use crate::observation::ObservationForm;
use crate::options::{BoundedInt, OptionsError};
use crate::seats::{Seat, SeatTurn, Viewer};
use crate::turn_order::{Standing, TurnOrder, TurnOrderOver, mover};

/// `max_plies` of [`Game::brief`] in every board game.
const BRIEF: Plies = Plies::new(60);

/// A limit of plies.
pub type Plies = BoundedInt<1, 1_000_000>;

/// The rules of a board game on `N` by `N` squares for two seats that move in turns: a position,
/// the actions in it, and the ends that the game itself knows.
pub trait Rules<const N: usize>: Copy + Debug + Send + 'static {
    /// The settings, made by [`board_json!`](crate::board_game::board_json).
    type Options: Limited;
    /// The view, made by [`board_json!`](crate::board_game::board_json).
    type View: BoardView<N>;
    /// A choice of a seat. Its order is the byte order of its notation.
    type Action: Copy + Ord + Debug + Send;

    /// The facts of the game.
    const INFO: Info;
    /// See [`Game::NOTATION`].
    const NOTATION: &'static str;
    /// How the game is drawn.
    const LOOK: BoardStyle<N>;
    /// `max_plies` of the preset `short`.
    const SHORT: Plies;

    /// Returns the first position.
    fn start() -> Self;

    /// Adds the legal actions of a seat in byte order of their notation.
    fn actions(&self, seat: Seat, actions: &mut Vec<Self::Action>);

    /// Returns the number of legal actions of a seat.
    fn count_actions(&self, seat: Seat) -> usize;

    /// Reads an action.
    ///
    /// # Errors
    /// Returns an error when the text is not in the notation.
    fn read_action(text: &str) -> Result<Self::Action, ParseError>;

    /// Writes an action.
    fn write_action(action: Self::Action, out: &mut String);

    /// Describes an action in words; see [`Game::action_in_words`].
    fn action_in_words(action: Self::Action) -> String;

    /// Returns how a person points at an action; see [`Game::path`]. The marks are the names of squares.
    fn path(action: Self::Action) -> ActionPath;

    /// Returns why an action is illegal for a seat, or nothing when it is legal.
    fn why_not(&self, seat: Seat, action: Self::Action) -> Option<String>;

    /// Plays a legal action.
    fn act(&mut self, seat: Seat, action: Self::Action) -> MoveOutcome;

    /// Judges a position read from a view. `shown` is the end that the view claims; it counts only
    /// where the position alone cannot tell.
    fn judge(&self, to_move: Seat, shown: Option<TurnOrderOver>) -> Option<TurnOrderOver>;

    /// Returns a number that tells positions apart that can occur without an irreversible action
    /// between them.
    fn key(&self, to_move: Seat) -> u128;

    /// Returns the letter of a square in a view; `.` is empty.
    fn letter(&self, square: Square<N>) -> u8;

    /// Returns how many pieces each seat has in hand; zeros in games without hands.
    fn hands(&self) -> [u8; 2] {
        [0; 2]
    }

    /// Reads the position of a view. The letters are known pieces or `.`.
    ///
    /// # Errors
    /// Returns an error when the game does not have these pieces.
    fn read(board: &Rows<N>, hands: [u8; 2]) -> Result<Self, ParseError>;
}

/// Returns the facts of a board game.
pub(crate) const fn facts(id: &'static str, title: &'static str, summary: &'static str) -> Info {
    Info {
        id,
        title,
        summary,
        seats: &[2],
        chance: false,
        secrets: false,
        simultaneous: false,
    }
}

/// The outcome of an action.
#[derive(Clone, Copy, Debug)]
pub struct MoveOutcome {
    /// Whether no earlier position can recur.
    pub(crate) irreversible: bool,
    /// The end by the game's own rules.
    pub(crate) over: Option<TurnOrderOver>,
}

/// Settings of a board game.
pub trait Limited: Clone + Default + Debug + Serialize + DeserializeOwned + DescribedGame {
    /// Returns settings with this limit.
    fn with(max_plies: Plies) -> Self;
    /// Returns the limit.
    fn max_plies(&self) -> u32;
}

/// A view of a board game.
pub trait BoardView<const N: usize>: Serialize + DeserializeOwned + DescribedGame {
    /// Returns the view of a position.
    #[doc(hidden)]
    fn of(board: Rows<N>, hands: [u8; 2], standing: Standing) -> Self;
    /// Appends the view as JSON, as serde writes it. It is written at every ply, and serde takes several times as long.
    #[doc(hidden)]
    fn write(&self, out: &mut Vec<u8>);
    /// Returns the board.
    fn board(&self) -> &Rows<N>;
    /// Returns the pieces in hand; zeros in games without hands.
    fn hands(&self) -> [u8; 2];
    /// Returns everything else.
    #[doc(hidden)]
    fn standing(&self) -> Standing;
}

/// Makes the settings and the view of a board game, whose fields are documented in its schema.
macro_rules! board_json {
    (
        $(#[$settings:meta])*
        max_plies: $max_plies:literal,
        $(#[$letters:meta])*
        board: $side:tt $(for $n:ident)?, $pattern:literal
        $(, $(#[$in_hand:meta])* $hands:ident)?
    ) => {
        $(#[$settings])*
        #[derive(Clone, Debug, ::serde::Serialize, ::serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields, default)]
        pub struct BoardGameOptions {
            /// After so many plies the match is a draw.
            pub max_plies: $crate::board_game::Plies,
        }

        impl Default for BoardGameOptions {
            fn default() -> Self {
                $crate::board_game::Limited::with($crate::board_game::Plies::new($max_plies))
            }
        }

        impl $crate::board_game::Limited for BoardGameOptions {
            fn with(max_plies: $crate::board_game::Plies) -> Self {
                BoardGameOptions { max_plies }
            }

            fn max_plies(&self) -> u32 {
                self.max_plies.get()
            }
        }

        /// What everybody sees.
        #[derive(Clone, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct View$(<const $n: usize>)? {
            $(#[$letters])*
            #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = $pattern))))]
            pub board: $crate::board::Rows<$side>,
            $($(#[$in_hand])* pub $hands: [u8; 2],)?
            /// The seat whose turn it is; null when the match is over.
            pub to_move: Option<$crate::Seat>,
            /// How many actions have been taken.
            pub ply: u32,
            /// How often the present position has occurred, this time included.
            pub repetitions: u32,
            /// How the match ended; left out while it runs.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub over: Option<$crate::TurnOrderOver>,
        }

        impl$(<const $n: usize>)? $crate::board_game::BoardView<$side> for View$(<$n>)? {
            fn of(
                board: $crate::board::Rows<$side>,
                _hands: [u8; 2],
                standing: $crate::turn_order::Standing,
            ) -> Self {
                let $crate::turn_order::Standing { to_move, ply, repetitions, over } = standing;
                View { board, $($hands: _hands,)? to_move, ply, repetitions, over }
            }

            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(b"{\"board\":");
                self.board.write(out);
                $(
                    out.extend_from_slice(concat!(",\"", stringify!($hands), "\":").as_bytes());
                    $crate::json::write_field(&self.$hands, out);
                )?
                $crate::board_game::BoardView::<$side>::standing(self).write(out);
                out.push(b'}');
            }

            fn board(&self) -> &$crate::board::Rows<$side> {
                &self.board
            }

            fn hands(&self) -> [u8; 2] {
                let hands = [0; 2];
                $(let hands = { let _ = hands; self.$hands };)?
                hands
            }

            fn standing(&self) -> $crate::turn_order::Standing {
                let &View { to_move, ply, repetitions, over, .. } = self;
                $crate::turn_order::Standing { to_move, ply, repetitions, over }
            }
        }
    };
}
pub(crate) use board_json;

/// A match of a board game.
#[derive(Debug)]
pub struct BoardGame<R, const N: usize> {
    position: R,
    order: TurnOrder,
}

impl<R: Rules<N>, const N: usize> Game for BoardGame<R, N> {
    type Options = R::Options;
    type Action = R::Action;
    type Chance = Never;
    type View = R::View;

    const INFO: Info = R::INFO;
    const NOTATION: &'static str = R::NOTATION;

    fn new(options: &R::Options, _: u8) -> Result<Self, OptionsError> {
        let position = R::start();
        Ok(BoardGame {
            position,
            order: TurnOrder::start(options.max_plies(), position.key(mover(0))),
        })
    }

    fn presets() -> Vec<(&'static str, R::Options)> {
        vec![("short", R::Options::with(R::SHORT))]
    }

    fn brief() -> R::Options {
        R::Options::with(BRIEF)
    }

    fn seats(&self) -> u8 {
        2
    }

    fn turn(&self) -> SeatTurn {
        self.order.turn()
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<R::Action>) {
        actions.clear();
        if self.order.asks(seat) {
            self.position.actions(seat, actions);
        }
    }

    fn count_actions(&self, seat: Seat) -> usize {
        if self.order.asks(seat) {
            self.position.count_actions(seat)
        } else {
            0
        }
    }

    fn read_action(&self, text: &str) -> Result<R::Action, ParseError> {
        R::read_action(text)
    }

    fn write_action(&self, action: R::Action, out: &mut String) {
        R::write_action(action, out);
    }

    fn action_in_words(&self, action: R::Action) -> String {
        R::action_in_words(action)
    }

    fn path(&self, _: Seat, action: R::Action) -> ActionPath {
        R::path(action)
    }

    fn check(&self, seat: Seat, action: R::Action) -> Result<(), Illegal> {
        self.order.check(seat)?;
        Illegal::because(self.position.why_not(seat, action))
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        let (seat, action) = match event {
            Event::Acts(acts) => acts[0],
            Event::Chance(never) => match *never {},
        };
        let MoveOutcome { irreversible, over } = self.position.act(seat, action);
        let key = self.position.key(crate::turn_order::other(seat));
        self.order.advance(key, irreversible, over);
    }

    crate::without_chance!();

    fn view(&self, _: Viewer) -> R::View {
        let board = Rows::of(|square| self.position.letter(square));
        R::View::of(board, self.position.hands(), self.order.standing())
    }

    fn write_view(&self, viewer: Viewer, out: &mut Vec<u8>) {
        self.view(viewer).write(out);
    }

    fn observation_form() -> Option<ObservationForm> {
        let letters = || pieces_of::<R, N>(0).zip(pieces_of::<R, N>(1));
        let mut planes = Vec::new();
        for whose in ["own", "opponent's"] {
            let name = |(first, second)| {
                format!("{whose} {} or {}", char::from(first), char::from(second))
            };
            planes.extend(letters().map(name));
        }
        if R::LOOK.has_hands {
            planes.extend(["own pieces in hand", "opponent's pieces in hand"].map(String::from));
        }
        planes.push("how often the position has occurred".into());
        planes.push("the seat that looks".into());
        Some(ObservationForm {
            shape: [planes.len(), N, N],
            planes,
        })
    }

    fn write_observation(&self, seat: Seat, out: &mut Vec<u8>) {
        let board: Rows<N> = Rows::of(|square| self.position.letter(square));
        let seats = [seat, crate::turn_order::other(seat)];
        for letter in seats.into_iter().flat_map(pieces_of::<R, N>) {
            out.extend(board.letters().map(|shown| u8::from(shown == letter)));
        }
        let mut fill = |value| out.extend(std::iter::repeat_n(value, N * N));
        if R::LOOK.has_hands {
            let hands = self.position.hands();
            seats
                .into_iter()
                .for_each(|seat| fill(hands[usize::from(seat)]));
        }
        // A position ends the match the third time.
        fill(self.order.standing().repetitions.min(3) as u8);
        fill(seat);
    }

    fn from_view(
        options: &R::Options,
        _: u8,
        _: Viewer,
        view: &R::View,
        _: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        for square in Square::all() {
            let letter = view.board().at(square);
            let is_known = letter == b'.' || (R::LOOK.piece)(letter).is_some();
            let (letter, letters) = (letter as char, R::LOOK.letters);
            require!(is_known, "{letter:?} on {square} is none of . {letters}");
        }
        let position = R::read(view.board(), view.hands())?;
        let (standing, to_move) = (view.standing(), mover(view.standing().ply));
        let judged = position.judge(to_move, standing.over);
        let key = position.key(to_move);
        let order = TurnOrder::resume(options.max_plies(), standing, key, judged)?;
        Ok(BoardGame { position, order })
    }

    fn text(view: &R::View) -> String {
        picture::<R, N>(view).text()
    }

    fn look(seat: Seat) -> Option<SeatLook> {
        R::LOOK.sides.get(usize::from(seat)).map(|side| side.look())
    }

    fn svg(view: &R::View) -> String {
        picture::<R, N>(view).svg()
    }

    fn svg_after(view: &R::View, action: Option<R::Action>) -> String {
        let marks = action.map(|action| R::path(action).marks);
        let squares = marks
            .iter()
            .flatten()
            .filter_map(|mark| match mark.as_bytes() {
                &[file, rank] => Square::named([file, rank]),
                _ => None,
            });
        let picture = Picture {
            last: squares.fold(Squares::NONE, Squares::with),
            ..picture::<R, N>(view)
        };
        picture.svg()
    }
}

/// Written by hand so that `clone_from` reuses the allocation of the history.
impl<R: Clone, const N: usize> Clone for BoardGame<R, N> {
    fn clone(&self) -> Self {
        BoardGame {
            position: self.position.clone(),
            order: self.order.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.position.clone_from(&source.position);
        self.order.clone_from(&source.order);
    }
}

/// Returns the letters of a seat's pieces, in the order of the style.
fn pieces_of<R: Rules<N>, const N: usize>(seat: Seat) -> impl Iterator<Item = u8> {
    let is_own =
        move |&letter: &u8| (R::LOOK.piece)(letter).is_some_and(|piece| piece.seat == seat);
    R::LOOK.letters.bytes().filter(is_own)
}

fn picture<R: Rules<N>, const N: usize>(view: &R::View) -> Picture<'_, N> {
    Picture {
        title: R::INFO.title,
        look: R::LOOK,
        board: view.board(),
        last: Squares::NONE,
        hands: view.hands(),
        standing: view.standing(),
    }
}

/// Reads the square that two letters of an action name.
///
/// # Errors
/// Names the squares of the board.
pub(crate) fn read_square<const N: usize>(
    text: &str,
    name: [u8; 2],
) -> Result<Square<N>, ParseError> {
    Square::named(name).ok_or_else(|| {
        let last = (b'a' + N as u8 - 1) as char;
        malformed!(
            "{} names no square: those are a1 to {last}{N}",
            quoted(text)
        )
    })
}

/// Returns why a seat has no move from one square to another, whatever its piece is, if so.
pub(crate) fn no_move<const N: usize>(
    own: Squares<N>,
    enemy: Squares<N>,
    from: Square<N>,
    to: Square<N>,
) -> Option<String> {
    if enemy.has(from) {
        Some(format!("the piece on {from} is your opponent's"))
    } else if !own.has(from) {
        Some(format!("there is no piece on {from}"))
    } else if from == to {
        Some(format!("a move from {from} to {to} goes nowhere"))
    } else {
        None
    }
}
