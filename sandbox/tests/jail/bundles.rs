//! Bundles in the jail: what they see, and how they are started.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use flipside_protocol::ClockUnit;
use flipside_sandbox::{
    Isolation, OpenError, ProcessEnd, Program, Sandbox, SandboxSettings, Start, StartError,
};
use tempfile::TempDir;

use crate::common::{LONG, answer, block_on};
use crate::{jail, sandbox_of, start, start_in};

/// A bundle of these files, which nobody but their author may read; those that begin with `#!` are executable.
fn bundle(files: &[(&str, &str)]) -> (Program, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let at = folder.path().join(name);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(&at, text).unwrap();
        let mode = if text.starts_with("#!") { 0o700 } else { 0o600 };
        fs::set_permissions(&at, Permissions::from_mode(mode)).unwrap();
    }
    (Program::open(folder.path()).unwrap(), folder)
}

/// A bundle whose script is started with `sh`, and answers a line.
fn scripted(manifest: &str, script: &str) -> (Program, TempDir) {
    let script = format!("read line; {{ {script}\n}} 2>&1 | tr '\\n' ' '; echo");
    let manifest = format!("command = ['sh', 'bot.sh', 'one', 'two words']\n{manifest}");
    let files = [
        ("bot.toml", manifest.as_str()),
        ("bot.sh", &script),
        ("data/weights", "17"),
    ];
    bundle(&files)
}

fn trusting() -> Sandbox {
    Sandbox::new(SandboxSettings {
        isolation: Isolation::Trust,
        ..SandboxSettings::default()
    })
}

fn says(sandbox: &Sandbox, script: &str) -> String {
    let (program, _folder) = scripted("", script);
    block_on(async {
        let mut bot = start_in(sandbox, &program);
        answer(&mut bot, "x\n").await.trim().to_owned()
    })
}

#[test]
fn a_bundle_is_the_working_directory_and_is_read_only() {
    for (sandbox, folder) in [(sandbox_of(jail()), "/bot"), (trusting(), "")] {
        let script = "cat data/weights; echo; echo \"$1\" \"$2\"; ls; pwd; f=$TMPDIR/bundle-$$; echo x >$f && cat $f && rm $f";
        let said = says(&sandbox, script);
        assert!(
            said.starts_with("17 one two words bot.sh bot.toml data /"),
            "{said}"
        );
        assert!(said.contains(folder) && said.ends_with(" x"), "{said}");
    }
    let script = "for file in bot.sh data/weights data/new new; do (echo x >$file); done; rm -r data; ls / /bot";
    let said = says(&sandbox_of(jail()), script);
    assert_eq!(said.matches("Read-only file system").count(), 5, "{said}");
    assert!(said.contains("bot.sh bot.toml data"), "{said}");
}

#[test]
fn a_program_of_the_bundle_is_started_with_its_arguments() {
    let script = "#!/bin/sh\nread line; echo \"$0 $1 $(cat data)\"\n";
    let files = [
        ("bot.toml", "command = ['bin/run', 'now']"),
        ("bin/run", script),
        ("data", "17"),
    ];
    let (program, _folder) = bundle(&files);
    block_on(async {
        let mut bot = start(&program);
        assert_eq!(answer(&mut bot, "x\n").await, "/bot/bin/run now 17");
        let mut bot = start_in(&trusting(), &program);
        assert!(answer(&mut bot, "x\n").await.ends_with("/bin/run now 17"));
    });
}

#[test]
fn python_finds_the_packages_of_an_environment_and_of_a_folder() {
    let version = "import sys; print('python%d.%d' % sys.version_info[:2])";
    let output = std::process::Command::new("python3")
        .args(["-c", version])
        .output()
        .unwrap();
    let version = String::from_utf8(output.stdout).unwrap();
    let packages = format!(
        "venv/lib/{}/site-packages/colours/__init__.py",
        version.trim()
    );
    let bot = "import colours, sys\nprint(input(), colours.RED, len(sys.argv))\n";
    let colours = "RED = 17\n";
    let environment = [
        ("bot.toml", "language = 'python'"),
        ("bot.py", bot),
        ("venv/pyvenv.cfg", "home = /nowhere/bin\n"),
        (&packages, colours),
    ];
    let mut command = environment;
    command[0].1 = "command = ['venv/bin/python', 'bot.py']";
    let vendored = [
        environment[0],
        environment[1],
        ("vendor/colours.py", colours),
    ];
    for files in [&environment[..], &command, &vendored] {
        let (program, _folder) = bundle(files);
        for sandbox in [sandbox_of(jail()), trusting()] {
            block_on(async {
                let mut bot = start_in(&sandbox, &program);
                assert_eq!(answer(&mut bot, "x\n").await, "x 17 1");
            });
        }
    }
}

#[test]
fn a_bundle_gets_the_memory_that_it_wishes_for_and_no_more_than_a_bot_may_have() {
    // The shell itself holds it, so that no other process ends for it.
    let use_it = "read line; x=$(head -c 20000000 /dev/zero | tr '\\0' x); echo ${#x}";
    let plays = |manifest: &str| {
        let manifest = format!("command = ['sh', 'bot.sh']\n{manifest}");
        let (program, _folder) = bundle(&[("bot.toml", &manifest), ("bot.sh", use_it)]);
        block_on(async {
            let mut bot = start(&program);
            let answered = bot.ask(b"x\n", crate::common::within(LONG)).await;
            let answered = answered.is_ok_and(|answer| answer.line.trim() == "20000000");
            (answered, bot.finish(LONG).await.ended)
        })
    };
    assert!(plays("memory = '200 MiB'").0);
    let (answered, ended) = plays("memory = '12 MiB'");
    assert!(!answered, "{ended}");
    assert!(
        matches!(ended, ProcessEnd::OutOfMemory { limit, .. } if limit == 12 << 20),
        "{ended}"
    );
    let (program, _folder) = scripted("memory = '2 GiB'", "true");
    let refused = sandbox_of(jail())
        .prepare(&program, ClockUnit::Time)
        .unwrap_err();
    assert!(matches!(refused, OpenError::WishesMemory { .. }));
    let said = refused.to_string();
    assert!(
        said.ends_with("wishes for 2048 MiB of memory; a bot may have 256 MiB"),
        "{said}"
    );
    // Nothing limits it there.
    trusting().prepare(&program, ClockUnit::Time).unwrap();
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let (program, _folder) = bundle(&[("bot.toml", "command = ['no-such-program']")]);
    let start = Start {
        seed: 1,
        unit: ClockUnit::Time,
        label: "test",
    };
    for sandbox in [sandbox_of(jail()), trusting()] {
        let error = block_on(async { sandbox.start(&program, &start).map(drop) }).unwrap_err();
        assert!(matches!(&error, StartError::NoProgram { name, .. } if name == "no-such-program"));
        assert!(error.hint().unwrap().contains("install no-such-program"));
    }
}

#[test]
fn what_changed_since_it_was_opened_is_not_started() {
    let (program, folder) = scripted("", "true");
    fs::write(folder.path().join("data/weights"), "18").unwrap();
    let error = sandbox_of(jail())
        .prepare(&program, ClockUnit::Time)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("it changed while it was looked at"),
        "{error}"
    );
}
