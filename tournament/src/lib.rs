//! Many matches: the schedule, the journal that remembers them, ratings and tables.
//!
//! What remains to be played is schedule minus journal, so a tournament resumes by itself. The
//! schedule, the ratings and the standings are pure; only the arena and the journal touch the disk.
//!
//! ```
//! use flipside_tournament::{Arena, Format, Policy, Settings, unix_ms};
//!
//! let folder = tempfile::tempdir()?;
//! # for name in ["first", "second"] { std::fs::write(folder.path().join(name).with_extension("wat"), name)?; }
//! let arena = Arena::create(folder.path().join("arena"))?;
//! let mut journal = arena.journal()?;
//! let mut bots = Vec::new();
//! for name in ["first", "second"] {
//!     let kept = arena.keep(&folder.path().join(name).with_extension("wat"))?;
//!     bots.push(journal.add_bot(&name.parse()?, &kept, unix_ms())?.bot.id);
//! }
//! let settings = Settings {
//!     game: "flipfour".into(),
//!     options: "{}".into(),
//!     seats: 2,
//!     copies: 1,
//!     format: Format::RoundRobin,
//!     rounds: 10,
//!     seeds: Vec::new(),
//!     clock: "move=1s".parse()?,
//!     opening_plies: 0,
//!     seed: 1,
//!     salt: None,
//!     trust: true,
//!     ponder: false,
//!     policy: Policy::usual(),
//! };
//! let tournament = journal.begin(&"evening".parse()?, &settings, &bots, unix_ms())?.tournament;
//! let schedule = tournament.schedule()?;
//! let remaining = journal.played(tournament.id)?.missing(schedule.total()).count();
//! assert_eq!(remaining, 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod archive;
mod arena;
pub mod audit;
pub mod csv;
mod director;
mod error;
mod formats;
mod history;
mod indices;
mod journal;
mod names;
mod parallel;
mod placing;
mod policy;
mod ratings;
mod remains;
mod run;
mod schedule;
mod settings;
mod shown;
mod standings;
pub mod statistics;
mod tables;
#[cfg(test)]
mod testing;
mod walk;

pub use arena::{Arena, BotKind, KeptFile, LARGEST_BOT, RunLock};
pub use director::{Director, Fixed, Next, Outcome, Total};
pub use error::{Error, Result};
pub use formats::{
    DecidedBy, Encounter, LEAST_BATCH, MOST_BEST_OF, MOST_LADDER_MATCHES, MOST_TIE_BREAKS, Ranked,
    Ranking, most_swiss_rounds, swiss_rounds,
};
pub use history::{HistoryRow, Rerated, history, rerate};
pub use indices::Indices;
pub use journal::{
    Added, Begun, Bot, BotId, Detailed, Evidence, Finished, FinishedSeat, Import, Journal,
    LONGEST_RECORD, MOST_VERSIONS, MatchFilter, MatchRow, PackedRecord, Scored, SeatFault, SeatRow,
    SeatScore, Snapshot, Tournament, TournamentId, Used, Void, unix_ms,
};
pub use names::{BotRef, Name, NameError};
pub use policy::{FORFEIT, PAUSE_AFTER, Pause, Paused, PausedError, Policy};
pub use ratings::{Ladder, NEW_VOLATILITY, Rating, RatingError, SYSTEM_CONSTANT, rate};
pub use remains::Remains;
pub use run::{
    Event, Live, LiveMatch, LiveSeat, MOST_AHEAD, MOST_GIVEN_UP_IN_A_ROW, MOST_TRIES, Ran, Stop,
    Workers, run,
};
pub use schedule::{
    MOST_ENTRANTS, MOST_ROUNDS, Pairing, RoundRobin, ScheduleError, Seating, match_id,
};
pub use settings::{Difference, FORMATS, Format, FormatError, Seeding, Settings};
pub use standings::{Cell, CrossTable, Row, Standings, Tally, hundredths};
pub use tables::{FullTable, GameRatings, RatingRow, full_table, ratings, seeds, table};
