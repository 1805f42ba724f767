//! From what a page says to an answer: its template, the frame around it, and whether the visitor has it already.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::extract::FromRequestParts;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use flipside_tournament::report::words;
use flipside_tournament::unix_ms;
use sha2::{Digest, Sha256};

use crate::accounts::{Plain, Visitor};
use crate::api;
use crate::assets::{self, Asset};
use crate::cache::{Kept, Made, Slot};
use crate::observe::RequestId;
use crate::problem::{Problem, Result};
use crate::reading::ratings_key;
use crate::site::{Old, Reading, Site};

/// Says whether a newer page is being made: then a script asks again.
pub(crate) const STALE: HeaderName = HeaderName::from_static("x-stale");

/// Bytes of a hash that tells two pages apart.
const TAG_BYTES: usize = 12;

/// A page: a template that knows what stands around it.
pub(crate) trait View: Template {
    /// What the frame says of it.
    fn head(&self) -> Head;
}

/// What the frame says of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    /// Its title, without that of the site.
    pub(crate) title: String,
    /// Which part of the site it belongs to.
    pub(crate) section: Section,
    /// That its parts change: with what is new of this tournament, or of any where that is empty.
    pub(crate) live: Option<String>,
}

/// A part of the site, as the navigation has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Section {
    /// In none of them.
    #[default]
    None,
    Home,
    Tournaments,
    Ratings,
    Bots,
    Games,
    Guides,
    /// Not in the navigation, but beside it.
    Play,
    Submit,
    Account,
}

/// The navigation: where a part is, and what it is called.
const SECTIONS: [(Section, &str, &str); 6] = [
    (Section::Home, "/", "Home"),
    (Section::Tournaments, "/tournaments", "Tournaments"),
    (Section::Ratings, "/ratings", "Ratings"),
    (Section::Bots, "/bots", "Bots"),
    (Section::Games, "/games", "Games"),
    (Section::Guides, "/guides", "Guides"),
];

/// A page that was made, without its frame.
pub(crate) struct Page {
    head: Head,
    body: String,
    tag: Tag,
}

type Tag = [u8; TAG_BYTES];

impl Kept for Page {
    fn bytes(&self) -> usize {
        self.body.len() + self.head.title.len() + size_of::<Self>()
    }
}

impl Page {
    /// Renders a view.
    ///
    /// # Errors
    /// When its template fails.
    pub(crate) fn of(view: &impl View) -> Result<Self> {
        let (head, body) = (view.head(), view.render()?);
        let tag = tag(&[head.title.as_bytes(), body.as_bytes()]);
        Ok(Page { head, body, tag })
    }
}

/// Who asks, and what they have already.
///
/// What differs from visitor to visitor belongs here and in [`Frame`], never in a [`Page`]: pages are kept and shown
/// to all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visit {
    if_none_match: Option<HeaderValue>,
    /// Who has signed in.
    pub(crate) visitor: Option<Arc<Visitor>>,
    /// Whether the site has accounts.
    has_accounts: bool,
}

impl FromRequestParts<Arc<Site>> for Visit {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        site: &Arc<Site>,
    ) -> Result<Self, Self::Rejection> {
        Ok(Visit {
            if_none_match: parts.headers.get(IF_NONE_MATCH).cloned(),
            visitor: parts.extensions.get().cloned(),
            has_accounts: site.accounts.is_some(),
        })
    }
}

/// What stands around every page.
#[derive(Template)]
#[template(path = "frame.html")]
struct Frame<'a> {
    head: &'a Head,
    body: &'a str,
    visitor: Option<&'a Visitor>,
    has_accounts: bool,
    /// The time of a page that is old.
    as_of: Option<String>,
}

impl Frame<'_> {
    fn sections(&self) -> [(Section, &'static str, &'static str); 6] {
        SECTIONS
    }

    fn styles(&self) -> [&'static Asset; 3] {
        assets::styles()
    }

    fn script(&self) -> &'static Asset {
        assets::script()
    }

    fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    problem: &'a Problem,
    request: &'a str,
}

impl View for ProblemPage<'_> {
    fn head(&self) -> Head {
        let reason = self.problem.status.canonical_reason();
        Head {
            title: reason.unwrap_or("Problem").to_owned(),
            ..Head::default()
        }
    }
}

impl Site {
    /// Answers with a page. One that was made and is still true is used again.
    ///
    /// `key` names the page: it must hold all that the page depends on beside the arena.
    pub(crate) async fn page<V: View>(
        self: Arc<Self>,
        visit: Visit,
        key: String,
        make: impl FnOnce(&Reading<'_>) -> Result<V> + Send + 'static,
    ) -> Response {
        let make = move |reading: &Reading<'_>| Page::of(&make(reading)?);
        match self.kept(&format!("page {key}"), make).await {
            Ok((page, as_of)) => {
                let mut response = framed(&visit, &page, as_of.and_then(|as_of| self.told(as_of)));
                let is_stale = as_of.is_some();
                response.headers_mut().insert(STALE, stale(is_stale));
                response
            }
            Err(problem) => problem.into_response(),
        }
    }

    /// What is answered to all; where it is being made anew, since when it is so, in milliseconds since 1970.
    pub(crate) async fn kept<T: Kept>(
        self: &Arc<Self>,
        key: &str,
        make: impl FnOnce(&Reading<'_>) -> Result<T> + Send + 'static,
    ) -> Result<(Arc<T>, Option<u64>)> {
        let slot = self.cache.slot(key);
        let found = slot.found::<T>(self.version());
        let (renewed, making) = match found {
            Some(found) if found.fresh => {
                self.metrics.reused.inc();
                return Ok((found.value, None));
            }
            // What takes long is shown as it was, and made anew meanwhile.
            Some(found) if found.cost > self.limits.made_at_once => {
                self.metrics.reused.inc();
                let was = (found.value, Some(found.as_of));
                if !slot.begin_renewal() {
                    return Ok(was);
                }
                (Some(was), None)
            }
            _ => (None, Some(Arc::clone(&slot.making).lock_owned().await)),
        };
        // Somebody else may have made it while this request waited.
        if let (Some(_), Some(found)) = (&making, slot.found::<T>(self.version()))
            && found.fresh
        {
            self.metrics.reused.inc();
            return Ok((found.value, None));
        }
        self.metrics.made.inc();
        let work = {
            let slot = Arc::clone(&slot);
            move |reading: &Reading<'_>| {
                // Held until the work is done, also if the visitor has gone meanwhile.
                let _making = making;
                reading.old.replace(Some(Old::default()));
                let mut old = Old::default();
                let make = || {
                    let _moment = reading.journal.snapshot()?;
                    let value = make(reading)?;
                    old = reading.old.take().unwrap_or_default();
                    let made = Made {
                        value,
                        saved: reading.saved(),
                        as_of: old.as_of,
                    };
                    Ok((made, reading.version))
                };
                let made = reading.site.cache.make(&slot, make)?;
                Ok((made, old))
            }
        };
        let Some(was) = renewed else {
            let (page, old) = self.read(work).await?;
            self.renew_ratings(old.games);
            return Ok((page, old.as_of));
        };
        self.renew(slot, work);
        Ok(was)
    }

    /// Makes a value anew in the background.
    fn renew<T: Kept>(
        self: &Arc<Self>,
        slot: Arc<Slot>,
        work: impl FnOnce(&Reading<'_>) -> Result<(Arc<T>, Old)> + Send + 'static,
    ) {
        let site = Arc::clone(self);
        tokio::spawn(async move {
            match site.read(work).await {
                Ok((_, old)) => site.renew_ratings(old.games),
                Err(problem) => {
                    tracing::warn!(problem = problem.message, "cannot renew a page");
                    // The next visitor waits for it, and is told why it cannot be made.
                    slot.forget();
                }
            }
            slot.end_renewal();
        });
    }

    /// The time of a page, if it is old.
    fn told(&self, as_of: u64) -> Option<String> {
        let age = Duration::from_millis(unix_ms().saturating_sub(as_of));
        (age >= self.limits.old_page).then(|| words::utc(as_of))
    }

    /// Computes the ratings at these games in the background, one after the other, so that pages are made meanwhile.
    fn renew_ratings(self: &Arc<Self>, games: BTreeSet<String>) {
        let slot = |game: &String| self.cache.slot(&ratings_key(game));
        let games = games.into_iter().map(|game| (slot(&game), game));
        let due: Vec<_> = games.filter(|(slot, _)| slot.begin_renewal()).collect();
        let site = Arc::clone(self);
        tokio::spawn(async move {
            for (slot, game) in due {
                let renewed = site.read(move |reading| reading.ratings(&game).map(drop));
                if let Err(problem) = renewed.await {
                    tracing::warn!(problem = problem.message, "cannot renew ratings");
                    // The next page that shows them is told why they cannot be computed.
                    slot.forget();
                }
                slot.end_renewal();
            }
        });
    }
}

/// The value of [`STALE`].
pub(crate) fn stale(is_stale: bool) -> HeaderValue {
    HeaderValue::from_static(if is_stale { "1" } else { "0" })
}

/// A page in its frame, with its time if it is old; or that the visitor has it.
pub(crate) fn framed(visit: &Visit, page: &Page, as_of: Option<String>) -> Response {
    let frame = Frame {
        as_of,
        ..visit.frame(&page.head, &page.body)
    };
    let who = frame.visitor.map_or("", |visitor| &visitor.account.name);
    let accounts = [u8::from(visit.has_accounts)];
    let build = assets::build().as_bytes();
    let as_of = frame.as_of.as_deref().unwrap_or_default().as_bytes();
    let tag = tag(&[&page.tag, build, &accounts, who.as_bytes(), as_of]);
    let etag = etag(&tag);
    let mut response = match unchanged(visit.if_none_match.as_ref(), &etag) {
        Some(unchanged) => unchanged,
        None => match frame.render() {
            Ok(html) => {
                ([(ETAG, etag), (CACHE_CONTROL, revalidated())], Html(html)).into_response()
            }
            Err(error) => return Problem::internal(&error).into_response(),
        },
    };
    if visit.has_accounts {
        // The frame names who has signed in.
        let headers = response.headers_mut();
        headers.append(VARY, HeaderValue::from_static("cookie"));
        if frame.visitor.is_some() {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        }
    }
    response
}

/// A page for one visitor, which nobody keeps: it may hold secrets.
pub(crate) fn private(visit: &Visit, view: &impl View) -> Response {
    let html = Page::of(view).and_then(|page| Ok(visit.frame(&page.head, &page.body).render()?));
    match html {
        Ok(html) => {
            let mut response = Html(html).into_response();
            response
                .headers_mut()
                .insert(CACHE_CONTROL, kept_by_nobody());
            response
        }
        Err(problem) => problem.into_response(),
    }
}

/// What is for one visitor. Answers with it are not compressed either: how well a page with a secret compresses would
/// tell something about the secret.
pub(crate) fn kept_by_nobody() -> HeaderValue {
    HeaderValue::from_static("private, no-store")
}

/// Whether an answer may be kept by somebody, and so may be compressed.
pub(crate) fn may_be_compressed(headers: &HeaderMap) -> bool {
    let found = headers
        .get(CACHE_CONTROL)
        .and_then(|value| value.to_str().ok());
    found.is_none_or(|text| !text.contains("no-store"))
}

impl Visit {
    fn frame<'a>(&'a self, head: &'a Head, body: &'a str) -> Frame<'a> {
        Frame {
            head,
            body,
            visitor: self.visitor.as_deref(),
            has_accounts: self.has_accounts,
            as_of: None,
        }
    }
}

/// That the visitor has this already.
pub(crate) fn unchanged(has: Option<&HeaderValue>, etag: &HeaderValue) -> Option<Response> {
    let has = has?.to_str().ok()?;
    let is = etag.to_str().ok()?;
    let one = |tag: &str| tag.trim().trim_start_matches("W/") == is.trim_start_matches("W/");
    let is_it = has.trim() == "*" || has.split(',').any(one);
    let mut headers = HeaderMap::new();
    headers.insert(ETAG, etag.clone());
    headers.insert(CACHE_CONTROL, revalidated());
    is_it.then(|| (StatusCode::NOT_MODIFIED, headers).into_response())
}

/// Keep it, and ask each time whether it is still so.
pub(crate) fn revalidated() -> HeaderValue {
    HeaderValue::from_static("no-cache")
}

/// A hash of all parts.
pub(crate) fn tag(parts: &[&[u8]]) -> Tag {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut tag = Tag::default();
    tag.copy_from_slice(&hash.finalize()[..TAG_BYTES]);
    tag
}

/// It is weak, since the same page is sent compressed, too.
pub(crate) fn etag(tag: &Tag) -> HeaderValue {
    let text = format!("W/\"{}\"", hex::encode(tag));
    HeaderValue::from_str(&text).expect("hexadecimal digits are a header")
}

/// Says in an answer's extensions that it is an error page already.
#[derive(Clone, Copy)]
pub(crate) struct Told;

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        // The page is made further out, where the number of the request is known.
        let mut response = self.status.into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

/// Makes a page of an answer that is an error, whoever gave it.
pub(crate) fn with_error_page(
    site: &Site,
    response: Response,
    id: &RequestId,
    path: &str,
) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || response.extensions().get::<Told>().is_some() {
        return response;
    }
    let problem = response.extensions().get::<Arc<Problem>>();
    let problem = problem.map_or_else(|| Problem::of_status(status), |known| (**known).clone());
    let view = ProblemPage {
        problem: &problem,
        request: id.as_str(),
    };
    let visit = Visit {
        if_none_match: None,
        visitor: response.extensions().get().cloned(),
        has_accounts: site.accounts.is_some(),
    };
    let is_plain = response.extensions().get::<Plain>().is_some();
    let (content_type, text) = if api::is_address(path) {
        let text = api::problem_document(&problem, id.as_str());
        ("application/problem+json", Ok(text))
    } else if is_plain {
        ("text/plain; charset=utf-8", Ok(problem.text(id.as_str())))
    } else {
        let framed = |page: Page| Ok(visit.frame(&page.head, &page.body).render()?);
        ("text/html; charset=utf-8", Page::of(&view).and_then(framed))
    };
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(axum::http::header::CONTENT_LENGTH);
    parts
        .headers
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    parts
        .headers
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    parts.extensions.insert(Told);
    Response::from_parts(parts, text.unwrap_or(problem.message).into())
}
