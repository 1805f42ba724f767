//! What organisers do with accounts: inviting, disabling.

use std::sync::Arc;

use axum::http::StatusCode;
use flipside_store::unix_ms;

use super::people::{Invite, invite_by};
use super::visitor::{AccountVisitor, refuse_authors};
use crate::shared::problem::{Problem, Result};
use crate::site::Site;

/// How many days an invitation lasts.
const INVITATION_DAYS: u32 = 7;

/// The most accounts of an invitation.
pub(super) const MAX_USES: u32 = 1_000;

/// Makes an invitation, and returns its address; its path where the site does not know its own address.
pub(crate) async fn invite(
    site: &Arc<Site>,
    by: &Arc<AccountVisitor>,
    uses: u32,
    organiser: bool,
) -> Result<String> {
    refuse_authors(by)?;
    if !(1..=MAX_USES).contains(&uses) {
        let message = format!("an invitation is for 1 to {MAX_USES} accounts");
        return Err(Problem::unfit(message));
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
    let origin = site.settings.url.as_ref().map_or("", |url| url.origin());
    Ok(format!("{origin}{path}"))
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
