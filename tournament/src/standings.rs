//! The tables of a tournament: standings and cross table, from results alone. Pure; drawing them
//! for a terminal or a page is left to those who have one.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use flipside_ratings::{
    Batch, Counts, Fit, LEVEL, Outcomes, Rating, Running, Seating, best, compared, hundredths,
    rivals, void_far_more_often,
};
use flipside_referee::{ModelUse, without_stderr};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::change::ChangeReason;
use crate::change_row::ChangeRow;
use crate::director::Total;
use crate::formats::ranking::{Encounter, Ranking};

use crate::policy::Pause;
use crate::provenance::{Import, Runs};
use crate::scored_pairing::ScoredPairing;
use crate::settings::is_default;

/// Counts results, in any order, until they are asked for as [`Standings`].
#[derive(Clone, Debug)]
pub struct Tally {
    seating: Seating,
    counts: Vec<Count>,
    /// Row by row: how an entrant fared against each.
    cells: Vec<Cell>,
    batch: Batch,
    played: u64,
    voids: u64,
}

#[derive(Clone, Debug, Default)]
struct Count {
    /// Matches in which it, or its side, came first alone, shared the first place, or did neither.
    outcomes: Outcomes,
    /// Matches in which no bot was at fault or did not come.
    by_play: u64,
    faults: BTreeMap<String, u64>,
    voids: u64,
    model: Option<ModelUse>,
}

/// The table of a tournament, with its cross table.
///
/// The order is by the share of the points that a bot could have won, which in a finished round
/// robin is the order by points and is fair while some bots have played more than others. Bots that
/// are level are ordered by the rating, which in a finished round robin is the same for equal points; then by
/// their share of the points in the matches between them, then by the number of wins. Those that are level still
/// share a rank, and stand by name. A format that has an order of its own ([`Ranking`]) goes before.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Standings {
    /// How many matches have a result.
    pub played: u64,
    /// How many there will be.
    pub total: Total,
    /// How many matches do not count, because a bot in them was disqualified afterwards.
    #[serde(skip_serializing_if = "is_default")]
    pub uncounted: u64,
    /// How many matches were left out, because no side was there.
    #[serde(skip_serializing_if = "is_default")]
    pub left_out: u64,
    /// Whether there is nothing more to be played.
    pub over: bool,
    /// How many times a match was void, by the host's fault, and had to be played again.
    pub voids: u64,
    /// The bots that are paused, in the order in which they were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// What was changed since the tournament began, in the order of the requests; then what is requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeRow>,
    /// The archives that matches came in which were played in another arena.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<Import>,
    /// The runs in which matches were played here. They say how it was played; the same results have the same JSON.
    #[serde(skip)]
    pub runs: Runs,
    /// How many matches were played on machines of each class, where a clock counted time.
    #[serde(skip)]
    pub classes: Vec<(String, u64)>,
    /// How many results were returned by workers that were banned since, and are not proven.
    #[serde(skip_serializing_if = "is_default")]
    pub untrusted: u64,
    /// The bots in order of rank.
    pub rows: Vec<StandingsRow>,
    /// The bots against each other, in the same order.
    pub cross: CrossTable,
    /// What the ranks come from, where the format has an order of its own; its rows in the same order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    /// The encounters of a knockout, round by round.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub encounters: Vec<Encounter>,
    /// How a sequential test stands, where that is the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Running>,
}

/// A bot's line in the standings. Ratings are rounded to hundredths, so that two machines show the same; shares are,
/// where they are written.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct StandingsRow {
    /// From 1; bots that are level share it.
    pub rank: usize,
    /// The bot's name.
    pub bot: String,
    /// How it has left, if it has.
    pub left: Option<LeftAs>,
    /// Why, if somebody has said so.
    #[schemars(with = "Option<String>")]
    pub left_because: Option<ChangeReason>,
    /// Whether its matches do not count here.
    pub is_void: bool,
    /// The rating by all results at once, in whatever order they came (`docs/reference/ratings.md`).
    pub rating: f64,
    /// The standard deviation of its difference from the average of the bots that have played.
    pub deviation: f64,
    /// The lower bound of the 95 % interval of this difference, at the rating.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// Whether the results support that the bot of the row above is the stronger one: the 95 % interval of the
    /// difference of the two ratings lies over zero. None for the first row, where one of the two has not played, and
    /// for a bot that was disqualified.
    pub is_told_apart: Option<bool>,
    /// As how many matches between this bot and that of the row above all matches, directly and through others, tell of
    /// their difference, if all bots were equal. None as above.
    pub link: Option<f64>,
    /// The rating over time: Glicko-2. None where nothing says in which order the results came.
    pub glicko: Option<f64>,
    /// Its standard deviation.
    pub glicko_deviation: Option<f64>,
    /// Matches with a result.
    pub games: u64,
    /// Of these, those in which it came first alone.
    pub wins: u64,
    /// Those in which it shared the first place with rivals.
    pub draws: u64,
    /// The others.
    pub losses: u64,
    /// Points: of each match the part of its rivals that it left behind, a shared place counted
    /// half; bots on its own side are no rivals. With two bots in a match, one for a win and half of one for a draw.
    pub score: f64,
    /// Points in a hundred games.
    #[serde(serialize_with = "rounded")]
    pub percent: f64,
    /// The lower bound of its 95 % interval, over whole blocks. None without one, where nobody counted blocks, and
    /// where matches of other blocks are among the games, for then it would be that of another share.
    #[serde(serialize_with = "rounded_bound")]
    pub percent_low: Option<f64>,
    /// The upper bound.
    #[serde(serialize_with = "rounded_bound")]
    pub percent_high: Option<f64>,
    /// Matches that play alone has decided: no bot was at fault in them, and all came.
    pub by_play: u64,
    /// Matches lost by a fault.
    pub faults: u64,
    /// The same by the names of the faults.
    pub fault_names: BTreeMap<String, u64>,
    /// How many times a match of this bot was void.
    pub voids: u64,
    /// Whether its matches are void far more often than those of the others, as
    /// [`void_far_more_often`](flipside_ratings::void_far_more_often) says.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub often_void: bool,
    /// What the notes of its moves tell of a language model; none if they tell of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelUse>,
}

/// How a bot has left a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Left")]
pub enum LeftAs {
    /// By itself, or as its organiser asked for it.
    Withdrawn,
    /// The organiser has sent it away, also afterwards: it stands behind all others.
    Disqualified,
}

/// A bot that has left a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaver {
    /// How.
    pub how: LeftAs,
    /// Why, if somebody has said so.
    pub reason: Option<ChangeReason>,
    /// Whether its matches do not count.
    pub is_void: bool,
}

/// How each bot fared against each other.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct CrossTable {
    /// The bots, in order of rank.
    pub bots: Vec<String>,
    /// Row by row; the diagonal is empty.
    pub cells: Vec<Vec<Cell>>,
}

/// How one bot fared against another: in how many matches it came before it, level with it, or
/// behind it. A bot that sits in several seats is taken by the mean of its places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Cell {
    /// Matches won.
    pub wins: u32,
    /// Matches drawn.
    pub draws: u32,
    /// Matches lost.
    pub losses: u32,
}

impl Tally {
    /// Nothing yet, for so many entrants whose matches have this seating.
    pub fn new(entrants: usize, seating: &Seating) -> Self {
        Tally {
            seating: *seating,
            counts: vec![Count::default(); entrants],
            cells: vec![Cell::default(); entrants * entrants],
            batch: Batch::new(entrants),
            played: 0,
            voids: 0,
        }
    }

    /// Counts a result, between every two of its bots that are rivals.
    ///
    /// # Panics
    /// When an entrant is none of the tally's.
    pub fn take(&mut self, result: &ScoredPairing) {
        self.played += 1;
        let compared = compared(result, &self.seating);
        self.batch.take(&compared);
        let all = &compared.all;
        let (best, shared) = best(all);
        let by_play = result.result.seats.iter().all(|seat| seat.fault.is_none());
        for own in all {
            for rival in rivals(own, all) {
                let cell = &mut self.cells[own.entrant * self.counts.len() + rival.entrant];
                match own.scored(rival) {
                    2 => cell.wins += 1,
                    1 => cell.draws += 1,
                    _ => cell.losses += 1,
                }
            }
            let count = &mut self.counts[own.entrant];
            count.outcomes.add(own.places == best, shared);
            count.by_play += u64::from(by_play);
        }
        for (entrant, seat) in result.seats() {
            let count = &mut self.counts[entrant];
            if let Some(fault) = &seat.fault {
                *count.faults.entry(fault.name.clone()).or_default() += 1;
            }
            ModelUse::add_to(&mut count.model, seat.model.as_ref());
        }
    }

    /// Counts a void match between these entrants; one in several seats is named as often.
    ///
    /// # Panics
    /// When an entrant is none of the tally's.
    pub fn void(&mut self, entrants: &[usize]) {
        self.voids += 1;
        for (seat, &entrant) in entrants.iter().enumerate() {
            if !entrants[..seat].contains(&entrant) {
                self.counts[entrant].voids += 1;
            }
        }
    }

    /// The ratings by all results at once; `design` is the design effect of the blocks, if there are any.
    pub fn fit(&self, design: Option<f64>) -> Fit {
        self.batch.fitted(design)
    }

    /// How well the matches link each two neighbours among these bots.
    pub fn links(&self, order: &[usize]) -> Vec<f64> {
        self.batch.links(order)
    }

    /// The tables, with the names of the entrants, their ratings over time if these are known, and those by all
    /// results.
    ///
    /// # Panics
    /// When there are not as many of each as entrants.
    pub fn standings(
        &self,
        names: &[String],
        over_time: Option<&[Rating]>,
        fit: &Fit,
    ) -> Standings {
        let entrants = self.counts.len();
        assert_eq!(names.len(), entrants, "a name for each entrant");
        let ranked = self.ranked(names, fit);
        let order = || ranked.iter().map(|&(_, entrant)| entrant);
        Standings {
            played: self.played,
            total: Total::Exactly(self.played),
            uncounted: 0,
            left_out: 0,
            over: false,
            ranking: None,
            encounters: Vec::new(),
            sprt: None,
            voids: self.voids,
            pauses: Vec::new(),
            changes: Vec::new(),
            imports: Vec::new(),
            runs: Runs::default(),
            classes: Vec::new(),
            untrusted: 0,
            rows: ranked
                .iter()
                .map(|&(rank, entrant)| {
                    let over_time = over_time.map(|ratings| ratings[entrant].rounded());
                    self.row((rank, entrant), &names[entrant], over_time, fit)
                })
                .collect(),
            cross: CrossTable {
                bots: order().map(|entrant| names[entrant].clone()).collect(),
                cells: order()
                    .map(|row| {
                        order()
                            .map(|column| self.cells[row * entrants + column])
                            .collect()
                    })
                    .collect(),
            },
        }
    }

    fn row(
        &self,
        (rank, entrant): (usize, usize),
        name: &str,
        over_time: Option<[f64; 4]>,
        fit: &Fit,
    ) -> StandingsRow {
        let Count {
            outcomes,
            by_play,
            faults,
            voids,
            model,
        } = &self.counts[entrant];
        let games = outcomes.games();
        let all = self.against_all(entrant);
        // In all matches of a tournament a bot has as many rivals.
        let rivals = all.games() as f64 / games.max(1) as f64;
        let [rating, deviation, low, high] = fit.rating(entrant).rounded();
        StandingsRow {
            rank,
            bot: name.into(),
            left: None,
            left_because: None,
            is_void: false,
            rating,
            deviation,
            low,
            high,
            is_told_apart: None,
            link: None,
            glicko: over_time.map(|[rating, ..]| rating),
            glicko_deviation: over_time.map(|[_, deviation, ..]| deviation),
            games,
            wins: outcomes.wins,
            draws: outcomes.draws,
            losses: outcomes.losses,
            score: all.half_points() as f64 / 2.0 / rivals.max(1.0),
            percent: all.half_points() as f64 * 50.0 / all.games().max(1) as f64,
            percent_low: None,
            percent_high: None,
            by_play: *by_play,
            faults: faults.values().sum(),
            fault_names: faults.clone(),
            voids: *voids,
            often_void: self.is_often_void(games, *voids),
            model: *model,
        }
    }

    fn is_often_void(&self, games: u64, voids: u64) -> bool {
        let tries = |played: u64, voids| Counts {
            all: played + voids,
            hits: voids,
        };
        let field = tries(self.played, self.voids);
        void_far_more_often(tries(games, voids), field, self.counts.len())
    }

    /// The entrants in order, each with its rank.
    fn ranked(&self, names: &[String], fit: &Fit) -> Vec<(usize, usize)> {
        let all: Vec<PointSum> = (0..self.counts.len())
            .map(|of| self.against_all(of))
            .collect();
        let mut order: Vec<usize> = (0..all.len()).collect();
        let by_fit = |one: usize, other: usize| {
            let rating = |bot: usize| fit.rating(bot).points;
            rating(other).total_cmp(&rating(one))
        };
        order.sort_by(|&one, &other| {
            let share = all[other].share(&all[one]);
            share.then_with(|| by_fit(one, other))
        });
        let is_level = |one: usize, other: usize| {
            all[one].share(&all[other]).is_eq() && fit.difference(one, other).points.abs() <= LEVEL
        };
        let mut ranked = Vec::new();
        for level in order.chunk_by(|&one, &other| is_level(one, other)) {
            let mut level: Vec<(PointSum, usize)> = level
                .iter()
                .map(|&of| (self.against(of, level.iter().copied()), of))
                .collect();
            let decides = |(direct, one): &(PointSum, usize),
                           (other_direct, other): &(PointSum, usize)| {
                other_direct
                    .share(direct)
                    .then(all[*other].wins.cmp(&all[*one].wins))
            };
            level.sort_by(|one, other| decides(one, other).then(names[one.1].cmp(&names[other.1])));
            for same in level.chunk_by(|one, other| decides(one, other).is_eq()) {
                let rank = ranked.len() + 1;
                ranked.extend(same.iter().map(|&(_, entrant)| (rank, entrant)));
            }
        }
        ranked
    }

    fn against_all(&self, entrant: usize) -> PointSum {
        self.against(entrant, 0..self.counts.len())
    }

    fn against(&self, entrant: usize, others: impl Iterator<Item = usize>) -> PointSum {
        others
            .map(|other| self.cells[entrant * self.counts.len() + other])
            .fold(PointSum::default(), |sum, cell| PointSum {
                wins: sum.wins + u64::from(cell.wins),
                draws: sum.draws + u64::from(cell.draws),
                losses: sum.losses + u64::from(cell.losses),
            })
    }
}

/// Some games of one bot.
#[derive(Clone, Copy, Default)]
struct PointSum {
    wins: u64,
    draws: u64,
    losses: u64,
}

impl PointSum {
    fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    fn half_points(&self) -> u64 {
        2 * self.wins + self.draws
    }

    /// Compares shares of the possible points, exactly. No games are the least share.
    fn share(&self, other: &PointSum) -> Ordering {
        let product = |one: &PointSum, other: &PointSum| {
            u128::from(one.half_points()) * u128::from(other.games())
        };
        let some = |sum: &PointSum| sum.games() > 0;
        some(self)
            .cmp(&some(other))
            .then(product(self, other).cmp(&product(other, self)))
    }
}

impl Cell {
    /// Matches with a result.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points: one for a win, half of one for a draw.
    pub fn score(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }
}

impl Standings {
    /// The same without what bots wrote to standard error, which is for their owners.
    #[must_use]
    pub fn without_stderr(mut self) -> Self {
        for pause in &mut self.pauses {
            pause.detail = without_stderr(&pause.detail).to_owned();
        }
        self
    }

    /// Puts the bots into the order of a format's own; `names` are those of the entrants.
    pub fn ranked_by(mut self, ranking: Ranking, names: &[String]) -> Self {
        let place = |entrant: usize| self.rows.iter().position(|row| row.bot == names[entrant]);
        let order: Vec<usize> = ranking
            .rows
            .iter()
            .map(|ranked| place(ranked.entrant).expect("every entrant has a row"))
            .collect();
        self = self.in_order(&order);
        for (row, ranked) in self.rows.iter_mut().zip(&ranking.rows) {
            row.rank = ranked.rank;
        }
        self.ranking = Some(ranking);
        self
    }

    /// Says who has left, and puts those who were disqualified behind all others, in their order; the others move up.
    pub fn with_those_who_left(mut self, left: &BTreeMap<String, Leaver>) -> Self {
        for row in &mut self.rows {
            if let Some(Leaver {
                how,
                reason,
                is_void,
            }) = left.get(&row.bot)
            {
                row.left = Some(*how);
                row.left_because.clone_from(reason);
                row.is_void = *is_void;
            }
        }
        let is_out = |row: &StandingsRow| row.left == Some(LeftAs::Disqualified);
        if !self.rows.iter().any(is_out) {
            return self;
        }
        let (out, mut order): (Vec<usize>, Vec<usize>) =
            (0..self.rows.len()).partition(|&at| is_out(&self.rows[at]));
        order.extend(out);
        let level = |one: &StandingsRow, other: &StandingsRow| {
            one.rank == other.rank && is_out(one) == is_out(other)
        };
        if let Some(ranking) = &mut self.ranking {
            ranking.rows = order.iter().map(|&at| ranking.rows[at].clone()).collect();
        }
        self = self.in_order(&order);
        let firsts: Vec<bool> = (self.rows.windows(2))
            .map(|two| !level(&two[0], &two[1]))
            .collect();
        let mut rank = 1;
        for (at, row) in self.rows.iter_mut().enumerate() {
            if at > 0 && firsts[at - 1] {
                rank = at + 1;
            }
            row.rank = rank;
        }
        if let Some(ranking) = &mut self.ranking {
            for (ranked, row) in ranking.rows.iter_mut().zip(&self.rows) {
                ranked.rank = row.rank;
            }
        }
        self
    }

    /// The rows and the cross table in another order.
    fn in_order(mut self, order: &[usize]) -> Self {
        self.rows = order.iter().map(|&at| self.rows[at].clone()).collect();
        let bots = order.iter().map(|&at| self.cross.bots[at].clone());
        let row = |&at: &usize| order.iter().map(|&to| self.cross.cells[at][to]).collect();
        self.cross = CrossTable {
            bots: bots.collect(),
            cells: order.iter().map(row).collect(),
        };
        self
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn rounded<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    hundredths(*number).serialize(to)
}

fn rounded_bound<S: Serializer>(bound: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    bound.map(hundredths).serialize(to)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{in_teams, ranked, scored};

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("bot{number}@1")).collect()
    }

    fn standings(entrants: usize, results: &[ScoredPairing]) -> Standings {
        let seats = results
            .first()
            .map_or(2, |result| result.pairing.seats.len());
        let seating = Seating::single(seats as u8);
        let mut tally = Tally::new(entrants, &seating);
        results.iter().for_each(|result| tally.take(result));
        let ratings = vec![Rating::default(); entrants];
        tally.standings(&names(entrants), Some(&ratings), &tally.fit(None))
    }

    fn order(standings: &Standings) -> Vec<(usize, &str)> {
        standings
            .rows
            .iter()
            .map(|row| (row.rank, &row.bot[..4]))
            .collect()
    }

    #[test]
    fn points_come_first_then_the_matches_between_the_level_then_wins() {
        // bot2 has 3 of 4 points; bot0 and bot1 have 1.5 each of 4, and bot1 has won their match.
        let results = [
            scored(0, [2, 0], 2),
            scored(0, [2, 1], 2),
            scored(0, [2, 0], 1),
            scored(0, [2, 1], 1),
            scored(0, [1, 0], 2),
            scored(0, [0, 3], 2),
            scored(0, [1, 3], 0),
            scored(0, [3, 0], 1),
            scored(0, [3, 1], 1),
        ];
        let table = standings(4, &results);
        assert_eq!(
            order(&table),
            [(1, "bot2"), (2, "bot3"), (3, "bot1"), (4, "bot0")]
        );
        let first = &table.rows[0];
        assert_eq!(
            (first.games, first.wins, first.draws, first.losses),
            (4, 2, 2, 0)
        );
        assert_eq!((first.score, first.percent), (3.0, 75.0));
    }

    /// 15 of 19 is 78.947... %: rounded to hundredths and then to tenths it would be 79.0.
    #[test]
    fn a_share_is_rounded_once_wherever_it_is_written() {
        let results: Vec<_> = (0..19)
            .map(|at| scored(0, [0, 1], if at < 15 { 2 } else { 0 }))
            .collect();
        let mut table = standings(2, &results);
        let row = &mut table.rows[0];
        assert_eq!(row.percent, 1_500.0 / 19.0);
        assert_eq!(format!("{:.1}", row.percent), "78.9");
        row.percent_low = Some(200.0 / 3.0);
        let json = serde_json::to_value(&*row).unwrap();
        assert_eq!(
            (&json["percent"], &json["percent_low"]),
            (&78.95.into(), &66.67.into())
        );
        assert!(json["percent_high"].is_null());
    }

    #[test]
    fn who_has_played_less_is_compared_by_the_share_of_the_points() {
        let results = [
            scored(0, [0, 1], 2),
            scored(0, [1, 2], 2),
            scored(0, [1, 2], 2),
            scored(0, [1, 2], 2),
        ];
        assert_eq!(
            order(&standings(4, &results)),
            [(1, "bot0"), (2, "bot1"), (3, "bot2"), (4, "bot3")]
        );
        assert_eq!(standings(4, &results).rows[3].percent, 0.0);
    }

    #[test]
    fn those_who_are_level_in_all_share_a_rank_and_stand_by_name() {
        let results = [
            scored(0, [2, 1], 1),
            scored(0, [1, 2], 1),
            scored(0, [3, 0], 0),
        ];
        let table = standings(4, &results);
        assert_eq!(
            order(&table),
            [(1, "bot0"), (2, "bot1"), (2, "bot2"), (4, "bot3")]
        );
        assert_eq!(order(&standings(2, &[])), [(1, "bot0"), (1, "bot1")]);
    }

    #[test]
    fn who_wins_with_a_partner_has_won_and_not_drawn_with_it() {
        let mut tally = Tally::new(4, &in_teams(4));
        for (seats, places) in [([0, 1, 2, 3], [1, 3, 1, 3]), ([0, 2, 1, 3], [1, 1, 1, 1])] {
            let places: Vec<_> = seats.into_iter().zip(places).collect();
            tally.take(&ranked(0, &places));
        }
        let table = tally.standings(&names(4), None, &tally.fit(None));
        let rows: Vec<_> = table
            .rows
            .iter()
            .map(|row| (&row.bot[..4], (row.wins, row.draws, row.losses), row.score))
            .collect();
        assert_eq!(
            rows,
            [
                ("bot0", (1, 1, 0), 1.5),
                ("bot2", (1, 1, 0), 1.5),
                ("bot1", (0, 1, 1), 0.5),
                ("bot3", (0, 1, 1), 0.5),
            ]
        );
        // Partners once, rivals once: only that is counted.
        assert_eq!(table.cross.cells[0][1].games(), 1);
        assert_eq!(table.cross.cells[0][2].games(), 1);
        assert_eq!(table.cross.cells[0][3].games(), 2);
    }

    #[test]
    fn faults_and_voids_are_counted_where_they_belong() {
        let mut tally = Tally::new(3, &Seating::single(2));
        for (fault, index) in [("late", 0), ("crashed", 0), ("late", 0), ("late", 1)] {
            let mut result = scored(0, [0, 1], if index == 0 { 0 } else { 2 });
            result.result.seats[index].fault = Some(flipside_referee::SeatFault {
                name: fault.into(),
                detail: String::new(),
            });
            tally.take(&result);
        }
        tally.void(&[1, 2]);
        tally.void(&[1, 0]);
        let table = tally.standings(&names(3), None, &tally.fit(None));
        let counts = |name: &str| {
            let row = table.rows.iter().find(|row| row.bot == name).unwrap();
            (
                row.faults,
                row.fault_names.clone().into_iter().collect::<Vec<_>>(),
                row.voids,
            )
        };
        assert_eq!(
            counts("bot0@1"),
            (3, vec![("crashed".into(), 1), ("late".into(), 2)], 1)
        );
        assert_eq!(counts("bot1@1"), (1, vec![("late".into(), 1)], 2));
        assert_eq!(counts("bot2@1"), (0, vec![], 1));
        assert_eq!((table.played, table.voids), (4, 2));
    }

    #[test]
    fn what_notes_tell_of_a_model_is_summed_over_all_matches_of_a_bot() {
        let mut tally = Tally::new(3, &Seating::single(2));
        let told = |tries| ModelUse {
            moves: 1,
            tries,
            tokens_in: 10,
            ..ModelUse::default()
        };
        for (seats, tries) in [([0, 1], 1), ([1, 0], 2), ([0, 2], 4)] {
            let mut result = scored(0, seats, 2);
            for (&entrant, seat) in seats.iter().zip(&mut result.result.seats) {
                seat.model = (entrant < 2).then(|| told(tries));
            }
            tally.take(&result);
        }
        let table = tally.standings(&names(3), None, &tally.fit(None));
        let sums = |name: &str| {
            let row = table.rows.iter().find(|row| row.bot == name).unwrap();
            row.model.map(|sum| [sum.moves, sum.tries, sum.tokens_in])
        };
        assert_eq!(sums("bot0@1"), Some([3, 7, 30]));
        assert_eq!(sums("bot1@1"), Some([2, 3, 20]));
        assert_eq!(sums("bot2@1"), None);
    }

    #[test]
    fn a_bot_whose_matches_are_void_far_more_often_than_others_is_named() {
        let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let tally_with = |is_void: &dyn Fn(&[usize; 2]) -> bool| {
            let mut tally = Tally::new(4, &Seating::single(2));
            for pair in pairs.iter().cycle().take(120) {
                tally.take(&scored(0, *pair, 2));
                if is_void(pair) {
                    tally.void(pair);
                }
            }
            let table = tally.standings(&names(4), None, &tally.fit(None));
            let named = table.rows.into_iter().filter(|row| row.often_void);
            named.map(|row| row.bot).collect::<Vec<_>>()
        };
        assert_eq!(tally_with(&|pair| pair.contains(&1)), ["bot1@1"]);
        assert!(tally_with(&|_| true).is_empty());
        assert!(tally_with(&|_| false).is_empty());
    }

    #[test]
    fn a_row_has_the_rating_and_what_it_was_rated_by() {
        let table = standings(
            2,
            &[
                scored(0, [0, 1], 2),
                scored(0, [1, 0], 1),
                scored(1, [0, 1], 2),
            ],
        );
        let told = |row: &StandingsRow| {
            let rating = [row.rating, row.deviation, row.low, row.high];
            let counts = [row.games, row.wins, row.draws, row.losses, row.by_play];
            let share = (row.score, hundredths(row.percent));
            format!("{} {} {rating:?} {counts:?} {share:?}", row.rank, row.bot)
        };
        let rows: Vec<_> = table.rows.iter().map(told).collect();
        insta::assert_snapshot!(rows.join("\n"), @"
        1 bot0@1 [1610.49, 108.9, 1397.04, 1823.95] [3, 2, 1, 0, 3] (2.5, 83.33)
        2 bot1@1 [1389.51, 108.9, 1176.05, 1602.96] [3, 0, 1, 2, 3] (0.5, 16.67)
        ");
        let cell = table.cross.cells[0][1];
        assert_eq!((cell.wins, cell.draws, cell.losses), (2, 1, 0));
        assert_eq!((cell.games(), cell.score()), (3, 2.5));
    }

    fn results() -> impl Strategy<Value = Vec<ScoredPairing>> {
        let result = (0usize..6, 1usize..6, 0u8..=2)
            .prop_map(|(one, step, score)| scored(0, [one, (one + step) % 6], score));
        prop::collection::vec(result, 0..80)
    }

    #[test]
    fn with_many_bots_a_score_is_the_part_of_them_that_is_left_behind() {
        let result = ranked(0, &[(0, 1), (1, 2), (2, 2), (3, 4)]);
        let table = standings(4, &[result.clone(), result]);
        let rows: Vec<_> = table
            .rows
            .iter()
            .map(|row| (&row.bot[..4], row.games, row.wins, row.losses, row.score))
            .collect();
        assert_eq!(
            rows,
            [
                ("bot0", 2, 2, 0, 2.0),
                ("bot1", 2, 0, 2, 1.0),
                ("bot2", 2, 0, 2, 1.0),
                ("bot3", 2, 0, 2, 0.0)
            ]
        );
        assert_eq!(table.rows[1].percent, 50.0);
        assert_eq!(table.cross.cells[1][2].draws, 2);
    }

    proptest! {
        #[test]
        fn points_are_neither_made_nor_lost(results in results()) {
            let table = standings(6, &results);
            let games: u64 = table.rows.iter().map(|row| row.games).sum();
            let points: f64 = table.rows.iter().map(|row| row.score).sum();
            prop_assert_eq!(games, 2 * table.played);
            prop_assert_eq!(points, table.played as f64);
            for row in &table.rows {
                prop_assert_eq!(row.wins + row.draws + row.losses, row.games);
                prop_assert_eq!(row.wins as f64 + row.draws as f64 / 2.0, row.score);
            }
        }

        #[test]
        fn the_cross_table_agrees_with_itself_and_with_the_rows(results in results()) {
            let table = standings(6, &results);
            for (row, cells) in table.cross.cells.iter().enumerate() {
                prop_assert_eq!(&table.cross.bots[row], &table.rows[row].bot);
                prop_assert_eq!(cells[row], Cell::default());
                prop_assert_eq!(cells.iter().map(|cell| u64::from(cell.wins)).sum::<u64>(), table.rows[row].wins);
                for (column, cell) in cells.iter().enumerate() {
                    let Cell { wins, draws, losses } = table.cross.cells[column][row];
                    prop_assert_eq!(*cell, Cell { wins: losses, draws, losses: wins });
                }
            }
        }

        #[test]
        fn the_order_of_the_results_does_not_matter(results in results(), mut other in Just(()).prop_perturb(|(), rng| rng)) {
            let mut shuffled = results.clone();
            shuffled.sort_by_cached_key(|_| other.next_u32());
            prop_assert_eq!(standings(6, &results), standings(6, &shuffled));
        }

        #[test]
        fn nobody_stands_below_one_with_a_smaller_share(results in results()) {
            let rows = standings(6, &results).rows;
            let share = |row: &StandingsRow| if row.games == 0 { -1.0 } else { row.score / row.games as f64 };
            prop_assert!(rows.is_sorted_by(|one, other| share(one) >= share(other) - 1e-12));
            prop_assert!(rows.iter().zip(1..).all(|(row, at)| row.rank <= at && row.rank >= 1));
        }
    }
}
