//! Matches: lists, results, records. A match is here when it is over, and its record when its tournament is.

use axum::extract::Path;
use axum::response::Response;
use flipside_store::{MatchFilter, MatchRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::routes;

use super::list_page::match_filter;
use super::page;
use crate::shared::api::answer::{PageQuery, Query};
use crate::shared::api::operations::Operations;
use crate::shared::page::Visit;
use crate::shared::problem::{Problem, Result};
use crate::site::ReadContext;

/// A match with what helps authors.
#[derive(JsonSchema, Serialize)]
pub(crate) struct MatchShown {
    #[serde(flatten)]
    row: MatchRow,
    /// How bots could avoid their faults.
    hints: Vec<SeatHint>,
    /// The address of its record; null until its tournament is over, and where there is none.
    record: Option<String>,
}

/// How a bot could avoid its fault.
#[derive(JsonSchema, Serialize)]
struct SeatHint {
    /// The seat, from 0.
    seat: u8,
    /// The hint.
    hint: String,
}

/// Which matches.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct MatchFilterQuery {
    /// Only those of this tournament.
    tournament: Option<String>,
    /// Only those at this game.
    game: Option<String>,
    /// Only those of this bot: `greedy@2`; without a version, the newest.
    bot: Option<String>,
    /// Only those of this round, from 0; with `tournament`.
    round: Option<u32>,
    /// Whether only those with a fault; with `bot`, a fault of its own.
    #[serde(default)]
    #[param(required = false)]
    faults: bool,
    /// The most items of a page, from 1 to 200 [default: 50].
    limit: Option<usize>,
    /// Only those after the match of this id in the list.
    after: Option<String>,
}

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(routes!(matches))
        .routes(routes!(one))
        .routes(routes!(match_record))
        .routes(routes!(match_replay))
}

/// Matches
///
/// Those that are over, the latest tournament first, and in it the latest match.
#[utoipa::path(
    get,
    path = "/api/v1/matches",
    tag = "matches",
    params(MatchFilterQuery),
    responses((status = 200, description = "A page of matches", body = ref("#/components/schemas/MatchRowList")))
)]
async fn matches(Query(which): Query<MatchFilterQuery>, visit: Visit) -> Result<Response> {
    let key = format!("matches {which:?}");
    let make = move |reading: &ReadContext<'_>| {
        let round = which.round.map(|round| round.to_string());
        let asked = PageQuery::new("/api/v1/matches", which.limit, which.after.as_deref())?
            .filter("tournament", which.tournament.as_deref())
            .filter("game", which.game.as_deref())
            .filter("bot", which.bot.as_deref())
            .filter("round", round.as_deref())
            .filter("faults", which.faults.then_some("true"));
        let rows = reading
            .journal
            .matches(&which.as_filter(reading, &asked)?)?;
        Ok(asked.page(
            rows.into_iter().map(MatchRow::without_stderr).collect(),
            |row| row.id.clone(),
        ))
    };
    visit.json(key, make).await
}

impl MatchFilterQuery {
    fn as_filter(&self, reading: &ReadContext<'_>, asked: &PageQuery<'_>) -> Result<MatchFilter> {
        if self.round.is_some() && self.tournament.is_none() {
            let message = "rounds are those of a tournament";
            let problem = Problem::unfit(message);
            return Err(problem.hint("tournament=NAME&round=0"));
        }
        let (tournament, game) = (self.tournament.as_deref(), self.game.as_deref());
        let of = match_filter(reading, tournament, game, self.bot.as_deref(), asked.after)?;
        Ok(MatchFilter {
            round: self.round,
            faults_only: self.faults,
            limit: asked.limit + 1,
            ..of
        })
    }
}

/// A match
///
/// Its result, and hints for bots that were at fault.
#[utoipa::path(
    get,
    path = "/api/v1/matches/{id}",
    operation_id = "match_result",
    tag = "matches",
    params(("id" = String, Path, description = "The id of a match: `cup-12`")),
    responses((status = 200, description = "The match", body = ref("#/components/schemas/MatchShown")))
)]
async fn one(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    let key = format!("match {id}");
    let make = move |reading: &ReadContext<'_>| {
        let row = reading.journal.match_row(&id)?;
        let evidence = reading.journal.evidence(&id)?.into_iter();
        let hints = evidence.filter_map(|(seat, kept)| {
            Some(SeatHint {
                seat,
                hint: kept.hint?,
            })
        });
        let has_record = page::has_record(reading, &row)?;
        Ok(MatchShown {
            hints: hints.collect(),
            record: has_record.then(|| format!("/api/v1/matches/{id}/record")),
            row: row.without_stderr(),
        })
    };
    visit.json(key, make).await
}

/// The record of a match
///
/// JSON lines: all events of the match, with the seed; signed if the arena has a key and played the match. It is public
/// when the tournament is over. A record that quotes the standard error of a bot is for the bot's owner and for
/// organisers.
#[utoipa::path(
    get,
    path = "/api/v1/matches/{id}/record",
    tag = "matches",
    params(("id" = String, Path, description = "The id of a match: `cup-12`")),
    responses((status = 200, description = "The record", content_type = "text/plain", body = String))
)]
async fn match_record(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    page::record(id, &visit).await
}

/// The replay of a match
///
/// What the page of the match shows, step by step: the board as SVG, actions and random events in words, clocks and
/// faults. It is public when the tournament is over; before, in a game without hidden information and chance, at once.
#[utoipa::path(
    get,
    path = "/api/v1/matches/{id}/replay",
    tag = "matches",
    params(("id" = String, Path, description = "The id of a match: `cup-12`")),
    responses((status = 200, description = "The replay", body = Object))
)]
async fn match_replay(id: Path<String>, visit: Visit) -> Result<Response> {
    page::replay_data(id, visit).await
}
