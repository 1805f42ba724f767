//! What a bot prints does not reach the referee, as far as its kit can prevent that.

use super::conversation::Conversation;
use super::{root, run_script};

/// A bot of each language that prints a word in each way that its kit redirects: the language, the file of its kit, the
/// file of the bot, its text, how it is built, what starts it, and the words.
const PRINTERS: &[[&str; 7]] = &[
    [
        "python",
        "flipside.py",
        "bot.py",
        "import os, subprocess, sys
import flipside
print('before')
def choose(turn):
    print('stream')
    sys.stdout.write('written\\n')
    os.system('echo system')
    subprocess.run(['echo', 'child'])
    os.write(1, b'descriptor\\n')
    return turn.actions[0]
flipside.run(choose)
",
        ":",
        // With a buffer, as in the arena.
        "env -u PYTHONUNBUFFERED python3 bot.py",
        "before stream written system child descriptor",
    ],
    [
        "javascript",
        "flipside.js",
        "bot.js",
        "const { dir } = console;
require('./flipside.js').run((turn) => {
  console.log('log');
  console.dir({ dir: 1 });
  console.dirxml('dirxml');
  dir('kept');
  process.stdout.write('written\\n');
  require('child_process').spawnSync('echo', ['child'], { stdio: ['inherit', 2, 2] });
  return turn.actions[0];
});
",
        ":",
        "node bot.js",
        "log dir dirxml kept written child",
    ],
    [
        "java",
        "Flipside.java",
        "Bot.java",
        "public class Bot {
    public static void main(String[] arguments) {
        Flipside.run(\"printer\", turn -> {
            System.out.println(\"stream\");
            return turn.actions.get(0);
        });
    }
}
",
        "javac -encoding UTF-8 *.java",
        "java -cp . Bot",
        "stream",
    ],
    [
        "c",
        "flipside.h",
        "bot.c",
        "#include \"flipside.h\"
static const char *choose(struct fs_turn *turn)
{
    printf(\"stream\\n\");
    if (system(\"echo child\") != 0 || write(1, \"descriptor\\n\", 11) != 11)
        return NULL;
    return turn->actions[0];
}
int main(void)
{
    return fs_run(\"printer\", choose);
}
",
        "cc -std=gnu11 -o bot bot.c",
        "./bot",
        "stream child descriptor",
    ],
    [
        "go",
        "flipside.go",
        "main.go",
        "package main
import (
    \"fmt\"
    \"os\"
    \"os/exec\"
)
func main() {
    Run(\"printer\", func(turn *Turn) string {
        fmt.Println(\"stream\")
        child := exec.Command(\"echo\", \"child\")
        child.Stdout = os.Stdout
        if err := child.Run(); err != nil {
            panic(err)
        }
        return turn.Actions[0]
    })
}
",
        "cp \"$FLIPSIDE_REPOSITORY/kits/go/go.mod\" .; CGO_ENABLED=0 go build -o bot .",
        "./bot",
        "stream child",
    ],
    [
        "rust",
        "src/flipside.rs",
        "main.rs",
        "mod flipside;
use std::io::Write;
fn main() -> std::process::ExitCode {
    print!(\"before \");
    flipside::run(\"printer\", |turn| {
        println!(\"stream\");
        std::thread::spawn(|| println!(\"thread\")).join().unwrap();
        std::process::Command::new(\"echo\").arg(\"child\").status().unwrap();
        let out = std::fs::OpenOptions::new().write(true).open(\"/proc/self/fd/1\");
        out.unwrap().write_all(b\"descriptor\\n\").unwrap();
        turn.actions[0].clone()
    })
}
",
        "rustc --edition 2021 -o bot main.rs",
        "./bot",
        "before stream thread child descriptor",
    ],
];

const HELLO: &str = r#"{"type":"hello","protocol":1,"match":"m","game":"flipfour","options":{},"seat":0,"seats":2,"clock":"move=1s","limits":{"line":65536,"memory":0},"commitment":"","seed":1}"#;
const TURN: &str =
    r#"{"type":"turn","id":1,"actions":["+a1"],"clocks":[60000,60000],"view":{},"events":[]}"#;

/// Builds the bot of a language and speaks with it. It prints at its turn, and the referee gets its messages only.
fn prints_to_standard_error(language: &str) {
    let printer = PRINTERS.iter().find(|[of, ..]| *of == language).unwrap();
    let [_, kit, file, text, build, start, words] = printer;
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let kit = root().join("kits").join(language).join(kit);
    std::fs::copy(&kit, folder.join(kit.file_name().unwrap())).unwrap();
    std::fs::write(folder.join(file), text).unwrap();
    run_script(folder, build);
    let mut conversation = Conversation::with(folder, start);
    conversation.say(HELLO);
    let ready = conversation.hear();
    assert!(
        ready.starts_with("{\"type\":\"ready\","),
        "{language}: {ready}"
    );
    for _ in 0..2 {
        conversation.say(TURN);
        assert_eq!(
            conversation.hear(),
            r#"{"type":"act","id":1,"action":"+a1"}"#
        );
    }
    let (code, rest, stderr) = conversation.end();
    assert_eq!((code, &*rest), (Some(0), ""), "{language}: {stderr}");
    for word in words.split(' ') {
        assert!(stderr.contains(word), "{language}: {word}: {stderr}");
    }
}

#[test]
fn what_a_bot_in_python_prints_does_not_reach_the_referee() {
    prints_to_standard_error("python");
}

#[test]
fn what_a_bot_in_javascript_prints_does_not_reach_the_referee() {
    prints_to_standard_error("javascript");
}

#[test]
fn what_a_bot_in_java_prints_does_not_reach_the_referee() {
    prints_to_standard_error("java");
}

#[test]
fn what_a_bot_in_c_prints_does_not_reach_the_referee() {
    prints_to_standard_error("c");
}

#[test]
fn what_a_bot_in_go_prints_does_not_reach_the_referee() {
    prints_to_standard_error("go");
}

#[test]
fn what_a_bot_in_rust_prints_does_not_reach_the_referee() {
    prints_to_standard_error("rust");
}
