//! The refusal of a game that a bot does not play.

use flipside_bot::Error;

/// Refuses a game that is not one of these.
pub(crate) fn check_game(games: &[&str], game: &str) -> Result<(), Error> {
    if games.contains(&game) {
        return Ok(());
    }
    let known = format!(
        "{}. sample:strong plays every built-in game",
        games.join(", ")
    );
    Err(Error::OtherGame(game.into(), known))
}
