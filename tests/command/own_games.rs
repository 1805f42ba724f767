//! Games that are programs, end to end: a game of one's own is made, checked and played, and its matches are shown and
//! verified; a program that errs or attacks voids a match, and no bot is blamed.

use std::fs;
use std::path::Path;

use crate::common::{built, run, script};

/// A folder with the new game `mine`.
fn with_a_game() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["game", "new", "python", "mine"]).ok();
    folder
}

#[test]
fn a_new_game_is_checked_and_played_and_its_record_verifies() {
    let folder = with_a_game();
    let in_folder = |args: &[&str]| run(folder.path(), args);
    let checked = in_folder(&["game", "check", "mine", "--matches", "1", "--json"]).ok();
    let checked: serde_json::Value = serde_json::from_str(&checked).unwrap();
    assert_eq!(checked["game"], "mine");
    let ended_badly =
        |step: &&serde_json::Value| step["status"] == "failed" || step["status"] == "warning";
    let steps = checked["steps"].as_array().unwrap();
    assert!(steps.iter().find(ended_badly).is_none(), "{checked:#}");
    assert!(steps.len() > 12);

    let bots = ["sample:random", "sample:random"];
    in_folder(&[
        "match", "./mine", bots[0], bots[1], "--record", "m.jsonl", "--strict",
    ])
    .ok();
    let record = fs::read_to_string(folder.path().join("m.jsonl")).unwrap();
    assert!(
        record
            .lines()
            .next()
            .unwrap()
            .contains("\"game\":\"mine\",\"game_sha256\":\"")
    );

    let unknown = in_folder(&["verify", "m.jsonl"]).refused(1);
    assert!(
        unknown.contains("the program of the game mine is needed"),
        "{unknown}"
    );
    assert!(
        unknown.contains("hint: ") && unknown.contains("--game"),
        "{unknown}"
    );
    let verified = in_folder(&["verify", "m.jsonl", "--game", "./mine"]).ok();
    assert!(verified.starts_with("m.jsonl: ok: mine "), "{verified}");
    let shown = in_folder(&["replay", "m.jsonl", "--game", "./mine", "--plain"]).ok();
    assert!(shown.contains("place 1: "), "{shown}");
    in_folder(&["replay", "m.jsonl", "--game", "./mine", "--html", "m.html"]).ok();
    let page = fs::read_to_string(folder.path().join("m.html")).unwrap();
    assert!(page.contains("<svg"));

    let rules = in_folder(&["rules", "./mine"]).ok();
    assert!(rules.contains("mine"), "{rules}");
    let example = in_folder(&["schema", "./mine", "--example"]).ok();
    assert!(
        example.contains("→ {\"type\":\"hello\"") && example.contains("\"game\":\"mine\""),
        "{example}"
    );
    let schema = in_folder(&["schema", "./mine"]).ok();
    assert!(serde_json::from_str::<serde_json::Value>(&schema).unwrap()["action"].is_object());
    let checked = in_folder(&["check", "sample:random", "./mine", "--quick", "--json"]).ok();
    let checked: serde_json::Value = serde_json::from_str(&checked).unwrap();
    assert_eq!(checked["games"], serde_json::json!(["mine"]));

    // Another program with the same id is not the game of the record.
    let rules = folder.path().join("mine/rules.md");
    fs::write(
        &rules,
        fs::read_to_string(&rules).unwrap() + "\nAnother line.\n",
    )
    .unwrap();
    let other = in_folder(&["verify", "m.jsonl", "--game", "./mine"]).refused(1);
    assert!(other.contains("and the record was made with"), "{other}");
}

#[test]
fn chess_as_a_module_is_checked_and_a_match_of_it_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let in_folder = |args: &[&str]| run(folder.path(), args);
    let chess = built("chess.wasm");
    let checked = in_folder(&["game", "check", &chess, "--matches", "1", "--json"]).ok();
    let checked: serde_json::Value = serde_json::from_str(&checked).unwrap();
    assert_eq!(checked["game"], "chess");
    let steps = checked["steps"].as_array().unwrap();
    let passes = |step: &serde_json::Value| step["status"] == "ok" || step["status"] == "skipped";
    assert!(steps.iter().all(passes), "{checked:#}");

    let play = |options: &str, record: &str| {
        let bots = ["sample:random", "sample:random"];
        in_folder(&[
            "match",
            &chess,
            bots[0],
            bots[1],
            "--options",
            options,
            "--record",
            record,
            "--strict",
        ])
    };
    let refused = play(r#"{"fen":"7k/8"}"#, "m.jsonl").refused(2);
    assert!(
        refused.contains("option fen: a FEN has six fields"),
        "{refused}"
    );
    play("{}", "m.jsonl").ok();
    let verified = in_folder(&["verify", "m.jsonl", "--game", &chess]).ok();
    assert!(verified.starts_with("m.jsonl: ok: chess "), "{verified}");

    // Tools of chess read its tournaments.
    in_folder(&[
        "tournament",
        &chess,
        "sample:random",
        "sample:first",
        "--rounds",
        "1",
        "--opening-plies",
        "6",
        "--name",
        "cup",
    ])
    .ok();
    in_folder(&["export", "cup", "cup.pgn"]).ok();
    let pgn = fs::read_to_string(folder.path().join("cup.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event \"cup\"]").count(), 2);
    assert!(
        pgn.contains("[White \"first@1\"]") && pgn.contains("\n1. "),
        "{pgn}"
    );
    let is_square = |two: &[u8]| matches!(two, [b'a'..=b'h', b'1'..=b'8']);
    let is_coordinates = |word: &&str| {
        let bytes = word.as_bytes();
        bytes.len() >= 4 && bytes.chunks(2).take(2).all(is_square)
    };
    assert_eq!(pgn.split_whitespace().find(is_coordinates), None, "{pgn}");

    // Black has one move, and then only the kings are left.
    let over = play(r#"{"fen":"7k/5K1R/8/8/8/8/8/8 b - - 0 1"}"#, "one.jsonl").ok();
    assert!(over.contains("material"), "{over}");
    in_folder(&["replay", "one.jsonl", "--game", &chess, "--html", "m.html"]).ok();
    let page = fs::read_to_string(folder.path().join("m.html")).unwrap();
    assert!(page.contains("Kxh7") && page.contains("<svg"));
}

#[test]
fn what_is_no_game_is_refused_in_words() {
    let folder = with_a_game();
    let in_folder = |args: &[&str]| run(folder.path(), args);
    let bots = ["sample:random", "sample:random"];
    let refused = |game: &str| in_folder(&["match", game, bots[0], bots[1]]).refused(2);
    let mine = folder.path().join("mine");

    fs::create_dir(folder.path().join("empty")).unwrap();
    let told = refused("./empty");
    assert!(
        told.contains("is a folder without a game.toml") && told.contains("game new"),
        "{told}"
    );
    let told = refused("./nowhere");
    assert!(told.contains("there is no game at ./nowhere"), "{told}");
    let told = refused("mine");
    assert!(told.contains("the game in this folder is ./mine"), "{told}");

    in_folder(&["new", "python", "bot"]).ok();
    let told = refused("./bot");
    assert!(
        told.contains("has a bot.toml: it is a bot, and no game"),
        "{told}"
    );
    let told = in_folder(&["match", "flipfour", "./mine", bots[0]]).refused(2);
    assert!(
        told.contains("has a game.toml: it is a game, and no bot"),
        "{told}"
    );

    let text = fs::read_to_string(mine.join("game.py")).unwrap();
    assert!(text.contains("\"mine\""));
    fs::write(
        mine.join("game.py"),
        text.replace("\"mine\"", "\"flipfour\""),
    )
    .unwrap();
    let told = refused("./mine");
    assert!(
        told.contains("the id \"flipfour\" is that of a built-in game"),
        "{told}"
    );

    let kit = fs::read_to_string(mine.join("flipside_game.py")).unwrap();
    fs::write(mine.join("game.py"), text).unwrap();
    fs::write(
        mine.join("flipside_game.py"),
        kit.replace("PROTOCOL = 1", "PROTOCOL = 9"),
    )
    .unwrap();
    let told = refused("./mine");
    assert!(
        told.contains("version 9 of the protocol of games"),
        "{told}"
    );
}

/// A program in the shell, whose answers are these: to `describe`, to `setup`, and to all else.
fn shell_game(folder: &Path, setup: &str, rest: &str) -> String {
    let describe = concat!(
        r#"{"type":"game","protocol":1,"id":"shell","title":"Shell","summary":"A game in the shell","#,
        r#""seats":[2],"notation":"[a-z]+"}"#
    );
    let text = format!(
        "#!/bin/sh\nwhile read -r line; do\n  case $line in\n    *'\"describe\"'*) echo '{describe}' ;;\n    \
         *'\"setup\"'*) {setup} ;;\n    *) {rest} ;;\n  esac\ndone\n"
    );
    script(folder, "shell.sh", &text)
}

const BEGINS: &str = r#"echo '{"type":"state","asks":[{"seat":0,"actions":["a","b"],"view":{}}]}'"#;

#[test]
fn hostile_programs_void_the_match_and_no_bot_is_blamed() {
    let folder = tempfile::tempdir().unwrap();
    let bots = ["sample:random", "sample:random"];
    for (setup, rest, told) in [
        // It crashes.
        (BEGINS, "kill -9 $$", "at \"acts\": "),
        ("exit 3", "exit 3", "at \"setup\": "),
        // It tells why.
        (
            BEGINS,
            "echo 'no such state' >&2; exit 1",
            "on stderr: no such state",
        ),
        // Half a line, and the end.
        (BEGINS, "printf '{\"type\":\"sta'; exit 0", "at \"acts\": "),
        // A line without an end.
        (
            BEGINS,
            "head -c 3000000 /dev/zero | tr '\\0' x",
            "a line of more than 1048576 bytes",
        ),
        // A million actions.
        (
            "printf '{\"type\":\"state\",\"asks\":[{\"seat\":0,\"view\":{},\"actions\":[\"a\"'; yes ',\"b\"' | head -n 1000000 | tr -d '\\n'; echo ']}]}'",
            "exit 0",
            "a line of more than 1048576 bytes",
        ),
        // No JSON, and another message.
        (BEGINS, "echo hello", "it wrote \"hello\""),
        (
            BEGINS,
            "echo '{\"type\":\"legal\"}'",
            "it answered \"legal\", and \"state\" is due",
        ),
        // An action that it listed is refused.
        (
            BEGINS,
            "echo '{\"type\":\"refused\",\"reason\":\"no\"}'",
            "and \"state\" is due: no",
        ),
        // JSON that is nested deeply.
        (
            "printf '{\"type\":\"state\",\"asks\":[{\"seat\":0,\"actions\":[\"a\"],\"view\":{\"x\":'; yes '[' | head -n 100 | tr -d '\\n'; yes ']' | head -n 100 | tr -d '\\n'; echo '}}]}'",
            "exit 0",
            "is nested more than 32 deep",
        ),
    ] {
        let game = shell_game(folder.path(), setup, rest);
        let args = ["match", &game, bots[0], bots[1], "--record", "m.jsonl"];
        let void = run(folder.path(), &args).refused(1);
        assert!(
            void.contains("the program of the game shell failed at"),
            "{void}"
        );
        assert!(void.contains(told), "{told}: {void}");
        assert!(void.contains("hint: no bot is at fault"), "{void}");
        fs::remove_file(folder.path().join("m.jsonl")).ok();
    }
}

#[test]
fn a_program_cannot_reach_into_a_page_or_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let over = r#"{"type":"state","over":{"points":[1,0],"reason":"done","view":{"x":"</script><script>alert(1)</script>"}}}"#;
    let drawn = concat!(
        r#"{"type":"drawing","drawing":"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(2)\">"#,
        r#"<script>alert(3)</script></svg>"}"#
    );
    let rest = format!(
        "case $line in *'\"as\":\"text\"'*) echo '{{\"type\":\"drawing\",\"drawing\":\"x\\u001b[2J\"}}' ;; *'\"draw\"'*) echo '{drawn}' ;; *'\"words\"'*) echo '{{\"type\":\"words\",\"words\":\"<b>\\u001b[2Jx\"}}' ;; *'\"replay\"'*) {BEGINS} ;; *'\"view\"'*) echo '{{\"type\":\"view\",\"view\":{{}}}}' ;; *) echo '{over}' ;; esac"
    );
    let game = shell_game(folder.path(), BEGINS, &rest);
    let in_folder = |args: &[&str]| run(folder.path(), args);
    let bots = ["sample:random", "sample:random"];
    in_folder(&["match", &game, bots[0], bots[1], "--record", "m.jsonl"]).ok();
    in_folder(&["replay", "m.jsonl", "--game", &game, "--html", "m.html"]).ok();
    let page = fs::read_to_string(folder.path().join("m.html")).unwrap();
    // What the program drew is not there in any form, and what it wrote is text.
    for word in [
        "alert(2)",
        "alert(3)",
        "onload=",
        "<b>",
        "<script>alert",
        "\\u003cscript",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    let shown = in_folder(&["replay", "m.jsonl", "--game", &game, "--plain"]).ok();
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}
