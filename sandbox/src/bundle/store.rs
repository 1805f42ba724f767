//! Where bundles are unpacked: a folder of the arena's cache, or one of their own for bots that are in no arena or in one
//! that may only be read.
//!
//! An unpacked bundle is named by its SHA-256. It is made under another name and renamed when it is whole, and it is
//! read as a whole before it is used, so that nobody plays with half of one, or with one that was changed. Every
//! process that uses a store holds a lock on it. Who comes when no other does clears away what was left half done, and
//! then the least recently used bundles, down to [`LARGEST_STORE`].

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use crate::bundle::entry::Entry;
use crate::bundle::folder::{self, Wanted};
use crate::bundle::reader::{Reader, Sink, Sum};
use crate::bundle::unpack::{Unpacker, remove_folder};
use crate::bundle::{Bundle, BundleError};
use crate::lock::lock;
use crate::regular::open_no_link;

/// How much all unpacked bundles that nobody uses may take together, in bytes. They can be unpacked again.
pub const LARGEST_STORE: u64 = 4 * 1024 * 1024 * 1024;

/// The store in an arena's cache.
const FOLDER: &str = "bundles";

/// The file that every process locks that uses a store.
const LOCK: &str = "lock";

/// How names begin of what is not whole yet, or is being removed.
const PASSING: &str = ".new-";

/// How the names of stores begin that are in no arena.
const OWN: &str = "flipside-bundles-";

/// How often a store of its own is made until it is there: others who clear away may take a new one for one that was
/// left, until it is locked.
const MAX_TRIES: u32 = 100;

/// A folder of unpacked bundles.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    /// Whether it ends with this process.
    own: bool,
    /// Shared by all processes that use it, for as long as they run.
    _lock: File,
    /// The bundles that were read as a whole by this process, by their SHA-256. Held while one is unpacked.
    whole: Mutex<Vec<String>>,
}

impl Store {
    /// The store in a cache; or one of its own, also where the cache is that of an arena that may only be read.
    pub(crate) fn open(cache: Option<&Path>) -> Result<Self, BundleError> {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match cache.map(|cache| Store::at(cache.join(FOLDER))) {
            Some(Err(BundleError::Io { source, .. }))
                if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem) => {}
            Some(opened) => return opened,
            None => {}
        }
        Store::own(&std::env::temp_dir())
    }

    fn at(folder: PathBuf) -> Result<Self, BundleError> {
        // Who shows a bundle to a bot stands in another folder.
        let folder = std::path::absolute(&folder).map_err(BundleError::io(folder))?;
        fs::create_dir_all(&folder).map_err(BundleError::io(&folder))?;
        let path = folder.join(LOCK);
        let lock = open_lock(&path).map_err(BundleError::io(&path))?;
        match lock.try_lock() {
            // Nobody else uses it, and nobody begins to before the lock is shared.
            Ok(()) => clear(&folder, LARGEST_STORE),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(BundleError::io(&path)(error)),
        }
        lock.lock_shared().map_err(BundleError::io(path))?;
        Ok(Store::locked(folder, lock, false))
    }

    /// A store that ends with this process, or is cleared away by a later one.
    pub(super) fn own(around: &Path) -> Result<Self, BundleError> {
        let around = std::path::absolute(around).map_err(BundleError::io(around))?;
        clear_own(&around);
        let mut tries = 1;
        loop {
            match new_own(&around) {
                Ok((folder, lock)) => return Ok(Store::locked(folder, lock, true)),
                // Somebody cleared it away before it was locked.
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < MAX_TRIES => {
                    tries += 1;
                }
                Err(error) => return Err(BundleError::io(around)(error)),
            }
        }
    }

    fn locked(folder: PathBuf, lock: File, own: bool) -> Self {
        Store {
            folder,
            own,
            _lock: lock,
            whole: Mutex::default(),
        }
    }

    /// The folder with the files of a bundle, read-only and whole.
    pub(crate) fn unpacked(&self, bundle: &Bundle) -> Result<PathBuf, BundleError> {
        let sha256 = &bundle.sum.sha256;
        let folder = self.folder.join(sha256);
        let mut whole = lock(&self.whole);
        if whole.contains(sha256) {
            return Ok(folder);
        }
        if is_whole(&folder, bundle) {
            // When it was used last; where that cannot be noted it goes earlier.
            let _ = File::open(&folder).and_then(|open| open.set_modified(SystemTime::now()));
        } else {
            self.unpack(bundle, &folder)?;
        }
        whole.push(sha256.clone());
        Ok(folder)
    }

    fn unpack(&self, bundle: &Bundle, folder: &Path) -> Result<(), BundleError> {
        let new = self.passing()?;
        let unpack = || {
            let mut unpacker = Unpacker::new(&new);
            bundle.read_again(&mut unpacker)?;
            unpacker.finish()?;
            self.put(&new, folder, bundle)
        };
        let unpacked = unpack();
        // Nothing where it has got its name.
        let removed = remove_folder(&new);
        unpacked?;
        removed.map_err(BundleError::io(new))
    }

    /// Makes a folder for what passes.
    fn passing(&self) -> Result<PathBuf, BundleError> {
        let made = tempfile::Builder::new()
            .prefix(PASSING)
            .tempdir_in(&self.folder);
        Ok(made.map_err(BundleError::io(&self.folder))?.keep())
    }

    /// Gives an unpacked bundle its name.
    fn put(&self, new: &Path, folder: &Path, bundle: &Bundle) -> Result<(), BundleError> {
        // Another process may have been quicker; or something is there that is not the bundle.
        if fs::rename(new, folder).is_ok() || is_whole(folder, bundle) {
            return Ok(());
        }
        let away = self.passing()?;
        // In the same folder, for one that is read-only can only be renamed there.
        let put = fs::rename(folder, &away).and_then(|()| fs::rename(new, folder));
        let put = put.map_err(BundleError::io(folder));
        remove_folder(&away).map_err(BundleError::io(away))?;
        put
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.own {
            // What is left goes with the next store.
            let _ = remove_own(&self.folder);
        }
    }
}

fn open_lock(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

/// Whether a folder has the files of a bundle and nothing else.
fn is_whole(folder: &Path, bundle: &Bundle) -> bool {
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    is_folder && sum_of(folder).is_ok_and(|sum| sum == bundle.sum)
}

/// What all files of a folder come to.
pub(super) fn sum_of(folder: &Path) -> Result<Sum, BundleError> {
    let mut nobody = Nobody;
    let mut reader = Reader::new(&mut nobody, false);
    folder::read(folder, &Wanted::All, &mut reader)?;
    reader.finish()
}

/// Takes no entry.
struct Nobody;

impl Sink for Nobody {
    fn take(&mut self, _: &Entry, _: &mut dyn io::Read) -> Result<(), BundleError> {
        Ok(())
    }
}

/// Removes what was left half done, and the least recently used bundles until all take no more than this together.
/// What cannot be removed stays for the next time.
fn clear(folder: &Path, most: u64) {
    let mut bundles = Vec::new();
    let mut all = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(PASSING) {
            let _ = remove_folder(&entry.path());
        } else if name != LOCK
            && let Ok(used) = entry.metadata().and_then(|found| found.modified())
        {
            let size = size_of(&entry.path());
            all += size;
            bundles.push((used, size, entry.path()));
        }
    }
    bundles.sort();
    for (_, size, bundle) in bundles {
        if all <= most {
            break;
        }
        all -= size;
        let _ = remove_folder(&bundle);
    }
}

/// The bytes of all files below a folder.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => size_of(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// Makes a store of its own, which nobody else clears away from then on. It is not found where somebody did before.
fn new_own(around: &Path) -> io::Result<(PathBuf, File)> {
    let new = tempfile::Builder::new().prefix(OWN).tempdir_in(around)?;
    let path = new.path().join(LOCK);
    let lock = open_lock(&path)?;
    lock.lock_shared()?;
    // Who clears away holds the lock until nothing is left.
    let (found, ours) = (fs::symlink_metadata(path)?, lock.metadata()?);
    if (found.dev(), found.ino()) != (ours.dev(), ours.ino()) {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok((new.keep(), lock))
}

/// Removes a store of its own, whose lock is held. The lock goes last: as long as anything else is there, so is it.
fn remove_own(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() != LOCK {
            remove_folder(&entry.path())?;
        }
    }
    // Without it, it is empty, too.
    let _ = fs::remove_file(folder.join(LOCK));
    fs::remove_dir(folder)
}

/// Removes the stores of this user's processes that ended without doing it. What cannot be removed stays for the next
/// time.
fn clear_own(around: &Path) {
    let user = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(around).into_iter().flatten().flatten() {
        let folder = entry.path();
        let is_store = entry.file_name().to_string_lossy().starts_with(OWN)
            && (entry.metadata()).is_ok_and(|found| found.is_dir() && found.uid() == user);
        if !is_store {
            continue;
        }
        match open_no_link(&folder.join(LOCK)) {
            Ok(lock) if lock.try_lock().is_ok() => {
                let _ = remove_own(&folder);
            }
            // It has just been made, or almost removed, and is empty. Where it is not any more, it is somebody's.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let _ = fs::remove_dir(folder);
            }
            Ok(_) | Err(_) => {}
        }
    }
}
