//! Results with all that tables tell of them: why they ended, what time they took.

use std::collections::HashMap;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::results::{self, Scored};
use super::{BotId, Journal, TournamentId, Unsigned};
use crate::{Error, Result};

/// A result with what the match took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detailed {
    /// The result.
    pub scored: Scored,
    /// Why it ended.
    pub reason: String,
    /// Actions taken, of all seats.
    pub plies: u64,
    /// What each seat used.
    pub used: Vec<Used>,
}

/// What a seat used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Its time, in microseconds.
    pub us: u64,
    /// Its actions.
    pub plies: u64,
}

impl Journal {
    /// Gives the results of a tournament with their details one by one, in order of the schedule, until
    /// `take` fails. `numbers` are the bots' numbers as entrants.
    pub(crate) fn scan_details(
        &self,
        tournament: TournamentId,
        numbers: &HashMap<BotId, usize>,
        mut take: impl FnMut(&Detailed) -> Result<()>,
    ) -> Result<()> {
        // As for the results alone: two readings side by side.
        let mut matches = self.connection.prepare_cached(
            "SELECT idx, round, block, reason, plies FROM matches WHERE tournament = ? ORDER BY idx",
        )?;
        let mut seats = self.connection.prepare_cached(
            "SELECT idx, bot, points, place, fault, used_us, plies FROM match_seats
             WHERE tournament = ? ORDER BY idx, seat",
        )?;
        let mut matches = matches.query([tournament])?;
        let mut seats = seats.query([tournament])?;
        let mut seat = seats.next()?;
        let mut detailed = Detailed::default();
        while let Some(row) = matches.next()? {
            let scored = &mut detailed.scored;
            scored.index = row.get::<_, Unsigned>(0)?.0;
            scored.round = row.get(1)?;
            scored.block = row.get::<_, Unsigned>(2)?.0;
            text_into(row, 3, &mut detailed.reason)?;
            detailed.plies = row.get::<_, Unsigned>(4)?.0;
            scored.seats.clear();
            detailed.used.clear();
            while let Some(row) = seat {
                if row.get::<_, Unsigned>(0)?.0 != scored.index {
                    break;
                }
                let (_, score) = results::read_seat(row, numbers)?;
                scored.seats.push(score);
                detailed.used.push(Used {
                    us: row.get::<_, Unsigned>(5)?.0,
                    plies: row.get::<_, Unsigned>(6)?.0,
                });
                seat = seats.next()?;
            }
            take(&detailed)?;
        }
        Ok(())
    }
}

/// Reads a text into a buffer that is used again.
fn text_into(row: &Row<'_>, column: usize, text: &mut String) -> Result<()> {
    text.clear();
    match row.get_ref(column)? {
        ValueRef::Text(bytes) => text.push_str(&String::from_utf8_lossy(bytes)),
        _ => return Err(Error::Damaged("a reason is no text".into())),
    }
    Ok(())
}
