//! What can go wrong with an arena and its journal, each with a way out where there is one.

use std::io;
use std::path::{Path, PathBuf};

use flipside_games::words::joined;
use flipside_ratings::RatingError;
use flipside_referee::RecordError;
use flipside_sandbox::BundleError;
use flipside_sandbox::shell::quoted;
use flipside_tournament::{Difference, ScheduleError};
use rusqlite::{ErrorCode, ffi};

use crate::database::TablesError;

/// The result of whatever touches an arena.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The hint where a tournament goes on when the same is asked for again.
pub const GOES_ON: &str =
    "what is in the journal stays; the same command goes on from there; -v tells more";

/// Why an arena or its journal did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The machine has too little of something, such as open files.
    #[error("{0}")]
    Short(String),
    /// There is no arena.
    #[error("there is no arena at {}", path.display())]
    NoArena {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// What should be the arena's folder is something else.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// What it is.
        path: PathBuf,
    },
    /// The folder belongs to something else.
    #[error("{} is not an arena: it holds {stranger}", path.display())]
    NotAnArena {
        /// The folder.
        path: PathBuf,
        /// One of the things that no arena has.
        stranger: String,
    },
    /// The folder or the journal may not be written.
    #[error("{} cannot be written", path.display())]
    NotWritable {
        /// What.
        path: PathBuf,
    },
    /// No space is left.
    #[error("the disk is full")]
    DiskFull,
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },

    /// The arena has a key already.
    #[error("the arena has a key: {}", path.display())]
    KeyThere {
        /// Its file.
        path: PathBuf,
    },
    /// The arena has no key.
    #[error("the arena has no key: {}", path.display())]
    NoKey {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file of the key cannot be used.
    #[error("{} is not the key of an arena: {what}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The secret is perhaps none any more.
    #[error("other users can read the secret key {}", path.display())]
    KeyOpen {
        /// Its file.
        path: PathBuf,
    },
    /// A record that was to be signed is not as it was written.
    #[error("the record cannot be signed: {0}")]
    NotSigned(#[from] RecordError),

    /// A bot must be a plain file.
    #[error("{} is not a file but {what}", path.display())]
    NotAFile {
        /// Where it is.
        path: PathBuf,
        /// What it is, with its article.
        what: &'static str,
    },
    /// A bot that is no module must be a program.
    #[error("{} is not executable", path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// A bot's file is over the limit.
    #[error("{} is larger than {} MiB", path.display(), crate::limits::LARGEST_BOT >> 20)]
    TooLarge {
        /// The file.
        path: PathBuf,
    },

    /// A bundle cannot be packed.
    #[error("{}: {error}", path.display())]
    Bundle {
        /// The bundle.
        path: PathBuf,
        /// Why.
        #[source]
        error: Box<BundleError>,
    },

    /// The file is not a journal of ours.
    #[error("{} is not a journal of this flipside", path.display())]
    NotAJournal {
        /// The file.
        path: PathBuf,
    },
    /// The journal's file is there and holds nothing.
    #[error("{} is empty", path.display())]
    EmptyJournal {
        /// The file.
        path: PathBuf,
    },
    /// The journal has tables of another version.
    #[error(
        "{} has version {found}, and this flipside reads version {}",
        path.display(),
        crate::database::TABLES.version
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The journal's version.
        found: i64,
    },
    /// The journal's content cannot be as it is.
    #[error("the journal is damaged: {0}")]
    Damaged(String),
    /// The journal has another result than the match's record shows.
    #[error("match {id} in the journal is not what its record shows: {what}")]
    Contradicts {
        /// The match's id.
        id: String,
        /// What differs.
        what: String,
    },
    /// Another process keeps the journal to itself.
    #[error("the journal is in use by another process")]
    Busy,
    /// The journal may only be read.
    #[error("the journal may only be read")]
    ReadOnly,
    /// The database failed in another way.
    #[error("the journal failed: {0}")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),

    /// An archive cannot be written.
    #[error("the archive cannot be written: {0}")]
    Archive(#[source] io::Error),
    /// A file is no backup, or not a whole one.
    #[error("it is not a whole backup of an arena: {0}")]
    NotABackup(String),
    /// A backup has another version of the format.
    #[error(
        "the backup has format {found}, and this flipside reads format {}",
        crate::limits::BACKUP_FORMAT
    )]
    OtherBackup {
        /// Its format.
        found: u32,
    },
    /// The journal in a backup is one that this program does not read.
    #[error("the backup holds {0}")]
    JournalOfBackup(String),
    /// An arena would be restored over something.
    #[error("{} is there already", path.display())]
    Taken {
        /// What is there.
        path: PathBuf,
    },
    /// A bot of an archive has the name of a bot that is another one.
    #[error("there is another bot {name} here than in the archive")]
    OtherBot {
        /// The name.
        name: String,
    },
    /// A bot of an archive would get a name that is none.
    #[error("{name} is too long for the name of a bot")]
    LongName {
        /// The name.
        name: String,
    },
    /// A bot's name has as many versions as it may have.
    #[error(
        "{name} has {} versions, and no more",
        flipside_tournament::MAX_VERSIONS
    )]
    TooManyVersions {
        /// The name.
        name: String,
    },
    /// A game of an archive is another program here.
    #[error("{game} is another program in this arena")]
    OtherGame {
        /// The game, with its version.
        game: String,
    },
    /// There is nothing to be written into an archive.
    #[error("no match of {tournament} has been played yet")]
    NothingPlayed {
        /// The tournament.
        tournament: String,
    },
    /// A match of an archive was played here as well: its record is another one.
    #[error("match {index} of this tournament was played here as well")]
    PlayedHere {
        /// Its index in the schedule.
        index: u64,
        /// How many others of the archive are the same here.
        same: u64,
    },
    /// A tournament was changed otherwise here than in an archive.
    #[error("{tournament} was changed otherwise here than in the archive")]
    OtherChanges {
        /// The tournament.
        tournament: String,
    },
    /// Matches of an archive are here already, under the name of another tournament.
    #[error("{} here already, as matches of {tournament}", are(*matches, *of))]
    CountedAlready {
        /// The other tournament.
        tournament: String,
        /// How many.
        matches: u64,
        /// How many there are in the archive.
        of: u64,
    },

    /// There is no bot of that name.
    #[error("there is no bot {name}")]
    NoSuchBot {
        /// The name.
        name: String,
        /// A name that is nearly it.
        nearest: Option<String>,
    },
    /// A bot has that name.
    #[error("there is a bot {name} already")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The file of a bot is still needed.
    #[error("{bot} plays in {tournament}, which is not over")]
    Needed {
        /// The bot, with its version.
        bot: String,
        /// The tournament.
        tournament: String,
    },
    /// The bot has no such version.
    #[error("there is no {name}@{version}")]
    NoSuchVersion {
        /// The bot.
        name: String,
        /// The version.
        version: u32,
        /// Its latest version.
        latest: u32,
    },
    /// There is no tournament of that name.
    #[error("there is no tournament {name:?}")]
    NoSuchTournament {
        /// The name.
        name: String,
        /// A name that is nearly it.
        nearest: Option<String>,
        /// Those that there are, the latest first; not more than can be listed.
        latest: Vec<String>,
    },
    /// Only requested matches can be deleted: ratings and tables do not depend on them.
    #[error("{tournament} is no request for matches, and cannot be deleted")]
    NotARequest {
        /// The tournament.
        tournament: String,
    },
    /// There is no match with that id.
    #[error("there is no match {id}")]
    NoSuchMatch {
        /// The id.
        id: String,
    },
    /// The match was not played, so it has no record.
    #[error("match {id} was not played: it is the forfeit of a bot that is paused")]
    NotPlayed {
        /// The id.
        id: String,
    },
    /// A bot was entered twice into a tournament.
    #[error("{bot} was entered twice")]
    EnteredTwice {
        /// Which.
        bot: String,
    },
    /// The file of a bot that is to play is not in the arena.
    #[error("the file of {bot} is not in this arena")]
    NoFile {
        /// The bot, with its version.
        bot: String,
    },
    /// Everybody could compute what chance does in a new tournament.
    #[error("the salt of a tournament is not all zeros")]
    NoSalt,
    /// A tournament of that name has other settings.
    #[error(
        "tournament {name} was begun with other settings ({})",
        joined(differences, "; ")
    )]
    OtherSettings {
        /// Which.
        name: String,
        /// What differs.
        differences: Vec<Difference>,
    },
    /// A match was played between other bots than the schedule has.
    #[error(
        "match {index} was played between other bots than the settings of its tournament ask for: that was begun by \
         another version of flipside, or the journal was changed by hand"
    )]
    OtherSchedule {
        /// The match's index.
        index: u64,
    },
    /// The match has its result already.
    #[error("match {id} is in the journal already")]
    AlreadyThere {
        /// Which.
        id: String,
    },
    /// The tournament is being played or imported already, in another process or thread.
    #[error("tournament {tournament} is being played or imported already{}", by(*pid))]
    Running {
        /// Which.
        tournament: String,
        /// Whose process id.
        pid: Option<u32>,
    },

    /// The settings give no schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// The results cannot be rated.
    #[error(transparent)]
    Rating(#[from] RatingError),
}

impl Error {
    /// The way out, if there is one.
    pub fn hint(&self) -> Option<String> {
        let plain = |hint: &'static str| hint.to_owned();
        self.hint_with_names()
            .or_else(|| self.hint_of_arena().map(plain))
            .or_else(|| self.hint_of_archive().map(plain))
            .or_else(|| self.hint_of_tournament().map(plain))
    }

    /// The hints that name what the error is about.
    fn hint_with_names(&self) -> Option<String> {
        Some(match self {
            Error::NotWritable { path } => {
                let path = quoted(path);
                format!(
                    "who owns it, and is it on a read-only mount? ls -ld {path}; findmnt -T {path}"
                )
            }
            Error::NotExecutable { path } => {
                format!("is the bot executable? chmod +x {}", quoted(path))
            }
            Error::NotAJournal { path } => format!(
                "it was left as it is; use the flipside that wrote it, move it away, or name another arena than {}",
                path.parent().unwrap_or(Path::new(".")).display()
            ),
            Error::KeyOpen { path } => format!("chmod 600 {}", quoted(path)),
            Error::EmptyJournal { path } => {
                let path = quoted(path);
                format!("restore it from a copy, or begin anew: rm {path}")
            }
            Error::CountedAlready { tournament, .. } => format!(
                "nothing was taken in, for ratings would count them twice; --name {tournament} adds what is new to it, \
                 --arena DIR takes all into another arena"
            ),
            Error::NoSuchBot {
                nearest: Some(nearest),
                ..
            }
            | Error::NoSuchTournament {
                nearest: Some(nearest),
                ..
            } => format!("is it {nearest}?"),
            Error::NoSuchTournament { latest, .. } if !latest.is_empty() => {
                format!(
                    "`flipside tournaments` lists all; the latest: {}",
                    latest.join(", ")
                )
            }
            Error::NoSuchVersion { name, latest, .. } => format!("the latest is {name}@{latest}"),
            Error::OtherSettings { name, differences } => {
                let extended = differences.iter().filter_map(|it| extends(name, it));
                let ways = [
                    "give the settings it was begun with to go on, or another --name to begin anew"
                        .into(),
                ];
                joined(ways.into_iter().chain(extended), "; ")
            }
            Error::Needed { bot, .. } => format!("flipside withdraw {bot}"),
            Error::Bundle { error, .. } => return error.hint(),
            _ => return None,
        })
    }

    /// The hints on the arena's folder, its journal and the bots' files.
    fn hint_of_arena(&self) -> Option<&'static str> {
        Some(match self {
            Error::NoArena { .. } => {
                "name the arena's folder with --arena DIR or FLIPSIDE_ARENA; `flipside submit`, \
                 `flipside tournament` and `flipside serve --new` make one"
            }
            Error::NotAFolder { .. } | Error::NotAnArena { .. } => {
                "name a new or an empty folder with --arena DIR or FLIPSIDE_ARENA"
            }
            Error::KeyThere { .. } => {
                "flipside keygen --show prints its public key; for a new one, first move the file away and keep it"
            }
            Error::NoKey { .. } => "flipside keygen",
            Error::Key { .. } => {
                "restore the file from your copy; without one, remove it and run flipside keygen"
            }
            Error::NotSigned(_) => "`flipside verify --all` names every record that was changed",
            Error::DiskFull => {
                "make room and run the same command again: what is in the journal stays, and the \
                 tournament goes on"
            }
            Error::NotAFile { .. } => "name the bot's file: a program, a .wasm or a .wat",
            Error::TooLarge { .. } => "strip the program, or leave its debug information out",
            Error::OtherGame { .. } => {
                "its matches cannot be refereed by this one: take them into another arena, with --arena DIR"
            }
            Error::TooManyVersions { .. } | Error::NameTaken { .. } => "give it another name",
            Error::OtherVersion { .. } => {
                "use the flipside that wrote it, or name another arena with --arena DIR"
            }
            Error::Damaged(_) => {
                "copy the arena's folder first; then `sqlite3 journal.sqlite .recover` saves what can be read"
            }
            Error::Busy => "wait for the other process, or end it",
            Error::NoSuchBot { .. } => "`flipside bots` lists them",
            _ => return None,
        })
    }

    /// The hints on archives that are written or taken in.
    fn hint_of_archive(&self) -> Option<&'static str> {
        Some(match self {
            Error::Archive(_) => "is the disk full? nothing is left of the file",
            Error::Contradicts { .. } => {
                "`flipside verify --all` names every match that was changed; nothing is left of the file"
            }
            Error::OtherBot { .. } => {
                "--origin NAME puts NAME and a dot before the names of the archive's bots"
            }
            Error::LongName { .. } => "give a shorter --origin",
            Error::OtherBackup { .. } | Error::JournalOfBackup(_) => {
                "nothing was restored; use the flipside that wrote it"
            }
            Error::NotABackup(_) => {
                "nothing was restored; take the file again from where it came, as `flipside backup` wrote it"
            }
            Error::Taken { .. } => "name a folder that is not there yet: --arena NEW",
            Error::NothingPlayed { .. } => "the same command as before plays it",
            Error::PlayedHere { same: 0, .. } => {
                "nothing was taken in; --name NAME takes it in as another tournament"
            }
            // Under another name the others would count twice.
            Error::PlayedHere { .. } | Error::OtherChanges { .. } => {
                "nothing was taken in; --arena DIR takes it into another arena"
            }
            _ => return None,
        })
    }

    /// The hints on tournaments and their matches.
    fn hint_of_tournament(&self) -> Option<&'static str> {
        Some(match self {
            Error::Short(_) => GOES_ON,
            Error::NoSuchTournament { .. } => {
                "no tournament was played in this arena; is it another? --arena DIR names one"
            }
            Error::NoSuchMatch { .. } => "`flipside matches` lists them",
            Error::NotPlayed { .. } => {
                "`flipside table` tells which bots are paused, and why; `flipside matches --faults` lists the \
                 matches that led to it"
            }
            Error::NoFile { .. } => "`flipside submit` with the same bytes brings it back",
            Error::NoSalt => "pass a number as the seed; the salt is then drawn",
            Error::EnteredTwice { .. } => "give each bot once; each plays against each",
            Error::OtherSchedule { .. } => {
                "nothing is lost, and its tables can be read; another --name begins anew"
            }
            Error::Running { .. } => {
                "wait for it, or end it: the tournament goes on when it is run again"
            }
            Error::Schedule(error) => error.hint(),
            _ => return None,
        })
    }

    /// For the operating system's refusal of something that is not to be written.
    pub(crate) fn reading(path: &Path, error: io::Error) -> Self {
        Error::File {
            path: path.into(),
            error,
        }
    }

    /// For the operating system's refusal to write.
    pub(crate) fn writing(path: &Path, error: io::Error) -> Self {
        use io::ErrorKind::{
            NotADirectory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
        };
        let path = path.to_path_buf();
        match error.kind() {
            StorageFull | QuotaExceeded => Error::DiskFull,
            PermissionDenied | ReadOnlyFilesystem => Error::NotWritable { path },
            NotADirectory => Error::NotAFolder { path },
            _ => Error::File { path, error },
        }
    }
}

/// Whether the system has too little of something: open files, processes or memory.
pub fn is_short(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let code = Errno::from_io_error(error);
    code.is_some_and(|code| {
        [Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::NOMEM].contains(&code)
    })
}

/// What kind of error it is: what somebody who asks a server is to make of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// What is asked for is not there.
    Missing,
    /// It does not fit to what is there.
    Conflict,
    /// Another process has it for as long as it needs.
    Held,
    /// What was given cannot be taken.
    Unfit,
    /// It can be done later.
    Busy,
    /// There is no room.
    Full,
    /// The machine has too little of something, such as open files, that it may have again in a moment.
    Short,
    /// The arena or the machine fails.
    Broken,
}

impl Error {
    /// What kind of error it is. Every error has one: a new one does not compile without.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::NoSuchBot { .. }
            | Error::NoSuchVersion { .. }
            | Error::NoSuchTournament { .. }
            | Error::NoSuchMatch { .. }
            | Error::NotPlayed { .. }
            | Error::NoArena { .. }
            | Error::NoKey { .. } => ErrorKind::Missing,
            Error::KeyThere { .. }
            | Error::Taken { .. }
            | Error::OtherBot { .. }
            | Error::TooManyVersions { .. }
            | Error::OtherGame { .. }
            | Error::NothingPlayed { .. }
            | Error::PlayedHere { .. }
            | Error::OtherChanges { .. }
            | Error::CountedAlready { .. }
            | Error::NameTaken { .. }
            | Error::Needed { .. }
            | Error::NotARequest { .. }
            | Error::NoFile { .. }
            | Error::OtherSettings { .. }
            | Error::AlreadyThere { .. } => ErrorKind::Conflict,
            Error::Running { .. } => ErrorKind::Held,
            Error::NotAFile { .. }
            | Error::NotExecutable { .. }
            | Error::TooLarge { .. }
            | Error::Bundle { .. }
            | Error::NotABackup(_)
            | Error::OtherBackup { .. }
            | Error::JournalOfBackup(_)
            | Error::LongName { .. }
            | Error::EnteredTwice { .. }
            | Error::NoSalt
            | Error::Schedule(_) => ErrorKind::Unfit,
            Error::Busy => ErrorKind::Busy,
            Error::DiskFull => ErrorKind::Full,
            Error::Short(_) => ErrorKind::Short,
            Error::File { error, .. } if is_short(error) => ErrorKind::Short,
            Error::NotAFolder { .. }
            | Error::NotAnArena { .. }
            | Error::NotWritable { .. }
            | Error::File { .. }
            | Error::Key { .. }
            | Error::KeyOpen { .. }
            | Error::NotSigned(_)
            | Error::NotAJournal { .. }
            | Error::EmptyJournal { .. }
            | Error::OtherVersion { .. }
            | Error::Damaged(_)
            | Error::Contradicts { .. }
            | Error::ReadOnly
            | Error::Database(_)
            | Error::Archive(_)
            | Error::OtherSchedule { .. }
            | Error::Rating(_) => ErrorKind::Broken,
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error as Sql;
        match &error {
            Sql::SqliteFailure(failure, message) => match failure.code {
                ErrorCode::DiskFull => Error::DiskFull,
                // The log's index has no room to grow.
                _ if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE => Error::DiskFull,
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Error::Busy,
                ErrorCode::ReadOnly => Error::ReadOnly,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                    Error::Damaged(message.clone().unwrap_or_else(|| failure.to_string()))
                }
                _ => Error::Database(error.into()),
            },
            Sql::FromSqlConversionFailure(..)
            | Sql::IntegralValueOutOfRange(..)
            | Sql::InvalidColumnType(..) => Error::Damaged(error.to_string()),
            _ => Error::Database(error.into()),
        }
    }
}

impl From<TablesError> for Error {
    /// Still without the path of the file.
    fn from(error: TablesError) -> Self {
        let path = PathBuf::new();
        match error {
            TablesError::Foreign => Error::NotAJournal { path },
            TablesError::OtherVersion(found) => Error::OtherVersion { path, found },
            TablesError::Sqlite(error) => error.into(),
        }
    }
}

/// How a tournament that has begun comes to be what is asked for, where it can.
fn extends(name: &str, difference: &Difference) -> Option<String> {
    let Difference { what, was, is } = difference;
    match what.as_str() {
        "bots" => Some(format!(
            "`flipside extend {name} --bots BOT` lets bots join"
        )),
        "rounds" | "matches" => {
            let (was, is): (u64, u64) = (was.parse().ok()?, is.parse().ok()?);
            let more = is.checked_sub(was).filter(|&more| more > 0)?;
            Some(format!(
                "`flipside extend {name} --{what} {more}` makes it longer"
            ))
        }
        _ => None,
    }
}

fn are(matches: u64, of: u64) -> String {
    match matches {
        1 => format!("1 of the {of} matches is"),
        _ => format!("{matches} of the {of} matches are"),
    }
}

fn by(pid: Option<u32>) -> String {
    pid.map(|pid| format!(", in process {pid}"))
        .unwrap_or_default()
}
