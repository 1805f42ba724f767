//! Every reason for which there is no connection has a name, and is found soon.

use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use flipside_workers::{Address, Connection, Credentials, Error, Options};

use crate::server::{TransportServer, options};

/// Whoever waits for longer, hangs.
const HANGS: Duration = Duration::from_secs(900);

async fn refused(address: &Address, credentials: Option<Credentials>) -> Error {
    let options = Options {
        credentials,
        ..options("one")
    };
    refused_with(address, &options).await
}

/// By what never greets as it should.
async fn refused_soon(address: &Address) -> Error {
    let options = Options {
        connect_timeout: Duration::from_secs(1),
        ..options("one")
    };
    refused_with(address, &options).await
}

async fn refused_with(address: &Address, options: &Options) -> Error {
    let connected = tokio::time::timeout(HANGS, Connection::connect(address, options)).await;
    let Err(error) = connected.expect("it hangs") else {
        panic!("{address} accepts");
    };
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
    // Nobody listens there.
    let address = "nats://127.0.0.1:1".parse().unwrap();
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
    let error = refused_soon(&listener(b"")).await;
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
        let error = refused_soon(&listener(greeting)).await;
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
    let server = TransportServer::start("");
    let error = refused(&server.address(), None).await;
    assert!(matches!(error, Error::NoJetStream(_)), "{error:?}");
}

#[tokio::test]
async fn credentials_that_the_server_does_not_know() {
    let server = TransportServer::start(
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
    let damaged = Credentials::Jwt("-----BEGIN NATS USER JWT-----".into());
    let error = refused(&server.address(), Some(damaged)).await;
    assert!(matches!(error, Error::Credentials(_)), "{error:?}");
    let right = Options {
        credentials: Some(Credentials::Token("right".into())),
        ..options("one")
    };
    server.connect(&right).await;
}

#[tokio::test]
async fn tls_with_a_server_that_has_none() {
    let server = TransportServer::open();
    let address = server.address().to_string().replace("nats:", "tls:");
    let error = refused(&address.parse().unwrap(), None).await;
    assert!(matches!(error, Error::Tls { .. }), "{error:?}");
}

/// A certificate for this machine, its key, and a file for each in the folder.
fn certificate(folder: &std::path::Path) -> std::path::PathBuf {
    let names = vec!["127.0.0.1".to_owned()];
    let certified = rcgen::generate_simple_self_signed(names).unwrap();
    let path = folder.join("cert.pem");
    std::fs::write(&path, certified.cert.pem()).unwrap();
    std::fs::write(
        folder.join("key.pem"),
        certified.signing_key.serialize_pem(),
    )
    .unwrap();
    path
}

#[tokio::test]
async fn tls_with_the_authority_of_the_server_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let ca = certificate(folder.path());
    let path = folder.path().display();
    let server = TransportServer::start(&format!(
        "jetstream {{ store_dir: \"@FOLDER@\" }}
        tls {{ cert_file: \"{path}/cert.pem\", key_file: \"{path}/key.pem\" }}"
    ));
    let address = server.address().to_string().replace("nats:", "tls:");
    let address = address.parse().unwrap();
    let connect = async |ca| {
        let options = Options {
            ca,
            ..options("one")
        };
        Connection::connect(&address, &options).await.map(drop)
    };
    connect(Some(ca)).await.unwrap();

    let foreign = tempfile::tempdir().unwrap();
    let foreign_ca = certificate(foreign.path());
    for ca in [
        None,
        Some(foreign_ca),
        Some(folder.path().join("missing.pem")),
    ] {
        let error = connect(ca.clone()).await.unwrap_err();
        assert!(matches!(error, Error::Tls { .. }), "{ca:?}: {error:?}");
    }
}
