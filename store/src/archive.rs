//! A tournament as one file, for another arena: its settings, its bots by name and hash, and the record of
//! every match. Who takes it in believes none of its tables: the records are refereed again, and what
//! counts is what comes of that.
//!
//! It is a tar archive, compressed with zstd, which any tar unpacks. Its files come in this order:
//!
//! ```text
//! NAME/archive.json            the format, the settings, the bots, what was changed, how many matches there are
//! NAME/game/FILE               the program of the game, if it is not built in, as it lies in the arena
//! NAME/voids.jsonl             matches that the host failed to play, a line for each failure
//! NAME/results/000000.jsonl    the results of the first matches, a line for each
//! NAME/records/NAME-0.jsonl    the records of these matches, but of those that were forfeited
//! …
//! NAME/results/000001.jsonl    and so on, in order of the schedule
//! NAME/signature.json          if it is signed: the hash of all bytes before it, and the arena's signature of that
//! ```
//!
//! The matches are those from the first of the schedule on, without a gap: what a format names next may
//! depend on all results before. The bots' files are not in it, and neither is what the journal keeps beside
//! the records of bots that failed.

pub(crate) mod check;
mod game;
pub(super) mod import;
mod read;
mod records;
pub(crate) mod seal;
#[cfg(test)]
mod tests;
mod write;

use std::fmt::Display;

use flipside_referee::{ModelUse, SeatFault, SeatResult, VerifyError, without_choices};
use flipside_sandbox::ProgramKind;
use flipside_tournament::{BotFile, Changed, Name, ScheduleError, Settings, Tournament};
use serde::{Deserialize, Serialize};

use crate::container::ContainerError;
use crate::error::Error;
use crate::journal::matches::FinishedMatch;

pub use crate::journal::imports::Names;
pub use check::{CheckedArchive, LATEST_MS, check, derived, is_a_time};
pub use game::game_in;
pub use import::{Imported, import};
pub use records::for_each_record;
pub use write::{WrittenArchive, write};

/// The version of the format.
pub const FORMAT: u32 = 1;

/// How many matches have their results in one file.
const BATCH: usize = 256;

/// After so many bytes of records a file of results ends before it has [`BATCH`] matches.
const BATCH_BYTES: usize = 8 << 20;

/// The most times that a match may have been void: what is beyond is left out of an archive.
const MAX_VOIDS: usize = 100;

/// The longest file of an archive that is no record, in bytes.
const LONGEST_TABLE: u64 = 64 << 20;

/// The first file: what is in the archive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArchiveHeader {
    /// The version of the format.
    pub format: u32,
    /// The version of the program that wrote it.
    pub flipside: String,
    /// The tournament's name; the ids of its matches begin with it.
    pub tournament: Name,
    /// What the tournament is fixed by.
    pub settings: Settings,
    /// The program of the game; none of a built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<ArchivedGame>,
    /// When it was begun, in milliseconds since 1970.
    pub created_at: u64,
    /// Its bots, by number of entrant; those that joined follow those that it began with.
    pub bots: Vec<Entrant>,
    /// What was changed since it began, in the order of the requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Changed>,
    /// Whether the last file is a signature.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
    /// How many matches are in the archive.
    pub matches: u64,
}

/// The program of the game of an archived tournament, which is in the archive. The settings have its name and version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArchivedGame {
    /// The name of its file.
    pub file: BotFile,
    /// How many bytes the file has.
    pub bytes: u64,
}

/// A bot of an archived tournament, whose file stays where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// Its name in the other arena.
    pub name: Name,
    /// Its version there.
    pub version: u32,
    /// How it runs.
    pub kind: ProgramKind,
    /// The SHA-256 of its file, hexadecimal.
    pub sha256: String,
    /// Its size in bytes; of a bundle, that of all its files together.
    pub size: u64,
}

/// A line of the results, as archives store it: a [`FinishedMatch`] with the names of its bots, which is the same in every
/// arena. Its keys are those of the format and may not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultLine {
    id: String,
    index: u64,
    round: u32,
    block: u64,
    started_at: u64,
    duration_us: u64,
    reason: String,
    plies: u64,
    seats: Vec<ArchivedSeat>,
    /// The SHA-256 of the record, hexadecimal; none of a match that was forfeited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    record: Option<String>,
}

/// A [`SeatResult`] with the name of its bot, as archives store it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArchivedSeat {
    bot: String,
    points: i32,
    place: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<SeatFault>,
    used_us: u64,
    plies: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<ModelUse>,
}

/// Why an archive is not taken in.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is not an archive of this program.
    #[error("it is not an archive of a tournament: {0}")]
    NotAnArchive(String),
    /// It has another version of the format.
    #[error("the archive has format {found}, and this flipside reads format {FORMAT}")]
    OtherFormat {
        /// Its format.
        found: u32,
    },
    /// A file of it is none of this format.
    #[error("{file} is not as this flipside writes it: {what}")]
    OtherFile {
        /// Which.
        file: String,
        /// What does not fit.
        what: String,
    },
    /// It stops before its end.
    #[error("the archive is cut off: {0}")]
    Cut(String),
    /// Its settings are not those of a tournament.
    #[error("the archive's settings: {0}")]
    Settings(String),
    /// A file of it is not as it must be.
    #[error("{file}: {what}")]
    File {
        /// Which.
        file: String,
        /// What is wrong with it.
        what: String,
    },
    /// A match's record is not true.
    #[error("the record of match {id}: {error}")]
    Record {
        /// The match's id.
        id: String,
        /// Why it is not.
        error: VerifyError,
    },
    /// A match is not one that this tournament has, or its result is not what its record says.
    #[error("match {id}: {what}")]
    Match {
        /// The match's id.
        id: String,
        /// What is wrong with it.
        what: String,
    },
    /// Its signature is not one of its bytes by the key that it names.
    #[error("the signature does not fit: the archive was changed after it was signed")]
    WrongSignature,
    /// It has changed since it was looked at.
    #[error("the archive changed while it was read")]
    Changed,
    /// The arena may not grow more.
    #[error("there is no more room for it; what has been taken in is kept")]
    NoRoom,
    /// The arena cannot take it.
    #[error(transparent)]
    Arena(#[from] Error),
}

impl ArchiveError {
    /// A file of the archive, or a line of it, is other JSON than this program writes.
    fn other_file(file: &str, line: Option<usize>, error: &serde_json::Error) -> Self {
        let error = error.to_string();
        let error = without_choices(&error);
        let file = file.into();
        let what = line.map_or_else(|| error.into(), |line| format!("line {line}: {error}"));
        ArchiveError::OtherFile { file, what }
    }

    /// What is wrong with a file of the archive.
    fn file(file: impl Into<String>, what: impl Into<String>) -> Self {
        let (file, what) = (file.into(), what.into());
        ArchiveError::File { file, what }
    }

    /// The way out, if there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            ArchiveError::NotAnArchive(_) => {
                "`flipside export TOURNAMENT FILE.tar.zst` writes one; if that wrote it, take it again \
                 from where it came: it may be cut off"
                    .into()
            }
            ArchiveError::OtherFormat { .. } | ArchiveError::OtherFile { .. } => {
                "use the flipside that wrote it".into()
            }
            ArchiveError::Cut(_) => "take it again from where it came".into(),
            ArchiveError::Settings(_) | ArchiveError::File { .. } => {
                "nothing was taken in; an archive is to be taken as `flipside export` wrote it"
                    .into()
            }
            ArchiveError::Record { .. } | ArchiveError::Match { .. } => {
                "nothing was taken in: an archive counts as a whole or not at all".into()
            }
            ArchiveError::WrongSignature => {
                "nothing was taken in; take the archive again from where it came".into()
            }
            ArchiveError::Changed => "try again when nothing writes to it".into(),
            ArchiveError::NoRoom => {
                "the same command goes on; give it more with --most-disk SIZE".into()
            }
            ArchiveError::Arena(error) => return error.hint(),
        })
    }
}

impl From<ContainerError> for ArchiveError {
    fn from(error: ContainerError) -> Self {
        match error {
            ContainerError::NotOne(what) => ArchiveError::NotAnArchive(what),
            ContainerError::Cut(what) => ArchiveError::Cut(what),
            ContainerError::File(file, what) => ArchiveError::File { file, what },
        }
    }
}

impl From<ScheduleError> for ArchiveError {
    fn from(error: ScheduleError) -> Self {
        ArchiveError::Settings(error.to_string())
    }
}

impl Entrant {
    fn label(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

impl ResultLine {
    /// The line of a result, with the hash of the record's text.
    pub(crate) fn of(
        finished: &FinishedMatch,
        tournament: &Tournament,
        record: Option<String>,
    ) -> Self {
        let FinishedMatch {
            tournament: _,
            id,
            scored,
            started_at,
            duration_us,
            record: _,
            evidence: _,
            notes: _,
            played_by: _,
        } = finished;
        let seat = |(entrant, seat): (usize, &SeatResult)| ArchivedSeat {
            bot: tournament.entrants[entrant].label(),
            points: seat.points,
            place: seat.place,
            fault: seat.fault.clone(),
            used_us: seat.used_us,
            plies: seat.plies,
            model: seat.model,
        };
        ResultLine {
            id: id.clone(),
            index: scored.pairing.index,
            round: scored.pairing.round,
            block: scored.pairing.block,
            started_at: *started_at,
            duration_us: *duration_us,
            reason: scored.result.reason.clone(),
            plies: scored.result.plies,
            seats: scored.seats().map(seat).collect(),
            record,
        }
    }

    /// In what this line differs from what is due, in words; nothing if it does not.
    pub(crate) fn differences(&self, due: &Self) -> Option<String> {
        // Taken apart so that a new field cannot be forgotten here.
        let ResultLine {
            id,
            index,
            round,
            block,
            started_at,
            duration_us,
            reason,
            plies,
            seats,
            record,
        } = self;
        let mut all = Vec::new();
        all.extend(differs("id", id, &due.id));
        all.extend(differs("number", index, &due.index));
        all.extend(differs("round", round, &due.round));
        all.extend(differs("block", block, &due.block));
        all.extend(differs("beginning", started_at, &due.started_at));
        all.extend(differs("duration", duration_us, &due.duration_us));
        all.extend(differs("reason", reason, &due.reason));
        all.extend(differs("plies", plies, &due.plies));
        all.extend(differs("seats", &seats.len(), &due.seats.len()));
        for (seat, (mine, due)) in seats.iter().zip(&due.seats).enumerate() {
            all.extend(mine.differences(seat, due));
        }
        let hash = |record: &Option<String>| record.clone().unwrap_or_else(|| "none".into());
        all.extend(differs("record", &hash(record), &hash(&due.record)));
        (!all.is_empty()).then(|| all.join("; "))
    }
}

impl ArchivedSeat {
    fn differences(&self, seat: usize, due: &Self) -> Vec<String> {
        let ArchivedSeat {
            bot,
            points,
            place,
            fault,
            used_us,
            plies,
            model,
        } = self;
        let of = |what: &str| format!("{what} of seat {seat}");
        let name = |fault: &Option<SeatFault>| match fault {
            Some(fault) => format!("{}: {}", fault.name, fault.detail),
            None => "none".into(),
        };
        let json = |model| serde_json::to_string(model).expect("numbers are JSON");
        [
            differs(&of("bot"), bot, &due.bot),
            differs(&of("points"), points, &due.points),
            differs(&of("place"), place, &due.place),
            differs(&of("fault"), &name(fault), &name(&due.fault)),
            differs(&of("microseconds"), used_us, &due.used_us),
            differs(&of("plies"), plies, &due.plies),
            differs(&of("language model"), &json(model), &json(&due.model)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// How much is said of a value that differs, in characters.
const MAX_SAID: usize = 80;

fn differs<T: PartialEq + Display>(what: &str, is: &T, due: &T) -> Option<String> {
    let said = |value: &T| value.to_string().chars().take(MAX_SAID).collect::<String>();
    (is != due).then(|| format!("{what}: {}, not {}", said(is), said(due)))
}

/// The names of the files.
struct ArchiveFiles<'a>(&'a Name);

impl ArchiveFiles<'_> {
    fn head(&self) -> String {
        format!("{}/{HEAD}", self.0)
    }

    fn game(&self, game: &ArchivedGame) -> String {
        format!("{}/game/{}", self.0, game.file)
    }

    fn voids(&self) -> String {
        format!("{}/voids.jsonl", self.0)
    }

    fn results(&self, batch: u64) -> String {
        format!("{}/results/{batch:06}.jsonl", self.0)
    }

    fn record(&self, id: &str) -> String {
        format!("{}/records/{id}.jsonl", self.0)
    }

    fn signature(&self) -> String {
        format!("{}/signature.json", self.0)
    }
}

/// The name of the first file, below the tournament's folder.
const HEAD: &str = "archive.json";
