//! What can be done with an arena, as functions that take values and return values. They neither read a command line
//! nor print. The command is one front end of them.
//!
//! Long work reports its progress to a callback. A [`NoteSink`] hears what a person should know beside the result. A
//! [`Failure`] says what went wrong, with hints.
//!
//! ```
//! use flipside_operations::{MOST_DISK, PreparedTournament, Processes, Request, Runner, Submission, submit};
//! use flipside_runner::StopSignal;
//! use flipside_store::table;
//! use flipside_tournament::{Name, TournamentSpec};
//!
//! let folder = tempfile::tempdir()?;
//! let arena = folder.path().join("arena");
//! for name in ["one", "other"] {
//!     let file = folder.path().join(name);
//! #   let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../sample-bots/shell/random.sh");
//! #   assert!(std::process::Command::new("cp").arg(sample).arg(&file).status()?.success());
//!     let submission = Submission {
//!         file: &file,
//!         name: None,
//!         games: &["flipfour".into()],
//!         clock: "move=10s".parse()?,
//!         processes: Processes { trust: true, ponder: false },
//!     };
//!     submit(&arena, &submission, |_tried| Ok(()))?;
//! }
//!
//! let asked = TournamentSpec::from_toml("rounds = 1\ntrust = true\nclock = \"move=10s\"")?;
//! let bots = ["one".to_owned(), "other".to_owned()];
//! let request = Request::of(&arena, &asked, "flipfour", &bots, &mut |_| ())?;
//! let again = |name: &Name| format!("call it {name}");
//! let prepared = PreparedTournament::new(&arena, &request, &again, &mut |_| ())?;
//! let mut started = prepared.start(false, &mut |_| ())?;
//! let runner = Runner::new(&started.arena, &started.tournament, &started.sandbox, MOST_DISK)?;
//! runner.run(&mut started.journal, started.threads, &StopSignal::default(), |_event| ())?;
//! let standings = table(&started.journal, &started.tournament)?;
//! assert_eq!(standings.played, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod admission;
mod advice;
mod arena_games;
mod backup;
mod bots;
mod changes;
mod check;
mod concurrency;
mod debug;
mod disk;
mod entry;
mod environment;
mod example;
mod export;
mod failure;
mod files;
mod game_check;
mod game_program;
mod game_table;
mod games;
mod guides;
mod import;
mod left_out;
mod match_request;
mod matches;
mod new;
mod openings;
mod pack;
mod pgn;
mod plan;
mod programs;
mod received;
mod remote;
mod replay;
mod request;
mod rerun;
mod results;
mod resume;
mod rulebook;
mod seed;
mod signing;
mod start;
mod submit;
mod trf;
mod verify;
mod zip_writer;

use flipside_tournament::Name;

pub use admission::{RECEIVED_HEAD, is_sample_name, received_ending};
pub use advice::{FaultReport, MAX_STDERR_LINES};
pub use arena_games::{AddedGame, add_game, game_named, game_of_version, use_games};
pub use backup::{backup, restore};
pub use bots::{delete, refuse_needed, rename};
pub use changes::{
    ChangeMade, Extension, Joining, Leaving, cancel, delete_request, extend, join, withdraw,
};
pub use check::{
    CHECK_MATCH_TIME, CHECK_TIME, CHECKS, Check, CheckNews, CheckOutcome, CheckRequest,
    CheckStatus, Checked, CheckedStep, QUICK_CHECK_TIME, check, junit, junit_of_game,
};
pub use concurrency::{cores, most_at_once};
pub use debug::{
    ATTACHED_PATIENCE, Attach, ComparedAnswer, DEBUG_PATIENCE, DebugOutcome, DebugReplay,
    ReplayEvent, feed, find_debugged,
};
pub use disk::MOST_DISK;
pub use entry::{Entry, find_arena_player, find_player, find_program, program_in};
pub use environment::{
    Environment, LONGEST_REQUEST, MAX_PROGRAM_TABLES, MAX_TABLES, serve_environment,
};
pub use example::{Example, ExampleLine, example, view_in_lines};
pub use export::{
    ExportKind, ExportOptions, ExportStep, Exported, export, write_export, write_public_export,
};
pub use failure::{Failure, FailureKind, Result};
pub use files::{NewFile, new_file, read_text};
pub use game_check::{CheckedGame, GameCheck, GameCheckRequest, check_game, game_checks};
pub use games::{SampleScene, find_game, games_or_all, sample_board, sample_scenes, set_up};
pub use guides::{Guide, guide, guides};
pub use import::{ArchiveRerun, VerifiedArchive};
pub use left_out::games_left_out;
pub use match_request::TypedMatch;
pub use matches::{
    BySeat, MatchDetails, MatchQuery, find_against, find_entrant, find_history, find_ratings,
    find_tournament, for_each_match, match_details, slowest_moves,
};
pub use new::{
    GAME_LANGUAGES, LANGUAGES, Language, MAX_BOT_NAME, MadeBot, NewBot, NewGame, kit_zip, make_bot,
    make_game,
};
pub use pack::{Packed, pack};
pub use plan::{Plan, TimeEstimate};
pub use programs::{
    Processes, SAMPLE, enter_if_asked, jail, jail_in_a_group, plays_as_sample, prepare, samples_of,
};
pub use received::{
    ArchiveForm, FREE_UNPACKED, MAX_RATIO, MAX_UNPACKED, MAX_UNPACKED_FILES, ReceivedKind,
    RepackForm, SourceLanguage, UNPACKING, repack,
};
pub use remote::{LONGEST_TOKEN, RemoteBot, RemoteNews, RemoteSite, RemoteStep};
pub use replay::{
    Frames, MatchReplay, REPLAY_FORMAT, ReplayAct, ReplayChance, ReplayFault, ReplayHeader,
    ReplayReady, ReplaySeat, ReplayStep, StepKind, in_ms, last_board,
};
pub use request::Request;
pub use rerun::{Rerun, RerunNews, RerunResult, Rerunner, rerun, rerun_tournaments};
pub use results::read_results;
pub use rulebook::{common_rules, game_of, options_table, rules, rules_page};
pub use seed::{GivenSeed, drawn_id, seed_of_match};
pub use signing::{RecordFile, public_key, signed_by};
pub use start::{PreparedTournament, Runner, Started, in_part, raise_open_files};
pub use submit::{Submission, Submitted, TryoutResult, pondered, submit, submit_checked, warnings};
pub use verify::{AuditNews, Proof, VerifyAudit, audit_tournaments, read_record, verify};

/// Hears lines for a person: warnings, and what was decided without being asked. A line may begin with `hint: `.
pub type NoteSink<'a> = &'a mut dyn FnMut(&str);

/// Tells a person how to ask for the same tournament under a name.
pub type ResumeHint<'a> = &'a dyn Fn(&Name) -> String;
