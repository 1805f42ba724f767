//! From the journal to tables: reads the results in order of the schedule and folds them into
//! standings and ratings. Nothing of it is stored.

use std::collections::{BTreeMap, HashMap};

use flipside_ratings::{
    Batch, BotPlace, Fit, Rating, RatingPeriods, Seating, Statistics, compared, placed, rivals,
};
use flipside_tournament::{
    Against, Bot, BotId, BotRef, Change, Director, Format, FullTable, Leaver, LeftAs, Ranking,
    ScheduleCursor, SprtDirector, Standings, TableOrder, Tally, Total, Tournament, against_rows,
    with_statistics,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::changes::change_rows;
use crate::error::Result;
use crate::journal::Journal;

/// The ratings of all bots that have played a game.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct GameRatings {
    /// The game's id.
    pub game: String,
    /// The bots by rating, then by name.
    pub rows: Vec<RatingRow>,
}

/// A bot's line among the ratings, rounded to hundredths; the volatility to millionths.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct RatingRow {
    /// From 1; bots whose ratings are the same, as they are shown, share it.
    pub rank: usize,
    /// The bot: `greedy@2`.
    pub bot: String,
    /// The rating by all results of the game at once, in whatever order they came (`docs/reference/ratings.md`).
    pub rating: f64,
    /// The standard deviation of its difference from the average of the bots that have played.
    pub deviation: f64,
    /// The lower bound of the 95 % interval of this difference, at the rating.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// The rating over time: Glicko-2.
    pub glicko: f64,
    /// Its standard deviation.
    pub glicko_deviation: f64,
    /// How much it is expected to move in a period.
    pub volatility: f64,
    /// Matches with a result, in all tournaments.
    pub games: u64,
    /// Those of them that were played in another arena and imported.
    pub imported: u64,
}

/// The table of a tournament, as far as it has been played.
///
/// # Errors
/// When the journal cannot be read.
pub fn table(journal: &Journal, tournament: &Tournament) -> Result<Standings> {
    Ok(full_table(journal, tournament)?.standings)
}

/// The same with the statistics, and without the slowest moves.
///
/// # Errors
/// When the journal cannot be read.
pub fn full_table(journal: &Journal, tournament: &Tournament) -> Result<FullTable> {
    Ok(fitted_table(journal, tournament)?.0)
}

/// How much stronger each other bot of a tournament is than this entrant, in the order of its table.
///
/// # Errors
/// When the journal cannot be read.
///
/// # Panics
/// When it is no entrant.
pub fn against(journal: &Journal, tournament: &Tournament, from: usize) -> Result<Vec<Against>> {
    let (table, fit, order) = fitted_table(journal, tournament)?;
    Ok(against_rows(table.standings, &fit, &order, from))
}

/// The table, what its ratings come from, and its bots by their numbers.
fn fitted_table(
    journal: &Journal,
    tournament: &Tournament,
) -> Result<(FullTable, Fit, Vec<usize>)> {
    let _moment = journal.snapshot()?;
    // Bots may have joined since it was read.
    let tournament = &journal.tournament_by_id(tournament.id)?;
    let entrants = tournament.entrants.len();
    let seating = tournament.settings.seating()?;
    let mut tally = Tally::new(entrants, &seating);
    let mut ladder = RatingPeriods::new(entrants);
    ladder.begin_tournament(&seating);
    let voids = journal.voids(tournament.id)?;
    // Who was to play a match that was void: where results decide that, those who played it later.
    let mut seated: BTreeMap<u64, Vec<usize>> =
        voids.iter().map(|void| (void.index, Vec::new())).collect();
    let mut statistics = Statistics::new(entrants, &seating);
    let test = sequential_test(journal, tournament)?;
    let end = end_of(test.as_ref());
    let void = tournament.uncounted();
    let mut uncounted = 0;
    journal.for_each_result(tournament, |scored| {
        let index = scored.pairing.index;
        if index >= end {
            return Ok(());
        }
        if scored.pairing.seats.iter().any(|bot| void.contains(bot)) {
            uncounted += 1;
            return Ok(());
        }
        tally.take(scored);
        statistics.take(scored);
        if let Some(seats) = seated.get_mut(&index) {
            seats.clone_from(&scored.pairing.seats);
        }
        Ok(ladder.take(scored)?)
    })?;
    let before = voids
        .iter()
        .map(|void| void.index)
        .filter(|index| *index < end);
    count_voids(tournament, before, &seated, &mut tally);
    let names: Vec<String> = tournament.entrants.iter().map(Bot::label).collect();
    let ratings = ladder.into_ratings();
    let fit = tally.fit(statistics.design());
    let standings = Standings {
        pauses: journal.pauses(tournament)?,
        changes: change_rows(journal, tournament)?,
        imports: journal.imports(tournament.id)?,
        runs: journal.runs(tournament.id)?,
        classes: journal.classes(tournament.id)?,
        untrusted: journal.untrusted(tournament.id)?,
        uncounted,
        ..tally.standings(&names, Some(&ratings), &fit)
    };
    let standings = Standings {
        played: standings.played + uncounted,
        ..standings
    };
    let standings = in_order(journal, tournament, standings, test, &names, &fit)?;
    let left = left(journal, tournament, &names)?;
    let mut standings = standings.with_those_who_left(&left);
    if standings.over {
        // What an archive that was broken off still had is here, or has no place any more.
        (standings.imports.iter_mut()).for_each(|import| import.finished = true);
        standings.imports.retain(|import| import.matches > 0);
    }
    Ok(with_statistics(standings, &names, fit, &tally, statistics))
}

/// How the bots that have left did so, by their names; also those whose leaving is only requested.
fn left(
    journal: &Journal,
    tournament: &Tournament,
    names: &[String],
) -> Result<BTreeMap<String, Leaver>> {
    let void = tournament.uncounted();
    let requested = journal.requested_changes(tournament.id)?;
    let requested = requested.iter().map(|one| (one.change, &one.reason));
    let settled = tournament.changes.iter();
    let all = settled
        .map(|one| (one.change, &one.reason))
        .chain(requested);
    let mut left = BTreeMap::new();
    for (change, reason) in all {
        let how = match change {
            Change::Withdraw { .. } => LeftAs::Withdrawn,
            Change::Disqualify { .. } | Change::Strike { .. } => LeftAs::Disqualified,
            _ => continue,
        };
        // A journal that somebody changed may name one that is not there.
        let entrant = change.leaves().or(change.strikes());
        let named = entrant.and_then(|entrant| Some((entrant, names.get(entrant)?)));
        if let Some((entrant, name)) = named {
            let leaver = Leaver {
                how,
                reason: reason.clone(),
                is_void: void.contains(&entrant),
            };
            left.insert(name.clone(), leaver);
        }
    }
    Ok(left)
}

/// Counts voids of these matches for those who were to play them.
fn count_voids(
    tournament: &Tournament,
    voids: impl Iterator<Item = u64>,
    seated: &BTreeMap<u64, Vec<usize>>,
    tally: &mut Tally,
) {
    // Where it grows, its beginning is fixed all the same.
    let founders = || tournament.settings.schedule(tournament.founders().len());
    let schedule = tournament.schedule().or_else(|_| founders()).ok();
    for index in voids {
        let scheduled = schedule.and_then(|schedule| schedule.pairing(index));
        let seats = scheduled.map(|pairing| pairing.seats);
        // A void of no match that is known still counts in the total.
        tally.void(seats.as_ref().unwrap_or(&seated[&index]));
    }
}

/// The table in the order of the tournament's format, with the number of its matches.
fn in_order(
    journal: &Journal,
    tournament: &Tournament,
    standings: Standings,
    test: Option<SprtDirector>,
    names: &[String],
    fit: &Fit,
) -> Result<Standings> {
    let played = standings.played;
    let cancelled = tournament.cancelled_at();
    if let Some(test) = test {
        let total = match cancelled {
            Some(end) if end <= test.total().most() => Total::Exactly(end),
            _ => test.total(),
        };
        return Ok(Standings {
            total,
            over: played >= total.most(),
            sprt: Some(test.running()),
            ..standings
        });
    }
    // To make one may take long: the first round is paired by it.
    let mut director = tournament.director()?;
    let order = tournament.settings.format.order();
    let by_results = order == TableOrder::Results;
    // Where two bots meet that do not come, the match is left out.
    let pauses = !standings.pauses.is_empty();
    let Replayed {
        total,
        left_out,
        over,
    } = if by_results || pauses || !tournament.changes.is_empty() {
        replay(journal, tournament, &mut *director)?
    } else {
        let total = director.total();
        Replayed {
            total,
            left_out: 0,
            over: played >= total.most(),
        }
    };
    let standings = Standings {
        total,
        left_out,
        over,
        ..standings
    };
    Ok(match order {
        TableOrder::Points => standings,
        // The ratings stand in the rows already.
        TableOrder::Ratings => Standings {
            ranking: None,
            ..standings.ranked_by(Ranking::by_rating(names.len(), fit), names)
        },
        TableOrder::Results => {
            let encounters = director.encounters().into_iter();
            let standings = Standings {
                encounters: encounters.map(|encounter| encounter.named(names)).collect(),
                ..standings
            };
            match director.ranking() {
                Some(ranking) => standings.ranked_by(ranking, names),
                None => standings,
            }
        }
    })
}

/// The log-likelihood ratio of a sequential test after each of its blocks; nothing for other formats.
///
/// # Errors
/// When the journal cannot be read.
pub fn test_path(journal: &Journal, tournament: &Tournament) -> Result<Vec<f64>> {
    let test = sequential_test(journal, tournament)?;
    Ok(test.map_or_else(Vec::new, |test| test.path().to_vec()))
}

/// A sequential test as its results leave it; nothing for other formats.
fn sequential_test(journal: &Journal, tournament: &Tournament) -> Result<Option<SprtDirector>> {
    let settings = &tournament.settings;
    let Format::Sprt(sprt) = settings.format else {
        return Ok(None);
    };
    let entrants = tournament.entrants.len();
    let mut director = SprtDirector::of(sprt, entrants, settings.seating()?, settings.rounds)?;
    replay(journal, tournament, &mut director)?;
    Ok(Some(director))
}

/// Before which index matches count. Those beyond a test's decision are taken out of the journal when it ends,
/// but a run that is killed then leaves them until it goes on.
fn end_of(test: Option<&SprtDirector>) -> u64 {
    test.map_or(u64::MAX, |test| test.total().most())
}

/// Tells a director what is in the journal, up to the first match that is missing there; of matches that
/// were left out, because no side was there, it hears as when the tournament is played.
fn replay(
    journal: &Journal,
    tournament: &Tournament,
    director: &mut dyn Director,
) -> Result<Replayed> {
    let mut cursor = ScheduleCursor::new(tournament, director);
    let missing = journal.up_to_now(&mut cursor)?;
    Ok(Replayed {
        total: cursor.total(),
        left_out: cursor.left_out,
        over: missing.is_none(),
    })
}

/// How far a tournament is.
struct Replayed {
    /// How many matches there will be.
    total: Total,
    /// How many were left out.
    left_out: u64,
    /// Whether nothing is missing.
    over: bool,
}

/// The ratings of a game: all its tournaments folded in order of their creation, each round of
/// each being a period. A bot's versions are rated apart.
///
/// # Errors
/// When the journal cannot be read.
pub fn ratings(journal: &Journal, game: &str) -> Result<GameRatings> {
    Ok(rated(game, &fold(journal, game, |_| {})?))
}

/// How much stronger each other bot is than this one, by all results at a game, in the order of the ratings. A name
/// without a version is the latest that is rated. None if it is not rated there.
///
/// # Errors
/// When the journal cannot be read.
pub fn ratings_against(
    journal: &Journal,
    game: &str,
    bot: &BotRef,
) -> Result<Option<(Bot, Vec<Against>)>> {
    let _moment = journal.snapshot()?;
    let folded = fold(journal, game, |_| {})?;
    let entered = folded.bots.iter().zip(&folded.games).enumerate();
    let fits = entered.filter(|&(_, (entered, &games))| games > 0 && bot.fits(entered));
    let latest = fits.max_by_key(|(_, (entered, _))| entered.version);
    let Some((from, (own, _))) = latest else {
        return Ok(None);
    };
    let fit = folded.batch.fitted(folded.design);
    let numbers: HashMap<String, usize> = folded.bots.iter().map(Bot::label).zip(0..).collect();
    let mut met = vec![0; folded.bots.len()];
    for tournament in journal.rated_tournaments(game)? {
        if tournament
            .entrants
            .iter()
            .any(|entrant| entrant.id == own.id)
        {
            count_met(journal, &tournament, own, &numbers, &mut met)?;
        }
    }
    let rows = rated_by(&fit, game, &folded).rows.into_iter();
    let rows = rows.filter_map(|row| {
        let bot = numbers[&row.bot];
        let difference = fit.difference(bot, from);
        (bot != from).then(|| Against::of(row.bot, row.rank, &difference, met[bot]))
    });
    let rows = rows.collect();
    Ok(Some((own.clone(), rows)))
}

/// Adds how many matches each bot has against this one in a tournament, by the numbers of the labels.
fn count_met(
    journal: &Journal,
    tournament: &Tournament,
    own: &Bot,
    numbers: &HashMap<String, usize>,
    met: &mut [u64],
) -> Result<()> {
    let settings = &tournament.settings;
    let seating = (settings.seating()).unwrap_or(Seating::single(settings.seats));
    let end = end_of(sequential_test(journal, tournament)?.as_ref());
    let entrants = tournament.entrants.iter();
    let entrants: Vec<usize> = entrants.map(|bot| numbers[&bot.label()]).collect();
    let from = tournament.entrants.iter().position(|bot| bot.id == own.id);
    journal.for_each_result(tournament, |scored| {
        let all = placed(scored, &seating);
        let is_own = |bot: &&BotPlace| Some(bot.entrant) == from;
        if let Some(own) = all.iter().find(is_own)
            && scored.pairing.index < end
        {
            rivals(own, &all).for_each(|rival| met[entrants[rival.entrant]] += 1);
        }
        Ok(())
    })
}

/// The ratings of what was folded.
pub(crate) fn rated(game: &str, folded: &Folded) -> GameRatings {
    rated_by(&folded.batch.fitted(folded.design), game, folded)
}

/// The same by a fit of the results that is there already.
fn rated_by(fit: &Fit, game: &str, folded: &Folded) -> GameRatings {
    let games = folded.games.iter().zip(&folded.imported);
    let rated = folded.bots.iter().zip(&folded.ratings).zip(games).zip(0..);
    let rated = rated.filter(|&((_, (&games, _)), _)| games > 0);
    let rows = rated.map(|(((bot, over_time), (&games, &imported)), number)| {
        let [rating, deviation, low, high] = fit.rating(number).rounded();
        let [glicko, glicko_deviation, ..] = over_time.rounded();
        RatingRow {
            rank: 0,
            bot: bot.label(),
            rating,
            deviation,
            low,
            high,
            glicko,
            glicko_deviation,
            volatility: (over_time.volatility * 1e6).round() / 1e6,
            games,
            imported,
        }
    });
    GameRatings {
        game: game.into(),
        rows: ranked(rows.collect()),
    }
}

/// All results of a game, folded.
pub(crate) struct Folded {
    /// Who was entered in a tournament of the game, in order of submission.
    pub(crate) bots: Vec<Bot>,
    /// By bot.
    pub(crate) ratings: Vec<Rating>,
    /// All results, for the rating by all of them at once.
    pub(crate) batch: Batch,
    /// The design effect of the blocks: the mean of the tournaments that have any, by their matches.
    pub(crate) design: Option<f64>,
    /// By bot: matches with a result.
    pub(crate) games: Vec<u64>,
    /// By bot: those of them that were imported.
    pub(crate) imported: Vec<u64>,
    /// Results in all.
    pub(crate) matches: u64,
}

/// A rating period that has ended.
pub(crate) struct Period<'a> {
    pub(crate) tournament: &'a Tournament,
    pub(crate) round: u32,
    /// Who was entered in a tournament of the game.
    pub(crate) bots: &'a [Bot],
    /// Which of them were entered in this tournament.
    pub(crate) entrants: &'a [usize],
    pub(crate) ratings: &'a [Rating],
    /// By bot: matches with a result until now.
    pub(crate) games: &'a [u64],
}

/// Returns each bot that was entered in one of the tournaments once, in the order of their ids.
fn entered_in(tournaments: &[Tournament]) -> Vec<Bot> {
    let entered = tournaments.iter().flat_map(|one| &one.entrants).cloned();
    let mut bots: Vec<Bot> = entered.collect();
    bots.sort_by_key(|bot| bot.id);
    bots.dedup_by_key(|bot| bot.id);
    bots
}

/// Folds the results of a game, and tells of each period that ends in which matches were played.
pub(crate) fn fold(
    journal: &Journal,
    game: &str,
    mut ended: impl FnMut(Period<'_>),
) -> Result<Folded> {
    let _moment = journal.snapshot()?;
    let tournaments = journal.rated_tournaments(game)?;
    let bots = entered_in(&tournaments);
    let (mut ladder, mut games) = (RatingPeriods::new(bots.len()), vec![0; bots.len()]);
    let mut batch = Batch::new(bots.len());
    let numbers: HashMap<BotId, usize> = bots.iter().map(|bot| bot.id).zip(0..).collect();
    let (mut matches, mut imported) = (0, vec![0; bots.len()]);
    let mut designs = (0.0, 0.0);
    for tournament in &tournaments {
        // What no schedule could have seated is taken as it stands.
        let settings = &tournament.settings;
        let seating = settings
            .seating()
            .unwrap_or(Seating::single(settings.seats));
        ladder.begin_tournament(&seating);
        let entrants = tournament.entrants.iter().map(|bot| numbers[&bot.id]);
        let entrants: Vec<usize> = entrants.collect();
        let mut end = |round: Option<u32>, ladder: &RatingPeriods, games: &[u64]| {
            if let Some(round) = round {
                let (bots, ratings) = (&bots[..], ladder.ratings());
                ended(Period {
                    tournament,
                    round,
                    bots,
                    entrants: &entrants,
                    ratings,
                    games,
                });
            }
        };
        let end_of_test = end_of(sequential_test(journal, tournament)?.as_ref());
        let elsewhere = journal.imported(tournament.id)?;
        let mut statistics = Statistics::new(entrants.len(), &seating);
        let earlier = matches;
        journal.for_each_result(tournament, |scored| {
            if scored.pairing.index >= end_of_test {
                return Ok(());
            }
            statistics.take(scored);
            (scored.pairing.seats.iter_mut()).for_each(|seat| *seat = entrants[*seat]);
            let before = ladder.round();
            let compared = compared(scored, &seating);
            ladder.take_compared((scored.pairing.index, scored.pairing.round), &compared)?;
            batch.take(&compared);
            if before != ladder.round() {
                end(before, &ladder, &games);
            }
            matches += 1;
            for bot in placed(scored, &seating) {
                games[bot.entrant] += 1;
                imported[bot.entrant] += u64::from(elsewhere.contains(scored.pairing.index));
            }
            Ok(())
        })?;
        if let Some(design) = statistics.design() {
            let weight = (matches - earlier) as f64;
            designs = (designs.0 + weight * design, designs.1 + weight);
        }
        let last = ladder.round();
        ladder.end_tournament();
        end(last, &ladder, &games);
    }
    Ok(Folded {
        bots,
        ratings: ladder.into_ratings(),
        batch,
        design: (designs.1 > 0.0).then(|| designs.0 / designs.1),
        games,
        imported,
        matches,
    })
}

/// Bots by seed, of these labels (`greedy@2`): those that are rated at a game by their rating, then the others in
/// their order.
///
/// # Errors
/// When the journal cannot be read.
pub fn seeds(journal: &Journal, game: &str, bots: &[String]) -> Result<Vec<usize>> {
    let rated = ratings(journal, game)?;
    let mut order: Vec<usize> = (0..bots.len()).collect();
    order.sort_by_cached_key(|&bot| {
        let place = rated.rows.iter().position(|row| row.bot == bots[bot]);
        place.unwrap_or(usize::MAX)
    });
    Ok(order)
}

fn ranked(mut rows: Vec<RatingRow>) -> Vec<RatingRow> {
    rows.sort_by(|one, other| {
        other
            .rating
            .total_cmp(&one.rating)
            .then_with(|| one.bot.cmp(&other.bot))
    });
    share_ranks(&mut rows, |row| (row.rating, &mut row.rank));
    rows
}

/// Ranks rows that stand in order, by what a row holds of its rating and its rank: equal ratings share a rank.
pub(crate) fn share_ranks<R>(rows: &mut [R], held: impl Fn(&mut R) -> (f64, &mut usize)) {
    let mut before = None;
    for (at, row) in rows.iter_mut().enumerate() {
        let (rating, rank) = held(row);
        *rank = match before {
            Some((same, shared)) if rating.total_cmp(&same).is_eq() => shared,
            _ => at + 1,
        };
        before = Some((rating, *rank));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{finished, new_journal, tournament};
    use flipside_ratings::rate;
    use flipside_tournament::Next;
    use flipside_tournament::testing::{name, settings};

    #[test]
    fn bots_with_the_same_rating_share_a_rank() {
        let row = |bot: &str, rating| RatingRow {
            rank: 0,
            bot: bot.into(),
            rating,
            deviation: 50.0,
            low: 0.0,
            high: 0.0,
            glicko: 1500.0,
            glicko_deviation: 350.0,
            volatility: 0.005,
            games: 1,
            imported: 0,
        };
        let rows = [("d", 1400.0), ("b", 1500.0), ("a", 1600.0), ("c", 1500.0)];
        let rows = ranked(rows.map(|(bot, rating)| row(bot, rating)).into());
        let ranks: Vec<_> = rows.iter().map(|row| (row.rank, &row.bot[..])).collect();
        assert_eq!(ranks, [(1, "a"), (2, "b"), (2, "c"), (4, "d")]);
    }

    #[test]
    fn what_lies_beyond_the_decision_of_a_test_does_not_count() {
        use flipside_ratings::{Model, Sprt};
        let (_folder, mut journal) = new_journal();
        let evening = tournament(&mut journal, "evening", 2, 1);
        let bots: Vec<BotId> = evening.entrants.iter().map(|bot| bot.id).collect();
        let fixed = settings(500);
        let sprt = Sprt::new(0.0, 100.0, 0.05, 0.05, Model::Logistic).unwrap();
        let settings = flipside_tournament::Settings {
            format: Format::Sprt(sprt),
            ..fixed.clone()
        };
        let name = name("test");
        let test = journal.begin(&name, &settings, &bots, 3).unwrap();
        let test = test.tournament;
        let won_by = |pairing: &flipside_tournament::Pairing, winner: usize| {
            let mut finished = finished(&test, pairing);
            let seats = finished.scored.result.seats.iter_mut();
            for (seat, &entrant) in seats.zip(&pairing.seats) {
                seat.place = if entrant == winner { 1 } else { 2 };
            }
            finished
        };
        let mut director = test.director().unwrap();
        while let Next::Match(pairing) = director.next() {
            let finished = won_by(&pairing, 0);
            journal.land(&finished).unwrap();
            director.take(pairing.index, &finished.scored.result);
        }
        let end = director.total().most();
        assert!(director.total() == flipside_tournament::Total::Exactly(end) && end < 900);
        let told = |journal: &Journal| {
            let table = full_table(journal, &test).unwrap();
            let ratings = ratings(journal, "flipfour").unwrap();
            serde_json::to_string(&(table, ratings)).unwrap()
        };
        let due = told(&journal);
        // Other workers have played on, and nobody has cleared away.
        let schedule = fixed.schedule(2).unwrap();
        for index in end..end + 5 {
            let pairing = schedule.pairing(index).unwrap();
            journal.land(&won_by(&pairing, 1)).unwrap();
            journal
                .void(test.id, index, "the referee was late", 1)
                .unwrap();
        }
        assert_eq!(journal.played(test.id).unwrap().len(), end + 5);
        assert_eq!(told(&journal), due);
        journal.forget_from(test.id, end).unwrap();
        assert_eq!(journal.played(test.id).unwrap().len(), end);
        assert_eq!(told(&journal), due);
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
            .for_each_result(&evening, |scored| {
                results.push(scored.clone());
                Ok(())
            })
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
            let [glicko, deviation, ..] = rated[entrant].rounded();
            let own = (row.glicko, row.glicko_deviation);
            assert_eq!(own, (Some(glicko), Some(deviation)));
        }
    }

    /// Lands so many matches of a tournament as its director names them, or all.
    fn land(journal: &mut Journal, tournament: &Tournament, most: usize) -> usize {
        let mut director = tournament.director().unwrap();
        let mut landed = 0;
        while let (true, Next::Match(pairing)) = (landed < most, director.next()) {
            let finished = finished(tournament, &pairing);
            journal.land(&finished).unwrap();
            director.take(pairing.index, &finished.scored.result);
            landed += 1;
        }
        landed
    }

    /// A tournament of six bots that has this format, and its name.
    fn of_format(journal: &mut Journal, format: &str) -> Tournament {
        let others = tournament(journal, "others", 6, 1);
        let ids: Vec<BotId> = others.entrants.iter().map(|bot| bot.id).collect();
        let settings = flipside_tournament::Settings {
            format: format.parse().unwrap(),
            ..settings(1)
        };
        let begun = journal.begin(
            &flipside_tournament::testing::name(format),
            &settings,
            &ids,
            1,
        );
        begun.unwrap().tournament
    }

    #[test]
    fn a_table_is_in_the_order_of_its_format() {
        for name in ["swiss", "knockout", "ladder", "gauntlet"] {
            let (_folder, mut journal) = new_journal();
            let cup = of_format(&mut journal, name);
            let empty = table(&journal, &cup).unwrap();
            assert_eq!((empty.played, empty.rows.len()), (0, 6), "{name}");
            assert!(!empty.over, "{name}");
            journal.void(cup.id, 1, "no memory", 1).unwrap();
            journal
                .void(cup.id, 1_000_000, "beyond its end", 1)
                .unwrap();
            let half = land(&mut journal, &cup, 3) as u64;
            let after = table(&journal, &cup).unwrap();
            assert_eq!((after.played, after.voids), (half, 2), "{name}");
            assert_eq!(after.rows.iter().map(|row| row.voids).sum::<u64>(), 2);
            assert!(after.total.most() >= empty.total.most().min(6), "{name}");
        }
        let (_folder, mut journal) = new_journal();
        let ids: Vec<BotId> = tournament(&mut journal, "others", 6, 1)
            .entrants
            .iter()
            .map(|bot| bot.id)
            .collect();
        for name in ["swiss", "knockout", "ladder"] {
            let settings = flipside_tournament::Settings {
                format: name.parse().unwrap(),
                ..settings(1)
            };
            let begun = journal.begin(
                &flipside_tournament::testing::name(name),
                &settings,
                &ids,
                1,
            );
            let cup = begun.unwrap().tournament;
            let played = land(&mut journal, &cup, usize::MAX) as u64;
            let table = table(&journal, &cup).unwrap();
            assert_eq!(
                (table.played, table.total),
                (played, flipside_tournament::Total::Exactly(played))
            );
            assert!(table.over, "{name}");
            assert!(table.rows.is_sorted_by_key(|row| row.rank), "{name}");
            assert_eq!(
                table.cross.bots,
                table
                    .rows
                    .iter()
                    .map(|row| row.bot.clone())
                    .collect::<Vec<_>>()
            );
            for (at, cells) in table.cross.cells.iter().enumerate() {
                assert_eq!(
                    cells
                        .iter()
                        .map(|cell| u64::from(cell.games()))
                        .sum::<u64>(),
                    table.rows[at].games
                );
            }
            match &table.ranking {
                None => assert!(
                    table
                        .rows
                        .is_sorted_by(|one, next| one.rating >= next.rating)
                ),
                Some(ranking) => {
                    for (ranked, row) in ranking.rows.iter().zip(&table.rows) {
                        assert_eq!(cup.entrants[ranked.entrant].label(), row.bot);
                        assert_eq!(ranked.rank, row.rank);
                    }
                }
            }
        }
    }

    #[test]
    fn what_remains_is_what_was_not_played() {
        for name in ["round-robin", "gauntlet", "swiss", "knockout", "ladder"] {
            let (_folder, mut journal) = new_journal();
            let cup = of_format(&mut journal, name);
            let left = |journal: &Journal| {
                let mut director = cup.director().unwrap();
                let remains =
                    crate::remaining_matches::RemainingMatches::of(journal, &cup, &mut *director)
                        .unwrap();
                let told = (remains.played(), remains.total());
                let indices: Vec<u64> = remains.map(|pairing| pairing.index).collect();
                (told, indices)
            };
            let (_, first) = left(&journal);
            assert_eq!(first[0], 0, "{name}");
            land(&mut journal, &cup, 4);
            // One was played ahead of the others.
            let mut director = cup.director().unwrap();
            let mut ahead = std::iter::from_fn(|| match director.next() {
                Next::Match(pairing) => Some(pairing),
                _ => None,
            });
            let ahead = ahead.find(|pairing| pairing.index > 4);
            if let Some(ahead) = &ahead {
                journal.land(&finished(&cup, ahead)).unwrap();
            }
            let ((played, total), indices) = left(&journal);
            assert_eq!(played, 4 + ahead.iter().count() as u64, "{name}");
            assert_eq!(indices[0], 4, "{name}");
            assert!(
                indices
                    .iter()
                    .all(|&index| ahead.as_ref().is_none_or(|a| a.index != index))
            );
            if matches!(
                cup.settings.format,
                Format::RoundRobin | Format::Gauntlet(_)
            ) {
                assert_eq!(played + indices.len() as u64, total.most(), "{name}");
            }
        }
        let (_folder, mut journal) = new_journal();
        let evening = tournament(&mut journal, "evening", 4, 2);
        land(&mut journal, &evening, usize::MAX);
        let mut director = evening.director().unwrap();
        let mut remains =
            crate::remaining_matches::RemainingMatches::of(&journal, &evening, &mut *director)
                .unwrap();
        assert!(remains.next().is_none());
    }

    #[test]
    fn a_sequential_test_ends_by_a_result_and_the_table_tells_it() {
        let (_folder, mut journal) = new_journal();
        let ids: Vec<BotId> = tournament(&mut journal, "others", 2, 1)
            .entrants
            .iter()
            .map(|bot| bot.id)
            .collect();
        let settings = flipside_tournament::Settings {
            format: "sprt".parse().unwrap(),
            ..settings(10_000)
        };
        let begun = journal.begin(
            &flipside_tournament::testing::name("test"),
            &settings,
            &ids,
            1,
        );
        let test = begun.unwrap().tournament;
        let before = table(&journal, &test).unwrap();
        assert_eq!(before.total, flipside_tournament::Total::AtMost(20_000));
        assert_eq!(before.sprt.unwrap().llr, 0.0);
        // Nobody is better: the results are drawn from the index.
        let played = land(&mut journal, &test, usize::MAX) as u64;
        let after = table(&journal, &test).unwrap();
        assert_eq!(after.total, flipside_tournament::Total::Exactly(played));
        let running = after.sprt.unwrap();
        assert_eq!(running.blocks * 2, played);
        assert!(
            running.decision.is_some() && played < 20_000,
            "{played}: {running:?}"
        );
        let three = settings.director(3).err().unwrap().to_string();
        assert!(three.contains("first bot against the second"), "{three}");
    }

    #[test]
    fn seeds_are_the_order_of_ratings_and_then_of_entry() {
        let (_folder, mut journal) = new_journal();
        let others = tournament(&mut journal, "others", 6, 1).entrants;
        let labels = |bots: &[Bot]| -> Vec<String> { bots.iter().map(Bot::label).collect() };
        assert_eq!(
            seeds(&journal, "flipfour", &labels(&others)).unwrap(),
            [0, 1, 2, 3, 4, 5]
        );
        let three = tournament(&mut journal, "three", 3, 4);
        land(&mut journal, &three, usize::MAX);
        let rows = ratings(&journal, "flipfour").unwrap().rows;
        let mut expected: Vec<String> = rows.into_iter().map(|row| row.bot).collect();
        // Those that have not played come last; from the end, bot 5 is entered first.
        let entered: Vec<Bot> = others.into_iter().rev().collect();
        expected.extend(["bot5@1", "bot4@1", "bot3@1"].map(String::from));
        let seeds = seeds(&journal, "flipfour", &labels(&entered)).unwrap();
        let seeded: Vec<String> = seeds.iter().map(|&seed| entered[seed].label()).collect();
        assert_eq!(seeded, expected);
    }

    #[test]
    fn a_games_ratings_fold_its_tournaments_in_order_of_creation() {
        let (_folder, mut journal) = new_journal();
        let first = tournament(&mut journal, "first", 3, 2);
        let second = tournament(&mut journal, "second", 2, 3);
        let ids: Vec<BotId> = first.entrants.iter().map(|bot| bot.id).collect();
        let another = flipside_tournament::Settings {
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
        let mut ladder = RatingPeriods::new(3);
        for tournament in [&first, &second] {
            journal
                .for_each_result(tournament, |scored| {
                    results.push(scored.clone());
                    Ok(())
                })
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
            let [glicko, deviation, ..] = expected[entrant].rounded();
            assert_eq!((row.glicko, row.glicko_deviation), (glicko, deviation));
            assert_eq!(row.games, if entrant < 2 { 8 + 6 } else { 8 });
        }
        assert!(
            rated
                .rows
                .is_sorted_by(|one, other| one.rating >= other.rating)
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
            ..
        } = full_table(&journal, &evening).unwrap();
        assert_eq!(standings, table(&journal, &evening).unwrap());
        assert_eq!((statistics.blocks, statistics.broken), (15, 1));
        for (row, bot) in standings.rows.iter().zip(&statistics.bots) {
            assert_eq!((&row.bot, row.games), (&bot.bot, bot.matches));
            assert_eq!((bot.used_ms, bot.plies), (1.0, 20.0));
            assert_eq!(row.faults, bot.faults);
            // Two bots have a match of the block that is not over, and their intervals are of fewer matches.
            let whole = row.games % 2 == 0;
            assert_eq!(
                (row.percent_low.is_some(), row.percent_high.is_some()),
                (whole, whole)
            );
            if let (Some(low), Some(high)) = (row.percent_low, row.percent_high) {
                assert!(0.0 <= low && low <= row.percent && row.percent <= high && high <= 100.0);
                assert!((row.percent - 100.0 * bot.score.unwrap().mean).abs() < 1e-9);
            }
            assert!(bot.score.is_some());
        }
        let bare = standings
            .rows
            .iter()
            .filter(|row| row.percent_low.is_none());
        assert_eq!(bare.count(), 2);
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
                .scored
                .result
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
