//! What a match says of the bots in it, as far as ratings and statistics read it.

/// The outcome of a match. Who has results in a form of their own implements it; [`RankedMatch`] is a plain one.
///
/// A match has the seats 0 to `self.entrants().len() - 1`.
pub trait Outcome {
    /// The place of the match in the order of play, from 0.
    fn index(&self) -> u64;

    /// The round, from 0: the rating period of Glicko-2.
    fn round(&self) -> u32;

    /// The block, from 0: its matches are between the same bots, with the seats permuted.
    fn block(&self) -> u64;

    /// Who played, by seat: numbers of entrants, from 0. A number that stands several times is one bot.
    fn entrants(&self) -> &[usize];

    /// Why the match ended.
    fn reason(&self) -> &str;

    /// Whether nobody played it, so that its places say nothing of who is better.
    fn is_unplayed(&self) -> bool;

    /// What came of a seat.
    ///
    /// # Panics
    /// When the match has no such seat.
    fn seat(&self, seat: usize) -> SeatOutcome;
}

/// What came of a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatOutcome {
    /// The place, from 1, which others may share; 0 if nothing was said.
    pub place: u8,
    /// Whether its bot did not come: then nothing is said of how strong it is.
    pub is_away: bool,
    /// Whether its bot was at fault.
    pub is_faulty: bool,
    /// The time that its bot used, in microseconds.
    pub used_us: u64,
    /// How many actions its bot chose.
    pub plies: u64,
}

/// The outcome of a match that was played, as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankedMatch {
    /// The place of the match in the order of play, from 0.
    pub index: u64,
    /// The round, from 0.
    pub round: u32,
    /// The block, from 0.
    pub block: u64,
    /// Who played, by seat.
    pub entrants: Vec<usize>,
    /// Why the match ended.
    pub reason: String,
    /// What came of each seat.
    pub seats: Vec<SeatOutcome>,
}

impl RankedMatch {
    /// The match of a round in which these entrants took these places, by seat. Its index and its block are 0:
    /// [`RankedMatch::at`] sets them, which statistics by block need.
    pub fn of(round: u32, places: &[(usize, u8)]) -> Self {
        let seat = |&(_, place): &(usize, u8)| SeatOutcome {
            place,
            ..SeatOutcome::default()
        };
        RankedMatch {
            round,
            entrants: places.iter().map(|&(entrant, _)| entrant).collect(),
            seats: places.iter().map(seat).collect(),
            ..RankedMatch::default()
        }
    }
}

impl RankedMatch {
    /// The same at this place in the order of play, in this block.
    #[must_use]
    pub fn at(self, index: u64, block: u64) -> Self {
        RankedMatch {
            index,
            block,
            ..self
        }
    }
}

impl Outcome for RankedMatch {
    fn index(&self) -> u64 {
        self.index
    }

    fn round(&self) -> u32 {
        self.round
    }

    fn block(&self) -> u64 {
        self.block
    }

    fn entrants(&self) -> &[usize] {
        &self.entrants
    }

    fn reason(&self) -> &str {
        &self.reason
    }

    fn is_unplayed(&self) -> bool {
        false
    }

    fn seat(&self, seat: usize) -> SeatOutcome {
        self.seats[seat]
    }
}
