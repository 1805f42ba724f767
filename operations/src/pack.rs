//! A bundle as one file, for those who send it.

use std::path::Path;

use flipside_sandbox::Program;
use flipside_sandbox::bundle::{self, Bundle};
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::files::NewFile;

/// A bundle that was packed.
#[derive(Clone, Debug, Serialize)]
pub struct Packed {
    /// Its name.
    pub name: String,
    /// The SHA-256 by which an arena knows it, hexadecimal.
    pub sha256: String,
    /// The bytes of the file.
    pub size: u64,
}

/// Packs the bundle in a folder into a new file, as `submit` packs it into an arena.
///
/// # Errors
/// When the folder is no bundle, is too large packed, or there is something at the file's path.
pub fn pack(folder: &Path, file: &Path) -> Result<Packed> {
    let program = Program::open(folder)?;
    let Some(opened) = program.as_bundle() else {
        let what = format!(
            "{} is not a folder with a bot.toml or a game.toml",
            folder.display()
        );
        return Err(Failure::usage(what).hint("a single file is submitted as it is"));
    };
    Ok(Packed {
        name: program.name().to_owned(),
        sha256: program.sha256().to_owned(),
        size: pack_opened(opened, folder, file)?,
    })
}

/// Packs a bundle that was opened from this folder into a new file. Gives the bytes that were written.
pub(crate) fn pack_opened(opened: &Bundle, folder: &Path, file: &Path) -> Result<u64> {
    let mut size = 0;
    let what = format!("cannot pack {}", folder.display());
    NewFile::make(file)?.write_with(|file| {
        size = bundle::pack(opened, file).map_err(|error| Failure::from(error).about(what))?;
        Ok(())
    })?;
    Ok(size)
}
