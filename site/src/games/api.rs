//! Games: what they are, their rules, their schemas.

use axum::extract::Path;
use axum::response::Response;
use flipside_games::{Info, all_games};
use flipside_operations::rules_page;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use utoipa_axum::routes;

use crate::shared::api::answer::{JsonDocument, ListDocument};
use crate::shared::api::operations::Operations;
use crate::shared::known_games::look_up;
use crate::shared::page::Visit;
use crate::shared::problem::Result;
use crate::site::ReadContext;

/// A game in a list.
#[derive(JsonSchema, Serialize)]
pub(crate) struct GameRow {
    #[serde(flatten)]
    info: Info,
    /// Matches with a result, in all tournaments.
    matches: u64,
}

/// A game.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Game")]
pub(crate) struct GameDocument {
    #[serde(flatten)]
    info: Info,
    /// The default options.
    options: Value,
    /// The rules, in Markdown.
    rules: &'static str,
    /// The SHA-256 of its program; none of a built-in game.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<&'static str>,
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(games))
        .routes(routes!(game))
        .routes(routes!(game_schemas))
}

/// Games
///
/// All games, on one page.
#[utoipa::path(
    get,
    path = "/api/v1/games",
    tag = "games",
    responses((status = 200, description = "The games", body = ref("#/components/schemas/GameRowList")))
)]
async fn games(visit: Visit) -> Result<Response> {
    let make = |reading: &ReadContext<'_>| {
        let all = reading.journal.matches_by_game()?;
        Ok(ListDocument::whole(all_games().into_iter().map(|game| {
            let info = *game.info();
            let matches = all.get(info.id).copied().unwrap_or(0);
            GameRow { info, matches }
        })))
    };
    visit.json("games", make).await
}

/// A game
///
/// What it is, its default options and its rules.
#[utoipa::path(
    get,
    path = "/api/v1/games/{game}",
    tag = "games",
    params(("game" = String, Path, description = "The id of a game")),
    responses((status = 200, description = "The game", body = ref("#/components/schemas/Game")))
)]
async fn game(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    let game = look_up(&visit.site, id).await?;
    let info = *game.info();
    let options = &game.presets()[0].1;
    let shown = GameDocument {
        rules: match game.program() {
            None => rules_page(info.id)?.text,
            Some(program) => &program.rules,
        },
        sha256: game.program().map(|program| &*program.sha256),
        options: serde_json::from_str(options)?,
        info,
    };
    Ok(JsonDocument::of(&shown)?.answer(&visit))
}

/// The schemas of a game
///
/// JSON Schemas of its options, actions and views.
#[utoipa::path(
    get,
    path = "/api/v1/games/{game}/schemas",
    tag = "games",
    params(("game" = String, Path, description = "The id of a game")),
    responses((status = 200, description = "JSON Schemas by name", body = Object))
)]
async fn game_schemas(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    let game = look_up(&visit.site, id).await?;
    Ok(JsonDocument::of(&game.schemas())?.answer(&visit))
}
