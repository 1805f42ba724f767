//! Tournaments of other arenas, which come as archives.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use flipside_protocol::Size;
use flipside_referee::Record;
use flipside_sandbox::{Program, ProgramKind, open_regular};
use flipside_store::archive::{
    ArchiveError, CheckedArchive, Imported, Names, check, for_each_record, game_in, import,
};
use flipside_store::{Arena, ImportedGame, Journal};
use flipside_tournament::{GameVersion, Name};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::arena_games::know_archived;
use crate::concurrency::cores;
use crate::disk::DiskSpace;
use crate::entry::keep;
use crate::failure::{Failure, Result};
use crate::files::{cannot_read, private_folder};
use crate::rerun::outcome::{Rerun, RerunResult};
use crate::rerun::{Rerunner, hint};

/// Refuses a game whose version is another program here, before anything enters the arena.
fn refuse_other_game(journal: &Journal, game: &GameOfArchive) -> flipside_store::Result<()> {
    match journal.game(&game.version)? {
        Some(known) if known.sha256 != game.program.sha256() => {
            let game = known.label();
            Err(flipside_store::Error::OtherGame { game })
        }
        _ => Ok(()),
    }
}

/// The game of an archive, made known. Its program runs isolated: somebody else's archive has brought it.
fn game_of(arena: &Path, archive: &File) -> Result<Option<GameOfArchive>> {
    let folder = private_folder()?;
    let copied = game_in(archive, folder.path())?;
    let opened = copied.map(|(version, path)| {
        let (program, description) = know_archived(arena, &version, &path)?;
        Ok(GameOfArchive {
            version,
            program,
            description,
            _folder: folder,
        })
    });
    opened.transpose()
}

/// An archive whose records were verified.
pub struct VerifiedArchive<'a> {
    path: &'a Path,
    file: File,
    hash: [u8; 32],
    /// What is in it.
    pub content: CheckedArchive,
    /// Its game, if that is a program.
    game: Option<GameOfArchive>,
}

/// The game of an archive, whose program was opened.
struct GameOfArchive {
    version: GameVersion,
    program: Program,
    description: String,
    /// Where the program lies.
    _folder: TempDir,
}

impl<'a> VerifiedArchive<'a> {
    /// Reads an archive, and verifies every record in it, on all cores. The program of its game runs isolated, and sees
    /// nothing of the arena in the folder `arena`. `step` hears how many records of how many are
    /// done.
    ///
    /// # Errors
    /// When the file cannot be read, or a record is wrong or does not fit the tournament.
    pub fn open(arena: &Path, path: &'a Path, step: &mut dyn FnMut(u64, u64)) -> Result<Self> {
        // It is read twice, so that it cannot come through a pipe.
        let opened = open_regular(path).map_err(|error| cannot_read(path, error));
        let (mut file, _) = opened?;
        let game = game_of(arena, &file).map_err(|failure| failure.about(path.display()))?;
        file.rewind()
            .map_err(|error| cannot_read(path, error.into()))?;
        let mut hashing = ImportHashing {
            file: &mut file,
            hash: Sha256::new(),
        };
        let content = check(&mut hashing, cores(), step).map_err(|error| about(error, path))?;
        let hash = hashing.hash.finalize().into();
        Ok(VerifiedArchive {
            path,
            file,
            hash,
            content,
            game,
        })
    }

    /// The name that the tournament gets.
    pub fn name<'n>(&'n self, names: &'n Names) -> &'n Name {
        let own = &self.content.head.tournament;
        names.tournament.as_ref().unwrap_or(own)
    }

    /// Plays the modules of the archive that the arena in this folder has again, on all cores, and compares their
    /// answers with the records. `step` hears how many matches of how many are done.
    ///
    /// # Errors
    /// When a module cannot be started, or an answer is not the recorded one.
    pub fn rerun(&mut self, arena: &Path, step: &mut dyn FnMut(u64, u64)) -> Result<ArchiveRerun> {
        let head = &self.content.head;
        let threads = cores();
        let rerunner = Rerunner::at_once(arena, threads);
        let bots = head
            .bots
            .iter()
            .filter(|bot| bot.kind == ProgramKind::Module);
        let all: HashSet<&str> = bots.map(|bot| &*bot.sha256).collect();
        let here = all
            .iter()
            .filter(|sha256| rerunner.module(sha256).is_some());
        let here = here.count() as u64;
        let mut found = ArchiveRerun {
            here,
            absent: all.len() as u64 - here,
            rerun: Rerun::default(),
        };
        if here == 0 {
            return Ok(found);
        }
        let matches = head.matches;
        self.rewind()?;
        let mut done = 0;
        let work = |record: &Record| (rerunner.play(record), hint(record));
        let take = |id: &str, played: Option<(Result<RerunResult>, String)>| {
            done += 1;
            step(done, matches);
            // A forfeit was not played.
            let Some((outcome, hint)) = played else {
                return Ok(());
            };
            let differs = |what: String| Failure::new(what).hint(hint);
            let rerun = outcome.and_then(|outcome| outcome.map_err(differs));
            found.rerun.add(rerun.map_err(|failure| failure.about(id))?);
            Ok(())
        };
        let played = for_each_record(&mut self.file, &self.content, threads, work, take);
        played.map_err(|failure: Failure| failure.about(self.path.display()))?;
        Ok(found)
    }

    /// Imports the tournament into the arena in this folder, which is made if it is not there; at most until the arena
    /// takes as much disk as `most_disk`. `step` hears how many matches of how many are done.
    ///
    /// # Errors
    /// When a name is taken, the tournament is being played, or the arena cannot be written or is full.
    pub fn import(
        mut self,
        arena: &Path,
        names: &Names,
        most_disk: Size,
        step: &mut dyn FnMut(u64, u64),
    ) -> Result<Imported> {
        let arena = Arena::create(arena)?;
        let _lock = arena.lock_run(self.name(names))?;
        let room = DiskSpace::of(&arena, most_disk)?;
        self.rewind()?;
        let mut journal = arena.journal()?;
        if let Some(game) = &self.game {
            refuse_other_game(&journal, game)
                .map_err(|error| Failure::refusal(error).about(self.path.display()))?;
            self.content.game = Some(ImportedGame {
                version: game.version.clone(),
                file: keep(&arena, &game.program)?,
                description: game.description.clone(),
            });
        }
        let left = || room.is_left();
        let (content, archive) = (&self.content, (&mut self.file, self.hash));
        let threads = cores();
        let imported = import(&mut journal, archive, content, names, threads, left, step);
        imported.map_err(|error| about(error, self.path))
    }

    /// Goes back to the beginning of the file.
    fn rewind(&mut self) -> Result<()> {
        let rewound = self.file.rewind();
        rewound.map_err(|error| cannot_read(self.path, error.into()))
    }
}

/// What came of modules of an archive that were played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveRerun {
    /// How many modules of the archive the arena has.
    pub here: u64,
    /// How many it does not have.
    pub absent: u64,
    /// What came of those that it has.
    pub rerun: Rerun,
}

fn about(error: ArchiveError, path: &Path) -> Failure {
    Failure::from(error).about(path.display())
}

/// A file whose bytes are hashed as they are read.
struct ImportHashing<'a> {
    file: &'a mut File,
    hash: Sha256,
}

impl Read for ImportHashing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.hash.update(&buffer[..length]);
        Ok(length)
    }
}
