//! From an invitation to the end of a tournament, at a desk and on a phone.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::browser::TestBrowser;
use crate::common::sample;
use crate::person::{BrowserPerson, DAY, PlayedBoard, SCRIPT};

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(400);

#[test]
fn people_and_organisers_do_everything_at_a_desk() {
    everything(1200, || TestBrowser::desk(&["--window-size=1200,900"]));
}

#[test]
#[ignore = "long: the same on a smaller screen"]
fn people_and_organisers_do_everything_on_a_phone() {
    everything(360, || TestBrowser::phone(360, 740));
}

#[test]
fn a_change_that_waits_for_running_matches_shows_by_itself() {
    let place = PlayedBoard::empty();
    let organiser = place.person(TestBrowser::desk(&["--window-size=1200,900"]));
    let browser = &organiser.browser;
    organiser.sign_up(&place.organisers_link(), "cy");
    organiser.submit("slow", &place.sleepy(), "accepted");
    organiser.fill_tournament(
        "slow",
        "",
        "flipflop-3x3",
        "slow, sample:random",
        "1000",
        "move=1h,start=1h",
    );
    let board = "return document.querySelectorAll('.board-live svg').length > 0";
    browser.wait("a board", board, &[]);
    organiser.go("/organiser/tournaments/slow");
    browser.fill("#c-end-why", SCRIPT);
    browser.click("form[action='/organiser/tournaments/slow/cancel'] button");
    browser.wait_for_text("requested: cancelled");
    browser.run("window.isSamePage = true", &[]);
    // Its matches do not end before this, however long the browser takes.
    let begun = Instant::now();
    while !browser.text().contains("The tournament: cancelled") {
        assert!(begun.elapsed() < PATIENCE, "{}", browser.text());
        place.wake_the_sleepy();
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(browser.run("return window.isSamePage", &[]), true);
    // What cannot be done any more is not offered.
    assert_eq!(
        browser.run("return document.querySelector('#c-end-why')", &[]),
        Value::Null
    );
    organiser.assert_sound();
    place.end();
}

fn everything(width: u64, browser: impl Fn() -> TestBrowser) {
    let place = PlayedBoard::empty();
    let organiser = place.person(browser());
    assert_eq!(organiser.browser.run("return innerWidth", &[]), width);
    organiser.sign_up(&place.organisers_link(), "cy");
    let author = place.person(browser());
    organiser.go("/organiser");
    organiser.assert_sound();
    author.go(&organiser.invite());
    organiser.assert_sound();
    signs_up(&author);
    submits(&author, &place);
    requests_and_watches(&author);
    plays(&author);
    organiser.go("/organiser/tournaments");
    organiser.assert_sound();
    organiser.begin(
        "cup",
        SCRIPT,
        "flipflop-3x3",
        "eager, packed, sample:random, sample:greedy",
        "200000",
    );
    sees_the_table_change(&author);
    changes(&organiser);
    runs_a_league(&organiser, &author);
    for person in [author, organiser] {
        finds_every_text_harmless(&person);
    }
    place.end();
}

fn signs_up(author: &BrowserPerson) {
    let browser = &author.browser;
    // The browser refuses such a name, and so does the server.
    browser.fill("#name", SCRIPT);
    browser.click("main button");
    let is_refused = "return document.querySelector('#name:invalid') !== null";
    assert_eq!(browser.run(is_refused, &[]), true);
    browser.run("document.querySelector('main form').noValidate = true", &[]);
    browser.click("main button");
    browser.wait_for_text("Choose another name");
    browser.wait_for_text(SCRIPT);
    let refused = browser.complaints().to_string();
    assert!(refused.contains("422"), "{refused}");
    // The form stands there again, with the message at its field.
    let marked = "return document.querySelector('#name').getAttribute('aria-describedby').startsWith('name-wrong ')";
    assert_eq!(browser.run(marked, &[]), true);
    browser.fill("#name", "ada");
    browser.click("main button");
    browser.wait_for_text("This is your token.");
    author.assert_sound();
}

fn submits(author: &BrowserPerson, place: &PlayedBoard) {
    author.submit("packed", &place.bundle(SCRIPT), "accepted");
    author.browser.click("main .lead a");
    author.browser.wait_for_text("packed@1");
    // Its author and its version.
    author.browser.wait_for_text(SCRIPT);
    author.assert_sound();
    author.submit("eager", sample("wat/first.wat").as_ref(), "accepted");
    author.submit("second", &place.slow(), "accepted");
    author.submit("hostile", &place.hostile(), "refused");
    author.browser.wait_for_text(SCRIPT);
    author.assert_sound();
}

fn requests_and_watches(author: &BrowserPerson) {
    let browser = &author.browser;
    author.go("/bots/eager");
    author.go("/request");
    author.choose("#r-game", "flipflop-3x3");
    browser.fill("#r-bots", "packed, eager, second, sample:greedy");
    // As many matches as one may request at a time.
    browser.fill("#r-rounds", "5");
    author.assert_sound();
    browser.click("main button.main");
    // Once: a slow browser may miss what comes after it.
    let board = "return document.querySelectorAll('.board-live svg').length > 0";
    browser.wait("a board", board, &[]);
    author.wait_for_change(".boards");
    author.assert_sound();
    author.go("/matches");
    let link = "#matches-table td a, main table td a[href^='/matches/']";
    browser.wait(
        "a result",
        "if (document.querySelector(arguments[0])) return true; location.reload(); return false",
        &[link.into()],
    );
    browser.click("main table td a[href^='/matches/']");
    browser.wait(
        "the replay",
        "return !!document.querySelector('.replay.is-live')",
        &[],
    );
    browser.click("button[aria-label='First step']");
    browser.click("button[aria-label='Next step']");
    let fills = "const [board, stage] = ['.board svg', '.stage'].map((it) => \
         document.querySelector(`.replay ${it}`).getBoundingClientRect().width); return board > stage - 2";
    browser.wait("the board is as wide as its place", fills, &[]);
    let at = "return Number(document.querySelector('.replay input[type=range]').value) === 1";
    browser.wait("the first step", at, &[]);
    author.assert_sound();
}

fn plays(author: &BrowserPerson) {
    let browser = &author.browser;
    author.go("/play");
    author.choose("#play-game", "flipflop-3x3");
    browser.fill("#play-bots", "eager");
    author.assert_sound();
    browser.click("#play-form button");
    let over = "You have (won|lost)|Draw:|without a result";
    let question = "if (new RegExp(arguments[0]).test(document.querySelector('.turn')?.innerText)) return 'over'; \
         return document.querySelector('.acts [name=question]')?.value ?? ''";
    browser.click(".act-list summary");
    let mut last = String::new();
    let mut count = 0;
    loop {
        let is_next =
            "const ask = (() => { QUESTION })(); return ask !== '' && ask !== arguments[1]";
        let is_next = is_next.replace("QUESTION", question);
        let args = [over.into(), last.as_str().into()];
        browser.wait("the next question or the end", &is_next, &args);
        let asked = browser.run(question, &[over.into()]);
        last = asked.as_str().unwrap().to_owned();
        if last == "over" {
            break;
        }
        author.assert_sound();
        browser.click(".act-buttons button:last-child");
        count += 1;
    }
    assert!(count > 0, "{}", browser.text());
    let end = author.shown(".turn");
    assert!(!end.contains("without a result"), "{end}");
    browser.wait_for_text("Download the record");
    author.assert_sound();
}

fn sees_the_table_change(author: &BrowserPerson) {
    author.go("/tournaments/cup");
    author.browser.wait_for_text(SCRIPT);
    for _ in 0..2 {
        author.wait_for_change("#tables");
    }
    author.assert_sound();
}

fn changes(organiser: &BrowserPerson) {
    let browser = &organiser.browser;
    let form = |verb: &str| format!("form[action='/organiser/tournaments/cup/{verb}']");
    let page = "/organiser/tournaments/cup";
    organiser.go(page);
    organiser.choose("#c-bot", "packed@1");
    browser.click(&format!("{} input[value=disqualify]", form("withdraw")));
    browser.click(&format!("{} button", form("withdraw")));
    browser.wait_for_text("A bot is disqualified for a reason");
    let refused = browser.complaints().to_string();
    assert!(refused.contains("422"), "{refused}");
    organiser.go(page);
    organiser.choose("#c-bot", "packed@1");
    browser.click(&format!("{} input[value=disqualify]", form("withdraw")));
    browser.fill("#c-why", SCRIPT);
    browser.click(&format!("{} button", form("withdraw")));
    browser.wait_for_text("packed@1 is disqualified");
    browser.wait_for_text(SCRIPT);
    organiser.assert_sound();
    browser.fill("#c-rounds", "10");
    browser.fill("#c-longer-why", SCRIPT);
    browser.click(&format!("{} button", form("extend")));
    browser.wait_for_text("extended by 10 rounds");
    browser.fill("#c-end-why", SCRIPT);
    browser.click(&format!("{} button", form("cancel")));
    browser.wait_for_text("The tournament: cancelled");
    organiser.assert_sound();
    organiser.go("/tournaments/cup");
    browser.wait_for_text("cancelled");
    organiser.assert_sound();
    organiser.go("/tournaments");
    organiser.assert_sound();
}

/// A season from its announcement to its end, and another that is cancelled before it starts.
fn runs_a_league(organiser: &BrowserPerson, author: &BrowserPerson) {
    let browser = &organiser.browser;
    let tournament = "spring-s1-flipflop-3x3";
    organiser.make_league(&format!(
        "name = \"spring\"\ntitle = {SCRIPT:?}\ngames = [\"flipflop-3x3\"]\nrounds = 200000\n\
         clock = \"move=5m,start=5m\"\n"
    ));
    organiser.assert_sound();
    author.go("/leagues/spring");
    author.browser.wait_for_text("No season has been announced");
    for bot in ["packed", "eager", "second"] {
        author.enter("spring", bot);
    }
    author.assert_sound();
    organiser.announce("spring", [2, 2, DAY]);
    organiser.assert_sound();
    author.go("/leagues/spring");
    author.browser.wait_for_text(SCRIPT);
    // The page changes by itself when the season starts, and with its results.
    let link = format!("main a[href='/tournaments/{tournament}']");
    let is_there = "return document.querySelector(arguments[0]) !== null";
    author
        .browser
        .wait("the season starts", is_there, &[link.into()]);
    author.wait_for_change("#live-season table");
    author.assert_sound();

    let form = |verb: &str| format!("form[action='/organiser/tournaments/{tournament}/{verb}']");
    organiser.go(&format!("/organiser/tournaments/{tournament}"));
    organiser.choose("#c-bot", "eager@1");
    browser.click(&format!("{} input[value=disqualify]", form("withdraw")));
    browser.fill("#c-why", SCRIPT);
    browser.click(&format!("{} button", form("withdraw")));
    browser.wait_for_text("eager@1 is disqualified");
    browser.fill("#c-rounds", "10");
    browser.click(&format!("{} button", form("extend")));
    browser.wait_for_text("extended by 10 rounds");
    browser.fill("#c-end-why", SCRIPT);
    browser.click(&format!("{} button", form("cancel")));
    browser.wait_for_text("The tournament: cancelled");
    organiser.assert_sound();
    author.browser.wait(
        "the season ends",
        "return document.querySelector('#live-season dd').innerText.startsWith('over')",
        &[],
    );
    let rows = "return document.querySelectorAll('#live-season tbody tr').length";
    assert_eq!(author.browser.run(rows, &[]), 3);
    author.assert_sound();

    organiser.announce("spring", [DAY, 2 * DAY, 3 * DAY]);
    let cancel = "form[action='/organiser/leagues/spring/cancel']";
    browser.fill("#r-spring", SCRIPT);
    browser.click(&format!("{cancel} button"));
    browser.wait_for_text("Announce the next season");
    organiser.assert_sound();
    for page in [
        "/leagues",
        "/leagues/spring",
        "/leagues/spring/seasons/1",
        "/leagues/spring/seasons/2",
        "/organiser",
    ] {
        organiser.go(page);
        organiser.assert_sound();
    }
    organiser.go("/leagues/spring/seasons/2");
    browser.wait_for_text(&format!("cancelled: {SCRIPT}"));
}

/// Pages with what others have written.
fn finds_every_text_harmless(person: &BrowserPerson) {
    for page in [
        "/",
        "/account",
        "/tournaments",
        "/tournaments/cup",
        "/tournaments/cup/rounds",
        "/tournaments/cup/statistics",
        "/matches",
        "/bots",
        "/bots/packed",
        "/ratings/flipflop-3x3",
        "/play",
        "/request",
        "/submit",
    ] {
        person.go(page);
        person.assert_sound();
    }
}
