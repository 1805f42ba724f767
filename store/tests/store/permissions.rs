//! Folders and files that may not be written. The superuser may write everything, so these tests
//! run themselves again as nobody when they are run as root.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use flipside_store::{Arena, Error, Journal};

const NOBODY: u32 = 65_534;
const FOLDER: &str = "FLIPSIDE_TEST_FOLDER";

/// Runs a test's body in a folder that belongs to a user without privileges.
fn as_nobody(test: &str, body: fn(&Path)) {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return body(folder.as_ref());
    }
    let folder = tempfile::tempdir().unwrap();
    if !owned_by_root(folder.path()) {
        return body(folder.path());
    }
    chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    // The build may lie in a folder that only root enters.
    let program = folder.path().join("test");
    // By a process of its own: what a test beside this one starts meanwhile would have the copy open for writing
    // for a moment, and then it cannot be executed.
    let copied = Command::new("cp")
        .arg(std::env::current_exe().unwrap())
        .arg(&program)
        .status()
        .unwrap();
    assert!(copied.success());
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let output = Command::new(program)
        .args([test, "--exact"])
        .env(FOLDER, folder.path())
        .current_dir(folder.path())
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

/// Who made the folder is who we are.
fn owned_by_root(made: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(made).unwrap().uid() == 0
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn an_arena_is_not_made_where_nothing_may_be_written() {
    as_nobody(
        "an_arena_is_not_made_where_nothing_may_be_written",
        |folder| {
            let closed = folder.join("closed");
            fs::create_dir(&closed).unwrap();
            set_mode(&closed, 0o555);
            for path in [closed.clone(), closed.join("arena")] {
                let error = Arena::create(&path).unwrap_err();
                assert!(matches!(&error, Error::NotWritable { .. }), "{error:?}");
                assert!(error.hint().unwrap().contains("ls -ld"), "{error:?}");
            }
            assert_eq!(fs::read_dir(&closed).unwrap().count(), 0);
            set_mode(&closed, 0o755);
        },
    );
}

#[test]
fn a_journal_that_may_not_be_written_says_so() {
    as_nobody("a_journal_that_may_not_be_written_says_so", |folder| {
        let path = folder.join("arena");
        let arena = Arena::create(&path).unwrap();
        let journal = path.join("journal.sqlite");

        set_mode(&journal, 0o444);
        let error = arena.journal().unwrap_err();
        assert!(
            matches!(&error, Error::NotWritable { path } if *path == journal),
            "{error:?}"
        );
        set_mode(&journal, 0o000);
        for error in [
            Journal::open(&journal).unwrap_err(),
            Journal::open_to_read(&journal).unwrap_err(),
        ] {
            assert!(
                matches!(&error, Error::NotWritable { .. } | Error::File { .. }),
                "{error:?}"
            );
        }
        set_mode(&journal, 0o644);

        // The log must be made beside the journal.
        drop(arena.journal().unwrap());
        set_mode(&path, 0o555);
        let error = arena.journal().unwrap_err();
        assert!(
            matches!(&error, Error::NotWritable { path: p } if *p == path),
            "{error:?}"
        );
        set_mode(&path, 0o755);

        let bots = path.join("bots");
        set_mode(&bots, 0o555);
        let bot = folder.join("bot.wat");
        fs::write(&bot, "").unwrap();
        let error = arena.keep(&bot).unwrap_err();
        assert!(
            matches!(&error, Error::NotWritable { path } if *path == bots),
            "{error:?}"
        );
        set_mode(&bots, 0o755);
        arena.keep(&bot).unwrap();
        arena.journal().unwrap();
    });
}

#[test]
fn a_bot_that_may_not_be_read_is_named() {
    as_nobody("a_bot_that_may_not_be_read_is_named", |folder| {
        let arena = Arena::create(folder.join("arena")).unwrap();
        let bot = folder.join("bot.wat");
        fs::write(&bot, "").unwrap();
        set_mode(&bot, 0o000);
        let error = arena.keep(&bot).unwrap_err();
        assert!(
            matches!(&error, Error::File { path, .. } if *path == bot),
            "{error:?}"
        );
    });
}

#[test]
fn who_cannot_read_the_key_of_an_arena_does_not_sign_for_it() {
    as_nobody(
        "who_cannot_read_the_key_of_an_arena_does_not_sign_for_it",
        |folder| {
            let arena = Arena::create(folder.join("arena")).unwrap();
            let public = arena.make_key().unwrap();
            set_mode(&arena.key_path(), 0o000);
            assert!(arena.key().unwrap().is_none());
            set_mode(&arena.key_path(), 0o600);
            assert_eq!(arena.key().unwrap().unwrap().public(), public);
        },
    );
}
