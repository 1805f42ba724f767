//! The total table of a league.

use flipside_tournament::league::LeagueRow;

use crate::column::{Column, ReportStyle, columns};
use crate::table::{CellFormats, ReportTable};
use crate::value::Value;

const TOTALS: &[Column<LeagueRow>] = columns! { LeagueRow:
    number("rank", 0) |row| row.rank;
    name("bot") |row| row.bot.as_str();
    number("points", 1) |row| row.points => exact(2);
    number("matches", 0) |row| row.matches => spare(3);
    number("wins", 0) |row| row.wins => heading("won"), spare(3);
    number("faults", 0) |row| row.faults => spare(3);
};

/// The total table of a division, with a column for each game.
pub fn league_table(games: &[String], rows: &[LeagueRow]) -> ReportTable {
    let mut table = ReportTable::of("Total", TOTALS, rows);
    for (at, game) in games.iter().enumerate() {
        let style = ReportStyle {
            is_number: true,
            decimals: 1,
            exact: 2,
            spare: 1,
            ..ReportStyle::TEXT
        };
        let share = |row: &LeagueRow| Value::from(row.shares[at]);
        table.columns.push(CellFormats::new(
            game.clone(),
            style,
            rows.iter().map(share),
        ));
    }
    table
}
