//! Uploads: what is taken, what is refused and leaves nothing, who may see it, and what a stop leaves.

use std::io::{Read, Write};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Method, Request, StatusCode};
use flipside_site::{SiteLimits, UploadLimits};
use flipside_tournament::BotRef;
use futures_util::stream;

use crate::api::{organiser, until};
use crate::browser::{Browser, HOST, SCRIPT, TestSite, open};
use crate::sent::SentFile;

/// A bot that never answers: its check takes as long as patience lasts.
const SILENT: &str = "#!/bin/sh\nexec sleep 1000\n";

/// A bot that says something and ends.
const WRONG: &str = "#!/bin/sh\necho 'SECRET to its owner' >&2\necho '<script>alert(1)</script>'\n";

/// A bot that plays every game by chance.
pub(crate) fn random() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../sample-bots/shell/random.sh"
    );
    std::fs::read_to_string(path).unwrap()
}

fn limited(change: impl FnOnce(&mut UploadLimits)) -> SiteLimits {
    let mut limits = SiteLimits::default();
    change(&mut limits.uploads);
    limits
}

/// The state of an upload when its check is over, and its page.
pub(crate) async fn ended(browser: &mut Browser<'_>, path: &str) -> (String, String) {
    let mut state = String::new();
    until("the check ends", async || {
        let report = browser.get(&format!("/api/v1{path}")).await;
        let report: serde_json::Value = serde_json::from_str(report.text()).unwrap();
        report["state"].as_str().unwrap().clone_into(&mut state);
        !["waiting", "checking"].contains(&&*state)
    })
    .await;
    (state, browser.get(path).await.text().to_owned())
}

/// Where an upload was promised a check.
pub(crate) fn promised(answer: &crate::browser::BrowserAnswer) -> String {
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    let path = answer.header("location").to_owned();
    assert!(path.starts_with("/uploads/"), "{path}");
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_is_submitted_checked_and_in_the_arena_for_its_owner_to_download() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let form = SentFile::new("walker", random()).with("game", "flipfour");
    let path = promised(&form.send(&mut ada).await);
    let (state, page) = ended(&mut ada, &path).await;
    assert_eq!(state, "accepted", "{page}");
    assert!(page.contains("href=\"/bots/walker@1\""), "{page}");
    site.keeps_no_file().await;
    let wanted: BotRef = "walker".parse().unwrap();
    let bot = site.arena().read_journal().unwrap().bot(&wanted).unwrap();
    assert_eq!(bot.games, ["flipfour"]);
    site.site.look().await.unwrap();
    assert!(site.browser().get("/bots").await.text().contains("walker"));
    let account = ada.get("/account").await;
    assert!(
        account.text().contains("/account/bots/walker@1/file"),
        "{}",
        account.text()
    );

    let file = ada.get("/account/bots/walker@1/file").await;
    assert_eq!(file.bytes(), random().as_bytes());
    assert_eq!(
        file.header("content-disposition"),
        "attachment; filename=\"walker@1\""
    );
    assert_eq!(file.header("cache-control"), "private, no-store");
    let (mut eve, _) = site.person("eve").await;
    let mut boss = site.organiser("boss").await;
    for other in [&mut eve, &mut boss] {
        let answer = other.get("/account/bots/walker@1/file").await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
    }
    // A name has one owner, whatever its case.
    for name in ["walker", "Walker"] {
        let answer = SentFile::new(name, SILENT).send(&mut eve).await;
        assert_eq!(
            answer.status,
            StatusCode::FORBIDDEN,
            "{name}: {}",
            answer.text()
        );
    }
    site.keeps_no_file().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_does_not_pass_is_refused_and_its_report_is_for_its_owner_and_organisers() {
    let site = TestSite::open();
    let (mut ada, token) = site.person("ada").await;
    let answer = site
        .script(
            Method::PUT,
            "/api/v1/bots/wrong?game=flipfour",
            &token,
            WRONG,
        )
        .await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text());
    let told: serde_json::Value = serde_json::from_str(answer.text()).unwrap();
    let path = told["page"].as_str().unwrap();
    assert_eq!(answer.header("location"), format!("/api/v1{path}"));
    let (state, page) = ended(&mut ada, path).await;
    assert_eq!(state, "refused", "{page}");
    assert!(page.contains("SECRET to its owner"), "{page}");
    assert!(!page.contains(SCRIPT), "{page}");
    assert!(page.contains("&#60;script&#62;"), "{page}");
    assert!(
        !page.contains(site.folder.path().to_str().unwrap()),
        "{page}"
    );
    assert!(page.len() < 100_000);
    site.keeps_no_file().await;
    let (mut eve, _) = site.person("eve").await;
    for path in [path.to_owned(), format!("/api/v1{path}")] {
        let answer = eve.get(&path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        assert!(!answer.text().contains("wrong"));
        let anybody = site.browser().get(&path).await;
        match path.starts_with("/api/") {
            true => assert_eq!(anybody.status, StatusCode::UNAUTHORIZED),
            false => assert!(
                anybody
                    .header("location")
                    .starts_with("/sign-in?next=%2Fuploads")
            ),
        }
    }
    assert!(!eve.get("/account").await.text().contains("wrong"));
    let mut boss = site.organiser("boss").await;
    assert!(boss.get(path).await.text().contains("SECRET to its owner"));
    assert!(boss.get("/organiser").await.text().contains(">wrong<"));
    // The name is free again.
    let answer = SentFile::new("wrong", SILENT).send(&mut eve).await;
    promised(&answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_the_arena_belong_to_organisers() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let mut boss = site.organiser("boss").await;
    let arena = site.arena();
    let file = site.folder.path().join("old");
    std::fs::write(&file, SILENT).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&file, mode).unwrap();
    let kept = arena.keep(&file).unwrap();
    let mut journal = arena.journal().unwrap();
    journal.add_bot(&"Old".parse().unwrap(), &kept, 1).unwrap();
    for name in ["Old", "old", "random", "alphabeta-depth-4"] {
        let answer = SentFile::new(name, SILENT).send(&mut ada).await;
        assert_eq!(
            answer.status,
            StatusCode::FORBIDDEN,
            "{name}: {}",
            answer.text()
        );
        assert!(answer.text().contains("organisers"), "{}", answer.text());
    }
    site.keeps_no_file().await;
    promised(&SentFile::new("Old", SILENT).send(&mut boss).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_needs_an_account_and_the_word_of_its_session() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let nobody = SentFile::new("x", SILENT)
        .send_as_it_is(&mut site.browser())
        .await;
    assert_eq!(nobody.status, StatusCode::UNAUTHORIZED);
    for form in [
        SentFile::new("x", SILENT),
        SentFile::new("x", SILENT).with("word", "0"),
    ] {
        let answer = form.send_as_it_is(&mut ada).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{}", answer.text());
    }
    // A cookie alone is no reason to take a file that no form has sent.
    let request = ada
        .request(Method::PUT, "/api/v1/bots/x")
        .body(Body::from(SILENT));
    assert_eq!(
        ada.send(request.unwrap()).await.status,
        StatusCode::FORBIDDEN
    );
    site.keeps_no_file().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_bot_is_refused_and_leaves_nothing() {
    let mut limits = SiteLimits::default();
    limits.rates.account_uploads = limits.rates.requests;
    let site = TestSite::with(limits, open());
    let (mut ada, token) = site.person("ada").await;
    let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
    for (form, status) in [
        (
            SentFile::new("x", "\u{89}PNG"),
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ),
        (SentFile::new("x", "PK\x03\x04"), unprocessable),
        (
            SentFile::new("x", "import sys\n"),
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ),
        (SentFile::new("x", ""), unprocessable),
        (SentFile::new("", SILENT), unprocessable),
        (SentFile::new("..", SILENT), unprocessable),
        (SentFile::new("../../etc/passwd", SILENT), unprocessable),
        (SentFile::new(SCRIPT, SILENT), unprocessable),
        (SentFile::new(&"x".repeat(65), SILENT), unprocessable),
        (SentFile::new(&"x".repeat(10_000), SILENT), unprocessable),
        (
            SentFile::new("x", SILENT).with("game", "chess"),
            unprocessable,
        ),
        (SentFile::new("x", SILENT).with("other", "1"), unprocessable),
    ] {
        let answer = form.send(&mut ada).await;
        assert_eq!(answer.status, status, "{}", answer.text());
        assert!(!answer.text().contains(SCRIPT));
    }
    for path in [
        "/api/v1/bots/..",
        "/api/v1/bots/%2e%2e%2fjournal.sqlite",
        "/api/v1/bots/a%00b",
        "/api/v1/bots/x?game=chess",
    ] {
        let answer = site.script(Method::PUT, path, &token, SILENT).await;
        assert_eq!(answer.status, unprocessable, "{path}: {}", answer.text());
        assert_eq!(answer.header("content-type"), "application/problem+json");
    }
    let broken = ada.post("/upload", &[("name", "x")]).await;
    assert_eq!(broken.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    site.keeps_no_file().await;
    let rows: u32 = site
        .store()
        .query_row(
            "SELECT (SELECT count(*) FROM uploads) + (SELECT count(*) FROM owners)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(rows, 0);
}

/// A manifest that needs no other file.
const FILES_ONLY: &str = "language = \"python\"\nmain = \"bot.toml\"\n";

/// A packed bundle of this manifest and these files: how many, and the bytes of each.
fn packed(manifest: &str, files: u64, bytes: u64) -> Vec<u8> {
    let mut out = zstd::Encoder::new(Vec::new(), 1).unwrap();
    let mut add = |path: &str, size: u64, content: &mut dyn Read| {
        out.write_all(&tar_header(path, size)).unwrap();
        let blocks = size.next_multiple_of(512);
        let mut content = content.chain(std::io::repeat(0)).take(blocks);
        std::io::copy(&mut content, &mut out).unwrap();
    };
    add("bot.toml", manifest.len() as u64, &mut manifest.as_bytes());
    for file in 0..files {
        add(&format!("file{file:07}"), bytes, &mut std::io::empty());
    }
    out.write_all(&[0; 1024]).unwrap();
    out.finish().unwrap()
}

/// The header of a file in GNU tar, without times and owners.
fn tar_header(path: &str, size: u64) -> [u8; 512] {
    let mut header = [0; 512];
    let octal = format!("{size:011o}");
    let fields = [
        (0, path),
        (100, "0000644"),
        (108, "0000000"),
        (116, "0000000"),
        (124, &octal),
        (136, "00000000000"),
        (148, "        "),
        (156, "0"),
        (257, "ustar  "),
    ];
    for (at, text) in fields {
        header[at..at + text.len()].copy_from_slice(text.as_bytes());
    }
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

#[tokio::test(flavor = "multi_thread")]
async fn of_an_account_counts_what_its_bots_unpack_to() {
    let limits = limited(|uploads| {
        uploads.file_bytes = 64 << 10;
        uploads.account_bytes = 1 << 20;
    });
    let site = TestSite::with(limits, open());
    let (mut ada, _) = site.person("ada").await;
    let bundle = packed(FILES_ONLY, 2, 1 << 20);
    assert!(bundle.len() < 10_000, "{} bytes", bundle.len());
    let path = promised(&SentFile::new("large", bundle).send(&mut ada).await);
    let (state, page) = ended(&mut ada, &path).await;
    assert_eq!(state, "refused", "{page}");
    let said = "unpacked it has 2097190 bytes; your bots have 0 bytes, and may have 1048576; ask an organiser to delete \
                old versions";
    assert!(page.contains(said), "{page}");
    site.keeps_no_file().await;
    assert!(!site.arena().cache().join("bundles").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_upload_that_holds_very_much_is_refused_and_leaves_nothing() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    for (files, bytes, why) in [
        (100_000, 0, "more than 50000 files, folders and links"),
        (4, 1 << 30, "more than 1024 MiB together"),
    ] {
        let bundle = packed(FILES_ONLY, files, bytes);
        assert!(bundle.len() < 16 << 20, "{} bytes", bundle.len());
        let answer = SentFile::new("large", bundle).send(&mut ada).await;
        let text = match answer.status {
            StatusCode::SEE_OTHER => {
                let (state, page) = ended(&mut ada, &promised(&answer)).await;
                assert_eq!(state, "refused", "{page}");
                page
            }
            status => {
                assert!(status.is_client_error(), "{status}");
                answer.text().to_owned()
            }
        };
        assert!(text.contains(why), "{text}");
        site.keeps_no_file().await;
        assert!(
            site.arena()
                .read_journal()
                .unwrap()
                .bots()
                .unwrap()
                .is_empty()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_whose_command_starts_nothing_is_refused_in_words() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    for (command, why) in [
        ("", "which names no program"),
        ("--help", "which names no program"),
        (
            "no-such-program",
            "is started by no-such-program, which is not there",
        ),
    ] {
        let bundle = packed(&format!("command = [{command:?}]\n"), 1, 10);
        let answer = SentFile::new("starter", bundle).send(&mut ada).await;
        let (state, page) = ended(&mut ada, &promised(&answer)).await;
        assert_eq!(state, "refused", "{command}: {page}");
        assert!(page.contains(why), "{command}: {page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_file_is_never_a_path() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let form = SentFile::new("x", SILENT).named("../../../../escaped.sh");
    promised(&form.send(&mut ada).await);
    let files = site.files();
    assert_eq!(files.len(), 1);
    assert!(
        files[0].len() == 32 && files[0].bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{files:?}"
    );
    assert!(!site.folder.path().join("escaped.sh").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_too_large_is_refused_before_it_is_read_or_while_it_comes() {
    let site = TestSite::with(limited(|uploads| uploads.file_bytes = 100_000), open());
    let (mut ada, token) = site.person("ada").await;
    // Who says how much comes is refused before anything has come: this body would never end.
    let never = || Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
    let request = Request::put("/api/v1/bots/x")
        .header("host", HOST)
        .header("authorization", format!("Bearer {token}"))
        .header("content-length", "2147483648");
    let answer = site.send(request.body(never()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    let request = ada
        .request(Method::POST, "/upload")
        .header("content-type", "multipart/form-data; boundary=x")
        .header("content-length", "2147483648");
    let answer = ada.send(request.body(never()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    // Who does not is counted: this body has 2 GB, and hardly any of it is taken.
    let blocks = stream::iter((0..32_768).map(|at| {
        assert!(at < 100, "too much is read");
        Ok::<_, std::io::Error>(Bytes::from(vec![b'#'; 65_536]))
    }));
    let body = Body::from_stream(blocks);
    let answer = site
        .script(Method::PUT, "/api/v1/bots/x", &token, body)
        .await;
    assert_eq!(
        answer.status,
        StatusCode::PAYLOAD_TOO_LARGE,
        "{}",
        answer.text()
    );
    let large = [SILENT.as_bytes(), &vec![b'#'; 100_000]].concat();
    let answer = SentFile::new("x", large).send(&mut ada).await;
    assert_eq!(
        answer.status,
        StatusCode::PAYLOAD_TOO_LARGE,
        "{}",
        answer.text()
    );
    site.keeps_no_file().await;
    // Other requests have the usual limit.
    let answer = ada
        .post("/sign-in", &[("token", &"x".repeat(70_000))])
        .await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_stalls_or_breaks_off_is_given_up_and_leaves_nothing() {
    let site = TestSite::with(
        limited(|uploads| {
            uploads.pace = Duration::from_millis(50);
            uploads.least = uploads.file_bytes;
        }),
        open(),
    );
    let (_, token) = site.person("ada").await;
    let begun = |rest| {
        let first = Ok::<_, std::io::Error>(Bytes::from(SILENT));
        Body::from_stream(futures_util::StreamExt::chain(stream::iter([first]), rest))
    };
    let stalled = begun(futures_util::StreamExt::boxed(stream::pending()));
    // Who sends a byte now and then, for ever, holds a place for no longer.
    let trickle = stream::unfold((), |()| async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        Some((Ok(Bytes::from("#")), ()))
    });
    let trickled = begun(futures_util::StreamExt::boxed(trickle));
    for body in [stalled, trickled] {
        let answer = site
            .script(Method::PUT, "/api/v1/bots/x", &token, body)
            .await;
        assert_eq!(
            answer.status,
            StatusCode::REQUEST_TIMEOUT,
            "{}",
            answer.text()
        );
    }
    // A form that stalls before its file holds its place for no longer.
    let (ada, _) = site.person("bob").await;
    let request = ada
        .request(Method::POST, "/upload")
        .header("content-type", "multipart/form-data; boundary=x");
    let first = "--x\r\ncontent-disposition: form-data; name=\"name\"\r\n\r\nbo";
    let first = stream::iter([Ok::<_, std::io::Error>(Bytes::from(first))]);
    let body = futures_util::StreamExt::chain(first, stream::pending());
    let answer = site
        .send(request.body(Body::from_stream(body)).unwrap())
        .await;
    assert_eq!(
        answer.status,
        StatusCode::REQUEST_TIMEOUT,
        "{}",
        answer.text()
    );
    let error = Err(std::io::Error::other("gone"));
    let broken = begun(futures_util::StreamExt::boxed(stream::iter([error])));
    let answer = site
        .script(Method::PUT, "/api/v1/bots/x", &token, broken)
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{}", answer.text());
    site.keeps_no_file().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn places_and_room_are_bounded() {
    places_are_bounded(
        limited(|uploads| uploads.at_once = 1),
        StatusCode::SERVICE_UNAVAILABLE,
    )
    .await;
    // Accounts that send from one address do not have all places together.
    places_are_bounded(
        limited(|uploads| uploads.of_address = 1),
        StatusCode::TOO_MANY_REQUESTS,
    )
    .await;

    for (change, status) in [
        (
            Box::new(|uploads: &mut UploadLimits| uploads.waiting_bytes = 10)
                as Box<dyn FnOnce(&mut _)>,
            StatusCode::SERVICE_UNAVAILABLE,
        ),
        (
            Box::new(|uploads: &mut UploadLimits| uploads.account_bytes = 10),
            StatusCode::INSUFFICIENT_STORAGE,
        ),
    ] {
        let site = TestSite::with(limited(change), open());
        let (mut ada, _) = site.person("ada").await;
        let answer = SentFile::new("x", SILENT).send(&mut ada).await;
        assert_eq!(answer.status, status, "{}", answer.text());
        site.keeps_no_file().await;
    }
}

/// A body of which nothing comes, and what tells that it is waited for.
fn never_ending() -> (Body, tokio::sync::oneshot::Receiver<()>) {
    let (begun, is_received) = tokio::sync::oneshot::channel();
    let mut begun = Some(begun);
    let never = stream::poll_fn(move |_| -> Poll<Option<Result<Bytes, std::io::Error>>> {
        let _ = begun.take().map(|begun| begun.send(()));
        Poll::Pending
    });
    (Body::from_stream(never), is_received)
}

/// While the file of one account comes, that of another one gets this status: both come from one address.
async fn places_are_bounded(limits: SiteLimits, full: StatusCode) {
    let site = TestSite::with(limits, open());
    let (_, token) = site.person("ada").await;
    let (_, bobs) = site.person("bob").await;
    let put = |path, body| site.script(Method::PUT, path, &token, body);
    {
        let (never, is_received) = never_ending();
        let mut first = std::pin::pin!(put("/api/v1/bots/x", never));
        tokio::select! {
            answer = &mut first => panic!("it never ends: {}", answer.text()),
            received = is_received => received.unwrap(),
        }
        // One account has one place, so that there are places for others.
        let own = put("/api/v1/bots/y", Body::from(SILENT)).await;
        assert_eq!(own.status, StatusCode::TOO_MANY_REQUESTS, "{}", own.text());
        assert_eq!(own.header("retry-after"), "30");
        let put_bobs = site.script(Method::PUT, "/api/v1/bots/z", &bobs, Body::from(SILENT));
        let second = put_bobs.await;
        assert_eq!(second.status, full, "{}", second.text());
        assert_eq!(second.header("retry-after"), "30");
    }
    // The first has gone.
    let third = put("/api/v1/bots/y", Body::from(SILENT)).await;
    assert_eq!(third.status, StatusCode::ACCEPTED, "{}", third.text());
    let other = site.script(Method::PUT, "/api/v1/bots/z", &bobs, Body::from(SILENT));
    assert_eq!(other.await.status, StatusCode::ACCEPTED);
}

#[tokio::test(flavor = "multi_thread")]
async fn room_is_kept_for_the_program_of_a_game_while_it_comes() {
    let one_file = limited(|uploads| uploads.waiting_bytes = uploads.file_bytes);
    let site = TestSite::with(one_file, open());
    let boss = organiser(&site, "boss").await;
    let (_, token) = site.person("ada").await;
    let put = || {
        let path = "/api/v1/bots/x";
        site.script(Method::PUT, path, &token, Body::from(SILENT))
    };
    {
        let (never, is_received) = never_ending();
        let game = site.script(Method::POST, "/api/v1/games", &boss, never);
        let mut game = std::pin::pin!(game);
        tokio::select! {
            answer = &mut game => panic!("it never ends: {}", answer.text()),
            received = is_received => received.unwrap(),
        }
        let bot = put().await;
        assert_eq!(
            bot.status,
            StatusCode::SERVICE_UNAVAILABLE,
            "{}",
            bot.text()
        );
    }
    // The game has gone.
    let bot = put().await;
    assert_eq!(bot.status, StatusCode::ACCEPTED, "{}", bot.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_has_few_uploads_in_the_queue_and_few_names() {
    let limits = limited(|uploads| {
        uploads.waiting = 2;
        uploads.names = 3;
    });
    let site = TestSite::with(limits, open());
    let (mut ada, _) = site.person("ada").await;
    for name in ["a", "b"] {
        promised(&SentFile::new(name, SILENT).send(&mut ada).await);
    }
    let answer = SentFile::new("c", SILENT).send(&mut ada).await;
    assert_eq!(
        answer.status,
        StatusCode::TOO_MANY_REQUESTS,
        "{}",
        answer.text()
    );
    let done = "UPDATE uploads SET state = 'failed' WHERE state = 'waiting'";
    site.store().execute(done, []).unwrap();
    promised(&SentFile::new("c", SILENT).send(&mut ada).await);
    site.store().execute(done, []).unwrap();
    let answer = SentFile::new("d", SILENT).send(&mut ada).await;
    assert_eq!(answer.status, StatusCode::CONFLICT, "{}", answer.text());
    assert!(answer.text().contains("may own 3"), "{}", answer.text());
    let (mut bob, _) = site.person("bob").await;
    promised(&SentFile::new("d", SILENT).send(&mut bob).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_breaks_a_check_off_and_the_next_start_begins_it_again() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let path = promised(&SentFile::new("slow", SILENT).send(&mut ada).await);
    let cookie = ada.cookie.clone();
    until("the check begins", async || {
        ada.get(&path).await.text().contains("<progress")
    })
    .await;
    let folder = Arc::clone(&site.folder);
    // What an upload that was never promised has left.
    let left = folder.path().join("arena/uploads/.incoming-left");
    std::fs::write(&left, "x").unwrap();
    site.site.stop();
    drop(ada);
    drop(site);
    let site = TestSite::over(folder, SiteLimits::default(), open());
    assert!(!left.exists());
    let mut ada = site.browser();
    ada.cookie = cookie;
    let attempts = || -> u32 {
        let query = "SELECT attempts FROM uploads";
        site.store().query_row(query, [], |row| row.get(0)).unwrap()
    };
    until("the check begins", async || {
        ada.get(&path).await.text().contains("<progress")
    })
    .await;
    // A stop is no attempt of the bot's.
    assert_eq!((attempts(), site.files().len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_ends_the_server_each_time_is_given_up() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let path = promised(&SentFile::new("deadly", SILENT).send(&mut ada).await);
    let cookie = ada.cookie.clone();
    let folder = Arc::clone(&site.folder);
    drop(ada);
    drop(site);
    let store = rusqlite::Connection::open(folder.path().join("arena/site.db")).unwrap();
    store
        .execute("UPDATE uploads SET state = 'checking', attempts = 5", [])
        .unwrap();
    let site = TestSite::over(folder, SiteLimits::default(), open());
    let mut ada = site.browser();
    ada.cookie = cookie;
    let page = ada.get(&path).await;
    assert!(
        page.text()
            .contains("the server ended during each of its checks"),
        "{}",
        page.text()
    );
    site.keeps_no_file().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bots_of_a_disabled_account_are_not_entered() {
    let site = TestSite::open();
    let (mut ada, _) = site.person("ada").await;
    let (mut bob, _) = site.person("bob").await;
    let mut boss = site.organiser("boss").await;
    // The first keeps the queue busy.
    promised(&SentFile::new("eager", SILENT).send(&mut ada).await);
    let path = promised(&SentFile::new("second", random()).send(&mut bob).await);
    boss.submit(
        "/organiser/disable",
        &[("account", "bob"), ("disabled", "true")],
    )
    .await;
    let (state, page) = ended(&mut boss, &path).await;
    assert_eq!(state, "refused");
    assert!(page.contains("its account was disabled"), "{page}");
    assert!(
        site.arena()
            .read_journal()
            .unwrap()
            .bots()
            .unwrap()
            .is_empty()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_on_the_page_submits_a_bot() {
    let site = TestSite::open();
    let (mut ada, token) = site.person("ada").await;
    let page = ada.get("/submit").await;
    let path = page.text().split("ADDRESS").nth(1).unwrap();
    let path = path.split('<').next().unwrap();
    let sent = site.script(Method::PUT, path, &token, SILENT).await;
    assert_eq!(sent.status, StatusCode::ACCEPTED, "{path}: {}", sent.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_server_takes_the_uploads_of_an_arena() {
    let site = TestSite::open();
    let second = flipside_site::Site::with(site.arena(), SiteLimits::default(), open());
    let failure = second.err().expect("the folder of uploads is taken");
    assert!(failure.message().contains("another server"), "{failure}");
}
