//! Lines that a person types: at a terminal with history and completion, elsewhere one after the other
//! from standard input.

use std::io::{BufRead, IsTerminal, stdin, stdout};

use flipside_operations::{Failure, Result};
use flipside_report::plain_line;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use crate::output;
use crate::terminal::Style;

/// The longest line that is read from a pipe, in bytes.
const LONGEST_LINE: u64 = 4096;

/// Where lines come from.
pub(crate) enum Prompt {
    /// A person at a terminal.
    Terminal(Box<Editor<Words, MemHistory>>),
    /// A pipe or a file.
    Pipe,
}

impl Prompt {
    /// The terminal, where both ends are one; else the pipe.
    pub(crate) fn open() -> Result<Self> {
        if !stdin().is_terminal() || !stdout().is_terminal() {
            return Ok(Prompt::Pipe);
        }
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .build();
        let editor = Editor::with_history(config, MemHistory::new())
            .map_err(|error| Failure::new(format!("cannot use the terminal: {error}")))?;
        Ok(Prompt::Terminal(Box::new(editor)))
    }

    /// Reads a line without the blanks around it; none at the end of the input, and when the person
    /// presses Ctrl-C or Ctrl-D. The Tab key completes the words.
    pub(crate) fn read(
        &mut self,
        question: &str,
        style: Style,
        words: impl Iterator<Item = String>,
    ) -> Result<Option<String>> {
        match self {
            Prompt::Terminal(editor) => {
                editor.set_helper(Some(Words(words.collect())));
                let line = match editor.readline(&(question, style.bold(question))) {
                    Ok(line) => line.trim().to_owned(),
                    Err(ReadlineError::Eof | ReadlineError::Interrupted) => return Ok(None),
                    Err(error) => return Err(unread(error)),
                };
                if !line.is_empty() {
                    editor.add_history_entry(&line).map_err(unread)?;
                }
                Ok(Some(line))
            }
            Prompt::Pipe => {
                let line = line_of(&mut stdin().lock())?;
                // What is piped in stands on no screen: so that the whole can be read, it is shown.
                let shown = line.as_deref().unwrap_or("(the input has ended)");
                output::print(&format!("{question}{}\n", plain_line(shown)))?;
                Ok(line)
            }
        }
    }
}

/// The next line; none at the end. What is no text is as good as an unknown word.
fn line_of(input: &mut impl BufRead) -> Result<Option<String>> {
    let mut line = Vec::new();
    let read = std::io::Read::take(&mut *input, LONGEST_LINE)
        .read_until(b'\n', &mut line)
        .map_err(unread)?;
    if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
        input.skip_until(b'\n').map_err(unread)?;
    }
    let text = String::from_utf8_lossy(&line);
    Ok((read > 0).then(|| text.trim().to_owned()))
}

fn unread(error: impl std::fmt::Display) -> Failure {
    Failure::new(format!("cannot read what you type: {error}"))
}

/// The words that the Tab key completes.
pub(crate) struct Words(Vec<String>);

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let begun = line[..cursor].trim_start();
        let fitting = self.0.iter().filter(|word| begins(word, begun));
        Ok((cursor - begun.len(), fitting.cloned().collect()))
    }
}

impl Helper for Words {}
impl Hinter for Words {
    type Hint = String;
}
impl Highlighter for Words {}
impl Validator for Words {}

/// Whether a word begins so, in small letters or capitals.
pub(crate) fn begins(word: &str, begun: &str) -> bool {
    word.get(..begun.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(begun))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tab_key_completes_moves_with_blanks_in_them() {
        let words = ["draw pile", "draw discard", "moves"].map(String::from);
        let words = Words(words.to_vec());
        let history = MemHistory::new();
        let complete = |line: &str| {
            words
                .complete(line, line.len(), &Context::new(&history))
                .expect("it completes")
        };
        assert_eq!(complete("draw p"), (0, vec!["draw pile".to_owned()]));
        assert_eq!(complete("  DR").1.len(), 2);
        assert_eq!(complete("  DR").0, 2);
        assert_eq!(complete("x").1, Vec::<String>::new());
    }

    #[test]
    fn lines_are_read_to_the_end_and_what_is_no_text_or_too_long_does_no_harm() {
        let mut input = b"  a \n\xff\n".to_vec();
        input.extend(std::iter::repeat_n(b'x', 10_000));
        input.extend(b"\nlast");
        let mut input = &input[..];
        let mut next = || line_of(&mut input).expect("memory can be read");
        assert_eq!(next().as_deref(), Some("a"));
        assert_eq!(next().as_deref(), Some("\u{fffd}"));
        assert_eq!(next().map(|line| line.len() as u64), Some(LONGEST_LINE));
        assert_eq!(next().as_deref(), Some("last"));
        assert_eq!(next(), None);
    }
}
