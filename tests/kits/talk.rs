//! A conversation with a bot, line by line, as the referee has it.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::shell;

/// A bot in a process. It gets the next line only after it has answered the one before.
pub struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Talk {
    /// Starts a bot by its command, in its folder.
    pub fn with(folder: &Path, command: &str) -> Self {
        let mut child = shell(folder, &format!("exec {command}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Talk {
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
        r#"{{"type":"turn","id":{id},"actions":[{actions}],"clocks":[1000,1000],"view":{{"name":"é😀\u00e9","n":[[],{{}}]}},"events":["later"]}}"#
    )
}

/// What every kit must do: the protocol, and what makes a bot fail in a way that its author can see.
pub fn keeps_the_protocol(folder: &Path, command: &str, failure: &str) {
    let mut talk = Talk::with(folder, command);
    talk.say(HELLO);
    let ready: serde_json::Value = serde_json::from_str(&talk.hear()).unwrap();
    assert_eq!(
        (&ready["type"], &ready["reuse"]),
        (&"ready".into(), &true.into())
    );
    let mut matches = Vec::new();
    for number in 0..2 {
        if number > 0 {
            talk.say(HELLO);
            assert!(talk.hear().contains("\"ready\""));
        }
        let mut answers = Vec::new();
        // Ids need not follow each other.
        for id in [1, 2, 1 << 40] {
            talk.say(&turn(id, r#""a1-a2","b","c","d","pass""#));
            let act: serde_json::Value = serde_json::from_str(&talk.hear()).unwrap();
            assert_eq!((&act["type"], &act["id"]), (&"act".into(), &id.into()));
            let action = act["action"].as_str().unwrap().to_owned();
            assert!(
                ["a1-a2", "b", "c", "d", "pass"].contains(&&*action),
                "{action}"
            );
            answers.push(action);
        }
        talk.say(OVER);
        matches.push(answers);
    }
    assert_eq!(matches[0], matches[1], "the same seed, the same match");
    // A long line, and a list of one action.
    talk.say(HELLO);
    talk.hear();
    let many: Vec<String> = (0..20_000).map(|number| format!("\"a{number}\"")).collect();
    talk.say(&turn(7, &many.join(",")));
    assert!(
        talk.hear()
            .starts_with(r#"{"type":"act","id":7,"action":"a"#)
    );
    talk.say(&turn(8, "\"only\""));
    assert_eq!(talk.hear(), r#"{"type":"act","id":8,"action":"only"}"#);
    assert_eq!(talk.end().0, Some(0));

    // The function fails: nothing is answered, and standard error says why.
    let mut talk = Talk::with(folder, command);
    talk.say(HELLO);
    talk.hear();
    talk.say(&turn(1, ""));
    let (code, rest, stderr) = talk.end();
    assert_eq!((code, &*rest), (Some(1), ""), "{stderr}");
    assert!(stderr.contains(failure), "{stderr}");

    // Another version of the protocol.
    let mut talk = Talk::with(folder, command);
    talk.say(&HELLO.replace("\"protocol\":1", "\"protocol\":2"));
    let (code, rest, stderr) = talk.end();
    assert_eq!((code, &*rest), (Some(1), ""), "{stderr}");
    assert!(stderr.contains("version 1"), "{stderr}");
}
