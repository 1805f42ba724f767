//! A person at the table: asked on the referee's own thread and without a clock, and told what
//! happens as far as the seat may know it. What a person looks at, and types, is others' business.

use flipside_games::{ActionPath, Info, Refusal, Seat, SeatTurn, Seats, Table, Viewer};

use crate::answer::Choice;
use crate::event::{Listener, MatchEvent};
use crate::fault::{Fault, FaultKind};

/// Somebody who plays by hand.
pub trait Person {
    /// Chooses for a seat. A person has no clock. Bots that are asked at the same time have answered
    /// before, so nothing can tell them what the person chooses.
    ///
    /// What the table refuses is a fault, as a bot's would be: ask [`SeatView::check`] first.
    fn choose(&mut self, place: &SeatView<'_>) -> Decision;

    /// Learns what has happened; `place` is the table after it.
    fn learn(&mut self, place: &SeatView<'_>, news: &PersonUpdate<'_>) {
        let _ = (place, news);
    }
}

/// What a person decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// To do this.
    Act(String),
    /// To leave the table. That is what closing its output is for a bot: with two sides the other
    /// one has won, with more the match goes on, and legal actions are drawn for the empty seat.
    Leave,
    /// To break the match off for everybody. It has no result then, and no record.
    BreakOff,
}

/// A seat at a table, and no more than who sits there may know.
pub struct SeatView<'a> {
    seat: Seat,
    table: &'a dyn Table,
}

impl SeatView<'_> {
    /// The seat.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The facts of the game.
    pub fn info(&self) -> &'static Info {
        self.table.info()
    }

    /// What the seat sees, drawn for a terminal.
    pub fn board(&self) -> String {
        self.table.text(Viewer::Seat(self.seat))
    }

    /// The same as SVG for a page.
    pub fn svg(&self) -> String {
        self.table.svg(Viewer::Seat(self.seat))
    }

    /// An action in words that follow the name of who takes it.
    pub fn action_in_words(&self, action: &str) -> String {
        self.table.action_in_words(action)
    }

    /// A random event in words.
    pub fn chance_in_words(&self, event: &str) -> String {
        self.table.chance_in_words(event)
    }

    /// The legal actions of the seat, in order; none where it is not asked.
    pub fn actions(&self) -> Vec<String> {
        self.table.actions(self.seat)
    }

    /// How a person points at them on [`svg`](Self::svg), in the same order.
    pub fn paths(&self) -> Vec<ActionPath> {
        self.table.paths(self.seat)
    }

    /// Whether other seats choose at the same time.
    pub fn is_shared(&self) -> bool {
        matches!(self.table.turn(), SeatTurn::Seats(seats) if seats.len() > 1)
    }

    /// Whether the seat may do this now.
    ///
    /// # Errors
    /// Says why not.
    pub fn check(&self, action: &str) -> Result<(), Refusal> {
        self.table.check(self.seat, action)
    }
}

/// Something that has happened, as far as a seat may know. Of what is hidden from the seat, it learns only that it
/// happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonUpdate<'a> {
    /// Chance has drawn this, as JSON of the game's.
    Draw(Option<&'a str>),
    /// Seats have acted, together.
    Acts(Vec<SeatChoice<'a>>),
    /// A bot is disqualified.
    Fault {
        /// On which seat.
        seat: Seat,
        /// The name of what it did wrong.
        kind: FaultKind,
        /// All about it.
        fault: Option<&'a Fault>,
    },
}

/// A choice that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatChoice<'a> {
    /// Whose.
    pub seat: Seat,
    /// What it was.
    pub action: Option<&'a str>,
    /// Whether the referee sampled it for a disqualified bot.
    pub stand_in: bool,
}

impl<'a> PersonUpdate<'a> {
    /// Returns what a seat may know of an event that led to this table; nothing where it is no news to people. A game
    /// with secrets hides what a fault shows.
    fn of(event: &MatchEvent<'a>, own: Seat, table: &dyn Table) -> Option<Self> {
        let (viewer, secrets) = (Viewer::Seat(own), table.info().secrets);
        let acted = |&(seat, choice): &(Seat, &'a Choice)| {
            let is_known = table.sees_action(viewer, seat, &choice.action);
            SeatChoice {
                seat,
                action: is_known.then_some(choice.action.as_str()),
                stand_in: choice.us.is_none(),
            }
        };
        Some(match *event {
            MatchEvent::Chance(event) => {
                PersonUpdate::Draw(table.sees_chance(viewer, event).then_some(event))
            }
            MatchEvent::Acts(acts) => PersonUpdate::Acts(acts.iter().map(acted).collect()),
            MatchEvent::Fault { seat, fault } => PersonUpdate::Fault {
                seat,
                kind: fault.kind,
                fault: (!secrets).then_some(fault),
            },
            MatchEvent::Ready(_)
            | MatchEvent::Opening(_)
            | MatchEvent::Asked(_)
            | MatchEvent::Over { .. } => return None,
        })
    }
}

/// The people of a match, as long as they sit at the table.
pub(crate) struct People<'p> {
    pub(crate) person: &'p mut dyn Person,
    /// The seats of people who have not left the table.
    pub(crate) seats: Seats,
}

impl People<'_> {
    /// Asks the person on a seat.
    pub(crate) fn choose(&mut self, seat: Seat, table: &dyn Table) -> Decision {
        self.person.choose(&SeatView { seat, table })
    }
}

impl Listener for People<'_> {
    fn hear(&mut self, event: &MatchEvent<'_>, table: &dyn Table) {
        if let MatchEvent::Fault { seat, .. } = event {
            self.seats = self.seats.without(*seat);
        }
        for seat in self.seats {
            if let Some(news) = PersonUpdate::of(event, seat, table) {
                self.person.learn(&SeatView { seat, table }, &news);
            }
        }
    }
}

/// Nobody: for a match without people.
pub(crate) struct NoPerson;

impl Person for NoPerson {
    fn choose(&mut self, _: &SeatView<'_>) -> Decision {
        Decision::BreakOff
    }
}
