//! What came of a class, a row for each account.

use flipside_tournament::GradeRow;

use crate::column::{Column, ReportRow, columns};
use crate::value::Value;
use crate::words;

impl ReportRow for GradeRow {
    const COLUMNS: &'static [Column<Self>] = columns! { GradeRow:
        name("account") |row| row.account.as_str();
        name("bot") |row| row.bot.as_deref().map_or(Value::Nothing, Value::from);
        number("division", 0) |row| row.division;
        number("rank", 0) |row| row.rank;
        number("rating", 0) |row| row.rating => exact(2);
        number("points", 1) |row| row.points => exact(2);
        number("matches", 0) |row| row.matches;
        number("faults", 0) |row| row.faults;
        text("left") |row| row.left.map_or(Value::Nothing, |how| words::left_in_short(how).into());
    };
    const NOTHING: &'static str = "no accounts yet";
}

#[cfg(test)]
mod tests {
    use flipside_tournament::LeftAs;

    use super::*;
    use crate::table::ReportTable;

    #[test]
    fn an_account_without_a_bot_has_empty_fields() {
        let rows = [
            GradeRow {
                account: "ada".into(),
                bot: Some("yon@2".into()),
                division: Some(1),
                rank: Some(3),
                rating: Some(1512.345),
                points: Some(66.5),
                matches: Some(42),
                faults: Some(0),
                left: Some(LeftAs::Disqualified),
            },
            GradeRow {
                account: "bob".into(),
                bot: None,
                division: None,
                rank: None,
                rating: None,
                points: None,
                matches: None,
                faults: None,
                left: None,
            },
        ];
        let csv = ReportTable::of("Grades", GradeRow::COLUMNS, &rows).csv();
        let lines = [
            "account,bot,division,rank,rating,points,matches,faults,left",
            "ada,yon@2,1,3,1512.35,66.50,42,0,disqualified",
            "bob,,,,,,,,",
            "",
        ];
        assert_eq!(csv, lines.join("\n"));
    }
}
