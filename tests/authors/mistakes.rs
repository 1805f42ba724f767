//! Mistakes that authors make with their bots, and all that they are told. A reader who sees only the output should be
//! able to name the cause and what to do.
//!
//! Of a match, the report on the bot that failed is shown: it comes before the board. Times, temporary folders, the
//! lines of a traceback and seeds differ from run to run and are replaced.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;

use crate::common::{self, TestRun, flipside, sample};

/// How many are made at a time: some of the bots wait until their time is over, and the others end at once.
const AT_ONCE: usize = 2;

/// Enough for a bot that is not meant to be late.
const AMPLE: &str = "move=5m,start=5m";

/// For bots that are to be late.
const SHORT: &str = "move=400ms,start=4s";

/// How often a match is played at most: on a busy machine it may be void.
const MATCHES: usize = 3;

/// A mistake: the bot's file, and how it is played.
struct AuthorMistake {
    name: &'static str,
    file: &'static str,
    text: MistakeText,
    play: MistakePlay,
}

enum MistakeText {
    /// A bot in Python that does this at `hello`, at `turn`, and before anything else.
    Python {
        start: &'static str,
        ready: &'static str,
        act: &'static str,
    },
    Plain(&'static str),
    Bytes(&'static [u8]),
    /// Not executable.
    Still(&'static str),
    /// In a folder with these files beside it.
    Beside(&'static str, &'static [(&'static str, &'static str)]),
}

enum MistakePlay {
    /// `match flipfour BOT first.wat`
    Match,
    /// The same, as the user whose home is the test's folder.
    AtHome,
    /// The same against a bot that thinks for a while.
    Slow,
    Submit(&'static [&'static str]),
}

const READY: &str = "say({'type': 'ready', 'actions': True})";
const ACT: &str = "say({'type': 'act', 'id': m['id'], 'action': m['actions'][0]})";

const fn python(start: &'static str, ready: &'static str, act: &'static str) -> MistakeText {
    MistakeText::Python { start, ready, act }
}

const fn bad(name: &'static str, text: MistakeText) -> AuthorMistake {
    AuthorMistake {
        name,
        file: "bot",
        text,
        play: MistakePlay::Match,
    }
}

const fn file(name: &'static str, file: &'static str, text: MistakeText) -> AuthorMistake {
    AuthorMistake {
        name,
        file,
        text,
        play: MistakePlay::Match,
    }
}

/// A bot in Python, as its author would write it.
fn python_bot(start: &str, ready: &str, act: &str) -> String {
    let indented = |code: &str| code.replace('\n', "\n        ");
    let (ready, act) = (indented(ready), indented(act));
    format!(
        "#!/usr/bin/env python3
import json, sys, time

def say(message):
    print(json.dumps(message), flush=True)

{start}
while True:
    line = sys.stdin.readline()
    if not line:
        break
    m = json.loads(line)
    if m['type'] == 'hello':
        {ready}
    elif m['type'] == 'turn':
        {act}
    else:
        break
"
    )
}

impl AuthorMistake {
    /// Writes the bot into a folder.
    fn write(&self, folder: &Path) {
        let path = folder.join(self.file);
        let bytes = match &self.text {
            MistakeText::Python { start, ready, act } => python_bot(start, ready, act).into_bytes(),
            MistakeText::Plain(text) | MistakeText::Still(text) | MistakeText::Beside(text, _) => {
                text.as_bytes().into()
            }
            MistakeText::Bytes(bytes) => bytes.to_vec(),
        };
        std::fs::write(&path, bytes).unwrap();
        let mode = if matches!(self.text, MistakeText::Still(_)) {
            0o644
        } else {
            0o755
        };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        if let MistakePlay::Slow = self.play {
            let slow = python_bot("", READY, &format!("time.sleep(0.15)\n{ACT}"));
            common::script(folder, "slow", &slow);
        }
        if let MistakeText::Beside(_, others) = self.text {
            for (name, text) in others {
                let other = folder.join(name);
                std::fs::create_dir_all(other.parent().unwrap()).unwrap();
                std::fs::write(other, text).unwrap();
            }
        }
    }

    /// All that its author is told, whose bot is in this folder.
    fn told(&self, folder: &Path, clock: &str) -> String {
        let mut run = self.run(folder, clock);
        for _ in 1..MATCHES {
            if !run.stderr.contains("the match cannot go on") {
                break;
            }
            run = self.run(folder, clock);
        }
        self.shown(&run, folder)
    }

    fn run(&self, folder: &Path, clock: &str) -> TestRun {
        let bot = format!("./{}", self.file);
        let first = sample("wat/first.wat");
        let mut command = flipside(folder);
        match self.play {
            MistakePlay::Match => command.args(["match", "flipfour", &bot, &first]),
            MistakePlay::AtHome => {
                command.env("HOME", folder);
                command.args(["match", "flipfour", &bot, &first])
            }
            MistakePlay::Slow => command.args(["match", "flipfour", &bot, "./slow"]),
            MistakePlay::Submit(more) => command.args(["submit", &bot]).args(more),
        };
        let output = command.args(["--clock", clock]).output().unwrap();
        TestRun {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code(),
        }
    }

    fn shown(&self, run: &TestRun, folder: &Path) -> String {
        let stdout = match self.play {
            MistakePlay::Submit(_) => &run.stdout[..],
            // Without a fault, what is to know stands below the board.
            _ if !run.stdout.starts_with("seat ") => run
                .stdout
                .find("\nplace ")
                .map_or("", |at| &run.stdout[at + 1..]),
            _ => run
                .stdout
                .split_inclusive("\n\n")
                .next()
                .unwrap_or_default(),
        };
        let all = format!("{stdout}{}", run.stderr);
        for text in [&run.stdout, &run.stderr] {
            assert!(
                !text.contains("/.tmp") || text.contains(folder.to_str().unwrap()),
                "{text}"
            );
        }
        steady(&all, folder)
    }
}

/// The text without what differs from run to run.
fn steady(text: &str, folder: &Path) -> String {
    let text = text.replace(folder.to_str().unwrap(), "FOLDER");
    let mut out = String::new();
    let mut in_traceback = false;
    for line in text.lines() {
        // Runtimes tell more in their newer versions.
        let of_traceback = line.contains("stderr:   ") || line.contains("stderr: Traceback");
        if of_traceback {
            if !in_traceback {
                out += "  stderr: ...\n";
            }
            in_traceback = true;
            continue;
        }
        in_traceback = false;
        let words = line.split(' ').collect::<Vec<_>>();
        let with_next = words.iter().zip(words.iter().skip(1).chain([&""]));
        let words = with_next.map(|(word, next)| {
            let number = word.trim_start_matches('(');
            let is_time = next.starts_with("ms") && number.parse::<f64>().is_ok();
            let is_seed = word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
            match (is_time, is_seed) {
                (true, _) => word.replace(number, "N"),
                (_, true) => "SEED".into(),
                _ => (*word).to_owned(),
            }
        });
        out += words.collect::<Vec<_>>().join(" ").trim_end();
        out.push('\n');
    }
    out
}

/// What is told of all these mistakes.
fn told(mistakes: &[AuthorMistake]) -> String {
    told_on(AMPLE, mistakes)
}

fn told_on(clock: &str, mistakes: &[AuthorMistake]) -> String {
    let mut all = String::new();
    for some in mistakes.chunks(AT_ONCE) {
        // All are written before one is started: its process would have the files of the others open for writing for a
        // moment, and then they cannot be executed.
        let written = some.iter().map(|mistake| {
            let folder = tempfile::tempdir().unwrap();
            mistake.write(folder.path());
            (mistake, folder)
        });
        let written: Vec<_> = written.collect();
        let told: Vec<String> = thread::scope(|scope| {
            let started: Vec<_> = written
                .iter()
                .map(|(mistake, folder)| scope.spawn(|| mistake.told(folder.path(), clock)))
                .collect();
            started
                .into_iter()
                .map(|told| told.join().unwrap())
                .collect()
        });
        for (mistake, told) in some.iter().zip(told) {
            let _ = write!(all, "--- {}\n{}\n", mistake.name, told.trim_end());
        }
    }
    if let Some(folder) = std::env::var_os("DUMP_MISTAKES") {
        std::fs::write(Path::new(&folder).join(mistakes[0].name), &all).unwrap();
    }
    all
}

#[test]
fn a_bot_that_does_not_answer_in_time() {
    let wait = "time.sleep(1000)";
    let buffered = "print(json.dumps({'type': 'act', 'id': m['id'], 'action': m['actions'][0]}))";
    let told = told_on(
        SHORT,
        &[
            bad(
                "no flush of `ready`",
                python("", "print(json.dumps({'type': 'ready'}))", ACT),
            ),
            bad("no flush of an action", python("", READY, buffered)),
            bad(
                "no newline",
                python(
                    "",
                    READY,
                    "sys.stdout.write(json.dumps({'type': 'act', 'id': m['id'], 'action': m['actions'][0]})); sys.stdout.flush()",
                ),
            ),
            bad("no `ready`", python("", "pass", ACT)),
            bad("an endless loop", python("", READY, "while True: pass")),
            bad(
                "an endless loop before `ready`",
                python("while True: pass", READY, ACT),
            ),
            bad("a slow start", python(wait, READY, ACT)),
            bad("a long sleep at a turn", python("", READY, wait)),
            bad(
                "a swallowed exception",
                python(
                    "import traceback",
                    READY,
                    "try: say({'id': m['identity']})\nexcept Exception: traceback.print_exc()",
                ),
            ),
            bad(
                "reading to the end of the input",
                python("sys.stdin.read()", READY, ACT),
            ),
            bad(
                "waiting for a second line",
                python("", READY, "sys.stdin.readline()\nsay({})"),
            ),
            file(
                "a module that reads on",
                "bot.wat",
                MistakeText::Plain(include_str!("../zoo/modules/never-answers.wat")),
            ),
            file(
                "a module that loops",
                "bot.wat",
                MistakeText::Plain(include_str!("../zoo/modules/loops.wat")),
            ),
        ],
    );
    insta::assert_snapshot!(told, @r##"
    --- no flush of `ready`
    seat 0 (bot) failed: late: N ms of N ms before `ready`; the bot used N ms of CPU and wrote nothing after it read `hello`; when its input was closed, `ready` came: `{"type": "ready"}`
      hint: flush after every line (Python: print(line, flush=True); C: fflush(stdout)), and read one line at a time, not the whole input
    --- no flush of an action
    seat 0 (bot) failed: late: N ms of N ms at ply 0 (question 1); the bot used N ms of CPU and wrote nothing after it read the question; when its input was closed, the answer came: `{"type": "act", "id": 1, "action": "+a1"}`
      hint: flush after every line (Python: print(line, flush=True); C: fflush(stdout))
    --- no newline
    seat 0 (bot) failed: late: N ms of N ms at ply 0 (question 1); it wrote 41 bytes without a newline: `{"type": "act", "id": 1, "action": "+a1"}`
      hint: end each answer with a newline, and flush it
    --- no `ready`
    seat 0 (bot) failed: late: N ms of N ms before `ready`; the bot used N ms of CPU and wrote nothing after it read `hello`, nor when its input was closed: it waited for another line
      hint: read one line at a time, and answer the one of type `hello` with {"type":"ready"} before you read the next
    --- an endless loop
    seat 0 (bot) failed: late: N ms of N ms at ply 0 (question 1); the bot used N ms of CPU and wrote nothing
      hint: look for an endless loop; if it searches for long, stop before the time is up: `clocks` in each turn has the milliseconds left, by seat
    --- an endless loop before `ready`
    seat 0 (bot) failed: late: N ms of N ms before `ready`; the bot used N ms of CPU, and did not read `hello`
      hint: look for an endless loop; if it loads for long, answer `ready` first and load later, or give more time to start: --clock move=1s,start=30s
    --- a slow start
    seat 0 (bot) failed: late: N ms of N ms before `ready`; the bot used N ms of CPU and did not read `hello`
      hint: read `hello` and answer {"type":"ready"} before it sleeps or waits for anything else
    --- a long sleep at a turn
    seat 0 (bot) failed: late: N ms of N ms at ply 0 (question 1); the bot used N ms of CPU and wrote nothing after it read the question, and did not end within N ms after its input was closed
      hint: do not sleep, and do not wait for a lock, another process or the network; if it waits for another line, let it answer this one first
    --- a swallowed exception
    seat 0 (bot) failed: late: N ms of N ms at ply 0 (question 1); the bot used N ms of CPU and wrote nothing after it read the question, nor when its input was closed: it waited for another line; on stderr: `KeyError: 'identity'`
      hint: if 'identity' is meant as a field of a turn: its fields are id, clocks and view, and actions or events if `ready` asks for them; `flipside schema GAME --example` prints real messages
      hint: it went on after an error: answer nevertheless, or let the error end the bot
      stderr: ...
      stderr: KeyError: 'identity'
    --- reading to the end of the input
    seat 0 (bot) failed: late: N ms of N ms before `ready`; the bot used N ms of CPU and wrote nothing after it read `hello`, nor when its input was closed: it waited for another line
      hint: read one line at a time, and answer the one of type `hello` with {"type":"ready"} before you read the next
    --- waiting for a second line
    seat 0 (bot) failed: late: N ms of N ms at ply 0 (question 1); the bot used N ms of CPU and wrote nothing after it read the question; when its input was closed, it wrote `{}`
      hint: read one line at a time, and answer it before you read the next
    --- a module that reads on
    seat 0 (bot) failed: late: it waits for another line instead of answering `hello`; the bot used N ms of CPU and wrote nothing after it read `hello`, nor when its input was closed
      hint: read one line at a time, and answer the one of type `hello` with {"type":"ready"} before you read the next
    --- a module that loops
    seat 0 (bot) failed: late: N ms of N ms before `ready`; the bot used N ms of CPU, and did not read `hello`
      hint: look for an endless loop; if it loads for long, answer `ready` first and load later, or give more time to start: --clock move=1s,start=30s
    "##);
}

#[test]
fn a_bot_that_writes_what_is_no_answer() {
    let python = |act| python("", READY, act);
    let told = told(&[
        bad(
            "single quotes",
            python("print({'type': 'act', 'id': m['id'], 'action': m['actions'][0]}, flush=True)"),
        ),
        bad(
            "None",
            python(
                "print('{\"type\":\"act\",\"id\":%d,\"action\":%s}' % (m['id'], None), flush=True)",
            ),
        ),
        bad(
            "text after the message",
            python(
                "print(json.dumps({'type': 'act', 'id': m['id'], 'action': m['actions'][0]}), 'done', flush=True)",
            ),
        ),
        bad(
            "an action that is a number",
            python("say({'type': 'act', 'id': m['id'], 'action': 0})"),
        ),
        bad(
            "an id that is a string",
            python("say({'type': 'act', 'id': str(m['id']), 'action': m['actions'][0]})"),
        ),
        bad(
            "a debug print",
            python(
                "print('thinking about', m['actions'][0])\nsay({'type': 'act', 'id': m['id'], 'action': m['actions'][0]})",
            ),
        ),
        bad(
            "indented JSON",
            python(
                "print(json.dumps({'type': 'act', 'id': m['id'], 'action': m['actions'][0]}, indent=2), flush=True)",
            ),
        ),
        bad(
            "a field that is not known",
            python("say({'type': 'act', 'id': m['id'], 'move': m['actions'][0]})"),
        ),
        bad(
            "a field that is missing",
            python("say({'type': 'act', 'action': m['actions'][0]})"),
        ),
        bad("an empty line", python("print(flush=True)")),
        bad(
            "a byte order mark",
            python(
                "sys.stdout.buffer.write(b'\\xef\\xbb\\xbf'); say({'type': 'act', 'id': m['id'], 'action': m['actions'][0]})",
            ),
        ),
        bad(
            "Latin-1",
            python(
                "sys.stdout.buffer.write('{\"type\":\"act\",\"note\":\"schön\"}\\n'.encode('latin-1')); sys.stdout.flush()",
            ),
        ),
        bad(
            "UTF-16",
            python(
                "sys.stdout.buffer.write((json.dumps({'type': 'act'}) + '\\n').encode('utf-16')); sys.stdout.flush()",
            ),
        ),
        bad(
            "a line that is too long",
            python("say({'type': 'act', 'id': m['id'], 'action': 'x' * 70000})"),
        ),
        bad(
            "an answer too many",
            python(
                "one = json.dumps({'type': 'act', 'id': m['id'], 'action': m['actions'][0]})\nsys.stdout.write(one + '\\n' + one + '\\n'); sys.stdout.flush()",
            ),
        ),
        bad(
            "always the same id",
            python("say({'type': 'act', 'id': 1, 'action': m['actions'][0]})"),
        ),
        bad("`ready` at a turn", python("say({'type': 'ready'})")),
        bad(
            "an action that the rules do not allow",
            python(
                "say({'type': 'act', 'id': m['id'], 'action': '+a1' if m['id'] > 1 else '+a1'})",
            ),
        ),
        bad(
            "an action in no notation",
            python("say({'type': 'act', 'id': m['id'], 'action': 'pass please'})"),
        ),
    ]);
    insta::assert_snapshot!(told, @r##"
    --- single quotes
    seat 0 (bot) failed: malformed: not a message: JSON has double quotes only, at column 2, at "'type': 'act', 'id': 1, "…; at ply 0 (question 1)
      hint: write messages with json.dumps(message), not with str(message) or print(message)
      it wrote: {'type': 'act', 'id': 1, 'action': '+a1'}
    --- None
    seat 0 (bot) failed: malformed: not a message: None is Python; JSON has null, at column 31, at "None}"; at ply 0 (question 1)
      hint: the bot found no action: `action` must be a string, such as one of `actions`
      it wrote: {"type":"act","id":1,"action":None}
    --- text after the message
    seat 0 (bot) failed: malformed: not a message: after the message, at column 43, comes "done"; at ply 0 (question 1)
      hint: write each message in one line (no indentation), and nothing after it
      it wrote: {"type": "act", "id": 1, "action": "+a1"} done
    --- an action that is a number
    seat 0 (bot) failed: malformed: not a message: "action" is 0 (a number), and must be a string; at ply 0 (question 1)
      hint: an action is a string in the game's notation, as `actions` lists it if `ready` asks for it
      it wrote: {"type": "act", "id": 1, "action": 0}
    --- an id that is a string
    seat 0 (bot) failed: malformed: not a message: "id" is "1" (a string), and must be a whole number; at ply 0 (question 1)
      hint: copy the id of the turn as it is: {"type":"act","id":3,"action":"…"}
      it wrote: {"type": "act", "id": "1", "action": "+a1"}
    --- a debug print
    seat 0 (bot) failed: malformed: not a message: the line begins with "thinking about +a1", not with {; at ply 0 (question 1)
      hint: print messages to standard output and nothing else; debug output belongs on standard error
      it wrote: thinking about +a1
    --- indented JSON
    seat 0 (bot) failed: malformed: not a message: the line ends in the middle of a message; at ply 0 (question 1)
      hint: write each message in one line (no indentation), and nothing after it
      it wrote: {
    --- a field that is not known
    seat 0 (bot) failed: malformed: not a message: `act` has no field "move"; at ply 0 (question 1)
      hint: answer a turn with {"type":"act","id":3,"action":"…"} and the turn's own id; `note` is the only other field
      it wrote: {"type": "act", "id": 1, "move": "+a1"}
    --- a field that is missing
    seat 0 (bot) failed: malformed: an act needs the field "id"; at ply 0 (question 1)
      hint: answer a turn with {"type":"act","id":3,"action":"…"} and the turn's own id; `note` is the only other field
      it wrote: {"type": "act", "action": "+a1"}
    --- an empty line
    seat 0 (bot) failed: malformed: not a message: the line is empty; at ply 0 (question 1)
      hint: write one newline after each message; print adds one by itself
      it wrote:
    --- a byte order mark
    seat 0 (bot) failed: malformed: not a message: the line begins with a byte order mark (BOM); at ply 0 (question 1)
      hint: write UTF-8 without a byte order mark: "utf-8", not "utf-8-sig"
      it wrote: \u{feff}{"type": "act", "id": 1, "action": "+a1"}
    --- Latin-1
    seat 0 (bot) failed: not-text: wrote a line that is not UTF-8 from byte 25 on, at ply 0 (question 1): `{"type":"act","note":"sch�n"}`
      hint: write UTF-8
    --- UTF-16
    seat 0 (bot) failed: not-text: wrote a line that is not UTF-8 from byte 0 on, at ply 0 (question 1): `��{"type": "act"}`
      hint: write UTF-8; the output looks like UTF-16
    --- a line that is too long
    seat 0 (bot) failed: too-long: wrote a line of more than 65536 bytes, at ply 0 (question 1); it begins with `{"type": "act", "id": 1, "action": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`…
      hint: does it write in an endless loop, or leave the newline out?
    --- an answer too many
    seat 0 (bot) failed: unasked: it answered question 1 twice: `{"type": "act", "id": 1, "action": "+a1"}`; noticed at ply 2 (question 2)
      hint: answer each turn with one line, and write nothing else to standard output
    --- always the same id
    seat 0 (bot) failed: unasked: its answer to question 2 has the id 1, of a question that it has answered; at ply 2 (question 2)
      hint: copy the id of the turn that is answered, and answer each turn once
      it wrote: {"type": "act", "id": 1, "action": "+a3"}
    --- `ready` at a turn
    seat 0 (bot) failed: unasked: it answered a `turn` with another `ready`, not with an `act`; at ply 0 (question 1)
      hint: answer `hello` with `ready`, and every `turn` with `act`
      it wrote: {"type": "ready"}
    --- an action that the rules do not allow
    seat 0 (bot) failed: illegal: a1 is not empty; at ply 2 (question 2)
      hint: with "actions":true in `ready`, every turn lists the legal actions
      it wrote: {"type":"act","id":2,"action":"+a1"}
    --- an action in no notation
    seat 0 (bot) failed: malformed: "pass please" is not like +c3, xc3 or c3-e5; at ply 0 (question 1)
      hint: with "actions":true in `ready`, every turn lists the legal actions
      it wrote: {"type":"act","id":1,"action":"pass please"}
    "##);
}

#[test]
fn a_bot_that_ends() {
    let told = told(&[
        bad(
            "it answers once and exits",
            python(
                "",
                READY,
                "say({'type': 'act', 'id': m['id'], 'action': m['actions'][0]}); sys.exit()",
            ),
        ),
        bad("it exits without a word", python("sys.exit(3)", READY, ACT)),
        bad(
            "an exception",
            python(
                "",
                READY,
                "say({'type': 'act', 'id': m['id'], 'action': m['legal'][0]})",
            ),
        ),
        bad(
            "a crash",
            MistakeText::Plain("#!/bin/sh\nread -r line\nkill -SEGV $$\n"),
        ),
        file(
            "too much memory",
            "bot.wat",
            MistakeText::Plain(include_str!("../zoo/modules/grows-its-memory.wat")),
        ),
        file(
            "a module that traps",
            "bot.wat",
            MistakeText::Plain(include_str!("../zoo/modules/traps-unreachable.wat")),
        ),
    ]);
    insta::assert_snapshot!(told, @r##"
    --- it answers once and exits
    seat 0 (bot) failed: closed: exited with code 0 at ply 2 (question 2)
      hint: read and answer lines in a loop until the input ends
    --- it exits without a word
    seat 0 (bot) failed: closed: exited with code 3 before `ready`
      hint: it said nothing on standard error: print there why it exits
    --- an exception
    seat 0 (bot) failed: closed: exited with code 1 at ply 0 (question 1); on stderr: `KeyError: 'legal'`
      hint: if 'legal' is meant as a field of a turn: its fields are id, clocks and view, and actions or events if `ready` asks for them; `flipside schema GAME --example` prints real messages
      hint: `flipside debug` shows every message until then
      stderr: ...
      stderr: KeyError: 'legal'
    --- a crash
    seat 0 (bot) failed: crashed: signal 11 (SIGSEGV), before `ready`
      hint: print to standard error what it does; `flipside debug --attach` sends it a recorded match under a debugger
    --- too much memory
    seat 0 (bot) failed: memory: needed more than 256 MiB of memory (wasm trap: wasm `unreachable` instruction executed) before `ready`
      hint: make its tables smaller: `limits.memory` in `hello` is what it may use in bytes, with all its processes
    --- a module that traps
    seat 0 (bot) failed: crashed: a trap: wasm trap: wasm `unreachable` instruction executed, before `ready`
      hint: the code ended itself, as by a panic or a failed assertion: let it print why to standard error first
    "##);
}

#[test]
fn a_bot_that_misses_something_in_the_jail() {
    let other = "#!/usr/bin/env python3\nimport helper\n";
    let told = told(&[
        bad(
            "a module of its own",
            MistakeText::Beside(other, &[("helper.py", "")]),
        ),
        AuthorMistake {
            play: MistakePlay::AtHome,
            ..bad(
                "a package of the user",
                MistakeText::Beside(
                    "#!/usr/bin/env python3\nimport chessy\n",
                    &[(".local/lib/python3.11/site-packages/chessy/__init__.py", "")],
                ),
            )
        },
        bad(
            "a package that is not there",
            MistakeText::Plain("#!/usr/bin/env python3\nimport chessy.engine\n"),
        ),
        bad(
            "a file of its own",
            MistakeText::Beside(
                "#!/usr/bin/env python3\nopen('weights.bin')\n",
                &[("weights.bin", "1")],
            ),
        ),
        bad(
            "a file of a shell script",
            MistakeText::Plain("#!/bin/sh\nexec cat settings\n"),
        ),
        bad(
            "a log in the working directory",
            python("open('bot.log', 'w')", READY, ACT),
        ),
        bad(
            "a module of Node",
            MistakeText::Beside(
                "#!/usr/bin/env node\ntry { require('./rules') } catch (error) {\n  console.error(String(error).split('\\n')[0]); process.exit(1)\n}\n",
                &[("rules.js", "")],
            ),
        ),
        bad(
            "an interpreter that env does not find",
            MistakeText::Plain("#!/usr/bin/env pythom3\n"),
        ),
    ]);
    insta::assert_snapshot!(told, @r##"
    --- a module of its own
    seat 0 (bot) failed: closed: exited with code 1 before `ready`; on stderr: `ModuleNotFoundError: No module named 'helper'`
      hint: helper.py lies beside the bot, and a bot sees only its own file: make the bot a bundle, a folder with a bot.toml as `flipside new` makes one, and type the folder's name in place of the file's
      stderr: ...
      stderr: ModuleNotFoundError: No module named 'helper'
    --- a package of the user
    seat 0 (bot) failed: closed: exited with code 1 before `ready`; on stderr: `ModuleNotFoundError: No module named 'chessy'`
      hint: chessy is installed for your user only (in FOLDER/.local/lib/python3.11/site-packages), where no bot sees it: install it for all users, or put it into a bundle, a folder with a bot.toml
      stderr: ...
      stderr: ModuleNotFoundError: No module named 'chessy'
    --- a package that is not there
    seat 0 (bot) failed: closed: exited with code 1 before `ready`; on stderr: `ModuleNotFoundError: No module named 'chessy'`
      hint: is chessy the right name? it is not installed for all users: install it, or put it into a bundle, a folder with a bot.toml
      stderr: ...
      stderr: ModuleNotFoundError: No module named 'chessy'
    --- a file of its own
    seat 0 (bot) failed: closed: exited with code 1 before `ready`; on stderr: `FileNotFoundError: [Errno 2] No such file or directory: 'weights.bin'`
      hint: weights.bin lies beside the bot, and a bot sees only its own file: make the bot a bundle, a folder with a bot.toml as `flipside new` makes one, and type the folder's name in place of the file's
      stderr: ...
      stderr: FileNotFoundError: [Errno 2] No such file or directory: 'weights.bin'
    --- a file of a shell script
    seat 0 (bot) failed: closed: exited with code 1 before `ready`; on stderr: `cat: settings: No such file or directory`
      hint: there is no file settings beside the bot, and a jailed bot sees only its own files and the system's; to give it the file, make the bot a bundle, a folder with a bot.toml as `flipside new` makes one, and type the folder's name in place of the file's
    --- a log in the working directory
    place 1: bot (seat 0), points ½, 17 plies of N ms
      warning: it wrote bot.log into its working directory, which is removed after the match; log to standard error, which `flipside match --show-stderr` prints
    place 1: first (seat 1), points ½, 16 plies of N ms
    --- a module of Node
    seat 0 (bot) failed: closed: exited with code 1 before `ready`; on stderr: `Error: Cannot find module './rules'`
      hint: rules.js lies beside the bot, and a bot sees only its own file: make the bot a bundle, a folder with a bot.toml as `flipside new` makes one, and type the folder's name in place of the file's
    --- an interpreter that env does not find
    seat 0 (bot) failed: closed: exited with code 127 before `ready`; on stderr: `/usr/bin/env: ‘pythom3’: No such file or directory`
      hint: did you mean /usr/bin/python3? pythom3 is not in the PATH of a jailed bot: install it in /usr/bin, or correct the script's first line
    "##);
}

#[test]
fn a_file_that_is_no_bot() {
    const AARCH64: &[u8] = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0\x01\0\0\0";
    let told = told(&[
        bad("no right to execute", MistakeText::Still("#!/bin/sh\n")),
        AuthorMistake {
            play: MistakePlay::Submit(&[]),
            ..bad(
                "no right to execute, submitted",
                MistakeText::Still("#!/bin/sh\n"),
            )
        },
        bad(
            "line ends of Windows",
            MistakeText::Plain("#!/usr/bin/env python3\r\nprint()\r\n"),
        ),
        bad(
            "line ends of Windows without env",
            MistakeText::Plain("#!/bin/sh\r\necho\r\n"),
        ),
        bad(
            "a script with a byte order mark",
            MistakeText::Plain("\u{feff}#!/bin/sh\n"),
        ),
        bad("no first line", MistakeText::Plain("import sys\n")),
        bad(
            "an interpreter that is not there",
            MistakeText::Plain("#!/usr/bin/pythom3\n"),
        ),
        bad("an empty file", MistakeText::Plain("")),
        bad("a program for another machine", MistakeText::Bytes(AARCH64)),
        bad(
            "a program for macOS",
            MistakeText::Bytes(b"\xcf\xfa\xed\xfe\x0c\0\0\x01\0\0\0\0"),
        ),
        bad(
            "a program for Windows",
            MistakeText::Bytes(b"MZ\x90\0\x03\0\0\0"),
        ),
        bad(
            "a Java class",
            MistakeText::Bytes(b"\xca\xfe\xba\xbe\0\0\0\x41"),
        ),
        file(
            "a component",
            "bot.wasm",
            MistakeText::Bytes(b"\0asm\x0d\0\x01\0"),
        ),
        file(
            "a module without _start",
            "bot.wat",
            MistakeText::Plain("(module (memory (export \"memory\") 1))"),
        ),
        file(
            "a module that is a library",
            "bot.wat",
            MistakeText::Plain(
                "(module (memory (export \"memory\") 1) (func (export \"_initialize\")))",
            ),
        ),
        file(
            "a module for a browser",
            "bot.wat",
            MistakeText::Plain(
                "(module (import \"env\" \"emscripten_notify\" (func)) (memory (export \"memory\") 1) (func (export \"_start\")))",
            ),
        ),
        file("not WebAssembly", "bot.wasm", MistakeText::Plain("hello")),
    ]);
    insta::assert_snapshot!(told, @r##"
    --- no right to execute
    error: ./bot is not executable
    hint: chmod +x ./bot
    --- no right to execute, submitted
    error: ./bot is not executable
    hint: chmod +x ./bot
    --- line ends of Windows
    error: ./bot: its #! line ends with a carriage return, as files from Windows do
    hint: sed -i 's/\r$//' ./bot
    --- line ends of Windows without env
    error: ./bot: its #! line ends with a carriage return, as files from Windows do
    hint: sed -i 's/\r$//' ./bot
    --- a script with a byte order mark
    error: bot: FOLDER/bot begins with a byte order mark (BOM), so its #! line is not seen
    hint: sed -i '1s/^\xef\xbb\xbf//' FOLDER/bot
    --- no first line
    error: bot: FOLDER/bot has no #! line that names its interpreter
    hint: begin the script with a line such as #!/usr/bin/env python3 or #!/bin/sh
    --- an interpreter that is not there
    error: bot: FOLDER/bot needs /usr/bin/pythom3, which is not there
    hint: did you mean /usr/bin/python3? otherwise install /usr/bin/pythom3 or correct the script's first line
    --- an empty file
    error: ./bot is empty
    hint: did its build or copy fail?
    --- a program for another machine
    error: bot: FOLDER/bot is a Linux or BSD program (ELF) for AArch64, and this machine is Linux on x86-64
    hint: build it for this machine, or as a WebAssembly module, which runs on every machine
    --- a program for macOS
    error: bot: FOLDER/bot is a macOS program (Mach-O) for AArch64 (Apple silicon), and this machine is Linux on x86-64
    hint: build it for this machine, or as a WebAssembly module, which runs on every machine
    --- a program for Windows
    error: bot: FOLDER/bot is a Windows program (PE), and this machine is Linux on x86-64
    hint: build it for this machine, or as a WebAssembly module, which runs on every machine
    --- a Java class
    error: bot: FOLDER/bot is a Java class, which this machine cannot start by itself
    hint: pack it into a bot.jar, in a folder with a bot.toml that says language = "java"
    --- a component
    error: ./bot.wasm is a WebAssembly component, not a core module
    hint: build a WASI command as a core module, in Rust with --target wasm32-wasip1
    --- a module without _start
    error: bot: FOLDER/bot.wat has no function _start
    hint: build a program with a main function for WASI preview 1 (wasm32-wasip1); in WebAssembly text, export a function "_start"
    --- a module that is a library
    error: bot: FOLDER/bot.wat is a library (a reactor): it has _initialize and no _start
    hint: build a WASI command, a program with a main function
    --- a module for a browser
    error: bot: FOLDER/bot.wat imports env::emscripten_notify, which is not provided
    hint: it is built by Emscripten for JavaScript: build it with -sSTANDALONE_WASM, or with a C compiler for WASI preview 1 (wasm32-wasip1)
    --- not WebAssembly
    error: ./bot.wasm is not WebAssembly, though its name says so
    hint: did its build or download fail? `file ./bot.wasm` says what it is
    "##);
}

#[test]
fn a_bot_that_is_submitted() {
    let one_game = "if m['game'] != 'flipfour': sys.exit('this bot plays flipfour, not ' + m['game'])\nsay({'type': 'ready', 'actions': True})";
    let swallowed = "try: open('bot.log', 'w')\nexcept OSError as error: print(error, file=sys.stderr)\nsay({'type': 'ready', 'actions': True})";
    let submit = |games: &'static [&'static str], mistake| AuthorMistake {
        play: MistakePlay::Submit(games),
        ..mistake
    };
    let knows = "say({'type': 'ready', 'actions': True})\nturns, game = 0, m['game']";
    let breaks = "turns += 1\nif turns > 1 and game != 'flipfour': raise ValueError('no such square')\nsay({'type': 'act', 'id': m['id'], 'action': m['actions'][0]})";
    let told = told(&[
        submit(&[], bad("a bot of one game", python("", one_game, ACT))),
        submit(
            &[],
            bad(
                "a bot that ends in the middle at most games",
                python("", knows, breaks),
            ),
        ),
        submit(
            &["--game", "yonmoque"],
            bad("a bot of another game", python("", one_game, ACT)),
        ),
        submit(
            &["--game", "flipfour"],
            bad("a log that cannot be written", python("", swallowed, ACT)),
        ),
        submit(
            &["--game", "flipfour", "--trust"],
            bad("a log that vanishes", python("", swallowed, ACT)),
        ),
        submit(
            &["--game", "flipfour"],
            bad(
                "an exception when it is submitted",
                python("", READY, "m['legal']"),
            ),
        ),
    ]);
    insta::assert_snapshot!(told, @r##"
    --- a bot of one game
    flipfour: plays
    bot@1 is in the arena
    it does not play flip4, flipflop-3x3, flipflop-5x5, phase10-flip, puissance4-basic, puissance4-championship, puissance4-extra-pro, yonmoque: closed: exited with code 1 before `ready`; on stderr: `this bot plays flipfour, not flip4`
      hint: nothing is wrong if it is meant for flipfour only; --game GAME tries it at no other
    --- a bot that ends in the middle at most games
    flipfour: plays
    error: bot is refused: closed: exited with code 1 at ply 2 (question 2); on stderr: `ValueError: no such square`
      in a match against itself at flip4, flipflop-3x3, flipflop-5x5, phase10-flip, puissance4-basic, puissance4-championship, puissance4-extra-pro, yonmoque
      stderr: ...
      stderr: ValueError: no such square
    hint: `flipside debug` shows every message until then
    hint: it was ready for flip4, flipflop-3x3, flipflop-5x5, phase10-flip, puissance4-basic, puissance4-championship, puissance4-extra-pro, yonmoque, and so is meant to play there; a bot of one game is submitted with --game GAME
    hint: flipside debug flip4 ./bot ./bot --options '{"layout":[15,16,12,9,7,4,8,10,25,6,1,3,36,30,2,5,0,20,18,24,11],"corner_return":true,"double_line":"mover","max_turns":60}' --seed SEED
    --- a bot of another game
    error: bot is refused: closed: exited with code 1 before `ready`; on stderr: `this bot plays flipfour, not yonmoque`
      in a match against itself at yonmoque
    hint: name the game that it plays: --game GAME
    hint: flipside debug yonmoque ./bot ./bot --options '{"max_plies":60}' --seed SEED
    --- a log that cannot be written
    flipfour: plays
    bot@1 is in the arena
    warning: it wrote bot.log into its working directory, which is removed after the match; log to standard error, which `flipside match --show-stderr` prints
    --- a log that vanishes
    flipfour: plays
    bot@1 is in the arena
    warning: it wrote bot.log into its working directory, which without the jail is the folder of the arena's bots; log to standard error, which `flipside match --show-stderr` prints
    --- an exception when it is submitted
    error: bot is refused: closed: exited with code 1 at ply 0 (question 1); on stderr: `KeyError: 'legal'`
      in a match against itself at flipfour
      stderr: ...
      stderr: KeyError: 'legal'
    hint: if 'legal' is meant as a field of a turn: its fields are id, clocks and view, and actions or events if `ready` asks for them; `flipside schema GAME --example` prints real messages
    hint: `flipside debug` shows every message until then
    hint: flipside debug flipfour ./bot ./bot --options '{"max_plies":60}' --seed SEED
    "##);
}

#[test]
fn a_bot_that_computes_on_the_turns_of_others() {
    let thread = "import threading\ndef think():\n    while True: pass\nthreading.Thread(target=think, daemon=True).start()";
    let told = told(&[AuthorMistake {
        play: MistakePlay::Slow,
        ..bad("a thread that goes on", python(thread, READY, ACT))
    }]);
    insta::assert_snapshot!(told, @r##"
    --- a thread that goes on
    place 1: bot (seat 0), points ½, 17 plies of N ms
      warning: it computes on the turns of others (N ms of CPU before it was suspended there); wait for the next line without computing, or allow it with --ponder on
    place 1: slow (seat 1), points ½, 16 plies of N ms
    "##);
}

#[test]
fn a_name_that_becomes_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    common::script(folder, "bot", &python_bot("", READY, ACT));
    let submit = |file: &str| {
        let mut command = flipside(folder);
        let args = [
            "submit", file, "--name", "yon", "--game", "flipfour", "--clock", "move=10s",
        ];
        let output = command.args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    let told = submit("./bot") + &submit(&sample("wat/first.wat")) + &submit("./bot");
    insta::assert_snapshot!(told, @r"
    flipfour: plays
    yon@1 is in the arena
    flipfour: plays
    yon@2 is in the arena
    warning: yon@2 is a module; yon@1 was a Python script: another bot needs another --name
    flipfour: plays
    yon@3 is in the arena
    warning: yon@3 is a Python script; yon@2 was a module: another bot needs another --name
    ");
}

#[test]
fn the_standard_error_of_a_bot_without_a_fault_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let act = format!("print('depth 7 at', m['id'], file=sys.stderr)\n{ACT}");
    common::script(folder, "loud", &python_bot("", READY, &act));
    let first = sample("wat/first.wat");
    let run = |args: &[&str]| common::run(folder, args).ok();
    run(&[
        "tournament",
        "flipflop-3x3",
        "./loud",
        &first,
        "--name",
        "cup",
        "--clock",
        "move=10s",
    ]);
    let shown = run(&["matches", "--show", "cup-0"]);
    let said = "  the end of its standard error:\n  | depth 7 at 1\n  | depth 7 at 2\n";
    assert_eq!(shown.matches(said).count(), 1, "{shown}");
    let json: serde_json::Value =
        serde_json::from_str(&run(&["matches", "--show", "cup-0", "--json"])).unwrap();
    assert_eq!(json["evidence"], serde_json::json!([]));
    assert_eq!(json["notes"].as_array().unwrap().len(), 1, "{json}");
    run(&["verify", "--all"]);
}

#[test]
fn a_strict_match_fails_with_its_bot_and_shows_all_that_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = python_bot(
        "",
        READY,
        "print('it is', m['id'], file=sys.stderr)\nif m['id'] == 3: sys.exit('no more')\nsay({'type': 'act', 'id': m['id'], 'action': m['actions'][0]})",
    );
    common::script(folder, "bot", &bot);
    let first = sample("wat/first.wat");
    let play = |more: &[&str]| {
        let args = ["match", "flipfour", "./bot", &first, "--clock", "move=10s"];
        let output = flipside(folder).args(args).args(more).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (code, stdout, stderr) = play(&["--strict", "--show-stderr", "--transcript", "all.jsonl"]);
    assert_eq!(
        (code, &stderr[..]),
        (Some(1), "error: 1 of 2 bots failed\n")
    );
    let all = "  stderr: it is 1\n  stderr: it is 2\n  stderr: it is 3\n  stderr: no more\n";
    assert_eq!(stdout.matches(all).count(), 1, "{stdout}");
    assert_eq!(stdout.matches("it is 1").count(), 1, "{stdout}");
    let transcript = std::fs::read_to_string(folder.join("all.jsonl")).unwrap();
    let lines = transcript
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<flipside_referee::TranscriptLine> = lines.collect();
    assert!(lines.len() > 10, "{transcript}");
    let (code, stdout, stderr) = play(&["--transcript", "all.jsonl"]);
    assert_eq!((code, &stdout[..]), (Some(2), ""));
    assert!(stderr.contains("all.jsonl is there already"), "{stderr}");
    let (code, stdout, _) = play(&["--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(code, Some(0));
    assert!(json["seats"][0]["hints"][0].is_string(), "{json}");
}
