//! The secret key of an arena, in a file of its own that only its user can read. It is in no backup, archive or page.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use flipside_referee::{PublicKey, SecretKey, sign_record};
use flipside_sandbox::{FileError, open_regular};

use crate::arena::{Arena, KEY, sync_folder};
use crate::error::{Error, Result};
use crate::journal::Journal;

/// The longest file that is read as a key, in bytes.
const LONGEST_KEY: u64 = 1024;

/// What others than the file's user may do with it: nothing.
const OTHERS: u32 = 0o077;

impl Arena {
    /// Where the secret key lies.
    pub fn key_path(&self) -> PathBuf {
        self.path().join(KEY)
    }

    /// Makes the secret key, and returns the public one. The file appears whole, readable by its user only, and never
    /// over another.
    ///
    /// # Errors
    /// [`Error::KeyThere`] if the arena has a key. When the folder cannot be written, or the operating system gives no
    /// random bytes.
    pub fn make_key(&self) -> Result<PublicKey> {
        let path = self.key_path();
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::KeyThere { path: path.clone() },
            _ => Error::writing(&path, error),
        };
        if fs::symlink_metadata(&path).is_ok() {
            return Err(Error::KeyThere { path });
        }
        let key = SecretKey::draw().map_err(|error| failed(io::Error::other(error)))?;
        // A temporary file has the mode 0600.
        let mut file = tempfile::Builder::new()
            .prefix(".incoming-key-")
            .tempfile_in(self.path())
            .map_err(failed)?;
        file.write_all(key.to_text().as_bytes()).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist_noclobber(&path)
            .map_err(|error| failed(error.error))?;
        sync_folder(self.path()).map_err(failed)?;
        Ok(key.public())
    }

    /// The key that this arena signs with. None if it has no key, or it is another user's: whoever may only read an
    /// arena does not sign for it.
    ///
    /// # Errors
    /// When the file cannot be read, is not a key, or others can read it.
    pub fn key(&self) -> Result<Option<SecretKey>> {
        let path = self.key_path();
        let wrong = |what: String| Error::Key {
            path: path.clone(),
            what,
        };
        let (file, found) = match open_regular(&path) {
            Ok(opened) => opened,
            Err(FileError::NotRegular(found)) => {
                return Err(wrong(format!("it is {}", found.what)));
            }
            Err(FileError::Io(error)) => {
                use io::ErrorKind::{NotFound, PermissionDenied};
                return match error.kind() {
                    NotFound | PermissionDenied => Ok(None),
                    _ => Err(Error::reading(&path, error)),
                };
            }
        };
        if found.permissions().mode() & OTHERS != 0 {
            return Err(Error::KeyOpen { path });
        }
        let mut text = String::new();
        let read = file.take(LONGEST_KEY).read_to_string(&mut text);
        read.map_err(|error| wrong(error.to_string()))?;
        let key = text.parse();
        key.map(Some).map_err(|_| wrong("it is damaged".into()))
    }

    /// The record of a match as this arena gives it out: signed, if it has a key and played the match itself. The
    /// journal keeps it without a signature.
    ///
    /// # Errors
    /// When there is no such match or record, the key cannot be used, or the record was changed.
    pub fn record_to_give(&self, journal: &Journal, id: &str) -> Result<String> {
        let record = journal.record(id)?;
        match journal.match_row(id)?.elsewhere {
            true => Ok(record),
            false => self.signed(record),
        }
    }

    /// The record of a match that was just played here, signed if this arena has a key.
    ///
    /// # Errors
    /// When the key cannot be used, or the record was changed.
    pub fn signed(&self, record: String) -> Result<String> {
        match self.key()? {
            Some(key) => Ok(sign_record(&record, &key)?),
            None => Ok(record),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;

    use super::*;

    fn new_arena() -> (tempfile::TempDir, Arena) {
        let folder = tempfile::tempdir().unwrap();
        let arena = Arena::create(folder.path().join("arena")).unwrap();
        (folder, arena)
    }

    #[test]
    fn a_key_is_made_once_and_for_its_user_only() {
        let (_folder, arena) = new_arena();
        assert!(arena.key().unwrap().is_none());
        let public = arena.make_key().unwrap();
        let mode = fs::metadata(arena.key_path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(arena.key().unwrap().unwrap().public(), public);
        let refused = arena.make_key().unwrap_err();
        assert!(matches!(refused, Error::KeyThere { .. }), "{refused}");
        assert!(refused.hint().is_some());
        assert_eq!(arena.key().unwrap().unwrap().public(), public);
        // Nothing else is left, and the folder is an arena's.
        let hidden = fs::read_dir(arena.path()).unwrap().flatten();
        let hidden = hidden.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
        assert_eq!(hidden.count(), 0);
        assert!(Arena::create(arena.path()).is_ok());
    }

    #[test]
    fn a_key_that_others_can_read_or_that_is_damaged_is_refused() {
        let (_folder, arena) = new_arena();
        arena.make_key().unwrap();
        let path = arena.key_path();
        for mode in [0o640, 0o604, 0o610] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let refused = arena.key().unwrap_err();
            assert!(matches!(refused, Error::KeyOpen { .. }), "{refused}");
            assert!(refused.hint().unwrap().contains("chmod 600"));
        }
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        for wrong in ["", "key", &text[..text.len() - 2], &format!("{text}{text}")] {
            fs::write(&path, wrong).unwrap();
            let refused = arena.key().unwrap_err();
            assert!(matches!(refused, Error::Key { .. }), "{refused}");
            // The message is printed, and the key is secret.
            assert!(!refused.to_string().contains(text.trim()));
            assert!(arena.make_key().is_err());
        }
    }

    #[test]
    fn a_folder_with_a_key_alone_becomes_an_arena() {
        let folder = tempfile::tempdir().unwrap();
        let (_other, other) = new_arena();
        let public = other.make_key().unwrap();
        fs::copy(other.key_path(), folder.path().join(KEY)).unwrap();
        let arena = Arena::create(folder.path()).unwrap();
        assert_eq!(arena.key().unwrap().unwrap().public(), public);
    }
}
