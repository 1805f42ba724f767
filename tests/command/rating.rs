//! Ratings over games and tournaments, and of results that were played elsewhere.

use std::fs;

use insta::assert_snapshot;

use crate::common::run;
use crate::shown::session;

fn play(folder: &std::path::Path, game: &str, bots: &[&str], rounds: &str, name: &str) {
    let mut args = vec!["tournament", game];
    args.extend(bots);
    args.extend(["--rounds", rounds, "--name", name, "--seed", seed!(7)]);
    args.push("--no-affinity");
    run(folder, &args).ok();
}

#[test]
fn bots_are_compared_with_one_bot_and_over_all_games() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [greedy, random, mcts] = ["sample:greedy", "sample:random", "sample:mcts"];
    assert_snapshot!(session(folder, "ratings --overall"), @"
    $ flipside ratings --overall
    -- exit status 1, stderr:
    error: there is no arena at arena
    hint: name the arena's folder with --arena DIR or FLIPSIDE_ARENA; `flipside submit`, `flipside tournament` and `flipside serve --new` make one
    ");
    play(folder, "flipflop-3x3", &[greedy, random, mcts], "6", "cup");
    play(folder, "flipflop-3x3", &[greedy, random], "6", "two");
    play(folder, "flipfour", &[greedy, random], "6", "other");
    assert_snapshot!(session(folder, "
        table cup --against sample:random
        table cup --against sample:eve
        ratings flipflop-3x3 --against greedy
        ratings flipflop-3x3 --against greedy --csv
        ratings flipfour --against mcts
        ratings --against mcts
        ratings --overall
        ratings --overall --csv
    "), @"
    $ flipside table cup --against sample:random
    rank  bot       ~difference  deviation   ~low   ~high  met
       1  mcts@1          861.2      227.1  416.0  1306.3   12
       2  greedy@1        340.2      142.7   60.5   619.8   12
    difference: by how many rating points a bot is stronger than random@1; low and high: its 95 % interval; met: their matches

    $ flipside table cup --against sample:eve
    -- exit status 2, stderr:
    error: eve is not in cup
    hint: `flipside table cup` lists its bots

    $ flipside ratings flipflop-3x3 --against greedy
    rank  bot       ~difference  deviation    ~low   ~high  met
       1  mcts@1          514.6      197.1   128.3   900.9   12
       3  random@1       -372.1      111.6  -590.7  -153.4   24
    difference: by how many rating points a bot is stronger than greedy@1; low and high: its 95 % interval; met: their matches

    $ flipside ratings flipflop-3x3 --against greedy --csv
    rank,bot,difference,deviation,low,high,met
    1,mcts@1,514.59,197.09,128.30,900.88,12
    3,random@1,-372.06,111.57,-590.73,-153.39,24

    $ flipside ratings flipfour --against mcts
    -- exit status 2, stderr:
    error: mcts has no rating at flipfour
    hint: `flipside ratings flipfour` lists the bots that have one

    $ flipside ratings --against mcts
    -- exit status 2, stderr:
    error: the following required arguments were not provided:
      <GAME>

    Usage: flipside ratings --against <BOT> <GAME>

    For more information, try '--help'.

    $ flipside ratings --overall
    rank  bot       rating  deviation     low    high  matches  flipflop-3x3  flipfour
       1  mcts@1    1733.5      187.1  1366.8  2100.3       24          1967         -
       2  greedy@1  1621.2       72.0  1480.1  1762.4       48          1452      1790
       3  random@1  1145.2       76.3   995.7  1294.7       48          1080      1210
    rating: the mean of the ratings at 2 games, each counting the same; low and high: its 95 % interval, against the average of the bots at each game
    -: not played there; it counts as 1500 ± 686, the rating before the first match
    ratings at different games have no common scale: 1500 is the average of each game's bots

    $ flipside ratings --overall --csv
    rank,bot,rating,deviation,low,high,matches,imported,flipflop-3x3,flipfour
    1,mcts@1,1733.54,187.13,1366.76,2100.32,24,0,1967.08,
    2,greedy@1,1621.24,72.00,1480.12,1762.36,48,0,1452.49,1789.99
    3,random@1,1145.22,76.27,995.72,1294.72,48,0,1080.43,1210.01
    ");
    let json = run(folder, &["ratings", "--overall", "--json"]).ok();
    let rows: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mcts = rows.as_array().unwrap().iter();
    let mcts = mcts.clone().find(|row| row["bot"] == "mcts@1").unwrap();
    assert!(mcts["games"]["flipfour"].is_null() && mcts["games"]["flipflop-3x3"].is_number());
}

/// Whether two tables have the same figures of each bot, in whatever order.
fn assert_same(one: &serde_json::Value, other: &serde_json::Value, figures: &[&str]) {
    let [one, other] = [one, other].map(|table| table["rows"].as_array().unwrap());
    assert_eq!(one.len(), other.len());
    for own in one {
        let same = other.iter().find(|row| row["bot"] == own["bot"]).unwrap();
        for &figure in figures {
            assert_eq!(own[figure], same[figure], "{figure}");
        }
    }
}

/// A bot in several seats is one bot, and its interval holds its share.
#[test]
fn copies_of_a_bot_are_rated_as_in_their_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut args = vec!["tournament", "flip4", "sample:random", "sample:greedy"];
    args.extend([
        "--seats", "4", "--copies", "2", "--rounds", "2", "--name", "cup",
    ]);
    args.extend(["--seed", seed!(3), "--no-affinity"]);
    run(folder, &args).ok();
    run(folder, &["export", "cup", "seats.csv"]).ok();
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&run(folder, args).ok()).unwrap()
    };
    let rated = json(&["rate", "seats.csv", "--full", "--json"]);
    let table = json(&["table", "cup", "--full", "--json"]);
    let figures = ["rating", "low", "percent", "percent_low", "percent_high"];
    assert_same(&rated, &table, &figures);
    assert_eq!(rated["statistics"]["seats"], table["statistics"]["seats"]);
}

/// A tournament of three bots, and its results in the two forms that the command prints.
#[test]
fn results_from_a_file_are_rated_and_tested() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    play(
        folder,
        "flipflop-3x3",
        &["sample:greedy", "sample:random", "sample:mcts"],
        "6",
        "cup",
    );
    let cross = run(folder, &["table", "cup", "--cross", "--csv"]).ok();
    fs::write(folder.join("cross.csv"), cross).unwrap();
    run(folder, &["export", "cup", "seats.csv"]).ok();
    fs::write(
        folder.join("two.csv"),
        format!("bot,opponent,score\n{}", "ada,bob,1\n".repeat(40)),
    )
    .unwrap();
    assert_snapshot!(session(folder, "
        rate seats.csv
        rate cross.csv
        rate cross.csv --cross
        rate cross.csv --against random@1
        rate cross.csv --against eve
        rate two.csv --csv
        rate nothing.csv
        rate .
        sprt two.csv --elo1 100
        sprt two.csv --elo1 100 --csv
        sprt cross.csv
        sprt --ptnml 379,10170,21828,10640,343 --elo1 2 --model normalized
        sprt --wdl 10,20,12 --elo0 5 --elo1 1
        sprt --wdl 10,20
        sprt --ptnml 0,0,0,0,0
    "), @r#"
    $ flipside rate seats.csv
    seats.csv - 3 bots, 36 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score      %     ~% from to
       1  mcts@1       1961   ±263     24   24      0     0   24.0  100.0  86.1 to 100.0
       2  greedy@1     1440   ±171     24   11      0    13   11.0   45.8   36.2 to 55.8
       3  random@1     1100   ±211     24    1      0    23    1.0    4.2    0.7 to 20.3
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against          1        2        3
    1 mcts@1         -  12.0/12  12.0/12
    2 greedy@1  0.0/12        -  11.0/12
    3 random@1  0.0/12   1.0/12        -
    score of the bot on the left against the bot above

    no records are behind these results: nothing here verifies them

    $ flipside rate cross.csv
    cross.csv - 3 bots, 36 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score      %     ~% from to
       1  mcts@1       1961   ±218     24   24      0     0   24.0  100.0  87.9 to 100.0
       2  greedy@1     1440   ±139     24   11      0    13   11.0   45.8   37.4 to 54.5
       3  random@1     1100   ±173     24    1      0    23    1.0    4.2    0.8 to 19.6
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against          1        2        3
    1 mcts@1         -  12.0/12  12.0/12
    2 greedy@1  0.0/12        -  11.0/12
    3 random@1  0.0/12   1.0/12        -
    score of the bot on the left against the bot above

    no records are behind these results: nothing here verifies them

    $ flipside rate cross.csv --cross
    cross.csv - cross table

    against          1        2        3
    1 mcts@1         -  12.0/12  12.0/12
    2 greedy@1  0.0/12        -  11.0/12
    3 random@1  0.0/12   1.0/12        -
    score of the bot on the left against the bot above

    $ flipside rate cross.csv --against random@1
    rank  bot       ~difference  deviation   ~low   ~high  met
       1  mcts@1          861.2      187.8  493.1  1229.3   12
       2  greedy@1        340.2      115.0  114.7   565.6   12
    difference: by how many rating points a bot is stronger than random@1; low and high: its 95 % interval; met: their matches

    $ flipside rate cross.csv --against eve
    -- exit status 2, stderr:
    error: "eve" is not in it
    hint: its bots: mcts@1, greedy@1, random@1

    $ flipside rate two.csv --csv
    rank,bot,left,left_because,is_void,rating,deviation,low,high,is_told_apart,link,glicko,glicko_deviation,games,wins,draws,losses,score,percent,percent_low,percent_high,by_play,faults,voids
    1,ada,,,,1874.27,107.99,1662.60,2085.94,,,,,40,40,0,0,40.0,100.00,91.24,100.00,40,0,0
    2,bob,,,,1125.73,107.99,914.06,1337.40,true,40.00,,,40,0,0,40,0.0,0.00,0.00,8.76,40,0,0

    $ flipside rate nothing.csv
    -- exit status 2, stderr:
    error: cannot read nothing.csv: No such file or directory (os error 2)
    hint: the path begins where you are

    $ flipside rate .
    -- exit status 2, stderr:
    error: . is not a file but a folder
    hint: name a file in it

    $ flipside sprt two.csv --elo1 100
    ada against bob: LLR 3.21 (-3.00, 3.00) in logistic Elo, 107 % of the bound of H1, 13 blocks: H1 accepted: ada is stronger than bob
    left out: 27 blocks after the decision
    no Elo: all points went to one bot, 95 % interval at least 211.78
    LOS: 99.98 %, score: 100.00 % (77.19 to 100.00 %)
    Blocks by points (0-1): [0, 0, 13]

    $ flipside sprt two.csv --elo1 100 --csv
    bot,opponent,model,elo0,elo1,llr,llr_lower,llr_upper,accepted,blocks,of_blocks,broken,counts,score,score_low,score_high,elo,elo_error,elo_low,elo_high,normalised_elo,normalised_elo_error,superiority
    ada,bob,logistic,0.000000,100.000000,3.210419,-2.995732,2.995732,elo1,13,40,0,0 0 13,1.000000,0.771905,1.000000,,,211.778868,,,,0.999844

    $ flipside sprt cross.csv
    -- exit status 2, stderr:
    error: a sequential test is of one bot against another, and here are 3
    hint: leave only the lines of two bots; `flipside rate` compares any number

    $ flipside sprt --ptnml 379,10170,21828,10640,343 --elo1 2 --model normalized
    first against second: LLR 2.95 (-3.00, 3.00) in normalized Elo, 98 % of the bound of H1, 43360 blocks: not decided
    Elo: 1.59 +/- 1.21, nElo: 3.05 +/- 2.31, 95 % interval 0.39 to 2.80
    LOS: 99.51 %, score: 50.23 % (50.06 to 50.40 %)
    Ptnml(0-2): [379, 10170, 21828, 10640, 343]

    $ flipside sprt --wdl 10,20,12 --elo0 5 --elo1 1
    -- exit status 2, stderr:
    error: elo0 must be less than elo1, and 5 is not less than 1
    hint: elo0 is what is not worth it and elo1 what is: --elo0 0 --elo1 10 --alpha 0.05 --beta 0.05

    $ flipside sprt --wdl 10,20
    -- exit status 2, stderr:
    error: invalid value '10,20' for '--wdl <W,D,L>': 3 numbers, not 2

    For more information, try '--help'.

    $ flipside sprt --ptnml 0,0,0,0,0
    -- exit status 2, stderr:
    error: invalid value '0,0,0,0,0' for '--ptnml <A,B,C,D,E>': at least one count is not 0

    For more information, try '--help'.
    "#);
    // It is the table of the tournament, in the order of the ratings.
    let rated = |file: &str| -> serde_json::Value {
        let text = run(folder, &["rate", file, "--full", "--json"]).ok();
        serde_json::from_str(&text).unwrap()
    };
    let table = run(folder, &["table", "cup", "--full", "--json"]).ok();
    let table: serde_json::Value = serde_json::from_str(&table).unwrap();
    let seats = rated("seats.csv");
    let figures = ["rating", "low", "high", "games", "wins", "percent_low"];
    assert_same(&seats, &table, &figures);
    let glicko = |table: &serde_json::Value| {
        let rows = table["rows"].as_array().unwrap().iter();
        let with = rows.filter(|row| row["glicko"].is_number());
        with.count()
    };
    assert_eq!((glicko(&seats), glicko(&table)), (0, 3));
    assert_eq!(seats["statistics"]["seats"], table["statistics"]["seats"]);
    assert!(
        rated("cross.csv")["statistics"]["seats"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}
