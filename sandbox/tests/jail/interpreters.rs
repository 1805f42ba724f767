//! Bots in languages that are interpreted.

use std::process::Command;

use flipside_sandbox::Program;

use crate::common::{answer, block_on};
use crate::{file, folder, start};

fn has(interpreter: &str) -> bool {
    Command::new(interpreter)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

#[test]
fn a_python_wherever_it_is_installed_runs_in_the_jail() {
    if !has("python3") {
        eprintln!("NOT TESTED, for this machine has no python3");
        return;
    }
    let folder = folder();
    let text = "#!/usr/bin/env python3\nimport sys, json, random, os\n\
        for line in sys.stdin: print(json.dumps([line.strip(), os.path.expanduser('~')]), flush=True)\n";
    let bot = Program::open(file(&folder, "bot.py", text)).unwrap();
    block_on(async {
        let mut bot = start(&bot);
        assert_eq!(answer(&mut bot, "hello\n").await, "[\"hello\", \"/tmp\"]");
        assert_eq!(answer(&mut bot, "again\n").await, "[\"again\", \"/tmp\"]");
    });
}

#[test]
fn what_is_refused_in_python_is_an_error_and_no_death() {
    if !has("python3") {
        eprintln!("NOT TESTED, for this machine has no python3");
        return;
    }
    let folder = folder();
    let text = "#!/usr/bin/env python3\nimport sys, socket, os, ctypes\n\
def tried(what):\n    try: what()\n    except OSError as error: return error.errno\n    return 0\n\
for line in sys.stdin:\n    print([tried(lambda: socket.socket()), tried(lambda: socket.socket(socket.AF_UNIX)), \
tried(lambda: socket.socketpair()[0].close()), tried(lambda: os.kill(1, 9)), tried(lambda: os.open('/dev/mem', 0)), \
tried(lambda: os.nice(-1)), tried(lambda: [open('/dev/null') for _ in range(1000)] and None)], flush=True)\n";
    // `x` keeps the files open until all are.
    let text = text.replace(
        "[open('/dev/null') for _ in range(1000)] and None",
        "many()",
    );
    let text = text.replace(
        "for line in sys.stdin:",
        "def many():\n    x = [open('/dev/null') for _ in range(1000)]\nfor line in sys.stdin:",
    );
    let bot = Program::open(file(&folder, "bot.py", &text)).unwrap();
    block_on(async {
        let mut bot = start(&bot);
        // Not permitted twice; a pair without a name is; the first process does not hear the signal; no
        // such device; not permitted; too many open files.
        assert_eq!(answer(&mut bot, "x\n").await, "[1, 1, 0, 0, 2, 1, 24]");
    });
}

#[test]
fn other_interpreters_of_the_system_run() {
    let folder = folder();
    let bots = [
        (
            "perl",
            "#!/usr/bin/env perl\n$|=1; while (<>) { print \"perl $_\" }\n",
        ),
        (
            "bash",
            "#!/usr/bin/env bash\nwhile read x; do cat <(echo bash $x); done\n",
        ),
        (
            "node",
            "#!/usr/bin/env node\nrequire('readline').createInterface({input: process.stdin})\
             .on('line', x => console.log('node ' + x))\n",
        ),
    ];
    let mut tried = 0;
    for (name, text) in bots {
        if !has(name) {
            eprintln!("NOT TESTED, for this machine has no {name}");
            continue;
        }
        tried += 1;
        let bot = Program::open(file(&folder, name, text)).unwrap();
        let said = block_on(async {
            let mut bot = start(&bot);
            let line = bot
                .ask(b"x\n", crate::common::within(crate::common::LONG))
                .await;
            let line = line.map(|answer| answer.line.to_owned());
            line.map_err(|error| format!("{error}: {}", bot.stderr_tail()))
        });
        // Without a control group, addresses are limited, and node reserves many.
        if !(name == "node" && said.is_err()) {
            assert_eq!(said, Ok(format!("{name} x")));
        }
    }
    assert!(tried > 0);
}
