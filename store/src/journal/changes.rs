//! What was changed of tournaments since they began, as rows: requested by anybody, settled by who plays.

use std::collections::HashSet;

use flipside_tournament::change_rules::{taken_over, taken_over_reason};
use flipside_tournament::{
    Bot, BotId, Change, ChangeReason, Changed, Requested, ScheduleError, Text, Tournament,
    TournamentId,
};
use rusqlite::{Connection, Row, params};

use super::bots::by_id;
use super::columns::{Json, Parsed, as_json};
use super::tournaments::by_id_of_tournament;
use super::{Journal, Queries};
use crate::error::{Error, Result};
use crate::journal::tournaments::enter;

impl Journal {
    /// The changes of a tournament that were requested and are not settled, in the order of their requests.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn requested_changes(&self, tournament: TournamentId) -> Result<Vec<Requested>> {
        requested(&self.connection, tournament)
    }

    /// Whether there are any.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn has_requests(&self, tournament: TournamentId) -> Result<bool> {
        let query = "SELECT 1 FROM changes WHERE tournament = ? AND idx IS NULL";
        Ok(self.connection.has(query, [tournament.number()])?)
    }

    /// Requests a change, if the tournament can have it after all that it has and that are requested. Whether the
    /// tournament is over is not asked: [`request_change`](crate::request_change) does.
    ///
    /// # Errors
    /// When the tournament cannot have the change, or the journal cannot be written.
    pub fn request(
        &mut self,
        tournament: TournamentId,
        change: Change,
        reason: Option<ChangeReason>,
        at: u64,
    ) -> Result<Requested> {
        self.durably(|transaction| {
            let known = by_id_of_tournament(transaction, tournament)?;
            request(transaction, &known, (change, None), (reason, at))
        })
    }

    /// Requests that a bot joins, and that its older versions leave.
    pub(crate) fn request_join(
        &mut self,
        tournament: TournamentId,
        bot: BotId,
        reason: Option<ChangeReason>,
        at: u64,
    ) -> Result<Vec<Requested>> {
        self.durably(|transaction| {
            let known = by_id_of_tournament(transaction, tournament)?;
            let bot = by_id(transaction, bot)?;
            if !bot.is_here() {
                let bot = bot.label();
                return Err(Error::NoFile { bot });
            }
            let pending = requested(transaction, tournament)?;
            let joining = pending
                .iter()
                .filter_map(|requested| requested.bot.as_ref());
            let entrants: Vec<&Bot> = known.entrants.iter().chain(joining).collect();
            let left = (known.changes.iter().map(|changed| &changed.change))
                .chain(pending.iter().map(|requested| &requested.change));
            let left: HashSet<usize> = left.filter_map(Change::leaves).collect();
            let older = taken_over(&bot, &entrants, &left).map_err(ScheduleError::from)?;
            let entrant = entrants.len();
            let join = (Change::Join { entrant }, Some(&bot));
            let mut all = vec![request(transaction, &known, join, (reason, at))?];
            for entrant in older {
                let leave = (Change::Withdraw { entrant }, None);
                let why = (taken_over_reason(&bot), at);
                all.push(request(transaction, &known, leave, why)?);
            }
            Ok(all)
        })
    }

    /// Settles the change of a tournament that was requested first, at the index that `place` gives it. What was played
    /// beyond the end of a tournament that is cancelled is taken out, and so is what was played beyond the index where
    /// a bot leaves a format that pairs again without it. Says whether there was one.
    pub(crate) fn settle_next(
        &mut self,
        tournament: TournamentId,
        place: impl FnOnce(&Journal, &Tournament, &Requested) -> Result<u64>,
    ) -> Result<bool> {
        self.durably_together(|journal| {
            let requested = journal.requested_changes(tournament)?;
            let Some(next) = requested.first() else {
                return Ok(false);
            };
            let known = journal.tournament_by_id(tournament)?;
            let index = place(journal, &known, next)?;
            journal.connection.execute(
                "UPDATE changes SET idx = ? WHERE tournament = ? AND number = ?",
                params![index, tournament.number(), next.number],
            )?;
            if let (Some(entrant), Some(bot)) = (next.change.joins(), &next.bot) {
                enter(&journal.connection, tournament, entrant, bot.id)?;
            }
            // Behind a match that was void, matches may have been played that are no more to be played so.
            let pairs_again = || known.settings.format.pairs_again();
            if next.change == Change::Cancel || next.change.leaves().is_some() && pairs_again() {
                journal.forget_from(tournament, index)?;
            }
            Ok(true)
        })
    }
}

#[cfg(any(test, feature = "testing"))]
impl Journal {
    /// Adds changes that were settled elsewhere, and the bots that joined by them.
    ///
    /// # Panics
    /// When the journal cannot be written.
    pub fn add_changes(&mut self, tournament: TournamentId, changes: &[Changed], bots: &[BotId]) {
        let added = self.durably(|transaction| add(transaction, tournament, (0, changes), bots));
        added.expect("a new tournament takes them");
    }
}

/// Requests a change in a transaction, if the tournament can have it after all that it has and that are requested.
fn request(
    transaction: &Connection,
    known: &Tournament,
    (change, bot): (Change, Option<&Bot>),
    (reason, at): (Option<ChangeReason>, u64),
) -> Result<Requested> {
    let requested = requested(transaction, known.id)?;
    let settled = known.changes.iter().map(|changed| &changed.change);
    let all = settled
        .chain(requested.iter().map(|requested| &requested.change))
        .chain([&change]);
    flipside_tournament::change_rules::check(&known.settings, known.founders().len(), all)?;
    if change.joins().is_some() && bot.is_none() {
        return Err(Error::Damaged("a bot joins that is not named".into()));
    }
    let number = (known.changes.len() + requested.len()) as u64;
    transaction.execute(
        "INSERT INTO changes (tournament, number, idx, change, bot, reason, at)
         VALUES (?, ?, NULL, ?, ?, ?, ?)",
        params![
            known.id.number(),
            number,
            as_json(&change),
            bot.map(|bot| bot.id.number()),
            reason.as_ref().map(Text::as_str),
            at
        ],
    )?;
    Ok(Requested {
        number,
        change,
        bot: bot.cloned(),
        reason,
        at,
    })
}

/// Adds changes that are settled, after those that there are, and the bots that join by them.
pub(super) fn add(
    transaction: &Connection,
    tournament: TournamentId,
    (first, changes): (usize, &[Changed]),
    joining: &[BotId],
) -> Result<()> {
    let joins = changes.iter().filter_map(|changed| changed.change.joins());
    for (entrant, &bot) in joins.zip(joining) {
        enter(transaction, tournament, entrant, bot)?;
    }
    for (number, changed) in changes.iter().enumerate() {
        transaction.execute(
            "INSERT INTO changes (tournament, number, idx, change, reason, at)
             VALUES (?, ?, ?, ?, ?, ?)",
            params![
                tournament.number(),
                (first + number) as u64,
                changed.index,
                as_json(&changed.change),
                changed.reason.as_ref().map(Text::as_str),
                changed.at
            ],
        )?;
    }
    Ok(())
}

pub(super) fn requested(
    connection: &Connection,
    tournament: TournamentId,
) -> Result<Vec<Requested>> {
    let read = |row: &Row<'_>| {
        let bot: Option<i64> = row.get(2)?;
        let requested = Requested {
            number: row.get(0)?,
            change: row.get::<_, Json<_>>(1)?.0,
            bot: None,
            reason: row.get::<_, Option<Parsed<_>>>(3)?.map(|reason| reason.0),
            at: row.get(4)?,
        };
        Ok((requested, bot.map(BotId::of_number)))
    };
    let rows: Vec<(Requested, Option<BotId>)> = connection.all(
        "SELECT number, change, bot, reason, at FROM changes
         WHERE tournament = ? AND idx IS NULL ORDER BY number",
        [tournament.number()],
        read,
    )?;
    let named = |(requested, bot): (Requested, Option<BotId>)| {
        let bot = bot.map(|bot| by_id(connection, bot)).transpose()?;
        Ok(Requested { bot, ..requested })
    };
    rows.into_iter().map(named).collect()
}
