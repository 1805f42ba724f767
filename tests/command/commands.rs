//! The commands that show things: for people, as JSON, as CSV; and the demo.

use std::path::Path;

use crate::common::{TestRun, copy_program, games, run, sample, script, whole_seed};
use crate::shown::{headings, session, shown, unvarying};
use insta::assert_snapshot;
use regex_lite::Regex;

#[test]
fn the_demo_plays_every_game_in_an_empty_folder_and_says_where_the_records_are() {
    let folder = tempfile::tempdir().unwrap();
    let demo = ["demo", "--rounds", "1", "--arena", "here"];
    let told = run(folder.path(), &demo).ok();
    for game in games() {
        let name = format!("demo-{game}");
        assert!(told.contains(&format!("{name} - {game}")), "{told}");
        let table = ["table", &name, "--json", "--arena", "here"];
        let table = run(folder.path(), &table).ok();
        let table: serde_json::Value = serde_json::from_str(&table).unwrap();
        let rows = table["rows"].as_array().unwrap();
        let won: u64 = rows.iter().map(|row| row["wins"].as_u64().unwrap()).sum();
        assert!(won > 0, "all matches of {game} were drawn: {told}");
    }
    for bot in ["mcts@1", "greedy@1", "random@1", "first@1", "random-py@1"] {
        assert_eq!(
            told.matches(bot).count(),
            2 * games().len(),
            "{bot} in the standings and the cross table: {told}"
        );
    }
    assert!(
        told.ends_with("Next, show all of it in a browser:\n  flipside serve --arena here\n"),
        "{told}"
    );
    let verified = run(
        folder.path(),
        &["verify", "demo-yonmoque-0", "--arena", "here"],
    )
    .ok();
    assert!(verified.contains(": ok: "), "{verified}");
}

/// The commands that the help lists.
pub(crate) fn commands(folder: &Path) -> Vec<String> {
    let help = run(folder, &["--help"]).ok();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let lines = commands.lines().take_while(|line| line.starts_with("  "));
    let names = lines.filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn completions_know_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let commands = commands(folder.path());
    assert!(
        commands.contains(&"completions".to_owned()) && commands.len() > 30,
        "{commands:?}"
    );
    for shell in ["bash", "fish", "zsh"] {
        let script = run(folder.path(), &["completions", shell]).ok();
        for command in &commands {
            assert!(script.contains(command), "{shell}: no {command}");
        }
        for hidden in ["compile", "--sample", "perft", "rerate"] {
            let mut words = script.split(|c: char| c != '-' && !c.is_alphanumeric());
            assert!(!words.any(|word| word == hidden), "{shell}: {hidden}");
        }
        std::fs::write(folder.path().join(shell), script).unwrap();
    }
    let completes = |typed: &str| {
        let script = format!(
            "source ./bash; COMP_WORDS=({typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _flipside flipside \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let bash = std::process::Command::new("bash")
            .args(["--noprofile", "--norc", "-c", &script])
            .current_dir(folder.path())
            .output();
        TestRun::from(bash.expect("bash starts")).ok()
    };
    assert_eq!(completes("flipside tourn"), "tournament tournaments\n");
    assert_eq!(completes("flipside completions z"), "zsh\n");
    assert_eq!(completes("flipside demo --conc"), "--concurrency\n");
    let refused = run(folder.path(), &["completions", "tcsh"]).refused(2);
    assert!(
        refused.contains("[possible values: bash, fish, zsh]"),
        "{refused}"
    );
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["man", "."]).ok();
    let page = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let all = page("flipside.1");
    for command in ["demo", "tournament", "serve"] {
        let name = format!("flipside-{command}");
        assert!(all.contains(&name.replace('-', "\\-")), "{name}: {all}");
        let page = page(&format!("{name}.1"));
        assert!(
            page.contains(".TH ") && page.contains("\\-\\-arena"),
            "{page}"
        );
    }
    let refused = run(folder.path(), &["man", "none"]).refused(1);
    assert!(refused.contains("cannot write to none"), "{refused}");
}

#[test]
fn a_list_is_for_people_json_or_csv() {
    let folder = tempfile::tempdir().unwrap();
    let (first, instant) = (sample("wat/first.wat"), sample("wat/instant.wat"));
    let json = run(
        folder.path(),
        &["submit", &first, "--name", "alpha", "--json"],
    )
    .ok();
    let submitted: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        submitted[0]["games"].as_array().unwrap().len(),
        games().len(),
        "{submitted}"
    );
    run(
        folder.path(),
        &[
            "submit",
            &instant,
            "--name",
            "beta",
            "--game",
            "flipflop-3x3",
        ],
    )
    .ok();
    run(
        folder.path(),
        &["tournament", "flipflop-3x3", "alpha", "beta", "--seed", "1"],
    )
    .ok();
    for command in [
        &["bots"][..],
        &["matches"],
        &["ratings"],
        &["table"],
        &["games"],
    ] {
        let with = |flag: &str| {
            let mut args = command.to_vec();
            args.push(flag);
            run(folder.path(), &args).ok()
        };
        let people = run(folder.path(), command).ok();
        let json: serde_json::Value = serde_json::from_str(&with("--json")).unwrap();
        let csv = with("--csv");
        let rows = json
            .as_array()
            .or_else(|| json["rows"].as_array())
            .expect("rows")
            .len();
        assert!(rows >= 2, "{command:?}: {json}");
        assert_eq!(
            csv.lines().count(),
            rows + 1,
            "a heading and the rows: {csv}"
        );
        let columns: Vec<usize> = csv.lines().map(|line| line.matches(',').count()).collect();
        if command != ["matches"] && command != ["games"] {
            assert!(
                columns.iter().all(|columns| *columns == columns_of(&csv)),
                "{csv}"
            );
        }
        assert!(people.lines().count() > rows, "{people}");
    }
    assert_snapshot!(session(folder.path(), "bots"), @"
    $ flipside bots
    bot      kind      size  SHA-256           plays
    alpha@1  module  6.2 kB  ID  all 9 games
    beta@1   module  8.5 kB  ID  flipflop-3x3
    ");
}

#[test]
fn tournaments_are_listed_the_latest_first() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = ["sample:greedy", "sample:random"];
    assert_snapshot!(session(folder, "tournaments"), @"
    $ flipside tournaments
    -- exit status 1, stderr:
    error: there is no arena at arena
    hint: name the arena's folder with --arena DIR or FLIPSIDE_ARENA; `flipside submit`, `flipside tournament` and `flipside serve --new` make one
    ");
    for (game, name, format) in [
        ("flipflop-3x3", "evening", "round-robin"),
        ("flipfour", "cup", "knockout"),
    ] {
        let args = [
            "tournament",
            game,
            "--name",
            name,
            "--format",
            format,
            "--seed",
            seed!(1),
        ];
        run(folder, &[&args[..], &bots].concat()).ok();
    }
    // The last column is a time, twenty characters long.
    let undated = |text: String| {
        let lines = text.lines().map(|line| match line.ends_with('Z') {
            true => line[..line.len() - 20].trim_end(),
            false => line,
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(undated(run(folder, &["tournaments"]).ok()), @r"
    tournament  game          format       bots  played  of  state  begun
    cup         flipfour      knockout        2       2   2  over
    evening     flipflop-3x3  round-robin     2       2   2  over
    ");
    assert_snapshot!(undated(run(folder, &["tournaments", "--csv"]).ok()), @r"
    tournament,game,format,bots,played,total,state,started_at
    cup,flipfour,knockout,2,2,2,over,
    evening,flipflop-3x3,round-robin,2,2,2,over,
    ");
    let json = run(folder, &["tournaments", "--json"]).ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[1]["tournament"], "evening");
    assert_eq!(
        (&json[1]["played"], &json[1]["state"]),
        (&2.into(), &"over".into())
    );
    let begun = json[0]["started_at"].as_str().unwrap();
    assert!(begun.starts_with("20") && begun.ends_with('Z'), "{begun}");
}

#[test]
fn a_full_table_has_all_statistics_for_people_as_json_and_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    let (first, instant) = (sample("wat/first.wat"), sample("wat/instant.wat"));
    let play = ["tournament", "flipflop-3x3", &first, &instant];
    let more = ["--rounds", "3", "--name", "cup", "--seed", seed!(1)];
    let args = [&play[..], &more, &["--no-affinity"]].concat();
    // Two bots are told in Elo.
    assert_snapshot!(run(folder.path(), &args).ok(), @"
    cup - flipflop-3x3, 2 bots, round-robin, 3 rounds, clock move=1s, seed 1: 6 of 6 matches

    rank  bot        ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  first@1       1555   ±122      6    4      0     2    4.0  66.7  28.0 to 91.1       0      0
       2  instant@1     1445   ±122      6    2      0     4    2.0  33.3   8.9 to 72.0       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against          1      2
    1 first@1        -  4.0/6
    2 instant@1  2.0/6      -
    score of the bot on the left against the bot above

    first@1 against instant@1: 6 matches, won 4, drawn 0, lost 2
    Elo: 120.41 +/- 264.53, nElo: 173.72 +/- 278.00, 95 % interval -164.29 to 405.12
    LOS: 77.57 %, score: 66.67 % (27.97 to 91.15 %)
    Ptnml(0-2): [0, 0, 2, 0, 1]

    not certain: the order of places 1 and 2; the results do not support it at 95 %
    ");
    let full = |flags: &[&str]| {
        let args = [&["table", "--full"], flags].concat();
        run(folder.path(), &args).ok()
    };
    // The last two tables have times, which no two runs have alike.
    let people = full(&[]);
    // A bot that never used half a microsecond is not in the last one, and then names may take less room.
    let headings_of_bots = Regex::new("\nbot +").unwrap();
    let mut tables = headings_of_bots.split(&people).collect::<Vec<_>>();
    let (slowest, times) = (tables.pop().unwrap(), tables.pop().unwrap());
    assert_snapshot!(headings(slowest), @"slowest move, ms match seat ply action");
    assert_snapshot!(headings(times), @"~Glicko-2 ~+/- matches blocks plies a match ms a match ms a ply faults");
    assert_snapshot!(tables.join("\nbot        "), @"
    cup - flipflop-3x3, 2 bots, round-robin, 3 rounds, clock move=1s, seed 1: 6 of 6 matches

    rank  bot        ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  faults  voids
       1  first@1       1555   ±122      6    4      0     2    4.0  66.7  28.0 to 91.1       0      0
       2  instant@1     1445   ±122      6    2      0     4    2.0  33.3   8.9 to 72.0       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against          1      2
    1 first@1        -  4.0/6
    2 instant@1  2.0/6      -
    score of the bot on the left against the bot above

    3 blocks of 2 matches; a match in a block is worth 1.60 independent matches

    against         1     2
    1 first@1       -  77.6
    2 instant@1  22.4     -
    in how many of a hundred cases the bot on the left is better than the bot above

    first@1 against instant@1: 6 matches, won 4, drawn 0, lost 2
    Elo: 120.41 +/- 264.53, nElo: 173.72 +/- 278.00, 95 % interval -164.29 to 405.12
    LOS: 77.57 %, score: 66.67 % (27.97 to 91.15 %)
    Ptnml(0-2): [0, 0, 2, 0, 1]

    bot        ~Elo against the field   ~+/-       Ptnml(0-2)  drawn %
    first@1                     120.4  264.5  [0, 0, 2, 0, 1]      0.0
    instant@1                  -120.4  264.5  [1, 0, 2, 0, 0]      0.0

    seat  matches  won  shared     %    ~% from to  ~an advantage %
    0           6    3       0  50.0  15.2 to 84.8             50.0
    1           6    3       0  50.0  15.2 to 84.8             50.0

    ended by  matches      %  drawn
    goal            6  100.0      0
    ");
    let json: serde_json::Value = serde_json::from_str(&full(&["--json"])).unwrap();
    let statistics = &json["statistics"];
    assert_eq!(statistics["blocks"], 3);
    let ends = statistics["ends"].as_array().unwrap();
    let ended: u64 = ends
        .iter()
        .map(|end| end["matches"].as_u64().unwrap())
        .sum();
    assert_eq!((ended, &json["played"]), (6, &6.into()));
    let blocks = statistics["pair"]["blocks"].as_array().unwrap();
    assert_eq!(
        blocks
            .iter()
            .map(|count| count.as_u64().unwrap())
            .sum::<u64>(),
        3
    );
    let csv = full(&["--csv"]);
    assert!(csv.starts_with("table,of,against,figure,value\nblocks,,,matches_of_block,2\n"));
    assert!(
        csv.lines().all(|line| line.matches(',').count() == 4),
        "{csv}"
    );
    run(folder.path(), &["table", "--full", "--cross"]).refused(2);
}

#[test]
fn a_gauntlet_tells_elo_of_each_pair_that_met() {
    let folder = tempfile::tempdir().unwrap();
    let third = folder.path().join("third.wat");
    std::fs::copy(sample("wat/first.wat"), &third).unwrap();
    let bots = [sample("wat/first.wat"), sample("wat/instant.wat")];
    let bots = [&*bots[0], &*bots[1], third.to_str().unwrap()];
    let rounds = ["--format", "gauntlet", "--rounds", "3"];
    let args = [&["tournament", "flipflop-3x3"], &bots[..], &rounds].concat();
    run(folder.path(), &args).ok();
    let people = run(folder.path(), &["table", "--full"]).ok();
    let pair = |line: &&str| line.starts_with("first@1  ") && line.ends_with(']');
    assert_eq!(people.lines().filter(pair).count(), 2, "{people}");
    let json = run(folder.path(), &["table", "--full", "--json"]).ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let statistics = &json["statistics"];
    assert!(statistics["pair"].is_null() && statistics["pairs_left_out"].is_null());
    let pairs = statistics["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 2, "{json}");
    for pair in pairs {
        assert_eq!(pair["bots"][0], "first@1");
        let matches = pair["matches"].as_array().unwrap();
        assert_eq!(matches.iter().map(|n| n.as_u64().unwrap()).sum::<u64>(), 6);
    }
    let csv = run(folder.path(), &["table", "--full", "--csv"]).ok();
    for against in ["instant@1", "third@1"] {
        assert!(
            csv.contains(&format!("\npair,first@1,{against},elo,")),
            "{csv}"
        );
    }
}

fn columns_of(csv: &str) -> usize {
    csv.lines().next().unwrap().matches(',').count()
}

#[test]
fn schemas_are_json_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let all: serde_json::Value =
        serde_json::from_str(&run(folder.path(), &["schema"]).ok()).unwrap();
    assert!(
        all["from_bot"]["$schema"]
            .as_str()
            .unwrap()
            .contains("json-schema")
    );
    for game in games() {
        let schema: serde_json::Value =
            serde_json::from_str(&run(folder.path(), &["schema", game]).ok()).unwrap();
        for part in ["options", "action", "view"] {
            assert!(schema[part].is_object(), "{game} {part}: {schema}");
        }
    }
}

#[test]
fn the_log_is_quiet_unless_it_is_asked_for_and_then_names_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let first = sample("wat/first.wat");
    let play = ["match", "flipflop-3x3", &first, &first, "--seed", "9"];
    assert_eq!(run(folder.path(), &play).stderr, "");
    let mut verbose = play.to_vec();
    verbose.push("-v");
    assert_snapshot!(unvarying(&run(folder.path(), &verbose).stderr), @r#"
    DATE  INFO match{id=flipflop-3x3-ID game="flipflop-3x3"}: flipside_referee::play: begins clock=move=1s
    DATE  INFO match{id=flipflop-3x3-ID game="flipflop-3x3"}: flipside_referee::play: over points=[1, 0] reason="goal" plies=4
    "#);
    let output = crate::common::flipside(folder.path())
        .args(play)
        .env("FLIPSIDE_LOG", "flipside_referee=info")
        .output();
    assert_snapshot!(unvarying(&TestRun::from(output.unwrap()).stderr), @r#"
    DATE  INFO match{id=flipflop-3x3-ID game="flipflop-3x3"}: flipside_referee::play: begins clock=move=1s
    DATE  INFO match{id=flipflop-3x3-ID game="flipflop-3x3"}: flipside_referee::play: over points=[1, 0] reason="goal" plies=4
    "#);
}

#[test]
fn a_whole_seed_gives_the_same_match_and_a_number_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let play = |seed: &str| {
        run(
            folder.path(),
            &[
                "match",
                "flipfour",
                "sample:random",
                "sample:random",
                "--seed",
                seed,
                "--json",
            ],
        )
        .ok()
    };
    let without_times = |json: String| {
        let mut value: serde_json::Value = serde_json::from_str(&json).unwrap();
        value["seats"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .for_each(|seat| seat["used_ms"] = 0.into());
        value
    };
    let [four, five] = [4, 5].map(whole_seed);
    let first = without_times(play(&four));
    assert_eq!(first, without_times(play(&four)));
    assert_ne!(first, without_times(play(&five)));
    // What it prints plays a match again whose seed was drawn.
    let drawn = without_times(play("4"));
    assert_ne!(drawn, without_times(play("4")));
    let seed = drawn["seed"].as_str().unwrap();
    assert_eq!(drawn, without_times(play(seed)));
}

#[test]
fn perft_counts_what_an_independent_program_counts() {
    let folder = tempfile::tempdir().unwrap();
    let counts = include_str!("../witness/counts.txt");
    for (game, depth) in [
        ("flipflop-3x3", 9),
        ("flipflop-5x5", 5),
        ("flipfour", 3),
        ("yonmoque", 4),
    ] {
        let told = run(
            folder.path(),
            &["perft", game, "--depth", &depth.to_string()],
        )
        .ok();
        assert_eq!(told.lines().count(), depth);
        for line in told.lines() {
            assert!(
                counts.lines().any(|count| count == line),
                "{line} is not in the witness's counts"
            );
        }
    }
}

#[test]
fn a_single_match_may_begin_with_an_opening_which_is_recorded_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let (first, instant) = (sample("wat/first.wat"), sample("wat/instant.wat"));
    let seed = whole_seed(3);
    let play = |game: &str, plies: &str, record: &str| {
        let args = ["match", game, &first, &instant, "--seed", &seed];
        let more = ["--opening-plies", plies, "--record", record];
        run(folder.path(), &[&args[..], &more].concat())
    };
    play("flipfour", "4", "with").ok();
    play("flipfour", "0", "without").ok();
    let record = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(record("with").contains("\"opening_plies\":4"));
    assert_ne!(record("with"), record("without"));
    run(folder.path(), &["verify", "with", "without"]).ok();
    let replayed = run(folder.path(), &["replay", "with"]).ok();
    let opening = replayed.split("\nply 5").next().unwrap();
    assert_snapshot!(unvarying(opening), @"
    flipfour flipfour-ID, clock move=1s
    seat 0: first (module)
    seat 1: instant (module)

    FlipFour, ply 0: White to move

      5   .   .   .   .   .
      4   .   .   .   .   .
      3   .   .   .   .   .
      2   .   .   .   .   .
      1   .   .   .   .   .
          a   b   c   d   e

    in hand: White 4, Black 4
    White: R like a rook, B like a bishop; Black: r, b

    seat 0 is ready: first 1

    seat 1 is ready: instant 1

    opening, drawn from the seed: 4 plies
    seat 0: xd4
    seat 1: xb5
    seat 0: xb1
    seat 1: +b2
    FlipFour, ply 4: White to move

      5   .   b   .   .   .
      4   .   .   .   B   .
      3   .   .   .   .   .
      2   .   r   .   .   .
      1   .   B   .   .   .
          a   b   c   d   e

    in hand: White 2, Black 2
    White: R like a rook, B like a bishop; Black: r, b
    ");
    assert_snapshot!(shown(&play("flipfour", "61", "none")), @"
    -- exit status 2, stderr:
    error: an opening has at most 60 plies, not 61
    hint: openings are for board games in turns without chance, and have at most 60 plies
    ");
    assert_snapshot!(shown(&play("flip4", "2", "none")), @"
    -- exit status 2, stderr:
    error: flip4 has no opening plies: it has chance, so that its matches differ by themselves
    hint: openings are for board games in turns without chance, and have at most 60 plies
    ");
    assert!(!folder.path().join("none").exists());
}

#[test]
fn a_bot_that_won_everything_is_told_without_an_error_that_nobody_knows() {
    let folder = tempfile::tempdir().unwrap();
    let bad = script(folder.path(), "bad", "#!/bin/sh\nread x\nexit 1\n");
    let args = ["tournament", "flipfour", &sample("wat/first.wat"), &bad];
    let more = ["--name", "cup", "--seed", seed!(1), "--no-affinity"];
    let told = run(folder.path(), &[&args[..], &more].concat());
    assert_snapshot!(shown(&told), @r"
    cup - flipfour, 2 bots, round-robin, 1 round, clock move=1s, seed 1: 2 of 2 matches

    rank  bot      ~rating  ~95 %  games  won  drawn  lost  score      %    ~% from to  not by play  faults  voids
       1  first@1     1672   ±293      2    2      0     0    2.0  100.0  9.9 to 100.0            2       0      0
       2  bad@1       1328   ±293      2    0      0     2    0.0    0.0   0.0 to 90.1            2       2      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against        1      2
    1 first@1      -  2.0/2
    2 bad@1    0.0/2      -
    score of the bot on the left against the bot above

    first@1 against bad@1: 2 matches, won 2, drawn 0, lost 0
    no Elo: all points went to one bot, 95 % interval at least -383.98
    LOS: 74.18 %, score: 100.00 % (9.88 to 100.00 %)
    Ptnml(0-2): [0, 0, 0, 0, 1]

    not certain: the order of places 1 and 2; the results do not support it at 95 %
    -- stderr:
    a whole seed was passed: anyone who knows it can predict the random events
    cup: 2 of 2 matches to play

    cup
    flipfour, 2 bots, round-robin, 1 round, clock move=1s
    2 matches in TIME
    seed 1, 2 faults, 0 voids

    more: flipside table cup --full

    to repeat the random events:
    --seed 1-HASH
    ");
}

#[test]
fn who_may_only_read_an_arena_reads_it() {
    use std::fs::{Permissions, copy, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    /// The number of nobody, on all machines.
    const NOBODY: u32 = 65_534;

    // With characters that mean something in the name by which it is opened.
    let folder = tempfile::Builder::new()
        .prefix("50% of?#")
        .tempdir()
        .unwrap();
    let play = ["tournament", "flipfour", "sample:random", "sample:greedy"];
    run(folder.path(), &play).ok();
    let bundle = folder.path().join("bundle");
    std::fs::create_dir(&bundle).unwrap();
    copy(sample("shell/random.sh"), bundle.join("bot.sh")).unwrap();
    std::fs::write(bundle.join("bot.toml"), "command = [\"sh\", \"bot.sh\"]\n").unwrap();
    let submit = ["submit", "bundle", "--game", "flipfour", "--trust"];
    run(folder.path(), &submit).ok();
    let allow = |path: &std::path::Path, mode| {
        set_permissions(path, Permissions::from_mode(mode)).unwrap();
    };
    let binary = folder.path().join("flipside");
    copy_program(env!("CARGO_BIN_EXE_flipside").as_ref(), &binary);
    let arena = folder.path().join("arena");
    for path in [folder.path(), &binary, &arena] {
        allow(path, 0o555);
    }
    // Its owner lets others read what is private otherwise.
    allow(&arena.join("bots"), 0o555);
    allow(&arena.join("journal.sqlite"), 0o444);
    let read = |args: &[&str]| {
        let mut reader = std::process::Command::new(&binary);
        reader.current_dir(folder.path()).args(args);
        if rustix::process::geteuid().is_root() {
            // Root may always write.
            reader.uid(NOBODY).gid(NOBODY);
        }
        TestRun::from(reader.output().unwrap())
    };
    for command in ["table", "ratings", "matches", "bots", "rerate"] {
        let owner = run(folder.path(), &[command]).ok();
        assert_eq!(read(&[command]).ok(), owner, "{command}");
    }
    // A bundle is unpacked elsewhere then.
    read(&["match", "flipfour", "bundle", "sample:random", "--trust"]).ok();
    // What cannot enter does not play first.
    let submitted = read(&["submit", "bundle", "--name", "other", "--trust"]);
    assert_eq!(submitted.stdout, "");
    assert_eq!(
        submitted.refused(1),
        "error: arena cannot be written\nhint: who owns it, and is it on a read-only mount? ls -ld arena; findmnt -T arena\n"
    );
    for path in [folder.path(), &arena] {
        allow(path, 0o755);
    }
}
