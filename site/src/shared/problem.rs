//! Why a page cannot be shown, and the way out: a status, a message for people, hints; and the document for programs
//! (RFC 9457).

use axum::http::StatusCode;
use flipside_games::words::counted;
use flipside_operations::{Failure, FailureKind};
use flipside_report::plain_line;
use flipside_store::Error;
use schemars::JsonSchema;
use serde::Serialize;

use super::forms::tags::escaped;

/// When somebody may come back whom the server could not serve for a moment, in seconds.
pub(crate) const COME_BACK: u64 = 30;

/// What pages return.
pub(crate) type Result<T, E = Problem> = std::result::Result<T, E>;

/// Why a page cannot be shown.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// The status of the answer.
    pub(crate) status: StatusCode,
    /// What went wrong: a fragment, as in error messages.
    pub(crate) message: String,
    /// What a visitor can do.
    pub(crate) hints: Vec<String>,
    /// When to try again, in seconds.
    pub(crate) retry_after: Option<u64>,
    /// The field of a form that is at fault, if it is one.
    pub(crate) field: Option<&'static str>,
}

impl Problem {
    /// A problem of this status; no hint.
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Problem {
            status,
            message: plain_line(&message.into()),
            hints: Vec::new(),
            retry_after: None,
            field: None,
        }
    }

    /// Somebody asked too often, and may ask again after so many seconds.
    pub(crate) fn too_many(message: impl Into<String>, seconds: u64) -> Self {
        Problem::new(StatusCode::TOO_MANY_REQUESTS, message).retry_after(seconds)
    }

    /// Says when to try again, in seconds.
    #[must_use]
    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self.hint(format!("try again in {}", counted(seconds, "second")))
    }

    /// Says which field of a form is at fault.
    #[must_use]
    pub(crate) fn at(self, field: &'static str) -> Self {
        let field = Some(field);
        Problem { field, ..self }
    }

    /// The same, where none is known to be.
    #[must_use]
    pub(crate) fn at_unless_known(self, field: &'static str) -> Self {
        let field = self.field.or(Some(field));
        Problem { field, ..self }
    }

    /// What is asked for is not understood: it is not of the form that the OpenAPI document has.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, message)
    }

    /// Somebody else may do this.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Problem::new(StatusCode::FORBIDDEN, message)
    }

    /// What is asked for is understood, and cannot be taken.
    pub(crate) fn unfit(message: impl Into<String>) -> Self {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// There is no such page or thing.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Problem::new(StatusCode::NOT_FOUND, message)
    }

    /// The server failed. The visitor is told no more than that; the log has it all.
    pub(crate) fn internal(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(error = %error, "a page failed");
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Problem::new(status, "the server failed to make this page")
            .hint("try again; if it stays so, give the organiser the number of this request")
    }

    /// The disk of the server is full.
    pub(crate) fn full(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(error = %error, "the disk is full");
        let message = "the server has no room left on its disk";
        Problem::new(StatusCode::INSUFFICIENT_STORAGE, message)
            .hint("try again later; if it stays so, tell the organiser")
    }

    /// The server has too little of something that it may have again in a moment.
    pub(crate) fn short(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(error = %error, "the machine has too little of something");
        Problem::of_status(StatusCode::SERVICE_UNAVAILABLE).retry_after(COME_BACK)
    }

    /// The name of its status.
    pub(crate) fn title(&self) -> &'static str {
        self.status.canonical_reason().unwrap_or("Problem")
    }

    /// Adds something that a visitor can do.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(plain_line(&hint.into()));
        self
    }

    /// Adds those of a library that are for visitors.
    #[must_use]
    pub(crate) fn hints<T: Into<String>>(self, hints: impl IntoIterator<Item = T>) -> Self {
        let hints = hints.into_iter().map(Into::into);
        let hints = hints.filter(|hint: &String| !is_command(hint));
        hints.fold(self, Problem::hint)
    }

    /// The same as text, for scripts, with the number of the request.
    pub(crate) fn text(&self, request: &str) -> String {
        let mut text = format!("error: {}\n", self.message);
        for hint in &self.hints {
            text += &format!("hint: {hint}\n");
        }
        text += &format!("request: {request}\n");
        text
    }

    /// The message and the hints as sentences in HTML.
    pub(crate) fn in_html(&self) -> String {
        let all = std::iter::once(&self.message).chain(&self.hints);
        let sentences = all.map(|text| sentence(text));
        sentences.collect::<Vec<_>>().join(" ")
    }

    /// The message as a heading in HTML.
    pub(super) fn heading(&self) -> String {
        let heading = sentence(&self.message);
        heading.trim_end_matches('.').to_owned()
    }

    /// A hint as a sentence in HTML.
    pub(super) fn sentence(&self, hint: &str) -> String {
        sentence(hint)
    }

    /// What an operation or a library says, with the hints that are for visitors.
    fn of_kind(kind: FailureKind, said: &dyn std::fmt::Display, hints: &[String]) -> Self {
        let status = match kind {
            FailureKind::Missing => StatusCode::NOT_FOUND,
            FailureKind::Conflict | FailureKind::Held => StatusCode::CONFLICT,
            FailureKind::Unfit | FailureKind::Usage => StatusCode::UNPROCESSABLE_ENTITY,
            FailureKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
            FailureKind::Full => return Problem::full(said),
            FailureKind::Short => return Problem::short(said),
            FailureKind::Failed | FailureKind::Bot | FailureKind::Stopped(_) => {
                return Problem::internal(said);
            }
        };
        Problem::new(status, said.to_string()).hints(hints.iter().cloned())
    }

    /// What to say for a status where nobody has said anything.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        let message = match status {
            StatusCode::BAD_REQUEST => "the address or the request is not understood",
            StatusCode::NOT_FOUND => "there is no such page",
            StatusCode::METHOD_NOT_ALLOWED => "this page does not take such a request",
            StatusCode::REQUEST_TIMEOUT | StatusCode::GATEWAY_TIMEOUT => {
                "the answer took too long and was given up"
            }
            StatusCode::PAYLOAD_TOO_LARGE => "the request is too large",
            StatusCode::URI_TOO_LONG => "the address is too long",
            StatusCode::SERVICE_UNAVAILABLE => "the server is busy",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "the form is not of a kind that is understood",
            status if status.is_server_error() => "the server failed to make this page",
            _ => "the request was refused",
        };
        Problem::new(status, message)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        if let Error::Needed { bot, .. } = &error {
            let withdraw = format!("ask an organiser to withdraw {bot} from it");
            return Problem::new(StatusCode::CONFLICT, error.to_string()).hint(withdraw);
        }
        // Its hints are commands, for users of the machine.
        Problem::of_kind(error.kind().into(), &error, &[])
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Problem::of_kind(failure.kind(), &failure, failure.hints())
    }
}

/// Words with which messages and hints begin that are no names and no keys.
const BEGINNINGS: [&str; 42] = [
    "a", "all", "an", "another", "ask", "at", "choose", "for", "give", "go", "guests", "in", "it",
    "line", "links", "no", "nobody", "of", "one", "only", "open", "pack", "say", "send", "sign",
    "somebody", "submit", "that", "the", "their", "there", "these", "they", "this", "to", "too",
    "try", "wait", "what", "who", "you", "your",
];

/// A fragment of a message as a sentence in HTML. What stands between backticks is code.
fn sentence(text: &str) -> String {
    let word = text.split([' ', ':', ',', '.']).next().unwrap_or_default();
    let mut text = match BEGINNINGS.contains(&word) {
        true => text[..1].to_ascii_uppercase() + &text[1..],
        false => text.to_owned(),
    };
    if !text.ends_with(['.', '!', '?', ':']) {
        text.push('.');
    }
    let parts = text.split('`').enumerate().map(|(at, part)| match at % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    });
    parts.collect()
}

/// Whether a hint is for users of the machine: it has a command, or an option of one.
fn is_command(hint: &str) -> bool {
    hint.contains("flipside ") || hint.contains("--")
}

impl From<askama::Error> for Problem {
    fn from(error: askama::Error) -> Self {
        Problem::internal(&error)
    }
}

/// JSON that this program has written. What visitors send is read with errors of its own.
impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        Problem::internal(&error)
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Problem::of_kind(FailureKind::of_system(&error), &error, &[])
    }
}

/// Whether errors of this path are told to programs.
pub(crate) fn is_address(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

/// Why a request failed: an `application/problem+json` document (RFC 9457).
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Problem")]
pub(crate) struct ProblemDocument<'a> {
    /// `about:blank`: the status says what kind of problem it is.
    r#type: &'a str,
    /// The name of the status.
    title: &'a str,
    /// The status of the answer.
    status: u16,
    /// What went wrong.
    detail: &'a str,
    /// What one can do.
    hints: &'a [String],
    /// The number of the request, as in the log of the server.
    request: &'a str,
}

/// A problem for programs.
pub(crate) fn problem_document(problem: &Problem, request: &str) -> String {
    let document = ProblemDocument {
        r#type: "about:blank",
        title: problem.title(),
        status: problem.status.as_u16(),
        detail: &problem.message,
        hints: &problem.hints,
        request,
    };
    serde_json::to_string(&document).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// Too many open files, on Linux.
    const EMFILE: i32 = 24;

    #[test]
    fn what_the_machine_has_too_little_of_is_told_as_that_and_as_no_failure_of_the_server() {
        let full = [
            Problem::from(io::Error::from(io::ErrorKind::StorageFull)),
            Problem::from(io::Error::from(io::ErrorKind::QuotaExceeded)),
            Problem::from(Error::DiskFull),
            Problem::from(Failure::from(Error::DiskFull)),
        ];
        assert!(
            full.iter()
                .all(|problem| problem.status == StatusCode::INSUFFICIENT_STORAGE)
        );
        let files = || io::Error::from_raw_os_error(EMFILE);
        let short = [
            Problem::from(files()),
            Problem::from(Error::Short("too many open files".into())),
            Problem::from(Failure::from(flipside_sandbox::StartError::Host(files()))),
        ];
        for problem in short {
            assert_eq!(problem.status, StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(problem.retry_after, Some(COME_BACK));
        }
    }

    #[test]
    fn what_is_not_there_and_what_does_not_fit_is_no_failure_of_the_server() {
        let status = |error: Error| Problem::from(error).status.as_u16();
        let by_operation = |error: Error| Problem::from(Failure::from(error)).status.as_u16();
        let name = || "x".to_owned();
        for (expected, error) in [
            (
                404,
                (|| Error::NoSuchMatch { id: "x-1".into() }) as fn() -> Error,
            ),
            (404, || Error::NoSuchBot {
                name: "x".into(),
                nearest: None,
            }),
            (404, || Error::NoSuchTournament {
                name: "x".into(),
                nearest: None,
                latest: Vec::new(),
            }),
            (409, || Error::NameTaken { name: "x".into() }),
            (409, || Error::Running {
                tournament: "x".into(),
                pid: None,
            }),
            (422, || Error::NoSalt),
            (503, || Error::Busy),
            (507, || Error::DiskFull),
            (500, || Error::Damaged("x".into())),
        ] {
            assert_eq!(
                (status(error()), by_operation(error())),
                (expected, expected)
            );
        }
        let absent = Error::NoSuchBot {
            name: name(),
            nearest: None,
        };
        // The command's way out is none for a visitor.
        assert!(Failure::from(absent).hints()[0].contains("flipside"));
        let absent = Failure::from(Error::NoSuchBot {
            name: name(),
            nearest: None,
        });
        assert_eq!(Problem::from(absent).hints, [""; 0]);
    }
}
