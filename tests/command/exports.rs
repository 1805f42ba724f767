//! What is taken out of an arena: pages, pictures, results, ratings over time.

use std::fs;

use crate::common::{SALT, flipside, run};
use insta::assert_snapshot;

/// An arena with a tournament of six matches.
fn arena() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bots = ["sample:greedy", "sample:random", "sample:mcts"];
    let mut args = vec!["tournament", "flipflop-3x3"];
    args.extend(bots);
    args.extend(["--rounds", "2", "--name", "cup", "--seed", "7"]);
    args.push("--no-affinity");
    args.extend(SALT);
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
        assert!(refused.contains("--force"), "{refused}");
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

    let refused = run(folder, &["export", "cup", "new/cup.md"]).refused(1);
    let hint = "hint: `mkdir -p new` makes it";
    assert!(
        refused.contains("no folder new") && refused.contains(hint),
        "{refused}"
    );

    let refused = run(folder, &["export", "cup", "cup.pdf"]).refused(2);
    assert!(refused.contains(".html, .md, .svg"), "{refused}");
    run(folder, &["export", "cop", "cop.md"]).refused(1);
    let refused = run(folder, &["export", "evening", "cop.md"]).refused(1);
    assert!(refused.contains("the latest: cup"), "{refused}");
    run(folder, &["export", "cup", "nowhere/cup.md"]).refused(1);
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

    rank  bot       ~rating  ~95 %  ~fit  games  won  drawn  lost  score      %     ~% from to  faults  voids
       1  mcts@1       1898   ±351  1831      8    8      0     0    8.0  100.0  65.3 to 100.0       0      0
       2  greedy@1     1366   ±328  1409      8    3      0     5    3.0   37.5   16.4 to 64.8       0      0
       3  random@1     1256   ±351  1261      8    1      0     7    1.0   12.5    2.1 to 48.5       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against         1      2      3
    1 mcts@1        -  4.0/4  4.0/4
    2 greedy@1  0.0/4      -  3.0/4
    3 random@1  0.0/4  1.0/4      -
    score of the bot on the left against the bot above
    ");
    let narrow = |columns: &str| {
        let output = flipside(folder)
            .arg("table")
            .env("COLUMNS", columns)
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    assert_snapshot!(narrow("80"), @r"
    cup - flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=1s, seed 7: 12 of
    12 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score      %  faults
       1  mcts@1       1898   ±351      8    8      0     0    8.0  100.0       0
       2  greedy@1     1366   ±328      8    3      0     5    3.0   37.5       0
       3  random@1     1256   ±351      8    1      0     7    1.0   12.5       0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval
    columns ~fit, ~% from to, voids are left out: `COLUMNS=200` before the command,
    or --csv, shows all

    against         1      2      3
    1 mcts@1        -  4.0/4  4.0/4
    2 greedy@1  0.0/4      -  3.0/4
    3 random@1  0.0/4  1.0/4      -
    score of the bot on the left against the bot above
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
    assert_snapshot!(run(folder, &["table", "--brief"]).ok(), @r"
    cup
    flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=1s
    12 matches
    seed 7, 0 faults, 0 voids

       bot       rating  95 %  games  won-drawn-lost  score  faults
    1  mcts@1      1898  ±351      8           8-0-0    8.0       0
    2  greedy@1    1366  ±328      8           3-0-5    3.0       0
    3  random@1    1256  ±351      8           1-0-7    1.0       0

    more: flipside table cup --full
    ");
    assert_snapshot!(run(folder, &["table", "--csv"]).ok(), @r"
    rank,bot,rating,fit,deviation,low,high,games,wins,draws,losses,score,percent,percent_low,percent_high,faults,voids
    1,mcts@1,1898.35,1830.66,179.28,1546.97,2249.73,8,8,0,0,8.0,100.00,65.33,100.00,0,0
    2,greedy@1,1365.95,1408.80,167.10,1038.43,1693.48,8,3,0,5,3.0,37.50,16.37,64.78,0,0
    3,random@1,1255.94,1260.54,179.28,904.55,1607.32,8,1,0,7,1.0,12.50,2.12,48.53,0,0
    ");
    assert_snapshot!(run(folder, &["ratings"]).ok(), @r"
    flipflop-3x3
    rank  bot       rating  deviation     low    high  games     fit
       1  mcts@1    1898.3      179.3  1547.0  2249.7      8  1830.7
       2  greedy@1  1366.0      167.1  1038.4  1693.5      8  1408.8
       3  random@1  1255.9      179.3   904.5  1607.3      8  1260.5

    low and high: the 95 % interval of the rating (Glicko-2)
    ");
    assert_snapshot!(run(folder, &["ratings", "--csv"]).ok(), @r"
    game,rank,bot,rating,deviation,low,high,volatility,games,fit
    flipflop-3x3,1,mcts@1,1898.35,179.28,1546.97,2249.73,0.005000,8,1830.66
    flipflop-3x3,2,greedy@1,1365.95,167.10,1038.43,1693.48,0.005000,8,1408.80
    flipflop-3x3,3,random@1,1255.94,179.28,904.55,1607.32,0.005000,8,1260.54
    ");
    // The last two tables have times, which no two runs have alike.
    let full = run(folder, &["table", "--full"]).ok();
    let (full, slowest) = full.rsplit_once("\nbot  ").expect("there are times");
    assert!(slowest.lines().next().unwrap().contains("slowest move, ms"));
    let (full, times) = full.rsplit_once("\nbot  ").expect("there are times");
    assert!(times.lines().next().unwrap().contains("ms a ply"));
    assert_snapshot!(full, @r"
    cup - flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=1s, seed 7: 12 of 12 matches

    rank  bot       ~rating  ~95 %  ~fit  games  won  drawn  lost  score      %     ~% from to  faults  voids
       1  mcts@1       1898   ±351  1831      8    8      0     0    8.0  100.0  65.3 to 100.0       0      0
       2  greedy@1     1366   ±328  1409      8    3      0     5    3.0   37.5   16.4 to 64.8       0      0
       3  random@1     1256   ±351  1261      8    1      0     7    1.0   12.5    2.1 to 48.5       0      0
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
    mcts@1                       inf     -  [0, 0, 0, 0, 4]      0.0
    greedy@1                   -88.7     -  [2, 0, 1, 0, 1]      0.0
    random@1                  -338.0     -  [3, 0, 1, 0, 0]      0.0

    bot       against   matches  won  drawn  lost    ~Elo  ~+/-     ~95 % interval  ~LOS %       Ptnml(0-2)
    greedy@1  random@1        4    3      0     1  190.85     -  -243.55 to 625.25    76.0  [0, 0, 1, 0, 1]
    greedy@1  mcts@1          4    0      0     4    -inf     -     -inf to 113.86     7.9  [2, 0, 0, 0, 0]
    random@1  mcts@1          4    0      0     4    -inf     -     -inf to 113.86     7.9  [2, 0, 0, 0, 0]

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
        let settings = ["--options", options, "--opening-plies", "2", "--seed", "3"];
        let command = ["tournament", "flipfour", "--no-affinity", "--name", name];
        run(
            folder,
            &[&command[..], &settings, &SALT, flags, bots].concat(),
        )
        .ok();
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
    for ending in ["md", "html"] {
        let text = exported("swiss", ending).replace('\\', "");
        for part in [
            "Buchholz",
            "swiss seeded by entry",
            "3 rounds",
            "max_plies=40",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("2 opening plies"), "{text}");
    }
    let csv = run(folder, &["table", "swiss", "--csv"]).ok();
    let mut lines = csv.lines();
    let headings: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert!(
        csv.contains(",voids,points,buchholz,sonneborn_berger,byes\n"),
        "{csv}"
    );
    let points = headings
        .iter()
        .position(|heading| *heading == "points")
        .unwrap();
    let points: Vec<f64> = lines
        .map(|line| line.split(',').nth(points).unwrap().parse().unwrap())
        .collect();
    assert!(points.len() == 5 && points.is_sorted_by(|one, other| one >= other));
    let brief = run(folder, &["table", "swiss", "--brief"]).ok();
    let shown = run(folder, &["table", "swiss"]).ok();
    assert_snapshot!(shown + "\n" + &brief, @r"
    swiss - flipfour, max_plies=40, 5 bots, swiss seeded by entry, 3 rounds, clock move=1s, 2 opening plies, seed 3: 12 of 12 matches

    rank  bot   points  Buchholz  Sonneborn-Berger  byes  ~rating  ~95 %  ~fit  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  b4@1     4.0      11.0             15.00     1     1500   ±383  1500      4    0      4     0    2.0  50.0  34.1 to 65.9       0      0
       1  b5@1     4.0      11.0             15.00     1     1500   ±369  1500      4    0      4     0    2.0  50.0  34.1 to 65.9       0      0
       3  b3@1     4.0      10.0             14.00     1     1500   ±387  1500      4    0      4     0    2.0  50.0  34.1 to 65.9       0      0
       4  b1@1     3.0      11.0             11.00     0     1500   ±332  1500      6    0      6     0    3.0  50.0  36.4 to 63.6       0      0
       4  b2@1     3.0      11.0             11.00     0     1500   ±322  1500      6    0      6     0    3.0  50.0  36.4 to 63.6       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against      1      2      3      4      5
    1 b4@1       -  1.0/2      -      -  1.0/2
    2 b5@1   1.0/2      -      -  1.0/2      -
    3 b3@1       -      -      -  1.0/2  1.0/2
    4 b1@1       -  1.0/2  1.0/2      -  1.0/2
    5 b2@1   1.0/2      -  1.0/2  1.0/2      -
    score of the bot on the left against the bot above

    all 12 matches were drawn: they do not tell the bots apart

    swiss
    flipfour, max_plies=40, 5 bots, swiss seeded by entry, 3 rounds, clock
    move=1s, 2 opening plies
    12 matches
    seed 3, 0 faults, 0 voids

       bot   rating  95 %  games  won-drawn-lost  points     %  faults
    1  b4@1    1500  ±383      4           0-4-0     4.0  50.0       0
    1  b5@1    1500  ±369      4           0-4-0     4.0  50.0       0
    3  b3@1    1500  ±387      4           0-4-0     4.0  50.0       0
    4  b1@1    1500  ±332      6           0-6-0     3.0  50.0       0
    4  b2@1    1500  ±322      6           0-6-0     3.0  50.0       0

    more: flipside table swiss --full
    ");
    let full = run(folder, &["table", "swiss", "--full", "--csv"]).ok();
    assert!(full.contains("\nranking,b1@1,,Buchholz,"), "{full}");

    for (how, flags) in [("text", &[][..]), ("csv", &["--full", "--csv"])] {
        let told = run(folder, &[&["table", "out"], flags].concat()).ok();
        let bye = match how {
            "text" => told.lines().any(|line| line.ends_with("b1@1     bye")),
            _ => told.contains("\nencounter,b1@1,,decided_by,bye\n"),
        };
        assert!(bye, "{told}");
    }
    for ending in ["md", "html"] {
        let text = exported("out", ending);
        assert!(
            text.contains("decided by") && text.contains("bye"),
            "{text}"
        );
    }
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
    let brief = run(folder, &["table", "test", "--brief"]).ok();
    assert!(brief.replace('\n', " ").contains(told), "{told}: {brief}");
    for ending in ["md", "html"] {
        let text = exported("test", ending);
        assert!(text.contains(told), "{told}: {text}");
    }
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
    assert_eq!(rows[1]["rating"], greedy["rating"]);
    let refused = run(folder, &["ratings", "--history", "greedy@1"]).refused(2);
    assert!(
        refused.contains("leave the version out: greedy"),
        "{refused}"
    );
    let refused = run(folder, &["ratings", "--history", "nobody"]).refused(2);
    assert!(refused.contains("flipside bots"), "{refused}");

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
