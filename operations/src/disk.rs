//! How much disk an arena may take.

use std::cell::Cell;
use std::time::{Duration, Instant};

use flipside_protocol::Size;
use flipside_store::{Arena, Error};

/// The most disk that an arena takes unless somebody says otherwise: a hundred times what a million short matches take.
pub const MOST_DISK: Size = Size::of(64 << 30);

/// How often all files of the arena are counted while a tournament runs. That takes longer than to store a match, and
/// between two counts uploads and caches grow within limits of their own.
const COUNT_EVERY: Duration = Duration::from_secs(10);

/// Looks at how much disk an arena takes, at its journal each time and at the rest now and then.
pub(crate) struct DiskSpace<'a> {
    arena: &'a Arena,
    pub(crate) most: Size,
    /// The bytes of all but the journal, and when they were counted.
    rest: Cell<(u64, Instant)>,
}

impl<'a> DiskSpace<'a> {
    pub(crate) fn of(arena: &'a Arena, most: Size) -> Result<Self, Error> {
        DiskSpace::at(arena, most, Instant::now())
    }

    fn at(arena: &'a Arena, most: Size, now: Instant) -> Result<Self, Error> {
        Ok(DiskSpace {
            rest: Cell::new((rest_of(arena)?, now)),
            arena,
            most,
        })
    }

    pub(crate) fn is_left(&self) -> bool {
        self.is_left_at(Instant::now())
    }

    fn is_left_at(&self, now: Instant) -> bool {
        let (mut rest, counted) = self.rest.get();
        if now.saturating_duration_since(counted) >= COUNT_EVERY {
            // What cannot be counted now is as it was.
            rest = rest_of(self.arena).unwrap_or(rest);
            self.rest.set((rest, now));
        }
        rest + self.arena.journal_size() < self.most.bytes()
    }
}

/// The bytes of all but the journal.
fn rest_of(arena: &Arena) -> Result<u64, Error> {
    Ok(arena.size()?.saturating_sub(arena.journal_size()))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn what_others_write_into_the_arena_counts_while_a_tournament_runs() {
        let folder = tempfile::tempdir().unwrap();
        let arena = Arena::create(folder.path().join("arena")).unwrap();
        let begun = Instant::now();
        let most = Size::of(arena.size().unwrap() + (1 << 30));
        let room = DiskSpace::at(&arena, most, begun).unwrap();
        // Files of uploads, of caches, and of whatever else there is; without their bytes on the disk.
        let bundle = arena.cache().join("bundles/0123");
        let uploads = arena.path().join("uploads");
        for (at, folder) in [(1, &bundle), (2, &uploads), (3, &uploads)] {
            fs::create_dir_all(folder).unwrap();
            let file = File::create(folder.join(at.to_string())).unwrap();
            file.set_len((1 << 30) / 3).unwrap();
            let later = begun + at * COUNT_EVERY;
            assert!(room.is_left_at(later - Duration::from_millis(1)));
            assert_eq!(room.is_left_at(later), at < 3);
        }
        fs::remove_dir_all(bundle).unwrap();
        assert!(room.is_left_at(begun + 4 * COUNT_EVERY));
    }
}
