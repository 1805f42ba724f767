//! What an organiser does with tournaments that have begun: bots leave and join them, they are extended, and they end.
//!
//! A change is requested in the journal. Where nobody plays the tournament, it is settled at once. Otherwise the
//! process that plays it settles the change, when the running matches have ended.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use flipside_store::{
    Arena, Error, Journal, request_change, request_join, settle_changes, table, unix_ms,
};
use flipside_tournament::change_rules::refuse_always_counting;
use flipside_tournament::{
    Bot, BotRef, Change, ChangeReason, ChangeRow, Name, Requested, ScheduleError, Tournament,
    TournamentId,
};

use crate::NoteSink;
use crate::entry::{Entry, deleted};
use crate::failure::{Failure, Result};
use crate::programs::Processes;
use crate::start::{refuse_in_part, warn_of_untested};
use crate::verify::one_or_all;

/// How long a request waits for whoever plays the tournament to settle it. Longer matches make it take longer.
const SETTLE_PATIENCE: Duration = Duration::from_secs(2);

/// How often it looks.
const SETTLE_LOOK: Duration = Duration::from_millis(20);

/// A change that was made, or that the process which plays the tournament will make.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeMade {
    /// The tournament, with its changes as far as they are settled.
    pub tournament: Tournament,
    /// The change. It has no index as long as it is only requested.
    pub change: ChangeRow,
    /// Whether a process plays the tournament.
    pub is_running: bool,
}

/// Bots that are to join a tournament.
#[derive(Clone, Copy, Debug)]
pub struct Joining<'a> {
    /// The bots, as they were typed.
    pub bots: &'a [String],
    /// Whether a word can be the path of a file. Otherwise it is a bot of the arena or a built-in one.
    pub files: bool,
    /// Why they join, if somebody has said so.
    pub reason: Option<&'a ChangeReason>,
}

/// How much longer a tournament is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// By so many rounds; of a sequential test, blocks.
    Rounds(u32),
    /// By so many matches, for a ladder.
    Matches(u64),
}

/// How a bot leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// By itself, or as its organiser asked for it.
    Withdrawn,
    /// The organiser sends it away.
    Disqualified {
        /// Whether its matches still count in the table.
        counts: bool,
    },
}

/// Takes a bot out of the tournament of this name, or of all that are not over. Without a version, all versions of the
/// bot leave. A bot that is disqualified leaves in the same way, and tables say so; that is also possible when the
/// tournament is over.
///
/// # Errors
/// When the bot is in no such tournament, or one cannot go on without it. Then the tournaments before are changed.
pub fn withdraw(
    arena: &Path,
    bot: &BotRef,
    from: Option<&str>,
    how: Leaving,
    reason: Option<&ChangeReason>,
) -> Result<Vec<ChangeMade>> {
    let arena = Arena::open(arena)?;
    let mut journal = arena.journal()?;
    journal.bot(bot)?;
    let is_it = |entrant: &Bot| bot.fits(entrant);
    let mut tournaments = one_or_all(&journal, from)?;
    tournaments.retain(|tournament| tournament.entrants.iter().any(is_it));
    if from.is_none() {
        tournaments = still_played(&journal, tournaments, is_it)?;
    }
    if let Leaving::Disqualified { counts: false } = how {
        // Nothing is done of what could not be done whole.
        for tournament in &tournaments {
            refuse_always_counting(&tournament.settings)
                .map_err(|error| Failure::refusal(ScheduleError::from(error).into()))?;
        }
    }
    let mut made = Vec::new();
    for tournament in tournaments {
        let all = tournament.entrants.iter().enumerate();
        for (entrant, _) in all.filter(|(_, bot)| is_it(bot)) {
            for change in leaving(&journal, &tournament, entrant, how)? {
                made.push(make(&arena, &mut journal, &tournament, change, reason)?);
            }
        }
    }
    if made.is_empty() {
        let what = match from {
            Some(name) => format!("{bot} is not in {name}"),
            None => format!("{bot} is in no tournament that goes on"),
        };
        return Err(Failure::usage(what).hint("`flipside tournaments` lists them"));
    }
    Ok(made)
}

/// The changes by which a bot leaves a tournament. Where nothing is left to be played, or the bot has left already, it is
/// disqualified afterwards.
fn leaving(
    journal: &Journal,
    tournament: &Tournament,
    entrant: usize,
    how: Leaving,
) -> Result<Vec<Change>> {
    let Leaving::Disqualified { counts } = how else {
        return Ok(vec![Change::Withdraw { entrant }]);
    };
    let strike = Change::Strike { entrant, counts };
    let is_afterwards = tournament.is_cancelled()
        || tournament.has_left(entrant)
        || table(journal, tournament)?.over;
    Ok(match (is_afterwards, counts) {
        (true, _) => vec![strike],
        (false, true) => vec![Change::Disqualify { entrant }],
        (false, false) => vec![Change::Disqualify { entrant }, strike],
    })
}

/// Deletes matches that somebody has requested, with their records.
///
/// # Errors
/// When there is no such request, or a process plays it.
pub fn delete_request(arena: &Path, name: &Name) -> Result<TournamentId> {
    let arena = Arena::open(arena)?;
    let mut journal = arena.journal()?;
    // A name that nobody has is not to be locked.
    journal.tournament(name.as_str())?;
    let _lock = arena.lock_run(name)?;
    Ok(journal.delete_request(name)?)
}

/// The tournaments that are not over, and that such a bot has not left.
fn still_played(
    journal: &Journal,
    tournaments: Vec<Tournament>,
    is_it: impl Fn(&Bot) -> bool,
) -> Result<Vec<Tournament>> {
    let mut open = Vec::new();
    for tournament in tournaments {
        let requested = journal.requested_changes(tournament.id)?;
        let changes = (tournament.changes.iter().map(|changed| changed.change))
            .chain(requested.iter().map(|requested| requested.change));
        let left: Vec<usize> = changes.filter_map(|change| change.leaves()).collect();
        let mut entrants = tournament.entrants.iter().enumerate();
        let plays = entrants.any(|(entrant, bot)| is_it(bot) && !left.contains(&entrant));
        if plays && !table(journal, &tournament)?.over {
            open.push(tournament);
        }
    }
    Ok(open)
}

/// Makes the tournament of this name longer. Whoever resumes it plays the rest.
///
/// # Errors
/// When its format cannot be extended so, or it was cancelled.
pub fn extend(
    arena: &Path,
    name: &str,
    by: Extension,
    reason: Option<&ChangeReason>,
) -> Result<ChangeMade> {
    let change = match by {
        Extension::Rounds(more) => Change::Rounds { more },
        Extension::Matches(more) => Change::Matches { more },
    };
    change_one(arena, name, change, reason)
}

/// Lets bots join the tournament of this name. A newer version takes over from an older one, which leaves. Each bot is
/// started once before anything changes. Gives all changes: of each bot its joining, and then who leaves for it.
///
/// # Errors
/// When a bot is missing or does not start; then nothing has changed. When the tournament cannot take a bot; then those
/// before it have joined.
pub fn join(
    folder: &Path,
    name: &str,
    joining: &Joining<'_>,
    note: NoteSink<'_>,
) -> Result<Vec<ChangeMade>> {
    let arena = Arena::open(folder)?;
    let mut journal = arena.journal()?;
    let tournament = journal.tournament(name)?;
    refuse_in_part(&journal, &tournament)?;
    let settings = &tournament.settings;
    let sandbox = Processes::of(settings).sandbox(arena.path(), 1);
    let entries = joining.bots.iter().map(|typed| {
        let entry = if joining.files {
            Entry::find(Some(&arena), typed)?
        } else {
            Entry::of_arena(&arena, typed)?
        };
        entry.refuse_unplayed(&settings.game)?;
        let tried = match entry.deleted() {
            Some(bot) => Err(deleted(bot)),
            None => entry.try_out(settings, &sandbox),
        };
        tried.map_err(|failure| failure.about(typed))?;
        Ok(entry)
    });
    let entries = entries.collect::<Result<Vec<Entry>>>()?;
    let mut made = Vec::new();
    for entry in entries {
        let bot = entry.enter(&arena, &mut journal)?;
        warn_of_untested(std::slice::from_ref(&bot), &settings.game, note);
        let (name, reason) = (&tournament.name, joining.reason.cloned());
        let requested = request_join(&mut journal, name, bot.id, reason, unix_ms());
        let requested = requested.map_err(|error| Failure::refusal(error).about(name))?;
        made.extend(settle(&arena, &mut journal, &tournament, &requested)?);
    }
    Ok(made)
}

/// Ends the tournament of this name before its end. No more matches are played; the results count up to the first match
/// of the schedule that has none, and later ones are removed.
///
/// # Errors
/// When it is over.
pub fn cancel(arena: &Path, name: &str, reason: Option<&ChangeReason>) -> Result<ChangeMade> {
    change_one(arena, name, Change::Cancel, reason)
}

fn change_one(
    arena: &Path,
    name: &str,
    change: Change,
    reason: Option<&ChangeReason>,
) -> Result<ChangeMade> {
    let arena = Arena::open(arena)?;
    let mut journal = arena.journal()?;
    let tournament = journal.tournament(name)?;
    make(&arena, &mut journal, &tournament, change, reason)
}

/// Requests a change, and sees to it that somebody settles it.
fn make(
    arena: &Arena,
    journal: &mut Journal,
    tournament: &Tournament,
    change: Change,
    reason: Option<&ChangeReason>,
) -> Result<ChangeMade> {
    let name = &tournament.name;
    let requested = request_change(journal, name, change, reason.cloned(), unix_ms());
    let requested = requested.map_err(|error| Failure::refusal(error).about(name))?;
    let mut made = settle(arena, journal, tournament, &[requested])?;
    Ok(made.remove(0))
}

/// Sees to it that somebody settles changes that are requested, and gives each as it is then.
fn settle(
    arena: &Arena,
    journal: &mut Journal,
    tournament: &Tournament,
    requested: &[Requested],
) -> Result<Vec<ChangeMade>> {
    let name = &tournament.name;
    let all_made = |journal: &Journal, now: &Tournament, is_running| {
        let all = requested.iter();
        let all = all.map(|requested| made(journal, now.clone(), requested, is_running));
        all.collect::<flipside_store::Result<Vec<ChangeMade>>>()
    };
    let until = Instant::now() + SETTLE_PATIENCE;
    loop {
        // The right to run is waited for only where nobody seems to have it.
        if !arena.is_running(name) {
            match arena.lock_run(name) {
                Ok(_lock) => {
                    let now = settle_changes(journal, tournament.id)?;
                    return Ok(all_made(journal, &now, false)?);
                }
                Err(Error::Running { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let so_far = all_made(journal, &journal.tournament(name.as_str())?, true)?;
        let is_settled = so_far.iter().all(|made| made.change.index.is_some());
        if is_settled || Instant::now() >= until {
            return Ok(so_far);
        }
        thread::sleep(SETTLE_LOOK);
    }
}

/// A change as it is now.
fn made(
    journal: &Journal,
    tournament: Tournament,
    requested: &Requested,
    is_running: bool,
) -> flipside_store::Result<ChangeMade> {
    let is_open = (journal.requested_changes(tournament.id)?).contains(requested);
    let settled = tournament.changes.iter().rev().find(|changed| {
        (changed.change, &changed.reason, changed.at)
            == (requested.change, &requested.reason, requested.at)
    });
    let change = match settled.filter(|_| !is_open) {
        Some(changed) => ChangeRow::of_settled(&tournament, changed),
        None => ChangeRow::of_requested(&tournament, requested),
    };
    Ok(ChangeMade {
        tournament,
        change,
        is_running,
    })
}
