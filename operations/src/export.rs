//! Tournaments that are written to files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use flipside_referee::{PublicKey, SecretKey};
use flipside_report::{
    ExportedMatch, markdown, page, picture, plain_json, seats_csv, table_document,
};
use flipside_sandbox::shell::quoted;
use flipside_store::{Arena, Journal, MatchRow, archive, full_table};
use flipside_tournament::Tournament;

use crate::concurrency::cores;
use crate::failure::{Failure, Result};
use crate::files::{Readers, folder_of, replace, to_replace};
use crate::openings::opening_of;
use crate::pgn::write_pgn;
use crate::start::in_part;
use crate::trf::write_trf;
use crate::verify::refuse_changed;

/// What a tournament can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// A page in HTML.
    Page,
    /// The same tables in Markdown.
    Markdown,
    /// The bracket or the cross table as SVG.
    Picture,
    /// A line for each seat of each match.
    Csv,
    /// An array of all matches.
    Json,
    /// A line for each match.
    JsonLines,
    /// A game with its tags for each match.
    Pgn,
    /// A line for each bot, with its opponent and result in each round.
    Trf,
    /// All matches with their records, for another arena.
    Archive,
}

impl ExportKind {
    /// What the ending of a file's name asks for.
    ///
    /// # Errors
    /// When it asks for nothing that there is.
    pub fn of(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.to_ascii_lowercase().ends_with(".tar.zst") {
            return Ok(ExportKind::Archive);
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("html" | "htm") => Ok(ExportKind::Page),
            Some("md") => Ok(ExportKind::Markdown),
            Some("svg") => Ok(ExportKind::Picture),
            Some("csv") => Ok(ExportKind::Csv),
            Some("json") => Ok(ExportKind::Json),
            Some("jsonl") => Ok(ExportKind::JsonLines),
            Some("pgn") => Ok(ExportKind::Pgn),
            Some("trf" | "trfx") => Ok(ExportKind::Trf),
            _ => Err(Failure::usage(format!(
                "the ending of {} does not say what to write",
                path.display()
            ))
            .hint("name it .html, .md, .svg, .csv, .json, .jsonl, .pgn, .trf or .tar.zst")),
        }
    }
}

/// How a tournament is written to a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExportOptions {
    /// Whether it may replace a file.
    pub force: bool,
    /// Whether it is not compared with its records. An archive always is.
    pub unverified: bool,
}

/// What an export is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportStep {
    /// The records are verified.
    Verify,
    /// The matches are written, into an archive.
    Write,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// How many matches are not in an archive: they were played, but a match before them was not yet.
    pub beyond: u64,
    /// Who signed it: an archive of an arena with a key.
    pub signer: Option<PublicKey>,
    /// Whether it is an archive that this arena would sign if it had played every match itself.
    pub is_of_others: bool,
    /// That the tournament was imported only in part, in one line, if it was.
    pub in_part: Option<String>,
}

/// Writes the tournament of this name, of the arena in this folder, to a file, whose ending says what it becomes.
/// `step` hears how many matches of how many are done.
///
/// # Errors
/// When there is no such tournament, it is not what its records show, or the file cannot be written.
pub fn export(
    arena: &Path,
    name: &str,
    file: &Path,
    options: ExportOptions,
    step: &mut dyn FnMut(ExportStep, u64, u64),
) -> Result<Exported> {
    let kind = ExportKind::of(file)?;
    let arena = Arena::open(arena)?;
    let journal = arena.read_journal()?;
    let tournament = journal.tournament(name)?;
    let target = to_replace(file, options.force)?;
    let folder = folder_of(&target);
    if !folder.is_dir() {
        let what = format!("there is no folder {}", folder.display());
        return Err(Failure::new(what).hint(format!("`mkdir -p {}` makes it", quoted(folder))));
    }
    if !options.unverified || kind == ExportKind::Archive {
        refuse_changed(&arena, &journal, &tournament, |done, total| {
            step(ExportStep::Verify, done, total);
        })?;
    }
    let key = match kind {
        ExportKind::Archive => arena.key()?,
        _ => None,
    };
    // The records of an archive have the salt, and what bots wrote to standard error.
    let readers = match kind {
        ExportKind::Archive => Readers::Owner,
        _ => Readers::Others,
    };
    let (beyond, signer) = replace(file, &target, readers, |file: &mut File| {
        let mut written = |done, total| step(ExportStep::Write, done, total);
        let (tournament, key) = (&tournament, key.as_ref());
        let journal = (&journal, &*arena.programs());
        write_export(journal, tournament, kind, key, file, &mut written)
    })?;
    Ok(Exported {
        beyond,
        signer,
        is_of_others: key.is_some() && signer.is_none(),
        in_part: in_part(&journal, &tournament)?,
    })
}

/// Writes a tournament, as it is in the journal; an archive is signed with the key. Gives how many matches are not in
/// an archive, because a match before them was not played yet, and who signed it.
///
/// # Errors
/// When the journal cannot be read, or nothing be written.
pub fn write_export(
    (journal, programs): (&Journal, &Path),
    tournament: &Tournament,
    kind: ExportKind,
    key: Option<&SecretKey>,
    out: &mut dyn Write,
    step: &mut dyn FnMut(u64, u64),
) -> Result<(u64, Option<PublicKey>)> {
    let mut out = BufWriter::new(out);
    if kind == ExportKind::Archive {
        let of = (journal, programs);
        let written = archive::write(of, tournament, key, cores(), &mut out, step)?;
        out.flush().map_err(Failure::new)?;
        return Ok((written.beyond, written.signer));
    }
    write_table_or_results(journal, tournament, kind, &mut out, ShownTo::Organiser)?;
    Ok((0, None))
}

/// Who reads an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownTo {
    Organiser,
    /// Everybody: without what bots wrote to standard error, and without moves before everything is played.
    Everybody {
        is_over: bool,
    },
}

/// Writes a tournament for everybody: not as an archive, without what bots wrote to standard error, and, if it is not
/// over, without moves.
///
/// # Errors
/// When the journal cannot be read, or nothing be written.
pub fn write_public_export(
    journal: &Journal,
    tournament: &Tournament,
    kind: ExportKind,
    is_over: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let mut out = BufWriter::new(out);
    let shown_to = ShownTo::Everybody { is_over };
    write_table_or_results(journal, tournament, kind, &mut out, shown_to)
}

/// Writes all kinds but an archive.
fn write_table_or_results(
    journal: &Journal,
    tournament: &Tournament,
    kind: ExportKind,
    out: &mut impl Write,
    shown_to: ShownTo,
) -> Result<()> {
    let is_public = shown_to != ShownTo::Organiser;
    let has_moves = shown_to != ShownTo::Everybody { is_over: false };
    match kind {
        ExportKind::Csv | ExportKind::Json | ExportKind::JsonLines => {
            let exported = |row: MatchRow| {
                let opening = match has_moves {
                    true => opening_of(journal, tournament, &row)?,
                    false => None,
                };
                let row = match is_public {
                    true => row.without_stderr(),
                    false => row,
                };
                Ok(ExportedMatch { row, opening })
            };
            results(journal, tournament, kind, out, exported)?;
        }
        ExportKind::Pgn => write_pgn(journal, tournament, has_moves, out)?,
        ExportKind::Trf => write_trf(journal, tournament, out)?,
        ExportKind::Archive => return Err(Failure::usage("an archive is for its owner")),
        ExportKind::Page | ExportKind::Markdown | ExportKind::Picture => {
            let mut table = full_table(journal, tournament)?;
            if is_public {
                table.standings = table.standings.without_stderr();
            }
            let document = || table_document(tournament, &table);
            let text = match kind {
                ExportKind::Page => page(&document()),
                ExportKind::Markdown => markdown(&document()),
                _ => picture(&table.standings),
            };
            out.write_all(text.as_bytes()).map_err(Failure::new)?;
        }
    }
    out.flush().map_err(Failure::new)
}

/// All matches in order of the schedule.
fn results(
    journal: &Journal,
    tournament: &Tournament,
    kind: ExportKind,
    out: &mut impl Write,
    exported: impl Fn(MatchRow) -> Result<ExportedMatch>,
) -> Result<()> {
    let header = seats_csv(None);
    // What stands before the first match, between two, behind the last, and where there is none.
    let (first, between, last, none) = match kind {
        ExportKind::Csv => (&*header, "", "", &*header),
        ExportKind::Json => ("[\n", ",\n", "\n]\n", "[]\n"),
        _ => ("", "\n", "\n", ""),
    };
    let mut written = Ok(());
    let mut before = first;
    journal.for_each_match(tournament.id, |row| {
        written = exported(row).and_then(|exported| {
            let text = if kind == ExportKind::Csv {
                seats_csv(Some(&exported))
            } else {
                plain_json(&serde_json::to_string(&exported).expect("a result is JSON"))
            };
            write!(out, "{before}{text}").map_err(Failure::new)
        });
        before = between;
        written.is_ok()
    })?;
    written?;
    let end = if before == first { none } else { last };
    out.write_all(end.as_bytes()).map_err(Failure::new)
}
