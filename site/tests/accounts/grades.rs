//! Grades as a file, and the deadline that authors are told.

use axum::http::StatusCode;

use crate::bots;
use crate::browser::TestSite;
use crate::hosted::until;

const CUP: [(&str, &str); 6] = [
    ("name", "cup"),
    ("game", "flipflop-3x3"),
    ("bots", "ada, bob, sample:random"),
    ("format", "round-robin"),
    ("rounds", "1"),
    ("clock", "move=5m,start=5m"),
];

#[tokio::test(flavor = "multi_thread")]
async fn grades_have_a_row_for_each_author_with_the_best_of_its_bots() {
    let site = TestSite::open();
    bots::enter(&site);
    site.site.host().unwrap().start().unwrap();
    let mut boss = site.organiser("boss").await;
    let (mut eve, _) = site.person("eve").await;
    site.person("Zoe").await;
    for bot in ["ada", "bob"] {
        let given = [("bot", bot), ("account", "eve")];
        let given = boss.submit("/organiser/give", &given).await;
        assert_eq!(given.status, StatusCode::SEE_OTHER, "{}", given.text());
    }
    let begun = boss.submit("/organiser/begin", &CUP).await;
    assert_eq!(begun.status, StatusCode::SEE_OTHER, "{}", begun.text());
    let host = site.site.host().unwrap();
    until("all is played", || host.hosted().is_empty()).await;
    let path = "/organiser/tournaments/cup/grades.csv";
    let change = boss.get("/organiser/tournaments/cup").await;
    assert!(change.text().contains(path), "{}", change.text());
    let file = boss.get(path).await;
    assert_eq!(file.status, StatusCode::OK, "{}", file.text());
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
    let saved = "attachment; filename=\"cup-grades.csv\"";
    assert_eq!(file.header("content-disposition"), saved);
    let lines: Vec<&str> = file.text().lines().collect();
    assert_eq!(lines.len(), 3, "{}", file.text());
    let heading = "account,bot,division,rank,rating,points,matches,faults,left";
    assert_eq!(lines[0], heading);
    // Of two bots, the better one: of three bots, it is first or second.
    let fields: Vec<&str> = lines[1].split(',').collect();
    assert_eq!(fields[0], "eve");
    assert!(["ada@1", "bob@1"].contains(&fields[1]), "{fields:?}");
    assert!(["1", "2"].contains(&fields[3]), "{fields:?}");
    assert_eq!(&fields[6..], ["4", "0", ""], "{fields:?}");
    assert_eq!(lines[2], "Zoe,,,,,,,,");
    assert_eq!(eve.get(path).await.status, StatusCode::FORBIDDEN);
    let absent = boss.get("/organiser/tournaments/none/grades.csv").await;
    assert_eq!(absent.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deadline_of_a_season_stands_where_bots_are_submitted() {
    let site = TestSite::open();
    let mut boss = site.organiser("boss").await;
    let (mut eve, _) = site.person("eve").await;
    let league = "name = \"spring\"\ntitle = \"Spring league\"\ngames = [\"flipfour\"]";
    let made = boss.submit("/organiser/leagues", &[("toml", league)]).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text());
    let absent = eve.get("/submit").await;
    assert!(!absent.text().contains("Spring league"));
    let season = [
        ("deadline", "2999-01-01T18:00"),
        ("starts_at", "2999-01-01T18:00"),
        ("ends_at", "2999-01-02T00:00"),
    ];
    let announced = boss
        .submit("/organiser/leagues/spring/season", &season)
        .await;
    assert_eq!(announced.status, StatusCode::SEE_OTHER);
    let page = eve.get("/submit").await;
    for part in [
        "Spring league",
        "<time datetime=\"2999-01-01T18:00:00Z\"",
        "/leagues/spring/enter",
    ] {
        assert!(page.text().contains(part), "{part}: {}", page.text());
    }
    // Before the season is played, everybody has an empty row.
    let path = "/organiser/leagues/spring/seasons/1/grades.csv";
    assert!(boss.get("/organiser/leagues").await.text().contains(path));
    let grades = boss.get(path).await;
    assert!(
        grades.text().ends_with("\neve,,,,,,,,\n"),
        "{}",
        grades.text()
    );
    assert_eq!(eve.get(path).await.status, StatusCode::FORBIDDEN);
    let none = boss.get("/organiser/leagues/spring/seasons/2/grades.csv");
    assert_eq!(none.await.status, StatusCode::NOT_FOUND);
}
