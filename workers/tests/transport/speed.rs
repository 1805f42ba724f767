//! Measures the transport on this machine. It asserts no times: run it to see them.
//!
//!     cargo test --release -p flipside-workers --test transport speed -- --ignored --nocapture

use std::time::{Duration, Instant};

use bytes::Bytes;
use flipside_workers::{RunId, Sha256Hash, TransportDirector, Worker};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::server::TransportServer;
use crate::{PATIENCE, queue};

/// How many messages are published.
const MESSAGES: usize = 2_000;

/// How many requests are open at once.
const AT_ONCE: usize = 64;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "by hand: it measures"]
async fn speed() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    for size in [2 << 10, 64 << 10] {
        let payload = Bytes::from(vec![7; size]);
        for at_once in [1, AT_ONCE] {
            measure(&director, &worker, &payload, at_once).await;
        }
    }
    let file: Vec<u8> = (0..8_u32 << 20).flat_map(u32::to_le_bytes).collect();
    let (hash, file) = (Sha256Hash::of(&file), Bytes::from(file));
    let begun = Instant::now();
    director.put_file(&hash, &file).await.unwrap();
    println!("32 MiB up: {:?}", begun.elapsed());
    let begun = Instant::now();
    worker.get_file(&hash).await.unwrap();
    println!("32 MiB down: {:?}", begun.elapsed());
}

async fn measure(director: &TransportDirector, worker: &Worker, payload: &Bytes, at_once: usize) {
    let run = RunId::random();
    let begun = Instant::now();
    stream::iter(0..MESSAGES)
        .map(|id| {
            let (run, payload) = (&run, payload.clone());
            async move {
                director
                    .publish(run, &queue(), &id.to_string(), payload)
                    .await
            }
        })
        .buffer_unordered(at_once)
        .try_for_each(|_| std::future::ready(Ok(())))
        .await
        .unwrap();
    show("published", payload, at_once, begun.elapsed());

    let begun = Instant::now();
    let mut left = MESSAGES;
    while left > 0 {
        let items = worker.next(&queue(), at_once, PATIENCE).await.unwrap();
        left -= items.len();
        futures_util::future::try_join_all(items.into_iter().map(|item| item.done()))
            .await
            .unwrap();
    }
    show("fetched and done", payload, at_once, begun.elapsed());
}

fn show(what: &str, payload: &Bytes, at_once: usize, took: Duration) {
    let rate = MESSAGES as f64 / took.as_secs_f64();
    println!(
        "{what}, {} KiB, {at_once} at once: {rate:.0}/s",
        payload.len() >> 10
    );
}
