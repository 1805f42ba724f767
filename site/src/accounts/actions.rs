//! What organisers do with accounts: inviting, disabling.

use std::sync::Arc;

use axum::http::StatusCode;
use flipside_store::unix_ms;
use flipside_tournament::{BotRef, Name, NameError};

use super::people::{Invite, invite_by};
use super::settings::SiteUrl;
use super::visitor::{AccountVisitor, refuse_authors};
use crate::shared::problem::{Problem, Result};
use crate::shared::store::AccountStore;
use crate::site::{ReadContext, Site};

/// How many days an invitation lasts.
const INVITATION_DAYS: u32 = 7;

/// The most accounts of an invitation.
pub(super) const MAX_USES: u32 = 1_000;

/// Makes an invitation, and returns its address. `origin` is where the request has found the site, if that is known.
pub(crate) async fn invite(
    site: &Arc<Site>,
    by: &Arc<AccountVisitor>,
    uses: u32,
    organiser: bool,
    origin: Option<&str>,
) -> Result<String> {
    refuse_authors(by)?;
    if !(1..=MAX_USES).contains(&uses) {
        let message = format!("an invitation is for 1 to {MAX_USES} accounts");
        return Err(Problem::unfit(message).at("uses"));
    }
    let asked = Invite {
        organiser,
        uses,
        days: INVITATION_DAYS,
    };
    let by = Arc::clone(by);
    let path = site
        .stored(move |store| invite_by(store, asked, Some(&by.account)))
        .await?;
    Ok(format!("{}{path}", site_address(site, origin)))
}

/// Where browsers find the site: `origin` is where a request has found it. Empty if nobody knows.
pub(super) fn site_address(site: &Site, origin: Option<&str>) -> String {
    let known = site.settings.url.as_ref().map(SiteUrl::origin);
    known.or(origin).unwrap_or_default().to_owned()
}

/// Disables an account, or lets it go on.
pub(crate) async fn disable(
    site: &Arc<Site>,
    by: &Arc<AccountVisitor>,
    account: String,
    is_disabled: bool,
) -> Result<()> {
    refuse_authors(by)?;
    // Otherwise nobody might be left who could undo it.
    if account.eq_ignore_ascii_case(&by.account.name) {
        return Err(Problem::new(
            StatusCode::CONFLICT,
            "you cannot disable your own account",
        ));
    }
    let by = Arc::clone(by);
    site.stored(move |store| store.disable(&account, is_disabled, &by.account, unix_ms()))
        .await
}

/// Revokes an invitation.
pub(super) async fn revoke(site: &Arc<Site>, by: &Arc<AccountVisitor>, id: String) -> Result<()> {
    refuse_authors(by)?;
    let by = Arc::clone(by);
    let revoke = move |store: &AccountStore| store.revoke(&id, &by.account, unix_ms());
    match site.stored(revoke).await? {
        true => Ok(()),
        false => Err(Problem::not_found(
            "this invitation is used up or revoked already",
        )),
    }
}

/// Gives a bot to an account: what it submits under this name is the next version. Gives the name of the account.
pub(super) async fn give_bot(
    site: &Arc<Site>,
    by: &Arc<AccountVisitor>,
    bot: &str,
    account: String,
) -> Result<(Name, String)> {
    refuse_authors(by)?;
    let unfit = |error: NameError| Problem::unfit(error.to_string()).at("bot");
    let bot: Name = bot.trim().parse().map_err(unfit)?;
    let wanted = BotRef {
        name: bot.clone(),
        version: None,
    };
    let known = move |reading: &ReadContext<'_>| Ok(reading.journal.bot(&wanted)?.name);
    let found = site.read(known).await;
    let bot = found.map_err(|problem| problem.at("bot"))?;
    let (named, by) = (bot.clone(), Arc::clone(by));
    let give =
        move |store: &AccountStore| store.give_name(&named, account.trim(), &by.account, unix_ms());
    let given = site.stored(give).await;
    Ok((bot, given.map_err(|problem| problem.at("account"))?))
}
