//! Looking at a match while it runs, from outside: who watches is shown what an onlooker may see, now and
//! then, so that no match is slowed by it. What is made of it is others' business.

use std::future::pending;
use std::time::{Duration, Instant};

use flipside_games::{Seat, Seats, Table, Viewer};

use crate::event::{Listener, MatchEvent};
use crate::match_setup::Match;

/// The least time between two looks of one watcher, over all matches of its referee. What is missed in
/// between is missed; but a table that waits for a slow bot is shown as it is.
pub const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Somebody who watches the matches of a referee.
pub trait Watcher {
    /// Looks at a running match, on the thread that plays it: it should not take long.
    fn look(&mut self, scene: &WatchView<'_>);

    /// The match is over, or broken off.
    fn over(&mut self) {}
}

/// A running match, and no more than an onlooker may know of it.
///
/// Who writes a bot may look at a screen while it plays, so in a game with secrets nobody's are shown.
pub struct WatchView<'a> {
    the_match: &'a Match,
    table: &'a dyn Table,
    turn: &'a WatchTurn,
}

/// A seat of a running match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatScene {
    /// The time that its bot has used for its moves, in microseconds.
    pub used_us: u64,
    /// Whether its bot is disqualified.
    pub is_disqualified: bool,
}

impl WatchView<'_> {
    /// What is played, and by whom.
    pub fn the_match(&self) -> &Match {
        self.the_match
    }

    /// When the match began.
    pub fn began(&self) -> Instant {
        self.turn.began
    }

    /// Actions taken until now, of all seats.
    pub fn plies(&self) -> u64 {
        self.turn.plies
    }

    /// Whether the match waits for this seat's bot.
    pub fn is_asked(&self, seat: Seat) -> bool {
        self.turn.asked.contains(seat)
    }

    /// The seats, in order.
    pub fn seats(&self) -> &[SeatScene] {
        &self.turn.seats
    }

    /// The table as the public sees it, drawn for a terminal.
    pub fn board(&self) -> String {
        self.table.text(Viewer::Public)
    }

    /// The same as SVG.
    pub fn svg(&self) -> String {
        self.table.svg(Viewer::Public)
    }
}

/// Shows matches to who watches, if anybody does; if not it costs nothing.
#[derive(Default)]
pub(crate) struct WatchFeed {
    watcher: Option<Box<dyn Watcher + Send>>,
    /// When the watcher may look again; none: at once.
    again: Option<Instant>,
    /// What was to be seen when the last turn began, and whether it was.
    turn: WatchTurn,
}

struct WatchTurn {
    began: Instant,
    plies: u64,
    asked: Seats,
    seats: Vec<SeatScene>,
    is_shown: bool,
}

impl Default for WatchTurn {
    fn default() -> Self {
        WatchTurn {
            began: Instant::now(),
            plies: 0,
            asked: Seats::NONE,
            seats: Vec::new(),
            is_shown: true,
        }
    }
}

impl WatchFeed {
    pub(crate) fn to(watcher: Box<dyn Watcher + Send>) -> Self {
        WatchFeed {
            watcher: Some(watcher),
            ..WatchFeed::default()
        }
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watcher.is_some()
    }

    /// A match begins.
    pub(crate) fn begins(&mut self, the_match: &Match) {
        if self.is_watched() {
            self.turn = WatchTurn {
                seats: vec![SeatScene::default(); the_match.players.len()],
                ..WatchTurn::default()
            };
        }
    }

    /// While bots think: shows the turn, if there was no time for that when it began. Never ends.
    pub(crate) async fn meanwhile(&mut self, the_match: &Match, table: &dyn Table) {
        // A game program would be asked while the clocks run.
        let is_built_in = the_match.game.program().is_none();
        if let (true, false, Some(again)) = (is_built_in, self.turn.is_shown, self.again) {
            tokio::time::sleep_until(again.into()).await;
            self.show(the_match, table);
        }
        pending::<()>().await;
    }

    /// The match is over.
    pub(crate) fn over(&mut self) {
        if let Some(watcher) = &mut self.watcher {
            watcher.over();
        }
    }

    fn show(&mut self, the_match: &Match, table: &dyn Table) {
        if let Some(watcher) = &mut self.watcher {
            let turn = &mut self.turn;
            turn.is_shown = true;
            watcher.look(&WatchView {
                the_match,
                table,
                turn,
            });
            self.again = Some(Instant::now() + LOOK_EVERY);
        }
    }
}

/// What a watcher is shown of one match.
pub(crate) struct Show<'p> {
    pub(crate) showing: &'p mut WatchFeed,
    pub(crate) the_match: &'p Match,
}

impl Listener for Show<'_> {
    /// Shows each turn when it begins, which is not on the clocks of those who are asked, if the time for that has
    /// come; and always the end, after which nothing comes.
    fn hear(&mut self, event: &MatchEvent<'_>, table: &dyn Table) {
        let showing = &mut *self.showing;
        if !showing.is_watched() {
            return;
        }
        let turn = &mut showing.turn;
        match *event {
            MatchEvent::Ready(_) | MatchEvent::Chance(_) => {}
            MatchEvent::Opening(acts) => turn.plies += acts.len() as u64,
            MatchEvent::Acts(acts) => {
                turn.plies += acts.len() as u64;
                for (seat, choice) in acts {
                    turn.seats[usize::from(*seat)].used_us += choice.us.unwrap_or(0);
                }
            }
            MatchEvent::Fault { seat, .. } => turn.seats[usize::from(seat)].is_disqualified = true,
            MatchEvent::Asked(asked) => {
                turn.asked = asked;
                turn.is_shown = false;
                if showing.again.is_none_or(|again| Instant::now() >= again) {
                    showing.show(self.the_match, table);
                }
            }
            MatchEvent::Over { .. } => {
                turn.asked = Seats::NONE;
                showing.show(self.the_match, table);
            }
        }
    }
}
