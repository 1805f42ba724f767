//! The home page.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use crate::Site;
use crate::page::{Head, Section, View, Visit};

#[derive(Template)]
#[template(path = "home.html")]
struct Home;

impl View for Home {
    fn head(&self) -> Head {
        Head {
            title: "Home".into(),
            section: Section::Home,
            live: Some(String::new()),
        }
    }
}

pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new().route("/", get(home))
}

async fn home(State(site): State<Arc<Site>>, visit: Visit) -> Response {
    site.page(visit, "home".into(), |_| Ok(Home)).await
}
