use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use flipside_tournament::report::{markdown, page, picture, seats_csv, table_document, words};
use flipside_tournament::{Journal, Tournament, archive, full_table, table};

use crate::arena::ArenaArg;
use crate::commands::import::in_steps;
use crate::commands::verify::refuse_changed;
use crate::failure::{Failure, Result};
use crate::files::to_replace;
use crate::output::{note, plain_json, plain_line};
use crate::progress::Steps;

/// Write a tournament to a file
///
/// The file's ending selects the format: .html (page), .md, .svg (bracket or cross table), .csv (results by seat and match),
/// .json and .jsonl (results by match), .tar.zst (archive for `flipside import`).
///
/// Verifies every record first, and refuses a tournament whose journal differs from its records.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Tournament
    tournament: String,
    /// File to write
    file: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Skip the comparison with the records (not for archives)
    #[arg(long)]
    unverified: bool,
    #[command(flatten)]
    arena: ArenaArg,
}

/// What can be written.
#[derive(Clone, Copy)]
enum Kind {
    Page,
    Markdown,
    Picture,
    Csv,
    Json,
    JsonLines,
    Archive,
}

impl Kind {
    fn of(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.to_ascii_lowercase().ends_with(".tar.zst") {
            return Ok(Kind::Archive);
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("html" | "htm") => Ok(Kind::Page),
            Some("md") => Ok(Kind::Markdown),
            Some("svg") => Ok(Kind::Picture),
            Some("csv") => Ok(Kind::Csv),
            Some("json") => Ok(Kind::Json),
            Some("jsonl") => Ok(Kind::JsonLines),
            _ => Err(Failure::usage(format!(
                "the ending of {} does not say what to write",
                path.display()
            ))
            .hint("name it .html, .md, .svg, .csv, .json, .jsonl or .tar.zst")),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let kind = Kind::of(&args.file)?;
    let arena = args.arena.open()?;
    let journal = arena.read_journal()?;
    let tournament = journal.tournament(&args.tournament)?;
    let target = to_replace(&args.file)?;
    if args.file.exists() && !args.force {
        return Err(
            Failure::new(format!("{} is there already", args.file.display()))
                .hint("--force replaces it"),
        );
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let failed = |error: std::io::Error| {
        Failure::new(format!(
            "{} cannot be written: {error}",
            args.file.display()
        ))
    };
    if !folder.is_dir() {
        return Err(
            Failure::new(format!("there is no folder {}", folder.display()))
                .hint(format!("`mkdir -p {}` makes it", folder.display())),
        );
    }
    if !args.unverified || matches!(kind, Kind::Archive) {
        refuse_changed(&arena, &journal, &tournament)?;
    }
    // Into a file beside it first: nobody finds half of one, and what was there stays if this fails.
    let mut file = tempfile::Builder::new()
        .prefix(".flipside-export-")
        .tempfile_in(folder)
        .map_err(|error| {
            // The error names the file beside it, which nobody asked for.
            let error = error.kind();
            Failure::new(format!(
                "{} cannot be written: {error}",
                args.file.display()
            ))
        })?;
    write(&journal, &tournament, kind, file.as_file_mut())?;
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(readable).map_err(failed)?;
    file.persist(&target).map_err(|error| failed(error.error))?;
    note!(
        "{} is written",
        plain_line(&args.file.display().to_string())
    );
    if let Some(in_part) = in_part(&journal, &tournament)? {
        note!("{in_part}");
    }
    Ok(())
}

/// That a tournament was taken in only in part, if it was and is not over.
pub(crate) fn in_part(journal: &Journal, tournament: &Tournament) -> Result<Option<String>> {
    // Whether it is over is a longer question.
    if journal
        .imports(tournament.id)?
        .iter()
        .all(|import| import.finished)
    {
        return Ok(None);
    }
    Ok(words::in_part(&table(journal, tournament)?.imports))
}

fn write(journal: &Journal, tournament: &Tournament, kind: Kind, file: &mut File) -> Result<()> {
    let mut out = BufWriter::new(file);
    let text = match kind {
        Kind::Csv | Kind::Json | Kind::JsonLines => {
            results(journal, tournament, kind, &mut out)?;
            String::new()
        }
        Kind::Archive => {
            let written = in_steps(Steps("match", "written"), |step| {
                archive::write(journal, tournament, &mut out, step)
            })?;
            if written.beyond > 0 {
                note!(
                    "{} not in it: played, but a match before was not yet",
                    match written.beyond {
                        1 => "1 match is".to_owned(),
                        beyond => format!("{beyond} matches are"),
                    }
                );
            }
            String::new()
        }
        Kind::Page | Kind::Markdown | Kind::Picture => {
            let table = full_table(journal, tournament)?;
            let document = table_document(tournament, &table);
            match kind {
                Kind::Page => page(&document),
                Kind::Markdown => markdown(&document),
                _ => picture(&table.standings),
            }
        }
    };
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Failure::new)
}

/// All matches in order of the schedule.
fn results(
    journal: &Journal,
    tournament: &Tournament,
    kind: Kind,
    out: &mut impl Write,
) -> Result<()> {
    if let Kind::Csv = kind {
        out.write_all(seats_csv(None).as_bytes())
            .map_err(Failure::new)?;
    }
    let mut text = String::new();
    let mut written = Ok(());
    let mut separator = "[\n";
    journal.for_each_match(tournament.id, |row| {
        text.clear();
        match kind {
            Kind::Csv => text += &seats_csv(Some(&row)),
            _ => {
                if let Kind::Json = kind {
                    text.push_str(separator);
                    separator = ",\n";
                }
                let json = serde_json::to_string(&row).expect("a result is JSON");
                text.push_str(&plain_json(&json));
                if let Kind::JsonLines = kind {
                    text.push('\n');
                }
            }
        }
        written = out.write_all(text.as_bytes());
        written.is_ok()
    })?;
    if let Kind::Json = kind {
        let end = if separator == "[\n" { "[]\n" } else { "\n]\n" };
        written = written.and_then(|()| out.write_all(end.as_bytes()));
    }
    written.map_err(Failure::new)
}
