//! Why a bot gave no answer, as far as it can be seen from outside, in words for the bot's author; and what to do.
//!
//! A detail is one line: what happened, when, and what was seen. It becomes part of the record, which nobody has to
//! read by machine: verification does not look at it.

use std::fmt::Write;
use std::time::Duration;

use flipside_protocol::{Act, FUEL_PER_US, FromBot, LONGEST_LINE, MAX_PAUSES};
use flipside_sandbox::{
    Crash, LastWords, ProgramKind, SandboxBot, SandboxFault as Given, SilenceEvidence,
};

use crate::answer::MeasuredTime;
use crate::pauses::PauseRefusal;

/// The most that a detail shows of a line, in bytes.
const MAX_EXCERPT: usize = 100;

/// What comes before a quoted line of stderr in the detail of a fault.
const ON_STDERR: &str = "; on stderr: ";

/// The detail of a fault without what the bot wrote to stderr, which only its author may read.
pub fn without_stderr(detail: &str) -> &str {
    detail.split(ON_STDERR).next().unwrap_or_default()
}

/// From this part of its time on, a bot that gave no answer was busy all the time.
const BUSY_PART: u64 = 2;

/// What stands in a line that names an error, in the runtimes of the common languages.
const TELLING_WORDS: [&str; 10] = [
    "Error",
    "error:",
    "Exception",
    "panic",
    "No such file",
    "not found",
    "denied",
    "Read-only",
    "Segmentation fault",
    "segfault",
];

/// How long a bot that gave no answer may write after its input was closed.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What stands in a line of a bot that wanted to reach others over a network, in the runtimes of the common languages.
const NETWORK_WORDS: [&str; 17] = [
    "URLError",
    "Name or service not known",
    "Temporary failure in name resolution",
    "Could not resolve host",
    "failed to lookup address",
    "Network is unreachable",
    "Connection refused",
    "getaddrinfo",
    "ENETUNREACH",
    "ECONNREFUSED",
    "EAI_AGAIN",
    "UnknownHostException",
    "java.net.",
    "dial tcp",
    "/socket.py",
    "connect EPERM",
    "socket: operation not permitted",
];

const FLUSH: &str = "flush after every line (Python: print(line, flush=True); C: fflush(stdout))";
const FLUSH_OR_ONE_LINE: &str = "flush after every line (Python: print(line, flush=True); C: fflush(stdout)), and read \
                                 one line at a time, not the whole input";
const ONE_LINE: &str = "read one line at a time, and answer it before you read the next";
const ANSWER_HELLO: &str = "read one line at a time, and answer the one of type `hello` with {\"type\":\"ready\"} before you read the next";
const ANSWER_TURN: &str = "read one line at a time, and answer each of type `turn` with one `act` before you read the next";
const NEWLINE: &str = "end each answer with a newline, and flush it";
const SLOW_START: &str = "look for an endless loop; if it loads for long, answer `ready` first and load later, or give \
                          more time to start: --clock move=1s,start=30s";
const SLOW: &str = "look for an endless loop; if it searches for long, stop before the time is up: `clocks` in each \
                    turn has the milliseconds left, by seat";
const READY_FIRST: &str =
    "read `hello` and answer {\"type\":\"ready\"} before it sleeps or waits for anything else";
const ERRORS_END: &str =
    "it went on after an error: answer nevertheless, or let the error end the bot";
const DO_NOT_WAIT: &str = "do not sleep, and do not wait for a lock, another process or the network; if it waits for \
                           another line, let it answer this one first";
const READ_INPUT: &str = "read the next line from standard input as soon as the last answer is written; do not sleep, \
                          and do not wait for a lock, another process or the network";
const STAY: &str = "read and answer lines in a loop until the input ends";
const SAY_WHY: &str = "it said nothing on standard error: print there why it exits";
const TEXT: &str = "write UTF-8";
const UTF16: &str = "write UTF-8; the output looks like UTF-16";
const LESS_MEMORY: &str = "make its tables smaller: `limits.memory` in `hello` is what it may use in bytes, with all \
                           its processes";
const BE_IDLE: &str = "wait for the next line without computing; --ponder on allows it";
const SECCOMP: &str =
    "it made a system call that the jail does not allow; --trust runs it without the jail";
const DEBUG: &str = "print to standard error what it does; `flipside debug --attach` sends it a recorded match under a \
                     debugger";
const SHOW: &str = "`flipside debug` shows every message until then";
const LOG: &str = "print to standard error what it does";
const PANIC: &str = "the code ended itself, as by a panic or a failed assertion: let it print why to standard error first";
const ONE_ANSWER: &str =
    "answer each turn with one line, and write nothing else to standard output";
const SHORTER: &str = "does it write in an endless loop, or leave the newline out?";

const NO_PAUSES: &str = "pause only where `hello` has `patience`; the organiser allows pauses with --provider-patience 5m";
const NO_MODULE_PAUSES: &str =
    "answer without pauses: only what a module computes counts as its time";
const FEWER_PAUSES: &str = "wait longer in each pause: it ends with the bot's next line";

const NO_NETWORK: &str = "a jailed bot has no network; the organiser of a tournament gives it one with network = true in the table \
                          [bot.NAME], and a single match with --bot '{\"NAME\":{\"network\":true}}'";

/// For an action that the rules refuse.
pub(crate) const LEGAL_ACTIONS: &str =
    "with \"actions\":true in `ready`, every turn lists the legal actions";
/// For an answer that repeats another id.
pub(crate) const COPY_ID: &str =
    "copy the id of the turn that is answered, and answer each turn once";
/// For a message of the other type.
pub(crate) const IN_TURN: &str = "answer `hello` with `ready`, and every `turn` with `act`";

/// For a `ready` that asks for lists which the game does not have.
pub(crate) const NO_LISTS: &str =
    "answer `hello` without \"actions\":true, and find a legal action from the view";

/// When something happened to a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultMoment {
    /// It was to answer `hello`.
    Ready,
    /// It was to act.
    Turn {
        /// Plies of all seats before.
        ply: u64,
        /// The number of its question, from 1.
        question: u64,
    },
}

impl FaultMoment {
    /// What to do about a bot that took too long then.
    fn too_slow(self) -> &'static str {
        match self {
            FaultMoment::Ready => SLOW_START,
            FaultMoment::Turn { .. } => SLOW,
        }
    }
}

impl std::fmt::Display for FaultMoment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FaultMoment::Ready => f.write_str("before `ready`"),
            FaultMoment::Turn { ply, question } => write!(f, "at ply {ply} (question {question})"),
        }
    }
}

/// What was seen of a bot that gave no answer.
pub(crate) struct NoAnswer {
    pub(crate) when: FaultMoment,
    /// What it used of its allowance, and the allowance, in microseconds.
    pub(crate) times: (u64, u64),
    pub(crate) measured: MeasuredTime,
    pub(crate) kind: ProgramKind,
    pub(crate) seen: SilenceEvidence,
    /// Whether it was ended because it computed on the turns of others though it was stopped.
    pub(crate) defied: bool,
    /// Whether it is a process that its jail keeps from the network.
    pub(crate) lacks_network: bool,
    /// The end of its standard error.
    pub(crate) stderr: String,
    /// What it did when its input was closed, if that was tried.
    pub(crate) last_words: Option<LastWords>,
}

/// What happened in one line, and what to do.
pub(crate) type Diagnosis = (String, &'static str);

impl NoAnswer {
    /// Looks at a bot that gave no answer. If it waits, its input is closed to see what it writes then.
    pub(crate) async fn of(
        fault: &Given,
        when: FaultMoment,
        times: (u64, u64),
        measured: MeasuredTime,
        bot: &mut SandboxBot,
    ) -> Self {
        let mut silence = NoAnswer {
            when,
            times,
            measured,
            kind: bot.kind(),
            seen: bot.seen(),
            defied: bot.defied(),
            lacks_network: bot.lacks_network(),
            stderr: bot.stderr_tail(),
            last_words: None,
        };
        if silence.is_idle(fault) {
            silence.last_words = Some(bot.last_words(LAST_WORDS).await);
        }
        silence
    }

    /// Whether it has read the question, has written nothing, and computes nothing.
    fn is_idle(&self, fault: &Given) -> bool {
        let seen = &self.seen;
        let is_silent = seen.line.is_none() && seen.unfinished_bytes == 0;
        match fault {
            Given::Late { waiting: true, .. } => is_silent,
            Given::Late { .. } => is_silent && seen.unread != Some(true) && !self.is_busy(),
            _ => false,
        }
    }

    /// Whether it computed for much of its time. The time of a module is CPU time.
    fn is_busy(&self) -> bool {
        let much = self.times.0.min(self.times.1) / BUSY_PART;
        self.kind == ProgramKind::Module || self.measured.cpu_us.is_some_and(|cpu| cpu >= much)
    }

    /// Says what a fault of the sandbox means.
    pub(crate) fn told(&self, fault: &Given) -> Diagnosis {
        let when = self.when;
        let (mut detail, hint) = match fault {
            Given::Late { waiting: true, .. } => self.silent(&match when {
                FaultMoment::Ready => {
                    "it waits for another line instead of answering `hello`".into()
                }
                FaultMoment::Turn { .. } => {
                    format!("it waits for another line instead of answering, {when}")
                }
            }),
            Given::Late { .. } => self.late(),
            Given::Closed { code } => {
                let hint = match code {
                    None | Some(0) => STAY,
                    Some(_) if self.stderr.trim().is_empty() => SAY_WHY,
                    Some(_) => SHOW,
                };
                (format!("{fault} {when}{}", self.half_a_line()), hint)
            }
            Given::Crashed(crash) => self.crashed(crash),
            Given::TooLong => {
                let began = excerpt(&self.seen.unfinished);
                let detail = format!(
                    "wrote a line of more than {LONGEST_LINE} bytes, {when}; it begins with {began}"
                );
                (detail, SHORTER)
            }
            Given::NotText { .. } => {
                let line = self.seen.line.as_deref().unwrap_or_default();
                let hint = if line.contains(&0) { UTF16 } else { TEXT };
                // The letters of UTF-16 stand between zeros.
                let line: Vec<u8> = line.iter().copied().filter(|&byte| byte != 0).collect();
                (format!("{fault}, {when}: {}", excerpt(&line)), hint)
            }
            Given::Memory { .. } => (format!("{fault} {when}"), LESS_MEMORY),
        };
        let wanted_network = self.lacks_network && names_a_network(&self.stderr);
        if wanted_network {
            detail.push_str("; it has no network");
        }
        if let Some(line) = telling_line(&self.stderr) {
            let _ = write!(detail, "{ON_STDERR}{}", excerpt(line.as_bytes()));
        }
        (detail, if wanted_network { NO_NETWORK } else { hint })
    }

    fn late(&self) -> Diagnosis {
        let ((used, of), when) = (self.times, self.when);
        let detail = match self.measured.fuel {
            Some(fuel) => {
                let (used, of) = (units(fuel), units(of.saturating_mul(FUEL_PER_US)));
                format!("{used} of {of} units of fuel {when}")
            }
            None => format!("{} ms of {} ms {when}", used / 1000, of / 1000),
        };
        if self.seen.line.is_some() {
            let detail = format!("{detail}; its answer came after that{}", self.and_cpu());
            return (detail, when.too_slow());
        }
        // Who has written an answer to its end waits for the next line, however it waits.
        let has_answered = self.seen.unfinished.trim_ascii_end().ends_with(b"}");
        if self.is_busy() && !has_answered {
            let cpu = self.cpu().unwrap_or_default();
            let what = match (self.seen.unfinished_bytes, self.seen.unread) {
                (1.., _) => self.half_a_line(),
                (0, Some(true)) => format!(", and did not read {}", self.question()),
                (0, _) => " and wrote nothing".into(),
            };
            return (format!("{detail}; {cpu}{what}"), when.too_slow());
        }
        self.silent(&detail)
    }

    /// A bot that waits for something.
    fn silent(&self, detail: &str) -> Diagnosis {
        if self.seen.unfinished_bytes > 0 {
            let line = excerpt(&self.seen.unfinished);
            let bytes = self.seen.unfinished_bytes;
            let detail = format!("{detail}; it wrote {bytes} bytes without a newline: {line}");
            return (detail, NEWLINE);
        }
        let who = match self.cpu() {
            Some(cpu) => format!("{cpu} and"),
            None => "it".into(),
        };
        let question = self.question();
        let (did, hint) = match &self.last_words {
            Some(last) => self.when_closed(last),
            None => {
                let hint = match self.when {
                    FaultMoment::Ready => READY_FIRST,
                    FaultMoment::Turn { .. } => READ_INPUT,
                };
                (format!("did not read {question}"), hint)
            }
        };
        // What came at the end says more than an error that it may have got over.
        let came = (self.last_words.as_ref()).is_some_and(|last| !last.text.is_empty());
        let went_on = telling_line(&self.stderr).is_some_and(|line| names_an_error(&line));
        let hint = if went_on && !came { ERRORS_END } else { hint };
        (format!("{detail}; {who} {did}"), hint)
    }

    /// What a bot did that waited for input, and what to do.
    fn when_closed(&self, last: &LastWords) -> Diagnosis {
        let question = self.question();
        let nothing = format!("wrote nothing after it read {question}");
        let line = last.text.split(|&byte| byte == b'\n').next();
        let line = String::from_utf8_lossy(line.unwrap_or_default());
        let shown = excerpt(line.as_bytes());
        match (self.when, FromBot::read(&line)) {
            (FaultMoment::Ready, Ok(FromBot::Ready(_))) => (
                format!("{nothing}; when its input was closed, `ready` came: {shown}"),
                FLUSH_OR_ONE_LINE,
            ),
            (FaultMoment::Turn { .. }, Ok(FromBot::Act(_))) => (
                format!("{nothing}; when its input was closed, the answer came: {shown}"),
                FLUSH,
            ),
            _ if !last.text.is_empty() => (
                format!("{nothing}; when its input was closed, it wrote {shown}"),
                ONE_LINE,
            ),
            (when, _) if last.ended || self.kind == ProgramKind::Module => {
                let waited = match self.kind {
                    ProgramKind::Process => ": it waited for another line",
                    // This has been said.
                    ProgramKind::Module => "",
                };
                let hint = match when {
                    FaultMoment::Ready => ANSWER_HELLO,
                    FaultMoment::Turn { .. } => ANSWER_TURN,
                };
                let did = format!("{nothing}, nor when its input was closed{waited}");
                (did, hint)
            }
            _ => {
                let ms = LAST_WORDS.as_millis();
                let did =
                    format!("{nothing}, and did not end within {ms} ms after its input was closed");
                (did, DO_NOT_WAIT)
            }
        }
    }

    fn question(&self) -> &'static str {
        match self.when {
            FaultMoment::Ready => "`hello`",
            FaultMoment::Turn { .. } => "the question",
        }
    }

    fn crashed(&self, crash: &Crash) -> Diagnosis {
        let when = self.when;
        if self.defied {
            let detail = format!(
                "it computed on the turns of others though it was suspended, and was ended; noticed {when}"
            );
            return (detail, BE_IDLE);
        }
        let hint = match crash {
            crash if crash.is_forbidden_call() => SECCOMP,
            _ if !self.stderr.trim().is_empty() => SHOW,
            Crash::Trap(why) if why.contains("unreachable") => PANIC,
            Crash::Trap(_) => LOG,
            Crash::Signal(_) => DEBUG,
        };
        (format!("{crash}, {when}{}", self.half_a_line()), hint)
    }

    /// What it had written of its answer.
    fn half_a_line(&self) -> String {
        match self.seen.unfinished_bytes {
            0 => String::new(),
            bytes => format!(
                "; it had written {bytes} bytes without a newline: {}",
                excerpt(&self.seen.unfinished)
            ),
        }
    }

    fn cpu(&self) -> Option<String> {
        let us = match self.kind {
            ProgramKind::Process => self.measured.cpu_us?,
            ProgramKind::Module => self.times.0,
        };
        Some(match self.measured.fuel {
            Some(fuel) => format!("the bot used {} units of fuel", units(fuel)),
            None => format!("the bot used {} ms of CPU", us / 1000),
        })
    }

    fn and_cpu(&self) -> String {
        self.cpu().map(|cpu| format!("; {cpu}")).unwrap_or_default()
    }
}

/// An amount of fuel, in whole millions where it is large.
fn units(fuel: u64) -> String {
    match fuel {
        0..10_000_000 => fuel.to_string(),
        _ => format!("{}M", fuel / 1_000_000),
    }
}

/// The line of a standard error that tells most: the last one that names an error, and otherwise the last.
fn telling_line(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = stderr.lines().map(str::trim).collect();
    let found = lines.iter().rposition(|line| names_an_error(line));
    let found = found.or_else(|| lines.iter().rposition(|line| !line.is_empty()))?;
    // Rust says where it panicked in one line and why in the next.
    let next = lines[found + 1..].iter().find(|line| !line.is_empty());
    Some(match next {
        Some(next) if lines[found].ends_with(':') => format!("{} {next}", lines[found]),
        _ => lines[found].to_owned(),
    })
}

fn names_a_network(stderr: &str) -> bool {
    NETWORK_WORDS.iter().any(|word| stderr.contains(word))
}

fn names_an_error(line: &str) -> bool {
    TELLING_WORDS.iter().any(|word| line.contains(word))
}

/// An answer that came in full, so many microseconds after the question.
pub(crate) fn too_late(us: u64, allowance_us: u64, when: FaultMoment) -> Diagnosis {
    let (us, of) = (us / 1000, allowance_us / 1000);
    let detail = format!("{us} ms of {of} ms {when}; its answer came after that");
    (detail, when.too_slow())
}

/// A bot paused that may not.
pub(crate) fn paused(refusal: PauseRefusal, kind: ProgramKind, when: FaultMoment) -> Diagnosis {
    let (what, hint) = match (refusal, kind) {
        (PauseRefusal::NotAllowed, ProgramKind::Process) => {
            ("it paused, and it may not".to_owned(), NO_PAUSES)
        }
        (PauseRefusal::NotAllowed, ProgramKind::Module) => (
            "it paused, and modules may not".to_owned(),
            NO_MODULE_PAUSES,
        ),
        (PauseRefusal::TooMany, _) => {
            let what = format!("it paused more than {MAX_PAUSES} times before it answered");
            (what, FEWER_PAUSES)
        }
    };
    (format!("{what}; {when}"), hint)
}

/// What a bot wrote that it was not asked for: after the answer to its last question, before the next one.
pub(crate) fn too_many(line: &str, answered: u64, when: FaultMoment) -> Diagnosis {
    let shown = excerpt(line.as_bytes());
    let detail = match FromBot::read(line) {
        Ok(FromBot::Act(act)) if act.id == answered && answered > 0 => {
            format!("it answered question {answered} twice: {shown}")
        }
        Ok(FromBot::Act(Act { id, .. })) => {
            format!("it answered question {id} before that was asked: {shown}")
        }
        _ => format!("it wrote a line that nobody asked for: {shown}"),
    };
    let noticed = match when {
        FaultMoment::Ready => "before `hello`".into(),
        FaultMoment::Turn { .. } => when.to_string(),
    };
    (format!("{detail}; noticed {noticed}"), ONE_ANSWER)
}

/// The beginning of a line, in quotes.
pub(crate) fn excerpt(line: &[u8]) -> String {
    let cut = &line[..line.len().min(MAX_EXCERPT)];
    let more = if cut.len() < line.len() { "…" } else { "" };
    // A character may have been cut in two.
    let text = String::from_utf8_lossy(cut);
    format!("`{}`{more}", text.trim_end_matches(['\r', '\n']))
}
