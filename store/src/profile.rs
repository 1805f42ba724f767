//! One bot in all its tournaments: where it came, against whom and from which seat it scored, and how it failed. All of
//! it follows from the tables of the tournaments and a count of seats.

use flipside_ratings::{Outcomes, best, placed};
use flipside_tournament::{Cell, Standings, Tournament};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;
use crate::journal::Journal;

/// The outcomes of a tournament by entrant, then by seat.
pub type SeatOutcomes = Vec<Vec<Outcomes>>;

/// One bot in all its tournaments.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
pub struct Profile {
    /// The tournaments that it was entered in, the latest first.
    pub tournaments: Vec<EnteredRow>,
    /// Its opponents, those of most games first.
    pub opponents: Vec<OpponentRow>,
    /// Its seats, by game.
    pub seats: Vec<SeatOutcomesRow>,
    /// Its faults by name, the most frequent first.
    pub faults: Vec<FaultRow>,
}

/// A bot in a tournament.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct EnteredRow {
    /// The tournament's name.
    pub tournament: String,
    /// The game's id.
    pub game: String,
    /// The bot's rank.
    pub rank: usize,
    /// How many bots there are.
    pub bots: usize,
    /// Matches with a result.
    pub games: u64,
    /// Points.
    pub score: f64,
    /// Points in a hundred games; none without a game.
    pub percent: Option<f64>,
    /// Matches lost by a fault.
    pub faults: u64,
}

/// A bot against another.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct OpponentRow {
    /// The other: `greedy@2`.
    pub opponent: String,
    /// The game's id.
    pub game: String,
    /// How that went, as the bot sees it.
    #[serde(flatten)]
    pub cell: Cell,
}

/// A bot in a seat.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct SeatOutcomesRow {
    /// The game's id.
    pub game: String,
    /// The seat, from 0.
    pub seat: u8,
    /// How its matches ended.
    #[serde(flatten)]
    pub outcomes: Outcomes,
}

/// How often a bot had a fault.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct FaultRow {
    /// The fault's name.
    pub fault: String,
    /// How many matches it lost by it.
    pub matches: u64,
}

impl Profile {
    /// Adds a tournament; the latest is to be added first. Nothing changes where the bot was not entered.
    pub fn add(
        &mut self,
        bot: &str,
        tournament: &Tournament,
        standings: &Standings,
        seats: &SeatOutcomes,
    ) {
        let game = &tournament.settings.game;
        let Some(at) = standings.rows.iter().position(|row| row.bot == bot) else {
            return;
        };
        let row = &standings.rows[at];
        self.tournaments.push(EnteredRow {
            tournament: tournament.name.to_string(),
            game: game.clone(),
            rank: row.rank,
            bots: standings.rows.len(),
            games: row.games,
            score: row.score,
            percent: (row.games > 0).then_some(row.percent),
            faults: row.faults,
        });
        let cross = &standings.cross;
        for (opponent, cell) in cross.bots.iter().zip(&cross.cells[at]) {
            if opponent != bot && cell.games() > 0 {
                self.met(game, opponent, *cell);
            }
        }
        let entrant = tournament
            .entrants
            .iter()
            .position(|one| one.label() == bot);
        let of_bot = entrant.and_then(|entrant| seats.get(entrant));
        for (seat, outcomes) in (0..).zip(of_bot.into_iter().flatten()) {
            self.sat(game, seat, *outcomes);
        }
        for (fault, &matches) in &row.fault_names {
            match self.faults.iter_mut().find(|row| row.fault == *fault) {
                Some(row) => row.matches += matches,
                None => self.faults.push(FaultRow {
                    fault: fault.clone(),
                    matches,
                }),
            }
        }
        self.opponents
            .sort_by_key(|row| std::cmp::Reverse(row.cell.games()));
        self.faults
            .sort_by_key(|row| std::cmp::Reverse(row.matches));
        self.seats
            .sort_by(|one, other| (&one.game, one.seat).cmp(&(&other.game, other.seat)));
    }

    fn met(&mut self, game: &str, opponent: &str, cell: Cell) {
        let mut rows = self.opponents.iter_mut();
        match rows.find(|row| row.game == game && row.opponent == opponent) {
            Some(row) => {
                row.cell.wins += cell.wins;
                row.cell.draws += cell.draws;
                row.cell.losses += cell.losses;
            }
            None => self.opponents.push(OpponentRow {
                opponent: opponent.to_owned(),
                game: game.to_owned(),
                cell,
            }),
        }
    }

    fn sat(&mut self, game: &str, seat: u8, outcomes: Outcomes) {
        if outcomes.games() == 0 {
            return;
        }
        let mut rows = self.seats.iter_mut();
        match rows.find(|row| row.game == game && row.seat == seat) {
            Some(row) => {
                row.outcomes.wins += outcomes.wins;
                row.outcomes.draws += outcomes.draws;
                row.outcomes.losses += outcomes.losses;
            }
            None => self.seats.push(SeatOutcomesRow {
                game: game.to_owned(),
                seat,
                outcomes,
            }),
        }
    }
}

/// Counts the outcomes of a tournament by entrant and seat.
///
/// # Errors
/// When the journal cannot be read.
pub fn seat_outcomes(journal: &Journal, tournament: &Tournament) -> Result<SeatOutcomes> {
    let _moment = journal.snapshot()?;
    // Bots may have joined since it was read.
    let tournament = &journal.tournament_by_id(tournament.id)?;
    let seating = tournament.settings.seating()?;
    let seats = usize::from(tournament.settings.seats);
    let mut counts = vec![vec![Outcomes::default(); seats]; tournament.entrants.len()];
    journal.for_each_result(tournament, |scored| {
        let all = placed(scored, &seating);
        let (first, is_shared) = best(&all);
        for (seat, (entrant, _)) in scored.seats().enumerate() {
            let own = all.iter().find(|bot| bot.entrant == entrant);
            let is_first = own.is_some_and(|bot| bot.places == first);
            let Some(count) = counts
                .get_mut(entrant)
                .and_then(|seats| seats.get_mut(seat))
            else {
                continue;
            };
            count.add(is_first, is_shared);
        }
        Ok(())
    })?;
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::table;
    use crate::testing::{finished, new_journal, tournament};

    #[test]
    fn a_profile_adds_up_to_the_tables() {
        let (_folder, mut journal) = new_journal();
        let all = [
            tournament(&mut journal, "first", 4, 2),
            tournament(&mut journal, "second", 3, 3),
        ];
        let mut tables = Vec::new();
        for tournament in &all {
            for pairing in tournament.schedule().unwrap().iter() {
                journal.land(&finished(tournament, &pairing)).unwrap();
            }
            let seats = seat_outcomes(&journal, tournament).unwrap();
            tables.push((table(&journal, tournament).unwrap(), seats));
        }
        for bot in &all[0].entrants {
            let label = bot.label();
            let mut profile = Profile::default();
            for (tournament, (standings, seats)) in all.iter().zip(&tables) {
                profile.add(&label, tournament, standings, seats);
            }
            let rows = tables.iter().flat_map(|(standings, _)| &standings.rows);
            let rows: Vec<_> = rows.filter(|row| row.bot == label).collect();
            assert_eq!(profile.tournaments.len(), rows.len());
            let [wins, draws, losses, faults] = rows.iter().fold([0; 4], |sum, row| {
                [
                    sum[0] + row.wins,
                    sum[1] + row.draws,
                    sum[2] + row.losses,
                    sum[3] + row.faults,
                ]
            });
            assert!(wins + draws + losses > 0);
            let opponents = profile.opponents.iter().fold([0; 3], |sum, row| {
                [
                    sum[0] + row.cell.wins,
                    sum[1] + row.cell.draws,
                    sum[2] + row.cell.losses,
                ]
            });
            assert_eq!(opponents.map(u64::from), [wins, draws, losses]);
            let seats = profile.seats.iter().fold([0; 3], |sum, row| {
                let Outcomes {
                    wins,
                    draws,
                    losses,
                } = row.outcomes;
                [sum[0] + wins, sum[1] + draws, sum[2] + losses]
            });
            assert_eq!(seats, [wins, draws, losses]);
            let counted: u64 = profile.faults.iter().map(|row| row.matches).sum();
            assert_eq!(counted, faults);
        }
    }
}
