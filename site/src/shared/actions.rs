//! What the actions of all features have in common: the log, and what somebody typed.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::Redirect;
use flipside_store::unix_ms;
use flipside_tournament::ChangeReason;

use super::problem::{Problem, Result};
use super::store::audit_log::note;
use crate::accounts::visitor::AccountVisitor;
use crate::site::Site;

/// The longest description of a tournament or a league, in bytes.
pub(crate) const MAX_DESCRIPTION: usize = 32 << 10;

/// Does something for the account of this name on a thread that may wait, and writes what was done into the log. Both
/// happen whether or not the visitor still waits for the answer.
pub(crate) async fn logged<T: Send + 'static>(
    site: &Arc<Site>,
    by: &str,
    act: impl FnOnce(&Site) -> Result<(T, Vec<String>)> + Send + 'static,
) -> Result<T> {
    let by = by.to_owned();
    site.wait_for(move |site| {
        let (done, all) = act(site)?;
        let store = &site.accounts()?.store;
        store.change(|store| {
            let write = |what: &String| note(store, unix_ms(), &by, what);
            all.iter().try_for_each(write)
        })?;
        Ok(done)
    })
    .await
}

/// Makes sure that a description of a tournament or a league is not too long.
pub(crate) fn refuse_long(toml: &str) -> Result<()> {
    match toml.len() <= MAX_DESCRIPTION {
        true => Ok(()),
        false => {
            let message = format!("a description has at most {MAX_DESCRIPTION} bytes");
            Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message).at("toml"))
        }
    }
}

/// A reason that somebody has typed, or none.
pub(crate) fn reason(text: &str) -> Result<Option<ChangeReason>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let reason = text.parse().map(Some);
    reason.map_err(|error| Problem::unfit(format!("the reason: {error}")).at("reason"))
}

/// Leads from a form to a page, which says what was done: a whole sentence.
pub(crate) fn done(
    site: &Site,
    visitor: &AccountVisitor,
    what: impl Into<String>,
    to: &str,
) -> Redirect {
    site.notices.tell(visitor, what.into());
    Redirect::to(to)
}
