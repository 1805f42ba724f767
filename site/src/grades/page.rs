//! Grades as comma-separated values, for organisers.

use axum::extract::Path;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flipside_report::{ReportRow, ReportTable};
use flipside_tournament::{BotResult, GradeRow, Name, grades};

use crate::accounts::people::Role;
use crate::accounts::signed_in::Organiser;
use crate::leagues::actions::stored;
use crate::leagues::progress::tables;
use crate::shared::answer_headers::{attachment, kept_by_nobody};
use crate::shared::page::{Routes, Visit};
use crate::shared::problem::Result;
use crate::shared::store::AccountStore;
use crate::site::ReadContext;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route(
            "/organiser/tournaments/{name}/grades.csv",
            get(of_tournament),
        )
        .route(
            "/organiser/leagues/{name}/seasons/{number}/grades.csv",
            get(of_season),
        )
}

async fn of_tournament(Organiser(visit, _): Organiser, Path(name): Path<Name>) -> Result<Response> {
    let file = format!("{name}-grades.csv");
    let read = move |reading: &ReadContext<'_>| {
        let tournament = reading.journal.tournament(name.as_str())?;
        let tabled = reading.table(&tournament)?;
        Ok(BotResult::of_standings(&tabled.full.standings))
    };
    let results = visit.site.read(read).await?;
    answer(&visit, &file, results).await
}

async fn of_season(
    Organiser(visit, _): Organiser,
    Path((name, number)): Path<(Name, u32)>,
) -> Result<Response> {
    let file = format!("{name}-s{number}-grades.csv");
    let known = stored(&visit.site, name).await?;
    let season = known.season(number)?.clone();
    let read = move |reading: &ReadContext<'_>| {
        let arena = &reading.site.arena;
        let divisions = tables(arena, reading.journal, &known.league, &season)?;
        let results = divisions.iter();
        let results = results.flat_map(|one| BotResult::of_division(one.number, &one.rows));
        Ok(results.collect())
    };
    let results = visit.site.read(read).await?;
    answer(&visit, &file, results).await
}

/// A row for each author, by name.
async fn answer(visit: &Visit, file: &str, results: Vec<BotResult>) -> Result<Response> {
    let people = |store: &AccountStore| Ok((store.accounts()?, store.owners()?));
    let (accounts, owners) = visit.site.stored(people).await?;
    let authors = accounts.into_iter().filter(|one| one.role == Role::Author);
    let authors: Vec<String> = authors.map(|one| one.name).collect();
    let rows = grades(&authors, &owners, &results);
    let csv = ReportTable::of("Grades", GradeRow::COLUMNS, &rows).csv();
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("text/csv; charset=utf-8"),
        ),
        (CONTENT_DISPOSITION, attachment(file)),
        (CACHE_CONTROL, kept_by_nobody()),
    ];
    Ok((headers, csv).into_response())
}
