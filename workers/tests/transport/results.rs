//! Results stay on the server until the director has stored them.

use std::time::Duration;

use flipside_workers::{Director, Publication, RunId, Sha256Hash};

use crate::server::{Server, options};
use crate::{SHORT, result};

#[tokio::test]
async fn a_result_stays_until_it_is_acknowledged() {
    let server = Server::open();
    let options = flipside_workers::Options {
        ack_wait: Duration::from_millis(500),
        ..options("director")
    };
    let director = Director::new(server.connect(&options).await);
    director.set_up().await.unwrap();
    let worker = server.worker("one").await;
    let run = RunId::random();
    let send = async || {
        worker
            .send_result(&run, "1", "record".into())
            .await
            .unwrap()
    };
    assert_eq!(send().await, Publication::New);
    assert_eq!(send().await, Publication::Duplicate);

    let first = result(&director, &run).await;
    assert_eq!((first.worker().as_str(), first.deliveries()), ("one", 1));
    // A director that cannot store it says so, or ends and says nothing.
    first.nak().await.unwrap();
    drop(result(&director, &run).await);
    let again = result(&director, &run).await;
    assert_eq!(again.payload().await.unwrap(), "record");
    assert_eq!(again.deliveries(), 3);
    again.ack().await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(director.results(&run, 1, SHORT).await.unwrap().is_empty());
}

#[tokio::test]
async fn two_workers_may_return_the_same_work() {
    let server = Server::open();
    let director = server.director().await;
    let run = RunId::random();
    for name in ["one", "other"] {
        let worker = server.worker(name).await;
        let sent = worker.send_result(&run, "1", name.into()).await.unwrap();
        assert_eq!(sent, Publication::New);
    }
    for name in ["one", "other"] {
        let result = result(&director, &run).await;
        assert_eq!(result.worker().as_str(), name);
        assert_eq!(result.payload().await.unwrap(), name);
        result.ack().await.unwrap();
    }
}

#[tokio::test]
async fn a_result_that_does_not_fit_into_a_message_arrives_whole() {
    let server = Server::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    let run = RunId::random();
    let record: Vec<u8> = (0..3_000_000_u32).map(|it| (it % 251) as u8).collect();
    let hash = Sha256Hash::of(&record);
    worker.send_result(&run, "1", record.into()).await.unwrap();

    let result = result(&director, &run).await;
    assert_eq!(Sha256Hash::of(&result.payload().await.unwrap()), hash);
    result.ack().await.unwrap();
}

#[tokio::test]
async fn a_result_that_is_too_large_is_refused() {
    let server = Server::open();
    server.director().await;
    let worker = server.worker("one").await;
    let large = vec![0; (flipside_workers::MAX_OBJECT_BYTES + 1) as usize];
    let refused = worker
        .send_result(&RunId::random(), "1", large.into())
        .await;
    assert!(
        matches!(refused, Err(flipside_workers::Error::TooLarge { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_worker_cannot_have_the_large_results_of_others_deleted() {
    let server = Server::open();
    let director = server.director().await;
    let (honest, run) = (server.worker("honest").await, RunId::random());
    let record = vec![1; 2 << 20];
    honest
        .send_result(&run, "1", record.clone().into())
        .await
        .unwrap();

    let client = async_nats::connect(server.address().to_string())
        .await
        .unwrap();
    for chunks in ["*", ">"] {
        let description = format!(
            r#"{{"name":"x","bucket":"flipside-large","nuid":"{chunks}","size":1,"chunks":1,"digest":""}}"#
        );
        // `eA==` is the name x in base64.
        let subject = "$O.flipside-large.M.eA==";
        client.request(subject, description.into()).await.unwrap();
        let mut headers = async_nats::HeaderMap::new();
        headers.insert("Flipside-Object", "x");
        let subject = format!("flipside.results.{run}.hostile");
        client
            .request_with_headers(subject, headers, "".into())
            .await
            .unwrap();
    }
    let results = director.results(&run, 9, crate::PATIENCE).await.unwrap();
    let [honest, hostile @ ..] = <[_; 3]>::try_from(results).ok().unwrap();
    for result in hostile {
        assert!(result.payload().await.is_err());
        result.ack().await.unwrap();
    }
    assert!(honest.payload().await.unwrap() == record);
}
