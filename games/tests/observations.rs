//! What a seat sees as an array is its view, read by a second implementation; and tells no more.

use flipside_games::{GAMES, SeatTurn, Viewer};
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use serde_json::Value;

/// The letters of seat 0 and seat 1, as the rules pages have them.
fn letters(id: &str) -> Option<[&'static str; 2]> {
    match id {
        "flipflop-3x3" | "flipflop-5x5" | "flipfour" => Some(["RB", "rb"]),
        "yonmoque" => Some(["B", "W"]),
        _ => None,
    }
}

/// The array of a view, plainly.
fn array(view: &Value, seat: usize, letters: [&str; 2]) -> Vec<u8> {
    let rows: Vec<&str> = view["board"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_str().unwrap())
        .collect();
    let squares: String = rows.concat();
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

#[test]
fn an_array_is_what_the_seat_sees() {
    let mut boards = 0;
    for game in GAMES {
        let info = game.info();
        let form = game.observation_form();
        assert_eq!(form.is_some(), letters(info.id).is_some(), "{}", info.id);
        for seed in 0..8 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut table = game.set_up("{}", info.least_seats()).unwrap().table;
            for _ in 0..300 {
                for seat in 0..info.least_seats() {
                    let mut seen = Vec::new();
                    table.write_observation(seat, &mut seen);
                    let Some(form) = &form else {
                        assert!(seen.is_empty(), "{}", info.id);
                        continue;
                    };
                    assert_eq!(seen.len(), form.bytes());
                    assert_eq!(form.planes.len(), form.shape[0]);
                    let mut view = Vec::new();
                    table.write_view(Viewer::Seat(seat), &mut view);
                    let view: Value = serde_json::from_slice(&view).unwrap();
                    assert_eq!(
                        seen,
                        array(&view, seat.into(), letters(info.id).unwrap()),
                        "{view}"
                    );
                    boards += 1;
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
