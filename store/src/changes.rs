//! What an organiser changes of a tournament that has begun. What is played follows from the settings, these changes,
//! and the results in order of the schedule: a change acts from an index of the schedule on.
//!
//! A change is first *requested*, by any process and also while another one plays. Whoever plays the tournament, or the
//! next who may, *settles* it: gives it the index. From then on it never changes.

use flipside_tournament::{
    BotId, Change, ChangeError, ChangeReason, ChangeRow, Name, Requested, ScheduleCursor,
    ScheduleError, Tournament, TournamentId,
};

use crate::error::Result;
use crate::journal::Journal;

/// The changes of a tournament as tables show them: those that are settled, then those that are requested.
///
/// # Errors
/// When the journal cannot be read.
pub fn change_rows(journal: &Journal, tournament: &Tournament) -> Result<Vec<ChangeRow>> {
    let settled = tournament.changes.iter();
    let settled = settled.map(|changed| ChangeRow::of_settled(tournament, changed));
    let requested = journal.requested_changes(tournament.id)?;
    let requested = requested.iter();
    let requested = requested.map(|requested| ChangeRow::of_requested(tournament, requested));
    Ok(settled.chain(requested).collect())
}

/// Requests a change of a tournament. Whoever plays it settles the change; where nobody does, who takes the right to
/// play it calls [`settle_changes`].
///
/// # Errors
/// When the tournament cannot have the change, or the journal cannot be written. Nothing has happened then.
pub fn request_change(
    journal: &mut Journal,
    tournament: &Name,
    change: Change,
    reason: Option<ChangeReason>,
    at: u64,
) -> Result<Requested> {
    let known = journal.tournament(tournament.as_str())?;
    refuse_over(journal, &known, &change)?;
    journal.request(known.id, change, reason, at)
}

/// Requests that a bot joins a tournament, and that its older versions there leave: it takes over from them. Gives all
/// changes that are requested, the joining first. They are settled as by [`request_change`].
///
/// # Errors
/// When the bot has no file here, is in the tournament or has left it, a newer version of it plays, the tournament
/// cannot have the change, or the journal cannot be written. Nothing has happened then.
pub fn request_join(
    journal: &mut Journal,
    tournament: &Name,
    bot: BotId,
    reason: Option<ChangeReason>,
    at: u64,
) -> Result<Vec<Requested>> {
    let known = journal.tournament(tournament.as_str())?;
    let entrant = known.entrants.len();
    refuse_over(journal, &known, &Change::Join { entrant })?;
    journal.request_join(known.id, bot, reason, at)
}

/// What is over needs no end, no bot can leave it, and a test that is over has no further blocks.
fn refuse_over(journal: &Journal, tournament: &Tournament, change: &Change) -> Result<()> {
    let mut director = tournament.director()?;
    let mut cursor = ScheduleCursor::new(tournament, &mut *director);
    let is_over = journal.up_to_now(&mut cursor)?.is_none();
    let is_decided = director.is_decided();
    let refusal = match change {
        Change::Strike { .. } if tournament.is_cancelled() => return Ok(()),
        _ if tournament.is_cancelled() => ChangeError::Cancelled,
        Change::Rounds { .. } | Change::Matches { .. } if is_decided => ChangeError::Decided,
        Change::Rounds { .. } | Change::Matches { .. } | Change::Join { .. } => return Ok(()),
        Change::Strike { entrant, .. } => {
            let requested = journal.requested_changes(tournament.id)?;
            let mut requested = requested.iter().map(|requested| requested.change);
            let leaves = requested.any(|change| change.leaves() == Some(*entrant));
            if is_over || leaves || tournament.has_left(*entrant) {
                return Ok(());
            }
            ChangeError::StillPlays
        }
        _ if is_over => ChangeError::Over,
        _ => return Ok(()),
    };
    Err(ScheduleError::from(refusal).into())
}

/// Gives the requested changes of a tournament their indices, and returns the tournament with all its changes. To be
/// called by who has the right to play the tournament, while no match of it is being played.
///
/// # Errors
/// When the journal cannot be read or written. Then the changes that are not settled are still requested.
pub fn settle_changes(journal: &mut Journal, tournament: TournamentId) -> Result<Tournament> {
    loop {
        let settled = journal.settle_next(tournament, |journal, tournament, requested| {
            place(journal, tournament, &requested.change)
        })?;
        if !settled {
            return journal.tournament_by_id(tournament);
        }
    }
}

/// From which index on a change is to act: before the first match without a result. If later ones were played already,
/// behind a match that was void, what was played counts: then a bot leaves before the first of its own matches that is
/// still to be played.
fn place(journal: &Journal, tournament: &Tournament, change: &Change) -> Result<u64> {
    let mut director = tournament.director()?;
    let mut cursor = ScheduleCursor::new(tournament, &mut *director);
    let next = journal.up_to_now(&mut cursor)?;
    let Some((mut pairing, _)) = next else {
        return Ok(cursor.heard);
    };
    let Some(entrant) = change.leaves() else {
        return Ok(pairing.index);
    };
    let played = journal.played(tournament.id)?;
    let last = played.last();
    loop {
        let is_open = !played.contains(pairing.index);
        if is_open && pairing.seats.contains(&entrant) {
            return Ok(pairing.index);
        }
        if last.is_none_or(|last| pairing.index > last) {
            return Ok(pairing.index);
        }
        let after = pairing.index + 1;
        match cursor.named() {
            Some((next, _)) => pairing = next,
            None => return Ok(after),
        }
    }
}

#[cfg(test)]
mod tests;
