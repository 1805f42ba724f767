//! What can be done with an arena, as functions: they take values and give values, and neither read a command line nor
//! print. The command and other front ends call them.
//!
//! What takes long tells how far it is through a callback. What a person should know beside the result comes as a
//! [`Note`]. What goes wrong is a [`Failure`] with its hints.

mod concurrency;
mod disk;
mod entry;
mod export;
mod failure;
mod files;
mod games;
mod import;
mod matches;
mod plan;
mod programs;
mod replay;
mod request;
mod resume;
mod seed;
mod start;
mod submit;
mod verify;

use flipside_tournament::Name;

pub use concurrency::{cores, most_at_once};
pub use disk::Size;
pub use entry::{Entry, find_player};
pub use export::{ExportKind, ExportOptions, ExportStep, Exported, export, write_export};
pub use failure::{Failure, FailureKind, Result};
pub use files::NewFile;
pub use games::{find_game, games_or_all, set_up};
pub use import::VerifiedArchive;
pub use matches::{
    MatchDetails, MatchQuery, SeatEvidence, find_history, find_ratings, find_tournament,
    match_details, matches,
};
pub use plan::{Estimate, Plan};
pub use programs::{COMPILER, Processes, SAMPLE, STAGE, enter_if_asked, jail, prepare};
pub use replay::{last_board, plies_of, svg_after};
pub use request::Request;
pub use seed::{GivenSeed, drawn_id, seed_of_match};
pub use start::{Prepared, Runner, Started, in_part};
pub use submit::{Submission, Submitted, submit};
pub use verify::{Audit, AuditNews, Proof, audit_tournaments, read_record, verify};

/// Hears lines for a person: warnings, and what was decided without being asked. A line may begin with `hint: `.
pub type Note<'a> = &'a mut dyn FnMut(&str);

/// Tells a person how to ask for the same tournament under a name.
pub type Again<'a> = &'a dyn Fn(&Name) -> String;
