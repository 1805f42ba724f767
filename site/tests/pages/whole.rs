//! What is true of every page: links lead somewhere, headers protect, sizes are bounded.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use axum::http::{Request, StatusCode};
use regex_lite::Regex;

use crate::arena::Small;
use crate::client::{Client, ClientAnswer};

/// The most bytes of a page, before compression.
pub(crate) const LARGEST_PAGE: usize = 100_000;

/// Every address that pages link to, from the home page on, with its answer.
pub(crate) async fn crawl(client: &Client) -> BTreeMap<String, ClientAnswer> {
    let link = Regex::new(r#"(?:href|src|action)="([^"]*)""#).unwrap();
    let mut found = BTreeMap::new();
    let mut next = vec!["/".to_owned()];
    let mut seen: BTreeSet<String> = next.iter().cloned().collect();
    while let Some(address) = next.pop() {
        let answer = client.get(&address).await;
        if answer.header("content-type").starts_with("text/html") {
            for found in link.captures_iter(answer.text()) {
                let target = found[1].replace("&amp;", "&");
                let target = target.split('#').next().unwrap();
                let target = match target.chars().next() {
                    None => continue,
                    Some('/') => target.to_owned(),
                    Some('?') => format!("{}{target}", address.split('?').next().unwrap()),
                    _ if target.starts_with("https://") || target.starts_with("http://") => {
                        continue;
                    }
                    _ => panic!("{address} links to {target:?}"),
                };
                // Orders of tables are many and alike: each page is sorted by each column from its first address.
                let is_sorted_again = address.contains("sort=") && target.contains("sort=");
                if !is_sorted_again && seen.insert(target.clone()) {
                    next.push(target);
                }
            }
        }
        found.insert(address, answer);
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn every_link_leads_to_a_page_that_is_small_and_protected() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let pages = crawl(&client).await;
    for must in [
        "/tournaments/cup",
        "/tournaments/trial/statistics",
        "/tournaments/knock/rounds",
        "/ratings/flipfour",
        "/bots/ada@1",
        "/games/phase10-flip",
        "/guides/authors/first-bot",
        "/guides/protocol",
        "/matches/cup-0",
        "/api/v1/matches/cup-0/record",
        "/schema.json",
    ] {
        assert!(pages.contains_key(must), "no page leads to {must}");
    }
    let ids = Regex::new(r#" id="([^"]*)""#).unwrap();
    for (address, answer) in &pages {
        assert_eq!(
            answer.status,
            StatusCode::OK,
            "{address}: {}",
            answer.text()
        );
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'"),
            "{address}"
        );
        assert!(!policy.contains("unsafe"), "{address}");
        assert_eq!(
            answer.header("x-content-type-options"),
            "nosniff",
            "{address}"
        );
        assert_eq!(answer.header("referrer-policy"), "same-origin", "{address}");
        assert_eq!(answer.header("x-request-id").len(), 16, "{address}");
        if !answer.header("content-type").starts_with("text/html") {
            continue;
        }
        let size = answer.body.len();
        assert!(size <= LARGEST_PAGE, "{address} has {size} bytes");
        let text = answer.text();
        assert!(
            text.contains("<main id=\"main\"") && text.contains("class=\"skip\""),
            "{address}"
        );
        assert_eq!(text.matches("<h1").count(), 1, "{address}");
        let mut all = BTreeSet::new();
        for id in ids.captures_iter(text) {
            assert!(
                all.insert(id[1].to_owned()),
                "{address} has the id {:?} twice",
                &id[1]
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_within_a_page_lead_to_something_on_it() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    // A step of a replay is found by its script.
    let link = Regex::new(r##"href="([^"#]*)#([^"=]+)""##).unwrap();
    let pages = crawl(&client).await;
    let mut count = 0;
    for (address, answer) in &pages {
        if !answer.header("content-type").starts_with("text/html") {
            continue;
        }
        for found in link.captures_iter(answer.text()) {
            let (target, id) = (found[1].replace("&amp;", "&"), &found[2]);
            let target = match target.chars().next() {
                None => address.clone(),
                Some('?') => format!("{}{target}", address.split('?').next().unwrap()),
                _ => target,
            };
            let Some(page) = pages.get(&target) else {
                continue;
            };
            let is_there = page.text().contains(&format!(" id=\"{id}\""));
            assert!(is_there, "{address}: {target} has no {id}");
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_a_visitor_has_is_not_sent_again() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    for address in [
        "/",
        "/tournaments/cup",
        "/bots/ada",
        "/guides/protocol",
        "/assets/site.css",
    ] {
        let first = client.get(address).await;
        let tag = first.header("etag").to_owned();
        assert!(tag.starts_with("W/\""), "{address}: {tag:?}");
        assert_eq!(first.header("cache-control"), "no-cache", "{address}");
        for (has, status) in [
            (tag.as_str(), StatusCode::NOT_MODIFIED),
            (&format!("\"x\", {tag}"), StatusCode::NOT_MODIFIED),
            ("*", StatusCode::NOT_MODIFIED),
            ("W/\"000000000000000000000000\"", StatusCode::OK),
        ] {
            let request = Request::get(address).header("if-none-match", has);
            let again = client.send(request.body(Body::empty()).unwrap()).await;
            assert_eq!(again.status, status, "{address} {has}");
            assert_eq!(again.header("etag"), tag, "{address}");
            assert_eq!(
                again.body.is_empty(),
                status == StatusCode::NOT_MODIFIED,
                "{address}"
            );
        }
    }
    let home = client.get("/").await;
    let files = Regex::new(r#"href="(/assets/[^"]*)""#).unwrap();
    let files: Vec<String> = files
        .captures_iter(home.text())
        .map(|found| found[1].to_owned())
        .collect();
    // Three styles and the mark.
    assert_eq!(files.len(), 4);
    for file in files {
        let answer = client.get(&file).await;
        assert!(
            answer.header("cache-control").contains("immutable"),
            "{file}"
        );
        assert!(
            ["text/css", "image/svg+xml"]
                .iter()
                .any(|kind| answer.header("content-type").starts_with(kind)),
            "{file}"
        );
    }
}

/// The most bytes of a page with all that it loads, compressed; the steps of a replay are beside.
const MAX_PAGE: usize = 60_000;

#[tokio::test(flavor = "multi_thread")]
async fn the_main_pages_are_light_with_all_that_they_load() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let weight = async |address: &str| {
        let request = Request::get(address).header("accept-encoding", "gzip");
        let answer = client.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        answer.body.len()
    };
    for page in [
        "/",
        "/tournaments/cup",
        "/matches/cup-0",
        "/bots/ada",
        "/ratings/flipfour",
        "/games/yonmoque",
    ] {
        let mut all = weight(page).await;
        let html = client.get(page).await;
        let loads = html
            .text()
            .split(['"', '>'])
            .filter(|part| part.starts_with("/assets/"));
        let loads: BTreeSet<&str> = loads.collect();
        assert!(loads.len() >= 5, "{page}: {loads:?}");
        for load in loads {
            all += weight(load).await;
        }
        assert!(all <= MAX_PAGE, "{page}: {all}");
        println!("{page}: {all} bytes, compressed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_compressed_for_those_who_can_read_it() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let request = Request::get("/").header("accept-encoding", "gzip");
    let answer = client.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.header("content-encoding"), "gzip");
    assert!(answer.body.len() < client.get("/").await.body.len() / 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_arena_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let arena = flipside_store::Arena::create(folder.path().join("arena")).unwrap();
    let client = Client::new(arena);
    let home = client.get("/").await;
    let says = "Nothing has been played here yet";
    assert!(home.text().contains(says), "{}", home.text());
    assert!(!home.text().contains("<code>"), "{}", home.text());
    for (address, says) in [
        ("/tournaments", "no tournaments yet"),
        ("/bots", "no bots yet"),
        ("/ratings", "No bot is rated yet"),
        ("/matches", "no match like that was played yet"),
    ] {
        let page = client.get(address).await;
        assert!(page.text().contains(says), "{address}: {}", page.text());
    }
    for (address, answer) in crawl(&client).await {
        assert_eq!(answer.status, StatusCode::OK, "{address}");
    }
}
