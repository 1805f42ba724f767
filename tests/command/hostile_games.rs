//! Hostile games, end to end: one that takes memory without end, one that leaks, one that changes its answers, and one
//! whose page attacks its reader; the director that is killed; and workers that know the game only by what travels.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::accounts::LISTEN;
use crate::arena_games::{change, with_a_game, wrong};
use crate::common::{built, run};
use crate::formats::content;
use crate::nats::TransportServer;
use crate::server::TestServer;
use crate::tournaments::{Talking, landed, until};
use crate::workers::{CommandWorker, begin, end};

const BOTS: [&str; 2] = ["sample:random", "sample:first"];

#[test]
fn a_game_that_takes_memory_without_end_voids_its_matches_only() {
    let folder = with_a_game();
    let folder = folder.path();
    let takes = "lambda self, seat, action: [bytearray(b\"x\") * (1 << 24) for _ in iter(int, 1)]";
    wrong(folder, "play", takes);
    let void = run(folder, &["match", "./mine", BOTS[0], BOTS[1]]).refused(1);
    for part in [
        "the program of the game mine failed at \"acts\": ",
        "needed more than 256 MiB of memory",
        "hint: no bot is at fault",
    ] {
        assert!(void.contains(part), "{part}: {void}");
    }
}

#[test]
fn a_game_that_leaks_does_not_enter() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let dice = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/games/liars-dice");
    fs::create_dir(folder.join("dice")).unwrap();
    for file in ["flipside_game.py", "game.py", "game.toml", "rules.md"] {
        fs::copy(dice.join(file), folder.join("dice").join(file)).unwrap();
    }
    let program = folder.join("dice/game.py");
    let text = fs::read_to_string(&program).unwrap();
    let hides = "dice if seat == viewer else None for";
    assert!(text.contains(hides));
    fs::write(&program, text.replace(hides, "dice for")).unwrap();
    let refused = run(folder, &["game", "add", "dice"]).refused(1);
    assert!(
        refused.contains("the game does not pass secrets: "),
        "{refused}"
    );
}

#[test]
fn a_game_whose_answers_change_does_not_enter() {
    let folder = with_a_game();
    let folder = folder.path();
    let changes = "lambda self, viewer: {\"noise\": __import__(\"os\").urandom(8).hex()}";
    wrong(folder, "view", changes);
    let refused = run(folder, &["game", "add", "mine"]).refused(1);
    assert!(
        refused.contains("the game does not pass repeats: "),
        "{refused}"
    );
}

/// Lets the program of the game be found among all processes, by a word that it is given; returns the word.
fn mark(folder: &Path) -> String {
    let mark = format!("mark-{}", folder.file_name().unwrap().display());
    let manifest = folder.join("mine/game.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let (language, main) = ("language = \"python\"", "main = \"game.py\"");
    assert!(text.contains(language) && text.contains(main));
    let command = format!("command = [\"python3\", \"game.py\", \"{mark}\"]");
    fs::write(
        &manifest,
        text.replace(main, "").replace(language, &command),
    )
    .unwrap();
    mark
}

/// The processes whose command line has this word.
fn processes(word: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(word))
        .collect()
}

#[test]
fn a_tournament_of_a_game_program_goes_on_when_its_director_was_killed() {
    let folder = with_a_game();
    let folder = folder.path();
    let mark = mark(folder);
    let cup = |arena: &'static str, at_once: &'static str| {
        let tail = [
            "--rounds",
            "60",
            "--name",
            "cup",
            "--clock",
            "move=300s,start=300s",
            "--seed",
            seed!(5),
            "--concurrency",
            at_once,
            "--force-concurrency",
            "--arena",
            arena,
        ];
        [&["tournament", "./mine", BOTS[0], BOTS[1]][..], &tail].concat()
    };
    run(folder, &cup("whole", "1")).ok();
    let total = landed(folder, "whole");
    assert_eq!(total, 120);

    let none_is_left = || processes(&mark).is_empty();
    let mut before = 0;
    for _ in 0..2 {
        let mut talking = Talking::start(folder, &cup("killed", "2"));
        assert!(talking.plays(10));
        until("a match has landed", || landed(folder, "killed") > before);
        assert!(!processes(&mark).is_empty());
        talking.kill();
        before = landed(folder, "killed");
        assert!(before < total, "{before}");
        until("the processes of the game have ended", none_is_left);
    }
    run(folder, &cup("killed", "2")).ok();
    assert_eq!(content(folder, "killed"), content(folder, "whole"));
    run(folder, &["verify", "--all", "--arena", "killed"]).ok();
    until("the processes of the game have ended", none_is_left);
}

#[test]
fn a_worker_plays_games_that_it_knows_only_by_what_travels() {
    let folder = with_a_game();
    let folder = folder.path();
    let far = tempfile::tempdir().unwrap();
    let server = TransportServer::open();
    let _worker = CommandWorker::start(far.path(), &server, "one");
    let chess = built("chess.wasm");
    for (game, arena) in [("./mine", "processes"), (&*chess, "modules")] {
        let cup = format!(
            "tournament {game} {} {} --rounds 2 --name cup --clock move=300s,start=300s --arena {arena}",
            BOTS[0], BOTS[1]
        );
        let said = end(begin(folder, &server, &cup));
        assert!(said.contains("4 matches"), "{said}");
        run(folder, &["verify", "--all", "--arena", arena]).ok();
        let here = format!("{arena}-here");
        let cup = cup.replace(&format!("--arena {arena}"), &format!("--arena {here}"));
        let args: Vec<&str> = cup.split(' ').chain(["--seed", seed!(5)]).collect();
        run(folder, &args).ok();
        let shown = |arena: &str, what: &str| run(folder, &[what, "--json", "--arena", arena]).ok();
        for what in ["table", "ratings"] {
            assert_eq!(shown(arena, what), shown(&here, what), "{game}");
        }
    }
    // The worker has no arena, and so no game of its own.
    assert!(!far.path().join("arena").exists());
}

#[test]
fn a_damaged_game_hides_itself_and_no_other() {
    let folder = with_a_game();
    let folder = folder.path();
    run(folder, &["game", "add", "mine"]).ok();
    change(folder);
    run(folder, &["game", "add", "mine"]).ok();
    let journal = Connection::open(folder.join("arena/journal.sqlite")).unwrap();
    let damage = "UPDATE games SET file = 'no file' WHERE version = 2";
    assert_eq!(journal.execute(damage, []).unwrap(), 1);
    drop(journal);

    let listed = run(folder, &["games"]);
    assert!(listed.stdout.contains("mine@1"), "{listed:?}");
    assert!(!listed.stdout.contains("mine@2"), "{listed:?}");
    let told = "mine@2 is left out: its row in the journal is damaged: ";
    assert!(listed.stderr.contains(told), "{listed:?}");
    run(folder, &["match", "mine@1", BOTS[0], BOTS[1]]).ok();
    let refused = run(folder, &["match", "mine@2", BOTS[0], BOTS[1]]).refused(1);
    assert!(
        refused.contains("the game mine@2 cannot be used: its row in the journal is damaged: "),
        "{refused}"
    );
}

#[test]
fn what_is_wrong_with_a_game_toml_is_told_of_that_file() {
    let folder = with_a_game();
    let folder = folder.path();
    let manifest = folder.join("mine/game.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    for (wrong, told) in [
        (
            text.clone() + "colour = \"red\"\n",
            "game.toml: line 6: there is no key \"colour\"",
        ),
        (
            text.replace("main = \"game.py\"", "main = \"other.py\""),
            "game.toml: main names other.py",
        ),
        (
            text.replace("\"rules.md\"", "\"rule.md\""),
            "game.toml: files names rule.md",
        ),
        (
            text.replace("python", "pyhton"),
            "game.toml: how a program in \"pyhton\" is started",
        ),
    ] {
        assert_ne!(wrong, text);
        fs::write(&manifest, wrong).unwrap();
        let refused = run(folder, &["match", "./mine", BOTS[0], BOTS[1]]).refused(2);
        assert!(refused.contains(told), "{told}: {refused}");
        assert!(!refused.contains("bot.toml"), "{refused}");
    }
}

#[test]
fn sequences_of_a_game_that_lists_no_actions_are_not_counted() {
    let folder = with_a_game();
    let folder = folder.path();
    run(folder, &["game", "add", "mine"]).ok();
    let counted = run(folder, &["perft", "mine@1", "--depth", "2"]).ok();
    assert_eq!(counted, "mine@1 1 3\nmine@1 2 9\n");

    let program = folder.join("mine/game.py");
    let text = fs::read_to_string(&program).unwrap();
    let seats = "    seats = (2,)\n";
    assert!(text.contains(seats));
    let unlisted = text.replace(seats, "    seats = (2,)\n    lists = False\n");
    fs::write(&program, unlisted).unwrap();
    let checks = "lambda self, seat, action: action in self.actions(seat) or (_ for _ in ()).throw(Refused(\"no\"))";
    wrong(folder, "check", checks);
    run(folder, &["game", "add", "mine"]).ok();
    let refused = run(folder, &["perft", "mine@2", "--depth", "1"]).refused(1);
    assert!(
        refused.contains("perft counts the actions that a game lists, and mine@2 lists none"),
        "{refused}"
    );
}

#[test]
fn the_page_of_a_game_runs_nothing_that_its_author_wrote() {
    let folder = with_a_game();
    let folder = folder.path();
    let rules = folder.join("mine/rules.md");
    let text = fs::read_to_string(&rules).unwrap();
    let attacks = "\n<script>alert(1)</script>\n\nA <img src=x onerror=alert(2)> and [a link](javascript:alert(3)).\n";
    fs::write(&rules, text + attacks).unwrap();
    let program = folder.join("mine/game.py");
    let text = fs::read_to_string(&program).unwrap();
    let title = "title = \"mine\"";
    assert!(text.contains(title));
    fs::write(&program, text.replace(title, "title = \"<b>mine</b>\"")).unwrap();
    run(folder, &["game", "add", "mine"]).ok();

    let server = TestServer::start(folder, &LISTEN);
    for path in ["/games/mine", "/games", "/"] {
        let (status, page) = server.get(path);
        assert!(status.contains("200"), "{path}: {status}");
        for word in ["<script>alert", "<img src=x", "\"javascript:", "<b>mine"] {
            assert!(!page.contains(word), "{path} {word}: {page}");
        }
    }
    // It is there as text.
    let (_, page) = server.get("/games/mine");
    assert!(page.contains("alert(1)"), "{page}");
}
