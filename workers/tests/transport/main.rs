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

use flipside_workers::{Error, RunId, RunResult, TransportDirector, WorkItem, Worker};

use server::{TransportServer, queue};

/// How long a fetch waits. Generous, as a slow machine needs some of it.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long a fetch waits that is to find nothing.
const SHORT: Duration = Duration::from_millis(300);

/// A client that may do anything, as who has no library.
async fn client(server: &TransportServer) -> async_nats::Client {
    let options = async_nats::ConnectOptions::new()
        .connection_timeout(PATIENCE)
        .request_timeout(Some(PATIENCE));
    options.connect(server.address().to_string()).await.unwrap()
}

async fn publish(
    director: &TransportDirector,
    run: &RunId,
    items: impl IntoIterator<Item = usize>,
) {
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

/// Whether the server says that there is no work. A busy one may not say so in time.
async fn is_idle(worker: &Worker) -> bool {
    loop {
        match worker.next(&queue(), 1, SHORT).await {
            Err(Error::NoAnswer { .. }) => {}
            items => return items.unwrap().is_empty(),
        }
    }
}

/// One result.
async fn result(director: &TransportDirector, run: &RunId) -> RunResult {
    let results = director.results(run, 1, PATIENCE).await.unwrap();
    results.into_iter().next().expect("there is a result")
}

fn text(item: &WorkItem) -> &str {
    std::str::from_utf8(item.payload()).unwrap()
}
