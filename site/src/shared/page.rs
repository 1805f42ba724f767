//! From what a page says to an answer: its template, the frame around it, and whether the visitor has it already.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use flipside_store::unix_ms;

use super::answer_headers::{Tag, etag, kept_by_nobody, kept_by_one, marked, revalidated, tag};
use super::assets::logo::SiteLogo;
use super::assets::{self, Asset};
use super::cache::{FreshValue, Slot, Weigh};
use super::forms::refill::filled;
use super::pictures::card::{HEIGHT, WIDTH};
use super::problem::{Problem, Result};
use super::request_id::RequestId;
use super::times::When;
use crate::accounts::settings::SiteUrl;
use crate::accounts::visitor::AccountVisitor;
use crate::site::{ReadContext, Site, StaleRatings};

/// What a browser fetches something for.
const FETCHED_FOR: &str = "sec-fetch-dest";

/// Routes of the site, before it is known which one.
pub(crate) type Routes = Router<Arc<Site>>;

/// A page: a template that knows what stands around it.
pub(crate) trait PageView: Template {
    /// What the frame says of it.
    fn head(&self) -> PageHead;
}

/// What the frame says of a page.
#[derive(Clone, Debug)]
pub(crate) struct PageHead {
    /// Its title, without that of the site.
    pub(crate) title: String,
    /// Which part of the site it belongs to.
    pub(crate) section: Section,
    /// That its parts change: with what is new of this tournament, or of any where that is empty.
    pub(crate) live: Option<String>,
    /// Where organisers change what it shows.
    pub(crate) manage: Option<String>,
    /// What is said of it beside a link; nothing: what is said of the site.
    about: Option<String>,
    /// What is shown beside a link to it; nothing: the picture of the site.
    picture: Option<SharedPicture>,
}

/// A picture that others show beside a link to a page.
#[derive(Clone, Debug)]
pub(crate) struct SharedPicture {
    /// Where it is on this site.
    pub(crate) path: String,
    /// What is on it, in words.
    pub(crate) alt: String,
}

/// Where the picture of the site is.
pub(crate) const SITE_PICTURE: &str = "/card.png";

impl PageHead {
    /// That of a page whose parts do not change.
    pub(crate) fn new(title: impl Into<String>, section: Section) -> Self {
        PageHead {
            title: title.into(),
            section,
            live: None,
            manage: None,
            about: None,
            picture: None,
        }
    }

    /// The same with what is said of it beside a link.
    #[must_use]
    pub(crate) fn about(mut self, words: impl Into<String>) -> Self {
        self.about = Some(words.into());
        self
    }

    /// The same with a picture that others show beside a link.
    #[must_use]
    pub(crate) fn pictured(mut self, picture: SharedPicture) -> Self {
        self.picture = Some(picture);
        self
    }

    /// The same where they change with what is new of this tournament, or of any where that is empty.
    #[must_use]
    pub(crate) fn live(mut self, tournament: impl Into<String>) -> Self {
        self.live = Some(tournament.into());
        self
    }

    /// The same where organisers can change what it shows, at this address.
    #[must_use]
    pub(crate) fn managed(mut self, address: impl Into<String>) -> Self {
        self.manage = Some(address.into());
        self
    }
}

/// A part of the site, as the navigation has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// In none of them.
    None,
    Home,
    Tournaments,
    Leagues,
    Matches,
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
const SECTIONS: [(Section, &str, &str); 8] = [
    (Section::Home, "/", "Home"),
    (Section::Tournaments, "/tournaments", "Tournaments"),
    (Section::Leagues, "/leagues", "Leagues"),
    (Section::Matches, "/matches", "Matches"),
    (Section::Ratings, "/ratings", "Ratings"),
    (Section::Bots, "/bots", "Bots"),
    (Section::Games, "/games", "Games"),
    (Section::Guides, "/guides", "Guides"),
];

/// A page that was made, without its frame.
pub(crate) struct Page {
    head: PageHead,
    body: String,
    tag: Tag,
}

impl Weigh for Page {
    fn bytes(&self) -> usize {
        self.body.len() + self.head.title.len() + size_of::<Self>()
    }
}

impl Page {
    /// Renders a view.
    ///
    /// # Errors
    /// When its template fails.
    pub(crate) fn of(view: &impl PageView) -> Result<Self> {
        let (head, body) = (view.head(), view.render()?);
        let about = head.about.as_deref().unwrap_or_default();
        let tag = tag(&[head.title.as_bytes(), about.as_bytes(), body.as_bytes()]);
        Ok(Page { head, body, tag })
    }
}

/// A request for a page: of which site, who asks, and what they have already.
///
/// What differs from visitor to visitor belongs here and in [`Frame`], never in a [`Page`]: pages are kept and shown
/// to all.
pub(crate) struct Visit {
    pub(crate) site: Arc<Site>,
    /// Who has signed in.
    pub(crate) visitor: Option<Arc<AccountVisitor>>,
    /// The path of the page.
    path: String,
    if_none_match: Option<HeaderValue>,
    /// Whether somebody goes to the page. Scripts fetch pages to renew their parts.
    is_navigation: bool,
}

impl FromRequestParts<Arc<Site>> for Visit {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        site: &Arc<Site>,
    ) -> Result<Self, Self::Rejection> {
        Ok(Visit::of(parts, site))
    }
}

/// Says in an answer's extensions that a script asked, which reads text better than pages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantsPlainText;

/// What stands around every page.
#[derive(Template)]
#[template(path = "frame.html")]
struct Frame<'a> {
    head: &'a PageHead,
    body: &'a str,
    visitor: Option<&'a AccountVisitor>,
    has_accounts: bool,
    has_leagues: bool,
    /// The time of a page that is old.
    as_of: Option<When>,
    /// What the visitor has just done.
    done: Option<String>,
    /// What the site is called, and the line about it.
    site_title: &'a str,
    logo: Option<&'a SiteLogo>,
    about: &'a str,
    /// The address of the site, where it is known, and the path of the page.
    origin: Option<&'a str>,
    path: &'a str,
}

impl Frame<'_> {
    /// What is said of the page beside a link.
    fn description(&self) -> &str {
        self.head.about.as_deref().unwrap_or(self.about)
    }

    /// What is shown beside a link. Others need its whole address.
    fn picture(&self) -> Option<(String, String)> {
        let origin = self.origin?;
        let picture = match &self.head.picture {
            Some(picture) => picture.clone(),
            None if self.logo.is_some() => return None,
            None => SharedPicture {
                path: SITE_PICTURE.to_owned(),
                alt: self.site_title.to_owned(),
            },
        };
        Some((format!("{origin}{}", picture.path), picture.alt))
    }

    /// The parts of the site that it has.
    fn sections(&self) -> impl Iterator<Item = (Section, &'static str, &'static str)> {
        let is_there = |section: &Section| *section != Section::Leagues || self.has_leagues;
        SECTIONS
            .into_iter()
            .filter(move |(section, ..)| is_there(section))
    }

    /// Where the visitor can change what the page shows.
    fn manage(&self) -> Option<&str> {
        let is_organiser = self.visitor.is_some_and(AccountVisitor::is_organiser);
        self.head.manage.as_deref().filter(|_| is_organiser)
    }

    fn styles(&self) -> [&'static Asset; 3] {
        assets::styles()
    }

    fn script(&self) -> &'static Asset {
        assets::script()
    }

    /// Where the picture beside the name of the site is, and what kind it is.
    fn mark(&self) -> (String, &'static str) {
        match self.logo {
            Some(logo) => (logo.address(), logo.content_type()),
            None => (assets::mark().address(), "image/svg+xml"),
        }
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

impl PageView for ProblemPage<'_> {
    fn head(&self) -> PageHead {
        PageHead::new(self.problem.title(), Section::None)
    }
}

impl Visit {
    pub(crate) fn of(parts: &Parts, site: &Arc<Site>) -> Self {
        Visit {
            site: Arc::clone(site),
            visitor: parts.extensions.get().cloned(),
            path: parts.uri.path().to_owned(),
            if_none_match: parts.headers.get(IF_NONE_MATCH).cloned(),
            // Browsers say so; other clients are no scripts of ours.
            is_navigation: parts
                .headers
                .get(FETCHED_FOR)
                .is_none_or(|what| what == "document"),
        }
    }

    /// Answers with a page. One that was made and is still true is used again.
    ///
    /// `key` names the page: it must hold all that the page depends on beside the arena.
    ///
    /// # Errors
    /// What `make` fails with.
    pub(crate) async fn page<V: PageView>(
        self,
        key: impl Display,
        make: impl FnOnce(&ReadContext<'_>) -> Result<V> + Send + 'static,
    ) -> Result<Response> {
        let make = move |reading: &ReadContext<'_>| Page::of(&make(reading)?);
        let (page, as_of) = self.site.kept(&format!("page {key}"), make).await?;
        let told = as_of.and_then(|as_of| self.site.told(as_of));
        Ok(marked(self.framed(&page, told)?, as_of))
    }

    /// A page in its frame, with its time if it is old; or that the visitor has it.
    ///
    /// # Errors
    /// When the template of the frame fails.
    pub(crate) fn framed(&self, page: &Page, as_of: Option<When>) -> Result<Response> {
        let frame = Frame {
            as_of,
            ..self.frame(&page.head, &page.body)
        };
        let who = frame.visitor.map_or("", |visitor| &visitor.account.name);
        let accounts = [frame.has_accounts, frame.has_leagues].map(u8::from);
        let build = assets::build().as_bytes();
        let as_of = frame.as_of.as_ref().map_or("", When::rfc).as_bytes();
        let (mark, _) = frame.mark();
        let manage = frame.manage().unwrap_or_default();
        let origin = frame.origin.unwrap_or_default();
        let around = [who, frame.site_title, frame.about, &mark, manage, origin].join("\n");
        let etag = etag(&tag(&[
            &page.tag,
            build,
            &accounts,
            around.as_bytes(),
            as_of,
        ]));
        if frame.done.is_some() {
            let headers = [(CACHE_CONTROL, kept_by_nobody())];
            return Ok((headers, Html(frame.render()?)).into_response());
        }
        let mut response = match self.unchanged(&etag) {
            Some(unchanged) => unchanged,
            None => {
                let headers = [(ETAG, etag), (CACHE_CONTROL, revalidated())];
                (headers, Html(frame.render()?)).into_response()
            }
        };
        if frame.has_accounts {
            // The frame names who has signed in.
            let headers = response.headers_mut();
            headers.append(VARY, HeaderValue::from_static("cookie"));
            if frame.visitor.is_some() {
                headers.insert(CACHE_CONTROL, kept_by_one());
            }
        }
        Ok(response)
    }

    /// A page for one visitor, which nobody keeps: it may hold secrets.
    ///
    /// # Errors
    /// When a template fails.
    pub(crate) fn private(&self, view: &impl PageView) -> Result<Response> {
        let html = self.unkept(view)?;
        Ok(([(CACHE_CONTROL, kept_by_nobody())], Html(html)).into_response())
    }

    /// The same with the form of this address as it was sent.
    ///
    /// # Errors
    /// When a template fails.
    pub(crate) fn private_filled(
        &self,
        view: &impl PageView,
        action: &str,
        sent: &[(String, String)],
    ) -> Result<Response> {
        let html = filled(self.unkept(view)?, action, sent);
        Ok(([(CACHE_CONTROL, kept_by_nobody())], Html(html)).into_response())
    }

    /// A page in its frame that is made for this visit.
    fn unkept(&self, view: &impl PageView) -> Result<String> {
        let page = Page::of(view)?;
        Ok(self.frame(&page.head, &page.body).render()?)
    }

    /// That the visitor has this already.
    pub(crate) fn unchanged(&self, etag: &HeaderValue) -> Option<Response> {
        let has = self.if_none_match.as_ref()?.to_str().ok()?;
        let is = etag.to_str().ok()?;
        let one = |tag: &str| tag.trim().trim_start_matches("W/") == is.trim_start_matches("W/");
        let is_it = has.trim() == "*" || has.split(',').any(one);
        let headers = [(ETAG, etag.clone()), (CACHE_CONTROL, revalidated())];
        is_it.then(|| (StatusCode::NOT_MODIFIED, headers).into_response())
    }

    /// What the visitor has just done and has not been told yet.
    fn done(&self) -> Option<String> {
        let visitor = self.visitor.as_deref().filter(|_| self.is_navigation)?;
        self.site.notices.take(visitor)
    }

    fn frame<'a>(&'a self, head: &'a PageHead, body: &'a str) -> Frame<'a> {
        Frame {
            head,
            body,
            visitor: self.visitor.as_deref(),
            has_accounts: self.site.accounts.is_some(),
            has_leagues: (self.site.accounts.as_ref())
                .is_some_and(|accounts| accounts.leagues.has_some()),
            as_of: None,
            done: self.done(),
            site_title: self.site.settings.site_title(),
            logo: self.site.settings.logo.as_ref(),
            about: self.site.settings.site_about(),
            origin: self.site.settings.url.as_ref().map(SiteUrl::origin),
            path: &self.path,
        }
    }
}

impl Site {
    /// What is answered to all; where it is being made anew, since when it is so, in milliseconds since 1970.
    pub(crate) async fn kept<T: Weigh>(
        self: &Arc<Self>,
        key: &str,
        make: impl FnOnce(&ReadContext<'_>) -> Result<T> + Send + 'static,
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
            move |reading: &ReadContext<'_>| {
                // Held until the work is done, also if the visitor has gone meanwhile.
                let _making = making;
                reading.old.replace(Some(StaleRatings::default()));
                let mut old = StaleRatings::default();
                let make = || {
                    let _moment = reading.journal.snapshot()?;
                    let value = make(reading)?;
                    old = reading.old.take().unwrap_or_default();
                    let made = FreshValue {
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
    fn renew<T: Weigh>(
        self: &Arc<Self>,
        slot: Arc<Slot>,
        work: impl FnOnce(&ReadContext<'_>) -> Result<(Arc<T>, StaleRatings)> + Send + 'static,
    ) {
        let site = Arc::clone(self);
        tokio::spawn(async move {
            match site.read(work).await {
                Ok((_, old)) => site.renew_ratings(old.games),
                Err(problem) => {
                    tracing::warn!(problem = problem.message, "cannot renew a page");
                    // The next visitor waits for it, and is told why it cannot be made.
                    site.cache.forget(&slot);
                }
            }
            slot.end_renewal();
        });
    }

    /// The time of a page, if it is old.
    fn told(&self, as_of: u64) -> Option<When> {
        let age = Duration::from_millis(unix_ms().saturating_sub(as_of));
        (age >= self.limits.old_page).then(|| When::at(as_of))
    }
}

/// Says in an answer's extensions that it is an error page already.
#[derive(Clone, Copy)]
pub(crate) struct RenderedError;

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
    site: &Arc<Site>,
    response: Response,
    id: &RequestId,
    path: &str,
) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || response.extensions().get::<RenderedError>().is_some() {
        return response;
    }
    let problem = response.extensions().get::<Arc<Problem>>();
    let problem = problem.map_or_else(|| Problem::of_status(status), |known| (**known).clone());
    let view = ProblemPage {
        problem: &problem,
        request: id.as_str(),
    };
    let visit = Visit {
        site: Arc::clone(site),
        visitor: response.extensions().get().cloned(),
        path: path.to_owned(),
        if_none_match: None,
        is_navigation: true,
    };
    let is_plain = response.extensions().get::<WantsPlainText>().is_some();
    let (content_type, text) = if super::problem::is_address(path) {
        let text = super::problem::problem_document(&problem, id.as_str());
        ("application/problem+json", Ok(text))
    } else if is_plain {
        ("text/plain; charset=utf-8", Ok(problem.text(id.as_str())))
    } else {
        ("text/html; charset=utf-8", visit.unkept(&view))
    };
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(axum::http::header::CONTENT_LENGTH);
    for (name, value) in [(CONTENT_TYPE, content_type), (CACHE_CONTROL, "no-store")] {
        parts.headers.insert(name, HeaderValue::from_static(value));
    }
    parts.extensions.insert(RenderedError);
    Response::from_parts(parts, text.unwrap_or(problem.message).into())
}
