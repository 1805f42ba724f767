//! What a person is told to type next works as it is printed; and what is written can be read by those whom it is for.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::common::{TestRun, flipside, run, sample, script, whole_seed};

/// A bot that speaks the protocol until it is asked, and then does this.
fn fails(folder: &Path, name: &str, does: &str) -> String {
    let ready = r#"echo '{"type":"ready"}'"#;
    let text = format!("#!/bin/sh\nread hello\n{ready}\nread turn\n{does}\n");
    script(folder, name, &text)
}

/// Plays a short tournament, and gives the words of its summary.
fn cup(folder: &Path, arena: &str) -> TestRun {
    let play = "tournament flipflop-3x3 sample:random sample:greedy --name cup --arena";
    let play: Vec<&str> = play.split(' ').chain([arena, "--seed", seed!(3)]).collect();
    run(folder, &play)
}

/// The hints of a run that was refused.
fn hints(run: TestRun) -> String {
    let said = run.refused(2);
    let lines = said.lines().filter(|line| line.starts_with("hint: "));
    lines.collect::<Vec<_>>().join("\n")
}

/// Runs a line as a shell does, with this `flipside`.
fn in_shell(folder: &Path, line: &str) -> TestRun {
    let binary = Path::new(env!("CARGO_BIN_EXE_flipside")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", line]).current_dir(folder);
    shell.env("PATH", format!("{}:{path}", binary.display()));
    shell.env_remove("FLIPSIDE_ARENA").output().unwrap().into()
}

#[test]
fn commands_that_are_printed_name_the_arena_that_was_typed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let played = cup(folder, "my arena");
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let more = "more: flipside table --arena 'my arena' cup --full\n";
    assert!(played.stderr.contains(more), "{}", played.stderr);
    let brief = run(folder, &["table", "--brief", "--arena", "my arena"]).ok();
    assert!(brief.ends_with(more), "{brief}");
    let command = more.strip_prefix("more: ").unwrap();
    assert!(in_shell(folder, command).ok().contains("greedy@1"));
    // The variable holds for the next command, too.
    let set = flipside(folder)
        .args(["table", "--brief"])
        .env("FLIPSIDE_ARENA", "my arena")
        .output();
    let brief = TestRun::from(set.unwrap()).ok();
    assert!(
        brief.ends_with("more: flipside table cup --full\n"),
        "{brief}"
    );
    let slowest = run(folder, &["matches", "--slowest", "--arena", "my arena"]);
    let due = "hint: flipside debug --arena 'my arena' cup-";
    assert!(slowest.stderr.contains(due), "{}", slowest.stderr);
    let unknown = run(folder, &["table", "cap", "--arena", "my arena"]);
    let due = "hint: `flipside tournaments --arena 'my arena'` lists all; the latest: cup";
    assert_eq!(unknown.refused(1).lines().last(), Some(due));
}

#[test]
fn a_tournament_or_an_archive_in_the_place_of_a_match_is_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    cup(folder, "arena").ok();
    run(folder, &["export", "cup", "a cup.tar.zst"]).ok();
    for command in [&["verify"][..], &["replay"], &["debug", "--seat", "0"]] {
        let typed = |what| hints(run(folder, &[command, &[what]].concat()));
        assert_eq!(
            typed("cup"),
            "hint: it is a tournament: `flipside verify --tournament cup` verifies it, and `flipside matches \
             --tournament cup` lists its matches"
        );
        assert_eq!(
            typed("a cup.tar.zst"),
            "hint: flipside import 'a cup.tar.zst' --check verifies an archive of a tournament"
        );
        assert_eq!(
            typed("cup-99"),
            "hint: `flipside matches` lists the matches with their ids"
        );
    }
}

#[test]
fn a_longer_tournament_is_an_extended_one() {
    let folder = tempfile::tempdir().unwrap();
    let play = |more: &[&str]| {
        let play = [
            "tournament",
            "flipflop-3x3",
            "sample:random",
            "sample:greedy",
        ];
        let more = [
            &["--name", "rr", "--arena", "my arena", "--seed", seed!(1)],
            more,
        ]
        .concat();
        run(folder.path(), &[&play[..], &more].concat())
    };
    play(&["--rounds", "1"]).ok();
    let same =
        "hint: give the settings it was begun with to go on, or another --name to begin anew";
    let longer = "; `flipside extend --arena 'my arena' rr --rounds 2` makes it longer";
    assert_eq!(hints(play(&["--rounds", "3"])), format!("{same}{longer}"));
    assert_eq!(hints(play(&["--clock", "move=3s"])), same);
    let joined = play(&["sample:mcts", "--rounds", "1"]);
    assert!(hints(joined).contains("rr --bots BOT` lets bots join"));
    let extend = "flipside extend --arena 'my arena' rr --rounds 2";
    in_shell(folder.path(), extend).ok();
}

#[test]
fn commands_that_are_printed_are_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let told = run(folder, &["new", "python", "my bots/first"]).ok();
    assert!(told.contains("\n  cd 'my bots/first'\n"), "{told}");
    fs::write(folder.join("my bot"), "#!/bin/sh\n").unwrap();
    let played = run(folder, &["match", "flipfour", "./my bot", "sample:random"]);
    assert_eq!(hints(played), "hint: chmod +x './my bot'");
    let bot = fails(folder, "it's mine", "exit 4");
    let submitted = run(folder, &["submit", &bot, "--game", "flipfour", "--trust"]);
    let said = submitted.refused(1);
    let debug = said.lines().last().unwrap().strip_prefix("hint: ").unwrap();
    assert!(in_shell(folder, debug).ok().contains("closed: "), "{debug}");
    let check = ["check", &bot, "flipfour", "--trust", "--time", "10h"];
    let checked = run(folder, &check);
    let said = checked.refused(1);
    assert!(said.contains(r"it'\''s mine' --full shows what"), "{said}");
}

#[test]
fn what_needs_no_submitting_says_so_and_hints_fit() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::copy(sample("wat/first.wat"), folder.join("first.wat")).unwrap();
    run(folder, &["submit", "first.wat", "--game", "flipfour"]).ok();
    let said = run(folder, &["submit", "sample:greedy"]).refused(2);
    assert_eq!(
        said,
        "error: sample:greedy is built in, and needs no submitting\n\
         hint: name it where it is to play, such as: flipside match GAME sample:greedy BOT\n"
    );
    let said = run(folder, &["submit", "first"]).refused(2);
    assert_eq!(
        said,
        "error: first@1 is in the arena already, and needs no submitting\n\
         hint: a new version of it is submitted as a file: flipside submit FILE --name first\n"
    );
    let bundle = folder.join("bundle");
    fs::create_dir(&bundle).unwrap();
    let manifest = "command = [\"sh\", \"bot.sh\"]\nfiles = [\"absent\"]\n";
    fs::write(bundle.join("bot.toml"), manifest).unwrap();
    let packed = run(folder, &["pack", "bundle", "bundle.tar.zst"]);
    let hints = hints(packed);
    assert!(!hints.contains("a bot is an executable"), "{hints}");
    assert!(hints.contains("bot.toml"), "{hints}");
}

#[test]
fn the_recorded_fault_is_recognised_when_it_happens_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let act =
        |action: &str| format!(r#"echo '{{"type":"act","id":1,"action":"{action}"}}'; read over"#);
    let illegal = fails(folder, "illegal", &act("a1-a3"));
    let other = fails(folder, "other", &act("a1-c3"));
    let exits = fails(folder, "exits", "exit 4");
    for (bot, others) in [(&illegal, [&other, &exits]), (&exits, [&illegal, &other])] {
        let record = folder.join("r.jsonl");
        let seed = whole_seed(3);
        let play = [
            "match",
            "flipflop-3x3",
            bot,
            "sample:random",
            "--trust",
            "--seed",
            &seed,
        ];
        let played = run(folder, &[&play[..], &["--record", "r.jsonl"]].concat());
        assert!(record.exists(), "{}", played.stderr);
        let debug = |bot: &str, more: &[&str]| {
            let debug = [
                "debug",
                "r.jsonl",
                "--seat",
                "0",
                "--trust",
                "--against",
                bot,
            ];
            run(folder, &[&debug[..], more].concat())
        };
        let again = debug(bot, &["--ply", "0"]).stdout;
        assert!(again.contains("\n  the same fault\n"), "{again}");
        assert!(
            again.ends_with("every answer is the recorded one\n"),
            "{again}"
        );
        for bot in others {
            let told = debug(bot, &["--ply", "0"]).stdout;
            assert!(told.contains("\n  another answer\n"), "{told}");
        }
        let json: Value = serde_json::from_str(&debug(bot, &["--json"]).stdout).unwrap();
        assert_eq!(json["answers"][0]["same"], true);
        let csv = debug(bot, &["--csv"]).stdout;
        let heading = csv.lines().next().unwrap();
        assert_eq!(
            heading,
            "question,ply,action,recorded,refused,fault,same,us,recorded_us"
        );
        fs::remove_file(record).unwrap();
    }
}

#[test]
fn every_ply_has_a_board_also_within_an_opening_or_among_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let play = "match flipfour sample:random sample:random --opening-plies 4 --record opening";
    run(folder, &play.split(' ').collect::<Vec<_>>()).ok();
    let play = "match puissance4-championship sample:random sample:random --record at-once";
    let brief = r#"{"rules":{"max_rounds":1,"max_ticks":20}}"#;
    let play: Vec<&str> = play.split(' ').chain(["--options", brief]).collect();
    run(folder, &play).ok();
    for (record, board) in [("opening", "in hand: White"), ("at-once", "upper case Red")] {
        for ply in 0..6 {
            let ply = ply.to_string();
            let told = run(folder, &["replay", record, "--ply", &ply]).ok();
            let boards = told.matches(board).count();
            assert_eq!(boards, 1, "{record} at ply {ply}: {told}");
        }
    }
    let board = |ply: &str| run(folder, &["replay", "opening", "--ply", ply]).ok();
    assert_eq!(board("1"), board("4"));
    assert_ne!(board("4"), board("5"));
}

#[test]
fn files_for_others_can_be_read_by_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let play = "match flipflop-3x3 sample:random sample:random --record r.jsonl";
    run(folder, &play.split(' ').collect::<Vec<_>>()).ok();
    for (flag, file) in [("--html", "page.html"), ("--svg", "board.svg")] {
        let written = run(folder, &["replay", "r.jsonl", flag, file]);
        assert_eq!(written.stderr, format!("{file} is written\n"));
    }
    cup(folder, "arena").ok();
    run(folder, &["export", "cup", "cup.html"]).ok();
    run(folder, &["new", "python", "mybot"]).ok();
    run(folder, &["pack", "mybot", "mybot.tar.zst"]).ok();
    let due = {
        let plain = folder.join("plain");
        fs::write(&plain, "").unwrap();
        fs::metadata(plain).unwrap().permissions().mode()
    };
    for file in [
        "r.jsonl",
        "page.html",
        "board.svg",
        "cup.html",
        "mybot.tar.zst",
    ] {
        let mode = fs::metadata(folder.join(file))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode, due, "{file}: {mode:o}");
    }
}

#[test]
fn a_table_for_programs_says_which_tournament_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let play = "tournament flipflop-3x3 sample:random sample:greedy --name cup --json --seed";
    let play: Vec<&str> = play.split(' ').chain([seed!(3)]).collect();
    let played = run(folder, &play).ok();
    let full = run(folder, &["table", "--full", "--json"]).ok();
    for json in [played, run(folder, &["table", "--json"]).ok(), full] {
        let value: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["tournament"], "cup");
        assert_eq!(value["game"], "flipflop-3x3");
        assert_eq!(value["format"], "round-robin");
        assert_eq!(value["clock"], "move=1s");
        assert_eq!(value["seed"], 3);
        assert_eq!(value["played"], 2);
        let (_, salt) = seed!(3).split_once('-').unwrap();
        assert!(!json.contains("salt") && !json.contains(salt), "{json}");
    }
}

#[test]
fn a_match_is_not_filtered_and_the_demo_has_its_own_arena() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    cup(folder, "arena").ok();
    run(folder, &["matches", "cup-0"]).ok();
    for more in [
        &["--csv"][..],
        &["--json"],
        &["--faults"],
        &["--limit", "1"],
        &["--game", "go"],
    ] {
        let said = run(folder, &[&["matches", "cup-0"], more].concat()).refused(2);
        assert!(said.contains("cannot be used with"), "{said}");
    }
    let help = run(folder, &["demo", "--help"]).ok();
    assert!(help.contains("[default: a new temporary one]"), "{help}");
    assert!(!help.contains("[env: FLIPSIDE_ARENA]"), "{help}");
}

#[test]
fn a_bot_of_all_games_has_a_short_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::copy(sample("wat/first.wat"), folder.join("first.wat")).unwrap();
    run(folder, &["submit", "first.wat"]).ok();
    let list = run(folder, &["bots"]).ok();
    let all = flipside_games::GAMES.len();
    assert!(list.contains(&format!("  all {all} games\n")), "{list}");
    assert!(list.lines().all(|line| line.len() <= 72), "{list}");
    let csv = run(folder, &["bots", "--csv"]).ok();
    assert!(csv.contains("flip4 flipflop-3x3 "), "{csv}");
}
