//! Work is delivered until it is done.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use flipside_workers::{Backlog, Error, Publication, RunId};

use crate::server::TransportServer;
use crate::{PATIENCE, is_idle, next, publish, queue, text};

#[tokio::test]
async fn everything_that_is_published_is_delivered_to_one_of_the_workers() {
    const ITEMS: usize = 300;
    let server = TransportServer::open();
    let director = server.director().await;
    let run = RunId::random();
    publish(&director, &run, 0..ITEMS).await;

    let workers = [server.worker("one").await, server.worker("other").await];
    let mut delivered = BTreeSet::new();
    // Each fetch brings something, so that these rounds are enough.
    for round in 0..ITEMS {
        let items = workers[round % 2]
            .next(&queue(), 50, PATIENCE)
            .await
            .unwrap();
        for item in items {
            assert_eq!(item.run(), &run);
            assert_eq!(item.deliveries(), 1);
            assert!(delivered.insert(text(&item).to_owned()));
            item.done().await.unwrap();
        }
        if delivered.len() == ITEMS {
            break;
        }
    }
    assert_eq!(delivered.len(), ITEMS);
    assert!(is_idle(&workers[0]).await);
}

#[tokio::test]
async fn the_backlog_counts_work_from_its_confirmation_until_it_is_done() {
    const ITEMS: usize = 200;
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    let run = RunId::random();
    let backlog = async || director.backlog(&queue()).await.unwrap();
    for item in 0..ITEMS {
        publish(&director, &run, [item]).await;
        let (waiting, held) = (item as u64 + 1, 0);
        assert_eq!(backlog().await, Backlog { waiting, held });
        assert!(!director.has_nothing(&run, &queue()).await.unwrap());
    }
    for left in (0..ITEMS as u64).rev() {
        let item = next(&worker).await;
        let (waiting, held) = (left, 1);
        assert_eq!(backlog().await, Backlog { waiting, held });
        item.done().await.unwrap();
        assert_eq!(backlog().await, Backlog { waiting, held: 0 });
    }
    assert!(director.has_nothing(&run, &queue()).await.unwrap());
}

#[tokio::test]
async fn a_waiting_worker_gets_work_when_it_comes() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    let run = RunId::random();
    let (item, ()) = tokio::join!(next(&worker), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        publish(&director, &run, [7]).await;
    });
    assert_eq!(text(&item), "7");
}

#[tokio::test]
async fn work_that_nobody_acknowledges_comes_again() {
    let server = TransportServer::open();
    let director = server.hasty_director(Duration::from_millis(500)).await;
    let worker = server.worker("one").await;
    publish(&director, &RunId::random(), [7]).await;

    let late = next(&worker).await;
    let again = next(&worker).await;
    assert_eq!((text(&again), again.deliveries()), ("7", 2));
    again.done().await.unwrap();
    // Too late, and harmless.
    late.done().await.unwrap();
    assert!(is_idle(&worker).await);
}

#[tokio::test]
async fn work_in_progress_is_held() {
    let server = TransportServer::open();
    // Long against the interval below, and short against all of them.
    const ACK_WAIT: Duration = Duration::from_secs(4);
    let director = server.hasty_director(ACK_WAIT).await;
    let worker = server.worker("one").await;
    publish(&director, &RunId::random(), [7]).await;

    let mut item = next(&worker).await;
    let (mut held, mut told) = (0, Instant::now());
    while held < 12 {
        item.in_progress().await.unwrap();
        let others = worker.next(&queue(), 1, Duration::from_millis(500)).await;
        held += 1;
        if let Some(again) = others.unwrap().pop() {
            // The machine has kept this test from running for so long that the work was due again.
            assert!(told.elapsed() >= ACK_WAIT, "it is not held");
            (item, held) = (again, 0);
        }
        told = Instant::now();
    }
    item.done().await.unwrap();
    assert!(is_idle(&worker).await);
}

#[tokio::test]
async fn work_that_is_given_back_comes_again_at_once() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    publish(&director, &RunId::random(), [7]).await;

    next(&worker).await.give_back().await.unwrap();
    let again = next(&worker).await;
    assert_eq!((text(&again), again.deliveries()), ("7", 2));
}

#[tokio::test]
async fn work_that_is_published_twice_is_stored_once() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    let (run, other) = (RunId::random(), RunId::random());
    let publish = async |run: &RunId| {
        director
            .publish(run, &queue(), "1", "x".into())
            .await
            .unwrap()
    };
    assert_eq!(publish(&run).await, Publication::New);
    assert_eq!(publish(&run).await, Publication::Duplicate);
    // The same id in another run is other work.
    assert_eq!(publish(&other).await, Publication::New);

    let runs = [next(&worker).await, next(&worker).await].map(|item| item.run().clone());
    assert_eq!(BTreeSet::from(runs), BTreeSet::from([run, other]));
    assert!(is_idle(&worker).await);
}

#[tokio::test]
async fn a_worker_gets_only_work_of_its_class() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    let slow = flipside_workers::QueueName::new("slow").unwrap();
    director.open(&slow).await.unwrap();
    director
        .publish(&RunId::random(), &slow, "1", "x".into())
        .await
        .unwrap();
    assert!(is_idle(&worker).await);
    assert_eq!(worker.next(&slow, 1, PATIENCE).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_run_is_forgotten_without_touching_others() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    let (run, other) = (RunId::random(), RunId::random());
    publish(&director, &run, 0..5).await;
    publish(&director, &other, 5..10).await;
    worker.send_result(&run, "1", "gone".into()).await.unwrap();
    worker
        .send_result(&other, "1", "kept".into())
        .await
        .unwrap();

    director.forget(&run).await.unwrap();
    // Forgetting again does no harm.
    director.forget(&run).await.unwrap();
    for item in 5..10 {
        let next = next(&worker).await;
        assert_eq!(text(&next), item.to_string());
        next.done().await.unwrap();
    }
    assert!(is_idle(&worker).await);
    let none = director.results(&run, 1, crate::SHORT).await.unwrap();
    assert!(none.is_empty());
    let kept = crate::result(&director, &other).await;
    assert_eq!(kept.payload().await.unwrap(), "kept");
}

#[tokio::test]
async fn work_that_does_not_fit_into_a_message_is_refused() {
    let server = TransportServer::open();
    let director = server.director().await;
    let large = vec![0; 1 << 20].into();
    let refused = director
        .publish(&RunId::random(), &queue(), "1", large)
        .await;
    assert!(
        matches!(refused, Err(Error::TooLarge { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn setting_up_again_keeps_what_is_there() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    publish(&director, &RunId::random(), [7]).await;
    director.set_up(&queue()).await.unwrap();
    assert_eq!(text(&next(&worker).await), "7");
}

#[tokio::test]
async fn a_server_that_is_not_set_up_is_named() {
    let server = TransportServer::open();
    let worker = server.worker("one").await;
    let refused = worker.next(&queue(), 1, PATIENCE).await.map(drop);
    assert!(matches!(refused, Err(Error::NotSetUp(_))), "{refused:?}");
}

#[tokio::test]
async fn a_full_stream_is_named_and_keeps_what_it_has() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    let run = RunId::random();
    let work = bytes::Bytes::from(vec![0; 1_000_000]);
    let most = flipside_workers::MAX_WORK_BYTES as usize / work.len() + 1;
    let mut stored = 0;
    let full = loop {
        let id = stored.to_string();
        match director.publish(&run, &queue(), &id, work.clone()).await {
            Ok(_) => stored += 1,
            Err(error) => break error,
        }
        assert!(stored <= most);
    };
    assert!(matches!(full, Error::Full(_)), "{full:?}");
    next(&worker).await.done().await.unwrap();
    director
        .publish(&run, &queue(), "last", work)
        .await
        .unwrap();
}

#[tokio::test]
async fn messages_with_names_that_are_not_valid_are_removed() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    let run = RunId::random();
    let client = crate::client(&server).await;
    client
        .request("flipside.work.NOT-A-RUN.0-1-0", "".into())
        .await
        .unwrap();
    client
        .request(format!("flipside.results.{run}.NOT-A-NAME"), "".into())
        .await
        .unwrap();
    // Nobody gets them, and whoever asks removes them.
    let mut is_there = true;
    while is_there {
        assert!(is_idle(&worker).await);
        let results = director.results(&run, 9, crate::SHORT).await.unwrap();
        assert!(results.is_empty());
        let info = client.request("$JS.API.STREAM.INFO.FLIPSIDE_WORK", "".into());
        let info = info.await.unwrap();
        is_there = !String::from_utf8_lossy(&info.payload).contains("\"messages\":0");
    }
}

#[tokio::test]
async fn a_worker_waits_while_too_much_is_unacknowledged() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    // The real limit is too high for a test.
    let client = crate::client(&server).await;
    let info = client
        .request("$JS.API.CONSUMER.INFO.FLIPSIDE_WORK.0-1-0", "".into())
        .await;
    let info: serde_json::Value = serde_json::from_slice(&info.unwrap().payload).unwrap();
    let mut config = info["config"].clone();
    config["max_ack_pending"] = 4.into();
    let request = serde_json::json!({ "stream_name": "FLIPSIDE_WORK", "config": config });
    let update = "$JS.API.CONSUMER.CREATE.FLIPSIDE_WORK.0-1-0.flipside.work.*.0-1-0";
    client
        .request(update, request.to_string().into())
        .await
        .unwrap();

    publish(&director, &RunId::random(), 0..10).await;
    let mut held = worker.next(&queue(), 10, PATIENCE).await.unwrap();
    assert_eq!(held.len(), 4);
    assert!(is_idle(&worker).await);
    let done = held.pop().unwrap();
    let (queue, fetch) = (queue(), 10);
    let (next, ()) = tokio::join!(worker.next(&queue, fetch, PATIENCE), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        done.done().await.unwrap();
    });
    assert_eq!(text(&next.unwrap()[0]), "4");
}
