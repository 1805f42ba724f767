//! Every form of every page, sent with a wrong value: its page comes again with all that was typed and chosen, and with
//! the message at the field.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use axum::http::{Method, StatusCode};
use regex_lite::Regex;

use crate::bots;
use crate::browser::{Browser, TestSite};

/// What is wrong in each field of each form; `*` stands for a name. What is typed elsewhere fits.
const WRONG: &[(&str, &str, &str)] = &[
    ("/sign-in", "token", "flipside_0"),
    ("/sign-up", "name", "a b"),
    ("/organiser/invite", "uses", "1001"),
    ("/organiser/class", "names", "Jörg"),
    ("/organiser/class", "days", "366"),
    ("/organiser/give", "bot", "nobody"),
    ("/organiser/give", "account", "nobody"),
    ("/organiser/begin", "game", "nothing"),
    ("/organiser/begin", "format", "nothing"),
    ("/organiser/begin", "name", "a b"),
    ("/organiser/begin", "title", LONG),
    ("/organiser/begin", "bots", "nobody"),
    ("/organiser/begin", "more", "sample:nobody"),
    ("/organiser/begin", "rounds", "some"),
    ("/organiser/begin", "clock", "soon"),
    ("/organiser/begin", "opening-plies", "-1"),
    ("/organiser/begin", "pause-after", "never"),
    ("/organiser/queue/file", "toml", "name ="),
    ("/organiser/tournaments/*/withdraw", "bot", "nobody"),
    ("/organiser/tournaments/*/withdraw", "reason", LONG_REASON),
    ("/organiser/tournaments/*/extend", "rounds", "more"),
    ("/organiser/tournaments/*/extend", "matches", "1.5"),
    ("/organiser/tournaments/*/extend", "reason", LONG_REASON),
    ("/organiser/tournaments/*/join", "bots", "nobody"),
    ("/organiser/tournaments/*/join", "reason", LONG_REASON),
    ("/organiser/tournaments/*/cancel", "reason", LONG_REASON),
    ("/organiser/ladders", "game", "chess"),
    ("/organiser/ladders", "a_day", "0"),
    ("/organiser/ladders", "clock", "soon"),
    ("/organiser/ladders", "bots", "sample:nobody"),
    ("/organiser/webhooks", "url", "ftp://example.org"),
    ("/organiser/webhooks", "tournament", "autumn"),
    ("/organiser/leagues", "toml", "games = 1"),
    (
        "/organiser/leagues/*/season",
        "deadline",
        "2000-01-01T00:00",
    ),
    (
        "/organiser/leagues/*/season",
        "starts_at",
        "2997-01-01T00:00",
    ),
    ("/organiser/leagues/*/season", "ends_at", "tomorrow"),
    ("/organiser/leagues/*/cancel", "reason", LONG_REASON),
    ("/leagues/*/enter", "bot", "nobody"),
    ("/request", "game", "chess"),
    ("/request", "bots", "ada, nobody"),
    ("/request", "rounds", "21"),
    ("/play", "game", "chess"),
    ("/play", "bots", "nobody"),
    ("/play", "seat", "5"),
    ("/play", "seats", "6"),
    ("/play", "options", "{"),
    ("/play", "seed", "7"),
    ("/account/bots/*/rename", "name", "a/b"),
];

/// What fits in a field, unless the form has something else already.
const RIGHT: &[(&str, &str)] = &[
    ("name", "fine"),
    ("bot", "ada"),
    ("account", "cy"),
    ("title", "A <b>title</b> & more"),
    ("uses", "3"),
    ("more", "ada@1"),
    ("bots", "ada"),
    ("rounds", "2"),
    ("clock", "move=2s"),
    ("opening-plies", "1"),
    ("pause-after", "4"),
    ("reason", "it \"rains\""),
    ("matches", ""),
    ("url", "http://127.0.0.1:9/results"),
    ("tournament", ""),
    ("deadline", "2998-01-01T00:00"),
    ("starts_at", "2998-01-02T00:00"),
    ("ends_at", "2998-01-03T00:00"),
    ("seat", "0"),
    ("seats", "2"),
    ("options", "{}"),
    ("a_day", "77"),
    ("game", "flipflop-3x3"),
];

/// More characters than a title, or a reason, may have.
const LONG: &str = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789x";
const LONG_REASON: &str = concat!(
    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789",
    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789x",
);

/// A field of a form.
#[derive(Clone, Debug, PartialEq)]
struct Field {
    name: String,
    /// `text`, `checkbox`, `select`, `textarea`, `hidden`, `file` …
    kind: String,
    value: String,
    is_checked: bool,
    /// The tag's attributes.
    tag: String,
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let found = Regex::new(&format!(" {name}=\"([^\"]*)\"")).unwrap();
    Some(plain(&found.captures(tag)?[1]))
}

fn plain(text: &str) -> String {
    let entity = Regex::new("&#([0-9]+);").unwrap();
    let text = entity.replace_all(text, |found: &regex_lite::Captures<'_>| {
        let number: u32 = found[1].parse().unwrap();
        char::from_u32(number).unwrap().to_string()
    });
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

/// The forms of a page that change something: where they are sent, and their fields.
fn forms(html: &str) -> Vec<(String, Vec<Field>)> {
    let form = Regex::new("(?s)<form([^>]*) method=\"post\"([^>]*)>(.*?)</form>").unwrap();
    let field = Regex::new(
        "(?s)<input([^>]*)>|<select([^>]*)>(.*?)</select>|<textarea([^>]*)>\n?(.*?)</textarea>",
    )
    .unwrap();
    let chosen = Regex::new("<option([^>]*) selected>([^<]*)").unwrap();
    let first = Regex::new("<option([^>]*)>([^<]*)").unwrap();
    let all = form.captures_iter(html).map(|found| {
        let action = attribute(&format!("{}{}", &found[1], &found[2]), "action").unwrap();
        let fields = field.captures_iter(&found[3]).filter_map(|found| {
            let part = |at: usize| found.get(at).map(|part| part.as_str().to_owned());
            let (tag, kind, value) = match (part(1), part(2), part(4)) {
                (Some(tag), ..) => {
                    let kind = attribute(&tag, "type").unwrap_or_else(|| "text".into());
                    let value = attribute(&tag, "value").unwrap_or_default();
                    (tag, kind, value)
                }
                (None, Some(tag), _) => {
                    let options = part(3).unwrap();
                    let value = chosen.captures(&options);
                    let value = value.or_else(|| first.captures(&options)).map(|found| {
                        let text = || plain(&found[2]);
                        attribute(&found[1], "value").unwrap_or_else(text)
                    });
                    (tag, "select".into(), value.unwrap_or_default())
                }
                (None, None, tag) => (tag.unwrap(), "textarea".into(), plain(&part(5).unwrap())),
            };
            Some(Field {
                name: attribute(&tag, "name")?,
                is_checked: tag.contains(" checked"),
                kind,
                value,
                tag,
            })
        });
        (action, fields.collect())
    });
    all.collect()
}

/// The kind of an address: names are `*`.
fn kind(action: &str) -> String {
    let path = action.split('?').next().unwrap();
    for (begin, end) in [
        ("/organiser/tournaments/", ""),
        ("/organiser/leagues/", ""),
        ("/leagues/", ""),
        ("/account/bots/", ""),
        ("/join/", ""),
    ] {
        if let Some(rest) = path.strip_prefix(begin) {
            let verb = rest
                .split_once('/')
                .map_or(String::new(), |(_, verb)| format!("/{verb}"));
            return format!("{begin}*{verb}{end}");
        }
    }
    path.to_owned()
}

/// A site with one of everything that has a form.
async fn furnished(site: &TestSite) -> Browser<'_> {
    bots::enter(site);
    let mut cy = site.organiser("cy").await;
    let cup = [
        ("name", "cup"),
        ("game", "flipflop-3x3"),
        ("bots", "ada, bob"),
        ("format", "round-robin"),
    ];
    let season = [
        ("deadline", "2998-01-01T00:00"),
        ("starts_at", "2998-01-01T00:00"),
        ("ends_at", "2998-01-02T00:00"),
    ];
    let league = |name: &str| format!("name = \"{name}\"\ngames = [\"flipflop-3x3\"]");
    let (spring, autumn) = (league("spring"), league("autumn"));
    for (path, fields) in [
        ("/organiser/begin", &cup[..]),
        ("/organiser/leagues", &[("toml", &*spring)]),
        ("/organiser/leagues", &[("toml", &*autumn)]),
        ("/organiser/leagues/spring/season", &season),
    ] {
        let made = cy.submit(path, fields).await;
        assert_eq!(
            made.status,
            StatusCode::SEE_OTHER,
            "{path}: {}",
            made.text()
        );
    }
    // A bot of her own.
    let own =
        "INSERT INTO owners (folded, account) SELECT 'ada', id FROM accounts WHERE name = 'cy'";
    site.store().execute(own, []).unwrap();
    cy
}

/// All pages that a person reaches by links, and their forms by kind: where each stands, and where it is sent.
async fn found(browser: &mut Browser<'_>) -> BTreeMap<String, (String, String)> {
    let link = Regex::new("href=\"(/[^\"#?]*)[\"#?]").unwrap();
    let (mut ahead, mut seen) = (
        vec![
            "/".to_owned(),
            "/account/bots/ada".into(),
            "/organiser/begin?game=flipflop-3x3".into(),
        ],
        BTreeSet::new(),
    );
    let mut all = BTreeMap::new();
    while let Some(path) = ahead.pop() {
        let is_other = ["/assets/", "/api/", "/guides/", "/games/", "/matches/"];
        let is_page = !is_other.iter().any(|other| path.starts_with(other));
        if !is_page || path.ends_with("/file") || !seen.insert(path.clone()) {
            continue;
        }
        let page = browser.get(&path).await;
        if page.status != StatusCode::OK || !page.header("content-type").starts_with("text/html") {
            continue;
        }
        for found in link.captures_iter(page.text()) {
            ahead.push(found[1].to_owned());
        }
        for (action, fields) in forms(page.text()) {
            if fields.iter().any(|field| field.kind != "hidden") {
                all.entry(kind(&action)).or_insert((path.clone(), action));
            }
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_with_a_wrong_value_comes_again_as_it_was_sent_with_the_message_at_its_field() {
    let site = TestSite::open();
    let mut cy = furnished(&site).await;
    let mut all = found(&mut cy).await;
    all.extend(found(&mut site.browser()).await);
    let files = ["/upload", "/organiser/games"];
    let known: BTreeSet<&str> = WRONG.iter().map(|(form, ..)| *form).collect();
    let there: BTreeSet<&str> = all.keys().map(String::as_str).collect();
    let there: BTreeSet<&str> = there
        .into_iter()
        .filter(|one| !files.contains(one))
        .collect();
    assert_eq!(there, known);
    for (form, (page, action)) in all {
        if files.contains(&&*form) {
            continue;
        }
        let mut browser = match form.starts_with("/sign-") {
            true => site.browser(),
            false => {
                let mut same = site.browser();
                same.cookie.clone_from(&cy.cookie);
                same
            }
        };
        let shown = browser.get(&page).await;
        let is_it = |(at, fields): &(String, Vec<Field>)| {
            *at == action && fields.iter().any(|field| field.kind != "hidden")
        };
        // Where several lead to one place, the one with all fields.
        let fitting = forms(shown.text()).into_iter().filter(is_it);
        let (_, fields) = fitting.max_by_key(|(_, fields)| fields.len()).unwrap();
        let visible = fields.iter().filter(|field| {
            let is_more =
                ["checkbox", "radio", "hidden"].contains(&&*field.kind) && field.name != "bots";
            !is_more && !["zone"].contains(&&*field.name)
        });
        let wrong: BTreeMap<&str, &str> = WRONG
            .iter()
            .filter(|(of, ..)| *of == form)
            .map(|(_, field, value)| (*field, *value))
            .collect();
        let names: BTreeSet<&str> = visible.map(|field| &*field.name).collect();
        assert_eq!(names, wrong.keys().copied().collect(), "{form}");
        for (name, value) in wrong {
            is_refused(&mut browser, &action, &fields, name, value).await;
        }
    }
}

/// Sends a form with a wrong value in a field, and looks at what comes.
async fn is_refused(
    browser: &mut Browser<'_>,
    action: &str,
    fields: &[Field],
    wrong: &str,
    value: &str,
) {
    let what = format!("{action}: {wrong} = {value}");
    let mut sent: Vec<(String, String)> = Vec::new();
    for field in fields {
        let right = RIGHT.iter().find(|(name, _)| *name == field.name);
        let is_there = sent.iter().any(|(name, _)| *name == field.name);
        // Of a tournament that is extended, one number stays empty.
        let is_other = wrong == "matches" && field.name == "rounds";
        let text = match &*field.kind {
            "hidden" => field.value.clone(),
            "checkbox" if field.name != "bots" || is_there => continue,
            "radio" if !field.is_checked => continue,
            "radio" => field.value.clone(),
            _ if field.name == wrong => value.to_owned(),
            _ if is_other => String::new(),
            // A request is between two.
            _ if action == "/request" && field.name == "bots" => "ada, bob".into(),
            "textarea" | "password" => "some text".into(),
            "select" if !field.value.is_empty() => field.value.clone(),
            _ => right.map_or(field.value.clone(), |(_, value)| (*value).to_owned()),
        };
        sent.push((field.name.clone(), text));
    }
    // A list that can be ticked needs two.
    if action.starts_with("/organiser/begin") {
        sent.push(("bots".into(), "bob".into()));
    }
    let fields: Vec<(&str, &str)> = sent
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let answer = browser.post(action, &fields).await;
    assert!(answer.status.is_client_error(), "{what}: {}", answer.status);
    assert!(
        answer.header("cache-control").contains("no-store"),
        "{what}"
    );
    let html = answer.text();
    assert!(html.contains("<title>Error: "), "{what}: {html}");
    let path = action.split('?').next().unwrap();
    let again = forms(html).into_iter().filter(|(at, again)| {
        at.split('?').next() == Some(path) && again.iter().any(|field| field.kind != "hidden")
    });
    let again: Vec<(String, Vec<Field>)> = again.collect();
    let invalid = |field: &Field| field.tag.contains(" aria-invalid=\"true\"");
    let (_, again) = again
        .iter()
        .find(|(_, fields)| fields.iter().any(invalid))
        .unwrap_or_else(|| panic!("{what}: {html}"));
    let marked: Vec<&Field> = again.iter().filter(|field| invalid(field)).collect();
    assert_eq!(marked.len(), 1, "{what}");
    assert_eq!(marked[0].name, wrong, "{what}: {html}");
    let described = attribute(&marked[0].tag, "aria-describedby").unwrap();
    let id = described.split(' ').next().unwrap();
    let message = Regex::new(&format!("<span class=\"wrong\" id=\"{id}\">(.*?)</span>")).unwrap();
    let message = message
        .captures(html)
        .unwrap_or_else(|| panic!("{what}: {html}"));
    let message = &message[1];
    assert!(
        message.len() > 10 && message.ends_with('.'),
        "{what}: {message}"
    );
    for command in ["flipside ", "`", "--", "415"] {
        assert!(!message.contains(command), "{what}: {message}");
    }
    for (name, value) in &sent {
        let mut same = again.iter().filter(|field| field.name == *name);
        let is_kept = match name.as_str() {
            "word" | "token" => continue,
            _ => same.any(|field| match &*field.kind {
                "checkbox" | "radio" => field.is_checked && field.value == *value,
                // What cannot be chosen is not there to be chosen again.
                "select" => field.value == *value || *name == wrong,
                _ => field.value == *value,
            }),
        };
        let is_no_choice =
            *name == wrong && *name == "bots" && action.starts_with("/organiser/begin");
        assert!(
            is_kept || is_no_choice,
            "{what}: {name} = {value} is lost: {html}"
        );
    }
    // Only the wrong field takes the focus.
    assert_eq!(html.matches(" autofocus").count(), 1, "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_is_refused_says_why_where_it_stands() {
    let site = TestSite::open();
    let mut cy = furnished(&site).await;
    // The page was loaded in another session.
    let refused = cy
        .post("/organiser/queue/pause", &[("tournament", "cup")])
        .await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let html = refused.text();
    assert!(
        html.contains("<h1>Tournaments of this server</h1>"),
        "{html}"
    );
    let stands = "action=\"/organiser/queue/pause\"><p class=\"wrong\" role=\"alert\"";
    assert!(html.contains(stands), "{html}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_says_once_what_it_did_and_only_to_who_did_it() {
    let site = TestSite::open();
    let mut cy = furnished(&site).await;
    let said = "<p class=\"done\" role=\"status\">Season 1 is announced";
    let (mut eve, _) = site.person("eve").await;
    assert!(!eve.get("/").await.text().contains("class=\"done\""));
    // A page that a script fetches to renew its parts shows it to nobody.
    let fetched = cy
        .request(Method::GET, "/")
        .header("sec-fetch-dest", "empty");
    let fetched = cy.send(fetched.body(Body::empty()).unwrap()).await;
    assert!(!fetched.text().contains("class=\"done\""));
    let page = cy.get("/organiser/leagues").await;
    assert!(page.text().contains(said), "{}", page.text());
    assert!(page.header("cache-control").contains("no-store"));
    let again = cy.get("/organiser/leagues").await;
    assert!(!again.text().contains("class=\"done\""));
}
