//! The cross table, as text and drawings have it.

use flipside_tournament::{CrossTable, DecidedBy, Encounter};

/// The most bots of a cross table in text; a wider one cannot be read.
pub const MAX_CROSSED: usize = 20;

/// The points of one bot against another, of how many matches; nothing where they have not met.
pub(super) fn against(table: &CrossTable, row: usize, column: usize) -> Option<(f64, u32)> {
    let cell = table.cells[row][column];
    (row != column && cell.games() > 0).then(|| (cell.score(), cell.games()))
}

/// What is said where a cross table is of the first bots alone; nothing where all are in it.
pub(super) fn left_out(bots: usize, most: usize) -> Option<String> {
    (bots > most).then(|| format!("the first {most} of {bots} bots"))
}

/// What decided a match-up, in a word or two.
pub(super) fn decided_by(encounter: &Encounter) -> &'static str {
    match encounter.decided_by {
        None => "not decided",
        Some(DecidedBy::Score) => "score",
        Some(DecidedBy::TieBreak) => "tie-break",
        Some(DecidedBy::Seed) => "seed",
        Some(DecidedBy::Bye) => "bye",
    }
}
