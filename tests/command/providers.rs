//! A bot that asks a provider over the network, with a key: it has both only if the organiser gives it to it, and nobody
//! keeps the key.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use flipside_referee::{Line, Record};
use rusqlite::Connection;

use crate::common::{TestRun, flipside, run, script};
use crate::unpacked;

const VARIABLE: &str = "MODEL_KEY";

/// Sends its key and the number of its actions to the provider, and plays the action of the number that comes back. At
/// its first turn, it says that the provider is busy.
const BOT: &str = r#"#!/usr/bin/env python3
import json, os, socket, sys
def say(**message): print(json.dumps(message), flush=True)
port = None
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        port, patience = message["bot_options"]["port"], message.get("patience")
        say(type="ready", actions=True)
    elif message["type"] == "turn":
        if message["id"] == 1 and patience: say(type="pause", reason="429 Too Many Requests")
        with socket.create_connection(("localhost", port)) as there:
            key = os.environ.get("MODEL_KEY", "no key")
            there.sendall(f"{key} {len(message['actions'])}\n".encode())
            at = int(there.makefile().readline())
        say(type="act", id=message["id"], action=message["actions"][at], note="tokens 17")
"#;

/// What was asked of a provider: each key, and whether any process had it in its command line then.
#[derive(Default)]
struct Asked {
    keys: Vec<String>,
    shown: bool,
}

/// A provider that answers for as long as the test runs, and its port.
fn provider(key: &str) -> (u16, Arc<Mutex<Asked>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Asked::default()));
    let (told, key) = (Arc::clone(&asked), key.to_owned());
    thread::spawn(move || {
        for stream in listener.incoming() {
            // A bot that is ended may have gone.
            let _ = answer(stream.unwrap(), &key, &told);
        }
    });
    (port, asked)
}

fn answer(mut stream: TcpStream, key: &str, asked: &Mutex<Asked>) -> std::io::Result<()> {
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line)?;
    let (sent, actions) = line.trim().rsplit_once(' ').unwrap();
    let mut asked = asked.lock().unwrap();
    asked.keys.push(sent.to_owned());
    if asked.keys.len() == 1 {
        asked.shown = in_command_lines(key);
    }
    let last: usize = actions.parse().unwrap();
    writeln!(stream, "{}", last - 1)
}

/// Whether `ps` would show this text.
fn in_command_lines(text: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let mut lines = lines.filter(|line| has(line, text));
    lines.next().is_some()
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

/// Nothing below a folder has this text, packed or not.
fn is_nowhere(folder: &Path, text: &str) {
    let mut left: Vec<PathBuf> = vec![folder.to_owned()];
    let mut files = 0;
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        assert!(!has(&bytes, text), "{} has the key", path.display());
        if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            let mut plain = Vec::new();
            zstd::Decoder::new(&bytes[..])
                .unwrap()
                .read_to_end(&mut plain)
                .unwrap();
            assert!(!has(&plain, text), "{} has the key", path.display());
        }
        files += 1;
    }
    assert!(files > 3, "{files}");
}

/// The texts of the arena's records.
fn records(folder: &Path) -> Vec<String> {
    let journal = Connection::open(folder.join("arena/journal.sqlite")).unwrap();
    let mut rows = journal
        .prepare("SELECT zstd FROM records ORDER BY tournament, idx")
        .unwrap();
    let packed = rows.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
    packed.map(|packed| unpacked(&packed.unwrap())).collect()
}

fn cup(folder: &Path, own: &str) {
    let text = format!(
        "game = \"flipflop-3x3\"\nname = \"cup\"\nbots = [\"./model.py\", \"sample:first\"]\nrounds = 2\n\
         clock = \"move=10m,start=10m\"\nprovider-patience = \"1h\"\nseed = 7\n\n[bot.model]\n{own}\n"
    );
    fs::write(folder.join("cup.toml"), text).unwrap();
}

fn with_key(folder: &Path, key: &str, args: &[&str]) -> TestRun {
    let output = flipside(folder).env(VARIABLE, key).args(args).output();
    output.expect("the command starts").into()
}

#[test]
fn a_bot_with_a_key_and_a_network_plays_and_nobody_keeps_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let key = "sk-only-this-test-has-it";
    let (port, asked) = provider(key);
    script(folder, "model.py", BOT);
    cup(
        folder,
        &format!("network = true\nenv = [\"{VARIABLE}\"]\noptions = {{ port = {port} }}"),
    );

    // Without the variable, nothing begins.
    let refused = run(folder, &["tournament", "cup.toml"]).refused(1);
    assert!(refused.contains(VARIABLE), "{refused}");
    assert!(
        refused.contains("hint: set it where flipside runs, and begin again: export MODEL_KEY="),
        "{refused}"
    );
    assert!(!folder.join("arena").exists());

    let args = ["--log", "json", "-vv", "tournament", "cup.toml"];
    let played = with_key(folder, key, &args);
    assert!(!has(played.stderr.as_bytes(), key), "{}", played.stderr);
    assert!(!has(played.stdout.as_bytes(), key), "{}", played.stdout);
    let table = played.ok();
    assert!(table.contains("network, env MODEL_KEY"), "{table}");
    {
        let asked = asked.lock().unwrap();
        assert!(asked.keys.len() > 4 && asked.keys.iter().all(|sent| sent == key));
        assert!(!asked.shown, "the key was in a command line");
    }
    for text in records(folder) {
        assert!(!text.contains(key), "{text}");
        let record = Record::read(&text).unwrap();
        let seat = record
            .header
            .seats
            .iter()
            .find(|seat| seat.bot.starts_with("model"));
        let own = &seat.unwrap().settings;
        assert!(own.network && own.env == [VARIABLE]);
        assert_eq!(record.header.isolation, "jail");
        let acts = record.lines.iter().filter_map(|(_, line)| match line {
            Line::Acts { acts } => Some(acts),
            _ => None,
        });
        let pauses = acts.flatten().filter_map(|act| act.paused.as_ref());
        let reasons: Vec<_> = pauses.map(|paused| paused.reason.as_deref()).collect();
        assert_eq!(reasons, [Some("429 Too Many Requests")]);
    }
    run(folder, &["verify", "--all"]).ok();
    let replay = run(folder, &["replay", "cup-0", "--plain"]);
    assert!(
        replay.stdout.contains("429 Too Many Requests"),
        "{replay:?}"
    );
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    is_nowhere(folder, key);

    // To resume it, the key is asked for again.
    let journal = Connection::open(folder.join("arena/journal.sqlite")).unwrap();
    for table in ["evidence", "records", "match_seats", "matches"] {
        journal
            .execute(&format!("DELETE FROM {table} WHERE idx >= 1"), [])
            .unwrap();
    }
    drop(journal);
    let refused = run(folder, &["tournament", "cup.toml"]).refused(1);
    assert!(refused.contains("export MODEL_KEY="), "{refused}");
    assert_eq!(records(folder).len(), 1);
    with_key(folder, key, &["tournament", "cup.toml"]).ok();
    assert_eq!(records(folder).len(), 4);
}

#[test]
fn a_bot_without_a_network_reaches_nobody_and_its_author_is_told_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (port, asked) = provider("no such key");
    script(folder, "model.py", BOT);
    let own = |network: bool| {
        format!(
            r#"{{"model":{{"network":{network},"options":{{"port":{port}}},"clock":"move=10m,start=10m"}}}}"#
        )
    };
    let play = |network| {
        let own = own(network);
        let args = [
            "match",
            "flipflop-3x3",
            "./model.py",
            "sample:first",
            "--bot",
            &own,
        ];
        run(folder, &args).ok()
    };
    let told = play(false);
    assert!(told.contains("it has no network"), "{told}");
    assert!(
        told.contains("network = true in the table [bot.NAME]"),
        "{told}"
    );
    assert_eq!(asked.lock().unwrap().keys.len(), 0);
    let told = play(true);
    assert!(!told.contains("no network"), "{told}");
    let keys = asked.lock().unwrap().keys.clone();
    assert!(!keys.is_empty() && keys.iter().all(|key| key == "no key"));
}

#[test]
fn what_only_a_process_can_have_is_refused_to_a_module_and_to_who_does_not_play() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = crate::common::sample("wat/first.wat");
    fs::copy(first, folder.join("first.wat")).unwrap();
    for (own, what) in [
        (r#"{"first":{"network":true}}"#, "a module has no network"),
        (
            r#"{"first":{"env":["MODEL_KEY"]}}"#,
            "a module has no environment",
        ),
        (
            r#"{"second":{"network":true}}"#,
            "[bot.second] is of no bot that plays",
        ),
        (
            r#"{"first":{"env":["PATH"]}}"#,
            "none that changes how programs start",
        ),
    ] {
        for args in [["match", "flipflop-3x3"], ["tournament", "flipflop-3x3"]] {
            let bots = ["./first.wat", "sample:greedy", "--bot", own];
            let refused = run(folder, &[&args[..], &bots[..]].concat()).refused(2);
            assert!(refused.contains(what), "{refused}");
        }
    }
    assert!(!folder.join("arena").exists());
}
