//! Games that enter the arena: played in tournaments and on workers, carried in archives, added on the site, and stopped
//! when their programs fail.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::accounts::{LISTEN, ask, sign_up};
use crate::common::run;
use crate::kills::is_over;
use crate::nats::TransportServer;
use crate::server::TestServer;
use crate::tournaments::until;
use crate::workers::{CommandWorker, begin, end};

/// A folder with the new game `mine` and the bot `bot`.
pub(crate) fn with_a_game() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["game", "new", "python", "mine"]).ok();
    run(folder.path(), &["new", "python", "bot"]).ok();
    folder
}

/// Changes the rules of the game so that it is another program.
pub(crate) fn change(folder: &Path) {
    let rules = folder.join("mine/rules.md");
    let text = fs::read_to_string(&rules).unwrap();
    fs::write(&rules, text + "\nAnother line.\n").unwrap();
}

/// Replaces a method of the game's class.
pub(crate) fn wrong(folder: &Path, method: &str, is: &str) {
    let program = folder.join("mine/game.py");
    let text = fs::read_to_string(&program).unwrap();
    let wrong = format!("    MyGame.{method} = {is}\n    serve(MyGame)");
    let wrong = text.replace("    serve(MyGame)", &wrong);
    assert_ne!(text, wrong);
    fs::write(&program, wrong).unwrap();
}

/// The method raises an exception.
const RAISES: &str = "lambda *given: int(\"no more\")";

fn tournament(folder: &Path, game: &str, name: &str) -> String {
    let args = [
        "tournament",
        game,
        "./bot",
        "sample:random",
        "--rounds",
        "2",
        "--name",
        name,
        "--seed",
        seed!(5),
    ];
    run(folder, &args).ok()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let text = run(folder, &[args, &["--json"]].concat()).ok();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_game_is_added_and_its_tournaments_go_into_other_arenas() {
    let folder = with_a_game();
    let folder = folder.path();
    let added = run(folder, &["game", "add", "mine"]).ok();
    assert_eq!(added, "mine@1 is in the arena\nflipside rules mine@1\n");
    let again = run(folder, &["game", "add", "mine"]).ok();
    assert_eq!(again, "mine@1 is in the arena already\n");
    assert_eq!(
        json(folder, &["games"]).as_array().unwrap().last().unwrap()["id"],
        "mine@1"
    );

    tournament(folder, "mine", "first");
    let tournaments = json(folder, &["tournaments"]);
    assert_eq!(tournaments[0]["game"], "mine@1");
    let record = run(folder, &["matches", "first-0"]).ok();
    let header: Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
    assert_eq!(header["game"], "mine@1");
    // Bots are not told the version.
    let debugged = run(folder, &["debug", "mine", "sample:random", "sample:random"]).ok();
    assert!(debugged.contains("\"game\":\"mine\""), "{debugged}");
    assert!(!debugged.contains("\"game\":\"mine@1\""), "{debugged}");

    // The very same archive comes out of an arena that took it in.
    run(folder, &["export", "first", "first.tar.zst"]).ok();
    run(folder, &["import", "first.tar.zst", "--arena", "other"]).ok();
    run(folder, &["verify", "--all", "--arena", "other"]).ok();
    run(
        folder,
        &["export", "first", "on.tar.zst", "--arena", "other"],
    )
    .ok();
    let read = |file: &str| fs::read(folder.join(file)).unwrap();
    assert!(read("first.tar.zst") == read("on.tar.zst"));
    run(folder, &["verify", "--tournament", "first", "--rerun"]).ok();

    // A backup has the game as well.
    run(folder, &["backup", "all.tar.zst"]).ok();
    run(folder, &["restore", "all.tar.zst", "--arena", "restored"]).ok();
    run(folder, &["verify", "--all", "--arena", "restored"]).ok();
    run(
        folder,
        &[
            "match",
            "mine",
            "sample:random",
            "sample:random",
            "--arena",
            "restored",
        ],
    )
    .ok();

    // Another program is another version, with tables of its own; a path adds it by itself.
    change(folder);
    tournament(folder, "./mine", "second");
    assert_eq!(json(folder, &["tournaments"])[0]["game"], "mine@2");
    run(folder, &["verify", "--all"]).ok();
    let rated = |game: &str| json(folder, &["ratings", game])[0]["games"].clone();
    assert_eq!(
        (rated("mine@1"), rated("mine")),
        (rated("mine@2"), 4.into())
    );

    // A record knows its program by the bytes, under whatever version or path that is known.
    let record = ["--record", "third.jsonl"];
    let bots = ["sample:random", "sample:first"];
    run(folder, &[&["match", "./mine"][..], &bots, &record].concat()).ok();
    run(folder, &["verify", "third.jsonl"]).ok();
    let filtered = json(folder, &["matches", "--game", "mine"]);
    assert_eq!(filtered.as_array().unwrap().len(), 4);

    // A file of a tournament names the game from its own folder.
    let text =
        "game = \"./mine\"\nbots = [\"./bot\", \"sample:random\"]\nrounds = 1\nname = \"third\"\n";
    fs::write(folder.join("third.toml"), text).unwrap();
    run(folder, &["tournament", "third.toml", "--seed", seed!(5)]).ok();
    assert_eq!(json(folder, &["tournaments"])[0]["game"], "mine@2");

    // Elsewhere the first version is another program.
    run(folder, &["game", "add", "mine", "--arena", "elsewhere"]).ok();
    let refused = run(folder, &["import", "first.tar.zst", "--arena", "elsewhere"]).refused(2);
    assert!(refused.contains("mine@1"), "{refused}");
    assert!(refused.contains("hint: "), "{refused}");
    assert_eq!(
        json(folder, &["tournaments", "--arena", "elsewhere"]),
        Value::Array(Vec::new())
    );
}

#[test]
fn a_game_that_breaks_a_law_does_not_enter() {
    let folder = with_a_game();
    let folder = folder.path();
    wrong(folder, "over", "lambda self: None");
    let refused = run(folder, &["game", "add", "mine"]).refused(1);
    assert!(refused.contains("the game does not pass"), "{refused}");
    assert!(
        refused.contains("hint: flipside game check mine"),
        "{refused}"
    );
    assert!(!folder.join("arena").exists());
    let unknown = run(
        folder,
        &["match", "mine@1", "sample:random", "sample:random"],
    )
    .refused(2);
    assert!(unknown.contains("there is no game \"mine@1\""), "{unknown}");
}

#[test]
fn a_tournament_stops_after_three_matches_that_its_game_voids() {
    let folder = with_a_game();
    let folder = folder.path();
    // It fails at the end of each match.
    let is = "lambda self: None if self.stones else int(\"no more\")";
    wrong(folder, "over", is);
    let args = [
        "tournament",
        "./mine",
        "./bot",
        "sample:random",
        "--rounds",
        "20",
        "--name",
        "cup",
        "--concurrency",
        "1",
    ];
    let said = run(folder, &args).refused(1);
    for part in [
        "3 matches are void, for which no bot is to blame",
        "the program of the game mine@1 failed at \"acts\"",
        "ValueError: invalid literal",
        "hint: `flipside game check`",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let shown = json(folder, &["table", "cup"]);
    assert_eq!(shown["played"], 0);
    let rows = shown["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["faults"] == 0), "{shown:#}");
    assert_eq!(
        json(folder, &["matches", "--faults"]),
        Value::Array(Vec::new())
    );
}

#[test]
fn a_game_plays_on_workers() {
    let folder = with_a_game();
    let folder = folder.path();
    run(folder, &["game", "add", "mine"]).ok();
    let server = TransportServer::open();
    let _worker = CommandWorker::start(folder, &server, "one");
    let cup =
        "tournament mine ./bot sample:random --rounds 3 --name cup --clock move=30s,start=30s";
    let said = end(begin(folder, &server, cup));
    assert!(said.contains("6 matches"), "{said}");
    run(folder, &["verify", "--all"]).ok();
    assert_eq!(json(folder, &["tournaments"])[0]["game"], "mine@1");
}

#[test]
fn organisers_add_games_on_the_site_and_nobody_else() {
    let folder = with_a_game();
    let folder = folder.path();
    run(folder, &["pack", "mine", "mine.tar.zst"]).ok();
    run(folder, &["pack", "bot", "bot.tar.zst"]).ok();
    flipside_store::Arena::create(folder.join("arena")).unwrap();
    let organiser = run(folder, &["invite", "--organiser"]).ok();
    let author = run(folder, &["invite"]).ok();
    let server = TestServer::start(folder, &LISTEN);
    let organiser = sign_up(&server, organiser.trim(), "cy");
    let author = sign_up(&server, author.trim(), "ada");
    let post = |token: &str, file: &str| {
        let head = format!("POST /api/v1/games HTTP/1.1\r\nauthorization: Bearer {token}\r\n");
        ask(&server, &head, &fs::read(folder.join(file)).unwrap())
    };
    let refused = post(&author, "mine.tar.zst");
    assert!(refused.starts_with("HTTP/1.1 403 "), "{refused}");
    let refused = post(&organiser, "bot.tar.zst");
    assert!(refused.starts_with("HTTP/1.1 4"), "{refused}");
    assert!(refused.contains("it is a bot, and no game"), "{refused}");
    assert!(!refused.contains("arena/uploads"), "{refused}");
    // One that breaks a law is refused in words, and nobody's server has failed.
    let program = folder.join("mine/game.py");
    let text = fs::read_to_string(&program).unwrap();
    wrong(folder, "over", "lambda self: None");
    run(folder, &["pack", "mine", "wrong.tar.zst"]).ok();
    fs::write(&program, text).unwrap();
    let refused = post(&organiser, "wrong.tar.zst");
    assert!(refused.starts_with("HTTP/1.1 4"), "{refused}");
    assert!(refused.contains("the game does not pass"), "{refused}");

    let added = post(&organiser, "mine.tar.zst");
    assert!(added.starts_with("HTTP/1.1 201 "), "{added}");
    let told: Value = serde_json::from_str(added.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(
        (&told["game"], &told["new"]),
        (&"mine@1".into(), &true.into())
    );
    assert!(server.get("/games").1.contains("/games/mine@1"));
    let page = server.get("/games/mine").1;
    assert!(
        page.contains("last-stone") && page.contains("<svg"),
        "{page}"
    );
    let list = server.get("/api/v1/games").1;
    let list: Value = serde_json::from_str(list.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let mut ids = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| &game["id"]);
    assert_eq!(ids.next_back().unwrap(), "mine@1");

    // It is hosted like any other game; a game that the command adds meanwhile is known at once.
    change(folder);
    run(folder, &["game", "add", "mine"]).ok();
    assert!(server.get("/games").1.contains("/games/mine@2"));
    run(folder, &["submit", "bot", "--game", "mine"]).ok();
    let head = format!(
        "POST /organiser/begin HTTP/1.1\r\nauthorization: Bearer {organiser}\r\n\
         content-type: application/x-www-form-urlencoded\r\n"
    );
    let form =
        "name=cup&game=mine&bots=bot,sample:random&format=round-robin&rounds=1&clock=move=60s";
    let begun = ask(&server, &head, form.as_bytes());
    assert!(begun.starts_with("HTTP/1.1 303 "), "{begun}");
    until("the tournament ends", || is_over(folder, "cup"));
    assert!(server.get("/matches/cup-0").1.contains("/games/mine@2"));
    // Ladders and leagues are of one version. What is wrong with one ladder would stop no other.
    let put = |path: &str, body: &str| {
        let head = format!(
            "PUT {path} HTTP/1.1\r\nauthorization: Bearer {organiser}\r\ncontent-type: application/json\r\n"
        );
        ask(&server, &head, body.as_bytes())
    };
    for game in ["mine", "yonmoque"] {
        let bots = r#"{"a_day":100,"bots":["sample:random","sample:first"]}"#;
        let kept = put(&format!("/api/v1/ladders/{game}"), bots);
        assert!(kept.starts_with("HTTP/1.1 2"), "{game}: {kept}");
    }
    for name in ["ladder-mine.2", "ladder-yonmoque"] {
        until("the ladder begins", || {
            server.get("/tournaments").1.contains(name)
        });
    }
    // Nothing of an upload is left.
    assert_eq!(crate::accounts::files(folder), 0);
    server.signal("TERM");
    assert_eq!(server.end(), (Some(0), String::new()));
}

#[test]
fn a_game_that_fails_is_told_wherever_it_is_named() {
    let folder = with_a_game();
    let folder = folder.path();
    let program = folder.join("mine/game.py");
    let text = fs::read_to_string(&program).unwrap();
    for method in ["start", "actions", "view"] {
        fs::write(&program, &text).unwrap();
        wrong(folder, method, RAISES);
        let bots = ["sample:random", "sample:first"];
        for args in [
            &["match", "./mine", bots[0], bots[1]][..],
            &["debug", "./mine", bots[0], bots[1]],
            &["check", "sample:random", "./mine", "--quick"],
            &["schema", "./mine", "--example"],
            &["tournament", "./mine", bots[0], bots[1], "--dry-run"],
            &["game", "add", "mine"],
        ] {
            let told = run(folder, args).refused(1);
            assert!(
                told.contains("ValueError: invalid literal"),
                "{method} {args:?}: {told}"
            );
            assert!(!told.contains("panicked"), "{told}");
        }
    }
}
