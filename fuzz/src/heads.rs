//! The first lines of inputs.

/// The first line, and the rest.
pub(crate) fn first_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// The game that an input's first line names, and for how many seats: `flip4 3 …`, with what else
/// the line has.
pub(crate) fn game_and_seats(
    line: &str,
) -> Option<(&'static dyn flipside_games::AnyGame, u8, &str)> {
    let mut words = line.splitn(3, ' ');
    let game = flipside_games::find(words.next()?)?;
    let seats = words.next()?.parse().ok()?;
    Some((game, seats, words.next().unwrap_or_default()))
}
