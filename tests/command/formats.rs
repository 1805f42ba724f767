//! Formats, and the files that describe tournaments: through the command, to its tables, its refusals, and
//! through deaths at any moment.

use std::path::Path;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use insta::assert_snapshot;

use crate::common::{built, flipside, run, sample, script, test_seed};
use crate::shown::{session, shown, words};
use crate::tournaments::{Talking, landed};

const FLAGS: [&str; 4] = ["--clock", "move=30s,start=30s", "--seed", seed!(5)];

/// Five deterministic modules, two of them the same but for a comment.
fn modules(folder: &Path) -> Vec<String> {
    let first = std::fs::read_to_string(sample("wat/first.wat")).unwrap();
    let twin = script(folder, "twin.wat", &format!("{first}\n;; the twin\n"));
    vec![
        sample("wat/first.wat"),
        twin,
        sample("wat/instant.wat"),
        built("random-c.wasm"),
        built("greedy.wasm"),
    ]
}

/// Every format, with flags that make it long enough to be killed.
const FORMATS: [(&str, &[&str]); 7] = [
    ("round-robin", &["--rounds", "15"]),
    ("gauntlet", &["--challengers", "2", "--rounds", "25"]),
    ("swiss", &["--rounds", "5"]),
    (
        "knockout",
        &["--best-of", "60", "--tie-breaks", "20", "--third-place"],
    ),
    (
        "double-elimination",
        &["--best-of", "30", "--tie-breaks", "10"],
    ),
    ("ladder", &["--matches", "300"]),
    ("sprt", &["--elo0", "-4", "--elo1", "4"]),
];

fn arguments<'a>(
    bots: &'a [String],
    format: &[&'a str],
    arena: &'a str,
    at_once: &'a str,
) -> Vec<&'a str> {
    let mut args = vec!["tournament", "flipflop-3x3"];
    args.extend(bots.iter().map(String::as_str));
    args.extend(["--format", format[0], "--opening-plies", "2"]);
    args.extend(&format[1..]);
    args.extend(FLAGS);
    args.extend(["--concurrency", at_once, "--force-concurrency"]);
    // Tables are compared as they are printed.
    args.extend(["--arena", arena, "--name", "cup", "--no-affinity"]);
    args
}

/// What a command prints as JSON.
fn json(folder: &Path, args: &[&str]) -> serde_json::Value {
    let told = run(folder, &[args, &["--json"]].concat()).ok();
    serde_json::from_str(&told).unwrap()
}

/// The format of the latest tournament, in words.
fn format_of(folder: &Path) -> String {
    let arena = flipside_store::Arena::open(folder.join("arena")).unwrap();
    let latest = arena.read_journal().unwrap().latest_tournament().unwrap();
    latest.unwrap().settings.format.to_string()
}

/// All matches without their times, and the tables.
pub(crate) fn content(folder: &Path, arena: &str) -> Vec<String> {
    let told = |args: &[&str]| run(folder, &[args, &["--arena", arena]].concat()).ok();
    let rows = told(&["matches", "--json", "--limit", "100000"]);
    let mut rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    for row in &mut rows {
        for time in ["started_at", "duration_ms"] {
            row[time] = 0.into();
        }
        for seat in row["seats"].as_array_mut().unwrap() {
            seat["used_ms"] = 0.into();
        }
    }
    let mut all: Vec<String> = rows.iter().map(ToString::to_string).collect();
    all.sort();
    all.extend([
        told(&["table", "--json"]),
        without_affinity(&told(&["table"])),
        told(&["ratings", "--json"]),
    ]);
    all
}

/// A table without the note on processors: whether a run finds some of its own depends on what else the machine does,
/// and is no part of what was played.
fn without_affinity(table: &str) -> String {
    let lines = table.lines().filter(|line| !line.starts_with("affinity: "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_swiss_killed_at_random_moments_ends_as_one_that_was_not() {
    let swiss = FORMATS.iter().find(|(name, _)| *name == "swiss");
    killed_at_random_moments(&[*swiss.unwrap()]);
}

#[test]
#[ignore = "long: every format"]
fn every_format_killed_at_random_moments_ends_as_one_that_was_not() {
    killed_at_random_moments(&FORMATS);
}

fn killed_at_random_moments(formats: &[(&str, &[&str])]) {
    let folder = tempfile::tempdir().unwrap();
    let bots = modules(folder.path());
    let mut rng = ChaCha8Rng::seed_from_u64(test_seed());
    for &(name, flags) in formats {
        let format = [&[name], flags].concat();
        let bots = match name {
            "sprt" => vec![bots[2].clone(), bots[0].clone()],
            _ => bots.clone(),
        };
        let (whole, killed) = (format!("whole-{name}"), format!("killed-{name}"));
        run(folder.path(), &arguments(&bots, &format, &whole, "1")).ok();
        let total = landed(folder.path(), &whole);
        assert!(total >= 20, "{name}: {total}");
        if name == "sprt" {
            let table = json(folder.path(), &["table", "--arena", &whole]);
            assert!(table["sprt"]["decision"].is_string(), "{table}");
        }
        let (mut before, mut kills) = (0, 0);
        for _ in 0..3 {
            let moment = before + 1 + rng.next_u64() % (total / 5);
            let args = arguments(&bots, &format, &killed, "2");
            let mut talking = Talking::start(folder.path(), &args);
            let plays = talking.plays(moment - before);
            talking.kill();
            before = landed(folder.path(), &killed);
            kills += u32::from(plays && before < total);
        }
        println!("{name}: {total} matches, killed {kills} times, the last with {before}");
        assert!(kills > 0, "{name} was over before it was killed");
        run(folder.path(), &arguments(&bots, &format, &killed, "2")).ok();
        assert_eq!(
            content(folder.path(), &killed),
            content(folder.path(), &whole),
            "{name}"
        );
    }
}

#[test]
fn a_file_and_flags_describe_the_same_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let file = r#"
        game = "flipfour"
        bots = ["sample:greedy", "bots/one.wat", "bots/two.wat"]
        format = "knockout"
        best-of = 2
        seeding = "entry"
        clock = "move=30s,start=30s"
        opening-plies = 4
        seed = 5
        [options]
    "#;
    let cups = folder.path().join("cups");
    std::fs::create_dir_all(cups.join("bots")).unwrap();
    let file = file.replace("seed = 5", concat!("seed = \"", seed!(5), "\""));
    std::fs::write(cups.join("cup.toml"), file).unwrap();
    let first = std::fs::read_to_string(sample("wat/first.wat")).unwrap();
    for name in ["one", "two"] {
        let text = format!("{first}\n;; {name}\n");
        script(&cups.join("bots"), &format!("{name}.wat"), &text);
    }
    let by_file = run(folder.path(), &["tournament", "cups/cup.toml"]).ok();
    assert_snapshot!(format_of(folder.path()), @"knockout, best of 2 with 3 tie-breaks, seeded by entry");
    let stages: Vec<String> = json(folder.path(), &["table"])["encounters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|encounter| encounter["stage"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(stages, ["semi-final", "semi-final", "final"]);
    let by_flags = [
        "tournament",
        "flipfour",
        "sample:greedy",
        "cups/bots/one.wat",
        "cups/bots/two.wat",
    ];
    let more = [
        "--format",
        "knockout",
        "--best-of",
        "2",
        "--seeding",
        "entry",
        "--opening-plies",
        "4",
    ];
    let again = run(folder.path(), &[&by_flags[..], &more, &FLAGS].concat());
    assert!(
        again.stderr.contains(": 0 of "),
        "it is over already: {}",
        again.stderr
    );
    assert_eq!(again.ok(), by_file);
    // A flag goes before the file, and makes another tournament.
    let other = run(
        folder.path(),
        &["tournament", "cups/cup.toml", "--best-of", "1", "--dry-run"],
    );
    assert_snapshot!(other.stderr, @"--best-of 1 replaces best-of = 2 of cups/cup.toml");
    assert_snapshot!(other.ok().lines().next().unwrap(), @"flipfour, 3 bots, knockout, best of 1 with 3 tie-breaks, seeded by entry, clock move=30s,start=30s, 4 opening plies, seed 5: at most 16 matches");
    // Records of matches with openings verify, and replays show them.
    let rows = run(folder.path(), &["matches", "--json"]).ok();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    run(folder.path(), &[&["verify"], &ids[..]].concat()).ok();
    let replayed = run(folder.path(), &["replay", ids[0]]).ok();
    let opening = replayed.lines().find(|line| line.starts_with("opening"));
    assert_snapshot!(opening.unwrap(), @"opening, drawn from the seed: 4 plies");
}

#[test]
fn a_dry_run_tells_what_would_be_played_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let bots = ["sample:random", "sample:greedy", "sample:mcts"];
    let dry = |flags: &[&str]| {
        let args = [
            &["tournament", "flipfour"],
            &bots[..],
            &["--dry-run"],
            flags,
        ]
        .concat();
        run(folder.path(), &args).ok()
    };
    let told = dry(&[
        "--rounds",
        "10",
        "--concurrency",
        "2",
        "--force-concurrency",
    ]);
    assert_snapshot!(told, @r"
        flipfour, 3 bots, round-robin, 10 rounds, clock move=1s, a seed that is drawn when it begins: 60 matches
        time, 2 matches at a time: about 0.2 s if every bot answers at once; 3.5 h if every bot uses all of its time, with 426 plies a match as in random play

        match  round  block         seat 0         seat 1
        0          0      0  sample:greedy    sample:mcts
        1          0      0    sample:mcts  sample:greedy
        2          0      1  sample:random    sample:mcts
        3          0      1    sample:mcts  sample:random
        4          0      2  sample:random  sample:greedy
        5          0      2  sample:greedy  sample:random
        6          1      3    sample:mcts  sample:greedy
        7          1      3  sample:greedy    sample:mcts
        8          1      4    sample:mcts  sample:random
        9          1      4  sample:random    sample:mcts
        10         1      5  sample:greedy  sample:random
        11         1      5  sample:random  sample:greedy
        12         2      6  sample:greedy    sample:mcts
        13         2      6    sample:mcts  sample:greedy
        14         2      7  sample:random    sample:mcts
        15         2      7    sample:mcts  sample:random
        16         2      8  sample:random  sample:greedy
        17         2      8  sample:greedy  sample:random
        18         3      9    sample:mcts  sample:greedy
        19         3      9  sample:greedy    sample:mcts
        and so on; --json has all that are known now
        ");
    let at_once = ["--concurrency", "1"];
    assert_snapshot!(dry(&[&["--format", "swiss", "--rounds", "3"], &at_once[..]].concat()), @r"
        flipfour, 3 bots, swiss seeded by entry, 3 rounds, clock move=1s, a seed that is drawn when it begins: 6 matches
        time, one match at a time: about 0.1 s if every bot answers at once; 42.5 min if every bot uses all of its time, with 426 plies a match as in random play

        match  round  block         seat 0         seat 1
        0          0      0  sample:random  sample:greedy
        1          0      0  sample:greedy  sample:random
        what comes after these depends on their results
        ");
    assert_snapshot!(dry(&[&["--format", "knockout", "--best-of", "3"], &at_once[..]].concat()), @r"
        flipfour, 3 bots, knockout, best of 3 with 3 tie-breaks, seeded by ratings, clock move=1s, a seed that is drawn when it begins: at most 24 matches
        time, one match at a time: about 0.2 s if every bot answers at once; 2.8 h if every bot uses all of its time, with 426 plies a match as in random play

        match  round  block         seat 0         seat 1
        0          0      0  sample:greedy    sample:mcts
        1          0      0    sample:mcts  sample:greedy
        2          0      1    sample:mcts  sample:greedy
        3          0      1  sample:greedy    sample:mcts
        what comes after these depends on their results
        ");
    let json: serde_json::Value =
        serde_json::from_str(&dry(&["--rounds", "100", "--json"])).unwrap();
    assert_eq!(json["matches"].as_array().unwrap().len(), 600);
    assert_eq!(json["total"]["exactly"], 600);
    assert_eq!(json["matches"][599]["index"], 599);
    assert!(json["estimate"]["by_clock_s"].as_f64().unwrap() > 60.0);
    let at_once = json["estimate"]["instant_s"].as_f64().unwrap();
    assert!((0.1..60.0).contains(&at_once), "{at_once}");
    assert!(!folder.path().join("arena").exists());
    // What was played tells how long it takes.
    let played = ["sample:random", "sample:greedy", "--rounds", "3"];
    run(
        folder.path(),
        &[&["tournament", "flipfour"], &played[..]].concat(),
    )
    .ok();
    // What they took differs.
    assert!(dry(&[]).contains("by the 6 latest matches"));
}

#[test]
fn a_dry_run_of_a_tournament_that_was_begun_tells_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let cup = [
        "tournament",
        "flipflop-3x3",
        "sample:greedy",
        "sample:random",
    ];
    let cup = [&cup[..], &["--rounds", "300", "--opening-plies", "2"]].concat();
    let dry = |more: &[&str]| run(folder, &[&cup[..], &["--dry-run"], more].concat()).ok();
    let json = |more: &[&str]| -> serde_json::Value {
        serde_json::from_str(&dry(&[&["--json"], more].concat())).unwrap()
    };
    // Nobody knows a seed that is still to be drawn.
    assert!(json(&[])["settings"]["seed"].is_null());
    assert_eq!(json(&["--seed", "7"])["settings"]["seed"], 7);
    assert_snapshot!(dry(&[]).lines().next().unwrap(), @"flipflop-3x3, 2 bots, round-robin, 300 rounds, clock move=1s, 2 opening plies, a seed that is drawn when it begins: 600 matches");

    let limit = ["--seed", "7", "--most-disk", "300K"];
    run(folder, &[&cup[..], &limit].concat()).refused(1);
    let played: serde_json::Value = {
        let table = run(folder, &["table", "--json"]).ok();
        serde_json::from_str(&table).unwrap()
    };
    let played = played["played"].as_u64().unwrap();
    assert!(0 < played && played < 600, "{played}");
    let told = dry(&[]).replace(&format!(" {played} "), " SOME ");
    assert_snapshot!(told.lines().next().unwrap(), @"flipflop-3x3, 2 bots, round-robin, 300 rounds, clock move=1s, 2 opening plies, seed 7: 600 matches, SOME of them played");
    let left = json(&[]);
    assert_eq!(left["settings"]["seed"], 7);
    assert_eq!(
        (&left["played"], &left["total"]["exactly"]),
        (&played.into(), &600.into())
    );
    let open = left["matches"].as_array().unwrap();
    assert_eq!(open.len() as u64, 600 - played);
    let rows = run(folder, &["matches", "--json", "--limit", "1000"]).ok();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    assert!(
        open.iter()
            .all(|one| rows.iter().all(|row| row["index"] != one["index"]))
    );
    // Who is better at it is seeded first.
    let knockout = [
        "tournament",
        "flipflop-3x3",
        "sample:random",
        "sample:mcts",
        "sample:greedy",
    ];
    let knockout = [&knockout[..], &["--format", "knockout"]].concat();
    let dry_knockout = run(folder, &[&knockout[..], &["--dry-run", "--json"]].concat()).ok();
    let dry_knockout: serde_json::Value = serde_json::from_str(&dry_knockout).unwrap();
    assert_eq!(
        dry_knockout["matches"][0]["seats"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|&bot| bot == "sample:greedy")
            .count(),
        0,
        "the first of three waits for the others: {dry_knockout}"
    );
    let other = run(folder, &[&cup[..], &["--dry-run", "--seed", "8"]].concat());
    assert_snapshot!(shown(&other), @"
    -- exit status 2, stderr:
    error: tournament flipflop-3x3-ID was begun with other settings (seed: 7, not 8)
    hint: give the settings it was begun with to go on, or another --name to begin anew
    ");

    run(folder, &cup).ok();
    assert_snapshot!(dry(&[]), @"
    flipflop-3x3, 2 bots, round-robin, 300 rounds, clock move=1s, 2 opening plies, seed 7: 600 matches, 600 of them played
    nothing is left to be played
    ");
}

#[test]
fn a_dry_run_refuses_what_the_tournament_would_refuse() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "nothing", "no program\n");
    script(folder.path(), "broken.wat", "(module (func $lost");
    let refused = |flag: &str| {
        let bots = [
            "sample:greedy sample:greedy",
            "sample:greedy ./none",
            "sample:greedy ./nothing",
            "./broken.wat sample:greedy",
        ];
        let lines = bots.map(|bots| format!("tournament flipfour {bots}{flag}"));
        session(folder.path(), &lines.join("\n"))
    };
    assert_snapshot!(refused(""), @"
    $ flipside tournament flipfour sample:greedy sample:greedy
    -- exit status 2, stderr:
    error: sample:greedy and sample:greedy are the same bot
    hint: name each bot once; another version of it is NAME@VERSION

    $ flipside tournament flipfour sample:greedy ./none
    -- exit status 2, stderr:
    error: ./none is not there
    hint: a bot is an executable, a .wasm or .wat file, a folder with a bot.toml, the name of a submitted bot, or sample:greedy

    $ flipside tournament flipfour sample:greedy ./nothing
    -- exit status 1, stderr:
    error: ./nothing: FOLDER/nothing has no #! line that names its interpreter
    hint: begin the script with a line such as #!/usr/bin/env python3 or #!/bin/sh

    $ flipside tournament flipfour ./broken.wat sample:greedy
    -- exit status 2, stderr:
    error: ./broken.wat is not WebAssembly text: expected `)`
         --> ./broken.wat:1:20
          |
        1 | (module (func $lost
          |                    ^
    hint: correct the text there
    ");
    assert_eq!(refused(" --dry-run").replace(" --dry-run", ""), refused(""));
    assert!(!folder.path().join("arena").exists());
}

#[test]
fn what_cannot_be_played_is_refused_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let three = "sample:random sample:greedy sample:mcts";
    assert_snapshot!(session(folder.path(), &format!("
        tournament flipfour {three} --format swiss --rounds 4
        tournament flipfour {three} --format knockout --rounds 4
        tournament flipfour {three} --format knockout --best-of 0
        tournament flipfour {three} --format gauntlet --challengers 3
        tournament flipfour {three} --format swiss --best-of 3
        tournament flipfour {three} --format swizz
        tournament flip4 {three} --format knockout --seats 3
        tournament flip4 {three} --format swiss --seats 4
        tournament flip4 {three} --opening-plies 2
        tournament flipfour {three} --opening-plies 61
        tournament flipfour
        tournament none.toml
    ")), @r#"
    $ flipside tournament flipfour sample:random sample:greedy sample:mcts --format swiss --rounds 4
    -- exit status 2, stderr:
    error: rounds of a swiss of so many bots: 1 to 3, not 4
    hint: ask for a number in this range

    $ flipside tournament flipfour sample:random sample:greedy sample:mcts --format knockout --rounds 4
    -- exit status 2, stderr:
    error: a knockout takes no number of rounds
    hint: leave the rounds out; it plays as many as it needs

    $ flipside tournament flipfour sample:random sample:greedy sample:mcts --format knockout --best-of 0
    -- exit status 2, stderr:
    error: invalid value '0' for '--best-of <N>': a whole number from 1 to 1000, not 0

    For more information, try '--help'.

    $ flipside tournament flipfour sample:random sample:greedy sample:mcts --format gauntlet --challengers 3
    -- exit status 2, stderr:
    error: challengers, so that the others fill a match with one of them: 1 to 2, not 3
    hint: ask for a number in this range

    $ flipside tournament flipfour sample:random sample:greedy sample:mcts --format swiss --best-of 3
    -- exit status 2, stderr:
    error: best-of is for knockout or double-elimination, and this is a swiss
    hint: leave best-of out, or ask for --format knockout

    $ flipside tournament flipfour sample:random sample:greedy sample:mcts --format swizz
    -- exit status 2, stderr:
    error: invalid value 'swizz' for '--format <FORMAT>': "swizz" is not a format; there are round-robin, gauntlet, swiss, knockout, double-elimination, ladder, sprt

    For more information, try '--help'.

    $ flipside tournament flip4 sample:random sample:greedy sample:mcts --format knockout --seats 3
    -- exit status 2, stderr:
    error: a knockout is for matches of two bots, and here one has 3
    hint: ask for two seats, or let two bots share out the seats with --copies; a swiss, a gauntlet and a round robin are for more

    $ flipside tournament flip4 sample:random sample:greedy sample:mcts --format swiss --seats 4
    -- exit status 2, stderr:
    error: a swiss is for 4 to 1000 bots here, not 3
    hint: name more bots, or let each take several seats with --copies

    $ flipside tournament flip4 sample:random sample:greedy sample:mcts --opening-plies 2
    -- exit status 2, stderr:
    error: flip4 has no opening plies: it has chance, so that its matches differ by themselves
    hint: leave --opening-plies out; openings are for games in which all is open and one seat after the other moves

    $ flipside tournament flipfour sample:random sample:greedy sample:mcts --opening-plies 61
    -- exit status 2, stderr:
    error: invalid value '61' for '--opening-plies <N>': a whole number from 0 to 60, not 61

    For more information, try '--help'.

    $ flipside tournament flipfour
    -- exit status 2, stderr:
    error: a tournament needs at least two bots, and none is named
    hint: add another, for example sample:random; `flipside bots` lists the arena's

    $ flipside tournament none.toml
    -- exit status 2, stderr:
    error: cannot read none.toml: No such file or directory (os error 2)
    hint: what ends in .toml is a file that describes the tournament; the path begins where you are
    "#);
    assert!(!folder.path().join("arena").exists());
}

#[test]
fn a_file_that_describes_no_tournament_is_refused_with_the_place_and_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        format!(
            "{text:?}\n{}",
            run(folder.path(), &["tournament", name]).refused(2)
        )
    };
    let two = "game = \"flipfour\"\nbots = [\"sample:random\", \"sample:greedy\"]\n";
    let all = [
        "game = \"flipfour\"\nbosts = [\"a\"]\n",
        "game = \"flipfour\"\n\nformat = \"swizz\"\n",
        "game = \"flipfour\"\n\nformat = swiss\n",
        "game = \"flipfour",
        "bots = [\"sample:random\", \"sample:greedy\"]\n",
        "game = \"flipfour\"\n",
        &format!("{two}concurrency = 1000\n"),
        &format!("{two}[options]\nsize = 9\n"),
    ];
    assert_snapshot!(all.map(|text| refused("cup.toml", text)).join("\n"), @r#"
        "game = \"flipfour\"\nbosts = [\"a\"]\n"
        error: cup.toml, line 2, column 1: there is no key "bosts"
        hint: did you mean bots?

        "game = \"flipfour\"\n\nformat = \"swizz\"\n"
        error: cup.toml, line 3, column 10: format: "swizz" is not a format; there are round-robin, gauntlet, swiss, knockout, double-elimination, ladder, sprt
        hint: for example format = "swiss"

        "game = \"flipfour\"\n\nformat = swiss\n"
        error: cup.toml, line 3, column 10: format: a text needs quotes
        hint: format = "swiss"

        "game = \"flipfour"
        error: cup.toml, line 1, column 17: game: a quote is not closed
        hint: write a text as "text"

        "bots = [\"sample:random\", \"sample:greedy\"]\n"
        error: no game is named
        hint: game = "flipfour"

        "game = \"flipfour\"\n"
        error: a tournament needs at least two bots, and none is named
        hint: add another, for example sample:random; `flipside bots` lists the arena's

        "game = \"flipfour\"\nbots = [\"sample:random\", \"sample:greedy\"]\nconcurrency = 1000\n"
        error: cup.toml, line 3, column 15: concurrency: a whole number from 1 to 256, not 1000
        hint: for example concurrency = 2

        "game = \"flipfour\"\nbots = [\"sample:random\", \"sample:greedy\"]\n[options]\nsize = 9\n"
        error: option size: there is no such option; there are max_plies
        hint: `flipside rules flipfour` lists the options
        "#);
    // Whatever the case of the ending.
    assert_snapshot!(refused("cup.TOML", "rounds = \"x\""), @r#"
        "rounds = \"x\""
        error: cup.TOML, line 1, column 10: rounds: a whole number from 1 to 1000000, not "x"
        hint: for example rounds = 10
        "#);
    assert_snapshot!(session(folder.path(), "
        tournament cup.toml sample:mcts
        tournament flipfour sample:mcts cup.toml
    "), @r#"
    $ flipside tournament cup.toml sample:mcts
    -- exit status 2, stderr:
    error: cup.toml names the bots already
    hint: write all of them into the file: bots = ["mybot", "sample:greedy"]

    $ flipside tournament flipfour sample:mcts cup.toml
    -- exit status 2, stderr:
    error: cup.toml describes a tournament, and is no bot
    hint: flipside tournament cup.toml
    "#);
    assert!(!folder.path().join("arena").exists());
}

#[test]
fn a_tournament_goes_on_only_with_the_format_that_it_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let cup = "tournament flipfour sample:random sample:greedy --name cup";
    let knockout = format!("{cup} --format knockout");
    let others = knockout.replace("greedy", "mcts");
    let run = |line: &str| run(folder.path(), &words(line));
    run(&knockout).ok();
    // Ratings have changed by it; the seeds have not.
    run(&knockout).ok();
    run(&format!("{knockout} --dry-run")).ok();
    assert_snapshot!(session(folder.path(), &format!("
        {cup}
        {cup} --dry-run
        {knockout} --best-of 3 --opening-plies 2
        {others} --dry-run
    ")), @"
    $ flipside tournament flipfour sample:random sample:greedy --name cup
    -- exit status 2, stderr:
    error: tournament cup was begun with other settings (format: knockout, not round-robin)
    hint: give the settings it was begun with to go on, or another --name to begin anew

    $ flipside tournament flipfour sample:random sample:greedy --name cup --dry-run
    -- exit status 2, stderr:
    error: tournament cup was begun with other settings (format: knockout, not round-robin)
    hint: give the settings it was begun with to go on, or another --name to begin anew

    $ flipside tournament flipfour sample:random sample:greedy --name cup --format knockout --best-of 3 --opening-plies 2
    -- exit status 2, stderr:
    error: tournament cup was begun with other settings (best-of: 1, not 3; opening-plies: 0, not 2)
    hint: give the settings it was begun with to go on, or another --name to begin anew

    $ flipside tournament flipfour sample:random sample:mcts --name cup --format knockout --dry-run
    -- exit status 2, stderr:
    error: tournament cup was begun with other settings (bot 2: greedy@1, not mcts, which is new here)
    hint: give the settings it was begun with to go on, or another --name to begin anew
    ");
}

#[test]
fn a_tournament_has_a_title_and_a_note_which_may_change_when_it_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let file = "game = \"flipflop-3x3\"\nbots = [\"sample:random\", \"sample:greedy\"]\nseed = 5\n";
    let write = |more: &str| {
        std::fs::write(folder.path().join("cup.toml"), format!("{file}{more}")).unwrap();
    };
    let play = |more: &[&str]| run(folder.path(), &[&["tournament", "cup.toml"], more].concat());
    let told = |args: &[&str]| {
        let table = run(folder.path(), &[&["table"], args].concat()).ok();
        let lines = table.lines().take_while(|line| !line.contains("clock"));
        lines.collect::<Vec<_>>().join("\n")
    };
    write("title = \"Spring cup\"\nnote = \"\"\"Two bots,\none winner.\"\"\"\n");
    let first = play(&[]).ok();
    assert!(
        first.starts_with("Spring cup\nTwo bots,\none winner.\nflipflop-3x3-"),
        "{first}"
    );
    assert_snapshot!(told(&[]), @r"
        Spring cup
        Two bots,
        one winner.
        ");
    assert!(told(&["--brief"]).starts_with("Spring cup\nflipflop-3x3-"));
    // What is not asked for stays, and nothing is played again.
    write("");
    play(&[]).ok();
    assert_snapshot!(told(&[]), @r"
        Spring cup
        Two bots,
        one winner.
        ");
    play(&["--title", "Summer cup \u{202e}"]).ok();
    assert_snapshot!(told(&[]), @r"
        Summer cup \u{202e}
        Two bots,
        one winner.
        ");
    let played = json(folder.path(), &["matches"]);
    assert_eq!(played.as_array().unwrap().len(), 2);
    let long = "x".repeat(101);
    let refused = play(&["--title", &long]).refused(2).replace(&long, "x…x");
    assert_snapshot!(refused, @r"
        error: invalid value 'x…x' for '--title <TEXT>': a text of 1 to 100 characters, not of 101

        For more information, try '--help'.
        ");
    assert_snapshot!(play(&["--title", "a\u{1b}[31mb"]).refused(2), @r"
        error: invalid value 'ab' for '--title <TEXT>': a text without control characters, not with '\u{1b}'

        For more information, try '--help'.
        ");
    write("title = Spring cup\n");
    assert_snapshot!(play(&[]).refused(2), @r#"
        error: cup.toml, line 4, column 9: title: a text needs quotes
        hint: title = "Spring cup"
        "#);
}

#[test]
fn the_short_help_of_a_tournament_fits_a_screen() {
    let folder = tempfile::tempdir().unwrap();
    let mut help = flipside(folder.path());
    let told = help
        .args(["tournament", "-h"])
        .env("COLUMNS", "80")
        .output()
        .unwrap()
        .stdout;
    let told = String::from_utf8(told).unwrap();
    assert!(told.lines().count() <= 40);
    assert!(told.lines().all(|line| line.chars().count() <= 80));
    assert_snapshot!(told, @r"
        Play a tournament, or resume one that was stopped

        Usage: flipside tournament [OPTIONS] <GAME> [BOTS]...

        Arguments:
          <GAME>     The game, or a file that ends in .toml and describes the tournament
          [BOTS]...  The bots, at least two; none where a file names them

        Options:
          -v, --verbose...  Log to stderr (-v: events, -vv: everything)
          -h, --help        Print help (see more with '--help')
          -V, --version     Print version

        Format:
              --format <FORMAT>  Choose who plays whom [one of: round-robin, gauntlet,
                                 swiss, knockout, double-elimination, ladder, sprt]
                                 [default: round-robin]
              --seats <N>        Play matches of N seats [default: fewest]
              --rounds <N>       Play N rounds [default: 1]
              --options <JSON>   Set the game's options [default: {}]

        Clock and fairness:
              --clock <CLOCK>      Give each seat this clock [default: move=1s]
              --opening-plies <N>  Begin each block with N random plies [default: 0]
              --seed <N|N-DIGITS>  Set the seed of all chance [default: drawn]
              --ponder <on|off>    Let processes compute on others' turns [default: off]

        Where and how:
              --trust            Run processes without isolation
              --name <NAME>      Name the tournament
              --concurrency <N>  Play N matches at once [default: by cores]
              --arena <DIR>      The arena's folder [env: FLIPSIDE_ARENA] [default:
                                 arena]

        Output:
              --dry-run  Show what would be played, and how long it would take
              --watch    Watch the standings and the running matches
              --json     Print JSON
              --csv      Print CSV
        ");
}

#[test]
fn the_arena_may_be_named_before_the_subcommand_and_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let bots = ["flipflop-3x3", "sample:random", "sample:greedy"];
    run(
        folder.path(),
        &[&["--arena", "one", "tournament"], &bots[..]].concat(),
    )
    .ok();
    run(
        folder.path(),
        &[&["tournament", "--arena", "two"], &bots[..]].concat(),
    )
    .ok();
    for (before, behind) in [("one", "two"), ("two", "one")] {
        for command in ["bots", "matches", "table"] {
            let first = run(folder.path(), &["--arena", before, command]).ok();
            assert_eq!(
                run(folder.path(), &[command, "--arena", before]).ok(),
                first
            );
            // The nearer one counts.
            let both = ["--arena", behind, command, "--arena", before];
            assert_eq!(run(folder.path(), &both).ok(), first);
        }
    }
    let by_variable = crate::common::flipside(folder.path())
        .args(["bots"])
        .env("FLIPSIDE_ARENA", "one")
        .output()
        .unwrap();
    assert!(by_variable.status.success());
    assert!(!folder.path().join("arena").exists());
}

#[test]
fn a_sequential_test_stops_when_it_is_decided_and_resumes_as_decided() {
    let folder = tempfile::tempdir().unwrap();
    let test = |at_once: &str| {
        let (better, worse) = (built("greedy.wasm"), sample("wat/first.wat"));
        let args = [
            "tournament",
            "flipfour",
            &better,
            &worse,
            "--format",
            "sprt",
        ];
        let more = ["--elo0", "-10", "--elo1", "40", "--concurrency", at_once];
        let opening = ["--opening-plies", "3", "--force-concurrency"];
        run(
            folder.path(),
            &[&args[..], &more, &opening, &FLAGS].concat(),
        )
        .ok()
    };
    let told = test("2");
    assert_eq!(json(folder.path(), &["table"])["sprt"]["decision"], "elo1");
    assert_eq!(test("1"), told, "nothing is left to play");
    let rows = run(folder.path(), &["matches", "--json", "--limit", "100000"]).ok();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    let table = json(folder.path(), &["table"]);
    assert!(rows.len() < 2_000);
    assert_eq!(table["played"], rows.len());
    assert_eq!(table["total"]["exactly"], rows.len());
}
