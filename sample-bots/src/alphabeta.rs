//! The bot `alphabeta`: searches the two-seat board games move by move, on positions of its own that
//! are faster than those of the rules crate. It stops after a number of nodes or at a depth, so
//! that a move is the same on every machine, or, as a process, after some time.

mod faces;
pub(crate) mod flipflop;
mod flipfour;
mod grid;
pub(crate) mod limits;
pub(crate) mod position;
mod search;
mod table;
#[cfg(test)]
mod tests;
mod yonmoque;

use flipside_bot::{Bot, Error, SessionPlayer, nothing_to_do, options, ready};
use flipside_games::chance::shuffle;
use flipside_games::{self as games, Game, Viewer};
use flipside_protocol::{Hello, Ready, Turn};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Deserialize;

pub use self::limits::SearchLimits;
use self::position::{Move, SearchPosition};
use self::search::Search;
use crate::refusal::check_game;

/// The games that the search has positions of.
pub(crate) const GAMES: &[&str] = &["flipflop-3x3", "flipflop-5x5", "flipfour", "yonmoque"];

/// How many nodes [`AlphaBeta::default`] searches for a move: some 50 ms on a desktop
/// machine, and longer as a module.
pub const NODES: u32 = 200_000;

/// Searches the two-seat board games by alpha-beta.
#[derive(Clone, Copy, Debug)]
pub struct AlphaBeta {
    /// When the search for a move ends.
    pub limits: SearchLimits,
}

impl Default for AlphaBeta {
    fn default() -> Self {
        AlphaBeta {
            limits: SearchLimits {
                nodes: Some(NODES),
                ..SearchLimits::default()
            },
        }
    }
}

impl Bot for AlphaBeta {
    fn ready(&self) -> Ready {
        ready("alphabeta")
    }

    fn begin(&self, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
        check_game(GAMES, &hello.game)?;
        match hello.game.as_str() {
            "flipflop-3x3" => {
                self.seated::<games::FlipFlop<3>, flipflop::FlipFlopPosition<3>>(hello)
            }
            "flipflop-5x5" => {
                self.seated::<games::FlipFlop<5>, flipflop::FlipFlopPosition<5>>(hello)
            }
            "flipfour" => self.seated::<games::FlipFour, flipfour::FlipFourPosition>(hello),
            "yonmoque" => self.seated::<games::Yonmoque, yonmoque::YonmoquePosition>(hello),
            game => unreachable!("{game} is in the list of games"),
        }
    }
}

impl AlphaBeta {
    fn seated<G: Game, P: SearchPosition + 'static>(
        &self,
        hello: &Hello,
    ) -> Result<Box<dyn SessionPlayer>, Error> {
        Ok(Box::new(AlphabetaPlayer::<P> {
            search: Search::new(self.limits),
            max_plies: max_plies::<G>(hello)?,
            seat: hello.seat,
            rng: ChaCha8Rng::seed_from_u64(hello.seed),
            last: None,
            moves: Vec::new(),
        }))
    }
}

/// Returns the limit of plies of a board game's match.
fn max_plies<G: Game>(hello: &Hello) -> Result<u32, Error> {
    #[derive(Deserialize)]
    struct BoardOptions {
        max_plies: u32,
    }
    let wrong = |error: serde_json::Error| Error::Options(error.to_string());
    // By the options of the game, which know the defaults.
    let options = serde_json::to_value(options::<G>(hello)?).map_err(wrong)?;
    let BoardOptions { max_plies } = serde_json::from_value(options).map_err(wrong)?;
    Ok(max_plies)
}

/// The view of a two-seat board game, as far as it matters.
#[derive(Deserialize)]
struct AlphabetaView {
    /// The ranks from the top down.
    board: Vec<String>,
    #[serde(default)]
    hands: [u8; 2],
    ply: u32,
}

/// Reads the position of a turn, with a seat to move, and how many plies have been played.
pub(crate) fn read<P: SearchPosition>(turn: &Turn, seat: u8) -> Result<(P, u32), Error> {
    let view: AlphabetaView =
        serde_json::from_str(turn.view.get()).map_err(|error| Error::Turn(error.to_string()))?;
    let position = P::read(&view.board, view.hands, seat)
        .ok_or_else(|| Error::Turn("this board is not one of the game".into()))?;
    Ok((position, view.ply))
}

/// Returns the position of a state of the rules crate.
fn position_of<G: Game, P: SearchPosition>(state: &G, to_move: u8) -> P {
    let view = serde_json::to_string(&state.view(Viewer::Public)).expect("a view is JSON");
    let view: AlphabetaView = serde_json::from_str(&view).expect("the view of a board game");
    P::read(&view.board, view.hands, to_move).expect("a board of the game")
}

/// The bot in a match.
struct AlphabetaPlayer<P> {
    search: Search<P>,
    max_plies: u32,
    seat: u8,
    rng: ChaCha8Rng,
    /// The position that the bot's last move led to.
    last: Option<P>,
    moves: Vec<Move>,
}

impl<P: SearchPosition> AlphabetaPlayer<P> {
    /// Tells the search that a position has occurred: by a move of the opponent, or as the first
    /// that the bot sees.
    fn note(&mut self, position: &P) {
        self.moves.clear();
        if let Some(last) = self.last {
            last.moves(|action, _| self.moves.push(action));
            let key = position.key();
            let led_here = |action: &&Move| last.play(**action).0.key() == key;
            if let Some(action) = self.moves.iter().find(led_here) {
                self.search
                    .occurred(position, last.is_irreversible(*action));
                return;
            }
            self.search.restart();
        }
        self.search.occurred(position, true);
    }

    /// Lists the moves in an order that the seed decides.
    fn shuffle(&mut self, position: &P) {
        self.moves.clear();
        position.moves(|action, _| self.moves.push(action));
        shuffle(&mut self.rng, &mut self.moves);
    }
}

impl<P: SearchPosition> SessionPlayer for AlphabetaPlayer<P> {
    fn choose(&mut self, turn: &Turn, action: &mut String) -> Result<(), Error> {
        let (position, ply) = read::<P>(turn, self.seat)?;
        self.note(&position);
        self.shuffle(&position);
        if self.moves.is_empty() {
            return Err(nothing_to_do());
        }
        let left = self.max_plies.saturating_sub(ply).max(1);
        let best = self.search.best(&position, &self.moves, left).best;
        let (next, _) = position.play(best);
        self.search.occurred(&next, position.is_irreversible(best));
        self.last = Some(next);
        position.write(best, action);
        Ok(())
    }
}

/// What a search did in a match against itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// The moves that were tried.
    pub nodes: u64,
    /// The plies of the match.
    pub plies: u32,
    /// The sum of the depths that were finished.
    pub depths: u64,
}

impl AlphaBeta {
    /// Plays a match of a game against itself, without protocol and clocks, and tells how much was
    /// searched. The match ends after so many plies.
    ///
    /// # Errors
    /// When the game is not one of [`AlphaBeta`]'s.
    pub fn effort(&self, game: &str, plies: u32) -> Result<Effort, Error> {
        check_game(GAMES, game)?;
        Ok(match game {
            "flipflop-3x3" => {
                self.played::<games::FlipFlop<3>, flipflop::FlipFlopPosition<3>>(plies)
            }
            "flipflop-5x5" => {
                self.played::<games::FlipFlop<5>, flipflop::FlipFlopPosition<5>>(plies)
            }
            "flipfour" => self.played::<games::FlipFour, flipfour::FlipFourPosition>(plies),
            "yonmoque" => self.played::<games::Yonmoque, yonmoque::YonmoquePosition>(plies),
            _ => unreachable!("{game} is in the list of games"),
        })
    }

    fn played<G: Game, P: SearchPosition>(&self, plies: u32) -> Effort {
        let start = G::new(&G::Options::default(), 2).expect("the defaults fit");
        let mut position: P = position_of(&start, 0);
        let mut search = Search::new(self.limits);
        search.occurred(&position, true);
        /// So many plies left are no limit.
        const LEFT: u32 = 1_000_000;
        let mut effort = Effort::default();
        for ply in 0..plies.min(LEFT) {
            let mut moves = Vec::new();
            position.moves(|action, _| moves.push(action));
            let found = search.best(&position, &moves, LEFT - ply);
            effort.nodes += found.nodes;
            effort.plies += 1;
            effort.depths += found.depth as u64;
            let (next, end) = position.play(found.best);
            if end != position::GameEnd::Open {
                break;
            }
            search.occurred(&next, position.is_irreversible(found.best));
            position = next;
        }
        effort
    }
}
