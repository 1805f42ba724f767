//! The API as programs read it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use flipside_store::{MatchFilter, full_table};
use serde_json::Value;

use crate::arena::Small;
use crate::client::{Client, ClientAnswer};
use crate::described::OpenApi;

async fn described(client: &Client) -> OpenApi {
    OpenApi::of(&client.get("/api/v1/openapi.json").await.body)
}

fn json(answer: &ClientAnswer) -> Value {
    serde_json::from_slice(&answer.body).unwrap()
}

fn written(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// An address of a documented path, with things that the arena has.
fn filled(path: &str) -> String {
    let known = [
        ("{game}", "flipfour"),
        ("{name}", "cup"),
        ("{bot}", "ada@1"),
        ("matches/{id}", "matches/cup-0"),
        ("{id}", "1"),
        ("{league}", "spring"),
        ("{season}", "1"),
    ];
    known.iter().fold(path.to_owned(), |path, (key, value)| {
        path.replace(key, value)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn every_documented_address_answers_as_documented() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let described = described(&client).await;
    assert_eq!(described.document["openapi"], "3.1.0");
    let mut names = BTreeSet::new();
    for (path, method, operation) in described.operations() {
        let name = operation["operationId"].as_str().unwrap();
        assert!(names.insert(name), "two operations are called {name}");
        assert!(operation["summary"].is_string(), "{method} {path}");
        let request = Request::builder()
            .method(method.to_uppercase().as_str())
            .uri(filled(path));
        let answer = client.send(request.body(Body::empty()).unwrap()).await;
        let (status, headers) = (answer.status, &answer.headers);
        described.check(method, path, status, headers, &answer.body);
        // A site without accounts refuses what is for accounts, and answers everything else.
        let is_public = operation["security"].is_null();
        // It has no leagues either.
        let is_public = is_public && !path.starts_with("/api/v1/leagues/");
        assert_eq!(
            status.is_success(),
            is_public,
            "{method} {path}: {}",
            answer.text()
        );
    }
    let schemas = described.document["components"]["schemas"]
        .as_object()
        .unwrap();
    let text = described.document.to_string();
    for name in schemas.keys() {
        let reference = format!("\"#/components/schemas/{name}\"");
        assert!(text.contains(&reference), "nothing is a {name}");
    }
}

/// All objects in a value.
fn objects<'a>(value: &'a Value, found: &mut Vec<&'a serde_json::Map<String, Value>>) {
    match value {
        Value::Object(object) => {
            found.push(object);
            object.values().for_each(|value| objects(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| objects(value, found)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_is_what_generators_of_clients_understand() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let described = described(&client).await;
    let mut all = Vec::new();
    objects(&described.document, &mut all);
    assert!(all.iter().all(|object| !object.contains_key("const")));
    let of_words = |object: &&&serde_json::Map<String, Value>| object.contains_key("enum");
    let words: Vec<_> = all.iter().filter(of_words).collect();
    assert!(words.len() >= 9, "{}", words.len());
    assert!(words.iter().all(|object| object["type"] == "string"));
    // What a value means is still said.
    let state = &described.document["components"]["schemas"]["UploadState"];
    assert!(
        state["enum"]
            .as_array()
            .unwrap()
            .contains(&"checking".into())
    );
    assert!(
        state["description"]
            .as_str()
            .unwrap()
            .contains("- `checking`: ")
    );
    let verbs = [
        "add", "begin", "cancel", "get", "match", "one", "put", "remove", "request", "server",
    ];
    let mut files = 0;
    for (path, method, operation) in described.operations() {
        let name = operation["operationId"].as_str().unwrap();
        assert!(!verbs.contains(&name), "{method} {path}: {name}");
        let file = &operation["requestBody"]["content"]["application/octet-stream"]["schema"];
        if file.is_object() {
            assert_eq!(file["format"], "binary", "{method} {path}");
            files += 1;
        }
        let mut content = Vec::new();
        objects(&operation["responses"], &mut content);
        let kinds = content.iter().filter_map(|object| object.get("content"));
        let kinds = kinds.flat_map(|content| content.as_object().unwrap().keys());
        for kind in kinds {
            let is_known = kind.starts_with("text/") || kind.ends_with("json");
            assert!(is_known, "{method} {path}: {kind}");
        }
    }
    assert_eq!(files, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn values_are_those_of_the_commands() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let journal = small.arena().read_journal().unwrap();
    let league = journal.tournament("league").unwrap();
    let table = full_table(&journal, &league).unwrap();
    // As text: reading a number may round it.
    let at = |rest: &str| format!("/api/v1/tournaments/league/{rest}");
    let cross = client.get(&at("cross")).await;
    assert_eq!(cross.text(), written(&table.standings.cross));
    let standings = client.get(&at("standings")).await;
    assert_eq!(standings.text(), written(&table.standings));
    let statistics = client.get(&at("statistics")).await;
    assert_eq!(statistics.text(), written(&table));
    let filter = MatchFilter {
        tournament: Some(league.id),
        limit: 200,
        ..MatchFilter::default()
    };
    let rows = journal.matches(&filter).unwrap();
    let answer = client
        .get("/api/v1/matches?tournament=league&limit=200")
        .await;
    assert_eq!(
        answer.text(),
        format!("{{\"items\":{},\"next\":null}}", written(&rows))
    );
    let record = client.get("/api/v1/matches/league-0/record").await;
    assert_eq!(record.text(), journal.record("league-0").unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_come_whole_page_by_page() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let described = described(&client).await;
    for (list, path) in [
        ("tournaments", "/api/v1/tournaments"),
        ("tournaments?game=flipfour", "/api/v1/tournaments"),
        ("matches?tournament=cup", "/api/v1/matches"),
        ("matches?faults=true&bot=hostile", "/api/v1/matches"),
        ("matches?tournament=cup&round=1", "/api/v1/matches"),
        ("bots?game=flipfour", "/api/v1/bots"),
        ("bots", "/api/v1/bots"),
        ("ratings", "/api/v1/ratings"),
        ("ratings?game=flipfour", "/api/v1/ratings"),
        ("bots/ada/ratings", "/api/v1/bots/{bot}/ratings"),
    ] {
        let join = if list.contains('?') { '&' } else { '?' };
        let whole = client.get(&format!("/api/v1/{list}{join}limit=200")).await;
        let whole = json(&whole);
        assert!(whole["next"].is_null(), "{list}");
        let (mut items, mut next) = (Vec::new(), format!("/api/v1/{list}{join}limit=2"));
        loop {
            let answer = client.get(&next).await;
            described.check("get", path, answer.status, &answer.headers, &answer.body);
            let page = json(&answer);
            items.extend_from_slice(page["items"].as_array().unwrap());
            match page["next"].as_str() {
                Some(address) => next = address.to_owned(),
                None => break,
            }
        }
        assert_eq!(Value::from(items), whole["items"], "{list}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_has_is_not_sent_again() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    for path in [
        "/api/v1",
        "/api/v1/tournaments/cup",
        "/api/v1/games/flipfour",
    ] {
        let first = client.get(path).await;
        let tag = first.header("etag").to_owned();
        let ask = |tag: &str| {
            let request = Request::get(path).header("if-none-match", tag);
            client.send(request.body(Body::empty()).unwrap())
        };
        let again = ask(&tag).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{path}");
        assert!(again.body.is_empty(), "{path}");
        assert_eq!(again.header("etag"), tag, "{path}");
        let other = ask("W/\"other\"").await;
        assert_eq!(other.status, StatusCode::OK, "{path}");
        assert_eq!(other.body, first.body, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn problems_are_documents_with_a_way_out() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let described = described(&client).await;
    let schema = |answer: &ClientAnswer| {
        let path = "/api/v1/tournaments";
        described.check("get", path, answer.status, &answer.headers, &answer.body);
    };
    for (address, status, detail) in [
        (
            "/api/v1/tournaments/no",
            StatusCode::NOT_FOUND,
            "no tournament",
        ),
        (
            "/api/v1/matches/cup-99999",
            StatusCode::NOT_FOUND,
            "cup-99999",
        ),
        (
            "/api/v1/tournaments?limit=0",
            StatusCode::BAD_REQUEST,
            "1 to 200",
        ),
        (
            "/api/v1/tournaments?gmae=x",
            StatusCode::BAD_REQUEST,
            "gmae",
        ),
        (
            "/api/v1/tournaments?after=no",
            StatusCode::NOT_FOUND,
            "\"no\"",
        ),
        (
            "/api/v1/matches?round=1",
            StatusCode::UNPROCESSABLE_ENTITY,
            "tournament",
        ),
        ("/api/v1/nothing", StatusCode::NOT_FOUND, "no such page"),
        ("/api/v2", StatusCode::NOT_FOUND, "no such page"),
    ] {
        let answer = client.get(address).await;
        assert_eq!(answer.status, status, "{address}: {}", answer.text());
        schema(&answer);
        let problem = json(&answer);
        assert_eq!(problem["status"], status.as_u16(), "{address}");
        let told = problem["detail"].as_str().unwrap();
        assert!(told.contains(detail), "{address}: {told}");
        assert_eq!(problem["request"], answer.header("x-request-id"));
    }
    let wrong = Request::delete("/api/v1/games")
        .body(Body::empty())
        .unwrap();
    let wrong = client.send(wrong).await;
    assert!(wrong.status.is_client_error());
    schema(&wrong);
}

/// A route that is registered without its description would be missing in the document.
#[test]
fn every_route_is_registered_with_its_description() {
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with("api.rs") || folder.ends_with("shared/api") {
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(!text.contains(".route("), "{}", path.display());
                assert!(!text.contains("Router::new()"), "{}", path.display());
                files += 1;
            } else if name.ends_with(".rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(!text.contains("route(\"/api/"), "{}", path.display());
            }
        }
    }
    assert!(files > 5);
}
