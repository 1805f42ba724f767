//! Tournaments of other arenas, which come as archives.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use flipside_protocol::Size;
use flipside_sandbox::open_regular;
use flipside_tournament::archive::{ArchiveError, Checked, Imported, Names, check, import};
use flipside_tournament::{Arena, Name};
use sha2::{Digest, Sha256};

use crate::disk::Room;
use crate::files::cannot_read;
use crate::verify::threads;
use crate::{Failure, Result};

/// An archive whose records were verified.
pub struct VerifiedArchive<'a> {
    path: &'a Path,
    file: File,
    hash: [u8; 32],
    /// What is in it.
    pub content: Checked,
}

impl<'a> VerifiedArchive<'a> {
    /// Reads an archive, and verifies every record in it, on all cores. `step` hears how many records of how many are
    /// done.
    ///
    /// # Errors
    /// When the file cannot be read, or a record is wrong or does not fit the tournament.
    pub fn open(path: &'a Path, step: &mut dyn FnMut(u64, u64)) -> Result<Self> {
        // It is read twice, so that it cannot come through a pipe.
        let opened = open_regular(path).map_err(|error| cannot_read(path, error));
        let (mut file, _) = opened?;
        let mut hashing = Hashing {
            file: &mut file,
            hash: Sha256::new(),
        };
        let content = check(&mut hashing, threads()?, step).map_err(|error| about(&error, path))?;
        let hash = hashing.hash.finalize().into();
        Ok(VerifiedArchive {
            path,
            file,
            hash,
            content,
        })
    }

    /// The name that the tournament gets.
    pub fn name<'n>(&'n self, names: &'n Names) -> &'n Name {
        let own = &self.content.head.tournament;
        names.tournament.as_ref().unwrap_or(own)
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
        let room = Room::of(&arena, most_disk)?;
        self.file
            .rewind()
            .map_err(|error| cannot_read(self.path, error.into()))?;
        let mut journal = arena.journal()?;
        let left = || room.is_left();
        let (file, content) = (&mut self.file, &self.content);
        let archive = (file, self.hash);
        import(
            &mut journal,
            archive,
            content,
            names,
            threads()?,
            left,
            step,
        )
        .map_err(|error| about(&error, self.path))
    }
}

fn about(error: &ArchiveError, path: &Path) -> Failure {
    Failure::new(error)
        .maybe_hint(error.hint())
        .about(path.display())
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
