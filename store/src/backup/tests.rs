//! What is promised of backups: what is restored is what was there, and nothing else is restored.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use flipside_tournament::Tournament;
use flipside_tournament::testing::{name, settings};
use sha2::{Digest, Sha256};
use tar::{EntryType, Header};
use tempfile::TempDir;

use super::*;
use crate::tables::full_table;
use crate::testing::finished;

/// An arena with three bots, two of which have the same file, and a tournament that nobody has played.
fn arena() -> (TempDir, Arena, Tournament) {
    let folder = tempfile::tempdir().unwrap();
    let arena = Arena::create(folder.path().join("arena")).unwrap();
    let mut journal = arena.journal().unwrap();
    let mut ids = Vec::new();
    for (bot, text) in [("a", "one"), ("b", "other"), ("c", "one")] {
        let file = folder.path().join(bot).with_extension("wat");
        fs::write(&file, text).unwrap();
        let kept = arena.keep(&file).unwrap();
        ids.push(journal.add_bot(&name(bot), &kept, 1).unwrap().bot.id);
    }
    let begun = journal.begin(&name("cup"), &settings(30), &ids, 1).unwrap();
    (folder, arena, begun.tournament)
}

fn play(arena: &Arena, cup: &Tournament, most: usize) {
    let mut journal = arena.journal().unwrap();
    let schedule = cup.schedule().unwrap();
    let missing = journal.played(cup.id).unwrap().missing(schedule.total());
    for index in missing.take(most) {
        let pairing = schedule.pairing(index).unwrap();
        journal.land(&finished(cup, &pairing)).unwrap();
    }
}

fn back_up(arena: &Arena) -> Vec<u8> {
    let mut bytes = Vec::new();
    let scratch = arena.path().parent().unwrap();
    let backup = arena.back_up(scratch, None, &mut bytes, 7).unwrap();
    assert_eq!((backup.bots(), backup.at), (2, 7));
    bytes
}

fn table(arena: &Arena) -> String {
    let journal = arena.read_journal().unwrap();
    let cup = journal.tournament("cup").unwrap();
    serde_json::to_string(&full_table(&journal, &cup).unwrap()).unwrap()
}

/// All files below a folder, but for those that SQLite has beside a journal that is open.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(content(&path));
        } else if !path.to_string_lossy().contains("journal.sqlite-") {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

#[test]
fn a_restored_arena_goes_on_as_the_other_does() {
    let (folder, arena, cup) = arena();
    play(&arena, &cup, 40);
    let backup = back_up(&arena);
    let before = table(&arena);
    let path = folder.path().join("restored");
    let read = Arena::restore(&backup[..], &path).unwrap();
    assert_eq!(read.bots(), 2);
    let restored = Arena::open(&path).unwrap();
    assert_eq!(table(&restored), before);
    for bot in restored.read_journal().unwrap().bots().unwrap() {
        let here = fs::read(restored.bot_path(&bot).unwrap()).unwrap();
        assert_eq!(here, fs::read(arena.bot_path(&bot).unwrap()).unwrap());
    }
    // It is as private as the other, and bots can be shown to jailed users.
    for arena in [&arena, &restored] {
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&arena.path().join(JOURNAL)), PRIVATE_FILE);
        for folder in FOLDERS {
            assert_eq!(mode(&arena.path().join(folder)), PRIVATE_FOLDER);
        }
        let bots = arena.read_journal().unwrap().bots().unwrap();
        assert!(
            bots.iter()
                .all(|bot| mode(&arena.bot_path(bot).unwrap()) == 0o644)
        );
    }
    for arena in [&arena, &restored] {
        play(arena, &cup, usize::MAX);
    }
    assert_eq!(table(&restored), table(&arena));
    // Nothing is left beside the two, and no arena is replaced.
    let names = fs::read_dir(folder.path()).unwrap();
    assert_eq!(names.count(), 3 + 2);
    for path in [arena.path(), &path, &folder.path().join("a.wat")] {
        let there = content(folder.path());
        let error = Arena::restore(&backup[..], path).unwrap_err();
        assert!(
            matches!(error, Error::Taken { .. }) && error.hint().is_some(),
            "{error}"
        );
        assert_eq!(content(folder.path()), there);
    }
}

#[test]
fn a_backup_of_a_running_tournament_is_of_one_moment() {
    let (folder, arena, cup) = arena();
    let is_over = AtomicBool::new(false);
    let backups: Vec<Vec<u8>> = std::thread::scope(|scope| {
        scope.spawn(|| {
            play(&arena, &cup, usize::MAX);
            is_over.store(true, Ordering::Relaxed);
        });
        let mut backups = Vec::new();
        while !is_over.load(Ordering::Relaxed) || backups.is_empty() {
            backups.push(back_up(&arena));
        }
        backups
    });
    for (number, backup) in backups.iter().enumerate() {
        let path = folder.path().join(format!("restored-{number}"));
        Arena::restore(&backup[..], &path).unwrap();
        let restored = Arena::open(&path).unwrap();
        play(&restored, &cup, usize::MAX);
        assert_eq!(table(&restored), table(&arena));
    }
}

#[test]
fn a_backup_that_is_cut_off_or_altered_is_refused_and_leaves_nothing() {
    let (folder, arena, cup) = arena();
    play(&arena, &cup, 5);
    let backup = back_up(&arena);
    let there = content(folder.path());
    let refused = |bytes: &[u8], what: &str| {
        let path = folder.path().join("restored");
        let error = Arena::restore(bytes, &path).expect_err(what);
        assert!(matches!(error, Error::NotABackup(_)), "{what}: {error}");
        assert!(error.hint().is_some() && !path.exists());
    };
    for part in 0..40 {
        refused(&backup[..backup.len() * part / 40], "cut off");
        let mut altered = backup.clone();
        altered[backup.len() * part / 40] ^= 0x10;
        refused(&altered, "altered");
    }
    refused(&backup[..backup.len() - 1], "cut off");
    refused(b"", "nothing");
    refused(b"a text", "a text");
    assert_eq!(content(folder.path()), there);
}

/// A backup of these files, with a manifest that fits, and what is changed in that.
fn made_up(files: &[(&str, &[u8])], change: impl Fn(&mut Backup)) -> Vec<u8> {
    let stored = |(path, content): &(&str, &[u8])| BackupFile {
        path: (*path).into(),
        size: content.len() as u64,
        sha256: hex::encode(Sha256::digest(content)),
        executable: false,
    };
    let mut backup = Backup {
        format: BACKUP_FORMAT,
        flipside: "0".into(),
        at: 1,
        files: files.iter().map(stored).collect(),
    };
    change(&mut backup);
    let mut tar = Builder::new(Vec::new());
    let text = serde_json::to_vec(&backup).unwrap();
    let mut add = |path: &str, content: &[u8]| {
        let mut header = Header::new_ustar();
        // A path that no tar would write.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(EntryType::Regular);
        header.set_size(content.len() as u64);
        header.set_cksum();
        tar.append(&header, content).unwrap();
    };
    add(MANIFEST, &text);
    files.iter().for_each(|(path, content)| add(path, content));
    zstd::encode_all(&tar.into_inner().unwrap()[..], 1).unwrap()
}

#[test]
fn a_hostile_backup_leaves_nothing_outside_and_nothing_behind() {
    let (folder, arena, _) = arena();
    let journal = folder.path().join("copy.sqlite");
    arena.read_journal().unwrap().copy_to(&journal).unwrap();
    let journal = fs::read(&journal).unwrap();
    let bots = files_of(&arena.read_journal().unwrap()).unwrap();
    let bots: Vec<(String, Vec<u8>)> = bots
        .iter()
        .map(|bot| {
            (
                format!("bots/{bot}"),
                fs::read(arena.path().join("bots").join(bot)).unwrap(),
            )
        })
        .collect();
    let mut files: Vec<(&str, &[u8])> = vec![(JOURNAL, &journal)];
    files.extend(
        bots.iter()
            .map(|(path, content)| (path.as_str(), content.as_slice())),
    );
    let path = folder.path().join("restored");
    Arena::restore(&made_up(&files, |_| {})[..], &path).expect("as it is");
    fs::remove_dir_all(&path).unwrap();
    let plain = zstd::decode_all(&made_up(&files, |_| {})[..]).unwrap();
    let refused = Arena::restore(&plain[..], &path).unwrap_err();
    assert!(
        refused.to_string().contains("not compressed with zstd"),
        "{refused}"
    );

    let hash = "0".repeat(64);
    let strange = format!("bots/{hash}.wat");
    let mut all: Vec<(Vec<u8>, &str)> = Vec::new();
    for outside in [
        "../evil",
        "/tmp/flipside-evil",
        "bots/../../evil",
        "bots/evil",
        "cache/evil",
        "locks/cup.lock",
        "bots/",
        "",
        &strange,
    ] {
        let mut files = files.clone();
        files.push((outside, b"evil"));
        all.push((made_up(&files, |_| {}), outside));
    }
    all.push((made_up(&files[..2], |_| {}), "a bot is missing"));
    all.push((made_up(&files[1..], |_| {}), "no journal"));
    all.push((made_up(&[(JOURNAL, b"no journal")], |_| {}), "no journal"));
    let twice = [files[0], files[1], files[1], files[2]];
    all.push((made_up(&twice, |_| {}), "a bot is there twice"));
    let changed = |change: fn(&mut Backup)| made_up(&files, change);
    all.push((changed(|backup| backup.format = 2), "another format"));
    all.push((changed(|backup| backup.files.clear()), "no files"));
    all.push((changed(|backup| backup.files[0].size += 1), "too long"));
    all.push((changed(|backup| backup.files[1].size -= 1), "too short"));
    all.push((
        changed(|backup| backup.files[1].size = u64::MAX),
        "without end",
    ));
    all.push((changed(|backup| backup.files[2].sha256.clear()), "no hash"));
    all.push((
        changed(|backup| drop(backup.files.pop())),
        "one more follows",
    ));
    let there = content(folder.path());
    for (bytes, what) in all {
        let error = Arena::restore(&bytes[..], &path).expect_err(what);
        assert!(!path.exists(), "{what}: {error}");
        assert_eq!(content(folder.path()), there, "{what}");
        assert!(!Path::new("/tmp/flipside-evil").exists());
    }
}

#[test]
fn a_backup_of_another_format_is_refused_with_both_numbers() {
    let (folder, ..) = arena();
    let path = folder.path().join("restored");
    for other in [0, 2] {
        let backup = made_up(&[(JOURNAL, b"")], |backup| backup.format = other);
        let error = Arena::restore(&backup[..], &path).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the backup has format {other}, and this flipside reads format 1")
        );
        assert!(error.hint().unwrap().contains("nothing was restored"));
        assert!(!path.exists());
    }
}

#[test]
fn a_backup_with_a_journal_that_is_not_read_is_refused_and_nothing_is_restored() {
    let (folder, arena, _) = arena();
    let copy = folder.path().join("copy.sqlite");
    arena.read_journal().unwrap().copy_to(&copy).unwrap();
    let change = |pragma: &str, value: i64| {
        let journal = rusqlite::Connection::open(&copy).unwrap();
        journal.pragma_update(None, pragma, value).unwrap();
    };
    let path = folder.path().join("restored");
    let refused = || {
        let journal = fs::read(&copy).unwrap();
        let backup = made_up(&[(JOURNAL, &journal)], |_| {});
        let error = Arena::restore(&backup[..], &path).unwrap_err();
        assert_eq!(
            error.hint().unwrap(),
            "nothing was restored; use the flipside that wrote it"
        );
        assert!(!path.exists());
        error.to_string()
    };
    change("user_version", 10);
    assert_eq!(
        refused(),
        "the backup holds a journal of version 10, and this flipside reads version 1"
    );
    change("application_id", 0x464c_4950);
    assert_eq!(
        refused(),
        "the backup holds no journal that this flipside reads"
    );
}

#[test]
fn the_manifest_of_a_backup_is_written_with_the_keys_of_the_format() {
    let sha256 = "0".repeat(64);
    let backup = Backup {
        format: BACKUP_FORMAT,
        flipside: "0.1.0".into(),
        at: 1_700_000_000_000,
        files: vec![BackupFile {
            path: JOURNAL.into(),
            size: 3,
            sha256: sha256.clone(),
            executable: false,
        }],
    };
    let json = format!(
        r#"{{"format":1,"flipside":"0.1.0","at":1700000000000,"files":[{{"path":"journal.sqlite","size":3,"sha256":"{sha256}","executable":false}}]}}"#
    );
    assert_eq!(serde_json::to_string(&backup).unwrap(), json);
    assert_eq!(serde_json::from_str::<Backup>(&json).unwrap(), backup);
}

/// The journal of a backup may name any text as a bot's file. None of them becomes a path: not when it is restored, and
/// not in an arena into which such a row has come in another way.
#[test]
fn a_journal_whose_bots_have_strange_files_is_refused_and_nothing_outside_is_touched() {
    let (folder, arena, _) = arena();
    let canary = folder.path().join("canary");
    fs::write(&canary, "alive").unwrap();
    let bot = arena.read_journal().unwrap().bots().unwrap().remove(2);
    let whole = bot.file.as_ref().unwrap().to_string();
    let names = [
        "../../canary".to_owned(),
        format!("../../{}", canary.file_name().unwrap().display()),
        canary.display().to_string(),
        format!("{whole}/../../../canary"),
        format!("./{whole}"),
        format!("{}.wat", "0".repeat(64)),
        "sample:../../canary".to_owned(),
        String::new(),
    ];
    let write = |journal: &Path, file: &str| {
        let journal = rusqlite::Connection::open(journal).unwrap();
        let update = "UPDATE bots SET file = ? WHERE name = 'c'";
        journal.execute(update, [file]).unwrap();
    };
    let path = folder.path().join("restored");
    for name in &names {
        let copy = folder.path().join("copy.sqlite");
        let _ = fs::remove_file(&copy);
        arena.read_journal().unwrap().copy_to(&copy).unwrap();
        write(&copy, name);
        let journal = fs::read(&copy).unwrap();
        let bots: Vec<(String, Vec<u8>)> = files_of(&arena.read_journal().unwrap())
            .unwrap()
            .iter()
            .map(|bot| {
                let file = arena.path().join("bots").join(bot);
                (format!("bots/{bot}"), fs::read(file).unwrap())
            })
            .collect();
        let mut files: Vec<(&str, &[u8])> = vec![(JOURNAL, &journal)];
        files.extend(bots.iter().map(|(path, bytes)| (&**path, &**bytes)));
        let error = Arena::restore(&made_up(&files, |_| {})[..], &path).expect_err(name);
        assert!(matches!(error, Error::NotABackup(_)), "{name}: {error}");
        assert!(error.hint().is_some() && !path.exists(), "{name}");
    }
    // Whoever writes into the journal itself reaches no other file, either.
    for name in &names {
        write(&arena.path().join(JOURNAL), name);
        let mut journal = arena.journal().unwrap();
        assert!(journal.bots().is_err(), "{name}");
        let deleted = journal.delete_bots(std::slice::from_ref(&bot), 1, |_, _| Ok(()));
        if let Ok(files) = deleted {
            arena.remove(&files).unwrap();
        }
        assert_eq!(fs::read_to_string(&canary).unwrap(), "alive", "{name}");
    }
}
