//! `flipside new`: what it makes, prints and refuses. What the new bots do is tested with the kits.

use std::fs;

use crate::common::{run, script};
use insta::assert_snapshot;

#[test]
fn a_new_bot_is_told_with_its_next_commands() {
    let folder = tempfile::tempdir().unwrap();
    let told = run(folder.path(), &["new", "go", "bots/yon"]).ok();
    assert_snapshot!(told, @r"
    yon in bots/yon is a bot in Go:
      .gitignore
      README.md
      main.go
      go.mod
      flipside.go
    Next:
      cd bots/yon
      CGO_ENABLED=0 go build -o yon .
      flipside check ./yon
      flipside match flipfour ./yon sample:greedy
    ");
    assert_eq!(
        fs::read_to_string(folder.path().join("bots/yon/go.mod")).unwrap(),
        "module yon\n\ngo 1.18\n"
    );
}

#[test]
fn a_bot_may_have_another_name_than_its_folder_and_the_folder_may_be_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let told = run(folder.path(), &["new", "python", ".", "--name", "yon-2"]).ok();
    assert!(told.contains("  flipside check .\n"), "{told}");
    assert!(told.contains("  cd .\n"), "{told}");
    let bot = fs::read_to_string(folder.path().join("bot.py")).unwrap();
    assert!(bot.contains("name=\"yon-2\""), "{bot}");
}

#[test]
fn what_cannot_be_made_is_refused_with_a_way_out_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "mine", "text");
    for (args, words) in [
        (&["new", "c", ".", "--name", "yon"][..], "is not empty"),
        (&["new", "c", "mine"], "cannot make mine"),
        (&["new", "c", "mine/bot"], "mine"),
        (
            &["new", "cobol", "bot"],
            "python, javascript, java, c, go, rust",
        ),
        (&["new", "c", "My Bot"], "--name mybot"),
        (&["new", "c", "build"], "--name mybot"),
        (&["new", "c", "x/.."], "--name mybot"),
        (&["new", "c", "\u{1b}[31m"], "--name mybot"),
        (&["new", "c", "yon", "--name", "Yon"], "--name mybot"),
        (
            &["new", "c", "yon", "--checkout", "."],
            "--checkout is for Rust",
        ),
        (
            &["new", "rust", "yon", "--checkout", "."],
            "no crate flipside-bot",
        ),
        (&["new", "rust"], "<DIR>"),
    ] {
        let refused = run(folder.path(), args).refused(2);
        assert!(refused.contains(words), "{args:?}: {refused}");
        assert!(!refused.contains('\u{1b}'), "{refused}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{args:?}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = run(folder.path(), &["new", "c", "/proc/yon"]).refused(2);
    assert!(refused.contains("cannot make /proc/yon"), "{refused}");
}
