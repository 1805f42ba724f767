//! What lies above the fold: on every page with a board, the whole board, all players with their colours and the
//! controls are within the first screen, at a desk and on a phone. `--nocapture` prints the places as a table.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use flipside_games::GAMES;
use serde_json::{Value, json};

use crate::browser::TestBrowser;
use crate::common::{run, sample};
use crate::person::{BrowserPerson, PlayedBoard};

/// The screens, as their width and height.
const SCREENS: [(u64, u64); 2] = [(1280, 800), (360, 740)];

/// As many as the largest game has seats.
const BOTS: usize = 6;

/// Far longer than the server needs to end a tournament.
const PATIENCE: Duration = Duration::from_secs(400);

/// What has to be within the first screen of a kind of page, by CSS selectors: the board, the players and the controls.
///
/// On a phone, a person who plays scrolls a wide table of cards sideways, since cards that fit would be too small for
/// fingers: its frame has to be inside. Of many choices beside a board, the first one has to be.
const MATCH: [(&str, &str); 3] = [
    ("board", ".replay .board"),
    ("players", ".replay .seats li"),
    ("controls", ".replay .seek, .replay .transport"),
];
/// A live page has no controls but the links around it.
const LIVE: [(&str, &str); 3] = [
    ("board", "#board-1 .board"),
    ("players", "#board-1 .board-seats li"),
    ("controls", "main .crumbs a"),
];
const PLAY: [(&str, &str); 3] = [
    ("board", ".session-board .board"),
    ("players", ".session-seats li"),
    (
        "controls",
        ".session-turn .turn, .choices button:first-child",
    ),
];

/// Where what a selector finds lies, all together: left, top, right and bottom, in pixels of the window; how many
/// there are; and how many of them have a sign of a colour.
const PLACES: &str = "window.scrollTo(0, 0);
    return arguments[0].map(([name, selector]) => {
        const nodes = Array.from(document.querySelectorAll(selector));
        const boxes = nodes.map((node) => node.getBoundingClientRect());
        const all = (end, side) => Math.round(end(...boxes.map((box) => box[side])));
        return { name, count: nodes.length, signs: nodes.filter((node) => node.querySelector('svg.sign')).length,
            left: all(Math.min, 'left'), top: all(Math.min, 'top'),
            right: all(Math.max, 'right'), bottom: all(Math.max, 'bottom') };
    })";

/// Measures a page, prints what it measured, and says what is outside of the first screen.
fn measure(
    person: &BrowserPerson,
    (width, height): (u64, u64),
    what: &str,
    parts: &[(&str, &str)],
    seats: u64,
) -> Vec<String> {
    let places = person.browser.run(PLACES, &[json!(parts)]);
    let mut wrong = Vec::new();
    let mut line = format!("| {what} | {width}×{height} |");
    for place in places.as_array().expect("a list") {
        let number = |key: &str| place[key].as_i64().unwrap_or(-1);
        let (name, count) = (place["name"].as_str().expect("a name"), number("count"));
        let [left, top, right, bottom] = ["left", "top", "right", "bottom"].map(number);
        line += &format!(" {left} to {right}, {top} to {bottom} |");
        let (width, height) = (width as i64, height as i64);
        let is_inside = left >= 0 && top >= 0 && right <= width && bottom <= height;
        if count == 0 || !is_inside {
            wrong.push(format!("{what} at {width}×{height}: {place}"));
        }
        if name == "players" && (count, number("signs")) != (seats as i64, seats as i64) {
            wrong.push(format!(
                "{what} at {width}×{height}: not {seats} colours: {place}"
            ));
        }
        if name == "board" && bottom - top < 150 {
            wrong.push(format!(
                "{what} at {width}×{height}: the board is tiny: {place}"
            ));
        }
    }
    println!("{line}");
    wrong
}

/// Shows pages with the screen of a desk or of a phone.
fn take_screen(person: &BrowserPerson, (width, height): (u64, u64)) {
    let screen =
        json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
    person
        .browser
        .tell("Emulation.setDeviceMetricsOverride", &screen);
}

/// An arena in which a match of each game was played, with as many seats as the game allows.
fn played() -> PlayedBoard {
    let folder = tempfile::tempdir().unwrap();
    let bots: Vec<String> = (0..BOTS).map(|bot| format!("bot{bot}.wat")).collect();
    for bot in &bots {
        fs::copy(sample("wat/instant.wat"), folder.path().join(bot)).unwrap();
    }
    for game in GAMES {
        let info = game.info();
        let seats = info.seats.last().expect("a game has seats");
        let bots = bots[..usize::from(*seats)].iter().map(|bot| &**bot);
        let (count, options) = (seats.to_string(), game.brief());
        let mut args: Vec<&str> = vec!["tournament", info.id];
        args.extend(bots);
        args.extend(["--seats", &count, "--rounds", "1", "--name", info.id]);
        args.extend(["--options", &options, "--clock", "move=60s"]);
        run(folder.path(), &args).ok();
    }
    PlayedBoard::over(folder)
}

/// With this seed, every match lasts until the sleepy bot sleeps.
const SEED: &str = "1-00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Ends the tournament that is played.
fn cancel(place: &PlayedBoard, organiser: &BrowserPerson, name: &str) {
    organiser.browser.own_screen();
    organiser.go(&format!("/organiser/tournaments/{name}"));
    organiser.browser.fill("#c-end-why", "it was seen");
    let button = format!("form[action='/organiser/tournaments/{name}/cancel'] button");
    organiser.browser.click(&button);
    organiser.browser.wait_for_text("requested: cancelled");
    let begun = Instant::now();
    while !organiser
        .browser
        .text()
        .contains("The tournament: cancelled")
    {
        assert!(begun.elapsed() < PATIENCE, "{}", organiser.browser.text());
        place.wake_the_sleepy();
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn boards_players_and_controls_are_within_the_first_screen() {
    let place = played();
    let organiser = place.person(TestBrowser::desk(&[]));
    organiser.sign_up(&place.organisers_link(), "cy");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(place.sleepy(), mode).unwrap();
    let submit = ["submit", "./sleepy.sh", "--clock", "move=30m,start=30m"];
    run(place.path(), &submit).ok();
    println!("| page | screen | board | players | controls |");
    let mut wrong = Vec::new();
    for (number, game) in GAMES.iter().enumerate() {
        let info = game.info();
        let seats = *info.seats.last().expect("a game has seats");
        for screen in SCREENS {
            take_screen(&organiser, screen);
            organiser.go(&format!("/matches/{}-0", info.id));
            let is_live = "return !!document.querySelector('.replay.is-live')";
            organiser.browser.wait("the replay starts", is_live, &[]);
            let what = format!("match, {}", info.id);
            wrong.extend(measure(&organiser, screen, &what, &MATCH, seats.into()));
        }
        // A match that goes on, and stands still while the bot sleeps.
        let others = (1..seats).map(|bot| format!("\"bot{bot}\""));
        let bots: Vec<String> = [String::from("\"sleepy\"")]
            .into_iter()
            .chain(others)
            .collect();
        let name = format!("live{number}");
        let toml = format!(
            "game = {:?}\nbots = [{}]\nseats = {seats}\nrounds = 1\nname = {name:?}\nclock = \"move=1h,start=1h\"\nseed = {SEED:?}\n",
            info.id,
            bots.join(", ")
        );
        organiser.browser.own_screen();
        organiser.go("/organiser/begin");
        organiser.browser.fill("#t-toml", &toml);
        organiser
            .browser
            .click("form[action='/organiser/queue/file'] button");
        organiser.browser.wait_for_text(&format!("{name} live"));
        for screen in SCREENS {
            take_screen(&organiser, screen);
            organiser.go(&format!("/tournaments/{name}/live"));
            let board = "return document.querySelectorAll('#board-1 svg').length > 0";
            organiser.browser.wait("a board", board, &[]);
            let what = format!("live, {}", info.id);
            wrong.extend(measure(&organiser, screen, &what, &LIVE, seats.into()));
        }
        cancel(&place, &organiser, &name);
        for screen in SCREENS {
            take_screen(&organiser, screen);
            organiser.go("/play");
            organiser.choose("#play-game", info.id);
            let bots = vec!["sample:random"; usize::from(seats) - 1];
            organiser.browser.fill("#play-bots", &bots.join(", "));
            organiser.browser.fill("#play-seats", &seats.to_string());
            organiser.browser.fill("#play-options", &game.brief());
            organiser.browser.click("#play-form button");
            let asked =
                "return !!document.querySelector('.spots') && !!document.querySelector('.acts')";
            organiser.browser.wait("the person is asked", asked, &[]);
            let what = format!("play, {}", info.id);
            wrong.extend(measure(&organiser, screen, &what, &PLAY, seats.into()));
            organiser.browser.click(".leave button");
            organiser.browser.wait_for_text("Give up?");
            organiser.browser.click("main button.danger");
            let over = "return document.querySelector('.session-turn a') !== null";
            organiser.browser.wait("it is over", over, &[]);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(organiser.browser.complaints(), Value::Array(Vec::new()));
    drop(organiser);
    place.end();
}
