//! Bots in languages that are interpreted.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use flipside_protocol::ClockUnit;
use flipside_sandbox::{Program, Start};

use crate::common::{answer, block_on};
use crate::{file, folder, jail, sandbox_of, start};

pub(crate) fn has(interpreter: &str) -> bool {
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
        // Not permitted twice; a pair without a name is; init does not hear the signal; no
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
        assert_eq!(said, Ok(format!("{name} x")));
    }
    assert!(tried > 0);
}

#[test]
fn nothing_that_a_first_line_picks_is_executed_outside() {
    let folder = folder();
    let told = folder.path().join("told");
    // An ordinary user too may write where he is started.
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let text = format!("#!/bin/sh\necho EXECUTED >> {}\n", told.display());
    let evil = file(&folder, "python_bot", &text);
    let exact = file(&folder, "python3", &text);
    let sandbox = sandbox_of(jail());
    for line in [
        format!("/usr/bin/env -S -u {} sh", evil.display()),
        format!("/usr/bin/env -S -u {} sh", exact.display()),
        format!("/usr/bin/env {}", evil.display()),
        format!("/usr/bin/env {}", exact.display()),
        format!("/usr/bin/env ../../../../../../..{}", exact.display()),
        format!("/usr/bin/env -S X=1 {} -c x", exact.display()),
        format!("{}", exact.display()),
        format!("{}", evil.display()),
    ] {
        let bot = file(&folder, "bot", &format!("#!{line}\n"));
        // Whether it starts is not asked.
        let started = block_on(async {
            let start = Start {
                seed: 1,
                unit: ClockUnit::Time,
                label: "test",
            };
            sandbox
                .start(&Program::open(&bot).unwrap(), &start)
                .map(drop)
        });
        assert!(!told.exists(), "{line}: {started:?}");
    }
}

#[test]
fn no_folder_is_shown_for_a_program_in_it_that_is_named_as_an_interpreter() {
    // What an organiser keeps: a journal beside a folder with a perl.
    let folder = folder();
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    std::fs::copy("/bin/sh", folder.path().join("bin/perl")).unwrap();
    std::fs::write(folder.path().join("journal"), "SECRET").unwrap();
    let at = folder.path().display();
    for line in [
        format!("/usr/bin/env -S -u ../../../../../../..{at}/bin/perl sh -c \"cat {at}/journal\""),
        format!("/usr/bin/env -S -u {at}/bin/perl sh -c \"cat {at}/journal\""),
    ] {
        let bot = file(&folder, "bot", &format!("#!{line}\n"));
        let said = block_on(async {
            let mut bot = start(&Program::open(&bot).unwrap());
            let line = bot
                .ask(b"x\n", crate::common::within(crate::common::LONG))
                .await;
            line.map(|answer| answer.line.to_owned())
                .unwrap_or_default()
        });
        assert!(!said.contains("SECRET"), "{line}: {said}");
    }
}
