//! The tables of a tournament: who stands where, who met whom, and what a knockout's encounters came to.

use flipside_games::words::joined;
use flipside_ratings::hundredths;
use flipside_tournament::{CrossTable, Encounter, Ranking, Standings, StandingsRow};

use crate::bracket::bracket;
use crate::column::{Column, ReportStyle, ReportView, columns};
use crate::cross::{MAX_CROSSED, against, decided_by, left_out};
use crate::table::{AGAINST, CellFormats, OF, ReportTable};
use crate::value::Value;
use crate::{svg, words};

/// The columns of the standings, in their order: a new one is a line here.
const STANDINGS: &[Column<StandingsRow>] = columns! { StandingsRow:
    number("rank", 0) |row| row.rank;
    number("", 0) |row| row.rank => on_screen_only;
    name("bot") |row| row.bot.as_str() => on_screen;
    text("") |row| words::left(row).map_or(Value::Nothing, Value::from) => heading("left"), for_people, unless_zero;
    text("") |row| row.left.map_or(Value::Nothing, |how| words::left_in_short(how).into())
        => heading("left"), unless_zero, on_screen_only;
    data("left") |row| row.left.map_or(Value::Nothing, |how| words::left_in_short(how).into());
    data("left_because") |row| row.left_because.as_ref().map_or("", |reason| reason.as_str());
    data("is_void") |row| row.is_void.then_some(true);
    number("rating", 0) |row| row.rating => exact(2), estimate, spare(1), on_screen;
    shown("95 %", 0) |row| format!("±{:.0}", (row.high - row.low) / 2.0) => estimate, spare(4), on_screen;
    data("deviation") |row| row.deviation;
    data("low") |row| row.low;
    data("high") |row| row.high;
    data("is_told_apart") |row| row.is_told_apart;
    data("link") |row| row.link;
    data("glicko") |row| row.glicko;
    data("glicko_deviation") |row| row.glicko_deviation;
    number("games", 0) |row| row.games => spare(2), on_screen;
    number("wins", 0) |row| row.wins => heading("won"), spare(5);
    number("draws", 0) |row| row.draws => heading("drawn"), spare(5);
    number("losses", 0) |row| row.losses => heading("lost"), spare(5);
    shown("won-drawn-lost", 0) |row| format!("{}-{}-{}", row.wins, row.draws, row.losses)
        => spare(5), on_screen_only;
    number(SCORE, 1) |row| row.score => on_screen;
    // Who has played nothing has no share of it.
    number(SHARE, 1) |row| (row.games > 0).then_some(row.percent) => heading("%"), exact(2), spare(6);
    data("percent_low") |row| row.percent_low.map(hundredths);
    data("percent_high") |row| row.percent_high.map(hundredths);
    shown("% from to", 1) |row| row.percent_low.zip(row.percent_high) => estimate, spare(8);
    data("by_play") |row| row.by_play;
    shown("not by play", 0) |row| row.games - row.by_play => unless_zero, spare(8);
    number("faults", 0) |row| row.faults => spare(3), on_screen;
    number("voids", 0) |row| row.voids => spare(9);
};

/// The columns of bots that ask a language model, as their notes tell it. A table has them only if one of its bots does.
const MODELS: &[Column<StandingsRow>] = columns! { StandingsRow:
    data("model_moves") |row| row.model.map(|model| model.moves);
    data("model_answered") |row| row.model.map(|model| model.answered);
    data("model_first_try") |row| row.model.map(|model| model.first_try);
    shown("legal at first try %", 1) |row| row.model.and_then(|model| part(100 * model.first_try, model.answered))
        => spare(4);
    number("model_tries", 0) |row| row.model.map(|model| model.tries) => heading("tries"), spare(7);
    number("model_tokens_in", 0) |row| row.model.map(|model| model.tokens_in) => heading("tokens in"), spare(6);
    number("model_tokens_out", 0) |row| row.model.map(|model| model.tokens_out) => heading("tokens out"), spare(6);
    number("model_fallbacks", 0) |row| row.model.map(|model| model.fallbacks)
        => heading("fallbacks"), unless_zero, spare(7);
    number("model_provider_errors", 0) |row| row.model.map(|model| model.provider_errors)
        => heading("provider errors"), unless_zero, spare(7);
};

/// A part of a whole; of nothing, nothing.
fn part(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then_some(part as f64 / whole as f64)
}

const SCORE: &str = "score";
const SHARE: &str = "percent";

/// The bots in order of rank, with what the ranks come from where the format has an order of its own.
pub fn standings_table(standings: &Standings) -> ReportTable {
    let rows = &standings.rows;
    let mut table = ReportTable::of("Standings", STANDINGS, rows);
    let is_even = rows.windows(2).all(|two| two[0].games == two[1].games);
    if let (false, Some(share)) = (is_even, table.column_mut(SHARE, ReportView::Page)) {
        // Where some have played more than others, the share of the points ranks.
        share.style.views[ReportView::Screen as usize] = true;
    }
    if let Some(ranking) = &standings.ranking {
        add_ranking(&mut table, ranking, rows);
    }
    if rows.iter().any(|row| row.model.is_some()) {
        let models = ReportTable::of("", MODELS, rows);
        table.columns.extend(models.columns);
    }
    table
}

fn add_ranking(table: &mut ReportTable, ranking: &Ranking, rows: &[StandingsRow]) {
    let cells = |at: usize| {
        let cell =
            move |row: &flipside_tournament::Ranked| row.cells.get(at).cloned().unwrap_or_default();
        ranking.rows.iter().map(cell)
    };
    let repeats_score = |at: usize| {
        let mut both = cells(at).zip(rows);
        both.all(|(cell, row)| cell == format!("{:.1}", row.score))
    };
    let repeated = (0..ranking.by.len()).any(repeats_score);
    if let Some(score) = table.column_mut(SCORE, ReportView::Page) {
        // What decides stands on the screen in its stead.
        score.style.views = [!repeated, false, true];
    }
    let behind = table.columns.iter().position(|column| column.key == SCORE);
    let behind = behind.unwrap_or(table.columns.len());
    let before = table
        .columns
        .iter()
        .position(|column| column.key == "rating");
    let before = before.unwrap_or(0);
    for (at, heading) in ranking.by.iter().enumerate() {
        let is_number = cells(at).all(|cell| cell.parse::<f64>().is_ok());
        let column = |heading: String, views| {
            let style = ReportStyle {
                is_number,
                views,
                ..ReportStyle::TEXT
            };
            CellFormats::new(heading, style, cells(at).map(Value::Text))
        };
        let key = heading.to_lowercase().replace([' ', '-'], "_");
        table.columns.push(column(key, [false, false, true]));
        if at == 0 {
            let first = column((*heading).to_owned(), [false, true, false]);
            table.columns.insert(behind, first);
        }
        let shown = column((*heading).to_owned(), [true, false, false]);
        table.columns.insert(before + at, shown);
    }
}

/// What the ranks come from, for the list of all figures.
pub(super) fn ranking_figures(standings: &Standings) -> Option<ReportTable> {
    const BOT: &[Column<StandingsRow>] =
        columns! { StandingsRow: data(OF) |row| row.bot.as_str(); };
    let ranking = standings.ranking.as_ref()?;
    let mut table = ReportTable::of("", BOT, &standings.rows).figures("ranking");
    for (at, &heading) in ranking.by.iter().enumerate() {
        let cells = ranking.rows.iter().map(|row| row.cells.get(at).cloned());
        let cells = cells.map(|cell| cell.unwrap_or_default().into());
        table
            .columns
            .push(CellFormats::new(heading, ReportStyle::DATA, cells));
    }
    Some(table)
}

/// Every two bots that have met.
struct PairingRow {
    bot: String,
    opponent: String,
    cell: flipside_tournament::Cell,
}

const MET: &[Column<PairingRow>] = columns! { PairingRow:
    name("bot") |met| met.bot.as_str();
    name("opponent") |met| met.opponent.as_str();
    number("games", 0) |met| met.cell.games();
    number("wins", 0) |met| met.cell.wins;
    number("draws", 0) |met| met.cell.draws;
    number("losses", 0) |met| met.cell.losses;
    number("score", 1) |met| met.cell.score();
};

/// The cross table as comma-separated values: one line for every two bots that have played.
pub fn cross_csv(table: &CrossTable) -> String {
    let rows = table.bots.iter().zip(&table.cells);
    let met: Vec<PairingRow> = rows
        .flat_map(|(bot, cells)| {
            table
                .bots
                .iter()
                .zip(cells)
                .map(move |(opponent, cell)| (bot, opponent, *cell))
        })
        .filter(|(.., cell)| cell.games() > 0)
        .map(|(bot, opponent, cell)| PairingRow {
            bot: bot.clone(),
            opponent: opponent.clone(),
            cell,
        })
        .collect();
    ReportTable::of("", MET, &met).csv()
}

/// Who scored how much against whom.
/// `all` is the command that prints all of it.
pub(super) fn cross_table(table: &CrossTable, all: &str) -> ReportTable {
    let bots = table.bots.len();
    let names = &table.bots[..bots.min(MAX_CROSSED)];
    let mut cross = ReportTable::matrix("Cross table", names, |row, column| {
        match against(table, row, column) {
            Some((score, matches)) => Value::Text(format!("{score:.1}/{matches}")),
            None => Value::Nothing,
        }
    });
    if let Some(left_out) = left_out(bots, MAX_CROSSED) {
        cross = cross.caption(format!("{left_out}; all: `{all} --cross --csv`"));
    }
    let caption = "the share of the points of the bot on the left against the bot above";
    cross.drawing = Some((svg::cross_table(table), caption));
    cross.caption("score of the bot on the left against the bot above")
}

const ENCOUNTERS: &[Column<Encounter>] = columns! { Encounter:
    text("match-up") |one| one.stage.as_str() => for_people;
    name(OF) |one| bot(one, 0) => heading("better seed");
    name(AGAINST) |one| bot(one, 1) => heading("against");
    shown("score", 1) |one| points(one);
    data("round") |one| one.round;
    data("stage") |one| one.stage.as_str();
    data("points") |one| one.points.first().copied();
    data("points_against") |one| one.points.get(1).copied();
    number("blocks", 0) |one| one.blocks => spare(1);
    name("winner") |one| one.winner.clone().unwrap_or_default() => heading("goes on");
    text("decided_by") |one| decided_by(one) => heading("decided by"), spare(2);
};

fn points(encounter: &Encounter) -> String {
    let points = encounter.points.iter().map(|points| format!("{points:.1}"));
    joined(points, " : ")
}

fn bot(encounter: &Encounter, at: usize) -> String {
    encounter.bots.get(at).cloned().unwrap_or_default()
}

/// The encounters of a knockout; nothing for other formats.
pub(super) fn encounters_table(standings: &Standings) -> Option<ReportTable> {
    let encounters = &standings.encounters;
    if encounters.is_empty() {
        return None;
    }
    let mut table = ReportTable::of("Match-ups", ENCOUNTERS, encounters).figures("encounter");
    let caption = "points in all blocks of a match-up; the winner is in bold, at equal points the better seed";
    table.drawing = bracket(encounters).map(|drawing| (drawing, caption));
    Some(table)
}
