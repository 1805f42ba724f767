//! A change of a tournament that has begun.

use serde::{Deserialize, Serialize};

use crate::bot::Bot;
use crate::limits::MAX_ENTRANTS;
use crate::names::Text;

/// The most changes of a tournament: each is looked at whenever the tournament is read.
pub const MAX_CHANGES: usize = 10_000;

/// Why somebody changes a tournament.
pub type ChangeReason = Text<200, 1>;

/// What changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Change {
    /// A bot leaves. Its remaining matches are forfeits, as those of a paused bot.
    Withdraw {
        /// The number of the entrant.
        entrant: usize,
    },
    /// The same, because the organiser does not let it play on.
    Disqualify {
        /// The number of the entrant.
        entrant: usize,
    },
    /// The organiser finds afterwards that a bot should not have played: a disqualification after the end, or of
    /// a bot that has left. Nothing else is played for that. A later one of the same bot takes its place.
    Strike {
        /// The number of the entrant.
        entrant: usize,
        /// Whether its matches count in the table, as those of a bot that is disqualified while it plays do.
        counts: bool,
    },
    /// More rounds are played than the settings say.
    Rounds {
        /// How many.
        more: u32,
    },
    /// A ladder has more matches than the settings say.
    Matches {
        /// How many.
        more: u64,
    },
    /// A bot joins: it is the entrant with the next number.
    Join {
        /// The number of the entrant.
        entrant: usize,
    },
    /// The tournament ends.
    Cancel,
}

/// A change of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changed {
    /// From which index of the schedule on it acts.
    pub index: u64,
    /// What changes.
    pub change: Change,
    /// Why, if somebody has said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ChangeReason>,
    /// When it was requested, in milliseconds since 1970.
    pub at: u64,
}

/// A change that was requested and not settled yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requested {
    /// Its number among the changes of its tournament, from 0.
    pub number: u64,
    /// What is to change.
    pub change: Change,
    /// The bot that is to join, if one is.
    pub bot: Option<Bot>,
    /// Why, if somebody has said so.
    pub reason: Option<ChangeReason>,
    /// When it was requested, in milliseconds since 1970.
    pub at: u64,
}

/// Why a tournament is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// The format has nothing that could be extended so.
    #[error("a {format} cannot be extended: {why}")]
    NotLonger {
        /// The format, in words.
        format: &'static str,
        /// Why not.
        why: &'static str,
    },
    /// It is rounds that are asked for in another format, or matches.
    #[error("a {format} is extended by {by}")]
    LongerBy {
        /// The format, in words.
        format: &'static str,
        /// By what.
        by: &'static str,
    },
    /// The format cannot go on without one of its bots.
    #[error("no bot can leave a {format}: {why}")]
    NotWithout {
        /// The format, in words.
        format: &'static str,
        /// Why not.
        why: &'static str,
    },
    /// The format cannot take a further bot.
    #[error("no bot can join a {format}: {why}")]
    NoNewcomers {
        /// The format, in words.
        format: &'static str,
        /// Why not.
        why: &'static str,
    },
    /// Too many bots.
    #[error("a tournament has at most {MAX_ENTRANTS} bots, with those that have left")]
    TooManyBots,
    /// A bot that joins has the next number.
    #[error("the next bot that joins is entrant {next}, not {entrant}")]
    NotNext {
        /// The number that it was given.
        entrant: usize,
        /// The next number.
        next: usize,
    },
    /// The bot is in the tournament.
    #[error("{0} is in the tournament already")]
    InAlready(String),
    /// The bot has left, and does not come back.
    #[error("{0} has left the tournament and cannot join again")]
    HasLeft(String),
    /// A newer version of the bot plays.
    #[error("{newer} plays already, and a newer version takes over from an older one")]
    NewerPlays {
        /// The newer version, as `greedy@2`.
        newer: String,
    },
    /// There is no such bot in the tournament.
    #[error("there is no entrant {0}")]
    NoEntrant(usize),
    /// The bot has left.
    #[error("the bot has left already")]
    LeftAlready,
    /// Nothing changes any more.
    #[error("the tournament was cancelled")]
    Cancelled,
    /// The bot still plays.
    #[error("the bot has not left, and the tournament goes on")]
    StillPlays,
    /// The results of a bot cannot be taken out of the table.
    #[error("the matches of a bot always count in a {format}: {why}")]
    Counts {
        /// The format, in words.
        format: &'static str,
        /// Why.
        why: &'static str,
    },
    /// A bot that was struck would play on.
    #[error("a bot was disqualified after the end, and would play on")]
    Struck,
    /// Nothing is left to be played.
    #[error("the tournament is over")]
    Over,
    /// A sequential test is decided, or neither of its bots comes to a match.
    #[error("the test is decided, or both of its bots are paused")]
    Decided,
    /// More by nothing.
    #[error("an extension is by 1 at least")]
    Nothing,
    /// Too many changes.
    #[error("a tournament has at most {MAX_CHANGES} changes")]
    TooMany,
}

impl ChangeError {
    /// The way out.
    pub fn hint(&self) -> &'static str {
        match self {
            ChangeError::NotLonger { .. }
            | ChangeError::NoNewcomers { .. }
            | ChangeError::TooManyBots
            | ChangeError::Cancelled
            | ChangeError::Decided
            | ChangeError::TooMany => "begin another tournament, under another --name",
            ChangeError::LongerBy { by, .. } if *by == "matches" => "ask for --matches N",
            ChangeError::LongerBy { .. } => "ask for --rounds N",
            ChangeError::NotWithout { .. } => "`flipside cancel` ends the tournament",
            ChangeError::NoEntrant(_)
            | ChangeError::InAlready(_)
            | ChangeError::NotNext { .. }
            | ChangeError::NewerPlays { .. } => "`flipside table` shows its bots",
            ChangeError::HasLeft(_) => {
                "`flipside submit` makes a new version of it, which can join"
            }
            ChangeError::StillPlays => "disqualify it, and then take its matches out",
            ChangeError::Counts { .. } => "disqualify it, and let its matches count",
            ChangeError::Struck => "begin another tournament, under another --name",
            ChangeError::LeftAlready => "`flipside table` tells from when on, and why",
            ChangeError::Over => "`flipside table` shows what came of it",
            ChangeError::Nothing => "ask for 1 or more",
        }
    }
}

impl Change {
    /// The entrant that leaves, if one does.
    pub fn leaves(&self) -> Option<usize> {
        match self {
            Change::Withdraw { entrant } | Change::Disqualify { entrant } => Some(*entrant),
            _ => None,
        }
    }

    /// The entrant that is disqualified afterwards, if one is.
    pub fn strikes(&self) -> Option<usize> {
        match self {
            Change::Strike { entrant, .. } => Some(*entrant),
            _ => None,
        }
    }

    /// The entrant that joins, if one does.
    pub fn joins(&self) -> Option<usize> {
        match self {
            Change::Join { entrant } => Some(*entrant),
            _ => None,
        }
    }
}
