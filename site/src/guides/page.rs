//! The guides for authors and organisers, the protocol, the schemas.

use askama::Template;
use axum::Json;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flipside_games::GAMES;
use flipside_operations::{Guide, guides};
use serde_json::json;

use crate::shared::markdown;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};

#[derive(Template)]
#[template(path = "guides.html")]
struct Index {
    groups: Vec<GuideGroup>,
}

struct GuideGroup {
    title: &'static str,
    /// Addresses and titles.
    pages: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "guide.html")]
struct GuidePage {
    title: String,
    /// The ids and the headings of its parts, as HTML; none where there are few.
    contents: Vec<(String, String)>,
    /// HTML.
    text: String,
}

impl PageView for Index {
    fn head(&self) -> PageHead {
        PageHead::new("Guides", Section::Guides)
    }
}

impl PageView for GuidePage {
    fn head(&self) -> PageHead {
        PageHead::new(&self.title, Section::Guides)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/guides", get(index))
        .route("/guides/{*path}", get(page))
        .route("/schema.json", get(schema))
}

async fn index(visit: Visit) -> Result<Response> {
    visit.page("guides", |_| Ok(groups())).await
}

/// The pages by who reads them.
fn groups() -> Index {
    let group = |title, is_in: fn(&Guide) -> bool| {
        let pages = guides()
            .iter()
            .filter(|guide| is_in(guide) && guide.path != INDEX);
        let pages = pages.map(|guide| (markdown::address(guide), guide.title()));
        GuideGroup {
            title,
            pages: pages.collect(),
        }
    };
    let groups = vec![
        group("For bot authors", |guide| {
            guide.path.starts_with("docs/authors/") || guide.path == "protocol/PROTOCOL.md"
        }),
        group("For authors of games", |guide| {
            guide.path.starts_with("docs/games/") || guide.path == "protocol/GAMES.md"
        }),
        group("Rules of the games", |guide| {
            guide.path.starts_with("docs/rules/")
        }),
        group("For organisers", |guide| {
            guide.path.starts_with("docs/organisers/") || guide.path == "SECURITY.md"
        }),
        group("Reference", |guide| {
            let is_beside_folders = guide.path.matches('/').count() == 1;
            guide.path.starts_with("docs/reference/")
                || (guide.path.starts_with("docs/") && is_beside_folders)
        }),
    ];
    Index { groups }
}

/// The list of all pages, which is this index.
const INDEX: &str = "docs/README.md";

/// The fewest parts of a guide that are listed at its top.
const MIN_CONTENTS: usize = 3;

async fn page(Path(path): Path<String>, visit: Visit) -> Result<Response> {
    let wanted = format!("/guides/{path}");
    let mut all = guides().iter();
    let found = all.find(|guide| markdown::address(guide) == wanted);
    let absent =
        || Problem::not_found("there is no such guide").hint("the page Guides lists them all");
    let guide = found.ok_or_else(absent)?;
    let view = || {
        let text = markdown::html(guide);
        let mut contents = markdown::contents(&text);
        if contents.len() < MIN_CONTENTS {
            contents.clear();
        }
        GuidePage {
            title: guide.title(),
            contents,
            text,
        }
    };
    let key = format!("guide {}", guide.path);
    visit.page(key, move |_| Ok(view())).await
}

/// The schemas of the protocol's messages.
async fn schema() -> Response {
    Json(json!({
        "protocol": flipside_protocol::VERSION,
        "from_referee": flipside_protocol::schema_from_referee(),
        "from_bot": flipside_protocol::schema_from_bot(),
        "games": GAMES.iter().map(|game| game.info().id).collect::<Vec<_>>(),
    }))
    .into_response()
}
