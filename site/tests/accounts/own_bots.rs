//! What an owner does with a bot in the arena, and what organisers do for people who lost their token.

use std::time::Instant;

use axum::http::{Method, StatusCode};
use flipside_tournament::BotRef;

use crate::api::until;
use crate::bots;
use crate::browser::{Browser, TestSite, token};
use crate::sent::SentFile;
use crate::uploads::{ended, promised};

const BOT: &str = include_str!("../../../sample-bots/shell/random.sh");

/// Submits a bot, and waits until it is in the arena.
async fn submit(site: &TestSite, browser: &mut Browser<'_>, name: &str) {
    let file = format!(
        "{BOT}# {name}
"
    );
    let form = SentFile::new(name, file).with("game", "flipflop-3x3");
    let answer = form.send(browser).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    let path = answer.header("location").to_owned();
    until("it is in the arena", async || {
        let page = browser.get(&path).await;
        assert!(!page.text().contains("state-refused"), "{}", page.text());
        page.text().contains("It is in the arena")
    })
    .await;
    site.site.look().await.unwrap();
}

/// The bots of the arena whose files are here, and those whose files are deleted.
fn files(site: &TestSite) -> (Vec<String>, Vec<String>) {
    let bots = site.arena().read_journal().unwrap().bots().unwrap();
    let (here, gone): (Vec<_>, Vec<_>) = bots.iter().partition(|bot| bot.is_here());
    let labels =
        |bots: Vec<&flipside_tournament::Bot>| bots.iter().map(|bot| bot.label()).collect();
    (labels(here), labels(gone))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_renames_a_bot_and_keeps_both_names() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let (mut eve, _) = site.person("eve").await;
    submit(&site, &mut ada, "walker").await;
    submit(&site, &mut eve, "rival").await;
    let page = ada.get("/account").await;
    assert!(
        page.text().contains("href=\"/account/bots/walker\""),
        "{}",
        page.text()
    );
    assert_eq!(ada.get("/account/bots/walker").await.status, StatusCode::OK);

    let to = |name| [("name", name)];
    for (path, name, status) in [
        ("/account/bots/rival/rename", "mine", StatusCode::NOT_FOUND),
        ("/account/bots/none/rename", "mine", StatusCode::NOT_FOUND),
        ("/account/bots/walker/rename", "Rival", StatusCode::CONFLICT),
        (
            "/account/bots/walker/rename",
            "greedy",
            StatusCode::CONFLICT,
        ),
        (
            "/account/bots/walker/rename",
            "<b>",
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
    ] {
        let answer = ada.submit(path, &to(name)).await;
        assert_eq!(answer.status, status, "{path} {name}: {}", answer.text());
    }
    let forged = [("name", "runner"), ("word", "0")];
    let answer = ada.post("/account/bots/walker/rename", &forged).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert_eq!(
        eve.get("/account/bots/walker").await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(files(&site).0, ["rival@1", "walker@1"]);

    let answer = ada
        .submit("/account/bots/walker/rename", &to("runner"))
        .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    assert_eq!(answer.header("location"), "/account/bots/runner");
    assert_eq!(files(&site).0, ["rival@1", "runner@1"]);
    let answer = SentFile::new("walker", BOT).send(&mut eve).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "{}", answer.text());
    let mut boss = site.organiser("boss").await;
    let log = boss.get("/organiser").await;
    assert!(
        log.text().contains("renamed the bot walker to runner"),
        "{}",
        log.text()
    );
    // The names that were refused are nobody's.
    submit(&site, &mut eve, "mine").await;
    // The former name stays the owner's, also after an upload that did not pass, and is free for the owner alone.
    let failing = SentFile::new("walker", "#!/bin/sh\nexit 1\n");
    let path = promised(&failing.send(&mut ada).await);
    assert_eq!(ended(&mut ada, &path).await.0, "refused");
    let answer = SentFile::new("walker", BOT).send(&mut eve).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "{}", answer.text());
    let answer = eve.submit("/account/bots/mine/rename", &to("Walker")).await;
    assert_eq!(answer.status, StatusCode::CONFLICT, "{}", answer.text());
    let back = ada
        .submit("/account/bots/runner/rename", &to("walker"))
        .await;
    assert_eq!(back.status, StatusCode::SEE_OTHER, "{}", back.text());
    assert_eq!(files(&site).0, ["mine@1", "rival@1", "walker@1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_league_links_to_an_entered_bot_by_the_name_that_it_has_now() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    submit(&site, &mut ada, "walker").await;
    let mut boss = site.organiser("boss").await;
    let league = [("toml", "name = \"spring\"\ngames = [\"flipflop-3x3\"]\n")];
    let made = boss.submit("/organiser/leagues", &league).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text());
    let enter = [("bot", "walker")];
    let entered = ada.submit("/leagues/spring/enter", &enter).await;
    assert_eq!(entered.status, StatusCode::SEE_OTHER, "{}", entered.text());
    ada.submit("/account/bots/walker/rename", &[("name", "runner")])
        .await;
    site.site.look().await.unwrap();
    let page = site.browser().get("/leagues/spring").await;
    let link = "<a href=\"/bots/runner\">runner</a>";
    assert!(page.text().contains(link), "{}", page.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_deletes_files_after_a_page_that_asks_and_results_stay() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let (mut eve, _) = site.person("eve").await;
    submit(&site, &mut ada, "walker").await;
    submit(&site, &mut eve, "rival").await;
    let ask = ada.get("/account/bots/walker@1/delete").await;
    assert_eq!(ask.status, StatusCode::OK);
    assert!(ask.text().contains("Delete walker@1?"), "{}", ask.text());
    assert_eq!(files(&site).0, ["rival@1", "walker@1"]);
    for (browser, path) in [
        (&mut eve, "/account/bots/walker@1/delete"),
        (&mut ada, "/account/bots/walker@2/delete"),
    ] {
        assert_eq!(
            browser.get(path).await.status,
            StatusCode::NOT_FOUND,
            "{path}"
        );
        let answer = browser.submit(path, &[]).await;
        assert!(answer.status.is_client_error(), "{path}: {}", answer.status);
    }

    // A tournament that is not over needs it.
    let mut boss = site.organiser("boss").await;
    let asked = [
        ("name", "cup"),
        ("game", "flipflop-3x3"),
        ("bots", "walker, rival"),
        ("format", "round-robin"),
        ("rounds", "1"),
    ];
    let begun = boss.submit("/organiser/begin", &asked).await;
    assert_eq!(begun.status, StatusCode::SEE_OTHER, "{}", begun.text());
    let needed = ada.submit("/account/bots/walker@1/delete", &[]).await;
    assert_eq!(needed.status, StatusCode::CONFLICT, "{}", needed.text());
    assert!(needed.text().contains("cup"), "{}", needed.text());
    let ended = boss.submit("/organiser/tournaments/cup/cancel", &[]).await;
    assert_eq!(ended.status, StatusCode::SEE_OTHER, "{}", ended.text());

    let answer = ada.submit("/account/bots/walker@1/delete", &[]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    assert_eq!(
        files(&site),
        (vec!["rival@1".into()], vec!["walker@1".into()])
    );
    let file = ada.get("/account/bots/walker@1/file").await;
    assert_eq!(file.status, StatusCode::NOT_FOUND);
    assert_eq!(ada.get("/bots/walker@1").await.status, StatusCode::OK);
    let page = ada.get("/account/bots/walker").await;
    assert!(page.text().contains("deleted"), "{}", page.text());
    assert_eq!(
        ada.get("/account/bots/walker/delete").await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_who_lost_the_token_gets_a_new_one_from_an_organiser() {
    let site = TestSite::open();
    let (mut ada, old) = site.person("ada").await;
    let mut boss = site.organiser("boss").await;
    let of = |name| [("account", name)];
    assert_eq!(
        ada.submit("/organiser/token", &of("boss")).await.status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        ada.get("/organiser/token?account=boss").await.status,
        StatusCode::FORBIDDEN
    );
    for (name, status) in [
        ("boss", StatusCode::CONFLICT),
        ("none", StatusCode::NOT_FOUND),
    ] {
        let path = format!("/organiser/token?account={name}");
        assert_eq!(boss.get(&path).await.status, status, "{name}");
        assert_eq!(
            boss.submit("/organiser/token", &of(name)).await.status,
            status,
            "{name}"
        );
    }
    let forged = [("account", "ada"), ("word", "0")];
    assert_eq!(
        boss.post("/organiser/token", &forged).await.status,
        StatusCode::FORBIDDEN
    );
    let ask = boss.get("/organiser/token?account=ADA").await;
    assert!(
        ask.text().contains("A new token for ada?"),
        "{}",
        ask.text()
    );
    assert_eq!(ada.get("/account").await.status, StatusCode::OK);

    let page = boss.submit("/organiser/token", &of("ada")).await;
    assert_eq!(page.header("cache-control"), "private, no-store");
    let new = token(&page);
    assert_ne!(new, old);
    // Her session has ended, and the old token with it.
    assert_eq!(ada.get("/account").await.header("location"), "/sign-in");
    for (token, status) in [(old, StatusCode::UNAUTHORIZED), (new, StatusCode::OK)] {
        assert_eq!(
            site.script(Method::GET, "/account", &token, "")
                .await
                .status,
            status
        );
    }
    // The organiser's own session goes on.
    let log = boss.get("/organiser").await;
    assert!(
        log.text().contains("gave ada a new token"),
        "{}",
        log.text()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tournament_that_is_not_played_is_removed_from_the_queue() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    bots::enter(&site);
    let mut boss = site.organiser("boss").await;
    // Nothing plays it: the host has not started.
    let asked = [
        ("name", "cup"),
        ("game", "flipflop-3x3"),
        ("bots", "ada, bob"),
        ("format", "round-robin"),
        ("rounds", "1"),
    ];
    let begun = boss.submit("/organiser/begin", &asked).await;
    assert_eq!(begun.status, StatusCode::SEE_OTHER, "{}", begun.text());
    let cup = [("tournament", "cup")];
    let refused = boss.submit("/organiser/queue/remove", &cup).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        refused.text().contains("pause it first"),
        "{}",
        refused.text()
    );
    // Its processes cannot be started any more, so it fails.
    let bot: BotRef = "ada".parse().unwrap();
    let file = site
        .arena()
        .bot_path(&site.arena().read_journal().unwrap().bot(&bot).unwrap())
        .unwrap();
    std::fs::remove_file(file).unwrap();
    let host = site.site.host().unwrap();
    host.start().unwrap();
    until("it fails", async || {
        let page = boss.get("/organiser/tournaments").await;
        page.text().contains("failed: ")
    })
    .await;
    assert_eq!(
        ada.submit("/organiser/queue/remove", &cup).await.status,
        StatusCode::FORBIDDEN
    );
    let removed = boss.submit("/organiser/queue/remove", &cup).await;
    assert_eq!(removed.status, StatusCode::SEE_OTHER);
    assert!(host.hosted().is_empty());
    let page = boss.get("/organiser/tournaments").await;
    assert!(
        page.text().contains("No tournaments are queued"),
        "{}",
        page.text()
    );
    assert_eq!(boss.get("/tournaments/cup").await.status, StatusCode::OK);
    host.close(Instant::now());
}
