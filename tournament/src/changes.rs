//! What an organiser changes of a tournament that has begun. What is played follows from the settings, these changes,
//! and the results in order of the schedule: a change acts from an index of the schedule on.
//!
//! A change is first *requested*, by any process and also while another one plays. Whoever plays the tournament, or the
//! next who may, *settles* it: gives it the index. From then on it never changes.

use std::fmt;

use flipside_games::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use crate::bot::{Bot, BotId};
use crate::change::{Change, ChangeError, ChangeReason, Changed, Requested};
use crate::change_rules::longer_by;
use crate::error::Result;
use crate::journal::tournaments::Tournament;
use crate::journal::{Journal, TournamentId};
use crate::names::Name;
use crate::schedule::ScheduleError;
use crate::schedule_cursor::ScheduleCursor;
use crate::settings::Settings;

/// A change as tables show it.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct ChangeRow {
    /// From which index of the schedule on it acts; none as long as it is only requested.
    pub index: Option<u64>,
    /// What changes.
    pub what: ChangeWord,
    /// The bot that leaves or joins: `greedy@2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
    /// How many rounds or matches there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<u64>,
    /// Why, if somebody has said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reason: Option<ChangeReason>,
    /// When it was requested, in milliseconds since 1970.
    pub at: u64,
}

/// The word for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeWord {
    /// A bot has left.
    Withdrawn,
    /// The organiser has sent it away.
    Disqualified,
    /// A bot has joined.
    Joined,
    /// There are more rounds.
    Rounds,
    /// There are more matches.
    Matches,
    /// The tournament has ended.
    Cancelled,
}

impl ChangeRow {
    fn of(
        tournament: &Tournament,
        index: Option<u64>,
        change: &Change,
        joins: Option<&Bot>,
        (reason, at): (&Option<ChangeReason>, u64),
    ) -> Self {
        let (what, more) = match *change {
            Change::Join { .. } => (ChangeWord::Joined, None),
            Change::Withdraw { .. } => (ChangeWord::Withdrawn, None),
            Change::Disqualify { .. } => (ChangeWord::Disqualified, None),
            Change::Rounds { more } => (ChangeWord::Rounds, Some(more.into())),
            Change::Matches { more } => (ChangeWord::Matches, Some(more)),
            Change::Cancel => (ChangeWord::Cancelled, None),
        };
        let entrant = change.leaves().or(change.joins());
        let entrant = entrant.and_then(|bot| tournament.entrants.get(bot));
        let bot = joins.or(entrant);
        ChangeRow {
            index,
            what,
            bot: bot.map(Bot::label),
            more,
            reason: reason.clone(),
            at,
        }
    }

    /// A change that is settled.
    pub fn of_settled(tournament: &Tournament, changed: &Changed) -> Self {
        let about = (&changed.reason, changed.at);
        ChangeRow::of(
            tournament,
            Some(changed.index),
            &changed.change,
            None,
            about,
        )
    }

    /// A change that is only requested.
    pub fn of_requested(tournament: &Tournament, requested: &Requested) -> Self {
        let (bot, about) = (requested.bot.as_ref(), (&requested.reason, requested.at));
        ChangeRow::of(tournament, None, &requested.change, bot, about)
    }
}

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

impl fmt::Display for ChangeRow {
    /// Reads as a sentence: `greedy@2 is disqualified before match 12: it reads the dice`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bot = self.bot.as_deref().unwrap_or("a bot");
        let more = self.more.unwrap_or(0);
        if self.index.is_none() {
            write!(f, "requested: ")?;
        }
        match self.what {
            ChangeWord::Withdrawn => write!(f, "{bot} is withdrawn")?,
            ChangeWord::Disqualified => write!(f, "{bot} is disqualified")?,
            ChangeWord::Joined => write!(f, "{bot} joins")?,
            ChangeWord::Rounds => write!(f, "extended by {}", counted(more, "round"))?,
            ChangeWord::Matches => write!(f, "extended by {}", counted(more, "match"))?,
            ChangeWord::Cancelled => write!(f, "cancelled")?,
        }
        if let Some(index) = self.index {
            write!(f, " before match {index}")?;
        }
        match &self.reason {
            Some(reason) => write!(f, ": {}", reason.as_str()),
            None => Ok(()),
        }
    }
}

impl Tournament {
    /// Its settings, as long as it is after all changes.
    pub fn extended_settings(&self) -> Settings {
        let (mut rounds, mut matches) = (0u32, 0u64);
        for changed in &self.changes {
            match changed.change {
                Change::Rounds { more } => rounds = rounds.saturating_add(more),
                Change::Matches { more } => matches = matches.saturating_add(more),
                _ => {}
            }
        }
        longer_by(&self.settings, rounds, matches)
    }
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
    let is_over = cursor.up_to_now(journal)?.is_none();
    let is_decided = director.is_decided();
    let refusal = match change {
        _ if tournament.is_cancelled() => ChangeError::Cancelled,
        Change::Rounds { .. } | Change::Matches { .. } if is_decided => ChangeError::Decided,
        Change::Rounds { .. } | Change::Matches { .. } | Change::Join { .. } => return Ok(()),
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
    let next = cursor.up_to_now(journal)?;
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
