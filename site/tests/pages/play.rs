//! People who play against bots in the browser.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, StatusCode};
use flipside_games::GAMES;
use flipside_referee::verify;
use flipside_site::Limits;

use crate::arena::Small;
use crate::client::{Answer, Client};

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(300);

async fn post(client: &Client, address: &str, form: &str) -> Answer {
    let request = Request::post(address)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(form.to_owned()))
        .unwrap();
    client.send(request).await
}

/// Begins a match, and returns the address of its table.
async fn begin(client: &Client, form: &str) -> String {
    let begun = post(client, "/play", form).await;
    assert_eq!(begun.status, StatusCode::SEE_OTHER, "{}", begun.text());
    begun.header("location").to_owned()
}

/// The value of an attribute behind a piece of text.
fn value_after<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once('"').map(|(value, _)| value)
}

/// The table when the person is asked, or when it is over.
async fn asked(client: &Client, table: &str) -> String {
    let begun = Instant::now();
    loop {
        let page = client.get(table).await;
        assert_eq!(page.status, StatusCode::OK);
        assert_eq!(page.header("cache-control"), "private, no-store");
        let text = page.text();
        let is_over = text.contains("/record\"") || text.contains("ended without a result");
        if is_over || text.contains("name=\"question\"") {
            return text.to_owned();
        }
        assert!(begun.elapsed() < PATIENCE, "{text}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Plays a match to its end with the first action that is offered, and returns the page of its end.
async fn play_on(client: &Client, table: &str) -> String {
    loop {
        let text = asked(client, table).await;
        let Some(question) = value_after(&text, "name=\"question\" value=\"") else {
            return text;
        };
        let picked = value_after(&text, "<button name=\"action\" value=\"")
            .or_else(|| value_after(&text, "<option value=\""));
        let picked = percent(picked.expect("there is an action"));
        let field = if text.contains("id=\"sitting-typed\"") {
            "typed"
        } else {
            "action"
        };
        let form = format!("question={question}&{field}={picked}");
        let acted = post(client, &format!("{table}/act"), &form).await;
        assert_eq!(acted.status, StatusCode::SEE_OTHER);
        // What is sent twice counts once.
        post(client, &format!("{table}/act"), &form).await;
    }
}

/// A value of a page as a form has it.
fn percent(value: &str) -> String {
    let value = value
        .replace("&#62;", ">")
        .replace("&#60;", "<")
        .replace("&#38;", "&");
    value.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_plays_every_game_to_its_end_and_takes_a_record_that_verifies() {
    let small = Small::shared();
    let limits = Limits {
        sittings: GAMES.len(),
        sitting_time: PATIENCE,
        ..Limits::default()
    };
    let client = Client::with(small.arena(), limits);
    let games = GAMES.iter().map(async |game| {
        let id = game.info().id;
        let most = *game.info().seats.iter().max().unwrap();
        let options = percent(&game.brief());
        let form = if most == 2 {
            format!("game={id}&bots=ada&options={options}")
        } else {
            format!("game={id}&bots=ada,bob&seat=1&seats={most}&options={options}")
        };
        let table = begin(&client, &form).await;
        let end = play_on(&client, &table).await;
        assert!(end.contains("<svg"), "{id}: {end}");
        let record = client.get(&format!("{table}/record")).await;
        assert_eq!(record.status, StatusCode::OK, "{id}: {end}");
        assert!(record.text().contains("\"person\""), "{id}");
        verify(record.text()).unwrap_or_else(|error| panic!("{id}: {error}"));
    });
    futures_util::future::join_all(games).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_legal_is_refused_and_leaving_loses() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let table = begin(&client, "game=flipfour&bots=ada&seat=0").await;
    let text = asked(&client, &table).await;
    let question = value_after(&text, "name=\"question\" value=\"")
        .unwrap()
        .to_owned();
    let wrong = format!("question={question}&typed=%3Cscript%3Ealert(1)%3C/script%3E");
    post(&client, &format!("{table}/act"), &wrong).await;
    let begun = Instant::now();
    let refused = loop {
        let text = asked(&client, &table).await;
        if text.contains("role=\"alert\"") {
            break text;
        }
        assert!(begun.elapsed() < PATIENCE, "{text}");
    };
    assert!(!refused.contains("<script>alert"), "{refused}");
    let still = value_after(&refused, "name=\"question\" value=\"");
    assert_eq!(still, Some(&*question));
    post(
        &client,
        &format!("{table}/leave"),
        &format!("question={question}"),
    )
    .await;
    let begun = Instant::now();
    let end = loop {
        let text = asked(&client, &table).await;
        if text.contains("/record\"") {
            break text;
        }
        assert!(begun.elapsed() < PATIENCE, "{text}");
    };
    assert!(end.contains("You have lost"), "{end}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_that_does_not_fit_says_why_and_no_word_is_a_path() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let path = small.folder.path().join("bots/ada");
    let path = percent(path.to_str().unwrap());
    for (form, told) in [
        ("game=chess&bots=ada", "chess"),
        ("game=flipfour&bots=", "do not fit"),
        ("game=flipfour&bots=ada,bob", "do not fit"),
        ("game=flipfour&bots=ada&seat=2", "there is no seat 2"),
        (
            "game=flipfour&bots=ada&seat=x",
            "your seat is a small number",
        ),
        ("game=flipfour&bots=nobody", "nobody"),
        ("game=flip4&bots=ada&seats=200", "do not fit"),
        ("game=flipfour&bots=ada&options=%7B%22x%22:1%7D", "x"),
        (&format!("game=flipfour&bots={path}"), "is no bot"),
    ] {
        let refused = post(&client, "/play", form).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{form}");
        assert!(refused.text().contains(told), "{form}: {}", refused.text());
    }
    let unknown = client.get("/play/00000000000000000000000000000000").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn people_are_bounded_and_who_thinks_too_long_is_waited_for_no_more() {
    let small = Small::shared();
    let limits = Limits {
        sittings: 1,
        sitting_time: Duration::from_millis(200),
        ..Limits::default()
    };
    let client = Client::with(small.arena(), limits);
    let first = begin(&client, "game=flipfour&bots=ada&seat=0").await;
    let second = post(&client, "/play", "game=flipfour&bots=ada").await;
    assert_eq!(second.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(second.text().contains("no more can"), "{}", second.text());
    let begun = Instant::now();
    while !client
        .get(&first)
        .await
        .text()
        .contains("ended without a result")
    {
        assert!(begun.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let third = begin(&client, "game=flipfour&bots=ada").await;
    assert_ne!(third, first);
}
