//! Tournaments: they resume after `kill -9` as if nothing had happened, and tables do not depend on
//! the order in which matches end.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};
use std::time::{Duration, Instant};

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use insta::assert_snapshot;

use crate::common::{TestRun, built, flipside, in_own_mounts, run, sample, script, test_seed};
use crate::shown::{session, shown, unvarying};

/// Six deterministic modules; the copies differ in a comment, and so in their hash.
fn six_modules(folder: &Path) -> Vec<String> {
    let first = std::fs::read_to_string(sample("wat/first.wat")).unwrap();
    let twin = script(
        folder,
        "twin.wat",
        &format!("{first}\n;; the twin of first.wat\n"),
    );
    vec![
        sample("wat/first.wat"),
        twin,
        sample("wat/instant.wat"),
        built("random-c.wasm"),
        built("random.wasm"),
        built("greedy.wasm"),
    ]
}

fn arguments<'a>(
    game: &'a str,
    bots: &'a [String],
    arena: &'a str,
    concurrency: &'a str,
    rounds: &'a str,
) -> Vec<&'a str> {
    let mut args = vec!["tournament", game];
    args.extend(bots.iter().map(String::as_str));
    args.extend([
        "--rounds",
        rounds,
        "--seed",
        seed!(5),
        "--clock",
        "move=10m,start=10m",
    ]);
    args.extend(["--concurrency", concurrency, "--force-concurrency"]);
    // Tables are compared as they are printed.
    args.extend(["--arena", arena, "--no-affinity"]);
    args
}

/// The ids of all matches in the journal.
fn match_ids(folder: &Path, arena: &str) -> Vec<String> {
    let json = run(
        folder,
        &["matches", "--json", "--limit", "1000000", "--arena", arena],
    )
    .ok();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    rows.iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

/// How many matches of the latest tournament are in the journal; none where there is no journal yet.
pub(crate) fn landed(folder: &Path, arena: &str) -> u64 {
    let read = || {
        let journal = flipside_store::Arena::open(folder.join(arena))
            .ok()?
            .read_journal()
            .ok()?;
        let tournament = journal.latest_tournament().ok()??;
        Some(journal.played(tournament.id).ok()?.len())
    };
    read().unwrap_or(0)
}

/// Waits until this is so.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(400);
    while !is_so() {
        assert!(Instant::now() < end, "it hangs: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A tournament that says whenever a match is over. It goes on only as far as somebody listens, but for the few matches
/// whose lines a pipe holds.
pub(crate) struct Talking {
    child: Child,
    lines: BufReader<ChildStderr>,
}

impl Talking {
    pub(crate) fn start(folder: &Path, args: &[&str]) -> Self {
        let mut child = flipside(folder)
            .args(args)
            .env("FLIPSIDE_LOG", "flipside_referee=info")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = child.stderr.take().unwrap();
        // One page; it cannot be less.
        rustix::pipe::fcntl_setpipe_size(&stderr, 1).unwrap();
        let lines = BufReader::with_capacity(128, stderr);
        Talking { child, lines }
    }

    /// Lets it play so many matches. False: it has ended.
    pub(crate) fn plays(&mut self, mut matches: u64) -> bool {
        let mut line = String::new();
        while matches > 0 {
            line.clear();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return false;
            }
            matches -= u64::from(line.contains(": over "));
        }
        true
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn a_tournament_killed_at_random_moments_ends_as_one_that_was_not() {
    killed_at_random_moments(&["flipflop-3x3"]);
}

#[test]
#[ignore = "long: every game without chance"]
fn a_tournament_of_any_game_killed_at_random_moments_ends_as_one_that_was_not() {
    // Killing knows no game; the quick ones leave time for many matches.
    let quick = flipside_games::GAMES.iter().map(|game| game.info());
    let quick = quick.filter(|info| !info.chance).map(|info| info.id);
    killed_at_random_moments(&quick.collect::<Vec<_>>());
}

fn killed_at_random_moments(games: &[&'static str]) {
    const ROUNDS: &str = "20";
    const TOTAL: u64 = 600;
    let folder = tempfile::tempdir().unwrap();
    let bots = six_modules(folder.path());
    let mut rng = ChaCha8Rng::seed_from_u64(test_seed());
    for &game in games {
        let (whole, killed) = (format!("whole-{game}"), format!("killed-{game}"));
        let uninterrupted = run(folder.path(), &arguments(game, &bots, &whole, "1", ROUNDS)).ok();
        assert_eq!(landed(folder.path(), &whole), TOTAL);
        let mut before = 0;
        for third in 0..3 {
            // A moment at which so many matches are in the journal.
            let moment = before + 1 + rng.next_u64() % (TOTAL / 6);
            let args = arguments(game, &bots, &killed, "2", ROUNDS);
            let mut talking = Talking::start(folder.path(), &args);
            assert!(talking.plays(moment - before));
            let there = || landed(folder.path(), &killed);
            // What was played lands a moment later.
            until("a match has landed", || there() > before);
            talking.kill();
            let now = there();
            println!("{game}: killed for the {third}. time with {now} matches in the journal");
            assert!(before < now && now < TOTAL, "{before} {now}");
            before = now;
        }
        let resumed = run(folder.path(), &arguments(game, &bots, &killed, "2", ROUNDS)).ok();
        assert_eq!(resumed, uninterrupted, "the tables differ");
        let mut ids = match_ids(folder.path(), &killed);
        assert_eq!(ids.len() as u64, TOTAL, "matches were lost");
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len() as u64, TOTAL, "a match was played twice");
        // Once more: nothing is left to play, and the table is the same.
        let again = run(folder.path(), &arguments(game, &bots, &killed, "2", ROUNDS)).ok();
        assert_eq!(again, uninterrupted);
        for format in ["--json", "--csv"] {
            let table = |arena: &str| run(folder.path(), &["table", format, "--arena", arena]).ok();
            assert_eq!(table(&whole), table(&killed));
        }
        let ratings = |arena: &str| {
            run(
                folder.path(),
                &["ratings", game, "--json", "--arena", arena],
            )
            .ok()
        };
        assert_eq!(ratings(&whole), ratings(&killed));
    }
}

#[test]
fn every_record_of_a_tournament_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let bots = [
        sample("wat/first.wat"),
        sample("python/random.py"),
        "sample:greedy".into(),
        built("random-c"),
    ];
    run(
        folder.path(),
        &arguments("flipfour", &bots, "arena", "2", "1"),
    )
    .ok();
    let ids = match_ids(folder.path(), "arena");
    assert_eq!(ids.len(), 12);
    let verify = format!("verify {}", ids.join(" "));
    assert_snapshot!(session(folder.path(), &verify), @"
    $ flipside verify flipfour-ID-11 flipfour-ID-10 flipfour-ID-9 flipfour-ID-8 flipfour-ID-7 flipfour-ID-6 flipfour-ID-5 flipfour-ID-4 flipfour-ID-3 flipfour-ID-2 flipfour-ID-1 flipfour-ID-0
    flipfour-ID-11: ok: flipfour flipfour-ID-11, 8 plies, line
    flipfour-ID-10: ok: flipfour flipfour-ID-10, 7 plies, line
    flipfour-ID-9: ok: flipfour flipfour-ID-9, 22 plies, line
    flipfour-ID-8: ok: flipfour flipfour-ID-8, 7 plies, line
    flipfour-ID-7: ok: flipfour flipfour-ID-7, 7 plies, line
    flipfour-ID-6: ok: flipfour flipfour-ID-6, 24 plies, line
    flipfour-ID-5: ok: flipfour flipfour-ID-5, 249 plies, line
    flipfour-ID-4: ok: flipfour flipfour-ID-4, 806 plies, line
    flipfour-ID-3: ok: flipfour flipfour-ID-3, 7 plies, line
    flipfour-ID-2: ok: flipfour flipfour-ID-2, 8 plies, line
    flipfour-ID-1: ok: flipfour flipfour-ID-1, 28 plies, line
    flipfour-ID-0: ok: flipfour flipfour-ID-0, 7 plies, line
    ");
    let replayed = run(folder.path(), &["replay", &ids[0]]).ok();
    let (_, end) = replayed.rsplit_once("\n\n").unwrap();
    assert_snapshot!(end, @"
    over after 8 plies: line
    place 2: seat 0, random@1, points 0
    place 1: seat 1, first@1, points 1
    ");
}

#[test]
fn a_crashing_bot_does_not_end_the_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let bad = script(
        folder.path(),
        "bad",
        "#!/bin/sh\nread x\necho 'no idea what to do' >&2\nexit 7\n",
    );
    let bots = [sample("wat/first.wat"), bad, sample("wat/instant.wat")];
    let table = run(
        folder.path(),
        &arguments("flipflop-3x3", &bots, "arena", "2", "2"),
    )
    .ok();
    assert_snapshot!(unvarying(&table), @"
    flipflop-3x3-ID - flipflop-3x3, 3 bots, round-robin, 2 rounds, clock move=10m,start=10m, seed 5: 12 of 12 matches

    rank  bot        ~rating  ~95 %  games  won  drawn  lost  score     %    ~% from to  not by play  faults  voids
       1  instant@1     1720   ±253      8    7      0     1    7.0  87.5  51.5 to 97.9            4       0      0
       2  first@1       1563   ±243      8    5      0     3    5.0  62.5  35.2 to 83.6            4       0      0
       3  bad@1         1218   ±335      8    0      0     8    0.0   0.0   0.0 to 34.7            8       8      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against          1      2      3
    1 instant@1      -  3.0/4  4.0/4
    2 first@1    1.0/4      -  4.0/4
    3 bad@1      0.0/4  0.0/4      -
    score of the bot on the left against the bot above

    not certain: the order of places 1 to 3; the results do not support it at 95 %
    bad@1 is paused after match 6, at fault in 5 matches in a row (closed 5); the last: exited with code 7 before `ready`; on stderr: `no idea what to do`; its remaining matches are forfeits
    ");
    let rows: Vec<serde_json::Value> =
        serde_json::from_str(&run(folder.path(), &["matches", "--faults", "--json"]).ok()).unwrap();
    assert_eq!(rows.len(), 8, "all matches of the bad bot");
    // The last ones are forfeits, for it was paused meanwhile.
    let id = rows.last().unwrap()["id"].as_str().unwrap();
    let record = run(folder.path(), &["matches", id]).ok();
    assert!(
        record.contains("no idea what to do"),
        "the record keeps what the bot said: {record}"
    );
}

#[test]
fn a_bot_that_outlives_its_input_is_gone_when_the_tournament_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    // It never answers and never ends by itself.
    // It is known by how long it would sleep.
    let mark = format!("1000.{}", std::process::id());
    let text = format!("#!/bin/sh\nexec sleep {mark}\n");
    let deaf = script(folder.path(), "deaf", &text);
    let bots = [sample("wat/first.wat"), deaf];
    let mut child = flipside(folder.path())
        .args(arguments("flipflop-3x3", &bots, "arena", "1", "1"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until_running(&mark, true);
    child.kill().unwrap();
    child.wait().unwrap();
    until_running(&mark, false);
}

#[test]
fn a_full_disk_is_told_and_the_tournament_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let bots = six_modules(folder.path());
    let line = arguments("flipfour", &bots, "disk/arena", "2", "20").join(" ");
    let text = format!(
        "mount -t tmpfs -o size=3m tmpfs disk || exit 99
         {flipside} {line}; echo \"first: $?\"
         mount -o remount,size=64m disk || exit 99
         {flipside} {line}; echo \"second: $?\"",
        flipside = env!("CARGO_BIN_EXE_flipside"),
    );
    let output = in_own_mounts(folder.path(), &text);
    let told = TestRun::from(output);
    let lines = |text: &str, of: &[&str]| {
        let lines = text
            .lines()
            .filter(|line| of.iter().any(|of| line.contains(of)));
        lines.map(|line| unvarying(line) + "\n").collect::<String>()
    };
    assert_snapshot!(lines(&told.stdout, &["first: ", "second: ", " matches"]), @"
    first: 1
    flipfour-ID - flipfour, 6 bots, round-robin, 20 rounds, clock move=10m,start=10m, seed 5: 600 of 600 matches
    second: 0
    ");
    // How many were played before depends on their times.
    assert_snapshot!(lines(&told.stderr, &["error: ", "hint: ", "panicked"]), @"
    error: the disk is full
    hint: make room and run the same command again: what is in the journal stays, and the tournament goes on
    ");
}

/// Plays the first legal action. At its first turn of all, it says in a file that it thinks, and waits for another
/// file.
const THINKS: &str = r##"#!/bin/sh
while IFS= read -r line; do
  case $line in
    *'"type":"hello"'*) echo '{"type":"ready","actions":true}' ;;
    *'"type":"turn"'*)
      [ -e FOLDER/go ] || : >FOLDER/thinks
      until [ -e FOLDER/go ]; do sleep 0.01; done
      id=${line#*'"id":'}; id=${id%%,*}
      action=${line#*'"actions":["'}; action=${action%%'"'*}
      echo "{\"type\":\"act\",\"id\":$id,\"action\":\"$action\"}" ;;
  esac
done
"##;

#[test]
fn a_match_is_void_when_the_referee_itself_was_stopped() {
    use rustix::process::{Pid, Signal, kill_process};
    // By the signal of a terminal and by the one that nobody can catch; for a little longer than a move may take, so
    // that the referee must know why, and for much longer.
    for (stop, longer) in [(Signal::TSTP, 0), (Signal::STOP, 3)] {
        let folder = tempfile::tempdir().unwrap();
        let thinks = THINKS.replace("FOLDER", folder.path().to_str().unwrap());
        let bots = ["one", "other"].map(|name| {
            let text = format!("{thinks}# {name}\n");
            script(folder.path(), name, &text)
        });
        let child = flipside(folder.path())
            .args(["tournament", "flipflop-3x3", &bots[0], &bots[1]])
            .args(["--clock", "move=10s,start=5m", "--trust"])
            .args(["--name", "cup", "--no-affinity"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        let there = |name: &str| folder.path().join(name).exists();
        until("a bot thinks", || there("thinks"));
        kill_process(pid, stop).unwrap();
        std::thread::sleep(Duration::from_secs(10 + longer));
        // It answers while nobody reads.
        std::fs::write(folder.path().join("go"), "").unwrap();
        kill_process(pid, Signal::CONT).unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        assert!(
            stderr.contains("is void") && stderr.contains("played again"),
            "{stderr}"
        );
        let table = run(folder.path(), &["table", "--json"]).ok();
        let table: serde_json::Value = serde_json::from_str(&table).unwrap();
        assert_eq!(table["played"], 2, "{table}");
        for row in table["rows"].as_array().unwrap() {
            assert_eq!(row["faults"], 0, "no bot is blamed: {table}");
        }
    }
}

/// Sends a signal to a process and all that is in its group, as a terminal does.
fn signal(name: &str, group: u32) {
    let sent = std::process::Command::new("kill")
        .args([name, "--", &format!("-{group}")])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[test]
fn ctrl_c_finishes_what_is_running_and_stops_and_the_tournament_goes_on_later() {
    let folder = tempfile::tempdir().unwrap();
    let gate = folder.path().join("gate");
    let gated = GATED.replace("GATE", gate.to_str().unwrap());
    let bots = ["one", "twin"].map(|name| {
        let text = format!("{gated}# {name}\n");
        script(folder.path(), name, &text)
    });
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        std::fs::create_dir(&gate).unwrap();
        let arena = format!("arena{name}");
        let mut args = arguments("flipflop-3x3", &bots, &arena, "2", "10");
        args.push("--trust");
        let mut child = flipside(folder.path())
            .args(&args)
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        until("a match has landed", || {
            assert!(child.try_wait().unwrap().is_none());
            landed(folder.path(), &arena) > 0
        });
        signal(name, child.id());
        // What is running comes to its end.
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        while !told.contains("stopping: ") {
            assert!(stderr.read_line(&mut told).unwrap() > 0, "{told}");
        }
        // At once: bots that start meanwhile put files into it.
        std::fs::rename(&gate, folder.path().join(format!("open{name}"))).unwrap();
        stderr.read_to_string(&mut told).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{told}");
        let (_, stopped) = told.split_once("stopped: ").unwrap();
        let (_, hint) = stopped.split_once('\n').unwrap();
        insta::allow_duplicates! {
            assert_snapshot!(hint, @"hint: the same command again goes on");
        }
        assert!(output.stdout.is_empty(), "there is no table yet");
        let there = landed(folder.path(), &arena);
        assert!((1..20).contains(&there), "{there}");
        let table = run(folder.path(), &args).ok();
        insta::allow_duplicates! {
            assert_snapshot!(unvarying(table.lines().next().unwrap()), @"flipflop-3x3-ID - flipflop-3x3, 2 bots, round-robin, 10 rounds, clock move=10m,start=10m, seed 5: 20 of 20 matches");
        }
        let faults = run(
            folder.path(),
            &["matches", "--faults", "--csv", "--arena", &arena],
        );
        let faults = faults.ok();
        assert_eq!(
            faults.lines().count(),
            1,
            "no bot felt the signal: {faults}"
        );
    }
}

#[test]
fn ctrl_c_twice_breaks_off_what_is_running() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("2000.{}", std::process::id());
    let deaf = script(
        folder.path(),
        "deaf",
        &format!("#!/bin/sh\nexec sleep {mark}\n"),
    );
    let args = [
        "tournament",
        "flipflop-3x3",
        &deaf,
        &sample("wat/first.wat"),
        "--clock",
        "move=1h,start=1h",
    ];
    let mut child = flipside(folder.path())
        .args(args)
        .process_group(0)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut until_said = |words: &str| {
        let mut said = String::new();
        while !said.contains(words) {
            let read = stderr.read_line(&mut said).unwrap();
            assert!(read > 0, "{words:?} is not in {said:?}");
        }
    };
    // Before the first match each bot is started once on trial, and then Ctrl-C still ends the process at once.
    until_said("matches to play");
    until_running(&mark, true);
    signal("-INT", child.id());
    until_said("stopping: ");
    signal("-INT", child.id());
    until_said("stopping now");
    until_said("what has been played is kept");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(landed(folder.path(), "arena"), 0);
    until_running(&mark, false);
}

/// Waits until a process with this on its command line is there, or is not.
fn until_running(mark: &str, wanted: bool) {
    let running = || {
        std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            std::fs::read(entry.path().join("cmdline"))
                .is_ok_and(|line| String::from_utf8_lossy(&line).contains(mark))
        })
    };
    let there = (0..16_000).any(|_| {
        std::thread::sleep(Duration::from_millis(25));
        running() == wanted
    });
    assert!(there, "{mark} runs: not {wanted}");
}

/// Plays the first legal action. While there is the folder GATE, it plays few matches and waits in the next.
const GATED: &str = r##"#!/bin/sh
while IFS= read -r line; do
  case $line in
    *'"type":"hello"'*)
      ( : >GATE/$$ ) 2>/dev/null
      set -- GATE/*
      [ $# -lt 9 ] || while [ -d GATE ]; do sleep 0.01; done
      echo '{"type":"ready","actions":true}' ;;
    *'"type":"turn"'*)
      id=${line#*'"id":'}; id=${id%%,*}
      action=${line#*'"actions":["'}; action=${action%%'"'*}
      echo "{\"type\":\"act\",\"id\":$id,\"action\":\"$action\"}" ;;
  esac
done
"##;

#[test]
fn single_bots_have_settings_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Both play the first move always, so that the table is the same whatever the seed is.
    let first = std::fs::read_to_string(sample("wat/first.wat")).unwrap();
    std::fs::write(folder.join("first.wat"), &first).unwrap();
    std::fs::write(folder.join("slow.wat"), first + ";; slow\n").unwrap();
    let file = |of_bots: &str| {
        let text = format!(
            "game = \"flipfour\"\nbots = [\"./first.wat\", \"./slow.wat\"]\nname = \"cup\"\n{of_bots}"
        );
        std::fs::write(folder.join("cup.toml"), text).unwrap();
    };
    file("[bot.slow]\nclock = \"move=10s\"\nmemory = \"1G\"\noptions = { depth = 6 }\n");
    let play = ["tournament", "cup.toml", "--no-affinity"];
    let table = run(folder, &play).ok();
    assert_snapshot!(unvarying(&table), @r#"
    cup - flipfour, 2 bots, round-robin, 1 round, clock move=1s, seed SEED: 2 of 2 matches

    rank  bot      ~rating  ~95 %  games  won  drawn  lost  score     %   ~% from to  faults  voids
       1  first@1     1500   ±216      2    0      2     0    1.0  50.0  2.5 to 97.5       0      0
       1  slow@1      1500   ±216      2    0      2     0    1.0  50.0  2.5 to 97.5       0      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against        1      2
    1 first@1      -  1.0/2
    2 slow@1   1.0/2      -
    score of the bot on the left against the bot above

    first@1 against slow@1: 2 matches, won 0, drawn 2, lost 0
    Elo: 0.00, 95 % interval -633.95 to 633.95
    LOS: 50.00 %, score: 50.00 % (2.53 to 97.47 %)
    Ptnml(0-2): [0, 0, 1, 0, 0]

    all 2 matches were drawn: they do not tell the bots apart
    slow plays with clock move=10s, memory 1G, options {"depth":6}
    "#);
    run(folder, &["verify", "--tournament", "cup"]).ok();
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    run(folder, &["import", "cup.tar.zst", "--arena", "other"]).ok();
    let imported = run(folder, &["table", "cup", "--arena", "other"]).ok();
    let (mine, import) = imported.rsplit_once("import: ").unwrap();
    assert_eq!(mine, table);
    assert_snapshot!(import, @"2 matches were played in another arena, as cup (not signed): with their records verified; nothing shows who chose the moves");
    let refused = [
        // It is another tournament without them.
        "",
        "[bot.fast]\nclock = \"move=1s\"",
        "[bot.slow]\nclocks = \"move=1s\"",
        "[bot.slow]\nmemory = \"1K\"",
        "[bot.slow]",
        "bot = \"slow\"",
    ]
    .map(|of_bots| {
        file(of_bots);
        format!("{of_bots}\n{}", shown(&run(folder, &play)))
    });
    assert_snapshot!(refused.join("\n"), @r#"

    -- exit status 2, stderr:
    error: tournament cup was begun with other settings (bot: {"slow":{"clock":"move=10s","memory":"1G","options":{"depth":6}}}, not {})
    hint: give the settings it was begun with to go on, or another --name to begin anew

    [bot.fast]
    clock = "move=1s"
    -- exit status 2, stderr:
    error: [bot.fast] is of no bot that plays
    hint: the bots are first, slow

    [bot.slow]
    clocks = "move=1s"
    -- exit status 2, stderr:
    error: cup.toml, line 4, column 2: bot: unknown field `clocks`, expected one of `clock`, `memory`, `options`, `network`, `env`, `at_once`
    hint: for example bot = { slow = { clock = "move=10s" } }

    [bot.slow]
    memory = "1K"
    -- exit status 2, stderr:
    error: cup.toml, line 4, column 2: bot: slow: memory is from 1M to 1T, not 1K
    hint: for example bot = { slow = { clock = "move=10s" } }

    [bot.slow]
    -- exit status 2, stderr:
    error: cup.toml, line 4, column 2: bot: slow: set its clock, memory, options, network, env or at_once
    hint: for example bot = { slow = { clock = "move=10s" } }

    bot = "slow"
    -- exit status 2, stderr:
    error: cup.toml, line 4, column 7: bot: a table, not "slow"
    hint: for example bot = { slow = { clock = "move=10s" } }
    "#);
}
