//! What the server is made to play: tournaments, and changes of them.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use flipside_operations::{Extension, Leaving};
use flipside_tournament::{ChangeReason, MAX_ENTRANTS, Name, TournamentSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa_axum::routes;

use super::actions;
use super::host::state::{DesiredState, Priority, QueuedTournament};
use super::host::tries::Retry;
use super::hosting::host;
use crate::accounts::caller::{Bearer, Caller};
use crate::accounts::visitor::refuse_authors;
use crate::shared::api::answer::{made, own_list};
use crate::shared::api::body::JsonBody;
use crate::shared::api::bounds;
use crate::shared::api::operations::Operations;
use crate::shared::problem::{Problem, Result};

/// A tournament that was begun.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Begun")]
pub(crate) struct BegunTournament {
    /// Its name.
    tournament: String,
}

/// Why somebody does something.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CancelAsked {
    /// Why, in one line of at most 200 characters.
    #[schemars(length(max = ChangeReason::MAX_CHARS), regex(pattern = bounds::ONE_LINE))]
    reason: String,
}

/// How much longer a tournament is to be: by rounds or by matches.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["rounds"] }, { "required": ["matches"] }]))]
pub(crate) struct ExtendAsked {
    /// How many more rounds.
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1))]
    rounds: Option<u32>,
    /// How many more matches.
    #[serde(default)]
    #[schemars(with = "u64", range(min = 1))]
    matches: Option<u64>,
    /// Why, in one line of at most 200 characters.
    #[schemars(length(max = ChangeReason::MAX_CHARS), regex(pattern = bounds::ONE_LINE))]
    #[serde(default)]
    reason: String,
}

/// Which bots join.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JoinAsked {
    /// Bots of the arena or built-in bots.
    #[schemars(length(min = 1, max = MAX_ENTRANTS))]
    bots: Vec<String>,
    /// Why, in one line of at most 200 characters.
    #[schemars(length(max = ChangeReason::MAX_CHARS), regex(pattern = bounds::ONE_LINE))]
    #[serde(default)]
    reason: String,
}

/// Which bot leaves.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WithdrawAsked {
    /// The bot; without a version, all its versions.
    #[schemars(regex(pattern = bounds::bot()))]
    bot: String,
    /// Why, in one line of at most 200 characters.
    #[serde(default)]
    #[schemars(length(max = ChangeReason::MAX_CHARS), regex(pattern = bounds::ONE_LINE))]
    reason: String,
}

/// Which bot is sent away.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DisqualifyAsked {
    /// The bot; without a version, all its versions.
    #[schemars(regex(pattern = bounds::bot()))]
    bot: String,
    /// Why, in one line of at most 200 characters.
    #[schemars(length(min = 1, max = ChangeReason::MAX_CHARS), regex(pattern = bounds::SAID))]
    reason: String,
    /// Whether its matches do not count in the table, for all bots. In a knockout, a swiss and a test they always count.
    #[serde(default)]
    void_matches: bool,
}

/// A tournament that the server plays or is to play.
#[derive(JsonSchema, Serialize)]
pub(crate) struct QueueRow {
    /// Its name.
    tournament: String,
    /// What is played before it.
    rank: Priority,
    /// Since when it is in the queue, in milliseconds since 1970; in JSON, RFC 3339.
    #[serde(serialize_with = "flipside_tournament::serialize_utc")]
    #[schemars(with = "String")]
    since: u64,
    /// What becomes of it.
    state: QueueState,
    /// Why it has failed, or cannot go on for the time being.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// What becomes of a tournament.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
enum QueueState {
    /// It is played now.
    Playing,
    /// It is played when its turn comes.
    Waiting,
    /// It waits until somebody resumes it.
    Paused,
    /// It could not be played, and waits until somebody resumes it.
    Failed,
}

impl QueueRow {
    fn of(hosted: QueuedTournament, now: Option<&Name>, put_off: Option<&Retry>) -> Self {
        let is_now = now == Some(&hosted.tournament);
        let (state, why) = match hosted.wanted {
            DesiredState::Failed(why) => (QueueState::Failed, Some(why)),
            DesiredState::Play | DesiredState::Pause if is_now => (QueueState::Playing, None),
            DesiredState::Play => (QueueState::Waiting, put_off.map(Retry::in_words)),
            DesiredState::Pause => (QueueState::Paused, None),
        };
        QueueRow {
            tournament: hosted.tournament.to_string(),
            rank: hosted.rank,
            since: hosted.since,
            state,
            why,
        }
    }
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(queue))
        .routes(routes!(remove))
        .routes(routes!(begin))
        .routes(routes!(pause))
        .routes(routes!(resume))
        .routes(routes!(cancel))
        .routes(routes!(extend))
        .routes(routes!(join))
        .routes(routes!(withdraw))
        .routes(routes!(disqualify))
}

/// That a tournament was begun, and where it is.
fn begun(name: &Name) -> Response {
    let tournament = name.to_string();
    let location = format!("/api/v1/tournaments/{name}");
    made(
        StatusCode::CREATED,
        location,
        BegunTournament { tournament },
    )
}

/// What the server plays
///
/// Tournaments in the order of play. For organisers.
#[utoipa::path(
    get,
    path = "/api/v1/queue",
    operation_id = "tournament_queue",
    tag = "organisers",
    security(("token" = [])),
    responses((status = 200, description = "The queue", body = ref("#/components/schemas/QueueRowList")))
)]
async fn queue(Caller(site, visitor): Caller) -> Result<Response> {
    refuse_authors(&visitor)?;
    let host = host(&site)?;
    let now = host.now().map(|(name, _)| name);
    let put_off = host.put_off();
    let hosted = host.hosted().into_iter().map(|one| {
        let put_off = put_off.get(&one.tournament);
        QueueRow::of(one, now.as_ref(), put_off)
    });
    Ok(own_list(hosted))
}

/// Remove a tournament from the queue
///
/// One that is paused or has failed. Its results stay. For organisers.
#[utoipa::path(
    delete,
    path = "/api/v1/queue/{name}",
    operation_id = "remove_from_queue",
    tag = "organisers",
    params(("name" = String, Path, description = "The name of a tournament")),
    responses((status = 204, description = "It is not in the queue any more"))
)]
async fn remove(Bearer(site, visitor): Bearer, Path(name): Path<String>) -> Result<StatusCode> {
    match actions::remove(&site, &visitor, known(&name)?).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::not_found(format!("{name} is not in the queue"))),
    }
}

/// Start a tournament
///
/// The body has the keys of a tournament's file: `name`, `game`, `bots`, `rounds` and so on. Its bots are bots of the
/// arena or built-in bots. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments",
    operation_id = "begin_tournament",
    tag = "organisers",
    request_body(content = Object, content_type = "application/json"),
    responses((status = 201, description = "The tournament", body = ref("#/components/schemas/Begun")))
)]
async fn begin(
    Bearer(site, visitor): Bearer,
    JsonBody(asked): JsonBody<Map<String, Value>>,
) -> Result<Response> {
    let spec = TournamentSpec::from_json(&asked)
        .map_err(|error| Problem::unfit(error.to_string()).hints(error.hint))?;
    let name = actions::begin_tournament(&site, &visitor, spec).await?;
    Ok(begun(&name))
}

/// Pause a tournament
///
/// After its running matches. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{name}/pause",
    operation_id = "pause_tournament",
    tag = "organisers",
    params(("name" = String, Path, description = "The name of a tournament")),
    responses((status = 204, description = "It pauses"))
)]
async fn pause(Bearer(site, visitor): Bearer, Path(name): Path<String>) -> Result<StatusCode> {
    actions::pause(&site, &visitor, known(&name)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Resume a tournament
///
/// The server plays it when its turn comes. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{name}/resume",
    operation_id = "resume_tournament",
    tag = "organisers",
    params(("name" = String, Path, description = "The name of a tournament")),
    responses((status = 204, description = "It is in the queue"))
)]
async fn resume(Bearer(site, visitor): Bearer, Path(name): Path<String>) -> Result<StatusCode> {
    actions::resume(&site, &visitor, known(&name)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Cancel a tournament
///
/// The results count up to the first match of the schedule that has none. This cannot be undone. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{name}/cancel",
    operation_id = "cancel_tournament",
    tag = "organisers",
    params(("name" = String, Path, description = "The name of a tournament")),
    request_body(content = ref("#/components/schemas/CancelAsked"), content_type = "application/json"),
    responses((status = 204, description = "It is requested"))
)]
async fn cancel(
    Bearer(site, visitor): Bearer,
    Path(name): Path<String>,
    JsonBody(asked): JsonBody<CancelAsked>,
) -> Result<StatusCode> {
    actions::cancel(&site, &visitor, known(&name)?, &asked.reason).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Extend a tournament
///
/// The server plays it on. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{name}/extend",
    operation_id = "extend_tournament",
    tag = "organisers",
    params(("name" = String, Path, description = "The name of a tournament")),
    request_body(content = ref("#/components/schemas/ExtendAsked"), content_type = "application/json"),
    responses((status = 204, description = "It is requested"))
)]
async fn extend(
    Bearer(site, visitor): Bearer,
    Path(name): Path<String>,
    JsonBody(asked): JsonBody<ExtendAsked>,
) -> Result<StatusCode> {
    let extension = match (asked.rounds, asked.matches) {
        (Some(rounds), None) => Extension::Rounds(rounds),
        (None, Some(matches)) => Extension::Matches(matches),
        _ => {
            let message = "a tournament is extended by rounds or by matches";
            let problem = Problem::unfit(message);
            return Err(problem.hint("{\"rounds\": 10}"));
        }
    };
    actions::extend(&site, &visitor, known(&name)?, extension, &asked.reason).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Let bots join a tournament
///
/// The server plays it on. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{name}/join",
    operation_id = "join_tournament",
    tag = "organisers",
    params(("name" = String, Path, description = "The name of a tournament")),
    request_body(content = ref("#/components/schemas/JoinAsked"), content_type = "application/json"),
    responses((status = 204, description = "It is requested"))
)]
async fn join(
    Bearer(site, visitor): Bearer,
    Path(name): Path<String>,
    JsonBody(asked): JsonBody<JoinAsked>,
) -> Result<StatusCode> {
    let JoinAsked { bots, reason } = asked;
    actions::join(&site, &visitor, known(&name)?, bots, &reason).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Withdraw a bot
///
/// It leaves the tournament. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{name}/withdraw",
    operation_id = "withdraw_bot",
    tag = "organisers",
    params(("name" = String, Path, description = "The name of a tournament")),
    request_body(content = ref("#/components/schemas/WithdrawAsked"), content_type = "application/json"),
    responses((status = 204, description = "It is requested"))
)]
async fn withdraw(
    Bearer(site, visitor): Bearer,
    Path(name): Path<String>,
    JsonBody(asked): JsonBody<WithdrawAsked>,
) -> Result<StatusCode> {
    let WithdrawAsked { bot, reason } = asked;
    actions::withdraw(
        &site,
        &visitor,
        known(&name)?,
        &bot,
        Leaving::Withdrawn,
        &reason,
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Disqualify a bot
///
/// It leaves the tournament, and tables say that it was sent away; also when the tournament is over. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{name}/disqualify",
    operation_id = "disqualify_bot",
    tag = "organisers",
    params(("name" = String, Path, description = "The name of a tournament")),
    request_body(content = ref("#/components/schemas/DisqualifyAsked"), content_type = "application/json"),
    responses((status = 204, description = "It is requested"))
)]
async fn disqualify(
    Bearer(site, visitor): Bearer,
    Path(name): Path<String>,
    JsonBody(asked): JsonBody<DisqualifyAsked>,
) -> Result<StatusCode> {
    let DisqualifyAsked {
        bot,
        reason,
        void_matches,
    } = asked;
    let how = Leaving::Disqualified {
        counts: !void_matches,
    };
    actions::withdraw(&site, &visitor, known(&name)?, &bot, how, &reason).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The name of a tournament in an address.
pub(crate) fn known(typed: &str) -> Result<Name> {
    let absent = |_| Problem::not_found(format!("there is no tournament {typed:?}"));
    typed.parse().map_err(absent)
}
