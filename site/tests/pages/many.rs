//! An arena with very many tournaments: a page makes what it shows, however many there are.

use flipside_site::SiteLimits;
use rusqlite::{Connection, params};

use crate::arena::Small;
use crate::client::Client;

/// How many tournaments there are.
const COUNT: usize = 20_000;

/// Rows of a page of a list.
const ROWS: usize = 100;

/// How many values a page may make: its stamps, rows and tables, the ratings of each game with their stamps, and
/// itself.
const MAX_MADE: u64 = 3 * ROWS as u64 + 50;

/// How many tournaments are looked at for a page of those in a state, which is not stored.
const LOOKED_AT: u64 = 500;

/// Enters copies of a tournament with all its results, in one transaction. Their names have the number of the copy.
fn copy(small: &Small, template: &str, name: &str) {
    let mut journal = Connection::open(small.path().join("journal.sqlite")).unwrap();
    let change = journal.transaction().unwrap();
    change
        .execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
             INSERT INTO tournaments (name, settings, created_at)
             SELECT printf(?2, n.i), t.settings, t.created_at FROM n, tournaments t WHERE t.name = ?1",
            params![template, name, COUNT as u64],
        )
        .unwrap();
    for copied in [
        "entrants (tournament, number, bot) SELECT c.id, o.number, o.bot FROM entrants",
        "runs (tournament, pinned) SELECT c.id, o.pinned FROM runs",
        "matches (tournament, idx, id, round, block, started_at, duration_us, reason, plies)
         SELECT c.id, o.idx, c.name || '-' || o.idx, o.round, o.block, o.started_at, o.duration_us, o.reason, o.plies
         FROM matches",
        "records (tournament, idx, sha256, zstd) SELECT c.id, o.idx, o.sha256, o.zstd FROM records",
        "match_seats (tournament, idx, seat, bot, points, place, used_us, plies)
         SELECT c.id, o.idx, o.seat, o.bot, o.points, o.place, o.used_us, o.plies FROM match_seats",
    ] {
        let sql = format!(
            "INSERT INTO {copied} AS o JOIN tournaments t ON t.id = o.tournament AND t.name = ?
             JOIN tournaments c ON c.id > t.id"
        );
        change.execute(&sql, [template]).unwrap();
    }
    change.commit().unwrap();
}

/// How many values the site has made for pages since it was opened.
async fn made(client: &Client) -> u64 {
    let figures = client.get("/metrics").await;
    let lines = figures.text().lines();
    let mut made = lines.filter_map(|line| line.strip_prefix("flipside_values_made_total "));
    made.next().unwrap().parse().unwrap()
}

/// Asks for a page when it is not there yet, and again; checks what was made.
async fn asks(client: &Client, address: &str, most: u64) -> String {
    let before = made(client).await;
    let page = client.get(address).await;
    assert_eq!(page.status.as_u16(), 200, "{address}: {}", page.text());
    let first = made(client).await - before;
    assert!(
        first >= 1 && first <= most,
        "{address} makes {first} values"
    );
    let again = client.get(address).await;
    assert_eq!(again.header("etag"), page.header("etag"), "{address}");
    assert_eq!(made(client).await - before, first, "{address} again");
    page.text().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn requested_matches_are_apart_from_tournaments_and_cost_nothing_elsewhere() {
    let small = Small::empty();
    small.play("cup", "flipfour", "rounds = 1", &["ada", "bob"]);
    let unrated = "rounds = 1\nunrated = true";
    small.play("request-1-ffffffff", "flipfour", unrated, &["ada", "bob"]);
    copy(&small, "request-1-ffffffff", "request-1-%08x");
    let client = Client::new(small.arena());
    for address in ["/", "/tournaments", "/games/flipfour", "/bots/ada"] {
        let page = asks(&client, address, MAX_MADE).await;
        assert!(page.contains("href=\"/tournaments/cup\""), "{address}");
        assert!(!page.contains("/tournaments/request-1-"), "{address}");
    }
    for address in [
        "/games",
        "/bots",
        "/ratings",
        "/ratings/flipfour",
        "/matches",
    ] {
        asks(&client, address, MAX_MADE).await;
    }
    let requests = asks(&client, "/requests", MAX_MADE).await;
    assert!(requests.contains(&format!("1 to {ROWS} of {}", COUNT + 1)));
    // The last page too is of the end of the list, and not of all before it.
    let last = asks(&client, "/requests?page=1000", MAX_MADE).await;
    assert!(last.contains("20001 to 20001 of 20001") && last.contains("request-1-ffffffff"));
    let found = asks(&client, "/requests?filter=0000ABC", MAX_MADE).await;
    assert!(found.contains("request-1-00000abc") && !found.contains("request-1-00000001"));
    let sorted = asks(&client, "/requests?sort=tournaments.tournament", MAX_MADE).await;
    assert!(sorted.contains("request-1-00000001") && sorted.contains("aria-sort=\"ascending\""));

    let list = asks(&client, "/api/v1/tournaments", MAX_MADE).await;
    assert!(
        list.contains("\"cup\"") && !list.contains("request-1-"),
        "{list}"
    );
    let list = asks(
        &client,
        "/api/v1/tournaments?requests=true&limit=2",
        MAX_MADE,
    )
    .await;
    assert!(list.contains("request-1-00004e20") && list.contains("requests=true&limit=2&after="));
    let state = "/api/v1/tournaments?requests=true&state=stopped";
    let list = asks(&client, state, 3 * LOOKED_AT + 50).await;
    // All that were looked at are over: the list goes on after them.
    assert!(
        list.contains("\"items\":[]") && list.contains("after=request-1-00004c2d"),
        "{list}"
    );
    for address in ["/api/v1/games", "/api/v1/bots/ada", "/api/v1/ratings"] {
        asks(&client, address, MAX_MADE).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_many_tournaments_makes_what_it_shows() {
    let small = Small::empty();
    small.play("cup", "flipfour", "rounds = 1", &["ada", "bob"]);
    copy(&small, "cup", "cup-%05d");
    // Far fewer bytes than all tournaments would take: what was made for a page stays nevertheless.
    let limits = SiteLimits {
        made_at_once: std::time::Duration::MAX,
        cached_bytes: 2 << 20,
        ..SiteLimits::default()
    };
    let client = Client::with(small.arena(), limits);
    for address in [
        "/",
        "/tournaments",
        "/tournaments?page=150",
        "/tournaments?filter=cup-1234",
        "/tournaments?sort=tournaments.format",
        "/games",
        "/games/flipfour",
        "/ratings",
        "/ratings/flipfour",
        "/matches",
        "/tournaments/cup-00007",
        "/api/v1/tournaments",
        "/api/v1/tournaments?game=flipfour&limit=100",
        "/api/v1/games",
        "/api/v1/ratings",
    ] {
        asks(&client, address, MAX_MADE).await;
    }
    // Of its tournaments, the latest: a bot's page has a table of each.
    for address in ["/bots/ada", "/api/v1/bots/ada"] {
        let page = asks(&client, address, 2 * 200 + 50).await;
        assert!(
            page.contains("cup-20000") && page.contains("cup-19976"),
            "{address}"
        );
    }
    let bot = client.get("/bots/ada").await;
    assert!(bot.text().contains("Of its latest 200 tournaments."));
}
