//! Every input that is kept, once: the seeds, and those that were a fault of ours.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use flipside_fuzz::{TARGETS, find};
use flipside_store::archive::check;

/// The most that is kept of a target's inputs, in bytes.
const LARGEST_CORPUS: u64 = 256 * 1024;

fn corpus() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"))
}

#[test]
fn all_targets_bear_the_inputs_that_are_kept() {
    for target in TARGETS {
        let mut bytes = 0;
        for file in fs::read_dir(corpus().join(target.name)).unwrap() {
            let file = file.unwrap().path();
            let input = fs::read(&file).unwrap();
            bytes += input.len() as u64;
            println!("{}", file.display());
            (target.run)(&input);
        }
        assert!(bytes > 0, "{} has no inputs", target.name);
        assert!(bytes <= LARGEST_CORPUS, "{} has {bytes} bytes", target.name);
    }
}

/// Otherwise the targets would be refused at the head of each input, and reach nothing behind it.
#[test]
fn the_archives_and_records_that_are_kept_are_true() {
    for (name, is_signed) in [("whole", false), ("compressed", false), ("signed", true)] {
        let archive = fs::read(corpus().join("archive").join(name)).unwrap();
        let checked = check(&archive[..], NonZeroUsize::MIN, |_, _| {});
        let checked = checked.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(checked.signer.is_some(), is_signed, "{name}");
    }
    for file in fs::read_dir(corpus().join("record")).unwrap() {
        let file = file.unwrap().path();
        let record = fs::read_to_string(&file).unwrap();
        let verified = flipside_referee::verify(&record);
        verified.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

#[test]
fn every_target_has_its_inputs_and_its_words() {
    let named = |folder: &Path| -> BTreeSet<String> {
        let files = fs::read_dir(folder).unwrap();
        let stem = |file: fs::DirEntry| file.path().file_stem().unwrap().to_str().unwrap().into();
        files.map(|file| stem(file.unwrap())).collect()
    };
    let targets: BTreeSet<String> = TARGETS.iter().map(|target| target.name.into()).collect();
    assert_eq!(named(corpus()), targets);
    assert_eq!(named(&corpus().with_file_name("words")), targets);
    assert!(find("nothing").is_none());
}
