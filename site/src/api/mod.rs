//! `/api/v1`: what pages show and do, for programs. Values are those of the commands' `--json`; a list is a page of
//! them with the address of the next page.
//!
//! Every route is registered together with its description, so the OpenAPI document has them all.

mod accounts;
pub(super) mod answer;
mod bots;
mod bounds;
mod caller;
mod games;
mod ladders;
mod leagues;
pub(super) mod matches;
mod openapi;
mod organiser;
mod play;
mod ratings;
mod server;
mod tournaments;
mod uploads;
mod webhooks;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;

use crate::page::Routes;
use crate::site::Site;

/// Routes with their descriptions.
type Operations = OpenApiRouter<Arc<Site>>;

/// Where it begins.
const BASE: &str = "/api/v1";

/// Whether errors of this path are told to programs.
pub(crate) fn is_address(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

/// All of it that takes no files.
pub(crate) fn routes() -> Routes {
    small().into()
}

/// What takes files: these routes have limits of their own.
pub(crate) fn routes_of_files() -> Routes {
    uploads::operations_with_files().into()
}

fn documented() -> Operations {
    small().merge(uploads::operations_with_files())
}

fn small() -> Operations {
    Operations::default()
        .merge(server::operations())
        .merge(games::operations())
        .merge(tournaments::operations())
        .merge(matches::operations())
        .merge(bots::operations())
        .merge(ratings::operations())
        .merge(accounts::operations())
        .merge(uploads::operations())
        .merge(leagues::operations())
        .merge(play::operations())
        .merge(organiser::operations())
        .merge(ladders::operations())
        .merge(webhooks::operations())
}
