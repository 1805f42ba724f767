//! Continuous ladders of this server.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa_axum::routes;

use super::actions::{self as action, MAX_NAMED};
use super::keep::{HostedLadder, LadderStatus, MAX_A_DAY};
use crate::accounts::caller::{Bearer, Caller};
use crate::accounts::visitor::refuse_authors;
use crate::shared::api::answer::own_list;
use crate::shared::api::body::JsonBody;
use crate::shared::api::operations::Operations;
use crate::shared::problem::Result;
use crate::tournaments::hosting::hosted_by;

/// By what a ladder is kept.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LadderAsked {
    /// About how many matches it plays in 24 hours, from 1 to 100000.
    #[schemars(range(min = 1, max = MAX_A_DAY))]
    a_day: u64,
    /// The clock of its matches; the default is that of tournaments.
    #[serde(default)]
    clock: String,
    /// Bots that play beside those that are submitted for the game: bots of the arena or built-in bots.
    #[serde(default)]
    #[schemars(length(max = MAX_NAMED))]
    bots: Vec<String>,
}

/// A ladder that the server keeps.
#[derive(JsonSchema, Serialize)]
pub(crate) struct LadderRow {
    /// The game's id.
    game: String,
    /// About how many matches it plays in 24 hours.
    a_day: u64,
    /// The clock of its matches; null: the default.
    clock: Option<String>,
    /// Bots that play beside those that are submitted for the game.
    bots: Vec<String>,
    /// Its tournament; null before it has begun.
    tournament: Option<String>,
    /// What it waits for or what has failed; null: nothing.
    said: Option<String>,
}

impl From<LadderStatus> for LadderRow {
    fn from(keeping: LadderStatus) -> Self {
        let ladder = keeping.ladder;
        LadderRow {
            game: ladder.game,
            a_day: ladder.a_day,
            clock: Some(ladder.clock).filter(|clock| !clock.is_empty()),
            bots: ladder.bots,
            tournament: keeping.tournament.map(|name| name.to_string()),
            said: keeping.said,
        }
    }
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(ladders))
        .routes(routes!(keep_ladder))
        .routes(routes!(stop_ladder))
}

/// Continuous ladders
///
/// Every ladder that the server keeps. Its standings are those of its tournament. For organisers.
#[utoipa::path(
    get,
    path = "/api/v1/ladders",
    tag = "organisers",
    security(("token" = [])),
    responses((status = 200, description = "The ladders", body = ref("#/components/schemas/LadderRowList")))
)]
async fn ladders(Caller(site, visitor): Caller) -> Result<Response> {
    refuse_authors(&visitor)?;
    let ladders = hosted_by(&site, |host| host.ladders()).await?;
    Ok(own_list(ladders.into_iter().map(LadderRow::from)))
}

/// Keep a ladder
///
/// Every bot that is accepted for the game joins it, and a newer version takes over from an older one. It is played
/// when nothing else is. For organisers.
#[utoipa::path(
    put,
    path = "/api/v1/ladders/{game}",
    tag = "organisers",
    params(("game" = String, Path, description = "The id of a game")),
    request_body(content = ref("#/components/schemas/LadderAsked"), content_type = "application/json"),
    responses((status = 204, description = "It is kept"))
)]
async fn keep_ladder(
    Bearer(site, visitor): Bearer,
    Path(game): Path<String>,
    JsonBody(asked): JsonBody<LadderAsked>,
) -> Result<StatusCode> {
    let ladder = HostedLadder {
        game,
        a_day: asked.a_day,
        clock: asked.clock,
        bots: asked.bots,
    };
    action::keep(&site, &visitor, ladder).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Stop a ladder
///
/// It is kept no longer. Its tournament and its results stay. For organisers.
#[utoipa::path(
    delete,
    path = "/api/v1/ladders/{game}",
    tag = "organisers",
    params(("game" = String, Path, description = "The id of a game")),
    responses((status = 204, description = "It is kept no longer"))
)]
async fn stop_ladder(
    Bearer(site, visitor): Bearer,
    Path(game): Path<String>,
) -> Result<StatusCode> {
    action::stop(&site, &visitor, game).await?;
    Ok(StatusCode::NO_CONTENT)
}
