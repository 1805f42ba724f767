//! The transport, on a real nats-server: what is promised of work, results, files and presence, after losses and
//! against users with few permissions.

mod connecting;
mod files;
mod permissions;
mod presence;
mod restart;
mod results;
mod server;
mod speed;
mod work;

use std::time::Duration;

use flipside_workers::{Director, RunId, RunResult, WorkItem, Worker};

use server::queue;

/// How long a fetch waits. Generous, as a slow machine needs some of it.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long a fetch waits that is to find nothing.
const SHORT: Duration = Duration::from_millis(300);

async fn publish(director: &Director, run: &RunId, items: impl IntoIterator<Item = usize>) {
    for item in items {
        let text = item.to_string();
        director
            .publish(run, &queue(), &text, text.clone().into())
            .await
            .unwrap();
    }
}

/// One item of work.
async fn next(worker: &Worker) -> WorkItem {
    let items = worker.next(&queue(), 1, PATIENCE).await.unwrap();
    items.into_iter().next().expect("there is work")
}

async fn is_idle(worker: &Worker) -> bool {
    worker.next(&queue(), 1, SHORT).await.unwrap().is_empty()
}

/// One result.
async fn result(director: &Director, run: &RunId) -> RunResult {
    let results = director.results(run, 1, PATIENCE).await.unwrap();
    results.into_iter().next().expect("there is a result")
}

fn text(item: &WorkItem) -> &str {
    std::str::from_utf8(item.payload()).unwrap()
}
