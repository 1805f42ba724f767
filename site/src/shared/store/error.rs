//! Why something could not be done with accounts.

use std::fmt;
use std::path::PathBuf;

use axum::http::StatusCode;
use flipside_operations::{Failure, FailureKind};
use flipside_store::unix_ms;
use flipside_tournament::utc;

use crate::shared::problem::Problem;

/// Why the store refused, or failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Somebody has this name, or one that differs in case only.
    #[error("somebody has the name {0} already")]
    NameTaken(String),
    /// Lines of a list are refused.
    #[error("{0}")]
    RefusedLines(RefusedLines),
    /// A list has no names.
    #[error("there is no name in this list")]
    NoNames,
    /// An invitation is for an account of another name.
    #[error("this invitation is for {0}")]
    OtherName(String),
    /// No invitation has this secret, or it was used up, or its time is over.
    #[error("this invitation is not valid, or was used already, or its time is over")]
    NotInvited,
    /// There is no such account.
    #[error("there is no such account")]
    NoAccount,
    /// A bot's name belongs to another account.
    #[error("the bot's name {0} belongs to somebody else")]
    NotYours(String),
    /// A bot of the arena that no account owns, or a name that the arena needs for itself.
    #[error("the bot's name {0} belongs to the organisers")]
    OfOrganisers(String),
    /// An account has as many names as it may have.
    #[error("an account may own {0} bots' names")]
    TooManyNames(usize),
    /// An account has as many uploads in the queue as it may have.
    #[error("{0} of your uploads wait for their check already")]
    TooManyWaiting(usize),
    /// There are as many of something as there may be.
    #[error("there are {1} {0} already, and that is the limit")]
    TooMany(&'static str, usize),
    /// There is no such league.
    #[error("there is no league {0}")]
    NoLeague(String),
    /// There is a league of this name.
    #[error("there is a league {0} already")]
    LeagueThere(String),
    /// A league has a season that is not over.
    #[error("season {0} is not over")]
    SeasonIsOn(u32),
    /// The files that wait take as much room as they may.
    #[error("too many uploads wait for their check")]
    QueueFull,
    /// There are as many webhooks as there may be.
    #[error("there are {0} webhooks, and there may be no more")]
    TooManyWebhooks(usize),
    /// A webhook tells the same address of the same results.
    #[error("webhook {0} tells this address of these results already")]
    WebhookThere(i64),
    /// An account has requested as many matches as it may in a day; when the next request is free.
    #[error("you have requested matches {0} times in 24 hours, which is the limit; the next request is free at {time}", time = utc(*.1))]
    NoRequestLeft(u32, u64),
    /// The store is in the hands of another process for too long.
    #[error("the accounts are busy")]
    Busy,
    /// No room is left on the disk.
    #[error("the disk is full")]
    DiskFull,
    /// The site stops.
    #[error("the site stops")]
    Stopping,
    /// The file has tables of another version.
    #[error("{} has version {found}, and this flipside reads version {}", path.display(), super::schema::TABLES.version)]
    OtherVersion {
        /// Which file.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// The file is something else.
    #[error("{} does not hold accounts of this flipside", path.display())]
    Foreign {
        /// Which file.
        path: PathBuf,
    },
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The operating system gives no random bytes.
    #[error("the system gives no random bytes: {0}")]
    NoRandom(String),
    /// The database fails.
    #[error("the accounts: {0}")]
    Database(rusqlite::Error),
    /// A stored value is none that this version writes.
    #[error("the accounts hold a value that is not understood: {0}")]
    Value(String),
}

/// A line of a list that is refused, from 1, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefusedLine(pub(crate) usize, pub(crate) String);

/// The lines of a list that are refused, and why.
#[derive(Debug)]
pub(crate) struct RefusedLines(pub(crate) Vec<RefusedLine>);

/// How many of them are told.
const MAX_TOLD: usize = 20;

impl fmt::Display for RefusedLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = self.0.iter().take(MAX_TOLD);
        let told = told.map(|RefusedLine(line, why)| format!("line {line}: {why}"));
        f.write_str(&told.collect::<Vec<_>>().join("; "))?;
        match self.0.len().saturating_sub(MAX_TOLD) {
            0 => Ok(()),
            more => write!(f, "; and {more} more lines"),
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked, DiskFull};
        match error.sqlite_error_code() {
            Some(DatabaseBusy | DatabaseLocked) => Error::Busy,
            Some(DiskFull) => Error::DiskFull,
            // The log's index has no room to grow.
            Some(_) if is_no_room(&error) => Error::DiskFull,
            _ => Error::Database(error),
        }
    }
}

fn is_no_room(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

impl Error {
    /// What a person can do.
    pub(super) fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Error::NameTaken(_) => "choose another name",
            Error::RefusedLines(_) => {
                "nobody was invited; change these lines, and send the list again"
            }
            Error::NoNames => "write one name of an account a line",
            Error::OtherName(_) => "sign up by this name, or ask the organiser for another link",
            Error::NotInvited => "ask the organiser for a new link",
            Error::NotYours(_) => "choose another name for the bot",
            Error::OfOrganisers(_) => {
                "choose another name, or ask an organiser to submit a new version"
            }
            Error::TooManyNames(_) => "submit a new version under one of your names",
            Error::TooManyWaiting(_) | Error::QueueFull => {
                "wait until one of them has been checked"
            }
            Error::LeagueThere(_) => "choose another name",
            Error::SeasonIsOn(_) => "wait until it is over, or cancel it",
            Error::TooManyWebhooks(_) => "remove one of them",
            Error::WebhookThere(_) => "remove that one, or give each its own path",
            Error::Busy | Error::Stopping => "try again in a moment",
            Error::OtherVersion { .. } | Error::Foreign { .. } => {
                "use the flipside that wrote it; or move site.db, site.db-wal and site.db-shm away: accounts, leagues, \
                 ladders and webhooks then begin anew"
            }
            _ => return None,
        })
    }
}

impl Error {
    /// What kind of error it is, and what status says so. Every error has one: a new one does not compile without.
    fn kind(&self) -> (FailureKind, StatusCode) {
        use FailureKind::{Busy, Conflict, Failed, Full, Missing};
        match self {
            Error::NotInvited | Error::NoAccount | Error::NoLeague(_) => {
                (Missing, StatusCode::NOT_FOUND)
            }
            Error::RefusedLines(_) | Error::NoNames => {
                (FailureKind::Usage, StatusCode::UNPROCESSABLE_ENTITY)
            }
            Error::NameTaken(_)
            | Error::OtherName(_)
            | Error::LeagueThere(_)
            | Error::SeasonIsOn(_)
            | Error::TooMany(..)
            | Error::TooManyNames(_)
            | Error::TooManyWebhooks(_)
            | Error::WebhookThere(_) => (Conflict, StatusCode::CONFLICT),
            Error::NotYours(_) | Error::OfOrganisers(_) => (Conflict, StatusCode::FORBIDDEN),
            Error::TooManyWaiting(_) | Error::NoRequestLeft(..) => {
                (Busy, StatusCode::TOO_MANY_REQUESTS)
            }
            Error::QueueFull | Error::Busy | Error::Stopping => {
                (Busy, StatusCode::SERVICE_UNAVAILABLE)
            }
            Error::DiskFull => (Full, StatusCode::INSUFFICIENT_STORAGE),
            Error::OtherVersion { .. }
            | Error::Foreign { .. }
            | Error::File { .. }
            | Error::NoRandom(_)
            | Error::Database(_)
            | Error::Value(_) => (Failed, StatusCode::INTERNAL_SERVER_ERROR),
        }
    }
}

impl Error {
    /// The field of a form that is at fault, if it is one.
    fn field(&self) -> Option<&'static str> {
        match self {
            Error::RefusedLines(_) | Error::NoNames => Some("names"),
            Error::NameTaken(_)
            | Error::OtherName(_)
            | Error::NotYours(_)
            | Error::OfOrganisers(_)
            | Error::TooManyNames(_) => Some("name"),
            Error::WebhookThere(_) => Some("url"),
            Error::LeagueThere(_) => Some("toml"),
            _ => None,
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let (kind, status) = error.kind();
        match kind {
            FailureKind::Failed => return Problem::internal(&error),
            FailureKind::Full => return Problem::full(&error),
            _ => {}
        }
        let mut problem = Problem::new(status, error.to_string()).hints(error.hint());
        problem.field = error.field();
        match error {
            Error::NoRequestLeft(_, free_at) => {
                problem.retry_after(free_at.saturating_sub(unix_ms()).div_ceil(1_000))
            }
            _ => problem,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let hint = error.hint();
        Failure::of(error.kind().0, error).maybe_hint(hint)
    }
}
