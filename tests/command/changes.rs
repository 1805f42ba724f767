//! What an organiser does with tournaments that have begun.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::common::{run, sample};
use crate::shown::{session, unvarying};

/// An arena with three modules that choose alike.
fn arena() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(sample("wat/first.wat")).unwrap();
    for name in ["ada", "bob", "eve"] {
        let file = format!("{name}.wat");
        fs::write(folder.path().join(&file), format!("{text}\n;; {name}\n")).unwrap();
        let file = format!("./{file}");
        run(folder.path(), &["submit", &file, "--game", "flipflop-3x3"]).ok();
    }
    folder
}

/// The same tournament each time.
const CUP: &str = "tournament flipflop-3x3 ada bob eve --name cup --rounds 1 --seed 3 --no-affinity --concurrency 1";

/// The places of a session without how long each took.
fn told(folder: &Path, commands: &str) -> String {
    session(folder, &commands.replace("CUP", CUP))
}

#[test]
fn a_tournament_is_extended_a_bot_is_disqualified_and_the_end_comes_early() {
    let folder = arena();
    let folder = folder.path();
    run(folder, &crate::shown::words(CUP)).ok();
    assert_snapshot!(told(folder, "
        extend cup --rounds 1 --reason 'A second leg'
        tournaments
        withdraw eve --from cup --disqualify --reason 'It reads the clock of others'
        withdraw eve --from cup
        withdraw bob --disqualify
    "), @"");
    run(folder, &crate::shown::words(CUP)).ok();
    assert_snapshot!(told(folder, "
        table cup
        extend cup --rounds 3
        cancel cup --reason 'The hall closes'
        cancel cup
        extend cup --rounds 1
        withdraw ada
        tournaments
        table cup --brief
        verify --all
    "), @"");
    let shown = run(folder, &["table", "cup", "--json"]).ok();
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let changes = shown["changes"].as_array().unwrap();
    let whats: Vec<&str> = changes
        .iter()
        .filter_map(|one| one["what"].as_str())
        .collect();
    assert_eq!(whats, ["rounds", "disqualified", "rounds", "cancelled"]);
    for file in ["cup.html", "cup.md"] {
        run(folder, &["export", "cup", file]).ok();
        let text = fs::read_to_string(folder.join(file)).unwrap();
        assert!(
            text.contains("eve@1 is disqualified before match 6"),
            "{text}"
        );
        assert!(text.contains("it was cancelled"), "{text}");
    }
    // Another arena has the same, and nobody can go on there.
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    assert_snapshot!(told(folder, "
        import cup.tar.zst --arena other
        cancel cup --arena other
    "), @"");
    let [here, there] = ["arena", "other"].map(|arena| {
        let shown = run(folder, &["table", "cup", "--csv", "--arena", arena]).ok();
        unvarying(&shown)
    });
    assert_eq!(here, there);
}

#[test]
fn what_a_format_cannot_have_is_refused_with_a_way_out() {
    let folder = arena();
    let folder = folder.path();
    for (format, bots) in [
        ("knockout", "ada bob eve"),
        ("ladder", "ada bob"),
        ("sprt", "ada bob"),
    ] {
        let line = format!(
            "tournament flipflop-3x3 {bots} --name {format} --format {format} --seed 3 --concurrency 1"
        );
        let more = match format {
            "ladder" => " --matches 4",
            "sprt" => " --rounds 2",
            _ => "",
        };
        run(folder, &crate::shown::words(&(line + more))).ok();
    }
    assert_snapshot!(told(folder, "
        extend knockout --rounds 1
        extend ladder --rounds 1
        extend ladder --matches 2
        extend sprt --rounds 1
        withdraw bob --from sprt
        withdraw nobody
        withdraw bob@1 --from knockout
        extend ladder
        extend ladder --rounds 1 --matches 1
        cancel evening
    "), @"");
}
