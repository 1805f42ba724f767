//! What the stage tells the launcher, over a pipe of their own: lines of text.

use crate::layer::Missing;
use crate::sys::{Errno, Fd};
use crate::text::{self, Text};

/// The longest line; a pipe takes it at once, so that there is a whole one or none.
const LONGEST_LINE: usize = 1024;

/// What the stage says.
#[derive(Debug)]
pub(crate) enum Said<'a> {
    /// Init of the bot's namespace is there, with this number outside.
    First(i32),
    /// The bot runs.
    Running,
    /// A part of the isolation is missing.
    Missing(&'a Missing),
    /// The bot's file could not be executed.
    NotExecuted(Errno),
    /// The bot has ended; what is left is to clear away.
    Ended,
    /// A process was ended for its memory.
    Memory,
    /// All processes of the bot have ended, and nothing is left in the network namespace that was handed over.
    Vacant,
    /// All is cleared away that can be.
    Gone,
}

impl Said<'_> {
    fn line(&self) -> Text<LONGEST_LINE> {
        match self {
            Said::First(number) => Text::of(format_args!("first {number}\n")),
            Said::Running => Text::joined(&[b"running\n"]),
            Said::Missing(missing) => {
                let error = missing.error.0;
                let mut line = Text::of(format_args!("missing {} {error}", missing.layer));
                let parts = [missing.doing.as_bytes(), missing.file.to_bytes()];
                // A file may have any name, but a line is one.
                let words = parts.into_iter().flat_map(text::words);
                for word in words {
                    line.push(b" ");
                    line.push(word);
                }
                line.truncate(LONGEST_LINE - 2);
                line.push(b"\n");
                line
            }
            Said::NotExecuted(error) => Text::of(format_args!("not-executed {}\n", error.0)),
            Said::Ended => Text::joined(&[b"ended\n"]),
            Said::Memory => Text::joined(&[b"memory\n"]),
            Said::Vacant => Text::joined(&[b"vacant\n"]),
            Said::Gone => Text::joined(&[b"gone\n"]),
        }
    }
}

/// The stage's end.
#[derive(Debug)]
pub(crate) struct Reporter(pub(crate) Fd);

impl Reporter {
    /// Takes the descriptor of this number, which the launcher has left open, for itself and no program
    /// after it. Nothing where it is none.
    pub(crate) fn take(number: i32) -> Option<Self> {
        // Those below are streams, and whoever names one has typed the command.
        const LAST_STREAM: i32 = 2;
        if number <= LAST_STREAM {
            return None;
        }
        let pipe = Fd::take(number);
        match pipe.close_on_exec() {
            Ok(()) => Some(Reporter(pipe)),
            Err(_) => {
                pipe.leave_open();
                None
            }
        }
    }

    pub(crate) fn say(&self, said: &Said<'_>) {
        // Where nobody listens any more, there is nobody to tell.
        let _ = self.0.write_all(said.line().bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::Layer;

    #[test]
    fn a_long_name_is_cut_off_and_not_the_end_of_the_line() {
        let name: &'static [u8] = std::vec![b'x'; 5000].leak();
        let name = std::ffi::CString::new(name).unwrap().into_boxed_c_str();
        let missing = Missing {
            file: std::boxed::Box::leak(name),
            ..Missing::new(Layer::Root, "showing", Errno(1))
        };
        let line = Said::Missing(&missing).line();
        assert_eq!(line.bytes().len(), LONGEST_LINE - 1);
        assert!(line.bytes().ends_with(b"x\n"));
    }

    #[test]
    fn each_thing_is_said_in_a_line() {
        let missing = Missing {
            file: c"/usr\nx",
            ..Missing::new(Layer::Root, "showing", Errno(1))
        };
        for (said, line) in [
            (Said::First(17), "first 17\n"),
            (Said::Running, "running\n"),
            (Said::Missing(&missing), "missing root 1 showing /usr x\n"),
            (Said::NotExecuted(Errno(2)), "not-executed 2\n"),
            (Said::Ended, "ended\n"),
            (Said::Memory, "memory\n"),
            (Said::Vacant, "vacant\n"),
            (Said::Gone, "gone\n"),
        ] {
            assert_eq!(said.line().bytes(), line.as_bytes());
        }
    }
}
