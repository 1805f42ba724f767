//! Bad input gets a clear error that names the thing and the way out, and nothing is half done.

use std::path::Path;

use crate::common::{run, sample, script};

/// A run that must fail: the code, and what its message must have in it.
#[track_caller]
fn refused(folder: &Path, args: &[&str], code: i32, words: &[&str]) {
    let told = run(folder, args).refused(code);
    for word in words {
        assert!(
            told.contains(word),
            "{args:?} does not say {word:?}:\n{told}"
        );
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn no_such_bot() {
    let folder = folder();
    let first = sample("wat/first.wat");
    refused(
        folder.path(),
        &["match", "flipfour", &first, "./nothing"],
        2,
        &["nothing", "not there", "hint"],
    );
    refused(
        folder.path(),
        &["match", "flipfour", &first, "gredy"],
        2,
        &["gredy", "sample:greedy", "hint"],
    );
    refused(
        folder.path(),
        &["match", "flipfour", &first, "sample:gredy"],
        2,
        &["gredy", "sample:greedy", "hint"],
    );
    run(
        folder.path(),
        &["submit", &first, "--name", "alpha", "--game", "flipfour"],
    )
    .ok();
    refused(
        folder.path(),
        &["tournament", "flipfour", "alpha", "alpah"],
        2,
        &["alpah", "alpha", "hint"],
    );
    refused(
        folder.path(),
        &["tournament", "flipfour", "alpha", "alpha@9"],
        2,
        &["alpha@9", "hint"],
    );
    refused(
        folder.path(),
        &["match", "flipfour", &first, "a b"],
        2,
        &["a b", "hint"],
    );
}

#[test]
fn a_bot_that_is_not_executable() {
    let folder = folder();
    std::fs::write(folder.path().join("bot"), "#!/bin/sh\n").unwrap();
    refused(
        folder.path(),
        &["match", "flipfour", "./bot", "./bot"],
        2,
        &["bot", "executable", "chmod +x"],
    );
    refused(
        folder.path(),
        &["submit", "./bot", "--name", "x"],
        2,
        &["executable", "chmod +x"],
    );
    refused(
        folder.path(),
        &["submit", ".", "--name", "x"],
        2,
        &["folder"],
    );
    assert!(
        !folder.path().join("arena").exists(),
        "a refused bot makes no arena"
    );
}

#[test]
fn a_script_whose_interpreter_is_missing() {
    let folder = folder();
    let bot = script(folder.path(), "bot", "#!/no/such/interpreter\n");
    refused(
        folder.path(),
        &["match", "flipfour", &bot, &bot],
        1,
        &["/no/such/interpreter", "hint"],
    );
    let text = script(folder.path(), "text", "just words\n");
    refused(
        folder.path(),
        &["match", "flipfour", &text, &text],
        1,
        &["text", "hint"],
    );
}

#[test]
fn a_module_that_is_none() {
    let folder = folder();
    std::fs::write(folder.path().join("bot.wasm"), "not WebAssembly").unwrap();
    refused(
        folder.path(),
        &["match", "flipfour", "./bot.wasm", "./bot.wasm"],
        2,
        &["bot.wasm", "WebAssembly"],
    );
    std::fs::write(folder.path().join("bot.wat"), "(module\n (func $x\n").unwrap();
    refused(
        folder.path(),
        &["submit", "./bot.wat", "--name", "x"],
        2,
        &["bot.wat"],
    );
    std::fs::write(
        folder.path().join("bot.wat"),
        "(module (memory (export \"memory\") 1))",
    )
    .unwrap();
    refused(
        folder.path(),
        &["submit", "./bot.wat", "--name", "x"],
        2,
        &["_start", "hint"],
    );
    let foreign = "(module (import \"env\" \"launch_missiles\" (func)) (memory (export \"memory\") 1) (func (export \"_start\")))";
    std::fs::write(folder.path().join("bot.wat"), foreign).unwrap();
    refused(
        folder.path(),
        &["submit", "./bot.wat", "--name", "x"],
        2,
        &["launch_missiles"],
    );
    assert!(!folder.path().join("arena").exists());
}

#[test]
fn an_unknown_game_names_the_nearest() {
    let folder = folder();
    refused(
        folder.path(),
        &["match", "yonmoke", "sample:random", "sample:random"],
        2,
        &["yonmoke", "yonmoque"],
    );
    refused(
        folder.path(),
        &["tournament", "flipfor", "sample:random", "sample:greedy"],
        2,
        &["flipfour"],
    );
    refused(
        folder.path(),
        &["perft", "chess", "--depth", "1"],
        2,
        &["chess", "flipside games"],
    );
    refused(
        folder.path(),
        &["schema", "flipflop5x5"],
        2,
        &["flipflop-5x5"],
    );
}

#[test]
fn options_out_of_range() {
    let folder = folder();
    let play = |options| {
        [
            "match",
            "flipfour",
            "sample:random",
            "sample:random",
            "--options",
            options,
        ]
    };
    refused(
        folder.path(),
        &play(r#"{"max_plies":0}"#),
        2,
        &["max_plies", "1 to 1000000"],
    );
    refused(
        folder.path(),
        &play(r#"{"max_plies":1000001}"#),
        2,
        &["max_plies", "1 to 1000000"],
    );
    refused(
        folder.path(),
        &play(r#"{"max_plies":"ten"}"#),
        2,
        &["max_plies", "whole number"],
    );
    refused(
        folder.path(),
        &play(r#"{"max_ply":10}"#),
        2,
        &["max_ply", "max_plies"],
    );
    refused(folder.path(), &play("max_plies=10"), 2, &["options"]);
    refused(folder.path(), &play("[]"), 2, &["options"]);
    let tournament = |flag, value| {
        [
            "tournament",
            "flipfour",
            "sample:random",
            "sample:greedy",
            flag,
            value,
        ]
    };
    refused_by_clap(folder.path(), &tournament("--rounds", "0"), "--rounds");
    refused_by_clap(
        folder.path(),
        &tournament("--concurrency", "0"),
        "--concurrency",
    );
    refused(
        folder.path(),
        &tournament("--concurrency", "1000"),
        2,
        &["--concurrency", "256"],
    );
    refused_by_clap(folder.path(), &tournament("--clock", "fast"), "move=1s");
    refused_by_clap(folder.path(), &tournament("--format", "swizz"), "--format");
    refused_by_clap(folder.path(), &tournament("--name", "a/b"), "--name");
    refused_by_clap(
        folder.path(),
        &["perft", "flipfour", "--depth", "0"],
        "--depth",
    );
    assert!(
        !folder.path().join("arena").exists(),
        "nothing is half done"
    );
}

/// Errors that the command line's reader gives: it names the flag, and the code is 2.
#[track_caller]
fn refused_by_clap(folder: &Path, args: &[&str], word: &str) {
    let told = run(folder, args).refused(2);
    assert!(
        told.contains(word),
        "{args:?} does not say {word:?}:\n{told}"
    );
}

#[test]
fn the_wrong_number_of_bots() {
    let folder = folder();
    refused(
        folder.path(),
        &["tournament", "flipfour", "sample:random"],
        2,
        &["at least two", "hint"],
    );
    refused(
        folder.path(),
        &["match", "flipfour", "sample:random"],
        2,
        &["2 seats", "not 1"],
    );
    let three = [
        "match",
        "flipfour",
        "sample:random",
        "sample:random",
        "sample:random",
    ];
    refused(folder.path(), &three, 2, &["2 seats", "not 3"]);
    let twice = ["tournament", "flipfour", "sample:random", "sample:random"];
    refused(folder.path(), &twice, 2, &["the same bot", "hint"]);
}

#[test]
fn a_record_that_is_cut_or_changed() {
    let folder = folder();
    let first = sample("wat/first.wat");
    run(
        folder.path(),
        &[
            "match", "flipfour", &first, &first, "--seed", "3", "--record", "whole",
        ],
    )
    .ok();
    let whole = std::fs::read_to_string(folder.path().join("whole")).unwrap();
    std::fs::write(folder.path().join("cut"), &whole[..whole.len() / 2]).unwrap();
    std::fs::write(
        folder.path().join("changed"),
        whole.replacen("+a2", "+e5", 1),
    )
    .unwrap();
    std::fs::write(folder.path().join("binary"), [0xff, 0xfe, 0]).unwrap();
    for command in ["verify", "replay"] {
        run(folder.path(), &[command, "whole"]).ok();
        refused(folder.path(), &[command, "cut"], 1, &["cut", "hint"]);
        refused(
            folder.path(),
            &[command, "changed"],
            1,
            &["changed", "hint"],
        );
        refused(
            folder.path(),
            &[command, "binary"],
            2,
            &["binary", "not text"],
        );
        refused(folder.path(), &[command, "./nothing"], 2, &["nothing"]);
        refused(
            folder.path(),
            &[command, "no-such-match"],
            2,
            &["no-such-match", "hint"],
        );
    }
    refused(
        folder.path(),
        &["replay", "whole", "--seat", "2"],
        2,
        &["seat 2", "0 to 1"],
    );
    refused(
        folder.path(),
        &["replay", "whole", "--ply", "999"],
        2,
        &["plies"],
    );
    let told = run(folder.path(), &["verify", "whole", "cut", "changed"]).refused(1);
    assert!(told.contains("2 of 3"), "{told}");
    // A record is never written over.
    refused(
        folder.path(),
        &["match", "flipfour", &first, &first, "--record", "whole"],
        2,
        &["there already"],
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("whole")).unwrap(),
        whole
    );
}

#[test]
fn an_arena_that_is_none() {
    let folder = folder();
    for command in [&["bots"][..], &["matches"], &["ratings"], &["table"]] {
        refused(folder.path(), command, 1, &["no arena", "--arena"]);
    }
    std::fs::create_dir(folder.path().join("arena")).unwrap();
    std::fs::write(
        folder.path().join("arena/journal.sqlite"),
        "this is not a database, but it is long enough to be one",
    )
    .unwrap();
    let play = [
        "tournament",
        "flipflop-3x3",
        "sample:random",
        "sample:greedy",
    ];
    let told = run(folder.path(), &play).refused(1);
    assert!(
        told.contains("journal.sqlite") && told.contains("hint"),
        "{told}"
    );
    let kept = std::fs::read_to_string(folder.path().join("arena/journal.sqlite")).unwrap();
    assert!(
        kept.starts_with("this is not a database"),
        "it is left as it was"
    );
    std::fs::write(folder.path().join("file"), "").unwrap();
    refused(
        folder.path(),
        &[
            "tournament",
            "flipflop-3x3",
            "sample:random",
            "sample:greedy",
            "--arena",
            "file",
        ],
        1,
        &["file", "not a folder"],
    );
}

#[test]
fn a_bot_that_cannot_finish_a_match_is_refused_with_the_reason() {
    let folder = folder();
    let silent = script(
        folder.path(),
        "silent",
        "#!/bin/sh\nread x\necho 'where am I' >&2\nexit 4\n",
    );
    let args = [
        "submit",
        &silent,
        "--name",
        "silent",
        "--clock",
        "move=1s,start=2s",
    ];
    refused(
        folder.path(),
        &args,
        1,
        &["refused", "closed", "4", "where am I", "flipside debug"],
    );
    assert!(!folder.path().join("arena").exists());
    let wrong = "#!/bin/sh\nread x\necho '{\"type\":\"ready\"}'\nread x\necho '{\"type\":\"act\",\"id\":1,\"action\":\"z9\"}'\nread x\n";
    let wrong = script(folder.path(), "wrong", wrong);
    refused(
        folder.path(),
        &["submit", &wrong, "--game", "yonmoque"],
        1,
        &["refused", "yonmoque", "malformed", "z9"],
    );
}

#[test]
fn a_tournament_that_goes_on_with_other_settings() {
    let folder = folder();
    let first = sample("wat/first.wat");
    let instant = sample("wat/instant.wat");
    let play = |more: &[&str]| {
        let mut args = vec![
            "tournament",
            "flipflop-3x3",
            &first,
            &instant,
            "--name",
            "cup",
            "--seed",
            "1",
        ];
        args.extend(more);
        run(folder.path(), &args)
    };
    play(&[]).ok();
    play(&[]).ok();
    let told = play(&["--rounds", "3"]).refused(2);
    assert!(told.contains("rounds") && told.contains("cup"), "{told}");
    let told = play(&["--clock", "move=3s"]).refused(2);
    assert!(told.contains("clock"), "{told}");
}

#[test]
fn a_filter_that_is_none() {
    let folder = folder();
    let output = crate::common::flipside(folder.path())
        .arg("games")
        .env("FLIPSIDE_LOG", "a=b=c")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("FLIPSIDE_LOG"));
}

#[test]
fn a_tournament_that_cannot_begin_leaves_nothing_behind() {
    let folder = folder();
    let first = sample("wat/first.wat");
    std::fs::write(
        folder.path().join("nostart.wat"),
        "(module (memory (export \"memory\") 1))",
    )
    .unwrap();
    refused(
        folder.path(),
        &["tournament", "flipfour", &first, "nosuch"],
        2,
        &["nosuch", "hint"],
    );
    refused(
        folder.path(),
        &["tournament", "flipfour", &first, "nostart.wat"],
        2,
        &["_start"],
    );
    assert!(!folder.path().join("arena").exists());
}

#[test]
fn a_name_means_the_arenas_bot_and_the_same_files_mean_the_same_tournament() {
    let folder = folder();
    let first = std::fs::read_to_string(sample("wat/first.wat")).unwrap();
    for (at, place) in ["x", "y"].iter().enumerate() {
        std::fs::create_dir(folder.path().join(place)).unwrap();
        std::fs::write(
            folder.path().join(place).join("bot.wat"),
            format!("{first}\n;; {at}\n"),
        )
        .unwrap();
    }
    let twice = [
        "tournament",
        "flipflop-3x3",
        "x/bot.wat",
        "y/bot.wat",
        "--seed",
        "1",
    ];
    let table = run(folder.path(), &twice).ok();
    assert_eq!(run(folder.path(), &twice).ok(), table);
    // A file of the same name in this folder does not get between.
    script(folder.path(), "bot", "#!/bin/sh\nexit 1\n");
    let told = run(folder.path(), &["match", "flipflop-3x3", "bot", "bot@1"]).ok();
    assert!(
        told.contains("bot@2") && told.contains("bot@1") && !told.contains("fault"),
        "{told}"
    );
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
    let first = sample("wat/first.wat");
    run(
        folder.path(),
        &[
            "match", "flipfour", &first, &first, "--seed", "3", "--record", "whole",
        ],
    )
    .ok();
    let whole = std::fs::read_to_string(folder.path().join("whole")).unwrap();
    let long = format!(
        "{{\"type\":\"chance\",\"event\":[{}0]}}\n",
        "0,".repeat(1_000_000)
    );
    let (header, rest) = whole.split_once('\n').unwrap();
    std::fs::write(
        folder.path().join("long"),
        format!("{header}\n{long}{rest}"),
    )
    .unwrap();
    refused(
        folder.path(),
        &["verify", "long"],
        1,
        &["line 2", "bytes long"],
    );
    let escape = whole.replacen("flipfour-3", "\\u001b[2J\\u202e", 1);
    std::fs::write(folder.path().join("escape"), escape).unwrap();
    let told = run(folder.path(), &["verify", "escape"]);
    assert!(!(told.stdout + &told.stderr).contains(['\u{1b}', '\u{202e}']));
    refused(folder.path(), &["verify", "/dev/zero"], 2, &["/dev/zero"]);
    let nobody = whole.replacen("\"seats\":[{", "\"seats\":[],\"x\":[{", 1);
    std::fs::write(folder.path().join("nobody"), nobody).unwrap();
    refused(
        folder.path(),
        &["replay", "nobody", "--seat", "0"],
        1,
        &["nobody"],
    );
}

#[test]
fn a_bot_that_needs_what_the_arena_does_not_have_is_refused() {
    let folder = folder();
    std::fs::write(folder.path().join("brain"), "x").unwrap();
    let bot = "#!/bin/sh\ncat brain >/dev/null || exit 9\nwhile read x; do echo '{\"type\":\"ready\"}'; done\n";
    let bot = script(folder.path(), "bot", bot);
    refused(
        folder.path(),
        &["submit", &bot, "--game", "flipfour"],
        1,
        &["refused", "brain"],
    );
}

#[test]
fn a_bot_that_cannot_start_begins_no_tournament() {
    let folder = folder();
    let bad = script(folder.path(), "bad", "#!/no/such/interpreter\n");
    refused(
        folder.path(),
        &["tournament", "flipfour", &bad, "sample:random"],
        1,
        &["/no/such/interpreter"],
    );
    assert!(!folder.path().join("arena").exists());
}

#[test]
fn a_module_is_one_whatever_its_file_is_called() {
    let folder = folder();
    std::fs::copy(sample("wat/first.wat"), folder.path().join("plain")).unwrap();
    run(folder.path(), &["submit", "./plain", "--game", "flipfour"]).ok();
    let told = run(
        folder.path(),
        &["tournament", "flipfour", "plain", "sample:random"],
    )
    .ok();
    assert!(told.contains("2 of 2 matches"), "{told}");
    assert!(
        run(folder.path(), &["bots", "--csv"])
            .ok()
            .contains("plain@1,module")
    );
    let script = script(folder.path(), "bot.WASM", "#!/bin/sh\n");
    refused(
        folder.path(),
        &["submit", &script],
        2,
        &["bot.WASM", "WebAssembly"],
    );
}

#[test]
fn a_record_that_cannot_be_written_is_told_before_the_match() {
    let folder = folder();
    let args = [
        "match",
        "flipfour",
        "sample:random",
        "sample:random",
        "--record",
        "no/such/folder",
    ];
    let told = run(folder.path(), &args);
    assert_eq!(
        (told.stdout.as_str(), told.code),
        ("", Some(2)),
        "{}",
        told.stderr
    );
}

#[test]
fn seats_layouts_probabilities_and_teams_are_refused_by_name_and_range() {
    let folder = folder();
    let two = ["sample:random", "sample:random"];
    let with = |game: &'static str, options: &'static str, words: &[&str]| {
        let arguments = ["match", game, two[0], two[1], "--options", options];
        refused(folder.path(), &arguments, 2, words);
    };
    with(
        "flip4",
        r#"{"layout":[1,2,3]}"#,
        &["option layout", "each once", "hint"],
    );
    with(
        "flip4",
        r#"{"max_turns":0}"#,
        &["option max_turns", "from 1 to 1000000"],
    );
    with(
        "puissance4-basic",
        r#"{"model":{"fumble_top":1.5}}"#,
        &["option model.fumble_top", "from 0 to 1"],
    );
    with(
        "puissance4-extra-pro",
        r#"{"rules":{"powers_each":6}}"#,
        &["powers_each", "from 0 to 5"],
    );
    with(
        "phase10-flip",
        r#"{"flips_each_side":5}"#,
        &["flips_each_side", "multiple of 4"],
    );
    with("phase10-flip", r#"{"phases":3}"#, &["phases", "short"]);
    let three = ["match", "puissance4-basic", two[0], two[0], two[0]];
    refused(folder.path(), &three, 2, &["2, 4 or 6 seats", "hint"]);
    let seven = [&["match", "phase10-flip"][..], &["sample:random"; 7]].concat();
    refused(folder.path(), &seven, 2, &["2 to 6 seats", "not 7"]);
    let tournament = |more: &[&str], words: &[&str]| {
        let arguments = [
            &[
                "tournament",
                "puissance4-basic",
                "sample:random",
                "sample:greedy",
            ],
            more,
        ];
        refused(folder.path(), &arguments.concat(), 2, words);
    };
    tournament(&["--seats", "3"], &["2, 4 or 6 seats", "not 3"]);
    tournament(&["--seats", "4"], &["4 to 1000 bots", "--copies"]);
    tournament(
        &["--seats", "6", "--copies", "2"],
        &["copies: 2", "possible: 1, 3"],
    );
    tournament(
        &["--seats", "4", "--copies", "3"],
        &["copies: 3", "possible: 1, 2"],
    );
    assert!(!folder.path().join("arena").exists(), "nothing was made");
}

/// Runs a command that might wait for ever; it is ended then, and the test fails.
fn run_in_time(folder: &Path, args: &[&str]) -> crate::common::Run {
    let [out, err] = ["out", "err"].map(|name| std::fs::File::create(folder.join(name)).unwrap());
    let mut child = crate::common::flipside(folder)
        .args(args)
        .env("TMPDIR", folder.join("tmp"))
        .stdout(out)
        .stderr(err)
        .spawn()
        .unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(120);
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
    crate::common::Run {
        stdout,
        stderr,
        code,
    }
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
    let cases: [(&[&str], &str); 20] = [
        (&["verify", "pipe"], "a pipe"),
        (&["verify", "./socket"], "a socket"),
        (&["verify", "/dev/zero"], "a device"),
        (&["verify", "."], "a folder"),
        (&["replay", "pipe"], "a pipe"),
        (&["tournament", "pipe.toml"], "a pipe"),
        (&["tournament", "cup.toml"], "a pipe"),
        (&["import", "pipe.tar.zst"], "a pipe"),
        (&["import", "/dev/zero"], "a device"),
        (&["submit", "./pipe"], "a pipe"),
        (&["submit", "/dev/zero"], "a device"),
        (&["match", "flipfour", "./pipe", "sample:random"], "a pipe"),
        (
            &["match", "flipfour", "./pipe.wasm", "sample:random"],
            "a pipe",
        ),
        (
            &["tournament", "flipfour", "./pipe", "sample:random"],
            "a pipe",
        ),
        (&["bench", "./pipe"], ""),
        (&["bots", "--arena", "pipe"], "is not a folder"),
        (&["bots", "--arena", "journal"], "is not a journal"),
        (
            &["submit", &sample("wat/first.wat"), "--arena", "journal"],
            "is not a journal",
        ),
        (
            &[
                "match",
                "flipfour",
                "sample:random",
                "sample:random",
                "--record",
                "pipe",
            ],
            "is there already",
        ),
        (
            &[
                "match",
                "flipfour",
                "sample:random",
                "sample:random",
                "--record",
                "tmp",
            ],
            "a folder",
        ),
    ];
    for (args, kind) in cases {
        let run = run_in_time(folder, args);
        assert!(
            run.code.is_some_and(|code| code == 1 || code == 2),
            "{args:?}: {run:?}"
        );
        assert!(run.stderr.contains(kind), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("error: "), "{args:?}: {}", run.stderr);
    }
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
        let path = crate::common::script(folder, name, "#!/bin/sh\n");
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_len(1 << 40).unwrap();
    }
    let cases: [(&[&str], &str); 8] = [
        (&["submit", "./huge"], "a program may have 268435456"),
        (&["submit", "./huge.wasm"], "a module may have"),
        (
            &["match", "flipfour", "./huge", "sample:random"],
            "a program may have 268435456",
        ),
        (
            &["tournament", "flipfour", "./huge", "sample:random"],
            "a program may have 268435456",
        ),
        (&["tournament", "huge.toml"], "it has over 1048576 bytes"),
        (&["verify", "huge"], "it has over"),
        (&["replay", "huge"], "it has over"),
        (&["import", "huge.tar.zst"], "not an archive"),
    ];
    for (args, words) in cases {
        let run = run_in_time(folder, args);
        assert!(
            run.code.is_some_and(|code| code == 1 || code == 2),
            "{args:?}: {run:?}"
        );
        assert!(run.stderr.contains(words), "{args:?}: {}", run.stderr);
        assert!(
            run.stderr.contains("hint: ") || args[0] == "verify" || args[0] == "replay",
            "{args:?}: {}",
            run.stderr
        );
    }
    assert_eq!(std::fs::read_dir(folder.join("tmp")).unwrap().count(), 0);
    assert!(!folder.join("arena").exists());
}

#[test]
fn where_nothing_can_be_written_is_told_first_and_nothing_is_lost() {
    let folder = folder();
    let folder = folder.path();
    std::fs::create_dir(folder.join("tmp")).unwrap();
    let tournament = [
        "tournament",
        "flipflop-3x3",
        "sample:random",
        "sample:greedy",
        "--name",
        "cup",
    ];
    run(folder, &tournament).ok();
    let at = |name: &str| folder.join(name);
    std::os::unix::fs::symlink("nowhere", at("dangling")).unwrap();
    std::os::unix::fs::symlink("nowhere", at("dangling.html")).unwrap();
    std::fs::write(at("page.html"), "before").unwrap();
    std::os::unix::fs::symlink("page.html", at("link.html")).unwrap();
    pipe(&at("pipe.html"));
    std::fs::create_dir(at("folder.html")).unwrap();
    let game = [
        "match",
        "flipflop-3x3",
        "sample:random",
        "sample:random",
        "--record",
    ];
    for record in [
        "dangling",
        "link.html",
        "pipe.html",
        "folder.html",
        "new/",
        "/dev/null",
    ] {
        let run = run_in_time(folder, &[&game[..], &[record]].concat());
        assert_eq!(
            (run.stdout.as_str(), run.code),
            ("", Some(2)),
            "{record}: {run:?}"
        );
    }
    for (file, words) in [
        ("dangling.html", "leads nowhere"),
        ("pipe.html", "a pipe"),
        ("folder.html", "a folder"),
    ] {
        let run = run_in_time(folder, &["export", "cup", file, "--force"]);
        let told = run.refused(2);
        assert!(told.contains(words), "{file}: {told}");
        assert!(
            std::fs::symlink_metadata(at(file)).unwrap().file_type()
                != std::fs::metadata(at("page.html")).unwrap().file_type()
        );
    }
    // A link stays one, and what it leads to is replaced.
    run(folder, &["export", "cup", "link.html"]).refused(1);
    assert_eq!(std::fs::read_to_string(at("page.html")).unwrap(), "before");
    run(folder, &["export", "cup", "link.html", "--force"]).ok();
    assert!(
        std::fs::symlink_metadata(at("link.html"))
            .unwrap()
            .is_symlink()
    );
    assert!(
        std::fs::read_to_string(at("page.html"))
            .unwrap()
            .contains("cup")
    );
}

/// Words of Rust, of serde and of the command line's reader, which say nothing to whoever typed a value.
const FOREIGN: [&str; 16] = [
    "invalid type",
    "invalid digit",
    "invalid float",
    "expected",
    "unknown field",
    "unknown variant",
    "integer",
    "boolean",
    "sequence",
    "too large to fit",
    "..=",
    "u8",
    "u32",
    "u64",
    "unexpected argument",
    "at line",
];

#[track_caller]
fn refused_in_plain_words(folder: &Path, args: &[&str], word: &str) {
    let told = run(folder, args).refused(2);
    assert!(
        told.contains(word),
        "{args:?} does not say {word:?}:\n{told}"
    );
    for foreign in FOREIGN {
        assert!(!told.contains(foreign), "{args:?}:\n{told}");
    }
}

#[test]
fn numbers_that_do_not_fit_are_refused_with_their_range_in_plain_words() {
    let folder = folder();
    let seed = "a whole number from 0 to 18446744073709551615";
    let two = ["flipfour", "sample:random", "sample:greedy"];
    let cases: [(&[&str], &str, &str); 20] = [
        (&["match"], "--seed", seed),
        (&["tournament"], "--seed", seed),
        (
            &["tournament"],
            "--rounds",
            "a whole number from 1 to 1000000",
        ),
        (
            &["tournament"],
            "--concurrency",
            "a whole number from 1 to 256",
        ),
        (&["tournament"], "--seats", "a whole number from 2 to 6"),
        (&["tournament"], "--copies", "a whole number from 1 to 6"),
        (
            &["tournament"],
            "--challengers",
            "a whole number from 1 to 1000",
        ),
        (&["tournament"], "--best-of", "a whole number from 1 to"),
        (&["tournament"], "--tie-breaks", "a whole number from 0 to"),
        (&["tournament"], "--matches", "a whole number from 1 to"),
        (
            &["tournament"],
            "--opening-plies",
            "a whole number from 0 to 60",
        ),
        (
            &["tournament"],
            "--pause-after",
            "a whole number from 0 to 4294967295",
        ),
        (&["tournament"], "--elo0", "a number, not"),
        (&["tournament"], "--elo1", "a number, not"),
        (&["tournament"], "--alpha", "a number, not"),
        (&["tournament"], "--beta", "a number, not"),
        (&["match"], "--opening-plies", "a whole number from 0 to 60"),
        (
            &["perft", "flipfour"],
            "--depth",
            "a whole number from 1 to 100",
        ),
        (&["matches"], "--limit", "a whole number from 0 to"),
        (
            &["replay", "x"],
            "--delay",
            "a whole number from 0 to 60000",
        ),
    ];
    for (command, flag, allowed) in cases {
        let bots: &[&str] = if command.len() == 1 && command[0] != "matches" {
            &two
        } else {
            &[]
        };
        for value in ["x", "", "0x10", "-x1", "1e99999", "1,5"] {
            let joined = format!("{flag}={value}");
            let args = [command, bots, &[&joined]].concat();
            refused_in_plain_words(folder.path(), &args, allowed);
            refused_in_plain_words(folder.path(), &args, flag);
        }
        if !allowed.starts_with("a number") {
            for value in ["-1", "1.5", "99999999999999999999999"] {
                let args = [command, bots, &[flag, value]].concat();
                refused_in_plain_words(folder.path(), &args, &format!("not {value}"));
            }
        }
    }
    for (value, told) in [("99", "not 99"), ("300", "2 to 6, not 300"), ("0", "not 0")] {
        let args = [&["tournament"], &two[..], &["--seats", value]].concat();
        refused_in_plain_words(folder.path(), &args, told);
    }
    let play = ["play", "flipfour", "sample:random", "--seed", "-1"];
    refused_in_plain_words(folder.path(), &play, seed);
    let play = ["play", "flipfour", "sample:random", "--seat", "-1"];
    refused_in_plain_words(folder.path(), &play, "a whole number from 0 to 5, not -1");
}

#[test]
fn a_wrong_option_is_told_with_one_that_can_be_typed() {
    let folder = folder();
    for (game, options, told, hint) in [
        (
            "flip4",
            r#"{"double_line":1}"#,
            "option double_line: one of `mover`, `opponent`, `both`, not 1",
            r#"hint: for example --options '{"double_line":"mover"}'"#,
        ),
        (
            "phase10-flip",
            r#"{"variant":null}"#,
            "option variant: one of `standard`, `ten-rounds`, `short`, not null",
            r#"hint: for example --options '{"variant":"standard"}'"#,
        ),
        (
            "puissance4-basic",
            r#"{"rules":{"team_wait":"no"}}"#,
            "option rules.team_wait: true or false, not \"no\"",
            r#"hint: for example --options '{"rules":{"team_wait":false}}'"#,
        ),
        (
            "flipfour",
            "null",
            "options: an object with any of max_plies, not null",
            "hint: `flipside rules flipfour` lists the options",
        ),
        (
            "flipfour",
            "{max_plies:9}",
            "options: this is not JSON at character 2",
            "hint: `flipside rules flipfour` lists the options",
        ),
    ] {
        for command in ["match", "tournament"] {
            let args = [
                command,
                game,
                "sample:random",
                "sample:greedy",
                "--options",
                options,
            ];
            refused_in_plain_words(folder.path(), &args, told);
            refused_in_plain_words(folder.path(), &args, hint);
        }
    }
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
