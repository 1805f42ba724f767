//! The bounds of the OpenAPI document are those that are checked: what is just outside is refused, and what is just
//! inside is understood.

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::api::{ApiClient, moment, now, organiser};
use crate::bots;
use crate::browser::TestSite;
use crate::described::PLACE;

/// What a property must not be, and what it may be.
struct Edge {
    outside: Option<Value>,
    inside: Option<Value>,
}

/// The edges of a property.
fn edges(property: &Value) -> Vec<Edge> {
    let number = |key: &str| property[key].as_u64();
    let mut edges = Vec::new();
    let mut add = |outside: Option<Value>, inside: Option<Value>| {
        edges.push(Edge { outside, inside });
    };
    if let Some(least) = number("minimum") {
        // Below it: also what the type does not have.
        add(Some(json!(least as i64 - 1)), Some(json!(least)));
    }
    // The bounds of a type say no more than the type.
    if let Some(most) = number("maximum").filter(|&most| most != u64::MAX) {
        let is_of_type = most == u64::from(u32::MAX);
        add(Some(json!(most + 1)), (!is_of_type).then(|| json!(most)));
    }
    let begins = match property["pattern"].as_str() {
        Some(pattern) if pattern.contains("http") => "https://",
        _ => "",
    };
    let text = |length: u64| {
        json!(format!(
            "{begins}{}",
            "x".repeat(length as usize - begins.len())
        ))
    };
    if let Some(most) = number("maxLength") {
        add(Some(text(most + 1)), None);
    }
    if number("minLength").is_some() {
        add(Some(json!("")), Some(text(10)));
    }
    if property["pattern"].is_string() {
        add(Some(json!("\u{7}x")), Some(text(10)));
    }
    let items = |count: u64| {
        json!(
            (0..count)
                .map(|bot| ["ada", "bob"][bot as usize % 2])
                .collect::<Vec<_>>()
        )
    };
    if let Some(least) = number("minItems") {
        add(Some(items(least - 1)), Some(items(least)));
    }
    if let Some(most) = number("maxItems") {
        add(Some(items(most + 1)), None);
    }
    edges
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bounds_of_the_document_are_those_that_are_checked() {
    let site = TestSite::open();
    bots::enter(&site);
    let boss = ApiClient::new(&site, &organiser(&site, "boss").await).await;
    let cup = json!({ "name": "cup", "game": "flipflop-3x3", "bots": ["ada", "bob"], "rounds": 2 });
    let made = boss.post("/tournaments", "/tournaments", cup).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
    let toml = "name = \"spring\"\ngames = [\"flipflop-3x3\"]\nrounds = 1";
    let made = boss
        .post("/leagues", "/leagues", json!({ "toml": toml }))
        .await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
    let at = |hours: u64| moment(now() + hours * 3_600_000);
    let times = json!({ "deadline": at(1), "starts_at": at(2), "ends_at": at(3) });
    let two = json!({ "game": "flipflop-3x3", "bots": ["ada", "bob"] });
    // What changes most comes last.
    let cases = [
        ("post", "/requests", "/requests", two),
        ("post", "/invitations", "/invitations", json!({})),
        (
            "put",
            "/ladders/{game}",
            "/ladders/flipflop-3x3",
            json!({ "a_day": 5 }),
        ),
        (
            "post",
            "/leagues/{league}/entries",
            "/leagues/spring/entries",
            json!({ "bot": "ada" }),
        ),
        (
            "post",
            "/leagues/{league}/seasons",
            "/leagues/spring/seasons",
            times,
        ),
        (
            "post",
            "/leagues/{league}/seasons/{season}/cancel",
            "/leagues/spring/seasons/1/cancel",
            json!({ "reason": "a test" }),
        ),
        (
            "post",
            "/webhooks",
            "/webhooks",
            json!({ "url": "https://example.org/" }),
        ),
        (
            "post",
            "/tournaments/{name}/extend",
            "/tournaments/cup/extend",
            json!({ "rounds": 1 }),
        ),
        (
            "post",
            "/tournaments/{name}/join",
            "/tournaments/cup/join",
            json!({ "bots": ["sample:random"] }),
        ),
        (
            "post",
            "/tournaments/{name}/withdraw",
            "/tournaments/cup/withdraw",
            json!({ "bot": "cy" }),
        ),
        (
            "post",
            "/tournaments/{name}/disqualify",
            "/tournaments/cup/disqualify",
            json!({ "bot": "cy", "reason": "a test" }),
        ),
        (
            "post",
            "/tournaments/{name}/cancel",
            "/tournaments/cup/cancel",
            json!({}),
        ),
    ];
    let (mut outside, mut inside) = (0, 0);
    for (method, path, address, base) in cases {
        let documented = format!("/api/v1{path}");
        let operation = &boss.described.document["paths"][&documented][method];
        let body = &operation["requestBody"];
        let reference = body["content"]["application/json"]["schema"]["$ref"]
            .as_str()
            .unwrap();
        let schema = boss.described.document.pointer(&reference[1..]).unwrap();
        let place = format!("{PLACE}{reference}");
        let method: Method = method.to_uppercase().parse().unwrap();
        let is_refused = |status: StatusCode| {
            [StatusCode::BAD_REQUEST, StatusCode::UNPROCESSABLE_ENTITY].contains(&status)
        };
        // A body is required where something in it is.
        let is_empty_fine = boss.described.validate(&place, &json!({})).is_ok();
        assert_eq!(body["required"], json!(!is_empty_fine), "{path}");
        for (key, property) in schema["properties"].as_object().unwrap() {
            for edge in edges(property) {
                if let Some(value) = edge.outside {
                    let mut body = base.clone();
                    body[key] = value.clone();
                    let described = boss.described.validate(&place, &body);
                    assert!(described.is_err(), "{path} {key}: {value}");
                    let answer = boss.ask(method.clone(), path, address, body).await;
                    let what = format!("{path} {key}: {} {value}", answer.text());
                    // Nothing has a name that is none.
                    let is_absent = key == "bot" && answer.status == StatusCode::NOT_FOUND;
                    assert!(is_refused(answer.status) || is_absent, "{what}");
                    outside += 1;
                }
                // Of a season, the times also depend on each other and on now; and these bots are in the tournament.
                let depends =
                    path.ends_with("/seasons") || (path.ends_with("/join") && key == "bots");
                let inside_of = edge.inside.filter(|_| !depends);
                if let Some(value) = inside_of {
                    let mut body = base.clone();
                    body[key] = value.clone();
                    let alone = path.ends_with("/extend") && key == "matches";
                    if alone {
                        body = json!({ key: value });
                    }
                    let described = boss.described.validate(&place, &body);
                    assert!(described.is_ok(), "{path} {key}: {value} {described:?}");
                    let answer = boss.ask(method.clone(), path, address, body).await;
                    let what = format!("{path} {key}: {} {value}", answer.text());
                    // A round robin is extended by rounds.
                    assert!(!is_refused(answer.status) || alone, "{what}");
                    inside += 1;
                }
            }
        }
    }
    assert!(outside > 30 && inside > 15, "{outside} {inside}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_a_page_is_as_the_document_says_and_whole_numbers_may_have_a_point() {
    let site = TestSite::open();
    bots::enter(&site);
    let boss = ApiClient::new(&site, &organiser(&site, "boss").await).await;
    let mut lists = 0;
    for (path, method) in boss.paths() {
        let documented = format!("/api/v1{path}");
        let operation =
            &boss.described.document["paths"][&documented][method.as_str().to_lowercase()];
        let parameters = operation["parameters"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let Some(limit) = parameters.iter().find(|one| one["name"] == "limit") else {
            continue;
        };
        lists += 1;
        let least = limit["schema"]["minimum"].as_u64().unwrap();
        let most = limit["schema"]["maximum"].as_u64().unwrap();
        let address = path.replace("{bot}", "ada");
        for (limit, status) in [
            (least - 1, StatusCode::BAD_REQUEST),
            (least, StatusCode::OK),
            (most, StatusCode::OK),
            (most + 1, StatusCode::BAD_REQUEST),
        ] {
            let address = format!("{address}?limit={limit}");
            let answer = boss.ask(Method::GET, &path, &address, Value::Null).await;
            assert_eq!(answer.status, status, "{address}: {}", answer.text());
        }
    }
    assert!(lists >= 6, "{lists}");
    for (uses, status) in [
        ("2.0", StatusCode::CREATED),
        ("2e0", StatusCode::CREATED),
        ("2.5", StatusCode::BAD_REQUEST),
        ("\"2\"", StatusCode::BAD_REQUEST),
    ] {
        let body = serde_json::from_str(&format!("{{\"uses\": {uses}}}")).unwrap();
        let answer = boss.post("/invitations", "/invitations", body).await;
        assert_eq!(answer.status, status, "{uses}: {}", answer.text());
    }
}
