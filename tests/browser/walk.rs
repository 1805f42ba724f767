//! Walks over all pages that somebody may see, a few of each kind.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use crate::filled::{Filled, PageLook};
use crate::person::BrowserPerson;

/// What names follow in paths.
const NAMES_FOLLOW: [&str; 9] = [
    "leagues",
    "seasons",
    "games",
    "ratings",
    "bots",
    "tournaments",
    "matches",
    "uploads",
    "play",
];

/// What pages for people with accounts begin with.
const OWN: [&str; 6] = [
    "/account",
    "/submit",
    "/request",
    "/play",
    "/uploads/",
    "/organiser",
];

/// The links of a page that lead to pages.
const LINKS: &str = "return Array.from(document.querySelectorAll('a[href]'))
    .filter((link) => link.origin === location.origin && !link.search && !link.hasAttribute('download'))
    .map((link) => link.pathname)
    .filter((path) => !/^\\/api\\/|[.]json$|\\/(record|file)$/.test(path))";

/// What a page is called that stands for others of its kind: its path with `*` for names.
pub(crate) fn kind(path: &str) -> String {
    if path.starts_with("/guides/") {
        return "/guides/*".to_owned();
    }
    // Matches of each tournament, since each is of another game.
    if let Some((tournament, _)) = path
        .rsplit_once('-')
        .filter(|_| path.starts_with("/matches/"))
    {
        return format!("{tournament}-*");
    }
    let mut kind = String::new();
    let mut is_name = false;
    for part in path.split('/').skip(1) {
        kind += "/";
        kind += if is_name { "*" } else { part };
        is_name = !is_name && NAMES_FOLLOW.contains(&part);
    }
    kind
}

/// How many pages of a kind are looked at.
fn most(kind: &str) -> usize {
    match kind {
        "/games/*" => 9,
        "/tournaments/*" => 12,
        "/guides/*" => 6,
        kind if kind.starts_with("/matches/") => 2,
        _ => 3,
    }
}

impl Filled {
    /// Looks at all pages, those for everybody as a visitor. Returns of which kinds they were.
    pub(crate) fn walk(&self, look: PageLook<'_>) -> BTreeSet<String> {
        let mut kinds = BTreeSet::new();
        let own = |path: &str| OWN.iter().any(|own| path.starts_with(own));
        let others = ["/", "/nothing", "/bots/firstt", "/leagues/autumn/seasons/1"];
        kinds.append(&mut walk(&self.visitor, &others, &|_| true, look));
        let authors = [
            "/",
            "/account",
            "/submit",
            "/request",
            "/leagues/spring/enter",
            &self.playing,
        ];
        let organisers = ["/organiser", "/organiser/token?account=ada"];
        kinds.append(&mut walk(&self.author, &authors, &own, look));
        kinds.append(&mut walk(&self.organiser, &organisers, &own, look));
        kinds
    }
}

/// Looks at these pages and those that they lead to.
fn walk(
    person: &BrowserPerson,
    first: &[&str],
    may: &dyn Fn(&str) -> bool,
    look: PageLook<'_>,
) -> BTreeSet<String> {
    let mut next: VecDeque<String> = first.iter().copied().map(String::from).collect();
    let mut seen: BTreeSet<String> = next.iter().cloned().collect();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(path) = next.pop_front() {
        let kind = kind(&path);
        let count = kinds.entry(kind.clone()).or_default();
        if *count == most(&kind) {
            continue;
        }
        *count += 1;
        person.go(&path);
        look(person, &path);
        let links = person.browser.run(LINKS, &[]);
        let links = links.as_array().into_iter().flatten();
        for link in links.filter_map(Value::as_str).filter(|link| may(link)) {
            if seen.insert(link.to_owned()) {
                next.push_back(link.to_owned());
            }
        }
    }
    kinds.into_keys().collect()
}
