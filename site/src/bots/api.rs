//! Bots: the list, and of each one its results and the history of its ratings.

use axum::extract::Path;
use axum::response::Response;
use flipside_store::{DescribedBot, HistoryRow, Profile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::routes;

use super::page::{known, profile};
use crate::shared::api::answer::{PageQuery, Query};
use crate::shared::api::operations::Operations;
use crate::shared::page::Visit;
use crate::shared::problem::Result;
use crate::site::ReadContext;

/// A version of a bot, with its results.
#[derive(JsonSchema, Serialize)]
pub(crate) struct BotShown {
    #[serde(flatten)]
    bot: DescribedBot,
    /// Its results in its latest 200 tournaments, without requested matches.
    results: Profile,
}

/// Which bots.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct BotFilter {
    /// Only those that have passed a check for this game.
    game: Option<String>,
    /// The most items of a page, from 1 to 200 [default: 50].
    limit: Option<usize>,
    /// Only those after this bot in the list: `greedy@2`.
    after: Option<String>,
}

/// Which ratings of a bot.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct BotRatings {
    /// Only those at this game.
    game: Option<String>,
    /// The most items of a page, from 1 to 200 [default: 50].
    limit: Option<usize>,
    /// Only those after this rating in the list: `flipfour:cup:3:greedy@2`, by game, tournament, round and bot.
    after: Option<String>,
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(bots))
        .routes(routes!(bot))
        .routes(routes!(bot_ratings))
}

/// Bots
///
/// All versions of all bots, in the order in which they came. What authors say of a bot is at the bot itself.
#[utoipa::path(
    get,
    path = "/api/v1/bots",
    tag = "bots",
    params(BotFilter),
    responses((status = 200, description = "A page of bots", body = ref("#/components/schemas/DescribedBotList")))
)]
async fn bots(Query(which): Query<BotFilter>, visit: Visit) -> Result<Response> {
    let key = format!("bots {which:?}");
    let make = move |reading: &ReadContext<'_>| {
        let asked = PageQuery::new("/api/v1/bots", which.limit, which.after.as_deref())?
            .filter("game", which.game.as_deref());
        let game = which
            .game
            .as_deref()
            .map(crate::shared::known_games::known)
            .transpose()?;
        let mut bots = reading.journal.bots()?;
        bots.retain(|bot| game.is_none_or(|game| bot.plays(game.info().id)));
        let bots = bots.into_iter().map(DescribedBot::from);
        asked.page_of(bots, |one| one.bot.label())
    };
    visit.json(key, make).await
}

/// A bot
///
/// A version, or the newest, with its results: tournaments, opponents, seats and faults.
#[utoipa::path(
    get,
    path = "/api/v1/bots/{bot}",
    tag = "bots",
    params(("bot" = String, Path, description = "`greedy@2`, or `greedy` for the newest version")),
    responses((status = 200, description = "The bot", body = ref("#/components/schemas/BotShown")))
)]
async fn bot(Path(typed): Path<String>, visit: Visit) -> Result<Response> {
    let key = format!("bot {typed}");
    let make = move |reading: &ReadContext<'_>| {
        let bot = known(reading, &typed)?;
        Ok(BotShown {
            results: profile(reading, &bot.label(), &bot)?,
            bot: reading.site.arena.describe(bot),
        })
    };
    visit.json(key, make).await
}

/// The ratings of a bot over time
///
/// Its rating after every rating period that it was entered in, as `flipside ratings --history` prints them. Without a
/// version in the address, those of all versions.
#[utoipa::path(
    get,
    path = "/api/v1/bots/{bot}/ratings",
    tag = "bots",
    params(("bot" = String, Path, description = "`greedy@2`, or `greedy` for all versions"), BotRatings),
    responses((status = 200, description = "A page of ratings", body = ref("#/components/schemas/HistoryRowList")))
)]
async fn bot_ratings(
    Path(typed): Path<String>,
    Query(which): Query<BotRatings>,
    visit: Visit,
) -> Result<Response> {
    let key = format!("history {typed} {which:?}");
    let make = move |reading: &ReadContext<'_>| {
        let bot = known(reading, &typed)?;
        let path = format!("/api/v1/bots/{typed}/ratings");
        let asked = PageQuery::new(path, which.limit, which.after.as_deref())?
            .filter("game", which.game.as_deref());
        let games = crate::shared::known_games::known_or_all(which.game.as_deref())?;
        let label = typed.contains('@').then(|| bot.label());
        let mut rows = Vec::new();
        for game in games {
            let history = reading.history(game.info().id, bot.name.as_str())?;
            let of_bot = |row: &&HistoryRow| label.as_ref().is_none_or(|label| row.bot == *label);
            rows.extend(history.iter().filter(of_bot).cloned());
        }
        asked.page_of(rows, |row| {
            format!("{}:{}:{}:{}", row.game, row.tournament, row.round, row.bot)
        })
    };
    visit.json(key, make).await
}
