//! The home page: what is on now, the latest results, the best of each game.

use askama::Template;
use axum::response::Response;
use axum::routing::get;
use flipside_games::{all_games, find};
use flipside_store::{MatchFilter, MatchRow, TournamentRow, TournamentState};
use flipside_tournament::{Tournament, TournamentId};

use crate::ladders::page::ladder_table;
use crate::matches::results::{results as table_of_results, told};
use crate::matches::shown::final_board;
use crate::shared::lists::listed;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::Result;
use crate::shared::table::{Grid, TableQuery, medal, tint};
use crate::site::ReadContext;
use crate::tournaments::list_page::without_requests;

/// How many results and tournaments are shown.
const LATEST: usize = 10;

/// How many of the results are of one tournament: one that plays fast would fill the list.
const OF_ONE: usize = 3;

/// How many bots of a game are shown.
const TOP: usize = 3;

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    about: String,
    has_accounts: bool,
    /// The number of games.
    number: usize,
    /// The tournament whose boards move now.
    watch: Option<String>,
    /// The latest match that was played to its end.
    last: Option<LastMatch>,
    /// Whether nothing has been played yet.
    is_empty: bool,
    running: Grid,
    tournaments: Grid,
    results: Grid,
    games: Vec<GameLeaders>,
}

/// A match with its final board.
struct LastMatch {
    id: String,
    game: String,
    title: &'static str,
    plies: u64,
    /// Who won, in words.
    told: String,
    svg: String,
}

/// The best of a game.
struct GameLeaders {
    game: &'static str,
    title: &'static str,
    /// The tournament of its ladder, of which these are the best, if there is one; otherwise they are those of all.
    ladder: Option<String>,
    bots: Vec<TopBot>,
}

struct TopBot {
    rank: usize,
    bot: String,
    rating: String,
}

impl TopBot {
    fn medal(&self) -> Option<&'static str> {
        medal(self.rank)
    }

    fn tint(&self) -> u32 {
        tint(&self.bot)
    }
}

impl PageView for Home {
    fn head(&self) -> PageHead {
        PageHead::new("Home", Section::Home).live("")
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/", get(home))
}

async fn home(visit: Visit) -> Result<Response> {
    visit.page("home", make).await
}

fn make(reading: &ReadContext<'_>) -> Result<Home> {
    let asked = TableQuery::default();
    let running = reading.running()?;
    let latest = reading.listed(&without_requests(), LATEST)?;
    let results = latest_results(reading, &running, &latest)?;
    let rows: Result<Vec<TournamentRow>> = running.iter().map(|one| reading.row(one)).collect();
    // One may have ended just now.
    let rows = rows?
        .into_iter()
        .filter(|row| row.state == TournamentState::Running);
    let rows: Vec<TournamentRow> = rows.collect();
    let watch = reading.site.host().and_then(|host| host.now());
    let settings = &reading.site.settings;
    let last = results.iter().find_map(|row| last_match(reading, row));
    let running = listed("running", "Tournaments in progress", &rows, &asked);
    let tournaments = listed("tournaments", "Latest tournaments", &latest, &asked);
    let results = table_of_results("results", "Latest results", &results, true);
    Ok(Home {
        about: settings.site_about().to_owned(),
        has_accounts: reading.site.accounts.is_some(),
        number: all_games().len(),
        watch: watch.map(|(name, _)| name.to_string()),
        last,
        is_empty: reading.journal.latest_tournament()?.is_none(),
        running: running.unsorted(),
        tournaments: tournaments.unsorted(),
        results,
        games: tops(reading)?,
    })
}

/// What is shown of a match, unless it ended by a fault or its game is a program, which would have to be started.
fn last_match(reading: &ReadContext<'_>, row: &MatchRow) -> Option<LastMatch> {
    let is_faulty = row.seats.iter().any(|seat| seat.result.fault.is_some());
    let game = find(&row.game).filter(|game| game.program().is_none() && !is_faulty)?;
    let svg = final_board(reading, row)?;
    Some(LastMatch {
        id: row.id.clone(),
        game: row.game.clone(),
        title: game.info().title,
        plies: row.plies,
        told: told(row),
        svg,
    })
}

/// The results that landed last, as far as the schedule tells: of what is played now, then of the latest tournaments.
fn latest_results(
    reading: &ReadContext<'_>,
    running: &[Tournament],
    latest: &[TournamentRow],
) -> Result<Vec<MatchRow>> {
    let of_tournament = |id: TournamentId| MatchFilter {
        tournament: Some(id),
        limit: OF_ONE,
        ..MatchFilter::default()
    };
    let mut rows = Vec::new();
    for tournament in running {
        rows.extend(reading.journal.matches(&of_tournament(tournament.id))?);
    }
    // Those of the latest tournaments, whichever played last.
    for one in latest {
        let tournament = reading.journal.tournament(&one.tournament)?;
        if !running.iter().any(|running| running.id == tournament.id) {
            rows.extend(reading.journal.matches(&of_tournament(tournament.id))?);
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse((row.started_at, row.index)));
    rows.truncate(LATEST);
    Ok(rows)
}

fn tops(reading: &ReadContext<'_>) -> Result<Vec<GameLeaders>> {
    let mut tops = Vec::new();
    for game in all_games() {
        let info = game.info();
        let top = |rank, bot: &str, rating: f64, [low, high]: [f64; 2]| TopBot {
            rank,
            bot: bot.to_owned(),
            rating: format!("{rating:.0} ±{:.0}", (high - low) / 2.0),
        };
        let ladder = ladder_table(reading, info.id, TOP)?;
        let bots: Vec<TopBot> = match &ladder {
            Some(ladder) => (ladder.rows.iter())
                .map(|row| top(row.rank, &row.bot, row.rating, [row.low, row.high]))
                .collect(),
            None => (reading.ratings(info.id)?.0.rows.iter().take(TOP))
                .map(|row| top(row.rank, &row.bot, row.rating, [row.low, row.high]))
                .collect(),
        };
        if !bots.is_empty() {
            tops.push(GameLeaders {
                game: info.id,
                title: info.title,
                ladder: ladder.map(|ladder| ladder.tournament),
                bots,
            });
        }
    }
    Ok(tops)
}
