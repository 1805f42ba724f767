//! What the stage tells the launcher, over a pipe of their own: lines of text.

use crate::layer::MissingLayer;
use crate::sys::{Errno, Fd};
use crate::text::{self, JailText};

/// The longest line; a pipe takes it at once, so that there is a whole one or none.
const LONGEST_LINE: usize = 1024;

/// What the stage says.
#[derive(Debug)]
pub(crate) enum StageReport<'a> {
    /// Init of the bot's namespace is there, with this number outside.
    First(i32),
    /// The bot runs.
    Running,
    /// A part of the isolation is missing.
    Missing(&'a MissingLayer),
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

impl StageReport<'_> {
    fn line(&self) -> JailText<LONGEST_LINE> {
        match self {
            StageReport::First(number) => JailText::of(format_args!("first {number}\n")),
            StageReport::Running => JailText::joined(&[b"running\n"]),
            StageReport::Missing(missing) => {
                let error = missing.error.0;
                let mut line = JailText::of(format_args!("missing {} {error}", missing.layer));
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
            StageReport::NotExecuted(error) => {
                JailText::of(format_args!("not-executed {}\n", error.0))
            }
            StageReport::Ended => JailText::joined(&[b"ended\n"]),
            StageReport::Memory => JailText::joined(&[b"memory\n"]),
            StageReport::Vacant => JailText::joined(&[b"vacant\n"]),
            StageReport::Gone => JailText::joined(&[b"gone\n"]),
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

    pub(crate) fn say(&self, said: &StageReport<'_>) {
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
        let missing = MissingLayer {
            file: std::boxed::Box::leak(name),
            ..MissingLayer::new(Layer::Root, "showing", Errno(1))
        };
        let line = StageReport::Missing(&missing).line();
        assert_eq!(line.bytes().len(), LONGEST_LINE - 1);
        assert!(line.bytes().ends_with(b"x\n"));
    }

    #[test]
    fn each_thing_is_said_in_a_line() {
        let missing = MissingLayer {
            file: c"/usr\nx",
            ..MissingLayer::new(Layer::Root, "showing", Errno(1))
        };
        for (said, line) in [
            (StageReport::First(17), "first 17\n"),
            (StageReport::Running, "running\n"),
            (
                StageReport::Missing(&missing),
                "missing root 1 showing /usr x\n",
            ),
            (StageReport::NotExecuted(Errno(2)), "not-executed 2\n"),
            (StageReport::Ended, "ended\n"),
            (StageReport::Memory, "memory\n"),
            (StageReport::Vacant, "vacant\n"),
            (StageReport::Gone, "gone\n"),
        ] {
            assert_eq!(said.line().bytes(), line.as_bytes());
        }
    }
}
