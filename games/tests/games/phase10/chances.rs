//! What chance draws: what the deck is made of, and that all draws are alike.

use std::collections::BTreeMap;

use flipside_games::phase10::{Phase10Options, Phase10Sample};
use flipside_games::{Event, Game, Phase10, SeatTurn, Viewer, chance};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::stack::tally;

fn options(json: &str) -> Phase10Options {
    serde_json::from_str(json).expect("options")
}

fn new(json: &str, seats: u8) -> Phase10 {
    Phase10::new(&options(json), seats).expect("options that fit")
}

/// The draw of the cards, as texts.
fn cards(json: &str, rng: &mut ChaCha8Rng) -> Vec<[String; 2]> {
    let Phase10Sample::Cards(cards) = new(json, 2).sample(rng) else {
        panic!("the cards are drawn first");
    };
    cards
        .iter()
        .map(|card| card.map(|face| face.to_string()))
        .collect()
}

/// Says how far counts are from what is expected, against the bound that is exceeded once in a
/// thousand: by Wilson and Hilferty (1931).
fn assert_fits(counts: impl IntoIterator<Item = f64>, expected: f64) {
    let terms: Vec<f64> = counts
        .into_iter()
        .map(|count| (count - expected).powi(2) / expected)
        .collect();
    let freedom = terms.len() as f64 - 1.0;
    let part = 2.0 / (9.0 * freedom);
    let bound = freedom * (1.0 - part + 3.09 * part.sqrt()).powi(3);
    let chi_squared: f64 = terms.iter().sum();
    assert!(
        chi_squared < bound,
        "{chi_squared} with {freedom} degrees of freedom"
    );
}

pub(crate) fn assert_composition(cards: &[[String; 2]], flips: usize) {
    assert_eq!(cards.len(), 104);
    for (side, colours, copies, stars) in [(0, "rygb", 2, 2), (1, "w", 8, 8)] {
        let plain = tally(cards.iter().map(|card| card[side].replace('^', "")));
        for colour in colours.chars() {
            for number in 1..=12 {
                assert_eq!(plain[&format!("{colour}{number}")], copies);
            }
            assert_eq!(plain[&format!("{colour}*")], stars);
            let marked = cards.iter().map(|card| &card[side]);
            let marked = marked.filter(|face| face.starts_with(colour) && face.ends_with('^'));
            assert_eq!(marked.count(), flips / colours.len());
        }
    }
    let star_on_star = |card: &&[String; 2]| card.iter().all(|face| face.contains('*'));
    assert!(
        !cards.iter().any(|card| star_on_star(&card)),
        "no star on a star"
    );
}

#[test]
fn each_side_has_its_numbers_and_stars_and_as_many_flip_symbols_as_the_option_says() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for flips in (0..=24).step_by(4) {
        for _ in 0..20 {
            let json = format!(r#"{{"flips_each_side":{flips}}}"#);
            assert_composition(&cards(&json, &mut rng), flips);
        }
    }
    assert_composition(&cards("{}", &mut rng), 8);
}

#[test]
fn every_pair_of_faces_is_alike_but_no_star_is_on_a_star() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut pairs = BTreeMap::<(String, String), f64>::new();
    let draws = 3_000;
    for _ in 0..draws {
        for [colour, wild] in cards(r#"{"flips_each_side":0}"#, &mut rng) {
            *pairs.entry((colour, wild)).or_default() += 1.0;
        }
    }
    // 8 colour stars among 96 wild numbers, and the other way round; the rest is shared alike.
    let (stars, numbers): (Vec<_>, Vec<_>) = pairs
        .iter()
        .partition(|((colour, _), _)| colour.contains('*'));
    let draws = f64::from(draws);
    assert_eq!(stars.len(), 4 * 12);
    assert_fits(
        stars.iter().map(|(_, count)| **count),
        draws * 2.0 * 8.0 / 96.0,
    );
    let with_star = numbers.iter().filter(|((_, wild), _)| wild.contains('*'));
    assert_fits(
        with_star.map(|(_, count)| **count),
        draws * 2.0 * 8.0 / 96.0,
    );
    let without = numbers.iter().filter(|((_, wild), _)| !wild.contains('*'));
    assert_fits(
        without.map(|(_, count)| **count),
        draws * 2.0 * (88.0 / 96.0) * (8.0 / 96.0),
    );
}

#[test]
fn flip_symbols_are_on_every_number_alike() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut marked = BTreeMap::<String, f64>::new();
    for _ in 0..6_000 {
        for face in cards("{}", &mut rng).into_iter().flatten() {
            if face.ends_with('^') {
                *marked.entry(face).or_default() += 1.0;
            }
        }
    }
    let (wild, colour): (Vec<_>, Vec<_>) =
        marked.iter().partition(|(face, _)| face.starts_with('w'));
    assert_eq!((wild.len(), colour.len()), (12, 48));
    assert_fits(wild.iter().map(|(_, count)| **count), 6_000.0 * 8.0 / 12.0);
    assert_fits(
        colour.iter().map(|(_, count)| **count),
        6_000.0 * 2.0 / 12.0,
    );
}

/// A match after the draw of the cards, and after that of the dealer.
fn begun(json: &str, seats: u8, rng: &mut ChaCha8Rng, draws: usize) -> Phase10 {
    let mut game = new(json, seats);
    for _ in 0..draws {
        let draw = game.sample(rng);
        game.apply(Event::Chance(&draw));
    }
    game
}

#[test]
fn every_seat_deals_first_alike() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for seats in 2..=6 {
        let game = begun("{}", seats, &mut rng, 1);
        let mut counts = vec![0.0; usize::from(seats)];
        for _ in 0..6_000 {
            let Phase10Sample::Dealer(dealer) = game.sample(&mut rng) else {
                panic!("the dealer is drawn second");
            };
            counts[usize::from(dealer)] += 1.0;
        }
        assert_fits(counts, 6_000.0 / f64::from(seats));
    }
}

#[test]
fn every_card_is_at_every_place_of_a_deal_and_of_a_reshuffle_alike() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let game = begun("{}", 4, &mut rng, 2);
    let mut counts = vec![[0.0; 104]; 104];
    for _ in 0..10_400 {
        let Phase10Sample::Deal(order) = game.sample(&mut rng) else {
            panic!("the deal is drawn third");
        };
        for (place, &card) in order.iter().enumerate() {
            counts[place][usize::from(card)] += 1.0;
        }
    }
    for place in [0, 1, 40, 41, 103] {
        assert_fits(counts[place], 100.0);
    }
    let mut game = begun(r#"{"flips_each_side":0}"#, 6, &mut rng, 3);
    while game.turn() != SeatTurn::Chance {
        let SeatTurn::Seats(seats) = game.turn() else {
            panic!("it goes on")
        };
        let seat = seats.lowest().expect("a seat");
        let mut actions = Vec::new();
        game.actions(seat, &mut actions);
        // `draw pile` is the last one then, and the first discard is harmless.
        let action = if actions.len() == 2 {
            actions[1]
        } else {
            actions[0]
        };
        game.apply(Event::Acts(&[(seat, action)]));
    }
    let mut counts = BTreeMap::<u8, f64>::new();
    for _ in 0..4_300 {
        let Phase10Sample::Reshuffle(order) = game.sample(&mut rng) else {
            panic!("the draw pile is empty");
        };
        *counts.entry(order[0]).or_default() += 1.0;
    }
    assert_eq!(counts.len(), 43);
    assert_fits(counts.into_values(), 100.0);
}

#[test]
fn the_deck_is_whole_after_every_shuffle_and_every_flip() {
    let mut flips = 0;
    let mut reshuffles = 0;
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let json = r#"{"flips_each_side":12,"max_rounds":6}"#;
        let mut game = new(json, 2 + (seed % 5) as u8);
        let mut side = String::new();
        let mut actions = Vec::new();
        loop {
            let mut looks = false;
            match game.turn() {
                SeatTurn::Over(_) => break,
                SeatTurn::Chance => {
                    let draw = game.sample(&mut rng);
                    reshuffles += usize::from(matches!(draw, Phase10Sample::Reshuffle(_)));
                    looks = matches!(draw, Phase10Sample::Reshuffle(_) | Phase10Sample::Deal(_));
                    game.apply(Event::Chance(&draw));
                }
                SeatTurn::Seats(seats) => {
                    let seat = seats.lowest().expect("a turn asks somebody");
                    game.actions(seat, &mut actions);
                    let one = chance::below(&mut rng, actions.len() as u32) as usize;
                    game.apply(Event::Acts(&[(seat, actions[one])]));
                }
            }
            let view = serde_json::to_value(game.view(Viewer::Open)).expect("JSON");
            let now = view["side"].to_string();
            if side != now && game.turn() != SeatTurn::Chance {
                flips += usize::from(!side.is_empty());
                looks = true;
                side = now;
            }
            if looks {
                assert_whole(&view);
            }
        }
    }
    assert!(
        flips > 500 && reshuffles > 0,
        "{flips} flips, {reshuffles} reshuffles"
    );
}

/// Every card is at one place, and the cards that were printed are still the same deck.
fn assert_whole(view: &serde_json::Value) {
    let open = &view["open"];
    let cards: Vec<[String; 2]> = serde_json::from_value(open["cards"].clone()).expect("cards");
    assert_composition(&cards, 12);
    let mut numbers = Vec::new();
    collect(&open["hands"], &mut numbers);
    collect(&open["groups"], &mut numbers);
    collect(&open["draw_pile"], &mut numbers);
    collect(&open["discard_pile"], &mut numbers);
    numbers.sort();
    assert_eq!(numbers, (0..104).collect::<Vec<u64>>());
}

fn collect(value: &serde_json::Value, numbers: &mut Vec<u64>) {
    match value {
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, numbers)),
        other => numbers.extend(other.as_u64()),
    }
}

#[test]
fn the_draws_come_in_their_order_and_nothing_else_is_one() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut game = new("{}", 3);
    let printed = game.sample(&mut rng);
    for wrong in [
        r#"{"dealer":0}"#,
        r#"{"deal":[]}"#,
        r#"{"cards":[]}"#,
        r#"{"reshuffle":[]}"#,
    ] {
        let draw = game.read_chance(wrong).expect("a draw of the game");
        assert!(game.check_chance(&draw).is_err(), "{wrong}");
    }
    for wrong in [
        "{}",
        "[]",
        r#"{"dealer":0,"deal":[]}"#,
        r#"{"cards":[["r7"]]}"#,
        r#"{"dealer":-1}"#,
    ] {
        assert!(game.read_chance(wrong).is_err(), "{wrong}");
    }
    let Phase10Sample::Cards(cards) = &printed else {
        panic!("the cards come first")
    };
    // A star on a star: the last cards have colour stars.
    let mut wrong = cards.clone();
    let star = wrong
        .iter()
        .position(|card| card[1].to_string() == "w*")
        .expect("a star");
    let back = wrong[103][1];
    wrong[103][1] = wrong[star][1];
    wrong[star][1] = back;
    assert!(game.check_chance(&Phase10Sample::Cards(wrong)).is_err());
    // A flip symbol less, and a card twice.
    let json = serde_json::to_string(&printed).expect("JSON");
    let fewer = json.replacen('^', "", 1);
    assert!(
        game.check_chance(&game.read_chance(&fewer).expect("a draw"))
            .is_err()
    );
    let mut wrong = cards.clone();
    wrong[0][0] = wrong[103][0];
    assert!(game.check_chance(&Phase10Sample::Cards(wrong)).is_err());
    game.apply(Event::Chance(&printed));
    assert!(game.check_chance(&Phase10Sample::Dealer(3)).is_err());
    game.apply(Event::Chance(&Phase10Sample::Dealer(2)));
    let all: Vec<u8> = (0..104).collect();
    assert!(game.check_chance(&Phase10Sample::Deal(all.clone())).is_ok());
    assert!(
        game.check_chance(&Phase10Sample::Deal(all[1..].to_vec()))
            .is_err()
    );
    let mut twice = all;
    twice[5] = 6;
    assert!(game.check_chance(&Phase10Sample::Deal(twice)).is_err());
}
