//! A continuous ladder of a server that is killed.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

use crate::common::{run, sample};
use crate::server::TestServer;

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(400);

const GAME: &str = "flipflop-3x3";
const LADDER: &str = "ladder-flipflop-3x3";

/// Submits a module; with another text, it is another version.
fn submit(folder: &Path, name: &str, text: &str) {
    let module = fs::read_to_string(sample("wat/first.wat")).unwrap();
    let file = format!("./{name}.wat");
    fs::write(folder.join(&file), format!("{module}\n;; {name} {text}\n")).unwrap();
    run(folder, &["submit", &file, "--game", GAME]).ok();
}

/// How many matches a bot has played in the ladder.
fn games(folder: &Path, bot: &str) -> u64 {
    let table = run(folder, &["table", LADDER, "--json"]);
    let Ok(table) = serde_json::from_str::<serde_json::Value>(&table.stdout) else {
        return 0;
    };
    let rows = table["rows"].as_array().unwrap().iter();
    let mut of_bot = rows.filter(|row| row["bot"] == bot);
    of_bot
        .next()
        .map_or(0, |row| row["games"].as_u64().unwrap())
}

fn until_they_play(folder: &Path, bots: &[&str]) {
    let begun = Instant::now();
    while bots.iter().any(|bot| games(folder, bot) == 0) {
        assert!(begun.elapsed() < PATIENCE, "{bots:?} do not play");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_ladder_goes_on_when_its_server_was_killed_and_forgets_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["ada", "bob"] {
        submit(folder, name, "");
    }
    let serve = || TestServer::start(folder, &["--listen", "127.0.0.1:0"]);
    let mut server = serve();
    let store = rusqlite::Connection::open(folder.join("arena/site.db")).unwrap();
    store.busy_timeout(PATIENCE).unwrap();
    let sql = "INSERT INTO ladders VALUES (?, 100000, '', '')";
    store.execute(sql, [GAME]).unwrap();
    until_they_play(folder, &["ada@1", "bob@1"]);
    for (name, text, due) in [
        ("eve", "", &["eve@1"][..]),
        ("ada", "newer", &["ada@2", "eve@1"]),
        ("zoe", "", &["zoe@1", "ada@2"]),
    ] {
        server.signal("KILL");
        assert_eq!(server.end().0, None);
        // It is accepted while no server is there.
        submit(folder, name, text);
        server = serve();
        until_they_play(folder, due);
    }
    // In the middle of joining, or a moment before or after it.
    submit(folder, "max", "");
    server.signal("KILL");
    assert_eq!(server.end().0, None);
    let server = serve();
    until_they_play(folder, &["max@1"]);
    server.signal("TERM");
    assert_eq!(server.end().0, Some(0));
    // Each match is there once, and is the one that was due.
    run(folder, &["verify", "--all"]).ok();
    let table = run(folder, &["table", LADDER]).ok();
    let told = |what: &str| table.matches(what).count();
    assert_eq!(told("max@1 joins before match"), 1, "{table}");
    assert_eq!(told(": ada@2 takes over"), 1, "{table}");
    assert_eq!(told(" joins before match"), 4, "{table}");
}
