//! A client that openapi-python-client makes of the OpenAPI document runs one whole flow against a server.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::accounts::{LISTEN, sign_up};
use crate::common::{TestRun, run, sample};
use crate::server::TestServer;

#[test]
fn a_generated_client_submits_a_bot_requests_matches_and_reads_their_replays() {
    let environment = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/openapi-client/bin");
    let generator = environment.join("openapi-python-client");
    assert!(
        generator.exists(),
        "there is no {}: scripts/need-openapi-client installs it",
        generator.display()
    );
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path(), &["invite", "--new"]).ok();
    let server = TestServer::start(folder.path(), &LISTEN);
    let token = sign_up(&server, path.trim(), "ada");
    let (status, answer) = server.get("/api/v1/openapi.json");
    assert_eq!(status, "HTTP/1.1 200 OK");
    let (_, document) = answer.split_once("\r\n\r\n").unwrap();
    fs::write(folder.path().join("openapi.json"), document).unwrap();
    // What makes its code look well needs time, and nobody reads it.
    fs::write(folder.path().join("config.yaml"), "post_hooks: []\n").unwrap();
    let generated = Command::new(&generator)
        .args([
            "generate",
            "--path",
            "openapi.json",
            "--config",
            "config.yaml",
        ])
        .args(["--meta", "none", "--output-path", "flipside_client"])
        .args(["--fail-on-warning"])
        .current_dir(folder.path())
        .output();
    let generated = TestRun::from(generated.unwrap());
    assert_eq!(
        generated.code,
        Some(0),
        "{}{}",
        generated.stdout,
        generated.stderr
    );
    let flow = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/client/flow.py");
    let played = Command::new(environment.join("python3"))
        .arg(flow)
        .args([&format!("http://{}", server.host()), &token])
        .arg(sample("shell/random.sh"))
        .env("PYTHONPATH", folder.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("NO_PROXY", "127.0.0.1")
        .output();
    let played = TestRun::from(played.unwrap());
    assert_eq!(played.stdout, "2 matches\n", "{}", played.stderr);
    server.signal("TERM");
    assert_eq!(server.end(), (Some(0), String::new()));
}
