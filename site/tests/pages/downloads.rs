//! The files of a tournament: each is what the library writes, and says what the table says.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use flipside_operations::{ExportKind, Leaving, withdraw, write_export, write_public_export};
use flipside_store::full_table;
use serde_json::Value;

use crate::arena::Small;
use crate::client::{Client, ClientAnswer};

#[tokio::test(flavor = "multi_thread")]
async fn a_tournament_is_downloaded_as_the_library_writes_it() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let arena = small.arena();
    let journal = arena.read_journal().unwrap();
    for name in ["cup", "knock", "cards"] {
        let tournament = journal.tournament(name).unwrap();
        let page = client.get(&format!("/tournaments/{name}")).await;
        for (ending, kind) in [
            ("html", ExportKind::Page),
            ("csv", ExportKind::Csv),
            ("json", ExportKind::Json),
            ("pgn", ExportKind::Pgn),
            ("trf", ExportKind::Trf),
            ("svg", ExportKind::Picture),
        ] {
            let address = format!("/tournaments/{name}/files/{name}.{ending}");
            assert!(
                page.text().contains(&format!("href=\"{address}\"")),
                "{address}"
            );
            let answer = client.get(&address).await;
            assert_eq!(answer.status, StatusCode::OK, "{address}");
            let disposition = format!("attachment; filename=\"{name}.{ending}\"");
            assert_eq!(answer.header("content-disposition"), disposition);
            let mut due = Vec::new();
            write_public_export(&journal, &tournament, kind, true, &mut due).unwrap();
            assert_eq!(answer.body, due, "{address}");
            // Where nobody was at fault, it is what `flipside export` writes.
            if name != "cup" {
                let mut own = Vec::new();
                let journal = (&journal, small.folder.path());
                write_export(journal, &tournament, kind, None, &mut own, &mut |_, _| ()).unwrap();
                assert_eq!(due, own, "{address}");
            }
            assert!(
                !String::from_utf8_lossy(&due).contains("secret on stderr"),
                "{address}"
            );
        }
    }
    let absent = ["cup.tar.zst", "cup.exe", "other.csv", "cup", ".csv"];
    for file in absent {
        let answer = client.get(&format!("/tournaments/cup/files/{file}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{file}");
    }
    let answer = client.get("/tournaments/absent/files/absent.csv").await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_a_visitor_has_is_made_again_when_the_tournament_has_changed() {
    let small = Small::empty();
    small.play("cup", "flipfour", "rounds = 2", &["ada", "bob"]);
    let client = Client::new(small.arena());
    let address = "/tournaments/cup/files/cup.csv";
    let first = client.get(address).await;
    let ask = async |address: &str, known: &ClientAnswer| {
        let request = Request::get(address).header("if-none-match", known.header("etag"));
        client.send(request.body(Body::empty()).unwrap()).await
    };
    assert_eq!(ask(address, &first).await.status, StatusCode::NOT_MODIFIED);
    let other = ask("/tournaments/cup/files/cup.json", &first).await;
    assert_eq!(other.status, StatusCode::OK);
    let (bob, out) = (
        "bob".parse().unwrap(),
        Leaving::Disqualified { counts: false },
    );
    withdraw(&small.path(), &bob, Some("cup"), out, None).unwrap();
    client.site.look().await.unwrap();
    let changed = ask(address, &first).await;
    assert_eq!(changed.status, StatusCode::OK);
    assert_ne!(changed.header("etag"), first.header("etag"));
    assert_eq!(
        ask(address, &changed).await.status,
        StatusCode::NOT_MODIFIED
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_points_of_a_download_add_up_to_the_scores_of_the_table() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let journal = small.arena().read_journal().unwrap();
    for name in ["cup", "league", "knock", "trial", "cards"] {
        let tournament = journal.tournament(name).unwrap();
        let table = full_table(&journal, &tournament).unwrap().standings;
        let answer = client
            .get(&format!("/tournaments/{name}/files/{name}.json"))
            .await;
        let matches: Vec<Value> = serde_json::from_str(answer.text()).unwrap();
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        for seat in matches
            .iter()
            .flat_map(|one| one["seats"].as_array().unwrap())
        {
            let points = seat["points"].as_f64().unwrap();
            *sums.entry(seat["bot"].as_str().unwrap()).or_default() += points;
        }
        for row in &table.rows {
            assert_eq!(
                sums.get(&*row.bot).copied().unwrap_or(0.0),
                row.score,
                "{name}: {}",
                row.bot
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cells_of_the_cross_table_and_boxes_of_the_bracket_lead_to_their_matches() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    for (name, all) in [("league", 3), ("knock", 2)] {
        let page = client.get(&format!("/tournaments/{name}")).await;
        let begin = format!("<a href=\"/matches?tournament={name}");
        let links: Vec<&str> = page.text().split(&begin).skip(1).collect();
        let between = links
            .iter()
            .filter(|link| link.split('"').next().unwrap().contains("against"));
        assert!(between.count() >= 2 * all, "{name}: {}", page.text());
    }
    let bracket = client.get("/tournaments/knock").await;
    let svg = bracket
        .text()
        .split("aria-label=\"bracket\"")
        .nth(1)
        .unwrap();
    let svg = svg.split("</svg>").next().unwrap();
    assert!(
        svg.contains("<a href=\"/matches?tournament=knock&amp;bot="),
        "{svg}"
    );

    let list = "/matches?tournament=league&bot=ada%401&against=cy%401";
    let page = client.get(list).await;
    assert!(
        page.text()
            .contains("Matches of ada@1 against cy@1 in league"),
        "{}",
        page.text()
    );
    // Two rounds of a block of two.
    assert_eq!(
        page.text().matches("href=\"/matches/league-").count(),
        4,
        "{}",
        page.text()
    );
    assert!(!page.text().contains("bob@1"), "{}", page.text());
    let nobody = client
        .get("/matches?tournament=league&against=nobody")
        .await;
    assert_eq!(nobody.status, StatusCode::NOT_FOUND);
}
