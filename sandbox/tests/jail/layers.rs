//! What a bot sees and may do.

use std::collections::HashSet;
use std::fs::File;
use std::net::TcpListener;

use flipside_sandbox::jail::{DoctorFinding, Layer, examine, works};
use flipside_sandbox::{Program, Sandbox, SandboxBot, SandboxSettings, Start};

use crate::common::{answer, block_on, is_alone};
use crate::{file, folder, jail, sandbox_of, says, sh, stage, start, start_in};

/// Whether this machine may lack a wall; what it has must stand.
fn may_lack(wall: Layer) -> bool {
    match wall {
        Layer::Landlock => !has_landlock(),
        Layer::TreeMemory => true,
        _ => false,
    }
}

fn has_landlock() -> bool {
    use landlock::{AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let rules = rules.handle_access(AccessFs::Execute);
    rules.and_then(Ruleset::create).is_ok()
}

#[test]
fn every_wall_stands_when_it_is_tried() {
    let findings = examine(&jail()).unwrap();
    assert_eq!(findings.len(), Layer::ALL.len());
    for finding in &findings {
        match &finding.missing {
            None => {}
            Some(what) if may_lack(finding.wall) => {
                eprintln!(
                    "NOT TESTED, for this machine lacks {}: {what}",
                    finding.wall
                );
            }
            Some(what) => panic!("the wall {} is broken: {what}", finding.wall),
        }
    }
    assert!(works(&findings));
}

#[test]
fn without_the_jail_no_wall_stands() {
    // The probe itself is tested: where there is no jail, it says so of every wall.
    let probe = Program::command(stage(), ["probe"]).unwrap();
    block_on(async {
        let mut bot = start_in(&Sandbox::new(SandboxSettings::default()), &probe);
        for wall in [
            "users",
            "namespaces",
            "root",
            "privileges",
            "limits",
            "calls",
            "landlock",
        ] {
            let found = answer(&mut bot, "x\n").await;
            let (name, found) = found.split_once(' ').unwrap();
            assert_eq!(name, wall);
            let root = rustix::process::geteuid().is_root();
            match wall {
                // An ordinary user is none but itself, and may have no right to lose.
                "users" | "privileges" if !root => {}
                _ => assert_ne!(found, "stands", "{wall}"),
            }
        }
    });
}

#[test]
fn secrets_of_the_machine_are_not_there() {
    for path in [
        "/etc/shadow",
        "/root",
        "/home",
        "/var",
        "/sys",
        "/run",
        "/mnt",
        "/proc/sys",
        "/proc/kallsyms",
        "/proc/net/dev",
        "/dev/tty",
        "/dev/sda",
        "/dev/kmsg",
    ] {
        let said = says(&format!("cat {path} || ls -d {path}"));
        assert!(
            said.contains("No such") || said.contains("cannot"),
            "{path}: {said}"
        );
    }
}

#[test]
fn the_environment_of_the_first_process_is_closed_and_ours_is_not_there() {
    let said = says("cat /proc/1/environ; cat /proc/1/maps; ls /proc/1/fd");
    assert!(
        !said.contains("CARGO") && !said.contains("flipside"),
        "{said}"
    );
    let said = says("env | cut -d= -f1 | sort");
    let words: Vec<_> = said
        .split_whitespace()
        .filter(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name))
        .collect();
    assert_eq!(
        words,
        ["HOME", "LANG", "PATH", "PYTHONDONTWRITEBYTECODE", "TMPDIR"]
    );
}

#[test]
fn a_bot_sees_its_own_file_and_not_what_lies_beside_it() {
    let folder = folder();
    let script = "#!/bin/sh\nwhile read x; do ls -d /bot/* \"$(dirname $0)\"/* | sort -u | tr '\\n' ' '; \
        cat SECRET \"$1\" 2>&1 | tr '\\n' ' '; echo; done\n";
    let mine = file(&folder, "mine", script);
    file(&folder, "other", "#!/bin/sh\necho OTHER\n");
    std::fs::write(folder.path().join("journal.sqlite"), "SECRET").unwrap();
    let journal = folder.path().join("journal.sqlite");
    block_on(async {
        let mut bot = start(&Program::command(&mine, [journal.as_os_str()]).unwrap());
        let said = answer(&mut bot, "x\n").await;
        assert!(said.starts_with("/bot/mine cat:"), "{said}");
        assert!(
            !said.contains("other") && !said.contains("SECRET "),
            "{said}"
        );
    });
}

#[test]
fn nothing_can_be_written_but_the_temporary_folder() {
    let folder = folder();
    let mine = file(
        &folder,
        "mine",
        "#!/bin/sh\nwhile read x; do for at in / /bot /bot/mine /usr/bin /usr/lib /etc /etc/passwd /dev /proc; do \
         if touch $at/x || echo > $at; then echo WROTE $at; fi; done 2>/dev/null | tr '\\n' ' '; \
         rm -f /bot/mine /etc/passwd 2>/dev/null && echo REMOVED; echo > /tmp/x && cat /tmp/x; ls /tmp; done\n",
    );
    block_on(async {
        let mut bot = start(&Program::open(&mine).unwrap());
        // The line that was written, and then the name of the file.
        assert_eq!(answer(&mut bot, "x\n").await, "");
        assert_eq!(answer(&mut bot, "x\n").await, "x");
    });
}

#[test]
fn there_is_no_network_not_even_this_machine() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // A shell that knows connections.
    let said = says(&format!(
        "bash -c 'echo hello > /dev/tcp/127.0.0.1/{port}' && echo CONNECTED"
    ));
    assert!(!said.contains("CONNECTED"), "{said}");
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err());
}

#[test]
fn mounts_namespaces_and_host_names_are_refused() {
    for (script, done) in [
        ("mount -t tmpfs x /tmp && echo DONE", "DONE"),
        ("mount --bind / /tmp && echo DONE", "DONE"),
        ("unshare -U true && echo DONE", "DONE"),
        ("unshare -Urm true && echo DONE", "DONE"),
        ("hostname x && echo DONE", "DONE"),
        ("chroot / true && echo DONE", "DONE"),
        ("nice -n -5 true && renice -n 5 $$ && echo DONE", "DONE"),
        ("date -s 2001-01-01 && echo DONE", "DONE"),
        ("umount /proc && echo DONE", "DONE"),
    ] {
        let said = says(script);
        assert!(!said.contains(done), "{script}: {said}");
    }
}

#[test]
fn no_signal_reaches_a_process_outside() {
    let ours = std::process::id();
    // Our number names nobody inside, and to init of the namespace it means nothing.
    let said = says(&format!(
        "kill -0 {ours} && echo REACHED; kill -TERM {ours}; kill -9 1 && echo SENT"
    ));
    assert!(!said.contains("REACHED"), "{said}");
    let said = says("ls -d /proc/[0-9]* | wc -l");
    let seen: u32 = said.split_whitespace().next().unwrap().parse().unwrap();
    assert!(seen <= 10, "{said}");
}

#[test]
fn a_bot_has_one_session_whatever_it_starts() {
    // Field 6 is the session, which init leads.
    let said =
        says("cut -d' ' -f6 /proc/self/stat; python3 -c 'import os; os.setsid()' && echo MADE");
    assert!(
        said.starts_with("1 ") && said.contains("PermissionError") && !said.contains("MADE"),
        "{said}"
    );
}

#[test]
fn programs_of_another_user_give_no_rights() {
    let said =
        says("su -c id; sudo -n id; passwd -S root; grep -E 'NoNewPrivs|Cap' /proc/self/status");
    assert!(!said.contains("uid=0"), "{said}");
    let said = said.replace("\t", " ");
    assert!(said.contains("NoNewPrivs: 1"), "{said}");
    assert!(said.contains("CapBnd: 0000000000000000"), "{said}");
}

#[test]
fn every_namespace_is_another_than_ours() {
    let all = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"];
    let said = says(&format!(
        "cd /proc/self/ns; for ns in {}; do readlink $ns; done",
        all.join(" ")
    ));
    let theirs: Vec<_> = said.split_whitespace().collect();
    assert_eq!(theirs.len(), all.len(), "{said}");
    for (name, theirs) in all.iter().zip(theirs) {
        let ours = std::fs::read_link(format!("/proc/self/ns/{name}")).unwrap();
        assert!(theirs.starts_with(name), "{said}");
        assert_ne!(ours.to_str().unwrap(), theirs, "{name}");
    }
}

#[test]
fn bots_that_start_side_by_side_have_nothing_in_common() {
    // Without a pipe within it, for a shell may hold its end a while longer.
    let program = crate::common::sh(
        "read x; for ns in user mnt pid net ipc uts; do readlink /proc/self/ns/$ns; done; ls /proc/$$/fd; echo end; cat",
    );
    let words = async |bot: &mut SandboxBot| {
        let mut words = vec![answer(bot, "x\n").await];
        while words.last().is_none_or(|word| word != "end") {
            words.push(answer(bot, "more\n").await);
        }
        words
    };
    block_on(async {
        let sandbox = sandbox_of(jail());
        let begun = [(); 2].map(|()| sandbox.begin(&program, &Start::default()).unwrap());
        let [mut one, mut other] = begun.map(|begun| begun.started().unwrap());
        let said = [words(&mut one).await, words(&mut other).await];
        let [one, other] = said.each_ref().map(|words| {
            let (namespaces, open) = words.split_at(6);
            // Neither has a pipe of the other one, or what its stage was given.
            assert_eq!(open, ["0", "1", "2", "end"], "{words:?}");
            namespaces
        });
        for (one, other) in one.iter().zip(other) {
            assert_ne!(one, other);
        }
    });
}

/// Whether network namespaces are kept here: root makes them, and there is a control group. Not inside of a runtime.
pub(crate) fn keeps_networks() -> bool {
    let findings = examine(&jail()).unwrap();
    let is_there = |wall: &DoctorFinding| wall.wall == Layer::TreeMemory && wall.missing.is_none();
    rustix::process::geteuid().is_root() && findings.iter().any(is_there)
}

/// A bot, the name of its network namespace, and the same held open, so that no other one is given its name.
pub(crate) async fn with_network(sandbox: &Sandbox) -> (SandboxBot, String, Option<File>) {
    let mut bot = start_in(sandbox, &sh("readlink /proc/self/ns/net"));
    let network = answer(&mut bot, "x\n").await;
    let pid = bot.pid().unwrap();
    // An ordinary user may not.
    let held = File::open(format!("/proc/{pid}/ns/net")).ok();
    (bot, network, held)
}

#[test]
fn a_network_namespace_is_used_again_only_after_its_bot() {
    if !is_alone("layers::a_network_namespace_is_used_again_only_after_its_bot") {
        return;
    }
    const LIVE: usize = 3;
    let are_kept = keeps_networks();
    block_on(async {
        let sandbox = sandbox_of(jail());
        let mut live: Vec<(SandboxBot, String)> = Vec::new();
        let (mut met, mut all_held, mut is_used_again) = (HashSet::new(), Vec::new(), false);
        // One whose jail takes long to clear away comes back later.
        while !is_used_again && (are_kept || met.len() < 2 * LIVE) {
            let (bot, network, held) = with_network(&sandbox).await;
            assert!(live.iter().all(|(_, other)| *other != network), "{network}");
            is_used_again = !met.insert(network.clone());
            all_held.push(held);
            live.push((bot, network));
            if live.len() > LIVE {
                live.remove(0);
            }
        }
    });
}

#[test]
fn the_root_of_the_machine_is_not_behind_the_bots() {
    for path in ["/..", "/../..", "/proc/1/root", "/proc/1/cwd"] {
        let said = says(&format!("cd {path} && ls -d var home root sys boot"));
        assert!(
            !said.split_whitespace().any(|word| word == "var"),
            "{path}: {said}"
        );
    }
    // The mounts of the machine are gone, not only covered.
    let said = says("cut -d' ' -f5 /proc/self/mountinfo");
    assert!(said.contains("/usr/bin"), "{said}");
    for mount in said.split_whitespace() {
        assert!(
            !mount.starts_with("/sys") && !mount.starts_with("/run"),
            "{mount}"
        );
    }
    let roots = said
        .split_whitespace()
        .filter(|mount| *mount == "/")
        .count();
    assert_eq!(roots, 1, "{said}");
}

#[test]
fn every_wall_stands_where_programs_in_memory_are_forbidden() {
    // Then the command is the stage.
    let findings = examine(&jail().staged_by_program()).unwrap();
    let usual = examine(&jail()).unwrap();
    for (one, other) in findings.iter().zip(&usual) {
        assert_eq!(one.wall, other.wall);
        assert_eq!(one.missing, other.missing, "{}", one.wall);
    }
    assert!(works(&findings));
}
