//! Matches that an account plays itself against bots, as in the browser.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use flipside_games::Seat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa_axum::routes;

use super::pages::{find, record};
use super::session::{
    MatchOwner, OfferedAction, PlaySession, PlayerCommand, SessionPhase, SessionView,
};
use super::sessions::{PlayRequest, given_seed};
use crate::accounts::caller::{Bearer, Caller};
use crate::accounts::visitor::AccountVisitor;
use crate::shared::api::answer::{made, own};
use crate::shared::api::body::JsonBody;
use crate::shared::api::operations::Operations;
use crate::shared::problem::Result;
use crate::site::ReadContext;

/// A match that is asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayAsked {
    /// The game's id.
    game: String,
    /// Bots of the arena or built-in bots, for the other seats in turn: with copies if there are too few.
    bots: Vec<String>,
    /// How many seats there are; the default is one more than bots.
    seats: Option<u8>,
    /// The caller's seat, from 0.
    #[serde(default)]
    seat: Seat,
    /// Options of the game.
    #[serde(default)]
    options: Map<String, Value>,
    /// The seed of an earlier match, `over.seed` of its record, for the same random events; by default a new one is
    /// drawn. The record of a match with a given seed is not signed.
    seed: Option<String>,
}

/// A match that was begun.
#[derive(JsonSchema, Serialize)]
pub(crate) struct PlayBegun {
    /// Its id.
    play: String,
}

/// An answer to a question.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActAsked {
    /// The number of the question. An answer to an earlier one changes nothing.
    question: u64,
    /// The action, in the game's notation.
    action: String,
}

/// Giving a match up.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeaveAsked {
    /// The number of the question.
    question: u64,
}

/// A match as its player sees it.
#[derive(JsonSchema, Serialize)]
pub(crate) struct PlayShown {
    /// The game's id.
    game: &'static str,
    /// The names, by seat.
    names: Vec<String>,
    /// The player's seat.
    seat: Seat,
    /// What the match waits for.
    state: PlayState,
    /// The number of the last question to the player; 0 before the first.
    question: u64,
    /// The legal actions, while the player is asked.
    actions: Vec<OfferedAction>,
    /// Whether other seats choose at the same time.
    is_shared: bool,
    /// Why the last answer was refused.
    refused: Option<String>,
    /// What has happened, in words, the latest last.
    lines: Vec<String>,
    /// The table as SVG.
    board: String,
    /// By seat, the place from 1; null before the end.
    places: Option<Vec<u8>>,
    /// Why it is over, or has ended without a result.
    reason: Option<String>,
}

/// What a match waits for.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
enum PlayState {
    /// The bots start.
    Starting,
    /// Bots choose.
    Waiting,
    /// The player chooses.
    Yours,
    /// It is over, and has a record.
    Over,
    /// It has ended without a result.
    Ended,
}

impl PlayShown {
    fn of(session: &PlaySession) -> Self {
        let SessionView {
            question,
            phase,
            board,
            actions,
            is_shared,
            lines,
            refused,
        } = session.scene();
        let (state, places, reason) = match phase {
            SessionPhase::Starting => (PlayState::Starting, None, None),
            SessionPhase::Waiting => (PlayState::Waiting, None, None),
            SessionPhase::Yours => (PlayState::Yours, None, None),
            SessionPhase::Over(ending) => {
                (PlayState::Over, Some(ending.places), Some(ending.reason))
            }
            SessionPhase::Ended(why) => (PlayState::Ended, None, Some(why)),
        };
        PlayShown {
            game: session.game.id,
            names: session.names.clone(),
            seat: session.own,
            state,
            question,
            actions,
            is_shared,
            refused,
            lines,
            board,
            places,
            reason,
        }
    }
}

fn owner_of(visitor: &AccountVisitor) -> MatchOwner {
    MatchOwner::Account(visitor.account.id)
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(play))
        .routes(routes!(played))
        .routes(routes!(act))
        .routes(routes!(leave))
        .routes(routes!(played_record))
}

/// Play a match
///
/// The caller takes a seat against bots, as people do in the browser. Such matches change no rating.
#[utoipa::path(
    post,
    path = "/api/v1/play",
    operation_id = "begin_play",
    tag = "play",
    request_body(content = ref("#/components/schemas/PlayAsked"), content_type = "application/json"),
    responses((status = 201, description = "The match", body = ref("#/components/schemas/PlayBegun")))
)]
async fn play(
    Bearer(site, visitor): Bearer,
    JsonBody(asked): JsonBody<PlayAsked>,
) -> Result<Response> {
    let wish = PlayRequest {
        game: asked.game,
        bots: asked.bots,
        seats: asked.seats,
        seat: asked.seat,
        options: Value::Object(asked.options).to_string(),
        seed: asked.seed.as_deref().map(given_seed).transpose()?,
    };
    let owner = owner_of(&visitor);
    let begin =
        move |reading: &ReadContext<'_>| reading.site.play_sessions.begin(owner, None, &wish);
    let play = site.read(begin).await?;
    let location = format!("/api/v1/play/{play}");
    Ok(made(StatusCode::CREATED, location, PlayBegun { play }))
}

/// A match of one's own
///
/// As its player sees it. Ask again until it is the player's turn.
#[utoipa::path(
    get,
    path = "/api/v1/play/{play}",
    operation_id = "play_state",
    tag = "play",
    security(("token" = [])),
    params(("play" = String, Path, description = "The id of a match that was begun here")),
    responses((status = 200, description = "The match", body = ref("#/components/schemas/PlayShown")))
)]
async fn played(Caller(site, visitor): Caller, Path(id): Path<String>) -> Result<Response> {
    let session = find(&site, &[owner_of(&visitor)], &id)?;
    Ok(own(StatusCode::OK, PlayShown::of(&session)))
}

/// Act
///
/// The answer comes at once; whether the action is legal is in the match, as `refused`.
#[utoipa::path(
    post,
    path = "/api/v1/play/{play}/act",
    operation_id = "act_in_play",
    tag = "play",
    params(("play" = String, Path, description = "The id of a match that was begun here")),
    request_body(content = ref("#/components/schemas/ActAsked"), content_type = "application/json"),
    responses((status = 204, description = "It is passed on"))
)]
async fn act(
    Bearer(site, visitor): Bearer,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<ActAsked>,
) -> Result<StatusCode> {
    let ActAsked { question, action } = asked;
    find(&site, &[owner_of(&visitor)], &id)?.say(question, PlayerCommand::Act(action));
    Ok(StatusCode::NO_CONTENT)
}

/// Give a match up
///
/// A match of two seats is lost. With more seats, it ends without a result.
#[utoipa::path(
    post,
    path = "/api/v1/play/{play}/leave",
    operation_id = "leave_play",
    tag = "play",
    params(("play" = String, Path, description = "The id of a match that was begun here")),
    request_body(content = ref("#/components/schemas/LeaveAsked"), content_type = "application/json"),
    responses((status = 204, description = "It is passed on"))
)]
async fn leave(
    Bearer(site, visitor): Bearer,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<LeaveAsked>,
) -> Result<StatusCode> {
    find(&site, &[owner_of(&visitor)], &id)?.say(asked.question, PlayerCommand::Leave);
    Ok(StatusCode::NO_CONTENT)
}

/// The record of a match of one's own
///
/// JSON lines, once it is over.
#[utoipa::path(
    get,
    path = "/api/v1/play/{play}/record",
    operation_id = "play_record",
    tag = "play",
    security(("token" = [])),
    params(("play" = String, Path, description = "The id of a match that was begun here")),
    responses((status = 200, description = "The record", content_type = "text/plain", body = String))
)]
async fn played_record(Caller(site, visitor): Caller, Path(id): Path<String>) -> Result<Response> {
    record(&site, &[owner_of(&visitor)], &id)
}
