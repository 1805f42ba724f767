//! What can be seen of a run while it is on: the matches that the threads play at the moment.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use flipside_games::SeatLook;
use flipside_referee::{WatchView, Watcher};

/// The matches that are being played, for whoever looks. Its clones are one. Nobody has to look, and the
/// results are the same whether somebody does.
#[derive(Clone, Debug, Default)]
pub struct Live {
    drawing: Drawing,
    desks: Arc<Mutex<Vec<Option<LiveMatch>>>>,
}

/// How boards are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drawing {
    /// For a terminal.
    #[default]
    Text,
    /// For a page.
    Svg,
}

/// A running match as it was seen last; with fast bots that is one match of many.
#[derive(Clone, Debug)]
pub struct LiveMatch {
    /// Its id.
    pub id: String,
    /// The seats, in order.
    pub seats: Vec<LiveSeat>,
    /// Actions taken, of all seats.
    pub plies: u64,
    /// When it began.
    pub began: Instant,
    /// The table as the public sees it, drawn as it was asked for; in a game with secrets nobody's are shown.
    pub board: String,
    /// Whether it has ended since.
    pub is_over: bool,
}

/// A seat of a running match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveSeat {
    /// Who plays: `greedy@2`.
    pub name: String,
    /// What its pieces look like, where it has any.
    pub look: Option<SeatLook>,
    /// The time used for moves.
    pub used: Duration,
    /// Whether the match waits for it.
    pub is_asked: bool,
    /// Whether its bot has fallen.
    pub is_disqualified: bool,
}

impl Live {
    /// Nothing yet; boards will be drawn so.
    pub fn drawn(drawing: Drawing) -> Self {
        Live {
            drawing,
            ..Live::default()
        }
    }

    /// The matches as they were seen last, at most one of each thread.
    pub fn matches(&self) -> Vec<LiveMatch> {
        self.desks().iter().flatten().cloned().collect()
    }

    /// Where a thread shows its matches.
    pub(crate) fn desk(&self, number: usize) -> LiveSlot {
        let live = self.clone();
        let mut desks = live.desks();
        let many = desks.len().max(number + 1);
        desks.resize(many, None);
        drop(desks);
        LiveSlot { live, number }
    }

    fn desks(&self) -> MutexGuard<'_, Vec<Option<LiveMatch>>> {
        self.desks.lock().expect("nobody panics who holds it")
    }
}

/// A thread's place; it is empty when the thread has gone.
pub(crate) struct LiveSlot {
    live: Live,
    number: usize,
}

impl Watcher for LiveSlot {
    fn look(&mut self, scene: &WatchView<'_>) {
        let the_match = scene.the_match();
        let seats = (0..).zip(&the_match.players).zip(scene.seats());
        let seen = LiveMatch {
            id: the_match.id.clone(),
            seats: seats
                .map(|((seat, player), seen)| LiveSeat {
                    name: player.name.clone(),
                    look: the_match.game.look(seat),
                    used: Duration::from_micros(seen.used_us),
                    is_asked: scene.is_asked(seat),
                    is_disqualified: seen.is_disqualified,
                })
                .collect(),
            plies: scene.plies(),
            began: scene.began(),
            board: match self.live.drawing {
                Drawing::Text => scene.board(),
                Drawing::Svg => scene.svg(),
            },
            is_over: false,
        };
        self.live.desks()[self.number] = Some(seen);
    }

    fn over(&mut self) {
        if let Some(seen) = &mut self.live.desks()[self.number] {
            seen.is_over = true;
        }
    }
}

impl Drop for LiveSlot {
    fn drop(&mut self) {
        self.live.desks()[self.number] = None;
    }
}
