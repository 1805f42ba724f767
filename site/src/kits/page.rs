//! The kits to download, each with what it needs, and the zips themselves.

use askama::Template;
use axum::extract::{Path, Query};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flipside_operations::{LANGUAGES, Language, MAX_BOT_NAME, kit_zip};
use serde::Deserialize;

use crate::shared::answer_headers::{attachment, etag, revalidated, tag};
use crate::shared::cache::Weigh;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};

/// The name of a bot where nobody says one.
const NAME: &str = "mybot";

#[derive(Template)]
#[template(path = "kits.html")]
struct KitsPage {
    kits: &'static [Language],
    has_accounts: bool,
    name: &'static str,
    longest: usize,
}

impl PageView for KitsPage {
    fn head(&self) -> PageHead {
        PageHead::new("Starter kits", Section::Submit)
    }
}

/// What a kit is asked for with.
#[derive(Debug, Deserialize)]
struct KitQuery {
    /// The name of the bot.
    name: Option<String>,
}

/// A zip that is kept.
struct KitZip(Vec<u8>);

impl Weigh for KitZip {
    fn bytes(&self) -> usize {
        self.0.len() + size_of::<Self>()
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/kits", get(kits))
        .route("/kits/{language}", get(kit))
}

async fn kits(visit: Visit) -> Result<Response> {
    let make = |reading: &crate::site::ReadContext<'_>| {
        Ok(KitsPage {
            kits: LANGUAGES,
            has_accounts: reading.site.accounts.is_some(),
            name: NAME,
            longest: MAX_BOT_NAME,
        })
    };
    visit.page("kits", make).await
}

async fn kit(
    Path(language): Path<String>,
    Query(query): Query<KitQuery>,
    visit: Visit,
) -> Result<Response> {
    let Some(language) = LANGUAGES.iter().find(|one| one.id == language) else {
        let message = format!("there is no kit in {language:?}");
        return Err(Problem::not_found(message).hint("the page “Starter kits” lists them all"));
    };
    let name = query.name.unwrap_or_default();
    let name = match name.trim() {
        "" => NAME.to_owned(),
        name => name.to_owned(),
    };
    // Only that of the name that most have is kept: others are made in a moment, and are as many as there are names.
    let zip = if name == NAME {
        let key = format!("kit {}", language.id);
        let make = |_: &crate::site::ReadContext<'_>| Ok(KitZip(kit_zip(language.id, NAME)?));
        visit.site.kept(&key, make).await?.0.0.clone()
    } else {
        let name = name.clone();
        let make = move |_: &crate::site::Site| Ok(kit_zip(language.id, &name));
        let made = visit.site.wait_for(make).await?;
        made.map_err(|failure| Problem::unfit(failure.message()).at("name"))?
    };
    let etag = etag(&tag(&[&zip]));
    if let Some(unchanged) = visit.unchanged(&etag) {
        return Ok(unchanged);
    }
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/zip")),
        (CONTENT_DISPOSITION, attachment(&format!("{name}.zip"))),
        (ETAG, etag),
        (CACHE_CONTROL, revalidated()),
    ];
    Ok((headers, zip).into_response())
}
