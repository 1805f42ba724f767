//! Who calls the API: a session of a browser may read, and only a token may write. A browser adds a cookie by itself,
//! also to requests that its person knows nothing of; nobody but the script adds a token.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::visitor::{AccountVisitor, not_signed_in};
use crate::shared::problem::{Problem, Result};
use crate::site::Site;

/// A handler that takes this reads what is for accounts.
pub(crate) struct Caller(pub(crate) Arc<Site>, pub(crate) Arc<AccountVisitor>);

/// A handler that takes this writes.
pub(crate) struct Bearer(pub(crate) Arc<Site>, pub(crate) Arc<AccountVisitor>);

impl FromRequestParts<Arc<Site>> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self> {
        site.accounts()?;
        let visitor = parts.extensions.get::<Arc<AccountVisitor>>();
        let visitor = visitor.ok_or_else(not_signed_in)?;
        Ok(Caller(Arc::clone(site), Arc::clone(visitor)))
    }
}

impl FromRequestParts<Arc<Site>> for Bearer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self> {
        let Caller(site, visitor) = Caller::from_request_parts(parts, site).await?;
        if visitor.session().is_some() {
            let problem = Problem::forbidden("this address needs a token");
            return Err(problem.hint("send your token: Authorization: Bearer TOKEN"));
        }
        Ok(Bearer(site, visitor))
    }
}
