//! Webhooks: a receiver on this machine hears of results, checks signatures, and fails now and then.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flipside_site::{SiteLimits, WebhookLimits};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::api::{ApiClient, organiser, until};
use crate::bots;
use crate::browser::{TestSite, open, token};

/// A message as it came.
#[derive(Clone, Debug)]
struct ReceivedCall {
    id: String,
    timestamp: String,
    signature: String,
    body: String,
}

/// Something that listens, until it is dropped.
struct Receiver {
    url: String,
    heard: Arc<Mutex<Vec<ReceivedCall>>>,
    /// Whether it answers that it has failed.
    is_broken: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Receiver {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (heard, is_broken, is_over) = (
            Arc::<Mutex<Vec<ReceivedCall>>>::default(),
            Arc::<AtomicBool>::default(),
            Arc::<AtomicBool>::default(),
        );
        let thread = std::thread::spawn({
            let (heard, is_broken, is_over) = (
                Arc::clone(&heard),
                Arc::clone(&is_broken),
                Arc::clone(&is_over),
            );
            move || {
                for stream in listener.incoming() {
                    if is_over.load(Ordering::SeqCst) {
                        return;
                    }
                    let status = match is_broken.load(Ordering::SeqCst) {
                        true => "500 Internal Server Error",
                        false => "204 No Content",
                    };
                    let mut stream = stream.unwrap();
                    // Whoever sent it may look at what was heard as soon as it has the answer.
                    let Some(message) = receive(&stream) else {
                        continue;
                    };
                    heard.lock().unwrap().push(message);
                    let answer = format!(
                        "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                    );
                    stream.write_all(answer.as_bytes()).unwrap();
                }
            }
        });
        Receiver {
            url,
            heard,
            is_broken,
            is_over,
            thread: Some(thread),
        }
    }

    fn heard(&self) -> Vec<ReceivedCall> {
        self.heard.lock().unwrap().clone()
    }

    /// The types of what was heard, with the ids of matches or the names of tournaments.
    fn told(&self) -> Vec<String> {
        let heard = self.heard();
        let told = heard.iter().map(|heard| {
            let body: Value = serde_json::from_str(&heard.body).unwrap();
            let data = &body["data"];
            let of = data["id"].as_str().or(data["tournament"].as_str());
            format!("{} {}", body["type"].as_str().unwrap(), of.unwrap())
        });
        told.collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let address = self.url.strip_prefix("http://").unwrap();
        let _ = TcpStream::connect(address.split('/').next().unwrap());
        let ended = self.thread.take().map(std::thread::JoinHandle::join);
        assert!(std::thread::panicking() || ended.is_some_and(|ended| ended.is_ok()));
    }
}

/// Reads a request.
fn receive(stream: &TcpStream) -> Option<ReceivedCall> {
    let mut reader = BufReader::new(stream);
    let mut headers = std::collections::HashMap::new();
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert!(line.is_empty() || line.starts_with("POST /hook"), "{line}");
    loop {
        line.clear();
        if reader.read_line(&mut line).unwrap() <= 2 {
            break;
        }
        let (name, value) = line.trim().split_once(':').unwrap();
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length")?.parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    assert_eq!(headers["content-type"], "application/json");
    Some(ReceivedCall {
        id: headers["webhook-id"].clone(),
        timestamp: headers["webhook-timestamp"].clone(),
        signature: headers["webhook-signature"].clone(),
        body: String::from_utf8(body).unwrap(),
    })
}

/// What the signature of a message must be.
fn signature(secret: &str, heard: &ReceivedCall) -> String {
    let key = STANDARD
        .decode(secret.strip_prefix("whsec_").unwrap())
        .unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{}.{}.{}", heard.id, heard.timestamp, heard.body).as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

fn impatient(change: impl FnOnce(&mut WebhookLimits)) -> SiteLimits {
    let mut limits = SiteLimits::default();
    limits.webhooks.pause = Duration::from_millis(20);
    limits.webhooks.every = Duration::from_millis(20);
    change(&mut limits.webhooks);
    limits
}

async fn register(boss: &ApiClient<'_>, asked: Value) -> String {
    let made = boss.post("/webhooks", "/webhooks", asked).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
    let made: Value = serde_json::from_slice(made.bytes()).unwrap();
    made["secret"].as_str().unwrap().to_owned()
}

async fn play(boss: &ApiClient<'_>, name: &str) {
    let asked = json!({
        "name": name, "game": "flipflop-3x3", "bots": ["ada", "bob"],
        "rounds": 1, "clock": "move=5m,start=5m",
    });
    let begun = boss.post("/tournaments", "/tournaments", asked).await;
    assert_eq!(begun.status, StatusCode::CREATED, "{}", begun.text());
}

async fn played(site: &TestSite, boss: &ApiClient<'_>, name: &str) {
    let address = format!("/tournaments/{name}");
    until("it is over", async || {
        site.site.look().await.unwrap();
        boss.get("/tournaments/{name}", &address).await["state"] == "over"
    })
    .await;
    // It may have ended between the two, and whoever tells of it knows only what was looked at.
    site.site.look().await.unwrap();
}

/// What is told of a tournament of one round, in any order of its matches.
fn all_of(name: &str) -> Vec<String> {
    vec![
        format!("match.finished {name}-0"),
        format!("match.finished {name}-1"),
        format!("tournament.over {name}"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_told_signed_and_told_again_until_they_arrive() {
    let receiver = Receiver::new();
    let site = TestSite::with(impatient(|_| ()), open());
    bots::enter(&site);
    site.site.host().unwrap().start().unwrap();
    let token = organiser(&site, "boss").await;
    let boss = ApiClient::new(&site, &token).await;
    play(&boss, "before").await;
    played(&site, &boss, "before").await;
    let secret = register(&boss, json!({ "url": receiver.url })).await;
    receiver.is_broken.store(true, Ordering::SeqCst);
    let telling = tokio::spawn(Arc::clone(&site.site).tell_webhooks());
    play(&boss, "spring").await;
    // A receiver that fails keeps no match from being played.
    played(&site, &boss, "spring").await;
    until("it is told more than once", async || {
        receiver.heard().len() >= 4
    })
    .await;
    let rows = boss.get("/webhooks", "/webhooks").await;
    assert_eq!(rows["items"][0]["delivered"], 0);
    assert!(
        rows["items"][0]["said"]
            .as_str()
            .unwrap()
            .starts_with("500"),
        "{rows}"
    );
    assert!(!rows.to_string().contains(&secret));
    let early = receiver.heard();
    receiver.is_broken.store(false, Ordering::SeqCst);
    until("everything has arrived", async || {
        let rows = boss.get("/webhooks", "/webhooks").await;
        rows["items"][0]["delivered"] == 3 && rows["items"][0]["waiting"] == 0
    })
    .await;
    let late = &receiver.heard()[early.len()..];
    let mut told = receiver.told().split_off(early.len());
    told.sort();
    told.dedup();
    assert_eq!(told, all_of("spring"), "and nothing of before");
    for heard in early.iter().chain(late) {
        assert_eq!(heard.signature, signature(&secret, heard));
        let sent: u64 = heard.timestamp.parse().unwrap();
        assert!(sent.abs_diff(flipside_store::unix_ms() / 1000) < 600);
    }
    // The same message has the same id, by which a receiver knows it.
    assert!(late.iter().any(|heard| {
        early
            .iter()
            .any(|first| first.id == heard.id && first.body == heard.body)
    }));
    site.site.stop();
    telling.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_outlive_a_restart_and_what_was_told_is_not_told_again() {
    let receiver = Receiver::new();
    let site = TestSite::with(impatient(|_| ()), open());
    bots::enter(&site);
    site.site.host().unwrap().start().unwrap();
    let token = organiser(&site, "boss").await;
    let boss = ApiClient::new(&site, &token).await;
    register(&boss, json!({ "url": receiver.url })).await;
    // Nobody tells anything yet: it is as if the server ended right after the matches.
    play(&boss, "spring").await;
    played(&site, &boss, "spring").await;
    site.site.stop();
    site.site.host().unwrap().close(Instant::now());
    drop(boss);
    let folder = Arc::clone(&site.folder);
    drop(site);
    for round in 0..2 {
        let site = TestSite::over(Arc::clone(&folder), impatient(|_| ()), open());
        let telling = tokio::spawn(Arc::clone(&site.site).tell_webhooks());
        let boss = ApiClient::new(&site, &token).await;
        until("all has arrived", async || {
            boss.get("/webhooks", "/webhooks").await["items"][0]["delivered"] == 3
        })
        .await;
        if round == 1 {
            // Time for what must not come.
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        site.site.stop();
        telling.await.unwrap();
        let mut told = receiver.told();
        told.sort();
        assert_eq!(told, all_of("spring"), "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_hears_of_its_tournament_only_and_messages_are_given_up() {
    let receiver = Receiver::new();
    receiver.is_broken.store(true, Ordering::SeqCst);
    let site = TestSite::with(
        impatient(|limits| {
            limits.attempts = 2;
            limits.webhooks = 2;
        }),
        open(),
    );
    bots::enter(&site);
    site.site.host().unwrap().start().unwrap();
    let boss = ApiClient::new(&site, &organiser(&site, "boss").await).await;
    play(&boss, "other").await;
    played(&site, &boss, "other").await;
    let absent = json!({ "url": receiver.url, "tournament": "none" });
    let absent = boss.post("/webhooks", "/webhooks", absent).await;
    assert_eq!(absent.status, StatusCode::NOT_FOUND, "{}", absent.text());
    for url in ["file:///etc/passwd", "ftp://x/", "/path", "https://a:b@x/"] {
        let unfit = boss
            .post("/webhooks", "/webhooks", json!({ "url": url }))
            .await;
        assert_eq!(unfit.status, StatusCode::UNPROCESSABLE_ENTITY, "{url}");
    }
    register(&boss, json!({ "url": receiver.url, "tournament": "other" })).await;
    // Each result would come twice, in messages that nobody can tell apart.
    for of in [Value::Null, "other".into()] {
        let same = json!({ "url": receiver.url, "tournament": of });
        let same = boss.post("/webhooks", "/webhooks", same).await;
        assert_eq!(same.status, StatusCode::CONFLICT, "{}", same.text());
        assert!(same.text().contains("webhook 1 tells this address"));
    }
    let all = format!("{}/all", receiver.url);
    register(&boss, json!({ "url": all })).await;
    let third = json!({ "url": format!("{}/third", receiver.url) });
    let third = boss.post("/webhooks", "/webhooks", third).await;
    assert_eq!(third.status, StatusCode::CONFLICT, "{}", third.text());
    assert!(third.text().contains("there are 2 webhooks"));
    let telling = tokio::spawn(Arc::clone(&site.site).tell_webhooks());
    play(&boss, "spring").await;
    played(&site, &boss, "spring").await;
    until("all is given up", async || {
        let rows = boss.get("/webhooks", "/webhooks").await;
        rows["items"][1]["dropped"] == 3
    })
    .await;
    let rows = boss.get("/webhooks", "/webhooks").await;
    assert_eq!(rows["items"][0]["dropped"], 0);
    assert_eq!(receiver.heard().len(), 6, "two attempts of each message");
    let remove = |id: &'static str| {
        let address = format!("/webhooks/{id}");
        let boss = &boss;
        async move {
            let delete = axum::http::Method::DELETE;
            boss.ask(delete, "/webhooks/{id}", &address, Value::Null)
                .await
                .status
        }
    };
    assert_eq!(remove("1").await, StatusCode::NO_CONTENT);
    assert_eq!(remove("1").await, StatusCode::NOT_FOUND);
    assert_eq!(remove("x").await, StatusCode::NOT_FOUND);
    site.site.stop();
    telling.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn receivers_that_never_answer_delay_no_other() {
    let receiver = Receiver::new();
    let limits = impatient(|limits| limits.time = Duration::from_secs(3600));
    let dead: Vec<TcpListener> = (1..limits.webhooks.webhooks)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    let site = TestSite::with(limits, open());
    bots::enter(&site);
    site.site.host().unwrap().start().unwrap();
    let boss = ApiClient::new(&site, &organiser(&site, "boss").await).await;
    for listener in &dead {
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        register(&boss, json!({ "url": url })).await;
    }
    register(&boss, json!({ "url": receiver.url })).await;
    let telling = tokio::spawn(Arc::clone(&site.site).tell_webhooks());
    play(&boss, "spring").await;
    played(&site, &boss, "spring").await;
    until("the last webhook is told", async || {
        let mut told = receiver.told();
        told.sort();
        told == all_of("spring")
    })
    .await;
    site.site.stop();
    // What is on its way to the others breaks off.
    drop(dead);
    telling.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organiser_registers_and_removes_a_webhook_on_a_page() {
    let site = TestSite::open();
    let mut boss = site.organiser("boss").await;
    let own = token(&boss.submit("/account/token", &[]).await);
    let (mut ada, _) = site.person("ada").await;
    let path = "/organiser/webhooks";
    assert_eq!(ada.get(path).await.status, StatusCode::FORBIDDEN);
    assert!(boss.get(path).await.text().contains("No webhooks"));
    let url = "https://example.org/?<script>alert(1)</script>";
    let fields = [("url", "http://127.0.0.1:9/results"), ("tournament", "")];
    let refused = ada.submit(path, &fields).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let refused = boss.post(path, &fields).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "without the word");
    for (url, tournament, status) in [
        ("ftp://example.org/", "", StatusCode::UNPROCESSABLE_ENTITY),
        (url, "", StatusCode::UNPROCESSABLE_ENTITY),
        (fields[0].1, "no name", StatusCode::UNPROCESSABLE_ENTITY),
        (fields[0].1, "none", StatusCode::NOT_FOUND),
    ] {
        let refused = boss
            .submit(path, &[("url", url), ("tournament", tournament)])
            .await;
        assert_eq!(
            refused.status,
            status,
            "{url} {tournament}: {}",
            refused.text()
        );
    }
    let made = boss.submit(path, &fields).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.text());
    assert_eq!(made.header("cache-control"), "private, no-store");
    let key = made.text().split("whsec_").nth(1).unwrap();
    let key = key.split('<').next().unwrap().to_owned();
    let page = boss.get(path).await;
    assert!(page.text().contains(fields[0].1) && !page.text().contains(&key));
    // One of a disabled account counts, so it is shown.
    let mut other = site.organiser("other").await;
    other
        .submit(
            "/organiser/disable",
            &[("account", "boss"), ("disabled", "true")],
        )
        .await;
    let page = other.get(path).await;
    assert!(page.text().contains("boss (disabled)"), "{}", page.text());
    other
        .submit(
            "/organiser/disable",
            &[("account", "boss"), ("disabled", "false")],
        )
        .await;
    boss.post("/sign-in", &[("token", &own)]).await;
    let remove = format!("{path}/remove");
    let refused = ada.submit(&remove, &[("webhook", "1")]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let removed = boss.submit(&remove, &[("webhook", "1")]).await;
    assert_eq!(removed.header("location"), path);
    let again = boss.submit(&remove, &[("webhook", "1")]).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND);
    assert!(boss.get(path).await.text().contains("No webhooks"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_for_ends_only_hears_of_no_match() {
    let (all, ends) = (Receiver::new(), Receiver::new());
    let site = TestSite::with(impatient(|_| ()), open());
    bots::enter(&site);
    site.site.host().unwrap().start().unwrap();
    let token = organiser(&site, "boss").await;
    let boss = ApiClient::new(&site, &token).await;
    register(&boss, json!({ "url": all.url })).await;
    register(&boss, json!({ "url": ends.url, "ends_only": true })).await;
    let telling = tokio::spawn(Arc::clone(&site.site).tell_webhooks());
    play(&boss, "spring").await;
    played(&site, &boss, "spring").await;
    until("all is told", async || {
        let rows = boss.get("/webhooks", "/webhooks").await;
        rows["items"][0]["delivered"] == 3 && rows["items"][1]["delivered"] == 1
    })
    .await;
    assert_eq!(ends.told(), ["tournament.over spring"]);
    site.site.stop();
    telling.await.unwrap();
}
