//! The lists of tournaments and of requested matches. Both are read from the journal a page at a time.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use flipside_report::{ReportRow, ReportTable};
use flipside_store::{TournamentFilter, TournamentKey, TournamentOrder, TournamentRow};

use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::Result;
use crate::shared::table::{Grid, PAGE_ROWS, TableQuery};
use crate::site::ReadContext;

/// The columns that lists are sorted by, which the journal stores. To sort by another, every tournament would have to
/// be looked at.
const SORTS: [(&str, TournamentKey); 4] = [
    ("tournament", TournamentKey::Name),
    ("game", TournamentKey::Game),
    ("format", TournamentKey::Format),
    ("begun", TournamentKey::Begun),
];

#[derive(Template)]
#[template(path = "tournaments.html")]
struct TournamentsPage {
    tournaments: Grid,
    /// Whether these are requested matches.
    are_requests: bool,
    /// Whether the site has leagues.
    has_leagues: bool,
    /// Whether there are requested matches.
    has_requests: bool,
}

impl PageView for TournamentsPage {
    fn head(&self) -> PageHead {
        let title = match self.are_requests {
            true => "Requested matches",
            false => "Tournaments",
        };
        PageHead::new(title, Section::Tournaments).live("")
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/tournaments", get(tournaments))
        .route("/requests", get(requests))
}

/// All tournaments but requested matches, which have a list of their own.
pub(crate) fn without_requests() -> TournamentFilter {
    TournamentFilter {
        requests: Some(false),
        ..TournamentFilter::default()
    }
}

async fn tournaments(Query(asked): Query<TableQuery>, visit: Visit) -> Result<Response> {
    let key = format!("tournaments {}", asked.key());
    visit
        .page(key, move |reading| make(reading, &asked, false))
        .await
}

async fn requests(Query(asked): Query<TableQuery>, visit: Visit) -> Result<Response> {
    let key = format!("requests {}", asked.key());
    visit
        .page(key, move |reading| make(reading, &asked, true))
        .await
}

fn make(
    reading: &ReadContext<'_>,
    asked: &TableQuery,
    are_requests: bool,
) -> Result<TournamentsPage> {
    const ID: &str = "tournaments";
    let sorted = asked.sort_of(ID).and_then(|(column, descending)| {
        let (_, by) = SORTS.iter().find(|(known, _)| *known == column)?;
        Some(TournamentOrder {
            by: *by,
            ascending: !descending,
        })
    });
    let mut of = TournamentFilter {
        requests: Some(are_requests),
        text: asked.filter(),
        order: sorted.unwrap_or_default(),
        ..TournamentFilter::default()
    };
    let total = reading.journal.count_tournaments(&of)?;
    of.skip = asked.from(total, PAGE_ROWS);
    let rows = reading.listed(&of, PAGE_ROWS)?;
    let title = match are_requests {
        true => "Requested matches",
        false => "Tournaments",
    };
    let table = ReportTable::of(title, TournamentRow::COLUMNS, &rows);
    let sorts = SORTS.map(|(column, _)| column);
    let grid = Grid::of_page(ID, &table, asked, total, &sorts).filtered(asked);
    let all_requests = TournamentFilter {
        requests: Some(true),
        ..TournamentFilter::default()
    };
    let some_request = reading.journal.listed_tournaments(&all_requests, 1)?;
    Ok(TournamentsPage {
        are_requests,
        has_leagues: reading.site.accounts.is_some(),
        has_requests: !some_request.is_empty(),
        tournaments: match are_requests {
            true => grid.or("no matches are requested"),
            false => grid.or("no tournaments yet"),
        },
    })
}
