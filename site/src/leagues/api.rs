//! Leagues: their seasons with the total tables, and who enters.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use flipside_tournament::league::{League, LeagueRow};
use flipside_tournament::{ChangeReason, Name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa_axum::routes;

use super::actions as action;
use super::progress::{DivisionTable, tables};
use super::season::{Season, SeasonTimes};
use crate::accounts::caller::Bearer;
use crate::shared::actions::MAX_DESCRIPTION;
use crate::shared::api::answer::{JsonDocument, ListDocument, made};
use crate::shared::api::body::JsonBody;
use crate::shared::api::bounds;
use crate::shared::api::operations::Operations;
use crate::shared::page::Visit;
use crate::shared::problem::{Problem, Result};
use crate::site::{ReadContext, stamp_of};

/// A league that is asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeagueAsked {
    /// Its description in TOML.
    #[schemars(length(max = MAX_DESCRIPTION))]
    toml: String,
}

/// A league that was made.
#[derive(JsonSchema, Serialize)]
pub(crate) struct LeagueMade {
    /// Its name.
    league: String,
}

/// A season that was announced.
#[derive(JsonSchema, Serialize)]
pub(crate) struct SeasonMade {
    /// Its number, from 1.
    season: u32,
}

/// Why a season is cancelled.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeasonCancelAsked {
    /// Why, in one line of at most 200 characters.
    #[schemars(length(min = 1, max = ChangeReason::MAX_CHARS), regex(pattern = bounds::SAID))]
    reason: String,
}

/// A bot that enters.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryAsked {
    /// Its name. Its newest version at the deadline plays.
    #[schemars(regex(pattern = Name::pattern()))]
    bot: String,
}

/// A league in a list.
#[derive(JsonSchema, Serialize)]
pub(crate) struct LeagueShort {
    /// Its name.
    league: String,
    /// Its title; its name where it has none.
    title: String,
    /// The ids of its games.
    games: Vec<String>,
    /// Its last season; null before one is announced.
    season: Option<SeasonRow>,
}

/// A league.
#[derive(JsonSchema, Serialize)]
pub(crate) struct LeagueShown {
    /// Its name.
    league: String,
    /// Its title; its name where it has none.
    title: String,
    /// The ids of its games.
    games: Vec<String>,
    /// How many divisions there are at most.
    divisions: usize,
    /// How many bots play in each division but the last, which takes all others; in a league of several divisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<usize>,
    /// How many bots move up and down between two divisions after a season; in a league of several divisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<usize>,
    /// Its seasons, from the first.
    seasons: Vec<SeasonRow>,
    /// The names of the bots that are entered for the next season.
    entries: Vec<String>,
}

/// A season.
#[derive(JsonSchema, Serialize)]
pub(super) struct SeasonRow {
    /// Its number, from 1.
    season: u32,
    /// How far it is.
    state: &'static str,
    /// What went wrong, or why it was cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// Versions that are submitted later do not play. In RFC 3339, as all times.
    #[serde(serialize_with = "flipside_tournament::serialize_utc")]
    #[schemars(with = "String")]
    deadline: u64,
    /// When its matches begin.
    #[serde(serialize_with = "flipside_tournament::serialize_utc")]
    #[schemars(with = "String")]
    starts_at: u64,
    /// When they end at the latest.
    #[serde(serialize_with = "flipside_tournament::serialize_utc")]
    #[schemars(with = "String")]
    ends_at: u64,
}

/// A season with its tables.
#[derive(JsonSchema, Serialize)]
pub(crate) struct SeasonShown {
    #[serde(flatten)]
    row: SeasonRow,
    /// From the highest; none before it is known who plays.
    divisions: Vec<DivisionShown>,
}

/// A division of a season.
#[derive(JsonSchema, Serialize)]
struct DivisionShown {
    /// Its number, from 1.
    division: usize,
    /// Its games, in the order of the league.
    games: Vec<GameShown>,
    /// The total table.
    rows: Vec<LeagueRow>,
}

/// A game of a division.
#[derive(JsonSchema, Serialize)]
struct GameShown {
    /// The game's id.
    game: String,
    /// Its tournament; null before it has begun, and where too few bots play the game.
    tournament: Option<String>,
    /// How far it is: `running`, `stopped` or `over`.
    state: Option<&'static str>,
}

impl LeagueShort {
    fn of((league, season): (League, Option<Season>)) -> Self {
        LeagueShort {
            league: league.name.to_string(),
            title: league.headline().to_owned(),
            games: league.games,
            season: season.as_ref().map(SeasonRow::of),
        }
    }
}

impl SeasonRow {
    fn of(season: &Season) -> Self {
        SeasonRow {
            season: season.number,
            state: season.state.name(),
            why: season.why.clone(),
            deadline: season.times.deadline,
            starts_at: season.times.starts_at,
            ends_at: season.times.ends_at,
        }
    }
}

impl From<DivisionTable> for DivisionShown {
    fn from(table: DivisionTable) -> Self {
        let games = table.games.into_iter().map(|game| GameShown {
            tournament: game.row.as_ref().map(|_| game.tournament.to_string()),
            state: game.row.map(|row| row.state.word()),
            game: game.game,
        });
        DivisionShown {
            division: table.number,
            games: games.collect(),
            rows: table.rows,
        }
    }
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(leagues))
        .routes(routes!(league))
        .routes(routes!(season))
        .routes(routes!(make_league))
        .routes(routes!(announce_season))
        .routes(routes!(cancel_season))
        .routes(routes!(enter_league))
        .routes(routes!(leave_league))
}

/// Leagues
///
/// All leagues, by name, on one page.
#[utoipa::path(
    get,
    path = "/api/v1/leagues",
    tag = "leagues",
    responses((status = 200, description = "The leagues", body = ref("#/components/schemas/LeagueShortList")))
)]
async fn leagues(visit: Visit) -> Result<Response> {
    // A site that only reads has none.
    let all = match visit.site.accounts {
        Some(_) => visit.site.stored(action::all).await?,
        None => Vec::new(),
    };
    let all = ListDocument::whole(all.into_iter().map(LeagueShort::of));
    Ok(JsonDocument::of(&all)?.answer(&visit))
}

/// A league
///
/// Its games, its seasons, and the bots that are entered for the next one.
#[utoipa::path(
    get,
    path = "/api/v1/leagues/{league}",
    tag = "leagues",
    params(("league" = String, Path, description = "The name of a league")),
    responses((status = 200, description = "The league", body = ref("#/components/schemas/LeagueShown")))
)]
async fn league(Path(name): Path<String>, visit: Visit) -> Result<Response> {
    let stored = action::stored(&visit.site, known(&name)?).await?;
    let league = stored.league;
    let of_divisions = |number| league.has_divisions().then_some(number);
    let shown = LeagueShown {
        league: league.name.to_string(),
        title: league.headline().to_owned(),
        divisions: league.divisions,
        places: of_divisions(league.places),
        moves: of_divisions(league.moves),
        games: league.games,
        seasons: stored.seasons.iter().map(SeasonRow::of).collect(),
        entries: stored.entries,
    };
    Ok(JsonDocument::of(&shown)?.answer(&visit))
}

/// A season
///
/// Its times and, once it is known who plays, the total table of each division.
#[utoipa::path(
    get,
    path = "/api/v1/leagues/{league}/seasons/{season}",
    tag = "leagues",
    params(
        ("league" = String, Path, description = "The name of a league"),
        ("season" = u32, Path, description = "The number of a season")
    ),
    responses((status = 200, description = "The season", body = ref("#/components/schemas/SeasonShown")))
)]
async fn season(Path((name, number)): Path<(String, String)>, visit: Visit) -> Result<Response> {
    let stored = action::stored(&visit.site, known(&name)?).await?;
    let season = stored.season(numbered(&name, &number)?)?.clone();
    let league = stored.league;
    let key = format!("season {}", stamp_of(&format!("{season:?}")));
    let make = move |reading: &ReadContext<'_>| {
        let tables = tables(&reading.site.arena, reading.journal, &league, &season)?;
        Ok(SeasonShown {
            row: SeasonRow::of(&season),
            divisions: tables.into_iter().map(DivisionShown::from).collect(),
        })
    };
    visit.json(key, make).await
}

/// Make a league
///
/// Its description has the keys of a league's file. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/leagues",
    tag = "organisers",
    request_body(content = ref("#/components/schemas/LeagueAsked"), content_type = "application/json"),
    responses((status = 201, description = "The league", body = ref("#/components/schemas/LeagueMade")))
)]
async fn make_league(
    Bearer(site, visitor): Bearer,
    JsonBody(asked): JsonBody<LeagueAsked>,
) -> Result<Response> {
    let league = action::make(&site, &visitor, asked.toml).await?.to_string();
    let location = format!("/api/v1/leagues/{league}");
    Ok(made(StatusCode::CREATED, location, LeagueMade { league }))
}

/// Announce a season
///
/// Bots can be entered until its deadline. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/leagues/{league}/seasons",
    tag = "organisers",
    params(("league" = String, Path, description = "The name of a league")),
    request_body(content = ref("#/components/schemas/SeasonAsked"), content_type = "application/json"),
    responses((status = 201, description = "The season", body = ref("#/components/schemas/SeasonMade")))
)]
async fn announce_season(
    Bearer(site, visitor): Bearer,
    Path(name): Path<String>,
    JsonBody(times): JsonBody<SeasonTimes>,
) -> Result<Response> {
    let season = action::announce(&site, &visitor, known(&name)?, times).await?;
    let location = format!("/api/v1/leagues/{name}/seasons/{season}");
    Ok(made(StatusCode::CREATED, location, SeasonMade { season }))
}

/// Cancel a season
///
/// Its tournaments end, and it counts for nothing. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/leagues/{league}/seasons/{season}/cancel",
    tag = "organisers",
    params(
        ("league" = String, Path, description = "The name of a league"),
        ("season" = u32, Path, description = "The number of a season")
    ),
    request_body(content = ref("#/components/schemas/SeasonCancelAsked"), content_type = "application/json"),
    responses((status = 204, description = "It is cancelled"))
)]
async fn cancel_season(
    Bearer(site, visitor): Bearer,
    Path((name, number)): Path<(String, String)>,
    JsonBody(asked): JsonBody<SeasonCancelAsked>,
) -> Result<StatusCode> {
    let number = numbered(&name, &number)?;
    action::cancel(&site, &visitor, known(&name)?, number, &asked.reason).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Enter a bot
///
/// For the seasons whose deadline is still to come, until it is taken out.
#[utoipa::path(
    post,
    path = "/api/v1/leagues/{league}/entries",
    tag = "leagues",
    params(("league" = String, Path, description = "The name of a league")),
    request_body(content = ref("#/components/schemas/EntryAsked"), content_type = "application/json"),
    responses((status = 204, description = "It is entered"))
)]
async fn enter_league(
    Bearer(site, visitor): Bearer,
    Path(name): Path<String>,
    JsonBody(asked): JsonBody<EntryAsked>,
) -> Result<StatusCode> {
    let bot = bot_named(&asked.bot)?;
    action::enter(&site, &visitor, known(&name)?, bot).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Take a bot out
///
/// It does not play in seasons whose deadline is still to come.
#[utoipa::path(
    delete,
    path = "/api/v1/leagues/{league}/entries/{bot}",
    tag = "leagues",
    params(
        ("league" = String, Path, description = "The name of a league"),
        ("bot" = String, Path, description = "The name of a bot")
    ),
    responses((status = 204, description = "It is not entered"))
)]
async fn leave_league(
    Bearer(site, visitor): Bearer,
    Path((name, bot)): Path<(String, String)>,
) -> Result<StatusCode> {
    action::leave(&site, &visitor, known(&name)?, bot_named(&bot)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The name of a league in an address.
fn known(typed: &str) -> Result<Name> {
    let absent = |_| Problem::not_found(format!("there is no league {typed:?}"));
    typed.parse().map_err(absent)
}

/// The number of a season in an address.
fn numbered(name: &str, typed: &str) -> Result<u32> {
    let absent = |_| Problem::not_found(format!("{name} has no season {typed:?}"));
    typed.parse().map_err(absent)
}

/// The name of a bot.
fn bot_named(typed: &str) -> Result<Name> {
    let absent = |_| Problem::not_found(format!("there is no bot {typed:?}"));
    typed.parse().map_err(absent)
}
