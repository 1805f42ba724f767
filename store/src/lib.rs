//! What lies in the folder of an arena: the bots' files, the journal that remembers what was played, archives, backups
//! and the arena's key. And what the journal says when somebody asks: what remains to be played, ratings and tables.
//!
//! What remains to be played is schedule minus journal, so a tournament resumes by itself.
//!
//! ```
//! use flipside_referee::Salt;
//! use flipside_store::{Arena, unix_ms};
//! use flipside_tournament::Settings;
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
//!     rounds: 10,
//!     salt: Salt::draw()?,
//!     trust: true,
//!     ..Settings::default()
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
mod backup;
mod changes;
mod container;
mod database;
mod error;
mod hashing;
mod history;
mod indices;
mod journal;
mod kept_file;
mod key;
mod limits;
mod listing;
mod overall;
mod parallel;
mod profile;
mod record_summary;
mod remaining_matches;
mod scheduler;
mod slow_moves;
mod tables;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use arena::{Arena, DescribedBot, RunLock};
pub use backup::Backup;
pub use changes::{change_rows, request_change, request_join, settle_changes};
pub use database::{Tables, TablesError};
pub use error::{Error, ErrorKind, GOES_ON, Result, is_short};
pub use history::{
    CurvePoint, HistoryRow, MAX_CURVE, RatingCurve, Rerated, for_each_in_history, history,
    ratings_with_curves, rerate,
};
pub use indices::Indices;
pub use journal::{
    Added, Audit, BannedWorker, DamagedGame, Evidence, FinishedMatch, ImportedGame, Journal,
    KEPT_STDERR, LONGEST_RECORD, MatchFilter, MatchRow, NOTED_MATCHES, OpenedTournament,
    PackedNotes, PackedRecord, PlayedBy, RatingsStamp, SeatNotes, SeatRow, SeatTime, Snapshot,
    StoredGame, TableVersion, TournamentFilter, TournamentKey, TournamentOrder, VoidMatch,
    WorkerTrail, check_settings, unix_ms,
};
pub use kept_file::KeptFile;
pub use limits::LARGEST_BOT;
pub use listing::{TournamentRow, TournamentState, tournament_row, tournaments};
pub use overall::{OverallRow, all_play_all, overall};
pub use profile::{
    EnteredRow, FaultRow, OpponentRow, Profile, SeatOutcomes, SeatOutcomesRow, seat_outcomes,
};
pub use record_summary::RecordSummary;
pub use remaining_matches::RemainingMatches;
pub use scheduler::{MAX_AHEAD, Scheduler, SchedulerEvent, Task, Work};
pub use slow_moves::{MAX_RECORDS_READ, slowest_moves, slowest_of_each_bot};
pub use tables::{
    GameRatings, RatingRow, against, full_table, ratings, ratings_against, seeds, table, test_path,
};
