//! `flipside new`: what it makes, prints and refuses. What the new bots do is tested with the kits.

use std::fs;

use insta::assert_snapshot;

use crate::common::{run, script};
use crate::shown::{session, shown};

#[test]
fn a_new_bot_is_told_with_its_next_commands() {
    let folder = tempfile::tempdir().unwrap();
    let told = run(folder.path(), &["new", "go", "bots/yon"]).ok();
    assert_snapshot!(told, @r"
    yon in bots/yon is a bot in Go:
      .gitignore
      README.md
      AGENTS.md
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
    assert_snapshot!(session(folder.path(), "new python . --name yon-2"), @"
    $ flipside new python . --name yon-2
    yon-2 in . is a bot in Python:
      .gitignore
      README.md
      AGENTS.md
      bot.py
      bot.toml
      flipside.py
    Next:
      cd .
      flipside check .
      flipside match flipfour . sample:greedy
    ");
    let bot = fs::read_to_string(folder.path().join("bot.py")).unwrap();
    assert!(bot.contains("name=\"yon-2\""), "{bot}");
}

#[test]
fn what_cannot_be_made_is_refused_with_a_way_out_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "mine", "text");
    assert_snapshot!(session(folder.path(), "
        new c . --name yon
        new c mine
        new c mine/bot
        new cobol bot
        new c 'My Bot'
        new c build
        new c x/..
        new c yon --name Yon
        new c yon --checkout .
        new rust yon --checkout .
        new rust
    "), @r#"
    $ flipside new c . --name yon
    -- exit status 2, stderr:
    error: the folder . is not empty
    hint: name a folder that does not exist

    $ flipside new c mine
    -- exit status 2, stderr:
    error: cannot make mine: Not a directory (os error 20)
    hint: its folder must be writable

    $ flipside new c mine/bot
    -- exit status 2, stderr:
    error: cannot make mine/bot: Not a directory (os error 20)
    hint: its folder must be writable

    $ flipside new cobol bot
    -- exit status 2, stderr:
    error: invalid value 'cobol' for '<LANGUAGE>'
      [possible values: python, javascript, java, c, go, rust, uci, llm]

      tip: a similar value exists: 'c'

    For more information, try '--help'.

    $ flipside new c 'My Bot'
    -- exit status 2, stderr:
    error: "My Bot" cannot be the name of a new bot: at most 40 of a to z, 0 to 9, - and _, a letter first
    hint: --name mybot

    $ flipside new c build
    -- exit status 2, stderr:
    error: a new bot cannot be called "build": its build uses this name
    hint: --name mybot

    $ flipside new c x/..
    -- exit status 2, stderr:
    error: ".." cannot be the name of a new bot: at most 40 of a to z, 0 to 9, - and _, a letter first
    hint: --name mybot

    $ flipside new c yon --name Yon
    -- exit status 2, stderr:
    error: "Yon" cannot be the name of a new bot: at most 40 of a to z, 0 to 9, - and _, a letter first
    hint: --name mybot

    $ flipside new c yon --checkout .
    -- exit status 2, stderr:
    error: --checkout is for Rust bots
    hint: flipside new rust DIR --checkout DIR

    $ flipside new rust yon --checkout .
    -- exit status 2, stderr:
    error: there is no crate flipside-bot in ./bot
    hint: name a clone of Flipside's repository

    $ flipside new rust
    -- exit status 2, stderr:
    error: the following required arguments were not provided:
      <DIR>

    Usage: flipside new <LANGUAGE> <DIR>

    For more information, try '--help'.
    "#);
    assert_snapshot!(shown(&run(folder.path(), &["new", "c", "\u{1b}[31m"])), @r#"
    -- exit status 2, stderr:
    error: "\u{1b}[31m" cannot be the name of a new bot: at most 40 of a to z, 0 to 9, - and _, a letter first
    hint: --name mybot
    "#);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_snapshot!(session(folder.path(), "new c /proc/yon"), @"
    $ flipside new c /proc/yon
    -- exit status 2, stderr:
    error: cannot make /proc/yon: No such file or directory (os error 2)
    hint: its folder must be writable
    ");
}
