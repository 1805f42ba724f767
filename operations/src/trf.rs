//! Results in TRF, the form of reports of chess tournaments, which programs for pairings read.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;

use flipside_store::{Journal, MatchRow, full_table};
use flipside_tournament::trf::{TrfGame, TrfResult, TrfTournament};
use flipside_tournament::{Format, Tournament, forfeits, utc};

use crate::failure::{Failure, Result};
use crate::pgn::refuse_seats;

/// Writes a tournament: its bots in the order in which they were entered, and a game in a round for each match.
///
/// # Errors
/// When the game has not two seats, somebody has more points than the form holds, or nothing can be written.
pub(crate) fn write_trf(
    journal: &Journal,
    tournament: &Tournament,
    out: &mut impl Write,
) -> Result<()> {
    refuse_seats(tournament, "TRF")?;
    let table = full_table(journal, tournament)?.standings;
    let labels: Vec<String> = (tournament.entrants.iter())
        .map(|bot| bot.label())
        .collect();
    let numbers: HashMap<&str, usize> = labels.iter().map(String::as_str).zip(0..).collect();
    let ranks: HashMap<&str, usize> = (table.rows.iter())
        .map(|row| (row.bot.as_str(), row.rank))
        .collect();
    let mut games = Vec::new();
    let mut rounds = RoundsPlayed::default();
    journal.for_each_match(tournament.id, |row| {
        rounds.take(&row);
        // What does not count in the table does not stand in one.
        if row.counts {
            games.extend(game(&row, &numbers));
        }
        true
    })?;
    let settings = tournament.extended_settings();
    // A bot has a match of its block in each round of TRF.
    let matches_of_block = settings
        .seating()
        .map_or(1, |seating| seating.matches_of_block());
    let text = TrfTournament {
        name: tournament.name.to_string(),
        format: format!("{} of {}", settings.format, settings.game),
        clock: settings.clock.to_string(),
        players: (labels.iter())
            .map(|label| {
                let rank = ranks.get(label.as_str()).copied();
                (label.clone(), rank.unwrap_or(labels.len()))
            })
            .collect(),
        games,
        byes: match settings.format {
            Format::Swiss(_) => rounds.byes(tournament, &labels),
            _ => Vec::new(),
        },
        rounds: match settings.format {
            Format::Swiss(_) => settings.rounds as usize * usize::from(matches_of_block),
            _ => 0,
        },
    }
    .text();
    let text = text.map_err(|error| {
        Failure::usage(error).hint("write .pgn or .csv, which have no such limit")
    })?;
    out.write_all(text.as_bytes()).map_err(Failure::new)
}

/// The game of a match; nothing where a bot is no entrant, which a damaged journal may have.
fn game(row: &MatchRow, numbers: &HashMap<&str, usize>) -> Option<TrfGame> {
    let [white, black] = [0, 1].map(|seat| &row.seats[seat]);
    let [white_away, black_away] = [white, black].map(|seat| forfeits(&seat.result));
    let results = match (white.points, black.points) {
        _ if white_away && black_away => [TrfResult::LostByForfeit; 2],
        _ if black_away => [TrfResult::WonByForfeit, TrfResult::LostByForfeit],
        _ if white_away => [TrfResult::LostByForfeit, TrfResult::WonByForfeit],
        (1.0, _) => [TrfResult::Won, TrfResult::Lost],
        (_, 1.0) => [TrfResult::Lost, TrfResult::Won],
        _ => [TrfResult::Drawn; 2],
    };
    let number = |bot: &String| numbers.get(bot.as_str()).copied();
    let day = utc(row.started_at);
    Some(TrfGame {
        players: [number(&white.bot)?, number(&black.bot)?],
        results,
        round: row.round,
        block: row.block,
        day: day.split('T').next().unwrap_or_default().to_owned(),
    })
}

/// Which bots have matches in which rounds.
#[derive(Default)]
struct RoundsPlayed {
    /// By round: the index of its first match, and its bots.
    rounds: Vec<(u64, BTreeSet<String>)>,
}

impl RoundsPlayed {
    fn take(&mut self, row: &MatchRow) {
        let round = row.round as usize;
        if self.rounds.len() <= round {
            self.rounds.resize(round + 1, (row.index, BTreeSet::new()));
        }
        let bots = row.seats.iter().map(|seat| seat.bot.clone());
        self.rounds[round].1.extend(bots);
    }

    /// Who had a bye in which round of a swiss: who had not left, and has no match in a round of which nothing is left
    /// to be played.
    fn byes(&self, tournament: &Tournament, labels: &[String]) -> Vec<(usize, u32)> {
        let mut byes = Vec::new();
        for (round, (first, bots)) in (0..).zip(&self.rounds) {
            let left = |bot: &usize| {
                let mut changes = tournament.changes.iter();
                changes
                    .any(|changed| changed.index <= *first && changed.change.leaves() == Some(*bot))
            };
            let idle = (0..labels.len()).filter(|&bot| !bots.contains(&labels[bot]));
            let idle: Vec<usize> = idle.filter(|bot| !left(bot)).collect();
            // One bot at most has a bye. If there are more, or all others are not of an even number, matches are missing.
            if let [bot] = idle[..] {
                byes.push((bot, round));
            }
        }
        byes
    }
}
