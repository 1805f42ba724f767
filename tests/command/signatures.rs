//! What an arena with a key gives out, and what another one makes of it.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use insta::assert_snapshot;
use sha2::{Digest, Sha256};

use crate::common::{run, sample};
use crate::shown::{session, words};

/// A folder with the arena `arena`, in which two modules have played and which has a key.
pub(crate) fn played() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(sample("wat/first.wat"), folder.path().join("first.wat")).unwrap();
    // Nothing but its choice of actions tells it from the first.
    let other = fs::read_to_string(sample("wat/instant.wat")).unwrap();
    let other = other.replace(r#"\"name\":\"instant\""#, r#"  \"name\":\"first\""#);
    fs::write(folder.path().join("other.wat"), other).unwrap();
    let cup = words("tournament flipflop-3x3 ./first.wat ./other.wat --name cup --rounds 1");
    let more = ["--seed", seed!(7), "--no-affinity"];
    run(folder.path(), &[&cup[..], &more].concat()).ok();
    run(folder.path(), &["keygen"]).ok();
    folder
}

fn key(folder: &Path, arena: &str) -> String {
    let text = run(folder, &["keygen", "--show", "--arena", arena]).ok();
    text.trim().to_owned()
}

/// Writes the record of a match, as an arena gives it out, to a file.
pub(crate) fn given(folder: &Path, id: &str, file: &str) -> String {
    let record = run(folder, &["matches", id]).ok();
    fs::write(folder.join(file), &record).unwrap();
    record
}

/// The files of an archive.
pub(crate) fn unpack(path: &Path) -> Vec<(String, String)> {
    let bytes = fs::read(path).unwrap();
    let bytes = zstd::decode_all(&bytes[..]).unwrap_or(bytes);
    let mut tar = tar::Archive::new(&bytes[..]);
    let file = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let mut entry = entry.unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        (entry.path().unwrap().to_str().unwrap().to_owned(), text)
    };
    tar.entries().unwrap().map(file).collect()
}

pub(crate) fn pack(files: &[(String, String)], path: &Path) {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, text) in files {
        let mut header = tar::Header::new_ustar();
        header.set_path(name).unwrap();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, text.as_bytes()).unwrap();
    }
    fs::write(path, tar.into_inner().unwrap()).unwrap();
}

fn sha256(text: &[u8]) -> String {
    let digest = Sha256::digest(text);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn an_arena_gets_one_key_and_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert_snapshot!(session(folder, "
        keygen --show
        keygen
        keygen
        keygen --show
    "), @"
    $ flipside keygen --show
    -- exit status 1, stderr:
    error: there is no arena at arena
    hint: name the arena's folder with --arena DIR or FLIPSIDE_ARENA; `flipside submit`, `flipside tournament` and `flipside serve --new` make one

    $ flipside keygen
    ed25519:HASH
    -- stderr:
    the secret key is in arena/signing.key; backups do not contain it

    $ flipside keygen
    -- exit status 1, stderr:
    error: the arena has a key: arena/signing.key
    hint: flipside keygen --show prints its public key; for a new one, first move the file away and keep it

    $ flipside keygen --show
    ed25519:HASH
    ");
    let path = folder.join("arena/signing.key");
    let secret = fs::read_to_string(&path).unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let public = key(folder, "arena");
    run(folder, &["keygen", "--arena", "other"]).ok();
    assert_ne!(key(folder, "other"), public);
    assert_eq!(fs::read_to_string(&path).unwrap(), secret);

    // A backup does not contain it.
    assert_snapshot!(session(folder, "
        backup all.tar.zst
        restore all.tar.zst --arena again
        keygen --show --arena again
    "), @"
    $ flipside backup all.tar.zst
    -- stderr:
    all.tar.zst is written: the journal and 0 files of bots

    $ flipside restore all.tar.zst --arena again
    -- stderr:
    again is restored: the journal and 0 files of bots

    $ flipside keygen --show --arena again
    -- exit status 1, stderr:
    error: the arena has no key: again/signing.key
    hint: flipside keygen --arena again
    ");
    assert!(unpacked_has_not(&folder.join("all.tar.zst"), secret.trim()));
    fs::copy(&path, folder.join("again/signing.key")).unwrap();
    assert_eq!(key(folder, "again"), public);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_snapshot!(session(folder, "keygen --show"), @"
    $ flipside keygen --show
    -- exit status 1, stderr:
    error: other users can read the secret key arena/signing.key
    hint: chmod 600 arena/signing.key
    ");
}

fn unpacked_has_not(path: &Path, secret: &str) -> bool {
    let bytes = zstd::decode_all(fs::File::open(path).unwrap()).unwrap();
    let digits = secret.rsplit(':').next().unwrap().as_bytes();
    !bytes.windows(digits.len()).any(|window| window == digits)
}

#[test]
fn a_record_that_is_given_out_names_its_arena() {
    let folder = played();
    let folder = folder.path();
    let record = given(folder, "cup-0", "cup-0.jsonl");
    assert_eq!(record, given(folder, "cup-0", "again.jsonl"));
    let changed = record.replacen("\"us\":", "\"us\":1", 1);
    fs::write(folder.join("changed.jsonl"), changed).unwrap();
    let (body, end) = record.trim_end().rsplit_once('\n').unwrap();
    let (unsigned, _) = end.split_once(",\"signature\"").unwrap();
    let unsigned = format!("{body}\n{unsigned}}}\n");
    fs::write(folder.join("unsigned.jsonl"), &unsigned).unwrap();
    // Another arena claims it.
    run(folder, &["keygen", "--arena", "other"]).ok();
    let claimed = record.replace(&key(folder, "arena"), &key(folder, "other"));
    fs::write(folder.join("claimed.jsonl"), claimed).unwrap();
    assert_snapshot!(session(folder, "
        verify cup-0.jsonl
        verify cup-0.jsonl --rerun --arena other
        verify unsigned.jsonl
        verify changed.jsonl
        verify claimed.jsonl
        verify cup-0
    "), @"
    $ flipside verify cup-0.jsonl
    cup-0.jsonl: ok: flipflop-3x3 cup-0, 4 plies, goal, signed by ed25519:HASH (this arena)

    $ flipside verify cup-0.jsonl --rerun --arena other
    cup-0.jsonl: ok: flipflop-3x3 cup-0, 4 plies, goal, signed by ed25519:HASH; 0 modules played again, 0 answers equal, 2 modules not here

    $ flipside verify unsigned.jsonl
    unsigned.jsonl: ok: flipflop-3x3 cup-0, 4 plies, goal, not signed

    $ flipside verify changed.jsonl
    -- exit status 1, stderr:
    error: changed.jsonl: the closing hash does not fit: the record was changed after it was written
    hint: a changed record proves nothing; take it again from where it came

    $ flipside verify claimed.jsonl
    -- exit status 1, stderr:
    error: claimed.jsonl: the signature does not fit: the record was changed after it was signed
    hint: a changed record proves nothing; take it again from where it came

    $ flipside verify cup-0
    cup-0: ok: flipflop-3x3 cup-0, 4 plies, goal
    ");
    let one = "match flipflop-3x3 sample:random sample:random --record one.jsonl";
    run(folder, &words(one)).ok();
    let by = format!("signed by {}", key(folder, "arena"));
    let here = run(folder, &["verify", "one.jsonl"]).ok();
    assert!(here.contains(&format!("{by} (this arena)")), "{here}");
    let there = run(folder, &["verify", "one.jsonl", "--arena", "none"]).ok();
    assert!(there.trim().ends_with(&by), "{there}");
    // That the key cannot be used is found before the match.
    let signing = folder.join("arena/signing.key");
    fs::set_permissions(&signing, fs::Permissions::from_mode(0o644)).unwrap();
    let refused = run(folder, &words(&one.replace("one.jsonl", "two.jsonl")));
    assert_eq!(refused.code, Some(1));
    assert!(refused.stdout.is_empty() && !folder.join("two.jsonl").exists());
    // The journal keeps it without.
    fs::remove_file(folder.join("arena/signing.key")).unwrap();
    assert_eq!(run(folder, &["matches", "cup-0"]).ok(), unsigned);
}

#[test]
fn an_import_names_the_signer_and_a_changed_archive_is_refused() {
    let folder = played();
    let folder = folder.path();
    assert_snapshot!(session(folder, "
        export cup cup.tar.zst
        import cup.tar.zst --arena other
        ratings --arena other
        export cup on.tar.zst --arena other
        keygen --arena other
        export cup on.tar.zst --arena other --force
        import on.tar.zst --check --arena third
    "), @"
    $ flipside export cup cup.tar.zst
    -- stderr:
    2 matches written in TIME
    cup.tar.zst is written, signed by ed25519:HASH

    $ flipside import cup.tar.zst --arena other
    cup.tar.zst: ok: flipflop-3x3 cup, 2 bots, 2 records, signed by ed25519:HASH
    0 modules played again, 2 modules not here
    cup: 2 matches new here; `flipside table --arena other cup` shows what came of them
    -- stderr:
    2 records verified in TIME
    2 matches imported in TIME
    the archive has results but no files of first@1, other@1

    $ flipside ratings --arena other
    flipflop-3x3
    rank  bot      rating  deviation     low    high  games  Glicko-2  imported
       1  first@1  1500.0      110.0  1284.3  1715.7      2    1500.0         2
       1  other@1  1500.0      110.0  1284.3  1715.7      2    1500.0         2

    low and high: the 95 % interval of the rating, against the average of these bots
    imported: how many of the games another arena played; their records were verified, and nothing shows who chose the moves

    $ flipside export cup on.tar.zst --arena other
    -- stderr:
    2 matches written in TIME
    on.tar.zst is written

    $ flipside keygen --arena other
    ed25519:HASH
    -- stderr:
    the secret key is in other/signing.key; backups do not contain it

    $ flipside export cup on.tar.zst --arena other --force
    -- stderr:
    2 matches written in TIME
    on.tar.zst is written, not signed: another arena played matches of it

    $ flipside import on.tar.zst --check --arena third
    on.tar.zst: ok: flipflop-3x3 cup, 2 bots, 2 records, not signed
    0 modules played again, 2 modules not here
    -- stderr:
    2 records verified in TIME
    ");
    let table = run(folder, &["table", "cup", "--json", "--arena", "other"]).ok();
    let table: serde_json::Value = serde_json::from_str(&table).unwrap();
    assert_eq!(table["imports"][0]["signer"], key(folder, "arena"));
    // A match of another arena is given out without the signature of this one.
    let record = run(folder, &["matches", "cup-0", "--arena", "other"]).ok();
    assert!(!record.contains("signature"));

    // How long a match took is in no record: only the signature shows that somebody has changed it.
    let archive = fs::File::open(folder.join("cup.tar.zst")).unwrap();
    let mut tar = zstd::decode_all(archive).unwrap();
    let field = b"\"duration_us\":";
    let at = tar.windows(field.len()).position(|window| window == field);
    let digit = &mut tar[at.unwrap() + field.len()];
    *digit = if *digit == b'1' { b'2' } else { b'1' };
    fs::write(folder.join("changed.tar.zst"), tar).unwrap();
    // Without its signature, the archive is one that nobody signed.
    let mut files = unpack(&folder.join("changed.tar.zst"));
    files.pop();
    let (_, head) = &mut files[0];
    *head = head.replace("\"signed\": true", "\"signed\": false");
    pack(&files, &folder.join("stripped.tar.zst"));
    assert_snapshot!(session(folder, "
        import changed.tar.zst --arena fourth
        import stripped.tar.zst --check
    "), @"
    $ flipside import changed.tar.zst --arena fourth
    -- exit status 1, stderr:
    2 records verified in TIME
    error: changed.tar.zst: the signature does not fit: the archive was changed after it was signed
    hint: nothing was taken in; take the archive again from where it came

    $ flipside import stripped.tar.zst --check
    stripped.tar.zst: ok: flipflop-3x3 cup, 2 bots, 2 records, not signed
    2 modules played again, 12 answers equal
    -- stderr:
    2 records verified in TIME
    2 matches played again in TIME
    ");
    assert!(!folder.join("fourth").exists());
}

#[test]
fn an_import_plays_the_modules_that_are_here_again() {
    let folder = played();
    let folder = folder.path();
    run(folder, &["export", "cup", "cup.tar.zst"]).ok();
    // Somebody says that each bot has made the moves of the other.
    let mut files = unpack(&folder.join("cup.tar.zst"));
    files.pop();
    let hash = |file: &str| sha256(&fs::read(folder.join(file)).unwrap());
    let (first, other) = (hash("first.wat"), hash("other.wat"));
    let swapped = |text: &str| {
        let text = text.replace(&first, "x").replace(&other, &first);
        text.replace("\"x\"", &format!("{other:?}"))
    };
    let mut hashes = Vec::new();
    for (path, text) in &mut files {
        let before = sha256(text.as_bytes());
        *text = swapped(text).replace("\"signed\": true", "\"signed\": false");
        if path.contains("/records/") {
            let (body, _) = text.trim_end().rsplit_once('\n').unwrap();
            let seal = sha256(format!("{body}\n").as_bytes());
            *text = format!("{body}\n{{\"type\":\"end\",\"sha256\":\"{seal}\"}}\n");
            hashes.push((before, sha256(text.as_bytes())));
        }
    }
    let results = files
        .iter_mut()
        .find(|(path, _)| path.contains("/results/"));
    let (_, text) = results.unwrap();
    for (before, after) in hashes {
        *text = text.replace(&before, &after);
    }
    pack(&files, &folder.join("lie.tar.zst"));
    run(
        folder,
        &[
            "submit",
            "first.wat",
            "--game",
            "flipflop-3x3",
            "--arena",
            "other",
        ],
    )
    .ok();
    assert_snapshot!(session(folder, "
        import lie.tar.zst --arena other
        tournaments --arena other
        import cup.tar.zst --check --arena other
        import cup.tar.zst --check
        import lie.tar.zst --origin club --no-rerun --arena other
        import lie.tar.zst --arena third
    "), @"
    $ flipside import lie.tar.zst --arena other
    lie.tar.zst: ok: flipflop-3x3 cup, 2 bots, 2 records, not signed
    -- exit status 1, stderr:
    2 records verified in TIME
    1 match played again in TIME
    error: lie.tar.zst: cup-0: seat 1, other@1: at question 2, after ply 3, it plays a3-a1; the record has c3-c2
    hint: the module did not play this match: the result should not count
    hint: --no-rerun skips this

    $ flipside tournaments --arena other
    -- stderr:
    no tournaments yet; `flipside tournament GAME BOT BOT...` plays one

    $ flipside import cup.tar.zst --check --arena other
    cup.tar.zst: ok: flipflop-3x3 cup, 2 bots, 2 records, signed by ed25519:HASH
    1 module played again, 6 answers equal, 1 module not here
    -- stderr:
    2 records verified in TIME
    2 matches played again in TIME

    $ flipside import cup.tar.zst --check
    cup.tar.zst: ok: flipflop-3x3 cup, 2 bots, 2 records, signed by ed25519:HASH (this arena)
    2 modules played again, 12 answers equal
    -- stderr:
    2 records verified in TIME
    2 matches played again in TIME

    $ flipside import lie.tar.zst --origin club --no-rerun --arena other
    lie.tar.zst: ok: flipflop-3x3 cup, 2 bots, 2 records, not signed
    cup: 2 matches new here; `flipside table --arena other cup` shows what came of them
    -- stderr:
    2 records verified in TIME
    2 matches imported in TIME
    the archive has results but no files of club.first@1, club.other@1

    $ flipside import lie.tar.zst --arena third
    lie.tar.zst: ok: flipflop-3x3 cup, 2 bots, 2 records, not signed
    0 modules played again, 2 modules not here
    cup: 2 matches new here; `flipside table --arena third cup` shows what came of them
    -- stderr:
    2 records verified in TIME
    2 matches imported in TIME
    the archive has results but no files of first@1, other@1
    ");
}
