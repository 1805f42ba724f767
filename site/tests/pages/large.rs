//! Pages of a large arena, whose results are made up.

use flipside_referee::MatchResult;
use flipside_sandbox::ProgramKind;
use flipside_store::{Arena, FinishedMatch, Journal, KeptFile};
use flipside_tournament::{BotId, Next, ScoredPairing, Settings, Tournament};

use crate::client::Client;
use crate::whole::LARGEST_PAGE;

/// Enters bots whose files are not there; their names are as long as most.
fn bots(journal: &mut Journal, count: usize) -> Vec<BotId> {
    let bot = |number: usize| {
        let sha256 = format!("{number:064x}");
        let file = KeptFile {
            kind: ProgramKind::Module,
            size: 1,
            file: format!("{sha256}.wasm").parse().unwrap(),
            sha256,
        };
        let name = format!("a-bot-with-a-long-name-{number}").parse().unwrap();
        journal.add_bot(&name, &file, 1).unwrap().bot.id
    };
    (0..count).map(bot).collect()
}

/// Plays a tournament to its end: the bot that entered first wins, but for every fifth match.
fn play(journal: &mut Journal, name: &str, settings: &Settings, bots: &[BotId]) -> Tournament {
    let tournament = journal
        .begin(&name.parse().unwrap(), settings, bots, 2)
        .unwrap()
        .tournament;
    let mut director = tournament.director().unwrap();
    let mut finished = Vec::new();
    while let Next::Match(pairing) = director.next() {
        let first = pairing.seats[0] < pairing.seats[1];
        let places = if first != pairing.index.is_multiple_of(5) {
            [1, 2]
        } else {
            [2, 1]
        };
        let result = MatchResult {
            reason: "line".into(),
            plies: 30,
            ..MatchResult::of_places(places)
        };
        director.take(pairing.index, &result);
        let at = (pairing.index, 1_000);
        finished.push(FinishedMatch::new(
            &tournament,
            ScoredPairing { pairing, result },
            at,
        ));
    }
    journal.land_all(&finished).unwrap();
    tournament
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_large_arena_are_small_and_have_pages() {
    let folder = tempfile::tempdir().unwrap();
    let arena = Arena::create(folder.path().join("arena")).unwrap();
    let mut journal = arena.journal().unwrap();
    let bots = bots(&mut journal, 130);
    let settings = |game: &str, format: &str, rounds| Settings {
        game: game.into(),
        format: format.parse().unwrap(),
        rounds,
        seed: 7,
        salt: "7".repeat(64).parse().unwrap(),
        ..Settings::default()
    };
    let mut all = vec![
        play(
            &mut journal,
            "everybody",
            &settings("flipfour", "round-robin", 1),
            &bots,
        ),
        play(
            &mut journal,
            "cup",
            &settings("yonmoque", "knockout", 1),
            &bots,
        ),
    ];
    for game in flipside_games::GAMES {
        let info = game.info();
        if info.seats.contains(&2) {
            let name = format!("long-{}", info.id);
            all.push(play(
                &mut journal,
                &name,
                &settings(info.id, "round-robin", 300),
                &bots[..3],
            ));
        }
    }
    drop(journal);
    let client = Client::new(arena.clone());
    let mut addresses: Vec<String> = [
        "/",
        "/bots",
        "/bots?page=2",
        "/tournaments",
        "/ratings",
        "/ratings/flipfour",
        "/matches",
        "/bots/a-bot-with-a-long-name-0",
        "/bots/a-bot-with-a-long-name-77",
        "/ratings/flipfour?sort=-ratings.bot&page=2",
        "/tournaments/everybody?page=3",
    ]
    .map(String::from)
    .into();
    for tournament in &all {
        let name = &tournament.name;
        addresses.extend(
            ["", "/statistics", "/rounds"].map(|part| format!("/tournaments/{name}{part}")),
        );
    }
    for address in addresses {
        let answer = client.get(&address).await;
        assert_eq!(answer.status.as_u16(), 200, "{address}: {}", answer.text());
        let size = answer.body.len();
        assert!(size <= LARGEST_PAGE, "{address} has {size} bytes");
    }
    let first = client.get("/bots").await;
    assert!(first.text().contains("1 to 100 of 130"), "{}", first.text());
    assert!(first.text().contains("href=\"?page=2\""));
    let second = client.get("/bots?page=2").await;
    assert!(second.text().contains("101 to 130 of 130"));
    // The list of matches goes on where it ended, to the last.
    let mut address = "/matches?tournament=cup".to_owned();
    let next = regex_lite::Regex::new(r#"rel="next" href="([^"]*)""#).unwrap();
    let link = regex_lite::Regex::new(r#"href="/matches/(cup-[0-9]+)""#).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    loop {
        let page = client.get(&address).await;
        for found in link.captures_iter(page.text()) {
            assert!(
                seen.insert(found[1].to_owned()),
                "{} comes twice",
                &found[1]
            );
        }
        match next.captures(page.text()) {
            Some(found) => {
                let query = found[1].replace("&amp;", "&").replace("&#38;", "&");
                address = format!("/matches{query}");
            }
            None => break,
        }
    }
    let played = arena
        .read_journal()
        .unwrap()
        .stamp(all[1].id)
        .unwrap()
        .matches;
    assert_eq!(seen.len() as u64, played);
}
