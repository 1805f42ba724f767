//! Seats of matches by the time that their bots used, for those who look for slow moves.

use rusqlite::params_from_iter;

use super::matches::MatchFilter;
use super::{Journal, reader};
use crate::error::Result;

/// A seat of a match, with the time that its bot used in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatTime {
    /// The id of the match.
    pub id: String,
    /// The game's id.
    pub game: String,
    /// The seat.
    pub seat: u8,
    /// Who sat there: `greedy@2`.
    pub bot: String,
    /// The time that its bot used, in microseconds. No move of it took longer.
    pub used_us: u64,
}

impl Journal {
    /// Shows the seats of the matches that a filter lists, those of which the bot used most time first, until it is
    /// told to stop (false). Neither the filter's limit nor its page counts here.
    ///
    /// # Errors
    /// When the journal cannot be read, and what `show` fails with.
    pub fn for_each_by_time(
        &self,
        filter: &MatchFilter,
        mut show: impl FnMut(SeatTime) -> Result<bool>,
    ) -> Result<()> {
        let _moment = self.snapshot()?;
        let (mut conditions, values) = filter.conditions("s");
        conditions.push("s.used_us > 0".into());
        let conditions = conditions.join(" AND ");
        let query = format!(
            "SELECT m.id, t.game, s.seat, b.name || '@' || b.version, s.used_us
             FROM match_seats s
             JOIN matches m ON m.tournament = s.tournament AND m.idx = s.idx
             JOIN tournaments t ON t.id = s.tournament
             JOIN bots b ON b.id = s.bot
             WHERE {conditions} ORDER BY s.used_us DESC, m.id, s.seat"
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let read = reader!(SeatTime: id, game, seat, bot, used_us);
        for seat in statement.query_map(params_from_iter(values), read)? {
            if !show(seat?)? {
                break;
            }
        }
        Ok(())
    }
}
