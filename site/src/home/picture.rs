//! The picture of the site: its mark, its name and the line about it. An organiser's logo may be of any kind and size,
//! so a site with one has no picture.

use axum::response::Response;
use axum::routing::get;

use crate::shared::assets::MARK;
use crate::shared::page::{Routes, SITE_PICTURE, Visit};
use crate::shared::pictures::card::PictureCard;
use crate::shared::problem::Result;
use crate::site::ReadContext;

pub(crate) fn routes() -> Routes {
    Routes::new().route(SITE_PICTURE, get(picture))
}

async fn picture(visit: Visit) -> Result<Response> {
    let stamp = |_: &ReadContext<'_>| Ok(0);
    let card = |reading: &ReadContext<'_>| {
        let settings = &reading.site.settings;
        Ok(PictureCard {
            board: MARK.to_owned(),
            title: settings.site_title().to_owned(),
            words: settings.site_about().to_owned(),
            ..PictureCard::default()
        })
    };
    visit
        .picture("picture of the site".into(), stamp, card)
        .await
}
