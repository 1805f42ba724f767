//! The tables of an arena as programs read them.

use flipside_report::{Rated, ReportRow, ReportTable, cross_csv, standings_table};
use flipside_store::testing::{finished, new_journal, tournament};
use flipside_store::{GameRatings, ratings, table};
use proptest::prelude::*;

fn csv(ratings: &GameRatings) -> String {
    let rows = ratings.rows.iter().map(|row| Rated {
        game: ratings.game.clone(),
        row: row.clone(),
    });
    ReportTable::of("", Rated::COLUMNS, &rows.collect::<Vec<_>>()).csv()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn the_tables_are_the_same_byte_for_byte_whatever_the_order_of_completion(order in Just((0..60).collect::<Vec<u64>>()).prop_shuffle()) {
        let written = |order: &[u64]| {
            let (_folder, mut journal) = new_journal();
            let evening = tournament(&mut journal, "evening", 5, 3);
            let schedule = evening.schedule().unwrap();
            for &index in order {
                journal.land(&finished(&evening, &schedule.pairing(index).unwrap())).unwrap();
                if index.is_multiple_of(9) {
                    journal.void(evening.id, index, "the referee was late", index).unwrap();
                }
            }
            let table = table(&journal, &evening).unwrap();
            let ratings = ratings(&journal, "flipfour").unwrap();
            let json = serde_json::to_string(&(&table, &ratings)).unwrap();
            [json, standings_table(&table).csv(), cross_csv(&table.cross), csv(&ratings)]
        };
        let in_order: Vec<u64> = (0..60).collect();
        prop_assert_eq!(written(&order), written(&in_order));
    }
}

#[test]
fn ratings_are_written_as_csv() {
    let (_folder, mut journal) = new_journal();
    let evening = tournament(&mut journal, "evening", 2, 4);
    for pairing in evening.schedule().unwrap().iter() {
        journal.land(&finished(&evening, &pairing)).unwrap();
    }
    let rated = ratings(&journal, "flipfour").unwrap();
    assert!(csv(&rated).starts_with(
        "game,rank,bot,rating,deviation,low,high,volatility,games,glicko,glicko_deviation,imported\nflipfour,1,"
    ));
}
