//! A league: its season with the total tables, and the bots that are entered for the next one.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use flipside_games::find;
use flipside_tournament::Name;
use flipside_tournament::league::League;
use flipside_tournament::report::{league_table, words};
use serde::Deserialize;

use crate::Site;
use crate::accounts::{Posted, SignedIn, folded};
use crate::actions::leagues::{self, Stored};
use crate::leagues::{DivisionTable, Season, SeasonState, tables};
use crate::page::{Head, Section, View, Visit, private};
use crate::problem::Result;
use crate::site::{Reading, stamp_of};
use crate::table::{Asked, Grid};

/// The ids of the tables of the divisions.
const IDS: [&str; 20] = [
    "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10", "d11", "d12", "d13", "d14", "d15",
    "d16", "d17", "d18", "d19", "d20",
];

#[derive(Template)]
#[template(path = "league.html")]
struct LeaguePage {
    name: String,
    headline: String,
    /// The ids and titles of its games.
    games: Vec<(String, &'static str)>,
    season: Option<Shown>,
    /// The numbers of all seasons, and how far they are.
    seasons: Vec<(u32, &'static str)>,
    /// The bots that are entered for the next season.
    entries: Vec<String>,
}

/// A season on the page.
struct Shown {
    number: u32,
    state: SeasonState,
    why: Option<String>,
    deadline: String,
    starts_at: String,
    ends_at: String,
    divisions: Vec<ShownDivision>,
}

struct ShownDivision {
    table: Grid,
    games: Vec<ShownGame>,
}

struct ShownGame {
    game: String,
    /// The tournament, if it has begun.
    tournament: Option<String>,
    state: &'static str,
}

#[derive(Template)]
#[template(path = "league_entry.html")]
struct EntryPage {
    word: String,
    name: String,
    headline: String,
    /// The visitor's bots that are entered.
    entered: Vec<String>,
    /// Those that are not.
    others: Vec<String>,
}

impl View for LeaguePage {
    fn head(&self) -> Head {
        Head {
            title: self.headline.clone(),
            section: Section::Tournaments,
            live: Some(String::new()),
        }
    }
}

impl View for EntryPage {
    fn head(&self) -> Head {
        Head {
            title: format!("Enter {}", self.headline),
            section: Section::Account,
            live: None,
        }
    }
}

impl Shown {
    fn state(&self) -> &'static str {
        match self.state {
            SeasonState::Open => "bots can be entered",
            SeasonState::Fixed => "entries are closed",
            SeasonState::Playing => "in progress",
            SeasonState::Over => "over",
            SeasonState::Cancelled => "cancelled",
        }
    }
}

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/leagues/{name}", get(league))
        .route("/leagues/{name}/seasons/{number}", get(season))
        .route("/leagues/{name}/enter", get(entry).post(enter))
}

async fn league(
    State(site): State<Arc<Site>>,
    Path(name): Path<Name>,
    Query(asked): Query<Asked>,
    visit: Visit,
) -> Result<Response> {
    show(site, name, None, asked, visit).await
}

async fn season(
    State(site): State<Arc<Site>>,
    Path((name, number)): Path<(Name, u32)>,
    Query(asked): Query<Asked>,
    visit: Visit,
) -> Result<Response> {
    show(site, name, Some(number), asked, visit).await
}

async fn show(
    site: Arc<Site>,
    name: Name,
    number: Option<u32>,
    asked: Asked,
    visit: Visit,
) -> Result<Response> {
    let stored = leagues::stored(&site, name.clone()).await?;
    if let Some(number) = number {
        stored.season(number)?;
    }
    let stamp = stamp_of(&format!("{:?} {:?}", stored.seasons, stored.entries));
    let key = format!("league {name} {number:?} {stamp} {}", asked.key());
    Ok(site
        .page(visit, key, move |reading| {
            make(reading, stored, number, &asked)
        })
        .await)
}

fn make(
    reading: &Reading<'_>,
    stored: Stored,
    number: Option<u32>,
    asked: &Asked,
) -> Result<LeaguePage> {
    let Stored {
        league,
        seasons,
        entries,
    } = stored;
    let is_it = |season: &&Season| number.is_none_or(|number| season.number == number);
    let season = seasons.iter().rfind(is_it);
    let season = season.map(|season| shown(reading, &league, season, asked));
    let games = league.games.iter().map(|id| {
        let title = find(id).map_or("", |game| game.info().title);
        (id.clone(), title)
    });
    Ok(LeaguePage {
        name: league.name.to_string(),
        headline: league.headline().to_owned(),
        games: games.collect(),
        season: season.transpose()?,
        seasons: seasons
            .iter()
            .map(|season| (season.number, season.state.name()))
            .collect(),
        entries,
    })
}

fn shown(reading: &Reading<'_>, league: &League, season: &Season, asked: &Asked) -> Result<Shown> {
    let tables = tables(&reading.site.arena, reading.journal, league, season)?;
    let is_one = tables.len() == 1;
    let divisions = IDS.into_iter().zip(tables).map(|(id, division)| {
        let DivisionTable {
            number,
            games,
            rows,
        } = division;
        let games = games.into_iter().map(|game| ShownGame {
            tournament: game.row.as_ref().map(|_| game.tournament.to_string()),
            game: game.game,
            state: match (&game.row, season.state) {
                (Some(row), _) => row.state_word(),
                (None, SeasonState::Fixed) => "not begun",
                (None, _) => "not played: too few bots play it",
            },
        });
        ShownDivision {
            games: games.collect(),
            table: Grid::beside_others(id, league_table(&league.games, &rows), asked).titled(
                match is_one {
                    true => "Total".to_owned(),
                    false => format!("Division {number}"),
                },
            ),
        }
    });
    Ok(Shown {
        number: season.number,
        state: season.state,
        why: season.why.clone(),
        deadline: words::utc(season.times.deadline),
        starts_at: words::utc(season.times.starts_at),
        ends_at: words::utc(season.times.ends_at),
        divisions: divisions.collect(),
    })
}

async fn entry(
    State(site): State<Arc<Site>>,
    SignedIn(visitor): SignedIn,
    Path(name): Path<Name>,
    visit: Visit,
) -> Result<Response> {
    let Stored {
        league, entries, ..
    } = leagues::stored(&site, name).await?;
    let bots = site.read(|reading| reading.bot_names()).await?;
    let account = visitor.account.id;
    let owned = site.stored(move |store| store.owned(account)).await?;
    let is_own = |bot: &String| visitor.is_organiser() || owned.contains(&folded(bot));
    let is_entered = |bot: &String| entries.contains(bot);
    // A bot may have been deleted since it was entered.
    let entered: Vec<String> = entries.iter().filter(|bot| is_own(bot)).cloned().collect();
    let page = EntryPage {
        word: visitor.form_word(),
        name: league.name.to_string(),
        headline: league.headline().to_owned(),
        entered,
        others: bots
            .into_iter()
            .filter(|bot| is_own(bot) && !is_entered(bot))
            .collect(),
    };
    Ok(private(&visit, &page))
}

#[derive(Deserialize)]
struct Entry {
    bot: Name,
    #[serde(default)]
    leave: bool,
}

async fn enter(
    State(site): State<Arc<Site>>,
    Path(name): Path<Name>,
    Posted { visitor, form }: Posted<Entry>,
) -> Result<Response> {
    let Entry { bot, leave } = form;
    let to = format!("/leagues/{name}/enter");
    match leave {
        false => leagues::enter(&site, &visitor, name, bot).await?,
        true => leagues::leave(&site, &visitor, name, bot).await?,
    }
    Ok(Redirect::to(&to).into_response())
}
