//! The rating by all results, of published competitions, against other programs' (`tests/published/README.md`).

use std::collections::HashMap;

use flipside_tournament::ResultList;

/// The competitions: their lists, and their ratings by other programs.
const SETS: [(&str, &str, &str); 4] = [
    (
        "baseball-1987",
        include_str!("../published/baseball-1987.csv"),
        include_str!("../published/baseball-1987.ratings.csv"),
    ),
    (
        "icehockey-2009-10",
        include_str!("../published/icehockey-2009-10.csv"),
        include_str!("../published/icehockey-2009-10.ratings.csv"),
    ),
    (
        "tcec-s18-league1",
        include_str!("../published/tcec-s18-league1.csv"),
        include_str!("../published/tcec-s18-league1.ratings.csv"),
    ),
    (
        "tcec-cup16",
        include_str!("../published/tcec-cup16.csv"),
        include_str!("../published/tcec-cup16.ratings.csv"),
    ),
];

/// The columns of numbers of a bot, by its name; nothing where a program has none.
fn theirs(csv: &str) -> HashMap<&str, Vec<Option<f64>>> {
    let line = |line| -> Option<_> {
        let (bot, numbers) = str::split_once(line, ',')?;
        let numbers = numbers.split(',').map(|number| number.parse().ok());
        Some((bot, numbers.collect()))
    };
    csv.lines().skip(1).filter_map(line).collect()
}

#[test]
fn ratings_are_those_of_another_program_with_the_same_model() {
    for (name, games, ratings) in SETS {
        let table = ResultList::read(games).unwrap().table();
        let theirs = theirs(ratings);
        assert_eq!(table.standings.rows.len(), theirs.len(), "{name}");
        for row in &table.standings.rows {
            let ours = row.rating - 1500.0;
            let choix = theirs[row.bot.as_str()][0].unwrap();
            // Both are rounded to hundredths.
            assert!(
                (ours - choix).abs() < 0.0101,
                "{name}, {}: {ours}, {choix}",
                row.bot
            );
        }
    }
}

/// Of each program, the largest difference from our rating and the mean of its intervals, as
/// `docs/reference/ratings.md` has them.
#[test]
fn differences_to_other_programs_are_those_that_are_published() {
    const PAGE: &str = include_str!("../../../docs/reference/ratings.md");
    for (name, games, ratings) in SETS {
        let table = ResultList::read(games).unwrap().table();
        let theirs = theirs(ratings);
        let rows = &table.standings.rows;
        let mean = |of: &dyn Fn(&flipside_tournament::StandingsRow) -> f64| -> f64 {
            rows.iter().map(of).sum::<f64>() / rows.len() as f64
        };
        let mut line = format!("| {:.0} |", mean(&|row| 1.96 * row.deviation));
        for program in [1, 3, 5] {
            let number = |bot: &str, at: usize| theirs[bot][at].expect("each program rates each");
            let apart = rows.iter();
            let apart = apart.map(|row| (row.rating - 1500.0 - number(&row.bot, program)).abs());
            let apart = apart.fold(0.0, f64::max);
            let error = mean(&|row| number(&row.bot, program + 1));
            line += &format!(" {apart:.0}; {error:.0} |");
        }
        assert!(PAGE.contains(&line), "{name}: {line}");
        // Both are of maximum likelihood, and print hundredths.
        for numbers in theirs.values() {
            let [ordo, bradley_terry] = [1, 5].map(|at| numbers[at].unwrap());
            assert!((ordo - bradley_terry).abs() < 0.0101, "{name}: {numbers:?}");
        }
    }
}
