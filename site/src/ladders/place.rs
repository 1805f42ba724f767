//! Where a bot stands in the ladder that this server keeps for a game.

use std::collections::HashSet;

use flipside_games::find;
use flipside_store::MatchFilter;
use flipside_tournament::{Bot, StandingsRow, Tournament};

use super::keep::ladder_of;
use crate::matches::results::{LATEST_OF_BOT, has_won};
use crate::shared::problem::Result;
use crate::shared::table::{bot_address, match_address};
use crate::site::ReadContext;

/// How many matches are told of each kind.
const TOLD: usize = 8;

/// The place of a bot in a ladder.
pub(crate) struct LadderPlace {
    pub(crate) game: &'static str,
    /// The title of the game.
    pub(crate) title: &'static str,
    /// The ladder's tournament, once the bot is in it.
    pub(crate) tournament: Option<String>,
    /// How many bots are in the ladder, without those that have left.
    pub(crate) bots: usize,
    /// Its row in the table, once it has played.
    pub(crate) row: Option<StandingsRow>,
    /// Its rank among those that have not left.
    pub(crate) rank: usize,
    /// What the ladder waits for, if there is something.
    pub(crate) said: Option<String>,
}

/// A match from the side of a bot.
pub(crate) struct PlacedMatch {
    pub(crate) href: String,
    /// The others, with their pages.
    pub(crate) others: Vec<(String, String)>,
    /// Why it ended.
    pub(crate) reason: String,
    pub(crate) plies: u64,
}

/// The latest matches that a bot has lost, and those that it has won.
#[derive(Default)]
pub(crate) struct PlacedMatches {
    pub(crate) lost: Vec<PlacedMatch>,
    pub(crate) won: Vec<PlacedMatch>,
}

impl LadderPlace {
    /// `7th of 23`; nothing before it has played.
    pub(crate) fn in_words(&self) -> Option<String> {
        self.row
            .as_ref()
            .map(|_| format!("{} of {}", ordinal(self.rank), self.bots))
    }
}

/// The place of a bot in the ladder of a game; nothing if this server keeps none, or the bot does not join it.
pub(crate) fn ladder_place(
    reading: &ReadContext<'_>,
    game: &str,
    bot: &Bot,
) -> Result<Option<LadderPlace>> {
    let (Some(host), Some(known)) = (reading.site.host(), find(game)) else {
        return Ok(None);
    };
    let kept = host.ladders()?.into_iter();
    let Some(kept) = { kept }.find(|one| one.ladder.game == game) else {
        return Ok(None);
    };
    let info = known.info();
    let mut place = LadderPlace {
        game: info.id,
        title: info.title,
        tournament: None,
        bots: 0,
        row: None,
        rank: 0,
        said: kept.said,
    };
    let (_, begun) = ladder_of(reading.journal, game)?;
    let entered = begun.filter(|begun| begun.entrants.iter().any(|one| one.id == bot.id));
    let Some(tournament) = entered else {
        return Ok((bot.plays(game) && bot.is_here()).then_some(place));
    };
    let rows = present_rows(reading, &tournament)?;
    let own = rows.iter().find(|row| row.bot == bot.label());
    place.bots = rows.len();
    place.tournament = Some(tournament.name.to_string());
    place.rank = own.map_or(0, |own| {
        1 + rows.iter().filter(|row| row.rank < own.rank).count()
    });
    place.row = own.filter(|own| own.games > 0).cloned();
    Ok(Some(place))
}

/// The rows of the bots that have not left.
pub(super) fn present_rows(
    reading: &ReadContext<'_>,
    tournament: &Tournament,
) -> Result<Vec<StandingsRow>> {
    let left = tournament.entrants.iter().enumerate();
    let left = left.filter(|(entrant, _)| tournament.has_left(*entrant));
    let left: Vec<String> = left.map(|(_, bot)| bot.label()).collect();
    let tabled = reading.table(tournament)?;
    let rows = tabled.full.standings.rows.iter();
    Ok(rows
        .filter(|row| !left.contains(&row.bot))
        .cloned()
        .collect())
}

/// The latest matches of a bot in a tournament, the latest first.
pub(crate) fn placed_matches(
    reading: &ReadContext<'_>,
    tournament: &str,
    bot: &Bot,
) -> Result<PlacedMatches> {
    let tournament = reading.journal.tournament(tournament)?;
    let rows = reading.journal.matches(&MatchFilter {
        tournament: Some(tournament.id),
        bot: Some(bot.id),
        limit: LATEST_OF_BOT,
        ..MatchFilter::default()
    })?;
    let label = bot.label();
    let mut told = PlacedMatches::default();
    for row in rows {
        let list = match has_won(&row, &label) {
            Some(true) => &mut told.won,
            Some(false) => &mut told.lost,
            None => continue,
        };
        if list.len() < TOLD {
            let others = row.seats.iter().filter(|seat| seat.bot != label);
            let mut seen = HashSet::new();
            let others = others.filter(|seat| seen.insert(seat.bot.as_str()));
            let others: Vec<String> = others.map(|seat| seat.bot.clone()).collect();
            let page = |other: String| (bot_address(&other).unwrap_or_default(), other);
            list.push(PlacedMatch {
                href: match_address(&row.id).unwrap_or_default(),
                others: others.into_iter().map(page).collect(),
                reason: row.reason,
                plies: row.plies,
            });
        }
    }
    Ok(told)
}

/// `1st`, `2nd`, `11th`.
fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_said_as_people_say_them() {
        let said = [1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111].map(ordinal);
        assert_eq!(
            said,
            [
                "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "101st",
                "111th"
            ]
        );
    }
}
