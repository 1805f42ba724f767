//! The rating by all results, of published competitions, against other programs' (`tests/published/README.md`).

use std::collections::HashMap;

use flipside_tournament::ResultList;

/// The competitions, with the largest difference to BradleyTerry2, which has no prior, in rating points.
const SETS: [(&str, &str, &str, f64); 4] = [
    (
        "baseball-1987",
        include_str!("../published/baseball-1987.csv"),
        include_str!("../published/baseball-1987.ratings.csv"),
        3.0,
    ),
    (
        "icehockey-2009-10",
        include_str!("../published/icehockey-2009-10.csv"),
        include_str!("../published/icehockey-2009-10.ratings.csv"),
        80.0,
    ),
    (
        "tcec-s18-league1",
        include_str!("../published/tcec-s18-league1.csv"),
        include_str!("../published/tcec-s18-league1.ratings.csv"),
        7.5,
    ),
    (
        "tcec-cup16",
        include_str!("../published/tcec-cup16.csv"),
        include_str!("../published/tcec-cup16.ratings.csv"),
        185.0,
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
    for (name, games, ratings, without_prior) in SETS {
        let table = ResultList::from_csv(games).unwrap().table();
        let theirs = theirs(ratings);
        assert_eq!(table.standings.rows.len(), theirs.len(), "{name}");
        let mut farthest = 0.0_f64;
        for row in &table.standings.rows {
            let ours = row.rating - 1500.0;
            let numbers = &theirs[row.bot.as_str()];
            let (choix, bradley_terry) = (numbers[0].unwrap(), numbers[5].unwrap());
            // Both are rounded to hundredths.
            assert!(
                (ours - choix).abs() < 0.0101,
                "{name}, {}: {ours}, {choix}",
                row.bot
            );
            farthest = farthest.max((ours - bradley_terry).abs());
        }
        assert!(farthest < without_prior, "{name}: {farthest}");
    }
}

/// For docs/ratings.md.
#[test]
#[ignore = "by hand: prints a table"]
fn other_programs() {
    for (name, games, ratings, _) in SETS {
        let table = ResultList::from_csv(games).unwrap().table();
        let theirs = theirs(ratings);
        let rows = &table.standings.rows;
        let mean = |of: &dyn Fn(&flipside_tournament::Row) -> f64| -> f64 {
            rows.iter().map(of).sum::<f64>() / rows.len() as f64
        };
        let ours = mean(&|row| 1.96 * row.deviation);
        print!(
            "| {name} | {} | {} | {ours:.0}",
            rows.len(),
            table.standings.played
        );
        for program in [1, 3, 5] {
            let apart = rows.iter().map(|row| {
                (row.rating - 1500.0 - theirs[row.bot.as_str()][program].unwrap()).abs()
            });
            let apart = apart.fold(0.0, f64::max);
            let error = mean(&|row| theirs[row.bot.as_str()][program + 1].unwrap_or(f64::NAN));
            print!(" | {apart:.0} | {error:.0}");
        }
        println!(" |");
    }
}
