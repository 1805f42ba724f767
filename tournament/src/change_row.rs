//! Changes as tables show them.

use std::fmt;

use flipside_games::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use crate::bot::Bot;
use crate::change::{Change, ChangeReason, Changed, Requested};
use crate::moment::serialize_utc;
use crate::tournament::Tournament;

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
    /// When it was requested, in milliseconds since 1970; in JSON, RFC 3339.
    #[serde(serialize_with = "serialize_utc")]
    #[schemars(with = "String")]
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
    /// The same afterwards. Its matches count.
    Struck,
    /// The same afterwards. Its matches do not count.
    Voided,
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
            Change::Strike { counts: true, .. } => (ChangeWord::Struck, None),
            Change::Strike { counts: false, .. } => (ChangeWord::Voided, None),
            Change::Rounds { more } => (ChangeWord::Rounds, Some(more.into())),
            Change::Matches { more } => (ChangeWord::Matches, Some(more)),
            Change::Cancel => (ChangeWord::Cancelled, None),
        };
        let entrant = (change.leaves().or(change.joins())).or(change.strikes());
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
            ChangeWord::Struck => {
                write!(f, "{bot} is disqualified afterwards, and its matches count")?;
            }
            ChangeWord::Voided => {
                write!(
                    f,
                    "{bot} is disqualified afterwards, and its matches do not count"
                )?;
            }
            ChangeWord::Joined => write!(f, "{bot} joins")?,
            ChangeWord::Rounds => write!(f, "extended by {}", counted(more, "round"))?,
            ChangeWord::Matches => write!(f, "extended by {}", counted(more, "match"))?,
            ChangeWord::Cancelled => write!(f, "cancelled")?,
        }
        let is_afterwards = matches!(self.what, ChangeWord::Struck | ChangeWord::Voided);
        if let Some(index) = self.index.filter(|_| !is_afterwards) {
            write!(f, " before match {index}")?;
        }
        match &self.reason {
            Some(reason) => write!(f, ": {}", reason.as_str()),
            None => Ok(()),
        }
    }
}
