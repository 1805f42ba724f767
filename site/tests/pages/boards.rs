//! Tournaments that the server plays, and who watches them.

use std::path::Path;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use flipside_operations::{Processes, Submission, submit};
use flipside_site::Limits;
use flipside_site::host::Rank;
use flipside_tournament::TournamentSpec;
use http_body_util::BodyExt;

use crate::arena::Small;
use crate::client::Client;

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Enters the bots of an arena, and begins a tournament that lasts a while.
fn begin(own: &Small, client: &Client) {
    for name in ["ada", "bob"] {
        let file = own.folder.path().join("bots").join(name);
        enter(&own.path(), &file);
    }
    let text = "game = \"flipfour\"\nbots = [\"ada\", \"bob\"]\nname = \"long\"\nrounds = 500\n\
                clock = \"move=10s,start=20s\"";
    let spec = TournamentSpec::from_toml(text).unwrap();
    let host = client.site.host();
    host.begin(&spec, Rank::Tournament).unwrap();
    host.start().unwrap();
}

fn enter(arena: &Path, file: &Path) {
    let submission = Submission {
        file,
        name: None,
        games: &["flipfour".into()],
        clock: "move=10s,start=20s".parse().unwrap(),
        processes: Processes::default(),
    };
    submit(arena, &submission, |_| Ok(())).unwrap();
}

/// An arena in which nothing is played yet, its site, and what plays in it.
async fn playing(limits: Limits) -> (Small, Client) {
    let own = Small::empty();
    own.play("over", "flipfour", "rounds = 1", &["ada", "bob"]);
    let client = Client::with(own.arena(), limits);
    let begin = || begin(&own, &client);
    std::thread::scope(|scope| scope.spawn(begin).join().unwrap());
    (own, client)
}

async fn watch(client: &Client, tournament: &str) -> Response {
    let address = format!("/tournaments/{tournament}/boards");
    client
        .ask(Request::get(address).body(Body::empty()).unwrap())
        .await
}

/// The next event that a watcher is sent.
async fn event(response: &mut Response) -> String {
    let frame = response.body_mut().frame();
    let frame = tokio::time::timeout(PATIENCE, frame).await;
    let frame = frame.expect("an event in time").expect("an event");
    String::from_utf8(frame.unwrap().into_data().unwrap().to_vec()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn who_watches_sees_the_boards_move_and_nothing_else_is_drawn() {
    let (_own, client) = playing(Limits::default()).await;
    let mut watching = watch(&client, "long").await;
    assert_eq!(watching.headers()["content-type"], "text/event-stream");
    assert_eq!(watching.headers()["cache-control"], "no-cache");
    let begun = Instant::now();
    let mut boards = Vec::new();
    while boards.len() < 3 {
        assert!(begun.elapsed() < PATIENCE, "{boards:?}");
        let told = event(&mut watching).await;
        assert!(told.starts_with("event: piece\ndata: "), "{told}");
        assert!(
            told.ends_with("\n\n") && !told.trim_end().contains("\n\n"),
            "{told}"
        );
        if told.contains("<svg") {
            assert!(
                told.contains("id=\"board-1\"") && told.contains("ada@1"),
                "{told}"
            );
            boards.push(told);
        }
    }
    assert!(boards[0] != boards[1] && boards[1] != boards[2]);

    let mut other = watch(&client, "over").await;
    let told = event(&mut other).await;
    assert!(
        told.contains("does not play the tournament") && !told.contains("<svg"),
        "{told}"
    );

    let page = client.get("/tournaments/long/live").await;
    assert_eq!(page.status, StatusCode::OK);
    let text = page.text();
    assert!(
        text.contains("data-pieces=\"/tournaments/long/boards\""),
        "{text}"
    );
    assert!(text.contains("<svg") && text.len() < 100_000, "{text}");
    client.site.look().await.unwrap();
    let tournament = client.get("/tournaments/long").await;
    assert!(tournament.text().contains("/tournaments/long/live"));
    assert_eq!(
        client.get("/tournaments/none/live").await.status,
        StatusCode::NOT_FOUND
    );

    // A stop of the site ends what would never end by itself.
    client.site.stop();
    while let Some(frame) = watching.body_mut().frame().await {
        assert!(frame.is_ok());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn watchers_are_bounded() {
    let own = Small::empty();
    own.play("over", "flipfour", "rounds = 1", &["ada", "bob"]);
    let limits = Limits {
        listeners: 1,
        ..Limits::default()
    };
    let client = Client::with(own.arena(), limits);
    let first = watch(&client, "over").await;
    assert_eq!(first.status(), StatusCode::OK);
    assert_eq!(
        watch(&client, "over").await.status(),
        StatusCode::SERVICE_UNAVAILABLE
    );
    drop(first);
    assert_eq!(watch(&client, "over").await.status(), StatusCode::OK);
}
