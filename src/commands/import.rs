use std::path::{Path, PathBuf};

use flipside_games::words::counted;
use flipside_operations::{ArchiveRerun, Result, VerifiedArchive, signed_by};
use flipside_report::plain_line;
use flipside_store::archive::{CheckedArchive, Names};
use flipside_tournament::{Bot, Name};

use crate::args::{ArenaArg, DiskArg};
use crate::output::{OTHER_FUEL, also, in_arena, note, print};
use crate::progress::{Steps, in_steps};

/// Import a tournament from another arena
///
/// Verifies every record of an archive from `flipside export`. Imports nothing if a record is wrong or does not fit
/// the tournament. It cannot check who chose the moves, or how long that took: for this, trust the sender. Tables mark
/// imported matches.
///
/// Prints who signed the archive. Plays the modules that this arena has again, and imports nothing if an answer
/// differs.
///
/// Of a game that is not built in, the archive contains the program. It runs isolated, also with --check, and the arena
/// keeps it with the tournament.
///
/// An archive contains no files of bots. A bot in this arena with the same name and file is the same bot, even if it is
/// submitted later.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Archive
    file: PathBuf,
    /// Name of the tournament in this arena [default: as in the archive]
    #[arg(long)]
    name: Option<Name>,
    /// Rename bots to NAME.BOT if their names are taken
    #[arg(long, value_name = "NAME")]
    origin: Option<Name>,
    /// Verify the archive; import nothing
    #[arg(long)]
    check: bool,
    /// Do not play the modules that this arena has again
    #[arg(long)]
    no_rerun: bool,
    #[command(flatten)]
    disk: DiskArg,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let path = &args.file;
    let (arena, most_disk) = (args.arena.path(), args.disk.most_disk);
    let mut archive = in_steps(Steps("record", "verified"), |step| {
        VerifiedArchive::open(args.arena.path(), path, step)
    })?;
    let found = found(path, &archive.content);
    let signer = signed_by(arena, archive.content.signer);
    print(&(plain_line(&format!("{found}, {signer}")) + "\n"))?;
    if !args.no_rerun {
        let rerun = in_steps(Steps("match", "played again"), |step| {
            archive.rerun(arena, step)
        })
        .map_err(|failure| failure.and_hint("--no-rerun skips this"))?;
        print(&played_again(&rerun))?;
    }
    if args.check {
        return Ok(());
    }
    let names = Names {
        tournament: args.name.clone(),
        origin: args.origin.clone(),
    };
    let imported = in_steps(Steps("match", "imported"), |step| {
        archive.import(arena, &names, most_disk, step)
    })?;
    let name = &imported.tournament.name;
    tell_missing(&imported.tournament.entrants);
    let known = match imported.known {
        0 => String::new(),
        1 => ", 1 was here already".to_owned(),
        known => format!(", {known} were here already"),
    };
    let more = in_arena(&format!("flipside table {name}"));
    print(&format!(
        "{name}: {} new here{known}; `{more}` shows what came of them\n",
        counted(imported.new, "match"),
    ))
}

/// The most bots that are named in a row.
const MAX_NAMED: usize = 8;

/// Tells which bots have only results here.
fn tell_missing(bots: &[Bot]) {
    let missing: Vec<String> = bots
        .iter()
        .filter(|bot| !bot.is_here())
        .map(Bot::label)
        .collect();
    let more = match missing.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    if !missing.is_empty() {
        let named = &missing[..missing.len().min(MAX_NAMED)];
        note!(
            "the archive has results but no files of {}{more}",
            named.join(", ")
        );
    }
}

/// What came of the modules that were played again; nothing if the archive has none.
fn played_again(rerun: &ArchiveRerun) -> String {
    let ArchiveRerun {
        here,
        absent,
        rerun,
    } = rerun;
    if here + absent == 0 {
        return String::new();
    }
    let answers = match here {
        0 => String::new(),
        _ => format!(", {} equal", counted(rerun.answers, "answer")),
    };
    let by_time = also(rerun.by_time, "fault", " of time not compared");
    let other_fuel = also(rerun.other_fuel, "seat", OTHER_FUEL);
    let absent = also(*absent, "module", " not here");
    let here = counted(*here, "module");
    format!("{here} played again{answers}{by_time}{other_fuel}{absent}\n")
}

/// What was found in an archive.
fn found(path: &Path, checked: &CheckedArchive) -> String {
    let head = &checked.head;
    let forfeits = match head.matches - checked.records {
        0 => String::new(),
        1 => ", and 1 forfeit follows from them".to_owned(),
        forfeits => format!(", and {forfeits} forfeits follow from them"),
    };
    let told = match checked.faults_told {
        0 => String::new(),
        told => format!(" ({} without evidence)", counted(told, "fault")),
    };
    format!(
        "{}: ok: {} {}, {}, {}{told}{forfeits}",
        path.display(),
        head.settings.game,
        head.tournament,
        counted(head.bots.len() as u64, "bot"),
        counted(checked.records, "record"),
    )
}
