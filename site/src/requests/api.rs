//! Requested matches.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use flipside_store::{TournamentFilter, TournamentRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::routes;

use super::actions::{self, MAX_BOTS, MAX_ROUNDS, MIN_BOTS};
use super::page::requested_by;
use super::rows::Quota;
use crate::accounts::caller::{Bearer, Caller};
use crate::shared::api::answer::{ListDocument, PageQuery, Query, made, own};
use crate::shared::api::body::JsonBody;
use crate::shared::api::operations::Operations;
use crate::shared::problem::Result;
use crate::site::ReadContext;
use crate::tournaments::organiser_api::known;

/// Matches that are asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestAsked {
    /// The game's id.
    game: String,
    /// Two to six bots: `greedy@2`, `sample:random`.
    #[schemars(length(min = MIN_BOTS, max = MAX_BOTS))]
    bots: Vec<String>,
    /// How many rounds, from 1 to 20.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = MAX_ROUNDS))]
    rounds: u32,
}

/// Matches that were requested.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Requested")]
pub(crate) struct RequestedMatches {
    /// The name of their tournament.
    tournament: String,
    /// What is left to the account then.
    #[serde(flatten)]
    quota: Quota,
}

/// What an account has requested.
#[derive(JsonSchema, Serialize)]
pub(crate) struct OwnRequests {
    #[serde(flatten)]
    page: ListDocument<TournamentRow>,
    #[serde(flatten)]
    quota: Quota,
}

/// Which requests.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AuditFilter {
    /// The most items of a page, from 1 to 200 [default: 50].
    limit: Option<usize>,
    /// Only those after the tournament of this name in the list.
    after: Option<String>,
}

fn one() -> u32 {
    1
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(request))
        .routes(routes!(own_requests))
        .routes(routes!(delete_request))
}

/// Request matches
///
/// They are played before tournaments, with one second for each move, and change no rating. An account has a limit for
/// 24 hours: the answer says how many requests are left, and when one more is free.
#[utoipa::path(
    post,
    path = "/api/v1/requests",
    operation_id = "request_matches",
    tag = "matches",
    request_body(content = ref("#/components/schemas/RequestAsked"), content_type = "application/json"),
    responses((status = 201, description = "The tournament with the matches", body = ref("#/components/schemas/Requested")))
)]
async fn request(
    Bearer(site, visitor): Bearer,
    JsonBody(asked): JsonBody<RequestAsked>,
) -> Result<Response> {
    let RequestAsked { game, bots, rounds } = asked;
    let (name, quota) = actions::request_matches(&site, &visitor, game, bots, rounds).await?;
    let tournament = name.to_string();
    let location = format!("/api/v1/tournaments/{name}");
    let requested = RequestedMatches { tournament, quota };
    Ok(made(StatusCode::CREATED, location, requested))
}

/// Your requests
///
/// The matches that you have requested, the latest first, and how many requests are left.
#[utoipa::path(
    get,
    path = "/api/v1/requests",
    tag = "matches",
    security(("token" = [])),
    params(AuditFilter),
    responses((status = 200, description = "A page of tournaments", body = ref("#/components/schemas/OwnRequests")))
)]
async fn own_requests(
    Caller(site, visitor): Caller,
    Query(which): Query<AuditFilter>,
) -> Result<Response> {
    let quota = actions::quota(&site, &visitor).await?;
    let of_own = requested_by(&visitor);
    let read = move |reading: &ReadContext<'_>| {
        let asked = PageQuery::new("/api/v1/requests", which.limit, which.after.as_deref())?;
        let of = TournamentFilter {
            before: asked.before(reading)?,
            ..of_own
        };
        let rows = reading.listed(&of, asked.limit + 1)?;
        Ok(asked.page(rows, |row| row.tournament.clone()))
    };
    let page = site.read(read).await?;
    Ok(own(StatusCode::OK, OwnRequests { page, quota }))
}

/// Delete requested matches
///
/// Your own; organisers delete those of all. The matches are gone with their records, and still count as a request of
/// their day. They cannot be deleted while they are played.
#[utoipa::path(
    delete,
    path = "/api/v1/requests/{name}",
    tag = "matches",
    params(("name" = String, Path, description = "The name of the tournament with the matches")),
    responses((status = 204, description = "They are gone"))
)]
async fn delete_request(
    Bearer(site, visitor): Bearer,
    Path(name): Path<String>,
) -> Result<StatusCode> {
    actions::delete_request(&site, &visitor, known(&name)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
