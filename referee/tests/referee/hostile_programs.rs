//! Programs of games that hang, trap and take all they can, as processes and as modules: the failure names the step and
//! the limit, the match is void, and no bot is at fault. Processes that no match needs end.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::Hall;
use flipside_games::{GameFailure, ProgramGame};
use flipside_referee::{Error, GameTimes, Match, MatchSeed, game_host_with};
use flipside_sandbox::{Program, Sandbox, SandboxSettings};

/// Short, for what is to be late.
const SHORT: Duration = Duration::from_millis(100);

/// Far longer than anything here takes.
const LONG: Duration = Duration::from_secs(400);

/// What a module may use, in bytes.
const MEMORY: u64 = 16 << 20;

const PATIENT: GameTimes = GameTimes {
    start: LONG,
    answer: LONG,
    idle: LONG,
};

const DESCRIBES: &str = concat!(
    r#"{"type":"game","protocol":1,"id":"hostile","title":"Hostile","summary":"A game that errs","#,
    r#""seats":[2],"notation":"[a-z]+"}"#
);

const BEGINS: &str = r#"{"type":"state","asks":[{"seat":0,"actions":["a","b"],"view":{}}]}"#;

const ENDS: &str = r#"{"type":"state","over":{"points":[1,0],"reason":"done","view":{}}}"#;

/// A program in the shell that does this at each request.
fn shell_game(hall: &Hall, [describe, setup, rest]: [&str; 3]) -> Program {
    let text = format!(
        "#!/bin/sh\necho $$ >> {}\nwhile read -r line; do\n  case $line in\n    *'\"describe\"'*) {describe} ;;\n    \
         *'\"setup\"'*) {setup} ;;\n    *) {rest} ;;\n  esac\ndone\n",
        pids(hall).display()
    );
    hall.shell("hostile.sh", &text);
    Program::open(hall.path("hostile.sh")).unwrap()
}

/// The file to which each process of the shell's game writes its number.
fn pids(hall: &Hall) -> PathBuf {
    hall.path("pids")
}

fn echo(line: &str) -> String {
    format!("echo '{line}'")
}

fn sandbox() -> Sandbox {
    Sandbox::new(SandboxSettings {
        memory: MEMORY,
        instances: 8,
        ..SandboxSettings::default()
    })
}

fn opened(program: &Program, times: GameTimes) -> Result<ProgramGame, String> {
    let host = game_host_with(program, &sandbox(), times);
    ProgramGame::open(Box::new(host), program.sha256()).map_err(|error| error.to_string())
}

/// The game without a process of its own: the first one starts with its first match.
fn described(program: &Program, times: GameTimes) -> ProgramGame {
    let host = game_host_with(program, &sandbox(), times);
    ProgramGame::described(DESCRIBES, None, Box::new(host), program.sha256()).unwrap()
}

/// Plays a match of a game between two bots that are not at fault.
fn play(hall: &mut Hall, game: ProgramGame) -> Result<&'static ProgramGame, GameFailure> {
    let game: &'static ProgramGame = Box::leak(Box::new(game));
    play_again(hall, game).map(|()| game)
}

fn play_again(hall: &mut Hall, game: &'static ProgramGame) -> Result<(), GameFailure> {
    let the_match = Match {
        id: "test".into(),
        game,
        options: "{}".into(),
        clock: "move=400s,start=400s".parse().unwrap(),
        seed: MatchSeed::from_number(1),
        players: vec![hall.first(), hall.first()],
        opening_plies: 0,
        patience: None,
    };
    match hall.referee.play(&the_match) {
        Ok(_) => Ok(()),
        Err(Error::Game(failure)) => Err(failure),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_process_that_hangs_is_late_at_the_step_where_it_hangs() {
    let mut hall = Hall::new();
    let (describe, setup) = (echo(DESCRIBES), echo(BEGINS));
    let hangs = "exec sleep 1000";
    let at_start = GameTimes {
        start: SHORT,
        ..PATIENT
    };
    let later = GameTimes {
        answer: SHORT,
        ..PATIENT
    };

    let program = shell_game(&hall, [hangs, hangs, hangs]);
    let error = opened(&program, at_start).err().unwrap();
    assert_eq!(
        error,
        "the program does not describe its game: it gave no answer within 100 ms"
    );

    // The first answer of a process has the time of its start.
    let program = shell_game(&hall, [&describe, hangs, hangs]);
    let failure = play(&mut hall, described(&program, at_start))
        .err()
        .unwrap();
    assert_eq!(
        failure.to_string(),
        "the program of the game hostile failed at \"setup\": it gave no answer within 100 ms"
    );

    let program = shell_game(&hall, [&describe, &setup, hangs]);
    let failure = play(&mut hall, described(&program, later)).err().unwrap();
    assert_eq!(
        failure.to_string(),
        "the program of the game hostile failed at \"acts\": it gave no answer within 100 ms"
    );
}

/// The processes that the shell's game has started.
fn started(hall: &Hall) -> Vec<String> {
    let pids = fs::read_to_string(pids(hall)).unwrap();
    pids.lines().map(str::to_owned).collect()
}

#[test]
fn a_process_that_no_match_needs_ends_and_another_one_plays_the_next_match() {
    let mut hall = Hall::new();
    let program = shell_game(&hall, [&echo(DESCRIBES), &echo(BEGINS), &echo(ENDS)]);
    let brief = GameTimes {
        idle: Duration::from_millis(1),
        ..PATIENT
    };
    let game = opened(&program, brief).unwrap();
    let game = play(&mut hall, game).unwrap();
    let end = Instant::now() + LONG;
    let runs = |pid: &String| Path::new("/proc").join(pid).exists();
    while started(&hall).iter().any(runs) {
        assert!(Instant::now() < end, "a process waits for ever");
        std::thread::sleep(Duration::from_millis(1));
    }
    let before = started(&hall).len();
    play_again(&mut hall, game).unwrap();
    assert_eq!(started(&hall).len(), before + 1);
}

#[test]
fn a_process_plays_one_match_after_the_other() {
    let mut hall = Hall::new();
    let program = shell_game(&hall, [&echo(DESCRIBES), &echo(BEGINS), &echo(ENDS)]);
    let game = play(&mut hall, opened(&program, PATIENT).unwrap()).unwrap();
    for _ in 0..3 {
        play_again(&mut hall, game).unwrap();
    }
    assert_eq!(started(&hall).len(), 1);
}

/// A module that describes a game if it is asked to (the letter d), begins a match, and then does something.
fn module_game(hall: &Hall, then: &str) -> Program {
    let data = |line: &str| format!("{}\\0a", line.replace('"', "\\22"));
    let text = format!(
        r#"(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 4)
  (data (i32.const 1024) "{describes}")
  (data (i32.const 4096) "{begins}")
  (data (i32.const 8192) "{{}}\0a{{\22type\22:\22sta")
  (func $read
    (loop $more
      (i32.store (i32.const 0) (i32.const 65536))
      (i32.store (i32.const 4) (i32.const 65536))
      (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
      (br_if $more (i32.ne (i32.const 10)
        (i32.load8_u (i32.add (i32.const 65535) (i32.load (i32.const 8))))))))
  (func $say (param $at i32) (param $length i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $length))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func $deeper (call $deeper) (call $deeper))
  (func (export "_start")
    (call $read)
    (if (i32.eq (i32.const 0x64) (i32.load8_u (i32.const 65545)))
      (then (call $say (i32.const 1024) (i32.const {described})) (call $read)))
    (call $say (i32.const 4096) (i32.const {begun}))
    (call $read) {then}))"#,
        describes = data(DESCRIBES),
        begins = data(BEGINS),
        described = DESCRIBES.len() + 1,
        begun = BEGINS.len() + 1,
    );
    fs::write(hall.path("hostile.wat"), text).unwrap();
    Program::open(hall.path("hostile.wat")).unwrap()
}

#[test]
fn a_module_that_fails_is_told_with_the_step_and_the_limit() {
    let mut hall = Hall::new();
    for (then, time, told) in [
        ("(unreachable)", LONG, "crashed with a trap: "),
        ("(call $deeper)", LONG, "crashed with a trap: "),
        (
            "(loop $ever (br $ever))",
            SHORT,
            "it gave no answer within 100 ms",
        ),
        (
            "(loop $more (br_if $more (i32.ne (i32.const -1) (memory.grow (i32.const 16))))) (unreachable)",
            LONG,
            "needed more than 16 MiB of memory",
        ),
        // Another line instead of an answer.
        ("(call $read)", LONG, "it read on and gave no answer"),
        (
            "(call $say (i32.const 8192) (i32.const 3))",
            LONG,
            "the field `type` is missing, at column 2; it wrote \"{}\"",
        ),
        // Half a line, and the end.
        (
            "(call $say (i32.const 8195) (i32.const 12))",
            LONG,
            "exited with code 0",
        ),
        (
            "(loop $ever (call $say (i32.const 8195) (i32.const 12)) (br $ever))",
            LONG,
            "it wrote a line of more than 1048576 bytes",
        ),
    ] {
        let program = module_game(&hall, then);
        let times = GameTimes {
            answer: time,
            ..PATIENT
        };
        let game: &'static ProgramGame = Box::leak(Box::new(described(&program, times)));
        // Another instance plays the next match, and fails as well.
        for _ in 0..2 {
            let failure = play_again(&mut hall, game).unwrap_err();
            assert_eq!(
                (&*failure.game, failure.step),
                ("hostile", "acts"),
                "{then}"
            );
            assert!(failure.what.contains(told), "{then}: {}", failure.what);
        }
    }
}
