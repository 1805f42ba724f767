//! Bots of every language and kind play every game, and their records verify.

use crate::common::{built, games, run, sample, whole_seed};

/// Options with which a match is soon over.
fn brief(game: &str) -> String {
    flipside_games::find(game).expect("built in").brief()
}

/// A folder with an arena, which keeps compiled modules from one match to the next.
fn with_an_arena() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let first = sample("wat/first.wat");
    run(folder.path(), &["submit", &first, "--game", "flipfour"]).ok();
    folder
}

/// Bots of every language and kind.
fn of_every_language() -> Vec<String> {
    vec![
        sample("wat/first.wat"),
        sample("wat/instant.wat"),
        sample("python/random.py"),
        built("random-c"),
        built("random-c.wasm"),
        built("random.wasm"),
        built("greedy.wasm"),
        built("mcts.wasm"),
        "sample:random".into(),
        "sample:greedy".into(),
        "sample:mcts".into(),
    ]
}

#[test]
fn bots_of_every_language_finish_a_match() {
    all_finish(&["flipfour"], &of_every_language());
}

#[test]
fn bots_of_each_kind_finish_a_match_of_every_game() {
    let bots = [
        sample("wat/first.wat"),
        sample("python/random.py"),
        built("random-c.wasm"),
        "sample:random".into(),
    ];
    all_finish(&games(), &bots);
}

#[test]
#[ignore = "long: ten pairs of bots at every game"]
fn bots_of_every_language_finish_a_match_of_every_game() {
    all_finish(&games(), &of_every_language());
}

/// Each bot finishes a match with the one after it at each of these games, and its record verifies.
fn all_finish(games: &[&str], bots: &[String]) {
    let folder = with_an_arena();
    for &game in games {
        let options = brief(game);
        for (number, pair) in bots.windows(2).enumerate() {
            let record = format!("{game}-{number}.jsonl");
            let told = run(
                folder.path(),
                &[
                    "match",
                    game,
                    &pair[0],
                    &pair[1],
                    "--clock",
                    "move=5m,start=5m",
                    "--seed",
                    "1",
                    "--record",
                    &record,
                    "--options",
                    &options,
                ],
            )
            .ok();
            assert!(!told.contains("fault"), "{game} {pair:?}: {told}");
            let verified = run(folder.path(), &["verify", &record]).ok();
            assert!(verified.contains(": ok: "), "{verified}");
        }
    }
}

#[test]
fn one_source_plays_the_same_match_as_a_process_and_as_a_module() {
    play_the_same(&[
        ("random", &games()),
        ("greedy", &["flipfour", "phase10-flip"]),
        ("perfect", &["flipflop-3x3"]),
    ]);
}

#[test]
#[ignore = "long: every sample bot"]
fn every_source_plays_the_same_match_as_a_process_and_as_a_module() {
    // Where all games take long, one shows it.
    play_the_same(&[
        ("random", &games()),
        ("greedy", &games()),
        ("alphabeta", &["yonmoque"]),
        ("expectimax", &["flip4", "puissance4-basic"]),
        ("rollout", &["phase10-flip"]),
        ("perfect", &["flipflop-3x3"]),
        ("strong", &["flipflop-3x3"]),
    ]);
}

/// These sample bots play the same as processes and as modules, each at these games.
fn play_the_same(bots: &[(&str, &[&str])]) {
    let folder = with_an_arena();
    for &(name, games) in bots {
        for &game in games {
            let options = brief(game);
            let (process, module) = (format!("sample:{name}"), built(&format!("{name}.wasm")));
            let actions = |bot: &str, record: &str| {
                run(
                    folder.path(),
                    &[
                        "match",
                        game,
                        bot,
                        bot,
                        "--clock",
                        "move=5m,start=5m",
                        "--seed",
                        &whole_seed(7),
                        "--record",
                        record,
                        "--options",
                        &options,
                    ],
                )
                .ok();
                let text = std::fs::read_to_string(folder.path().join(record)).unwrap();
                let acts = text
                    .lines()
                    .filter(|line| line.starts_with("{\"type\":\"acts\""));
                acts.map(|line| line.split("\"us\"").next().unwrap().to_owned())
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                actions(&process, &format!("{name}-{game}-p.jsonl")),
                actions(&module, &format!("{name}-{game}-m.jsonl")),
                "{name} at {game}"
            );
        }
    }
}
