//! Replays in a real browser, from a file and without a network.

use flipside_games::{GAMES, Viewer};
use flipside_operations::MatchReplay;
use flipside_site::replay_page;
use serde_json::{Value, json};

use crate::browser::TestBrowser;
use crate::played::WantedMatch;

/// Keys as WebDriver names them.
const HOME: char = '\u{e011}';
const END: char = '\u{e010}';
const LEFT: char = '\u{e012}';
const RIGHT: char = '\u{e014}';

/// Whether the board number `arguments[1]` is the drawing `arguments[0]`.
const IS_SHOWN: &str = "const box = document.createElement('div'); box.innerHTML = arguments[0]; \
    const board = document.querySelectorAll('.board svg')[arguments[1]]; \
    return !!board && box.firstElementChild.isEqualNode(board);";

const IS_LIVE: &str = "return !!document.querySelector('.replay.is-live')";

/// A match as a file that is open in a browser.
struct Opened {
    replay: MatchReplay,
    browser: TestBrowser,
}

impl Opened {
    fn new(browser: TestBrowser, record: &str) -> Self {
        let replay = MatchReplay::read(record, Viewer::Open).unwrap();
        let path = browser.folder().join(format!("{}.html", replay.header.id));
        std::fs::write(&path, replay_page(&replay).unwrap()).unwrap();
        browser.open(&format!("file://{}", path.display()));
        browser.wait("the script starts", IS_LIVE, &[]);
        Opened { replay, browser }
    }

    /// Waits until a board shows what a viewer sees after a step.
    fn shows(&self, step: usize, viewer: Viewer, board: usize) {
        let drawing = self.replay.frames().unwrap().svg(step, viewer).unwrap();
        let what = format!("{} step {step}", self.replay.header.id);
        self.browser
            .wait(&what, IS_SHOWN, &[drawing.into(), board.into()]);
    }

    fn is_at(&self, step: usize) {
        let at = self.browser.run(
            "return [location.hash, document.querySelector('.said').textContent, \
             document.querySelector('.moves [aria-current]').textContent.replace(/^\\d+ /, ''), \
             Number(document.querySelector('input[type=range]').value)]",
            &[],
        );
        let said = self.replay.sentence(&self.replay.steps[step]);
        assert_eq!(at, json!([format!("#step={step}"), said, said, step]));
    }
}

#[test]
fn one_match_of_each_game_steps_to_its_end_without_a_network() {
    let mut browser = TestBrowser::desk(&[]);
    for game in GAMES {
        let seats = game.info().seats[0];
        let record = WantedMatch::brief(*game, seats, 21).played();
        let opened = Opened::new(browser, &record);
        let last = opened.replay.steps.len() - 1;
        opened.shows(last, Viewer::Open, 0);
        opened.browser.press(&[HOME]);
        opened.is_at(0);
        opened.shows(0, Viewer::Open, 0);
        opened.browser.press(&[RIGHT; 3]);
        opened.is_at(3);
        opened.shows(3, Viewer::Open, 0);
        opened.browser.press(&[LEFT]);
        opened.is_at(2);
        opened.shows(2, Viewer::Open, 0);
        opened.browser.press(&vec![RIGHT; last - 2]);
        opened.is_at(last);
        opened.shows(last, Viewer::Open, 0);
        let loaded = opened.browser.run(
            "return performance.getEntriesByType('resource').length",
            &[],
        );
        assert_eq!(loaded, 0);
        assert_eq!(opened.browser.complaints(), json!([]));
        browser = opened.browser;
    }
}

#[test]
fn every_view_of_hidden_cards_can_be_seen_alone_and_beside_the_others() {
    let game = GAMES.iter().find(|game| game.info().secrets).unwrap();
    let record = WantedMatch::brief(*game, 2, 22).played();
    let browser = TestBrowser::desk(&["--force-prefers-reduced-motion"]);
    let opened = Opened::new(browser, &record);
    opened.browser.press(&[HOME, RIGHT, RIGHT, RIGHT]);
    for viewer in [Viewer::Public, Viewer::Seat(0), Viewer::Seat(1)] {
        opened.browser.press(&['v']);
        opened.shows(3, viewer, 0);
    }
    opened.browser.press(&['v', RIGHT]);
    for (board, viewer) in opened.replay.viewers().into_iter().enumerate() {
        opened.shows(4, viewer, board);
    }
    assert_eq!(opened.browser.complaints(), json!([]));
}

#[test]
fn keys_clicks_the_address_and_playing_lead_to_steps() {
    let game = GAMES.iter().find(|game| game.info().id == "flip4").unwrap();
    let record = WantedMatch::brief(*game, 2, 23).played();
    let opened = Opened::new(TestBrowser::desk(&[]), &record);
    let chance: Vec<usize> = (0..opened.replay.steps.len())
        .filter(|&step| opened.replay.steps[step].kind == flipside_operations::StepKind::Chance)
        .collect();
    opened.browser.press(&[HOME, 'c', 'c']);
    opened.is_at(chance[1]);
    opened.browser.press(&['C']);
    opened.is_at(chance[0]);
    opened.browser.press(&['f']);
    let said = opened
        .browser
        .run("return document.querySelector('.said').textContent", &[]);
    assert_eq!(said, "There is no fault after this step.");
    opened
        .browser
        .run("document.querySelectorAll('.moves a')[5].click()", &[]);
    opened.is_at(5);
    opened.browser.run("location.hash = '#step=7'", &[]);
    opened.browser.wait(
        "the address",
        "return document.querySelector('output').textContent.startsWith('7 ')",
        &[],
    );
    opened.is_at(7);
    for (name, step) in [
        ("First step", 0),
        ("Next step", 1),
        ("Previous step", 0),
        ("Last step", opened.replay.steps.len() - 1),
    ] {
        let click = "document.querySelector(`button[aria-label='${arguments[0]}']`).click()";
        opened.browser.run(click, &[name.into()]);
        opened.is_at(step);
    }
    // Playing at the end begins again, and stops at the end.
    let fast = "const speed = document.querySelector('[data-set=speed]'); speed.value = '10'; \
                speed.dispatchEvent(new Event('change', { bubbles: true }))";
    opened.browser.run(fast, &[]);
    opened.browser.press(&[' ']);
    let is_playing = "return !!document.querySelector('.is-playing [aria-label=Pause]')";
    assert_eq!(opened.browser.run(is_playing, &[]), true);
    opened.browser.press(&[' ']);
    assert_eq!(opened.browser.run(is_playing, &[]), false);
    opened.browser.press(&[END, LEFT, LEFT, ' ']);
    opened.browser.wait(
        "the end",
        "return !document.querySelector('.is-playing')",
        &[],
    );
    opened.is_at(opened.replay.steps.len() - 1);
    assert_eq!(opened.browser.complaints(), json!([]));
}

#[test]
fn a_phone_shows_everything_within_its_width_and_hostile_names_do_nothing() {
    let hostile = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">";
    let mut browser = TestBrowser::phone(360, 740);
    for game in GAMES {
        let wanted = WantedMatch {
            name: hostile,
            note: Some(hostile),
            ..WantedMatch::brief(*game, *game.info().seats.last().unwrap(), 24)
        };
        let opened = Opened::new(browser, &wanted.played());
        let widths = opened.browser.run(
            "const page = document.documentElement; return [innerWidth, page.clientWidth, page.scrollWidth]",
            &[],
        );
        assert_eq!(widths, json!([360, 360, 360]), "{}", game.info().id);
        assert_ne!(
            opened.browser.run("return document.title", &[]),
            Value::from("taken")
        );
        let images = opened.browser.run("return document.images.length", &[]);
        assert_eq!(images, 0);
        browser = opened.browser;
    }
}
