//! A person plays whole matches on the boards themselves: by pointing alone, and by keys alone, on a desk and on a phone.

use serde_json::{Value, json};

use crate::browser::TestBrowser;
use crate::person::{BrowserPerson, PlayedBoard};

/// The games, each with options that make a match short, and whether its opponent is of the board's own.
const MATCHES: [(&str, &str); 9] = [
    ("yonmoque", r#"{"max_plies":14}"#),
    ("flipflop-3x3", r#"{"max_plies":10}"#),
    ("flipflop-5x5", r#"{"max_plies":10}"#),
    ("flipfour", r#"{"max_plies":14}"#),
    ("flip4", r#"{"max_turns":20}"#),
    (
        "puissance4-basic",
        r#"{"rules":{"max_rounds":1,"max_ticks":60}}"#,
    ),
    (
        "puissance4-championship",
        r#"{"rules":{"max_rounds":1,"max_ticks":60}}"#,
    ),
    (
        "puissance4-extra-pro",
        r#"{"rules":{"max_rounds":1,"size":4}}"#,
    ),
    (
        "phase10-flip",
        r#"{"max_rounds":1,"max_turns_per_round":8}"#,
    ),
];

/// What chance does in all of these matches. At Phase 10 Flip, two cards that are alike can be laid together.
const SEED: &str = "9999999999999999999999999999999999999999999999999999999999999999";

/// More moves than any of these matches has.
const MAX_MOVES: usize = 120;

/// More keys than lead anywhere on any board.
const MAX_KEYS: usize = 400;

const ENTER: char = '\u{e007}';
const TAB: char = '\u{e004}';
const RIGHT: char = '\u{e014}';

/// What the person is asked: the number of the question, or `over`; null while bots choose.
const ASKED: &str = "if (document.querySelector('.session-turn [download]')) return 'over';
    if (/without a result/.test(document.querySelector('.turn')?.innerText)) return 'no result';
    return document.querySelector('.spots') && document.querySelector('.acts')?.elements.question.value || null";

/// A move that is on the list: its marks, and its choice. The first one that has a mark twice in a row; if there is none,
/// the number of the question says which one.
const PLAN: &str = "const moves = Array.from(document.querySelectorAll('[data-move]'));
    const onBoard = moves.filter((it) => it.dataset.marks !== '');
    const list = onBoard.length > 0 ? onBoard : moves;
    const hasTwice = (marks) => marks.some((mark, at) => at > 0 && mark === marks[at - 1]);
    const twice = list.find(({ dataset }) => hasTwice(dataset.marks.split(' ')));
    const { marks, choice } = (twice ?? list[(Number(arguments[0]) * 7) % list.length]).dataset;
    return [marks.split(' ').filter(Boolean), choice ?? null]";

/// The middle of a spot that has a mark and can be picked, after it was scrolled to.
const SPOT: &str = "const node = Array.from(document.querySelectorAll('.spot.can'))
        .find((it) => it.dataset.spot === arguments[0]);
    if (!node) throw new Error(`${arguments[0]} cannot be picked`);
    node.scrollIntoView({ behavior: 'instant', block: 'center', inline: 'center' });
    const { left, top, width, height } = node.getBoundingClientRect();
    return [left + width / 2, top + height / 2]";

struct Table<'a> {
    person: &'a BrowserPerson,
}

impl Table<'_> {
    /// Begins a match, and waits for the first question.
    fn begin<'a>(person: &'a BrowserPerson, game: &str, options: &str) -> Table<'a> {
        person.go("/play");
        person.choose("#play-game", game);
        person.browser.fill("#play-bots", "sample:random");
        person.browser.fill("#play-options", options);
        person.browser.fill("#play-seed", SEED);
        person.browser.click("#play-form button");
        Table { person }
    }

    fn browser(&self) -> &TestBrowser {
        &self.person.browser
    }

    /// The next question after one, or nothing when the match is over.
    fn next(&self, before: &str) -> Option<String> {
        let script = format!(
            "const asked = (() => {{ {ASKED} }})(); return asked !== null && asked !== arguments[0]"
        );
        self.browser()
            .wait("the next question or the end", &script, &[before.into()]);
        let asked = self.browser().run(ASKED, &[]);
        let asked = asked.as_str().expect("there is one").to_owned();
        assert_ne!(asked, "no result", "{}", self.browser().text());
        (asked != "over").then_some(asked)
    }

    /// The marks and the choice of a move.
    fn plan(&self, question: &str) -> (Vec<String>, Option<String>) {
        let plan = self.browser().run(PLAN, &[question.into()]);
        serde_json::from_value(plan).expect("marks and a choice")
    }

    fn place(&self, mark: &str) -> (f64, f64) {
        let place = self.browser().run(SPOT, &[mark.into()]);
        serde_json::from_value(place).expect("a point")
    }

    /// Plays to the end. Returns how many moves that were, and in how many of them a mark stands twice in a row.
    fn play(&self, mut act: impl FnMut(&[String], Option<&str>)) -> (usize, usize) {
        let (mut before, mut count, mut twice) = (String::new(), 0, 0);
        while let Some(question) = self.next(&before) {
            let (marks, choice) = self.plan(&question);
            twice += usize::from(has_twice(&marks));
            act(&marks, choice.as_deref());
            count += 1;
            assert!(count <= MAX_MOVES, "{}", self.browser().text());
            before = question;
        }
        self.person.assert_sound();
        (count, twice)
    }

    /// Clicks or taps the marks of a move, and then its choice.
    fn point(&self, pointer: &str, marks: &[String], choice: Option<&str>) {
        for mark in marks {
            self.browser().point(pointer, &[self.place(mark)]);
        }
        if let Some(choice) = choice {
            let button = format!(".choices button[data-choice={choice:?}]");
            self.browser().click(&button);
        }
    }

    /// Whether the focus is on the page's match, and on nothing when it should not be.
    fn focused(&self) -> String {
        let script = "const { activeElement } = document;
            if (!activeElement.closest('.session')) return `outside: ${activeElement.tagName}`;
            return activeElement.dataset.spot ?? activeElement.dataset.choice ?? activeElement.className";
        let focused = self.browser().run(script, &[]);
        focused.as_str().expect("a text").to_owned()
    }

    /// Goes to a spot that can be picked, by a key that leads from place to place.
    fn lead_to(&self, mark: &str) {
        // One that is picked may be followed by its like.
        let can = "return document.activeElement.classList.contains('can')";
        for _ in 0..MAX_KEYS {
            if self.focused() == mark && self.browser().run(can, &[]) == Value::Bool(true) {
                return;
            }
            self.browser().press(&['n']);
        }
        panic!("no key leads to {mark}: {}", self.focused());
    }

    fn type_move(&self, marks: &[String], choice: Option<&str>) {
        let focused = self.focused();
        assert!(!focused.starts_with("outside"), "{focused}");
        for mark in marks {
            self.lead_to(mark);
            self.browser().press(&[ENTER]);
        }
        let Some(choice) = choice else { return };
        let mut tabs = 0;
        while self.focused() != choice {
            assert!(tabs < MAX_KEYS, "{choice}: {}", self.focused());
            let focused = self.focused();
            assert!(!focused.starts_with("outside"), "{choice}: {focused}");
            self.browser().press(&[TAB]);
            tabs += 1;
        }
        self.browser().press(&[ENTER]);
    }
}

fn has_twice(marks: &[String]) -> bool {
    marks.windows(2).any(|two| two[0] == two[1])
}

/// A server, and two people before it: one at a desk, one with a phone.
fn two_people() -> (PlayedBoard, [BrowserPerson; 2]) {
    let place = PlayedBoard::empty();
    let desk = place.person(TestBrowser::desk(&[]));
    desk.sign_up(&place.organisers_link(), "ada");
    let link = desk.invite();
    let phone = place.person(TestBrowser::touching(360, 740));
    phone.sign_up(&link, "bob");
    (place, [desk, phone])
}

#[test]
fn a_person_plays_every_game_by_pointing_alone() {
    let (place, people) = two_people();
    for (person, pointer) in people.iter().zip(["mouse", "touch"]) {
        for (game, options) in MATCHES {
            let table = Table::begin(person, game, options);
            let (count, twice) = table.play(|marks, choice| table.point(pointer, marks, choice));
            assert!(count > 1, "{game}");
            assert!(twice > 0 || game != "phase10-flip", "no cards were alike");
        }
    }
    drop(people);
    place.end();
}

#[test]
fn a_person_plays_every_game_by_keyboard_alone_and_keeps_the_focus() {
    let (place, people) = two_people();
    for person in &people {
        for (game, options) in MATCHES {
            let table = Table::begin(person, game, options);
            // From the top of the page, Tab leads to the board.
            table.next("");
            let mut tabs = 0;
            let on_board = "return document.activeElement.matches('.spot')";
            while person.browser.run(on_board, &[]) != Value::Bool(true) {
                assert!(tabs < 40, "{game}");
                person.browser.press(&[TAB]);
                tabs += 1;
            }
            let (count, twice) = table.play(|marks, choice| table.type_move(marks, choice));
            assert!(count > 1, "{game}");
            assert!(twice > 0 || game != "phase10-flip", "no cards were alike");
            let focused = table.focused();
            assert!(!focused.starts_with("outside"), "{game}: {focused}");
        }
    }
    drop(people);
    place.end();
}

#[test]
fn a_piece_is_dragged_picked_dropped_and_led_by_arrows() {
    let (place, [desk, phone]) = two_people();
    for (person, pointer) in [(&desk, "mouse"), (&phone, "touch")] {
        let table = Table::begin(person, "flipflop-5x5", r#"{"max_plies":9}"#);
        let (count, _) = table.play(|marks, _| {
            let [from, to] = marks else {
                panic!("{marks:?}")
            };
            let start = table.place(from);
            // A piece that is let go beside the board is not picked any more.
            table.browser().point(pointer, &[start, (3.0, 3.0)]);
            let picked = "return document.querySelectorAll('.spot.picked').length";
            assert_eq!(table.browser().run(picked, &[]), 0);
            table.browser().point(pointer, &[start]);
            // The whole board is in the window.
            let target = table.place(to);
            table
                .browser()
                .point(pointer, &[middle(person, from), target]);
        });
        assert!(count > 1);
    }
    let table = Table::begin(&desk, "yonmoque", r#"{"max_plies":4}"#);
    let mut question = String::new();
    while let Some(next) = table.next(&question) {
        question = next;
        desk.browser
            .run("document.querySelector('.spot[data-spot=a3]').focus()", &[]);
        for file in ["b3", "c3", "d3", "e3"] {
            desk.browser.press(&[RIGHT]);
            assert_eq!(table.focused(), file);
        }
        desk.browser.press(&[RIGHT]);
        assert_eq!(table.focused(), "e3", "the board ends here");
        let (marks, choice) = table.plan(&question);
        table.type_move(&marks, choice.as_deref());
    }
    drop([desk, phone]);
    place.end();
}

#[test]
fn what_is_picked_shows_where_it_leads() {
    let (place, [desk, phone]) = two_people();
    let table = Table::begin(&desk, "flipflop-3x3", "{}");
    table.next("").expect("White begins");
    let marked = |class: &str| {
        let script = "return Array.from(document.querySelectorAll(arguments[0]), (it) => it.dataset.spot).sort()";
        desk.browser.run(script, &[class.into()])
    };
    assert_eq!(marked(".spot.can"), json!(["a1", "b1", "c1"]));
    desk.browser.point("mouse", &[table.place("b1")]);
    assert_eq!(marked(".spot.picked"), json!(["b1"]));
    assert_eq!(marked(".spot.can"), json!(["b2", "b3"]));
    // Another piece in its place, and the same again: nothing.
    desk.browser.point("mouse", &[middle(&desk, "c1")]);
    assert_eq!(marked(".spot.picked"), json!(["c1"]));
    desk.browser.point("mouse", &[middle(&desk, "c1")]);
    assert_eq!(marked(".spot.picked"), json!([]));
    assert_eq!(marked(".spot.can"), json!(["a1", "b1", "c1"]));
    drop([desk, phone]);
    place.end();
}

/// The middle of a place, whether it can be picked or not.
fn middle(person: &BrowserPerson, mark: &str) -> (f64, f64) {
    let script = "const box = document.querySelector(`.spot[data-spot=${arguments[0]}]`).getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2]";
    serde_json::from_value(person.browser.run(script, &[mark.into()])).expect("a point")
}
