//! A game's table without a referee: what its seats are sent, and play at random.

use flipside_games::{Seat, SeatTurn, Table, Viewer};
use flipside_protocol::{FromReferee, Over, TurnText, write_turn};
use rand::rngs::ChaCha8Rng;
use serde_json::value::RawValue;

use crate::failure::{Failure, Result};

/// What a viewer sees, as JSON.
pub(crate) fn view_of(table: &dyn Table, viewer: Viewer) -> String {
    let mut view = Vec::new();
    table.write_view(viewer, &mut view);
    text(view)
}

/// The line of a question to a seat, which has the same time as all others, and the view in it.
pub(crate) fn turn_line(
    table: &mut dyn Table,
    seat: Seat,
    id: u64,
    clock_ms: u64,
    lists_actions: bool,
    events: Option<&[u8]>,
) -> (String, String) {
    let view = view_of(table, Viewer::Seat(seat));
    let (mut line, mut actions) = (Vec::new(), Vec::new());
    table.write_actions(seat, &mut actions);
    let turn = TurnText {
        actions: lists_actions.then_some(&actions[..]),
        clocks: &vec![clock_ms; table.seats().into()],
        fuel: None,
        charged: (id > 1).then_some(0),
        view: view.as_bytes(),
        events,
    };
    write_turn(&mut line, id, &turn);
    // It ends with a newline.
    line.pop();
    (text(line), view)
}

/// The line that ends a match.
pub(crate) fn over_line(
    table: &dyn Table,
    points: Vec<i32>,
    places: Vec<u8>,
    reason: &str,
) -> String {
    let over = FromReferee::Over(Over {
        points,
        places,
        reason: reason.into(),
        view: RawValue::from_string(view_of(table, Viewer::Open)).expect("a view is JSON"),
    });
    serde_json::to_string(&over).expect("a message is JSON")
}

/// Lets chance take its turn, and returns what happened, as JSON.
///
/// # Errors
/// The program of the game fails.
pub(crate) fn take_chance(table: &mut dyn Table, rng: &mut ChaCha8Rng) -> Result<String> {
    let mut event = Vec::new();
    table.sample(rng, &mut event);
    if let Some(failure) = table.failure() {
        return Err(Failure::new(failure));
    }
    let event = text(event);
    table.chance(&event).map_err(Failure::new)?;
    Ok(event)
}

/// Plays at random until so many actions were taken or the match is over. Returns how many there were.
///
/// # Errors
/// The program of the game fails.
pub(crate) fn play_at_random(
    table: &mut dyn Table,
    rng: &mut ChaCha8Rng,
    most: u64,
) -> Result<u64> {
    let mut taken = 0;
    while taken < most {
        match table.turn() {
            SeatTurn::Over(_) => break,
            SeatTurn::Chance => drop(take_chance(table, rng)?),
            SeatTurn::Seats(seats) => {
                for seat in seats {
                    let mut action = String::new();
                    table.random_action(seat, rng, &mut action);
                    table.choose(seat, &action).map_err(Failure::new)?;
                    taken += 1;
                }
                table.play().map_err(Failure::new)?;
            }
        }
    }
    table
        .failure()
        .map_or(Ok(taken), |failure| Err(Failure::new(failure)))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("messages are text")
}
