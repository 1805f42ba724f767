//! Who plays: an account, or a guest, whose browser keeps a secret for it.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::SET_COOKIE;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;

use super::session::MatchOwner;
use crate::accounts::posted::checked_form;
use crate::accounts::secret::{Secret, hash_of};
use crate::accounts::signed_in::SignedIn;
use crate::accounts::visitor::{AccountVisitor, check_word, guest_cookie, shown_guest, word_of};
use crate::shared::page::Visit;
use crate::shared::problem::{Problem, Result};
use crate::site::Site;

/// Somebody who plays.
pub(super) enum PlayVisitor {
    Account {
        visitor: Arc<AccountVisitor>,
        /// The guest that the same browser was before, if it was one.
        before: Option<MatchOwner>,
    },
    Guest {
        secret: String,
        owner: MatchOwner,
        /// The cookie with the secret, for a browser that has none yet.
        cookie: Option<HeaderValue>,
    },
}

/// A handler that takes this is for those who may play.
pub(super) struct Player(pub(super) Visit, pub(super) PlayVisitor);

/// The form of somebody who may play, sent from one of our pages.
pub(super) struct PlayerForm<T>(pub(super) Arc<Site>, pub(super) PlayVisitor, pub(super) T);

impl PlayVisitor {
    /// Whose the matches are that it begins.
    pub(super) fn owner(&self) -> MatchOwner {
        match self {
            PlayVisitor::Account { visitor, .. } => MatchOwner::Account(visitor.account.id),
            PlayVisitor::Guest { owner, .. } => *owner,
        }
    }

    /// Whose the matches are that it plays: who signs in goes on with what the guest has begun.
    pub(super) fn owners(&self) -> Vec<MatchOwner> {
        let before = match self {
            PlayVisitor::Account { before, .. } => *before,
            PlayVisitor::Guest { .. } => None,
        };
        before.into_iter().chain([self.owner()]).collect()
    }

    pub(super) fn is_guest(&self) -> bool {
        matches!(self, PlayVisitor::Guest { .. })
    }

    /// What its forms hold.
    pub(super) fn form_word(&self) -> String {
        match self {
            PlayVisitor::Account { visitor, .. } => visitor.form_word(),
            PlayVisitor::Guest { secret, .. } => word_of(secret),
        }
    }

    /// Makes sure that a form came from one of our pages.
    fn check_form(&self, word: &str) -> Result<()> {
        match self {
            PlayVisitor::Account { visitor, .. } => visitor.check_form(word),
            PlayVisitor::Guest { secret, .. } => check_word(secret, word),
        }
    }

    /// Lets a new guest's browser keep its secret.
    pub(super) fn with_cookie(self, mut response: Response) -> Response {
        if let PlayVisitor::Guest {
            cookie: Some(cookie),
            ..
        } = self
        {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        response
    }

    /// The guest with this secret; nothing where a text is none.
    fn guest(secret: &str, cookie: Option<HeaderValue>) -> Option<Self> {
        Some(PlayVisitor::Guest {
            owner: MatchOwner::Guest(hash_of(secret)?),
            secret: secret.to_owned(),
            cookie,
        })
    }
}

impl FromRequestParts<Arc<Site>> for Player {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Response> {
        let visit = Visit::of(parts, site);
        if visit.visitor.is_some() || !site.takes_guests() {
            let SignedIn(visit, visitor) = SignedIn::from_request_parts(parts, site).await?;
            let guest = shown_guest(&parts.headers, site.settings.url.as_ref());
            let before = guest.and_then(hash_of).map(MatchOwner::Guest);
            return Ok(Player(visit, PlayVisitor::Account { visitor, before }));
        }
        let url = site.settings.url.as_ref();
        let known = shown_guest(&parts.headers, url);
        if let Some(guest) = known.and_then(|secret| PlayVisitor::guest(secret, None)) {
            return Ok(Player(visit, guest));
        }
        if !matches!(parts.method, Method::GET | Method::HEAD) {
            let problem = Problem::forbidden("this browser has sent no cookie of this site");
            let hint =
                "allow cookies of this site, open the page Play again, and send the form once more";
            return Err(problem.hint(hint).into_response());
        }
        let secret = Secret::new().map_err(|error| Problem::internal(&error).into_response())?;
        let cookie = guest_cookie(url, secret.as_str());
        let guest = PlayVisitor::guest(secret.as_str(), Some(cookie));
        Ok(Player(visit, guest.expect("a new secret is one")))
    }
}

impl<T: DeserializeOwned> FromRequest<Arc<Site>> for PlayerForm<T> {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let Player(visit, visitor) = Player::from_request_parts(&mut parts, site).await?;
        let request = Request::from_parts(parts, body);
        let form = checked_form(request, site, |word| visitor.check_form(word)).await?;
        Ok(PlayerForm(visit.site, visitor, form))
    }
}
