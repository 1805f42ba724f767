//! The site through the command: started, asked, stopped.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::{run, sample};
use crate::server::TestServer;

/// An arena with a tournament of two bots.
fn played(folder: &Path) {
    let bot = sample("shell/random.sh");
    let copy = folder.join("other");
    fs::copy(&bot, &copy).unwrap();
    fs::write(&copy, fs::read_to_string(&bot).unwrap() + "# another\n").unwrap();
    let bots = [bot.as_str(), copy.to_str().unwrap()];
    let flags = [
        "--rounds", "1", "--name", "cup", "--trust", "--clock", "move=60s",
    ];
    let args: Vec<&str> = ["tournament", "flipfour"]
        .into_iter()
        .chain(bots)
        .chain(flags)
        .collect();
    run(folder, &args).ok();
}

/// A request of which the headers have not all come.
fn begun(server: &TestServer) -> TcpStream {
    let mut begun = server.connect();
    begun
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n")
        .unwrap();
    // Before the server has read any of it, a signal closes the connection.
    let port = begun.local_addr().unwrap().port();
    let end = Instant::now() + Duration::from_secs(400);
    while unread(port) != Some(false) {
        assert!(Instant::now() < end, "the server does not read");
        std::thread::sleep(Duration::from_millis(1));
    }
    begun
}

/// Whether what was sent from this port of this machine has not all been read by whom it was sent to, as proc_net(5)
/// tells. Nothing: the list was read in pieces while others came and went, and lacks this one.
fn unread(port: u16) -> Option<bool> {
    let all = fs::read_to_string("/proc/net/tcp").unwrap();
    let sender = format!("0100007F:{port:04X}");
    let mut lines = all.lines().map(|line| line.split_whitespace());
    let of_reader = lines.find_map(|mut fields| (fields.nth(2)? == sender).then_some(fields));
    let queues = of_reader?.nth(1).unwrap();
    Some(!queues.ends_with(":00000000"))
}

/// Somebody who listens to news, which would never end.
fn listener(server: &TestServer) -> TcpStream {
    let mut listener = server.connect();
    listener
        .write_all(b"GET /live HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    let mut first = [0; 12];
    listener.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    listener
}

#[test]
fn an_arena_is_served_until_a_signal_and_running_requests_are_finished() {
    for signal in ["TERM", "INT"] {
        let folder = tempfile::tempdir().unwrap();
        played(folder.path());
        let server = TestServer::start(folder.path(), &["--listen", "127.0.0.1:0"]);
        let (status, home) = server.get("/");
        assert_eq!(status, "HTTP/1.1 200 OK");
        assert!(home.contains("/tournaments/cup"), "{home}");
        // A request that has begun when the signal comes, and a listener that would never end.
        let mut begun = begun(&server);
        let mut listener = listener(&server);
        server.signal(signal);
        let mut rest = Vec::new();
        listener.read_to_end(&mut rest).unwrap();
        begun.write_all(b"connection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        begun.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{signal}: {answer:?}");
        let (code, said) = server.end();
        assert_eq!((code, said.as_str()), (Some(0), ""), "{signal}");
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let folder = tempfile::tempdir().unwrap();
    played(folder.path());
    let server = TestServer::start(folder.path(), &["--listen", "127.0.0.1:0"]);
    let mut begun = begun(&server);
    let mut listener = listener(&server);
    server.signal("TERM");
    // It has heard of it when this ends.
    listener.read_to_end(&mut Vec::new()).unwrap();
    server.signal("TERM");
    assert_eq!(server.end(), (Some(0), String::new()));
    let mut answer = String::new();
    // The connection is closed, or reset.
    let _ = begun.read_to_string(&mut answer);
    assert_eq!(answer, "", "nobody waits for the rest of the request");
}

#[test]
fn headers_and_addresses_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    played(folder.path());
    let server = TestServer::start(folder.path(), &["--listen", "127.0.0.1:0"]);
    let (status, _) = server.get(&format!("/{}", "x".repeat(4_000)));
    assert_eq!(status, "HTTP/1.1 414 URI Too Long");
    let mut stream = server.connect();
    let huge = format!(
        "GET / HTTP/1.1\r\nhost: x\r\nx-long: {}\r\n\r\n",
        "x".repeat(64 << 10)
    );
    // It may close before it has read all.
    let _ = stream.write_all(huge.as_bytes());
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text);
    assert!(
        text.is_empty() || text.starts_with("HTTP/1.1 431"),
        "{text}"
    );
    // Others do not notice.
    assert_eq!(server.get("/healthz").0, "HTTP/1.1 200 OK");
    server.signal("TERM");
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn requests_are_logged_with_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    played(folder.path());
    let server = TestServer::start(folder.path(), &["-v", "--listen", "127.0.0.1:0"]);
    let (_, answer) = server.get("/bots/nobody");
    let id = answer.split("x-request-id: ").nth(1).unwrap();
    let id = id.split("\r\n").next().unwrap().to_owned();
    server.signal("TERM");
    let (code, said) = server.end();
    assert_eq!(code, Some(0));
    let line = said
        .lines()
        .find(|line| line.contains(&id))
        .expect("its number is in the log");
    assert!(
        line.contains("path=\"/bots/nobody\"") && line.contains("status=404"),
        "{line}"
    );
}

#[test]
fn a_log_in_json_has_the_number_of_the_request_that_the_answer_has() {
    let folder = tempfile::tempdir().unwrap();
    played(folder.path());
    let server = TestServer::start(folder.path(), &["--log", "json", "--listen", "127.0.0.1:0"]);
    let mut stream = server.connect();
    stream
        .write_all(
            b"GET / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer x\r\nconnection: close\r\n\r\n",
        )
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let id = answer.split("x-request-id: ").nth(1).unwrap();
    let id = id.split("\r\n").next().unwrap().to_owned();
    // A script is told of it also in the text.
    assert!(answer.ends_with(&format!("request: {id}\n")), "{answer}");
    server.signal("TERM");
    let (code, said) = server.end();
    assert_eq!(code, Some(0));
    let lines = said.lines().map(|line| {
        let line: Result<serde_json::Value, _> = serde_json::from_str(line);
        line.unwrap_or_else(|error| panic!("{error}: {said}"))
    });
    let lines: Vec<serde_json::Value> = lines.collect();
    let mut of_request = lines.iter().filter(|line| line["span"]["id"] == *id);
    let line = of_request.next().expect("its number is in the log");
    assert_eq!(line["message"], "answered");
    assert_eq!(line["status"], 401);
    assert_eq!(line["path"], "/");
}

#[test]
fn what_cannot_be_served_is_refused_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let refused = run(folder.path(), &["serve"]).refused(1);
    assert!(refused.contains("hint: "), "{refused}");
    played(folder.path());
    let server = TestServer::start(folder.path(), &["--listen", "127.0.0.1:0"]);
    let taken = server.host();
    let refused = run(folder.path(), &["serve", "--listen", &taken]).refused(1);
    assert!(refused.contains("--listen 127.0.0.1:0"), "{refused}");
    run(folder.path(), &["serve", "--listen", "nowhere"]).refused(2);
}

#[test]
fn a_site_begins_in_an_empty_folder_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // A folder whose name was mistyped is no new arena.
    for command in ["serve", "invite"] {
        let refused = run(folder, &[command, "--arena", "arean"]).refused(1);
        assert!(refused.contains("there is no arena at arean"), "{refused}");
        assert!(refused.contains("flipside serve --new"), "{refused}");
        fs::write(folder.join("note"), "mine").unwrap();
        let refused = run(folder, &[command, "--new", "--arena", "."]).refused(1);
        assert!(
            refused.contains("is not an arena: it holds note"),
            "{refused}"
        );
    }
    assert!(!folder.join("arean").exists());
    let path = run(folder, &["invite", "--new", "--organiser"]).ok();
    assert!(path.starts_with("/join/"), "{path}");
    // The same line starts the server the next time, too.
    for _ in 0..2 {
        let server = TestServer::start(folder, &["--new", "--listen", "127.0.0.1:0"]);
        let (status, page) = server.get(path.trim());
        assert_eq!(status, "HTTP/1.1 200 OK", "{page}");
        server.signal("TERM");
        assert_eq!(server.end(), (Some(0), String::new()));
    }
    let fresh = ["--new", "--listen", "127.0.0.1:0", "--arena", "fresh"];
    let server = TestServer::start(folder, &fresh);
    assert_eq!(server.get("/").0, "HTTP/1.1 200 OK");
}

#[test]
fn an_address_that_others_reach_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    played(folder.path());
    let server = TestServer::start(folder.path(), &["--listen", "0.0.0.0:0"]);
    server.signal("TERM");
    let (code, said) = server.end();
    assert_eq!(code, Some(0));
    assert!(
        said.starts_with("warning: 0.0.0.0:0 is open to other machines"),
        "{said}"
    );
}

#[test]
fn an_arena_that_cannot_be_written_is_served() {
    let folder = tempfile::tempdir().unwrap();
    played(folder.path());
    let arena = folder.path().join("arena");
    let set = |mode: &str| {
        let changed = Command::new("chmod")
            .args(["-R", mode])
            .arg(&arena)
            .status();
        assert!(changed.unwrap().success());
    };
    set("a-w");
    let server = TestServer::start(folder.path(), &["--listen", "127.0.0.1:0"]);
    let statuses =
        ["/", "/tournaments/cup", "/matches/cup-0", "/healthz"].map(|path| server.get(path).0);
    set("u+w");
    assert_eq!(statuses, ["HTTP/1.1 200 OK"; 4]);
    server.signal("TERM");
    assert_eq!(server.end().0, Some(0));
}
