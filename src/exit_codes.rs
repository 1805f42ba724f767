//! How the command ends: its exit codes. The table of the help, the manual page and `docs/reference/exit-codes.md` is
//! that of this file.

use std::process::ExitCode;

/// Why the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndReason {
    /// It is done.
    Done,
    /// It was tried, and failed.
    Failed,
    /// It was refused before anything was tried.
    Refused,
    /// This signal stopped it.
    Stopped(i32),
}

/// What people read of each code.
const MEANINGS: [(&str, &str); 4] = [
    (
        "0",
        "it is done; also if the reader of standard output has gone",
    ),
    (
        "1",
        "it was tried and failed, or something that was checked does not pass",
    ),
    (
        "2",
        "it was used wrongly and refused before anything was tried",
    ),
    (
        "128 + N",
        "signal N stopped it: 130 is Ctrl-C (SIGINT), 143 SIGTERM",
    ),
];

/// Exit codes above this one tell a signal.
const STOPPED: u8 = 128;

impl EndReason {
    fn number(self) -> u8 {
        match self {
            EndReason::Done => 0,
            EndReason::Failed => 1,
            EndReason::Refused => 2,
            EndReason::Stopped(signal) => STOPPED.saturating_add(signal.try_into().unwrap_or(0)),
        }
    }

    /// The exit code.
    pub(crate) fn code(self) -> ExitCode {
        self.number().into()
    }
}

/// The table as the help shows it.
pub(crate) fn help() -> String {
    let mut text = String::from("Exit codes:");
    for (code, meaning) in MEANINGS {
        text += &format!("\n  {code:8} {meaning}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_to_end_stands_in_the_table() {
        for (reason, number) in [
            (EndReason::Done, "0"),
            (EndReason::Failed, "1"),
            (EndReason::Refused, "2"),
        ] {
            assert_eq!(reason.number().to_string(), number);
            let mut codes = MEANINGS.iter().map(|(code, _)| *code);
            assert!(codes.any(|code| code == number));
        }
        let (_, stopped) = MEANINGS[3];
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            let number = EndReason::Stopped(signal).number();
            assert!(stopped.contains(&number.to_string()), "{number}");
        }
    }

    #[test]
    fn the_pages_have_the_same_table_as_the_help() {
        let due: Vec<String> = (MEANINGS.iter())
            .map(|(code, meaning)| format!("| `{code}` | {meaning} |"))
            .collect();
        for page in [
            include_str!("../docs/reference/exit-codes.md"),
            include_str!("../kits/AGENTS.md"),
        ] {
            let after = page
                .lines()
                .skip_while(|line| !line.ends_with("| meaning |"));
            let rows: Vec<&str> = after
                .skip(2)
                .take_while(|line| line.starts_with('|'))
                .collect();
            assert_eq!(rows, due);
        }
    }
}
