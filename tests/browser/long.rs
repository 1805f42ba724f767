//! A long replay: its board and its controls are there before the rest of it.

use std::fs;

use flipside_games::Viewer;
use flipside_operations::MatchReplay;
use serde_json::json;
use tempfile::TempDir;

use crate::browser::TestBrowser;
use crate::common::{run, sample};
use crate::person::{BrowserPerson, PlayedBoard};

const HOME: char = '\u{e011}';
const LEFT: char = '\u{e012}';
const RIGHT: char = '\u{e014}';

/// The players of the long match.
const BOTS: [&str; 6] = [
    "sample:random",
    "sample:greedy",
    "bot0.wat",
    "bot1.wat",
    "bot2.wat",
    "bot3.wat",
];

const IS_LIVE: &str = "return !!document.querySelector('.replay.is-live')";

/// Whether the board is this drawing.
const IS_SHOWN: &str = "const box = document.createElement('div'); box.innerHTML = arguments[0]; \
    const board = document.querySelector('.board svg'); \
    return !!board && box.firstElementChild.isEqualNode(board)";

/// The requests for parts of the replay, in their order.
const REQUESTS: &str = "return performance.getEntriesByType('resource')
    .map(({ name }) => new URL(name).pathname.split('/replay/')[1]).filter(Boolean)";

/// A match with six seats and some hundred plies, over and over the same.
fn long_match(folder: TempDir) -> PlayedBoard {
    for bot in BOTS.iter().filter(|bot| !bot.contains(':')) {
        fs::copy(sample("wat/instant.wat"), folder.path().join(bot)).unwrap();
    }
    let mut args = vec!["tournament", "phase10-flip"];
    args.extend(BOTS);
    args.extend([
        "--seats", "6", "--rounds", "1", "--name", "long", "--clock", "move=60s",
    ]);
    run(folder.path(), &args).ok();
    PlayedBoard::over(folder)
}

fn requests(person: &BrowserPerson) -> Vec<String> {
    serde_json::from_value(person.browser.run(REQUESTS, &[])).expect("paths")
}

#[test]
fn a_long_replay_shows_its_last_board_first_and_loads_the_rest_afterwards() {
    let place = long_match(tempfile::tempdir().unwrap());
    let person = place.person(TestBrowser::desk(&["--force-prefers-reduced-motion"]));
    let (_, answer) = place.server.get("/api/v1/matches/long-0/record");
    let (_, record) = answer.split_once("\r\n\r\n").unwrap();
    let replay = MatchReplay::read(record, Viewer::Open).unwrap();
    let mut frames = replay.frames().unwrap();
    let last = replay.steps.len() - 1;
    person.go("/matches/long-0");
    person.browser.wait("the controls", IS_LIVE, &[]);
    let parts: Vec<String> = requests(&person);
    let size = "return Number(document.querySelector('.replay').dataset.partSteps)";
    let size = person.browser.run(size, &[]).as_u64().unwrap() as usize;
    assert!(last > 3 * size, "{last}");
    let mut first = parts[..2].to_vec();
    first.sort();
    assert_eq!(first, [format!("0/{}", last / size), "outline".to_owned()]);
    let mut shows = |step: usize, viewer: Viewer| {
        let drawing = frames.svg(step, viewer).unwrap();
        person
            .browser
            .wait(&format!("step {step}"), IS_SHOWN, &[drawing.into()]);
    };
    shows(last, Viewer::Open);
    person.browser.press(&[HOME]);
    shows(0, Viewer::Open);
    // Over the edge of a part and back.
    let edge = format!("location.hash = '#step={}'", size - 1);
    person.browser.run(&edge, &[]);
    shows(size - 1, Viewer::Open);
    person.browser.press(&[RIGHT]);
    shows(size, Viewer::Open);
    person.browser.press(&[LEFT]);
    shows(size - 1, Viewer::Open);
    // Another view is loaded when it is chosen, from here on.
    assert!(!requests(&person).iter().any(|part| part.starts_with("1/")));
    person.browser.press(&['v']);
    shows(size - 1, Viewer::Public);
    // In the end all of it is here, each part once.
    let all = "return performance.getEntriesByType('resource')
        .filter(({ name }) => name.includes('/replay/1/')).length === arguments[0]";
    let count = (last / size) + 1;
    person.browser.wait("all parts", all, &[count.into()]);
    let mut all = requests(&person);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), requests(&person).len(), "{all:?}");
    assert_eq!(person.browser.complaints(), json!([]));
    drop(person);
    place.end();
}

#[test]
#[ignore = "by hand: cargo test --release --test browser first_board -- --ignored --nocapture"]
fn how_long_the_first_board_of_a_long_replay_takes() {
    // When the controls work: in milliseconds from the start of the navigation.
    let note = "new MutationObserver(() => {
            if (document.querySelector('.replay.is-live')) window.controlsAt ??= performance.now();
        }).observe(document, { subtree: true, childList: true, attributes: true })";
    let answers = "const took = ({ requestStart, responseEnd }) => Math.round(responseEnd - requestStart);
        const parts = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/replay/'));
        return [...performance.getEntriesByType('navigation'), ...parts.slice(0, 2)].map(took)";
    let place = long_match(tempfile::tempdir().unwrap());
    let person = place.person(TestBrowser::desk(&["--force-prefers-reduced-motion"]));
    let source = json!({ "source": note });
    person
        .browser
        .tell("Page.addScriptToEvaluateOnNewDocument", &source);
    for id in ["long-0", "long-1", "long-2"] {
        for state in ["cold", "warm"] {
            person.browser.tell("Network.clearBrowserCache", &json!({}));
            person.go(&format!("/matches/{id}"));
            person.browser.wait("the controls", IS_LIVE, &[]);
            let controls = person.browser.run(
                "return [Number(document.querySelector('.replay').dataset.last), \
                Math.round(window.controlsAt)]",
                &[],
            );
            let answers = person.browser.run(answers, &[]);
            println!(
                "{id}, {state}: last step and ms until the controls work: {controls}; ms of page, outline and part: {answers}"
            );
        }
    }
    drop(person);
    place.end();
}
