//! The tournaments of an arena, each in a line.

use flipside_tournament::{Total, Tournament, utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::arena::Arena;
use crate::error::Result;
use crate::journal::Journal;
use crate::remaining_matches::RemainingMatches;

/// A tournament in a list.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct TournamentRow {
    /// Its name.
    pub tournament: String,
    /// The game's id.
    pub game: String,
    /// The name of the format.
    pub format: String,
    /// How many bots were entered.
    pub bots: usize,
    /// How many matches have a result.
    pub played: u64,
    /// How many there will be. None where this version of Flipside cannot pair the tournament.
    pub total: Option<Total>,
    /// How far it is.
    pub state: TournamentState,
    /// Whether somebody has cancelled it: it is over then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
    /// When it was begun, in UTC: `2026-11-22T14:05:09Z`.
    pub started_at: String,
}

/// How far a tournament is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentState {
    /// A process plays it now.
    Running,
    /// Matches are left, and nobody plays them.
    Stopped,
    /// Nothing is left to be played.
    Over,
}

impl TournamentState {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            TournamentState::Running => "running",
            TournamentState::Stopped => "stopped",
            TournamentState::Over => "over",
        }
    }
}

impl TournamentRow {
    /// The word for how far it is; a tournament that was cancelled is not just over.
    pub fn state_word(&self) -> &'static str {
        match self.state {
            // Also while its last matches end.
            _ if self.cancelled => "cancelled",
            state => state.word(),
        }
    }
}

/// The tournaments of an arena, the latest first.
///
/// # Errors
/// When the journal cannot be read.
pub fn tournaments(arena: &Arena, journal: &Journal) -> Result<Vec<TournamentRow>> {
    let tournaments = journal.tournaments()?.into_iter().rev();
    tournaments
        .map(|tournament| tournament_row(arena, journal, &tournament))
        .collect()
}

/// A tournament as the list has it.
///
/// # Errors
/// When the journal cannot be read.
pub fn tournament_row(
    arena: &Arena,
    journal: &Journal,
    tournament: &Tournament,
) -> Result<TournamentRow> {
    let mut played = journal.played(tournament.id)?.len();
    let (mut total, mut is_over) = (None, false);
    if let Ok(mut director) = tournament.director() {
        let mut remains = RemainingMatches::of(journal, tournament, &mut *director)?;
        let all = remains.total();
        // Matches beyond a decision do not count.
        played = played.min(all.most());
        total = Some(all);
        is_over = played + remains.left_out() >= all.most() || remains.next().is_none();
    }
    let state = match (arena.is_running(&tournament.name), is_over) {
        (true, _) => TournamentState::Running,
        (false, true) => TournamentState::Over,
        (false, false) => TournamentState::Stopped,
    };
    Ok(TournamentRow {
        tournament: tournament.name.to_string(),
        game: tournament.settings.game.clone(),
        format: tournament.settings.format.name().to_owned(),
        bots: tournament.entrants.len(),
        played,
        total,
        state,
        cancelled: tournament.is_cancelled(),
        started_at: utc(tournament.created_at),
    })
}
