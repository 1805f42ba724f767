//! What a tournament is: its settings, which matches are played, and what their results say. All of it is computed:
//! no journal and no bot is opened here.
//!
//! ```
//! use flipside_referee::MatchResult;
//! use flipside_tournament::{Next, Settings};
//!
//! let settings = Settings {
//!     game: "flipfour".into(),
//!     format: "knockout".parse()?,
//!     ..Settings::default()
//! };
//! let mut director = settings.director(4)?;
//! let mut played = 0;
//! while let Next::Match(pairing) = director.next() {
//!     // The bot that was entered first wins.
//!     let first = pairing.seats[0] < pairing.seats[1];
//!     let places = if first { [1, 2] } else { [2, 1] };
//!     director.take(pairing.index, &MatchResult::of_places(places));
//!     played += 1;
//! }
//! assert_eq!(director.total().most(), played);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bot;
mod bot_file;
mod bots_settings;
mod change;
mod change_row;
pub mod change_rules;
mod difference;
mod director;
pub mod formats;
mod full_table;
mod game_version;
mod grades;
pub mod league;
mod limits;
mod moment;
mod names;
mod outcome;
pub mod pgn;
mod policy;
mod provenance;
mod results;
mod schedule;
mod schedule_cursor;
mod scored_pairing;
mod seed;
mod settings;
mod slow_moves;
pub mod spec;
mod sprt_director;
mod sprt_settings;
mod standings;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tournament;
pub mod trf;

pub use bot::{Bot, BotId};
pub use bot_file::{BUNDLE_ENDING, BotFile, BotFileError, FileForm, SAMPLE_PREFIX, is_sha256};
pub use bots_settings::BotsSettings;
pub use change::{Change, ChangeError, ChangeReason, Changed, MAX_CHANGES, Requested};
pub use change_row::{ChangeRow, ChangeWord};
pub use difference::Difference;
pub use director::{Director, Next, Total};
pub use formats::{
    DecidedBy, Encounter, FORMATS, Format, FormatError, MAX_LADDER_MATCHES, Ranked, Ranking,
    Rounds, Seeding, TableOrder, most_swiss_rounds, swiss_rounds,
};
pub use full_table::{Against, FullTable, against_rows, with_statistics};
pub use game_version::{GameVersion, GameVersionError, game_in_names};
pub use grades::{BotResult, GradeRow, grades};
pub use limits::{MAX_ENTRANTS, MAX_VERSIONS};
pub use moment::{milliseconds, serialize_ms, serialize_utc, serialize_utc_option, utc};
pub use names::{BotRef, Name, NameError, Text, TextError, nearest};
pub use outcome::{seat_points, single_match_points};
pub use policy::{FORFEIT, PAUSE_AFTER, Pause, PausedBots, PolicyDecision, forfeits, is_unplayed};
pub use provenance::{Import, Runs};
pub use results::{
    LeftOut, MAX_RESULT_LINES, MAX_RESULT_NAME, MAX_RESULTS, RESULT_FORMS, ResultList,
    ResultsError, ResultsReader, Tested,
};
pub use schedule::{MAX_ROUNDS, Pairing, RoundRobin, ScheduleError, match_id};
pub use schedule_cursor::{OTHERS_AWAY, ScheduleCursor};
pub use scored_pairing::ScoredPairing;
pub use seed::{WholeSeed, WholeSeedError};
pub use settings::Settings;
pub use slow_moves::{SlowMove, SlowMoves};
pub use spec::TournamentSpec;
pub use sprt_director::SprtDirector;
pub use sprt_settings::{asked_sprt, sprt_parameters};
pub use standings::{Cell, CrossTable, Leaver, LeftAs, Standings, StandingsRow, Tally};
pub use tournament::{REQUEST_PREFIX, Tournament, TournamentId, request_name, requesting_account};
