//! Every input that is kept, once: the seeds, and those that were a fault of ours.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use flipside_fuzz::{TARGETS, find};

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
