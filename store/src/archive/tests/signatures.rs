//! What is promised of signed archives: they name who signed them, nothing of them can be changed, and what is not
//! signed counts as before.

use flipside_referee::{PublicKey, SecretKey, sign_record};

use std::path::Path;

use super::*;

/// An archive of a few short matches, and the key that signed it.
fn signed() -> (ArchivePlayed, SecretKey, Vec<u8>) {
    let there = played_until(&brief(Format::RoundRobin, 1), "evening", 2);
    let key = SecretKey::draw().unwrap();
    let archive = written(&there, Some(&key));
    (there, key, archive)
}

pub(super) fn written(played: &ArchivePlayed, key: Option<&SecretKey>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let journal = played.journal();
    let tournament = &played.tournament;
    let written = write(
        (&journal, Path::new("")),
        tournament,
        key,
        TWO,
        &mut bytes,
        |_, _| {},
    )
    .unwrap();
    assert_eq!(written.signer, key.map(SecretKey::public));
    bytes
}

fn signer(archive: &[u8]) -> Result<Option<PublicKey>, ArchiveError> {
    check(archive, NonZeroUsize::MIN, |_, _| {}).map(|checked| checked.signer)
}

pub(super) fn plain(archive: &[u8]) -> Vec<u8> {
    zstd::decode_all(archive).unwrap()
}

#[test]
fn an_archive_names_who_signed_it() {
    let (there, key, archive) = signed();
    assert_eq!(signer(&archive).unwrap(), Some(key.public()));
    assert_eq!(signer(&plain(&archive)).unwrap(), Some(key.public()));
    assert_eq!(archive, written(&there, Some(&key)));
    let other = SecretKey::draw().unwrap();
    let others = written(&there, Some(&other));
    assert_eq!(signer(&others).unwrap(), Some(other.public()));
    // Without a key it is signed by nobody.
    let unsigned = written(&there, None);
    assert_eq!(signer(&unsigned).unwrap(), None);
    let checked = check(&unsigned[..], TWO, |_, _| {}).unwrap();
    assert_eq!(checked.head.format, 1);
}

#[test]
fn no_byte_of_a_signed_archive_can_be_changed() {
    let (_there, _, archive) = signed();
    let whole = plain(&archive);
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        assert!(signer(&changed).is_err(), "byte {at}");
    }
    // Compression has bytes that mean nothing.
    for at in 0..archive.len() {
        for other in [archive[at] ^ 1, archive[at] ^ 0x80] {
            let mut changed = archive.clone();
            changed[at] = other;
            if signer(&changed).is_ok() {
                assert_eq!(plain(&changed), whole, "byte {at}");
            }
        }
    }
}

#[test]
fn nothing_can_be_taken_from_or_added_to_a_signed_archive() {
    let (there, key, archive) = signed();
    let whole = plain(&archive);
    for length in (0..whole.len()).step_by(61).chain([whole.len() - 1]) {
        assert!(signer(&whole[..length]).is_err(), "{length}");
    }
    for more in [&[0][..], &[0; 512], &[0; 1024], b"x"] {
        assert!(signer(&[&whole[..], more].concat()).is_err());
    }
    let files = unpack(&archive);
    // The same files in other bytes: with the time 0.
    let repacked = signer(&pack(&files)).unwrap_err();
    assert!(
        matches!(repacked, ArchiveError::WrongSignature),
        "{repacked}"
    );
    assert!(repacked.hint().is_some());
    let (seal, rest) = files.split_last().unwrap();
    assert_eq!(seal.0, "evening/signature.json");
    let without = signer(&pack(&rest.to_vec())).unwrap_err();
    assert!(matches!(without, ArchiveError::Cut(_)), "{without}");
    // Who says that it was never signed can do so. A signature proves only what it is of.
    let mut unsigned = rest.to_vec();
    replace(
        &mut unsigned,
        "archive.json",
        "\"signed\": true",
        "\"signed\": false",
    );
    assert_eq!(signer(&pack(&unsigned)).unwrap(), None);
    let mut late = files.clone();
    replace(
        &mut late,
        "archive.json",
        "\"signed\": true",
        "\"signed\": false",
    );
    assert!(signer(&pack(&late)).is_err());
    // The signature of another archive, and of a record.
    let all = played(&brief(Format::RoundRobin, 1), "evening");
    let mut moved = unpack(&written(&all, Some(&key)));
    let at = moved.len() - 1;
    moved[at] = seal.clone();
    assert!(signer(&pack(&moved)).is_err());
    drop(there);
}

#[test]
fn an_import_keeps_who_signed_and_does_not_sign_for_others() {
    let (_there, key, archive) = signed();
    let (_folder, arena) = new_arena();
    let own = arena.make_key().unwrap();
    let mut journal = arena.journal().unwrap();
    let imported = take(&mut journal, &archive, &Names::default()).unwrap();
    let imports = journal.imports(imported.tournament.id).unwrap();
    assert_eq!(imports[0].signer, Some(key.public()));
    let json = serde_json::to_value(&imports[0]).unwrap();
    assert_eq!(json["signer"], key.public().to_string());
    // What this arena gives out of it was played by another one.
    let record = arena.record_to_give(&journal, "evening-0").unwrap();
    assert_eq!(record, journal.record("evening-0").unwrap());
    let mut bytes = Vec::new();
    let on_key = arena.key().unwrap().unwrap();
    assert_eq!(on_key.public(), own);
    let tournament = &imported.tournament;
    let on = write(
        (&journal, Path::new("")),
        tournament,
        Some(&on_key),
        TWO,
        &mut bytes,
        |_, _| {},
    )
    .unwrap();
    assert_eq!(on.signer, None);
    assert_eq!(signer(&bytes).unwrap(), None);
}

#[test]
fn records_are_signed_when_they_are_given_out_and_not_in_the_journal() {
    let there = played_until(&brief(Format::RoundRobin, 1), "evening", 2);
    let journal = there.journal();
    let stored = journal.record("evening-0").unwrap();
    let given = there.arena.record_to_give(&journal, "evening-0").unwrap();
    assert_eq!(given, stored);
    let public = there.arena.make_key().unwrap();
    let given = there.arena.record_to_give(&journal, "evening-0").unwrap();
    let record = flipside_referee::Record::read(&given).unwrap();
    assert_eq!(record.signer, Some(public));
    assert_eq!(journal.record("evening-0").unwrap(), stored);
}

#[test]
fn a_record_with_a_signature_of_its_own_is_not_imported() {
    // Its bytes are others, so that it would not be known as the same record.
    let (_there, key, archive) = signed();
    let mut files = unpack(&archive);
    files.pop();
    replace(
        &mut files,
        "archive.json",
        "\"signed\": true",
        "\"signed\": false",
    );
    let at = |files: &ArchiveUnpacked| {
        let mut files = files.iter();
        let at = files.position(|(path, _)| path.ends_with("/evening-0.jsonl"));
        at.unwrap()
    };
    let at = at(&files);
    let hash = |text: &str| hex::encode(Sha256::digest(text));
    let before = hash(&files[at].1);
    files[at].1 = sign_record(&files[at].1, &key).unwrap();
    let after = hash(&files[at].1);
    replace(&mut files, "results/000000.jsonl", &before, &after);
    let refused = signer(&pack(&files)).unwrap_err();
    assert!(
        refused.to_string().contains("a signature of its own"),
        "{refused}"
    );
}

#[test]
fn the_records_of_an_archive_are_those_that_were_checked() {
    let there = played(&brief(Format::RoundRobin, 2), "evening");
    let archive = there.archive();
    let checked = check(&archive[..], TWO, |_, _| {}).unwrap();
    let ids = |archive: &[u8]| {
        let mut ids = Vec::new();
        let work = |record: &flipside_referee::Record| record.header.id.clone();
        for_each_record(archive, &checked, TWO, work, |id, own| {
            assert!(own.is_none_or(|own| own == id));
            ids.push(id.to_owned());
            Ok::<(), ArchiveError>(())
        })
        .map(|()| ids)
    };
    let rows = matches(&there.journal());
    let due: Vec<_> = rows.iter().rev().map(|row| row.id.clone()).collect();
    assert_eq!(ids(&archive).unwrap(), due);
    let other = played(&brief(Format::RoundRobin, 2), "evening").archive();
    let changed = ids(&other).unwrap_err();
    assert!(matches!(changed, ArchiveError::Changed), "{changed}");
}
