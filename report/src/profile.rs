//! The lists of one bot: its tournaments, its opponents, its seats, its faults.

use flipside_store::{EnteredRow, FaultRow, OpponentRow, SeatOutcomesRow};

use crate::column::{Column, ReportRow, columns};

impl ReportRow for EnteredRow {
    const COLUMNS: &'static [Column<Self>] = columns! { EnteredRow:
        name("tournament") |row| row.tournament.as_str();
        text("game") |row| row.game.as_str();
        number("rank", 0) |row| row.rank;
        number("bots", 0) |row| row.bots => heading("of"), spare(1);
        number("games", 0) |row| row.games => spare(2);
        number("score", 1) |row| row.score;
        number("percent", 1) |row| row.percent => heading("%");
        number("faults", 0) |row| row.faults => spare(2);
    };
    const NOTHING: &'static str = "it was entered in no tournament yet";
}

impl ReportRow for OpponentRow {
    const COLUMNS: &'static [Column<Self>] = columns! { OpponentRow:
        name("opponent") |row| row.opponent.as_str();
        text("game") |row| row.game.as_str();
        number("games", 0) |row| row.cell.games();
        number("wins", 0) |row| row.cell.wins => heading("won"), spare(1);
        number("draws", 0) |row| row.cell.draws => heading("drawn"), spare(1);
        number("losses", 0) |row| row.cell.losses => heading("lost"), spare(1);
        number("score", 1) |row| row.cell.score();
        number("percent", 1) |row| 100.0 * row.cell.score() / f64::from(row.cell.games().max(1)) => heading("%");
    };
    const NOTHING: &'static str = "it has met no other bot yet";
}

impl ReportRow for SeatOutcomesRow {
    const COLUMNS: &'static [Column<Self>] = columns! { SeatOutcomesRow:
        text("game") |row| row.game.as_str();
        number("seat", 0) |row| row.seat;
        number("games", 0) |row| row.outcomes.games();
        number("wins", 0) |row| row.outcomes.wins => heading("won");
        number("draws", 0) |row| row.outcomes.draws => heading("drawn");
        number("losses", 0) |row| row.outcomes.losses => heading("lost");
        number("percent", 1) |row| row.outcomes.percent() => heading("%");
    };
    const NOTHING: &'static str = "it has played no match yet";
}

impl ReportRow for FaultRow {
    const COLUMNS: &'static [Column<Self>] = columns! { FaultRow:
        text("fault") |row| row.fault.as_str();
        number("matches", 0) |row| row.matches;
    };
    const NOTHING: &'static str = "it has had no fault";
}
