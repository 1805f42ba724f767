//! Limits that several modules have in common.

/// The largest file of a bot, in bytes.
pub const LARGEST_BOT: u64 = flipside_sandbox::LARGEST_PROGRAM;

/// The mode of what nobody but its owner is to read: the journal holds the salts of tournaments that are played.
pub(crate) const PRIVATE_FILE: u32 = 0o600;

/// The version of the format of backups.
pub(crate) const BACKUP_FORMAT: u32 = 1;
