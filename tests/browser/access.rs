//! Everybody can use every page: what axe-core finds in it, by light and dark, and whether it fits on a phone.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::filled::Filled;
use crate::person::{BrowserPerson, SCRIPT};
use crate::walk::kind;

/// Runs what the first argument defines in the page, and returns what keeps people from using it.
const RUN: &str = "if (!window.axe) (0, eval)(arguments[0]);
    return axe.run(document, { resultTypes: ['violations'], runOnly: arguments[1] }).then((found) =>
        found.violations
            .filter((it) => ['serious', 'critical'].includes(it.impact))
            .flatMap((it) => it.nodes.map((node) => `${it.id}: ${node.target.join(' ')}: ${node.failureSummary}`)))";

/// What is looked for by light, and what only colours can break, by dark.
const ALL: [&str; 6] = [
    "wcag2a",
    "wcag2aa",
    "wcag21a",
    "wcag21aa",
    "wcag22aa",
    "best-practice",
];
const COLOURS: [&str; 2] = ["color-contrast", "link-in-text-block"];

/// Kinds of pages that a walk must find.
const MUSTS: [&str; 40] = [
    "/",
    "/games",
    "/games/*",
    "/ratings",
    "/ratings/*",
    "/bots",
    "/bots/*",
    "/tournaments",
    "/tournaments/*",
    "/tournaments/*/rounds",
    "/tournaments/*/statistics",
    "/tournaments/*/live",
    "/matches",
    "/matches/cup-*",
    "/matches/cards-*",
    "/guides",
    "/guides/*",
    "/sign-in",
    "/nothing",
    "/leagues",
    "/leagues/*",
    "/leagues/*/seasons/*",
    "/leagues/*/enter",
    "/organiser/leagues",
    "/organiser/ladders",
    "/organiser/webhooks",
    "/account",
    "/account/bots/*",
    "/account/bots/*/delete",
    "/organiser/token?account=ada",
    "/submit",
    "/play",
    "/play/*",
    "/request",
    "/uploads/*",
    "/organiser",
    "/organiser/class",
    "/organiser/tournaments",
    "/organiser/begin",
    "/organiser/tournaments/*",
];

/// What is wrong with pages.
struct Inspection {
    axe: String,
    found: Vec<String>,
    pages: usize,
    /// Whether every page is looked at, and not only the first of each kind.
    is_whole: bool,
    /// How many pages of each kind there were.
    kinds: BTreeMap<String, usize>,
}

impl Inspection {
    fn new(is_whole: bool) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/axe/axe.min.js");
        let axe = std::fs::read_to_string(path);
        Inspection {
            axe: axe.expect("scripts/need-axe brings axe-core"),
            found: Vec::new(),
            pages: 0,
            is_whole,
            kinds: BTreeMap::new(),
        }
    }

    fn look(&mut self, person: &BrowserPerson, page: &str) {
        // What is shown once has a name without a path.
        let kind = match page.starts_with('/') {
            true => kind(page),
            false => page.to_owned(),
        };
        let count = self.kinds.entry(kind).or_default();
        *count += 1;
        if !self.is_whole && *count > 1 {
            return;
        }
        self.pages += 1;
        for (scheme, kind, rules) in [("light", "tag", &ALL[..]), ("dark", "rule", &COLOURS)] {
            person.browser.scheme(scheme);
            let args = [
                self.axe.as_str().into(),
                json!({ "type": kind, "values": rules }),
            ];
            let found = person.browser.run(RUN, &args);
            let found = found
                .as_array()
                .expect("it lists")
                .iter()
                .filter_map(Value::as_str);
            self.found
                .extend(found.map(|it| format!("{page} {scheme}: {it}")));
        }
        person.browser.scheme("light");
        person.browser.phone_screen();
        // A phone shows a page that is too wide smaller, so that it would fit into the window.
        let wide = person.browser.run(
            "const page = document.documentElement; return [innerWidth, page.scrollWidth]",
            &[],
        );
        if wide != json!([360, 360]) {
            self.found
                .push(format!("{page} on a phone is too wide: {wide}"));
        }
        person.browser.own_screen();
    }
}

#[test]
fn everybody_can_use_pages_of_every_kind_by_light_and_dark_and_on_a_phone() {
    everybody_can_use_pages(false);
}

#[test]
#[ignore = "long: every page of each kind"]
fn everybody_can_use_every_page_by_light_and_dark_and_on_a_phone() {
    everybody_can_use_pages(true);
}

fn everybody_can_use_pages(is_whole: bool) {
    let mut inspection = Inspection::new(is_whole);
    let mut look = |person: &BrowserPerson, page: &str| inspection.look(person, page);
    let filled = Filled::new(SCRIPT, &mut look);
    filled.withdraw(SCRIPT);
    let kinds = filled.walk(&mut look);
    for must in MUSTS {
        assert!(kinds.contains(must), "{must} is not in {kinds:?}");
    }
    filled.place.end();
    let Inspection { found, pages, .. } = inspection;
    assert!(
        found.is_empty(),
        "{} on {pages} pages:\n{}",
        found.len(),
        found.join("\n")
    );
}
