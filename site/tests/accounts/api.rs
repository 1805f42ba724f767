//! What programs do with a token, by the API.

use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode};
use flipside_site::{Rate, RateLimits, SiteLimits};
use flipside_tournament::utc;
use serde_json::{Value, json};

use crate::bots;
use crate::browser::{BrowserAnswer, TestSite, open};
use crate::described::OpenApi;

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(450);

/// A program of somebody, which looks at every answer with the eyes of the OpenAPI document.
pub(crate) struct ApiClient<'a> {
    site: &'a TestSite,
    pub(crate) described: OpenApi,
    token: String,
}

impl<'a> ApiClient<'a> {
    pub(crate) async fn new(site: &'a TestSite, token: &str) -> Self {
        let document = site.browser().get("/api/v1/openapi.json").await;
        ApiClient {
            site,
            described: OpenApi::of(document.bytes()),
            token: token.to_owned(),
        }
    }

    /// The documented paths without the beginning that all share, each with a method.
    pub(crate) fn paths(&self) -> Vec<(String, Method)> {
        let operations = self.described.operations().into_iter();
        let operation = operations.map(|(path, method, _)| {
            let path = path.strip_prefix("/api/v1").unwrap().to_owned();
            (path, method.to_uppercase().parse().unwrap())
        });
        operation.collect()
    }

    /// Asks the address of a documented path.
    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        address: &str,
        body: Value,
    ) -> BrowserAnswer {
        let text = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let address = format!("/api/v1{address}");
        let method_name = method.as_str().to_lowercase();
        let answer = self.site.script(method, &address, &self.token, text).await;
        let (status, headers) = (answer.status, &answer.headers);
        let path = format!("/api/v1{path}");
        self.described
            .check(&method_name, &path, status, headers, answer.bytes());
        answer
    }

    pub(crate) async fn get(&self, path: &str, address: &str) -> Value {
        let answer = self.ask(Method::GET, path, address, Value::Null).await;
        assert_eq!(
            answer.status,
            StatusCode::OK,
            "{address}: {}",
            answer.text()
        );
        serde_json::from_slice(answer.bytes()).unwrap()
    }

    pub(crate) async fn post(&self, path: &str, address: &str, body: Value) -> BrowserAnswer {
        self.ask(Method::POST, path, address, body).await
    }
}

/// Waits until this is so.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The token of a new organiser.
pub(crate) async fn organiser(site: &TestSite, name: &str) -> String {
    let mut boss = site.organiser(name).await;
    let page = boss.submit("/account/token", &[]).await;
    crate::browser::token(&page)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_writes_needs_a_token_and_a_cookie_is_none() {
    let limits = SiteLimits {
        rates: RateLimits {
            // Each wrong token is an attempt to sign in.
            sign_ins: Rate::of(1_000, Duration::from_secs(10)),
            ..RateLimits::default()
        },
        ..SiteLimits::default()
    };
    let site = TestSite::with(limits, open());
    let mut boss = site.organiser("boss").await;
    let document = boss.get("/api/v1/openapi.json").await;
    let described = OpenApi::of(document.bytes());
    let mut writing = 0;
    for (path, method, operation) in described.operations() {
        let address = path.replace(['{', '}'], "");
        let method: Method = method.to_uppercase().parse().unwrap();
        if method == Method::GET {
            continue;
        }
        writing += 1;
        assert!(operation["security"].is_array(), "{method} {path}");
        // A cookie from a page of this site, and the word of its forms, are no token.
        let word = boss.word().await;
        let mut request = boss.request(method.clone(), &address);
        request = request.header("content-type", "application/json");
        let body = json!({ "word": word }).to_string();
        let answer = boss.send(request.body(body.into()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
        assert!(answer.text().contains("needs a token"), "{}", answer.text());
        // From elsewhere, and from nobody.
        boss.origin = "http://elsewhere.test".into();
        let request = boss.request(method.clone(), &address).body("{}".into());
        let answer = boss.send(request.unwrap()).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
        boss.origin = format!("http://{}", crate::browser::HOST);
        let mut anybody = site.browser();
        let request = anybody.request(method.clone(), &address).body("{}".into());
        let answer = anybody.send(request.unwrap()).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path}");
        assert_eq!(answer.header("content-type"), "application/problem+json");
        // A script that sends no token is told to.
        let request = axum::http::Request::builder()
            .method(method.clone())
            .uri(&address);
        let answer = site.send(request.body("{}".into()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path}");
        assert!(answer.text().contains("Bearer TOKEN"), "{}", answer.text());
        let wrong = site
            .script(method.clone(), &address, "flipside_0", "{}")
            .await;
        assert_eq!(wrong.status, StatusCode::UNAUTHORIZED, "{method} {path}");
    }
    assert!(writing >= 14, "{writing}");
    site.keeps_no_file().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_for_organisers_is_not_for_authors() {
    let site = TestSite::open();
    let (_, token) = site.person("ada").await;
    let ada = ApiClient::new(&site, &token).await;
    for (method, path, body) in [
        (Method::GET, "/accounts", Value::Null),
        (Method::GET, "/log", Value::Null),
        (Method::GET, "/queue", Value::Null),
        (Method::GET, "/webhooks", Value::Null),
        (Method::POST, "/invitations", json!({})),
        (Method::POST, "/accounts/{account}/disable", Value::Null),
        (Method::POST, "/accounts/{account}/enable", Value::Null),
        (Method::POST, "/tournaments", json!({})),
        (Method::POST, "/tournaments/{name}/pause", Value::Null),
        (Method::POST, "/tournaments/{name}/resume", Value::Null),
        (Method::POST, "/tournaments/{name}/cancel", Value::Null),
        (
            Method::POST,
            "/tournaments/{name}/join",
            json!({ "bots": ["x"] }),
        ),
        (
            Method::POST,
            "/tournaments/{name}/extend",
            json!({ "rounds": 1 }),
        ),
        (
            Method::POST,
            "/tournaments/{name}/withdraw",
            json!({ "bot": "x" }),
        ),
        (
            Method::POST,
            "/tournaments/{name}/disqualify",
            json!({ "bot": "x", "reason": "y" }),
        ),
        (
            Method::POST,
            "/webhooks",
            json!({ "url": "http://127.0.0.1/" }),
        ),
        (Method::DELETE, "/webhooks/{id}", Value::Null),
    ] {
        let address = path.replace("{account}", "ada").replace("{name}", "x");
        let address = address.replace("{id}", "1");
        let answer = ada.ask(method.clone(), path, &address, body).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
    }
    let all = ada
        .ask(Method::GET, "/uploads", "/uploads?all=true", Value::Null)
        .await;
    assert_eq!(all.status, StatusCode::FORBIDDEN);
    assert_eq!(ada.get("/me", "/me").await["role"], "author");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_submits_a_bot_and_follows_its_check() {
    let site = TestSite::open();
    let (_, token) = site.person("ada").await;
    let ada = ApiClient::new(&site, &token).await;
    let file = std::fs::read_to_string(bots::RANDOM).unwrap();
    let put = site.script(
        Method::PUT,
        "/api/v1/bots/walker?game=flipflop-3x3",
        &token,
        file,
    );
    let put = put.await;
    assert_eq!(put.status, StatusCode::ACCEPTED, "{}", put.text());
    let headers = &put.headers;
    ada.described.check(
        "put",
        "/api/v1/bots/{bot}",
        put.status,
        headers,
        put.bytes(),
    );
    let address = put
        .header("location")
        .strip_prefix("/api/v1")
        .unwrap()
        .to_owned();
    let mut steps = 0;
    until("the check is over", async || {
        let upload = ada.get("/uploads/{id}", &address).await;
        if let Some(taken) = upload["progress"]["steps"].as_array() {
            assert!(taken.len() >= steps, "steps stay");
            steps = taken.len();
        }
        upload["state"] == "accepted"
    })
    .await;
    let upload = ada.get("/uploads/{id}", &address).await;
    assert_eq!(upload["bot"], "walker@1");
    assert!(!upload["report"]["steps"].as_array().unwrap().is_empty());
    assert_eq!(ada.get("/me", "/me").await["bots"], json!(["walker"]));
    // Page by page, and only one's own.
    for name in ["x", "y"] {
        let path = format!("/api/v1/bots/{name}");
        let put = site
            .script(Method::PUT, &path, &token, "#!/bin/sh\nexit 1\n")
            .await;
        assert_eq!(put.status, StatusCode::ACCEPTED, "{}", put.text());
    }
    let first = ada.get("/uploads", "/uploads?limit=2").await;
    let names = |page: &Value| -> Vec<String> {
        let items = page["items"].as_array().unwrap().iter();
        items
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&first), ["y", "x"]);
    let next = first["next"]
        .as_str()
        .unwrap()
        .strip_prefix("/api/v1")
        .unwrap();
    let last = ada.get("/uploads", next).await;
    assert_eq!(names(&last), ["walker"]);
    assert!(last["next"].is_null());
    let (_, token) = site.person("eve").await;
    let eve = ApiClient::new(&site, &token).await;
    assert!(names(&eve.get("/uploads", "/uploads").await).is_empty());
    let hidden = eve
        .ask(Method::GET, "/uploads/{id}", &address, Value::Null)
        .await;
    assert_eq!(hidden.status, StatusCode::NOT_FOUND);
    let boss = ApiClient::new(&site, &organiser(&site, "boss").await).await;
    let all = boss.get("/uploads", "/uploads?all=true").await;
    assert_eq!(names(&all), ["y", "x", "walker"]);
    assert_eq!(boss.get("/uploads/{id}", &address).await["by"], "ada");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organiser_runs_a_tournament_by_program() {
    let site = TestSite::open();
    bots::enter(&site);
    let host = site.site.host().unwrap();
    host.start().unwrap();
    let boss = ApiClient::new(&site, &organiser(&site, "boss").await).await;
    let asked = json!({
        "name": "spring", "game": "flipflop-3x3", "bots": ["ada", "bob"],
        "rounds": 20000, "clock": "move=5m,start=5m",
    });
    let begun = boss.post("/tournaments", "/tournaments", asked).await;
    assert_eq!(begun.status, StatusCode::CREATED, "{}", begun.text());
    assert_eq!(begun.header("location"), "/api/v1/tournaments/spring");
    let path = "/tournaments/{name}";
    until("it is played", async || {
        boss.get("/playing", "/playing").await["tournament"] == "spring"
    })
    .await;
    let queue = boss.get("/queue", "/queue").await;
    assert_eq!(queue["items"][0]["state"], "playing");
    let verb = |verb: &'static str, body: Value| {
        let boss = &boss;
        async move {
            let (path, address) = (
                format!("{path}/{verb}"),
                format!("/tournaments/spring/{verb}"),
            );
            boss.post(&path, &address, body).await
        }
    };
    let done = StatusCode::NO_CONTENT;
    assert_eq!(verb("pause", Value::Null).await.status, done);
    until("it is paused", async || {
        boss.get("/queue", "/queue").await["items"][0]["state"] == "paused"
    })
    .await;
    let remove = async || {
        let (path, address) = ("/queue/{name}", "/queue/spring");
        let removed = boss.ask(Method::DELETE, path, address, Value::Null).await;
        removed.status
    };
    assert_eq!(
        [remove().await, remove().await],
        [done, StatusCode::NOT_FOUND]
    );
    let refused = verb("disqualify", json!({ "bot": "ada", "reason": " " })).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        refused.text().contains("for a reason"),
        "{}",
        refused.text()
    );
    for (body, status) in [
        (json!({}), StatusCode::UNPROCESSABLE_ENTITY),
        (
            json!({ "rounds": 1, "matches": 2 }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (json!({ "rounds": "x" }), StatusCode::BAD_REQUEST),
    ] {
        let refused = verb("extend", body).await;
        assert_eq!(refused.status, status, "{}", refused.text());
    }
    let extended = verb("extend", json!({ "rounds": 1, "reason": "a long spring" })).await;
    assert_eq!(extended.status, done, "{}", extended.text());
    let out = verb(
        "disqualify",
        json!({ "bot": "ada@1", "reason": "it sleeps" }),
    )
    .await;
    assert_eq!(out.status, done, "{}", out.text());
    until("it is over", async || {
        site.site.look().await.unwrap();
        boss.get(path, "/tournaments/spring").await["state"] == "over"
    })
    .await;
    let shown = boss.get(path, "/tournaments/spring").await;
    let changes: Vec<&Value> = shown["changes"].as_array().unwrap().iter().collect();
    assert!(
        changes.iter().any(|change| change["reason"] == "it sleeps"),
        "{shown}"
    );
    let log = boss.get("/log", "/log").await.to_string();
    for line in [
        "begins the tournament spring",
        "pauses the tournament spring",
        "it sleeps",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
    for (wrong, told) in [
        (json!({ "nmae": "x" }), "did you mean name?"),
        (json!({ "rounds": "many" }), "rounds"),
        (
            json!({ "name": "x", "game": "flipflop-3x3", "bots": ["/bin/true", "bob"] }),
            "no bot",
        ),
        (json!([]), "JSON"),
    ] {
        let refused = boss
            .post("/tournaments", "/tournaments", wrong.clone())
            .await;
        let status = match wrong.is_object() {
            true => StatusCode::UNPROCESSABLE_ENTITY,
            false => StatusCode::BAD_REQUEST,
        };
        assert_eq!(refused.status, status, "{wrong}");
        assert!(refused.text().contains(told), "{wrong}: {}", refused.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_requests_matches_and_an_organiser_invites_and_disables() {
    let site = TestSite::open();
    bots::enter(&site);
    let (_, token) = site.person("ada").await;
    let ada = ApiClient::new(&site, &token).await;
    let asked = json!({ "game": "flipflop-3x3", "bots": ["ada", "bob"], "rounds": 1 });
    let begun = ada.post("/requests", "/requests", asked).await;
    assert_eq!(begun.status, StatusCode::CREATED, "{}", begun.text());
    let begun: Value = serde_json::from_slice(begun.bytes()).unwrap();
    assert_eq!((&begun["a_day"], &begun["left"]), (&json!(50), &json!(49)));
    assert!(begun["free_at"].as_str().unwrap() > utc(now()).as_str());
    let own = ada.get("/requests", "/requests").await;
    assert_eq!(own["items"][0]["tournament"], begun["tournament"]);
    assert_eq!((&own["left"], &own["next"]), (&json!(49), &Value::Null));
    let (_, token) = site.person("eve").await;
    let eve = ApiClient::new(&site, &token).await;
    let others = eve.get("/requests", "/requests").await;
    assert_eq!(others["items"], json!([]));
    let address = format!("/requests/{}", begun["tournament"].as_str().unwrap());
    for (program, status) in [
        (&eve, StatusCode::FORBIDDEN),
        (&ada, StatusCode::NO_CONTENT),
        (&ada, StatusCode::NOT_FOUND),
    ] {
        let path = "/requests/{name}";
        let answer = program
            .ask(Method::DELETE, path, &address, Value::Null)
            .await;
        assert_eq!(answer.status, status, "{}", answer.text());
    }
    let alone = json!({ "game": "flipflop-3x3", "bots": ["ada"] });
    let alone = ada.post("/requests", "/requests", alone).await;
    assert_eq!(alone.status, StatusCode::UNPROCESSABLE_ENTITY);
    let boss = ApiClient::new(&site, &organiser(&site, "boss").await).await;
    let made = boss
        .post("/invitations", "/invitations", json!({ "uses": 2 }))
        .await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
    let made: Value = serde_json::from_slice(made.bytes()).unwrap();
    let path = made["address"].as_str().unwrap();
    assert_eq!(site.browser().get(path).await.status, StatusCode::OK);
    let accounts = boss.get("/accounts", "/accounts").await;
    assert_eq!(accounts["items"][0]["name"], "ada");
    let disable = "/accounts/{account}/disable";
    let own = boss
        .post(disable, "/accounts/boss/disable", Value::Null)
        .await;
    assert_eq!(own.status, StatusCode::CONFLICT);
    let done = boss
        .post(disable, "/accounts/ada/disable", Value::Null)
        .await;
    assert_eq!(done.status, StatusCode::NO_CONTENT);
    let me = ada.ask(Method::GET, "/me", "/me", Value::Null).await;
    assert_eq!(me.status, StatusCode::UNAUTHORIZED);
    let enable = "/accounts/{account}/enable";
    let done = boss.post(enable, "/accounts/ada/enable", Value::Null).await;
    assert_eq!(done.status, StatusCode::NO_CONTENT);
    let new = ada.post("/me/token", "/me/token", Value::Null).await;
    assert_eq!(new.status, StatusCode::CREATED, "{}", new.text());
    let me = ada.ask(Method::GET, "/me", "/me", Value::Null).await;
    assert_eq!(
        me.status,
        StatusCode::UNAUTHORIZED,
        "the old token has ended"
    );
}

/// A time as the API takes it, to the millisecond.
pub(crate) fn moment(ms: u64) -> String {
    utc(ms).replace('Z', &format!(".{:03}Z", ms % 1000))
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    flipside_store::unix_ms()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_league_is_run_and_entered_by_program() {
    let site = TestSite::open();
    bots::enter(&site);
    site.site.start().unwrap();
    let boss = ApiClient::new(&site, &organiser(&site, "boss").await).await;
    let (_, token) = site.person("eve").await;
    let eve = ApiClient::new(&site, &token).await;
    let toml = "name = \"spring\"\ntitle = \"Spring\"\ngames = [\"flipflop-3x3\", \"flipfour\"]\n\
                rounds = 1\nclock = \"move=5m,start=5m\"";
    let asked = json!({ "toml": toml });
    let refused = eve.post("/leagues", "/leagues", asked.clone()).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let wrong = json!({ "toml": toml.replace("flipfour", "chess") });
    let wrong = boss.post("/leagues", "/leagues", wrong).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(wrong.text().contains("chess"), "{}", wrong.text());
    let made = boss.post("/leagues", "/leagues", asked).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
    assert_eq!(made.header("location"), "/api/v1/leagues/spring");
    let list = boss.get("/leagues", "/leagues").await;
    let short = &list["items"][0];
    assert_eq!(
        (&short["title"], &short["season"]),
        (&json!("Spring"), &Value::Null)
    );

    let (path, entries) = ("/leagues/{league}/seasons", "/leagues/{league}/entries");
    let enter = |bot: &str| json!({ "bot": bot });
    // The bots are the organisers'.
    let refused = eve
        .post(entries, "/leagues/spring/entries", enter("ada"))
        .await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.text());
    let absent = boss
        .post(entries, "/leagues/spring/entries", enter("none"))
        .await;
    assert_eq!(absent.status, StatusCode::NOT_FOUND);
    for bot in ["ada", "bob", "ada"] {
        let entered = boss
            .post(entries, "/leagues/spring/entries", enter(bot))
            .await;
        assert_eq!(entered.status, StatusCode::NO_CONTENT, "{}", entered.text());
    }
    let entered = async || {
        let league = boss.get("/leagues/{league}", "/leagues/spring").await;
        assert_eq!(league["divisions"], 1);
        assert_eq!((league.get("places"), league.get("moves")), (None, None));
        league["entries"].clone()
    };
    assert_eq!(entered().await, json!(["ada", "bob"]));
    let leave = "/leagues/{league}/entries/{bot}";
    let left = boss
        .ask(
            Method::DELETE,
            leave,
            "/leagues/spring/entries/bob",
            Value::Null,
        )
        .await;
    assert_eq!(left.status, StatusCode::NO_CONTENT);
    assert_eq!(entered().await, json!(["ada"]));
    let absent = boss
        .ask(
            Method::DELETE,
            leave,
            "/leagues/autumn/entries/bob",
            Value::Null,
        )
        .await;
    assert_eq!(absent.status, StatusCode::NOT_FOUND);
    boss.post(entries, "/leagues/spring/entries", enter("bob"))
        .await;

    let day = 86_400_000;
    let times = |from: u64| {
        let (from, end) = (moment(from), moment(from + day));
        json!({ "deadline": from, "starts_at": from, "ends_at": end })
    };
    let (at, then) = (moment(now()), moment(now() + day));
    let early = json!({ "deadline": at, "starts_at": moment(now() - 60_000), "ends_at": then });
    let over = json!({ "deadline": at, "starts_at": at, "ends_at": at });
    for (wrong, why) in [
        (early, "at its deadline"),
        (times(0), "the deadline has passed"),
        (over, "after its start"),
    ] {
        let refused = boss.post(path, "/leagues/spring/seasons", wrong).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(refused.text().contains(why), "{}", refused.text());
    }
    let refused = eve
        .post(path, "/leagues/spring/seasons", times(now()))
        .await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let announced = boss
        .post(path, "/leagues/spring/seasons", times(now()))
        .await;
    assert_eq!(
        announced.status,
        StatusCode::CREATED,
        "{}",
        announced.text()
    );
    assert_eq!(
        announced.header("location"),
        "/api/v1/leagues/spring/seasons/1"
    );
    let season = "/leagues/{league}/seasons/{season}";
    let shown = async || {
        site.site.look().await.unwrap();
        eve.get(season, "/leagues/spring/seasons/1").await
    };
    until("it is over", async || shown().await["state"] == "over").await;
    let shown = shown().await;
    let division = &shown["divisions"][0];
    let tournaments: Vec<&Value> = division["games"].as_array().unwrap().iter().collect();
    // The bots were accepted for one of the games.
    assert_eq!(tournaments[0]["tournament"], "spring-s1-flipflop-3x3");
    assert_eq!(tournaments[0]["state"], "over");
    assert_eq!(tournaments[1]["tournament"], Value::Null);
    assert_eq!(division["rows"].as_array().unwrap().len(), 2);
    assert_eq!(division["rows"][0]["matches"], 2);

    boss.post(path, "/leagues/spring/seasons", times(now() + day))
        .await;
    let cancel = "/leagues/{league}/seasons/{season}/cancel";
    let address = "/leagues/spring/seasons/2/cancel";
    let reason = json!({ "reason": "rain" });
    let refused = eve.post(cancel, address, reason.clone()).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let refused = boss.post(cancel, address, json!({ "reason": " " })).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let cancelled = boss.post(cancel, address, reason).await;
    assert_eq!(
        cancelled.status,
        StatusCode::NO_CONTENT,
        "{}",
        cancelled.text()
    );
    let second = eve.get(season, "/leagues/spring/seasons/2").await;
    assert_eq!(
        (&second["state"], &second["why"]),
        (&json!("cancelled"), &json!("rain"))
    );
    for absent in ["/leagues/spring/seasons/3", "/leagues/spring/seasons/x"] {
        let absent = eve.ask(Method::GET, season, absent, Value::Null).await;
        assert_eq!(absent.status, StatusCode::NOT_FOUND);
    }
    let log = boss.get("/log", "/log").await.to_string();
    for line in [
        "makes the league spring",
        "announces season 1",
        "cancels season 2",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ladder_is_kept_by_program() {
    let site = TestSite::open();
    bots::enter(&site);
    site.site.start().unwrap();
    let boss = ApiClient::new(&site, &organiser(&site, "boss").await).await;
    let (path, address) = ("/ladders/{game}", "/ladders/flipflop-3x3");
    let keep = |body: Value| boss.ask(Method::PUT, path, address, body);
    for (wrong, why) in [
        (json!({ "a_day": 0 }), "1 to"),
        (json!({ "a_day": 5, "clock": "soon" }), "the clock"),
        (json!({}), "a_day"),
    ] {
        let status = match wrong["a_day"].is_null() {
            true => StatusCode::BAD_REQUEST,
            false => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let refused = keep(wrong).await;
        assert_eq!(refused.status, status);
        assert!(refused.text().contains(why), "{}", refused.text());
    }
    let absent = boss
        .ask(Method::PUT, path, "/ladders/chess", json!({ "a_day": 5 }))
        .await;
    assert_eq!(absent.status, StatusCode::NOT_FOUND);
    let kept = keep(json!({ "a_day": 10, "clock": "move=5m,start=5m" })).await;
    assert_eq!(kept.status, StatusCode::NO_CONTENT, "{}", kept.text());
    until("it has played the matches of a day", async || {
        let ladders = boss.get("/ladders", "/ladders").await;
        let one = &ladders["items"][0];
        assert_eq!(one["game"], "flipflop-3x3");
        let said = one["said"].as_str().unwrap_or_default();
        one["tournament"] == "ladder-flipflop-3x3" && said.contains("matches of a day")
    })
    .await;
    let (_, token) = site.person("eve").await;
    let eve = ApiClient::new(&site, &token).await;
    for method in [Method::PUT, Method::DELETE] {
        let refused = eve.ask(method, path, address, json!({ "a_day": 5 })).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
    }
    let stop = || boss.ask(Method::DELETE, path, address, Value::Null);
    assert_eq!(stop().await.status, StatusCode::NO_CONTENT);
    assert_eq!(stop().await.status, StatusCode::NOT_FOUND);
    let left = boss.get("/ladders", "/ladders").await;
    assert_eq!(left["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_plays_a_match_against_a_bot() {
    let site = TestSite::open();
    bots::enter(&site);
    let (_, token) = site.person("ada").await;
    let ada = ApiClient::new(&site, &token).await;
    let (_, token) = site.person("eve").await;
    let eve = ApiClient::new(&site, &token).await;
    let begin = async |asked: Value| ada.post("/play", "/play", asked).await;
    let wrong = json!({ "game": "flipflop-3x3", "bots": [] });
    assert_eq!(begin(wrong).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    let asked = json!({ "game": "flipflop-3x3", "bots": ["bob"], "seat": 1 });
    let begun = begin(asked.clone()).await;
    assert_eq!(begun.status, StatusCode::CREATED, "{}", begun.text());
    let path = "/play/{play}";
    let address = begun
        .header("location")
        .strip_prefix("/api/v1")
        .unwrap()
        .to_owned();
    // It is nobody else's.
    for (program, status) in [(&ada, StatusCode::OK), (&eve, StatusCode::NOT_FOUND)] {
        let seen = program.ask(Method::GET, path, &address, Value::Null).await;
        assert_eq!(seen.status, status);
    }
    let (act, record) = (format!("{address}/act"), format!("{address}/record"));
    let early = ada
        .ask(Method::GET, "/play/{play}/record", &record, Value::Null)
        .await;
    assert_eq!(early.status, StatusCode::NOT_FOUND);
    let mut answered = 0;
    let over = loop {
        let seen = ada.get(path, &address).await;
        match seen["state"].as_str().unwrap() {
            "yours" if seen["question"].as_u64().unwrap() > answered => {
                answered = seen["question"].as_u64().unwrap();
                if answered == 1 {
                    let illegal = json!({ "question": answered, "action": "nonsense" });
                    ada.post("/play/{play}/act", &act, illegal).await;
                    until("it is refused", async || {
                        let seen = ada.get(path, &address).await;
                        let why = seen["refused"].as_str().unwrap_or_default();
                        why.contains("nonsense")
                    })
                    .await;
                }
                let action = &seen["actions"][0]["action"];
                let body = json!({ "question": answered, "action": action });
                let acted = ada.post("/play/{play}/act", &act, body).await;
                assert_eq!(acted.status, StatusCode::NO_CONTENT);
            }
            "over" => break seen,
            "ended" => panic!("{seen}"),
            _ => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    assert!(answered > 0 && over["lines"].as_array().unwrap().len() > 1);
    let written = ada
        .ask(Method::GET, "/play/{play}/record", &record, Value::Null)
        .await;
    let verified = flipside_referee::verify(written.text()).unwrap();
    assert_eq!(json!(verified.record.over.places), over["places"]);

    let begun = begin(asked).await;
    let address = begun
        .header("location")
        .strip_prefix("/api/v1")
        .unwrap()
        .to_owned();
    let mut question = 0;
    until("it is asked", async || {
        let seen = ada.get(path, &address).await;
        question = seen["question"].as_u64().unwrap();
        seen["state"] == "yours"
    })
    .await;
    let leave = json!({ "question": question });
    let left = ada
        .post("/play/{play}/leave", &format!("{address}/leave"), leave)
        .await;
    assert_eq!(left.status, StatusCode::NO_CONTENT);
    until("it is lost", async || {
        let seen = ada.get(path, &address).await;
        seen["state"] == "over" && seen["places"] == json!([1, 2])
    })
    .await;
}
