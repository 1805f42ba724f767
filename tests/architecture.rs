//! The table of ARCHITECTURE.md that lists what one change touches is true: what belongs to one format, option, column,
//! fault, game, page or league is named in the files of that line, and in no other. How the files of a crate import each
//! other, and how types are named. And what holds for all test files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// By the table's line: words of which each belongs to one such thing, and files where the thing is used. Those are not
/// in the table, because each thing has others.
const WITNESSES: [(&str, &[&str], &[&str]); 8] = [
    (
        "a column of a table",
        &["row.draws", "draws: outcomes.draws"],
        &[],
    ),
    (
        "a tournament option",
        &["title: Option<Title>", "settings.title"],
        &["report/src/brief.rs", "report/src/tournament.rs"],
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
        &["bench/src/tournaments.rs"],
    ),
    (
        "a kind of export",
        &["markdown(", "markdown::markdown"],
        &[],
    ),
    ("a page", &["SHOWN_AFTER", "games::list_page"], &[]),
    (
        "a field of a league",
        &["starts_at"],
        &["site/src/leagues/progress.rs"],
    ),
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

/// The folders with the sources of the crates.
fn crates() -> Vec<String> {
    let folders = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap());
    let folders = folders.filter(|folder| folder.path().join("src/lib.rs").exists());
    let names = folders.map(|folder| folder.file_name().into_string().unwrap());
    let mut crates: Vec<String> = names.map(|name| format!("{name}/src")).collect();
    crates.push("src".into());
    assert!(crates.len() > 10);
    crates
}

/// A module that is a file.
struct Module {
    /// What it imports: the path from the root of the crate, the name here, and whether it is exported again.
    imports: Vec<(String, String, bool)>,
    /// All other code, without comments and tests.
    body: String,
}

/// The modules of a crate without those of tests, by path: `crate::a::b`.
type Modules = BTreeMap<String, Module>;

fn modules(krate: &str) -> Modules {
    let mut modules = Modules::new();
    add_modules(&root().join(krate), "crate", &mut modules);
    let names: BTreeSet<String> = modules.keys().cloned().collect();
    for (name, module) in &mut modules {
        for (path, ..) in &mut module.imports {
            *path = absolute(path, name, &names);
        }
    }
    modules
}

fn add_modules(folder: &Path, parent: &str, modules: &mut Modules) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let module = match name {
            "tests" => continue,
            "main" if folder.join("lib.rs").exists() => continue,
            "lib" | "main" | "mod" => parent.to_owned(),
            _ => format!("{parent}::{name}"),
        };
        if path.is_dir() {
            add_modules(&path, &module, modules);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            modules.insert(module, read_module(&fs::read_to_string(path).unwrap()));
        }
    }
}

fn read_module(text: &str) -> Module {
    let mut parts = text.split("\n#[cfg(test)]\n");
    let mut code = parts.next().unwrap().to_owned();
    for part in parts {
        // What is for tests only ends with its line, or with a brace at the beginning of one.
        let is_block = part.lines().next().unwrap().ends_with('{');
        let (_, rest) = part.split_once(if is_block { "\n}" } else { ";" }).unwrap();
        code += rest;
    }
    let (mut uses, mut body, mut is_use) = (String::new(), String::new(), false);
    for line in code.lines().map(|line| line.split("//").next().unwrap()) {
        let start = line.trim_start();
        is_use |= start.starts_with("use ")
            || start.starts_with("pub") && start.split(' ').nth(1) == Some("use");
        let part = if is_use { &mut uses } else { &mut body };
        part.push_str(line);
        part.push('\n');
        is_use &= !line.contains(';');
    }
    let mut imports = Vec::new();
    for statement in uses.split(';') {
        if let Some((visibility, tree)) = statement.split_once("use ") {
            let mut paths = Vec::new();
            add_paths(tree, "", &mut paths);
            imports.extend(paths.into_iter().map(|path| {
                let (path, name) = path.split_once(" as ").unwrap_or((&path, &path));
                let path = path.trim_end_matches("::self");
                let name = name.trim_end_matches("::self").rsplit("::").next().unwrap();
                (path.to_owned(), name.to_owned(), visibility.contains("pub"))
            }));
        }
    }
    Module { imports, body }
}

/// The paths of a tree of imports: `a::{b, c::{d, e}}` has three.
fn add_paths(tree: &str, before: &str, paths: &mut Vec<String>) {
    let Some((head, inner)) = tree.trim().split_once('{') else {
        paths.push(format!("{before}{}", tree.trim()));
        return;
    };
    let before = format!("{before}{head}");
    let inner = inner.strip_suffix('}').expect("the tree ends");
    let mut depth = 0;
    let parts = inner.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    for part in parts.filter(|part| !part.trim().is_empty()) {
        add_paths(part, &before, paths);
    }
}

/// The path from the root of the crate; one that leads into another crate stays as it is.
fn absolute(path: &str, module: &str, modules: &BTreeSet<String>) -> String {
    let (mut at, mut rest) = (module, path);
    if let Some(below) = path.strip_prefix("self::") {
        rest = below;
    }
    while let Some(below) = rest.strip_prefix("super::") {
        (at, _) = at.rsplit_once("::").unwrap_or((at, ""));
        rest = below;
    }
    let child = format!("{module}::{}", path.split("::").next().unwrap());
    match rest != path || path.contains("::") && modules.contains(&child) {
        true => format!("{at}::{rest}"),
        false => path.to_owned(),
    }
}

/// The module of a path, and the item in it: `crate::a::b::Item::new` is `Item` of `crate::a::b`. Nothing if the path
/// leads to a module, or out of the crate.
fn place<'path>(path: &'path str, modules: &Modules) -> Option<(&'path str, &'path str)> {
    let mut ends = path.rmatch_indices("::").map(|(end, _)| end);
    let end = ends.find(|&end| modules.contains_key(&path[..end]))?;
    let (module, rest) = (&path[..end], &path[end + 2..]);
    let item = rest.split("::").next().unwrap();
    // The file of a module may be in another folder.
    let is_module =
        modules.contains_key(path) || modules[module].body.contains(&format!("mod {item};"));
    (!is_module).then_some((module, item))
}

/// The paths in the code of a module, from the root of the crate.
fn paths_in_code(name: &str, modules: &Modules) -> Vec<String> {
    let names: BTreeSet<String> = modules.keys().cloned().collect();
    let Module { imports, body } = &modules[name];
    let is_path = |letter: char| letter.is_alphanumeric() || "_:$".contains(letter);
    let words = body.split(|letter| !is_path(letter));
    let paths = words.filter(|word| word.trim_matches(':').contains("::"));
    let from_root = paths.map(|path| {
        let (first, rest) = path.split_once("::").unwrap();
        // An imported module may begin a path.
        match imports.iter().find(|(_, name, _)| name == first) {
            Some((module, ..)) => format!("{module}::{rest}"),
            None => absolute(path, name, &names),
        }
    });
    from_root.collect()
}

/// Whether code has this word.
fn has_word(code: &str, word: &str) -> bool {
    code.lines()
        .filter(|line| !line.trim_end().ends_with(&format!("mod {word};")))
        .flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
        .any(|found| found == word)
}

/// The pairs of modules of which one uses an item that the other defines. To export it again is no use.
fn uses(modules: &Modules) -> BTreeSet<(String, String)> {
    let mut uses = BTreeSet::new();
    for (name, module) in modules {
        let imports = module.imports.iter();
        let used = imports.filter(|(_, name, is_pub)| !is_pub || has_word(&module.body, name));
        let used = used.map(|(path, ..)| path.clone());
        for path in used.chain(paths_in_code(name, modules)) {
            if let Some((place, _)) = place(&path, modules) {
                uses.insert((name.clone(), place.to_owned()));
            }
        }
    }
    uses.retain(|(from, to)| from != to);
    uses
}

#[test]
fn no_files_of_a_crate_import_in_a_circle() {
    for krate in crates() {
        let mut uses = uses(&modules(&krate));
        // What uses nothing, or is not used, is in no circle.
        loop {
            let count = uses.len();
            let from: BTreeSet<String> = uses.iter().map(|(from, _)| from.clone()).collect();
            let to: BTreeSet<String> = uses.iter().map(|(_, to)| to.clone()).collect();
            uses.retain(|pair| to.contains(&pair.0) && from.contains(&pair.1));
            if uses.len() == count {
                break;
            }
        }
        let shown = uses.iter().map(|(from, to)| format!("{from} uses {to}"));
        let shown: Vec<String> = shown.collect();
        assert!(shown.is_empty(), "circles of {krate}: {shown:#?}");
    }
}

#[test]
fn modules_import_from_where_a_thing_is_defined() {
    let mut found = Vec::new();
    for krate in crates() {
        let modules = modules(&krate);
        for (name, module) in &modules {
            let imports = module.imports.iter();
            // The root of a crate exports what its users need.
            let imports = imports.filter(|(.., is_pub)| name != "crate" || !is_pub);
            let imports = imports.map(|(path, ..)| path.clone());
            for path in imports.chain(paths_in_code(name, &modules)) {
                let elsewhere = place(&path, &modules).filter(|(place, _)| place != name);
                let Some((place, item)) = elsewhere else {
                    continue;
                };
                let Module { imports, body } = &modules[place];
                let mut imports = imports.iter();
                let through = imports.find(|(from, name, _)| name == item && from.contains("::"));
                // A function may have the name of a module.
                let is_function = ["(", "<"].map(|end| body.contains(&format!("fn {item}{end}")));
                if let (Some((from, ..)), [false, false]) = (through, is_function) {
                    found.push(format!("{krate}: {name} imports {path}, which is {from}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Names that say little are given twice: `Kind`, `State`, `Row`.
#[test]
fn at_most_one_type_in_ten_shares_its_name() {
    let kinds = ["struct ", "enum ", "trait ", "union ", "type "];
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for krate in crates().into_iter().filter(|krate| krate != "fuzz/src") {
        for (module, Module { body, .. }) in modules(&krate) {
            for line in body.lines() {
                let (visibility, declared) = line.split_once(' ').unwrap_or_default();
                let is_pub = visibility.starts_with("pub");
                let declared = if is_pub { declared } else { line };
                if let Some(named) = kinds.iter().find_map(|kind| declared.strip_prefix(kind)) {
                    let mut words = named.split(|letter: char| !letter.is_alphanumeric());
                    let name = words.next().unwrap().to_owned();
                    let place = format!("{krate}: {module}");
                    found.entry(name).or_default().push(place);
                }
            }
        }
    }
    let all: usize = found.values().map(Vec::len).sum();
    assert!(all > 1000);
    found.retain(|_, places| places.len() > 1);
    let shared: usize = found.values().map(Vec::len).sum();
    assert!(
        shared * 10 <= all,
        "{shared} of {all} types share a name: {found:#?}"
    );
}

/// What a crate must not use, so that it keeps its purpose: the crate, and what its manifest does not depend on or its
/// sources do not name. Tests may.
const BORDERS: [(&str, &[&str]); 6] = [
    ("ratings", &["std::fs", "flipside_games", "rusqlite"]),
    (
        "tournament",
        &[
            "rusqlite",
            "std::fs",
            "tempfile",
            "std::thread",
            "flipside_store",
        ],
    ),
    ("store", &["flipside_runner", "flipside_report"]),
    ("runner", &["rusqlite", "std::fs"]),
    ("report", &["rusqlite", "std::fs", "flipside_runner"]),
    ("operations", &["rusqlite"]),
];

#[test]
fn each_crate_keeps_to_its_purpose() {
    for (krate, foreign) in BORDERS {
        let manifest = fs::read_to_string(root().join(krate).join("Cargo.toml")).unwrap();
        let own = manifest.split("[dev-dependencies]").next().unwrap();
        let mut files = Vec::new();
        sources(&root().join(krate).join("src"), &mut files);
        assert!(!files.is_empty(), "{krate} has no sources");
        for word in foreign {
            let dependency = word.replace('_', "-");
            let depends = own
                .lines()
                .any(|line| line.starts_with(&format!("{dependency}.")));
            assert!(!depends, "{krate} depends on {dependency}");
            for file in &files {
                assert!(!names(file, word), "{} uses {word}", file.display());
            }
        }
    }
}
