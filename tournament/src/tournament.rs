//! A tournament with all that its matches follow from, beside the results: settings, entrants and changes.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bot::Bot;
use crate::change::{Change, Changed};
use crate::change_rules::{self, longer_by};
use crate::difference::Difference;
use crate::director::Director;
use crate::names::Name;
use crate::schedule::{RoundRobin, ScheduleError};
use crate::settings::{Settings, entrants_difference};
use crate::spec::TournamentSpec;

/// What the names of requested matches begin with; the account's number, `-` and eight hexadecimal digits follow. The
/// column `request` of the table knows them by it.
pub const REQUEST_PREFIX: &str = "request-";

/// A tournament, running or over.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tournament {
    /// Which, in this journal.
    pub id: TournamentId,
    /// Its name.
    pub name: Name,
    /// What it is fixed by.
    pub settings: Settings,
    /// When it was begun, in milliseconds since 1970.
    pub created_at: u64,
    /// Its bots, by number of entrant.
    pub entrants: Vec<Bot>,
    /// What was changed since it began, in the order of the requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Changed>,
}

/// Which tournament, in this journal.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct TournamentId(i64);

impl TournamentId {
    /// The tournament of this number in its journal.
    pub fn of_number(number: i64) -> Self {
        TournamentId(number)
    }

    /// The number, for other stores beside the journal.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl Tournament {
    /// All its matches, where they do not depend on results.
    ///
    /// # Errors
    /// When the settings do not fit the number of bots, or the schedule depends on results, or on changes: rounds that
    /// were added are between the bots that are still there.
    pub fn schedule(&self) -> Result<RoundRobin, ScheduleError> {
        let is_longer = |changed: &Changed| matches!(changed.change, Change::Rounds { .. });
        if self.changes.iter().any(is_longer) || self.founders().len() < self.entrants.len() {
            return Err(ScheduleError::NotFixed {
                format: self.settings.format.rules().in_words(),
            });
        }
        self.settings.schedule(self.entrants.len())
    }

    /// Who says what is played, before the first match: it is told of the changes when they act.
    ///
    /// # Errors
    /// When the settings do not fit the number of bots, or the changes do not fit the settings.
    pub fn director(&self) -> Result<Box<dyn Director>, ScheduleError> {
        let changes = self.changes.iter().map(|changed| &changed.change);
        let bots = self.founders().len();
        change_rules::check(&self.settings, bots, changes)?;
        self.settings.director(bots)
    }

    /// The bots that it began with: the first of its entrants.
    pub fn founders(&self) -> &[Bot] {
        change_rules::founders(&self.entrants, &self.changes)
    }

    /// Whether this entrant has been withdrawn or disqualified.
    pub fn has_left(&self, entrant: usize) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|changed| changed.change.leaves() == Some(entrant))
    }

    /// The entrants whose matches do not count in the table.
    pub fn uncounted(&self) -> BTreeSet<usize> {
        let mut uncounted = BTreeSet::new();
        for changed in &self.changes {
            match changed.change {
                Change::Strike {
                    entrant,
                    counts: false,
                } => uncounted.insert(entrant),
                Change::Strike { entrant, .. } => uncounted.remove(&entrant),
                _ => continue,
            };
        }
        uncounted
    }

    /// Whether somebody has ended it.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled_at().is_some()
    }

    /// The index of the first match that does not count, if somebody has ended it.
    pub fn cancelled_at(&self) -> Option<u64> {
        let mut changes = self.changes.iter();
        let cancel = changes.find(|changed| changed.change == Change::Cancel);
        cancel.map(|changed| changed.index)
    }

    /// What keeps it from going on with these settings and with bots of these labels, `greedy@2`: what is other than it
    /// began with.
    pub fn differences(&self, settings: &Settings, labels: &[String]) -> Vec<Difference> {
        let mut differences = self.settings.difference(settings);
        let may_change = |name: &str| TournamentSpec::key(name).is_some_and(|key| key.may_change);
        differences.retain(|difference| !may_change(&difference.what));
        let founders: Vec<String> = self.founders().iter().map(Bot::label).collect();
        differences.extend(entrants_difference(&founders, labels));
        differences
    }

    /// The number of the account that has asked for these matches; none where it is no request.
    pub fn requested_by(&self) -> Option<i64> {
        requesting_account(self.name.as_str()).filter(|_| self.settings.unrated)
    }

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

/// The name of matches that an account has requested.
pub fn request_name(account: i64, number: u32) -> String {
    format!("{REQUEST_PREFIX}{account}-{number:08x}")
}

/// The number of the account whose requested matches have this name; none where the name is of something else.
pub fn requesting_account(name: &str) -> Option<i64> {
    let (account, number) = name.strip_prefix(REQUEST_PREFIX)?.split_once('-')?;
    let account: i64 = account.parse().ok().filter(|&account| account > 0)?;
    let number = u32::from_str_radix(number, 16).ok()?;
    // As it was written, and in no other form.
    (request_name(account, number) == name).then_some(account)
}
