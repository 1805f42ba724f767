//! Where bundles are unpacked: a folder of the arena's cache, or one of their own for bots that are in no arena or in
//! one that may only be read.
//!
//! An unpacked bundle is named by its SHA-256. It is made under another name and renamed when it is whole, and a
//! process reads it as a whole before it uses it for the first time, so that nobody plays with half of one, or with one
//! that was changed. Whoever uses a bundle holds a shared lock on its folder. One at a time changes the store: before
//! it unpacks more, it removes what was left half done, and then the least recently used bundles that nobody has
//! locked, so that all together never take more than [`LARGEST_STORE`].

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs::{self, File, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};
use std::{io, thread};

use crate::bundle::Bundle;
use crate::bundle::entry::BundleEntry;
use crate::bundle::error::BundleError;
use crate::bundle::folder::{self, FileSelection};
use crate::bundle::reader::{BundleReader, BundleSum, Sink};
use crate::bundle::unpack::{Unpacker, remove_folder};
use crate::lock::lock;
use crate::open_regular::{PRIVATE_FOLDER, make_private_folder, open_no_link};

/// How much all unpacked bundles of a folder take together at most, in bytes; they can be unpacked again. There is room
/// for the bots of several matches, each of the largest size.
pub const LARGEST_STORE: u64 = 4 * 1024 * 1024 * 1024;

/// How long the bots of a match wait until others are over that use all the room. Matches of other processes may last
/// for hours.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often whoever waits looks for room.
const LOOK: Duration = Duration::from_millis(100);

/// What an entry takes on the disk beside its bytes, at most: the rest of its last block, or the block of a folder.
const BLOCK: u64 = 4096;

/// The store in an arena's cache.
const FOLDER: &str = "bundles";

/// The file that is locked by whoever changes the store.
const CHANGE: &str = "change";

/// The file that a process locks for as long as its own store is there.
const LOCK: &str = "lock";

/// How names begin of what is not whole yet, or is being removed.
const PASSING: &str = ".new-";

/// How the names of stores begin that are in no arena.
const OWN: &str = "flipside-bundles-";

/// How often a store of its own is made until it is there: others who clear away may take a new one for one that was
/// left, until it is locked.
const MAX_TRIES: u32 = 100;

/// What a store may take, and how long it lets others wait for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoreLimits {
    pub(super) bytes: u64,
    pub(super) patience: Duration,
}

impl Default for StoreLimits {
    fn default() -> Self {
        StoreLimits {
            bytes: LARGEST_STORE,
            patience: PATIENCE,
        }
    }
}

/// A folder of unpacked bundles.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    limits: StoreLimits,
    /// Its lock, where it ends with this process.
    own: Option<File>,
    /// The bundles that this process has read as a whole: by their SHA-256, which folder it was.
    whole: Mutex<HashMap<String, FolderId>>,
    /// How many wait for room.
    waiting: AtomicUsize,
}

/// The device and the number of a folder.
type FolderId = (u64, u64);

fn id_of(found: &Metadata) -> FolderId {
    (found.dev(), found.ino())
}

/// An unpacked bundle, which stays where it is for as long as there is this.
#[derive(Debug)]
pub(crate) struct Unpacked {
    folder: PathBuf,
    _used: File,
    // Its own store ends after its last bundle.
    _store: Arc<Store>,
}

impl Unpacked {
    /// The folder with its files, read-only and whole.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Store {
    /// The store in a cache; or one of its own, also where the cache is that of an arena that may only be read.
    pub(crate) fn open(cache: Option<&Path>) -> Result<Self, BundleError> {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match cache.map(|cache| Store::at(cache, StoreLimits::default())) {
            Some(Err(BundleError::Io { source, .. }))
                if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem) => {}
            Some(opened) => return opened,
            None => {}
        }
        Store::own(&std::env::temp_dir())
    }

    pub(super) fn at(cache: &Path, limits: StoreLimits) -> Result<Self, BundleError> {
        // Who shows a bundle to a bot stands in another folder.
        let folder = cache.join(FOLDER);
        let folder = std::path::absolute(&folder).map_err(BundleError::io(folder))?;
        make_private_folder(&folder).map_err(BundleError::io(&folder))?;
        let store = Store::new(folder, limits, None);
        // Whether it may be written shows at once.
        open_lock(&store.folder.join(CHANGE)).map_err(BundleError::io(&store.folder))?;
        Ok(store)
    }

    /// A store that ends with this process, or is cleared away by a later one.
    pub(super) fn own(around: &Path) -> Result<Self, BundleError> {
        let around = std::path::absolute(around).map_err(BundleError::io(around))?;
        clear_own(&around);
        let mut tries = 1;
        loop {
            match new_own(&around) {
                Ok((folder, lock)) => {
                    return Ok(Store::new(folder, StoreLimits::default(), Some(lock)));
                }
                // Somebody cleared it away before it was locked.
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < MAX_TRIES => {
                    tries += 1;
                }
                Err(error) => return Err(BundleError::io(around)(error)),
            }
        }
    }

    fn new(folder: PathBuf, limits: StoreLimits, own: Option<File>) -> Self {
        Store {
            folder,
            limits,
            own,
            whole: Mutex::default(),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Whether a match waits until others are over, or bots are ended that only wait for their next match.
    pub(crate) fn is_short(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Unpacks the bundles that play together, and keeps them where they are: all of them or none, so that no two
    /// matches wait for each other. `give_back` is called once before it waits for room, and ends what is not needed.
    ///
    /// # Errors
    /// With the place of the bundle that is at fault. When others use all the room for longer than its patience, or the
    /// bundles together are larger than the store.
    pub(crate) fn hold(
        self: &Arc<Self>,
        bundles: &[&Bundle],
        give_back: &mut dyn FnMut(),
    ) -> Result<Vec<Unpacked>, (usize, BundleError)> {
        if let Some(held) = self.try_hold(bundles)? {
            return Ok(held);
        }
        give_back();
        let _waits = RoomWaiter::new(&self.waiting);
        let begun = Instant::now();
        loop {
            if let Some(held) = self.try_hold(bundles)? {
                return Ok(held);
            }
            if begun.elapsed() >= self.limits.patience {
                let most = self.limits.bytes;
                return Err((bundles.len() - 1, BundleError::StoreInUse { most }));
            }
            thread::sleep(LOOK);
        }
    }

    /// The same without waiting; nothing where others use too much of the room.
    fn try_hold(
        self: &Arc<Self>,
        bundles: &[&Bundle],
    ) -> Result<Option<Vec<Unpacked>>, (usize, BundleError)> {
        let found = |bundle: &&Bundle| self.find(bundle);
        let held: Option<Vec<Unpacked>> = bundles.iter().map(found).collect();
        if held.is_some() {
            return Ok(held);
        }
        let last = bundles.len() - 1;
        let _change = self.change().map_err(|error| (last, error))?;
        // Others may have unpacked them meanwhile, and nothing is removed that is held.
        let mut held: Vec<Option<Unpacked>> = bundles.iter().map(found).collect();
        let mut new: HashMap<&str, u64> = HashMap::new();
        let mut all: HashMap<&str, u64> = HashMap::new();
        for (bundle, held) in bundles.iter().zip(&held) {
            let size = on_disk(&bundle.sum);
            all.insert(&bundle.sum.sha256, size);
            if held.is_none() {
                new.insert(&bundle.sum.sha256, size);
            }
        }
        let most = self.limits.bytes;
        if all.values().sum::<u64>() > most {
            return Err((last, BundleError::LargerThanStore { most }));
        }
        let new = new.values().sum::<u64>();
        if !make_room(&self.folder, most - new) {
            return Ok(None);
        }
        for (at, (bundle, held)) in bundles.iter().zip(&mut held).enumerate() {
            if held.is_none() {
                let unpacked = self.find(bundle).map_or_else(|| self.unpack(bundle), Ok);
                *held = Some(unpacked.map_err(|error| (at, error))?);
            }
        }
        Ok(held.into_iter().collect())
    }

    /// The right to change the store. What others left half done is nobody's then.
    fn change(&self) -> Result<File, BundleError> {
        let path = self.folder.join(CHANGE);
        let change = open_lock(&path).and_then(|file| file.lock().map(|()| file));
        change.map_err(BundleError::io(path))
    }

    /// A bundle that is there and whole, locked.
    fn find(self: &Arc<Self>, bundle: &Bundle) -> Option<Unpacked> {
        let sha256 = &bundle.sum.sha256;
        let folder = self.folder.join(sha256);
        let used = open_no_link(&folder).ok()?;
        // Who has it locked alone is about to remove it.
        used.try_lock_shared().ok()?;
        let (ours, there) = (used.metadata().ok()?, fs::symlink_metadata(&folder).ok()?);
        // Another one may have its name now.
        if !ours.is_dir() || id_of(&ours) != id_of(&there) {
            return None;
        }
        // A process that was here before has read it.
        let id = id_of(&ours);
        if lock(&self.whole).get(sha256) != Some(&id) {
            if !is_whole(&folder, bundle) {
                return None;
            }
            lock(&self.whole).insert(sha256.clone(), id);
        }
        // When it was used last; where that cannot be noted it goes earlier.
        let _ = used.set_modified(SystemTime::now());
        Some(Unpacked {
            folder,
            _used: used,
            _store: Arc::clone(self),
        })
    }

    /// Unpacks a bundle for which there is room, while nobody else changes the store.
    fn unpack(self: &Arc<Self>, bundle: &Bundle) -> Result<Unpacked, BundleError> {
        let folder = self.folder.join(&bundle.sum.sha256);
        let new = self.passing()?;
        let unpack = || {
            let mut unpacker = Unpacker::new(&new, &bundle.sum);
            bundle.read_again(&mut unpacker)?;
            unpacker.finish()?;
            let made = fs::symlink_metadata(&new).map_err(BundleError::io(&new))?;
            self.put(&new, &folder)?;
            lock(&self.whole).insert(bundle.sum.sha256.clone(), id_of(&made));
            self.find(bundle).ok_or(BundleError::Changed)
        };
        let unpacked = unpack();
        // Nothing where it has got its name.
        let removed = remove_folder(&new);
        let unpacked = unpacked?;
        removed.map_err(BundleError::io(new))?;
        Ok(unpacked)
    }

    /// Makes a folder for what passes.
    fn passing(&self) -> Result<PathBuf, BundleError> {
        passing(&self.folder).map_err(BundleError::io(&self.folder))
    }

    /// Gives an unpacked bundle its name.
    fn put(&self, new: &Path, folder: &Path) -> Result<(), BundleError> {
        if fs::rename(new, folder).is_ok() {
            return Ok(());
        }
        // Something is there that is not the bundle.
        let away = self.passing()?;
        // In the same folder, for one that is read-only can only be renamed there.
        let put = fs::rename(folder, &away).and_then(|()| fs::rename(new, folder));
        let put = put.map_err(BundleError::io(folder));
        remove_folder(&away).map_err(BundleError::io(away))?;
        put
    }
}

/// Somebody who waits for room.
struct RoomWaiter<'a>(&'a AtomicUsize);

impl<'a> RoomWaiter<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        RoomWaiter(waiting)
    }
}

impl Drop for RoomWaiter<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.own.is_some() {
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
    sum_of(folder).is_ok_and(|sum| sum == bundle.sum)
}

/// What all files of a folder come to.
pub(super) fn sum_of(folder: &Path) -> Result<BundleSum, BundleError> {
    let mut nobody = NoUser;
    let mut reader = BundleReader::new(&mut nobody, false);
    folder::read(folder, &FileSelection::All, &mut reader)?;
    reader.finish()
}

/// Takes no entry.
struct NoUser;

impl Sink for NoUser {
    fn take(&mut self, _: &BundleEntry, _: &mut dyn io::Read) -> Result<(), BundleError> {
        Ok(())
    }
}

/// What a bundle takes on the disk when it is unpacked, at most, in bytes.
pub(super) fn on_disk(sum: &BundleSum) -> u64 {
    sum.bytes + sum.entries * BLOCK
}

/// Makes a folder for what passes.
fn passing(store: &Path) -> io::Result<PathBuf> {
    let made = tempfile::Builder::new().prefix(PASSING).tempdir_in(store)?;
    Ok(made.keep())
}

/// Removes what was left half done, and the least recently used bundles that nobody uses, until all take no more than
/// this together. Whether that succeeds.
fn make_room(store: &Path, most: u64) -> bool {
    let mut bundles = Vec::new();
    let mut all = 0;
    for entry in fs::read_dir(store).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        if name == CHANGE || name == LOCK {
            continue;
        }
        if name.to_string_lossy().starts_with(PASSING) && remove_folder(&path).is_ok() {
            continue;
        }
        let size = size_of(&path);
        all += size;
        let used = entry.metadata().and_then(|found| found.modified());
        bundles.push((used.unwrap_or(SystemTime::UNIX_EPOCH), size, path));
    }
    bundles.sort();
    for (_, size, bundle) in bundles {
        if all <= most {
            break;
        }
        if remove_unused(store, &bundle) {
            all -= size;
        }
    }
    all <= most
}

/// Removes a bundle that nobody uses, and says whether it is gone.
fn remove_unused(store: &Path, bundle: &Path) -> bool {
    let removed = || {
        // Held until it has another name: nobody begins to use it before.
        let _unused = match open_no_link(bundle) {
            Ok(found) if found.try_lock().is_ok() => Some(found),
            // A link is no bundle.
            Err(error) if error.raw_os_error() == Some(libc::ELOOP) => None,
            Ok(_) | Err(_) => return Ok(false),
        };
        // A folder that is half removed must not have the name of one that is whole.
        let away = passing(store)?;
        if fs::rename(bundle, &away).is_err() {
            let _ = fs::remove_dir(&away);
            return remove_folder(bundle).map(|()| true);
        }
        remove_folder(&away).map(|()| true)
    };
    removed().unwrap_or_else(|error: io::Error| {
        tracing::warn!(bundle = %bundle.display(), %error, "an unpacked bundle is not removed");
        false
    })
}

/// The bytes that a file or folder takes on the disk, at most, without the block of the folder itself.
fn size_of(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else {
        return fs::symlink_metadata(path).map_or(0, |found| found.len());
    };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => BLOCK + size_of(&entry.path()),
        Ok(found) if found.is_file() => BLOCK + found.len(),
        _ => BLOCK,
    });
    sizes.sum()
}

/// Makes a store of its own, which nobody else clears away from then on. It is not found where somebody did before.
fn new_own(around: &Path) -> io::Result<(PathBuf, File)> {
    let new = tempfile::Builder::new()
        .prefix(OWN)
        .permissions(Permissions::from_mode(PRIVATE_FOLDER))
        .tempdir_in(around)?;
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
