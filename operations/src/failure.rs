//! Why something was not done, and the way out: a message, hints, and whose turn it is to change something.

use std::fmt::Display;
use std::path::Path;
use std::{fmt, io};

use flipside_sandbox::shell::quoted;
use flipside_sandbox::{BundleError, OpenError};
use flipside_store::{ErrorKind, is_short};
use flipside_tournament::spec::SettingsError;

/// What the operations return.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why something was not done.
///
/// The message is a fragment that fits after `error:`. A hint is something that a person can type or do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    message: String,
    hints: Vec<String>,
    kind: FailureKind,
    is_refusal: bool,
}

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// It was tried, and failed.
    Failed,
    /// The disk is full, or the arena takes all of it that it may.
    Full,
    /// The machine had too little of something, such as open files, that it may have again in a moment.
    Short,
    /// A bot's file is at fault: no machine like this one can start it.
    Bot,
    /// What it is about is not there.
    Missing,
    /// It does not fit to what is there.
    Conflict,
    /// Another process has it for as long as it needs.
    Held,
    /// What was given cannot be taken.
    Unfit,
    /// It can be done later.
    Busy,
    /// It was asked for wrongly, and nothing was tried.
    Usage,
    /// This signal stopped it.
    Stopped(i32),
}

impl Failure {
    /// It was tried, and failed.
    pub fn new(message: impl Display) -> Self {
        Failure::of(FailureKind::Failed, message)
    }

    /// A failure of this kind.
    pub fn of(kind: FailureKind, message: impl Display) -> Self {
        Failure {
            message: message.to_string(),
            hints: Vec::new(),
            kind,
            is_refusal: false,
        }
    }

    /// It was asked for wrongly.
    pub fn usage(message: impl Display) -> Self {
        Failure::of(FailureKind::Usage, message)
    }

    /// The disk is full, or the arena takes all of it that it may.
    pub fn full(message: impl Display) -> Self {
        Failure::of(FailureKind::Full, message)
    }

    /// The machine had too little of something that it may have again in a moment.
    pub fn short(message: impl Display) -> Self {
        Failure::of(FailureKind::Short, message)
    }

    /// A signal stopped it.
    pub fn stopped(signal: i32, what: impl Display) -> Self {
        Failure::of(FailureKind::Stopped(signal), what)
    }

    /// The operating system refused something.
    pub(crate) fn of_system(error: &io::Error) -> Self {
        Failure::of(FailureKind::of_system(error), error)
    }

    /// Names the way out, and no other.
    #[must_use]
    pub fn hint(self, hint: impl Display) -> Self {
        Failure {
            hints: vec![hint.to_string()],
            ..self
        }
    }

    /// Adds a further way out.
    #[must_use]
    pub fn and_hint(mut self, hint: impl Display) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    /// Adds the way out, if there is one.
    #[must_use]
    pub fn maybe_hint(self, hint: Option<impl Display>) -> Self {
        hint.into_iter().fold(self, Failure::hint)
    }

    /// Names a file by the path that somebody typed, in place of one that nobody knows.
    #[must_use]
    pub fn with_path(self, path: &Path, typed: &Path) -> Self {
        // Commands in hints have it as a shell reads it.
        let [path_in_shell, typed_in_shell] = [path, typed].map(quoted);
        let (path, typed) = (path.display().to_string(), typed.display().to_string());
        let replaced = |hint: &String| {
            let hint = hint.replace(&path_in_shell, &typed_in_shell);
            hint.replace(&path, &typed)
        };
        Failure {
            message: self.message.replace(&path, &typed),
            hints: self.hints.iter().map(replaced).collect(),
            ..self
        }
    }

    /// Says what the failure was about, in front of the message.
    #[must_use]
    pub fn about(self, what: impl Display) -> Self {
        Failure {
            message: format!("{what}: {}", self.message),
            ..self
        }
    }

    /// What went wrong. It may hold the name of a file, and so several lines.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The ways out.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Whether it was refused before anything was tried.
    pub fn is_refusal(&self) -> bool {
        self.is_refusal || self.kind == FailureKind::Usage
    }

    /// That the arena does not take what was asked for; or that it fails.
    pub(crate) fn refusal(error: flipside_store::Error) -> Self {
        let is_refusal = matches!(
            error.kind(),
            ErrorKind::Missing | ErrorKind::Conflict | ErrorKind::Held | ErrorKind::Unfit
        );
        Failure {
            is_refusal,
            ..error.into()
        }
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<flipside_referee::Error> for Failure {
    fn from(error: flipside_referee::Error) -> Self {
        use flipside_referee::Error as E;
        let hint = error.hint();
        let kind = match &error {
            E::Options(_) | E::Opening(_) => FailureKind::Usage,
            E::Host(error) => FailureKind::of_system(error),
            E::Start { error, .. } if is_short_start(error) => FailureKind::Short,
            _ => FailureKind::Failed,
        };
        Failure::of(kind, error).maybe_hint(hint)
    }
}

impl FailureKind {
    /// Of what the operating system refused.
    pub fn of_system(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FailureKind::Full,
            _ if is_short(error) => FailureKind::Short,
            _ => FailureKind::Failed,
        }
    }
}

impl From<ErrorKind> for FailureKind {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Missing => FailureKind::Missing,
            ErrorKind::Conflict => FailureKind::Conflict,
            ErrorKind::Held => FailureKind::Held,
            ErrorKind::Unfit => FailureKind::Unfit,
            ErrorKind::Busy => FailureKind::Busy,
            ErrorKind::Short => FailureKind::Short,
            ErrorKind::Full => FailureKind::Full,
            ErrorKind::Broken => FailureKind::Failed,
        }
    }
}

impl From<flipside_store::Error> for Failure {
    fn from(error: flipside_store::Error) -> Self {
        let (kind, hint) = (error.kind().into(), error.hint());
        Failure::of(kind, error).maybe_hint(hint)
    }
}

impl From<flipside_runner::RunnerError> for Failure {
    fn from(error: flipside_runner::RunnerError) -> Self {
        let (kind, hint) = (error.kind().into(), error.hint());
        Failure::of(kind, error).maybe_hint(hint)
    }
}

/// Errors that bring their way out.
macro_rules! failures {
    ($($error:ty,)*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::new(&error).maybe_hint(error.hint())
            }
        })*
    };
}

failures! {
    flipside_referee::VerifyError,
    BundleError,
    flipside_store::archive::ArchiveError,
}

impl From<flipside_sandbox::StartError> for Failure {
    fn from(error: flipside_sandbox::StartError) -> Self {
        let kind = match &error {
            error if error.is_of_program() => FailureKind::Bot,
            error if is_short_start(error) => FailureKind::Short,
            _ => FailureKind::Failed,
        };
        Failure::of(kind, &error).maybe_hint(error.hint())
    }
}

/// Whether a bot does not start for want of something that the machine may have again in a moment.
fn is_short_start(error: &flipside_sandbox::StartError) -> bool {
    use flipside_sandbox::StartError as E;
    matches!(
        error,
        E::Busy(_) | E::Stage { .. } | E::NoRoom(_) | E::Host(_)
    )
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let hint = match &error {
            OpenError::NotFound(_) => Some(A_BOT.into()),
            error => error.hint(),
        };
        let kind = match &error {
            // Nothing is wrong with a bot whose room others take.
            OpenError::Bundle { source, .. }
                if matches!(**source, BundleError::StoreInUse { .. }) =>
            {
                FailureKind::Short
            }
            OpenError::Io { source, .. } | OpenError::Compiler { source, .. }
                if is_short(source) =>
            {
                FailureKind::Short
            }
            _ => FailureKind::Usage,
        };
        Failure::of(kind, error).maybe_hint(hint)
    }
}

/// What can be named as a bot.
const A_BOT: &str = "a bot is an executable, a .wasm or .wat file, a folder with a bot.toml, the name of a submitted bot, or sample:greedy";

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        Failure::usage(&error).maybe_hint(error.hint)
    }
}
