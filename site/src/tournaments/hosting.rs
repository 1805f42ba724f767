//! What asks the host for something.

use std::sync::Arc;

use flipside_operations::Result as Outcome;

use super::host::state::Host;
use crate::shared::problem::Result;
use crate::site::Site;

/// The host of a site that has accounts.
pub(crate) fn host(site: &Site) -> Result<&Host> {
    Ok(&site.accounts()?.host)
}

/// Asks the host for something, on a thread that may wait.
pub(crate) async fn hosted_by<T: Send + 'static>(
    site: &Arc<Site>,
    ask: impl FnOnce(&Host) -> Outcome<T> + Send + 'static,
) -> Result<T> {
    site.wait_for(|site| Ok(ask(host(site)?)?)).await
}
