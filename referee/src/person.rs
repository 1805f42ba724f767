//! A person on a seat: asked on the referee's own thread, without a clock.

use flipside_games::{Refusal, Seat, Table, Turn, Viewer};

/// Somebody who plays by hand. A person has no clock: in the record its actions take no time.
pub trait Person {
    /// Chooses a legal action; none: the person leaves, and the match has no result.
    fn choose(&mut self, question: &Question<'_>) -> Option<String>;
}

/// What a person is asked, and all that it may know.
pub struct Question<'a> {
    pub(crate) seat: Seat,
    pub(crate) table: &'a dyn Table,
    pub(crate) news: &'a [News],
}

/// Something that happened since the person was asked last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// A seat has acted.
    Act {
        /// Which.
        seat: Seat,
        /// What it did.
        action: String,
    },
    /// Chance has drawn, as the game's JSON.
    Draw(String),
    /// A bot has fallen.
    Fault {
        /// On which seat.
        seat: Seat,
        /// What it did wrong, in words.
        what: String,
    },
}

impl Question<'_> {
    /// The seat that is asked.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// What the seat sees, drawn for a terminal.
    pub fn board(&self) -> String {
        self.table.text(Viewer::Seat(self.seat))
    }

    /// The legal actions, in order.
    pub fn actions(&self) -> Vec<String> {
        self.table.actions(self.seat)
    }

    /// Whether other seats choose at the same time.
    pub fn is_shared(&self) -> bool {
        matches!(self.table.turn(), Turn::Seats(seats) if seats.len() > 1)
    }

    /// Whether an action is legal.
    ///
    /// # Errors
    /// Says why it is not.
    pub fn check(&self, action: &str) -> Result<(), Refusal> {
        self.table.check(self.seat, action)
    }

    /// What happened since this person was asked last. In a game with secrets, what others did and
    /// what chance drew may be one: then only faults are told.
    pub fn news(&self) -> impl Iterator<Item = &News> {
        let secrets = self.table.info().secrets;
        let own = self.seat;
        self.news.iter().filter(move |news| match news {
            News::Act { seat, .. } => *seat != own && !secrets,
            News::Draw(_) => !secrets,
            News::Fault { .. } => true,
        })
    }
}

/// Nobody: leaves as soon as it is asked.
pub(crate) struct Nobody;

impl Person for Nobody {
    fn choose(&mut self, _: &Question<'_>) -> Option<String> {
        None
    }
}
