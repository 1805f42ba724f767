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
    opened.browser.press(&['x']);
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
        // The whole board is seen, also that of a table of cards; such a table can be enlarged, and then scrolls.
        let board = "const { left, right, width } = document.querySelector('.board svg').getBoundingClientRect(); \
            const zoom = document.querySelector('.zoom'); \
            if (arguments[0]) zoom.click(); \
            return [left >= 0 && right <= innerWidth, zoom.checkVisibility(), width > innerWidth]";
        let seen = |is_large: bool| opened.browser.run(board, &[is_large.into()]);
        let is_wide = game.info().id == "phase10-flip";
        assert_eq!(
            seen(false),
            json!([true, is_wide, false]),
            "{}",
            game.info().id
        );
        if is_wide {
            seen(true);
            assert_eq!(seen(true), json!([false, true, true]));
        }
        assert_ne!(
            opened.browser.run("return document.title", &[]),
            Value::from("taken")
        );
        let images = opened.browser.run("return document.images.length", &[]);
        assert_eq!(images, 0);
        browser = opened.browser;
    }
}

/// Where the pieces, the words that stay and a letter beside the board are, and which way the letter is up.
const PLACES: &str = "window.scrollTo({ top: 0, behavior: 'instant' }); const middle = (node) => { const box = node.getBoundingClientRect(); \
    return [box.left + box.width / 2, box.top + box.height / 2] }; \
    const svg = document.querySelector('.board svg'); \
    const letter = Array.from(svg.querySelectorAll('text')).find((it) => it.textContent === 'a'); \
    return { board: middle(svg), pieces: Array.from(svg.querySelectorAll('.mv'), middle), \
        still: Array.from(svg.querySelectorAll('.still'), middle), letter: middle(letter), \
        up: letter.getScreenCTM().d > 0 }";

#[test]
fn a_board_is_turned_around_by_button_and_key_and_its_texts_stay_upright() {
    let game = GAMES.iter().find(|game| game.info().id == "flipflop-5x5");
    let record = WantedMatch::brief(*game.unwrap(), 2, 25).played();
    let opened = Opened::new(
        TestBrowser::desk(&["--force-prefers-reduced-motion"]),
        &record,
    );
    let browser = &opened.browser;
    let points = |places: &Value, what: &str| -> Vec<[f64; 2]> {
        serde_json::from_value(places[what].clone()).unwrap()
    };
    let is_near = |one: [f64; 2], other: [f64; 2]| {
        (one[0] - other[0]).abs() < 1.5 && (one[1] - other[1]).abs() < 6.0
    };
    let before = browser.run(PLACES, &[]);
    for flip in ["key", "button"] {
        match flip {
            "key" => browser.press(&['f']),
            _ => browser.click("[data-flip]"),
        }
        let after = browser.run(PLACES, &[]);
        if flip == "button" {
            assert_eq!(after, before, "it is turned back");
            continue;
        }
        let [x, y]: [f64; 2] = serde_json::from_value(before["board"].clone()).unwrap();
        let pieces = points(&before, "pieces")
            .into_iter()
            .zip(points(&after, "pieces"));
        for (was, is) in pieces {
            assert!(
                is_near([2.0 * x - was[0], 2.0 * y - was[1]], is),
                "{was:?} {is:?}"
            );
        }
        let still = points(&before, "still")
            .into_iter()
            .zip(points(&after, "still"));
        for (was, is) in still {
            assert!(is_near(was, is), "{was:?} {is:?}");
        }
        assert_ne!(after["letter"], before["letter"]);
        assert_eq!(after["up"], true);
        // Stepping goes on upside down, and the link names the step.
        browser.press(&[HOME]);
        opened.is_at(0);
        let link = browser.run(
            "return document.querySelector('.step-link').getAttribute('href')",
            &[],
        );
        assert_eq!(link, "#step=0");
        browser.press(&[END]);
    }
    assert_eq!(browser.complaints(), json!([]));
}

#[test]
fn notes_that_are_numbers_are_a_line_that_leads_to_steps() {
    let game = GAMES
        .iter()
        .find(|game| game.info().id == "yonmoque")
        .unwrap();
    let mut browser = TestBrowser::desk(&["--force-prefers-reduced-motion"]);
    for (note, lines) in [
        ("+0.25 after 4 plies", 2),
        ("e4 is good", 0),
        ("score: -3", 2),
    ] {
        let wanted = WantedMatch {
            note: Some(note),
            ..WantedMatch::brief(*game, 2, 26)
        };
        let opened = Opened::new(browser, &wanted.played());
        let shown = "return [document.querySelectorAll('.graphs .line').length, \
            document.querySelector('.graphs').checkVisibility()]";
        let shown = opened.browser.run(shown, &[]);
        assert_eq!(shown, json!([lines, lines > 0]), "{note}");
        if lines > 0 {
            let named = "return Array.from(document.querySelectorAll('.graphs title'), (it) => it.textContent)";
            let named = opened.browser.run(named, &[]);
            assert!(
                named[0]
                    .as_str()
                    .unwrap()
                    .starts_with("Notes of Blue bot0: from "),
                "{named}"
            );
            assert!(
                named[1]
                    .as_str()
                    .unwrap()
                    .starts_with("Notes of White bot1: from "),
                "{named}"
            );
            // The first note is that of the first ply.
            let click = "const box = document.querySelector('.graphs svg').getBoundingClientRect(); \
                document.querySelector('.graphs svg').dispatchEvent(new MouseEvent('click', \
                { bubbles: true, clientX: box.left + 1, clientY: box.top + 5 })); \
                return Number(document.querySelector('input[type=range]').value)";
            assert_eq!(opened.browser.run(click, &[]), 1);
            opened.is_at(1);
        }
        browser = opened.browser;
    }
}
