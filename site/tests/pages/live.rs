//! What lands while a site is open.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use flipside_site::SiteLimits;
use http_body_util::BodyExt;

use crate::arena::Small;
use crate::client::{Client, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_page_changes_when_a_match_has_landed_and_not_before() {
    let own = Small::empty();
    own.play("first", "flipfour", "rounds = 1", &["ada", "bob"]);
    let client = Client::new(own.arena());
    client.site.look().await.unwrap();
    let before = client.get("/").await;
    client.site.look().await.unwrap();
    let same = client.get("/").await;
    assert_eq!(before.header("etag"), same.header("etag"));
    own.play("second", "flipfour", "rounds = 1", &["ada", "bob"]);
    let kept = client.get("/").await;
    assert_eq!(
        kept.header("etag"),
        before.header("etag"),
        "nobody has looked"
    );
    client.site.look().await.unwrap();
    let after = client.get("/").await;
    assert_ne!(after.header("etag"), before.header("etag"));
    assert!(after.text().contains("/tournaments/second"));
    let figures = client.get("/metrics").await;
    let figures = figures.text();
    assert!(figures.contains("flipside_changes 2\n"), "{figures}");
    assert!(
        figures.contains("flipside_pages_made_total 2\n"),
        "{figures}"
    );
    assert!(
        figures.contains("flipside_pages_reused_total 2\n"),
        "{figures}"
    );
    assert!(
        figures.contains("flipside_http_requests_total{route=\"/\",status=\"200\"} 4"),
        "{figures}"
    );
    assert!(figures.trim_end().ends_with("# EOF"), "{figures}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_takes_long_is_shown_as_it_was_and_renewed() {
    let own = Small::empty();
    own.play("first", "flipfour", "rounds = 1", &["ada", "bob"]);
    let limits = SiteLimits {
        made_at_once: Duration::ZERO,
        ..SiteLimits::default()
    };
    let client = Client::with(own.arena(), limits);
    client.site.look().await.unwrap();
    let before = client.get("/tournaments").await;
    own.play("second", "flipfour", "rounds = 1", &["ada", "bob"]);
    client.site.look().await.unwrap();
    let stale = client.get("/tournaments").await;
    assert_eq!(stale.header("etag"), before.header("etag"));
    // It is renewed in its own time.
    until("it is renewed", async || {
        let page = client.get("/tournaments").await;
        page.text().contains("/tournaments/second")
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_nobody_has_asked_for_does_not_wait_for_ratings_that_take_long() {
    let own = Small::empty();
    own.play("first", "flipfour", "rounds = 1", &["ada", "bob"]);
    let limits = SiteLimits {
        made_at_once: Duration::ZERO,
        ..SiteLimits::default()
    };
    let client = Client::with(own.arena(), limits);
    client.site.look().await.unwrap();
    let before = client.get("/ratings/flipfour").await;
    assert_eq!(before.header("x-stale"), "0");
    own.play("second", "flipfour", "rounds = 3", &["ada", "bob"]);
    client.site.look().await.unwrap();
    let new = client.get("/bots/ada").await;
    assert_eq!(new.header("x-stale"), "1", "{}", new.text());
    // It is not old, so it does not say so.
    assert!(!new.text().contains("data-old"));
    until("the ratings are there", async || {
        client.get("/bots/ada").await.header("x-stale") == "0"
    })
    .await;
    let now = client.get("/bots/ada").await;
    let due = Client::new(own.arena());
    due.site.look().await.unwrap();
    assert_eq!(now.text(), due.get("/bots/ada").await.text());
    assert_ne!(now.text(), new.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_shown_as_it_was_long_ago_says_so_until_it_is_made_anew() {
    let own = Small::empty();
    own.play("first", "flipfour", "rounds = 1", &["ada", "bob"]);
    let limits = SiteLimits {
        made_at_once: Duration::ZERO,
        old_page: Duration::ZERO,
        ..SiteLimits::default()
    };
    let client = Client::with(own.arena(), limits);
    for page in ["/ratings/flipfour", "/tournaments/first"] {
        client.site.look().await.unwrap();
        let before = client.get(page).await;
        own.play(
            &page.replace('/', ""),
            "flipfour",
            "rounds = 1",
            &["ada", "bob"],
        );
        client.site.look().await.unwrap();
        let old = client.get(page).await;
        assert_ne!(old.header("etag"), before.header("etag"));
        let (old, before) = (old.text(), before.text());
        let note = old.split("<p class=\"note\" role=\"status\">").nth(1);
        let (note, rest) = note.unwrap().split_once("</p>\n").unwrap();
        assert!(note.starts_with("This page was made <time"), "{note}");
        assert!(old.contains("data-old") && !before.contains("data-old"));
        assert_eq!(rest, before.split("tabindex=\"-1\">\n").nth(1).unwrap());
        // Once it was made anew, it says nothing.
        until("it is made anew", async || {
            !client.get(page).await.text().contains("data-old")
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn listeners_hear_what_changed_until_the_site_stops_and_are_bounded() {
    let small = Small::shared();
    let limits = SiteLimits {
        listeners: 2,
        ..SiteLimits::default()
    };
    let client = Client::with(small.arena(), limits);
    let listen = async || {
        client
            .ask(Request::get("/live").body(Body::empty()).unwrap())
            .await
    };
    let mut first = listen().await;
    assert_eq!(first.headers()["content-type"], "text/event-stream");
    let second = listen().await;
    assert_eq!([first.status(), second.status()], [StatusCode::OK; 2]);
    let third = client.get("/live").await;
    assert_eq!(third.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(third.header("retry-after"), "30");
    drop(second);
    assert_eq!(listen().await.status(), StatusCode::OK);

    client.site.look().await.unwrap();
    let frame = first.body_mut().frame().await.unwrap().unwrap();
    let told = String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap();
    assert!(
        told.contains("event: news\n") && told.contains("\"version\":"),
        "{told}"
    );
    client.site.stop();
    while let Some(frame) = first.body_mut().frame().await {
        assert!(frame.is_ok());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn health_says_whether_the_journal_can_be_read() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let health = client.get("/healthz").await;
    assert_eq!((health.status, health.text()), (StatusCode::OK, "ok\n"));
}
