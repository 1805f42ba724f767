//! The options of all games: the first line names a game and a number of seats, the rest is JSON.

use flipside_games::{SeatTurn, Viewer};

use crate::heads::{first_line, game_and_seats};

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let (head, json) = first_line(text);
    let Some((game, seats, _)) = game_and_seats(head) else {
        return;
    };
    let Ok(setup) = game.set_up(json, seats) else {
        return;
    };
    let again = game
        .set_up(&setup.options, seats)
        .expect("options that are written out in full fit");
    assert_eq!(again.options, setup.options);
    let mut table = setup.table;
    assert_eq!(table.seats(), seats);
    for viewer in [Viewer::Public, Viewer::Seat(0), Viewer::Open] {
        let mut view = Vec::new();
        table.write_view(viewer, &mut view);
        assert!(serde_json::from_slice::<serde_json::Value>(&view).is_ok());
        assert!(!table.text(viewer).is_empty());
        assert!(!table.svg(viewer).is_empty());
    }
    if let SeatTurn::Seats(asked) = table.turn() {
        for seat in asked {
            let mut actions = Vec::new();
            table.write_actions(seat, &mut actions);
            assert!(actions.len() > 2, "seat {seat} is asked and can do nothing");
        }
    }
}
