//! A backup of an arena has the accounts of its site, and what belongs to them.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, StatusCode};
use flipside_operations::{backup, restore};
use flipside_site::{SiteLimits, copy_accounts};

use crate::browser::{TestSite, open};

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_site_has_its_accounts_owners_leagues_ladders_and_webhooks() {
    let site = TestSite::open();
    crate::bots::enter(&site);
    let (_, token) = site.person("ada").await;
    let mut boss = site.organiser("boss").await;
    for (path, fields) in [
        ("/organiser/give", &[("bot", "ada"), ("account", "ada")][..]),
        (
            "/organiser/leagues",
            &[("toml", "name = \"spring\"\ngames = [\"flipflop-3x3\"]")],
        ),
        ("/leagues/spring/enter", &[("bot", "ada")]),
        (
            "/organiser/ladders",
            &[("game", "flipfour"), ("a_day", "7")],
        ),
    ] {
        let done = boss.submit(path, fields).await;
        assert_eq!(
            done.status,
            StatusCode::SEE_OTHER,
            "{path}: {}",
            done.text()
        );
    }
    let hook = [("url", "http://127.0.0.1:9/results")];
    let made = boss.submit("/organiser/webhooks", &hook).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.text());

    // The server runs meanwhile.
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let file = folder.path().join("arena.tar.zst");
    let arena = site.folder.path().join("arena");
    let written = backup(&arena, &file, false, copy_accounts).unwrap();
    assert!(written.has_accounts());
    assert_eq!(written.bots(), 1, "the two have the same file");
    let private = |path: &std::path::Path| {
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    };
    private(&file);
    let restored = folder.path().join("arena");
    restore(&file, &restored).unwrap();
    private(&restored.join("site.db"));
    let names = std::fs::read_dir(folder.path()).unwrap();
    assert_eq!(names.count(), 2, "nothing else is left");

    let again = TestSite::over(folder, SiteLimits::default(), open());
    let me = again
        .script(Method::GET, "/api/v1/me", &token, Body::empty())
        .await;
    assert_eq!(me.status, StatusCode::OK, "{}", me.text());
    assert!(me.text().contains("\"bots\":[\"ada\"]"), "{}", me.text());
    let cookie = boss.cookie.clone();
    let mut boss = again.browser();
    boss.cookie = cookie;
    for (page, part) in [
        ("/leagues/spring", "/bots/ada"),
        ("/organiser/ladders", "flipfour"),
        ("/organiser/webhooks", "http://127.0.0.1:9/results"),
        ("/organiser", "gave the bot ada to ada"),
    ] {
        let answer = boss.get(page).await;
        assert!(answer.text().contains(part), "{page}: {}", answer.text());
    }
}

#[test]
fn an_arena_without_a_site_has_no_accounts_to_save() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("arena");
    flipside_store::Arena::create(&home)
        .unwrap()
        .journal()
        .unwrap();
    let file = folder.path().join("backup");
    let written = backup(&home, &file, false, copy_accounts).unwrap();
    assert!(!written.has_accounts());
    let restored = folder.path().join("restored");
    assert!(!restore(&file, &restored).unwrap().has_accounts());
    assert!(!restored.join("site.db").exists());
}
