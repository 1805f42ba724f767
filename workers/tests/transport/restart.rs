//! The server ends by SIGKILL and starts again: nothing is lost that it had acknowledged, and everybody goes on.

use std::collections::BTreeSet;
use std::time::Duration;

use flipside_workers::{RunId, Sha256Hash, Worker};

use crate::server::Server;
use crate::{PATIENCE, next, publish, queue, result, text};

/// How often something is tried until the clients have recovered. Each try has a deadline of its own.
const MAX_TRIES: usize = 10;

/// Does all work that is there, and returns it.
async fn work_off(worker: &Worker, expected: usize) -> BTreeSet<String> {
    let mut done = BTreeSet::new();
    for _ in 0..expected + MAX_TRIES {
        let items = worker
            .next(&queue(), 64, Duration::from_secs(3))
            .await
            .unwrap();
        for item in items {
            let text = text(&item).to_owned();
            item.done().await.unwrap();
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
    let mut server = Server::open();
    let director = server.hasty_director(Duration::from_secs(1)).await;
    let worker = server.worker("one").await;
    let run = RunId::random();
    publish(&director, &run, 0..ITEMS).await;
    worker
        .send_result(&run, "1", "record".into())
        .await
        .unwrap();
    let file = Sha256Hash::of(b"file");
    director.put_file(&file, &"file".into()).await.unwrap();
    // Some is delivered and not done when the server ends.
    let held = worker.next(&queue(), 10, PATIENCE).await.unwrap();
    assert!(!held.is_empty());

    server.kill();
    server.restart();

    let expected: BTreeSet<_> = (0..ITEMS).map(|item| item.to_string()).collect();
    assert_eq!(work_off(&worker, ITEMS).await, expected);
    let result = result(&director, &run).await;
    assert_eq!(result.payload().await.unwrap(), "record");
    result.ack().await.unwrap();
    assert_eq!(worker.get_file(&file).await.unwrap(), "file");
}

#[tokio::test]
async fn what_is_published_while_the_server_restarts_is_stored_once() {
    const ITEMS: usize = 60;
    let mut server = Server::open();
    let director = server.hasty_director(Duration::from_secs(1)).await;
    let worker = server.worker("one").await;
    let run = RunId::random();
    let publishing = async {
        for item in 0..ITEMS {
            let text = item.to_string();
            let mut stored = false;
            for _ in 0..MAX_TRIES {
                let sent = director
                    .publish(&run, &queue(), &text, text.clone().into())
                    .await;
                stored = sent.is_ok();
                if stored {
                    break;
                }
            }
            assert!(stored, "{item} is not stored");
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
    let mut server = Server::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
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
    item.done().await.unwrap();
}

#[tokio::test]
async fn a_consumer_that_is_deleted_is_made_again_by_the_director() {
    let server = Server::open();
    // The server may let a new consumer take over what the old one had delivered.
    let director = server.hasty_director(Duration::from_secs(1)).await;
    let worker = server.worker("one").await;
    let run = RunId::random();
    publish(&director, &run, [1, 2]).await;
    next(&worker).await.done().await.unwrap();

    let client = async_nats::connect(server.address().to_string())
        .await
        .unwrap();
    let delete = "$JS.API.CONSUMER.DELETE.FLIPSIDE_WORK.0-1-0";
    client.request(delete, "".into()).await.unwrap();
    // A worker has no permission to create one.
    let missing = worker.next(&queue(), 1, PATIENCE).await.map(drop);
    assert!(
        matches!(missing, Err(flipside_workers::Error::NotSetUp(_))),
        "{missing:?}"
    );
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
    let mut server = Server::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    server.kill();
    let fetched = worker
        .next(&queue(), 1, Duration::from_secs(1))
        .await
        .map(drop);
    assert!(
        matches!(fetched, Err(flipside_workers::Error::NoAnswer { .. })),
        "{fetched:?}"
    );
    let sent = director
        .publish(&RunId::random(), &queue(), "1", "x".into())
        .await;
    assert!(
        matches!(sent, Err(flipside_workers::Error::NoAnswer { .. })),
        "{sent:?}"
    );
}

#[tokio::test]
async fn a_server_that_hangs_does_not_hang_its_clients() {
    let server = Server::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    let run = RunId::random();
    let queue = queue();
    for attempt in 0.. {
        let (fetched, ()) = tokio::join!(worker.next(&queue, 1, Duration::from_secs(1)), async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            server.pause(true);
        });
        match fetched {
            Err(flipside_workers::Error::NoAnswer { .. }) => break,
            // It was slow, and answered that there is nothing before it hung.
            Ok(items) if items.is_empty() && attempt < 10 => server.pause(false),
            other => panic!("{:?}", other.map(|items| items.len())),
        }
    }
    server.pause(false);
    publish(&director, &run, [7]).await;
    assert_eq!(text(&next(&worker).await), "7");
}
