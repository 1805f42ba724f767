use std::path::PathBuf;

use flipside_operations::{ExportOptions, ExportStep, Result, export};
use flipside_report::plain_line;
use flipside_report::words::signed;

use crate::args::ArenaArg;
use crate::output::note;
use crate::progress::{Progress, Steps, in_steps};

/// Write a tournament to a file
///
/// The file's ending selects the format: .html (page), .md, .svg (bracket or cross table), .csv (results by seat and
/// match), .json and .jsonl (results by match), .pgn (games of two seats for rating tools, with the moves of chess), .trf
/// (games of two seats for pairing tools), .tar.zst (archive for `flipside import`).
///
/// Verifies every record first, and refuses a tournament whose journal differs from its records. Signs an archive if
/// the arena has a key and played every match.
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

pub(crate) fn run(args: &Args) -> Result<()> {
    let options = ExportOptions {
        force: args.force,
        unverified: args.unverified,
    };
    let mut verified: Option<Progress> = None;
    let exported = in_steps(Steps("match", "written"), |written| {
        let mut step = |step, done, total| {
            if step == ExportStep::Write {
                verified = None;
                return written(done, total);
            }
            let new = || Progress::new(Steps("match", "verified"), 0, total);
            verified.get_or_insert_with(new).reach(done);
        };
        let (arena, file) = (args.arena.path(), &args.file);
        export(arena, &args.tournament, file, options, &mut step)
    })?;
    match exported.beyond {
        0 => {}
        1 => note!("1 match is not in it: played, but a match before was not yet"),
        beyond => note!("{beyond} matches are not in it: played, but a match before was not yet"),
    }
    let file = plain_line(&args.file.display().to_string());
    match exported.signer {
        Some(signer) => note!("{file} is written, {}", signed(Some(signer))),
        None if exported.is_of_others => {
            note!("{file} is written, not signed: another arena played matches of it");
        }
        None => note!("{file} is written"),
    }
    if let Some(in_part) = exported.in_part {
        note!("{in_part}");
    }
    Ok(())
}
