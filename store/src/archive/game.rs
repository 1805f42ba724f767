//! The program of the game of an archive. Nobody can referee its records without it.

use std::fs::{File, Permissions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flipside_tournament::{FileForm, GameVersion};

use super::read::header;
use super::{ArchiveError, ArchiveFiles};
use crate::container::{Files, unpacked};
use crate::error::Error;
use crate::limits::LARGEST_BOT;

/// Copies the program of an archive's game into a folder; none if the game is built in. Nothing else of the archive is
/// read, and nothing is believed of the program.
///
/// # Errors
/// When it is no archive, its game has no program that is due, or the folder cannot be written.
pub fn game_in(
    archive: impl Read,
    folder: &Path,
) -> Result<Option<(GameVersion, PathBuf)>, ArchiveError> {
    let mut tar = tar::Archive::new(unpacked(archive)?);
    let mut files = Files::new(&mut tar);
    let (head, _) = header(&mut files)?;
    let version: Option<GameVersion> = head.settings.game.parse().ok();
    let (version, game) = match (version, &head.game) {
        (None, None) => return Ok(None),
        (Some(version), Some(game)) => (version, game),
        _ => {
            let what = format!("the game {:?} has no program in it", head.settings.game);
            return Err(ArchiveError::Settings(what));
        }
    };
    let due = ArchiveFiles(&head.tournament).game(game);
    let Some(path) = game.file.path_in(folder) else {
        return Err(ArchiveError::file(due, "no game is built in so"));
    };
    let writing = |error| ArchiveError::Arena(Error::writing(&path, error));
    let mut out = File::create_new(&path).map_err(writing)?;
    let copied = files.due(&due, LARGEST_BOT)?.copy(&mut out)?;
    copied.map_err(writing)?;
    let mode = match game.file.form() {
        Some(FileForm::Program) => 0o755,
        _ => 0o644,
    };
    out.set_permissions(Permissions::from_mode(mode))
        .map_err(writing)?;
    Ok(Some((version, path)))
}
