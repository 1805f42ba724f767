//! The server ends by SIGKILL and starts again: nothing is lost that it had acknowledged, and everybody goes on. What
//! is on the way when it ends gets no answer, so whoever asks here waits as shortly as Flipside does, and asks again.

use std::collections::BTreeSet;
use std::time::Duration;

use flipside_workers::{
    CALL_TIMEOUT, CONNECT_TIMEOUT, Connection, Error, Options, RunId, Sha256Hash,
    TransportDirector, Worker,
};

use crate::server::{TransportServer, options};
use crate::{PATIENCE, next, queue, result, text};

/// How often something is tried until the clients have recovered. Each try has a deadline of its own.
const MAX_TRIES: usize = 100;

/// Somebody who waits for an answer as Flipside does by default.
async fn connect(server: &TransportServer, name: &str) -> Connection {
    let options = Options {
        call_timeout: CALL_TIMEOUT,
        connect_timeout: CONNECT_TIMEOUT,
        ..options(name)
    };
    for _ in 1..MAX_TRIES {
        if let Ok(connection) = Connection::connect(&server.address(), &options).await {
            return connection;
        }
    }
    server.connect(&options).await
}

/// The answer to what may be asked again. A server that has just started may refuse it first.
async fn answered<T>(ask: impl AsyncFn() -> Result<T, Error>) -> T {
    for _ in 1..MAX_TRIES {
        match ask().await {
            Ok(answer) => return answer,
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
    ask().await.unwrap()
}

/// What can be said only once: without an answer, the server may have noted it.
fn noted(told: Result<(), Error>) {
    match told {
        Err(Error::NoAnswer { .. }) => {}
        told => told.unwrap(),
    }
}

/// Publishes work, which is stored once.
async fn publish(
    director: &TransportDirector,
    run: &RunId,
    items: impl IntoIterator<Item = usize>,
) {
    for item in items {
        let text = item.to_string();
        let payload = || text.clone().into();
        answered(async || director.publish(run, &queue(), &text, payload()).await).await;
    }
}

/// Does all work that is there, and returns it.
async fn work_off(worker: &Worker, expected: usize) -> BTreeSet<String> {
    let mut done = BTreeSet::new();
    for _ in 0..expected + MAX_TRIES {
        let items = match worker.next(&queue(), 64, Duration::from_secs(3)).await {
            Err(Error::NoAnswer { .. }) => continue,
            items => items.unwrap(),
        };
        for item in items {
            let text = text(&item).to_owned();
            noted(item.done().await);
            done.insert(text);
        }
        if done.len() == expected {
            break;
        }
    }
    done
}

#[tokio::test]
async fn nothing_that_was_acknowledged_is_lost() {
    const ITEMS: usize = 200;
    let mut server = TransportServer::open();
    server.hasty_director(Duration::from_secs(1)).await;
    let director = TransportDirector::new(connect(&server, "director").await);
    let worker = Worker::new(connect(&server, "one").await);
    let run = RunId::random();
    publish(&director, &run, 0..ITEMS).await;
    let send = async || worker.send_result(&run, "1", "record".into()).await;
    answered(send).await;
    let file = Sha256Hash::of(b"file");
    answered(async || director.put_file(&file, &"file".into()).await).await;
    // Some is delivered and not done when the server ends.
    let held = worker.next(&queue(), 10, PATIENCE).await.unwrap();
    assert!(!held.is_empty());

    server.kill();
    server.restart();

    let expected: BTreeSet<_> = (0..ITEMS).map(|item| item.to_string()).collect();
    assert_eq!(work_off(&worker, ITEMS).await, expected);
    let result = result(&director, &run).await;
    assert_eq!(result.payload().await.unwrap(), "record");
    noted(result.ack().await);
    assert_eq!(
        answered(async || worker.get_file(&file).await).await,
        "file"
    );
}

#[tokio::test]
async fn what_is_published_while_the_server_restarts_is_stored_once() {
    const ITEMS: usize = 60;
    let mut server = TransportServer::open();
    server.hasty_director(Duration::from_secs(1)).await;
    let director = TransportDirector::new(connect(&server, "director").await);
    let worker = Worker::new(connect(&server, "one").await);
    let run = RunId::random();
    let publishing = async {
        for item in 0..ITEMS {
            publish(&director, &run, [item]).await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let restarting = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        server.kill();
        tokio::time::sleep(Duration::from_millis(200)).await;
        server.restart();
    };
    tokio::join!(publishing, restarting);
    let expected: BTreeSet<_> = (0..ITEMS).map(|item| item.to_string()).collect();
    assert_eq!(work_off(&worker, ITEMS).await, expected);
    assert!(crate::is_idle(&worker).await);
}

#[tokio::test]
async fn a_worker_that_waits_survives_a_restart() {
    let mut server = TransportServer::open();
    server.director().await;
    let director = TransportDirector::new(connect(&server, "director").await);
    let worker = Worker::new(connect(&server, "one").await);
    let run = RunId::random();
    let waiting = next(&worker);
    let restarting = async {
        // So long that the fetch is open.
        tokio::time::sleep(Duration::from_millis(500)).await;
        server.kill();
        server.restart();
        publish(&director, &run, [7]).await;
    };
    let (item, ()) = tokio::join!(waiting, restarting);
    assert_eq!(text(&item), "7");
    noted(item.done().await);
}

#[tokio::test]
async fn a_consumer_that_is_deleted_is_made_again_by_the_director() {
    let server = TransportServer::open();
    // The server may let a new consumer take over what the old one had delivered.
    let director = server.hasty_director(Duration::from_secs(1)).await;
    let worker = server.worker("one").await;
    let run = RunId::random();
    publish(&director, &run, [1, 2]).await;
    next(&worker).await.done().await.unwrap();

    let client = crate::client(&server).await;
    let delete = "$JS.API.CONSUMER.DELETE.FLIPSIDE_WORK.0-1-0";
    client.request(delete, "".into()).await.unwrap();
    // A worker has no permission to create one.
    let missing = worker.next(&queue(), 1, PATIENCE).await.map(drop);
    assert!(matches!(missing, Err(Error::NotSetUp(_))), "{missing:?}");
    director.open(&queue()).await.unwrap();
    assert_eq!(text(&next(&worker).await), "2");

    // And while a fetch waits.
    let (queue, fetch) = (queue(), 1);
    let (items, ()) = tokio::join!(worker.next(&queue, fetch, PATIENCE), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        client.request(delete, "".into()).await.unwrap();
        director.open(&queue).await.unwrap();
    });
    assert_eq!(text(&items.unwrap()[0]), "2");
}

#[tokio::test]
async fn without_a_server_everything_ends_in_bounded_time() {
    let mut server = TransportServer::open();
    server.director().await;
    let director = TransportDirector::new(connect(&server, "director").await);
    let worker = Worker::new(connect(&server, "one").await);
    server.kill();
    let fetched = worker
        .next(&queue(), 1, Duration::from_secs(1))
        .await
        .map(drop);
    assert!(
        matches!(fetched, Err(Error::NoAnswer { .. })),
        "{fetched:?}"
    );
    let sent = director
        .publish(&RunId::random(), &queue(), "1", "x".into())
        .await;
    assert!(matches!(sent, Err(Error::NoAnswer { .. })), "{sent:?}");
}

#[tokio::test]
async fn a_server_that_hangs_does_not_hang_its_clients() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = Worker::new(connect(&server, "one").await);
    let run = RunId::random();
    let queue = queue();
    for attempt in 0.. {
        let (fetched, ()) = tokio::join!(worker.next(&queue, 1, Duration::from_secs(1)), async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            server.pause(true);
        });
        match fetched {
            Err(Error::NoAnswer { .. }) => break,
            // It was slow, and answered that there is nothing before it hung.
            Ok(items) if items.is_empty() && attempt < MAX_TRIES => server.pause(false),
            other => panic!("{:?}", other.map(|items| items.len())),
        }
    }
    server.pause(false);
    publish(&director, &run, [7]).await;
    assert_eq!(text(&next(&worker).await), "7");
}
