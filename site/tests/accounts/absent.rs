//! What is not there: every route that names something is asked for something that does not exist. None of these is a
//! failure of the server.

use std::fs;
use std::path::Path;

use axum::body::Body;
use axum::http::{Method, StatusCode};
use regex_lite::Regex;
use serde_json::{Value, json};

use crate::api::{ApiClient, organiser};
use crate::bots;
use crate::browser::{Browser, TestSite};

/// The name of what does not exist: a bot, a tournament, a match, a game, an account, a league.
const ABSENT: &str = "absent-0";

/// A time that has not passed.
const LATE: &str = "2998-01-01T00:00:00+01:00";

/// A body that fits each operation that takes one.
fn body(path: &str) -> Value {
    let last = path.rsplit('/').next().unwrap_or_default();
    let times =
        || json!({ "deadline": LATE, "starts_at": LATE, "ends_at": "2999-01-01T00:00:00Z" });
    match last {
        "cancel" => json!({ "reason": "a test" }),
        "extend" => json!({ "rounds": 1 }),
        "join" => json!({ "bots": ["ada"] }),
        "withdraw" => json!({ "bot": "ada" }),
        "disqualify" => json!({ "bot": "ada", "reason": "a test" }),
        "seasons" => times(),
        "entries" => json!({ "bot": "ada" }),
        "act" => json!({ "question": 1, "action": "1" }),
        "leave" => json!({ "question": 1 }),
        _ if path.starts_with("/api/v1/ladders/") => json!({ "a_day": 100 }),
        _ => Value::Null,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_operation_of_the_api_fails_on_what_is_not_there() {
    let site = TestSite::open();
    bots::enter(&site);
    let boss = ApiClient::new(&site, &organiser(&site, "boss").await).await;
    let (_, token) = site.person("eve").await;
    let eve = ApiClient::new(&site, &token).await;
    let mut asked = 0;
    let mut wrong = Vec::new();
    for (path, method) in boss.paths() {
        let is_upload = path.starts_with("/bots/") && method == Method::PUT;
        if !path.contains('{') || is_upload {
            continue;
        }
        for (absent, number) in [(ABSENT, "999"), ("no%20name%0A", "0"), ("%2e%2e%2f", "x")] {
            let address = path
                .split('/')
                .map(|part| match part {
                    "{number}" | "{season}" => number,
                    part if part.starts_with('{') => absent,
                    part => part,
                })
                .collect::<Vec<_>>()
                .join("/");
            asked += 1;
            let full = format!("/api/v1{path}");
            let answer = boss.ask(method.clone(), &path, &address, body(&full)).await;
            let is_named = absent == ABSENT && number != "x";
            let status = answer.status;
            let is_fine = match is_named {
                true => status == StatusCode::NOT_FOUND,
                false => status.is_client_error(),
            };
            if !is_fine {
                wrong.push(format!("{method} {address}: {status} {}", answer.text()));
            }
            let by_author = eve.ask(method.clone(), &path, &address, body(&full)).await;
            if !by_author.status.is_client_error() {
                wrong.push(format!(
                    "{method} {address} of an author: {}",
                    by_author.status
                ));
            }
        }
    }
    assert!(asked > 60, "{asked}");
    assert_eq!(wrong, [""; 0]);
}

/// The addresses of all pages, from their sources: no list by hand, which would lack the new ones.
fn pages() -> Vec<String> {
    fn read(folder: &Path, found: &mut Vec<String>) {
        let route = Regex::new(r#"\.route\(\s*(&path\()?"([^"]*)"#).unwrap();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let source = fs::read_to_string(&path).unwrap();
                found.extend(route.captures_iter(&source).map(|route| {
                    // The page that changes a tournament has a prefix.
                    let prefix = route.get(1).map_or("", |_| "/organiser/tournaments/{name}");
                    format!("{prefix}{}", &route[2])
                }));
            }
        }
    }
    let mut found = Vec::new();
    read(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut found,
    );
    found.sort();
    found.dedup();
    found
}

/// All fields of all forms, each with something that fits and is not there.
const FIELDS: [(&str, &str); 28] = [
    ("account", ABSENT),
    ("action", "1"),
    ("bot", ABSENT),
    ("bots", "absent-0, absent-1"),
    ("clock", ""),
    ("a_day", "100"),
    ("deadline", "2998-01-01T00:00"),
    ("disabled", "true"),
    ("ends_at", "2998-03-01T00:00"),
    ("format", "round-robin"),
    ("game", "flipflop-3x3"),
    ("leave", "true"),
    ("matches", ""),
    ("name", "renamed"),
    ("options", ""),
    ("organiser", "false"),
    ("question", "1"),
    ("reason", "a test"),
    ("rounds", "1"),
    ("season", "7"),
    ("seat", "0"),
    ("seats", "2"),
    ("starts_at", "2998-02-01T00:00"),
    ("toml", "name = \"spring\""),
    ("tournament", ABSENT),
    ("url", "http://127.0.0.1:9/"),
    ("uses", "1"),
    ("webhook", "999"),
];

/// Asks for an address, and gives the status alone: what follows may go on for ever.
async fn status(site: &TestSite, browser: &mut Browser<'_>, method: Method, path: &str) -> u16 {
    let mut fields = FIELDS.to_vec();
    let word = browser.word().await;
    fields.push(("word", &word));
    let body = match method {
        Method::GET => Body::empty(),
        _ => serde_urlencoded::to_string(&fields).unwrap().into(),
    };
    let request = browser
        .request(method, path)
        .header("content-type", "application/x-www-form-urlencoded");
    site.stream(request.body(body).unwrap())
        .await
        .status()
        .as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_fails_on_what_is_not_there() {
    let site = TestSite::open();
    bots::enter(&site);
    let mut boss = site.organiser("boss").await;
    let (mut eve, _) = site.person("eve").await;
    let pages = pages();
    for known in [
        "/",
        "/organiser/tournaments/{name}/cancel",
        "/request/delete",
        "/play/{id}/act",
    ] {
        assert!(pages.iter().any(|page| page == known), "{known}: {pages:?}");
    }
    let parameter = Regex::new(r"\{[^}]*\}").unwrap();
    let mut wrong = Vec::new();
    for page in &pages {
        for absent in [ABSENT, "999", "%00"] {
            let address = parameter.replace_all(page, absent).into_owned();
            for method in [Method::GET, Method::POST] {
                // It would end the session.
                if page == "/sign-out" && method == Method::POST {
                    continue;
                }
                for browser in [&mut boss, &mut eve] {
                    let status = status(&site, browser, method.clone(), &address).await;
                    if status >= 500 {
                        wrong.push(format!("{method} {address}: {status}"));
                    }
                }
            }
            if !page.contains('{') {
                break;
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    // A form of each kind is understood, so that what it names was looked for.
    for (page, expected) in [
        ("/organiser/tournaments/absent-0/withdraw", 404),
        ("/organiser/tournaments/absent-0/extend", 404),
        ("/organiser/tournaments/absent-0/join", 404),
        ("/organiser/tournaments/absent-0/cancel", 404),
        ("/organiser/tournaments/absent-0/delete", 404),
        ("/organiser/queue/pause", 404),
        ("/organiser/queue/resume", 404),
        ("/organiser/leagues/absent-0/cancel", 404),
        ("/organiser/leagues/absent-0/season", 404),
        ("/organiser/ladders/stop", 404),
        ("/organiser/disable", 404),
        ("/organiser/webhooks", 404),
        ("/request/delete", 404),
        ("/account/bots/absent-0/rename", 404),
        ("/account/bots/absent-0/delete", 404),
        ("/leagues/absent-0/enter", 404),
    ] {
        let found = status(&site, &mut boss, Method::POST, page).await;
        assert_eq!(found, expected, "{page}");
    }
}
