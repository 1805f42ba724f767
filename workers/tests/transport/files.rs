//! Files arrive as they were sent, or not at all.

use flipside_workers::{Error, MAX_FILE_BYTES, Publication, Sha256Hash};

use crate::server::TransportServer;

#[tokio::test]
async fn a_large_file_arrives_intact_and_is_sent_once() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    // Chunks differ, so that their order counts.
    let file: Vec<u8> = (0..8_u32 << 20).flat_map(u32::to_le_bytes).collect();
    assert_eq!(file.len(), 32 << 20);
    let (hash, file) = (Sha256Hash::of(&file), file.into());
    assert_eq!(
        director.put_file(&hash, &file).await.unwrap(),
        Publication::New
    );
    assert_eq!(
        director.put_file(&hash, &file).await.unwrap(),
        Publication::Duplicate
    );
    assert!(worker.get_file(&hash).await.unwrap() == file);
}

/// A bot may have 256 MiB.
#[tokio::test]
async fn a_file_that_is_larger_than_a_result_may_be_arrives() {
    let server = TransportServer::open();
    let director = server.director().await;
    let file = vec![7; flipside_workers::MAX_RESULT_BYTES as usize + (1 << 20)];
    let (hash, file) = (Sha256Hash::of(&file), file.into());
    director.put_file(&hash, &file).await.unwrap();
    let worker = server.worker("one").await;
    assert!(worker.get_file(&hash).await.unwrap() == file);
    const { assert!(MAX_FILE_BYTES > flipside_workers::MAX_RESULT_BYTES) };
}

#[tokio::test]
async fn an_empty_file_arrives() {
    let server = TransportServer::open();
    let director = server.director().await;
    let hash = Sha256Hash::of(b"");
    director.put_file(&hash, &"".into()).await.unwrap();
    assert!(
        server
            .worker("one")
            .await
            .get_file(&hash)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_file_is_stored_only_under_its_own_hash() {
    let server = TransportServer::open();
    let director = server.director().await;
    let refused = director.put_file(&Sha256Hash::of(b"a"), &"b".into()).await;
    assert!(
        matches!(refused, Err(Error::WrongHash { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_file_that_is_not_there_is_named() {
    let server = TransportServer::open();
    server.director().await;
    let missing = server
        .worker("one")
        .await
        .get_file(&Sha256Hash::of(b"a"))
        .await;
    assert!(matches!(missing, Err(Error::NoFile(_))), "{missing:?}");
}

/// Every way in which somebody with access to the bucket could change an object.
#[tokio::test]
async fn a_corrupted_file_is_refused() {
    let server = TransportServer::open();
    let director = server.director().await;
    let worker = server.worker("one").await;
    let hash = Sha256Hash::of(b"honest");
    director.put_file(&hash, &"honest".into()).await.unwrap();

    let client = async_nats::connect(server.address().to_string())
        .await
        .unwrap();
    let name = base64_url(&hash.to_string());
    let stream = "OBJ_flipside-files";
    let subject = format!("$O.flipside-files.M.{name}");
    let get = format!("$JS.API.DIRECT.GET.{stream}.{subject}");
    let honest = client.request(get, "".into()).await.unwrap().payload;
    let honest = String::from_utf8(honest.to_vec()).unwrap();
    let nuid = honest
        .split("\"nuid\":\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();

    let lies = [
        honest.replace("\"size\":6", "\"size\":5"),
        honest.replace("\"size\":6", "\"size\":99999999999"),
        honest.replace("\"chunks\":1", "\"chunks\":2"),
        honest.replace("\"chunks\":1", "\"chunks\":18446744073709551615"),
        honest.replace(nuid, "*"),
        honest.replace(nuid, ""),
        honest.replace("\"size\":6", "\"size\":\"six\""),
        "{}".into(),
        "\u{0}".into(),
    ];
    for lie in lies {
        assert_ne!(lie, honest);
        client
            .request(subject.clone(), lie.clone().into())
            .await
            .unwrap();
        match worker.get_file(&hash).await {
            // Another description may still lead to the right bytes.
            Ok(file) => assert_eq!(file, "honest", "{lie}"),
            Err(error) => assert!(!error.hint().is_empty(), "{lie}"),
        }
    }
    // What cannot be read counts as not there.
    assert_eq!(
        director.put_file(&hash, &"honest".into()).await.unwrap(),
        Publication::New
    );
    assert_eq!(worker.get_file(&hash).await.unwrap(), "honest");
    // Another chunk under a description that is right.
    client
        .request(subject.clone(), honest.replace(nuid, "evil").into())
        .await
        .unwrap();
    client
        .request("$O.flipside-files.C.evil", "hOnest".into())
        .await
        .unwrap();
    let refused = worker.get_file(&hash).await;
    assert!(matches!(refused, Err(Error::Damaged(..))), "{refused:?}");
}

fn base64_url(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE.encode(text)
}
