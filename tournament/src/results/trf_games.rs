//! Results in TRF: the tournaments of any program for chess, and of `flipside export NAME FILE.trf`.

use flipside_referee::SeatFault;

use super::builder::ListBuilder;
use super::list::{ListedMatch, ResultsError};
use crate::policy::FORFEIT;
use crate::trf::{TrfPlayed, TrfResult, read_trf};

/// What a file needs.
const PLAYERS: &str = "lines that begin with 001 have fixed columns: the number in 5 to 8, the name in 15 to 47, \
                       and from 92 on ten columns for each round";

/// Reads a file.
pub(super) fn read(text: &str, list: &mut ListBuilder) -> Result<(), ResultsError> {
    list.begin_file();
    let (players, games) = read_trf(text).map_err(|error| ResultsError {
        line: Some(error.line),
        ..ResultsError::new(error.to_string(), PLAYERS)
    })?;
    // Who has not played has a place in the table, too.
    for player in players {
        list.number(&player)?;
    }
    for game in games {
        take(&game, list).map_err(|error| ResultsError {
            line: Some(game.line),
            ..error
        })?;
    }
    Ok(())
}

fn take(game: &TrfPlayed, list: &mut ListBuilder) -> Result<(), ResultsError> {
    let Some(results) = game.results else {
        list.left_out.open += 1;
        return Ok(());
    };
    let half_points = match results {
        [TrfResult::Won | TrfResult::WonByForfeit, _] => 2,
        [_, TrfResult::Won | TrfResult::WonByForfeit] => 0,
        _ => 1,
    };
    let [white, black] = &game.players;
    let mut played = ListedMatch::of(list.two(white, black)?, half_points);
    for (seat, result) in played.result.seats.iter_mut().zip(results) {
        if result == TrfResult::LostByForfeit {
            FORFEIT.clone_into(&mut played.result.reason);
            seat.fault = Some(SeatFault {
                name: FORFEIT.into(),
                detail: String::new(),
            });
        }
    }
    list.add(
        game.block.map(|block| block.to_string()),
        played,
        Vec::new(),
    )
}
