//! From the journal to tables: reads the results in order of the schedule and folds them into
//! standings and ratings. Nothing of it is stored.

use std::collections::HashMap;

use serde::Serialize;

use crate::placing::placed;
use crate::standings::hundredths;
use crate::statistics::{Report, Statistics};
use crate::{Bot, BotId, Journal, Ladder, Rating, Result, Standings, Tally, Tournament, csv};

/// The ratings of all bots that have played a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameRatings {
    /// The game's id.
    pub game: String,
    /// The bots by rating, then by name.
    pub rows: Vec<RatingRow>,
}

/// A bot's line among the ratings, rounded to hundredths; the volatility to millionths.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingRow {
    /// From 1.
    pub rank: usize,
    /// The bot: `greedy@2`.
    pub bot: String,
    /// The rating.
    pub rating: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// The lower bound of the rating's 95 % interval.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// How much the rating is expected to move in a period.
    pub volatility: f64,
    /// Matches with a result, in all tournaments.
    pub games: u64,
}

/// A tournament's table with all that its results tell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FullTable {
    /// Standings and cross table.
    #[serde(flatten)]
    pub standings: Standings,
    /// The statistics, their bots in the order of the standings.
    pub statistics: Report,
}

/// The table of a tournament, as far as it has been played.
///
/// # Errors
/// When the journal cannot be read.
pub fn table(journal: &Journal, tournament: &Tournament) -> Result<Standings> {
    Ok(full_table(journal, tournament)?.standings)
}

/// The same with the statistics.
///
/// # Errors
/// When the journal cannot be read.
pub fn full_table(journal: &Journal, tournament: &Tournament) -> Result<FullTable> {
    let _moment = journal.snapshot()?;
    let entrants = tournament.entrants.len();
    let (mut tally, mut ladder) = (Tally::new(entrants), Ladder::new(entrants));
    let mut statistics = Statistics::new(entrants, &tournament.settings.seating()?);
    journal.scan_details(tournament.id, &numbers(&tournament.entrants), |detailed| {
        tally.take(&detailed.scored);
        statistics.take(detailed);
        Ok(ladder.take(&detailed.scored)?)
    })?;
    let schedule = tournament.schedule()?;
    for void in journal.voids(tournament.id)? {
        // A void of no match of the schedule still counts in the total.
        let seats = schedule.pairing(void.index).map(|pairing| pairing.seats);
        tally.void(&seats.unwrap_or_default());
    }
    let names: Vec<String> = tournament.entrants.iter().map(Bot::label).collect();
    let mut standings = Standings {
        pauses: journal.pauses(tournament)?,
        ..tally.standings(&names, &ladder.into_ratings())
    };
    let numbers: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
    let order: Vec<usize> = standings
        .rows
        .iter()
        .map(|row| numbers[row.bot.as_str()])
        .collect();
    let statistics = statistics.report(&names, &order);
    for (row, bot) in standings.rows.iter_mut().zip(&statistics.bots) {
        row.percent_low = bot.score.map(|score| hundredths(100.0 * score.low));
        row.percent_high = bot.score.map(|score| hundredths(100.0 * score.high));
    }
    Ok(FullTable {
        standings,
        statistics,
    })
}

/// The ratings of a game: all its tournaments folded in order of their creation, each round of
/// each being a period. A bot's versions are rated apart.
///
/// # Errors
/// When the journal cannot be read.
pub fn ratings(journal: &Journal, game: &str) -> Result<GameRatings> {
    let folded = fold(journal, game, |_| {})?;
    let rated = folded
        .bots
        .iter()
        .zip(&folded.ratings)
        .zip(&folded.games)
        .filter(|&(_, &games)| games > 0);
    let rows = rated.map(|((bot, rating), &games)| {
        let (low, high) = rating.interval();
        RatingRow {
            rank: 0,
            bot: bot.label(),
            rating: hundredths(rating.rating),
            deviation: hundredths(rating.deviation),
            low: hundredths(low),
            high: hundredths(high),
            volatility: (rating.volatility * 1e6).round() / 1e6,
            games,
        }
    });
    Ok(GameRatings {
        game: game.into(),
        rows: ranked(rows.collect()),
    })
}

/// All results of a game, folded.
pub(crate) struct Folded {
    /// Who was entered in a tournament of the game, in order of submission.
    pub(crate) bots: Vec<Bot>,
    /// By bot.
    pub(crate) ratings: Vec<Rating>,
    /// By bot: matches with a result.
    pub(crate) games: Vec<u64>,
    /// Results in all.
    pub(crate) matches: u64,
}

/// A rating period that has ended.
pub(crate) struct Period<'a> {
    pub(crate) tournament: &'a Tournament,
    pub(crate) round: u32,
    /// Who was entered in a tournament of the game.
    pub(crate) bots: &'a [Bot],
    pub(crate) ratings: &'a [Rating],
    /// By bot: matches with a result until now.
    pub(crate) games: &'a [u64],
}

/// Folds the results of a game, and tells of each period that ends in which matches were played.
pub(crate) fn fold(
    journal: &Journal,
    game: &str,
    mut ended: impl FnMut(Period<'_>),
) -> Result<Folded> {
    let _moment = journal.snapshot()?;
    let mut tournaments = journal.tournaments()?;
    tournaments.retain(|tournament| tournament.settings.game == game);
    let mut bots: Vec<Bot> = tournaments
        .iter()
        .flat_map(|t| &t.entrants)
        .cloned()
        .collect();
    bots.sort_by_key(|bot| bot.id);
    bots.dedup_by_key(|bot| bot.id);

    let (mut ladder, mut games) = (Ladder::new(bots.len()), vec![0; bots.len()]);
    let numbers = numbers(&bots);
    let mut matches = 0;
    for tournament in &tournaments {
        let mut end = |round: Option<u32>, ladder: &Ladder, games: &[u64]| {
            if let Some(round) = round {
                let (bots, ratings) = (&bots[..], ladder.ratings());
                ended(Period {
                    tournament,
                    round,
                    bots,
                    ratings,
                    games,
                });
            }
        };
        journal.scan_results(tournament.id, &numbers, |scored| {
            let before = ladder.round();
            ladder.take(scored)?;
            if before != ladder.round() {
                end(before, &ladder, &games);
            }
            matches += 1;
            for bot in placed(&scored.seats) {
                games[bot.entrant] += 1;
            }
            Ok(())
        })?;
        let last = ladder.round();
        ladder.end_tournament();
        end(last, &ladder, &games);
    }
    Ok(Folded {
        bots,
        ratings: ladder.into_ratings(),
        games,
        matches,
    })
}

fn ranked(mut rows: Vec<RatingRow>) -> Vec<RatingRow> {
    rows.sort_by(|one, other| {
        other
            .rating
            .total_cmp(&one.rating)
            .then_with(|| one.bot.cmp(&other.bot))
    });
    rows.iter_mut()
        .zip(1..)
        .for_each(|(row, rank)| row.rank = rank);
    rows
}

fn numbers(bots: &[Bot]) -> HashMap<BotId, usize> {
    bots.iter().map(|bot| bot.id).zip(0..).collect()
}

impl GameRatings {
    /// The rows as comma-separated values, with a line of headings.
    pub fn to_csv(&self) -> String {
        let mut out = String::from("rank,bot,rating,deviation,low,high,volatility,games\n");
        for row in &self.rows {
            let decimals =
                [row.rating, row.deviation, row.low, row.high].map(|x| format!("{x:.2}"));
            let fields = [row.rank.to_string(), row.bot.clone()]
                .into_iter()
                .chain(decimals);
            csv::line(
                &mut out,
                fields.chain([format!("{:.6}", row.volatility), row.games.to_string()]),
            );
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rate;
    use crate::testing::{finished, name, new_journal, settings, tournament};

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
                [json, table.to_csv(), table.cross.to_csv(), ratings.to_csv()]
            };
            let in_order: Vec<u64> = (0..60).collect();
            prop_assert_eq!(written(&order), written(&in_order));
        }
    }

    #[test]
    fn a_table_has_the_ratings_of_its_tournament_and_the_voids_of_its_schedule() {
        let (_folder, mut journal) = new_journal();
        let evening = tournament(&mut journal, "evening", 3, 4);
        let mut results = Vec::new();
        for pairing in evening.schedule().unwrap().iter().take(15) {
            journal.land(&finished(&evening, &pairing)).unwrap();
        }
        journal.void(evening.id, 20, "no memory", 1).unwrap();
        journal
            .void(evening.id, 1_000, "of an older schedule", 1)
            .unwrap();
        journal
            .for_each_result(&evening, |scored| results.push(scored.clone()))
            .unwrap();

        let table = table(&journal, &evening).unwrap();
        assert_eq!((table.played, table.voids), (15, 2));
        assert_eq!(table.rows.iter().map(|row| row.games).sum::<u64>(), 30);
        assert_eq!(table.rows.iter().map(|row| row.voids).sum::<u64>(), 2);
        let rated = rate(3, &results).unwrap();
        for row in &table.rows {
            let entrant = evening
                .entrants
                .iter()
                .position(|bot| bot.label() == row.bot)
                .unwrap();
            assert_eq!(row.rating, hundredths(rated[entrant].rating));
            assert_eq!(row.low, hundredths(rated[entrant].interval().0));
        }
    }

    #[test]
    fn a_games_ratings_fold_its_tournaments_in_order_of_creation() {
        let (_folder, mut journal) = new_journal();
        let first = tournament(&mut journal, "first", 3, 2);
        let second = tournament(&mut journal, "second", 2, 3);
        let ids: Vec<BotId> = first.entrants.iter().map(|bot| bot.id).collect();
        let another = crate::Settings {
            game: "flipflop".into(),
            ..settings(1)
        };
        journal.begin(&name("another"), &another, &ids, 1).unwrap();
        // The later tournament is played first.
        let mut results = Vec::new();
        for tournament in [&second, &first] {
            for pairing in tournament.schedule().unwrap().iter() {
                journal.land(&finished(tournament, &pairing)).unwrap();
            }
        }
        let mut ladder = Ladder::new(3);
        for tournament in [&first, &second] {
            journal
                .for_each_result(tournament, |scored| results.push(scored.clone()))
                .unwrap();
            results
                .drain(..)
                .for_each(|scored| ladder.take(&scored).unwrap());
            ladder.end_tournament();
        }
        let expected = ladder.into_ratings();
        let rated = ratings(&journal, "flipfour").unwrap();
        assert_eq!(rated.rows.len(), 3);
        for row in &rated.rows {
            let entrant = first
                .entrants
                .iter()
                .position(|bot| bot.label() == row.bot)
                .unwrap();
            assert_eq!(row.rating, hundredths(expected[entrant].rating));
            assert_eq!(row.deviation, hundredths(expected[entrant].deviation));
            assert_eq!(row.games, if entrant < 2 { 8 + 6 } else { 8 });
        }
        assert!(
            rated
                .rows
                .is_sorted_by(|one, other| one.rating >= other.rating)
        );
        assert!(
            rated
                .to_csv()
                .starts_with("rank,bot,rating,deviation,low,high,volatility,games\n1,")
        );
        // Who was entered and has not played has no rating yet.
        assert!(ratings(&journal, "flipflop").unwrap().rows.is_empty());
        assert!(ratings(&journal, "chess").unwrap().rows.is_empty());
    }

    #[test]
    fn a_full_table_has_the_statistics_of_its_tournament_in_the_order_of_its_rows() {
        let (_folder, mut journal) = new_journal();
        let evening = tournament(&mut journal, "evening", 4, 3);
        let pairings: Vec<_> = evening.schedule().unwrap().iter().take(31).collect();
        for pairing in &pairings {
            journal.land(&finished(&evening, pairing)).unwrap();
        }
        let FullTable {
            standings,
            statistics,
        } = full_table(&journal, &evening).unwrap();
        assert_eq!(standings, table(&journal, &evening).unwrap());
        assert_eq!((statistics.blocks, statistics.broken), (15, 1));
        for (row, bot) in standings.rows.iter().zip(&statistics.bots) {
            assert_eq!((&row.bot, row.games), (&bot.bot, bot.matches));
            assert_eq!((bot.used_us, bot.plies), (1_000.0, 20.0));
            assert_eq!(row.faults, bot.faults);
            let (low, high) = (row.percent_low.unwrap(), row.percent_high.unwrap());
            assert!(0.0 <= low && low < high && high <= 100.0);
        }
        assert_eq!(statistics.ends.len(), 1);
        assert_eq!(
            (
                statistics.ends[0].reason.as_str(),
                statistics.ends[0].matches
            ),
            ("four", 31)
        );
        let drawn = pairings.iter().filter(|pairing| {
            finished(&evening, pairing)
                .seats
                .iter()
                .all(|seat| seat.place == 1)
        });
        assert_eq!(statistics.ends[0].drawn, drawn.count() as u64);
        let json = serde_json::to_value(full_table(&journal, &evening).unwrap()).unwrap();
        assert_eq!(json["played"], 31);
        assert_eq!(json["statistics"]["blocks"], 15);
    }

    #[test]
    fn a_tournament_that_was_just_begun_has_a_table() {
        let (_folder, mut journal) = new_journal();
        let evening = tournament(&mut journal, "evening", 3, 1);
        let table = table(&journal, &evening).unwrap();
        assert_eq!((table.played, table.rows.len()), (0, 3));
        assert!(
            table
                .rows
                .iter()
                .all(|row| row.rank == 1 && row.rating == Rating::default().rating)
        );
    }
}
