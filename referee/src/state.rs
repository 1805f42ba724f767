//! The state of a match without its bots: the table, the clocks, who is disqualified, and the result. The referee
//! drives it with live answers and `verify` with recorded ones, so both judge by the same rules.

use std::collections::BTreeSet;

use flipside_games::{
    GameFailure, Outcome, Points, Refusal, Seat, SeatTurn, Seats, Setup, Table, Viewer,
};
use flipside_protocol::{Clock, Patience};
use rand::rngs::ChaCha8Rng;

use crate::clock::SeatClock;
use crate::opening;
use crate::result::{MatchResult, SeatResult};
use crate::seed::MatchSeed;

/// The reason of a match that faults decided.
pub const BY_FAULT: &str = "fault";

/// A match as its rules and its clocks see it.
pub(crate) struct MatchState {
    pub(crate) table: Box<dyn Table>,
    pub(crate) clocks: Vec<SeatClock>,
    /// Actions taken, of all seats, with those of the opening.
    pub(crate) plies: u64,
    seats: u8,
    /// The number of sides; two sides mean that a fault loses.
    sides: usize,
    /// The disqualified seats, in order; those of one entry were disqualified together.
    disqualified: Vec<Seats>,
    chance: ChaCha8Rng,
    stand_ins: Vec<ChaCha8Rng>,
}

/// What the match waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextStep {
    /// Answers of the seats in `asked`, and stand-ins for those in `disqualified`.
    Seats { asked: Seats, disqualified: Seats },
    /// A chance event.
    Chance,
    /// Nothing: it is decided.
    Decided,
}

impl MatchState {
    /// The state before the first event, with a clock for each seat and how long that may stand still.
    pub(crate) fn new(
        setup: Setup,
        clocks: impl Iterator<Item = (Clock, Option<Patience>)>,
        seed: &MatchSeed,
    ) -> Self {
        let seats = setup.table.seats();
        let sides: BTreeSet<u8> = (0..seats).map(|seat| setup.table.side(seat)).collect();
        MatchState {
            table: setup.table,
            clocks: clocks
                .map(|(clock, patience)| SeatClock::new(clock, patience))
                .collect(),
            plies: 0,
            seats,
            sides: sides.len(),
            disqualified: Vec::new(),
            chance: seed.chance(),
            stand_ins: (0..seats).map(|seat| seed.stand_in(seat)).collect(),
        }
    }

    /// The seats whose bots are still in the match.
    pub(crate) fn standing(&self) -> Seats {
        self.disqualified
            .iter()
            .flat_map(|&seats| seats)
            .fold(Seats::first(self.seats), Seats::without)
    }

    pub(crate) fn next(&self) -> NextStep {
        let standing = self.standing();
        let mut sides = standing.map(|seat| self.table.side(seat));
        let first = sides.next();
        if !self.disqualified.is_empty() && sides.all(|side| Some(side) == first) {
            return NextStep::Decided;
        }
        match self.table.turn() {
            SeatTurn::Over(_) => NextStep::Decided,
            SeatTurn::Chance => NextStep::Chance,
            SeatTurn::Seats(seats) => NextStep::Seats {
                asked: seats.filter(|&seat| standing.contains(seat)).collect(),
                disqualified: seats.filter(|&seat| !standing.contains(seat)).collect(),
            },
        }
    }

    /// Samples what chance does, applies it, and returns it as JSON.
    ///
    /// # Errors
    /// The program of the game fails.
    pub(crate) fn sample<'b>(&mut self, buffer: &'b mut Vec<u8>) -> Result<&'b str, GameFailure> {
        buffer.clear();
        self.table.sample(&mut self.chance, buffer);
        self.not_failed()?;
        let event = std::str::from_utf8(buffer).expect("JSON is text");
        let taken = self.table.chance(event);
        self.taken("chance", taken, event)?;
        Ok(event)
    }

    /// Fails where the program of the game has failed.
    ///
    /// # Errors
    /// How it failed.
    pub(crate) fn not_failed(&self) -> Result<(), GameFailure> {
        self.table.failure().map_or(Ok(()), Err)
    }

    /// What the game itself sampled or listed, it takes.
    fn taken(
        &self,
        step: &'static str,
        taken: Result<(), Refusal>,
        what: &str,
    ) -> Result<(), GameFailure> {
        match taken {
            Ok(()) => Ok(()),
            Err(Refusal::Failed(failure)) => Err(failure),
            Err(refusal) => Err(GameFailure {
                game: self.table.info().id.to_owned(),
                step,
                what: format!("it refuses {what}, which it sampled or listed: {refusal}"),
            }),
        }
    }

    /// Lets seats act together.
    pub(crate) fn act(&mut self, acts: &[(Seat, &str)]) -> Result<(), Refusal> {
        self.table.act(acts)?;
        self.plies += acts.len() as u64;
        Ok(())
    }

    /// Lets the seats act together as they chose; so many did.
    ///
    /// # Errors
    /// The program of the game fails.
    pub(crate) fn play(&mut self, seats: usize) -> Result<(), GameFailure> {
        let taken = self.table.play();
        self.taken("acts", taken, "the choices of the seats")?;
        self.plies += seats as u64;
        Ok(())
    }

    /// Draws the first plies, before anybody is asked, and takes them.
    ///
    /// # Errors
    /// The program of the game fails.
    pub(crate) fn open(
        &mut self,
        plies: u32,
        seed: &MatchSeed,
    ) -> Result<Vec<(Seat, String)>, GameFailure> {
        let opening = opening::draw(&*self.table, plies, &mut seed.opening())?;
        for (seat, action) in &opening {
            let taken = self.act(&[(*seat, action)]);
            self.taken("acts", taken, action)?;
        }
        Ok(opening)
    }

    /// Samples the action of a disqualified seat, uniformly from the match's seed.
    ///
    /// # Errors
    /// The program of the game fails.
    pub(crate) fn stand_in(&mut self, seat: Seat) -> Result<String, GameFailure> {
        let mut action = String::new();
        self.table
            .random_action(seat, &mut self.stand_ins[usize::from(seat)], &mut action);
        self.not_failed()?;
        Ok(action)
    }

    /// Lets a stand-in choose for a disqualified seat, and returns what it chose.
    ///
    /// # Errors
    /// The program of the game fails.
    pub(crate) fn let_stand_in_choose(&mut self, seat: Seat) -> Result<String, GameFailure> {
        let action = self.stand_in(seat)?;
        let taken = self.table.choose(seat, &action);
        self.taken("check", taken, &action)?;
        Ok(action)
    }

    /// Disqualifies seats, together. Where there are two sides, the other seats of their side are disqualified as well.
    pub(crate) fn disqualify(&mut self, seats: Seats) {
        let seats = if self.sides == 2 {
            let lost: Vec<u8> = seats.map(|seat| self.table.side(seat)).collect();
            (0..self.seats)
                .filter(|&seat| lost.contains(&self.table.side(seat)))
                .collect()
        } else {
            seats
        };
        let standing = self.standing();
        let seats: Seats = seats.filter(|&seat| standing.contains(seat)).collect();
        if !seats.is_empty() {
            self.disqualified.push(seats);
        }
    }

    /// What came of the match; asked when it is [`NextStep::Decided`]. `seats` tells what each seat did, and gets its
    /// points and its place here.
    ///
    /// Disqualified seats rank behind all others, the later the better; the others rank by the game's points.
    pub(crate) fn result(&self, mut seats: Vec<SeatResult>) -> MatchResult {
        let over = match self.table.turn() {
            SeatTurn::Over(outcome) => Some(outcome),
            SeatTurn::Seats(_) | SeatTurn::Chance => None,
        };
        let rank = |seat: Seat| -> (usize, i32) {
            let order = (self.disqualified.iter()).position(|seats| seats.contains(seat));
            let points = over.map_or(0, |outcome| outcome.points[usize::from(seat)]);
            order.map_or((usize::MAX, points), |order| (order, 0))
        };
        let ranks: Vec<_> = (0..self.seats).map(rank).collect();
        let (points, reason) = match over {
            Some(Outcome { points, reason }) => (points, reason),
            None => (self.sides_behind(&ranks), BY_FAULT),
        };
        for (at, seat) in seats.iter_mut().enumerate() {
            let ahead = ranks.iter().filter(|&other| *other > ranks[at]);
            seat.place = 1 + ahead.count() as u8;
            seat.points = points[at];
        }
        MatchResult {
            reason: reason.to_owned(),
            plies: self.plies,
            seats,
        }
    }

    /// By seat, how many sides rank behind its own: 1 and 0 where two sides play.
    fn sides_behind(&self, ranks: &[(usize, i32)]) -> Points {
        let mut points = Points::zero(self.seats);
        for seat in 0..self.seats {
            let behind: BTreeSet<u8> = (0..self.seats)
                .filter(|&other| ranks[usize::from(other)] < ranks[usize::from(seat)])
                .map(|other| self.table.side(other))
                .collect();
            points.set(seat, behind.len() as i32);
        }
        points
    }

    /// The table with all that is hidden, as JSON, for when the match is decided.
    pub(crate) fn final_view(&self) -> String {
        let mut view = Vec::new();
        self.table.write_view(Viewer::Open, &mut view);
        String::from_utf8(view).expect("JSON is text")
    }
}
