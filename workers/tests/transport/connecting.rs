//! Every reason for which there is no connection has a name, and is found soon.

use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use flipside_workers::{Address, Connection, Credentials, Error};

use crate::server::{Server, options};

/// The most that any refusal may take, on a slow machine, too.
const SOON: Duration = Duration::from_secs(30);

async fn refused(address: &Address, credentials: Option<Credentials>) -> Error {
    let options = flipside_workers::Options {
        credentials,
        ..options("one")
    };
    let begun = Instant::now();
    let Err(error) = Connection::connect(address, &options).await else {
        panic!("{address} accepts");
    };
    assert!(
        begun.elapsed() < SOON,
        "{error} after {:?}",
        begun.elapsed()
    );
    assert!(!error.hint().is_empty());
    error
}

/// Something that listens, and greets every client with these words.
fn listener(greeting: &'static [u8]) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("nats://{}", listener.local_addr().unwrap());
    // It ends with the test's process.
    thread::spawn(move || {
        let mut clients = Vec::new();
        for client in listener.incoming() {
            let mut client = client.unwrap();
            std::io::Write::write_all(&mut client, greeting).unwrap();
            clients.push(client);
        }
    });
    address.parse().unwrap()
}

#[tokio::test]
async fn a_port_that_refuses() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("nats://{}", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    drop(listener);
    let error = refused(&address, None).await;
    assert!(matches!(error, Error::Refused(_)), "{error:?}");
}

#[tokio::test]
async fn a_host_without_an_address() {
    let error = refused(&"nats://no-such-host.invalid".parse().unwrap(), None).await;
    assert!(matches!(error, Error::UnknownHost(_)), "{error:?}");
}

#[tokio::test]
async fn something_that_says_nothing() {
    let error = refused(&listener(b""), None).await;
    assert!(matches!(error, Error::NotNats { .. }), "{error:?}");
}

#[tokio::test]
async fn something_that_speaks_another_protocol() {
    for greeting in [
        &b"SSH-2.0-OpenSSH_9.9\r\n"[..],
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"INFO {}}\r\n",
        b"PING\r\n",
        b"\xff\xfe\x00\r\n",
    ] {
        let error = refused(&listener(greeting), None).await;
        assert!(
            matches!(error, Error::NotNats { .. }),
            "{greeting:?}: {error:?}"
        );
    }
}

#[tokio::test]
async fn a_server_that_is_too_old() {
    let old = b"INFO {\"version\":\"2.9.10\",\"max_payload\":1048576}\r\nPONG\r\n";
    let error = refused(&listener(old), None).await;
    assert!(
        matches!(&error, Error::TooOld { version, .. } if version == "2.9.10"),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_server_without_jetstream() {
    let server = Server::start("");
    let error = refused(&server.address(), None).await;
    assert!(matches!(error, Error::NoJetStream(_)), "{error:?}");
}

#[tokio::test]
async fn credentials_that_the_server_does_not_know() {
    let server = Server::start(
        "jetstream: enabled, store_dir: \"@FOLDER@\"\nauthorization { token: \"right\" }",
    );
    let key = flipside_workers::Key::random();
    let wrong = [
        None,
        Some(Credentials::Token("wrong".into())),
        Some(Credentials::Seed(key.seed)),
    ];
    for credentials in wrong {
        let error = refused(&server.address(), credentials).await;
        assert!(matches!(error, Error::Unauthorised(_)), "{error:?}");
    }
    let right = flipside_workers::Options {
        credentials: Some(Credentials::Token("right".into())),
        ..options("one")
    };
    server.connect(&right).await;
}

#[tokio::test]
async fn tls_with_a_server_that_has_none() {
    let server = Server::open();
    let address = server.address().to_string().replace("nats:", "tls:");
    let error = refused(&address.parse().unwrap(), None).await;
    assert!(matches!(error, Error::Tls { .. }), "{error:?}");
}
