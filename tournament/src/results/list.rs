//! A list of results, as it was read.

use flipside_ratings::Seating;
use flipside_referee::MatchResult;

/// The most matches of a list.
pub const MAX_RESULTS: u64 = 10_000_000;

/// The most lines of a file.
pub const MAX_RESULT_LINES: u64 = 1_000_000;

/// The longest name of a bot in a file of results, in characters.
pub const MAX_RESULT_NAME: usize = 100;

/// What files of results look like, for whoever gives another.
pub const RESULT_FORMS: &str = "the first line names the columns: bot,opponent,wins,draws,losses, or \
                                bot,opponent,score, or bot,opponent,0,0.5,1,1.5,2, or match,bot,place";

/// Results of bots against each other.
///
/// ```
/// use flipside_tournament::ResultList;
///
/// let list = ResultList::from_csv("bot,opponent,wins,draws,losses\nada,bob,12,3,5\nbob,eve,9,2,9\n")?;
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
    pub(super) form: Form,
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

/// What the lines of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// How many matches one bot won, drew and lost against another.
    Counts,
    /// How many pairs of matches gave a bot each number of points against another.
    Pairs,
    /// The score of a match of two bots.
    Matches,
    /// A seat of a match.
    Seats,
}

/// Why a text is no list of results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", line.map_or_else(String::new, |line| format!("line {line}: ")))]
pub struct ResultsError {
    pub(super) line: Option<u64>,
    pub(super) what: String,
    pub(super) hint: &'static str,
}
