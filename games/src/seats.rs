//! Seats, turns, outcomes and viewers.

use std::fmt;
use std::ops::Deref;

use serde::Serialize;

/// The number of a seat, from 0.
pub type Seat = u8;

/// The maximum number of seats of a game.
pub const MAX_SEATS: usize = 6;

/// A set of seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seats(u8);

impl Seats {
    /// No seat.
    pub const NONE: Seats = Seats(0);

    /// Returns the set of one seat.
    pub const fn one(seat: Seat) -> Self {
        Seats(1 << seat)
    }

    /// Returns the first `count` seats.
    pub const fn first(count: u8) -> Self {
        Seats(((1u16 << count) - 1) as u8)
    }

    /// Returns whether a seat is in the set.
    pub const fn contains(self, seat: Seat) -> bool {
        seat < 8 && self.0 & (1 << seat) != 0
    }

    /// Returns the set with a seat added.
    #[must_use]
    pub const fn with(self, seat: Seat) -> Self {
        Seats(self.0 | 1 << seat)
    }

    /// Returns the set with a seat removed.
    #[must_use]
    pub const fn without(self, seat: Seat) -> Self {
        Seats(self.0 & !(1 << seat))
    }

    /// Returns the number of seats in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the lowest seat of the set.
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

/// What a match waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatTurn {
    /// One seat, or several that choose simultaneously without seeing each other's choices. Never
    /// empty.
    Seats(Seats),
    /// An outcome of chance: dice, a deal.
    Chance,
    /// Nothing. The match has ended.
    Over(Outcome),
}

impl SeatTurn {
    /// Returns the seats that are asked; none if the match waits for chance or is over.
    pub fn asked(self) -> Seats {
        match self {
            SeatTurn::Seats(asked) => asked,
            SeatTurn::Chance | SeatTurn::Over(_) => Seats::NONE,
        }
    }
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Points by seat. More are better, equal points are a tie.
    pub points: Points,
    /// The name of the rule that ended the match, as the game's page lists it.
    pub reason: &'static str,
}

impl Outcome {
    /// Returns the places by seat: 1 is the best, equal is a tie, and the place after a tie of two is two further.
    pub fn places(&self) -> Vec<u8> {
        let ahead = |own: &i32| self.points.iter().filter(|other| *other > own).count();
        self.points.iter().map(|own| 1 + ahead(own) as u8).collect()
    }
}

/// Points by seat.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Points {
    of: [i32; MAX_SEATS],
    seats: u8,
}

impl Points {
    /// Returns zero points for each seat.
    ///
    /// # Panics
    /// Panics when `seats` is over [`MAX_SEATS`].
    pub fn zero(seats: u8) -> Self {
        assert!(
            usize::from(seats) <= MAX_SEATS,
            "more seats than a table has"
        );
        Points {
            of: [0; MAX_SEATS],
            seats,
        }
    }

    /// Sets a seat's points.
    pub fn set(&mut self, seat: Seat, points: i32) {
        self.of[..usize::from(self.seats)][usize::from(seat)] = points;
    }
}

impl FromIterator<i32> for Points {
    /// Collects the points of the seats in order.
    ///
    /// # Panics
    /// Panics when there are more than [`MAX_SEATS`].
    fn from_iter<I: IntoIterator<Item = i32>>(points: I) -> Self {
        let mut all = Points::zero(0);
        for points in points {
            all.of[usize::from(all.seats)] = points;
            all.seats += 1;
        }
        all
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

/// Who looks at a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// A seat, which sees its own hidden information.
    Seat(Seat),
    /// A spectator during the match, who sees no hidden information.
    Public,
    /// Anybody after the match. All information is open.
    Open,
}
