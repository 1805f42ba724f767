//! Setting a bot aside that cannot play: it leaves the tournament, for a reason that tables show, and the others play
//! on.

use flipside_store::{Error, Journal, unix_ms};
use flipside_tournament::{Bot, Change, ChangeError, ChangeReason, ScheduleError, Tournament};

use crate::error::RunnerError;

/// The most characters of a reason.
const MAX_REASON: usize = 200;

/// Why a bot was not made ready to play.
#[derive(Debug)]
pub enum Unready {
    /// It cannot play, by its own doing or for want of its file: why, in a sentence without the bot's name. It is set
    /// aside.
    Bot(String),
    /// Something else has failed: the run ends.
    Failed(RunnerError),
}

impl From<RunnerError> for Unready {
    fn from(error: RunnerError) -> Self {
        Unready::Failed(error)
    }
}

/// Requests that these bots leave, each for its reason, unless they have left already or are about to.
///
/// # Errors
/// When the format cannot go on without one of them, fewer than two bots would be left, or the journal cannot be
/// written. Then nobody is set aside: whatever is wrong is not one bot's.
pub(crate) fn set_aside(
    journal: &mut Journal,
    tournament: &Tournament,
    bots: &[(usize, String)],
) -> Result<(), RunnerError> {
    let now = journal.tournament_by_id(tournament.id)?;
    let pending = journal.requested_changes(now.id)?;
    let is_leaving = |entrant: usize| {
        let mut leaving = pending.iter().filter_map(|one| one.change.leaves());
        now.has_left(entrant) || leaving.any(|one| one == entrant)
    };
    let mut unable: Vec<&(usize, String)> = Vec::new();
    for one in bots {
        if !is_leaving(one.0) && unable.iter().all(|other| other.0 != one.0) {
            unable.push(one);
        }
    }
    let Some((first, why)) = unable.first() else {
        return Ok(());
    };
    let stays =
        |entrant: &usize| !is_leaving(*entrant) && unable.iter().all(|one| one.0 != *entrant);
    let stay = (0..now.entrants.len()).filter(stays).count();
    let cannot =
        |bot: &Bot, why: &str| RunnerError::Play(format!("{} cannot play: {why}", bot.label()));
    if stay < 2 {
        return Err(cannot(&now.entrants[*first], why));
    }
    for (entrant, why) in unable {
        let bot = &now.entrants[*entrant];
        tracing::warn!(bot = bot.label(), why, "a bot is set aside");
        let leave = Change::Withdraw { entrant: *entrant };
        match journal.request(now.id, leave, Some(reason(why)), unix_ms()) {
            Ok(_) | Err(Error::Schedule(ScheduleError::Change(ChangeError::LeftAlready))) => {}
            Err(Error::Schedule(ScheduleError::Change(_))) => return Err(cannot(bot, why)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// What is said of it, in one line.
fn reason(why: &str) -> ChangeReason {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let line: String = why.chars().map(plain).take(MAX_REASON).collect();
    let said = line.parse().or_else(|_| "it cannot play".parse());
    said.expect("a plain line that is not too long")
}
