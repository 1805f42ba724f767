//! Tournaments: the list, and of each one its settings, standings and statistics.

use axum::extract::Path;
use axum::response::Response;
use flipside_report::headline;
use flipside_store::{TournamentFilter, TournamentRow, change_rows};
use flipside_tournament::{ChangeRow, CrossTable, FullTable, Standings, Tournament};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::IntoParams;
use utoipa_axum::routes;

use crate::shared::api::answer::{PageQuery, Query};
use crate::shared::api::operations::Operations;
use crate::shared::page::Visit;
use crate::shared::problem::{Problem, Result};
use crate::site::ReadContext;

/// The most bots of a cross table or a table of superiority, the best; the tables grow with the square of it.
const MAX_CROSSED: usize = 200;

/// The most matches of two bots whose statistics are told, in order of entry.
const MAX_PAIRS: usize = 1_000;

/// How many tournaments are looked at for a page of those in a state.
const MAX_LOOKED_AT: usize = 500;

/// A tournament.
#[derive(JsonSchema, Serialize)]
pub(crate) struct TournamentShown {
    #[serde(flatten)]
    row: TournamentRow,
    /// Its title; its name where it has none.
    title: String,
    /// What it is fixed by, with the keys of a tournament's file. Its `seed` is the number of the whole seed; `salt`, the
    /// rest of it, is told when it is over.
    settings: Map<String, Value>,
    /// Its bots, in order of entry: `greedy@2`.
    entrants: Vec<String>,
    /// What was changed since it began.
    changes: Vec<ChangeRow>,
}

/// Which tournaments.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct TournamentListQuery {
    /// Only those of this game.
    game: Option<String>,
    /// Only those in this state: `running`, `stopped` or `over`. A page may have fewer items than the next one then.
    state: Option<String>,
    /// Whether requested matches are listed, in place of the other tournaments.
    #[serde(default)]
    #[param(required = false)]
    requests: bool,
    /// The most items of a page, from 1 to 200 [default: 50].
    limit: Option<usize>,
    /// Only those after the tournament of this name in the list.
    after: Option<String>,
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(tournaments))
        .routes(routes!(tournament))
        .routes(routes!(standings))
        .routes(routes!(cross_table))
        .routes(routes!(statistics))
}

/// Tournaments
///
/// The latest first.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments",
    tag = "tournaments",
    params(TournamentListQuery),
    responses((
        status = 200,
        description = "A page of tournaments",
        body = ref("#/components/schemas/TournamentRowList")
    ))
)]
async fn tournaments(Query(which): Query<TournamentListQuery>, visit: Visit) -> Result<Response> {
    let key = format!("tournaments {which:?}");
    let make = move |reading: &ReadContext<'_>| {
        let asked = PageQuery::new("/api/v1/tournaments", which.limit, which.after.as_deref())?
            .filter("game", which.game.as_deref())
            .filter("state", which.state.as_deref())
            .filter("requests", which.requests.then_some("true"));
        let (game, state) = (which.game.as_deref(), which.state.as_deref());
        if let Some(state) = state
            && !["running", "stopped", "over"].contains(&state)
        {
            let message = format!("{state:?} is not a state of tournaments");
            return Err(Problem::not_found(message).hint("state=running, stopped or over"));
        }
        let before = asked.before(reading)?;
        let of = TournamentFilter {
            game: game.map(str::to_owned),
            requests: Some(which.requests),
            before,
            ..TournamentFilter::default()
        };
        let Some(state) = state else {
            let rows = reading.listed(&of, asked.limit + 1)?;
            return Ok(asked.page(rows, |row| row.tournament.clone()));
        };
        // How far a tournament is is not stored, so each is looked at: so many for a page, which may then have fewer
        // rows than the next one.
        let looked_at = reading.listed(&of, MAX_LOOKED_AT)?;
        let last = looked_at.last().map(|row| row.tournament.clone());
        let is_all = looked_at.len() < MAX_LOOKED_AT;
        let found = looked_at
            .into_iter()
            .filter(|row| row.state.word() == state);
        let found = found.take(asked.limit + 1).collect();
        let mut page = asked.page(found, |row| row.tournament.clone());
        if page.next.is_none() && !is_all {
            page.next = last.map(|last| asked.address(&last));
        }
        Ok(page)
    };
    visit.json(key, make).await
}

/// A tournament
///
/// Its settings, its bots, how far it is and what was changed.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{name}",
    tag = "tournaments",
    params(("name" = String, Path, description = "The name of a tournament")),
    responses((
        status = 200,
        description = "The tournament",
        body = ref("#/components/schemas/TournamentShown")
    ))
)]
async fn tournament(Path(name): Path<String>, visit: Visit) -> Result<Response> {
    let key = format!("tournament {name}");
    let make = move |reading: &ReadContext<'_>| {
        let tournament = reading.journal.tournament(&name)?;
        let row = reading.row(&tournament)?;
        Ok(TournamentShown {
            title: headline(&tournament).to_owned(),
            settings: settings(&tournament, reading.is_over(&tournament)?)?,
            entrants: tournament.entrants.iter().map(|bot| bot.label()).collect(),
            changes: change_rows(reading.journal, &tournament)?,
            row,
        })
    };
    visit.json(key, make).await
}

/// What a tournament is fixed by. With the salt, everybody could compute random events of matches to come.
fn settings(tournament: &Tournament, is_over: bool) -> Result<Map<String, Value>> {
    let Value::Object(mut settings) = serde_json::to_value(&tournament.settings)? else {
        return Err(Problem::internal(&"settings are an object"));
    };
    if !is_over {
        settings.remove("salt");
    }
    Ok(settings)
}

/// Standings
///
/// The standings with the cross table of the first 200 bots, as `flipside table --json` prints them.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{name}/standings",
    tag = "tournaments",
    params(("name" = String, Path, description = "The name of a tournament")),
    responses((status = 200, description = "The standings", body = ref("#/components/schemas/Standings")))
)]
async fn standings(Path(name): Path<String>, visit: Visit) -> Result<Response> {
    let key = format!("standings {name}");
    let make = move |reading: &ReadContext<'_>| {
        let tournament = reading.journal.tournament(&name)?;
        Ok(public(reading.table(&tournament)?.full.standings.clone()))
    };
    visit.json(key, make).await
}

/// The cross table
///
/// Who won, drew and lost how often against whom: the first 200 bots, in order of rank.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{name}/cross",
    tag = "tournaments",
    params(("name" = String, Path, description = "The name of a tournament")),
    responses((status = 200, description = "The cross table", body = ref("#/components/schemas/CrossTable")))
)]
async fn cross_table(Path(name): Path<String>, visit: Visit) -> Result<Response> {
    let key = format!("cross {name}");
    let make = move |reading: &ReadContext<'_>| {
        let tournament = reading.journal.tournament(&name)?;
        let mut table = reading.table(&tournament)?.full.standings.cross.clone();
        cut(&mut table);
        Ok(table)
    };
    visit.json(key, make).await
}

/// Statistics
///
/// The standings with every statistic, as `flipside table --full --json` prints them, without the slowest moves. Tables
/// by two bots have the first 200 bots.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{name}/statistics",
    tag = "tournaments",
    params(("name" = String, Path, description = "The name of a tournament")),
    responses((status = 200, description = "The statistics", body = ref("#/components/schemas/FullTable")))
)]
async fn statistics(Path(name): Path<String>, visit: Visit) -> Result<Response> {
    let key = format!("statistics {name}");
    let make = move |reading: &ReadContext<'_>| {
        let tournament = reading.journal.tournament(&name)?;
        let full = reading.table(&tournament)?.full.clone();
        let mut statistics = full.statistics;
        statistics.superiority.truncate(MAX_CROSSED);
        for row in &mut statistics.superiority {
            row.truncate(MAX_CROSSED);
        }
        statistics.pairs_left_out += statistics.pairs.len().saturating_sub(MAX_PAIRS);
        statistics.pairs.truncate(MAX_PAIRS);
        Ok(FullTable {
            standings: public(full.standings),
            statistics,
            slowest: None,
        })
    };
    visit.json(key, make).await
}

/// The same without what would make it too large.
fn public(mut standings: Standings) -> Standings {
    cut(&mut standings.cross);
    standings
}

fn cut(table: &mut CrossTable) {
    table.bots.truncate(MAX_CROSSED);
    table.cells.truncate(MAX_CROSSED);
    for row in &mut table.cells {
        row.truncate(MAX_CROSSED);
    }
}
