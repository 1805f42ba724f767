//! The arena's folder: the journal, and beside it the files of bots and games, named by what they hold. What
//! the journal says of them is its own business.
//!
//! ```text
//! arena/
//!   journal.sqlite      who was submitted, what was played, and the salts of what is still to be played
//!   signing.key         the secret key of its signatures, if it has one
//!   bots/<sha256>.wasm  the files of the bots, and of the games that are programs; an executable has no ending, a packed
//!                       bundle `.tar.zst`
//!   cache/              what can be made again: compiled modules, unpacked bundles
//!   locks/<name>.lock   held while a tournament runs
//! ```
//!
//! Only its owner can read the journal, and only its owner can enter the folders, unless its owner gives others the
//! right.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, BufReader, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use flipside_sandbox::{
    Bundle, BundleError, FileError, NotRegular, ProgramKind, bundle, make_private_folder,
    open_regular,
};
use flipside_tournament::{Bot, BotFile, FileForm, Name};
use schemars::JsonSchema;
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use crate::hashing::HashingWriter;
use crate::journal::Journal;
use crate::journal::games::StoredGame;
use crate::kept_file::KeptFile;
use crate::limits::LARGEST_BOT;

/// A file that is still incoming after this time was left by a crash.
const INCOMING_STALE: Duration = Duration::from_secs(60 * 60);

/// How long somebody who wants to run a tournament waits for the right, and how often it is tried.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);
const LOCK_LOOK: Duration = Duration::from_millis(5);

const LOCK_ENDING: &str = ".lock";
const INCOMING: &str = ".incoming-";
pub(crate) const JOURNAL: &str = "journal.sqlite";
pub(crate) const KEY: &str = "signing.key";
pub(crate) const FOLDERS: [&str; 3] = ["bots", "cache", "locks"];

/// An arena: a folder with a journal and bots.
#[derive(Clone, Debug)]
pub struct Arena {
    path: PathBuf,
}

/// A bot, with what the author of its bundle says of it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DescribedBot {
    /// The bot.
    #[serde(flatten)]
    pub bot: Bot,
    /// Its author, as its `bot.toml` says.
    pub author: Option<String>,
    /// Its version, as its `bot.toml` says. The arena counts versions of its own.
    pub own_version: Option<String>,
}

impl From<Bot> for DescribedBot {
    /// The same without what its author says.
    fn from(bot: Bot) -> Self {
        DescribedBot {
            bot,
            author: None,
            own_version: None,
        }
    }
}

/// The right to run a tournament. Dropping it, or the end of the process however it ends, gives it
/// back.
#[derive(Debug)]
pub struct RunLock {
    /// Its file, which goes with it: whoever looks what runs looks at each file.
    path: PathBuf,
    _held: File,
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // A file that stays is only looked at once more each time.
        let _ = fs::remove_file(&self.path);
    }
}

impl Arena {
    /// The bytes of all files in the arena's folder.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn size(&self) -> Result<u64> {
        size_below(&self.path)
    }

    /// The bytes of the journal with its log: what grows while a tournament runs.
    pub fn journal_size(&self) -> u64 {
        let files = ["", "-wal", "-shm"].map(|ending| format!("{JOURNAL}{ending}"));
        let size =
            |file: &String| fs::metadata(self.path.join(file)).map_or(0, |found| found.len());
        files.iter().map(size).sum()
    }

    /// Opens an arena, and makes what is missing of it.
    ///
    /// # Errors
    /// When the folder cannot be made or written, or belongs to something else.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let arena = Arena {
            path: path.as_ref().into(),
        };
        fs::create_dir_all(&arena.path).map_err(|error| {
            if arena.path.exists() {
                let path = arena.path.clone();
                Error::NotAFolder { path }
            } else {
                Error::writing(&arena.path, error)
            }
        })?;
        arena.refuse_strangers()?;
        for folder in FOLDERS {
            arena.folder(folder)?;
        }
        arena.journal()?;
        Ok(arena)
    }

    /// Opens an arena that is there.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        match fs::metadata(&path) {
            Ok(found) if !found.is_dir() => Err(Error::NotAFolder { path }),
            Ok(_) if path.join(JOURNAL).exists() => Ok(Arena { path }),
            _ => Err(Error::NoArena { path }),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder for what can be made again, such as compiled modules.
    pub fn cache(&self) -> PathBuf {
        self.path.join("cache")
    }

    /// Opens the journal for writing.
    ///
    /// # Errors
    /// See [`Journal::open`].
    pub fn journal(&self) -> Result<Journal> {
        Journal::open(self.path.join(JOURNAL))
    }

    /// Opens the journal for reading: as many as are needed, beside the one that writes.
    ///
    /// # Errors
    /// See [`Journal::open_to_read`].
    pub fn read_journal(&self) -> Result<Journal> {
        Journal::open_to_read(self.path.join(JOURNAL))
    }

    /// Where a bot's file lies; nowhere if the bot is built in, or if its file is not in the arena.
    pub fn bot_path(&self, bot: &Bot) -> Option<PathBuf> {
        bot.file.as_ref()?.path_in(&self.programs())
    }

    /// The folder of the files of bots and games.
    pub fn programs(&self) -> PathBuf {
        self.path.join("bots")
    }

    /// Where the file of a game lies.
    pub fn game_path(&self, game: &StoredGame) -> PathBuf {
        let path = game.file.path_in(&self.programs());
        path.expect("what is stored has a path")
    }

    /// Removes the files of bots that were deleted, as [`Journal::delete_bots`] names them.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn remove(&self, files: &[BotFile]) -> Result<()> {
        let folder = self.path.join("bots");
        for path in files.iter().filter_map(|file| file.path_in(&folder)) {
            match fs::remove_file(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::writing(&path, error)),
            }
        }
        Ok(())
    }

    /// A bot with what the author of its bundle says of it, as far as its file can be read.
    pub fn describe(&self, bot: Bot) -> DescribedBot {
        let form = bot.file.as_ref().and_then(BotFile::form);
        let packed = self
            .bot_path(&bot)
            .filter(|_| form == Some(FileForm::Bundle));
        let Some(packed) = packed else {
            return bot.into();
        };
        let manifest = bundle::packed_manifest(&packed).unwrap_or_default();
        DescribedBot {
            bot,
            author: manifest.author,
            own_version: manifest.version,
        }
    }

    /// Copies a bot's file into the arena. A file that is there already is put there once more, so
    /// that a damaged copy heals.
    ///
    /// # Errors
    /// When the file is no bot, cannot be read, or the arena cannot be written.
    pub fn keep(&self, file: &Path) -> Result<KeptFile> {
        let (mut source, found) = match open_regular(file) {
            Ok(opened) => opened,
            Err(FileError::NotRegular(NotRegular { path, what })) => {
                return Err(Error::NotAFile { path, what });
            }
            Err(FileError::Io(error)) => return Err(Error::reading(file, error)),
        };
        if found.len() > LARGEST_BOT {
            return Err(Error::TooLarge { path: file.into() });
        }
        let form = form_of(file, &mut source).map_err(|error| Error::reading(file, error))?;
        let kind = match form {
            FileForm::Module | FileForm::ModuleText => ProgramKind::Module,
            FileForm::Program | FileForm::Bundle => ProgramKind::Process,
        };
        let executable = found.permissions().mode() & 0o111;
        if kind == ProgramKind::Process && executable == 0 {
            return Err(Error::NotExecutable { path: file.into() });
        }

        let incoming = self.incoming()?;
        let failed = |error| Error::writing(incoming.path(), error);
        let mut source = source.take(LARGEST_BOT + 1);
        let (sha256, size) = copy(&mut source, &mut incoming.as_file()).map_err(failed)?;
        if size > LARGEST_BOT {
            return Err(Error::TooLarge { path: file.into() });
        }
        let file = BotFile::Stored {
            sha256: sha256.clone(),
            form,
        };
        // Readable for the user that a jailed bot runs as, who is shown this file and never enters its folder.
        self.put(incoming, &file, 0o644 | executable)?;
        Ok(KeptFile {
            kind,
            sha256,
            size,
            file,
        })
    }

    /// Packs a bundle that was opened into the arena, as [`Arena::keep`] does with a file.
    ///
    /// # Errors
    /// When the bundle is no longer what was opened, is too large packed, or the arena cannot be written.
    pub fn keep_bundle(&self, path: &Path, bundle: &Bundle, kind: ProgramKind) -> Result<KeptFile> {
        let mut incoming = self.incoming()?;
        bundle::pack(bundle, incoming.as_file_mut()).map_err(|error| match error {
            BundleError::Io { path, source } => Error::writing(&path, source),
            error => Error::Bundle {
                path: path.into(),
                error: Box::new(error),
            },
        })?;
        let (sha256, size) = (bundle.sum().sha256.clone(), bundle.sum().bytes);
        let file = BotFile::Stored {
            sha256: sha256.clone(),
            form: FileForm::Bundle,
        };
        self.put(incoming, &file, 0o644)?;
        Ok(KeptFile {
            kind,
            sha256,
            size,
            file,
        })
    }

    /// A file in the folder of the bots that has no name yet.
    fn incoming(&self) -> Result<NamedTempFile> {
        let bots = self.folder("bots")?;
        sweep(&bots);
        tempfile::Builder::new()
            .prefix(INCOMING)
            .tempfile_in(&bots)
            .map_err(|error| Error::writing(&bots, error))
    }

    /// Gives a file that is whole its name and its mode.
    fn put(&self, incoming: NamedTempFile, file: &BotFile, mode: u32) -> Result<()> {
        let bots = self.folder("bots")?;
        let failed = |error| Error::writing(&bots, error);
        let written = incoming.as_file();
        written
            .set_permissions(Permissions::from_mode(mode))
            .map_err(failed)?;
        written.sync_all().map_err(failed)?;
        incoming
            .persist(bots.join(file.to_string()))
            .map_err(|error| failed(error.error))?;
        sync_folder(&bots).map_err(failed)
    }

    /// Whether a process has the right to run a tournament now.
    pub fn is_running(&self, tournament: &Name) -> bool {
        let path = lock_of(&self.path.join("locks"), tournament);
        // Where there is no file nobody has ever run it.
        open_regular(&path)
            .is_ok_and(|(file, _)| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// The tournaments that a process has the right to run now, by name.
    pub fn running(&self) -> Vec<Name> {
        // Where there is no folder nobody has ever run one.
        let entries = fs::read_dir(self.path.join("locks")).into_iter().flatten();
        let names = entries.flatten().filter_map(|entry| {
            let file = entry.file_name().to_string_lossy().into_owned();
            file.strip_suffix(LOCK_ENDING)?.parse().ok()
        });
        let mut running: Vec<Name> = names.filter(|name| self.is_running(name)).collect();
        running.sort();
        running
    }

    /// Takes the right to run a tournament.
    ///
    /// # Errors
    /// [`Error::Running`] when it is taken.
    pub fn lock_run(&self, tournament: &Name) -> Result<RunLock> {
        let path = lock_of(&self.folder("locks")?, tournament);
        let failed = |error| Error::writing(&path, error);
        let open = || {
            let mut options = File::options();
            let options = options.read(true).write(true).create(true).truncate(false);
            options.open(&path).map_err(failed)
        };
        let mut file = open()?;
        let begun = Instant::now();
        // Whoever asks whether it runs holds the lock for a moment, and so does whoever changes it.
        let locked = loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_PATIENCE => {
                    thread::sleep(LOCK_LOOK);
                }
                // Whoever gave the lock back has removed the file: another process may have locked another file.
                Ok(()) if !is_at(&file, &path) => file = open()?,
                locked => break locked,
            }
        };
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The number only helps to find the process; without it the refusal stands.
                let _ = file.take(20).read_to_string(&mut text);
                return Err(Error::Running {
                    tournament: tournament.to_string(),
                    pid: text.trim().parse().ok(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        file.set_len(0).map_err(failed)?;
        writeln!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(RunLock { path, _held: file })
    }

    fn folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.path.join(name);
        make_private_folder(&path).map_err(|error| Error::writing(&path, error))?;
        Ok(path)
    }

    /// A folder without a journal may hold what the making of an arena began, and nothing else: a
    /// mistyped `--arena` must not strew folders among somebody's files.
    fn refuse_strangers(&self) -> Result<()> {
        if self.path.join(JOURNAL).exists() {
            return Ok(());
        }
        let failed = |error| Error::reading(&self.path, error);
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let name = name.to_string_lossy().into_owned();
            let ours = FOLDERS.contains(&name.as_str()) || name.starts_with(JOURNAL) || name == KEY;
            if !ours && !name.starts_with('.') && name != "lost+found" {
                return Err(Error::NotAnArena {
                    path: self.path.clone(),
                    stranger: name,
                });
            }
        }
        Ok(())
    }
}

/// Whether this open file is the one that is at this path now.
fn is_at(file: &File, path: &Path) -> bool {
    let of = |found: io::Result<fs::Metadata>| found.ok().map(|found| (found.dev(), found.ino()));
    let open = of(file.metadata());
    open.is_some() && open == of(fs::symlink_metadata(path))
}

fn lock_of(folder: &Path, tournament: &Name) -> PathBuf {
    folder.join(format!("{tournament}{LOCK_ENDING}"))
}

/// What kind of file it is: `.wasm` and `.wat` are modules, and what begins as a module is one whatever its name.
fn form_of(path: &Path, file: &mut File) -> io::Result<FileForm> {
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head)?;
    file.rewind()?;
    if !flipside_sandbox::is_module(path, &head) {
        return Ok(FileForm::Program);
    }
    let named = |ending: &str| {
        path.extension()
            .is_some_and(|found| found.eq_ignore_ascii_case(ending))
    };
    let binary = head.starts_with(b"\0asm") || named("wasm");
    Ok(match binary && !named("wat") {
        true => FileForm::Module,
        false => FileForm::ModuleText,
    })
}

/// How much of a file is looked at to learn what it is.
const HEAD: u64 = 64 * 1024;

/// Copies to the end; gives the SHA-256 and the number of bytes.
pub(crate) fn copy(source: &mut impl Read, target: &mut impl Write) -> io::Result<(String, u64)> {
    let mut hashed = HashingWriter::new(target);
    // Of a reader with a buffer, `io::copy` uses that one.
    let mut source = BufReader::with_capacity(HEAD as usize, source);
    let size = io::copy(&mut source, &mut hashed)?;
    Ok((hex::encode(hashed.hash()), size))
}

/// The bytes of all files below a folder: unpacked bundles have folders of their own.
fn size_below(folder: &Path) -> Result<u64> {
    let read = |error| Error::reading(folder, error);
    let mut sum = 0;
    for entry in fs::read_dir(folder).map_err(read)? {
        let entry = entry.map_err(read)?;
        // What has gone meanwhile takes no room.
        let Ok(found) = entry.metadata() else {
            continue;
        };
        sum += found.len();
        if found.is_dir() {
            sum += size_below(&entry.path()).unwrap_or(0);
        }
    }
    Ok(sum)
}

/// Makes a rename in a folder last over a loss of power.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Removes incoming files that a crash left. What cannot be removed now stays for the next time.
fn sweep(bots: &Path) {
    let Ok(entries) = fs::read_dir(bots) else {
        return;
    };
    for entry in entries.flatten() {
        let incoming = entry.file_name().to_string_lossy().starts_with(INCOMING);
        let changed = entry.metadata().and_then(|found| found.modified());
        let age = changed.map(|at| SystemTime::now().duration_since(at).unwrap_or_default());
        if incoming && age.is_ok_and(|age| age > INCOMING_STALE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};
    use tempfile::TempDir;

    use super::*;
    use flipside_tournament::testing::name;

    fn new_arena() -> (TempDir, Arena) {
        let folder = tempfile::tempdir().unwrap();
        let arena = Arena::create(folder.path().join("arena")).unwrap();
        (folder, arena)
    }

    fn write(folder: &TempDir, name: &str, content: &[u8], mode: u32) -> PathBuf {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    fn files(arena: &Arena) -> Vec<String> {
        let entries = fs::read_dir(arena.path.join("bots")).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn an_arena_is_made_once_and_found_again() {
        let (folder, arena) = new_arena();
        arena
            .journal()
            .unwrap()
            .add_bot(&name("greedy"), &crate::testing::file(1), 1)
            .unwrap();
        for again in [
            Arena::create(arena.path()).unwrap(),
            Arena::open(arena.path()).unwrap(),
        ] {
            assert_eq!(again.journal().unwrap().bots().unwrap().len(), 1);
            assert_eq!(again.read_journal().unwrap().bots().unwrap().len(), 1);
        }
        assert!(arena.cache().is_dir());
        assert!(folder.path().join("arena/journal.sqlite").is_file());
    }

    #[test]
    fn where_there_is_no_arena_none_is_opened_and_nothing_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let file = write(&folder, "file", b"", 0o644);
        for path in [folder.path().join("missing"), folder.path().to_path_buf()] {
            let error = Arena::open(&path).unwrap_err();
            assert!(
                matches!(&error, Error::NoArena { path: p } if *p == path),
                "{error:?}"
            );
            assert!(error.hint().unwrap().contains("--arena"));
        }
        for error in [
            Arena::open(&file).unwrap_err(),
            Arena::create(&file).unwrap_err(),
        ] {
            assert!(matches!(error, Error::NotAFolder { .. }), "{error:?}");
        }
        let error = Arena::create(file.join("deeper")).unwrap_err();
        assert!(matches!(error, Error::NotAFolder { .. }), "{error:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn somebodys_folder_is_not_made_an_arena_of() {
        let folder = tempfile::tempdir().unwrap();
        write(&folder, "thesis.tex", b"", 0o644);
        let error = Arena::create(folder.path()).unwrap_err();
        assert!(matches!(&error, Error::NotAnArena { stranger, .. } if stranger == "thesis.tex"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        // What the making of an arena began before a crash is no stranger.
        let begun = tempfile::tempdir().unwrap();
        fs::create_dir(begun.path().join("bots")).unwrap();
        write(&begun, "journal.sqlite-wal", b"", 0o644);
        write(&begun, ".gitignore", b"*", 0o644);
        Arena::create(begun.path()).unwrap();
    }

    #[test]
    fn a_bot_is_kept_under_its_hash_and_runs_as_before() {
        let (folder, arena) = new_arena();
        // The SHA-256 of the empty text and of "hello".
        const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        let keep = |name: &str, content: &[u8], mode| {
            let kept = arena.keep(&write(&folder, name, content, mode)).unwrap();
            let path = kept.file.path_in(&arena.path.join("bots")).unwrap();
            assert_eq!(fs::read(&path).unwrap(), content);
            (
                kept.kind,
                kept.file.to_string(),
                kept.size,
                fs::metadata(path).unwrap().permissions().mode() & 0o777,
            )
        };
        let wasm = |hash| format!("{hash}.wasm");
        assert_eq!(
            keep("a.wasm", b"", 0o600),
            (ProgramKind::Module, wasm(EMPTY), 0, 0o644)
        );
        assert_eq!(
            keep("A.WASM", b"hello", 0o644),
            (ProgramKind::Module, wasm(HELLO), 5, 0o644)
        );
        assert_eq!(
            keep("a.wat", b"hello", 0o644),
            (ProgramKind::Module, format!("{HELLO}.wat"), 5, 0o644)
        );
        assert_eq!(
            keep("bot.py", b"hello", 0o700),
            (ProgramKind::Process, HELLO.into(), 5, 0o744)
        );
        assert_eq!(
            keep("bot", b"hello", 0o755),
            (ProgramKind::Process, HELLO.into(), 5, 0o755)
        );
        let (kind, file, ..) = keep("module", b"\0asm\x01\0\0\0", 0o644);
        assert!(kind == ProgramKind::Module && file.ends_with(".wasm"));
        assert_eq!(files(&arena).len(), 5);
    }

    #[test]
    fn an_arena_is_for_its_owner_alone_unless_its_owner_opens_it() {
        let (folder, arena) = new_arena();
        let mode = |name: &str| {
            let found = fs::metadata(arena.path.join(name)).unwrap();
            format!("{name} {:o}", found.permissions().mode() & 0o777)
        };
        arena.keep(&write(&folder, "bot", b"x", 0o755)).unwrap();
        // What SQLite makes beside the journal while it is open.
        let mut journal = arena.journal().unwrap();
        journal
            .add_bot(&name("greedy"), &crate::testing::file(1), 1)
            .unwrap();
        let files = ["", "-wal", "-shm"].map(|ending| mode(&format!("{JOURNAL}{ending}")));
        let private = ["", "-wal", "-shm"].map(|ending| format!("{JOURNAL}{ending} 600"));
        assert_eq!(files, private);
        assert_eq!(
            FOLDERS.map(mode),
            FOLDERS.map(|folder| format!("{folder} 700"))
        );
        drop(journal);
        // An owner who lets a group read it is asked once.
        let path = arena.path.join(JOURNAL);
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let bots = arena.path.join("bots");
        fs::set_permissions(bots, Permissions::from_mode(0o750)).unwrap();
        let again = Arena::create(&arena.path).unwrap();
        again.keep(&write(&folder, "bot", b"y", 0o755)).unwrap();
        drop(again.journal().unwrap());
        assert_eq!(mode(JOURNAL), format!("{JOURNAL} 640"));
        assert_eq!(mode("bots"), "bots 750");
    }

    #[test]
    fn a_large_bot_is_kept_whole() {
        let (folder, arena) = new_arena();
        let content: Vec<u8> = (0..1_000_003u32).flat_map(u32::to_le_bytes).collect();
        let path = write(&folder, "bot", &content, 0o755);
        let kept = arena.keep(&path).unwrap();
        assert_eq!(kept.sha256, hex::encode(Sha256::digest(&content)));
        assert!(fs::read(kept.file.path_in(&arena.path.join("bots")).unwrap()).unwrap() == content);
    }

    #[test]
    fn to_keep_a_bot_again_changes_nothing_and_heals_a_damaged_copy() {
        let (folder, arena) = new_arena();
        let path = write(&folder, "bot", b"#!/bin/sh\n", 0o755);
        let kept = arena.keep(&path).unwrap();
        assert_eq!(arena.keep(&path).unwrap(), kept);
        let copy = kept.file.path_in(&arena.path.join("bots")).unwrap();
        fs::write(&copy, "").unwrap();
        assert_eq!(arena.keep(&path).unwrap(), kept);
        assert_eq!(fs::read(&copy).unwrap(), b"#!/bin/sh\n");
        assert_eq!(files(&arena), [kept.file.to_string()]);
    }

    #[test]
    fn what_is_no_bot_is_refused_and_leaves_nothing() {
        let (folder, arena) = new_arena();
        let plain = write(&folder, "plain", b"#!/bin/sh\n", 0o644);
        let error = arena.keep(&plain).unwrap_err();
        assert!(matches!(error, Error::NotExecutable { .. }));
        assert_eq!(
            error.hint().unwrap(),
            format!("is the bot executable? chmod +x {}", plain.display())
        );
        assert!(matches!(
            arena.keep(folder.path()),
            Err(Error::NotAFile { .. })
        ));
        let error = arena.keep(&folder.path().join("missing")).unwrap_err();
        assert!(matches!(&error, Error::File { .. }) && error.to_string().contains("missing"));
        // A file as long as a limit over it, without its bytes.
        let large = write(&folder, "large", b"", 0o755);
        File::options()
            .write(true)
            .open(&large)
            .unwrap()
            .set_len(LARGEST_BOT + 1)
            .unwrap();
        let error = arena.keep(&large).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }) && error.to_string().ends_with("256 MiB"));
        assert!(files(&arena).is_empty());
    }

    #[test]
    fn what_a_crash_left_is_swept_and_what_is_coming_in_is_not() {
        let (folder, arena) = new_arena();
        for (name, age) in [(".incoming-old", 2), (".incoming-new", 0), ("stranger", 2)] {
            let path = arena.path.join("bots").join(name);
            fs::write(&path, "half a b").unwrap();
            let at = SystemTime::now() - age * INCOMING_STALE;
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(at)
                .unwrap();
        }
        let kept = arena.keep(&write(&folder, "bot", b"x", 0o755)).unwrap();
        assert_eq!(
            files(&arena),
            [
                ".incoming-new".into(),
                kept.file.to_string(),
                "stranger".into()
            ]
        );
    }

    #[test]
    fn a_tournament_is_run_by_one_at_a_time() {
        let (_folder, arena) = new_arena();
        let evening = name("evening");
        let lock = arena.lock_run(&evening).unwrap();
        let error = arena.lock_run(&evening).unwrap_err();
        let pid = std::process::id();
        assert!(
            matches!(&error, Error::Running { pid: Some(p), .. } if *p == pid),
            "{error:?}"
        );
        assert_eq!(
            error.to_string(),
            format!("tournament evening is being played or imported already, in process {pid}")
        );
        assert!(error.hint().is_some());
        arena.lock_run(&name("morning")).unwrap();
        drop(lock);
        arena.lock_run(&evening).unwrap();
    }

    #[test]
    fn a_lock_leaves_no_file_and_is_held_by_one_however_many_take_turns() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let (_folder, arena) = new_arena();
        let evening = name("evening");
        let (holders, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let take_turns = || {
            for _ in 0..200 {
                // Whoever waits for too long is refused.
                let Ok(lock) = arena.lock_run(&evening) else {
                    continue;
                };
                assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                taken.fetch_add(1, Ordering::SeqCst);
                assert!(arena.is_running(&evening));
                holders.fetch_sub(1, Ordering::SeqCst);
                drop(lock);
            }
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(take_turns);
            }
        });
        assert!(taken.load(Ordering::SeqCst) > 0);
        let locks = fs::read_dir(arena.path.join("locks")).unwrap();
        assert_eq!(locks.count(), 0);
        assert!(!arena.is_running(&evening) && arena.running().is_empty());
    }
}
