use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use flipside_sandbox::open_regular;
use flipside_tournament::archive::{ArchiveError, Checked, Names, check, import};
use flipside_tournament::{Arena, Bot, Name};
use sha2::{Digest, Sha256};

use crate::arena::ArenaArg;
use crate::failure::{Failure, Result};
use crate::files::cannot_read;
use crate::output::{note, plain_line, print};
use crate::policy::DiskArg;
use crate::progress::{Progress, Steps};
use crate::words;

/// Import a tournament from another arena
///
/// Verifies every record of an archive from `flipside export`. Imports nothing if a record is wrong or does not fit
/// the tournament. Who chose the moves, and how long that took, rests on the sender's word. Tables mark imported
/// matches.
///
/// Bots come without files. A bot here with the same name and bytes is the same bot, also if it is submitted later.
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
    #[command(flatten)]
    disk: DiskArg,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let path = &args.file;
    let mut file = open(path)?;
    let about = |error: ArchiveError| {
        Failure::new(&error)
            .maybe_hint(error.hint())
            .about(path.display())
    };
    let mut hashing = Hashing {
        file: &mut file,
        hash: Sha256::new(),
    };
    let threads = std::thread::available_parallelism().map_err(Failure::new)?;
    let checked = in_steps(Steps("record", "verified"), |step| {
        check(&mut hashing, threads, step)
    })
    .map_err(about)?;
    let hash: [u8; 32] = hashing.hash.finalize().into();
    print(&(plain_line(&found(path, &checked)) + "\n"))?;
    if args.check {
        return Ok(());
    }
    let names = Names {
        tournament: args.name.clone(),
        origin: args.origin.clone(),
    };
    let arena = args.arena.create()?;
    let name = names
        .tournament
        .as_ref()
        .unwrap_or(&checked.head.tournament);
    let _lock = arena.lock_run(name)?;
    let room = args.disk.room(&arena)?;
    file.rewind()
        .map_err(|error| cannot_read(path, error.into()))?;
    let mut journal = arena.journal()?;
    let imported = in_steps(Steps("match", "imported"), |step| {
        let left = || room.is_left();
        import(&mut journal, &mut file, &checked, &names, hash, left, step)
    })
    .map_err(about)?;
    tell_missing(&imported.tournament.entrants);
    let known = match imported.known {
        0 => String::new(),
        1 => ", 1 was here already".to_owned(),
        known => format!(", {known} were here already"),
    };
    print(&format!(
        "{name}: {} new here{known}; `flipside table {name}{}` shows what came of them\n",
        words::counted(imported.new, "match"),
        elsewhere(&arena, args),
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
            "only the results are here, and not the files, of {}{more}",
            named.join(", ")
        );
    }
}

/// The argument that names the arena, where it was named.
fn elsewhere(arena: &Arena, args: &Args) -> String {
    match args.arena.path() == Path::new("arena") {
        true => String::new(),
        false => format!(" --arena {}", arena.path().display()),
    }
}

/// What was found in an archive.
fn found(path: &Path, checked: &Checked) -> String {
    let head = &checked.head;
    let forfeits = match head.matches - checked.records {
        0 => String::new(),
        1 => ", and 1 forfeit follows from them".to_owned(),
        forfeits => format!(", and {forfeits} forfeits follow from them"),
    };
    let told = match checked.faults_told {
        0 => String::new(),
        told => format!(
            " ({} on the other referee's word)",
            words::counted(told, "fault")
        ),
    };
    format!(
        "{}: ok: {} {}, {}, {}{told}{forfeits}",
        path.display(),
        head.settings.game,
        head.tournament,
        words::counted(head.bots.len() as u64, "bot"),
        words::counted(checked.records, "record"),
    )
}

fn open(path: &Path) -> Result<File> {
    // It is read twice, so that it cannot come through a pipe.
    open_regular(path)
        .map(|(file, _)| file)
        .map_err(|error| cannot_read(path, error))
}

/// Work with a progress display, which begins when it is known how much there is to do.
pub(crate) fn in_steps<T>(what: Steps, work: impl FnOnce(&mut dyn FnMut(u64, u64)) -> T) -> T {
    let mut progress: Option<Progress> = None;
    let done = work(&mut |done, total| {
        let progress = progress.get_or_insert_with(|| Progress::new(what, 0, total));
        progress.reach(done);
    });
    if let Some(progress) = progress {
        progress.end();
    }
    done
}

/// A file whose bytes are hashed as they are read.
struct Hashing<'a> {
    file: &'a mut File,
    hash: Sha256,
}

impl Read for Hashing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.hash.update(&buffer[..length]);
        Ok(length)
    }
}
