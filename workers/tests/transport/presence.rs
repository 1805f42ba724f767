//! Workers are listed while they say that they are there.

use std::time::Duration;

use flipside_workers::{Error, PRESENCE_TTL};

use crate::server::TransportServer;

#[tokio::test]
async fn workers_are_listed_until_they_leave() {
    let server = TransportServer::open();
    let director = server.director().await;
    assert!(director.workers().await.unwrap().is_empty());
    let (one, other) = (server.worker("one").await, server.worker("other").await);
    other.announce("idle".into()).await.unwrap();
    other.announce("busy".into()).await.unwrap();
    one.announce("idle".into()).await.unwrap();

    let workers = director.workers().await.unwrap();
    let shown: Vec<_> = workers
        .iter()
        .map(|it| (it.worker.as_str(), &it.payload[..]))
        .collect();
    assert_eq!(shown, [("one", &b"idle"[..]), ("other", b"busy")]);
    assert!(
        workers.iter().all(|it| it.age < PRESENCE_TTL),
        "{workers:?}"
    );

    // The age grows by the clock of the server.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let later = director.workers().await.unwrap();
    assert!(later[0].age > workers[0].age);

    one.leave().await.unwrap();
    let workers = director.workers().await.unwrap();
    assert_eq!(workers.len(), 1);
    assert_eq!(workers[0].worker.as_str(), "other");
}

#[tokio::test]
async fn a_worker_says_little_about_itself() {
    let server = TransportServer::open();
    server.director().await;
    let worker = server.worker("one").await;
    let refused = worker.announce(vec![b'x'; 1 << 20].into()).await;
    assert!(
        matches!(refused, Err(Error::TooLarge { .. })),
        "{refused:?}"
    );
}
