//! The table of ARCHITECTURE.md that lists what one change touches is true: what belongs to one format, option, column,
//! fault, game or page is named in the files of that line, and in no other. And what holds for all test files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// By the table's line: words of which each belongs to one such thing, and files where the thing is used. Those are not
/// in the table, because each thing has others.
const WITNESSES: [(&str, &[&str], &[&str]); 7] = [
    (
        "a column of a table",
        &["row.draws", "draws: outcomes.draws"],
        &[],
    ),
    (
        "a tournament option",
        &["title: Option<Title>", "settings.title"],
        &[
            "tournament/src/report/brief.rs",
            "tournament/src/report/tournament.rs",
        ],
    ),
    (
        "a tournament format",
        &["DoubleElimination", "double_elimination"],
        &[],
    ),
    ("a fault", &["FaultKind::Unasked"], &["referee/src/seat.rs"]),
    (
        "a game",
        &["Yonmoque", "\"yonmoque\""],
        &["operations/src/bench/tournaments.rs"],
    ),
    (
        "a kind of export",
        &["markdown(", "markdown::markdown"],
        &[],
    ),
    ("a page", &["SHOWN_AFTER", "games::routes"], &[]),
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
    for (change, words, uses) in WITNESSES {
        let listed = listed(change);
        let uses: BTreeSet<PathBuf> = uses.iter().map(|file| root().join(file)).collect();
        let has_word = |file: &&PathBuf| words.iter().any(|word| names(file, word));
        let naming: BTreeSet<&PathBuf> = files.iter().filter(has_word).collect();
        // A folder of the table stands for one file in it.
        for path in &listed {
            let inside = naming.iter().filter(|file| file.starts_with(path));
            let inside = inside.filter(|file| path.is_file() || !listed.contains(file));
            let inside = inside.filter(|file| path.is_file() || !uses.contains(**file));
            let (inside, path) = (inside.count(), path.display());
            let is_page_or_program = !path.to_string().contains("/src/");
            assert!(
                inside == 1 || is_page_or_program,
                "{change}: {inside} files of {path} name {words:?}"
            );
        }
        for file in naming {
            let is_listed = listed.iter().any(|path| file.starts_with(path));
            assert!(
                is_listed || uses.contains(file),
                "{change}: {} names {words:?}, and the table does not list it",
                file.display()
            );
        }
    }
}

/// All files of tests, and the test modules of the other source files, with the lines before them left out.
fn tests_in(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            tests_in(&path, found);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).unwrap();
            let is_test = ["tests.rs", "testing.rs"].contains(&name)
                || path.iter().any(|part| part == "tests" || part == "testing");
            let tests = match is_test {
                true => text,
                false => text.split("#[cfg(test)]").skip(1).collect(),
            };
            found.push((path, tests));
        }
    }
}

/// What tests draw follows from `PROPTEST_RNG_SEED`, so a test that fails can be run again.
#[test]
fn no_test_draws_its_seed_from_the_system() {
    let drawing = [
        "rand::random",
        "rand::rng()",
        "RandomState",
        "SysRng",
        "from_os_rng",
        "seed_from_u64(std::process",
        "TestRng::from_entropy",
    ];
    let mut files = Vec::new();
    tests_in(root(), &mut files);
    files.retain(|(path, text)| !path.ends_with(file!()) && !text.is_empty());
    assert!(files.len() > 200);
    for (path, text) in files {
        let code = text.lines().map(|line| line.split("//").next().unwrap());
        let drawn = code.filter(|line| drawing.iter().any(|word| line.contains(word)));
        assert_eq!(drawn.collect::<Vec<_>>(), [""; 0], "{}", path.display());
    }
}

/// `scripts/test --long` runs what is marked as long. What only people run has a name that the profile leaves out.
#[test]
fn every_ignored_test_is_long_or_by_hand() {
    let profile = fs::read_to_string(root().join(".config/nextest.toml")).unwrap();
    let (_, filter) = profile.split_once("default-filter = \"\"\"").unwrap();
    let (filter, _) = filter.split_once("\"\"\"").unwrap();
    // Only whole names: a part of one may be that of another test, too.
    assert_eq!(
        filter.matches("test(").count(),
        filter.matches("test(=").count()
    );
    let mut files = Vec::new();
    tests_in(root(), &mut files);
    files.retain(|(path, _)| !path.ends_with(file!()));
    let mut marked = 0;
    for (path, text) in files {
        for after in text.split("#[ignore").skip(1) {
            let reason = after.strip_prefix(" = \"").unwrap_or_default();
            let (_, function) = after.split_once("fn ").unwrap();
            let (name, _) = function.split_once('(').unwrap();
            let is_left_out = [":", "="]
                .iter()
                .any(|before| filter.contains(&format!("{before}{name})")));
            assert!(
                reason.starts_with("long: ") && !is_left_out
                    || reason.starts_with("by hand: ") && is_left_out,
                "{}: {name} is neither long nor by hand",
                path.display()
            );
            marked += 1;
        }
    }
    assert!(marked >= 10);
}

#[test]
fn no_subcommand_imports_another() {
    for entry in fs::read_dir(root().join("src/commands")).unwrap() {
        let file = entry.unwrap().path();
        if file.file_name().unwrap() != "mod.rs" {
            assert!(!names(&file, "crate::commands"), "{}", file.display());
            assert!(!names(&file, "super::"), "{}", file.display());
        }
    }
}
