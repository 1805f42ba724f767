//! A match of chess.

use cozy_chess::{Board, Move, Piece, Square};
use flipside_games::{
    ActionPath, Event, Game, History, Illegal, Info, Never, OptionsError, ParseError, Seat,
    SeatTurn, Seats, Viewer, without_chance,
};
use rand_core::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::action::ChessMove;
use crate::ending::{ChessOver, REPETITIONS, seat};
use crate::position::Position;
use crate::san::san;
use crate::svg::svg;
use crate::text::text;
use crate::view::ChessView;

/// A match of chess. Seat 0 plays White.
#[derive(Clone, Debug)]
pub struct Chess {
    board: Board,
    history: History,
    last: Option<ChessMove>,
    /// Where the last move was played; none at the start, and in a match that was built from a view.
    before: Option<Board>,
    over: Option<ChessOver>,
}

/// The settings.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChessOptions {
    /// The position at the start, as FEN.
    pub fen: Position,
}

impl Chess {
    /// A match that has come to a position, which has occurred so many times.
    fn at(board: Board, repetitions: usize) -> Self {
        let mut history = History::default();
        for _ in 0..repetitions {
            history.push(key(&board));
        }
        Chess {
            over: ChessOver::judge(&board, repetitions),
            board,
            history,
            last: None,
            before: None,
        }
    }

    fn asks(&self, seat: Seat) -> bool {
        self.turn().asked().contains(seat)
    }
}

/// Tells positions apart for the rule of repetition, by FIDE's article 9.2.3: a pawn that could be taken en passant makes
/// a difference only where a legal move takes it.
fn key(board: &Board) -> u128 {
    let passed = board.en_passant().filter(|_| takes_en_passant(board));
    let passed = passed.map_or(0, |file| 1 + file as u128);
    u128::from(board.hash_without_ep()) << 8 | passed
}

fn takes_en_passant(board: &Board) -> bool {
    let pawns = board.colored_pieces(board.side_to_move(), Piece::Pawn);
    let file = board.en_passant();
    board.generate_moves_for(pawns, |moves| {
        let is_taking = |to: Square| {
            to.file() != moves.from.file() && !board.occupied().has(to) && Some(to.file()) == file
        };
        moves.to.into_iter().any(is_taking)
    })
}

fn for_each_move(board: &Board, mut take: impl FnMut(Move)) {
    board.generate_moves(|moves| {
        moves.into_iter().for_each(&mut take);
        false
    });
}

fn position(fen: &str) -> ChessOptions {
    ChessOptions {
        fen: fen.parse().expect("the FEN of a preset is right"),
    }
}

impl Game for Chess {
    type Options = ChessOptions;
    type Action = ChessMove;
    type Chance = Never;
    type View = ChessView;

    const INFO: Info = Info {
        id: "chess",
        title: "Chess",
        summary: "Checkmate the king",
        seats: &[2],
        chance: false,
        secrets: false,
        simultaneous: false,
    };

    const NOTATION: &'static str = ChessMove::NOTATION;

    fn new(options: &ChessOptions, _: u8) -> Result<Self, OptionsError> {
        let game = Chess::at(options.fen.0.clone(), 1);
        match game.over {
            None => Ok(game),
            Some(over) => Err(OptionsError(format!(
                "option fen: in this position the match is over: {}",
                over.reason.name()
            ))),
        }
    }

    fn presets() -> Vec<(&'static str, ChessOptions)> {
        vec![
            (
                "kiwipete",
                position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
            ),
            (
                "promotions",
                position("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"),
            ),
            ("rooks", position("4k2r/8/8/8/8/8/8/R3K3 w Qk - 90 60")),
        ]
    }

    fn brief() -> ChessOptions {
        position("r3k3/ppp5/8/8/8/8/5PPP/4K2R w Kq - 0 1")
    }

    fn seats(&self) -> u8 {
        2
    }

    fn turn(&self) -> SeatTurn {
        match self.over {
            Some(over) => over.turn(),
            None => SeatTurn::Seats(Seats::one(seat(self.board.side_to_move()))),
        }
    }

    fn actions(&self, seat: Seat, actions: &mut Vec<ChessMove>) {
        actions.clear();
        if self.asks(seat) {
            for_each_move(&self.board, |mv| {
                actions.push(ChessMove::of(&self.board, mv));
            });
            actions.sort_unstable();
        }
    }

    fn count_actions(&self, seat: Seat) -> usize {
        let mut count = 0;
        if self.asks(seat) {
            self.board.generate_moves(|moves| {
                count += moves.len();
                false
            });
        }
        count
    }

    fn read_action(&self, text: &str) -> Result<ChessMove, ParseError> {
        text.parse()
    }

    fn write_action(&self, action: ChessMove, out: &mut String) {
        *out += &action.to_string();
    }

    /// The words are the move as people write it, before it is played and after.
    fn action_in_words(&self, action: ChessMove) -> String {
        let board = match &self.before {
            // The piece is not there any more, so this move is not legal now.
            Some(before) if self.last == Some(action) => before,
            _ => &self.board,
        };
        match action.find(board) {
            Some(mv) => san(board, mv),
            None => action.to_string(),
        }
    }

    fn path(&self, _: Seat, action: ChessMove) -> ActionPath {
        action.path()
    }

    fn check(&self, seat: Seat, action: ChessMove) -> Result<(), Illegal> {
        let why = if self.over.is_some() {
            Some("the match is over".into())
        } else if !self.asks(seat) {
            Some(format!("it is not seat {seat}'s turn"))
        } else {
            action.why_not(&self.board)
        };
        why.map_or(Ok(()), |why| Err(Illegal(why)))
    }

    fn apply(&mut self, event: Event<'_, Self>) {
        let (_, action) = match event {
            Event::Acts(acts) => acts[0],
            Event::Chance(never) => match *never {},
        };
        let mv = action.find(&self.board).expect("the move was checked");
        self.before = Some(self.board.clone());
        self.last = Some(action);
        self.board.play_unchecked(mv);
        if self.board.halfmove_clock() == 0 {
            self.history.forget();
        }
        let repetitions = self.history.push(key(&self.board));
        self.over = ChessOver::judge(&self.board, repetitions);
    }

    without_chance!();

    fn view(&self, _: Viewer) -> ChessView {
        let to_move = seat(self.board.side_to_move());
        ChessView {
            fen: Position(self.board.clone()),
            to_move: self.over.is_none().then_some(to_move),
            last: self.last,
            check: !self.board.checkers().is_empty(),
            halfmove: self.board.halfmove_clock(),
            fullmove: self.board.fullmove_number(),
            repetitions: self.history.repetitions() as u8,
            over: self.over,
        }
    }

    fn from_view(
        _: &ChessOptions,
        _: u8,
        viewer: Viewer,
        view: &ChessView,
        _: &mut dyn Rng,
    ) -> Result<Self, ParseError> {
        let repetitions = usize::from(view.repetitions);
        if !(1..=REPETITIONS).contains(&repetitions) {
            return Err(ParseError(format!(
                "a position cannot have occurred {repetitions} times"
            )));
        }
        let mut game = Chess::at(view.fen.0.clone(), repetitions);
        game.last = view.last;
        if game.view(viewer) != *view {
            return Err(ParseError("the view contradicts its FEN".into()));
        }
        Ok(game)
    }

    fn text(view: &ChessView) -> String {
        text(view)
    }

    fn svg(view: &ChessView) -> String {
        svg(view)
    }
}
