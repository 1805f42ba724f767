//! The state of the server, and what it plays at the moment.

use axum::response::Response;
use flipside_runner::LiveMatch;
use flipside_tournament::milliseconds;
use schemars::JsonSchema;
use serde::Serialize;
use utoipa_axum::routes;

use crate::accounts::settings::SignUp;
use crate::shared::api::answer::JsonDocument;
use crate::shared::api::operations::{BASE, Operations};
use crate::shared::page::Visit;
use crate::shared::problem::Result;

/// What one meets at this address.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Server {
    /// The version of Flipside.
    flipside: &'static str,
    /// Who can make an account.
    sign_up: SignUp,
    /// The tournaments that are played now, by this server or by another process.
    running: Vec<String>,
    /// The tournament that this server plays now.
    playing: Option<String>,
    /// The address of the OpenAPI document.
    openapi: String,
}

/// The matches that this server plays now.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Playing {
    /// The tournament; null if nothing is played.
    tournament: Option<String>,
    /// Its running matches, with what everybody may see of them.
    matches: Vec<RunningMatch>,
}

/// A match that is being played, or has just ended.
#[derive(JsonSchema, Serialize)]
struct RunningMatch {
    /// Its id.
    id: String,
    /// Actions taken, of all seats.
    plies: u64,
    /// How long ago it began, in milliseconds.
    duration_ms: u64,
    /// Whether it has ended since.
    is_over: bool,
    /// The seats, in order.
    seats: Vec<RunningSeat>,
}

/// A seat of a running match.
#[derive(JsonSchema, Serialize)]
struct RunningSeat {
    /// Who plays: `greedy@2`.
    bot: String,
    /// The time used for moves, in milliseconds.
    used_ms: f64,
    /// Whether the match waits for it.
    is_asked: bool,
    /// Whether its bot is disqualified.
    is_disqualified: bool,
}

impl From<LiveMatch> for RunningMatch {
    fn from(seen: LiveMatch) -> Self {
        let whole = |number: u128| number.try_into().unwrap_or(u64::MAX);
        let seats = seen.seats.into_iter().map(|seat| RunningSeat {
            bot: seat.name,
            used_ms: milliseconds(whole(seat.used.as_micros())),
            is_asked: seat.is_asked,
            is_disqualified: seat.is_disqualified,
        });
        RunningMatch {
            id: seen.id,
            plies: seen.plies,
            duration_ms: whole(seen.began.elapsed().as_millis()),
            is_over: seen.is_over,
            seats: seats.collect(),
        }
    }
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(server))
        .routes(routes!(playing))
}

/// The server
///
/// Its version, who can make an account, and which tournaments run.
#[utoipa::path(
    get,
    path = "/api/v1",
    operation_id = "server_info",
    tag = "server",
    responses((status = 200, description = "The server", body = ref("#/components/schemas/Server")))
)]
async fn server(visit: Visit) -> Result<Response> {
    let news = visit.site.news().borrow().clone();
    let playing = visit.site.host().and_then(|host| host.now());
    let server = Server {
        flipside: env!("CARGO_PKG_VERSION"),
        sign_up: visit.site.settings.sign_up,
        running: news.running.into_iter().collect(),
        playing: playing.map(|(name, _)| name.to_string()),
        openapi: format!("{BASE}/openapi.json"),
    };
    Ok(JsonDocument::of(&server)?.answer(&visit))
}

/// Running matches
///
/// The matches that this server plays now, with what everybody may see of them.
#[utoipa::path(
    get,
    path = "/api/v1/playing",
    operation_id = "now_playing",
    tag = "server",
    responses((status = 200, description = "The running matches", body = ref("#/components/schemas/Playing")))
)]
async fn playing(visit: Visit) -> Result<Response> {
    let (tournament, matches) = match visit.site.host().and_then(|host| host.now()) {
        Some((name, live)) => (Some(name.to_string()), live.matches()),
        None => (None, Vec::new()),
    };
    let playing = Playing {
        tournament,
        matches: matches.into_iter().map(RunningMatch::from).collect(),
    };
    Ok(JsonDocument::of(&playing)?.answer(&visit))
}
