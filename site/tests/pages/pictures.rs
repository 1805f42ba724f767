//! What others show beside a link: words, and a picture of the board.

use std::path::Path;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use flipside_games::GAMES;
use flipside_operations::{Processes, cancel, use_games};
use flipside_site::{AccountSettings, SiteLimits};

use crate::arena::Small;
use crate::client::{Client, ClientAnswer};

/// Where the site is.
const ORIGIN: &str = "https://arena.example";

fn client(small: &Small) -> Client {
    let settings = AccountSettings {
        url: Some(ORIGIN.parse().unwrap()),
        ..AccountSettings::default()
    };
    Client::set_up(small.arena(), SiteLimits::default(), settings)
}

/// What a page says of itself under this name.
fn said<'a>(page: &'a ClientAnswer, name: &str) -> Option<&'a str> {
    let (_, rest) = page.text().split_once(&format!("\"{name}\" content=\""))?;
    rest.split('"').next()
}

/// The width and the height of a PNG.
fn size(png: &ClientAnswer) -> [u32; 2] {
    assert_eq!(png.status, StatusCode::OK, "{}", png.text());
    assert_eq!(png.header("content-type"), "image/png");
    assert!(png.body.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"));
    [16, 20].map(|at| u32::from_be_bytes(png.body[at..at + 4].try_into().unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_to_a_match_shows_its_last_board_and_who_won() {
    let small = Small::shared();
    let client = client(&small);
    for id in ["league-0", "cards-0"] {
        let path = format!("/matches/{id}");
        let page = client.get(&path).await;
        let picture = format!("{path}/board.png");
        assert_eq!(said(&page, "og:url"), Some(&*format!("{ORIGIN}{path}")));
        assert_eq!(said(&page, "og:type"), Some("website"));
        assert_eq!(
            said(&page, "og:image"),
            Some(&*format!("{ORIGIN}{picture}"))
        );
        assert_eq!(said(&page, "og:image:width"), Some("1200"));
        assert_eq!(said(&page, "og:image:height"), Some("630"));
        assert_eq!(said(&page, "twitter:card"), Some("summary_large_image"));
        let told = page
            .text()
            .split_once("<h1 class=\"result-head\">")
            .unwrap()
            .1;
        let told = told.split('<').next().unwrap();
        for name in ["og:title", "og:description", "description", "og:image:alt"] {
            assert!(said(&page, name).unwrap().contains(told), "{name}");
        }
        let png = client.get(&picture).await;
        assert_eq!(size(&png), [1_200, 630]);
        // It is there, and its reader has it.
        let again = Request::get(&picture).header("if-none-match", png.header("etag"));
        let again = client.send(again.body(Body::empty()).unwrap()).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED);
    }
    for absent in ["/matches/cup-99999/board.png", "/games/absent/board.png"] {
        let answer = client.get(absent).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{absent}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_to_games_and_to_the_site_show_pictures() {
    let small = Small::shared();
    let client = client(&small);
    for game in GAMES {
        let info = game.info();
        let page = client.get(&format!("/games/{}", info.id)).await;
        let picture = format!("/games/{}/board.png", info.id);
        assert_eq!(
            said(&page, "og:image"),
            Some(&*format!("{ORIGIN}{picture}"))
        );
        assert_eq!(said(&page, "og:description"), Some(info.summary));
        assert_eq!(
            size(&client.get(&picture).await),
            [1_200, 630],
            "{}",
            info.id
        );
    }
    for other in ["/", "/tournaments/cup", "/guides"] {
        let page = client.get(other).await;
        assert_eq!(
            said(&page, "og:image"),
            Some(&*format!("{ORIGIN}/card.png"))
        );
        assert_eq!(said(&page, "og:url"), Some(&*format!("{ORIGIN}{other}")));
    }
    assert_eq!(size(&client.get("/card.png").await), [1_200, 630]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_address_of_the_site_a_link_shows_words() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let page = client.get("/matches/league-0").await;
    assert_eq!([said(&page, "og:image"), said(&page, "og:url")], [None; 2]);
    assert_eq!(said(&page, "twitter:card"), Some("summary"));
    assert!(said(&page, "og:description").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hidden_is_on_the_picture_when_the_tournament_is_over() {
    let small = Small::empty();
    let settings = "rounds = 30\noptions = { variant = \"short\", phases = 1 }";
    small.play_until("cards", "phase10-flip", settings, &["ada", "bob"], true);
    let address = "/matches/cards-0/board.png";
    let before = client(&small).get(address).await;
    assert_eq!(size(&before), [1_200, 630]);
    cancel(&small.path(), "cards", None).unwrap();
    let after = client(&small).get(address).await;
    assert_eq!(size(&after), [1_200, 630]);
    // The cards that were left in the hands.
    assert_ne!(before.body, after.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_of_a_game_program_has_a_picture_too() {
    let small = Small::empty();
    let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/games/connect-four");
    small.play("own", game.to_str().unwrap(), "rounds = 1", &["ada", "bob"]);
    let processes = Processes {
        trust: true,
        ..Processes::default()
    };
    use_games(&small.path(), processes);
    let client = client(&small);
    let page = client.get("/matches/own-0").await;
    let picture = said(&page, "og:image")
        .unwrap()
        .strip_prefix(ORIGIN)
        .unwrap();
    assert_eq!(size(&client.get(picture).await), [1_200, 630]);
}
