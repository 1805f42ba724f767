//! A league: its season with the total tables, and the bots that are entered for the next one.

use askama::Template;
use axum::extract::{Path, Query};
use axum::response::{Redirect, Response};
use axum::routing::get;
use flipside_games::find;
use flipside_report::league_table;
use flipside_tournament::Name;
use flipside_tournament::league::League;
use serde::Deserialize;

use super::actions::{self, LeagueWithSeasons};
use super::progress::{latest, tables};
use super::season::{Season, SeasonState};
use crate::accounts::people::folded;
use crate::accounts::posted::SignedInForm;
use crate::accounts::signed_in::SignedIn;
use crate::shared::actions::done;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::Result;
use crate::shared::table::{Grid, TableQuery};
use crate::shared::times::When;
use crate::site::{ReadContext, stamp_of};

#[derive(Template)]
#[template(path = "league.html")]
struct LeaguePage {
    name: String,
    headline: String,
    /// The ids and titles of its games.
    games: Vec<(String, &'static str)>,
    season: Option<SeasonPageRow>,
    /// The numbers of all seasons, and how far they are.
    seasons: Vec<(u32, &'static str)>,
    /// The bots that are entered for the next season, by the names that they have now. Of one that is not in the arena,
    /// there is no page.
    entries: Vec<(String, bool)>,
}

/// A season on the page.
struct SeasonPageRow {
    number: u32,
    state: SeasonState,
    why: Option<String>,
    deadline: When,
    starts_at: When,
    ends_at: When,
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

impl PageView for LeaguePage {
    fn head(&self) -> PageHead {
        PageHead::new(&self.headline, Section::Leagues).live("")
    }
}

impl PageView for EntryPage {
    fn head(&self) -> PageHead {
        PageHead::new(format!("Enter {}", self.headline), Section::Account)
    }
}

impl SeasonPageRow {
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

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/leagues/{name}", get(league))
        .route("/leagues/{name}/seasons/{number}", get(season))
        .route("/leagues/{name}/enter", get(entry).post(enter))
}

async fn league(
    Path(name): Path<Name>,
    Query(asked): Query<TableQuery>,
    visit: Visit,
) -> Result<Response> {
    show(name, None, asked, visit).await
}

async fn season(
    Path((name, number)): Path<(Name, u32)>,
    Query(asked): Query<TableQuery>,
    visit: Visit,
) -> Result<Response> {
    show(name, Some(number), asked, visit).await
}

async fn show(
    name: Name,
    number: Option<u32>,
    asked: TableQuery,
    visit: Visit,
) -> Result<Response> {
    let stored = actions::stored(&visit.site, name.clone()).await?;
    if let Some(number) = number {
        stored.season(number)?;
    }
    let stamp = stamp_of(&format!("{:?} {:?}", stored.seasons, stored.entries));
    let key = format!("league {name} {number:?} {stamp} {}", asked.key());
    let make = move |reading: &ReadContext<'_>| make(reading, stored, number, &asked);
    visit.page(key, make).await
}

fn make(
    reading: &ReadContext<'_>,
    stored: LeagueWithSeasons,
    number: Option<u32>,
    asked: &TableQuery,
) -> Result<LeaguePage> {
    let (league, seasons) = (stored.league, stored.seasons);
    let is_it = |season: &&Season| number.is_none_or(|number| season.number == number);
    let season = seasons.iter().rfind(is_it);
    let season = season.map(|season| shown(reading, &league, season, asked));
    let games = league.games.iter().map(|id| {
        let title = find(id).map_or("", |game| game.info().title);
        (id.clone(), title)
    });
    let bots = reading.journal.bots()?;
    let entries = stored.entries.into_iter().map(|entered| {
        let bot = latest(&bots, &entered).map(|bot| bot.name.to_string());
        (bot.clone().unwrap_or(entered), bot.is_some())
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
        entries: entries.collect(),
    })
}

fn shown(
    reading: &ReadContext<'_>,
    league: &League,
    season: &Season,
    asked: &TableQuery,
) -> Result<SeasonPageRow> {
    let tables = tables(&reading.site.arena, reading.journal, league, season)?;
    let is_one = !league.has_divisions();
    let divisions = tables.into_iter().map(|division| {
        let number = division.number;
        let games = division.games.into_iter().map(|game| ShownGame {
            tournament: game.row.as_ref().map(|_| game.tournament.to_string()),
            game: game.game,
            state: match (&game.row, season.state.is_past()) {
                (Some(row), _) => row.state_word(),
                (None, _) if !game.is_missing => "not played: too few bots play it",
                (None, false) => "not begun",
                (None, true) => "not played",
            },
        });
        let title = match is_one {
            true => "Total".to_owned(),
            false => format!("Division {number}"),
        };
        let table = league_table(&league.games, &division.rows);
        ShownDivision {
            games: games.collect(),
            table: Grid::beside_others(format!("d{number}"), table, asked).titled(title),
        }
    });
    Ok(SeasonPageRow {
        number: season.number,
        state: season.state,
        why: season.why.clone(),
        deadline: When::at(season.times.deadline),
        starts_at: When::at(season.times.starts_at),
        ends_at: When::at(season.times.ends_at),
        divisions: divisions.collect(),
    })
}

async fn entry(SignedIn(visit, visitor): SignedIn, Path(name): Path<Name>) -> Result<Response> {
    let stored = actions::stored(&visit.site, name).await?;
    let (league, entries) = (stored.league, stored.entries);
    let bots = visit.site.read(|reading| reading.bot_names()).await?;
    let account = visitor.account.id;
    let owned = visit.site.stored(move |store| store.owned(account)).await?;
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
    visit.private(&page)
}

#[derive(Deserialize)]
struct LeagueEntryForm {
    bot: Name,
    #[serde(default)]
    leave: bool,
}

async fn enter(
    Path(name): Path<Name>,
    SignedInForm(site, visitor, form): SignedInForm<LeagueEntryForm>,
) -> Result<Redirect> {
    let to = format!("/leagues/{name}/enter");
    let bot = form.bot;
    let what = match form.leave {
        false => {
            actions::enter(&site, &visitor, name, bot.clone()).await?;
            format!("{bot} is entered.")
        }
        true => {
            actions::leave(&site, &visitor, name, bot.clone()).await?;
            format!("{bot} is withdrawn.")
        }
    };
    Ok(done(&site, &visitor, what, &to))
}
