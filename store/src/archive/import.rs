//! Taking an archive in that was checked. It is read a second time, so that its records need not all be in
//! memory at once, and so that nobody who writes to the journal meanwhile has to wait for the first.

use std::collections::HashSet;
use std::io::Read;
use std::num::NonZeroUsize;

use flipside_tournament::{Name, Tournament};

use super::ArchiveError;
use super::check::{CheckedArchive, CheckedMatch, ImportedMatch, read_again};
use crate::error::Error;
use crate::journal::Journal;
use crate::journal::imports::{KnownMatches, Names};
use crate::journal::matches::FinishedMatch;
use crate::journal::results::VoidMatch;

/// What was taken in.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The tournament.
    pub tournament: Tournament,
    /// Matches that are new here.
    pub new: u64,
    /// Matches that were here already.
    pub known: u64,
}

/// Takes an archive in: the bots that are not here yet, without their files; the tournament; and every
/// match that is not here yet. May be called again, and goes on where it was stopped. `archive` is read
/// from its beginning and is the one that was checked; `hash` is the SHA-256 of its file. So many threads read and pack
/// the records. Whether there is room for more is asked of `room` between batches.
///
/// # Errors
/// When the archive has changed, a bot of that name or a tournament of that name is another one here, a match was
/// played here with another result, or a match is here as one of another tournament, so that it would be rated
/// twice: then nothing of it is taken in. When there is no more room: then it can be gone on with.
pub fn import(
    journal: &mut Journal,
    (archive, hash): (impl Read, [u8; 32]),
    checked: &CheckedArchive,
    names: &Names,
    threads: NonZeroUsize,
    room: impl Fn() -> bool,
    mut step: impl FnMut(u64, u64),
) -> Result<Imported, ArchiveError> {
    let fits = |other: Option<&Name>, known: &KnownMatches| fits(other, known, &checked.seen);
    let (tournament, import) = journal.take_in(checked, hash, names, fits)?;
    let there = journal.played(tournament.id)?;
    let mut imported = Imported {
        known: 0,
        new: 0,
        tournament,
    };
    let tournament = &imported.tournament;
    let voids = read_again(archive, checked, threads, |batch| {
        if !room() {
            return Err(ArchiveError::NoRoom);
        }
        let taken = batch.len() as u64;
        let new: Vec<_> = batch
            .into_iter()
            .filter(|taken| !there.contains(taken.seen.index))
            .map(|taken| here(taken, tournament))
            .collect();
        journal.land_imported(&new, import)?;
        imported.new += new.len() as u64;
        imported.known += taken - new.len() as u64;
        step(imported.new + imported.known, checked.head.matches);
        Ok(())
    })?;
    note_voids(journal, tournament, voids)?;
    crate::scheduler::note_pauses(journal, tournament)?;
    journal.finish_import(import)?;
    journal.settle()?;
    Ok(imported)
}

/// A match of the archive as one of this journal, whose entrants have the same numbers.
pub(super) fn here(taken: ImportedMatch, tournament: &Tournament) -> FinishedMatch {
    let FinishedMatch {
        scored,
        started_at,
        duration_us,
        record,
        played_by,
        ..
    } = taken.finished;
    FinishedMatch {
        record,
        played_by,
        ..FinishedMatch::new(tournament, scored, (started_at, duration_us))
    }
}

/// What was played both here and there must be the same, and of no other tournament here: `known` is of that, if one is
/// named.
fn fits(
    another: Option<&Name>,
    known: &KnownMatches,
    there: &[CheckedMatch],
) -> crate::error::Result<()> {
    // Short matches that were played twice may have the same record, to the microsecond.
    let is_known = |seen: &&CheckedMatch| {
        let same = Some(&(seen.record, seen.started_at));
        seen.record.is_some() && known.get(&seen.index) == same
    };
    let same = there.iter().filter(is_known).count() as u64;
    if let Some(name) = another {
        return match same {
            0 => Ok(()),
            _ => Err(Error::CountedAlready {
                tournament: name.to_string(),
                matches: same,
                of: there.len() as u64,
            }),
        };
    }
    let differs = |seen: &&CheckedMatch| {
        let known = known.get(&seen.index);
        known.is_some_and(|(record, _)| *record != seen.record)
    };
    match there.iter().find(differs) {
        None => Ok(()),
        Some(&CheckedMatch { index, .. }) => Err(Error::PlayedHere { index, same }),
    }
}

fn note_voids(
    journal: &mut Journal,
    tournament: &Tournament,
    voids: Vec<VoidMatch>,
) -> crate::error::Result<()> {
    let known: HashSet<VoidMatch> = journal.voids(tournament.id)?.into_iter().collect();
    let all = voids.into_iter();
    let new: Vec<VoidMatch> = all.filter(|void| !known.contains(void)).collect();
    journal.void_all(tournament.id, &new)
}
