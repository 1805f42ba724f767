//! Prints a position of a random match as a picture, or as text:
//! `cargo run -p flipside-games --example picture --features testing -- GAME SEATS SEED EVENTS [VIEWER] [text]`
//! where VIEWER is a seat, `public` or `open`.

use flipside_games::testing::step_at_random;
use flipside_games::{Viewer, find};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [game, seats, seed, events, more @ ..] = &words[..] else {
        panic!("usage: picture GAME SEATS SEED EVENTS [VIEWER] [text]")
    };
    let game = find(game).expect("a game");
    let mut rng = ChaCha8Rng::seed_from_u64(seed.parse().expect("a seed"));
    let mut table = game
        .set_up("{}", seats.parse().expect("a number of seats"))
        .expect("the defaults fit")
        .table;
    for _ in 0..events.parse::<u32>().expect("a number of events") {
        if step_at_random(&mut *table, &mut rng).is_none() {
            break;
        }
    }
    let viewer = match more.first().map(String::as_str) {
        None | Some("open") => Viewer::Open,
        Some("public") => Viewer::Public,
        Some(seat) => Viewer::Seat(seat.parse().expect("a seat")),
    };
    match more.get(1) {
        Some(_) => print!("{}", table.text(viewer)),
        None => println!("{}", table.svg(viewer)),
    }
}
