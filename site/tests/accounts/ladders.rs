//! Continuous ladders: organisers keep them, uploads join them, and everybody sees their table.

use axum::http::StatusCode;
use flipside_operations::Entry;
use flipside_site::SiteLimits;
use flipside_store::table;
use std::sync::Arc;

use crate::browser::{SCRIPT, TestSite, open};
use crate::hosted::until;
use crate::sent::SentFile;
use crate::uploads::{ended, promised, random};

const GAME: &str = "flipflop-3x3";
const LADDER: &str = "ladder-flipflop-3x3";

/// The form that keeps a ladder.
const KEEP: [(&str, &str); 4] = [
    ("game", GAME),
    ("a_day", "100000"),
    ("clock", "move=5m,start=5m"),
    ("bots", ""),
];

/// How many matches a bot has played in the ladder.
fn games(site: &TestSite, bot: &str) -> u64 {
    let journal = site.arena().read_journal().unwrap();
    let Ok(tournament) = journal.tournament(LADDER) else {
        return 0;
    };
    let standings = table(&journal, &tournament).unwrap();
    let mut rows = standings.rows.iter();
    rows.find(|row| row.bot == bot).map_or(0, |row| row.games)
}

fn has_left(site: &TestSite, bot: &str) -> bool {
    let journal = site.arena().read_journal().unwrap();
    let tournament = journal.tournament(LADDER).unwrap();
    let entrant = tournament
        .entrants
        .iter()
        .position(|one| one.label() == bot);
    entrant.is_some_and(|entrant| tournament.has_left(entrant))
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_join_the_ladder_of_their_game_and_a_new_version_takes_over_also_after_a_stop() {
    let site = TestSite::open();
    site.site.host().unwrap().start().unwrap();
    let mut boss = site.organiser("boss").await;
    let answer = boss.submit("/organiser/ladders", &KEEP).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    let (mut ada, _) = site.person("ada").await;
    let (mut bob, _) = site.person("bob").await;
    let form = |name, more: &str| {
        let text = format!("{}\n# {more}\n", random());
        SentFile::new(name, text).with("game", GAME)
    };
    for (person, name) in [(&mut ada, "eager"), (&mut bob, "second")] {
        let path = promised(&form(name, name).send(person).await);
        let (state, page) = ended(person, &path).await;
        assert_eq!(state, "accepted", "{page}");
    }
    until("both play", || {
        games(&site, "eager@1") > 0 && games(&site, "second@1") > 0
    })
    .await;
    let path = promised(&form("eager", "newer").send(&mut ada).await);
    assert_eq!(ended(&mut ada, &path).await.0, "accepted");
    until("the new version plays", || games(&site, "eager@2") > 0).await;
    assert!(has_left(&site, "eager@1"));

    site.site.look().await.unwrap();
    let shown = format!("/tournaments/{LADDER}");
    for page in ["/", &format!("/games/{GAME}"), "/organiser/ladders"] {
        let page = boss.get(page).await;
        assert!(page.text().contains(&shown), "{}", page.text());
    }
    let page = site.browser().get(&format!("/games/{GAME}")).await;
    let part = page.text().split("id=\"game-ladder\"").nth(1).unwrap();
    let part = part.split("</section>").next().unwrap();
    assert!(
        part.contains("eager@2") && part.contains("second@1"),
        "{part}"
    );
    assert!(!part.contains("eager@1"), "{part}");

    // The server ends in the middle of it all, and another one begins.
    let (folder, played) = (Arc::clone(&site.folder), games(&site, "second@1"));
    let (cookie, word) = (boss.cookie.clone(), ada.cookie.clone());
    site.site.stop();
    drop((boss, ada, bob));
    drop(site);
    let site = TestSite::over(folder, SiteLimits::default(), open());
    site.site.host().unwrap().start().unwrap();
    until("it goes on", || games(&site, "second@1") > played).await;
    let (mut boss, mut ada) = (site.browser(), site.browser());
    (boss.cookie, ada.cookie) = (cookie, word);

    // The bots of a disabled account leave.
    let disabled = [("account", "bob"), ("disabled", "true")];
    boss.submit("/organiser/disable", &disabled).await;
    until("its bot has left", || has_left(&site, "second@1")).await;
    let change = format!("/organiser/tournaments/{LADDER}");
    let page = boss.get(&change).await;
    assert!(
        page.text().contains("its account was disabled"),
        "{}",
        page.text()
    );
    // A bot of another game does not join by itself. Organisers add it by hand, and authors do not.
    let third = SentFile::new("third", random()).with("game", "flipfour");
    let path = promised(&third.send(&mut ada).await);
    assert_eq!(ended(&mut ada, &path).await.0, "accepted");
    let more = [("bots", "third, nobody"), ("reason", "")];
    let refused = boss.submit(&format!("{change}/join"), &more).await;
    assert_eq!(
        refused.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{}",
        refused.text()
    );
    let more = [("bots", "third"), ("reason", "a yardstick")];
    let refused = ada.submit(&format!("{change}/join"), &more).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let added = boss.submit(&format!("{change}/join"), &more).await;
    assert_eq!(added.status, StatusCode::SEE_OTHER, "{}", added.text());
    until("it plays", || games(&site, "third@1") > 0).await;

    for path in ["/organiser/ladders", "/organiser/ladders/stop"] {
        assert_eq!(ada.submit(path, &KEEP).await.status, StatusCode::FORBIDDEN);
    }
    let stopped = boss
        .submit("/organiser/ladders/stop", &[("game", GAME)])
        .await;
    assert_eq!(stopped.status, StatusCode::SEE_OTHER);
    let host = site.site.host().unwrap();
    until("nothing is played", || host.hosted().is_empty()).await;
    // The page for everybody, which is kept, shows it as well.
    let home = site.browser().get("/").await;
    assert!(!home.text().contains(">Ladder <span"), "{}", home.text());
    let again = boss
        .submit("/organiser/ladders/stop", &[("game", GAME)])
        .await;
    assert_eq!(again.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ladder_of_no_game_or_without_an_end_of_its_day_is_refused() {
    let site = TestSite::open();
    let mut boss = site.organiser("boss").await;
    for (key, value, status) in [
        ("game", SCRIPT, StatusCode::NOT_FOUND),
        ("a_day", "0", StatusCode::UNPROCESSABLE_ENTITY),
        ("a_day", "100001", StatusCode::UNPROCESSABLE_ENTITY),
        ("clock", "soon", StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        let mut form = KEEP;
        let field = form.iter_mut().find(|(name, _)| *name == key).unwrap();
        field.1 = value;
        let answer = boss.submit("/organiser/ladders", &form).await;
        assert_eq!(answer.status, status, "{key}: {}", answer.text());
        assert!(!answer.text().contains(SCRIPT));
    }
    let page = boss.get("/organiser/ladders").await;
    assert!(
        page.text().contains("No ladders are kept"),
        "{}",
        page.text()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_built_in_bot_of_the_arena_plays_in_a_ladder_only_where_it_is_named() {
    let site = TestSite::open();
    {
        let arena = site.arena();
        let mut journal = arena.journal().unwrap();
        for sample in ["sample:random", "sample:perfect"] {
            let entry = Entry::find(Some(&arena), sample).unwrap();
            let entered = entry.enter(&arena, &mut journal).unwrap();
            assert!(entered.plays(GAME), "{sample}");
        }
    }
    site.site.host().unwrap().start().unwrap();
    crate::bots::enter(&site);
    let mut boss = site.organiser("boss").await;
    let answer = boss.submit("/organiser/ladders", &KEEP).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    let entrants = || {
        let journal = site.arena().read_journal().unwrap();
        let begun = journal.tournament(LADDER).ok()?;
        Some(begun.entrants.iter().map(|bot| bot.label()).collect())
    };
    until("the ladder has begun", || entrants().is_some()).await;
    let mut found: Vec<String> = entrants().unwrap();
    found.sort();
    assert_eq!(found, ["ada@1", "bob@1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_leads_to_its_place_on_the_ladder_and_to_what_beat_it() {
    let site = TestSite::open();
    site.site.host().unwrap().start().unwrap();
    let mut boss = site.organiser("boss").await;
    let answer = boss.submit("/organiser/ladders", &KEEP).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    let (mut ada, _) = site.person("ada").await;
    let (mut bob, _) = site.person("bob").await;
    let form = |name| SentFile::new(name, format!("{}\n# {name}\n", random())).with("game", GAME);
    let path = promised(&form("eager").send(&mut ada).await);
    let (state, page) = ended(&mut ada, &path).await;
    assert_eq!(state, "accepted", "{page}");
    let place = format!("/ladders/{GAME}/eager@1");
    assert!(page.contains(&format!("href=\"{place}\"")), "{page}");
    assert!(
        page.contains("See its first matches on the ladder"),
        "{page}"
    );
    assert!(page.contains("href=\"/request?bot=eager@1\""), "{page}");
    let alone = "It has not played yet: it waits for a second bot.";
    crate::api::until("it is told what the ladder waits for", async || {
        site.browser().get(&place).await.text().contains(alone)
    })
    .await;
    // A second bot, and both have won and lost.
    let second = promised(&form("second").send(&mut bob).await);
    assert_eq!(ended(&mut bob, &second).await.0, "accepted");
    crate::api::until("both have won and lost", async || {
        site.site.look().await.unwrap();
        let page = site.browser().get(&place).await;
        page.text().contains("Here is what beat it") && page.text().contains("What it beat")
    })
    .await;
    let stopped = boss
        .submit("/organiser/ladders/stop", &[("game", GAME)])
        .await;
    assert_eq!(stopped.status, StatusCode::SEE_OTHER);
    // Of a ladder that is not kept, nobody has a place.
    crate::api::until("nothing is played", async || {
        site.site.host().unwrap().hosted().is_empty()
    })
    .await;
    let absent = site.browser().get(&place).await;
    assert_eq!(absent.status, StatusCode::NOT_FOUND, "{}", absent.text());
    let again = boss.submit("/organiser/ladders", &KEEP).await;
    assert_eq!(again.status, StatusCode::SEE_OTHER);
    site.site.look().await.unwrap();
    let page = site.browser().get(&place).await;
    let text = page.text();
    let places = ["<h1>eager@1: 1st of 2</h1>", "<h1>eager@1: 2nd of 2</h1>"];
    assert!(places.iter().any(|place| text.contains(place)), "{text}");
    assert!(text.contains("lost to <a href=\"/bots/second@1\">second@1</a>"));
    let (_, watch) = text
        .split_once("<a class=\"button\" href=\"/matches/")
        .unwrap();
    let replay = format!("/matches/{}", watch.split('"').next().unwrap());
    let replay = site.browser().get(&replay).await;
    assert_eq!(replay.status, StatusCode::OK);
    assert!(
        replay.text().contains("class=\"replay"),
        "{}",
        replay.text()
    );
    // The page of the upload says so, too.
    let page = ada.get(&path).await;
    assert!(
        page.text().contains("of 2 on the ladder of"),
        "{}",
        page.text()
    );
    for absent in [
        "/ladders/yonmoque/eager@1",
        "/ladders/none/eager@1",
        &format!("/ladders/{GAME}/nobody"),
    ] {
        let answer = site.browser().get(absent).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{absent}");
    }
}
