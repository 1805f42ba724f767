//! Who sits at a table, what it waits for, and how a match ends.

use std::fmt;
use std::ops::Deref;

use serde::Serialize;

/// The number of a seat, from 0.
pub type Seat = u8;

/// No game here has more seats than this.
pub const MOST_SEATS: usize = 6;

/// A set of seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seats(u8);

impl Seats {
    /// No seat.
    pub const NONE: Seats = Seats(0);

    /// One seat.
    pub const fn one(seat: Seat) -> Self {
        Seats(1 << seat)
    }

    /// The first `count` seats.
    pub const fn first(count: u8) -> Self {
        Seats(((1u16 << count) - 1) as u8)
    }

    /// Whether a seat is in the set.
    pub const fn contains(self, seat: Seat) -> bool {
        seat < 8 && self.0 & (1 << seat) != 0
    }

    /// The set with a seat more.
    #[must_use]
    pub const fn with(self, seat: Seat) -> Self {
        Seats(self.0 | 1 << seat)
    }

    /// The set with a seat less.
    #[must_use]
    pub const fn without(self, seat: Seat) -> Self {
        Seats(self.0 & !(1 << seat))
    }

    /// How many seats are in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The lowest seat of the set.
    pub const fn lowest(self) -> Option<Seat> {
        if self.0 == 0 {
            None
        } else {
            Some(self.0.trailing_zeros() as Seat)
        }
    }
}

impl Iterator for Seats {
    type Item = Seat;

    fn next(&mut self) -> Option<Seat> {
        let seat = self.lowest()?;
        *self = self.without(seat);
        Some(seat)
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        seats.into_iter().fold(Seats::NONE, Seats::with)
    }
}

/// What a table waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// One seat (in turns) or several (simultaneously, none sees another's choice); never empty.
    Seats(Seats),
    /// A draw: dice, a deal.
    Chance,
    /// Nothing more: the match has ended.
    Over(Outcome),
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Points by seat; more is better, equal is a tie.
    pub points: Points,
    /// Why, by a name that the game's page lists.
    pub reason: &'static str,
}

impl Outcome {
    /// One point for the winner, none for the others.
    pub fn win(seats: u8, winner: Seat, reason: &'static str) -> Self {
        let mut points = Points::zero(seats);
        points.set(winner, 1);
        Outcome { points, reason }
    }

    /// No points for anybody.
    pub fn draw(seats: u8, reason: &'static str) -> Self {
        Outcome {
            points: Points::zero(seats),
            reason,
        }
    }
}

/// Points by seat.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Points {
    of: [i32; MOST_SEATS],
    seats: u8,
}

impl Points {
    /// No points for anybody.
    ///
    /// # Panics
    /// When `seats` is over [`MOST_SEATS`].
    pub fn zero(seats: u8) -> Self {
        assert!(
            usize::from(seats) <= MOST_SEATS,
            "more seats than a table has"
        );
        Points {
            of: [0; MOST_SEATS],
            seats,
        }
    }

    /// Sets a seat's points.
    pub fn set(&mut self, seat: Seat, points: i32) {
        self.of[..usize::from(self.seats)][usize::from(seat)] = points;
    }
}

impl Deref for Points {
    type Target = [i32];

    fn deref(&self) -> &[i32] {
        &self.of[..usize::from(self.seats)]
    }
}

impl fmt::Debug for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for Points {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Who looks at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// A seat, which sees its own secrets.
    Seat(Seat),
    /// Somebody who watches while the match runs and sees no secrets.
    Public,
    /// Anybody after the match: all secrets are open.
    Open,
}
