//! Backups of whole arenas.

use std::fs::{File, Permissions};
use std::io::BufWriter;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flipside_sandbox::PRIVATE_FOLDER;
use flipside_sandbox::shell::quoted;
use flipside_store::{Arena, Backup, unix_ms};

use crate::failure::{Failure, Result};
use crate::files::{Readers, folder_of, replace, to_replace};

/// Writes a backup of the arena in this folder to a file, also while tournaments run: the journal as of one moment, and
/// the files of the bots. `force` allows it to replace a file. `accounts` copies the accounts of a site to a path, and
/// says whether there are some.
///
/// # Errors
/// When `accounts` fails, there is no arena, the file of a bot is missing, or the file cannot be written. Nothing is left of it then.
pub fn backup(
    arena: &Path,
    file: &Path,
    force: bool,
    accounts: impl FnOnce(&Arena, &Path) -> Result<bool>,
) -> Result<Backup> {
    let arena = Arena::open(arena)?;
    let target = to_replace(file, force)?;
    let folder = folder_of(&target);
    if !folder.is_dir() {
        let what = format!("there is no folder {}", folder.display());
        return Err(Failure::new(what).hint(format!("mkdir -p {}", quoted(folder))));
    }
    let scratch = tempfile::Builder::new()
        .prefix(".flipside-accounts-")
        .permissions(Permissions::from_mode(PRIVATE_FOLDER))
        .tempdir_in(folder)
        .map_err(|error| Failure::of_system(&error).about(folder.display()))?;
    let copy = scratch.path().join("accounts");
    let copy = accounts(&arena, &copy)?.then_some(copy);
    replace(file, &target, Readers::Owner, |out: &mut File| {
        let to = BufWriter::new(&mut *out);
        let backup = arena.back_up(folder, copy.as_deref(), to, unix_ms())?;
        out.sync_all().map_err(Failure::new)?;
        Ok(backup)
    })
}

/// Makes an arena in this folder, which must not be there or be empty, from a backup.
///
/// # Errors
/// When the folder is there, or the file is not a whole backup. Nothing is made then.
pub fn restore(file: &Path, arena: &Path) -> Result<Backup> {
    let opened = flipside_sandbox::open_regular(file);
    let (opened, _) = opened.map_err(|error| Failure::usage(error).about(file.display()))?;
    Ok(Arena::restore(opened, arena)?)
}
