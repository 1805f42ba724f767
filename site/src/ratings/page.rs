//! The ratings at a game: a table with intervals as bars, and how the best came there.

use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use axum::routing::get;
use flipside_games::{AnyGame, Info, all_games, find, without_version};
use flipside_report::words::IMPORTED;
use flipside_report::{Rated, ReportRow, ReportTable};
use flipside_store::GameRatings;

use super::cached::Ratings;
use crate::shared::known_games::look_up;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::plot::{self, PlotLine, Point};
use crate::shared::problem::Result;
use crate::shared::table::{Grid, PAGE_ROWS, TableQuery};
use crate::site::ReadContext;

/// How many bots of each game the overview shows.
const TOP: usize = 5;

/// How many bots have their history plotted.
const PLOTTED: usize = 5;

#[derive(Template)]
#[template(path = "ratings.html")]
struct Overview {
    games: Vec<(&'static Info, Grid)>,
    unrated: Vec<&'static Info>,
}

#[derive(Template)]
#[template(path = "rating.html")]
struct RatingsPage {
    info: &'static Info,
    grid: Grid,
    plot: Option<Plot>,
}

/// A plot with the names of its lines.
pub(crate) struct Plot {
    pub(crate) svg: String,
    pub(crate) keys: Vec<(String, String)>,
}

impl PageView for Overview {
    fn head(&self) -> PageHead {
        PageHead::new("Ratings", Section::Ratings)
    }
}

impl PageView for RatingsPage {
    fn head(&self) -> PageHead {
        PageHead::new(format!("Ratings at {}", self.info.title), Section::Ratings)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/ratings", get(overview))
        .route("/ratings/{game}", get(one))
}

async fn overview(visit: Visit) -> Result<Response> {
    visit.page("ratings", make_overview).await
}

fn make_overview(reading: &ReadContext<'_>) -> Result<Overview> {
    let (mut games, mut unrated) = (Vec::new(), Vec::new());
    for game in all_games() {
        let info = game.info();
        let mut rated = reading.ratings(info.id)?.0.clone();
        rated.rows.truncate(TOP);
        if rated.rows.is_empty() {
            // Of a game with versions, only the latest is still to be played.
            if find(without_version(info.id)).is_some_and(|latest| latest.info().id == info.id) {
                unrated.push(info);
            }
            continue;
        }
        let mut grid = ladder(&rated, &TableQuery::default()).unsorted();
        grid.id = info.id.into();
        games.push((info, grid.titled(info.title)));
    }
    Ok(Overview { games, unrated })
}

async fn one(
    Path(id): Path<String>,
    Query(asked): Query<TableQuery>,
    visit: Visit,
) -> Result<Response> {
    let game = look_up(&visit.site, id).await?;
    let key = format!("ratings {} {}", game.info().id, asked.key());
    let make = move |reading: &ReadContext<'_>| make(reading, game, &asked);
    visit.page(key, make).await
}

fn make(
    reading: &ReadContext<'_>,
    game: &'static dyn AnyGame,
    asked: &TableQuery,
) -> Result<RatingsPage> {
    let info = game.info();
    let rated = reading.ratings(info.id)?;
    let mut lines = Vec::new();
    for row in rated.0.rows.iter().take(PLOTTED) {
        lines.extend(line(&rated, &row.bot));
    }
    let plot = plotted(&format!("Ratings of the best at {}", info.title), &lines);
    let grid = ladder(&rated.0, asked)
        .filtered(asked)
        .or("no bot is rated at this game yet");
    Ok(RatingsPage { info, grid, plot })
}

/// How a bot came to its rating as a line: the rating by matches, with its interval.
pub(crate) fn line(rated: &Ratings, bot: &str) -> Option<PlotLine> {
    let points = rated.1.get(bot)?.points().map(|point| Point {
        x: point.games as f64,
        y: point.rating,
        low: point.low,
        high: point.high,
    });
    let points: Vec<Point> = points.collect();
    (!points.is_empty()).then(|| PlotLine {
        name: bot.to_owned(),
        points,
    })
}

/// Ratings over matches, if there is more than a point of them.
pub(crate) fn plotted(label: &str, lines: &[PlotLine]) -> Option<Plot> {
    let is_some = lines.iter().any(|line| line.points.len() > 1);
    is_some.then(|| Plot {
        svg: plot::lines(label, "matches played", lines, &[]),
        keys: plot::keys(lines),
    })
}

/// The table of ratings, with intervals drawn as bars on one scale.
pub(crate) fn ladder(rated: &GameRatings, asked: &TableQuery) -> Grid {
    let rows: Vec<Rated> = (rated.rows.iter())
        .map(|row| Rated {
            game: rated.game.clone(),
            row: row.clone(),
        })
        .collect();
    let mut table = ReportTable::of("Ratings", Rated::COLUMNS, &rows);
    if rows.iter().any(|one| one.row.imported > 0) {
        table = table.caption(IMPORTED);
    }
    let mut grid = Grid::of("ratings", table, asked);
    debug_assert!(grid.rows.len() <= PAGE_ROWS);
    let rows: Vec<_> = (rows.iter())
        .map(|one| {
            (
                one.row.bot.as_str(),
                [one.row.low, one.row.rating, one.row.high],
            )
        })
        .collect();
    draw_intervals(&mut grid, &rows);
    grid
}

/// Adds a column of ratings with their intervals as bars on one scale: of each bot its lower bound, its rating, and its
/// upper bound.
pub(crate) fn draw_intervals(grid: &mut Grid, rows: &[(&str, [f64; 3])]) {
    let bounds = plot::bounds(
        rows.iter().flat_map(|(_, [low, _, high])| [*low, *high]),
        0.0,
    );
    let drawings: Vec<(String, String)> = (0..grid.rows.len())
        .map(|at| {
            let bot = grid.text(at, "bot");
            let row = rows.iter().find(|(of, _)| *of == bot);
            row.map_or_else(Default::default, |(_, [low, rating, high])| {
                (
                    plot::interval(bounds, *low, *rating, *high),
                    format!("{low:.0} to {high:.0}"),
                )
            })
        })
        .collect();
    grid.draw("95 % interval", |row| drawings[row].clone());
}
