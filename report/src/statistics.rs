//! The tables of `table --full`: bots, pairs, seats, reasons, and the figures of a sequential test.

use flipside_games::words::joined;
use flipside_ratings::{
    BotReport, EndReport, FieldReport, PairReport, Running, SeatReport, SprtDecision,
    StatisticsReport, told,
};
use flipside_tournament::{
    Bot, FullTable, SlowMove, SlowMoves, StandingsRow, Tournament, milliseconds,
};

use crate::column::{Column, ReportStyle, ReportView, columns};
use crate::cross::{MAX_CROSSED, left_out};
use crate::table::{AGAINST, CellFormats, OF, ReportTable};
use crate::value::Value;

/// A figure, where there is one.
pub(super) fn finite(figure: f64) -> Option<f64> {
    figure.is_finite().then_some(figure)
}

/// A bot's standing with its statistics.
struct StatisticsLine {
    row: StandingsRow,
    report: BotReport,
}

/// The columns of the bots: a new one is a line here.
const BOTS: &[Column<StatisticsLine>] = columns! { StatisticsLine:
    name(OF) |line| line.report.bot.as_str() => heading("bot");
    data("rank") |line| line.row.rank;
    data("rating") |line| line.row.rating;
    data("deviation") |line| line.row.deviation;
    data("rating_low") |line| line.row.low;
    data("rating_high") |line| line.row.high;
    number("glicko", 0) |line| line.row.glicko => heading("Glicko-2"), exact(2), estimate, unless_zero;
    shown("+/-", 0) |line| line.row.glicko_deviation.map(|deviation| 1.96 * deviation) => estimate, unless_zero;
    data("glicko_deviation") |line| line.row.glicko_deviation;
    number("matches", 0) |line| line.report.matches;
    number("blocks", 0) |line| line.report.blocks;
    data("score") |line| line.report.score.map(|score| score.mean);
    data("score_low") |line| line.report.score.map(|score| score.low);
    data("score_high") |line| line.report.score.map(|score| score.high);
    number("plies", 1) |line| line.report.plies => heading("plies a match"), spare(2), unless_zero;
    data("used_ms") |line| line.report.used_ms => exact(3);
    shown("ms a match", 2) |line| line.report.used_ms => spare(4), unless_zero;
    shown("ms a ply", 3) |line| line.report.used_ms / line.report.plies.max(1.0) => spare(3), unless_zero;
    number("faults", 0) |line| line.report.faults;
    data("voids") |line| line.row.voids;
};

/// The columns of the bots against all others together.
const FIELD: &[Column<StatisticsLine>] = columns! { StatisticsLine:
    name(OF) |line| line.report.bot.as_str() => heading("bot");
    number("elo", 1) |line| field(line, |field| finite(field.elo.elo).into()) => heading("Elo against the field"), estimate;
    number("elo_error", 1) |line| field(line, |field| told(field.elo.error).into()) => heading("+/-"), estimate;
    shown("Ptnml(0-2)", 0) |line| field(line, |field| counts(&field.blocks).into()) => spare(2);
    shown("drawn %", 1) |line| field(line, |field| (100.0 * field.drawn).into()) => spare(1);
    data("drawn") |line| field(line, |field| field.drawn.into());
    data("ptnml") |line| field(line, |field| joined(&field.blocks, " ").into());
};

const PAIRS: &[Column<PairReport>] = columns! { PairReport:
    name(OF) |pair| pair.bots[0].as_str() => heading("bot");
    name(AGAINST) |pair| pair.bots[1].as_str();
    shown("matches", 0) |pair| pair.matches.iter().sum::<u64>() => spare(2);
    shown("won", 0) |pair| pair.matches[2] => spare(4);
    shown("drawn", 0) |pair| pair.matches[1] => spare(4);
    shown("lost", 0) |pair| pair.matches[0] => spare(4);
    number("elo", 2) |pair| finite(pair.elo.elo) => heading("Elo"), estimate;
    number("elo_error", 2) |pair| told(pair.elo.error) => heading("+/-"), estimate;
    shown("95 % interval", 2) |pair| Some((pair.elo.low, pair.elo.high)) => estimate, spare(5);
    data("elo_low") |pair| pair.elo.low;
    data("elo_high") |pair| pair.elo.high;
    data("normalised_elo") |pair| pair.elo.normalised;
    data("normalised_elo_error") |pair| told(pair.elo.normalised_error);
    shown("LOS %", 1) |pair| 100.0 * pair.superiority => estimate, spare(1);
    shown("Ptnml(0-2)", 0) |pair| counts(&pair.blocks) => spare(3);
};

const SEATS: &[Column<SeatReport>] = columns! { SeatReport:
    text(OF) |seat| seat.seat => heading("seat");
    number("matches", 0) |seat| seat.matches;
    number("won", 0) |seat| seat.won;
    number("shared", 0) |seat| seat.shared;
    shown("%", 1) |seat| seat.score.map(|score| 100.0 * score.mean);
    shown("% from to", 1) |seat| seat.score.map(|score| (100.0 * score.low, 100.0 * score.high))
        => estimate, spare(1);
    data("score") |seat| seat.score.map(|score| score.mean);
    data("score_low") |seat| seat.score.map(|score| score.low);
    data("score_high") |seat| seat.score.map(|score| score.high);
    shown("an advantage %", 1) |seat| seat.advantage.map(|part| 100.0 * part) => estimate, spare(2);
    data("advantage") |seat| seat.advantage;
};

/// How often matches ended for a reason, and in how many hundredths of all.
struct EndRow {
    report: EndReport,
    percent: f64,
}

const ENDS: &[Column<EndRow>] = columns! { EndRow:
    text(OF) |end| end.report.reason.as_str() => heading("ended by");
    number("matches", 0) |end| end.report.matches;
    shown("%", 1) |end| end.percent;
    number("drawn", 0) |end| end.report.drawn;
};

const SLOWEST: &[Column<SlowMove>] = columns! { SlowMove:
    name(OF) |slow| slow.bot.as_str() => heading("bot");
    number("used_ms", 3) |slow| milliseconds(slow.used_us) => heading("slowest move, ms");
    text("match") |slow| slow.id.as_str();
    number("seat", 0) |slow| slow.seat;
    number("ply", 0) |slow| slow.ply;
    text("action") |slow| slow.action.as_str() => spare(1);
};

const BLOCKS: &[Column<StatisticsReport>] = columns! { StatisticsReport:
    data("matches_of_block") |all| all.matches_of_block;
    data("blocks") |all| all.blocks;
    data("broken") |all| all.broken;
    data("saved") |all| all.saved;
};

/// How likely one bot is better than another.
struct Superior {
    bots: [String; 2],
    likelihood: f64,
}

const SUPERIOR: &[Column<Superior>] = columns! { Superior:
    data(OF) |one| one.bots[0].as_str();
    data(AGAINST) |one| one.bots[1].as_str();
    data("likelihood") |one| one.likelihood;
};

/// A sequential test of one bot against another.
struct Test {
    bots: [String; 2],
    running: Running,
}

const TEST: &[Column<Test>] = columns! { Test:
    data(OF) |test| test.bots[0].as_str();
    data(AGAINST) |test| test.bots[1].as_str();
    data("blocks") |test| test.running.blocks;
    data("llr") |test| test.running.llr;
    data("llr_lower") |test| test.running.bounds.lower;
    data("llr_upper") |test| test.running.bounds.upper;
    data("elo0_accepted") |test| accepted(test, SprtDecision::Elo0);
    data("elo1_accepted") |test| accepted(test, SprtDecision::Elo1);
};

fn accepted(test: &Test, which: SprtDecision) -> Value {
    Value::Count((test.running.decision == Some(which)).into())
}

/// What a bot's blocks tell of it against the field.
fn field(line: &StatisticsLine, of: fn(&FieldReport) -> Value) -> Value {
    line.report.field.as_ref().map_or(Value::Nothing, of)
}

/// Counts of blocks by their scores, as chess tools print them.
pub(super) fn counts(blocks: &[u64]) -> String {
    format!("[{}]", joined(blocks, ", "))
}

pub(super) fn blocks_figures(report: &StatisticsReport) -> ReportTable {
    ReportTable::of("", BLOCKS, std::slice::from_ref(report)).figures("blocks")
}

fn lines(table: &FullTable) -> Vec<StatisticsLine> {
    let rows = table.standings.rows.iter().zip(&table.statistics.bots);
    rows.map(|(row, report)| StatisticsLine {
        row: row.clone(),
        report: report.clone(),
    })
    .collect()
}

pub(super) fn bots_table(table: &FullTable) -> ReportTable {
    ReportTable::of("Bots", BOTS, &lines(table)).figures("bot")
}

/// How each bot fared against all others; nothing where nobody met one at a time.
pub(super) fn field_table(table: &FullTable) -> Option<ReportTable> {
    let mut bots = table.statistics.bots.iter();
    let met = bots.any(|bot| bot.field.is_some());
    met.then(|| ReportTable::of("Against the field", FIELD, &lines(table)).figures("bot"))
}

/// Who is likely better than whom.
pub(super) fn superiority_table(report: &StatisticsReport) -> ReportTable {
    let bots: Vec<String> = report.bots.iter().map(|bot| bot.bot.clone()).collect();
    let names = &bots[..bots.len().min(MAX_CROSSED)];
    let cell = |row: usize, column: usize| {
        report.superiority[row][column]
            .map(|part| 100.0 * part)
            .into()
    };
    let caption = "in how many of a hundred cases the bot on the left is better than the bot above";
    let caption = match left_out(bots.len(), MAX_CROSSED) {
        Some(left_out) => format!("{caption} ({left_out})"),
        None => caption.into(),
    };
    ReportTable::matrix("Likelihood of superiority", names, cell).caption(caption)
}

/// The same for programs.
pub(super) fn superiority_figures(report: &StatisticsReport) -> ReportTable {
    let bots = &report.bots;
    let rows = bots.iter().zip(&report.superiority);
    let rows = rows.flat_map(|(bot, cells)| {
        bots.iter().zip(cells).filter_map(|(rival, cell)| {
            cell.map(|likelihood| Superior {
                bots: [bot.bot.clone(), rival.bot.clone()],
                likelihood,
            })
        })
    });
    ReportTable::of("", SUPERIOR, &rows.collect::<Vec<_>>()).figures("superiority")
}

/// How each pair fared; people read a single pair in words.
pub(super) fn pairs_table(report: &StatisticsReport) -> ReportTable {
    let pairs: Vec<PairReport> = report.pair.iter().chain(&report.pairs).cloned().collect();
    let mut table = ReportTable::of("Pairs", PAIRS, &pairs).figures("pair");
    if report.pair.is_some() {
        for column in &mut table.columns {
            column.style.views[ReportView::Page as usize] = false;
        }
    }
    let scores = pairs.first().map_or(0, |pair| pair.blocks.len());
    let counts = (0..scores).map(|at| {
        let values = pairs.iter().map(|pair| pair.blocks[at].into());
        CellFormats::new(
            format!("blocks_of_{}", at as f64 / 2.0),
            ReportStyle::DATA,
            values,
        )
    });
    // Behind the names of the two.
    table.columns.splice(2..2, counts);
    table
}

pub(super) fn seats_table(report: &StatisticsReport) -> ReportTable {
    ReportTable::of("Seats", SEATS, &report.seats).figures("seat")
}

pub(super) fn ends_table(table: &FullTable) -> ReportTable {
    let all = table.standings.played.max(1) as f64;
    let ends = table.statistics.ends.iter().map(|report| EndRow {
        percent: 100.0 * report.matches as f64 / all,
        report: report.clone(),
    });
    ReportTable::of("Reasons", ENDS, &ends.collect::<Vec<_>>()).figures("end")
}

/// The slowest move of each bot.
pub(super) fn slowest_table(slowest: &SlowMoves) -> ReportTable {
    let table = ReportTable::of("Slowest moves", SLOWEST, &slowest.moves).figures("slowest");
    if slowest.all {
        table
    } else {
        table.caption(format!(
            "by {} records of the matches in which the bots used most time",
            slowest.read
        ))
    }
}

/// The figures of a sequential test, if there is one.
pub(super) fn test_figures(tournament: &Tournament, table: &FullTable) -> Option<ReportTable> {
    let running = table.standings.sprt?;
    let [one, other] = &tournament.entrants[..] else {
        return None;
    };
    let bots = [one, other].map(Bot::label);
    Some(ReportTable::of("", TEST, &[Test { bots, running }]).figures("sprt"))
}
