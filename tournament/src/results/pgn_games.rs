//! Results in PGN: the games of any program for chess, and of `flipside export NAME FILE.pgn`.

use flipside_referee::SeatFault;

use super::builder::ListBuilder;
use super::list::{ListedMatch, MAX_RESULTS, ResultsError};
use crate::names::head;
use crate::pgn::{PgnGame, PgnGames, tags};
use crate::policy::FORFEIT;

/// What a game needs.
const GAMES: &str = "a game has the tags [White \"...\"], [Black \"...\"] and [Result \"...\"]: 1-0, 0-1, 1/2-1/2 or *";

/// Reads a file.
pub(super) fn read(text: &str, list: &mut ListBuilder) -> Result<(), ResultsError> {
    list.begin_file();
    for (number, game) in (1..).zip(PgnGames::of(text)) {
        let game = game.map_err(|error| ResultsError {
            line: Some(error.line),
            ..ResultsError::new(error.to_string(), GAMES)
        })?;
        let taken = match number > MAX_RESULTS {
            true => Err(ResultsError::new(
                format!("a file has at most {MAX_RESULTS} games"),
                "rate a part of it",
            )),
            false => take(&game, list),
        };
        taken.map_err(|error| ResultsError {
            line: Some(game.line),
            ..error
        })?;
    }
    Ok(())
}

fn take(game: &PgnGame, list: &mut ListBuilder) -> Result<(), ResultsError> {
    let name = |tag: &'static str| {
        let what = || ResultsError::new(format!("the game has no tag {tag}"), GAMES);
        game.tag(tag).ok_or_else(what)
    };
    let bots = [name("White")?, name("Black")?];
    let result = game
        .result()
        .map_err(|told| ResultsError::new(format!("{:?} is not a result", head(told)), GAMES))?;
    let bots = list.two(bots[0], bots[1])?;
    let event = game.tag("Event").unwrap_or_default();
    if let Some(name) = game.tag(tags::MATCH) {
        list.name_match(event, name)?;
    }
    if game.tag(tags::COUNTS) == Some("no") {
        list.left_out.uncounted += 1;
        return Ok(());
    }
    let reason = game.tag(tags::REASON).or_else(|| game.tag("Termination"));
    let reason = reason.unwrap_or_default();
    let half_points = match result {
        "1-0" => 2,
        "0-1" => 0,
        "1/2-1/2" => 1,
        // Nobody came: both have lost, and neither has won.
        _ if reason == FORFEIT => 1,
        _ => {
            list.left_out.open += 1;
            return Ok(());
        }
    };
    if let Some(game) = game.tag(tags::GAME).or_else(|| game.tag("Variant")) {
        list.games.insert(game.to_owned());
    }
    let mut played = ListedMatch::of(bots, half_points);
    reason.clone_into(&mut played.result.reason);
    for (seat, tag) in played.result.seats.iter_mut().zip(tags::FAULTS) {
        seat.fault = game.tag(tag).map(|fault| SeatFault {
            name: fault.to_owned(),
            detail: String::new(),
        });
    }
    // Each tournament names its blocks for itself.
    let block = game.tag(tags::BLOCK);
    let block = block.map(|block| format!("{event}\n{block}"));
    list.add(block, played, Vec::new())
}
