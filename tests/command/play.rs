//! A person sits down at a game: with what a pipe types, to the end and not to the end; and the
//! rules that a person reads before.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use crate::common::{Run, flipside, games, run, sample, script, whole_seed};

/// Runs the command with these lines as its standard input.
fn typing(folder: &Path, args: &[&str], lines: &str) -> Run {
    let mut child = flipside(folder)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let output = std::thread::scope(|scope| {
        // While it is read what the command says; and a match may end before all is typed.
        scope.spawn(move || stdin.write_all(lines.as_bytes()));
        child.wait_with_output().expect("it ends")
    });
    Run {
        stdout: String::from_utf8(output.stdout).expect("output is text"),
        stderr: String::from_utf8(output.stderr).expect("messages are text"),
        code: output.status.code(),
    }
}

const PATIENT: &str = "move=20s,start=20s";

#[test]
fn whoever_always_picks_the_first_move_finishes_a_match_of_every_game_and_the_record_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "#1\n".repeat(100_000);
    for game in flipside_games::GAMES {
        let (game, options) = (game.info().id, game.brief());
        let record = format!("{game}.jsonl");
        let play = [
            "play",
            game,
            "sample:random",
            "--clock",
            PATIENT,
            "--seed",
            "3",
            "--record",
            &record,
            "--name",
            "Ada",
            "--options",
            &options,
        ];
        let told = typing(folder.path(), &play, &lines).ok();
        let results = [
            "You have won",
            "You have lost",
            "A draw",
            "You share",
            "You have place",
        ];
        assert!(results.iter().any(|result| told.contains(result)), "{told}");
        assert!(!told.contains("Not taken"), "{told}");
        assert!(told.contains(&record), "{told}");
        assert!(!told.contains('\u{1b}'), "a pipe gets no colours");
        let verified = run(folder.path(), &["verify", &record]).ok();
        assert!(verified.contains(": ok: "), "{verified}");
        let replayed = run(folder.path(), &["replay", &record]).ok();
        assert!(replayed.contains("seat 0: Ada (person)"), "{replayed}");
    }
}

#[test]
fn a_person_may_take_any_seat_and_bots_fill_the_others_with_copies() {
    let folder = tempfile::tempdir().unwrap();
    for seat in ["0", "2", "3"] {
        let play = [
            "play",
            "flip4",
            "sample:random",
            "sample:greedy",
            "--seats",
            "4",
            "--seat",
            seat,
            "--clock",
            PATIENT,
        ];
        let told = typing(folder.path(), &play, "quit\n").ok();
        assert!(told.contains(&format!("seat {seat}  you\n")), "{told}");
        let seated = |bot: &str| told.matches(&format!("  sample:{bot}\n")).count();
        assert_eq!((seated("random"), seated("greedy")), (2, 1), "{told}");
    }
}

#[test]
fn in_a_team_game_the_partners_are_named_and_the_team_wins_or_loses() {
    let folder = tempfile::tempdir().unwrap();
    let play = [
        "play",
        "puissance4-basic",
        "sample:random",
        "--seats",
        "4",
        "--seat",
        "1",
        "--seed",
        "5",
        "--clock",
        PATIENT,
    ];
    let told = typing(folder.path(), &play, &"1\n".repeat(10_000)).ok();
    assert!(
        told.contains("seat 3  sample:random  (on your side)\n"),
        "{told}"
    );
    assert!(told.contains("seat 2  sample:random\n"), "{told}");
    assert!(
        told.contains("Your team has") || told.contains("A draw"),
        "{told}"
    );
}

#[test]
fn moves_are_typed_picked_found_and_begun_and_mistakes_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let first = sample("wat/first.wat");
    let play = ["play", "flipfour", &first, "--clock", PATIENT];
    let lines = "\n+c9\nmoves E5\n+c3\nrules\n+c3\nc3-e4\n?\nboard\nC3-C5\nxe\n0\nXE1\n";
    let told = typing(folder.path(), &play, lines).ok();
    let mut rest = told.as_str();
    for words in [
        "Type a move, or ? for help.",
        "Not taken: \"+c9\" names no square",
        "2 of your 50 moves:",
        "25 +e5   50 xe5",
        "move> +c3\nseat 1 first: +a1\n",
        "FlipFour (flipfour)\n===================",
        "By Masahiro Nakajima",
        "Not taken: c3 is not empty",
        "Not taken:",
        "moves [WORD]",
        "ply 2: White to move",
        "You play c3-c5.",
        "What begins so: xe1, xe2",
        "your moves are 1 to",
        "You play xe1.",
        "(the input has ended)",
        "You have left the table",
    ] {
        match rest.split_once(words) {
            Some((_, after)) => rest = after,
            None => panic!("{words:?} does not come in\n{rest}"),
        }
    }
}

#[test]
fn where_moves_are_numbers_a_number_is_a_move_and_a_sign_picks() {
    let folder = tempfile::tempdir().unwrap();
    let seed = whole_seed(4);
    let play = [
        "play",
        "flip4",
        "sample:random",
        "--seed",
        &seed,
        "--clock",
        PATIENT,
    ];
    let told = typing(folder.path(), &play, "1\n#1\n").ok();
    assert!(told.contains("Your 2 moves:\n  #1 0   #2 4\n"), "{told}");
    assert!(told.contains("move> 1\nNot taken:"), "{told}");
    assert!(told.contains("move> #1\nYou play 0.\n"), "{told}");
}

#[test]
fn who_quits_against_one_side_has_lost_and_the_record_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let play = [
        "play",
        "yonmoque",
        "sample:random",
        "--record",
        "quit.jsonl",
        "--clock",
        PATIENT,
    ];
    let told = typing(folder.path(), &play, "1\nquit\n").ok();
    assert!(
        told.contains("You have left the table, and that loses"),
        "{told}"
    );
    let verified = run(folder.path(), &["verify", "quit.jsonl"]).ok();
    assert!(verified.contains("1 fault without evidence"), "{verified}");
    let text = std::fs::read_to_string(folder.path().join("quit.jsonl")).unwrap();
    assert!(text.contains(r#""seat":0,"fault":"closed""#), "{text}");
}

#[test]
fn who_quits_against_several_leaves_a_whole_record_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let seed = whole_seed(1);
    let mut play = vec![
        "play",
        "flip4",
        "sample:random",
        "sample:random",
        "--seed",
        &seed,
        "--clock",
        PATIENT,
    ];
    let told = typing(folder.path(), &play, "quit\n").ok();
    assert!(told.contains("the match has no result"), "{told}");
    play.extend(["--record", "rest.jsonl"]);
    let told = typing(folder.path(), &play, "quit\n").ok();
    assert!(told.contains("the others have played on"), "{told}");
    assert!(
        run(folder.path(), &["verify", "rest.jsonl"])
            .ok()
            .contains(": ok: ")
    );
}

#[test]
fn the_end_of_the_input_is_leaving_and_nothing_stays_behind() {
    let folder = tempfile::tempdir().unwrap();
    let play = ["play", "flipfour", "sample:random", "--clock", PATIENT];
    let told = typing(folder.path(), &play, "").ok();
    assert!(told.contains("(the input has ended)"), "{told}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_bot_that_falls_is_told_with_what_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let bot = script(
        folder.path(),
        "bad",
        "#!/bin/sh\nread -r hello\necho '{\"type\":\"ready\"}'\nread -r turn\n\
        echo 'I am lost' >&2\necho '{\"type\":\"act\",\"id\":1,\"action\":\"z9\"}'\nread -r over\n",
    );
    let seed = whole_seed(2);
    let play = [
        "play",
        "flip4",
        &bot,
        "sample:random",
        "--seed",
        &seed,
        "--clock",
        PATIENT,
    ];
    let told = typing(folder.path(), &play, &"#1\n".repeat(3)).ok();
    let (_, after) = told
        .split_once("seat 1 bad falls: malformed")
        .unwrap_or_else(|| panic!("{told}"));
    assert!(after.contains("it wrote: {\"type\":\"act\""), "{told}");
    assert!(
        after.contains("(sampled for it, as it is disqualified)"),
        "{told}"
    );

    let play = ["play", "flipfour", &bot, "--clock", PATIENT];
    let told = typing(folder.path(), &play, "1\n").ok();
    assert!(told.contains("You have won (fault"), "{told}");
    assert!(told.contains("stderr: I am lost"), "{told}");
}

#[test]
fn what_is_hidden_from_a_seat_is_not_told() {
    let folder = tempfile::tempdir().unwrap();
    let seed = whole_seed(2);
    let play = [
        "play",
        "phase10-flip",
        "sample:random",
        "--seats",
        "3",
        "--seed",
        &seed,
        "--clock",
        PATIENT,
    ];
    let told = typing(folder.path(), &play, &"1\n".repeat(9)).ok();
    assert!(told.contains("seat 2 sample:random has acted\n"), "{told}");
    assert!(
        told.contains("  discard pile: "),
        "what changed is shown: {told}"
    );
    assert!(!told.contains("chance:"), "{told}");
    assert_eq!(
        told.matches("your hand: ").count(),
        told.matches("move> ").count(),
        "own cards only, once a turn: {told}"
    );
}

#[test]
fn seats_that_are_not_there_are_refused_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let first = sample("wat/first.wat");
    for (args, words) in [
        (
            &["flipfour", &first, "--seat", "2"][..],
            &["no seat 2", "0 to 1"][..],
        ),
        (
            &["flipfour", &first, &first],
            &["for 2 seats, not 3", "hint"],
        ),
        (&["flipfour", "--seats", "3"], &["for 2 seats, not 3"]),
        (
            &["flip4", &first, &first, &first, &first],
            &["for 2 to 4 seats, not 5"],
        ),
        (
            &["flip4", &first, &first, "--seats", "2"],
            &["you and 2 bots are more than 2 seats hold"],
        ),
        (
            &["flipfuor", &first],
            &["flipfuor", "did you mean flipfour?"],
        ),
        (&["flipfour", "sample:gredy"], &["gredy", "sample:greedy"]),
        (
            &["flipfour", &first, "--options", r#"{"max_plies":0}"#],
            &["max_plies", "1 to 1000000", "flipside rules flipfour"],
        ),
        (
            &["flipfour", &first, "--record", "no/such/folder"],
            &["no/such/folder", "hint"],
        ),
        (&["flipfour", &first, "--clock", "soon"], &["soon"]),
    ] {
        let mut command = vec!["play"];
        command.extend(args);
        let told = run(folder.path(), &command).refused(2);
        for word in words {
            assert!(
                told.contains(word),
                "{args:?} does not say {word:?}: {told}"
            );
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_record_is_not_written_over_another_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("kept"), "as it was").unwrap();
    let play = ["play", "flipfour", "sample:random", "--record", "kept"];
    let told = typing(folder.path(), &play, "1\n").refused(2);
    assert!(told.contains("kept is there already"), "{told}");
    let kept = std::fs::read_to_string(folder.path().join("kept")).unwrap();
    assert_eq!(kept, "as it was");
}

/// The options of a schema and of the objects in it, without those objects themselves.
fn names(schema: &serde_json::Value) -> Vec<String> {
    let of_objects = ["rules", "model"];
    let mut all = Vec::new();
    match schema {
        serde_json::Value::Object(keys) => {
            for (key, value) in keys {
                let properties = value.as_object().filter(|_| key == "properties");
                all.extend(properties.into_iter().flat_map(|all| all.keys().cloned()));
                all.extend(names(value));
            }
        }
        serde_json::Value::Array(values) => all.extend(values.iter().flat_map(names)),
        _ => {}
    }
    all.retain(|name| !of_objects.contains(&&**name));
    all
}

#[test]
fn the_rules_of_every_game_are_told_with_every_option() {
    let folder = tempfile::tempdir().unwrap();
    for game in games() {
        let told = run(folder.path(), &["rules", game]).ok();
        assert!(told.contains("point ") && told.contains("ground"), "{told}");
        assert!(
            told.contains("\n* ") && told.contains("* a reconstruction"),
            "{told}"
        );
        assert!(!told.contains('\u{1b}'), "a pipe gets no colours");
        for line in told.lines().filter(|line| !line.starts_with("    ")) {
            assert!(line.chars().count() <= 100, "{line}");
        }
        let schema = run(folder.path(), &["schema", game]).ok();
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        let options = names(&schema["options"]);
        assert!(!options.is_empty());
        for option in options {
            let is_told = told.lines().any(|line| {
                let mut words = line.split([' ', ',', '.']);
                words.any(|word| word == option)
            });
            assert!(is_told, "{option}: {told}");
        }
    }
}

#[test]
fn the_rules_are_set_for_the_terminal_or_printed_as_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let narrow = flipside(folder.path())
        .args(["rules", "flipfour"])
        .env("COLUMNS", "40")
        .output()
        .unwrap();
    let narrow = String::from_utf8(narrow.stdout).unwrap();
    assert!(
        narrow.lines().all(|line| line.chars().count() <= 40),
        "{narrow}"
    );
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules/flipfour.md");
    let markdown = run(folder.path(), &["rules", "flipfour", "--markdown"]).ok();
    assert_eq!(markdown, std::fs::read_to_string(page).unwrap());
}

#[test]
fn without_a_game_the_rules_are_those_that_all_have_in_common() {
    let folder = tempfile::tempdir().unwrap();
    let told = run(folder.path(), &["rules"]).ok();
    for game in games() {
        assert!(told.contains(game), "{told}");
    }
    assert!(
        told.contains("- Seat 0 is the rulebook's first player"),
        "{told}"
    );
    let refused = run(folder.path(), &["rules", "yonmoqe"]).refused(2);
    assert!(refused.contains("did you mean yonmoque?"), "{refused}");
}
