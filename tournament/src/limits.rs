//! Limits that several modules have in common.

/// The largest file of a bot, in bytes.
pub const LARGEST_BOT: u64 = flipside_sandbox::LARGEST_PROGRAM;

/// The mode of what nobody but its owner is to read: the journal holds the salts of tournaments that are played.
pub(crate) const PRIVATE_FILE: u32 = 0o600;

/// The most versions of a bot's name.
pub const MAX_VERSIONS: u32 = 1_000_000;

/// The version of the format of backups.
pub(crate) const BACKUP_FORMAT: u32 = 1;

/// The most bots of a tournament: a round of theirs has a million matches. With it the index of a
/// match fits in 63 bits, whatever the number of rounds.
pub const MAX_ENTRANTS: usize = 1_000;
