//! A bot: its versions, its ratings and how they came, its opponents, seats and faults. What it writes to standard
//! error is for its owner and is not shown.

use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use axum::routing::get;
use flipside_games::words::counted;
use flipside_operations::{MatchQuery, slowest_moves};
use flipside_report::{ReportRow, ReportTable, words};
use flipside_store::{
    DescribedBot, EnteredRow, FaultRow, MatchFilter, OpponentRow, Profile, SeatOutcomesRow,
    TournamentFilter,
};
use flipside_tournament::{Bot, BotRef, NameError};

use super::highlights::{Highlight, highlights};
use crate::matches::results::results;
use crate::ratings::page::{Plot, line, plotted};
use crate::shared::lists::plain;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::plot;
use crate::shared::problem::{Problem, Result};
use crate::shared::table::{Grid, TableQuery, game_address, game_title};
use crate::shared::times::When;
use crate::site::ReadContext;
use crate::tournaments::list_page::without_requests;

/// How many of the latest matches, matches with faults, and slow moves are shown.
const LATEST: usize = 10;
const SLOWEST: usize = 5;

/// Of how many tournaments a bot's results are told, the latest.
pub(super) const MAX_PROFILED: usize = 200;

/// How many versions are listed, the newest.
const MAX_VERSIONS: usize = 100;

#[derive(Template)]
#[template(path = "bot.html")]
struct BotPage {
    label: String,
    bot: DescribedBot,
    size: String,
    /// Where people play against it and request matches of it, if they can.
    can_play: bool,
    best: Option<Highlight>,
    worst: Option<Highlight>,
    submitted: When,
    versions: Vec<Version>,
    /// The games at which it is rated, and the others that it plays.
    games: Vec<GameOf>,
    unrated: Vec<GameOf>,
    opponents: Grid,
    seats: Grid,
    tournaments: Grid,
    latest: Grid,
    slowest: Grid,
    faults: Grid,
    faulty: Grid,
    /// Of how many tournaments the results are, where there may be more.
    max_profiled: Option<usize>,
}

struct Version {
    label: String,
    submitted: When,
    is_this: bool,
}

/// A game of a bot: its rating, and how it came there.
struct GameOf {
    id: String,
    title: String,
    href: Option<String>,
    rating: Option<String>,
    plot: Option<Plot>,
}

impl PageView for BotPage {
    fn head(&self) -> PageHead {
        PageHead::new(&self.label, Section::Bots)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/bots/{bot}", get(bot))
}

async fn bot(
    Path(typed): Path<String>,
    Query(asked): Query<TableQuery>,
    visit: Visit,
) -> Result<Response> {
    let key = format!("bot {typed} {}", asked.key());
    let make = move |reading: &ReadContext<'_>| make(reading, &typed, &asked);
    visit.page(key, make).await
}

/// The bot of a name in an address.
pub(crate) fn known(reading: &ReadContext<'_>, typed: &str) -> Result<Bot> {
    let wanted: BotRef = typed
        .parse()
        .map_err(|error: NameError| Problem::not_found(error.to_string()))?;
    Ok(reading.journal.bot(&wanted)?)
}

fn make(reading: &ReadContext<'_>, typed: &str, asked: &TableQuery) -> Result<BotPage> {
    let journal = reading.journal;
    let bot = known(reading, typed)?;
    let label = bot.label();
    let mut versions = journal.bots()?;
    versions.retain(|one| one.name == bot.name);
    let older = versions.len().saturating_sub(MAX_VERSIONS);
    versions.drain(..older);
    let profile = profile(reading, &label, &bot)?;
    let matches = |faults_only| {
        journal.matches(&MatchFilter {
            bot: Some(bot.id),
            faults_only,
            limit: LATEST,
            ..MatchFilter::default()
        })
    };
    let (latest, faulty) = (matches(false)?, matches(true)?);
    let slowest = slowest_moves(
        journal,
        &MatchQuery {
            bot: Some(&label),
            limit: SLOWEST,
            ..MatchQuery::default()
        },
    )?;
    let entered = ReportTable::of("Tournaments", EnteredRow::COLUMNS, &profile.tournaments);
    let games = games(reading, &bot, &profile)?.into_iter();
    let (games, unrated): (Vec<_>, Vec<_>) = games.partition(|game| game.rating.is_some());
    let [best, worst] = highlights(reading, &bot)?;
    Ok(BotPage {
        size: words::size(bot.size),
        can_play: reading.site.accounts.is_some() && bot.is_here() && bot.deleted_at.is_none(),
        best,
        worst,
        max_profiled: (profile.tournaments.len() == MAX_PROFILED).then_some(MAX_PROFILED),
        submitted: When::at(bot.submitted_at),
        versions: versions
            .into_iter()
            .map(|one| Version {
                label: one.label(),
                submitted: When::at(one.submitted_at),
                is_this: one.id == bot.id,
            })
            .collect(),
        games,
        unrated,
        opponents: opponents(&profile.opponents, asked),
        seats: seats(&profile.seats),
        tournaments: Grid::beside_others("tournaments", entered, asked).or(EnteredRow::NOTHING),
        latest: results("latest", "Latest matches", &latest, true),
        slowest: plain("slowest", "Slowest moves", &slowest.moves).or("it has made no move yet"),
        faults: plain("faults", "Faults", &profile.faults).or(FaultRow::NOTHING),
        faulty: results("faulty", "Latest faults", &faulty, true),
        bot: reading.site.arena.describe(bot),
        label,
    })
}

/// What the tables of its tournaments tell of a bot: of the latest, without requested matches.
pub(super) fn profile(reading: &ReadContext<'_>, label: &str, bot: &Bot) -> Result<Profile> {
    let mut profile = Profile::default();
    let of_bot = TournamentFilter {
        bot: Some(bot.id),
        ..without_requests()
    };
    let entered = reading.journal.listed_tournaments(&of_bot, MAX_PROFILED)?;
    for tournament in &entered {
        let tabled = reading.table(tournament)?;
        profile.add(label, tournament, &tabled.full.standings, &tabled.seats);
    }
    Ok(profile)
}

/// The games that it has played or passed a check for.
fn games(reading: &ReadContext<'_>, bot: &Bot, profile: &Profile) -> Result<Vec<GameOf>> {
    let played = profile.tournaments.iter().map(|row| row.game.clone());
    let mut ids: Vec<String> = played.chain(bot.games.iter().cloned()).collect();
    ids.sort();
    ids.dedup();
    let label = bot.label();
    let game = |id: String| {
        let rated = reading.ratings(&id)?;
        let row = rated.0.rows.iter().find(|row| row.bot == label);
        let rating = row.map(|row| {
            format!(
                "rank {}, {:.0} ±{:.0}, {}",
                row.rank,
                row.rating,
                (row.high - row.low) / 2.0,
                counted(row.games, "match")
            )
        });
        let plot = match &rating {
            Some(_) => {
                let lines: Vec<_> = line(&rated, &label).into_iter().collect();
                plotted(&format!("Rating of {label} at {}", game_title(&id)), &lines)
            }
            None => None,
        };
        Ok(GameOf {
            href: game_address(&id),
            title: game_title(&id),
            id,
            rating,
            plot,
        })
    };
    ids.into_iter().map(game).collect()
}

fn opponents(rows: &[OpponentRow], asked: &TableQuery) -> Grid {
    let table = ReportTable::of("Opponents", OpponentRow::COLUMNS, rows);
    let mut grid = Grid::beside_others("opponents", table, asked).or(OpponentRow::NOTHING);
    draw_outcomes(&mut grid);
    grid
}

fn seats(rows: &[SeatOutcomesRow]) -> Grid {
    let mut grid = plain("seats", "Seats", rows).or(SeatOutcomesRow::NOTHING);
    draw_outcomes(&mut grid);
    grid
}

/// Adds what was won, drawn and lost as a bar.
fn draw_outcomes(grid: &mut Grid) {
    let count = |row: usize, heading: &str| grid.text(row, heading).parse().unwrap_or(0);
    let counts: Vec<[u64; 3]> = (0..grid.rows.len())
        .map(|row| ["won", "drawn", "lost"].map(|heading| count(row, heading)))
        .collect();
    grid.draw("won, drawn, lost", |row| {
        let [won, drawn, lost] = counts[row];
        let text = format!("{won} won, {drawn} drawn, {lost} lost");
        (plot::outcomes(won, drawn, lost), text)
    });
}
