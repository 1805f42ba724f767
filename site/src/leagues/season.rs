//! What is stored of a season: its times, its state and its divisions.

use flipside_tournament::{BotId, Name};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The most leagues of a server.
pub(super) const MAX_LEAGUES: usize = 1_000;

/// The most bots that are entered for a league.
pub(super) const MAX_ENTRIES: usize = 1_000;

/// A season of a league.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Season {
    pub(crate) league: Name,
    /// From 1.
    pub(crate) number: u32,
    pub(crate) times: SeasonTimes,
    pub(crate) state: SeasonState,
    /// From the highest; none before they are fixed.
    pub(crate) divisions: Vec<Vec<LeagueEntrant>>,
    /// What went wrong, or why it was cancelled.
    pub(crate) why: Option<String>,
}

/// The times of a season, in milliseconds since 1970; asked for as times of RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename = "SeasonAsked",
    expecting = "struct SeasonAsked"
)]
pub(crate) struct SeasonTimes {
    /// Versions that are submitted later do not play: `2026-12-01T18:00:00+01:00`.
    #[serde(deserialize_with = "moment")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub(crate) deadline: u64,
    /// When its matches begin: at the deadline or later.
    #[serde(deserialize_with = "moment")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub(crate) starts_at: u64,
    /// When they end at the latest.
    #[serde(deserialize_with = "moment")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub(crate) ends_at: u64,
}

/// A time of RFC 3339 in milliseconds since 1970; nothing where it is none, or before.
pub(super) fn ms_of(text: &str) -> Option<u64> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    u64::try_from(time.unix_timestamp_nanos() / 1_000_000).ok()
}

fn moment<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let text = String::deserialize(from)?;
    ms_of(&text).ok_or_else(|| {
        let what = format!("{text:?} is no time such as 2026-12-01T18:00:00Z");
        serde::de::Error::custom(what)
    })
}

/// How far a season is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeasonState {
    /// Bots may still enter and leave.
    Open,
    /// It is known who plays.
    Fixed,
    /// Its tournaments are played.
    Playing,
    /// They have ended.
    Over,
    /// An organiser has cancelled it, or too few bots entered.
    Cancelled,
}

/// A bot of a season.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeagueEntrant {
    /// Its name and version when the season was fixed: `greedy@2`. Another bot may have this name now.
    pub(crate) bot: String,
    /// Which bot it is.
    pub(crate) id: BotId,
    /// The games of the league that it plays.
    pub(crate) games: Vec<String>,
}

impl SeasonState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            SeasonState::Open => "open",
            SeasonState::Fixed => "fixed",
            SeasonState::Playing => "playing",
            SeasonState::Over => "over",
            SeasonState::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more happens.
    pub(super) fn is_past(self) -> bool {
        matches!(self, SeasonState::Over | SeasonState::Cancelled)
    }
}
