//! A packed bundle that somebody else has made, or a `bot.toml`. The bytes are an archive before its compression; after
//! a zero, what is changed in a small one that is true: again and again where, and what is to be there; after a one, a
//! `bot.toml`.

use std::fs;

use flipside_sandbox::bundle::{parse_manifest, unpack_archive};

/// A true archive of a few files.
const WHOLE: &[u8] = include_bytes!("../corpus/bundle/whole");

/// Longer inputs take more time than there is.
const LONGEST: usize = 64 << 10;

pub(crate) fn run(bytes: &[u8]) {
    let archive = match bytes.split_first() {
        Some((0, changes)) => changed(changes),
        Some((1, manifest)) => return told(parse_manifest(manifest)),
        _ => bytes.to_vec(),
    };
    if archive.len() > LONGEST {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let into = folder.path().join("into");
    fs::create_dir(&into).expect("a new folder");
    told(unpack_archive(&archive, &into));
    // Nothing lies beside it; and nothing in it leads out, which the function itself holds against what was written.
    let around = fs::read_dir(folder.path()).expect("it is there");
    assert_eq!(around.count(), 1);
}

/// Whoever brought it is to be told something.
fn told(result: Result<(), flipside_sandbox::BundleError>) {
    if let Err(error) = result {
        let said = error.to_string();
        assert!(!said.is_empty() && !said.contains('\n'), "{said:?}");
        let _ = error.hint();
    }
}

/// The small archive with some bytes changed, each told by its place in two bytes.
fn changed(changes: &[u8]) -> Vec<u8> {
    let mut archive = WHOLE.to_vec();
    for change in changes.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
        let length = archive.len();
        archive[at % length] = change[2];
    }
    archive
}
