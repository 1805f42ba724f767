//! What happens in a match, as one stream: the record, the people at the terminal, the watcher and the result are all
//! made from it.

use flipside_games::{Seat, Seats, Table};

use crate::answer::Choice;
use crate::fault::Fault;
use crate::record::ReadyLine;
use crate::result::MatchResult;
use crate::seed::MatchSeed;

/// Something that happens in a match. Events come in the order in which the record keeps them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MatchEvent<'a> {
    /// A seat is ready.
    Ready(&'a ReadyLine),
    /// The plies of the opening were drawn, one after the other.
    Opening(&'a [(Seat, String)]),
    /// Chance did this, as JSON of the game's.
    Chance(&'a str),
    /// These seats are asked now. No clock runs yet.
    Asked(Seats),
    /// These seats acted, together, by ascending seat.
    Acts(&'a [(Seat, &'a Choice)]),
    /// A bot is disqualified.
    Fault {
        /// Its seat.
        seat: Seat,
        /// What it did wrong.
        fault: &'a Fault,
    },
    /// The match is over, and its seed is no secret any more.
    Over {
        /// What came of it.
        result: &'a MatchResult,
        /// The seed.
        seed: &'a MatchSeed,
    },
}

/// Something that is made from the events of a match.
pub(crate) trait Listener {
    /// Hears of an event; `table` is the table after it.
    fn hear(&mut self, event: &MatchEvent<'_>, table: &dyn Table);
}
