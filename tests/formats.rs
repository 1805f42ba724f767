//! Formats, and the files that describe tournaments: through the command, to its tables, its refusals, and
//! through deaths at any moment.

mod common;

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use common::{SALT, built, flipside, run, sample, script};

const FLAGS: [&str; 4] = ["--clock", "move=30s,start=30s", "--seed", "5"];

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
const FORMATS: [(&str, &[&str]); 6] = [
    ("round-robin", &["--rounds", "15"]),
    ("gauntlet", &["--challengers", "2", "--rounds", "25"]),
    ("swiss", &["--rounds", "5"]),
    (
        "knockout",
        &["--best-of", "60", "--tie-breaks", "20", "--third-place"],
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
    args.extend(SALT);
    args.extend(["--concurrency", at_once, "--force-concurrency"]);
    args.extend(["--arena", arena, "--name", "cup"]);
    args
}

fn landed(folder: &Path, arena: &str) -> u64 {
    let read = || {
        let journal = flipside_tournament::Arena::open(folder.join(arena))
            .ok()?
            .read_journal()
            .ok()?;
        let tournament = journal.latest_tournament().ok()??;
        Some(journal.played(tournament.id).ok()?.len())
    };
    read().unwrap_or(0)
}

/// All matches without their times, and the tables.
fn content(folder: &Path, arena: &str) -> Vec<String> {
    let told = |args: &[&str]| run(folder, &[args, &["--arena", arena]].concat()).ok();
    let rows = told(&["matches", "--json", "--limit", "100000"]);
    let mut rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    for row in &mut rows {
        for time in ["started_at", "duration_us"] {
            row[time] = 0.into();
        }
        for seat in row["seats"].as_array_mut().unwrap() {
            seat["used_us"] = 0.into();
        }
    }
    let mut all: Vec<String> = rows.iter().map(ToString::to_string).collect();
    all.sort();
    all.extend([
        told(&["table", "--json"]),
        told(&["table"]),
        told(&["ratings", "--json"]),
    ]);
    all
}

#[test]
fn every_format_killed_at_random_moments_ends_as_one_that_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let bots = modules(folder.path());
    let mut rng = ChaCha8Rng::seed_from_u64(std::process::id().into());
    for (name, flags) in FORMATS {
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
            let told = run(folder.path(), &["table", "--arena", &whole]).ok();
            assert!(told.contains("is taken for true"), "{told}");
        }
        let (mut before, mut kills) = (0, 0);
        for _ in 0..3 {
            let moment = before + 1 + rng.next_u64() % (total / 5);
            let mut child = flipside(folder.path())
                .args(arguments(&bots, &format, &killed, "2"))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut ended = false;
            while !ended && landed(folder.path(), &killed) < moment {
                ended = child.try_wait().unwrap().is_some();
                std::thread::sleep(Duration::from_millis(1));
            }
            kills += u32::from(!ended);
            let _ = child.kill();
            child.wait().unwrap();
            before = landed(folder.path(), &killed);
        }
        println!("{name}: {total} matches, killed {kills} times, the last with {before}");
        assert!(kills > 0, "{name} ended before it was killed");
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
    std::fs::write(cups.join("cup.toml"), file).unwrap();
    let first = std::fs::read_to_string(sample("wat/first.wat")).unwrap();
    for name in ["one", "two"] {
        let text = format!("{first}\n;; {name}\n");
        script(&cups.join("bots"), &format!("{name}.wat"), &text);
    }
    let by_file = run(folder.path(), &["tournament", "cups/cup.toml"]).ok();
    assert!(
        by_file.contains("knockout, best of 2 with 3 tie-breaks, seeded by entry"),
        "{by_file}"
    );
    assert!(
        by_file.contains("winner") && by_file.contains("semi-final"),
        "{by_file}"
    );
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
        again.stderr.contains("0 of"),
        "it is over already: {}",
        again.stderr
    );
    assert_eq!(again.ok(), by_file);
    // A flag goes before the file, and makes another tournament.
    let other = run(
        folder.path(),
        &["tournament", "cups/cup.toml", "--best-of", "1"],
    )
    .ok();
    assert!(other.contains("best of 1"), "{other}");
    // Records of matches with openings verify, and replays show them.
    let rows = run(folder.path(), &["matches", "--json"]).ok();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    run(folder.path(), &[&["verify"], &ids[..]].concat()).ok();
    let replayed = run(folder.path(), &["replay", ids[0]]).ok();
    assert!(
        replayed.contains("opening, drawn from the seed: 4 plies"),
        "{replayed}"
    );
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
    for word in [
        "60 matches",
        "2 matches at a time",
        "seat 1",
        "and so on",
        "plies a match",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    let told = dry(&["--format", "swiss", "--rounds", "3"]);
    assert!(
        told.contains("6 matches") && told.contains("depends on their results"),
        "{told}"
    );
    let told = dry(&["--format", "knockout", "--best-of", "3"]);
    assert!(told.contains("at most 24 matches"), "{told}");
    let json: serde_json::Value =
        serde_json::from_str(&dry(&["--rounds", "100", "--json"])).unwrap();
    assert_eq!(json["matches"].as_array().unwrap().len(), 600);
    assert_eq!(json["total"]["exactly"], 600);
    assert_eq!(json["matches"][599]["index"], 599);
    assert!(json["estimate"]["by_clock_s"].as_f64().unwrap() > 60.0);
    assert!(!folder.path().join("arena").exists());
    // What was played tells how long it takes.
    let played = ["sample:random", "sample:greedy", "--rounds", "3"];
    run(
        folder.path(),
        &[&["tournament", "flipfour"], &played[..]].concat(),
    )
    .ok();
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
    let told = dry(&[]);
    assert!(
        told.contains(
            "300 rounds, clock move=1s, 2 opening plies, a seed that is drawn when it begins: 600 matches\n"
        ),
        "{told}"
    );

    let limit = ["--seed", "7", "--most-disk", "300K"];
    run(folder, &[&cup[..], &limit].concat()).refused(1);
    let played: serde_json::Value = {
        let table = run(folder, &["table", "--json"]).ok();
        serde_json::from_str(&table).unwrap()
    };
    let played = played["played"].as_u64().unwrap();
    assert!(0 < played && played < 600, "{played}");
    let told = dry(&[]);
    assert!(
        told.contains(&format!("seed 7: 600 matches, {played} of them played\n")),
        "{told}"
    );
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
    let other = run(folder, &[&cup[..], &["--dry-run", "--seed", "8"]].concat()).refused(2);
    assert!(other.contains("seed"), "{other}");

    run(folder, &cup).ok();
    let told = dry(&[]);
    assert!(
        told.contains("600 of them played") && told.contains("nothing is left to be played"),
        "{told}"
    );
}

#[test]
fn a_dry_run_refuses_what_the_tournament_would_refuse() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = script(folder.path(), "nothing", "no program\n");
    let broken = script(folder.path(), "broken.wat", "(module (func $lost");
    for (bots, word) in [
        (["sample:greedy", "sample:greedy"], "are the same bot"),
        (["sample:greedy", "./none"], "none"),
        (["sample:greedy", &nothing], "nothing"),
        ([&broken, "sample:greedy"], "broken"),
    ] {
        let args = ["tournament", "flipfour", bots[0], bots[1]];
        let played = run(folder.path(), &args);
        let dry = run(folder.path(), &[&args[..], &["--dry-run"]].concat());
        assert!(played.stderr.contains(word), "{}", played.stderr);
        assert_ne!(played.code, Some(0));
        assert_eq!((&dry.stderr, dry.code), (&played.stderr, played.code));
        assert!(!folder.path().join("arena").exists());
    }
}

#[track_caller]
fn refused(folder: &Path, args: &[&str], words: &[&str]) {
    let told = run(folder, args).refused(2);
    for word in words {
        assert!(
            told.contains(word),
            "{args:?} does not say {word:?}:\n{told}"
        );
    }
}

#[test]
fn what_cannot_be_played_is_refused_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let bots = ["sample:random", "sample:greedy", "sample:mcts"];
    let tournament = |game: &str, flags: &[&str], words: &[&str]| {
        let args = [&["tournament", game], &bots[..], flags].concat();
        refused(folder.path(), &args, words);
    };
    tournament(
        "flipfour",
        &["--format", "swiss", "--rounds", "4"],
        &["1 to 3, not 4", "hint"],
    );
    tournament(
        "flipfour",
        &["--format", "knockout", "--rounds", "4"],
        &["knockout takes no number", "hint"],
    );
    tournament(
        "flipfour",
        &["--format", "knockout", "--best-of", "0"],
        &["not 0", "hint"],
    );
    tournament(
        "flipfour",
        &["--format", "gauntlet", "--challengers", "3"],
        &["1 to 2, not 3", "hint"],
    );
    tournament(
        "flipfour",
        &["--format", "ladder", "--matches", "0"],
        &["not 0", "hint"],
    );
    tournament(
        "flipfour",
        &["--format", "swiss", "--best-of", "3"],
        &["best-of is for a knockout", "hint"],
    );
    tournament(
        "flip4",
        &["--format", "knockout", "--seats", "3"],
        &["two bots", "here one has 3", "hint"],
    );
    tournament(
        "flip4",
        &["--format", "swiss", "--seats", "4"],
        &["swiss is for 4 to 1000 bots", "hint"],
    );
    tournament(
        "flip4",
        &["--opening-plies", "2"],
        &["flip4 has no opening plies", "chance", "hint"],
    );
    tournament(
        "flipfour",
        &["--opening-plies", "61"],
        &["at most 60", "hint"],
    );
    let file = |text: &str, words: &[&str]| {
        std::fs::write(folder.path().join("cup.toml"), text).unwrap();
        refused(folder.path(), &["tournament", "cup.toml"], words);
    };
    file(
        "game = \"flipfour\"\nbot = [\"a\"]\n",
        &["cup.toml, line 2", "\"bot\"", "did you mean bots?"],
    );
    file(
        "game = \"flipfour\"\nrounds = \"x\"\n",
        &["cup.toml, line 2"],
    );
    file(
        "game = \"flipfour\"\n\nformat = \"swizz\"\n",
        &["line 3", "swizz", "knockout"],
    );
    file("game = \"flipfour", &["cup.toml, line 1"]);
    file(
        "bots = [\"sample:random\", \"sample:greedy\"]\n",
        &["no game", "hint"],
    );
    file("game = \"flipfour\"\n", &["at least two bots", "hint"]);
    file(
        "game = \"flipfour\"\nbots = [\"sample:random\", \"sample:greedy\"]\nconcurrency = 1000\n",
        &["1 to 256"],
    );
    file(
        "game = \"flipfour\"\nbots = [\"sample:random\", \"sample:greedy\"]\n[options]\nsize = 9\n",
        &["size", "hint"],
    );
    refused(
        folder.path(),
        &["tournament", "cup.toml", "sample:mcts"],
        &["names the bots already", "hint"],
    );
    refused(
        folder.path(),
        &["tournament", "none.toml"],
        &["none.toml", "hint: what ends in .toml is a file"],
    );
    // Whatever the case of the ending.
    std::fs::write(folder.path().join("cup.TOML"), "rounds = \"x\"").unwrap();
    refused(
        folder.path(),
        &["tournament", "cup.TOML"],
        &[
            "cup.TOML, line 1",
            "rounds: a whole number from 1 to 1000000, not \"x\"",
        ],
    );
    let most = flipside_referee::MOST_OPENING_PLIES;
    refused(
        folder.path(),
        &[
            "tournament",
            "flipfour",
            "sample:greedy",
            "sample:random",
            "--opening-plies",
            "400000",
        ],
        &[&format!("at most {most} plies"), "ask for fewer"],
    );
    refused(
        folder.path(),
        &["tournament", "flipfour"],
        &["two bots", "hint"],
    );
    assert!(!folder.path().join("arena").exists());
}

#[test]
fn a_tournament_goes_on_only_with_the_format_that_it_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let cup = [
        "tournament",
        "flipfour",
        "sample:random",
        "sample:greedy",
        "--name",
        "cup",
    ];
    let knockout = [&cup[..], &["--format", "knockout"]].concat();
    run(folder.path(), &knockout).ok();
    // Ratings have changed by it; the seeds have not.
    run(folder.path(), &knockout).ok();
    let dry = |args: &[&str]| run(folder.path(), &[args, &["--dry-run"]].concat());
    dry(&knockout).ok();
    refused(
        folder.path(),
        &cup,
        &[
            "other settings",
            "format: knockout, best of 1",
            "not round-robin",
            "hint",
        ],
    );
    assert_eq!(dry(&cup).stderr, run(folder.path(), &cup).stderr);
    let others = [
        &knockout[..2],
        &["sample:random", "sample:mcts"],
        &knockout[4..],
    ]
    .concat();
    let told = dry(&others).refused(2);
    assert!(told.contains("mcts, which is new here"), "{told}");
    let more = [&knockout[..], &["--best-of", "3", "--opening-plies", "2"]].concat();
    refused(
        folder.path(),
        &more,
        &[
            "best of 1 with 3 tie-breaks",
            "not knockout, best of 3",
            "opening plies: 0, not 2",
        ],
    );
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
    assert!(
        told.contains("greedy@1 against first@1: LLR ") && told.contains("elo1 is taken for true"),
        "{told}"
    );
    assert_eq!(test("1"), told, "nothing is left to play");
    let rows = run(folder.path(), &["matches", "--json", "--limit", "100000"]).ok();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    assert!(
        rows.len() < 2_000 && told.contains(&format!("{0} of {0} matches", rows.len())),
        "{told}"
    );
}
