//! Forms that are refused. Whatever page a form stands on and whatever it is about, it is shown again as it was sent,
//! with the message at its field: the answer to it is its page, filled in anew.
//!
//! What refuses it says only what is wrong and at which field ([`Problem::at`]).

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, Multipart, Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, ETAG, RETRY_AFTER, VARY};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use futures_util::StreamExt;
use tower::ServiceExt;

use self::refill::{RefusedForm, refilled};
use super::answer_headers::kept_by_nobody;
use super::page::RenderedError;
use super::problem::{Problem, is_address};
use super::rates::RateAddress;
use super::request_id::RequestId;
use super::threads::locked;
use crate::accounts::visitor::AccountVisitor;
use crate::site::Site;

pub(crate) mod refill;
pub(crate) mod tags;

/// How much of a form is kept while it is read, in bytes: all fields but a file.
const KEPT: usize = 256 << 10;

/// The longest page that is filled in again, in bytes.
const MAX_PAGE: usize = 4 << 20;

/// The pages on which forms stand whose address is not below theirs.
const ELSEWHERE: [(&str, &str); 3] = [
    ("/upload", "/submit"),
    ("/organiser/queue/file", "/organiser/begin"),
    ("/organiser/queue/", "/organiser/tournaments"),
];

/// What was sent, as far as it was read.
type Sent = Arc<Mutex<Vec<u8>>>;

/// The pages of a site, to show a form again.
#[derive(Clone)]
pub(crate) struct FormPages {
    pages: Router,
}

impl FormPages {
    pub(crate) fn new(pages: Router<Arc<Site>>, site: &Arc<Site>) -> Self {
        let pages = pages.with_state(Arc::clone(site));
        FormPages { pages }
    }
}

/// Around all routes: a form that is refused is answered by its page.
pub(crate) async fn answer_refused(
    State(shown): State<FormPages>,
    request: Request,
    next: Next,
) -> Response {
    let is_form = request.method() == Method::POST
        && !is_address(request.uri().path())
        && !request.headers().contains_key(AUTHORIZATION);
    let content_type = request.headers().get(CONTENT_TYPE).cloned();
    let Some(content_type) = content_type.filter(|_| is_form) else {
        return next.run(request).await;
    };
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let query = parts.uri.query().map(str::to_owned);
    let visitor: Option<Arc<AccountVisitor>> = parts.extensions.get().cloned();
    let address: Option<RateAddress> = parts.extensions.get().copied();
    let id: Option<RequestId> = parts.extensions.get().cloned();
    let sent = Sent::default();
    let request = Request::from_parts(parts, kept(body, &sent));
    let response = next.run(request).await;
    let problem = response.extensions().get::<Arc<Problem>>().cloned();
    let is_of_form = |problem: &Arc<Problem>| problem.status != StatusCode::UNAUTHORIZED;
    let Some(problem) = problem.filter(is_of_form) else {
        return response;
    };
    let sent = std::mem::take(&mut *locked(&sent));
    let sent = fields(content_type, sent).await;
    let message = problem.in_html();
    let refused = RefusedForm {
        action: &path,
        sent: &sent,
        field: problem.field,
        message: Some(&message),
    };
    for page in pages_of(&path) {
        let address_of_page = match &query {
            Some(query) => format!("{page}?{query}"),
            None => page.to_owned(),
        };
        let Ok(mut asked) = Request::get(address_of_page).body(Body::empty()) else {
            break;
        };
        let extensions = asked.extensions_mut();
        visitor.clone().map(|visitor| extensions.insert(visitor));
        address.map(|address| extensions.insert(address));
        id.clone().map(|id| extensions.insert(id));
        let answer = shown.pages.clone().oneshot(asked).await;
        let Ok(answer) = answer;
        if answer.status() != StatusCode::OK {
            continue;
        }
        let (parts, body) = answer.into_parts();
        let bytes = to_bytes(body, MAX_PAGE).await.unwrap_or_default();
        let html = std::str::from_utf8(&bytes).unwrap_or_default();
        if let Some(page) = refilled(html, &refused) {
            let mut answer = (problem.status, Html(page)).into_response();
            let headers = answer.headers_mut();
            for (name, value) in &parts.headers {
                if *name == VARY {
                    headers.append(VARY, value.clone());
                }
            }
            headers.remove(ETAG);
            headers.insert(CACHE_CONTROL, kept_by_nobody());
            if let Some(seconds) = problem.retry_after {
                headers.insert(RETRY_AFTER, seconds.into());
            }
            answer.extensions_mut().insert(RenderedError);
            return answer;
        }
    }
    response
}

/// The addresses of the pages on which a form may stand that is sent to this one, the likeliest first.
fn pages_of(path: &str) -> Vec<&str> {
    let elsewhere = ELSEWHERE.iter().find(|(begin, _)| path.starts_with(begin));
    if let Some((_, page)) = elsewhere {
        return vec![page];
    }
    let above = path.match_indices('/').skip(1).map(|(at, _)| &path[..at]);
    let mut pages: Vec<&str> = above.collect();
    pages.push(path);
    pages.reverse();
    pages
}

/// The same body; its beginning is kept while it is read.
fn kept(body: Body, sent: &Sent) -> Body {
    let sent = Arc::clone(sent);
    Body::from_stream(body.into_data_stream().map(move |next| {
        if let Ok(bytes) = &next {
            let mut sent = locked(&sent);
            let more = KEPT.saturating_sub(sent.len()).min(bytes.len());
            sent.extend_from_slice(&bytes[..more]);
        }
        next
    }))
}

/// The fields of a form, but for files.
async fn fields(content_type: HeaderValue, sent: Vec<u8>) -> Vec<(String, String)> {
    let is_multipart = content_type.as_bytes().starts_with(b"multipart/");
    if !is_multipart {
        return serde_urlencoded::from_bytes(&sent).unwrap_or_default();
    }
    let mut fields = Vec::new();
    let request = Request::post("/").header(CONTENT_TYPE, content_type);
    let Ok(request) = request.body(Body::from(Bytes::from(sent))) else {
        return fields;
    };
    let Ok(mut form) = Multipart::from_request(request, &()).await else {
        return fields;
    };
    // It breaks off in its file.
    while let Ok(Some(field)) = form.next_field().await {
        let Some(name) = field.name().map(str::to_owned) else {
            break;
        };
        if field.file_name().is_some() {
            break;
        }
        match field.text().await {
            Ok(value) => fields.push((name, value)),
            Err(_) => break,
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_stands_on_a_page_at_its_address_or_above() {
        assert_eq!(
            pages_of("/organiser/leagues/spring/season"),
            [
                "/organiser/leagues/spring/season",
                "/organiser/leagues/spring",
                "/organiser/leagues",
                "/organiser"
            ]
        );
        assert_eq!(pages_of("/sign-in"), ["/sign-in"]);
        assert_eq!(pages_of("/upload"), ["/submit"]);
        assert_eq!(pages_of("/organiser/queue/file"), ["/organiser/begin"]);
        assert_eq!(
            pages_of("/organiser/queue/pause"),
            ["/organiser/tournaments"]
        );
    }
}
