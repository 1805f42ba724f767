//! The hostile modules of `tests/zoo/modules/`, each against an honest bot. What each must get stands
//! in its file.

#[path = "zoo/modules/big.rs"]
mod big;
mod common;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{fs, thread};

use common::{TestRun, run};

/// How many are tried at a time.
const AT_ONCE: usize = 2;

/// A match of this module in the first seat.
fn play(folder: &Path, module: &Path) -> TestRun {
    let module = module.to_str().unwrap();
    let args = ["match", "flipfour", module, "sample:random", "--json"];
    let clock = ["--clock", "move=1s,start=4s", "--seed", "1"];
    run(folder, &[&args[..], &clock].concat())
}

/// The names of the faults of the two seats, after the honest bot has won.
fn faults(match_run: TestRun) -> Vec<String> {
    let result: serde_json::Value = serde_json::from_str(&match_run.ok()).unwrap();
    let seats = result["seats"].as_array().unwrap();
    let places: Vec<_> = seats.iter().map(|seat| seat["place"].as_u64()).collect();
    assert_eq!(places, [Some(2), Some(1)], "{result}");
    let fault = |seat: &serde_json::Value| {
        let fault = seat["fault"].as_str().unwrap_or("none");
        fault.split(':').next().unwrap().to_owned()
    };
    seats.iter().map(fault).collect()
}

/// What is wrong with a module's match, if anything.
fn complaint(folder: &Path, module: &Path) -> Option<String> {
    let text = fs::read_to_string(module).unwrap();
    let mut due = text.lines().filter_map(|line| {
        let (how, what) = line.strip_prefix(";; ")?.split_once(": ")?;
        matches!(how, "gets" | "refused").then_some((how, what))
    });
    let Some((how, what)) = due.next() else {
        return Some("its file does not say what it must get".into());
    };
    let played = play(folder, module);
    let (got, right) = match how {
        "refused" => {
            let said = played.refused(2);
            let right = said.contains(what);
            (said, right)
        }
        _ => {
            let faults = faults(played);
            let right = faults == [what, "none"];
            (format!("{faults:?}"), right)
        }
    };
    (!right).then(|| format!("it must be {how} {what}, and it was {got}"))
}

#[test]
fn every_hostile_module_gets_what_it_should() {
    let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/zoo/modules");
    let mut modules: Vec<PathBuf> = fs::read_dir(zoo)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "wat"))
        .collect();
    assert!(modules.len() >= 40);
    modules.sort();
    let folder = tempfile::tempdir().unwrap();
    let left = Mutex::new(modules.into_iter());
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(module) = left.lock().unwrap().next() else {
                        return;
                    };
                    if let Some(complaint) = complaint(folder.path(), &module) {
                        let name = module.file_name().unwrap().display().to_string();
                        wrong.lock().unwrap().push(format!("{name}: {complaint}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 0, "something was left behind");
}

/// A match with a module that is made here.
fn play_made(bytes: &[u8]) -> TestRun {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("made.wasm");
    fs::write(&file, bytes).unwrap();
    play(folder.path(), &file)
}

#[test]
fn a_module_of_50_megabytes_is_refused() {
    let said = play_made(&big::padded(50_000_000)).refused(2);
    assert!(said.contains("a module may have 33554432"), "{said}");
    assert!(said.contains("hint: build it smaller"), "{said}");
}

#[test]
fn a_module_full_of_data_only_plays_badly() {
    assert_eq!(
        faults(play_made(&big::with_data(30_000_000))),
        ["closed", "none"]
    );
}

#[test]
#[ignore = "long: 30 seconds of a processor, which sandbox/tests/bots/compile.rs asks for with a lower limit"]
fn a_module_that_compiles_slowly_is_refused() {
    let said = play_made(&big::knotted(300, 1000)).refused(2);
    assert!(
        said.contains("more than 30 s of processor time to compile"),
        "{said}"
    );
}

#[test]
fn a_module_of_many_jumps_takes_a_while_and_plays_badly() {
    assert_eq!(
        faults(play_made(&big::jumping(3, 1000))),
        ["closed", "none"]
    );
}
