//! A conversation with a bot, line by line, as the referee has it.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::Value;

use super::{run_script, shell};

/// A bot in a process. It gets the next line only after it has answered the one before.
pub struct Conversation {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Conversation {
    /// Starts a bot by its command, in its folder.
    pub fn with(folder: &Path, command: &str) -> Self {
        let mut child = shell(folder, &format!("exec {command}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Conversation {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// The bot's next line; empty if it has ended.
    pub fn hear(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Ends the input; the exit code, what the bot still said, and what it wrote to standard error.
    pub fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.input.take());
        let (mut rest, mut stderr) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).unwrap();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        (self.child.wait().unwrap().code(), rest, stderr)
    }
}

const HELLO: &str = r#"{"type":"hello","protocol":1,"match":"é","game":"flipfour","options":{"a":[1.5e3,null,{"b":"\\\"\u00e9"}]},"seat":1,"seats":2,"clock":"move=1s","limits":{"line":65536,"memory":268435456},"commitment":"00","seed":9007199254740991,"later":{"x":[]}}"#;
const OVER: &str =
    r#"{"type":"over","points":[1,0],"places":[1,2],"reason":"line","view":{},"later":[]}"#;

fn turn(id: u64, actions: &str) -> String {
    format!(
        r#"{{"type":"turn","id":{id},"actions":[{actions}],"clocks":[1000,1000],"view":{{"name":"é😀\u00e9","n":[[],{{}}]}},"events":[{{"later":["x"]}}]}}"#
    )
}

/// What every kit must do: the protocol, and what makes a bot fail in a way that its author can see.
pub fn keeps_the_protocol(folder: &Path, command: &str, failure: &str) {
    let mut conversation = Conversation::with(folder, command);
    conversation.say(HELLO);
    let ready: serde_json::Value = serde_json::from_str(&conversation.hear()).unwrap();
    assert_eq!(
        (&ready["type"], &ready["reuse"]),
        (&"ready".into(), &true.into())
    );
    let mut matches = Vec::new();
    for number in 0..2 {
        if number > 0 {
            conversation.say(HELLO);
            assert!(conversation.hear().contains("\"ready\""));
        }
        let mut answers = Vec::new();
        // Ids need not follow each other.
        for id in [1, 2, 1 << 40] {
            conversation.say(&turn(id, r#""a1-a2","b","c","d","pass""#));
            let act: serde_json::Value = serde_json::from_str(&conversation.hear()).unwrap();
            assert_eq!((&act["type"], &act["id"]), (&"act".into(), &id.into()));
            let action = act["action"].as_str().unwrap().to_owned();
            assert!(
                ["a1-a2", "b", "c", "d", "pass"].contains(&&*action),
                "{action}"
            );
            answers.push(action);
        }
        conversation.say(OVER);
        matches.push(answers);
    }
    assert_eq!(matches[0], matches[1], "the same seed, the same match");
    // A long line, and a list of one action.
    conversation.say(HELLO);
    conversation.hear();
    let many: Vec<String> = (0..20_000).map(|number| format!("\"a{number}\"")).collect();
    conversation.say(&turn(7, &many.join(",")));
    assert!(
        conversation
            .hear()
            .starts_with(r#"{"type":"act","id":7,"action":"a"#)
    );
    conversation.say(&turn(8, "\"only\""));
    assert_eq!(
        conversation.hear(),
        r#"{"type":"act","id":8,"action":"only"}"#
    );
    assert_eq!(conversation.end().0, Some(0));

    // The function fails: nothing is answered, and standard error says why.
    let mut conversation = Conversation::with(folder, command);
    conversation.say(HELLO);
    conversation.hear();
    conversation.say(&turn(1, ""));
    let (code, rest, stderr) = conversation.end();
    assert_eq!((code, &*rest), (Some(1), ""), "{stderr}");
    assert!(stderr.contains(failure), "{stderr}");

    // Another version of the protocol.
    let mut conversation = Conversation::with(folder, command);
    conversation.say(&HELLO.replace("\"protocol\":1", "\"protocol\":2"));
    let (code, rest, stderr) = conversation.end();
    assert_eq!((code, &*rest), (Some(1), ""), "{stderr}");
    assert!(stderr.contains("version 1"), "{stderr}");
}

/// A bot of each language that writes the events of each turn to standard error, as JSON in a line, and chooses the
/// last action: the language, the file, its text, how it is built, what `flipside` gets, and what starts it without a
/// referee.
const TELLERS: &[[&str; 6]] = &[
    [
        "python",
        "bot.py",
        "import json
from flipside import log, run
def choose(turn):
    log(json.dumps(turn.events))
    return turn.actions[-1]
run(choose)
",
        ":",
        ".",
        "python3 bot.py",
    ],
    [
        "javascript",
        "bot.js",
        "const { log, run } = require('./flipside.js');
run((turn) => {
  log(JSON.stringify(turn.events));
  return turn.actions[turn.actions.length - 1];
});
",
        ":",
        ".",
        "node bot.js",
    ],
    [
        "java",
        "Bot.java",
        "public class Bot {
    public static void main(String[] arguments) {
        Flipside.run(\"teller\", turn -> {
            Flipside.log(turn.events);
            return turn.actions.get(turn.actions.size() - 1);
        });
    }
}
",
        "sh build.sh",
        ".",
        "java -jar bot.jar",
    ],
    [
        "c",
        "bot.c",
        "#include \"flipside.h\"
static const char *choose(struct fs_turn *turn)
{
    fprintf(stderr, \"%.*s\\n\", (int)(turn->events.end - turn->events.begin), turn->events.begin);
    return turn->actions[turn->count - 1];
}
int main(void)
{
    return fs_run(\"teller\", choose);
}
",
        "cc -std=gnu11 -o bot bot.c",
        "./bot",
        "./bot",
    ],
    [
        "go",
        "main.go",
        "package main
import \"encoding/json\"
func main() {
    Run(\"teller\", func(turn *Turn) string {
        events, err := json.Marshal(turn.Events)
        Log(string(events), err)
        return turn.Actions[len(turn.Actions)-1]
    })
}
",
        "CGO_ENABLED=0 go build -o bot .",
        "./bot",
        "./bot",
    ],
    [
        "rust",
        "src/main.rs",
        "mod flipside;
fn main() -> std::process::ExitCode {
    flipside::run(\"teller\", |turn| {
        let events: Vec<String> = turn.events.iter().map(|event| event.to_string()).collect();
        eprintln!(\"[{}]\", events.join(\",\"));
        turn.actions.last().unwrap().clone()
    })
}
",
        "rustc --edition 2021 -o bot src/main.rs",
        "./bot",
        "./bot",
    ],
];

/// The seed of these matches, whole: one that is a small number is combined with random bytes.
const SEED: &str = "5555555555555555555555555555555555555555555555555555555555555555";

/// Plays a match of this bot, in seat 1, against random bots; the lines that it was sent.
fn sent(folder: &Path, bot: &str, game: &str, seats: usize) -> Vec<String> {
    let mut bots = vec!["sample:random"; seats];
    bots[1] = bot;
    let bots = bots.join(" ");
    let options = flipside_games::find(game).unwrap().brief();
    run_script(
        folder,
        &format!(
            "rm -f sent.jsonl; flipside match {game} {bots} --strict --seed {SEED} --options '{options}' \\
                --clock move=60s,start=60s --transcript sent.jsonl"
        ),
    );
    let text = std::fs::read_to_string(folder.join("sent.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines = lines.filter(|line: &Value| line["type"] == "sent" && line["seat"] == 1);
    lines
        .map(|line| line["line"].as_str().unwrap().to_owned())
        .collect()
}

/// Plays real matches with a bot of this language, and compares what it sees of the events with what it was sent.
fn sees_its_events(language: &str) {
    let [_, file, text, build, bot, start] =
        TELLERS.iter().find(|[of, ..]| *of == language).unwrap();
    let place = tempfile::tempdir().unwrap();
    run_script(place.path(), &format!("flipside new {language} teller"));
    let folder = place.path().join("teller");
    std::fs::write(folder.join(file), text).unwrap();
    run_script(&folder, build);
    let mut kinds = std::collections::BTreeSet::new();
    // Hidden cards, hidden aims where several seats choose at once, and dice.
    for (game, seats) in [("phase10-flip", 3), ("puissance4-basic", 2), ("flip4", 2)] {
        let lines = sent(&folder, bot, game, seats);
        let mut conversation = Conversation::with(&folder, start);
        let mut told = Vec::new();
        for line in &lines {
            let message: Value = serde_json::from_str(line).unwrap();
            conversation.say(line);
            if message["type"] == "hello" {
                let ready: Value = serde_json::from_str(&conversation.hear()).unwrap();
                assert_eq!(ready["events"], true, "{language}: {ready}");
            } else if message["type"] == "turn" {
                assert!(conversation.hear().contains("\"act\""));
                for event in message["events"].as_array().unwrap() {
                    let (kind, value) = event.as_object().unwrap().iter().next().unwrap();
                    let acts = value.as_array();
                    let is_hidden = value.is_null()
                        || acts.is_some_and(|acts| acts.iter().any(|act| act["action"].is_null()));
                    kinds.insert((kind.clone(), is_hidden));
                }
                told.push(message["events"].clone());
            }
        }
        let (code, _, stderr) = conversation.end();
        assert_eq!(code, Some(0), "{language}: {stderr}");
        let json = |line: &str| serde_json::from_str(line.trim_end_matches(" <nil>")).unwrap();
        let seen: Vec<Value> = stderr.lines().map(json).collect();
        assert!(told.len() > 3, "{game}: {told:?}");
        assert_eq!(seen, told, "{language}, {game}");
    }
    for kind in ["acts", "chance"] {
        for is_hidden in [false, true] {
            assert!(kinds.contains(&(kind.to_owned(), is_hidden)), "{kinds:?}");
        }
    }
}

#[test]
fn a_bot_in_python_sees_its_events() {
    sees_its_events("python");
}

#[test]
fn a_bot_in_javascript_sees_its_events() {
    sees_its_events("javascript");
}

#[test]
fn a_bot_in_java_sees_its_events() {
    sees_its_events("java");
}

#[test]
fn a_bot_in_c_sees_its_events() {
    sees_its_events("c");
}

#[test]
fn a_bot_in_go_sees_its_events() {
    sees_its_events("go");
}

#[test]
fn a_bot_in_rust_sees_its_events() {
    sees_its_events("rust");
}
