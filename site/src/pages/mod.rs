//! The pages, one file each: a route, a struct that says what the page says, and how it is made.

mod home;

use std::sync::Arc;

use axum::Router;

use crate::Site;

/// All pages.
pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new().merge(home::routes())
}
