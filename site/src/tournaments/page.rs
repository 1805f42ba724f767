//! A tournament: what it is, who stands where, who beat whom; its statistics; its rounds.

use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use axum::routing::get;
use flipside_report::{
    Document, ESTIMATES, MAX_CROSSED, Part, full_document, headline, linked_bracket, seed_note,
    table_document, words,
};
use flipside_store::MatchFilter;
use flipside_tournament::{CrossTable, Encounter, Standings, Tournament};
use serde::Deserialize;

use super::cached_tables::CachedTable;
use super::downloads::downloads;
use crate::matches::results::results;
use crate::ratings::page::{Plot, draw_intervals};
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::plot::{self, Level, PlotLine, Point};
use crate::shared::problem::{Problem, Result};
use crate::shared::table::{
    CellPart, Grid, PAGE_ROWS, TableCell, TableQuery, bot_address, game_title, query,
};
use crate::shared::times::When;
use crate::site::ReadContext;

/// The facts that stand first; the others are settings, which few look for.
const FIRST: [&str; 5] = ["winner", "game", "format", "matches", "begun"];

/// How many of the latest results are shown.
const LATEST: usize = 10;

/// A drawing of more bytes than this makes the page too large; its table stands alone then.
const MAX_DRAWING: usize = 30_000;

#[derive(Template)]
#[template(path = "tournament.html")]
struct TournamentPage {
    name: String,
    /// The title of the game.
    game: String,
    document: Document,
    /// What is to be known first, and the rest.
    facts: Vec<(&'static str, TableCell)>,
    settings: Vec<(&'static str, String)>,
    /// The parts of the document, in order.
    parts: Vec<DocumentPart>,
    heat: Option<HeatMap>,
    test: Option<Plot>,
    /// What a sequential test has found.
    verdict: Option<String>,
    /// The endings of the files that it is written to.
    downloads: Vec<(&'static str, &'static str)>,
    latest: Grid,
    is_running: bool,
    /// Whether this server plays it at the moment.
    is_hosted: bool,
}

#[derive(Template)]
#[template(path = "statistics.html")]
struct StatisticsPart {
    name: String,
    title: String,
    parts: Vec<DocumentPart>,
    notes: Vec<String>,
}

#[derive(Template)]
#[template(path = "rounds.html")]
struct RoundsPart {
    name: String,
    title: String,
    /// From 1.
    round: u32,
    rounds: u32,
    matches: Grid,
    is_cut: bool,
}

/// A part of a document.
enum DocumentPart {
    Lines(Vec<String>),
    Grid(Box<Grid>, Option<PartDrawing>),
}

struct PartDrawing {
    svg: String,
    caption: &'static str,
}

/// The cross table as a heat map.
struct HeatMap {
    rows: Vec<HeatRow>,
    /// That bots are left out, if some are.
    cut: Option<String>,
}

struct HeatRow {
    rank: usize,
    bot: String,
    href: Option<String>,
    cells: Vec<HeatCell>,
}

/// Who scored how much against whom.
#[derive(Debug, PartialEq, Eq)]
struct HeatCell {
    class: String,
    text: String,
    title: Option<String>,
    /// The address of the matches.
    href: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Round {
    /// From 1.
    round: Option<u32>,
}

impl PageView for TournamentPage {
    fn head(&self) -> PageHead {
        let title = self.document.headline.as_ref();
        let title = title.unwrap_or(&self.document.title);
        PageHead::new(format!("{title} · {}", self.game), Section::Tournaments)
            .live(&self.name)
            .managed(format!("/organiser/tournaments/{}", self.name))
    }
}

impl PageView for StatisticsPart {
    fn head(&self) -> PageHead {
        PageHead::new(
            format!("Statistics of {}", self.title),
            Section::Tournaments,
        )
    }
}

impl PageView for RoundsPart {
    fn head(&self) -> PageHead {
        PageHead::new(
            format!("Round {} of {}", self.round, self.title),
            Section::Tournaments,
        )
        .live(&self.name)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/tournaments/{name}", get(tournament))
        .route("/tournaments/{name}/statistics", get(statistics))
        .route("/tournaments/{name}/rounds", get(rounds))
}

async fn tournament(
    Path(name): Path<String>,
    Query(asked): Query<TableQuery>,
    visit: Visit,
) -> Result<Response> {
    let key = format!("tournament {name} {}", asked.key());
    let make = move |reading: &ReadContext<'_>| make(reading, &name, &asked);
    visit.page(key, make).await
}

fn make(reading: &ReadContext<'_>, name: &str, asked: &TableQuery) -> Result<TournamentPage> {
    let tournament = reading.journal.tournament(name)?;
    let tabled = reading.table(&tournament)?;
    let mut document = table_document(&tournament, &tabled.full);
    let latest = reading.journal.matches(&MatchFilter {
        tournament: Some(tournament.id),
        limit: LATEST,
        ..MatchFilter::default()
    })?;
    let standings = &tabled.full.standings;
    // The terms of statistics stand on the page of statistics.
    let parts = std::mem::take(&mut document.parts).into_iter();
    let parts = parts.filter(|part| matches!(part, Part::Table(_)));
    let parts = parts.map(|part| with_links(part, name, standings));
    let mut parts = shown(parts.collect(), asked);
    draw_ratings(&mut parts, standings);
    let (mut first, settings): (Vec<_>, _) =
        (document.facts.drain(..)).partition(|(term, _)| FIRST.contains(term));
    first.sort_by_key(|(term, _)| FIRST.iter().position(|one| one == term));
    let facts = Vec::into_iter(first)
        .map(|(term, fact)| (term, told(term, fact)))
        .collect();
    let host = reading.site.host();
    Ok(TournamentPage {
        heat: heat(&standings.cross, name),
        verdict: words::test_in_a_sentence(&tournament, standings),
        downloads: downloads(&tournament, reading.is_over(&tournament)?),
        game: game_title(&tournament.settings.game),
        facts,
        settings,
        test: test(&tournament, &tabled),
        latest: results("latest", "Latest matches", &latest, false).or("no match has a result yet"),
        is_hosted: host.is_some_and(|host| host.plays(&tournament.name)),
        is_running: reading.site.arena.is_running(&tournament.name),
        name: tournament.name.to_string(),
        document,
        parts,
    })
}

/// A fact as a page shows it.
fn told(term: &str, fact: String) -> TableCell {
    match term {
        "winner" => {
            let mut parts = Vec::new();
            for bot in fact.split(", ") {
                parts.extend((!parts.is_empty()).then(|| CellPart::words(", ")));
                parts.push(CellPart::bot(bot, true));
            }
            TableCell::of_parts(parts)
        }
        "game" => TableCell::game(&fact),
        "format" => TableCell::words(words::format_title(&fact)),
        "begun" => TableCell {
            when: When::of(&fact),
            ..TableCell::words(fact)
        },
        _ => TableCell::words(fact),
    }
}

/// Draws the ratings of the standings with their intervals.
fn draw_ratings(parts: &mut [DocumentPart], standings: &Standings) {
    let rows = standings.rows.iter();
    let rows: Vec<_> = (rows.filter(|row| row.games > 0))
        .map(|row| (row.bot.as_str(), [row.low, row.rating, row.high]))
        .collect();
    for part in parts {
        if let DocumentPart::Grid(grid, _) = part
            && grid.id == STANDINGS
        {
            draw_intervals(grid, &rows);
        }
    }
}

/// The parts of a document for a page. The cross table is a heat map of its own there.
fn shown(parts: Vec<Part>, asked: &TableQuery) -> Vec<DocumentPart> {
    let mut shown = Vec::new();
    let (mut tables, mut told) = (0, false);
    for part in parts {
        match part {
            Part::Lines(lines) => {
                let lines = lines.lines().map(String::from);
                shown.push(DocumentPart::Lines(lines.collect()));
            }
            Part::Table(mut table) => {
                // The first table with estimates says how these are marked.
                if table.has_estimates() && !told {
                    table.captions.insert(0, ESTIMATES.to_owned());
                    told = true;
                }
                let is_seen = table.shown_columns().next().is_some() && !table.is_empty();
                if !is_seen || table.title == CROSS_TABLE {
                    continue;
                }
                let id = match &*table.title {
                    "Standings" => STANDINGS.to_owned(),
                    _ => format!("t{tables}"),
                };
                tables += 1;
                let drawing = table.drawing.clone();
                let drawing = drawing.filter(|(svg, _)| svg.len() <= MAX_DRAWING);
                let drawing = drawing.map(|(svg, caption)| PartDrawing { svg, caption });
                let grid = Box::new(Grid::beside_others(id, table, asked));
                shown.push(DocumentPart::Grid(grid, drawing));
            }
        }
    }
    shown
}

/// The id of the table of who stands where.
const STANDINGS: &str = "standings";

/// The part with the bracket, whose boxes lead to their matches here.
fn with_links(part: Part, name: &str, standings: &Standings) -> Part {
    let Part::Table(mut table) = part else {
        return part;
    };
    if let Some((drawing, _)) = &mut table.drawing {
        let link = |encounter: &Encounter| match &encounter.bots[..] {
            [one, other] => Some(matches_between(name, one, other)),
            _ => None,
        };
        let linked = linked_bracket(&standings.encounters, &link);
        if let Some(linked) = linked.filter(|linked| linked.len() <= MAX_DRAWING) {
            *drawing = linked;
        }
    }
    Part::Table(table)
}

/// The address of the matches between two bots of a tournament.
fn matches_between(tournament: &str, one: &str, other: &str) -> String {
    let asked = query([
        ("tournament", Some(tournament)),
        ("bot", Some(one)),
        ("against", Some(other)),
    ]);
    format!("/matches{asked}")
}

/// The most bytes of the addresses in a cross table: more would make the page too large.
const MAX_LINKS: usize = 15_000;

/// The title of the report's cross table.
const CROSS_TABLE: &str = "Cross table";

/// The cross table as a heat map; nothing where nobody has met.
fn heat(table: &CrossTable, tournament: &str) -> Option<HeatMap> {
    let bots = table.bots.len().min(MAX_CROSSED);
    let cell = |row: usize, column: usize| {
        let cell = table.cells[row][column];
        if row == column || cell.games() == 0 {
            let class = if row == column { "self" } else { "unmet" };
            return HeatCell {
                class: class.into(),
                text: String::new(),
                title: None,
                href: None,
            };
        }
        let share = cell.score() / f64::from(cell.games());
        HeatCell {
            class: format!("h{:.0}", 10.0 * share),
            text: format!("{:.0}", 100.0 * share),
            title: Some(format!("{:.1} of {}", cell.score(), cell.games())),
            href: Some(matches_between(
                tournament,
                &table.bots[row],
                &table.bots[column],
            )),
        }
    };
    let row = |row: usize| HeatRow {
        rank: row + 1,
        bot: table.bots[row].clone(),
        href: bot_address(&table.bots[row]),
        cells: (0..bots).map(|column| cell(row, column)).collect(),
    };
    let is_empty = table.cells.iter().flatten().all(|cell| cell.games() == 0);
    let mut rows: Vec<HeatRow> = (0..bots).map(row).collect();
    let cells = rows.iter().flat_map(|row| &row.cells);
    let addresses = cells.filter_map(|cell| cell.href.as_ref());
    let links: usize = addresses.map(String::len).sum();
    if links > MAX_LINKS {
        for cell in rows.iter_mut().flat_map(|row| &mut row.cells) {
            cell.href = None;
        }
    }
    (!is_empty).then_some(HeatMap {
        rows,
        cut: (table.bots.len() > bots)
            .then(|| format!("These are the first {bots} of {} bots.", table.bots.len())),
    })
}

/// The log-likelihood ratio of a sequential test as it ran; nothing for other formats.
fn test(tournament: &Tournament, tabled: &CachedTable) -> Option<Plot> {
    let running = tabled.full.standings.sprt?;
    let points = (0..).zip(std::iter::once(&0.0).chain(&tabled.path));
    let line = PlotLine {
        name: tournament.entrants.first()?.label(),
        points: points
            .map(|(block, llr): (u32, &f64)| Point::new(block.into(), *llr))
            .collect(),
    };
    let levels = [
        Level {
            name: "H1 accepted",
            y: running.bounds.upper,
        },
        Level {
            name: "H0 accepted",
            y: running.bounds.lower,
        },
    ];
    let label = "Log-likelihood ratio of the test after each block";
    Some(Plot {
        svg: plot::lines(label, "blocks", &[line], &levels),
        keys: Vec::new(),
    })
}

async fn statistics(
    Path(name): Path<String>,
    Query(asked): Query<TableQuery>,
    visit: Visit,
) -> Result<Response> {
    let key = format!("statistics {name} {}", asked.key());
    let make = move |reading: &ReadContext<'_>| {
        let tournament = reading.journal.tournament(&name)?;
        let tabled = reading.table(&tournament)?;
        let mut document = full_document(&tournament, &tabled.full);
        if tabled.full.standings.over && reading.is_over(&tournament)? {
            document.notes.push(seed_note(&tournament));
        }
        Ok(StatisticsPart {
            parts: whole(shown(document.parts, &asked)),
            title: headline(&tournament).to_owned(),
            name: tournament.name.to_string(),
            notes: document.notes,
        })
    };
    visit.page(key, make).await
}

/// The same with all columns: who reads statistics looks for figures.
fn whole(mut parts: Vec<DocumentPart>) -> Vec<DocumentPart> {
    for part in &mut parts {
        if let DocumentPart::Grid(grid, _) = part {
            grid.shows_all = true;
        }
    }
    parts
}

async fn rounds(
    Path(name): Path<String>,
    Query(asked): Query<Round>,
    visit: Visit,
) -> Result<Response> {
    let key = format!("rounds {name} {:?}", asked.round);
    let make = move |reading: &ReadContext<'_>| round(reading, &name, asked.round);
    visit.page(key, make).await
}

/// The matches of a round; of the last one that has results, where none is asked for.
fn round(reading: &ReadContext<'_>, name: &str, asked: Option<u32>) -> Result<RoundsPart> {
    let tournament = reading.journal.tournament(name)?;
    let filter = MatchFilter {
        tournament: Some(tournament.id),
        limit: 1,
        ..MatchFilter::default()
    };
    let last = reading.journal.matches(&filter)?;
    let rounds = last.first().map_or(1, |row| row.round + 1);
    let round = asked.unwrap_or(rounds);
    if !(1..=rounds).contains(&round) {
        let what = format!("there is no round {round} with a result in {name}");
        return Err(Problem::not_found(what).hint(format!("its rounds are 1 to {rounds}")));
    }
    let mut rows = reading.journal.matches(&MatchFilter {
        round: Some(round - 1),
        limit: PAGE_ROWS + 1,
        ..filter
    })?;
    let is_cut = rows.len() > PAGE_ROWS;
    rows.truncate(PAGE_ROWS);
    let matches = results("matches", "Matches of the round", &rows, false);
    Ok(RoundsPart {
        title: headline(&tournament).to_owned(),
        name: tournament.name.to_string(),
        round,
        rounds,
        matches: matches.or("no match of it has a result yet"),
        is_cut,
    })
}

#[cfg(test)]
mod tests {
    use flipside_tournament::Cell;

    use super::*;

    #[test]
    fn the_heat_of_a_cell_is_its_share_of_the_points() {
        let cell = |wins, draws, losses| Cell {
            wins,
            draws,
            losses,
        };
        let table = CrossTable {
            bots: vec!["a@1".into(), "b@1".into(), "c@1".into()],
            cells: vec![
                vec![cell(0, 0, 0), cell(3, 1, 0), cell(0, 0, 0)],
                vec![cell(0, 1, 3), cell(0, 0, 0), cell(0, 0, 0)],
                vec![cell(0, 0, 0); 3],
            ],
        };
        let heat = heat(&table, "cup").unwrap();
        let row: Vec<(&str, &str)> = (heat.rows[0].cells.iter())
            .map(|cell| (cell.class.as_str(), cell.text.as_str()))
            .collect();
        assert_eq!(row, [("self", ""), ("h9", "88"), ("unmet", "")]);
        assert_eq!(heat.rows[1].cells[0].title.as_deref(), Some("0.5 of 4"));
        assert!(heat.cut.is_none());
        let href = heat.rows[0].cells[1].href.as_deref();
        assert_eq!(
            href,
            Some("/matches?tournament=cup&bot=a%401&against=b%401")
        );
        assert_eq!(heat.rows[0].cells[2].href, None, "they have not met");
    }
}
