//! The bots as programs behind pipes: Rust, Python and C.

mod referee;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use flipside_sample_bots::Random;
use referee::{RefereePeer, play, session};

/// A bot in a process of its own.
struct SampleProgram {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl SampleProgram {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        SampleProgram {
            child,
            input,
            output,
        }
    }

    fn say(&mut self, bytes: &[u8]) {
        self.input
            .as_mut()
            .expect("open")
            .write_all(bytes)
            .expect("the bot reads");
    }

    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.output
            .read_line(&mut line)
            .expect("the bot writes text");
        line
    }

    /// Ends the input, and waits until the bot has ended too.
    fn finish(mut self) {
        drop(self.input.take());
        assert_eq!(self.hear(), "");
        assert!(
            self.child
                .wait()
                .expect("a child can be waited for")
                .success()
        );
    }
}

impl Drop for SampleProgram {
    fn drop(&mut self) {
        // It may have ended already, and then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl RefereePeer for SampleProgram {
    fn exchange(&mut self, line: &str, due: bool) -> String {
        self.say(line.as_bytes());
        if due { self.hear() } else { String::new() }
    }
}

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Plays two matches at every game in one process, then the same again in a new one: both must
/// be the same.
fn plays_everything(command: impl Fn() -> Command) {
    for game in flipside_games::GAMES {
        let matches = || {
            let mut program = SampleProgram::start(&mut command());
            let played =
                [1, 2].map(|seed| play(*game, &mut [&mut program, &mut session(Random)], seed));
            program.finish();
            played
        };
        assert_eq!(matches(), matches());
    }
}

#[test]
fn random_in_rust_plays_through_pipes() {
    plays_everything(|| Command::new(env!("CARGO_BIN_EXE_random")));
}

#[test]
fn bots_in_rust_pass_over_what_they_do_not_know() {
    let mut program = SampleProgram::start(&mut Command::new(env!("CARGO_BIN_EXE_random")));
    let turn = r#"{"type":"turn","id":1,"actions":["+a1"],"clocks":[1,1],"view":{},"events":[{"later":1}]}"#;
    program.say(b"{\"type\":\"later\",\"id\":4}\n");
    program.say(HELLO.as_bytes());
    assert!(program.hear().starts_with("{\"type\":\"ready\""));
    program.say(format!("{turn}\n").as_bytes());
    assert_eq!(
        program.hear(),
        "{\"type\":\"act\",\"id\":1,\"action\":\"+a1\"}\n"
    );
    program.finish();
}

#[test]
fn random_in_python_plays_through_pipes() {
    // As the file itself, by its first line.
    plays_everything(|| Command::new(here("python/random.py")));
}

#[test]
fn a_bot_that_does_not_know_the_game_says_so_and_fails() {
    for program in [env!("CARGO_BIN_EXE_greedy"), env!("CARGO_BIN_EXE_mcts")] {
        let mut program = SampleProgram::start(Command::new(program).stderr(Stdio::piped()));
        program.say(HELLO.replace("flipfour", "chess").as_bytes());
        assert_eq!(program.hear(), "");
        let mut complaint = String::new();
        let errors = program.child.stderr.take().expect("stderr is piped");
        BufReader::new(errors)
            .read_line(&mut complaint)
            .expect("text");
        assert!(
            complaint.contains("does not know the game \"chess\""),
            "{complaint}"
        );
        assert_eq!(program.child.wait().expect("a child").code(), Some(1));
    }
}

/// Compiles `c/random.c` as strictly as one would.
fn random_in_c(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let status = Command::new("cc")
        .args([
            "-std=c11",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Wconversion",
            "-pedantic",
            "-Werror",
            "-o",
        ])
        .args([&program, &here("c/random.c")])
        .status()
        .expect("there is a C compiler called cc");
    assert!(status.success());
    program
}

#[test]
fn random_in_c_plays_through_pipes() {
    let program = random_in_c("random-c-match");
    plays_everything(|| Command::new(&program));
}

const HELLO: &str = concat!(
    r#"{"type":"hello","protocol":1,"match":"m","game":"flipfour","options":{},"seat":0,"seats":2,"#,
    r#""clock":"move=1s","limits":{"line":65536,"memory":0},"seed":9007199254740991}"#,
    "\n"
);

#[test]
fn random_in_c_finds_fields_wherever_they_stand() {
    let mut program = SampleProgram::start(&mut Command::new(random_in_c("random-c-fields")));
    program.say(HELLO.as_bytes());
    assert!(program.hear().starts_with("{\"type\":\"ready\""));
    for (line, answer) in [
        (
            r#"{"type":"turn","id":1,"actions":["a1"],"clocks":[1,2],"view":{}}"#,
            r#""id":1,"action":"a1""#,
        ),
        (
            r#" { "view" : [ { "id" : 7 , "actions" : [ "no" ] } , [ ] ] , "actions" : [ "a1" ] , "type" : "turn" , "id" : 2 } "#,
            r#""id":2,"action":"a1""#,
        ),
        (
            r#"{"x":"\"id\":8,\\","view":"}]","type":"turn","id":3,"actions":["say \"hi\"\\"]}"#,
            r#""id":3,"action":"say \"hi\"\\""#,
        ),
        (
            r#"{"ids":9,"i":"id","type":"turn","id":18446744073709551615,"actions":["launch top c3"],"n":-1.5e3,"t":true,"u":null}"#,
            r#""id":18446744073709551615,"action":"launch top c3""#,
        ),
    ] {
        program.say(format!("{line}\n").as_bytes());
        assert_eq!(
            program.hear(),
            format!("{{\"type\":\"act\",{answer}}}\n"),
            "{line}"
        );
    }
    // A message of a later version has no answer.
    program.say(b"{\"type\":\"later\",\"id\":4}\n");
    // A long line, and nothing of it twice or not at all.
    let actions: Vec<_> = (0..4000)
        .map(|number| format!("\"move {number}\""))
        .collect();
    let line = format!(
        "{{\"view\":\"{}\",\"type\":\"turn\",\"id\":5,\"actions\":[{}]}}\n",
        "x".repeat(200_000),
        actions.join(",")
    );
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..50 {
        program.say(line.as_bytes());
        let answer = program.hear();
        let action = answer
            .strip_prefix("{\"type\":\"act\",\"id\":5,\"action\":")
            .and_then(|rest| rest.strip_suffix("}\n"))
            .expect("an act");
        assert!(actions.iter().any(|one| one == action), "{answer}");
        seen.insert(action.to_owned());
    }
    assert!(seen.len() > 40, "all alike, 50 of 4000 are seldom the same");
    program.finish();
}

#[test]
fn random_in_c_gives_up_on_what_is_no_message() {
    let path = random_in_c("random-c-broken");
    for line in [
        "",
        "[]",
        "{",
        "{\"type\"",
        "{\"type\":\"turn",
        "{\"type\":\"turn\\",
        "{\"type\":\"turn\",",
        "nonsense",
        r#"{"type":"turn","id":1}"#,
        r#"{"type":"turn","id":1,"actions":[]}"#,
        r#"{"type":"turn","actions":["a"]}"#,
        r#"{"type":"turn","id":1,"actions":["a"}"#,
        r#"{"type":"turn","id":1,"actions":"a"}"#,
        r#"{"type":5}"#,
        r#"{"type"}"#,
        r#"{"type":}"#,
    ] {
        let mut program = SampleProgram::start(Command::new(&path).stderr(Stdio::null()));
        program.say(format!("{line}\n").as_bytes());
        assert_eq!(program.hear(), "", "{line}");
        assert_eq!(
            program.child.wait().expect("a child").code(),
            Some(1),
            "{line}"
        );
    }
}
