//! `/api/v1`: what pages show and do, for programs. Values are those of the commands' `--json`; a list is a page of
//! them with the address of the next page.
//!
//! Every route is registered together with its description, so the OpenAPI document has them all.

mod accounts;
pub(crate) mod answer;
mod bots;
mod bounds;
mod caller;
mod games;
mod ladders;
mod leagues;
pub(crate) mod matches;
mod openapi;
mod operations;
mod organiser;
mod play;
mod ratings;
mod server;
mod tournaments;
mod uploads;
mod webhooks;

use axum::response::Response;
use utoipa_axum::routes;

use self::operations::Operations;
use crate::page::{Routes, Visit};
use crate::problem::Result;

/// All of it that takes no files.
pub(crate) fn routes() -> Routes {
    small().into()
}

/// What takes files: these routes have limits of their own.
pub(crate) fn routes_of_files() -> Routes {
    uploads::operations_with_files().into()
}

/// All of it, as the OpenAPI document has it.
fn documented() -> Operations {
    small().merge(uploads::operations_with_files())
}

fn small() -> Operations {
    Operations::default()
        .merge(server::operations())
        .routes(routes!(openapi_document))
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

/// This description
///
/// The OpenAPI document of the API.
#[utoipa::path(
    get,
    path = "/api/v1/openapi.json",
    tag = "server",
    responses((status = 200, description = "An OpenAPI 3.1 document", body = Object))
)]
async fn openapi_document(visit: Visit) -> Result<Response> {
    openapi::document(documented).map(|document| document.answer(&visit))
}
