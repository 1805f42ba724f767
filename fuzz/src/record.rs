//! Records: reading, verifying, replaying. The bytes are read as they are; and, since no input would
//! hit on a hash, once more with the hash that they should end with.

use flipside_games::Viewer;
use flipside_referee::{Record, Replay, SecretKey, sign_record, verify};
use sha2::{Digest, Sha256};

/// A secret that is none.
const KEY: &str = "ed25519-secret:0000000000000000000000000000000000000000000000000000000000000000";

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    read(text);
    let sealed = sealed(text);
    read(&sealed);
    signs(&sealed);
}

/// Whether a record can be signed exactly if it can be read.
fn signs(text: &str) {
    let key: SecretKey = KEY.parse().expect("a key");
    let Ok(signed) = sign_record(text, &key) else {
        assert!(Record::read(text).is_err(), "a record cannot be signed");
        return;
    };
    match (Record::read(text), Record::read(&signed)) {
        (Ok(_), Ok(record)) => assert_eq!(record.signer, Some(key.public())),
        (Err(_), Err(_)) => {}
        _ => panic!("a signature changes whether a record can be read"),
    }
}

fn read(text: &str) {
    let verified = verify(text);
    let Ok(record) = Record::read(text) else {
        assert!(verified.is_err(), "what cannot be read was verified");
        return;
    };
    let Ok(mut replay) = Replay::new(&record) else {
        assert!(verified.is_err(), "what cannot be replayed was verified");
        return;
    };
    let replayed = loop {
        match replay.step() {
            Ok(Some(_)) => {}
            Ok(None) => break true,
            Err(_) => break false,
        }
    };
    assert!(
        replayed || verified.is_err(),
        "what does not replay was verified"
    );
    assert!(!replay.table().text(Viewer::Open).is_empty());
}

/// The text up to its line of the type `end`, or all of it, with a right one.
fn sealed(text: &str) -> String {
    let body = text
        .find("{\"type\":\"end\"")
        .map_or(text, |at| &text[..at]);
    let sha256 = hex::encode(Sha256::digest(body));
    format!("{body}{{\"type\":\"end\",\"sha256\":\"{sha256}\"}}\n")
}
