//! Replays as pages: what is in them, what is not, and what a browser makes of them.

#[path = "../../../tests/common/browser.rs"]
mod browser;
mod played;
mod steps;

use flipside_games::{GAMES, SeatTurn, Table, Viewer, unmarked};
use flipside_operations::MatchReplay;
use flipside_referee::Record;
use flipside_report::plain_line;
use flipside_site::replay_page;
use insta::assert_snapshot;
use serde_json::Value;

use played::WantedMatch;

/// The most bytes of a page without the data of its match.
const LARGEST_PAGE: usize = 100_000;

/// The data of a page, as text.
pub(crate) fn data_text(page: &str) -> &str {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"replay-data\">")
        .unwrap();
    rest.split_once("</script>").unwrap().0
}

/// The drawings of all steps, by view, as a script makes them up.
fn drawings(data: &Value) -> Vec<Vec<String>> {
    let pieces = data["pieces"].as_array().unwrap();
    let views = data["views"].as_array().unwrap().iter();
    let of_view = |view: &Value| {
        let mut list: Vec<usize> = Vec::new();
        let steps = view["changes"].as_array().unwrap().iter();
        let drawing = |changes: &Value| {
            let changes = changes.as_array().unwrap().iter();
            let changes: Vec<usize> = changes.map(|it| it.as_u64().unwrap() as usize).collect();
            change(&mut list, &changes);
            list.iter()
                .map(|&at| pieces[at].as_str().unwrap())
                .collect()
        };
        steps.map(drawing).collect()
    };
    views.map(of_view).collect()
}

fn change(list: &mut Vec<usize>, mut changes: &[usize]) {
    let mut at = 0;
    while let [kept, dropped, added, rest @ ..] = changes {
        let (new, rest) = rest.split_at(*added);
        at += kept;
        list.splice(at..at + dropped, new.iter().copied());
        at += added;
        changes = rest;
    }
}

/// Random matches of all games, with few and with many seats.
fn records() -> impl Iterator<Item = String> {
    GAMES.iter().flat_map(|&game| {
        let seats = game.info().seats;
        let (few, many) = (seats[0], seats[seats.len() - 1]);
        let wanted = [(few, 1), (many, 2), (few, 3)];
        wanted.map(|(seats, seed)| WantedMatch::brief(game, seats, seed).played())
    })
}

#[test]
fn the_changes_make_up_exactly_the_drawings_of_every_step_and_view() {
    let mut games = std::collections::BTreeSet::new();
    for record in records() {
        for viewer in [Viewer::Open, Viewer::Public, Viewer::Seat(1)] {
            let replay = MatchReplay::read(&record, viewer).unwrap();
            let page = replay_page(&replay).unwrap();
            let data: Value = serde_json::from_str(data_text(&page)).unwrap();
            let made = drawings(&data);
            let mut frames = replay.frames().unwrap();
            assert_eq!(made.len(), replay.viewers().len());
            for (made, viewer) in made.iter().zip(replay.viewers()) {
                assert_eq!(made.len(), replay.steps.len());
                for (step, made) in made.iter().enumerate() {
                    assert_eq!(made, &frames.svg(step, viewer).unwrap(), "step {step}");
                }
            }
            let told = data["steps"].as_array().unwrap().iter();
            for (told, step) in told.zip(&replay.steps) {
                assert_eq!(told["text"], replay.sentence(step));
                assert_eq!(told["ply"], step.ply);
            }
            games.insert(replay.header.game.clone());
        }
    }
    assert_eq!(games.len(), GAMES.len());
}

/// What the public and a seat see of a table until it is over, and what the seat sees then.
fn seen(record: &str, viewer: Viewer) -> String {
    let record = Record::read(record).unwrap();
    let mut walk = flipside_referee::Replay::new(&record).unwrap();
    let mut seen = String::new();
    loop {
        let table: &dyn Table = walk.table();
        let is_open = matches!(table.turn(), SeatTurn::Over(_)) && viewer != Viewer::Public;
        seen += &unmarked(&table.svg(if is_open { Viewer::Open } else { viewer }));
        if walk.step().unwrap().is_none() {
            return seen;
        }
    }
}

#[test]
fn nothing_that_a_viewer_does_not_see_is_in_the_page() {
    for record in records() {
        for viewer in [Viewer::Public, Viewer::Seat(0)] {
            let replay = MatchReplay::read(&record, viewer).unwrap();
            let page = replay_page(&replay).unwrap();
            let data: Value = serde_json::from_str(data_text(&page)).unwrap();
            assert_eq!(data["views"].as_array().unwrap().len(), 1);
            let seen = seen(&record, viewer);
            for piece in data["pieces"].as_array().unwrap() {
                let piece = piece.as_str().unwrap();
                assert!(seen.contains(piece), "{viewer:?} does not see {piece}");
            }
            for step in data["steps"].as_array().unwrap() {
                for key in step.as_object().unwrap().keys() {
                    let known = ["kind", "ply", "text", "acts"];
                    assert!(known.contains(&key.as_str()), "{key}");
                }
            }
        }
    }
}

#[test]
fn notes_are_for_their_seat_and_for_those_who_see_everything() {
    let game = GAMES[0];
    let wanted = WantedMatch {
        note: Some("my plan"),
        ..WantedMatch::brief(game, 2, 5)
    };
    let record = wanted.played();
    let of = |viewer| {
        let replay = MatchReplay::read(&record, viewer).unwrap();
        let page = replay_page(&replay).unwrap();
        page.matches("my plan").count() as u64
    };
    let plies = MatchReplay::read(&record, Viewer::Open)
        .unwrap()
        .header
        .plies;
    assert_eq!(of(Viewer::Open), plies);
    assert_eq!(of(Viewer::Public), 0);
    assert_eq!(of(Viewer::Seat(0)) + of(Viewer::Seat(1)), plies);
}

#[test]
fn what_bots_write_is_text() {
    let hostile = "</script><script>alert(1)</script><!--<b>\u{2028}\u{2029}&amp;\"'\u{202e}";
    for game in GAMES {
        let wanted = WantedMatch {
            name: hostile,
            note: Some(hostile),
            ..WantedMatch::brief(*game, game.info().seats[0], 7)
        };
        let replay = MatchReplay::read(&wanted.played(), Viewer::Open).unwrap();
        let page = replay_page(&replay).unwrap();
        assert_eq!(page.matches("<script").count(), 2);
        let (before, rest) = page
            .split_once("<script type=\"application/json\"")
            .unwrap();
        assert!(!before.contains("<script") && !before.contains("<b>"));
        let (data, after) = rest.split_once("</script>").unwrap();
        assert!(!page.contains('\u{202e}'), "it turns what stands after it");
        for ending in ["<", "\u{2028}", "\u{2029}"] {
            assert!(!data.contains(ending), "{ending:?}");
        }
        assert!(!after.contains("alert"), "the data ended early");
        let data: Value = serde_json::from_str(data_text(&page)).unwrap();
        let acts = data["steps"].as_array().unwrap().iter();
        let notes: Vec<&Value> = acts
            .flat_map(|step| step["acts"].as_array().into_iter().flatten())
            .map(|act| &act["note"])
            .collect();
        let shown = plain_line(hostile);
        assert!(!notes.is_empty() && notes.iter().all(|note| **note == shown));
    }
}

#[test]
fn a_page_loads_nothing_and_is_small() {
    for record in records() {
        let replay = MatchReplay::read(&record, Viewer::Open).unwrap();
        let page = replay_page(&replay).unwrap();
        let data = data_text(&page).len();
        let (_, list) = page.split_once("<ol class=\"moves\"").unwrap();
        let list = list.split_once("</ol>").unwrap().0.len();
        let rest = page.len() - data - list;
        assert!(rest < LARGEST_PAGE, "{rest}");
        // A step costs less than its drawing in each view.
        let views = replay.viewers().len();
        let of_step = data / (views * replay.steps.len());
        assert!(of_step < 3_000, "{}: {of_step}", replay.header.game);
        let (page, _) = page.split_once("<script type").unwrap();
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for load in ["http:", "https:", "url(", "@import", " src=", "<link"] {
            assert!(!page.contains(load), "{load}");
        }
    }
}

#[test]
fn a_long_match_is_less_than_a_megabyte() {
    let game = GAMES
        .iter()
        .find(|game| game.info().id == "phase10-flip")
        .unwrap();
    let options = "{\"max_rounds\":10,\"max_turns_per_round\":60}";
    let wanted = WantedMatch {
        options: options.into(),
        ..WantedMatch::brief(*game, 4, 11)
    };
    let replay = MatchReplay::read(&wanted.played(), Viewer::Open).unwrap();
    assert!(replay.header.plies > 300, "{}", replay.header.plies);
    let page = replay_page(&replay).unwrap();
    let of_300 = data_text(&page).len() as u64 * 300 / replay.header.plies;
    assert!(of_300 < 1_000_000, "{of_300}");
}

#[test]
fn without_a_script_there_are_the_last_board_and_all_that_happened() {
    let game = GAMES
        .iter()
        .find(|game| game.info().id == "flipfour")
        .unwrap();
    let mut wanted = WantedMatch::brief(*game, 2, 2);
    wanted.options = "{\"max_plies\":4}".into();
    let replay = MatchReplay::read(&wanted.played(), Viewer::Open).unwrap();
    let page = replay_page(&replay).unwrap();
    let board = replay
        .frames()
        .unwrap()
        .svg(replay.steps.len() - 1, Viewer::Open)
        .unwrap();
    assert!(page.contains(&board));
    let (_, body) = page.split_once("<body>").unwrap();
    let (body, _) = body.split_once("<script").unwrap();
    let (start, controls) = body.split_once("<div class=\"controls\"").unwrap();
    let (_, end) = controls.split_once("<p class=\"said\"").unwrap();
    let start = start.replace(&board, "BOARD");
    let shown = format!("{start}CONTROLS\n<p class=\"said\"{end}");
    assert_snapshot!(shown.trim(), @r##"
    <main id="main">
    <h1>FlipFour: bot0 – bot1</h1>
    <p class="lead">Draw: limit</p>
    <dl class="facts">
    <div><dt>match</dt><dd>flipfour-2</dd></div>
    <div><dt>clock</dt><dd>move=10s</dd></div>
    <div><dt>plies</dt><dd>4</dd></div>
    </dl>
    <div class="replay" data-last="5">
    <div class="stage">
    <div class="boards"><figure class="board">BOARD</figure></div>
    CONTROLS
    <p class="said" role="status"></p>
    <div class="notes"></div>
    <p class="note key-list" hidden>Keys: <kbd>←</kbd> <kbd>→</kbd> step, <kbd>Home</kbd> <kbd>End</kbd> first and last, <kbd>Space</kbd> plays<span class="flip-key">, <kbd>f</kbd> flips the board</span>.</p>
    </div>
    <div class="beside-board">
    <ol class="seats" aria-label="Seats">
    <li><span class="seat-name"><span class="seat-number"><svg class="sign" viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="8" fill="#fffdf8" stroke="#8a8477" stroke-width="2"/></svg>White</span> <strong>bot0</strong></span> <span class="seat-end">place 1<span class="seat-points">, points ½</span></span></li>
    <li><span class="seat-name"><span class="seat-number"><svg class="sign" viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="8" fill="#222226" stroke="#737a84" stroke-width="2"/></svg>Black</span> <strong>bot1</strong></span> <span class="seat-end">place 1<span class="seat-points">, points ½</span></span></li>
    </ol>
    <section class="graphs" hidden><h3>What the bots noted</h3></section>
    <h3 class="moves-head">What happened</h3>
    <ol class="moves" aria-label="Steps" tabindex="0">
    <li class="is-frame"><span class="ply">0</span> The match begins</li>
    <li class="is-act"><span class="ply">1</span> bot0 places a rook on b5</li>
    <li class="is-act"><span class="ply">2</span> bot1 places a bishop on a2</li>
    <li class="is-act"><span class="ply">3</span> bot0 places a rook on a3</li>
    <li class="is-act"><span class="ply">4</span> bot1 places a rook on c5</li>
    <li class="is-frame"><span class="ply">4</span> Over: draw: limit</li>
    </ol>
    </div>
    </div></main>
    "##);
}
