//! Limits that several modules have in common.

/// The most versions of a bot's name.
pub const MAX_VERSIONS: u32 = 1_000_000;

/// The most bots of a tournament: a round of theirs has a million matches. With it the index of a
/// match fits in 63 bits, whatever the number of rounds.
pub const MAX_ENTRANTS: usize = 1_000;
