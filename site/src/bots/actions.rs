//! What becomes of a bot's name and files after it was submitted, at the wish of its owner.

use flipside_operations::{delete, refuse_needed, rename};
use flipside_store::unix_ms;
use flipside_tournament::{Bot, BotRef, Name};

use super::uploads::queue::is_taken;
use crate::accounts::people::{AccountRow, folded};
use crate::shared::problem::{Problem, Result};
use crate::shared::store::audit_log::note;
use crate::shared::store::error::Error;
use crate::site::Site;

/// Makes sure that the name of a bot belongs to an account.
///
/// # Errors
/// When it does not: for others, there is no such bot.
pub(super) fn check_owner(site: &Site, account: &AccountRow, name: &Name) -> Result<()> {
    let owned = site.accounts()?.store.owned(account.id)?;
    match owned.contains(&folded(name.as_str())) {
        true => Ok(()),
        false => Err(Problem::not_found(format!("you have no bot {name}"))),
    }
}

/// Gives all versions of an account's bot another name, which becomes the account's. The old one stays the account's
/// too: records name it, and nobody else is to play under it.
///
/// # Errors
/// When the bot is not the account's, or the new name is somebody's, or nothing can be written.
pub(super) fn rename_own(site: &Site, account: &AccountRow, from: &Name, to: &Name) -> Result<()> {
    check_owner(site, account, from)?;
    let store = &site.accounts()?.store;
    let is_new = !store.owned(account.id)?.contains(&folded(to.as_str()));
    // The account's own former names are free for it, but a bot has one name at a time; and what changes only the case
    // of letters keeps its place.
    let is_like = |name: &Name| name.as_str().eq_ignore_ascii_case(to.as_str());
    let bots = site.arena.read_journal()?.bots()?;
    let has_now = !is_like(from) && bots.iter().any(|bot| is_like(&bot.name));
    if has_now || is_new && is_taken(&site.arena, to.as_str())? {
        return Err(Error::NameTaken(to.to_string()).into());
    }
    store.claim_name(account, to, site.limits.uploads.names)?;
    if let Err(failure) = rename(site.arena.path(), from, to) {
        if is_new {
            store.release_name(account, to)?;
        }
        return Err(failure.into());
    }
    let what = format!("renamed the bot {from} to {to}");
    store.change(|store| note(store, unix_ms(), &account.name, &what))?;
    Ok(())
}

/// Deletes the files of an account's bot: of one version, or of all. Results stay under its name, which stays the
/// account's.
///
/// # Errors
/// When the bot is not the account's or has no file here, a tournament that is not over needs it, or nothing can be
/// written.
pub(super) fn delete_own(site: &Site, account: &AccountRow, bot: &BotRef) -> Result<Vec<Bot>> {
    check_owner(site, account, &bot.name)?;
    let journal = site.arena.read_journal()?;
    journal.bot(bot)?;
    for version in journal.bots()?.iter().filter(|one| bot.fits(one)) {
        refuse_needed(&journal, version)?;
    }
    let deleted = delete(site.arena.path(), bot)?;
    let store = &site.accounts()?.store;
    for bot in &deleted {
        let what = format!("deleted the file of {}", bot.label());
        store.change(|store| note(store, unix_ms(), &account.name, &what))?;
    }
    Ok(deleted)
}
