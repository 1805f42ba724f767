//! The parts in which pages load a replay.

use axum::http::StatusCode;
use flipside_operations::MatchReplay;
use serde_json::Value;

use crate::arena::Small;
use crate::client::{Client, ClientAnswer};

fn json(answer: &ClientAnswer) -> Value {
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    serde_json::from_slice(&answer.body).unwrap()
}

/// Makes up drawings, as the script does.
fn drawings(part: &Value) -> Vec<String> {
    let mut list: Vec<Value> = Vec::new();
    let mut made = Vec::new();
    for changes in part["changes"].as_array().unwrap() {
        let mut changes = changes.as_array().unwrap().iter();
        let mut at = 0;
        while let Some(kept) = changes.next() {
            let mut number = || changes.next().unwrap().as_u64().unwrap() as usize;
            let (dropped, added) = (number(), number());
            at += kept.as_u64().unwrap() as usize;
            let new: Vec<Value> = changes.by_ref().take(added).cloned().collect();
            list.splice(at..at + dropped, new);
            at += added;
        }
        let piece = |number: &Value| part["pieces"][number.as_u64().unwrap() as usize].as_str();
        made.push(list.iter().map(|number| piece(number).unwrap()).collect());
    }
    made
}

#[tokio::test(flavor = "multi_thread")]
async fn the_outline_and_the_parts_are_the_whole_replay() {
    let small = Small::shared();
    let client = Client::new(small.arena());
    let journal = small.arena().read_journal().unwrap();
    let record = journal.record("cards-0").unwrap();
    let replay = MatchReplay::read(&record, flipside_games::Viewer::Open).unwrap();
    let mut frames = replay.frames().unwrap();
    let address = "/matches/cards-0/replay";
    let whole = json(&client.get(address).await);
    let outline = json(&client.get(&format!("{address}/outline")).await);
    assert_eq!(outline["format"], whole["format"]);
    assert_eq!(outline["steps"], whole["steps"]);
    let page = client.get("/matches/cards-0").await;
    let (_, rest) = page.text().split_once("data-part-steps=\"").unwrap();
    let part_steps: usize = rest.split_once('"').unwrap().0.parse().unwrap();
    let parts = replay.steps.len().div_ceil(part_steps);
    assert_eq!(
        outline["views"].as_array().unwrap().len(),
        replay.viewers().len()
    );
    for (view, viewer) in replay.viewers().into_iter().enumerate() {
        assert_eq!(outline["views"][view]["name"], whole["views"][view]["name"]);
        let mut step = 0;
        for part in 0..parts {
            let part = json(&client.get(&format!("{address}/{view}/{part}")).await);
            for drawing in drawings(&part) {
                assert_eq!(drawing, frames.svg(step, viewer).unwrap(), "{view} {step}");
                step += 1;
            }
        }
        assert_eq!(step, replay.steps.len());
    }
    let views = replay.viewers().len();
    for none in [
        format!("{address}/{views}/0"),
        format!("{address}/0/{parts}"),
        format!("{address}/0/{}", usize::MAX),
        format!("{address}/-1/0"),
        format!("{address}/first/0"),
    ] {
        assert_eq!(
            client.get(&none).await.status,
            StatusCode::NOT_FOUND,
            "{none}"
        );
    }
}
