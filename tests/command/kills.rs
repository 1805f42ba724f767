//! A server that is killed again and again while it receives, checks, plays and is asked for matches goes on by itself.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use flipside_store::Arena;
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use rusqlite::Connection;

use crate::accounts::{LISTEN, ask, ended, files, sign_up, upload};
use crate::common::{run, sample, test_seed};
use crate::server::TestServer;

/// The longest that a server runs before it is killed, in milliseconds.
const LONGEST: u64 = 900;

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(450);

/// What was promised to people.
#[derive(Default)]
struct Promised {
    /// The reports of uploads.
    reports: Vec<String>,
    /// The tournaments of requests.
    requests: Vec<String>,
}

/// The status of an answer to a form of somebody with a token, and where it leads.
fn post(server: &TestServer, token: &str, path: &str, form: &str) -> (u16, String) {
    let head = format!(
        "POST {path} HTTP/1.1\r\nauthorization: Bearer {token}\r\n\
         content-type: application/x-www-form-urlencoded\r\n"
    );
    let answer = ask(server, &head, form.as_bytes());
    let status = answer.split(' ').nth(1).expect("a status");
    let place = answer.split("\r\nlocation: ").nth(1).unwrap_or_default();
    let place = place.split("\r\n").next().unwrap_or_default();
    (status.parse().unwrap(), place.to_owned())
}

/// Asks for as much as somebody may.
fn ask_for_all(server: &TestServer, token: &str, round: u64, promised: &mut Promised) {
    let module = fs::read(sample("wat/instant.wat")).unwrap();
    let file = [module, format!(";; {round}\n").into_bytes()].concat();
    promised
        .reports
        .push(upload(server, token, &format!("bot-{round}"), &file));
    let form = "game=flipflop-3x3&bots=first,sample:greedy&rounds=4";
    let (status, place) = post(server, token, "/request", form);
    // Three requests of an account may wait.
    if status == 303 {
        let name = place.split('/').nth(2).expect("a tournament");
        promised.requests.push(name.to_owned());
    } else {
        assert_eq!(status, 400, "{place}");
    }
}

/// The matches of a tournament that are stored.
fn stored(folder: &Path, tournament: &str) -> u64 {
    let arena = Arena::open(folder.join("arena")).unwrap();
    let journal = arena.read_journal().unwrap();
    let tournament = journal.tournament(tournament).unwrap();
    flipside_store::table(&journal, &tournament).unwrap().played
}

pub(crate) fn is_over(folder: &Path, tournament: &str) -> bool {
    let arena = Arena::open(folder.join("arena")).unwrap();
    let journal = arena.read_journal().unwrap();
    let tournament = journal.tournament(tournament).unwrap();
    flipside_store::table(&journal, &tournament).unwrap().over
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}");
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_server_that_is_killed_at_three_moments_goes_on_and_loses_nothing() {
    killed_at_moments(3);
}

#[test]
#[ignore = "long: twenty kills"]
fn a_server_that_is_killed_at_twenty_moments_goes_on_and_loses_nothing() {
    killed_at_moments(20);
}

fn killed_at_moments(kills: u64) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for bot in ["wat/first.wat", "wat/instant.wat"] {
        run(folder, &["submit", &sample(bot)]).ok();
    }
    let organiser = run(folder, &["invite", "--organiser"]).ok();
    let mut server = TestServer::start(folder, &LISTEN);
    let token = sign_up(&server, organiser.trim(), "cy");
    let form = "name=cup&game=flipflop-3x3&bots=first,instant,sample:mcts&format=round-robin\
                &rounds=20000&clock=move=60s";
    let (status, place) = post(&server, &token, "/organiser/begin", form);
    assert_eq!((status, &*place), (303, "/tournaments/cup/live"));

    let mut rng = ChaCha8Rng::seed_from_u64(test_seed());
    let mut promised = Promised::default();
    let mut moments = Vec::new();
    for round in 0..kills {
        ask_for_all(&server, &token, round, &mut promised);
        // Somebody whose file never comes whole.
        let mut broken = server.connect();
        let head = format!(
            "PUT /api/v1/bots/broken HTTP/1.1\r\nauthorization: Bearer {token}\r\nhost: x\r\n"
        );
        broken.write_all(head.as_bytes()).unwrap();
        broken
            .write_all(b"content-length: 1000000\r\n\r\n#!/bin/sh\n")
            .unwrap();
        moments.push(rng.next_u64() % LONGEST);
        sleep(Duration::from_millis(moments[round as usize]));
        server.signal("KILL");
        server.child.wait().unwrap();
        server = TestServer::start(folder, &LISTEN);
        // As many wait for their check as may.
        let checked = promised.reports.len().saturating_sub(2);
        for report in &promised.reports[..checked] {
            let report = ended(&server, &token, report);
            assert_eq!(report["state"], "accepted", "{report} {moments:?}");
        }
    }
    for report in &promised.reports {
        let report = ended(&server, &token, report);
        assert_eq!(report["state"], "accepted", "{report} {moments:?}");
    }
    for request in &promised.requests {
        until(request, || is_over(folder, request));
        assert_eq!(stored(folder, request), 8, "{request} {moments:?}");
    }
    // The first three may wait whatever the server has done meanwhile.
    assert!(promised.requests.len() >= 3, "{:?}", promised.requests);
    let before = stored(folder, "cup");
    until("the tournament goes on", || stored(folder, "cup") > before);
    let (status, _) = post(&server, &token, "/organiser/tournaments/cup/cancel", "");
    assert_eq!(status, 303);
    until("the tournament ends", || is_over(folder, "cup"));
    server.signal("TERM");
    assert_eq!(server.end(), (Some(0), String::new()), "{moments:?}");
    is_whole(folder, kills);
}

/// Every upload is a bot once, every match is stored once, and the journal agrees with the records.
fn is_whole(folder: &Path, kills: u64) {
    assert_eq!(files(folder), 0);
    let bots = run(folder, &["bots", "--json"]).ok();
    let bots: Vec<serde_json::Value> = serde_json::from_str(&bots).unwrap();
    for round in 0..kills {
        let name = format!("bot-{round}");
        let versions = bots.iter().filter(|bot| bot["name"] == *name);
        assert_eq!(versions.count(), 1, "{name}");
    }
    let journal = Connection::open(folder.join("arena/journal.sqlite")).unwrap();
    let count =
        "SELECT (SELECT count(*) FROM matches), count(*), count(DISTINCT sha256) FROM records";
    let counts: (u64, u64, u64) = journal
        .query_row(count, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap();
    assert!(counts.0 == counts.1 && counts.1 == counts.2, "{counts:?}");
    let verified = run(folder, &["verify", "--all"]).ok();
    assert!(verified.contains("ok"), "{verified}");
}
