//! A whole arena as one file: the journal as of one moment, the accounts of its site, and the files of its bots and
//! games. It can be written while
//! tournaments run, and is read into an arena that is not there yet.
//!
//! It is a tar archive, compressed with zstd. Its first file, `backup.json`, names the others in order, with the size
//! and the SHA-256 of each. Nothing in it is believed but what has these.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flipside_referee::without_choices;
use flipside_sandbox::{PRIVATE_FOLDER, make_private_folder};
use flipside_tournament::BotFile;
use serde::{Deserialize, Serialize};
use tar::Builder;

use crate::arena::{Arena, FOLDERS, JOURNAL, copy};
use crate::container::{
    DueFile, Files, append, drain, first_text, of_format, of_text, packing, unpacked_only,
};
use crate::database::TABLES;
use crate::error::{Error, Result};
use crate::hashing::HashingWriter;
use crate::journal::Journal;
use crate::limits::{BACKUP_FORMAT, LARGEST_BOT, PRIVATE_FILE};

/// The first file.
const MANIFEST: &str = "backup.json";

/// The file of a site's accounts, which only the site opens.
const ACCOUNTS: &str = "site.db";

/// The longest that it may be, in bytes.
const LONGEST_MANIFEST: u64 = 256 << 20;

/// A backup is written much more often than it is read.
const LEVEL: i32 = 3;

/// What is in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    format: u32,
    /// The version of the program that wrote it.
    pub flipside: String,
    /// When it was written, in milliseconds since 1970.
    pub at: u64,
    /// The journal, the accounts where there are some, and then the files of the bots and games.
    files: Vec<BackupFile>,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BackupFile {
    /// Its path in the arena.
    path: String,
    /// Its size in bytes.
    size: u64,
    /// The SHA-256 of its content, hexadecimal.
    sha256: String,
    executable: bool,
}

impl Backup {
    /// How many files of bots and games are in it.
    pub fn bots(&self) -> u64 {
        self.programs().len() as u64
    }

    /// Whether the accounts of a site are in it.
    pub fn has_accounts(&self) -> bool {
        self.files.get(1).is_some_and(|file| file.path == ACCOUNTS)
    }

    /// The files of the bots and games.
    fn programs(&self) -> &[BackupFile] {
        &self.files[1 + usize::from(self.has_accounts())..]
    }

    /// The bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Whether it names the journal first, perhaps the accounts, and then only files of bots, each once.
    fn check(&self) -> std::result::Result<(), String> {
        let Some(journal) = self.files.first() else {
            return Err("it names no files".into());
        };
        if journal.path != JOURNAL {
            return Err(format!("its first file is {:?}", journal.path));
        }
        let bots = self.programs();
        let is_bot = |file: &&BackupFile| {
            let name = file.path.strip_prefix("bots/");
            let name: Option<BotFile> = name.and_then(|name| name.parse().ok());
            name.is_some_and(|name| name.form().is_some()) && file.size <= LARGEST_BOT
        };
        if let Some(other) = bots.iter().find(|file| !is_bot(file)) {
            return Err(format!("{:?} is no file of a bot", other.path));
        }
        let is_in_order = bots.windows(2).all(|two| two[0].path < two[1].path);
        is_in_order
            .then_some(())
            .ok_or_else(|| "a file is there twice".into())
    }
}

/// The names of the files that the bots and games of a journal have, in order. A bot that is built in has none.
fn files_of(journal: &Journal) -> Result<BTreeSet<String>> {
    let (bots, games) = (journal.bots()?, journal.games()?);
    let files = bots.iter().filter_map(|bot| bot.file.as_ref());
    let files = files.chain(games.iter().map(|game| &game.file));
    let stored = files.filter(|file| file.form().is_some());
    Ok(stored.map(BotFile::to_string).collect())
}

impl Arena {
    /// Writes a backup. The copy of the journal lies in the folder `scratch` meanwhile. `accounts` is a copy of what a
    /// site keeps in the file `site.db`, if there is one. It was made before: a webhook may then be told of a result
    /// twice, but never misses one.
    ///
    /// # Errors
    /// When the arena cannot be read, the file of a bot is missing, or nothing can be written there.
    pub fn back_up(
        &self,
        scratch: &Path,
        accounts: Option<&Path>,
        out: impl Write,
        at: u64,
    ) -> Result<Backup> {
        let folder = tempfile::Builder::new()
            .prefix(".flipside-backup-")
            .permissions(Permissions::from_mode(PRIVATE_FOLDER))
            .tempdir_in(scratch)
            .map_err(|error| Error::writing(scratch, error))?;
        let journal = folder.path().join(JOURNAL);
        self.read_journal()?.copy_to(&journal)?;
        let bots = files_of(&Journal::open_to_read(&journal)?)?;
        let mut files = vec![stored(JOURNAL.into(), &journal)?];
        if let Some(accounts) = accounts {
            files.push(stored(ACCOUNTS.into(), accounts)?);
        }
        for bot in bots {
            let path = format!("bots/{bot}");
            let file = self.path().join(&path);
            files.push(stored(path, &file)?);
        }
        let backup = Backup {
            format: BACKUP_FORMAT,
            flipside: env!("CARGO_PKG_VERSION").into(),
            at,
            files,
        };
        let failed = Error::Archive;
        let mut tar = Builder::new(packing(out, LEVEL).map_err(failed)?);
        append(&mut tar, MANIFEST, 0, of_text(&first_text(&backup))).map_err(failed)?;
        for file in &backup.files {
            let source = match file.path.as_str() {
                JOURNAL => journal.clone(),
                ACCOUNTS => accounts.expect("it was named").to_owned(),
                path => self.path().join(path),
            };
            let opened = File::open(&source).map_err(|error| Error::reading(&source, error))?;
            append(&mut tar, &file.path, 0, (opened, file.size)).map_err(failed)?;
        }
        let finished = tar.into_inner().and_then(zstd::Encoder::finish);
        finished.and_then(|mut out| out.flush()).map_err(failed)?;
        Ok(backup)
    }

    /// Makes an arena from a backup, in a folder that is not there yet or is empty: whole or not at all.
    ///
    /// # Errors
    /// When there is something in the folder, the backup is not whole, or the disk does not take it.
    pub fn restore(backup: impl Read, path: &Path) -> Result<Backup> {
        refuse_taken(path)?;
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        let folder = tempfile::Builder::new()
            .prefix(".flipside-restore-")
            .permissions(Permissions::from_mode(PRIVATE_FOLDER))
            .tempdir_in(parent)
            .map_err(|error| Error::writing(parent, error))?;
        let restored = unpack(backup, folder.path())?;
        let journal = Journal::open(folder.path().join(JOURNAL)).map_err(of_backup)?;
        let wrong = |what: &dyn Display| not_one(format_args!("its journal: {what}"));
        let strays = journal.strays().map_err(|error| wrong(&error))?;
        if let Some(stray) = strays.first() {
            return Err(wrong(stray));
        }
        let files = files_of(&journal).map_err(|error| wrong(&error))?;
        let named = restored.programs().iter().map(|file| file.path.clone());
        if !named.eq(files.iter().map(|file| format!("bots/{file}"))) {
            return Err(not_one("it has other bots than its journal"));
        }
        drop(journal);
        let failed = |error| Error::writing(path, error);
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).map_err(failed)?;
        refuse_taken(path)?;
        fs::rename(folder.path(), path).map_err(failed)?;
        // It has another name now, and is to stay.
        let _ = folder.keep();
        Ok(restored)
    }
}

fn refuse_taken(path: &Path) -> Result<()> {
    let is_free = match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound && !path.is_symlink(),
    };
    let path = path.into();
    is_free.then_some(()).ok_or(Error::Taken { path })
}

/// A file as a backup names it.
fn stored(path: String, file: &Path) -> Result<BackupFile> {
    let failed = |error| Error::reading(file, error);
    let mut opened = File::open(file).map_err(failed)?;
    let executable = opened.metadata().map_err(failed)?.permissions().mode() & 0o111 != 0;
    let (sha256, size) = copy(&mut opened, &mut io::sink()).map_err(failed)?;
    Ok(BackupFile {
        path,
        size,
        sha256,
        executable,
    })
}

fn not_one(what: impl Display) -> Error {
    Error::NotABackup(what.to_string())
}

/// Tells that the journal in a backup is not read here: the folder where it was unpacked says nothing to anybody.
fn of_backup(error: Error) -> Error {
    let known = TABLES.version;
    match error {
        Error::OtherVersion { found, .. } => Error::JournalOfBackup(format!(
            "a journal of version {found}, and this flipside reads version {known}"
        )),
        Error::NotAJournal { .. } => {
            Error::JournalOfBackup("no journal that this flipside reads".into())
        }
        other => other,
    }
}

/// Unpacks a backup into a folder, and makes sure that each file is as it was.
fn unpack(backup: impl Read, folder: &Path) -> Result<Backup> {
    let unpacked = unpacked_only(backup).map_err(not_one)?;
    let mut archive = tar::Archive::new(unpacked);
    let mut files = Files::new(&mut archive);
    let first = files.due(MANIFEST, LONGEST_MANIFEST);
    let text = first.and_then(DueFile::text).map_err(not_one)?;
    let wrong = |error: serde_json::Error| {
        let what = error.to_string();
        not_one(format!("{MANIFEST}: {}", without_choices(&what)))
    };
    let manifest = of_format::<Backup>(&text, BACKUP_FORMAT)
        .map_err(wrong)?
        .map_err(|found| Error::OtherBackup { found })?;
    manifest.check().map_err(not_one)?;
    for name in FOLDERS {
        let made = folder.join(name);
        make_private_folder(&made).map_err(|error| Error::writing(&made, error))?;
    }
    for file in &manifest.files {
        // The path was checked: it leads to the journal, to the accounts, or to a file of a bot.
        let path = folder.join(&file.path);
        let failed = |error| Error::writing(&path, error);
        let created = File::create_new(&path).map_err(failed)?;
        let mut out = HashingWriter::new(BufWriter::new(created));
        let due = files.due(&file.path, file.size);
        let copied = due.and_then(|due| due.copy(&mut out)).map_err(not_one)?;
        let size = copied.map_err(failed)?;
        if size != file.size || hex::encode(out.hash()) != file.sha256 {
            return Err(not_one(format!("{} is not as it was", file.path)));
        }
        let written = out
            .out
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        let mode = match file.executable {
            _ if [JOURNAL, ACCOUNTS].contains(&&*file.path) => PRIVATE_FILE,
            true => 0o755,
            false => 0o644,
        };
        let done = written.set_permissions(Permissions::from_mode(mode));
        done.and_then(|()| written.sync_all()).map_err(failed)?;
    }
    files.end().map_err(not_one)?;
    drain(archive.into_inner()).map_err(not_one)?;
    Ok(manifest)
}
