//! Each kit's own tests, and those of the example games.

use std::fs;

use super::{root, run_script};

/// Runs a script in the folder of a kit; `$out` is a folder for what it builds.
fn in_kit(kit: &str, script: &str) -> String {
    let out = tempfile::tempdir().unwrap();
    let out = out.path().to_str().unwrap().to_owned();
    run_script(
        &root().join("kits").join(kit),
        &format!("out='{out}'\n{script}"),
    )
}

#[test]
fn the_python_kit_passes_its_tests() {
    let told = in_kit("python", "python3 test_flipside.py");
    assert!(told.ends_with("OK\n"), "{told}");
}

#[test]
fn the_bridge_to_uci_engines_passes_its_tests() {
    let told = in_kit("uci", "python3 test_uci.py");
    assert!(told.ends_with("OK\n"), "{told}");
}

#[test]
fn the_bot_that_asks_a_language_model_passes_its_tests() {
    let told = in_kit("llm", "python3 test_llm.py");
    assert!(told.ends_with("OK\n"), "{told}");
}

#[test]
fn the_python_kit_for_games_passes_its_tests() {
    let told = in_kit("python-game", "python3 test_flipside_game.py");
    assert!(told.ends_with("OK\n"), "{told}");
}

#[test]
fn the_example_games_pass_their_tests() {
    for test in [
        "connect-four/test_game.py",
        "connect-four/bot/test_bot.py",
        "liars-dice/test_game.py",
    ] {
        let told = run_script(&root().join("examples/games"), &format!("python3 {test}"));
        assert!(told.ends_with("OK\n"), "{test}: {told}");
    }
}

#[test]
fn the_example_games_have_the_kit_as_it_is() {
    let kit = fs::read(root().join("kits/python-game/flipside_game.py")).unwrap();
    for game in ["connect-four", "liars-dice"] {
        let copy = root().join("examples/games").join(game);
        let copy = fs::read(copy.join("flipside_game.py")).unwrap();
        assert!(copy == kit, "the kit of {game} is another one");
    }
}

#[test]
fn the_javascript_kit_passes_its_tests() {
    let told = in_kit("javascript", "node test_flipside.js");
    assert!(
        told.lines().count() >= 8 && told.lines().all(|line| line.starts_with("ok: ")),
        "{told}"
    );
}

#[test]
fn the_java_kit_passes_its_tests() {
    let told = in_kit(
        "java",
        "javac -encoding UTF-8 -Xlint:all -Werror -d $out *.java; java -ea -cp $out TestFlipside",
    );
    assert_eq!(told, "ok\n");
}

#[test]
fn the_c_kit_passes_its_tests() {
    let told = in_kit(
        "c",
        "cc -std=c11 -g -Wall -Wextra -Werror -fsanitize=address,undefined -o $out/test test_flipside.c; $out/test\n\
         cc -std=gnu11 -O2 -Wall -Wextra -Werror -o $out/bot bot.c",
    );
    assert_eq!(told, "ok\n");
}

#[test]
fn the_go_kit_passes_its_tests() {
    let told = in_kit(
        "go",
        "test -z \"$(gofmt -l .)\"; go vet .; go test -count=1 .",
    );
    assert!(told.starts_with("ok"), "{told}");
}

#[test]
fn the_rust_kit_passes_its_tests() {
    let told = in_kit(
        "rust",
        "rustc --edition 2021 -Dwarnings --test -o $out/test src/main.rs; $out/test",
    );
    assert!(told.contains("test result: ok"), "{told}");
}

#[test]
fn the_templates_with_our_crates_are_locked_to_the_versions_of_the_workspace() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let ours = read("Cargo.lock");
    let package = |text: &str| {
        let line = |start: &str| {
            text.lines()
                .find(|line| line.starts_with(start))
                .map(str::to_owned)
        };
        (line("name = "), line("version = "))
    };
    let ours: Vec<_> = ours.split("[[package]]").map(package).collect();
    for (template, name) in [("rust-crate", "mybot"), ("rust-game", "mygame")] {
        let theirs = read(&format!("kits/{template}/Cargo.lock"));
        let its_own = format!("name = {name:?}");
        for wanted in theirs.split("[[package]]").skip(1).map(package) {
            let is_its_own = wanted.0.as_deref() == Some(&*its_own);
            assert!(is_its_own || ours.contains(&wanted), "{wanted:?}");
        }
    }
}
