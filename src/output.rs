//! Printing results: aligned text for people, JSON and CSV for programs.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock};

use flipside_games::words::counted;
use flipside_operations::{Failure, FailureKind, Result, new_file};
use flipside_referee::Transcript;
use flipside_report::{Document, standings_table, table_document, text};
pub(crate) use flipside_report::{ReportRow, ReportTable, plain, plain_json, plain_line};
use flipside_sandbox::lock::lock;
use flipside_sandbox::shell::quoted;
use flipside_store::{Journal, full_table};
use flipside_tournament::{Standings, Tournament};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use serde_json::ser::PrettyFormatter;

use crate::exit_codes::EndReason;
use crate::terminal;

/// The message of a failure that is none: `flipside table | head` has read enough.
const READER_GONE: &str = "the reader of standard output has gone";

/// A failure to write to standard output.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
pub(crate) fn writing(error: std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::new(READER_GONE),
        _ => Failure::new(format!("cannot write to standard output: {error}")),
    }
}

/// Prints a failure and gives the exit code. A reader of our output that has gone away is no failure of ours.
pub(crate) fn tell(failure: &Failure) -> ExitCode {
    if failure.message() == READER_GONE {
        return EndReason::Done.code();
    }
    let (what, reason) = match failure.kind() {
        _ if failure.is_refusal() => ("error", EndReason::Refused),
        FailureKind::Failed
        | FailureKind::Full
        | FailureKind::Short
        | FailureKind::Bot
        | FailureKind::Missing
        | FailureKind::Conflict
        | FailureKind::Held
        | FailureKind::Unfit
        | FailureKind::Usage
        | FailureKind::Busy => ("error", EndReason::Failed),
        FailureKind::Stopped(signal) => ("stopped", EndReason::Stopped(signal)),
    };
    note!("{what}: {}", below(failure.message()));
    for hint in failure.hints() {
        note!("{HINT}{}", below(hint));
    }
    reason.code()
}

/// How lines begin that name the way out.
const HINT: &str = "hint: ";

/// How the line of a summary begins that names the command for more.
const MORE: &str = "\nmore: ";

/// The argument that names the arena, where one was typed, and which subcommands take it.
static ARENA: OnceLock<(String, TakesArena)> = OnceLock::new();

/// Whether a subcommand takes the arena's folder.
type TakesArena = fn(&str) -> bool;

/// The subcommands whose files come from elsewhere, where they are named.
const OF_OTHERS: [&str; 2] = ["export", "backup"];

/// From now on, commands that are printed name the arena that was typed, too.
pub(crate) fn name_arena(typed: &Path, takes_arena: TakesArena) {
    let _ = ARENA.set((format!(" --arena {}", quoted(typed)), takes_arena));
}

/// A text whose commands name the arena that was typed, if one was: otherwise they would look into another one. A text
/// that speaks of `--arena` itself stays as it is.
pub(crate) fn in_arena(text: &str) -> String {
    match ARENA.get() {
        Some((flag, takes_arena)) if !text.contains("--arena") => {
            with_arena(text, flag, *takes_arena)
        }
        _ => text.into(),
    }
}

/// A text with this argument behind each subcommand that knows it.
fn with_arena(text: &str, flag: &str, takes_arena: TakesArena) -> String {
    let mut parts = text.split("flipside ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase());
        let (word, rest) = part.split_at(end.unwrap_or(part.len()));
        // A folder may have this name, too.
        let is_command = out.is_empty() || out.ends_with([' ', '`', '(', '\n']);
        let is_here = is_command && takes_arena(word) && !OF_OTHERS.contains(&word);
        let flag = if is_here { flag } else { "" };
        out += &format!("flipside {word}{flag}{rest}");
    }
    out
}

/// A summary of a tournament, whose last line names a command.
pub(crate) fn summary(text: &str) -> String {
    match text.rsplit_once(MORE) {
        Some((summary, command)) => format!("{summary}{MORE}{}", in_arena(command)),
        None => text.into(),
    }
}

/// A text whose lines after the first are set in, so that none of them looks like one of ours: it may hold the name of
/// a file.
fn below(text: &str) -> String {
    let mut out = String::new();
    for (at, line) in text.lines().enumerate() {
        out += match at {
            0 => "",
            _ if line.starts_with(' ') => "\n",
            _ => "\n  ",
        };
        out += line;
    }
    out
}

/// A table for programs, with the tournament that it is of. The salt is none of their business: with it, whoever reads
/// the table could tell the dice of matches to come.
#[derive(Serialize)]
pub(crate) struct WithTournament<'a, T> {
    tournament: &'a str,
    game: &'a str,
    format: &'a str,
    clock: String,
    seed: u64,
    #[serde(flatten)]
    table: &'a T,
}

impl<'a, T> WithTournament<'a, T> {
    pub(crate) fn new(tournament: &'a Tournament, table: &'a T) -> Self {
        let settings = &tournament.settings;
        WithTournament {
            tournament: tournament.name.as_str(),
            game: &settings.game,
            format: settings.format.name(),
            clock: settings.clock.to_string(),
            seed: settings.seed,
            table,
        }
    }
}

/// How a result is printed.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct OutputFormat {
    /// Print JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV.
    #[arg(long)]
    csv: bool,
}

impl OutputFormat {
    /// Whether the result is for a person.
    pub(crate) fn for_people(self) -> bool {
        !self.json && !self.csv
    }

    /// Prints rows.
    pub(crate) fn print<R: ReportRow>(self, rows: &[R]) -> Result<()> {
        if self.for_people() && rows.is_empty() {
            note!("{}", R::NOTHING);
            return Ok(());
        }
        let table = || ReportTable::of("", R::COLUMNS, rows);
        let text = || Ok(table().text(&[], terminal::columns()));
        self.print_value(&rows, text, || table().csv())
    }

    /// Prints a document, for programs the value that it is of.
    pub(crate) fn print_document(
        self,
        document: &Document,
        value: &impl Serialize,
        csv: impl FnOnce() -> String,
    ) -> Result<()> {
        self.print_value(value, || Ok(text(document, terminal::columns())), csv)
    }

    /// Prints a tournament's standings and its cross table; gives the standings.
    pub(crate) fn print_table(
        self,
        journal: &Journal,
        tournament: &Tournament,
    ) -> Result<Standings> {
        let table = full_table(journal, tournament)?;
        let document = table_document(tournament, &table);
        let csv = || standings_table(&table.standings).csv();
        let value = WithTournament::new(tournament, &table.standings);
        self.print_document(&document, &value, csv)?;
        Ok(table.standings)
    }

    /// Prints rows that `each` gives one by one. For programs they are printed as they come, so that memory does not
    /// grow with their number. People get a table whose columns are as wide as their widest cell, so all rows are
    /// collected first.
    pub(crate) fn print_each<R: ReportRow>(
        self,
        each: impl FnOnce(&mut dyn FnMut(R) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        if self.json {
            return print_json(|json| {
                let mut rows = json.serialize_seq(None).map_err(not_printed)?;
                each(&mut |row| rows.serialize_element(&row).map_err(not_printed))?;
                rows.end().map_err(not_printed)
            });
        }
        let mut rows: Vec<R> = Vec::new();
        if !self.csv {
            each(&mut |row| {
                rows.push(row);
                Ok(())
            })?;
            return self.print(&rows);
        }
        let mut printed = false;
        let mut print_rows = |rows: &mut Vec<R>| {
            let table = ReportTable::of("", R::COLUMNS, rows);
            rows.clear();
            match std::mem::replace(&mut printed, true) {
                false => print(&table.csv()),
                true => print(&table.csv_rows()),
            }
        };
        each(&mut |row| {
            rows.push(row);
            match rows.len() {
                CSV_ROWS => print_rows(&mut rows),
                _ => Ok(()),
            }
        })?;
        print_rows(&mut rows)
    }

    /// Prints one value that is not a list of rows, by the text that is wanted of it.
    pub(crate) fn print_value(
        self,
        value: &impl Serialize,
        text: impl FnOnce() -> Result<String>,
        csv: impl FnOnce() -> String,
    ) -> Result<()> {
        if self.json {
            return print_json(|json| value.serialize(json).map_err(not_printed));
        }
        print(&if self.csv { csv() } else { text()? })
    }
}

/// What stands below a table of differences from a bot.
pub(crate) fn against_caption(bot: &str) -> String {
    plain_line(&format!(
        "difference: by how many rating points a bot is stronger than {bot}; low and high: its 95 % interval; met: \
         their matches"
    ))
}

/// How many rows of CSV are printed at once.
const CSV_ROWS: usize = 256;

/// How many bytes of JSON are printed at once.
const JSON_BYTES: usize = 64 << 10;

type Json<'a> = serde_json::Serializer<&'a mut PlainJson, PrettyFormatter<'static>>;

/// Prints JSON and a newline to standard output, piece by piece: a text of all of it may be longer than the memory.
fn print_json(write: impl FnOnce(&mut Json<'_>) -> Result<()>) -> Result<()> {
    let mut out = PlainJson(Vec::new());
    write(&mut serde_json::Serializer::pretty(&mut out))?;
    out.write_all(b"\n")
        .and_then(|()| out.flush())
        .map_err(writing)
}

/// Why JSON was not printed: results are JSON, so it is the writer's failure.
fn not_printed(error: serde_json::Error) -> Failure {
    writing(error.into())
}

/// Writes JSON to standard output, plain. Holds what is not written yet.
struct PlainJson(Vec<u8>);

impl PlainJson {
    /// Writes the whole characters that are held.
    fn write_out(&mut self) -> std::io::Result<()> {
        let mut chunks = self.0.utf8_chunks();
        let whole = chunks.next().map_or("", |chunk| chunk.valid());
        let length = whole.len();
        std::io::stdout().write_all(plain_json(whole).as_bytes())?;
        self.0.drain(..length);
        Ok(())
    }
}

impl Write for PlainJson {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.extend_from_slice(bytes);
        if self.0.len() >= JSON_BYTES {
            self.write_out()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.write_out()?;
        std::io::stdout().lock().flush()
    }
}

/// Prints a line for people to standard error. Nobody may be there to read it, which is no reason to
/// stop.
macro_rules! note {
    ($($words:tt)*) => {
        $crate::output::say(format_args!($($words)*))
    };
}
pub(crate) use note;

/// Begins a transcript in a new file.
pub(crate) fn new_transcript(path: &Path) -> Result<Transcript<BufWriter<File>>> {
    Ok(Transcript::new(BufWriter::new(new_file(path)?)))
}

/// Writes what is left of a transcript to its file.
pub(crate) fn finish_transcript(
    transcript: &Transcript<BufWriter<File>>,
    path: &Path,
) -> Result<()> {
    let what = |error| Failure::new(format!("cannot write {}: {error}", path.display()));
    transcript.finish().map_err(what)
}

/// Says a line for people, as the library's [`NoteSink`](flipside_operations::NoteSink).
pub(crate) fn say_line(line: &str) {
    note!("{line}");
}

/// The lines that wait until the screen is gone, and how many more there were; none: there is no screen.
static HELD: Mutex<Option<(Vec<String>, usize)>> = Mutex::new(None);

/// How many lines wait at most.
const MAX_HELD: usize = 50;

/// Says a line for people, or keeps it while there is a screen that it would tear.
pub(crate) fn say(line: std::fmt::Arguments<'_>) {
    let line = match line.to_string() {
        hint if hint.starts_with(HINT) => in_arena(&hint),
        line => line,
    };
    match &mut *lock(&HELD) {
        None => drop(writeln!(std::io::stderr(), "{}", plain(&line))),
        Some((lines, _)) if lines.len() < MAX_HELD => lines.push(line),
        Some((_, more)) => *more += 1,
    }
}

/// From now on lines wait.
pub(crate) fn hold() {
    *lock(&HELD) = Some(Default::default());
}

/// Lines that waited are said, and wait no more.
pub(crate) fn release() {
    let held = lock(&HELD).take();
    let (lines, more) = held.unwrap_or_default();
    for line in lines {
        note!("{line}");
    }
    if more > 0 {
        note!("and {more} lines more");
    }
}

/// What is said of modules whose fuel another engine counted.
pub(crate) const OTHER_FUEL: &str = " with the fuel of another engine not played again";

/// `, 2 faults` and what is said of them, behind something else that was counted; nothing where there are none.
pub(crate) fn also(number: u64, what: &str, rest: &str) -> String {
    match number {
        0 => String::new(),
        _ => format!(", {}{rest}", counted(number, what)),
    }
}

/// Prints lines of text to standard output. Only the styles that this program has of its own reach a terminal.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let shown = if out.is_terminal() {
        plain_but_styles
    } else {
        plain
    };
    out.write_all(shown(text).as_bytes()).map_err(writing)
}

fn plain_but_styles(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, style)) = terminal::STYLES
        .iter()
        .filter_map(|style| Some((rest.find(style)?, style)))
        .min()
    {
        out += &plain(&rest[..at]);
        out += style;
        rest = &rest[at + style.len()..];
    }
    out + &plain(rest)
}

/// Prints a file's content to standard output, every byte of it; a terminal gets it plain.
pub(crate) fn print_content(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let shown = if out.is_terminal() {
        &plain_json(text)
    } else {
        text
    };
    out.write_all(shown.as_bytes()).map_err(writing)
}

/// Whether standard error is a terminal: then progress may move.
pub(crate) fn on_terminal() -> bool {
    std::io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::takes_arena;

    #[test]
    fn a_command_that_is_printed_names_the_arena_where_it_knows_it() {
        for (text, due) in [
            ("flipside table cup", "flipside table --arena there cup"),
            (
                "`flipside matches` lists them",
                "`flipside matches --arena there` lists them",
            ),
            ("flipside perft flipfour", "flipside perft flipfour"),
            ("update flipside or go on", "update flipside or go on"),
            (
                "as `flipside backup` wrote it",
                "as `flipside backup` wrote it",
            ),
        ] {
            assert_eq!(with_arena(text, " --arena there", takes_arena), due);
        }
    }

    #[test]
    fn of_what_steers_only_our_own_styles_reach_a_terminal() {
        let text = terminal::Style::Terminal.bold("a\x1b[2Jb") + "\x1b[7m";
        assert_eq!(
            plain_but_styles(&text),
            "\x1b[1ma\\u{1b}[2Jb\x1b[0m\\u{1b}[7m"
        );
    }
}
