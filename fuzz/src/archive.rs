//! An archive that somebody else has made. The bytes are a whole file, or what is changed in a small one
//! that is true: a zero, and then again and again where, and what is to be there; a one for the same in a signed one.

use std::num::NonZeroUsize;

use flipside_store::archive::{ArchiveError, Names, check, import};
use flipside_store::{Arena, table};

/// A true archive of two matches, not compressed. The test `the_golden_archive_is_made` of the crate `store` makes
/// all archives of the corpus.
const WHOLE: &[u8] = include_bytes!("../corpus/archive/whole");

/// The same, signed by a key that nobody has any more.
const SIGNED: &[u8] = include_bytes!("../corpus/archive/signed");

/// Longer inputs take more time than there is.
const LONGEST: usize = 64 << 10;

pub(crate) fn run(bytes: &[u8]) {
    let archive = match bytes.split_first() {
        Some((0, changes)) => changed(WHOLE, changes),
        Some((1, changes)) => changed(SIGNED, changes),
        _ => bytes.to_vec(),
    };
    if archive.len() > LONGEST {
        return;
    }
    match check(&archive[..], NonZeroUsize::MIN, |_, _| {}) {
        Err(error) => {
            // Whoever brought it is to be told something.
            assert!(!error.to_string().is_empty());
            let _ = error.hint();
        }
        Ok(checked) => {
            let is_signed = bytes.first() == Some(&1);
            assert!(
                !is_signed || archive == SIGNED,
                "a signed archive was changed"
            );
            let folder = tempfile::tempdir().expect("there is room for a folder");
            let arena = Arena::create(folder.path().join("arena")).expect("a new arena");
            let mut journal = arena.journal().expect("a new journal");
            let names = Names::default();
            let taken = import(
                &mut journal,
                (&archive[..], [0; 32]),
                &checked,
                &names,
                NonZeroUsize::MIN,
                || true,
                |_, _| {},
            );
            match taken {
                Ok(imported) => {
                    assert_eq!(imported.new, checked.head.matches);
                    table(&journal, &imported.tournament).expect("what was checked gives a table");
                }
                // A bot may be there twice, under two versions with the same bytes.
                Err(ArchiveError::Arena(_)) => {}
                Err(error) => panic!("it was checked, and is not taken in: {error}"),
            }
        }
    }
}

/// An archive with some bytes changed, each told by its place in three bytes.
fn changed(archive: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut archive = archive.to_vec();
    for change in changes.chunks_exact(4) {
        let at = u32::from_le_bytes([change[0], change[1], change[2], 0]) as usize;
        let length = archive.len();
        archive[at % length] = change[3];
    }
    archive
}
