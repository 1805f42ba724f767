//! How much disk an arena may take.

use flipside_protocol::Size;
use flipside_tournament::{Arena, Error};

/// The most disk that an arena takes unless somebody says otherwise: a hundred times what a million short matches take.
pub const MOST_DISK: Size = Size::of(64 << 30);

/// Looks at how much disk an arena takes, while only its journal grows.
pub(crate) struct Room<'a> {
    arena: &'a Arena,
    pub(crate) most: Size,
    /// The bytes of all but the journal.
    rest: u64,
}

impl<'a> Room<'a> {
    pub(crate) fn of(arena: &'a Arena, most: Size) -> Result<Self, Error> {
        Ok(Room {
            rest: arena.size()?.saturating_sub(arena.journal_size()),
            arena,
            most,
        })
    }

    pub(crate) fn is_left(&self) -> bool {
        self.rest + self.arena.journal_size() < self.most.bytes()
    }
}
