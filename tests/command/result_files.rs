//! Results that go to other programs and come from them: every form is rated alike, and programs that others wrote read
//! what is exported.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;

use crate::accounts::LISTEN;
use crate::common::{TestRun, run};
use crate::server::TestServer;
use crate::shown::{session, words};

/// The forms of results, by the endings of their files.
const FORMS: [&str; 3] = ["csv", "pgn", "trf"];

/// An arena with a round robin, whose matches begin with drawn plies; a swiss in which a bot rests in each round, with a
/// bot that left; and one of which a bot was disqualified afterwards, without its matches.
fn arena() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let seed = seed!(7);
    for line in [
        "tournament yonmoque sample:greedy sample:random sample:first sample:mcts:playouts=20 --rounds 3 \
         --opening-plies 2 --name cup",
        "tournament flipflop-3x3 sample:greedy sample:random sample:first sample:alphabeta:depth=1 sample:mcts:playouts=20 \
         --format swiss --rounds 3 --name spring",
        "tournament flipfour sample:greedy sample:random sample:first --rounds 2 --name autumn",
    ] {
        let line = format!("{line} --no-affinity --seed {seed}");
        run(path, &words(&line)).ok();
    }
    let strike = "withdraw first --from autumn --disqualify --void-matches --reason copied";
    run(path, &words(strike)).ok();
    for name in ["cup", "spring", "autumn"] {
        for form in FORMS {
            run(path, &["export", name, &format!("{name}.{form}")]).ok();
        }
    }
    folder
}

fn json(folder: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&run(folder, args).ok()).unwrap()
}

/// By bot, figures of a table, as they are printed.
fn figures(table: &Value) -> BTreeMap<String, Vec<String>> {
    let figure = |row: &Value, name: &str| match row[name].as_f64() {
        Some(number) => format!("{number:.6}"),
        None => row[name].to_string(),
    };
    let names = [
        "rating",
        "deviation",
        "low",
        "high",
        "games",
        "wins",
        "draws",
        "losses",
        "score",
        "percent_low",
        "percent_high",
        "by_play",
    ];
    let rows = table["rows"].as_array().unwrap().iter();
    rows.map(|row| {
        let bot = row["bot"].as_str().unwrap().to_owned();
        (bot, names.map(|name| figure(row, name)).into())
    })
    .collect()
}

#[test]
fn every_form_of_a_tournament_is_rated_as_its_table() {
    let arena = arena();
    let folder = arena.path();
    for name in ["cup", "spring", "autumn"] {
        let table = figures(&json(folder, &["table", name, "--json"]));
        assert!(table.len() >= 3);
        for form in FORMS {
            let rated = figures(&json(
                folder,
                &["rate", &format!("{name}.{form}"), "--json"],
            ));
            assert_eq!(rated, table, "{name}.{form}");
        }
    }
    assert_snapshot!(session(folder, "rate autumn.trf"), @"
    $ flipside rate autumn.trf
    autumn.trf - 3 bots, 4 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score      %     ~% from to
       1  greedy@1     1716   ±297      4    4      0     0    4.0  100.0  46.7 to 100.0
       2  first@1      1500   ±686      0    0      0     0    0.0      -              -
       3  random@1     1284   ±297      4    0      0     4    0.0    0.0    0.0 to 53.3
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against         1  2      3
    1 greedy@1      -  -  4.0/4
    2 first@1       -  -      -
    3 random@1  0.0/4  -      -
    score of the bot on the left against the bot above

    no records are behind these results: nothing here verifies them
    ");
    // Of the arena's ratings at a game, the tournaments of a game are all.
    let ratings = json(folder, &["ratings", "flipflop-3x3", "--json"]);
    let rated = json(folder, &["rate", "spring.pgn", "--json"]);
    for row in ratings.as_array().unwrap() {
        let rows = rated["rows"].as_array().unwrap();
        let same = rows
            .iter()
            .find(|other| other["bot"] == row["bot"])
            .unwrap();
        let [one, other] = [row, same].map(|row| row["rating"].as_f64().unwrap());
        assert!((one - other).abs() < 1e-6, "{row}, {same}");
    }
    // Files are one list, whatever their forms, and each names its blocks for itself.
    let both = [
        "rate",
        "cup.csv",
        "spring.pgn",
        "autumn.trf",
        "--full",
        "--json",
    ];
    let both = json(folder, &both);
    let blocks = |table: &Value| table["statistics"]["blocks"].as_u64().unwrap();
    let each = ["cup.csv", "spring.pgn", "autumn.trf"].map(|file| {
        let rated = json(folder, &["rate", file, "--full", "--json"]);
        (rated["played"].as_u64().unwrap(), blocks(&rated))
    });
    assert_eq!(
        both["played"],
        each.iter().map(|(played, _)| played).sum::<u64>()
    );
    assert_eq!(
        blocks(&both),
        each.iter().map(|(_, blocks)| blocks).sum::<u64>()
    );
    // Files of several tournaments can be stacked.
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    let (heading, lines) = (read("cup.csv"), read("autumn.csv"));
    let (first, lines) = lines.split_once('\n').unwrap();
    assert_eq!(heading.lines().next(), Some(first));
    fs::write(folder.join("stacked.csv"), format!("{heading}{lines}")).unwrap();
    let stacked = json(folder, &["rate", "stacked.csv", "--json"]);
    let apart = json(folder, &["rate", "cup.csv", "autumn.csv", "--json"]);
    assert_eq!(figures(&stacked), figures(&apart));
    let told = run(folder, &["rate", "stacked.csv"]).ok();
    for note in [
        "the matches are at 2 games, flipfour, yonmoque: a bot's rating is that of all together\n",
        "left out: 8 matches not counted by the tournament\n",
        "no records are behind these results: nothing here verifies them\n",
    ] {
        assert!(told.contains(note), "{told}");
    }
}

/// The seats of a file say which of them are one side.
#[test]
fn partners_are_rated_as_in_their_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let seed = seed!(7);
    let line = "tournament puissance4-basic sample:greedy sample:random sample:first sample:mcts:playouts=5 --seats 4 \
                --rounds 3 --name teams --no-affinity --seed";
    run(folder, &words(&format!("{line} {seed}"))).ok();
    run(folder, &["export", "teams", "teams.csv"]).ok();
    let seats = fs::read_to_string(folder.join("teams.csv")).unwrap();
    let rated = json(folder, &["rate", "teams.csv", "--json"]);
    let table = json(folder, &["table", "teams", "--json"]);
    assert_eq!(figures(&rated), figures(&table));
    // Without them, all bots of a match are opponents.
    fs::write(folder.join("alone.csv"), seats.replacen(",side,", ",x,", 1)).unwrap();
    let alone = json(folder, &["rate", "alone.csv", "--json"]);
    assert_ne!(figures(&alone), figures(&table));
}

/// Runs a script with what scripts/need-result-readers installs.
fn read_by(script: &str, folder: &Path, args: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("target/result-readers/bin/python3");
    assert!(
        python.exists(),
        "there is no {}: scripts/need-result-readers installs it",
        python.display()
    );
    let script = root.join("tests/command/readers").join(script);
    let mut command = Command::new(python);
    command.arg(script).args(args).current_dir(folder);
    TestRun::from(
        command
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap(),
    )
    .ok()
}

#[test]
fn programs_of_others_read_what_is_exported() {
    let arena = arena();
    let folder = arena.path();
    for name in ["cup", "spring", "autumn"] {
        let matches = fs::read_to_string(folder.join(format!("{name}.csv"))).unwrap();
        let matches = (matches.lines().count() - 1) / 2;
        let read = read_by("pgn.py", folder, &[&format!("{name}.pgn")]);
        assert_eq!(read.lines().count(), matches, "{name}: {read}");
        // The reader adds up the results of each player, and compares them with the points.
        let read = read_by("trf.py", folder, &[&format!("{name}.trf")]);
        let table = json(folder, &["table", name, "--json"]);
        let rows = table["rows"].as_array().unwrap();
        let mut due: Vec<String> = (rows.iter().enumerate())
            .map(|(at, row)| {
                // A bye of the swiss has points, and no match.
                let points = match name {
                    "spring" => {
                        let cells = &table["ranking"]["rows"][at]["cells"];
                        cells[0].as_str().unwrap().parse().unwrap()
                    }
                    _ => row["score"].as_f64().unwrap(),
                };
                format!(
                    "{} {} {points:?}",
                    row["bot"].as_str().unwrap(),
                    row["rank"]
                )
            })
            .collect();
        let mut read: Vec<&str> = read.lines().collect();
        due.sort();
        read.sort_unstable();
        assert_eq!(read, due, "{name}");
    }
    // A program for swiss tournaments pairs the next round.
    run(folder, &["extend", "spring", "--rounds", "1"]).ok();
    run(folder, &["export", "spring", "next.trf"]).ok();
    let pairs = read_by("trf.py", folder, &["next.trf", "pair"]);
    let pairs: Vec<&str> = pairs.lines().skip(5).collect();
    let mut named: Vec<&str> = pairs.iter().flat_map(|pair| pair.split(" - ")).collect();
    named.sort_unstable();
    assert_eq!(
        named,
        [
            "alphabeta-depth-1@1",
            "bye",
            "first@1",
            "greedy@1",
            "mcts-playouts-20@1",
            "random@1"
        ]
    );
}

#[test]
fn the_columns_of_results_have_what_stacked_files_need() {
    let arena = arena();
    let folder = arena.path();
    let seats = fs::read_to_string(folder.join("cup.csv")).unwrap();
    let [heading, first, second] = [0, 1, 2].map(|line| seats.lines().nth(line).unwrap());
    let cells = |line: &str| -> BTreeMap<String, String> {
        let names = heading.split(',').map(str::to_owned);
        names.zip(line.split(',').map(str::to_owned)).collect()
    };
    let (first, second) = (cells(first), cells(second));
    assert_eq!([&first["tournament"], &first["game"]], ["cup", "yonmoque"]);
    assert_eq!([&first["colour"], &second["colour"]], ["Blue", "White"]);
    assert_eq!(first["opening"].split(' ').count(), 2, "{first:?}");
    // JSON has the same names.
    run(folder, &["export", "cup", "cup.json"]).ok();
    let matches: Value =
        serde_json::from_slice(&fs::read(folder.join("cup.json")).unwrap()).unwrap();
    let (one, seat) = (&matches[0], &matches[0]["seats"][0]);
    for (name, cell) in &first {
        let value = match name.as_str() {
            "match" => &one["id"],
            // The place in the list, what few games have, and a fault with its details.
            "seat" | "side" | "fault" => continue,
            _ if seat.get(name).is_some() => &seat[name],
            _ => &one[name],
        };
        let told = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let same = match (told.parse::<f64>(), cell.parse::<f64>()) {
            (Ok(one), Ok(other)) => (one - other).abs() < 1e-9,
            _ => told == *cell,
        };
        assert!(same, "{name}: {told}, {cell}");
    }
    assert!(one["started_at"].as_str().unwrap().ends_with('Z'), "{one}");
    let pgn = fs::read_to_string(folder.join("cup.pgn")).unwrap();
    for tag in [
        "[Event \"cup\"]",
        "[Game \"yonmoque\"]",
        "[MatchId \"cup-0\"]",
        "[Block \"0\"]",
        "[WhiteSeat \"Blue\"]",
        &format!("[OpeningPlies \"{}\"]", first["opening"]),
    ] {
        assert!(pgn.contains(tag), "{tag}");
    }
}

#[test]
fn matches_of_more_than_two_seats_are_no_games_of_two_players() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line =
        "tournament flip4 sample:first sample:random sample:greedy --seats 3 --rounds 1 --name cup";
    run(folder, &words(line)).ok();
    assert_snapshot!(session(folder, "
        export cup cup.pgn
        export cup cup.trf
    "), @"
    $ flipside export cup cup.pgn
    -- exit status 2, stderr:
    error: PGN is for matches of two seats, and cup has 3
    hint: write .csv, .json or .jsonl

    $ flipside export cup cup.trf
    -- exit status 2, stderr:
    error: TRF is for matches of two seats, and cup has 3
    hint: write .csv, .json or .jsonl
    ");
}

/// As programs for chess write them, and as arbiters do.
#[test]
fn results_of_other_programs_are_rated() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let game = |white: &str, black: &str, result: &str| {
        format!(
            "[Event \"Gauntlet \\\"1\\\"\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\
             [TimeControl \"40/60\"]\n\n1. e4 {{+0.31/12 1.2s}} e5 2. Nf3 {{[%clk 0:01:00]}} {result}\n\n"
        )
    };
    let games = [
        game("Engine 2.0", "Old, Engine", "1-0"),
        game("Old, Engine", "Engine 2.0", "1/2-1/2"),
        game("Third", "Engine 2.0", "0-1"),
        game("Old, Engine", "Third", "*"),
    ];
    fs::write(folder.join("games.pgn"), games.concat()).unwrap();
    fs::write(
        folder.join("broken.pgn"),
        "[White \"a\"]\n[Result \"1-0\"]\n\n1-0\n",
    )
    .unwrap();
    fs::write(folder.join("broken.trf"), "012 Open\n001    1 x\n").unwrap();
    assert_snapshot!(session(folder, "
        rate games.pgn
        rate broken.pgn
        rate games.pgn broken.trf
    "), @r#"
    $ flipside rate games.pgn
    games.pgn - 3 bots, 3 matches

    rank  bot          ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to
       1  Engine 2.0      1648   ±255      3    2      1     0    2.5  83.3  35.4 to 97.9
       2  Old, Engine     1474   ±310      2    0      1     1    0.5  25.0   4.0 to 72.9
       3  Third           1377   ±387      1    0      0     1    0.0   0.0   0.0 to 71.1
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against            1      2      3
    1 Engine 2.0       -  1.5/2  1.0/1
    2 Old, Engine  0.5/2      -      -
    3 Third        0.0/1      -      -
    score of the bot on the left against the bot above

    not certain: the order of places 1 to 3; the results do not support it at 95 %
    left out: 1 match without a result
    no records are behind these results: nothing here verifies them

    $ flipside rate broken.pgn
    -- exit status 1, stderr:
    error: broken.pgn: line 1: the game has no tag Black
    hint: a game has the tags [White "..."], [Black "..."] and [Result "..."]: 1-0, 0-1, 1/2-1/2 or *

    $ flipside rate games.pgn broken.trf
    -- exit status 1, stderr:
    error: broken.trf: line 2: the line of a player has at least 84 columns, and this one 10
    hint: lines that begin with 001 have fixed columns: the number in 5 to 8, the name in 15 to 47, and from 92 on ten columns for each round
    "#);
}

/// What the API has of the same thing has the same names and values.
#[test]
fn a_list_has_the_names_of_the_api() {
    let arena = arena();
    let folder = arena.path();
    let server = TestServer::start(folder, &LISTEN);
    let mut only_there = Vec::new();
    for (command, address) in [
        ("bots --json", "bots"),
        ("tournaments --json", "tournaments"),
        ("matches --json", "matches"),
        ("games --json", "games"),
        ("ratings --json", "ratings"),
    ] {
        let printed = json(folder, &words(command));
        let (status, answer) = server.get(&format!("/api/v1/{address}"));
        assert_eq!(status, "HTTP/1.1 200 OK");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let listed: Value = serde_json::from_str(body).unwrap();
        let items = listed["items"].as_array().unwrap();
        let rows = printed.as_array().unwrap();
        assert!(!items.is_empty() && !rows.is_empty(), "{address}");
        let names = |value: &Value| -> BTreeSet<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let others = &names(&items[0]) - &names(&rows[0]);
        only_there.extend(others.iter().map(|name| format!("{address}: {name}")));
        for item in items {
            let fields = item.as_object().unwrap();
            let is_same = |row: &Value| {
                let mut shared = fields.iter().filter(|(name, _)| !others.contains(*name));
                shared.all(|(name, value)| row.get(name) == Some(value))
            };
            assert!(rows.iter().any(is_same), "{address}: {item}\n{printed:#}");
        }
    }
    assert_eq!(only_there, ["games: matches"]);
    server.signal("TERM");
    assert_eq!(server.end(), (Some(0), String::new()));
}
