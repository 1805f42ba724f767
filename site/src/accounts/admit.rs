//! The door: how often somebody may ask, who it is, and whether a request that changes something came from our pages.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flipside_store::unix_ms;

use super::settings::SiteUrl;
use super::visitor::{AccountVisitor, shown_session};
use crate::shared::page::WantsPlainText;
use crate::shared::problem::{Problem, Result};
use crate::shared::rates::RateAddress;
use crate::site::Site;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Around all routes.
pub(crate) async fn admit(
    State(site): State<Arc<Site>>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_script = shown_token(request.headers()).is_some();
    let mut response = match let_in(&site, &mut request).await {
        Ok(visitor) => {
            let mut response = next.run(request).await;
            if let Some(visitor) = visitor {
                response.extensions_mut().insert(visitor);
            }
            response
        }
        Err(problem) => problem.into_response(),
    };
    if is_script {
        response.extensions_mut().insert(WantsPlainText);
    }
    response
}

async fn let_in(site: &Arc<Site>, request: &mut Request) -> Result<Option<Arc<AccountVisitor>>> {
    let address = RateAddress::of_request(request, site.settings.behind_proxy);
    request.extensions_mut().insert(address);
    site.rates.request(address)?;
    if site.accounts.is_none() || request.uri().path().starts_with("/assets/") {
        return Ok(None);
    }
    let headers = request.headers();
    let visitor = match shown_token(headers) {
        Some(token) => Some(with_token(site, token.to_owned(), address).await?),
        None => {
            let session = with_session(site, headers).await?;
            // Who is nobody is told by the API that it needs a token.
            let is_told =
                session.is_none() && crate::shared::problem::is_address(request.uri().path());
            if !is_safe(request.method()) && !is_told {
                refuse_other_sites(headers, site.settings.url.as_ref())?;
            }
            session
        }
    };
    let Some(visitor) = visitor.map(Arc::new) else {
        return Ok(None);
    };
    site.rates.request_of(visitor.account.id)?;
    request.extensions_mut().insert(Arc::clone(&visitor));
    Ok(Some(visitor))
}

/// Whether requests of this method change nothing.
fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// The token that a request shows. What a proxy asks for in the same header, such as a password, is not for us.
fn shown_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

async fn with_token(
    site: &Arc<Site>,
    token: String,
    address: RateAddress,
) -> Result<AccountVisitor> {
    let found = site.stored(move |store| store.by_token(&token)).await?;
    match found {
        Some(account) => Ok(AccountVisitor::with_token(account)),
        None => {
            // Who tries tokens may do so as often here as in the form.
            site.rates.sign_in(address)?;
            Err(
                Problem::new(StatusCode::UNAUTHORIZED, "this token is not valid").hint(
                    "send the token that you were shown when you signed up: Authorization: Bearer TOKEN",
                ),
            )
        }
    }
}

async fn with_session(site: &Arc<Site>, headers: &HeaderMap) -> Result<Option<AccountVisitor>> {
    let Some(secret) = shown_session(headers, site.settings.url.as_ref()) else {
        return Ok(None);
    };
    let secret = secret.to_owned();
    let found = site.stored(move |store| {
        let account = store.by_session(&secret, unix_ms())?;
        Ok(account.map(|account| AccountVisitor::with_session(account, &secret)))
    });
    found.await
}

/// Refuses a request that a page of another site made a browser send.
fn refuse_other_sites(headers: &HeaderMap, url: Option<&SiteUrl>) -> Result<()> {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_ours = match (headers.get(ORIGIN), text(&ORIGIN)) {
        (Some(_), None) => false,
        (_, Some(origin)) => match (url, text(&HOST)) {
            (Some(url), _) => origin.eq_ignore_ascii_case(url.origin()),
            (None, Some(host)) => ["http://", "https://"].iter().any(|scheme| {
                let found = origin.strip_prefix(scheme);
                found.is_some_and(|found| found.eq_ignore_ascii_case(host))
            }),
            (None, None) => false,
        },
        (None, None) => text(&SEC_FETCH_SITE) == Some("same-origin"),
    };
    if is_ours {
        return Ok(());
    }
    let problem = Problem::forbidden("this request does not come from a page of this site");
    Err(match url {
        Some(url) => problem.hint(format!("open {url} and send the form there")),
        None => problem.hint("behind a proxy, the organiser passes the site's address with --url"),
    }
    .hint("a script sends its token: Authorization: Bearer TOKEN"))
}
