//! A list of results, as it was read.

use std::collections::BTreeSet;

use flipside_ratings::Seating;
use flipside_referee::MatchResult;

/// The most matches of a list.
pub const MAX_RESULTS: u64 = 10_000_000;

/// The most lines of a file.
pub const MAX_RESULT_LINES: u64 = 1_000_000;

/// The longest name of a bot in a file of results, in characters.
pub const MAX_RESULT_NAME: usize = 100;

/// What files of results look like, for whoever gives another.
pub const RESULT_FORMS: &str = "PGN begins with [, TRF with a number of three digits; of CSV, the first line names the \
                                columns: bot,opponent,wins,draws,losses, or \
                                bot,opponent,score, or bot,opponent,0,0.5,1,1.5,2, or match,bot,place";

/// Results of bots against each other.
///
/// ```
/// use flipside_tournament::ResultList;
///
/// let list = ResultList::read("bot,opponent,wins,draws,losses\nada,bob,12,3,5\nbob,eve,9,2,9\n")?;
/// let table = list.table();
/// assert_eq!(table.standings.rows[0].bot, "ada");
/// assert!(table.standings.rows[0].low < table.standings.rows[0].rating);
/// # Ok::<(), flipside_tournament::ResultsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ResultList {
    /// By number.
    pub(super) bots: Vec<String>,
    pub(super) seating: Seating,
    pub(super) matches_of_block: u8,
    pub(super) blocks: Vec<ResultBlock>,
    /// Whether any of it is counts of pairs of matches.
    pub(super) has_pairs: bool,
    /// Whether all of it is single matches, which have an order.
    pub(super) is_ordered: bool,
    /// Whether all matches say who sat in which seat.
    pub(super) has_seats: bool,
    pub(super) games: BTreeSet<String>,
    pub(super) left_out: LeftOut,
}

/// What stands in files of results, and does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Matches that the table of their tournament leaves out, because a bot in them was disqualified.
    pub uncounted: u64,
    /// Matches without a result.
    pub open: u64,
}

/// Matches that hang together, and how often there was such a block.
#[derive(Clone, Debug)]
pub(super) struct ResultBlock {
    pub(super) times: u64,
    pub(super) matches: Vec<ListedMatch>,
}

/// Who played by seat, and what came of it.
#[derive(Clone, Debug)]
pub(super) struct ListedMatch {
    pub(super) bots: Vec<usize>,
    pub(super) result: MatchResult,
}

/// Why a text is no list of results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", line.map_or_else(String::new, |line| format!("line {line}: ")))]
pub struct ResultsError {
    pub(super) line: Option<u64>,
    pub(super) what: String,
    pub(super) hint: &'static str,
}
