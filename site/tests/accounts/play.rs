//! People who play against bots in the browser.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Method, StatusCode};
use flipside_games::GAMES;
use flipside_referee::{Record, verify};
use flipside_site::{AccountSettings, SiteLimits};

use crate::bots;
use crate::browser::{Browser, BrowserAnswer, TestSite, open};

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(450);

/// The seed of a match.
const SEED: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

async fn post(browser: &mut Browser<'_>, word: &str, address: &str, form: &str) -> BrowserAnswer {
    let request = browser
        .request(Method::POST, address)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(format!("{form}&word={word}")))
        .unwrap();
    browser.send(request).await
}

/// Begins a match, and returns the address of its table.
async fn begin(browser: &mut Browser<'_>, word: &str, form: &str) -> String {
    let begun = post(browser, word, "/play", form).await;
    assert_eq!(begun.status, StatusCode::SEE_OTHER, "{}", begun.text());
    begun.header("location").to_owned()
}

/// The value of an attribute behind a piece of text.
fn value_after<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once('"').map(|(value, _)| value)
}

/// The table when the person is asked, or when it is over.
async fn asked(browser: &mut Browser<'_>, table: &str) -> String {
    let begun = Instant::now();
    loop {
        let page = browser.get(table).await;
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
async fn play_on(browser: &mut Browser<'_>, word: &str, table: &str) -> String {
    loop {
        let text = asked(browser, table).await;
        let Some(question) = value_after(&text, "name=\"question\" value=\"") else {
            return text;
        };
        let picked = value_after(&text, "<button name=\"action\" value=\"")
            .or_else(|| value_after(&text, "<option value=\""));
        let picked = percent(picked.expect("there is an action"));
        let field = if text.contains("id=\"session-typed\"") {
            "typed"
        } else {
            "action"
        };
        let form = format!("question={question}&{field}={picked}");
        let acted = post(browser, word, &format!("{table}/act"), &form).await;
        assert_eq!(acted.status, StatusCode::SEE_OTHER);
        // What is sent twice counts once.
        post(browser, word, &format!("{table}/act"), &form).await;
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
    let limits = SiteLimits {
        play_sessions: GAMES.len(),
        play_session_time: PATIENCE,
        ..SiteLimits::default()
    };
    let site = TestSite::with(limits, open());
    bots::enter(&site);
    let games = GAMES.iter().map(async |game| {
        let id = game.info().id;
        let (mut browser, _) = site.person(&format!("player-of-{id}")).await;
        let word = browser.word().await;
        let most = *game.info().seats.iter().max().unwrap();
        let options = percent(&game.brief());
        let form = if most == 2 {
            format!("game={id}&bots=ada&options={options}")
        } else {
            format!("game={id}&bots=ada,bob&seat=1&seats={most}&options={options}")
        };
        let table = begin(&mut browser, &word, &form).await;
        let end = play_on(&mut browser, &word, &table).await;
        assert!(end.contains("<svg"), "{id}: {end}");
        let record = browser.get(&format!("{table}/record")).await;
        assert_eq!(record.status, StatusCode::OK, "{id}: {end}");
        assert!(record.text().contains("\"person\""), "{id}");
        verify(record.text()).unwrap_or_else(|error| panic!("{id}: {error}"));
    });
    futures_util::future::join_all(games).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_given_seed_repeats_a_match_and_its_record_is_not_signed() {
    let site = TestSite::open();
    bots::enter(&site);
    site.arena().make_key().unwrap();
    let (mut ada, _) = site.person("ada").await;
    let word = ada.word().await;
    let form = "game=flip4&bots=ada&options=%7B%22max_turns%22:20%7D";
    let mut events = Vec::new();
    for given in [None, Some(SEED), Some(SEED)] {
        let seed = given.map(|seed| format!("&seed=+{seed}+"));
        let form = format!("{form}{}", seed.unwrap_or_default());
        let table = begin(&mut ada, &word, &form).await;
        play_on(&mut ada, &word, &table).await;
        let record = ada.get(&format!("{table}/record")).await.text().to_owned();
        verify(&record).unwrap();
        assert_eq!(record.contains(SEED), given.is_some(), "{record}");
        let signer = Record::read(&record).unwrap().signer;
        assert_eq!(signer.is_none(), given.is_some(), "{record}");
        let chance = record.lines().filter(|line| line.contains("\"chance\""));
        events.push(chance.map(str::to_owned).collect::<Vec<_>>());
    }
    // Who begins and each roll, as far as both matches go: a bot that a busy machine makes late ends one early.
    let both: Vec<_> = events[1].iter().zip(&events[2]).collect();
    assert!(both.len() >= 2, "{events:?}");
    assert!(both.iter().all(|(one, other)| one == other), "{both:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_legal_is_refused_leaving_loses_and_a_seat_is_one_persons() {
    let site = TestSite::open();
    bots::enter(&site);
    let (mut ada, _) = site.person("ada").await;
    let word = ada.word().await;
    let table = begin(&mut ada, &word, "game=flipfour&bots=ada&seat=0").await;
    // Who leaves the page finds the match again.
    let open = format!("href=\"{table}\">Go on with FlipFour</a>");
    assert!(ada.get("/play").await.text().contains(&open));
    let text = asked(&mut ada, &table).await;
    let question = value_after(&text, "name=\"question\" value=\"")
        .unwrap()
        .to_owned();
    let act = format!("{table}/act");

    let (mut eve, _) = site.person("eve").await;
    let eves = eve.word().await;
    for address in [
        table.clone(),
        format!("{table}/pieces"),
        format!("{table}/record"),
    ] {
        assert_eq!(
            eve.get(&address).await.status,
            StatusCode::NOT_FOUND,
            "{address}"
        );
    }
    let hers = format!("question={question}&action=1");
    assert_eq!(
        post(&mut eve, &eves, &act, &hers).await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        post(&mut ada, &eves, &act, &hers).await.status,
        StatusCode::FORBIDDEN
    );

    let wrong = format!("question={question}&typed=%3Cscript%3Ealert(1)%3C/script%3E");
    post(&mut ada, &word, &act, &wrong).await;
    let begun = Instant::now();
    let refused = loop {
        let text = asked(&mut ada, &table).await;
        if text.contains("role=\"alert\"") {
            break text;
        }
        assert!(begun.elapsed() < PATIENCE, "{text}");
    };
    assert!(!refused.contains("<script>alert"), "{refused}");
    let still = value_after(&refused, "name=\"question\" value=\"");
    assert_eq!(still, Some(&*question));
    let leave = format!("{table}/leave");
    // Giving up is asked once more, and who does not mean it plays on.
    let asks = post(&mut ada, &word, &leave, &format!("question={question}")).await;
    assert_eq!(asks.status, StatusCode::OK);
    assert!(asks.text().contains("You lose this match of FlipFour"));
    assert!(asks.text().contains("name=\"sure\" value=\"true\""));
    let refused = post(&mut eve, &eves, &leave, &format!("question={question}")).await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
    assert!(asked(&mut ada, &table).await.contains("name=\"question\""));
    let sure = format!("question={question}&sure=true");
    post(&mut ada, &word, &leave, &sure).await;
    let begun = Instant::now();
    let end = loop {
        let text = asked(&mut ada, &table).await;
        if text.contains("/record\"") {
            break text;
        }
        assert!(begun.elapsed() < PATIENCE, "{text}");
    };
    assert!(end.contains("<strong>You gave up</strong>."), "{end}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_that_does_not_fit_says_why_and_no_word_is_a_path() {
    let site = TestSite::open();
    bots::enter(&site);
    let (mut ada, _) = site.person("ada").await;
    let word = ada.word().await;
    let path = site.folder.path().join("ada");
    let path = percent(path.to_str().unwrap());
    for (form, told) in [
        ("game=chess&bots=ada", "chess"),
        ("game=flipfour&bots=", "do not fit"),
        ("game=flipfour&bots=ada,bob", "do not fit"),
        ("game=flipfour&bots=ada&seat=2", "There is no seat 2"),
        (
            "game=flipfour&bots=ada&seat=x",
            "This is not a whole number",
        ),
        ("game=flipfour&bots=nobody", "nobody"),
        ("game=flip4&bots=ada&seats=200", "do not fit"),
        ("game=flipfour&bots=ada&options=%7B%22x%22:1%7D", "x"),
        (&format!("game=flipfour&bots={path}"), "is no bot"),
    ] {
        let refused = post(&mut ada, &word, "/play", form).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{form}");
        assert!(refused.text().contains(told), "{form}: {}", refused.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_plays_against_built_in_bots_where_the_organiser_allows_it() {
    let limits = SiteLimits {
        play_sessions: 2,
        play_session_time: PATIENCE,
        ..SiteLimits::default()
    };
    let site = TestSite::with(limits.clone(), open());
    bots::enter(&site);
    let mut guest = site.browser();
    let page = guest.get("/play?game=flipfour").await;
    assert!(
        page.text().contains("value=\"flipfour\" selected"),
        "{}",
        page.text()
    );
    assert!(!page.text().contains("value=\"ada\""), "{}", page.text());
    let word = value_after(page.text(), "name=\"word\" value=\"")
        .unwrap()
        .to_owned();
    let form = "game=flipfour&bots=sample:random&options=%7B%22max_plies%22:4%7D";
    for (bots, told) in [
        ("ada", "built-in bots"),
        ("sample:random,./x", "built-in bots"),
    ] {
        let refused = post(
            &mut guest,
            &word,
            "/play",
            &format!("game=flipfour&bots={bots}"),
        )
        .await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
        assert!(refused.text().contains(told), "{}", refused.text());
    }
    let table = begin(&mut guest, &word, form).await;
    // It is its guest's alone.
    let mut other = site.browser();
    other.get("/play").await;
    assert_eq!(other.get(&table).await.status, StatusCode::NOT_FOUND);
    assert_eq!(
        post(&mut other, &word, "/play", form).await.status,
        StatusCode::FORBIDDEN
    );
    let mut nobody = site.browser();
    assert_eq!(
        post(&mut nobody, &word, "/play", form).await.status,
        StatusCode::FORBIDDEN
    );
    let end = play_on(&mut guest, &word, &table).await;
    assert!(end.contains("<svg"), "{end}");
    let record = guest.get(&format!("{table}/record")).await;
    verify(record.text()).unwrap();

    let settings = AccountSettings {
        no_guests: true,
        ..open()
    };
    let site = TestSite::with(limits, settings);
    let sent = site.browser().get("/play").await;
    assert_eq!(sent.header("location"), "/sign-in?next=%2Fplay");
}

#[tokio::test(flavor = "multi_thread")]
async fn people_are_bounded() {
    let limits = SiteLimits {
        play_sessions: 3,
        play_session_time: PATIENCE,
        ..SiteLimits::default()
    };
    let site = TestSite::with(limits, open());
    bots::enter(&site);
    let (mut ada, _) = site.person("ada").await;
    let (mut eve, _) = site.person("eve").await;
    let (adas, eves) = (ada.word().await, eve.word().await);
    let form = "game=flipfour&bots=ada&seat=0";
    begin(&mut ada, &adas, form).await;
    begin(&mut ada, &adas, form).await;
    let third = post(&mut ada, &adas, "/play", form).await;
    assert_eq!(third.status, StatusCode::TOO_MANY_REQUESTS);
    begin(&mut eve, &eves, form).await;
    let fourth = post(&mut eve, &eves, "/play", form).await;
    assert_eq!(fourth.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(
        fourth.text().contains("places are taken"),
        "{}",
        fourth.text()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_thinks_too_long_is_waited_for_no_more() {
    let limits = SiteLimits {
        play_sessions: 1,
        play_session_time: Duration::from_millis(500),
        ..SiteLimits::default()
    };
    let site = TestSite::with(limits, open());
    bots::enter(&site);
    let (mut ada, _) = site.person("ada").await;
    let word = ada.word().await;
    let form = "game=flipfour&bots=ada&seat=0";
    let first = begin(&mut ada, &word, form).await;
    let begun = Instant::now();
    while !ada
        .get(&first)
        .await
        .text()
        .contains("ended without a result")
    {
        assert!(begun.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Its place is free again.
    let again = begin(&mut ada, &word, form).await;
    assert_ne!(again, first);
}

/// A guest with a cookie of its own, and the word of its forms.
async fn guest<'a>(site: &'a TestSite, ip: &str) -> (Browser<'a>, String) {
    let mut guest = site.browser();
    guest.ip = ip.parse().unwrap();
    let page = guest.get("/play").await;
    let word = value_after(page.text(), "name=\"word\" value=\"");
    let word = word.unwrap().to_owned();
    (guest, word)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_signs_in_goes_on_with_the_match_of_the_guest() {
    let site = TestSite::open();
    let (mut browser, guests_word) = guest(&site, "203.0.113.7").await;
    let form = "game=flipfour&bots=sample:random";
    let table = begin(&mut browser, &guests_word, form).await;
    let guests = browser.cookie.clone().unwrap();
    let (ada, _) = site.person("ada").await;
    let session = ada.cookie.clone().unwrap();
    // The browser has both cookies now.
    browser.cookie = Some(format!("{session}; {guests}"));
    let own = browser.get(&table).await;
    assert_eq!(own.status, StatusCode::OK, "{}", own.text());
    let word = browser.word().await;
    assert_ne!(word, guests_word);
    let leave = format!("{table}/leave");
    let asks = post(&mut browser, &word, &leave, "question=1").await;
    assert_eq!(asks.status, StatusCode::OK, "{}", asks.text());
    // Another browser of the account has not seen it.
    browser.cookie = Some(session);
    assert_eq!(browser.get(&table).await.status, StatusCode::NOT_FOUND);
}
