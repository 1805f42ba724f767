//! How much of a match everybody may see, and its board at the end.

use flipside_games::{Viewer, find};
use flipside_operations::{Failure, MatchReplay, Result as Outcome};
use flipside_store::{Error, Journal, MatchRow};
use flipside_tournament::Settings;

use crate::shared::cache::Weigh;
use crate::shared::problem::Result;
use crate::site::{ReadContext, stamp_of};

/// How much of a match is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Detail {
    /// The board at the end.
    Board,
    /// What a spectator at the table saw, step by step.
    Public,
    /// Everything.
    Open,
}

impl Detail {
    /// Everything is shown when the tournament is over, and until then no more than [`helps_bots`] permits.
    pub(super) fn of(reading: &ReadContext<'_>, tournament: &str) -> Result<Self> {
        let tournament = reading.journal.tournament(tournament)?;
        if reading.is_over(&tournament)? {
            return Ok(Detail::Open);
        }
        Ok(match helps_bots(&tournament.settings) {
            true => Detail::Board,
            false => Detail::Public,
        })
    }

    /// Whose view is shown.
    fn viewer(self) -> Viewer {
        match self {
            Detail::Open => Viewer::Open,
            Detail::Public | Detail::Board => Viewer::Public,
        }
    }
}

/// Whether what a match shows may help bots in other matches of its block, which share its random events. Bots that are
/// isolated cannot learn them here; others might, also those with a network.
fn helps_bots(settings: &Settings) -> bool {
    let has_chance = find(&settings.game).is_none_or(|game| game.info().chance);
    let reaches_us = settings.trust || settings.bot.iter().any(|(_, own)| own.network);
    reaches_us && (has_chance || settings.opening_plies > 0)
}

/// A match as everybody may see it.
pub(super) fn shown(record: &str, how: Detail) -> Outcome<MatchReplay> {
    Ok(MatchReplay::read(record, how.viewer())?.without_stderr())
}

/// Its board at the end, as SVG.
pub(super) fn board_at_end(record: &str, how: Detail) -> Outcome<String> {
    let replay = shown(record, how)?;
    let last = replay.steps.len() - 1;
    let mut frames = replay.frames().map_err(Failure::new)?;
    frames.svg(last, how.viewer())
}

/// What a record shows; an empty text where it cannot be shown.
pub(super) fn or_nothing(shown: Outcome<String>) -> String {
    shown.unwrap_or_else(|failure| {
        tracing::warn!(failure = failure.message(), "a record cannot be shown");
        String::new()
    })
}

/// The board at the end of a match, empty where there is none.
struct FinalBoard(String);

impl Weigh for FinalBoard {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.0.len()
    }
}

/// The board at the end of a match, as everybody may see it, which is made once; nothing where its record is not there,
/// cannot be read or cannot be shown.
pub(crate) fn final_board(reading: &ReadContext<'_>, row: &MatchRow) -> Option<String> {
    let board = kept_board(reading, row).unwrap_or_else(|problem| {
        tracing::warn!(?problem, "the record of a match cannot be read");
        String::new()
    });
    Some(board).filter(|board| !board.is_empty())
}

fn kept_board(reading: &ReadContext<'_>, row: &MatchRow) -> Result<String> {
    let how = Detail::of(reading, &row.tournament)?;
    let stamp = stamp_of(&how);
    let make = || {
        let record = record_of(reading.journal, &row.id)?;
        let board = record.map(|record| or_nothing(board_at_end(&record, how)));
        Ok((FinalBoard(board.unwrap_or_default()), stamp))
    };
    let key = format!("board of match {}", row.id);
    let board = reading.site.cache.get(&key, stamp, make)?.value;
    Ok(board.0.clone())
}

/// The record of a match, if it was played.
pub(super) fn record_of(journal: &Journal, id: &str) -> Result<Option<String>> {
    match journal.record(id) {
        Ok(record) => Ok(Some(record)),
        Err(Error::NotPlayed { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use flipside_tournament::BotsSettings;

    use super::*;

    #[test]
    fn only_bots_that_are_not_isolated_learn_of_chance_that_matches_share() {
        let networked =
            serde_json::json!({ "other": { "at_once": 1 }, "llm": { "network": true } });
        let networked = serde_json::from_value(networked).unwrap();
        let isolated = serde_json::json!({ "llm": { "at_once": 1 } });
        let isolated = serde_json::from_value(isolated).unwrap();
        for (game, opening_plies, has_chance) in [
            ("flip4", 0, true),
            ("flipfour", 0, false),
            ("flipfour", 4, true),
            // Of a game that is not here, nobody knows.
            ("gone", 0, true),
        ] {
            let settings = Settings {
                game: game.into(),
                opening_plies,
                bot: BotsSettings::clone(&isolated),
                ..Settings::default()
            };
            assert!(!helps_bots(&settings), "{game}");
            let trusted = Settings {
                trust: true,
                ..settings.clone()
            };
            assert_eq!(helps_bots(&trusted), has_chance, "{game}");
            let bot = BotsSettings::clone(&networked);
            let networked = Settings { bot, ..settings };
            assert_eq!(helps_bots(&networked), has_chance, "{game}");
        }
    }
}
