//! A bot's file in the arena.

use flipside_sandbox::ProgramKind;
use flipside_tournament::BotFile;

/// A bot's file that lies in the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// How it runs.
    pub kind: ProgramKind,
    /// The SHA-256 of the file, hexadecimal.
    pub sha256: String,
    /// Its size in bytes; of a bundle, that of all its files together.
    pub size: u64,
    /// Where it lies.
    pub file: BotFile,
}
