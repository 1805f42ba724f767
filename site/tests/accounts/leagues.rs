//! Leagues on the site: who may make and enter them, and what their pages show.

use axum::http::StatusCode;

use crate::bots;
use crate::browser::{HARMLESS, SCRIPT, TestSite};

fn described(title: &str) -> String {
    format!(
        "name = \"spring\"\ntitle = {title:?}\ngames = [\"flipflop-3x3\", \"flipfour\"]\nrounds = 1"
    )
}

const SOON: [(&str, &str); 3] = [
    ("deadline", "2999-01-01T00:00"),
    ("starts_at", "2999-01-01T00:00"),
    ("ends_at", "2999-01-02T00:00"),
];

#[tokio::test(flavor = "multi_thread")]
async fn an_organiser_makes_a_league_and_authors_enter_their_bots() {
    let site = TestSite::open();
    bots::enter(&site);
    let mut org = site.organiser("cy").await;
    let (mut eve, _) = site.person("eve").await;
    let mut anybody = site.browser();
    assert!(
        anybody
            .get("/leagues")
            .await
            .text()
            .contains("There is no league yet")
    );

    let text = described(SCRIPT);
    let refused = eve.submit("/organiser/leagues", &[("toml", &text)]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let refused = org.post("/organiser/leagues", &[("toml", &text)]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "without the word");
    let wrong = text.replace("flipfour", "chess");
    let refused = org.submit("/organiser/leagues", &[("toml", &wrong)]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        refused.text().contains("There is no game"),
        "{}",
        refused.text()
    );
    let made = org.submit("/organiser/leagues", &[("toml", &text)]).await;
    assert_eq!(made.header("location"), "/organiser/leagues");
    let twice = org.submit("/organiser/leagues", &[("toml", &text)]).await;
    assert_eq!(twice.status, StatusCode::CONFLICT);

    for (times, why) in [
        ([("deadline", "x"), SOON[1], SOON[2]], "is no time"),
        (
            [SOON[0], ("starts_at", "2998-01-01T00:00"), SOON[2]],
            "at its deadline or later",
        ),
        (
            [
                ("deadline", "2000-01-01T00:00"),
                ("starts_at", "2000-01-01T00:00"),
                ("ends_at", "2000-01-02T00:00"),
            ],
            "The deadline has passed",
        ),
    ] {
        let refused = org.submit("/organiser/leagues/spring/season", &times).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(refused.text().contains(why), "{}", refused.text());
    }
    let refused = eve.submit("/organiser/leagues/spring/season", &SOON).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let announced = org.submit("/organiser/leagues/spring/season", &SOON).await;
    assert_eq!(
        announced.status,
        StatusCode::SEE_OTHER,
        "{}",
        announced.text()
    );

    // The bots are the organisers'.
    let refused = eve.submit("/leagues/spring/enter", &[("bot", "ada")]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let refused = org
        .submit("/leagues/spring/enter", &[("bot", "none")])
        .await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
    let entered = org.submit("/leagues/spring/enter", &[("bot", "ada")]).await;
    assert_eq!(entered.header("location"), "/leagues/spring/enter");
    assert!(
        org.get("/leagues/spring/enter")
            .await
            .text()
            .contains("Withdraw")
    );

    let page = anybody.get("/leagues/spring").await;
    let text = page.text();
    assert!(text.contains(HARMLESS) && !text.contains(SCRIPT), "{text}");
    for part in [
        "Season 1",
        "bots can be entered",
        "2999-01-02T00:00:00Z",
        "/bots/ada",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Nobody is told of divisions who did not ask for them.
    let run = org.get("/organiser/leagues").await;
    for text in [text, run.text()] {
        assert!(!text.contains("ivision") && !text.contains("moves up"));
    }
    let two = "name = \"summer\"\ngames = [\"flipfour\"]\ndivisions = 2";
    org.submit("/organiser/leagues", &[("toml", two)]).await;
    org.submit("/organiser/leagues/summer/season", &SOON).await;
    let run = org.get("/organiser/leagues").await;
    assert!(run.text().contains("nobody moves up or down"));
    let list = anybody.get("/leagues").await;
    assert!(list.text().contains(HARMLESS) && list.text().contains("1: open"));
    assert_eq!(
        anybody.get("/leagues/spring/enter").await.status,
        StatusCode::SEE_OTHER
    );
    for unknown in [
        "/leagues/autumn",
        "/leagues/spring/seasons/2",
        "/leagues/autumn/enter",
    ] {
        let found = org.get(unknown).await;
        assert_eq!(found.status, StatusCode::NOT_FOUND, "{unknown}");
    }

    let left = org
        .submit(
            "/leagues/spring/enter",
            &[("bot", "ada"), ("leave", "true")],
        )
        .await;
    assert_eq!(left.status, StatusCode::SEE_OTHER);
    assert!(
        anybody
            .get("/leagues/spring")
            .await
            .text()
            .contains("None are entered")
    );
    let reason = [("season", "1"), ("reason", SCRIPT)];
    let cancelled = org
        .submit("/organiser/leagues/spring/cancel", &reason)
        .await;
    assert_eq!(
        cancelled.status,
        StatusCode::SEE_OTHER,
        "{}",
        cancelled.text()
    );
    let page = anybody.get("/leagues/spring").await;
    assert!(page.text().contains("cancelled") && !page.text().contains(SCRIPT));
    let log = org.get("/organiser").await;
    for line in [
        "makes the league spring",
        "announces season 1 of the league spring",
        "enters ada for the league spring",
        "cancels season 1 of the league spring",
    ] {
        assert!(log.text().contains(line), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_league_refuses_a_bot_that_plays_none_of_its_games_at_once() {
    let site = TestSite::open();
    bots::enter(&site);
    let mut org = site.organiser("cy").await;
    let other = "name = \"other\"\ngames = [\"flipfour\", \"yonmoque\"]";
    let made = org.submit("/organiser/leagues", &[("toml", other)]).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text());
    // They were checked for another game.
    let refused = org.submit("/leagues/other/enter", &[("bot", "ada")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let text = refused.text();
    assert!(
        text.contains("ada@1 has passed its check for none of the games of other"),
        "{text}"
    );
    assert!(text.contains("FlipFour, Yonmoque"), "{text}");
    let page = org.get("/leagues/other").await;
    assert!(page.text().contains("None are entered"));
}

#[tokio::test(flavor = "multi_thread")]
async fn times_of_a_season_are_of_the_zone_that_is_chosen() {
    let site = TestSite::open();
    bots::enter(&site);
    let mut org = site.organiser("cy").await;
    org.submit("/organiser/leagues", &[("toml", &described("League"))])
        .await;
    let zone = [&SOON[..], &[("zone", "+05:30")]].concat();
    let announced = org.submit("/organiser/leagues/spring/season", &zone).await;
    assert_eq!(announced.status, StatusCode::SEE_OTHER);
    let page = site.browser().get("/leagues/spring").await;
    assert!(
        page.text().contains("2998-12-31T18:30:00Z"),
        "{}",
        page.text()
    );
}
