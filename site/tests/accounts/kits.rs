//! A student who has only a browser and a zip program: a kit is downloaded, changed, packed and submitted.

use std::path::Path;
use std::process::Command;

use axum::http::StatusCode;
use serde_json::Value;

use crate::browser::{Browser, TestSite};
use crate::sent::SentFile;
use crate::uploads::{ended, promised};

/// Runs a program in a folder, which must succeed.
fn run(folder: &Path, program: &str, args: &[&str]) {
    let mut command = Command::new(program);
    command.current_dir(folder).args(args);
    command.env("GOCACHE", folder.join("go-cache"));
    let output = command.output();
    let output =
        output.unwrap_or_else(|error| panic!("{program}: {error}: `scripts/test --set-up`"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {said}");
}

/// Unpacks a zip by another program than this one.
fn unpack(folder: &Path, zip: &[u8]) {
    std::fs::write(folder.join("kit.zip"), zip).unwrap();
    let script = "import zipfile; zipfile.ZipFile('kit.zip').extractall('.')";
    run(folder, "python3", &["-c", script]);
}

/// Packs a folder in the same way, with the folder itself in it.
fn pack(folder: &Path, name: &str) -> Vec<u8> {
    let script = "import shutil, sys; shutil.make_archive('packed', 'zip', '.', sys.argv[1])";
    run(folder, "python3", &["-c", script, name]);
    std::fs::read(folder.join("packed.zip")).unwrap()
}

/// The upload as the API shows it, when its check is over.
async fn checked(browser: &mut Browser<'_>, form: SentFile) -> Value {
    let path = promised(&form.send(browser).await);
    let (_, page) = ended(browser, &path).await;
    let shown = browser.get(&format!("/api/v1{path}")).await;
    let shown: Value = serde_json::from_str(shown.text()).unwrap();
    assert_eq!(shown["state"], "accepted", "{page}");
    shown
}

/// Makes sure that a bot has played a whole match.
fn has_played(shown: &Value) {
    let steps = shown["report"]["steps"].as_array().unwrap();
    let played = steps
        .iter()
        .find(|step| step["name"] == "match-least-seats");
    assert_eq!(played.unwrap()["status"], "ok", "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kit_is_downloaded_packed_by_another_program_and_plays() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let page = ada.get("/kits").await;
    let builds: [(&str, &[&str]); 7] = [
        ("python", &[]),
        ("llm", &[]),
        ("javascript", &[]),
        ("java", &["sh", "build.sh"]),
        ("c", &["cc", "-std=gnu11", "-O1", "-o", "yon", "bot.c"]),
        (
            "go",
            &["env", "CGO_ENABLED=0", "go", "build", "-o", "yon", "."],
        ),
        (
            "rust",
            &["rustc", "--edition", "2021", "-o", "yon", "src/main.rs"],
        ),
    ];
    for (language, build) in builds {
        let address = format!("/kits/{language}");
        assert!(
            page.text().contains(&format!("formaction=\"{address}\"")),
            "{}",
            page.text()
        );
        let kit = ada.get(&format!("{address}?name=yon")).await;
        assert_eq!(kit.status, StatusCode::OK);
        assert_eq!(kit.header("content-type"), "application/zip");
        let disposition = "attachment; filename=\"yon.zip\"";
        assert_eq!(kit.header("content-disposition"), disposition);
        let folder = tempfile::tempdir().unwrap();
        unpack(folder.path(), kit.bytes());
        if let [program, args @ ..] = build {
            run(&folder.path().join("yon"), program, args);
        }
        let packed = pack(folder.path(), "yon");
        let form = SentFile::new(&format!("ada-{language}"), packed).named("yon.zip");
        has_played(&checked(&mut ada, form.with("game", "flipfour")).await);
    }
    site.keeps_no_file().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_source_file_that_uses_the_kit_plays() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let folder = tempfile::tempdir().unwrap();
    unpack(folder.path(), ada.get("/kits/python").await.bytes());
    let bot = std::fs::read(folder.path().join("mybot/bot.py")).unwrap();
    let form = SentFile::new("yon", bot).named("yon.py");
    has_played(&checked(&mut ada, form.with("game", "flipfour")).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kit_is_the_same_each_time_and_a_name_that_does_not_fit_is_refused() {
    let site = TestSite::open();
    let mut browser = site.browser();
    let kit = browser.get("/kits/c").await;
    assert_eq!(
        kit.header("content-disposition"),
        "attachment; filename=\"mybot.zip\""
    );
    let again = browser.get("/kits/c?name=mybot").await;
    assert_eq!(kit.bytes(), again.bytes());
    assert_eq!(kit.header("etag"), again.header("etag"));
    for name in ["My%20Bot", "..", "a%22b", "%3Cscript%3E"] {
        let refused = browser.get(&format!("/kits/c?name={name}")).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{name}");
    }
    let absent = browser.get("/kits/cobol").await;
    assert_eq!(absent.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_is_refused_is_told_in_words_and_leaves_nothing() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("yon")).unwrap();
    std::fs::write(folder.path().join("yon/bot.c"), "int main() {}").unwrap();
    let source = pack(folder.path(), "yon");
    for (file, name, words) in [
        (
            source,
            "yon.zip",
            "This is source code in C, and the arena builds nothing.",
        ),
        (
            b"PK\x03\x04".to_vec(),
            "yon.zip",
            "The archive is cut off or damaged.",
        ),
        (
            b"Rar!\x1a\x07".to_vec(),
            "yon.rar",
            "This is a rar archive.",
        ),
    ] {
        let answer = SentFile::new("yon", file).named(name).send(&mut ada).await;
        assert!(answer.status.is_client_error(), "{}", answer.text());
        assert!(answer.text().contains(words), "{}", answer.text());
        assert!(
            !answer.text().contains("flipside pack"),
            "{}",
            answer.text()
        );
    }
    site.keeps_no_file().await;
}
