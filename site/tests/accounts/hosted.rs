//! Tournaments and matches that the server plays: who may ask for them, and who watches.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Method, StatusCode};
use flipside_site::SiteLimits;
use flipside_store::{full_table, ratings};
use http_body_util::BodyExt;

use crate::bots;
use crate::browser::{Browser, SCRIPT, TestSite, open};

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(450);

/// A form of an organiser.
fn tournament(name: &str, rounds: &'static str) -> Vec<(&'static str, String)> {
    let fields = [
        ("name", name),
        ("title", SCRIPT),
        ("game", "flipflop-3x3"),
        ("bots", "ada, bob"),
        ("format", "round-robin"),
        ("rounds", rounds),
        ("clock", "move=5m,start=5m"),
    ];
    fields.map(|(key, value)| (key, value.to_owned())).to_vec()
}

async fn send(
    browser: &mut Browser<'_>,
    path: &str,
    fields: &[(&str, String)],
) -> (StatusCode, String) {
    let fields: Vec<(&str, &str)> = fields.iter().map(|(key, value)| (*key, &**value)).collect();
    let answer = browser.submit(path, &fields).await;
    let place = answer.header("location").to_owned();
    (
        answer.status,
        if place.is_empty() {
            answer.text().to_owned()
        } else {
            place
        },
    )
}

/// Waits until this is so.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn played(site: &TestSite, name: &str) -> (u64, bool) {
    let journal = site.arena().read_journal().unwrap();
    let tournament = journal.tournament(name).unwrap();
    let standings = full_table(&journal, &tournament).unwrap().standings;
    (standings.played, standings.over)
}

/// The next event that a watcher is sent. Where nothing happens for long, comments keep the connection.
async fn event(body: &mut Body) -> String {
    let told = async {
        loop {
            let frame = body.frame().await.expect("an event").unwrap();
            let told = String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap();
            if !told.starts_with(':') {
                return told;
            }
        }
    };
    let told = tokio::time::timeout(PATIENCE, told).await;
    told.expect("an event in time")
}

async fn watch(site: &TestSite, tournament: &str) -> (StatusCode, Body) {
    let path = format!("/tournaments/{tournament}/boards");
    let request = site
        .browser()
        .request(Method::GET, &path)
        .body(Body::empty());
    let (parts, body) = site.stream(request.unwrap()).await.into_parts();
    if parts.status == StatusCode::OK {
        assert_eq!(parts.headers["content-type"], "text/event-stream");
        assert_eq!(parts.headers["cache-control"], "private, no-store");
    }
    (parts.status, body)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organiser_starts_pauses_and_resumes_a_tournament_and_everybody_watches() {
    let site = TestSite::open();
    bots::enter(&site);
    let host = site.site.host().unwrap();
    host.start().unwrap();
    let mut cy = site.organiser("cy").await;
    let (status, place) = send(
        &mut cy,
        "/organiser/begin",
        // It does not end by itself while it is watched.
        &tournament("long", "1000000"),
    )
    .await;
    assert_eq!(
        (status, &*place),
        (StatusCode::SEE_OTHER, "/tournaments/long/live")
    );

    let (_, mut watching) = watch(&site, "long").await;
    let begun = Instant::now();
    let mut boards = Vec::new();
    while boards.len() < 3 {
        assert!(begun.elapsed() < PATIENCE, "{boards:?}");
        let told = event(&mut watching).await;
        assert!(
            told.starts_with("event: piece\ndata: ") && told.ends_with("\n\n"),
            "{told}"
        );
        assert!(!told.trim_end().contains("\n\n"), "{told}");
        if told.contains("<svg") {
            assert!(
                told.contains("id=\"board-1\"") && told.contains("ada@1"),
                "{told}"
            );
            boards.push(told);
        }
    }
    assert!(boards[0] != boards[1] && boards[1] != boards[2]);
    let (_, mut other) = watch(&site, "other").await;
    let told = event(&mut other).await;
    assert!(
        told.contains("No match of it is being played") && !told.contains("<svg"),
        "{told}"
    );
    drop(other);

    site.site.look().await.unwrap();
    let mut anybody = site.browser();
    let page = anybody.get("/tournaments/long/live").await;
    assert_eq!(page.status, StatusCode::OK);
    let text = page.text();
    assert!(
        text.contains("data-pieces=\"/tournaments/long/boards\""),
        "{text}"
    );
    assert!(text.contains("<svg") && text.len() < 100_000, "{text}");
    let page = anybody.get("/tournaments/long").await;
    assert!(page.text().contains("/tournaments/long/live") && !page.text().contains(SCRIPT));
    assert_eq!(
        anybody.get("/tournaments/none/live").await.status,
        StatusCode::NOT_FOUND
    );

    let (status, _) = send(
        &mut cy,
        "/organiser/queue/pause",
        &[("tournament", "long".into())],
    )
    .await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    until("it has stopped", || {
        host.hosted().len() == 1 && !text_of_state(&site).contains("running")
    })
    .await;
    let paused = cy.get("/organiser/tournaments").await;
    assert!(
        paused.text().contains("paused") || paused.text().contains("ends its running"),
        "{}",
        paused.text()
    );
    let (status, _) = send(
        &mut cy,
        "/organiser/queue/resume",
        &[("tournament", "long".into())],
    )
    .await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    let before = played(&site, "long").0;
    until("it goes on", || played(&site, "long").0 > before).await;
    let enough = [("reason", "enough".to_owned())];
    let (status, text) = send(&mut cy, "/organiser/tournaments/long/cancel", &enough).await;
    assert_eq!(status, StatusCode::SEE_OTHER, "{text}");
    until("it is over", || played(&site, "long").1).await;
    let log = cy.get("/organiser").await;
    for line in [
        "begins the tournament long",
        "pauses the tournament long",
        "resumes the tournament long",
    ] {
        assert!(log.text().contains(line), "{line}");
    }
    // A stop of the site ends what would never end by itself.
    site.site.stop();
    while let Some(frame) = watching.frame().await {
        assert!(frame.is_ok());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tournament_that_was_paused_plays_each_match_once() {
    let site = TestSite::open();
    bots::enter(&site);
    site.site.host().unwrap().start().unwrap();
    let mut cy = site.organiser("cy").await;
    let (status, _) = send(&mut cy, "/organiser/begin", &tournament("short", "150")).await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    until("it has begun", || played(&site, "short").0 > 0).await;
    // It may be over by now, and then there is nothing to pause; the count is the same.
    for what in ["/organiser/queue/pause", "/organiser/queue/resume"] {
        send(&mut cy, what, &[("tournament", "short".into())]).await;
    }
    until("it is over", || played(&site, "short").1).await;
    assert_eq!(played(&site, "short"), (300, true));
}

/// Whether somebody plays.
fn text_of_state(site: &TestSite) -> &'static str {
    match site.arena().running().is_empty() {
        true => "idle",
        false => "running",
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_description_is_taken_as_it_stands_and_what_is_wrong_with_it_is_said() {
    let site = TestSite::open();
    bots::enter(&site);
    let mut cy = site.organiser("cy").await;
    let described = |toml: &str| [("toml", toml.to_owned())];
    let good = "game = \"flipflop-3x3\"\nbots = [\"ada\", \"bob\"]\nname = \"told\"\nrounds = 1\n";
    for (toml, told) in [
        ("rounds = x", "Line 1"),
        ("game = \"chess\"", "chess"),
        (
            &format!("{good}trust = true"),
            "trust is for users of this machine",
        ),
        (
            &format!("{good}concurrency = 9"),
            "concurrency is for users of this machine",
        ),
        (&good.replace("\"ada\"", "\"/bin/true\""), "is no bot"),
        (&good.replace("\"ada\"", "\"./ada\""), "is no bot"),
        (&"x".repeat(40 << 10), "at most"),
    ] {
        let (status, text) = send(&mut cy, "/organiser/queue/file", &described(toml)).await;
        assert!(status.is_client_error(), "{toml}: {status}");
        assert!(text.contains(told), "{toml}: {text}");
    }
    assert!(site.site.host().unwrap().hosted().is_empty());
    let (status, place) = send(&mut cy, "/organiser/queue/file", &described(good)).await;
    assert_eq!(
        (status, &*place),
        (StatusCode::SEE_OTHER, "/tournaments/told/live")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_is_in_the_log_also_for_who_does_not_wait_for_the_answer() {
    let site = TestSite::open();
    bots::enter(&site);
    let mut cy = site.organiser("cy").await;
    let word = cy.word().await;
    let mut asked = tournament("quiet", "1");
    asked.push(("word", word));
    let body = serde_urlencoded::to_string(&asked).unwrap();
    let request = cy
        .request(Method::POST, "/organiser/begin")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(body));
    // Whoever asked has gone as soon as the work has begun.
    let host = site.site.host().unwrap();
    let begun = until("it has begun", || !host.hosted().is_empty());
    tokio::select! {
        _ = site.stream(request.unwrap()) => {}
        () = begun => {}
    }
    let store = site.store();
    until("it is in the log", || {
        let written =
            "SELECT count(*) FROM audit WHERE who = 'cy' AND what = 'begins the tournament quiet'";
        store
            .query_row(written, [], |row| row.get::<_, u64>(0))
            .unwrap()
            == 1
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_typed_stays_when_another_game_and_format_are_chosen() {
    let site = TestSite::open();
    bots::enter(&site);
    let mut cy = site.organiser("cy").await;
    let chosen = [
        ("step", "choose"),
        ("game", "yonmoque"),
        ("format", "swiss"),
        ("name", "spring"),
        ("title", "The spring cup"),
        ("bots", "sample:greedy"),
        ("rounds", "7"),
    ];
    let page = cy
        .submit("/organiser/begin?game=flipfour&format=round-robin", &chosen)
        .await;
    assert_eq!(page.status, StatusCode::OK);
    let text = page.text();
    for kept in [
        "<option value=\"yonmoque\" selected>",
        "<option selected>swiss</option>",
        "Bots that play Yonmoque",
        "value=\"spring\"",
        "value=\"The spring cup\"",
        "value=\"sample:greedy\" checked",
        "value=\"7\"",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert!(site.site.host().unwrap().hosted().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tournament_may_have_any_name_and_has_its_page() {
    let site = TestSite::open();
    bots::enter(&site);
    let mut cy = site.organiser("cy").await;
    for name in ["file", "pause", "resume", "remove"] {
        send(&mut cy, "/organiser/begin", &tournament(name, "1")).await;
        let page = cy.get(&format!("/organiser/tournaments/{name}")).await;
        assert_eq!(page.status, StatusCode::OK, "{name}: {}", page.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organiser_disqualifies_a_bot_when_the_tournament_is_over() {
    let site = TestSite::open();
    bots::enter(&site);
    let mut cy = site.organiser("cy").await;
    let host = site.site.host().unwrap();
    host.start().unwrap();
    send(&mut cy, "/organiser/begin", &tournament("short", "1")).await;
    until("it is over", || played(&site, "short") == (2, true)).await;
    until("nothing is left to play", || host.hosted().is_empty()).await;
    let form = cy.get("/organiser/tournaments/short").await;
    assert!(
        form.text().contains("Disqualify a bot afterwards"),
        "{}",
        form.text()
    );
    assert!(!form.text().contains("It is withdrawn"), "{}", form.text());
    let out = [
        ("bot", "ada@1"),
        ("how", "void"),
        ("reason", "copied from bob"),
    ];
    let out = out.map(|(key, value)| (key, value.to_owned()));
    let address = "/organiser/tournaments/short/withdraw";
    let (status, text) = send(&mut cy, address, &out).await;
    assert_eq!(status, StatusCode::SEE_OTHER, "{text}");
    site.site.look().await.unwrap();
    let page = site.browser().get("/tournaments/short").await;
    for told in [
        "disqualified: copied from bob",
        "its matches do not count",
        "not counted: 2 matches",
    ] {
        assert!(page.text().contains(told), "{told}: {}", page.text());
    }
    let log = cy.get("/organiser").await;
    let told =
        "short: ada@1 is disqualified afterwards, and its matches do not count: copied from bob";
    assert!(log.text().contains(told), "{}", log.text());
    let matches = site.browser().get("/api/v1/matches?tournament=short").await;
    assert_eq!(matches.text().matches("\"counts\":false").count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organiser_disqualifies_a_bot_extends_a_tournament_and_ends_it() {
    let site = TestSite::open();
    bots::enter(&site);
    let mut cy = site.organiser("cy").await;
    let host = site.site.host().unwrap();
    host.start().unwrap();
    send(&mut cy, "/organiser/begin", &tournament("short", "1")).await;
    until("it is over", || played(&site, "short") == (2, true)).await;
    let change = async |cy: &mut Browser<'_>, verb: &str, fields: &[(&str, &str)]| {
        let fields: Vec<(&str, String)> = fields
            .iter()
            .map(|(key, value)| (*key, (*value).to_owned()))
            .collect();
        send(cy, &format!("/organiser/tournaments/short{verb}"), &fields).await
    };
    until("nothing is left to play", || host.hosted().is_empty()).await;
    // What is over is shown where its results are.
    let live = site.browser().get("/tournaments/short/live").await;
    assert_eq!(live.header("location"), "/tournaments/short");
    let before = site.browser().get("/tournaments/short").await;
    let (status, _) = change(&mut cy, "/extend", &[("rounds", "2"), ("reason", SCRIPT)]).await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    until("the rest is played", || played(&site, "short") == (6, true)).await;
    for (verb, fields, told) in [
        ("/extend", &[("rounds", "0")][..], "extension is by 1"),
        ("/extend", &[("rounds", "x")], "whole number"),
        (
            "/extend",
            &[("rounds", "1"), ("matches", "1")],
            "by rounds or by matches",
        ),
        ("/withdraw", &[("bot", "nobody")], "nobody"),
        ("/withdraw", &[("bot", "../x")], "name"),
        (
            "/withdraw",
            &[("bot", "ada"), ("how", "disqualify")],
            "for a reason",
        ),
    ] {
        let (status, text) = change(&mut cy, verb, fields).await;
        assert!(
            status.is_client_error() && text.contains(told),
            "{verb} {fields:?}: {text}"
        );
    }
    change(&mut cy, "/extend", &[("rounds", "100000")]).await;
    until("it goes on", || played(&site, "short").0 > 6).await;
    let out = [
        ("bot", "ada@1"),
        ("how", "disqualify"),
        ("reason", "it reads the dice"),
    ];
    let (status, text) = change(&mut cy, "/withdraw", &out).await;
    assert_eq!(status, StatusCode::SEE_OTHER, "{text}");
    let (status, text) = change(&mut cy, "/cancel", &[("reason", "enough")]).await;
    assert!(
        status == StatusCode::SEE_OTHER || text.contains("over"),
        "{text}"
    );
    until("it is over", || played(&site, "short").1).await;
    let page = cy.get("/organiser/tournaments/short").await;
    assert!(page.text().contains("it reads the dice"), "{}", page.text());
    site.site.look().await.unwrap();
    let after = site.browser().get("/tournaments/short").await;
    assert!(after.text().contains("it reads the dice") && !after.text().contains(SCRIPT));
    assert_ne!(before.header("etag"), after.header("etag"));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_no_organiser_starts_and_stops_nothing() {
    let site = TestSite::open();
    bots::enter(&site);
    let (mut ada, _) = site.person("ada").await;
    for (path, fields) in [
        ("/organiser/begin", tournament("mine", "1")),
        ("/organiser/queue/file", vec![("toml", String::new())]),
        (
            "/organiser/queue/pause",
            vec![("tournament", "long".into())],
        ),
        (
            "/organiser/queue/resume",
            vec![("tournament", "long".into())],
        ),
    ] {
        let (status, _) = send(&mut ada, path, &fields).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path}");
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(key, value)| (*key, &**value)).collect();
        // Without the word of the session, and without a session.
        assert_eq!(
            ada.post(path, &fields).await.status,
            StatusCode::FORBIDDEN,
            "{path}"
        );
        let anybody = site.browser().post(path, &fields).await;
        assert_eq!(anybody.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    assert_eq!(
        ada.get("/organiser/tournaments").await.status,
        StatusCode::FORBIDDEN
    );
    assert!(site.site.host().unwrap().hosted().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn anybody_with_an_account_requests_matches_which_change_no_rating() {
    let site = TestSite::open();
    bots::enter(&site);
    let (mut ada, _) = site.person("ada").await;
    let request = |bots: &str, rounds: &str| {
        let fields = [("game", "flipflop-3x3"), ("bots", bots), ("rounds", rounds)];
        fields.map(|(key, value)| (key, value.to_owned()))
    };
    for (bots, rounds) in [
        ("ada", "1"),
        ("ada, bob", "0"),
        ("ada, bob", "21"),
        ("ada, nobody", "1"),
        ("ada, sample:mcts:playouts=7", "1"),
        ("ada, bob, sample:random, sample:greedy, sample:mcts", "20"),
    ] {
        let (status, text) = send(&mut ada, "/request", &request(bots, rounds)).await;
        assert_eq!(
            status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{bots} {rounds}: {text}"
        );
    }
    let form = ada
        .get("/request?bot=%3Cscript%3Ealert(1)%3C/script%3E")
        .await;
    assert!(form.status == StatusCode::OK && !form.text().contains(SCRIPT));
    let mut places = Vec::new();
    for _ in 0..3 {
        let (status, place) = send(&mut ada, "/request", &request("ada, bob", "1")).await;
        assert_eq!(status, StatusCode::SEE_OTHER, "{place}");
        places.push(place);
    }
    let (status, _) = send(&mut ada, "/request", &request("ada, bob", "1")).await;
    assert_eq!(status, StatusCode::CONFLICT);
    let host = site.site.host().unwrap();
    host.start().unwrap();
    until("all are played", || host.hosted().is_empty()).await;
    for place in places {
        let name = place
            .trim_start_matches("/tournaments/")
            .trim_end_matches("/live");
        assert_eq!(played(&site, name), (2, true));
    }
    let journal = site.arena().read_journal().unwrap();
    assert_eq!(ratings(&journal, "flipflop-3x3").unwrap().rows.len(), 0);
    assert_eq!(
        site.browser().get("/request").await.header("location"),
        "/sign-in?next=%2Frequest"
    );
}

/// The name of a tournament, from the address where it is watched.
fn watched(place: &str) -> &str {
    let name = place.strip_prefix("/tournaments/").unwrap();
    name.strip_suffix("/live").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_have_a_limit_of_a_day_and_can_be_deleted_by_their_author_and_by_organisers() {
    let limits = SiteLimits {
        requests_a_day: 2,
        ..SiteLimits::default()
    };
    let site = TestSite::with(limits, open());
    bots::enter(&site);
    let (mut ada, _) = site.person("ada").await;
    let (mut bob, _) = site.person("bob").await;
    let mut cy = site.organiser("cy").await;
    let asked = [
        ("game", "flipflop-3x3"),
        ("bots", "ada, bob"),
        ("rounds", "1"),
    ];
    let form = ada.get("/request").await;
    assert!(form.text().contains("You have 2 left."), "{}", form.text());
    // What comes to nothing does not count.
    let nobody = [
        ("game", "flipflop-3x3"),
        ("bots", "ada, nobody"),
        ("rounds", "1"),
    ];
    let refused = ada.submit("/request", &nobody).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let mut names = Vec::new();
    for _ in 0..2 {
        let answer = ada.submit("/request", &asked).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
        names.push(watched(answer.header("location")).to_owned());
    }
    let form = ada.get("/request").await;
    assert!(form.text().contains("You have 0 left; one more is free at"));
    assert!(names.iter().all(|name| form.text().contains(name.as_str())));
    let refused = ada.submit("/request", &asked).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(!refused.header("retry-after").is_empty());
    for word in ["2 times in 24 hours", "the next request is free at 2"] {
        assert!(refused.text().contains(word), "{}", refused.text());
    }
    let other = bob.submit("/request", &asked).await;
    assert_eq!(other.status, StatusCode::SEE_OTHER, "{}", other.text());

    // The lists of tournaments have them apart.
    site.site.look().await.unwrap();
    let mut visitor = site.browser();
    let [list, apart] = ["/tournaments", "/requests"];
    let (list, apart) = (visitor.get(list).await, visitor.get(apart).await);
    for name in &names {
        assert!(!list.text().contains(name.as_str()) && apart.text().contains(name.as_str()));
    }
    assert!(list.text().contains("href=\"/requests\""));

    let delete = |name: &str| [("tournament", name.to_owned())];
    let (status, _) = send(&mut bob, "/request/delete", &delete(&names[0])).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    // One that waits is gone from the queue too.
    let (status, place) = send(&mut ada, "/request/delete", &delete(&names[0])).await;
    assert_eq!((status, &*place), (StatusCode::SEE_OTHER, "/request"));
    let host = site.site.host().unwrap();
    assert!(
        host.hosted()
            .iter()
            .all(|one| one.tournament.as_str() != names[0])
    );
    // It counts nevertheless.
    let refused = ada.submit("/request", &asked).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    host.start().unwrap();
    until("all are played", || host.hosted().is_empty()).await;
    let path = format!("/organiser/tournaments/{}", names[1]);
    let page = cy.get(&path).await;
    assert!(
        page.text().contains("Delete these matches"),
        "{}",
        page.text()
    );
    let (status, _) = send(&mut ada, &format!("{path}/delete"), &[]).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let (status, place) = send(&mut cy, &format!("{path}/delete"), &[]).await;
    assert_eq!((status, &*place), (StatusCode::SEE_OTHER, "/requests"));
    for name in &names {
        let page = visitor.get(&format!("/tournaments/{name}")).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND);
        let (status, _) = send(&mut ada, "/request/delete", &delete(name)).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
    // A tournament is none, and nobody takes the name of one.
    let mut fields = tournament("cup", "1");
    let (status, place) = send(&mut cy, "/organiser/begin", &fields).await;
    assert_eq!(status, StatusCode::SEE_OTHER, "{place}");
    let (status, text) = send(&mut cy, "/request/delete", &delete("cup")).await;
    assert_eq!(status, StatusCode::CONFLICT, "{text}");
    fields[0].1 = "request-1-0000000a".into();
    let (status, text) = send(&mut cy, "/organiser/begin", &fields).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn watchers_are_bounded() {
    let limits = SiteLimits {
        listeners: 1,
        ..SiteLimits::default()
    };
    let site = TestSite::with(limits, open());
    let (status, first) = watch(&site, "any").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(watch(&site, "any").await.0, StatusCode::SERVICE_UNAVAILABLE);
    drop(first);
    assert_eq!(watch(&site, "any").await.0, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_of_a_tournament_offers_what_plays_the_game_and_says_what_would_be_played() {
    let site = TestSite::open();
    bots::enter(&site);
    let mut cy = site.organiser("cy").await;
    let offers = |page: &str, bot: &str| page.contains(&format!("name=\"bots\" value=\"{bot}\""));
    let mine = cy.get("/organiser/begin?game=flipflop-3x3").await;
    for bot in ["ada", "bob", "sample:perfect", "sample:random"] {
        assert!(offers(mine.text(), bot), "{bot}: {}", mine.text());
    }
    assert!(!offers(mine.text(), "sample:expectimax"));
    let other = cy.get("/organiser/begin?game=flip4&format=swiss").await;
    for bot in ["ada", "bob", "sample:perfect", "sample:alphabeta"] {
        assert!(!offers(other.text(), bot), "{bot}: {}", other.text());
    }
    assert!(offers(other.text(), "sample:expectimax"));
    // Its own options stand with a format.
    let knockout = cy.get("/organiser/begin?format=knockout").await;
    assert!(knockout.text().contains("name=\"best-of\""));
    assert!(!knockout.text().contains("name=\"rounds\""));
    assert!(!other.text().contains("name=\"best-of\""));

    let mut asked = tournament("spring", "3");
    asked.push(("step", "estimate".into()));
    let path = "/organiser/begin";
    let (status, page) = send(&mut cy, path, &asked).await;
    assert_eq!(status, StatusCode::OK, "{page}");
    assert!(
        page.contains("Begin spring?") && page.contains("Begin 6 matches"),
        "{page}"
    );
    assert!(page.contains("if every bot uses all of its time"), "{page}");
    // It can be changed, and nothing has begun.
    assert!(
        page.contains("name=\"rounds\" ") && page.contains("value=\"3\""),
        "{page}"
    );
    let nothing = cy.get("/tournaments/spring").await;
    assert_eq!(nothing.status, StatusCode::NOT_FOUND);

    let mut wrong = tournament("spring", "3");
    wrong[3].1 = "ada, sample:expectimax".into();
    let (status, page) = send(&mut cy, path, &wrong).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        page.contains("sample:expectimax does not play FlipFlop"),
        "{page}"
    );
    let (status, place) = send(&mut cy, path, &tournament("spring", "3")).await;
    assert_eq!(
        (status, &*place),
        (StatusCode::SEE_OTHER, "/tournaments/spring/live")
    );
    let (status, page) = send(&mut cy, path, &tournament("spring", "3")).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        page.contains("There is a tournament spring already"),
        "{page}"
    );
}
