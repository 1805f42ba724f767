//! A bot that may use the network, and variables that a bot has of its own: all else of its jail stays.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use flipside_sandbox::jail::{Layer, examine};
use flipside_sandbox::{OwnSettings, Program, Start, StartError};

use crate::common::{answer, block_on};
use crate::interpreters::has;
use crate::{file, folder, jail, sandbox_of, sh, start};

/// The same program with a network; nothing where a bot cannot have one here, for want of a control group, and then it
/// is not started.
fn with_network(program: Program) -> Option<Program> {
    let program = program.with_own(OwnSettings {
        network: true,
        ..OwnSettings::default()
    });
    let findings = examine(&jail()).unwrap();
    let lacks_group = |layer: Layer| {
        let found = findings.iter().find(|finding| finding.wall == layer);
        found.is_some_and(|finding| finding.missing.is_some())
    };
    if !lacks_group(Layer::TreeMemory) {
        return Some(program);
    }
    block_on(async {
        let started = sandbox_of(jail()).start(&program, &Start::default());
        match started {
            Err(StartError::Jail(missing)) => {
                assert!(missing.to_string().contains("control group"), "{missing}");
            }
            other => panic!("{other:?}"),
        }
    });
    None
}

#[test]
fn one_bot_reaches_this_machine_and_the_others_do_not() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!("bash -c 'echo hello > /dev/tcp/127.0.0.1/{port}' && echo CONNECTED");
    let Some(online) = with_network(sh(&script)) else {
        return;
    };
    listener.set_nonblocking(true).unwrap();
    block_on(async {
        for (program, connects) in [(online.clone(), true), (sh(&script), false), (online, true)] {
            let mut bot = start(&program);
            let said = answer(&mut bot, "x\n").await;
            assert_eq!(said.contains("CONNECTED"), connects, "{said}");
            assert_eq!(listener.accept().is_ok(), connects);
        }
    });
}

#[test]
fn with_a_network_all_other_walls_stand() {
    if !has("python3") {
        eprintln!("NOT TESTED, for this machine has no python3");
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let name = format!("flipside-test-{port}");
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _abstract = UnixListener::bind_addr(&address).unwrap();
    let folder = folder();
    let text = r#"#!/usr/bin/env python3
import os, socket, sys
def tried(what):
    try: what()
    except OSError as error: return error.errno
    return 0
def connected():
    with socket.create_connection(("localhost", PORT), 60) as there:
        there.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
def listening():
    with socket.socket() as here: here.bind(("127.0.0.1", 0)); here.listen()
def packets():
    with socket.socket() as here: here.setsockopt(socket.SOL_SOCKET, 26, bytes(16))
def beside():
    with socket.socket(socket.AF_UNIX) as here: here.connect("\0NAME")
def datagrams():
    for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM): end.close()
def pair():
    for end in socket.socketpair(): end.close()
for line in sys.stdin:
    print([tried(what) for what in [
        connected, pair, listening, packets, beside, datagrams,
        lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
        lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        lambda: os.kill(1, 9), lambda: os.listdir("/home"), lambda: open("/etc/x", "w"), lambda: os.nice(-1),
    ]], flush=True)
"#;
    let text = text
        .replace("PORT", &port.to_string())
        .replace("NAME", &name);
    let bot = Program::open(file(&folder, "bot.py", &text)).unwrap();
    let Some(bot) = with_network(bot) else {
        return;
    };
    block_on(async {
        let mut bot = start(&bot);
        let said = answer(&mut bot, "x\n").await;
        let numbers: Vec<i32> = said
            .trim_matches(['[', ']'])
            .split(", ")
            .map(|number| number.parse().unwrap())
            .collect();
        let (allowed, refused) = numbers.split_at(2);
        assert_eq!(allowed, [0, 0], "{said}");
        // Init hears no signal; there is no /home, and the root is read-only. Landlock refuses to bind where the
        // filter of calls would refuse to listen.
        let [
            listens,
            packets,
            beside,
            datagrams,
            netlink,
            raw,
            signal,
            home,
            root,
            nice,
        ] = refused
        else {
            panic!("{said}")
        };
        assert!([1, 13].contains(listens), "{said}");
        assert_eq!(
            [packets, beside, datagrams, netlink, raw],
            [&22, &1, &1, &1, &1],
            "{said}"
        );
        assert_eq!((*signal, *home, *nice), (0, 2, 1), "{said}");
        assert!([13, 30].contains(root), "{said}");
    });
}

#[test]
fn a_bot_sees_what_finds_addresses_only_with_a_network() {
    let script = "for at in /etc/hosts /etc/resolv.conf /etc/ssl/certs; do [ -e $at ] && echo $at; done; \
                  echo > /etc/hosts && echo WROTE";
    let there = ["/etc/hosts", "/etc/resolv.conf", "/etc/ssl/certs"];
    let there: Vec<&str> = { there }
        .into_iter()
        .filter(|path| std::path::Path::new(path).exists())
        .collect();
    let paths = |said: &str| -> Vec<String> {
        let words = said.split_whitespace();
        let paths = words.filter(|word| there.contains(word) || *word == "WROTE");
        paths.map(str::to_owned).collect()
    };
    let Some(online) = with_network(sh(script)) else {
        return;
    };
    block_on(async {
        let said = answer(&mut start(&online), "x\n").await;
        assert_eq!(paths(&said), there, "{said}");
        let said = answer(&mut start(&sh(script)), "x\n").await;
        assert_eq!(paths(&said), [""; 0], "{said}");
    });
}

#[test]
fn a_bot_has_the_variables_that_it_is_given_and_no_others() {
    // It is there whenever tests run.
    const GIVEN: &str = "CARGO_MANIFEST_DIR";
    let value = std::env::var(GIVEN).unwrap();
    let script = format!("echo \"<${GIVEN}>\"");
    let with = |name: &str| {
        let variables = vec![name.to_owned()];
        sh(&script).with_own(OwnSettings {
            variables,
            ..OwnSettings::default()
        })
    };
    block_on(async {
        let said = answer(&mut start(&with(GIVEN)), "x\n").await;
        assert_eq!(said.trim(), format!("<{value}>"));
        let said = answer(&mut start(&sh(&script)), "x\n").await;
        assert_eq!(said.trim(), "<>");
        let sandbox = sandbox_of(jail());
        let missing = with("FLIPSIDE_TEST_IS_NOT_SET");
        let error = sandbox.start(&missing, &Start::default()).unwrap_err();
        assert!(
            error.to_string().contains("FLIPSIDE_TEST_IS_NOT_SET"),
            "{error}"
        );
        assert!(
            error
                .hint()
                .unwrap()
                .contains("export FLIPSIDE_TEST_IS_NOT_SET")
        );
        assert!(!error.is_of_program());
    });
}
