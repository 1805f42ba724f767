//! What a tournament can have after the changes that it has.

use std::collections::HashSet;

use crate::bot::Bot;
use crate::change::{Change, ChangeError, ChangeReason, Changed, MAX_CHANGES};
use crate::formats::rules::{Extension, TableOrder};
use crate::limits::MAX_ENTRANTS;
use crate::schedule::ScheduleError;
use crate::settings::Settings;

/// The bots that a tournament with these changes began with: the first ones. The others joined.
pub fn founders<'a, B>(bots: &'a [B], changes: &[Changed]) -> &'a [B] {
    let joins = changes.iter().filter_map(|changed| changed.change.joins());
    &bots[..bots.len().saturating_sub(joins.count())]
}

/// What comes of the changes of a tournament, as far as the settings tell: what is checked without a result.
struct After<'a> {
    settings: &'a Settings,
    entrants: usize,
    has_joined: bool,
    left: HashSet<usize>,
    struck: HashSet<usize>,
    rounds: u32,
    matches: u64,
    cancelled: bool,
}

impl After<'_> {
    fn take(&mut self, change: &Change) -> Result<(), ChangeError> {
        let format = self.settings.format.rules();
        let words = format.in_words();
        // It changes nothing that is played, so it is also for tournaments that were cancelled.
        if let Change::Strike { entrant, counts } = *change {
            if entrant >= self.entrants {
                return Err(ChangeError::NoEntrant(entrant));
            }
            if !counts {
                refuse_always_counting(self.settings)?;
            }
            self.struck.insert(entrant);
            return Ok(());
        }
        if self.cancelled {
            return Err(ChangeError::Cancelled);
        }
        let would_play_on = !self.struck.is_subset(&self.left);
        let is_longer = matches!(
            change,
            Change::Rounds { .. } | Change::Matches { .. } | Change::Join { .. }
        );
        if is_longer && would_play_on {
            return Err(ChangeError::Struck);
        }
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
            Change::Rounds { more } if longer == Extension::Rounds => {
                self.rounds = self.rounds.saturating_add(more);
            }
            Change::Matches { more } if longer == Extension::Matches => {
                self.matches = self.matches.saturating_add(more);
            }
            Change::Rounds { .. } | Change::Matches { .. } => {
                let by = |by| ChangeError::LongerBy { format: words, by };
                return Err(match longer {
                    Extension::Never(why) => ChangeError::NotLonger { format: words, why },
                    Extension::Rounds => by("rounds"),
                    Extension::Matches => by("matches"),
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
            Change::Strike { .. } => {}
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
pub fn check<'a>(
    settings: &Settings,
    bots: usize,
    changes: impl IntoIterator<Item = &'a Change>,
) -> Result<(), ScheduleError> {
    let mut after = After {
        settings,
        entrants: bots.min(MAX_ENTRANTS),
        has_joined: false,
        left: HashSet::new(),
        struck: HashSet::new(),
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

/// Makes sure that the matches of a bot can be taken out of the table of a tournament with these settings.
///
/// # Errors
/// Where the matches of every bot always count.
pub fn refuse_always_counting(settings: &Settings) -> Result<(), ChangeError> {
    match always_counts(settings) {
        None => Ok(()),
        Some(why) => Err(ChangeError::Counts {
            format: settings.format.rules().in_words(),
            why,
        }),
    }
}

/// Why the matches of every bot count in a tournament with these settings, if they always do.
pub fn always_counts(settings: &Settings) -> Option<&'static str> {
    let format = settings.format.rules();
    match (format.needs_all(), format.order()) {
        (Some(_), _) => Some("it is a test of two bots"),
        (None, TableOrder::Results) => Some("who plays whom follows from the results before"),
        (None, TableOrder::Points | TableOrder::Ratings) => None,
    }
}

/// The settings of a tournament that is so much longer.
pub(crate) fn longer_by(settings: &Settings, rounds: u32, matches: u64) -> Settings {
    Settings {
        rounds: settings.rounds.saturating_add(rounds),
        format: settings.format.longer_by(matches),
        ..settings.clone()
    }
}

/// The entrants from which a bot takes over: older versions of it that have not left.
///
/// # Errors
/// When it is among the entrants, or a newer version of it is that has not left.
pub fn taken_over(
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
pub fn taken_over_reason(bot: &Bot) -> Option<ChangeReason> {
    // Names are far shorter than a reason may be.
    format!("{} takes over", bot.label()).parse().ok()
}
