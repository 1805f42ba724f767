//! Bad input gets a clear error that names the thing and the way out, and nothing is half done.

use std::path::Path;

use insta::assert_snapshot;

use crate::common::{TestRun, flipside, run, sample, script};
use crate::shown::{session, session_by, shown, unvarying, words};

/// A folder with two bots that play.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for bot in ["first.wat", "instant.wat"] {
        std::fs::copy(sample(&format!("wat/{bot}")), folder.path().join(bot)).unwrap();
    }
    folder
}

#[test]
fn no_such_bot() {
    let folder = folder();
    assert_snapshot!(session(folder.path(), "
        match flipfour ./first.wat ./nothing
        match flipfour ./first.wat gredy
        match flipfour ./first.wat sample:gredy
        match flipfour ./first.wat 'a b'
    "), @r#"
    $ flipside match flipfour ./first.wat ./nothing
    -- exit status 2, stderr:
    error: ./nothing is not there
    hint: a bot is an executable, a .wasm or .wat file, a folder with a bot.toml, the name of a submitted bot, or sample:greedy

    $ flipside match flipfour ./first.wat gredy
    -- exit status 2, stderr:
    error: there is no file "gredy", and no arena to look the name up in
    hint: name a file, sample:greedy, or pick an arena with --arena DIR

    $ flipside match flipfour ./first.wat sample:gredy
    -- exit status 2, stderr:
    error: there is no sample bot "gredy"
    hint: there are sample:random, sample:greedy, sample:mcts, sample:alphabeta, sample:perfect, sample:expectimax, sample:rollout, sample:strong, sample:first

    $ flipside match flipfour ./first.wat 'a b'
    -- exit status 2, stderr:
    error: "a b" is neither a file nor a bot's name: "a b" is not a name; a name is 1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or a digit
    hint: a path with a slash is always a file: ./bot
    "#);
    let submit = [
        "submit",
        "./first.wat",
        "--name",
        "alpha",
        "--game",
        "flipfour",
    ];
    run(folder.path(), &submit).ok();
    assert_snapshot!(session(folder.path(), "
        tournament flipfour alpha alpah
        tournament flipfour alpha alpha@9
    "), @"
    $ flipside tournament flipfour alpha alpah
    -- exit status 2, stderr:
    error: there is no bot alpah
    hint: is it alpha?
    hint: a path or sample:greedy is a bot too

    $ flipside tournament flipfour alpha alpha@9
    -- exit status 2, stderr:
    error: there is no alpha@9
    hint: the latest is alpha@1
    hint: a path or sample:greedy is a bot too
    ");
}

#[test]
fn a_bot_that_is_not_executable() {
    let folder = folder();
    std::fs::write(folder.path().join("bot"), "#!/bin/sh\n").unwrap();
    assert_snapshot!(session(folder.path(), "
        match flipfour ./bot ./bot
        submit ./bot --name x
        submit . --name x
    "), @"
    $ flipside match flipfour ./bot ./bot
    -- exit status 2, stderr:
    error: ./bot is not executable
    hint: chmod +x ./bot

    $ flipside submit ./bot --name x
    -- exit status 2, stderr:
    error: ./bot is not executable
    hint: chmod +x ./bot

    $ flipside submit . --name x
    -- exit status 2, stderr:
    error: . is a folder without a bot.toml
    hint: name the bot's file, such as the program that its build makes; a bot of several files needs a bot.toml, as `flipside new python` writes one
    ");
    assert!(
        !folder.path().join("arena").exists(),
        "a refused bot makes no arena"
    );
}

#[test]
fn a_script_whose_interpreter_is_missing() {
    let folder = folder();
    script(folder.path(), "bot", "#!/no/such/interpreter\n");
    script(folder.path(), "text", "just words\n");
    assert_snapshot!(session(folder.path(), "
        match flipfour ./bot ./bot
        match flipfour ./text ./text
    "), @"
    $ flipside match flipfour ./bot ./bot
    -- exit status 1, stderr:
    error: bot: FOLDER/bot needs /no/such/interpreter, which is not there
    hint: install /no/such/interpreter or correct the script's first line

    $ flipside match flipfour ./text ./text
    -- exit status 1, stderr:
    error: text: FOLDER/text has no #! line that names its interpreter
    hint: begin the script with a line such as #!/usr/bin/env python3 or #!/bin/sh
    ");
}

#[test]
fn a_module_that_is_none() {
    let folder = folder();
    let foreign = "(module (import \"env\" \"launch_missiles\" (func)) (memory (export \"memory\") 1) (func (export \"_start\")))";
    for (file, text) in [
        ("bot.wasm", "not WebAssembly"),
        ("cut.wat", "(module\n (func $x\n"),
        ("idle.wat", "(module (memory (export \"memory\") 1))"),
        ("foreign.wat", foreign),
    ] {
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    assert_snapshot!(session(folder.path(), "
        match flipfour ./bot.wasm ./bot.wasm
        submit ./cut.wat --name x
        submit ./idle.wat --name x
        submit ./foreign.wat --name x
    "), @r#"
    $ flipside match flipfour ./bot.wasm ./bot.wasm
    -- exit status 2, stderr:
    error: ./bot.wasm is not WebAssembly, though its name says so
    hint: did its build or download fail? `file ./bot.wasm` says what it is

    $ flipside submit ./cut.wat --name x
    -- exit status 2, stderr:
    error: ./cut.wat is not WebAssembly text: expected `)`
         --> ./cut.wat:3:1
          |
        3 |
          | ^
    hint: correct the text there

    $ flipside submit ./idle.wat --name x
    -- exit status 2, stderr:
    error: ./idle.wat has no function _start
    hint: build a program with a main function for WASI preview 1 (wasm32-wasip1); in WebAssembly text, export a function "_start"

    $ flipside submit ./foreign.wat --name x
    -- exit status 2, stderr:
    error: ./foreign.wat imports env::launch_missiles, which is not provided
    hint: a function was not found when it was linked, or it is built for a browser: build it for WASI preview 1 (wasm32-wasip1)
    "#);
    assert!(!folder.path().join("arena").exists());
}

#[test]
fn an_unknown_game_names_the_nearest() {
    assert_snapshot!(session(folder().path(), "
        match yonmoke sample:random sample:random
        tournament flipfor sample:random sample:greedy
        perft chess --depth 1
        schema flipflop5x5
    "), @r#"
    $ flipside match yonmoke sample:random sample:random
    -- exit status 2, stderr:
    error: there is no game "yonmoke"
    hint: did you mean yonmoque? `flipside games` lists them all

    $ flipside tournament flipfor sample:random sample:greedy
    -- exit status 2, stderr:
    error: there is no game "flipfor"
    hint: did you mean flipfour? `flipside games` lists them all

    $ flipside perft chess --depth 1
    -- exit status 2, stderr:
    error: there is no game "chess"
    hint: `flipside games` lists them all

    $ flipside schema flipflop5x5
    -- exit status 2, stderr:
    error: there is no game "flipflop5x5"
    hint: did you mean flipflop-5x5? `flipside games` lists them all
    "#);
}

#[test]
fn options_out_of_range() {
    let folder = folder();
    assert_snapshot!(session(folder.path(), r#"
        match flipfour sample:random sample:random --options '{"max_plies":0}'
        match flipfour sample:random sample:random --options '{"max_plies":1000001}'
        match flipfour sample:random sample:random --options '{"max_plies":"ten"}'
        match flipfour sample:random sample:random --options '{"max_ply":10}'
        match flipfour sample:random sample:random --options max_plies=10
        match flipfour sample:random sample:random --options []
        tournament flipfour sample:random sample:greedy --rounds 0
        tournament flipfour sample:random sample:greedy --concurrency 0
        tournament flipfour sample:random sample:greedy --concurrency 1000
        tournament flipfour sample:random sample:greedy --clock fast
        tournament flipfour sample:random sample:greedy --format swizz
        tournament flipfour sample:random sample:greedy --name a/b
        perft flipfour --depth 0
    "#), @r#"
    $ flipside match flipfour sample:random sample:random --options '{"max_plies":0}'
    -- exit status 2, stderr:
    error: option max_plies: a whole number from 1 to 1000000, not 0
    hint: for example --options '{"max_plies":1000}'; `flipside rules flipfour` lists the options

    $ flipside match flipfour sample:random sample:random --options '{"max_plies":1000001}'
    -- exit status 2, stderr:
    error: option max_plies: a whole number from 1 to 1000000, not 1000001
    hint: for example --options '{"max_plies":1000}'; `flipside rules flipfour` lists the options

    $ flipside match flipfour sample:random sample:random --options '{"max_plies":"ten"}'
    -- exit status 2, stderr:
    error: option max_plies: a whole number from 1 to 1000000, not "ten"
    hint: for example --options '{"max_plies":1000}'; `flipside rules flipfour` lists the options

    $ flipside match flipfour sample:random sample:random --options '{"max_ply":10}'
    -- exit status 2, stderr:
    error: option max_ply: there is no such option; there are max_plies
    hint: `flipside rules flipfour` lists the options

    $ flipside match flipfour sample:random sample:random --options max_plies=10
    -- exit status 2, stderr:
    error: options: this is not JSON at character 1; names and words are in double quotes
    hint: `flipside rules flipfour` lists the options

    $ flipside match flipfour sample:random sample:random --options []
    -- exit status 2, stderr:
    error: options: an object with any of max_plies, not []
    hint: `flipside rules flipfour` lists the options

    $ flipside tournament flipfour sample:random sample:greedy --rounds 0
    -- exit status 2, stderr:
    error: invalid value '0' for '--rounds <N>': a whole number from 1 to 1000000, not 0

    For more information, try '--help'.

    $ flipside tournament flipfour sample:random sample:greedy --concurrency 0
    -- exit status 2, stderr:
    error: invalid value '0' for '--concurrency <N>': a whole number from 1 to 256, not 0

    For more information, try '--help'.

    $ flipside tournament flipfour sample:random sample:greedy --concurrency 1000
    -- exit status 2, stderr:
    error: invalid value '1000' for '--concurrency <N>': a whole number from 1 to 256, not 1000

    For more information, try '--help'.

    $ flipside tournament flipfour sample:random sample:greedy --clock fast
    -- exit status 2, stderr:
    error: invalid value 'fast' for '--clock <CLOCK>': "fast" is not a clock; write move=1s (for each move), 10s+100ms (bank and increment), or for modules fuel=10G or fuel=100G+1G; ,start=5s or ,start=50G behind it is for the start; times are 1ms to 24h in h, m, s or ms, fuel is 1M to 864000G in G or M

    For more information, try '--help'.

    $ flipside tournament flipfour sample:random sample:greedy --format swizz
    -- exit status 2, stderr:
    error: invalid value 'swizz' for '--format <FORMAT>': "swizz" is not a format; there are round-robin, gauntlet, swiss, knockout, double-elimination, ladder, sprt

    For more information, try '--help'.

    $ flipside tournament flipfour sample:random sample:greedy --name a/b
    -- exit status 2, stderr:
    error: invalid value 'a/b' for '--name <NAME>': "a/b" is not a name; a name is 1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or a digit

    For more information, try '--help'.

    $ flipside perft flipfour --depth 0
    -- exit status 2, stderr:
    error: invalid value '0' for '--depth <DEPTH>': a whole number from 1 to 100, not 0

    For more information, try '--help'.
    "#);
    assert!(
        !folder.path().join("arena").exists(),
        "nothing is half done"
    );
}

#[test]
fn the_wrong_number_of_bots() {
    assert_snapshot!(session(folder().path(), "
        tournament flipfour sample:random
        match flipfour sample:random
        match flipfour sample:random sample:random sample:random
        tournament flipfour sample:random sample:random
    "), @"
    $ flipside tournament flipfour sample:random
    -- exit status 2, stderr:
    error: a tournament needs at least two bots, and only one is named
    hint: add another, for example sample:random; `flipside bots` lists the arena's

    $ flipside match flipfour sample:random
    -- exit status 2, stderr:
    error: flipfour is for 2 seats, not 1
    hint: name a bot for every seat

    $ flipside match flipfour sample:random sample:random sample:random
    -- exit status 2, stderr:
    error: flipfour is for 2 seats, not 3
    hint: name a bot for every seat

    $ flipside tournament flipfour sample:random sample:random
    -- exit status 2, stderr:
    error: sample:random and sample:random are the same bot
    hint: name each bot once; another version of it is NAME@VERSION
    ");
}

#[test]
fn a_record_that_is_cut_or_changed() {
    let folder = folder();
    let play = ["match", "flipfour", "./first.wat", "./first.wat"];
    let record = ["--seed", "3", "--record", "whole"];
    run(folder.path(), &[play, record].concat()).ok();
    let file = |name: &str| folder.path().join(name);
    let whole = std::fs::read_to_string(file("whole")).unwrap();
    let (sixteenth, _) = whole.match_indices('\n').nth(15).unwrap();
    std::fs::write(file("cut"), &whole[..sixteenth + 9]).unwrap();
    std::fs::write(file("changed"), whole.replacen("+a2", "+e5", 1)).unwrap();
    std::fs::write(file("binary"), [0xff, 0xfe, 0]).unwrap();
    run(folder.path(), &["replay", "whole"]).ok();
    assert_snapshot!(session(folder.path(), "
        verify whole
        verify cut
        verify changed
        verify binary
        verify ./nothing
        verify no-such-match
        verify whole cut changed
        replay cut
        replay changed
        replay binary
        replay ./nothing
        replay no-such-match
        replay whole --seat 2
        replay whole --ply 999
        match flipfour ./first.wat ./first.wat --record whole
    "), @r#"
    $ flipside verify whole
    whole: ok: flipfour flipfour-ID, 33 plies, repetition, not signed

    $ flipside verify cut
    -- exit status 1, stderr:
    error: cut: the record is cut off after line 16: its last line, the closing hash, is missing
    hint: take the whole file again from where it came

    $ flipside verify changed
    -- exit status 1, stderr:
    error: changed: the closing hash does not fit: the record was changed after it was written
    hint: a changed record proves nothing; take it again from where it came

    $ flipside verify binary
    -- exit status 2, stderr:
    error: cannot read binary: it is not text
    hint: name a record's file or the id of a match; `flipside matches` lists the matches with their ids

    $ flipside verify ./nothing
    -- exit status 2, stderr:
    error: cannot read ./nothing: No such file or directory (os error 2)
    hint: the path begins where you are

    $ flipside verify no-such-match
    -- exit status 2, stderr:
    error: there is no file "no-such-match", and no arena at arena with a match of this id
    hint: name a record's file, or pick the arena with --arena DIR

    $ flipside verify whole cut changed
    whole: ok: flipfour flipfour-ID, 33 plies, repetition, not signed
    -- exit status 1, stderr:
    error: cut: the record is cut off after line 16: its last line, the closing hash, is missing
    hint: take the whole file again from where it came
    error: changed: the closing hash does not fit: the record was changed after it was written
    hint: a changed record proves nothing; take it again from where it came
    error: 2 of 3 records are wrong

    $ flipside replay cut
    -- exit status 1, stderr:
    error: cut: the record is cut off after line 16: its last line, the closing hash, is missing
    hint: take the whole file again from where it came

    $ flipside replay changed
    -- exit status 1, stderr:
    error: changed: the closing hash does not fit: the record was changed after it was written
    hint: a changed record proves nothing; take it again from where it came

    $ flipside replay binary
    -- exit status 2, stderr:
    error: cannot read binary: it is not text
    hint: name a record's file or the id of a match; `flipside matches` lists the matches with their ids

    $ flipside replay ./nothing
    -- exit status 2, stderr:
    error: cannot read ./nothing: No such file or directory (os error 2)
    hint: the path begins where you are

    $ flipside replay no-such-match
    -- exit status 2, stderr:
    error: there is no file "no-such-match", and no arena at arena with a match of this id
    hint: name a record's file, or pick the arena with --arena DIR

    $ flipside replay whole --seat 2
    -- exit status 2, stderr:
    error: whole: there is no seat 2 in this match
    hint: its seats are 0 to 1

    $ flipside replay whole --ply 999
    -- exit status 2, stderr:
    error: this match has only 33 plies

    $ flipside match flipfour ./first.wat ./first.wat --record whole
    -- exit status 2, stderr:
    error: whole is there already
    hint: name another file, or remove this one first
    "#);
    let kept = std::fs::read_to_string(file("whole")).unwrap();
    assert_eq!(kept, whole, "a record is never written over");
}

#[test]
fn an_arena_that_is_none() {
    let folder = folder();
    let database = "this is not a database, but it is long enough to be one";
    std::fs::create_dir(folder.path().join("text")).unwrap();
    std::fs::write(folder.path().join("text/journal.sqlite"), database).unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    assert_snapshot!(session(folder.path(), "
        bots
        matches
        ratings
        table
        tournament flipflop-3x3 sample:random sample:greedy --arena text
        tournament flipflop-3x3 sample:random sample:greedy --arena file
    "), @"
    $ flipside bots
    -- exit status 1, stderr:
    error: there is no arena at arena
    hint: name the arena's folder with --arena DIR or FLIPSIDE_ARENA; `flipside submit`, `flipside tournament` and `flipside serve --new` make one

    $ flipside matches
    -- exit status 1, stderr:
    error: there is no arena at arena
    hint: name the arena's folder with --arena DIR or FLIPSIDE_ARENA; `flipside submit`, `flipside tournament` and `flipside serve --new` make one

    $ flipside ratings
    -- exit status 1, stderr:
    error: there is no arena at arena
    hint: name the arena's folder with --arena DIR or FLIPSIDE_ARENA; `flipside submit`, `flipside tournament` and `flipside serve --new` make one

    $ flipside table
    -- exit status 1, stderr:
    error: there is no arena at arena
    hint: name the arena's folder with --arena DIR or FLIPSIDE_ARENA; `flipside submit`, `flipside tournament` and `flipside serve --new` make one

    $ flipside tournament flipflop-3x3 sample:random sample:greedy --arena text
    -- exit status 1, stderr:
    error: text/journal.sqlite is not a journal of this flipside
    hint: it was left as it is; use the flipside that wrote it, move it away, or name another arena than text

    $ flipside tournament flipflop-3x3 sample:random sample:greedy --arena file
    -- exit status 1, stderr:
    error: file is not a folder
    hint: name a new or an empty folder with --arena DIR or FLIPSIDE_ARENA
    ");
    let kept = std::fs::read_to_string(folder.path().join("text/journal.sqlite")).unwrap();
    assert_eq!(kept, database, "it is left as it was");
}

#[test]
fn a_bot_that_cannot_finish_a_match_is_refused_with_the_reason() {
    let folder = folder();
    let silent = "#!/bin/sh\nread x\necho 'where am I' >&2\nexit 4\n";
    let wrong = "#!/bin/sh\nread x\necho '{\"type\":\"ready\"}'\nread x\necho '{\"type\":\"act\",\"id\":1,\"action\":\"z9\"}'\nread x\n";
    script(folder.path(), "silent", silent);
    script(folder.path(), "wrong", wrong);
    assert_snapshot!(session(folder.path(), "
        submit ./silent --name silent --clock move=1s,start=2s
        submit ./wrong --game yonmoque
    "), @r#"
    $ flipside submit ./silent --name silent --clock move=1s,start=2s
    -- exit status 1, stderr:
    error: silent is refused: closed: exited with code 4 before `ready`; on stderr: `where am I`
      in a match against itself at flip4, flipflop-3x3, flipflop-5x5, flipfour, phase10-flip, puissance4-basic, puissance4-championship, puissance4-extra-pro, yonmoque
    hint: `flipside debug` shows every message until then
    hint: a bot of one game is submitted with --game GAME, and tried at no other
    hint: flipside debug flip4 ./silent ./silent --options '{"layout":[15,16,12,9,7,4,8,10,25,6,1,3,36,30,2,5,0,20,18,24,11],"corner_return":true,"double_line":"mover","max_turns":60}' --seed HASH

    $ flipside submit ./wrong --game yonmoque
    -- exit status 1, stderr:
    error: wrong is refused: malformed: "z9" names no square: those are a1 to e5; at ply 0 (question 1)
      in a match against itself at yonmoque
      it wrote: {"type":"act","id":1,"action":"z9"}
    hint: with "actions":true in `ready`, every turn lists the legal actions
    hint: flipside debug yonmoque ./wrong ./wrong --options '{"max_plies":60}' --seed HASH
    "#);
    assert!(!folder.path().join("arena").exists());
}

#[test]
fn a_tournament_that_goes_on_with_other_settings() {
    let folder = folder();
    let cup = "tournament flipflop-3x3 ./first.wat ./instant.wat --name cup --seed 1";
    run(folder.path(), &words(cup)).ok();
    run(folder.path(), &words(cup)).ok();
    assert_snapshot!(session(folder.path(), &format!("
        {cup} --rounds 3
        {cup} --clock move=3s
    ")), @"
    $ flipside tournament flipflop-3x3 ./first.wat ./instant.wat --name cup --seed 1 --rounds 3
    -- exit status 2, stderr:
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    error: tournament cup was begun with other settings (rounds: 1, not 3)
    hint: give the settings it was begun with to go on, or another --name to begin anew; `flipside extend cup --rounds 2` makes it longer

    $ flipside tournament flipflop-3x3 ./first.wat ./instant.wat --name cup --seed 1 --clock move=3s
    -- exit status 2, stderr:
    error: tournament cup was begun with other settings (clock: move=1s, not move=3s)
    hint: give the settings it was begun with to go on, or another --name to begin anew
    ");
}

#[test]
fn a_filter_that_is_none() {
    let folder = folder();
    let mut games = flipside(folder.path());
    let output = games.arg("games").env("FLIPSIDE_LOG", "a=b=c").output();
    assert_snapshot!(shown(&output.unwrap().into()), @r#"
    -- exit status 2, stderr:
    error: FLIPSIDE_LOG="a=b=c" is not a filter: error parsing level filter: expected one of "off", "error", "warn", "info", "debug", "trace", or a number 0-5
    hint: write for example FLIPSIDE_LOG=debug or FLIPSIDE_LOG=flipside_referee=trace,warn
    "#);
}

#[test]
fn a_tournament_that_cannot_begin_leaves_nothing_behind() {
    let folder = folder();
    let idle = "(module (memory (export \"memory\") 1))";
    std::fs::write(folder.path().join("nostart.wat"), idle).unwrap();
    script(folder.path(), "bad", "#!/no/such/interpreter\n");
    assert_snapshot!(session(folder.path(), "
        tournament flipfour ./first.wat nosuch
        tournament flipfour ./first.wat nostart.wat
        tournament flipfour ./bad sample:random
    "), @r#"
    $ flipside tournament flipfour ./first.wat nosuch
    -- exit status 2, stderr:
    error: there is no file "nosuch", and no arena to look the name up in
    hint: name a file, sample:greedy, or pick an arena with --arena DIR

    $ flipside tournament flipfour ./first.wat nostart.wat
    -- exit status 2, stderr:
    error: nostart.wat: FOLDER/nostart.wat has no function _start
    hint: build a program with a main function for WASI preview 1 (wasm32-wasip1); in WebAssembly text, export a function "_start"

    $ flipside tournament flipfour ./bad sample:random
    -- exit status 1, stderr:
    error: ./bad: FOLDER/bad needs /no/such/interpreter, which is not there
    hint: install /no/such/interpreter or correct the script's first line
    "#);
    assert!(!folder.path().join("arena").exists());
}

#[test]
fn a_name_means_the_arenas_bot_and_the_same_files_mean_the_same_tournament() {
    let folder = folder();
    let first = std::fs::read_to_string(sample("wat/first.wat")).unwrap();
    for (at, place) in ["x", "y"].iter().enumerate() {
        let place = folder.path().join(place);
        std::fs::create_dir(&place).unwrap();
        std::fs::write(place.join("bot.wat"), format!("{first}\n;; {at}\n")).unwrap();
    }
    let twice = words("tournament flipflop-3x3 x/bot.wat y/bot.wat --seed 1");
    let table = run(folder.path(), &twice).ok();
    assert_eq!(run(folder.path(), &twice).ok(), table);
    // A file of the same name in this folder does not get between.
    script(folder.path(), "bot", "#!/bin/sh\nexit 1\n");
    assert_snapshot!(session(folder.path(), "match flipflop-3x3 bot bot@1"), @"
    $ flipside match flipflop-3x3 bot bot@1
    FlipFlop 3×3, ply 4: White wins: goal

      3   .  [R]  r
      2   .   b   .
      1   b  [R]  R
          a   b   c

    White: R like a rook, B like a bishop; Black: r, b

    goal, 4 plies, seed HASH
    place 1: bot@2 (seat 0), points 1, 2 plies of TIME
    place 2: bot@1 (seat 1), points 0, 2 plies of TIME
    ");
}

#[test]
fn a_reader_that_has_gone_stops_nothing() {
    let folder = folder();
    let flipside = env!("CARGO_BIN_EXE_flipside");
    let first = sample("wat/first.wat");
    let text = format!(
        "{flipside} tournament flipflop-3x3 {first} sample:random --rounds 20 2>&1 >/dev/null | head -c 1 >/dev/null
         {flipside} games | head -c 1 >/dev/null
         {flipside} table --json"
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &format!("set -o pipefail; {text}")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let table: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(table["played"], 40, "{output:?}");
}

#[test]
fn a_record_that_was_made_to_harm_is_refused() {
    let folder = folder();
    let play = ["match", "flipfour", "./first.wat", "./first.wat"];
    let record = ["--seed", "3", "--record", "whole"];
    run(folder.path(), &[play, record].concat()).ok();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let whole = std::fs::read_to_string(folder.path().join("whole")).unwrap();
    let zeros = "0,".repeat(1_000_000);
    let long = format!("\n{{\"type\":\"chance\",\"event\":[{zeros}0]}}\n");
    write("long", &whole.replacen('\n', &long, 1));
    write(
        "escape",
        &whole.replacen("\"flipfour-", "\"\\u001b[2J\\u202e", 1),
    );
    write(
        "nobody",
        &whole.replacen("\"seats\":[{", "\"seats\":[],\"x\":[{", 1),
    );
    assert_snapshot!(session(folder.path(), "
        verify long
        verify escape
        verify /dev/zero
        replay nobody --seat 0
    "), @"
    $ flipside verify long
    -- exit status 1, stderr:
    error: long: line 2: it is over 1048576 bytes long

    $ flipside verify escape
    -- exit status 1, stderr:
    error: escape: the closing hash does not fit: the record was changed after it was written
    hint: a changed record proves nothing; take it again from where it came

    $ flipside verify /dev/zero
    -- exit status 2, stderr:
    error: /dev/zero is not a file but a device
    hint: write it into a file first, and name that

    $ flipside replay nobody --seat 0
    -- exit status 1, stderr:
    error: nobody: the header is not that of format 1: unknown field `x`, at column N
    hint: use the flipside that wrote the record
    ");
}

#[test]
fn a_bot_that_needs_what_the_arena_does_not_have_is_refused() {
    let folder = folder();
    std::fs::write(folder.path().join("brain"), "x").unwrap();
    let bot = "#!/bin/sh\ncat brain >/dev/null || exit 9\nwhile read x; do echo '{\"type\":\"ready\"}'; done\n";
    script(folder.path(), "bot", bot);
    assert_snapshot!(session(folder.path(), "submit ./bot --game flipfour"), @r#"
    $ flipside submit ./bot --game flipfour
    -- exit status 1, stderr:
    error: bot is refused: closed: exited with code 9 before `ready`; on stderr: `cat: brain: No such file or directory`
      in a match against itself at flipfour
    hint: brain lies beside the bot, and a bot sees only its own file: make the bot a bundle, a folder with a bot.toml as `flipside new` makes one, and type the folder's name in place of the file's
    hint: flipside debug flipfour ./bot ./bot --options '{"max_plies":60}' --seed HASH
    "#);
}

#[test]
fn a_module_is_one_whatever_its_file_is_called() {
    let folder = folder();
    std::fs::copy(sample("wat/first.wat"), folder.path().join("plain")).unwrap();
    script(folder.path(), "bot.WASM", "#!/bin/sh\n");
    assert_snapshot!(session(folder.path(), "
        submit ./plain --game flipfour
        submit ./bot.WASM
    "), @"
    $ flipside submit ./plain --game flipfour
    flipfour: plays
    plain@1 is in the arena

    $ flipside submit ./bot.WASM
    -- exit status 2, stderr:
    error: ./bot.WASM is not WebAssembly, though its name says so
    hint: did its build or download fail? `file ./bot.WASM` says what it is
    ");
    let play = [
        "tournament",
        "flipfour",
        "plain",
        "sample:random",
        "--seed",
        "1",
    ];
    let table = run(folder.path(), &play).ok();
    assert_snapshot!(unvarying(table.lines().next().unwrap()), @"flipfour-ID - flipfour, 2 bots, round-robin, 1 round, clock move=1s, seed 1: 2 of 2 matches");
    let bots = run(folder.path(), &["bots", "--csv"]).ok();
    let plain = bots.lines().find(|line| line.starts_with("plain@1,"));
    assert_snapshot!(unvarying(plain.unwrap()), @"plain@1,module,6204,ID,flipfour,,");
}

#[test]
fn a_record_that_cannot_be_written_is_told_before_the_match() {
    let play = "match flipfour sample:random sample:random --record no/such/folder";
    assert_snapshot!(session(folder().path(), play), @"
    $ flipside match flipfour sample:random sample:random --record no/such/folder
    -- exit status 2, stderr:
    error: cannot write no/such/folder: entity not found
    hint: its folder must be there and writable
    ");
}

#[test]
fn seats_layouts_probabilities_and_teams_are_refused_by_name_and_range() {
    let folder = folder();
    assert_snapshot!(session(folder.path(), r#"
        match flip4 sample:random sample:random --options '{"layout":[1,2,3]}'
        match flip4 sample:random sample:random --options '{"max_turns":0}'
        match puissance4-basic sample:random sample:random --options '{"model":{"fumble_top":1.5}}'
        match puissance4-extra-pro sample:random sample:random --options '{"rules":{"powers_each":6}}'
        match phase10-flip sample:random sample:random --options '{"flips_each_side":5}'
        match phase10-flip sample:random sample:random --options '{"phases":3}'
        match puissance4-basic sample:random sample:random sample:random
        match phase10-flip a b c d e f g
        tournament puissance4-basic sample:random sample:greedy --seats 3
        tournament puissance4-basic sample:random sample:greedy --seats 4
        tournament puissance4-basic sample:random sample:greedy --seats 6 --copies 2
        tournament puissance4-basic sample:random sample:greedy --seats 4 --copies 3
    "#), @r#"
    $ flipside match flip4 sample:random sample:random --options '{"layout":[1,2,3]}'
    -- exit status 2, stderr:
    error: option layout: a list of the numbers 0 to 12, 15, 16, 18, 20, 24, 25, 30 and 36 in any order, each once, not [1,2,3]
    hint: for example --options '{"layout":[15,16,12,9,7,4,8,10,25,6,1,3,36,30,2,5,0,20,18,24,11]}'; `flipside rules flip4` lists the options

    $ flipside match flip4 sample:random sample:random --options '{"max_turns":0}'
    -- exit status 2, stderr:
    error: option max_turns: a whole number from 1 to 1000000, not 0
    hint: for example --options '{"max_turns":3000}'; `flipside rules flip4` lists the options

    $ flipside match puissance4-basic sample:random sample:random --options '{"model":{"fumble_top":1.5}}'
    -- exit status 2, stderr:
    error: option model.fumble_top: a number from 0 to 1 with at most six decimals, not 1.5
    hint: for example --options '{"model":{"fumble_top":0.15}}'; `flipside rules puissance4-basic` lists the options

    $ flipside match puissance4-extra-pro sample:random sample:random --options '{"rules":{"powers_each":6}}'
    -- exit status 2, stderr:
    error: option rules.powers_each: a whole number from 0 to 5, not 6
    hint: for example --options '{"rules":{"powers_each":2}}'; `flipside rules puissance4-extra-pro` lists the options

    $ flipside match phase10-flip sample:random sample:random --options '{"flips_each_side":5}'
    -- exit status 2, stderr:
    error: option flips_each_side: 5 is not a multiple of 4 from 0 to 24
    hint: for example --options '{"flips_each_side":8}'; `flipside rules phase10-flip` lists the options

    $ flipside match phase10-flip sample:random sample:random --options '{"phases":3}'
    -- exit status 2, stderr:
    error: option phases: only with the variant "short", there a whole number from 1 to 9
    hint: `flipside rules phase10-flip` lists the options

    $ flipside match puissance4-basic sample:random sample:random sample:random
    -- exit status 2, stderr:
    error: puissance4-basic is for 2, 4 or 6 seats, not 3
    hint: name a bot for every seat

    $ flipside match phase10-flip a b c d e f g
    -- exit status 2, stderr:
    error: phase10-flip is for 2 to 6 seats, not 7
    hint: name a bot for every seat

    $ flipside tournament puissance4-basic sample:random sample:greedy --seats 3
    -- exit status 2, stderr:
    error: puissance4-basic is for 2, 4 or 6 seats, not 3
    hint: --seats 2

    $ flipside tournament puissance4-basic sample:random sample:greedy --seats 4
    -- exit status 2, stderr:
    error: a round robin is for 4 to 1000 bots here, not 2
    hint: name more bots, or let each take several seats with --copies

    $ flipside tournament puissance4-basic sample:random sample:greedy --seats 6 --copies 2
    -- exit status 2, stderr:
    error: copies: 2 seats for each bot do not go into 6 seats; possible: 1, 3
    hint: all bots of a match take as many seats

    $ flipside tournament puissance4-basic sample:random sample:greedy --seats 4 --copies 3
    -- exit status 2, stderr:
    error: copies: 3 seats for each bot do not go into 4 seats; possible: 1, 2
    hint: all bots of a match take as many seats
    "#);
    assert!(!folder.path().join("arena").exists(), "nothing was made");
}

/// Runs a command that might wait for ever; it is ended then, and the test fails.
fn run_in_time(folder: &Path, args: &[&str]) -> TestRun {
    let [out, err] = ["out", "err"].map(|name| std::fs::File::create(folder.join(name)).unwrap());
    let mut child = flipside(folder)
        .args(args)
        .env("TMPDIR", folder.join("tmp"))
        .stdout(out)
        .stderr(err)
        .spawn()
        .unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(400);
    let code = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None if std::time::Instant::now() > until => {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("{args:?} waits for ever");
            }
            None => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    };
    let [stdout, stderr] =
        ["out", "err"].map(|name| std::fs::read_to_string(folder.join(name)).unwrap());
    TestRun {
        stdout,
        stderr,
        code,
    }
}

/// A session in which each command ends in time.
fn session_in_time(folder: &Path, commands: &str) -> String {
    session_by(commands, |args| run_in_time(folder, args))
}

fn kind(path: &Path) -> std::fs::FileType {
    std::fs::symlink_metadata(path).unwrap().file_type()
}

fn pipe(path: &Path) {
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        path,
        rustix::fs::Mode::from_raw_mode(0o755),
    )
    .unwrap();
}

#[test]
fn what_is_no_regular_file_is_refused_by_its_kind_and_nobody_waits() {
    let folder = folder();
    let folder = folder.path();
    std::fs::create_dir(folder.join("tmp")).unwrap();
    for name in ["pipe", "pipe.toml", "pipe.tar.zst", "pipe.wasm"] {
        pipe(&folder.join(name));
    }
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("socket")).unwrap();
    std::fs::create_dir(folder.join("journal")).unwrap();
    pipe(&folder.join("journal/journal.sqlite"));
    std::fs::write(
        folder.join("cup.toml"),
        "game = \"flipfour\"\nbots = [\"./pipe\", \"sample:random\"]\n",
    )
    .unwrap();
    assert_snapshot!(session_in_time(folder, "
        verify pipe
        verify ./socket
        verify /dev/zero
        verify .
        replay pipe
        tournament pipe.toml
        tournament cup.toml
        import pipe.tar.zst
        import /dev/zero
        submit ./pipe
        submit /dev/zero
        match flipfour ./pipe sample:random
        match flipfour ./pipe.wasm sample:random
        tournament flipfour ./pipe sample:random
        bots --arena pipe
        bots --arena journal
        submit ./first.wat --arena journal
        match flipfour sample:random sample:random --record pipe
        match flipfour sample:random sample:random --record tmp
    "), @"
    $ flipside verify pipe
    -- exit status 2, stderr:
    error: pipe is not a file but a pipe
    hint: write it into a file first, and name that

    $ flipside verify ./socket
    -- exit status 2, stderr:
    error: ./socket is not a file but a socket
    hint: write it into a file first, and name that

    $ flipside verify /dev/zero
    -- exit status 2, stderr:
    error: /dev/zero is not a file but a device
    hint: write it into a file first, and name that

    $ flipside verify .
    -- exit status 2, stderr:
    error: . is not a file but a folder
    hint: name a file in it

    $ flipside replay pipe
    -- exit status 2, stderr:
    error: pipe is not a file but a pipe
    hint: write it into a file first, and name that

    $ flipside tournament pipe.toml
    -- exit status 2, stderr:
    error: pipe.toml is not a file but a pipe
    hint: what ends in .toml is a file that describes the tournament; the path begins where you are

    $ flipside tournament cup.toml
    -- exit status 2, stderr:
    error: ./pipe is not a file but a pipe
    hint: name the bot's file: a program, a .wasm or a .wat

    $ flipside import pipe.tar.zst
    -- exit status 2, stderr:
    error: pipe.tar.zst is not a file but a pipe
    hint: write it into a file first, and name that

    $ flipside import /dev/zero
    -- exit status 2, stderr:
    error: /dev/zero is not a file but a device
    hint: write it into a file first, and name that

    $ flipside submit ./pipe
    -- exit status 2, stderr:
    error: ./pipe is not a file but a pipe
    hint: name the bot's file: a program, a .wasm or a .wat

    $ flipside submit /dev/zero
    -- exit status 2, stderr:
    error: /dev/zero is not a file but a device
    hint: name the bot's file: a program, a .wasm or a .wat

    $ flipside match flipfour ./pipe sample:random
    -- exit status 2, stderr:
    error: ./pipe is not a file but a pipe
    hint: name the bot's file: a program, a .wasm or a .wat

    $ flipside match flipfour ./pipe.wasm sample:random
    -- exit status 2, stderr:
    error: ./pipe.wasm is not a file but a pipe
    hint: name the bot's file: a program, a .wasm or a .wat

    $ flipside tournament flipfour ./pipe sample:random
    -- exit status 2, stderr:
    error: ./pipe is not a file but a pipe
    hint: name the bot's file: a program, a .wasm or a .wat

    $ flipside bots --arena pipe
    -- exit status 1, stderr:
    error: pipe is not a folder
    hint: name a new or an empty folder with --arena DIR or FLIPSIDE_ARENA

    $ flipside bots --arena journal
    -- exit status 1, stderr:
    error: journal/journal.sqlite is not a journal of this flipside
    hint: it was left as it is; use the flipside that wrote it, move it away, or name another arena than journal

    $ flipside submit ./first.wat --arena journal
    -- exit status 1, stderr:
    error: journal/journal.sqlite is not a journal of this flipside
    hint: it was left as it is; use the flipside that wrote it, move it away, or name another arena than journal

    $ flipside match flipfour sample:random sample:random --record pipe
    -- exit status 2, stderr:
    error: pipe is there already
    hint: name another file, or remove this one first

    $ flipside match flipfour sample:random sample:random --record tmp
    -- exit status 2, stderr:
    error: tmp is not a file but a folder
    hint: name a file, new or to be replaced
    ");
    assert_eq!(std::fs::read_dir(folder.join("tmp")).unwrap().count(), 0);
}

#[test]
fn a_record_that_a_shell_hands_over_is_read() {
    let folder = folder();
    let first = sample("wat/first.wat");
    let args = ["match", "flipfour", &first, &first, "--record", "record"];
    run(folder.path(), &args).ok();
    let flipside = env!("CARGO_BIN_EXE_flipside");
    let text =
        format!("{flipside} verify <(cat record) && cat record | {flipside} verify /dev/stdin");
    let output = std::process::Command::new("bash")
        .args(["-c", &text])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_file_of_a_terabyte_is_refused_before_it_is_read_or_copied() {
    let folder = folder();
    let folder = folder.path();
    std::fs::create_dir(folder.join("tmp")).unwrap();
    // It has no bytes on the disk.
    for name in ["huge", "huge.wasm", "huge.toml", "huge.tar.zst"] {
        let path = script(folder, name, "#!/bin/sh\n");
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_len(1 << 40).unwrap();
    }
    assert_snapshot!(session_in_time(folder, "
        submit ./huge
        submit ./huge.wasm
        match flipfour ./huge sample:random
        tournament flipfour ./huge sample:random
        tournament huge.toml
        verify huge
        replay huge
        import huge.tar.zst
    "), @"
    $ flipside submit ./huge
    -- exit status 2, stderr:
    error: ./huge has 1099511627776 bytes; a program may have 268435456
    hint: strip the program, or leave its debug information out

    $ flipside submit ./huge.wasm
    -- exit status 2, stderr:
    error: ./huge.wasm has 1099511627776 bytes; a module may have 33554432
    hint: build it smaller: optimised for size, and stripped of names and of what it does not use; no function should be huge

    $ flipside match flipfour ./huge sample:random
    -- exit status 2, stderr:
    error: ./huge has 1099511627776 bytes; a program may have 268435456
    hint: strip the program, or leave its debug information out

    $ flipside tournament flipfour ./huge sample:random
    -- exit status 2, stderr:
    error: ./huge has 1099511627776 bytes; a program may have 268435456
    hint: strip the program, or leave its debug information out

    $ flipside tournament huge.toml
    -- exit status 2, stderr:
    error: cannot read huge.toml: it is larger than 1048576 bytes
    hint: what ends in .toml is a file that describes the tournament; the path begins where you are

    $ flipside verify huge
    -- exit status 2, stderr:
    error: cannot read huge: it is larger than 67108864 bytes
    hint: name a record's file or the id of a match; `flipside matches` lists the matches with their ids

    $ flipside replay huge
    -- exit status 2, stderr:
    error: cannot read huge: it is larger than 67108864 bytes
    hint: name a record's file or the id of a match; `flipside matches` lists the matches with their ids

    $ flipside import huge.tar.zst
    -- exit status 1, stderr:
    error: huge.tar.zst: it is not an archive of a tournament: it does not begin as one, or is cut off there
    hint: `flipside export TOURNAMENT FILE.tar.zst` writes one; if that wrote it, take it again from where it came: it may be cut off
    ");
    assert_eq!(std::fs::read_dir(folder.join("tmp")).unwrap().count(), 0);
    assert!(!folder.join("arena").exists());
}

#[test]
fn where_nothing_can_be_written_is_told_first_and_nothing_is_lost() {
    let folder = folder();
    let folder = folder.path();
    std::fs::create_dir(folder.join("tmp")).unwrap();
    let cup = "tournament flipflop-3x3 sample:random sample:greedy --name cup";
    run(folder, &words(cup)).ok();
    let at = |name: &str| folder.join(name);
    std::os::unix::fs::symlink("nowhere", at("dangling")).unwrap();
    std::os::unix::fs::symlink("nowhere", at("dangling.html")).unwrap();
    std::fs::write(at("page.html"), "before").unwrap();
    std::os::unix::fs::symlink("page.html", at("link.html")).unwrap();
    pipe(&at("pipe.html"));
    std::fs::create_dir(at("folder.html")).unwrap();
    let kinds = || ["dangling.html", "pipe.html", "folder.html"].map(|name| kind(&at(name)));
    let before = kinds();
    assert_snapshot!(session_in_time(folder, "
        match flipflop-3x3 sample:random sample:random --record dangling
        match flipflop-3x3 sample:random sample:random --record link.html
        match flipflop-3x3 sample:random sample:random --record pipe.html
        match flipflop-3x3 sample:random sample:random --record folder.html
        match flipflop-3x3 sample:random sample:random --record new/
        match flipflop-3x3 sample:random sample:random --record /dev/null
        export cup dangling.html --force
        export cup pipe.html --force
        export cup folder.html --force
        export cup link.html
    "), @"
    $ flipside match flipflop-3x3 sample:random sample:random --record dangling
    -- exit status 2, stderr:
    error: dangling is there already
    hint: name another file, or remove this one first

    $ flipside match flipflop-3x3 sample:random sample:random --record link.html
    -- exit status 2, stderr:
    error: link.html is there already
    hint: name another file, or remove this one first

    $ flipside match flipflop-3x3 sample:random sample:random --record pipe.html
    -- exit status 2, stderr:
    error: pipe.html is there already
    hint: name another file, or remove this one first

    $ flipside match flipflop-3x3 sample:random sample:random --record folder.html
    -- exit status 2, stderr:
    error: folder.html is not a file but a folder
    hint: name a file, new or to be replaced

    $ flipside match flipflop-3x3 sample:random sample:random --record new/
    -- exit status 2, stderr:
    error: new/ names a folder
    hint: name a file

    $ flipside match flipflop-3x3 sample:random sample:random --record /dev/null
    -- exit status 2, stderr:
    error: /dev/null is there already
    hint: name another file, or remove this one first

    $ flipside export cup dangling.html --force
    -- exit status 2, stderr:
    error: cannot write dangling.html: No such file or directory (os error 2)
    hint: is it a link that leads nowhere? name another file

    $ flipside export cup pipe.html --force
    -- exit status 2, stderr:
    error: pipe.html is not a file but a pipe
    hint: name a file, new or to be replaced

    $ flipside export cup folder.html --force
    -- exit status 2, stderr:
    error: folder.html is not a file but a folder
    hint: name a file, new or to be replaced

    $ flipside export cup link.html
    -- exit status 1, stderr:
    error: link.html is there already
    hint: --force replaces it
    ");
    assert_eq!(kinds(), before);
    assert_eq!(std::fs::read_to_string(at("page.html")).unwrap(), "before");
    // A link stays one, and what it leads to is replaced.
    run(folder, &["export", "cup", "link.html", "--force"]).ok();
    assert!(kind(&at("link.html")).is_symlink());
    let page = std::fs::read_to_string(at("page.html")).unwrap();
    assert!(page.contains("cup"), "{page}");
}

#[test]
fn numbers_that_do_not_fit_are_refused_with_their_range_in_plain_words() {
    let folder = folder();
    let whole = |least: u32, most: u64| format!("a whole number from {least} to {most}, not VALUE");
    let seed = || whole(0, u64::MAX) + "; or a whole seed of 64 hexadecimal digits";
    let whole_seed = format!(
        "a whole number from 0 to {}, or a whole seed: a number, a dash and 64 lower-case hexadecimal digits, \
         not all 0, not VALUE",
        u64::MAX
    );
    let number = || "a number, not VALUE".to_owned();
    let (game, perft) = ("match flipfour a b", "perft flipfour");
    let (cup, play) = ("tournament flipfour a b", "play flipfour a");
    let all = [
        (game, "--seed <N|DIGITS>", seed()),
        (play, "--seed <N|DIGITS>", seed()),
        (cup, "--seed <N|N-DIGITS>", whole_seed),
        (cup, "--rounds <N>", whole(1, 1_000_000)),
        (cup, "--concurrency <N>", whole(1, 256)),
        (cup, "--seats <N>", whole(2, 6)),
        (cup, "--copies <N>", whole(1, 6)),
        (cup, "--challengers <N>", whole(1, 1000)),
        (cup, "--best-of <N>", whole(1, 1000)),
        (cup, "--tie-breaks <N>", whole(0, 100)),
        (cup, "--matches <N>", whole(1, 1_000_000_000)),
        (cup, "--opening-plies <N>", whole(0, 60)),
        (cup, "--pause-after <N>", whole(0, u32::MAX.into())),
        (cup, "--elo0 <ELO>", number()),
        (cup, "--elo1 <ELO>", number()),
        (cup, "--alpha <RATE>", number()),
        (cup, "--beta <RATE>", number()),
        (game, "--opening-plies <N>", whole(0, 60)),
        (play, "--seat <SEAT>", whole(0, 5)),
        (perft, "--depth <DEPTH>", whole(1, 100)),
        ("matches", "--limit <LIMIT>", whole(0, u64::MAX)),
        ("replay x", "--delay <DELAY>", whole(0, 60_000)),
    ];
    for (command, flag, allowed) in all {
        let name = flag.split(' ').next().unwrap();
        let refused = |value: &str, typed: &[&str]| {
            let refused = run(folder.path(), &[&words(command)[..], typed].concat()).refused(2);
            let allowed = allowed.replace("VALUE", value);
            let told = format!(
                "error: invalid value '{value}' for '{flag}': {allowed}\n\n\
                 For more information, try '--help'.\n"
            );
            assert_eq!(refused, told);
        };
        for value in ["x", "", "0x10", "-x1", "1e99999", "1,5"] {
            refused(value, &[&format!("{name}={value}")]);
        }
        if allowed != number() {
            for value in ["-1", "1.5", "99999999999999999999999"] {
                refused(value, &[name, value]);
            }
        }
    }
    assert_snapshot!(session(folder.path(), "
        tournament flipfour a b --seats 0
        tournament flipfour a b --seats 99
        tournament flipfour a b --seats 300
    "), @"
    $ flipside tournament flipfour a b --seats 0
    -- exit status 2, stderr:
    error: invalid value '0' for '--seats <N>': a whole number from 2 to 6, not 0

    For more information, try '--help'.

    $ flipside tournament flipfour a b --seats 99
    -- exit status 2, stderr:
    error: invalid value '99' for '--seats <N>': a whole number from 2 to 6, not 99

    For more information, try '--help'.

    $ flipside tournament flipfour a b --seats 300
    -- exit status 2, stderr:
    error: invalid value '300' for '--seats <N>': a whole number from 2 to 6, not 300

    For more information, try '--help'.
    ");
}

#[test]
fn a_wrong_option_is_told_with_one_that_can_be_typed() {
    let folder = folder();
    let refused = |command: &str| {
        let wrong = [
            r#"flip4 a b --options '{"double_line":1}'"#,
            r#"phase10-flip a b --options '{"variant":null}'"#,
            r#"puissance4-basic a b --options '{"rules":{"team_wait":"no"}}'"#,
            "flipfour a b --options null",
            "flipfour a b --options {max_plies:9}",
        ];
        let wrong = wrong.map(|wrong| format!("{command} {wrong}"));
        session(folder.path(), &wrong.join("\n"))
    };
    assert_snapshot!(refused("match"), @r#"
    $ flipside match flip4 a b --options '{"double_line":1}'
    -- exit status 2, stderr:
    error: option double_line: one of `mover`, `opponent`, `both`, not 1
    hint: for example --options '{"double_line":"mover"}'; `flipside rules flip4` lists the options

    $ flipside match phase10-flip a b --options '{"variant":null}'
    -- exit status 2, stderr:
    error: option variant: one of `standard`, `ten-rounds`, `short`, not null
    hint: for example --options '{"variant":"standard"}'; `flipside rules phase10-flip` lists the options

    $ flipside match puissance4-basic a b --options '{"rules":{"team_wait":"no"}}'
    -- exit status 2, stderr:
    error: option rules.team_wait: true or false, not "no"
    hint: for example --options '{"rules":{"team_wait":false}}'; `flipside rules puissance4-basic` lists the options

    $ flipside match flipfour a b --options null
    -- exit status 2, stderr:
    error: options: an object with any of max_plies, not null
    hint: `flipside rules flipfour` lists the options

    $ flipside match flipfour a b --options {max_plies:9}
    -- exit status 2, stderr:
    error: options: this is not JSON at character 2; names and words are in double quotes
    hint: `flipside rules flipfour` lists the options
    "#);
    assert_eq!(
        refused("tournament"),
        refused("match").replace("$ flipside match", "$ flipside tournament")
    );
}

#[test]
fn a_bot_whose_file_is_missing_is_named_and_not_its_hash() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = sample("wat/first.wat");
    run(folder, &["submit", &first, "--name", "alpha"]).ok();
    for file in std::fs::read_dir(folder.join("arena/bots")).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    let game = ["flipflop-3x3", "alpha", "sample:random"];
    for command in ["match", "tournament"] {
        let refused = run(folder, &[&[command][..], &game].concat()).refused(1);
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused, @r"
            error: the file of alpha@1 is missing from the arena
            hint: `flipside submit FILE --name alpha` with the same bytes brings it back
            ");
        }
    }
    run(folder, &["submit", &first, "--name", "alpha"]).ok();
    run(folder, &[&["match"][..], &game].concat()).ok();
}

#[test]
fn an_empty_journal_is_told_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir(folder.join("arena")).unwrap();
    std::fs::write(folder.join("arena/journal.sqlite"), "").unwrap();
    for command in ["table", "ratings", "tournaments"] {
        let refused = run(folder, &[command]).refused(1);
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused, @r"
            error: arena/journal.sqlite is empty
            hint: restore it from a copy, or begin anew: rm arena/journal.sqlite
            ");
        }
    }
}

#[test]
fn what_flipside_starts_itself_as_says_so_to_people() {
    let folder = tempfile::tempdir().unwrap();
    assert_snapshot!(session(folder.path(), "
        jail
        compile
    "), @"
    $ flipside jail
    -- exit status 2, stderr:
    error: `jail` is how flipside starts a bot

    $ flipside compile
    -- exit status 2, stderr:
    error: no order: a compiler is started by what needs it
    hint: modules are compiled as they are needed; there is nothing to do
    ");
}
