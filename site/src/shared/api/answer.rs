//! From a value to an answer: JSON with a tag, lists page by page.

use std::fmt::Display;
use std::sync::Arc;

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LOCATION};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flipside_tournament::TournamentId;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::shared::answer_headers::{etag, kept_by_nobody, marked, revalidated, tag};
use crate::shared::cache::Weigh;
use crate::shared::page::Visit;
use crate::shared::problem::{Problem, Result};
use crate::shared::table::query;
use crate::site::{ReadContext, Site};

/// How many items a page of a list has, if the request does not say.
pub(crate) const PAGE: usize = 50;

/// The most items of a page of a list.
pub(crate) const MAX_PAGE: usize = 200;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A page of a list.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "{T}List")]
pub(crate) struct ListDocument<T> {
    /// The items, in the order of the list.
    pub(crate) items: Vec<T>,
    /// The address of the next page; null on the last one.
    pub(crate) next: Option<String>,
}

impl<T> ListDocument<T> {
    /// A list on one page.
    pub(crate) fn whole(items: impl IntoIterator<Item = T>) -> Self {
        let items = items.into_iter().collect();
        ListDocument { items, next: None }
    }
}

/// Which page of a list.
pub(crate) struct PageQuery<'a> {
    /// The address without the query.
    path: String,
    /// What the list is filtered by, for the address of the next page.
    filters: Vec<(&'static str, Option<&'a str>)>,
    /// The most items.
    pub(crate) limit: usize,
    /// The key of the last item of the page before.
    pub(crate) after: Option<&'a str>,
}

impl<'a> PageQuery<'a> {
    /// The page of the list at `path`.
    ///
    /// # Errors
    /// When a page cannot have so many items.
    pub(crate) fn new(
        path: impl Into<String>,
        limit: Option<usize>,
        after: Option<&'a str>,
    ) -> Result<Self> {
        let limit = limit.unwrap_or(PAGE);
        if !(1..=MAX_PAGE).contains(&limit) {
            let message = format!("limit is a number from 1 to {MAX_PAGE}");
            return Err(
                Problem::refused(message).hint(format!("limit={MAX_PAGE}, and follow `next`"))
            );
        }
        Ok(PageQuery {
            path: path.into(),
            filters: Vec::new(),
            limit,
            after,
        })
    }

    /// The tournament that the page of a list of tournaments begins after. It need not be in the list any more.
    ///
    /// # Errors
    /// When there is none of this name.
    pub(crate) fn before(&self, reading: &ReadContext<'_>) -> Result<Option<TournamentId>> {
        let Some(after) = self.after else {
            return Ok(None);
        };
        let absent = || Problem::not_found(format!("there is no tournament {after:?}"));
        let found = reading.journal.find_tournament(after)?;
        Ok(Some(found.ok_or_else(absent)?.id))
    }

    /// Notes a filter.
    pub(crate) fn filter(mut self, name: &'static str, value: Option<&'a str>) -> Self {
        self.filters.push((name, value));
        self
    }

    /// The page from one item more than it has, if there are as many.
    pub(crate) fn page<T>(&self, mut items: Vec<T>, key: impl Fn(&T) -> String) -> ListDocument<T> {
        let is_more = items.len() > self.limit;
        items.truncate(self.limit);
        let last = items.last().filter(|_| is_more);
        let next = last.map(|last| self.address(&key(last)));
        ListDocument { items, next }
    }

    /// The page of a list that is there as a whole.
    ///
    /// # Errors
    /// When no item has the key that the page begins after.
    pub(crate) fn page_of<T: Clone>(
        &self,
        all: impl IntoIterator<Item = T>,
        key: impl Fn(&T) -> String,
    ) -> Result<ListDocument<T>> {
        let mut all = all.into_iter();
        if let Some(after) = self.after
            && !all.any(|item| key(&item) == after)
        {
            let message = format!("the list has no {after:?}");
            return Err(Problem::not_found(message).hint("begin again without `after`"));
        }
        Ok(self.page(all.take(self.limit + 1).collect(), key))
    }

    /// The address of the page after this key.
    pub(crate) fn address(&self, last: &str) -> String {
        let limit = self.limit.to_string();
        let page = [("limit", Some(&*limit)), ("after", Some(last))];
        let parts = self.filters.iter().copied().chain(page);
        format!("{}{}", self.path, query(parts))
    }
}

/// A value as JSON, with a tag that tells it from other values.
pub(crate) struct JsonDocument {
    json: String,
    etag: HeaderValue,
}

impl Weigh for JsonDocument {
    fn bytes(&self) -> usize {
        self.json.len() + size_of::<Self>()
    }
}

impl JsonDocument {
    /// # Errors
    /// When the value cannot be written as JSON.
    pub(crate) fn of(value: &impl Serialize) -> Result<Self> {
        Ok(JsonDocument::of_json(serde_json::to_string(value)?))
    }

    pub(crate) fn of_json(json: String) -> Self {
        let etag = etag(&tag(&[json.as_bytes()]));
        JsonDocument { json, etag }
    }

    /// The answer; or that the visitor has it.
    pub(crate) fn answer(&self, visit: &Visit) -> Response {
        if let Some(unchanged) = visit.unchanged(&self.etag) {
            return unchanged;
        }
        let headers = [
            (CONTENT_TYPE, JSON),
            (ETAG, self.etag.clone()),
            (CACHE_CONTROL, revalidated()),
        ];
        (headers, self.json.clone()).into_response()
    }
}

impl Visit {
    /// Answers with a value that is the same for everybody. One that was made and is still true is used again.
    ///
    /// `key` names the value: it must hold all that the value depends on beside the arena.
    pub(crate) async fn json<T: Serialize>(
        self,
        key: impl Display,
        make: impl FnOnce(&ReadContext<'_>) -> Result<T> + Send + 'static,
    ) -> Result<Response> {
        let make = move |reading: &ReadContext<'_>| JsonDocument::of(&make(reading)?);
        let (document, as_of) = self.site.kept(&format!("api {key}"), make).await?;
        Ok(marked(document.answer(&self), as_of))
    }
}

/// An answer for one visitor, which nobody keeps.
pub(crate) fn own(status: StatusCode, value: impl Serialize) -> Response {
    (status, [(CACHE_CONTROL, kept_by_nobody())], Json(value)).into_response()
}

/// The same with a list as a whole.
pub(crate) fn own_list(items: impl IntoIterator<Item = impl Serialize>) -> Response {
    own(StatusCode::OK, ListDocument::whole(items))
}

/// The same of something that was made, or is about to be, with its address.
pub(crate) fn made(status: StatusCode, location: String, value: impl Serialize) -> Response {
    ([(LOCATION, location)], own(status, value)).into_response()
}

/// The query of an address. A key that is not known is an error: a filter with a typing error would filter nothing.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Site>> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Site>) -> Result<Self> {
        let query = parts.uri.query().unwrap_or_default();
        serde_urlencoded::from_str(query)
            .map(Query)
            .map_err(|error| {
                Problem::refused(format!("the query: {error}"))
                    .hint("/api/v1/openapi.json lists the parameters")
            })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Following `next` gives every item once and in order, whatever the size of a page.
        #[test]
        fn pages_are_a_partition_of_the_list(count in 0_usize..40, limit in 1_usize..10) {
            let all: Vec<usize> = (0..count).collect();
            let (mut seen, mut after): (Vec<usize>, Option<String>) = (Vec::new(), None);
            loop {
                let asked = PageQuery::new("/x", Some(limit), after.as_deref()).unwrap();
                let page = asked.page_of(all.clone(), usize::to_string).unwrap();
                prop_assert!(page.items.len() <= limit);
                seen.extend(&page.items);
                let Some(next) = page.next else { break };
                prop_assert_eq!(page.items.len(), limit);
                let (_, last) = next.rsplit_once("after=").unwrap();
                after = Some(last.to_owned());
            }
            prop_assert_eq!(seen, all);
        }
    }

    #[test]
    fn a_page_keeps_its_filters_and_names_its_last_item() {
        let asked = PageQuery::new("/x", Some(2), None)
            .unwrap()
            .filter("bot", Some("a@1 b"));
        let page = asked
            .page_of(["k&1", "k&2", "k&3"], |key| (*key).to_owned())
            .unwrap();
        assert_eq!(
            page.next.as_deref(),
            Some("/x?bot=a%401%20b&limit=2&after=k%262")
        );
    }

    #[test]
    fn a_page_has_a_limit_and_begins_after_something_that_is_there() {
        for limit in [0, MAX_PAGE + 1] {
            let refused = PageQuery::new("/x", Some(limit), None).err().unwrap();
            assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        }
        let asked = PageQuery::new("/x", None, Some("gone")).unwrap();
        let refused = asked.page_of(["a"], |key| (*key).to_owned()).unwrap_err();
        assert_eq!(refused.status, StatusCode::NOT_FOUND);
    }
}
