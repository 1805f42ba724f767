//! Many matches: the schedule, the journal that remembers them, ratings and tables.
//!
//! What remains to be played is schedule minus journal, so a tournament resumes by itself. The
//! schedule, the ratings and the standings are pure; only the arena and the journal touch the disk.
//!
//! ```
//! use flipside_referee::Salt;
//! use flipside_tournament::{Arena, Settings, unix_ms};
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
mod bot;
mod bot_file;
mod bots_settings;
mod change;
mod change_rules;
mod changes;
mod database;
mod difference;
mod director;
mod error;
pub mod formats;
mod history;
mod indices;
mod journal;
mod key;
pub mod league;
mod limits;
mod listing;
mod moment;
mod names;
mod outcome;
mod overall;
mod parallel;
mod policy;
mod profile;
mod record_summary;
mod remaining_matches;
mod results;
mod run;
mod schedule;
mod schedule_cursor;
mod settings;
mod slow_moves;
pub mod spec;
mod sprt_director;
mod sprt_settings;
mod standings;
mod tables;
#[cfg(test)]
mod testing;

pub use arena::{Arena, DescribedBot, RunLock};
pub use backup::Backup;
pub use bot::{Bot, BotId};
pub use bot_file::{BUNDLE_ENDING, BotFile, BotFileError, FileForm, KeptFile, SAMPLE_PREFIX};
pub use bots_settings::BotsSettings;
pub use change::{Change, ChangeError, ChangeReason, Changed, MAX_CHANGES, Requested};
pub use changes::{
    ChangeRow, ChangeWord, change_rows, request_change, request_join, settle_changes,
};
pub use database::{Tables, TablesError};
pub use difference::Difference;
pub use director::{Director, Next, Total};
pub use error::{Error, ErrorKind, Result, is_short};
pub use flipside_sandbox::ProgramKind;
pub use formats::{
    DecidedBy, Encounter, FORMATS, Format, FormatError, MAX_LADDER_MATCHES, Ranked, Ranking,
    Rounds, Seeding, TableOrder, most_swiss_rounds, swiss_rounds,
};
pub use history::{
    CurvePoint, HistoryRow, MAX_CURVE, RatingCurve, Rerated, for_each_in_history, history,
    ratings_with_curves, rerate,
};
pub use indices::Indices;
pub use journal::{
    Added, Audit, BannedWorker, Evidence, Finished, Import, Journal, KEPT_STDERR, LONGEST_RECORD,
    MatchFilter, MatchRow, NOTED_MATCHES, OpenedTournament, PackedNotes, PackedRecord, PlayedBy,
    RatingsStamp, Runs, Scored, SeatNotes, SeatRow, SeatTime, Snapshot, TableVersion, Tournament,
    TournamentFilter, TournamentId, TournamentKey, TournamentOrder, Void, WorkerTrail,
    request_name, requesting_account, unix_ms,
};
pub use limits::{LARGEST_BOT, MAX_ENTRANTS, MAX_VERSIONS};
pub use listing::{State, TournamentRow, tournament_row, tournaments};
pub use moment::utc;
pub use names::{BotRef, Name, NameError, Text, TextError};
pub use overall::{OverallRow, all_play_all, overall};
pub use policy::{FORFEIT, PAUSE_AFTER, Pause};
pub use profile::{
    EnteredRow, FaultRow, OpponentRow, Profile, SeatOutcomes, SeatOutcomesRow, seat_outcomes,
};
pub use remaining_matches::RemainingMatches;
pub use results::{
    MAX_RESULT_LINES, MAX_RESULT_NAME, MAX_RESULTS, RESULT_FORMS, ResultList, ResultsError, Tested,
};
pub use run::{
    Affinity, Assignment, Drawing, Live, LiveMatch, LiveSeat, MAX_AHEAD, MAX_GIVEN_UP_IN_A_ROW,
    MAX_TRIES, NotPlayed, RemoteBackend, RemoteBlocks, RemoteMatch, RemoteRunner, RemoteSeat,
    RunEvent, RunSummary, Stop, ToAudit, Unready, Voided, Workers, run,
};
pub use schedule::{MAX_ROUNDS, Pairing, RoundRobin, ScheduleError, match_id};
pub use settings::Settings;
pub use slow_moves::{MAX_RECORDS_READ, SlowMove, SlowMoves, slowest_moves, slowest_of_each_bot};
pub use spec::TournamentSpec;
pub use sprt_director::SprtDirector;
pub use sprt_settings::{asked_sprt, sprt_parameters};
pub use standings::{Cell, CrossTable, LeftAs, Row, Standings, Tally};
pub use tables::{
    Against, FullTable, GameRatings, RatingRow, against, full_table, ratings, ratings_against,
    seeds, table, test_path,
};
