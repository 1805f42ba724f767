//! What pages say is what the library says; what was asked for is what is shown.

use axum::http::StatusCode;
use flipside_games::Viewer;
use flipside_operations::{MatchReplay, guides};
use flipside_referee::Record;
use flipside_store::{ratings, table};
use regex_lite::Regex;

use crate::arena::Small;
use crate::client::{Client, ClientAnswer};

/// The texts of the first cell with a link in each row of a table.
fn linked(text: &str, id: &str) -> Vec<String> {
    let (_, table) = text
        .split_once(&format!("<table id=\"{id}\""))
        .expect("the table is there");
    let (_, body) = table.split_once("<tbody>").unwrap();
    let (body, _) = body.split_once("</tbody>").unwrap();
    let cell = Regex::new(r#"<tr>.*?<a href="[^"]*"[^>]*>([^<]*)</a>"#).unwrap();
    cell.captures_iter(body)
        .map(|found| found[1].to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_have_the_rows_of_the_library_in_its_order() {
    let small = Small::shared();
    let journal = small.arena().read_journal().unwrap();
    let client = Client::new(small.arena());
    let rated = ratings(&journal, "flipfour").unwrap();
    let bots: Vec<&str> = rated.rows.iter().map(|row| row.bot.as_str()).collect();
    let page = client.get("/ratings/flipfour").await;
    assert_eq!(linked(page.text(), "ratings"), bots);
    assert_eq!(page.text().matches("class=\"mark\"").count(), bots.len());
    assert!(
        page.text().contains("<svg class=\"plot\""),
        "a history is plotted"
    );

    let cup = journal.tournament("cup").unwrap();
    let standings = table(&journal, &cup).unwrap();
    let bots: Vec<&str> = standings.rows.iter().map(|row| row.bot.as_str()).collect();
    let page = client.get("/tournaments/cup").await;
    assert_eq!(linked(page.text(), "standings"), bots);
    assert_eq!(
        page.text().matches("<td class=\"self\">").count(),
        bots.len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn links_sort_a_table_and_a_text_filters_it() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let rows = async |query: &str| {
        let page = client.get(&format!("/ratings/flipfour?{query}")).await;
        (linked(page.text(), "ratings"), page)
    };
    let (up, page) = rows("sort=ratings.bot").await;
    assert!(up.is_sorted() && up.len() == 5, "{up:?}");
    assert!(page.text().contains("aria-sort=\"ascending\""));
    assert!(
        page.text().contains("href=\"?sort=-ratings.bot#ratings\""),
        "{}",
        page.text()
    );
    let (mut down, _) = rows("sort=-ratings.bot").await;
    down.reverse();
    assert_eq!(down, up);
    let (by_rank, _) = rows("").await;
    let (by_rating, _) = rows("sort=-ratings.rating").await;
    assert_eq!(by_rank, by_rating);
    // What is no column changes nothing.
    assert_eq!(rows("sort=ratings.%3Cb%3E").await.0, by_rank);
    let (filtered, page) = rows("filter=ADA").await;
    assert_eq!(filtered, ["ada@1"]);
    assert!(page.text().contains("value=\"ADA\""));
    let nobody = client.get("/ratings/flipfour?filter=%22%3E%3Cb%3E").await;
    assert!(nobody.text().contains("no row has") && !nobody.text().contains("<b>"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bracket_a_test_and_a_fault_are_shown_where_they_are() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let knock = client.get("/tournaments/knock").await;
    assert!(
        knock.text().contains("aria-label=\"bracket\""),
        "{}",
        knock.text()
    );
    assert!(knock.text().contains("semi-final") || knock.text().contains("final"));
    let trial = client.get("/tournaments/trial").await;
    assert!(
        trial.text().contains("Log-likelihood ratio of the test"),
        "{}",
        trial.text()
    );
    assert!(trial.text().contains("H1 accepted"));
    assert!(trial.text().contains(" of the points."), "{}", trial.text());
    // The terms of statistics stand on a page of their own.
    let statistics = client.get("/tournaments/trial/statistics").await;
    for term in ["LLR", "Ptnml"] {
        assert!(statistics.text().contains(term), "{}", statistics.text());
        assert!(!trial.text().contains(term), "{}", trial.text());
    }
    let hostile = client.get("/bots/hostile").await;
    assert!(hostile.text().contains("malformed"), "{}", hostile.text());
    let record = client.get("/api/v1/matches/cards-0/record").await;
    let journal = small.arena().read_journal().unwrap();
    assert_eq!(record.text(), journal.record("cards-0").unwrap());
    assert_eq!(Record::read(record.text()).unwrap().signer, None);
    assert_eq!(
        record.header("content-disposition"),
        "attachment; filename=\"cards-0.jsonl\""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_guide_and_every_game_has_a_page() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let index = client.get("/guides").await;
    let beside = guides()
        .iter()
        .filter(|guide| guide.path != "docs/README.md");
    for guide in beside {
        assert!(
            index
                .text()
                .contains(&format!(">{}</a>", guide.title().replace('\'', "&#39;"))),
            "{}",
            guide.path
        );
    }
    let games = client.get("/games").await;
    for game in flipside_games::GAMES {
        let info = game.info();
        assert!(
            games
                .text()
                .contains(&format!("href=\"/games/{}\"", info.id)),
            "{}",
            info.id
        );
        let page = client.get(&format!("/games/{}", info.id)).await;
        assert!(
            page.text().contains("<svg xmlns"),
            "{} has a board",
            info.id
        );
        assert!(
            page.text().contains("The options of <code>"),
            "{} has its options",
            info.id
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_reveals_coming_random_events_is_shown_when_the_tournament_is_over() {
    let small = Small::empty();
    let settings = "rounds = 30\noptions = { variant = \"short\", phases = 1 }";
    let bots = ["ada", "bob"];
    small.play_until("cards", "phase10-flip", settings, &bots, true);
    let client = Client::new(small.arena());
    let journal = small.arena().read_journal().unwrap();
    let record = journal.record("cards-0").unwrap();
    let replay = MatchReplay::read(&record, Viewer::Open).unwrap();
    let mut frames = replay.frames().unwrap();
    let last = replay.steps.len() - 1;
    let open = frames.svg(last, Viewer::Open).unwrap();
    let public = frames.svg(last, Viewer::Public).unwrap();
    assert_ne!(open, public, "a hand is hidden");
    let early = client.get("/matches/cards-0").await;
    assert!(early.text().contains(&public) && !early.text().contains(&open));
    assert!(!early.text().contains("/api/v1/matches/cards-0/record"));
    // Bots that are not isolated could read the random events here.
    for part in ["", "/outline", "/0/0"] {
        let early = client.get(&format!("/matches/cards-0/replay{part}")).await;
        assert_eq!(early.status, StatusCode::FORBIDDEN);
    }
    small.play_until("pieces", "yonmoque", "rounds = 30", &bots, true);
    let harmless = client.get("/matches/pieces-0/replay").await;
    assert_eq!(harmless.status, StatusCode::OK);
    let refused = client.get("/api/v1/matches/cards-0/record").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let seed = Record::read(&record).unwrap().over.seed;
    let salt = journal.tournament("cards").unwrap().settings.salt;
    let salt = salt.to_string();
    for page in [
        "/",
        "/tournaments/cards",
        "/tournaments/cards/rounds",
        "/tournaments/cards/statistics",
        "/matches/cards-0",
        "/bots/ada",
        "/ratings/phase10-flip",
        "/matches",
        "/api/v1/tournaments",
        "/api/v1/tournaments/cards",
        "/api/v1/tournaments/cards/standings",
        "/api/v1/tournaments/cards/statistics",
        "/api/v1/matches",
        "/api/v1/matches/cards-0",
        "/api/v1/bots/ada",
    ] {
        let text = client.get(page).await;
        assert_eq!(text.status, StatusCode::OK, "{page}");
        assert!(!text.text().contains(&seed), "{page}");
        assert!(!text.text().contains(&salt), "{page}");
    }
    small.play("cards", "phase10-flip", settings, &bots);
    let client = Client::new(small.arena());
    let late = client.get("/matches/cards-0").await;
    assert!(late.text().contains(&open));
    let late = client.get("/matches/cards-0/replay").await;
    let all = ["everything", "the public", "seat 0, ada@1", "seat 1, bob@1"];
    assert_eq!(views(&late), all);
    let record = client.get("/api/v1/matches/cards-0/record").await;
    assert_eq!(record.status, StatusCode::OK);
    assert!(record.text().contains(&seed));
    for page in ["/tournaments/cards/statistics", "/api/v1/tournaments/cards"] {
        assert!(client.get(page).await.text().contains(&salt), "{page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_bot_says_on_stderr_is_shown_to_nobody() {
    let small = Small::empty();
    small.play("leak", "flipfour", "rounds = 1", &["leaky", "ada"]);
    let journal = small.arena().read_journal().unwrap();
    let quoted = |id| {
        let row = journal.match_row(id).unwrap();
        let faults = row.seats.into_iter().filter_map(|seat| seat.result.fault);
        faults.map(|fault| fault.detail).collect::<String>()
    };
    assert!(quoted("leak-0").contains("SECRETTOKEN"));
    let client = Client::new(small.arena());
    for page in [
        "/",
        "/matches",
        "/matches/leak-0",
        "/matches/leak-0/replay",
        "/tournaments/leak",
        "/tournaments/leak/rounds",
        "/tournaments/leak/statistics",
        "/bots/leaky",
        "/api/v1/tournaments/leak",
        "/api/v1/tournaments/leak/standings",
        "/api/v1/tournaments/leak/statistics",
        "/api/v1/matches",
        "/api/v1/matches/leak-0",
        "/api/v1/bots/leaky",
    ] {
        let text = client.get(page).await;
        assert_eq!(text.status, StatusCode::OK, "{page}");
        assert!(!text.text().contains("SECRETTOKEN"), "{page}");
    }
    let record = client.get("/api/v1/matches/leak-0/record").await;
    assert_eq!(record.status, StatusCode::FORBIDDEN);
    assert!(!record.text().contains("SECRETTOKEN"));
    let shown = client.get("/matches/leak-0").await;
    assert!(shown.text().contains("exited with code 1"));
}

/// The names of the views that the data of a replay hold.
fn views(data: &ClientAnswer) -> Vec<String> {
    let data: serde_json::Value = serde_json::from_slice(&data.body).unwrap();
    let views = data["views"].as_array().unwrap().iter();
    views
        .map(|view| view["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_arena_with_a_key_signs_what_it_gives_out_and_keeps_the_key() {
    let small = Small::empty();
    small.play("cup", "flipflop-3x3", "rounds = 1", &["ada", "bob"]);
    let key = small.arena().make_key().unwrap();
    let client = Client::new(small.arena());
    let record = client.get("/api/v1/matches/cup-0/record").await;
    assert_eq!(Record::read(record.text()).unwrap().signer, Some(key));
    for path in [
        "/signing.key",
        "/arena/signing.key",
        "/api/v1/../signing.key",
    ] {
        assert_ne!(client.get(path).await.status, StatusCode::OK, "{path}");
    }
}
