//! What an organiser changes of a tournament that has begun. What is played follows from the settings, these changes,
//! and the results in order of the schedule: a change acts from an index of the schedule on.
//!
//! A change is first *requested*, by any process and also while another one plays. Whoever plays the tournament, or the
//! next who may, *settles* it: gives it the index. From then on it never changes.

use std::collections::HashSet;
use std::fmt;

use flipside_games::words::counted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::formats::Longer;
use crate::schedule_cursor::ScheduleCursor;
use crate::{
    Bot, BotId, Journal, MAX_ENTRANTS, Name, Result, ScheduleError, Settings, Text, Tournament,
    TournamentId,
};

/// The most changes of a tournament: each is looked at whenever the tournament is read.
pub const MAX_CHANGES: usize = 10_000;

/// Why somebody changes a tournament.
pub type ChangeReason = Text<200, 1>;

/// What changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Change {
    /// A bot leaves. Its remaining matches are forfeited or left out, as those of a paused bot.
    Withdraw {
        /// The number of the entrant.
        entrant: usize,
    },
    /// The same, because the organiser does not let it play on.
    Disqualify {
        /// The number of the entrant.
        entrant: usize,
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
    /// Nothing is left to be played.
    #[error("the tournament is over")]
    Over,
    /// A sequential test has its answer.
    #[error("the test is decided")]
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

    /// The entrant that joins, if one does.
    pub fn joins(&self) -> Option<usize> {
        match self {
            Change::Join { entrant } => Some(*entrant),
            _ => None,
        }
    }
}

/// The bots that a tournament with these changes began with: the first ones. The others joined.
pub(crate) fn founders<'a, B>(bots: &'a [B], changes: &[Changed]) -> &'a [B] {
    let joins = changes.iter().filter_map(|changed| changed.change.joins());
    &bots[..bots.len().saturating_sub(joins.count())]
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

/// What comes of the changes of a tournament, as far as the settings tell: what is checked without a result.
struct After<'a> {
    settings: &'a Settings,
    entrants: usize,
    has_joined: bool,
    left: HashSet<usize>,
    rounds: u32,
    matches: u64,
    cancelled: bool,
}

impl After<'_> {
    fn take(&mut self, change: &Change) -> Result<(), ChangeError> {
        if self.cancelled {
            return Err(ChangeError::Cancelled);
        }
        let format = self.settings.format.rules();
        let words = format.in_words();
        let longer = format.longer();
        match *change {
            Change::Withdraw { entrant } | Change::Disqualify { entrant } => {
                if let Some(why) = format.needs_all() {
                    return Err(ChangeError::NotWithout { format: words, why });
                }
                if entrant >= self.entrants {
                    return Err(ChangeError::NoEntrant(entrant));
                }
                if !self.left.insert(entrant) {
                    return Err(ChangeError::LeftAlready);
                }
            }
            Change::Rounds { more: 0 } | Change::Matches { more: 0 } => {
                return Err(ChangeError::Nothing);
            }
            Change::Rounds { more } if longer == Longer::Rounds => {
                self.rounds = self.rounds.saturating_add(more);
            }
            Change::Matches { more } if longer == Longer::Matches => {
                self.matches = self.matches.saturating_add(more);
            }
            Change::Rounds { .. } | Change::Matches { .. } => {
                let by = |by| ChangeError::LongerBy { format: words, by };
                return Err(match longer {
                    Longer::Never(why) => ChangeError::NotLonger { format: words, why },
                    Longer::Rounds => by("rounds"),
                    Longer::Matches => by("matches"),
                });
            }
            Change::Join { entrant } => {
                if let Some(why) = format.no_newcomers(self.settings) {
                    return Err(ChangeError::NoNewcomers { format: words, why });
                }
                let next = self.entrants;
                if entrant != next {
                    return Err(ChangeError::NotNext { entrant, next });
                }
                if next >= MAX_ENTRANTS {
                    return Err(ChangeError::TooManyBots);
                }
                self.entrants += 1;
                self.has_joined = true;
            }
            Change::Cancel => self.cancelled = true,
        }
        Ok(())
    }
}

/// Whether a tournament with these settings, which began between so many bots, can have these changes one after the
/// other.
///
/// # Errors
/// Names the first that it cannot have.
pub(crate) fn check<'a>(
    settings: &Settings,
    bots: usize,
    changes: impl IntoIterator<Item = &'a Change>,
) -> Result<(), ScheduleError> {
    let mut after = After {
        settings,
        entrants: bots.min(MAX_ENTRANTS),
        has_joined: false,
        left: HashSet::new(),
        rounds: 0,
        matches: 0,
        cancelled: false,
    };
    for (number, change) in changes.into_iter().enumerate() {
        if number >= MAX_CHANGES {
            return Err(ChangeError::TooMany.into());
        }
        after.take(change)?;
    }
    if after.rounds > 0 || after.matches > 0 || after.has_joined {
        // It is at most as long as one that began so: the same ranges hold.
        let longer = longer_by(settings, after.rounds, after.matches);
        longer.director(after.entrants)?;
    }
    Ok(())
}

/// The settings of a tournament that is so much longer.
fn longer_by(settings: &Settings, rounds: u32, matches: u64) -> Settings {
    Settings {
        rounds: settings.rounds.saturating_add(rounds),
        format: settings.format.longer_by(matches),
        ..settings.clone()
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

/// The entrants from which a bot takes over: older versions of it that have not left.
///
/// # Errors
/// When it is among the entrants, or a newer version of it is that has not left.
pub(crate) fn taken_over(
    bot: &Bot,
    entrants: &[&Bot],
    left: &HashSet<usize>,
) -> Result<Vec<usize>, ChangeError> {
    let mut older = Vec::new();
    for (entrant, other) in entrants.iter().enumerate() {
        if other.id == bot.id {
            let label = bot.label();
            return Err(match left.contains(&entrant) {
                true => ChangeError::HasLeft(label),
                false => ChangeError::InAlready(label),
            });
        }
        if other.name != bot.name || left.contains(&entrant) {
            continue;
        }
        if other.version > bot.version {
            let newer = other.label();
            return Err(ChangeError::NewerPlays { newer });
        }
        older.push(entrant);
    }
    Ok(older)
}

/// Why an older version leaves.
pub(crate) fn taken_over_reason(bot: &Bot) -> Option<ChangeReason> {
    // Names are far shorter than a reason may be.
    format!("{} takes over", bot.label()).parse().ok()
}

/// What is over needs no end, no bot can leave it, and a test that is decided has no further blocks.
fn refuse_over(journal: &Journal, tournament: &Tournament, change: &Change) -> Result<()> {
    let mut director = tournament.director()?;
    let mut walk = ScheduleCursor::new(tournament, &mut *director);
    let is_over = walk.up_to_now(journal)?.is_none();
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
    let mut walk = ScheduleCursor::new(tournament, &mut *director);
    let next = walk.up_to_now(journal)?;
    let Some((mut pairing, _)) = next else {
        return Ok(walk.heard);
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
        match walk.named() {
            Some((next, _)) => pairing = next,
            None => return Ok(after),
        }
    }
}

#[cfg(test)]
mod tests;
