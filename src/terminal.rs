//! What standard output is: how wide its lines are, and whether letters may be bold.

use std::env;
use std::io::{IsTerminal, Write, stdout};

/// The narrowest that anything is set for.
const NARROWEST: usize = 24;

/// The widest that text is set: longer lines are hard to read.
const WIDEST: usize = 100;

/// The columns to write in: those that `COLUMNS` says, or the terminal's; where there is no terminal,
/// as many as are easy to read.
pub(crate) fn width() -> usize {
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    said()
        .or_else(terminal)
        .unwrap_or(WIDEST)
        .clamp(NARROWEST, WIDEST)
}

/// The columns of a table: those that `COLUMNS` says, or the terminal's. None for a pipe or a file.
pub(crate) fn columns() -> Option<usize> {
    let terminal =
        || terminal_size::terminal_size_of(stdout()).map(|(width, _)| usize::from(width.0));
    let columns = said().or_else(terminal)?;
    Some(columns.max(NARROWEST))
}

fn said() -> Option<usize> {
    env::var("COLUMNS").ok()?.parse().ok()
}

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const USUAL: &str = "\x1b[0m";

/// All that this program sends to a terminal beside text, but for the screen (`screen.rs`).
pub(crate) const STYLES: [&str; 3] = [BOLD, DIM, USUAL];

/// Clears the terminal and begins at its top, if standard output is one.
pub(crate) fn clear() -> std::io::Result<()> {
    let mut out = stdout();
    match out.is_terminal() {
        true => out.write_all(b"\x1b[H\x1b[2J"),
        false => Ok(()),
    }
}

/// How words stand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// As they are: for a file, a pipe, and where somebody wants it so.
    Plain,
    /// With the letters of a terminal.
    Terminal,
}

impl Style {
    /// The style of standard output. `NO_COLOR` (see no-color.org) makes it plain.
    pub(crate) fn of_stdout() -> Self {
        let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_some_and(|name| name == "dumb");
        if stdout().is_terminal() && !unwanted {
            Style::Terminal
        } else {
            Style::Plain
        }
    }

    pub(crate) fn bold(self, words: &str) -> String {
        self.with(BOLD, words)
    }

    pub(crate) fn dim(self, words: &str) -> String {
        self.with(DIM, words)
    }

    fn with(self, begin: &str, words: &str) -> String {
        match self {
            Style::Plain => words.to_owned(),
            Style::Terminal => format!("{begin}{words}{USUAL}"),
        }
    }
}
