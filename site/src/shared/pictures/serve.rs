//! Answers with pictures. Each is drawn once and kept, and few are drawn at the same time.

use std::sync::Arc;

use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use super::card::PictureCard;
use crate::shared::answer_headers::{etag, revalidated, tag};
use crate::shared::cache::Weigh;
use crate::shared::page::Visit;
use crate::shared::problem::{Problem, Result};
use crate::site::ReadContext;

/// A picture that was drawn; nothing where it cannot be.
struct DrawnPicture(Option<Bytes>);

impl Weigh for DrawnPicture {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.0.as_ref().map_or(0, Bytes::len)
    }
}

impl Visit {
    /// Answers with a picture. `stamp` tells apart what is shown of the same thing at different times, and `card` says
    /// what the picture shows.
    ///
    /// # Errors
    /// What `stamp` and `card` fail with; that there is no picture where it cannot be drawn.
    pub(crate) async fn picture(
        &self,
        key: String,
        stamp: impl Fn(&ReadContext<'_>) -> Result<u64> + Clone + Send + 'static,
        card: impl FnOnce(&ReadContext<'_>) -> Result<PictureCard> + Send + 'static,
    ) -> Result<Response> {
        let known = {
            let (key, stamp) = (key.clone(), stamp.clone());
            move |reading: &ReadContext<'_>| {
                let stamp = stamp(reading)?;
                let slot = reading.site.cache.slot(&key);
                let found = slot.found::<DrawnPicture>(stamp);
                Ok(found.filter(|found| found.fresh).map(|found| found.value))
            }
        };
        let picture = match self.site.read(known).await? {
            Some(picture) => picture,
            None => {
                let _place = Arc::clone(&self.site.painters).acquire_owned().await;
                let make = move |reading: &ReadContext<'_>| {
                    let stamp = stamp(reading)?;
                    let draw = || Ok((drawn(&key, &card(reading)?), stamp));
                    Ok(reading.site.cache.get(&key, stamp, draw)?.value)
                };
                self.site.read(make).await?
            }
        };
        let none = || Problem::not_found("there is no picture of this board");
        let png = picture.0.clone().ok_or_else(none)?;
        let etag = etag(&tag(&[&png]));
        if let Some(unchanged) = self.unchanged(&etag) {
            return Ok(unchanged);
        }
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static("image/png")),
            (ETAG, etag),
            (CACHE_CONTROL, revalidated()),
        ];
        Ok((headers, png).into_response())
    }
}

/// What can be drawn of a card. That nothing can is kept, too, so that it is not tried for each request.
fn drawn(key: &str, card: &PictureCard) -> DrawnPicture {
    let drawn = card.png().map_err(|error| {
        tracing::warn!(%error, "{key} cannot be drawn");
    });
    DrawnPicture(drawn.ok().map(Bytes::from))
}
