//! What is taken out of an arena: pages, pictures, results, ratings over time.

use std::collections::BTreeMap;
use std::fs;

use crate::common::{flipside, run};
use crate::shown::{headings, session, unvarying};
use insta::assert_snapshot;
use serde_json::Value;

/// An arena with a tournament of six matches.
fn arena() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bots = ["sample:greedy", "sample:random", "sample:mcts"];
    let mut args = vec!["tournament", "flipflop-3x3"];
    args.extend(bots);
    args.extend(["--rounds", "2", "--name", "cup", "--seed", seed!(7)]);
    args.push("--no-affinity");
    run(folder.path(), &args).ok();
    folder
}

#[test]
fn a_tournament_is_written_as_the_ending_says() {
    let arena = arena();
    let folder = arena.path();
    for ending in ["html", "md", "svg", "csv", "json", "jsonl"] {
        let file = format!("cup.{ending}");
        run(folder, &["export", "cup", &file]).ok();
        let text = fs::read_to_string(folder.join(&file)).unwrap();
        assert!(text.contains("greedy@1"), "{file}: {text}");
        // Once written, it is not lost by a slip.
        let refused = run(folder, &["export", "cup", &file]).refused(1);
        let due = format!("error: {file} is there already\nhint: --force replaces it\n");
        assert_eq!(refused, due);
        run(folder, &["export", "cup", &file, "--force"]).ok();
        assert_eq!(fs::read_to_string(folder.join(&file)).unwrap(), text);
    }
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    let page = read("cup.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"));
    for outside in ["http://", "https://", "src=", "href=", "url("] {
        let found = page
            .replace("http://www.w3.org/2000/svg", "")
            .contains(outside);
        assert!(!found, "the page needs something from elsewhere: {outside}");
    }
    // 2 rounds of 3 pairs, a match for each seating, a line for each seat.
    assert_eq!(read("cup.csv").lines().count(), 1 + 12 * 2);
    let matches: Vec<serde_json::Value> = read("cup.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(matches.len(), 12);
    assert!(
        (0..)
            .zip(&matches)
            .all(|(index, one)| one["index"] == index)
    );

    let array: Vec<serde_json::Value> = serde_json::from_str(&read("cup.json")).unwrap();
    assert_eq!(array, matches);

    assert_snapshot!(session(folder, "
        export cup new/cup.md
        export cup cup.pdf
        export cop cop.md
        export evening cop.md
    "), @r#"
    $ flipside export cup new/cup.md
    -- exit status 1, stderr:
    error: there is no folder new
    hint: `mkdir -p new` makes it

    $ flipside export cup cup.pdf
    -- exit status 2, stderr:
    error: the ending of cup.pdf does not say what to write
    hint: name it .html, .md, .svg, .csv, .json, .jsonl, .pgn, .trf or .tar.zst

    $ flipside export cop cop.md
    -- exit status 1, stderr:
    error: there is no tournament "cop"
    hint: `flipside tournaments` lists all; the latest: cup

    $ flipside export evening cop.md
    -- exit status 1, stderr:
    error: there is no tournament "evening"
    hint: `flipside tournaments` lists all; the latest: cup
    "#);
    let left: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_table_fits_the_terminal_and_a_pipe_gets_all_of_it() {
    let arena = arena();
    let folder = arena.path();
    assert_snapshot!(run(folder, &["table"]).ok(), @r"
    cup - flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=1s, seed 7: 12 of 12 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score      %     ~% from to  faults  voids
       1  mcts@1       1831   ±310      8    8      0     0    8.0  100.0  65.3 to 100.0       0      0
       2  greedy@1     1409   ±223      8    3      0     5    3.0   37.5   16.4 to 64.8       0      0
       3  random@1     1261   ±246      8    1      0     7    1.0   12.5    2.1 to 48.5       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against         1      2      3
    1 mcts@1        -  4.0/4  4.0/4
    2 greedy@1  0.0/4      -  3.0/4
    3 random@1  0.0/4  1.0/4      -
    score of the bot on the left against the bot above

    not certain: the order of places 1 to 3; the results do not support it at 95 %
    ");
    let narrow = |columns: &str| {
        let output = flipside(folder)
            .arg("table")
            .env("COLUMNS", columns)
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    assert_snapshot!(narrow("80"), @"
    cup - flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=1s, seed 7: 12 of
    12 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score      %  faults
       1  mcts@1       1831   ±310      8    8      0     0    8.0  100.0       0
       2  greedy@1     1409   ±223      8    3      0     5    3.0   37.5       0
       3  random@1     1261   ±246      8    1      0     7    1.0   12.5       0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval
    columns ~% from to, voids are left out: `COLUMNS=200` before the command, or
    --csv, shows all

    against         1      2      3
    1 mcts@1        -  4.0/4  4.0/4
    2 greedy@1  0.0/4      -  3.0/4
    3 random@1  0.0/4  1.0/4      -
    score of the bot on the left against the bot above

    not certain: the order of places 1 to 3; the results do not support it at 95 %
    ");
    for columns in ["24", "36", "60", "100"] {
        let limit: usize = columns.parse().unwrap();
        let table = narrow(columns);
        let widest = table.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(limit.max(40)), "{columns}: {table}");
    }
    assert_snapshot!(run(folder, &["table", "--cross"]).ok(), @r"
    cup - cross table

    against         1      2      3
    1 mcts@1        -  4.0/4  4.0/4
    2 greedy@1  0.0/4      -  3.0/4
    3 random@1  0.0/4  1.0/4      -
    score of the bot on the left against the bot above
    ");
    assert_snapshot!(run(folder, &["table", "--brief"]).ok(), @"
    cup
    flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=1s
    12 matches
    seed 7, 0 faults, 0 voids

       bot       rating  95 %  games  won-drawn-lost  score  faults
    1  mcts@1      1831  ±310      8           8-0-0    8.0       0
    2  greedy@1    1409  ±223      8           3-0-5    3.0       0
    3  random@1    1261  ±246      8           1-0-7    1.0       0

    more: flipside table cup --full
    ");
    assert_snapshot!(run(folder, &["table", "--csv"]).ok(), @"
    rank,bot,left,left_because,is_void,rating,deviation,low,high,is_told_apart,link,glicko,glicko_deviation,games,wins,draws,losses,score,percent,percent_low,percent_high,by_play,faults,voids
    1,mcts@1,,,,1830.66,158.03,1520.93,2140.40,,,1898.35,179.28,8,8,0,0,8.0,100.00,65.33,100.00,8,0,0
    2,greedy@1,,,,1408.80,113.89,1185.58,1632.03,false,6.00,1365.95,167.10,8,3,0,5,3.0,37.50,16.37,64.78,8,0,0
    3,random@1,,,,1260.54,125.27,1015.01,1506.06,false,6.00,1255.94,179.28,8,1,0,7,1.0,12.50,2.12,48.53,8,0,0
    ");
    assert_snapshot!(run(folder, &["ratings"]).ok(), @"
    flipflop-3x3
    rank  bot       rating  deviation     low    high  games  Glicko-2
       1  mcts@1    1830.7      158.0  1520.9  2140.4      8    1898.3
       2  greedy@1  1408.8      113.9  1185.6  1632.0      8    1366.0
       3  random@1  1260.5      125.3  1015.0  1506.1      8    1255.9

    low and high: the 95 % interval of the rating, against the average of these bots
    ");
    assert_snapshot!(run(folder, &["ratings", "--csv"]).ok(), @"
    game,rank,bot,rating,deviation,low,high,volatility,games,glicko,glicko_deviation,imported
    flipflop-3x3,1,mcts@1,1830.66,158.03,1520.93,2140.40,0.005000,8,1898.35,179.28,0
    flipflop-3x3,2,greedy@1,1408.80,113.89,1185.58,1632.03,0.005000,8,1365.95,167.10,0
    flipflop-3x3,3,random@1,1260.54,125.27,1015.01,1506.06,0.005000,8,1255.94,179.28,0
    ");
    // The last two tables have times, which no two runs have alike.
    let full = run(folder, &["table", "--full"]).ok();
    let (full, slowest) = full.rsplit_once("\nbot  ").expect("there are times");
    assert_snapshot!(headings(slowest), @"slowest move, ms match seat ply action");
    let (full, times) = full.rsplit_once("\nbot  ").expect("there are times");
    assert_snapshot!(headings(times), @"~Glicko-2 ~+/- matches blocks plies a match ms a match ms a ply faults");
    assert_snapshot!(full, @"
    cup - flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=1s, seed 7: 12 of 12 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score      %     ~% from to  faults  voids
       1  mcts@1       1831   ±310      8    8      0     0    8.0  100.0  65.3 to 100.0       0      0
       2  greedy@1     1409   ±223      8    3      0     5    3.0   37.5   16.4 to 64.8       0      0
       3  random@1     1261   ±246      8    1      0     7    1.0   12.5    2.1 to 48.5       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against         1      2      3
    1 mcts@1        -  4.0/4  4.0/4
    2 greedy@1  0.0/4      -  3.0/4
    3 random@1  0.0/4  1.0/4      -
    score of the bot on the left against the bot above

    6 blocks of 2 matches; a match in a block is worth 1.00 independent matches

    against       1     2     3
    1 mcts@1      -  92.1  92.1
    2 greedy@1  7.9     -  76.0
    3 random@1  7.9  24.0     -
    in how many of a hundred cases the bot on the left is better than the bot above

    bot       ~Elo against the field  ~+/-       Ptnml(0-2)  drawn %
    mcts@1                         -     -  [0, 0, 0, 0, 4]      0.0
    greedy@1                   -88.7     -  [2, 0, 1, 0, 1]      0.0
    random@1                  -338.0     -  [3, 0, 1, 0, 0]      0.0

    bot       against   matches  won  drawn  lost    ~Elo  ~+/-     ~95 % interval  ~LOS %       Ptnml(0-2)
    greedy@1  random@1        4    3      0     1  190.85     -  -243.55 to 625.25    76.0  [0, 0, 1, 0, 1]
    greedy@1  mcts@1          4    0      0     4       -     -     at most 113.86     7.9  [2, 0, 0, 0, 0]
    random@1  mcts@1          4    0      0     4       -     -     at most 113.86     7.9  [2, 0, 0, 0, 0]

    seat  matches  won  shared     %    ~% from to  ~an advantage %
    0          12    5       0  41.7  25.6 to 59.7             18.7
    1          12    7       0  58.3  40.3 to 74.4             81.3

    ended by  matches     %  drawn
    goal            8  66.7      0
    no-moves        4  33.3      0
    ");
}

#[test]
fn what_the_ranks_come_from_is_in_every_report() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = fs::read_to_string(crate::common::sample("wat/first.wat")).unwrap();
    let bots: Vec<String> = (1..=5)
        .map(|number| {
            let text = format!("{first}\n;; {number}\n");
            crate::common::script(folder, &format!("b{number}.wat"), &text)
        })
        .collect();
    let bots: Vec<&str> = bots.iter().map(String::as_str).collect();
    let play = |name: &str, bots: &[&str], flags: &[&str]| {
        let options = r#"{"max_plies":40}"#;
        let settings = [
            "--options",
            options,
            "--opening-plies",
            "2",
            "--seed",
            seed!(3),
        ];
        let command = ["tournament", "flipfour", "--no-affinity", "--name", name];
        run(folder, &[&command[..], &settings, flags, bots].concat()).ok();
    };
    play("swiss", &bots, &["--format", "swiss", "--rounds", "3"]);
    let test = ["--format", "sprt", "--elo1", "40", "--rounds", "4"];
    play("test", &bots[..2], &test);
    let out = ["--format", "knockout", "--tie-breaks", "1"];
    play(
        "out",
        &bots[..3],
        &[&out[..], &["--seeding", "entry"]].concat(),
    );
    let exported = |name: &str, ending: &str| {
        let file = format!("{name}.{ending}");
        run(folder, &["export", name, &file]).ok();
        fs::read_to_string(folder.join(file)).unwrap()
    };
    assert_snapshot!(unvarying(&exported("swiss", "md")), @r"
    # swiss

    begun DATE, winner b4@1, b5@1, game flipfour, seats 2, format swiss seeded by entry, options max\_plies=40, length 3 rounds, begins with 2 opening plies, clock move=1s, seed 3, matches 12 of 12; it is over

    | rank | bot | points | Buchholz | Sonneborn-Berger | byes | \~rating | \~95 % | games | won | drawn | lost | score | % | \~% from to | faults | voids |
    | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    | 1 | b4@1 | 4.0 | 11.0 | 15.00 | 1 | 1500 | ±111 | 4 | 0 | 4 | 0 | 2.0 | 50.0 | 34.1 to 65.9 | 0 | 0 |
    | 1 | b5@1 | 4.0 | 11.0 | 15.00 | 1 | 1500 | ±111 | 4 | 0 | 4 | 0 | 2.0 | 50.0 | 34.1 to 65.9 | 0 | 0 |
    | 3 | b3@1 | 4.0 | 10.0 | 14.00 | 1 | 1500 | ±113 | 4 | 0 | 4 | 0 | 2.0 | 50.0 | 34.1 to 65.9 | 0 | 0 |
    | 4 | b1@1 | 3.0 | 11.0 | 11.00 | 0 | 1500 | ±88 | 6 | 0 | 6 | 0 | 3.0 | 50.0 | 36.4 to 63.6 | 0 | 0 |
    | 4 | b2@1 | 3.0 | 11.0 | 11.00 | 0 | 1500 | ±88 | 6 | 0 | 6 | 0 | 3.0 | 50.0 | 36.4 to 63.6 | 0 | 0 |

    \~ is an estimate from the results so far; ± half the width of its 95 % interval

    | against | 1 | 2 | 3 | 4 | 5 |
    | --- | ---: | ---: | ---: | ---: | ---: |
    | 1 b4@1 | - | 1.0/2 | - | - | 1.0/2 |
    | 2 b5@1 | 1.0/2 | - | - | 1.0/2 | - |
    | 3 b3@1 | - | - | - | 1.0/2 | 1.0/2 |
    | 4 b1@1 | - | 1.0/2 | 1.0/2 | - | 1.0/2 |
    | 5 b2@1 | 1.0/2 | - | 1.0/2 | 1.0/2 | - |

    score of the bot on the left against the bot above

    - all 12 matches were drawn: they do not tell the bots apart
    - not certain: the order of places 1 to 4; the results do not support it at 95 %
    ");
    let page = exported("swiss", "html");
    for part in [
        "Buchholz",
        "swiss seeded by entry",
        "3 rounds",
        "max_plies=40",
        "2 opening plies",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_snapshot!(run(folder, &["table", "swiss", "--csv"]).ok(), @"
    rank,bot,left,left_because,is_void,rating,deviation,low,high,is_told_apart,link,glicko,glicko_deviation,games,wins,draws,losses,score,percent,percent_low,percent_high,by_play,faults,voids,points,buchholz,sonneborn_berger,byes
    1,b4@1,,,,1500.00,56.48,1389.30,1610.70,,,1500.00,195.18,4,0,4,0,2.0,50.00,34.11,65.89,4,0,0,4.0,11.0,15.00,1
    1,b5@1,,,,1500.00,56.48,1389.30,1610.70,false,2.76,1500.00,188.02,4,0,4,0,2.0,50.00,34.11,65.89,4,0,0,4.0,11.0,15.00,1
    3,b3@1,,,,1500.00,57.71,1386.89,1613.11,false,1.70,1500.00,197.48,4,0,4,0,2.0,50.00,34.11,65.89,4,0,0,4.0,10.0,14.00,1
    4,b1@1,,,,1500.00,44.75,1412.29,1587.71,false,3.15,1500.00,169.29,6,0,6,0,3.0,50.00,36.42,63.58,6,0,0,3.0,11.0,11.00,0
    4,b2@1,,,,1500.00,44.75,1412.29,1587.71,false,3.67,1500.00,164.04,6,0,6,0,3.0,50.00,36.42,63.58,6,0,0,3.0,11.0,11.00,0
    ");
    let brief = run(folder, &["table", "swiss", "--brief"]).ok();
    let shown = run(folder, &["table", "swiss"]).ok();
    assert_snapshot!(shown + "\n" + &brief, @"
    swiss - flipfour, max_plies=40, 5 bots, swiss seeded by entry, 3 rounds, clock move=1s, 2 opening plies, seed 3: 12 of 12 matches

    rank  bot   points  Buchholz  Sonneborn-Berger  byes  ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  b4@1     4.0      11.0             15.00     1     1500   ±111      4    0      4     0    2.0  50.0  34.1 to 65.9       0      0
       1  b5@1     4.0      11.0             15.00     1     1500   ±111      4    0      4     0    2.0  50.0  34.1 to 65.9       0      0
       3  b3@1     4.0      10.0             14.00     1     1500   ±113      4    0      4     0    2.0  50.0  34.1 to 65.9       0      0
       4  b1@1     3.0      11.0             11.00     0     1500    ±88      6    0      6     0    3.0  50.0  36.4 to 63.6       0      0
       4  b2@1     3.0      11.0             11.00     0     1500    ±88      6    0      6     0    3.0  50.0  36.4 to 63.6       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against      1      2      3      4      5
    1 b4@1       -  1.0/2      -      -  1.0/2
    2 b5@1   1.0/2      -      -  1.0/2      -
    3 b3@1       -      -      -  1.0/2  1.0/2
    4 b1@1       -  1.0/2  1.0/2      -  1.0/2
    5 b2@1   1.0/2      -  1.0/2  1.0/2      -
    score of the bot on the left against the bot above

    all 12 matches were drawn: they do not tell the bots apart
    not certain: the order of places 1 to 4; the results do not support it at 95 %

    swiss
    flipfour, max_plies=40, 5 bots, swiss seeded by entry, 3 rounds, clock
    move=1s, 2 opening plies
    12 matches
    seed 3, 0 faults, 0 voids

       bot   rating  95 %  games  won-drawn-lost  points     %  faults
    1  b4@1    1500  ±111      4           0-4-0     4.0  50.0       0
    1  b5@1    1500  ±111      4           0-4-0     4.0  50.0       0
    3  b3@1    1500  ±113      4           0-4-0     4.0  50.0       0
    4  b1@1    1500   ±88      6           0-6-0     3.0  50.0       0
    4  b2@1    1500   ±88      6           0-6-0     3.0  50.0       0

    more: flipside table swiss --full
    ");
    // Of a table of figures, the lines of one kind.
    let figures = |name: &str, of: &str| {
        let csv = run(folder, &["table", name, "--full", "--csv"]).ok();
        let lines = csv.lines().filter(|line| line.starts_with(of));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(figures("swiss", "ranking,"), @"
    ranking,b4@1,,points,4.0
    ranking,b4@1,,Buchholz,11.0
    ranking,b4@1,,Sonneborn-Berger,15.00
    ranking,b4@1,,byes,1
    ranking,b5@1,,points,4.0
    ranking,b5@1,,Buchholz,11.0
    ranking,b5@1,,Sonneborn-Berger,15.00
    ranking,b5@1,,byes,1
    ranking,b3@1,,points,4.0
    ranking,b3@1,,Buchholz,10.0
    ranking,b3@1,,Sonneborn-Berger,14.00
    ranking,b3@1,,byes,1
    ranking,b1@1,,points,3.0
    ranking,b1@1,,Buchholz,11.0
    ranking,b1@1,,Sonneborn-Berger,11.00
    ranking,b1@1,,byes,0
    ranking,b2@1,,points,3.0
    ranking,b2@1,,Buchholz,11.0
    ranking,b2@1,,Sonneborn-Berger,11.00
    ranking,b2@1,,byes,0
    ");

    assert_snapshot!(run(folder, &["table", "out"]).ok(), @"
    out - flipfour, max_plies=40, 3 bots, knockout, best of 1 with 1 tie-break, seeded by entry, clock move=1s, 2 opening plies, seed 3: 8 of 8 matches

    rank  bot   reached     ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  b1@1  winner         1500   ±111      4    0      4     0    2.0  50.0  26.9 to 73.1       0      0
       2  b2@1  final          1500    ±72      8    0      8     0    4.0  50.0  31.2 to 68.8       0      0
       3  b3@1  semi-final     1500   ±111      4    0      4     0    2.0  50.0  26.9 to 73.1       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    match-up    better seed  against      score  blocks  goes on  decided by
    semi-final  b1@1                                  0  b1@1     bye
    semi-final  b2@1         b3@1     2.0 : 2.0       2  b2@1     seed
    final       b1@1         b2@1     2.0 : 2.0       2  b1@1     seed

    against      1      2      3
    1 b1@1       -  2.0/4      -
    2 b2@1   2.0/4      -  2.0/4
    3 b3@1       -  2.0/4      -
    score of the bot on the left against the bot above

    all 8 matches were drawn: they do not tell the bots apart
    not certain: the order of places 1 to 3; the results do not support it at 95 %
    ");
    assert_snapshot!(figures("out", "encounter,"), @"
    encounter,b1@1,,round,1
    encounter,b1@1,,stage,semi-final
    encounter,b1@1,,points,
    encounter,b1@1,,points_against,
    encounter,b1@1,,blocks,0
    encounter,b1@1,,winner,b1@1
    encounter,b1@1,,decided_by,bye
    encounter,b2@1,b3@1,round,1
    encounter,b2@1,b3@1,stage,semi-final
    encounter,b2@1,b3@1,points,2
    encounter,b2@1,b3@1,points_against,2
    encounter,b2@1,b3@1,blocks,2
    encounter,b2@1,b3@1,winner,b2@1
    encounter,b2@1,b3@1,decided_by,seed
    encounter,b1@1,b2@1,round,2
    encounter,b1@1,b2@1,stage,final
    encounter,b1@1,b2@1,points,2
    encounter,b1@1,b2@1,points_against,2
    encounter,b1@1,b2@1,blocks,2
    encounter,b1@1,b2@1,winner,b1@1
    encounter,b1@1,b2@1,decided_by,seed
    ");
    assert_snapshot!(unvarying(&exported("out", "md")), @r"
    # out

    begun DATE, winner b1@1, game flipfour, seats 2, format knockout, best of 1 with 1 tie-break, seeded by entry, options max\_plies=40, begins with 2 opening plies, clock move=1s, seed 3, matches 8 of 8; it is over

    | rank | bot | reached | \~rating | \~95 % | games | won | drawn | lost | score | % | \~% from to | faults | voids |
    | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    | 1 | b1@1 | winner | 1500 | ±111 | 4 | 0 | 4 | 0 | 2.0 | 50.0 | 26.9 to 73.1 | 0 | 0 |
    | 2 | b2@1 | final | 1500 | ±72 | 8 | 0 | 8 | 0 | 4.0 | 50.0 | 31.2 to 68.8 | 0 | 0 |
    | 3 | b3@1 | semi-final | 1500 | ±111 | 4 | 0 | 4 | 0 | 2.0 | 50.0 | 26.9 to 73.1 | 0 | 0 |

    \~ is an estimate from the results so far; ± half the width of its 95 % interval

    | match-up | better seed | against | score | blocks | goes on | decided by |
    | --- | --- | --- | ---: | ---: | --- | --- |
    | semi-final | b1@1 |  |  | 0 | b1@1 | bye |
    | semi-final | b2@1 | b3@1 | 2.0 : 2.0 | 2 | b2@1 | seed |
    | final | b1@1 | b2@1 | 2.0 : 2.0 | 2 | b1@1 | seed |

    | against | 1 | 2 | 3 |
    | --- | ---: | ---: | ---: |
    | 1 b1@1 | - | 2.0/4 | - |
    | 2 b2@1 | 2.0/4 | - | 2.0/4 |
    | 3 b3@1 | - | 2.0/4 | - |

    score of the bot on the left against the bot above

    - all 8 matches were drawn: they do not tell the bots apart
    - not certain: the order of places 1 to 3; the results do not support it at 95 %
    ");
    let page = exported("out", "html");
    assert!(
        page.contains("decided by") && page.contains("bye"),
        "{page}"
    );
    let json = run(folder, &["table", "out", "--json"]).ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let encounters = json["encounters"].as_array().unwrap();
    let stages: Vec<_> = encounters.iter().map(|one| &one["stage"]).collect();
    assert_eq!(stages, ["semi-final", "semi-final", "final"], "{json}");
    assert_eq!(encounters[0]["decided_by"], "bye");
    assert_eq!(encounters[2]["points"].as_array().unwrap().len(), 2);

    let line = "b1@1 against b2@1: LLR ";
    let people = run(folder, &["table", "test"]).ok();
    let told = people.lines().find(|told| told.starts_with(line)).unwrap();
    assert_snapshot!(people, @"
    test - flipfour, max_plies=40, 2 bots, sprt elo0=0 elo1=40 alpha=0.05 beta=0.05 model=logistic, at most 4 blocks, clock move=1s, 2 opening plies, seed 3: 8 of 8 matches

    rank  bot   ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  b1@1     1500    ±57      8    0      8     0    4.0  50.0  31.9 to 68.1       0      0
       1  b2@1     1500    ±57      8    0      8     0    4.0  50.0  31.9 to 68.1       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    b1@1 against b2@1: LLR -0.48 (-3.00, 3.00) in logistic Elo, 16 % of the bound of H0, 4 blocks: not decided

    against      1      2
    1 b1@1       -  4.0/8
    2 b2@1   4.0/8      -
    score of the bot on the left against the bot above

    b1@1 against b2@1: 8 matches, won 0, drawn 8, lost 0
    Elo: 0.00, 95 % interval -131.44 to 131.44
    LOS: 50.00 %, score: 50.00 % (31.94 to 68.06 %)
    Ptnml(0-2): [0, 0, 4, 0, 0]

    all 8 matches were drawn: they do not tell the bots apart
    ");
    assert_snapshot!(run(folder, &["table", "test", "--brief"]).ok(), @"
    test
    flipfour, max_plies=40, 2 bots, sprt elo0=0 elo1=40 alpha=0.05 beta=0.05
    model=logistic, at most 4 blocks, clock move=1s, 2 opening plies
    8 matches
    seed 3, 0 faults, 0 voids

       bot   rating  95 %  games  won-drawn-lost  score  faults
    1  b1@1    1500   ±57      8           0-8-0    4.0       0
    1  b2@1    1500   ±57      8           0-8-0    4.0       0
    b1@1 against b2@1: LLR -0.48 (-3.00, 3.00) in logistic Elo, 16 % of the
    bound of H0, 4 blocks: not decided

    more: flipside table test --full
    ");
    assert_snapshot!(unvarying(&exported("test", "md")), @r"
    # test

    begun DATE, game flipfour, seats 2, format sprt elo0=0 elo1=40 alpha=0.05 beta=0.05 model=logistic, options max\_plies=40, length at most 4 blocks, begins with 2 opening plies, clock move=1s, seed 3, matches 8 of 8; it is over

    | rank | bot | \~rating | \~95 % | games | won | drawn | lost | score | % | \~% from to | faults | voids |
    | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    | 1 | b1@1 | 1500 | ±57 | 8 | 0 | 8 | 0 | 4.0 | 50.0 | 31.9 to 68.1 | 0 | 0 |
    | 1 | b2@1 | 1500 | ±57 | 8 | 0 | 8 | 0 | 4.0 | 50.0 | 31.9 to 68.1 | 0 | 0 |

    \~ is an estimate from the results so far; ± half the width of its 95 % interval

    b1@1 against b2@1: LLR -0.48 (-3.00, 3.00) in logistic Elo, 16 % of the bound of H0, 4 blocks: not decided

    | against | 1 | 2 |
    | --- | ---: | ---: |
    | 1 b1@1 | - | 4.0/8 |
    | 2 b2@1 | 4.0/8 | - |

    score of the bot on the left against the bot above

    b1@1 against b2@1: 8 matches, won 0, drawn 8, lost 0
    Elo: 0.00, 95 % interval -131.44 to 131.44
    LOS: 50.00 %, score: 50.00 % (31.94 to 68.06 %)
    Ptnml(0-2): \[0, 0, 4, 0, 0\]

    - all 8 matches were drawn: they do not tell the bots apart
    ");
    let page = exported("test", "html");
    assert!(page.contains(told), "{told}: {page}");
    let full = run(folder, &["table", "test", "--full", "--csv"]).ok();
    assert!(full.contains("\nsprt,b1@1,b2@1,llr,"), "{full}");
}

#[test]
fn ratings_have_a_history_and_are_the_same_when_computed_again() {
    let arena = arena();
    let folder = arena.path();
    let history = run(folder, &["ratings", "--history", "greedy", "--json"]).ok();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&history).unwrap();
    assert_eq!(rows.len(), 2);
    let now = run(folder, &["ratings", "flipflop-3x3", "--json"]).ok();
    let now: Vec<serde_json::Value> = serde_json::from_str(&now).unwrap();
    let greedy = now.iter().find(|row| row["bot"] == "greedy@1").unwrap();
    assert_eq!(rows[1]["rating"], greedy["glicko"]);
    assert_snapshot!(session(folder, "
        ratings --history greedy@1
        ratings --history nobody
    "), @r#"
    $ flipside ratings --history greedy@1
    -- exit status 2, stderr:
    error: invalid value 'greedy@1' for '--history <NAME>': leave the version out: greedy shows all versions of it

    For more information, try '--help'.

    $ flipside ratings --history nobody
    -- exit status 2, stderr:
    error: no bot is named "nobody"
    hint: `flipside bots` lists the arena's bots; the name is without its version
    "#);

    let rerated = run(folder, &["rerate", "--json"]).ok();
    assert_eq!(rerated, run(folder, &["rerate", "--json"]).ok());
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rerated).unwrap();
    assert_eq!(
        (&rows[0]["matches"], &rows[0]["bots"]),
        (&12.into(), &3.into())
    );
    // The same tournament in another arena has the same ratings, to the last bit.
    let other = self::arena();
    assert_eq!(run(other.path(), &["rerate", "--json"]).ok(), rerated);
}

#[test]
fn points_that_are_the_score_take_one_column() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // With three, one rests in each round, and a rest has points but no match.
    for (bots, headings) in [
        (&["greedy", "random", "mcts"][..], 2),
        (&["greedy", "random"], 1),
    ] {
        let bots: Vec<String> = bots.iter().map(|bot| format!("sample:{bot}")).collect();
        let name = format!("swiss-{}", bots.len());
        let mut args = vec!["tournament", "flipflop-3x3"];
        args.extend(bots.iter().map(String::as_str));
        args.extend(["--format", "swiss", "--rounds", "1", "--name", &name]);
        run(folder, &args).ok();
        let file = format!("{name}.md");
        run(folder, &["export", &name, &file]).ok();
        let text = fs::read_to_string(folder.join(&file)).unwrap();
        let columns: Vec<&str> = (text.lines())
            .find(|line| line.starts_with("| rank "))
            .unwrap()
            .split(" | ")
            .collect();
        let told = columns
            .iter()
            .filter(|&&column| column == "points" || column == "score");
        assert_eq!(told.count(), headings, "{text}");
        let rows = text
            .lines()
            .filter(|line| line.starts_with('|') && line.contains(" to "));
        for row in rows {
            assert_eq!(row.split(" | ").count(), columns.len(), "{text}");
        }
    }
}

/// By bot, what the points of some results add up to.
type Sums = BTreeMap<String, f64>;

fn add(sums: &mut Sums, bot: &str, points: f64) {
    *sums.entry(bot.to_owned()).or_default() += points;
}

fn of_csv(text: &str) -> Sums {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heading = lines.next().unwrap();
    let column = |name: &str| heading.iter().position(|column| *column == name).unwrap();
    let (bot, points) = (column("bot"), column("points"));
    let mut sums = Sums::new();
    lines.for_each(|line| add(&mut sums, line[bot], line[points].parse().unwrap()));
    sums
}

fn of_json(matches: &[Value]) -> Sums {
    let mut sums = Sums::new();
    for seat in matches
        .iter()
        .flat_map(|one| one["seats"].as_array().unwrap())
    {
        let points = seat["points"].as_f64().unwrap();
        add(&mut sums, seat["bot"].as_str().unwrap(), points);
    }
    sums
}

fn of_pgn(text: &str) -> Sums {
    let tag = |line: &str, name: &str| {
        let value = line.strip_prefix(&format!("[{name} \""))?;
        Some(value.strip_suffix("\"]").unwrap().to_owned())
    };
    let mut sums = Sums::new();
    let mut bots = Vec::new();
    for line in text.lines() {
        bots.extend(tag(line, "White").or_else(|| tag(line, "Black")));
        let points = match tag(line, "Result").as_deref() {
            Some("1-0") => [1.0, 0.0],
            Some("0-1") => [0.0, 1.0],
            Some("1/2-1/2") => [0.5, 0.5],
            Some("*") => [0.0, 0.0],
            _ => continue,
        };
        for (bot, points) in bots.drain(..).zip(points) {
            add(&mut sums, &bot, points);
        }
    }
    sums
}

#[test]
fn the_points_of_exported_results_add_up_to_the_scores_of_the_table() {
    // Draws of two, places of three, the seats of one bot, and partners.
    let short = r#"{"variant":"short","phases":1,"flips_each_side":8,"max_rounds":2,"max_turns_per_round":24}"#;
    let cups: [(&str, &[&str], usize); 4] = [
        (
            "flipflop-5x5",
            &["--rounds", "3", "--options", r#"{"max_plies":20}"#],
            3,
        ),
        ("phase10-flip", &["--seats", "3", "--options", short], 3),
        ("puissance4-basic", &["--seats", "4", "--copies", "2"], 3),
        ("puissance4-basic", &["--seats", "4"], 4),
    ];
    let bots = [
        "sample:random",
        "sample:first",
        "sample:greedy",
        "sample:mcts:playouts=5",
    ];
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    let mut halves = 0;
    for (number, (game, options, count)) in cups.into_iter().enumerate() {
        let name = format!("cup{number}");
        let mut args = vec!["tournament", game, "--name", &name, "--seed", seed!(5)];
        args.extend(&bots[..count]);
        args.extend(options);
        run(folder, &args).ok();
        let table = run(folder, &["table", &name, "--json"]).ok();
        let table: Value = serde_json::from_str(&table).unwrap();
        let rows = table["rows"].as_array().unwrap();
        let score = |row: &Value| {
            let bot = row["bot"].as_str().unwrap().to_owned();
            (bot, row["score"].as_f64().unwrap())
        };
        let scores: Sums = rows.iter().map(score).collect();
        assert_eq!(scores.len(), count, "{table}");
        let mut exported = Vec::new();
        for ending in ["csv", "json", "jsonl", "pgn"] {
            let file = format!("{name}.{ending}");
            if ending == "pgn" && number > 0 {
                run(folder, &["export", &name, &file]).refused(2);
                continue;
            }
            run(folder, &["export", &name, &file]).ok();
            let text = read(&file);
            let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
            exported.push(match ending {
                "csv" => of_csv(&text),
                "json" => of_json(&serde_json::from_str::<Vec<Value>>(&text).unwrap()),
                "jsonl" => of_json(&lines.collect::<Vec<Value>>()),
                _ => of_pgn(&text),
            });
            halves += text.matches(r#""points":0.5"#).count();
        }
        for sums in exported {
            assert_eq!(sums.len(), count, "{game}: {sums:?}");
            for (bot, sum) in &sums {
                assert!(
                    (sum - scores[bot]).abs() < 1e-4,
                    "{game}: {bot}: {sums:?}, {scores:?}"
                );
            }
        }
        // The tables that people read have the same scores.
        for ending in ["html", "md"] {
            let file = format!("{name}.{ending}");
            run(folder, &["export", &name, &file]).ok();
            for (bot, score) in &scores {
                let row = read(&file).lines().any(|line| {
                    line.contains(bot.as_str()) && line.contains(&format!("{score:.1}"))
                });
                assert!(row, "{file}: {bot} {score}");
            }
        }
    }
    assert!(halves > 0, "some matches are drawn");
}
