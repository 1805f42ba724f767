//! The lists of an arena: its bots, its tournaments, its matches, its ratings.

use flipside_games::words::joined;
use flipside_games::{AnyGame, GAMES};
use flipside_ratings::{SprtDecision, told};
use flipside_referee::SeatResult;
use flipside_store::{
    DescribedBot, HistoryRow, MatchRow, OverallRow, RatingRow, Rerated, SeatRow, TournamentRow,
    WorkerTrail,
};
use flipside_tournament::{Against, Bot, SlowMove, Tested, milliseconds, utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::column::{Column, ReportRow, ReportStyle, columns};
use crate::statistics::finite;
use crate::table::{CellFormats, ReportTable};
use crate::value::Value;
use crate::words;

const NO_MATCHES: &str = "no matches yet; `flipside tournament GAME BOT BOT...` plays some";

impl ReportRow for DescribedBot {
    const COLUMNS: &'static [Column<Self>] = columns! { DescribedBot:
        text("bot") |one| one.bot.label();
        text("kind") |one| one.bot.kind.to_string() => spare(1);
        number("bytes", 0) |one| one.bot.size => heading("size"), bytes, spare(2);
        text("sha256") |one| &one.bot.sha256[..16] => heading("SHA-256"), spare(3);
        text("plays") |one| plays_in_short(&one.bot) => for_people;
        data("plays") |one| plays(&one.bot);
        data("author") |one| one.author.as_deref().unwrap_or_default();
        data("own_version") |one| one.own_version.as_deref().unwrap_or_default();
    };
    const NOTHING: &'static str = "no bots yet; `flipside submit FILE --name NAME` takes one in";
}

fn plays(bot: &Bot) -> String {
    if bot.deleted_at.is_some() {
        return "deleted; its results are here".into();
    }
    match (bot.is_here(), bot.games.is_empty()) {
        (false, _) => "played elsewhere; its file is not here".into(),
        (true, true) => "not checked".into(),
        (true, false) => bot.games.join(" "),
    }
}

/// The same in a line that is not wide where the bot plays every game.
fn plays_in_short(bot: &Bot) -> String {
    let is_played = |game: &&dyn AnyGame| bot.games.iter().any(|id| id == game.info().id);
    match bot.is_here() && bot.deleted_at.is_none() && GAMES.iter().all(is_played) {
        true => format!("all {} games", GAMES.len()),
        false => plays(bot),
    }
}

impl ReportRow for TournamentRow {
    const COLUMNS: &'static [Column<Self>] = columns! { TournamentRow:
        name("tournament") |row| row.tournament.as_str();
        text("game") |row| row.game.as_str();
        text("format") |row| row.format.as_str() => spare(1);
        number("bots", 0) |row| row.bots => spare(2);
        number("played", 0) |row| row.played;
        shown("of", 0) |row| row.total.map_or_else(String::new, |total| match words::is_endless(total) {
            true => "continuous".to_owned(),
            false => total.to_string(),
        });
        data("total") |row| row.total.map_or(0, |total| total.most());
        text("state") |row| row.state_word();
        text("started_at") |row| row.started_at.as_str() => heading("begun"), moment, spare(1);
    };
    const NOTHING: &'static str =
        "no tournaments yet; `flipside tournament GAME BOT BOT...` plays one";
}

impl ReportRow for MatchRow {
    const COLUMNS: &'static [Column<Self>] = columns! { MatchRow:
        text("match") |row| row.id.as_str();
        data("tournament") |row| row.tournament.as_str();
        text("game") |row| row.game.as_str();
        data("started_at") |row| utc(row.started_at);
    text("bots") |row| seats(row, |seat| Some(format!("{} {}", seat.bot, words::points(seat.points))))
            => heading("bots by seat, with points");
        text("reason") |row| row.reason.as_str();
        number("plies", 0) |row| row.plies;
        number("duration_ms", 1) |row| milliseconds(row.duration_us) => heading("took"), exact(3), milliseconds;
    text("faults") |row| seats(row, |seat| Some(format!("{} {}", seat.bot, seat.result.fault.as_ref()?.name)));
    };
    const NOTHING: &'static str = "no such matches";
}

impl ReportRow for WorkerTrail {
    const COLUMNS: &'static [Column<Self>] = columns! { WorkerTrail:
        text("worker") |row| match row.worker.as_str() { "" => "(an arena)", worker => worker };
        text("class") |row| row.classes.join(" ");
        number("matches", 0) |row| row.matches;
        number("audited", 0) |row| row.proven + row.untrue;
        number("untrue", 0) |row| row.untrue => heading("not true");
        number("withdrawn", 0) |row| row.withdrawn;
        number("audits", 0) |row| row.audits => heading("played again for others");
        text("banned") |row| row.banned.as_deref().unwrap_or_default() => heading("banned because");
    };
    const NOTHING: &'static str = "nothing was played yet";
}

impl ReportRow for SlowMove {
    const COLUMNS: &'static [Column<Self>] = columns! { SlowMove:
        text("match") |slow| slow.id.as_str();
        text("game") |slow| slow.game.as_str();
        text("bot") |slow| slow.bot.as_str();
        number("seat", 0) |slow| slow.seat;
        number("ply", 0) |slow| slow.ply;
        number("used_ms", 3) |slow| milliseconds(slow.used_us) => heading("took"), milliseconds;
        text("action") |slow| slow.action.as_str();
    };
    const NOTHING: &'static str = "no such moves";
}

fn seats(row: &MatchRow, of: impl Fn(&SeatRow) -> Option<String>) -> Value {
    Value::Text(joined(row.seats.iter().filter_map(of), ", "))
}

/// A bot's rating at a game.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Rated {
    /// The game's id.
    pub game: String,
    /// The rating.
    #[serde(flatten)]
    pub row: RatingRow,
}

impl ReportRow for Rated {
    const COLUMNS: &'static [Column<Self>] = columns! { Rated:
        data("game") |one| one.game.as_str();
        number("rank", 0) |one| one.row.rank;
        name("bot") |one| one.row.bot.as_str();
        number("rating", 1) |one| one.row.rating => exact(2);
        number("deviation", 1) |one| one.row.deviation => exact(2), spare(2);
        number("low", 1) |one| one.row.low => exact(2), spare(2);
        number("high", 1) |one| one.row.high => exact(2), spare(2);
        data("volatility") |one| one.row.volatility => exact(6);
        number("games", 0) |one| one.row.games;
        number("glicko", 1) |one| one.row.glicko => heading("Glicko-2"), exact(2), spare(3);
        data("glicko_deviation") |one| one.row.glicko_deviation;
        number("imported", 0) |one| one.row.imported => unless_zero;
    };
    const NOTHING: &'static str = NO_MATCHES;
}

const OVERALL: &[Column<OverallRow>] = columns! { OverallRow:
    number("rank", 0) |one| one.rank;
    name("bot") |one| one.bot.as_str();
    number("rating", 1) |one| one.rating => exact(2);
    number("deviation", 1) |one| one.deviation => exact(2), spare(102);
    number("low", 1) |one| one.low => exact(2), spare(101);
    number("high", 1) |one| one.high => exact(2), spare(101);
    number("matches", 0) |one| one.matches => spare(103);
    number("imported", 0) |one| one.imported => unless_zero, spare(104);
};

/// The bots over several games, with their rating at each.
pub fn overall_table(games: &[String], rows: &[OverallRow]) -> ReportTable {
    let mut table = ReportTable::of("", OVERALL, rows);
    for (at, game) in (1..).zip(games) {
        let style = ReportStyle {
            is_number: true,
            exact: 2,
            spare: at,
            ..ReportStyle::TEXT
        };
        let values = rows.iter().map(|row| row.games.get(game).copied().into());
        table
            .columns
            .push(CellFormats::new(game.clone(), style, values));
    }
    table
}

impl ReportRow for Against {
    const COLUMNS: &'static [Column<Self>] = columns! { Against:
        number("rank", 0) |one| one.rank;
        name("bot") |one| one.bot.as_str();
        number("difference", 1) |one| one.difference => exact(2), estimate;
        number("deviation", 1) |one| one.deviation => exact(2), spare(2);
        number("low", 1) |one| one.low => exact(2), estimate, spare(1);
        number("high", 1) |one| one.high => exact(2), estimate, spare(1);
        number("met", 0) |one| one.met;
    };
    const NOTHING: &'static str = NO_MATCHES;
}

impl ReportRow for Tested {
    const COLUMNS: &'static [Column<Self>] = columns! { Tested:
        data("bot") |test| test.bots[0].as_str();
        data("opponent") |test| test.bots[1].as_str();
        data("model") |test| test.test.model().to_string();
        data("elo0") |test| test.test.elo0() => exact(6);
        data("elo1") |test| test.test.elo1() => exact(6);
        data("llr") |test| test.running.llr => exact(6);
        data("llr_lower") |test| test.running.bounds.lower => exact(6);
        data("llr_upper") |test| test.running.bounds.upper => exact(6);
        data("accepted") |test| match test.running.decision {
            None => "",
            Some(SprtDecision::Elo0) => "elo0",
            Some(SprtDecision::Elo1) => "elo1",
        };
        data("blocks") |test| test.running.blocks;
        data("of_blocks") |test| test.of_blocks;
        data("broken") |test| test.broken;
        data("counts") |test| joined(&test.counts, " ");
        data("score") |test| test.score.map(|score| score.mean) => exact(6);
        data("score_low") |test| test.score.map(|score| score.low) => exact(6);
        data("score_high") |test| test.score.map(|score| score.high) => exact(6);
        data("elo") |test| test.elo.and_then(|elo| finite(elo.elo)) => exact(6);
        data("elo_error") |test| test.elo.and_then(|elo| told(elo.error)) => exact(6);
        data("elo_low") |test| test.elo.and_then(|elo| finite(elo.low)) => exact(6);
        data("elo_high") |test| test.elo.and_then(|elo| finite(elo.high)) => exact(6);
        data("normalised_elo") |test| test.elo.and_then(|elo| finite(elo.normalised)) => exact(6);
        data("normalised_elo_error") |test| test.elo.and_then(|elo| told(elo.normalised_error)) => exact(6);
        data("superiority") |test| test.superiority => exact(6);
    };
    const NOTHING: &'static str = NO_MATCHES;
}

impl ReportRow for HistoryRow {
    const COLUMNS: &'static [Column<Self>] = columns! { HistoryRow:
        text("game") |row| row.game.as_str();
        text("tournament") |row| row.tournament.as_str();
        number("round", 0) |row| row.round;
        text("bot") |row| row.bot.as_str();
        number("rating", 1) |row| row.rating;
        number("deviation", 1) |row| row.deviation;
        number("low", 1) |row| row.low;
        number("high", 1) |row| row.high;
        number("games", 0) |row| row.games;
    };
    const NOTHING: &'static str =
        "it has played no rated match yet; `flipside bots` lists the bots";
}

impl ReportRow for Rerated {
    const COLUMNS: &'static [Column<Self>] = columns! { Rerated:
        text("game") |row| row.game.as_str();
        number("matches", 0) |row| row.matches;
        number("periods", 0) |row| row.periods;
        number("bots", 0) |row| row.bots;
        text("sha256") |row| row.sha256.as_str();
    };
    const NOTHING: &'static str = NO_MATCHES;
}

/// A match of an export.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExportedMatch {
    /// The match.
    #[serde(flatten)]
    pub row: MatchRow,
    /// The plies that were drawn before anybody was asked, with spaces between them. None where there are none, or they
    /// are not shown yet.
    pub opening: Option<String>,
}

/// A seat of a match, with the match.
struct SeatCell<'a> {
    of: &'a ExportedMatch,
    row: &'a MatchRow,
    number: usize,
}

impl SeatCell<'_> {
    fn seat(&self) -> &SeatRow {
        &self.row.seats[self.number]
    }

    fn result(&self) -> &SeatResult {
        &self.seat().result
    }
}

/// Points with the six digits that make their sum exact enough, and without zeros behind them.
fn exact_points(points: f64) -> String {
    ((points * 1e6).round() / 1e6).to_string()
}

/// The seats of a match as comma-separated values; without a match, the line of headings.
pub fn seats_csv(exported: Option<&ExportedMatch>) -> String {
    let columns: &[Column<SeatCell<'_>>] = columns! { SeatCell<'_>:
        data("match") |at| at.row.id.as_str();
        data("tournament") |at| at.row.tournament.as_str();
        data("game") |at| at.row.game.as_str();
        data("index") |at| at.row.index;
        data("round") |at| at.row.round;
        data("block") |at| at.row.block;
        data("started_at") |at| utc(at.row.started_at);
        data("duration_ms") |at| milliseconds(at.row.duration_us) => exact(3);
        data("reason") |at| at.row.reason.as_str();
        data("opening") |at| at.of.opening.as_deref().unwrap_or_default();
        data("seat") |at| at.number;
        data("colour") |at| at.seat().colour.unwrap_or_default();
        data("side") |at| at.seat().side.map_or_else(String::new, |side| side.to_string());
        data("bot") |at| at.seat().bot.as_str();
        data("points") |at| exact_points(at.seat().points);
        data("place") |at| at.result().place;
        data("fault") |at| at.result().fault.as_ref().map_or("", |fault| &fault.name);
        data("used_ms") |at| milliseconds(at.result().used_us) => exact(3);
        data("plies") |at| at.result().plies;
        data("game_points") |at| at.result().points.to_string();
        data("counts") |at| at.row.counts.to_string();
    };
    match exported {
        None => ReportTable::of("", columns, &[]).csv(),
        Some(of) => {
            let row = &of.row;
            let seats = (0..row.seats.len()).map(|number| SeatCell { of, row, number });
            ReportTable::of("", columns, &seats.collect::<Vec<_>>()).csv_rows()
        }
    }
}
