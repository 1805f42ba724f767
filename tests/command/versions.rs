//! Files of another version than the command reads, and files of its version that are not as it writes them: each is
//! refused in one line and stays as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::common::run;
use crate::shown::session;
use crate::signatures::{given, pack, played, unpack};

/// Gives a database another value in its header.
fn change_header(file: &Path, pragma: &str, value: i64) {
    let database = Connection::open(file).unwrap();
    database.pragma_update(None, pragma, value).unwrap();
}

/// A number in the header of a database.
fn header(file: &Path, pragma: &str) -> i64 {
    let database = Connection::open(file).unwrap();
    let value = database.pragma_query_value(None, pragma, |row| row.get(0));
    value.unwrap()
}

/// The text of the first file in a backup.
fn manifest(backup: &Path) -> String {
    let tar = zstd::decode_all(&fs::read(backup).unwrap()[..]).unwrap();
    let mut tar = tar::Archive::new(&tar[..]);
    let first = tar.entries().unwrap().next().unwrap().unwrap();
    std::io::read_to_string(first).unwrap()
}

/// A record with something else in its first line.
fn with_header(record: &str, from: &str, to: &str) -> String {
    let changed = record.replacen(from, to, 1);
    assert_ne!(changed, record);
    changed
}

/// All files below a folder, by path, but for what is compiled.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("cache") {
            continue;
        }
        if path.is_dir() {
            all.extend(content(&path));
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

/// A backup with other bytes of the same length in its first file.
fn change_manifest(backup: &Path, from: &str, to: &str) {
    let mut tar = zstd::decode_all(&fs::read(backup).unwrap()[..]).unwrap();
    let mut windows = tar.windows(from.len());
    let at = windows.position(|window| window == from.as_bytes());
    tar[at.unwrap()..][..to.len()].copy_from_slice(to.as_bytes());
    fs::write(backup, zstd::encode_all(&tar[..], 1).unwrap()).unwrap();
}

/// The files that differ, or that only one of the two has.
fn changed(before: &BTreeMap<PathBuf, Vec<u8>>, after: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<String> {
    let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let differ = paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path));
    differ.map(|path| path.display().to_string()).collect()
}

/// An arena with a tournament, a record and an archive of it that have something else in their first lines, and an
/// arena with accounts.
fn with_other_files(record: [&str; 2], archive: [&str; 2]) -> TempDir {
    let there = played();
    let folder = there.path();
    let text = given(folder, "cup-0", "record.jsonl");
    let text = with_header(&text, record[0], record[1]);
    fs::write(folder.join("record.jsonl"), text).unwrap();
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    let mut files = unpack(&folder.join("cup.tar.zst"));
    files[0].1 = with_header(&files[0].1, archive[0], archive[1]);
    pack(&files, &folder.join("cup.tar.zst"));
    flipside_store::Arena::create(folder.join("accounts")).unwrap();
    run(folder, &["invite", "--arena", "accounts"]).ok();
    there
}

#[test]
fn a_file_of_another_version_is_refused_in_one_line_and_stays_as_it_is() {
    let folder = with_other_files(
        ["\"format\":1", "\"format\":2"],
        ["\"format\": 1", "\"format\": 3"],
    );
    let folder = folder.path();
    run(folder, &["backup", "backup.tar.zst"]).ok();
    change_manifest(
        &folder.join("backup.tar.zst"),
        "\"format\": 1",
        "\"format\": 2",
    );
    change_header(&folder.join("accounts/site.db"), "user_version", 6);
    change_header(&folder.join("arena/journal.sqlite"), "user_version", 10);
    let before = content(folder);
    assert_snapshot!(session(folder, "
        verify record.jsonl
        import cup.tar.zst --arena other
        restore backup.tar.zst --arena other
        invite --arena accounts
        table cup
        submit first.wat --game flipflop-3x3
    "), @"
    $ flipside verify record.jsonl
    -- exit status 1, stderr:
    error: record.jsonl: the record has format 2, and this flipside reads format 1
    hint: use the flipside that wrote the record

    $ flipside import cup.tar.zst --arena other
    -- exit status 1, stderr:
    error: cup.tar.zst: the archive has format 3, and this flipside reads format 1
    hint: use the flipside that wrote it

    $ flipside restore backup.tar.zst --arena other
    -- exit status 1, stderr:
    error: the backup has format 2, and this flipside reads format 1
    hint: nothing was restored; use the flipside that wrote it

    $ flipside invite --arena accounts
    -- exit status 1, stderr:
    error: accounts/site.db has version 6, and this flipside reads version 1
    hint: use the flipside that wrote it; or move site.db, site.db-wal and site.db-shm away: accounts, leagues, ladders and webhooks then begin anew

    $ flipside table cup
    -- exit status 1, stderr:
    error: arena/journal.sqlite has version 10, and this flipside reads version 1
    hint: use the flipside that wrote it, or name another arena with --arena DIR

    $ flipside submit first.wat --game flipflop-3x3
    -- exit status 1, stderr:
    error: arena/journal.sqlite has version 10, and this flipside reads version 1
    hint: use the flipside that wrote it, or name another arena with --arena DIR
    ");
    assert_eq!(changed(&before, &content(folder)), [""; 0]);
}

#[test]
fn a_file_that_another_flipside_wrote_is_refused_in_one_line_and_stays_as_it_is() {
    let more = "\"settings\": {\n    \"skip_absent\": true,";
    let folder = with_other_files([",\"number\":0", ""], ["\"settings\": {", more]);
    let folder = folder.path();
    change_header(&folder.join("accounts/site.db"), "application_id", 7);
    change_header(&folder.join("arena/journal.sqlite"), "application_id", 7);
    let before = content(folder);
    assert_snapshot!(session(folder, "
        verify record.jsonl
        import cup.tar.zst --arena other
        invite --arena accounts
        table cup
        submit first.wat --game flipflop-3x3
    "), @"
    $ flipside verify record.jsonl
    -- exit status 1, stderr:
    error: record.jsonl: the header is not that of format 1: missing field `number`, at column N
    hint: use the flipside that wrote the record

    $ flipside import cup.tar.zst --arena other
    -- exit status 1, stderr:
    error: cup.tar.zst: cup/archive.json is not as this flipside writes it: unknown field `skip_absent`
    hint: use the flipside that wrote it

    $ flipside invite --arena accounts
    -- exit status 1, stderr:
    error: accounts/site.db does not hold accounts of this flipside
    hint: use the flipside that wrote it; or move site.db, site.db-wal and site.db-shm away: accounts, leagues, ladders and webhooks then begin anew

    $ flipside table cup
    -- exit status 1, stderr:
    error: arena/journal.sqlite is not a journal of this flipside
    hint: it was left as it is; use the flipside that wrote it, move it away, or name another arena than arena

    $ flipside submit first.wat --game flipflop-3x3
    -- exit status 1, stderr:
    error: arena/journal.sqlite is not a journal of this flipside
    hint: it was left as it is; use the flipside that wrote it, move it away, or name another arena than arena
    ");
    assert_eq!(changed(&before, &content(folder)), [""; 0]);
}

#[test]
fn the_changelog_names_the_version_of_each_format() {
    let folder = played();
    let folder = folder.path();
    let format = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        value["format"].as_i64().unwrap()
    };
    let record = given(folder, "cup-0", "record.jsonl");
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    run(folder, &["backup", "backup.tar.zst"]).ok();
    run(folder, &["invite"]).ok();
    let versions = [
        ("protocol", i64::from(flipside_protocol::VERSION)),
        ("record", format(record.lines().next().unwrap())),
        ("archive", format(&unpack(&folder.join("cup.tar.zst"))[0].1)),
        ("backup", format(&manifest(&folder.join("backup.tar.zst")))),
        (
            "journal",
            header(&folder.join("arena/journal.sqlite"), "user_version"),
        ),
        (
            "accounts",
            header(&folder.join("arena/site.db"), "user_version"),
        ),
    ];
    let changelog = include_str!("../../CHANGELOG.md");
    for (name, version) in versions {
        assert!(changelog.contains(&format!("{name} {version},")), "{name}");
    }
}
