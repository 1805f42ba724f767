//! mybot: plays any legal action of any game. Make it think in `choose`.

mod flipside;

use flipside::Turn;

/// Returns the action to play: a text in the game's notation.
fn choose(turn: &mut Turn) -> String {
    // turn.play says what is being played: its game, seat, number of seats and clock; its message has the options.
    // turn.view is all that your seat sees now. At flipfour, for example:
    //
    //     turn.view["board"][0].text()      the top row of the board: its third letter is the square c5
    //     turn.view["hands"][1].number()    how many pieces seat 1 has in hand
    //
    // `flipside rules GAME` explains each field.
    // turn.events tells what happened since your last turn: who did what, as far as your seat may know.
    if turn.id == 1 {
        eprintln!(
            "{}: seat {} of {}",
            turn.play.game, turn.play.seat, turn.play.seats
        );
    }

    // Think here. Check turn.time_left() in long searches; a module has no real clock, so count work there.
    turn.random_action()
}

fn main() -> std::process::ExitCode {
    flipside::run("mybot", choose)
}
