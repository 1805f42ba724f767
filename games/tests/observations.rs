//! What a seat sees as an array is its view, read by a second implementation; and tells no more.

use flipside_games::{GAMES, SeatTurn, Viewer};
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use serde_json::Value;

/// The array of a view, plainly; nothing for games whose views are no arrays.
fn array(id: &str, view: &Value, seat: usize) -> Option<Vec<u8>> {
    match id {
        "flipflop-3x3" | "flipflop-5x5" | "flipfour" => Some(of_two(view, seat, ["RB", "rb"])),
        "yonmoque" => Some(of_two(view, seat, ["B", "W"])),
        "flip4" => Some(of_flip4(view, seat)),
        _ => None,
    }
}

/// What is on the squares, row by row.
fn squares(view: &Value) -> String {
    let rows = view["board"].as_array().unwrap().iter();
    rows.map(|row| row.as_str().unwrap()).collect()
}

/// The array of a board for two, with the letters of seat 0 and seat 1 that its rules page has.
fn of_two(view: &Value, seat: usize, letters: [&str; 2]) -> Vec<u8> {
    let squares = squares(view);
    let mut array = Vec::new();
    for whose in [seat, 1 - seat] {
        for piece in letters[whose].chars() {
            array.extend(squares.chars().map(|letter| u8::from(letter == piece)));
        }
    }
    let mut whole = |value: u64| array.extend(vec![value as u8; squares.len()]);
    if let Some(hands) = view["hands"].as_array() {
        whole(hands[seat].as_u64().unwrap());
        whole(hands[1 - seat].as_u64().unwrap());
    }
    whole(view["repetitions"].as_u64().unwrap());
    whole(seat as u64);
    array
}

fn of_flip4(view: &Value, seat: usize) -> Vec<u8> {
    let squares = squares(view);
    let seats = view["hands"].as_array().unwrap().len();
    let after: Vec<Option<usize>> = (0..4)
        .map(|step| (step < seats).then_some((seat + step) % seats))
        .collect();
    let mut array = Vec::new();
    for other in &after {
        let digit = other.and_then(|other| char::from_digit(other as u32, 10));
        array.extend(squares.chars().map(|shown| u8::from(Some(shown) == digit)));
    }
    let mut whole = |value: u64| array.extend([value as u8; 25]);
    for field in ["hands", "lost_turns"] {
        for other in &after {
            whole(other.map_or(0, |other| view[field][other].as_u64().unwrap()));
        }
    }
    let numbers = view["layout"].as_array().unwrap().iter();
    let numbers: Vec<Option<u64>> = numbers
        .flat_map(|row| row.as_array().unwrap())
        .map(Value::as_u64)
        .collect();
    array.extend(numbers.iter().map(|number| number.unwrap_or(255) as u8));
    let roll: Option<(u64, u64)> = (view["rolls"].as_array().unwrap().last())
        .map(|roll| (roll[0].as_u64().unwrap(), roll[1].as_u64().unwrap()));
    array.extend(numbers.iter().map(|number| {
        let gives = |(a, b): (u64, u64)| [a + b, a.max(b) - a.min(b), a * b];
        let is_result = roll
            .zip(*number)
            .is_some_and(|(roll, number)| gives(roll).contains(&number));
        u8::from(is_result)
    }));
    let mut whole = |value: u64| array.extend([value as u8; 25]);
    let (first, second) = roll.unwrap_or_default();
    whole(first);
    whole(second);
    for phase in ["place", "place-anywhere", "move", "free-move"] {
        let is_asked = view["phase"] == phase && view["to_move"] == seat;
        whole(is_asked.into());
    }
    whole((view["direction"] == "descending").into());
    whole(seats as u64);
    whole(seat as u64);
    array
}

#[test]
fn an_array_is_what_the_seat_sees() {
    let mut boards = 0;
    for game in GAMES {
        let info = game.info();
        let form = game.observation_form();
        for seed in 0..8 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let seats = info.seats[seed as usize % info.seats.len()];
            let presets = game.presets();
            let (_, options) = &presets[seed as usize % presets.len()];
            let mut table = game.set_up(options, seats).unwrap().table;
            for _ in 0..300 {
                for seat in 0..seats {
                    let (mut seen, mut view) = (Vec::new(), Vec::new());
                    table.write_observation(seat, &mut seen);
                    table.write_view(Viewer::Seat(seat), &mut view);
                    let view: Value = serde_json::from_slice(&view).unwrap();
                    let plain = array(info.id, &view, seat.into());
                    assert_eq!(form.is_some(), plain.is_some(), "{}", info.id);
                    assert_eq!(seen, plain.unwrap_or_default(), "{view}");
                    if let Some(form) = &form {
                        assert_eq!(seen.len(), form.bytes());
                        assert_eq!(form.planes.len(), form.shape[0]);
                        boards += 1;
                    }
                }
                match table.turn() {
                    SeatTurn::Over(_) => break,
                    SeatTurn::Chance => {
                        let mut outcome = Vec::new();
                        table.sample(&mut rng, &mut outcome);
                        table
                            .chance(std::str::from_utf8(&outcome).unwrap())
                            .unwrap();
                    }
                    SeatTurn::Seats(seats) => {
                        for seat in seats {
                            let mut action = String::new();
                            table.random_action(seat, &mut rng, &mut action);
                            table.choose(seat, &action).unwrap();
                        }
                        table.play().unwrap();
                    }
                }
            }
        }
    }
    assert!(boards > 1000, "{boards}");
}
