//! The table of ARCHITECTURE.md that lists what one change touches is true: what belongs to one format, option, column,
//! fault, game or page is named in the files of that line, and in no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// By the table's line: a word that belongs to one such thing, and the files where the thing is used. Those are not
/// in the table, because each has others.
const WITNESSES: [(&str, &str, &[&str]); 7] = [
    ("a column of a table", "row.draws", &[]),
    (
        "a tournament option",
        "third_place",
        &["tournament/src/formats/knockout.rs"],
    ),
    ("a tournament format", "DoubleElimination", &[]),
    ("a tournament format", "double_elimination", &[]),
    ("a fault", "FaultKind::Unasked", &["referee/src/seat.rs"]),
    ("a game", "Yonmoque", &[]),
    ("a page", "markdown(", &[]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The paths in backticks in the line of this change. A path without a folder is in that of the path before it.
fn listed(change: &str) -> Vec<PathBuf> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let start = format!("| {change} |");
    let line = text.lines().find(|line| line.starts_with(&start));
    let line = line.unwrap_or_else(|| panic!("ARCHITECTURE.md has no line {start}"));
    let mut folder = PathBuf::new();
    let mut paths = Vec::new();
    for word in line.split('`').skip(1).step_by(2) {
        if !word.ends_with(".rs") && !word.ends_with('/') {
            continue;
        }
        let mut path = root().join(word);
        if !word.contains('/') {
            path = folder.join(word);
        }
        folder = path.parent().unwrap().to_owned();
        assert!(path.exists(), "{change}: there is no {}", path.display());
        paths.push(path);
    }
    paths
}

/// All source files without those of tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            let skipped = ["tests", "testing", "target", "examples", "fuzz"];
            if !skipped.contains(&name) && !name.starts_with('.') {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") && !["tests.rs", "testing.rs"].contains(&name) {
            found.push(path);
        }
    }
}

/// Whether code names the word: comments and test modules do not count.
fn names(file: &Path, word: &str) -> bool {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
    code.lines()
        .map(|line| line.split("//").next().unwrap())
        .any(|line| line.contains(word))
}

#[test]
fn a_change_touches_the_files_that_the_table_lists() {
    let mut files = Vec::new();
    sources(root(), &mut files);
    assert!(files.len() > 100);
    for (change, word, uses) in WITNESSES {
        let listed = listed(change);
        let uses: BTreeSet<PathBuf> = uses.iter().map(|file| root().join(file)).collect();
        let naming: Vec<&PathBuf> = files.iter().filter(|file| names(file, word)).collect();
        assert!(!naming.is_empty(), "nothing names {word}");
        let others: Vec<&&PathBuf> = (naming.iter())
            .filter(|file| !listed.contains(file) && !uses.contains(**file))
            .collect();
        // A folder of the table stands for one file in it.
        for folder in listed.iter().filter(|path| path.is_dir()) {
            let inside = others.iter().filter(|file| file.starts_with(folder));
            assert!(
                inside.count() <= 1,
                "{change}: several files of {} name {word}",
                folder.display()
            );
        }
        for file in others {
            assert!(
                listed
                    .iter()
                    .any(|path| path.is_dir() && file.starts_with(path)),
                "{change}: {} names {word}, and the table does not list it",
                file.display()
            );
        }
    }
}
