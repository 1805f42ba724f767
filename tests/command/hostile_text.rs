//! What bots, files and records contain cannot steer the terminal of whoever reads it, nor forge a line of ours.

use std::path::Path;

use crate::common::{TestRun, flipside, run, sample, script};

/// A name, and all that a bot writes: an escape sequence in both manners, a turn of the reading direction, letters that
/// nobody sees, and a line that looks like ours.
const HOSTILE: &str = "bad\u{1b}[2J\u{9b}31m\u{202e}\u{2028}\u{e0041}\u{7f}\nplace 1: forged";

/// The same as the letters of a JSON text in a shell script.
const IN_JSON: &str = r"bad\u001b[2J\u009b31m\u202e\u2028\udb40\udc41\u007f\nplace 1: forged";

/// A bot that says all this as its name, its version, its notes, its action, and to standard error.
fn bot(folder: &Path) -> String {
    let text = format!(
        r#"#!/bin/sh
printf 'bad\033[2J\302\23331m\342\200\256\342\200\250\nplace 1: forged\r\n' >&2
while read -r line; do
  case $line in
  *'"hello"'*) printf '%s\n' '{{"type":"ready","name":"{IN_JSON}","version":"{IN_JSON}","actions":true}}' ;;
  *'"turn"'*)
    id=${{line#*'"id":'}}; id=${{id%%[!0-9]*}}
    actions=${{line#*'"actions":["'}}; action=${{actions%%'"'*}}
    [ "$id" = 1 ] || action='{IN_JSON}'
    printf '%s\n' "{{\"type\":\"act\",\"id\":$id,\"action\":\"$action\",\"note\":\"{IN_JSON}\"}}" ;;
  esac
done
"#
    );
    script(folder, &format!("{HOSTILE}.sh"), &text)
}

/// Makes sure that nothing printed steers or is forged.
fn plain(run: &TestRun, what: &str) {
    for text in [&run.stdout, &run.stderr] {
        for line in text.lines() {
            let steers = |c: char| {
                c.is_control()
                    || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
                    || c > '\u{dffff}'
            };
            assert!(!line.contains(steers), "{what}: {line:?}");
            assert!(!line.starts_with("place 1: forged"), "{what}: {text}");
        }
    }
}

#[test]
fn nothing_that_a_bot_or_a_file_is_called_or_says_steers_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (bot, first) = (bot(folder), sample("wat/first.wat"));
    let record = format!("{HOSTILE}.jsonl");
    let page = |ending: &str| format!("{HOSTILE}.{ending}");
    let (html, md, csv) = (page("html"), page("md"), page("csv"));
    let runs: [&[&str]; 22] = [
        &[
            "-vv", "match", "flipfour", &bot, &first, "--seed", "1", "--record", &record,
        ],
        &["match", "flipfour", &bot, &first, "--json"],
        &["match", "flipfour", &bot, &first, "--csv"],
        &["verify", &record],
        &["verify", &record, &bot],
        &["-v", "replay", &record],
        &["-vv", "submit", &bot],
        &["submit", &bot, "--name", "bad", "--game", "flipfour"],
        &[
            "-vv",
            "tournament",
            "flipfour",
            &bot,
            &first,
            "--rounds",
            "1",
            "--name",
            "cup",
        ],
        &[
            "-v",
            "tournament",
            "flipfour",
            &bot,
            &first,
            "--rounds",
            "2",
            "--dry-run",
            "--json",
        ],
        &["tournament", "flipfour", &bot, &bot],
        &["table", "cup", "--full"],
        &["matches"],
        &["matches", "--show", "cup-0"],
        &["matches", "--show", "cup-0", "--json"],
        &["matches", "--json"],
        &["bots"],
        &["ratings"],
        &["export", "cup", &html],
        &["export", "cup", &md],
        &["export", "cup", &csv],
        &["replay", "cup-0"],
    ];
    for args in runs {
        plain(&run(folder, args), &format!("{args:?}"));
    }
    for file in [html, md, csv] {
        let stdout = std::fs::read_to_string(folder.join(&file)).unwrap();
        let (stderr, code) = (String::new(), None);
        plain(
            &TestRun {
                stdout,
                stderr,
                code,
            },
            &file,
        );
    }
    // What was said is told, with escapes.
    let told = run(folder, &["matches", "--show", "cup-0"]).ok();
    assert!(
        told.contains(r"  | bad\u{1b}[2J\u{9b}31m\u{202e}\u{2028}"),
        "{told}"
    );
    let told = run(folder, &["-v", "match", "flipfour", &bot, &first]);
    assert!(
        told.stderr.contains(r"bad\\u{1b}[2J") || told.stderr.contains(r"bad\u{1b}[2J"),
        "{}",
        told.stderr
    );
}

#[test]
fn a_typed_word_cannot_steer_the_terminal_either() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["verify", HOSTILE][..],
        &["verify", "--", &format!("./{HOSTILE}")],
        &["table", HOSTILE],
        &[HOSTILE],
        &["match", HOSTILE, "a", "b"],
        &["match", "flipfour", HOSTILE, "b"],
        &["match", "flipfour", "a", "b", &format!("--seed={HOSTILE}")],
        &["match", "flipfour", "a", "b", &format!("--{HOSTILE}")],
        &["tournament", &format!("{HOSTILE}.toml")],
        &["import", HOSTILE],
        &["bots", "--arena", HOSTILE],
        &["rules", HOSTILE],
    ] {
        let run = run(folder.path(), args);
        assert_ne!(run.code, Some(0), "{args:?}");
        plain(&run, &format!("{args:?}"));
    }
    let told = flipside(folder.path())
        .env("FLIPSIDE_LOG", format!("[{HOSTILE}"))
        .arg("games")
        .output()
        .unwrap();
    let run = TestRun {
        stdout: String::from_utf8(told.stdout).unwrap(),
        stderr: String::from_utf8(told.stderr).unwrap(),
        code: told.status.code(),
    };
    plain(&run, "a filter of the log");
}
