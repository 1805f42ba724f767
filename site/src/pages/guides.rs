//! The guides for authors and organisers, the protocol, the schemas.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use flipside_games::GAMES;
use flipside_operations::{Guide, guides};
use serde_json::json;

use crate::Site;
use crate::markdown;
use crate::page::{Head, Section, View, Visit};
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "guides.html")]
struct Index {
    groups: Vec<Group>,
}

struct Group {
    title: &'static str,
    /// Addresses and titles.
    pages: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "guide.html")]
struct GuidePage {
    title: String,
    /// HTML.
    text: String,
}

impl View for Index {
    fn head(&self) -> Head {
        Head {
            title: "Guides".into(),
            section: Section::Guides,
            live: None,
        }
    }
}

impl View for GuidePage {
    fn head(&self) -> Head {
        Head {
            title: self.title.clone(),
            section: Section::Guides,
            live: None,
        }
    }
}

pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/guides", get(index))
        .route("/guides/{*path}", get(page))
        .route("/schema.json", get(schema))
}

async fn index(State(site): State<Arc<Site>>, visit: Visit) -> Response {
    site.page(visit, "guides".into(), |_| Ok(Index { groups: groups() }))
        .await
}

/// The pages by who reads them.
fn groups() -> Vec<Group> {
    let group = |title, is_in: fn(&Guide) -> bool| {
        let pages = guides()
            .iter()
            .filter(|guide| is_in(guide) && guide.path != INDEX);
        let pages = pages.map(|guide| (markdown::address(guide), guide.title()));
        Group {
            title,
            pages: pages.collect(),
        }
    };
    vec![
        group("For bot authors", |guide| {
            let beside = ["protocol/PROTOCOL.md", "docs/sample-bots.md"];
            guide.path.starts_with("docs/authors/") || beside.contains(&guide.path)
        }),
        group("Rules of the games", |guide| {
            guide.path.starts_with("docs/rules/")
        }),
        group("For organisers and readers of tables", |guide| {
            let of_authors = guide.path == "docs/sample-bots.md";
            let is_there = guide.path.starts_with("docs/") && guide.path.matches('/').count() == 1;
            guide.path.starts_with("docs/organisers/")
                || (is_there && !of_authors)
                || guide.path == "SECURITY.md"
        }),
    ]
}

/// The list of all pages, which is this index.
const INDEX: &str = "docs/README.md";

async fn page(State(site): State<Arc<Site>>, Path(path): Path<String>, visit: Visit) -> Response {
    let wanted = format!("/guides/{path}");
    let found = guides()
        .iter()
        .find(|guide| markdown::address(guide) == wanted);
    match found {
        Some(guide) => {
            let view = || GuidePage {
                title: guide.title(),
                text: markdown::html(guide),
            };
            site.page(visit, format!("guide {}", guide.path), move |_| Ok(view()))
                .await
        }
        None => Problem::not_found("there is no such guide")
            .hint("the page Guides lists them all")
            .into_response(),
    }
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
