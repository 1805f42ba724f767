//! What becomes of bots after they were submitted: they are renamed, and their files are deleted.

use std::path::Path;

use flipside_store::{Arena, Error, Journal, table, unix_ms};
use flipside_tournament::{Bot, BotRef, Name};

use crate::failure::{Failure, Result};

/// Gives all versions of a bot another name. Their results stand under it from then on; records keep the name under
/// which the matches were played, and still verify.
///
/// # Errors
/// When there is no such bot, or the name is taken.
pub fn rename(arena: &Path, from: &Name, to: &Name) -> Result<Vec<Bot>> {
    let mut journal = Arena::open(arena)?.journal()?;
    journal.rename_bot(from, to, unix_ms())?;
    let mut bots = journal.bots()?;
    bots.retain(|bot| bot.name == *to);
    Ok(bots)
}

/// Deletes the file of a bot; without a version, the files of all its versions. Results and records stay, and the bot
/// cannot enter tournaments until its file is submitted again.
///
/// # Errors
/// When there is no such bot, it is deleted already, or a tournament that is not over needs it. Then nothing happens.
pub fn delete(arena: &Path, bot: &BotRef) -> Result<Vec<Bot>> {
    let arena = Arena::open(arena)?;
    let mut journal = arena.journal()?;
    journal.bot(bot)?;
    let mut bots = journal.bots()?;
    bots.retain(|one| bot.fits(one) && one.is_here());
    if bots.is_empty() {
        let what = format!("the file of {bot} is not here");
        return Err(Failure::usage(what).hint("`flipside bots` lists the bots"));
    }
    let files = journal.delete_bots(&bots, unix_ms(), refuse_needed)?;
    arena.remove(&files)?;
    Ok(bots)
}

/// Makes sure that the file of a bot can be deleted: a tournament that is not over needs the files of the bots that
/// have not left it.
///
/// # Errors
/// When a tournament needs it, or the journal cannot be read.
pub fn refuse_needed(journal: &Journal, bot: &Bot) -> flipside_store::Result<()> {
    for tournament in journal.needing(bot.id)? {
        let requested = journal.requested_changes(tournament.id)?;
        let mut joining = requested.iter().filter_map(|one| one.bot.as_ref());
        let is_joining = joining.any(|joins| joins.id == bot.id);
        let mut entrants = tournament.entrants.iter();
        let entrant = entrants.position(|entrant| entrant.id == bot.id);
        let plays = match entrant {
            Some(entrant) => !tournament.has_left(entrant) && !table(journal, &tournament)?.over,
            None => is_joining,
        };
        if plays {
            return Err(Error::Needed {
                bot: bot.label(),
                tournament: tournament.name.to_string(),
            });
        }
    }
    Ok(())
}
