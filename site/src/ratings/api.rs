//! Ratings of all bots.

use axum::response::Response;
use flipside_report::Rated;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::routes;

use crate::shared::api::answer::{PageQuery, Query};
use crate::shared::api::operations::Operations;
use crate::shared::page::Visit;
use crate::shared::problem::Result;
use crate::site::ReadContext;

/// Which ratings.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct RatingsFilter {
    /// Only those at this game.
    game: Option<String>,
    /// The most items of a page, from 1 to 200 [default: 50].
    limit: Option<usize>,
    /// Only those after this rating in the list: `flipfour:greedy@2`, by game and bot.
    after: Option<String>,
}

pub(crate) fn operations() -> Operations {
    Operations::default().routes(routes!(ratings))
}

/// Ratings
///
/// Game by game, the best bot first, as `flipside ratings --json` prints them. Ratings that change while you read the
/// list page by page may move a bot from one page to another.
#[utoipa::path(
    get,
    path = "/api/v1/ratings",
    tag = "ratings",
    params(RatingsFilter),
    responses((status = 200, description = "A page of ratings", body = ref("#/components/schemas/RatedList")))
)]
async fn ratings(Query(which): Query<RatingsFilter>, visit: Visit) -> Result<Response> {
    let key = format!("ratings {which:?}");
    let make = move |reading: &ReadContext<'_>| {
        let asked = PageQuery::new("/api/v1/ratings", which.limit, which.after.as_deref())?
            .filter("game", which.game.as_deref());
        let games = crate::shared::known_games::known_or_all(which.game.as_deref())?;
        let mut rows = Vec::new();
        for game in games {
            let id = game.info().id;
            rows.extend(reading.ratings(id)?.0.rows.iter().map(|row| Rated {
                game: id.to_owned(),
                row: row.clone(),
            }));
        }
        asked.page_of(rows, |one| format!("{}:{}", one.game, one.row.bot))
    };
    visit.json(key, make).await
}
