//! What the journal keeps of bots that did not fail, for their owners: the end of what they wrote to standard error,
//! and whether they computed on the turns of others. A silent bot leaves no row.
//!
//! Each tournament has a ring of [`NOTED_MATCHES`] slots. A match takes the slot of its index, and so the place of an
//! earlier match: the space is bounded, and no bot that writes much displaces what another one wrote at the same time.

use std::time::Duration;

use flipside_referee::SeatTrace;
use flipside_tournament::TournamentId;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::packed::{PackedRecord, of_seats, read_of_seat};
use super::{Journal, Queries};
use crate::error::Result;

/// Of how many matches of a tournament notes are kept, counted from the latest index.
pub const NOTED_MATCHES: u64 = 1024;

/// The most that is kept of the standard error of a bot that did not fail, in bytes for each match.
pub const KEPT_STDERR: usize = 4 * 1024;

/// What is kept of a bot that did not fail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatNotes {
    /// The end of what it wrote to standard error, after a "…" where there was more.
    pub stderr: String,
    /// If it was seen computing on the turns of others, how much CPU time it used there, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pondered_us: Option<u64>,
}

/// The same, ready for the journal.
#[derive(Clone, Debug)]
pub struct PackedNotes {
    /// The seat.
    pub seat: u8,
    /// The CPU time that it used on the turns of others.
    pub pondered: Option<Duration>,
    packed: PackedRecord,
}

impl PackedNotes {
    /// What is kept of a seat, if anything.
    pub fn of(seat: u8, trace: &SeatTrace) -> Option<Self> {
        if trace.fault.is_some() || (trace.stderr.is_empty() && trace.pondered.is_none()) {
            return None;
        }
        let notes = SeatNotes {
            stderr: end_of(&trace.stderr),
            pondered_us: trace
                .pondered
                .map(|cpu| cpu.as_micros().try_into().unwrap_or(u64::MAX)),
        };
        Some(PackedNotes {
            seat,
            pondered: trace.pondered,
            packed: PackedRecord::of(&notes),
        })
    }
}

/// The last [`KEPT_STDERR`] bytes of a text, cut between characters.
fn end_of(text: &str) -> String {
    match text.len().saturating_sub(KEPT_STDERR) {
        0 => text.to_owned(),
        from => format!("…{}", &text[text.ceil_char_boundary(from)..]),
    }
}

pub(super) fn insert(
    transaction: &Connection,
    (tournament, idx): (TournamentId, u64),
    notes: &PackedNotes,
) -> rusqlite::Result<()> {
    let PackedRecord { sha256, zstd } = &notes.packed;
    transaction.run(
        "INSERT OR REPLACE INTO notes (tournament, slot, seat, idx, sha256, zstd)
         VALUES (?, ?, ?, ?, ?, ?)",
        params![
            tournament.number(),
            idx % NOTED_MATCHES,
            notes.seat,
            idx,
            sha256,
            zstd
        ],
    )?;
    Ok(())
}

impl Journal {
    /// What is kept of the seats of a match whose bots did not fail. Of a match that was played before notes were
    /// kept, or whose slot a later match has taken, nothing.
    ///
    /// # Errors
    /// When there is no such match, the journal cannot be read, or what is kept is damaged.
    pub fn notes(&self, id: &str) -> Result<Vec<(u8, SeatNotes)>> {
        let (tournament, idx) = self.find_match(id)?;
        let all = self.connection.all(
            "SELECT sha256, zstd, seat FROM notes WHERE tournament = ? AND slot = ? AND idx = ?
             ORDER BY seat",
            params![tournament.id.number(), idx % NOTED_MATCHES, idx],
            read_of_seat,
        )?;
        of_seats("notes", id, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{finished, new_journal, tournament};

    fn talker(said: &str) -> SeatTrace {
        SeatTrace {
            stderr: said.into(),
            ..SeatTrace::default()
        }
    }

    #[test]
    fn a_match_takes_the_place_of_an_earlier_one_and_goes_with_its_notes() {
        let (_folder, mut journal) = new_journal();
        let rounds = u32::try_from(NOTED_MATCHES).unwrap();
        let evening = tournament(&mut journal, "evening", 2, rounds);
        let pairings: Vec<_> = evening.schedule().unwrap().iter().collect();
        let later = NOTED_MATCHES as usize;
        for index in [0, 1, later] {
            let mut played = finished(&evening, &pairings[index]);
            let notes =
                (0..2).filter_map(|seat| PackedNotes::of(seat, &talker(&format!("{index}"))));
            played.notes = notes.collect();
            journal.land(&played).unwrap();
        }
        let stored = |journal: &Journal, index: usize| -> Vec<(u8, String)> {
            let notes = journal
                .notes(&flipside_tournament::match_id(&evening.name, index as u64))
                .unwrap();
            notes
                .into_iter()
                .map(|(seat, notes)| (seat, notes.stderr))
                .collect()
        };
        let both = |text: &str| vec![(0, text.to_owned()), (1, text.to_owned())];
        assert_eq!(stored(&journal, 0), []);
        assert_eq!(stored(&journal, 1), both("1"));
        assert_eq!(stored(&journal, later), both(&later.to_string()));
        let silent = finished(&evening, &pairings[1]);
        journal.supersede(evening.id, 1, Some(&silent)).unwrap();
        assert_eq!(stored(&journal, 1), []);
        assert_eq!(stored(&journal, later).len(), 2);
    }

    #[test]
    fn a_silent_bot_leaves_nothing_and_a_talker_little() {
        assert!(PackedNotes::of(0, &SeatTrace::default()).is_none());
        let notes = PackedNotes::of(1, &talker(&"ä".repeat(KEPT_STDERR))).unwrap();
        let text = notes.packed.unpack().unwrap();
        let stored: SeatNotes = serde_json::from_str(&text).unwrap();
        assert_eq!(stored.stderr, format!("…{}", "ä".repeat(KEPT_STDERR / 2)));
        assert_eq!(end_of("short"), "short");
    }
}
