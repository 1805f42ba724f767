//! Accounts and uploads through the command: a server that is asked, stopped and killed.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::common::{TestRun, flipside, run, sample};
use crate::server::TestServer;
use crate::tournaments::until;

pub(crate) const LISTEN: [&str; 2] = ["--listen", "127.0.0.1:0"];

/// An arena with nothing in it, and the token of an author.
fn with_author(folder: &Path) -> (TestServer, String) {
    flipside_store::Arena::create(folder.join("arena")).unwrap();
    let path = run(folder, &["invite"]).ok();
    let server = TestServer::start(folder, &LISTEN);
    let token = sign_up(&server, path.trim(), "ada");
    (server, token)
}

/// Makes an account with an invitation, and returns its token.
pub(crate) fn sign_up(server: &TestServer, path: &str, name: &str) -> String {
    let host = server.host();
    let head = format!(
        "POST {path} HTTP/1.1\r\norigin: http://{host}\r\ncontent-type: application/x-www-form-urlencoded\r\n",
    );
    let page = ask(server, &head, format!("name={name}").as_bytes());
    let at = page.find("flipside_").unwrap_or_else(|| panic!("{page}"));
    page[at..at + "flipside_".len() + 64].to_owned()
}

/// An answer, after which the server closes.
pub(crate) fn ask(server: &TestServer, head: &str, body: &[u8]) -> String {
    let mut stream = server.connect();
    write!(
        stream,
        "{head}host: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        server.host(),
        body.len()
    )
    .unwrap();
    stream.write_all(body).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// Uploads a bot, and returns the path of its report.
pub(crate) fn upload(server: &TestServer, token: &str, name: &str, file: &[u8]) -> String {
    let head = format!(
        "PUT /api/v1/bots/{name}?game=flipflop-3x3 HTTP/1.1\r\nauthorization: Bearer {token}\r\n"
    );
    let answer = ask(server, &head, file);
    assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
    let told: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    format!("/api/v1{}", told["page"].as_str().unwrap())
}

fn report(server: &TestServer, token: &str, path: &str) -> Value {
    let head = format!("GET {path} HTTP/1.1\r\nauthorization: Bearer {token}\r\n");
    let answer = ask(server, &head, b"");
    serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap()
}

/// The report of an upload when its check is over.
pub(crate) fn ended(server: &TestServer, token: &str, path: &str) -> Value {
    let mut last = Value::Null;
    until("the check ends", || {
        // The site answers an author only so many requests a minute.
        sleep(Duration::from_millis(200));
        last = report(server, token, path);
        !["waiting", "checking"].contains(&last["state"].as_str().unwrap())
    });
    last
}

fn random() -> Vec<u8> {
    fs::read(sample("shell/random.sh")).unwrap()
}

/// The files of uploads, without the lock.
pub(crate) fn files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder.join("arena/uploads")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    names.filter(|name| name != ".lock").count()
}

#[test]
fn a_server_that_is_killed_loses_no_upload_and_enters_no_bot_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (mut server, token) = with_author(folder.path());
    let mut reports = Vec::new();
    for round in 0..6_u64 {
        let name = format!("bot-{round}");
        let file = [random(), format!("# {name}\n").into_bytes()].concat();
        reports.push(upload(&server, &token, &name, &file));
        // One whose end never comes.
        let mut broken = server.connect();
        let head = format!(
            "PUT /api/v1/bots/broken HTTP/1.1\r\nauthorization: Bearer {token}\r\nhost: x\r\n"
        );
        broken.write_all(head.as_bytes()).unwrap();
        broken
            .write_all(b"content-length: 1000000\r\n\r\n#!/bin/sh\n")
            .unwrap();
        sleep(Duration::from_millis(round * 170));
        server.signal("KILL");
        server.child.wait().unwrap();
        server = TestServer::start(folder.path(), &LISTEN);
        for path in &reports {
            assert!(report(&server, &token, path)["upload"].is_i64());
        }
        let last = reports.last().unwrap();
        if round % 2 == 1 {
            for path in [&reports[reports.len() - 2], last] {
                let report = ended(&server, &token, path);
                assert_eq!(report["state"], "accepted", "{report}");
            }
        }
    }
    let bots = run(folder.path(), &["bots", "--json"]).ok();
    let bots: Vec<Value> = serde_json::from_str(&bots).unwrap();
    let labels = bots.iter().map(|bot| {
        let (name, version) = (bot["name"].as_str().unwrap(), &bot["version"]);
        format!("{name}@{version}")
    });
    let expected: Vec<String> = (0..6).map(|round| format!("bot-{round}@1")).collect();
    assert_eq!(labels.collect::<Vec<_>>(), expected);
    until("no file is kept", || files(folder.path()) == 0);
    server.signal("TERM");
    assert_eq!(server.end(), (Some(0), String::new()));
}

#[test]
fn a_stop_ends_a_check_and_the_next_server_begins_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let (server, token) = with_author(folder.path());
    // It has ten seconds for each answer, and gives none.
    let path = upload(&server, &token, "silent", b"#!/bin/sh\nexec sleep 1000\n");
    until("the check begins", || {
        report(&server, &token, &path)["state"] == "checking"
    });
    server.signal("TERM");
    assert_eq!(server.end(), (Some(0), String::new()));
    assert_eq!(files(folder.path()), 1);
    let server = TestServer::start(folder.path(), &LISTEN);
    let report = ended(&server, &token, &path);
    assert_eq!(report["state"], "refused", "{report}");
    until("no file is kept", || files(folder.path()) == 0);
}

#[test]
fn a_bundle_is_packed_uploaded_checked_and_entered_and_a_module_too() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("walker");
    fs::create_dir(&bundle).unwrap();
    fs::write(bundle.join("bot.toml"), "command = [\"sh\", \"bot.sh\"]\n").unwrap();
    fs::write(bundle.join("bot.sh"), random()).unwrap();
    let packed = run(folder.path(), &["pack", "walker", "walker.tar.zst"]).ok();
    assert!(packed.starts_with("walker: "), "{packed}");
    let again = run(folder.path(), &["pack", "walker", "walker.tar.zst"]).refused(2);
    assert!(again.contains("walker.tar.zst"), "{again}");
    run(folder.path(), &["pack", "walker/bot.sh", "x.tar.zst"]).refused(2);
    let (server, token) = with_author(folder.path());
    let file = fs::read(folder.path().join("walker.tar.zst")).unwrap();
    let walker = upload(&server, &token, "walker", &file);
    let report = ended(&server, &token, &walker);
    assert_eq!(report["state"], "accepted", "{report}");
    // A bomb, and an archive with something else in it.
    let bomb = zstd::encode_all(std::io::repeat(0).take(3 << 30), 1).unwrap();
    for (name, file) in [("bomb", bomb), ("torn", file[..file.len() / 2].to_vec())] {
        let path = upload(&server, &token, name, &file);
        let report = ended(&server, &token, &path);
        assert_eq!(report["state"], "refused", "{report}");
        assert!(!report["said"].as_str().unwrap().is_empty());
    }
    let module = upload(
        &server,
        &token,
        "module",
        b"(module (func (export \"_start\")) (memory (export \"memory\") 1))",
    );
    let report = ended(&server, &token, &module);
    assert_eq!(report["report"]["kind"], "module", "{report}");
    assert_eq!(report["state"], "refused", "{report}");
    until("no file is kept", || files(folder.path()) == 0);
}

/// `flipside submit --server`, with the token in the variable.
fn submit(folder: &Path, url: &str, token: &str, args: &[&str]) -> TestRun {
    let mut command = flipside(folder);
    command.args(["submit", "--server", url]).args(args);
    command.env("FLIPSIDE_TOKEN", token);
    command.output().unwrap().into()
}

#[test]
fn the_command_submits_to_a_server_and_follows_the_check() {
    let folder = tempfile::tempdir().unwrap();
    let (server, token) = with_author(folder.path());
    let url = format!("http://{}/", server.host());
    let random_sh = sample("shell/random.sh");
    let game = ["--game", "flipflop-3x3"];
    let named = [&*random_sh, "--name", "walker"];
    let named = [&named[..], &game].concat();
    let entered = submit(folder.path(), &url, &token, &named);
    let said = format!("walker@1 is in the arena of {url}\n");
    assert_eq!(entered.stdout, said, "{}", entered.stderr);
    assert_eq!(entered.code, Some(0));
    let page = format!("received: http://{}/uploads/1\n", server.host());
    assert!(entered.stderr.starts_with(&page), "{}", entered.stderr);
    let steps = entered
        .stderr
        .lines()
        .filter(|line| line.starts_with("ok "));
    assert!(steps.count() > 5, "{}", entered.stderr);

    // A bundle is packed; the token may be in a file; the result is for programs too.
    let bundle = folder.path().join("packed");
    fs::create_dir(&bundle).unwrap();
    fs::write(bundle.join("bot.sh"), random()).unwrap();
    fs::write(bundle.join("bot.toml"), "command = [\"sh\", \"bot.sh\"]\n").unwrap();
    fs::write(folder.path().join("token"), format!("{token}\n")).unwrap();
    let args = [
        "submit",
        "./packed",
        "--server",
        &url,
        "--token-file",
        "token",
        "--json",
    ];
    let entered = run(folder.path(), &[&args[..], &game].concat());
    let told: Value = serde_json::from_str(&entered.stdout).unwrap_or_default();
    assert_eq!(told[0]["bot"], "packed@1", "{}", entered.stderr);

    // What does not pass is refused with the exit code of a failure; what is asked wrongly with that of usage.
    let wrong = folder.path().join("wrong");
    fs::write(&wrong, "#!/bin/sh\nexit 3\n").unwrap();
    fs::set_permissions(&wrong, fs::Permissions::from_mode(0o755)).unwrap();
    let refused = submit(folder.path(), &url, &token, &["./wrong"]).refused(1);
    assert!(refused.contains("failed "), "{refused}");
    assert!(refused.contains("/uploads/3 has the report"), "{refused}");
    let stranger = submit(folder.path(), &url, "flipside_0", &["./wrong"]).refused(1);
    assert!(stranger.contains("this token is not valid"), "{stranger}");
    let without = run(folder.path(), &["submit", "./wrong", "--server", &url]).refused(2);
    assert!(without.contains("--token-file"), "{without}");
    let trusted = submit(folder.path(), &url, &token, &["./wrong", "--trust"]);
    assert_eq!(trusted.code, Some(2), "{}", trusted.stderr);
    server.signal("TERM");
    assert_eq!(server.end(), (Some(0), String::new()));
    let gone = submit(folder.path(), &url, &token, &["./wrong"]).refused(1);
    assert!(gone.contains("cannot reach http://"), "{gone}");
    for told in [refused, stranger, without, gone] {
        assert!(!told.contains(&token), "{told}");
    }
}
