//! Results stay on the server until the director has stored them.

use async_nats::{Client, HeaderMap};
use bytes::Bytes;
use flipside_workers::{Error, RunId, Sha256Hash};

use crate::server::TransportServer;
use crate::{SHORT, result};

#[tokio::test]
async fn a_result_stays_until_it_is_acknowledged() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    let run = RunId::random();
    worker
        .send_result(&run, "1", "record".into())
        .await
        .unwrap();

    let first = result(&director, &run).await;
    assert_eq!((first.worker().as_str(), first.id()), ("one", Some("1")));
    // A director that cannot store it says nothing.
    drop(first);
    let again = result(&director, &run).await;
    let twice = result(&director, &run).await;
    assert_eq!(again.payload().await.unwrap(), "record");
    again.ack().await.unwrap();
    // It is gone, which does no harm.
    twice.ack().await.unwrap();
    assert!(director.results(&run, 1, SHORT).await.unwrap().is_empty());
}

#[tokio::test]
async fn two_workers_may_return_the_same_work() {
    let server = TransportServer::open();
    let director = server.director().await;
    let run = RunId::random();
    for name in ["one", "other"] {
        let worker = server.worker(name).await;
        worker.send_result(&run, "1", name.into()).await.unwrap();
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
    let server = TransportServer::open();
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
    let server = TransportServer::open();
    server.director().await;
    let worker = server.worker("one").await;
    let large = vec![0; (flipside_workers::MAX_RESULT_BYTES + 1) as usize];
    let refused = worker
        .send_result(&RunId::random(), "1", large.into())
        .await;
    assert!(
        matches!(refused, Err(flipside_workers::Error::TooLarge { .. })),
        "{refused:?}"
    );
}

async fn with_headers(client: &Client, subject: String, all: &[(&str, &str)], payload: Bytes) {
    let mut headers = HeaderMap::new();
    for (name, value) in all {
        headers.insert(*name, *value);
    }
    // The server may refuse it.
    let _ = client.request_with_headers(subject, headers, payload).await;
}

#[tokio::test]
async fn a_worker_cannot_have_the_results_of_others_dropped_as_duplicates() {
    let server = TransportServer::open();
    let director = server.director().await;
    let (honest, run) = (server.worker("honest").await, RunId::random());
    let subject = format!("flipside.results.{run}.hostile");
    for id in [
        "1",
        "honest.1",
        &format!("{run}.1"),
        &format!("{run}.honest.1"),
    ] {
        let header = [("Nats-Msg-Id", id)];
        with_headers(
            &crate::client(&server).await,
            subject.clone(),
            &header,
            Bytes::new(),
        )
        .await;
    }
    honest
        .send_result(&run, "1", "record".into())
        .await
        .unwrap();
    let results = director.results(&run, 9, crate::PATIENCE).await.unwrap();
    let honest = results.iter().find(|it| it.worker().as_str() == "honest");
    assert_eq!(honest.unwrap().payload().await.unwrap(), "record");
}

/// Where a large result of a worker lies.
fn large(worker: &str, run: &RunId, id: &str, kind: &str, last: &str) -> String {
    let name = Sha256Hash::of(format!("{run}.{id}").as_bytes());
    format!("$O.flipside-large.{kind}.{worker}.{name}.{last}")
}

/// Stores a large result of a hostile worker, and tells the director of it.
async fn lie(client: &Client, run: &RunId, id: &str, description: &str, chunks: &[&[u8]]) {
    use base64::Engine;
    let name = Sha256Hash::of(format!("{run}.{id}").as_bytes()).to_string();
    let name = base64::engine::general_purpose::URL_SAFE.encode(name);
    for chunk in chunks {
        let subject = large("hostile", run, id, "C", "x");
        client
            .request(subject, chunk.to_vec().into())
            .await
            .unwrap();
    }
    let subject = large("hostile", run, id, "M", &name);
    client
        .request(subject, description.to_owned().into())
        .await
        .unwrap();
    announce(client, run, id).await;
}

async fn announce(client: &Client, run: &RunId, id: &str) {
    let hash = Sha256Hash::of(b"").to_string();
    let headers = [("Flipside-Id", id), ("Flipside-Sha256", &hash)];
    let subject = format!("flipside.results.{run}.hostile");
    with_headers(client, subject, &headers, Bytes::new()).await;
}

fn description(id: &str, size: usize, chunks: usize) -> String {
    format!(
        r#"{{"name":"x","bucket":"flipside-large","nuid":"{id}","size":{size},"chunks":{chunks},"digest":""}}"#
    )
}

#[tokio::test]
async fn a_worker_cannot_have_the_large_results_of_others_deleted() {
    let server = TransportServer::open();
    let director = server.director().await;
    let (honest, run) = (server.worker("honest").await, RunId::random());
    let record = vec![1; 2 << 20];
    honest
        .send_result(&run, "1", record.clone().into())
        .await
        .unwrap();

    let client = crate::client(&server).await;
    let subject = large("hostile", &run, "1", "C", "x");
    with_headers(&client, subject, &[("Nats-Rollup", "all")], "x".into()).await;
    for (number, id) in ["*", ">", "../x", &"x".repeat(1 << 19)].iter().enumerate() {
        let result = format!("lie-{number}");
        lie(&client, &run, &result, &description(id, 1, 1), &[]).await;
    }
    // The id of the honest worker's result, and none.
    announce(&client, &run, "1").await;
    announce(&client, &run, "").await;
    let results = director.results(&run, 9, crate::PATIENCE).await.unwrap();
    assert_eq!(results.len(), 7);
    for result in results.iter().skip(1) {
        let read = result.payload().await;
        // It is wrong for good: the director does not try again.
        assert!(
            matches!(&read, Err(error) if !error.is_passing()),
            "{read:?}"
        );
    }
    let mut results = results.into_iter();
    let honest = results.next().unwrap();
    for result in results {
        result.ack().await.unwrap();
    }
    assert!(honest.payload().await.unwrap() == record);
    honest.ack().await.unwrap();
    let info = client
        .request("$JS.API.STREAM.INFO.OBJ_flipside-large", "".into())
        .await
        .unwrap();
    let info = String::from_utf8_lossy(&info.payload).into_owned();
    assert!(info.contains("\"messages\":0"), "{info}");
}

#[tokio::test]
async fn a_large_result_in_needlessly_many_chunks_is_not_read() {
    let server = TransportServer::open();
    let director = server.director().await;
    let (client, run) = (crate::client(&server).await, RunId::random());
    let whole = vec![7; 64 << 10];
    // One byte at a time, as many chunks as are allowed, and a small one among others.
    lie(
        &client,
        &run,
        "1",
        &description("x", 40 << 20, 40 << 20),
        &[b"x"],
    )
    .await;
    lie(
        &client,
        &run,
        "2",
        &description("x", 96 << 10, 3),
        &[b"x", b"x", &whole],
    )
    .await;
    lie(
        &client,
        &run,
        "3",
        &description("x", 96 << 10, 3),
        &[&whole, b"x", b"x"],
    )
    .await;
    let results = director.results(&run, 9, crate::PATIENCE).await.unwrap();
    assert_eq!(results.len(), 3);
    for (result, why) in results
        .iter()
        .zip(["more chunks", "too small", "too small"])
    {
        let read = result.payload().await;
        assert!(
            matches!(&read, Err(Error::Damaged(_, what)) if what.contains(why)),
            "{read:?}"
        );
    }
}

/// A message has the headers and the status that its sender gave it. The status looks like one of the server, and the
/// library ends the connection when it cannot read the headers.
#[tokio::test]
async fn the_headers_of_a_worker_disturb_nobody() {
    let server = TransportServer::open();
    let director = server.director().await;
    let (honest, run) = (server.worker("honest").await, RunId::random());
    let mut raw = Raw::connect(&server);
    let headers: [&[u8]; 8] = [
        b"NATS/1.0 404 No Messages",
        b"NATS/1.0 503",
        b"NATS/1.0 100",
        b"NATS/1.0 999999",
        b"garbage",
        b"NATS/1.0\r\nno colon",
        b"NATS/1.0\r\n\xff: x",
        b"NATS/1.0\r\nNats-Sequence: x\r\nFlipside-Id: \x01",
    ];
    honest.announce("here".into()).await.unwrap();
    for (number, header) in headers.iter().enumerate() {
        let id = number.to_string();
        let chunk = large("hostile", &run, &id, "C", "x");
        for subject in [
            &format!("flipside.results.{run}.hostile"),
            "$KV.flipside-workers.hostile",
            &chunk,
        ] {
            raw.publish(subject, &[header, &b"\r\n\r\n"[..]].concat());
        }
        let workers = director.workers().await.unwrap();
        assert!(workers.iter().any(|it| it.worker.as_str() == "honest"));
        lie(
            &crate::client(&server).await,
            &run,
            &id,
            &description("x", 1, 1),
            &[],
        )
        .await;
    }
    honest
        .send_result(&run, "1", "record".into())
        .await
        .unwrap();
    let results = director.results(&run, 99, crate::PATIENCE).await.unwrap();
    assert_eq!(results.len(), 2 * headers.len() + 1);
    let (last, hostile) = results.split_last().unwrap();
    for result in hostile.iter().filter(|it| it.id().is_some()) {
        let read = result.payload().await;
        assert!(matches!(&read, Ok(_) | Err(Error::Damaged(..))), "{read:?}");
    }
    assert_eq!(last.payload().await.unwrap(), "record");
}

/// A client that sends what the library would not.
struct Raw(std::net::TcpStream);

impl Raw {
    fn connect(server: &TransportServer) -> Self {
        let address = server.address().to_string();
        let address = address.strip_prefix("nats://").unwrap();
        let mut raw = Raw(std::net::TcpStream::connect(address).unwrap());
        raw.send(b"CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true}\r\n");
        raw.settle();
        raw
    }

    fn send(&mut self, bytes: &[u8]) {
        std::io::Write::write_all(&mut self.0, bytes).unwrap();
    }

    /// Waits until the server has taken what was sent.
    fn settle(&mut self) {
        self.send(b"PING\r\n");
        let mut heard = Vec::new();
        while !heard.ends_with(b"PONG\r\n") {
            let mut byte = [0];
            std::io::Read::read_exact(&mut self.0, &mut byte).unwrap();
            heard.extend(byte);
        }
    }

    /// Publishes a message of nothing but a header.
    fn publish(&mut self, subject: &str, header: &[u8]) {
        let size = header.len();
        self.send(format!("HPUB {subject} {size} {size}\r\n").as_bytes());
        self.send(header);
        self.send(b"\r\n");
        self.settle();
    }
}
