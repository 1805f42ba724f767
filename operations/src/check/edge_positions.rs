//! Positions that are rare but legal, found in random play.

use std::collections::BTreeMap;

use flipside_games::{AnyGame, Seat, Seats, Table, Viewer};
use flipside_referee::MAX_OPENING_PLIES;

use crate::check::playout::{MAX_WALK, RandomPlayout};

/// How many matches of random play are searched for each number of seats and set of options of a game; and in a quick
/// check.
const WALKS: u64 = 40;
const QUICK_WALKS: u64 = 10;

/// How many plies the search at one game has in all, where these have more; and in a quick check. They are counted, so
/// that every machine finds the same positions: the slowest games take a second or two.
const SEARCH: u32 = 60_000;
const QUICK_SEARCH: u32 = 20_000;

/// How many plies of the first matches are searched though there are no more.
const SEEN_AT_LEAST: u32 = 200;

/// How many plies come before the first question after an opening.
const OPENING: u32 = 6;
const _: () = assert!(OPENING <= MAX_OPENING_PLIES);

/// A position in which a seat is asked.
pub(super) struct EdgePosition {
    pub(super) options: String,
    pub(super) seats: u8,
    pub(super) table: Box<dyn Table>,
    pub(super) seen: PositionFacts,
}

/// What is known of a position without its table.
#[derive(Clone, Copy)]
pub(super) struct PositionFacts {
    pub(super) seat: Seat,
    /// The actions that were taken before.
    pub(super) plies: u32,
    /// The number of legal actions.
    pub(super) actions: usize,
    /// About how long the turn's line is, in bytes.
    pub(super) bytes: usize,
}

/// What is rare about a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RareFeature {
    /// The longest list of actions.
    MostActions,
    /// A seat that has one action only.
    Forced,
    /// The longest line.
    Longest,
    /// An action that ends the match.
    Last,
    /// A first question that comes after plies of an opening.
    Opening,
    /// The position after the most plies.
    Late,
    /// As many seats as can be.
    Full,
}

/// A number of which the highest is rare.
type Measure = fn(&PositionFacts) -> usize;

/// What is rare at a game.
pub(super) struct EdgePositions {
    pub(super) game: &'static dyn AnyGame,
    pub(super) kept: BTreeMap<RareFeature, EdgePosition>,
    /// Several seats are asked together.
    pub(super) together: Option<(Seats, EdgePosition)>,
}

/// Plays at random and keeps what is rare.
pub(super) fn search(game: &'static dyn AnyGame, quick: bool) -> EdgePositions {
    let mut positions = EdgePositions {
        game,
        kept: BTreeMap::new(),
        together: None,
    };
    let (walks, mut left) = match quick {
        true => (QUICK_WALKS, QUICK_SEARCH),
        false => (WALKS, SEARCH),
    };
    let seats = game.info().seats;
    let mut numbers = vec![seats[0], seats[seats.len() - 1]];
    numbers.dedup();
    let mut settings = vec![game.brief(), game.presets().swap_remove(0).1];
    settings.dedup();
    for seed in 0..walks {
        for &number in &numbers {
            for options in &settings {
                if let Ok(playout) = RandomPlayout::with(game, options, number, seed) {
                    positions.playout(playout.untold(), seed == 0, &mut left);
                }
            }
        }
        if left == 0 {
            break;
        }
    }
    positions
}

impl EdgePositions {
    /// One match of random play, of as many plies as are left. Even where none are, a first one is seen for a while.
    fn playout(&mut self, mut playout: RandomPlayout, is_first: bool, left: &mut u32) {
        let mut last: Option<EdgePosition> = None;
        let mut view = Vec::new();
        for plies in 0..MAX_WALK {
            if *left == 0 && !(is_first && plies < SEEN_AT_LEAST) {
                return;
            }
            *left = left.saturating_sub(1);
            let Some(asked) = playout.asked() else {
                if let Some(last) = last {
                    self.kept.entry(RareFeature::Last).or_insert(last);
                }
                return;
            };
            for seat in asked {
                view.clear();
                playout.table.write_view(Viewer::Seat(seat), &mut view);
                let actions = playout.table.actions(seat);
                let quoted: usize = actions.iter().map(|action| action.len() + 3).sum();
                let seen = PositionFacts {
                    seat,
                    plies,
                    actions: actions.len(),
                    bytes: view.len() + quoted,
                };
                self.keep(&playout, seen, asked);
                if !self.kept.contains_key(&RareFeature::Last) {
                    last = Some(seen.at(&playout));
                }
            }
            playout.step(&[]);
        }
    }

    /// Keeps a position if it is rare. Few are, and only these are copied.
    fn keep(&mut self, playout: &RandomPlayout, seen: PositionFacts, asked: Seats) {
        let info = self.game.info();
        let measures: [(RareFeature, Measure); 3] = [
            (RareFeature::MostActions, |seen| seen.actions),
            (RareFeature::Longest, |seen| seen.bytes),
            (RareFeature::Late, |seen| seen.plies as usize),
        ];
        for (rare, of) in measures {
            let is_more = |kept: &EdgePosition| of(&seen) > of(&kept.seen);
            if self.kept.get(&rare).is_none_or(is_more) {
                self.kept.insert(rare, seen.at(playout));
            }
        }
        let opens = !info.chance && !info.secrets && !info.simultaneous;
        let is_opened = opens && seen.plies == OPENING && seen.actions > 1;
        let most = info.seats[info.seats.len() - 1];
        let is_full = most > info.least_seats() && playout.seats == most && seen.seat == most - 1;
        for (rare, is_it) in [
            (RareFeature::Forced, seen.actions == 1),
            (RareFeature::Opening, is_opened),
            (RareFeature::Full, is_full),
        ] {
            if is_it {
                self.kept.entry(rare).or_insert_with(|| seen.at(playout));
            }
        }
        if asked.len() > 1 && self.together.is_none() {
            self.together = Some((asked, seen.at(playout)));
        }
    }
}

impl PositionFacts {
    /// It, with the table where it is.
    fn at(self, playout: &RandomPlayout) -> EdgePosition {
        EdgePosition {
            options: playout.options.clone(),
            seats: playout.seats,
            table: playout.table.copy(),
            seen: self,
        }
    }
}
