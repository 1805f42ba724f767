//! The laws about a match and a game as a whole: its end, its outcome, its options, its drawings.

use serde_json::{Map, Value, json};

use super::mutants;
use super::play::{MAX_EVENTS, ObservedTraits, Play, viewers};
use super::state::{LawState, Subject};
use super::verdict::{Verdict, require};
use super::words::quoted;
use crate::game::Info;
use crate::program::drawing::not_svg;
use crate::seats::{MAX_SEATS, Outcome, SeatTurn, Seats};
use crate::testing::LawStep;

pub(super) fn ends(play: &Play) -> Verdict {
    let state = play.end();
    require!(
        play.events() < MAX_EVENTS,
        "no end is in sight after {MAX_EVENTS} events"
    );
    match state.turn() {
        SeatTurn::Over(_) => {}
        SeatTurn::Seats(Seats::NONE) => return Err("the turn asks nobody".into()),
        turn => return Err(format!("somebody who is asked has no actions: {turn:?}")),
    }
    let options: Value = serde_json::from_str(&play.case.options).expect("options are JSON");
    if let Some(limit) = options.get("max_plies").and_then(Value::as_u64) {
        let plies: usize = play.record.iter().map(LawStep::plies).sum();
        require!(
            plies as u64 <= limit,
            "{plies} plies were played with max_plies {limit}"
        );
    }
    Ok(())
}

pub(super) fn facts(play: &Play, seen: &mut ObservedTraits) -> Verdict {
    for entry in &play.record {
        seen.chance |= matches!(entry, LawStep::Draw(_));
        seen.simultaneous |= entry.plies() > 1;
    }
    let seats = play.case.seats;
    let sides_of =
        |state: &dyn LawState| (0..seats).map(|seat| state.side(seat)).collect::<Vec<_>>();
    let sides = sides_of(&*play.case.start);
    for state in play.positions() {
        require!(
            state.seats() == seats,
            "it says it has {} seats",
            state.seats()
        );
        require!(sides_of(state) == sides, "the sides of the seats change");
        require!(
            sides.iter().all(|&side| side < seats),
            "sides are {sides:?}"
        );
        match state.turn() {
            SeatTurn::Seats(mut asked) => {
                require!(
                    asked.all(|seat| seat < seats),
                    "it asks a seat that is not there"
                );
            }
            SeatTurn::Chance => {}
            SeatTurn::Over(Outcome { points, reason }) => {
                let count = points.len();
                require!(
                    count == usize::from(seats),
                    "there are points for {count} seats"
                );
                require!(
                    is_kebab_case(reason),
                    "the reason {reason:?} is not in kebab-case"
                );
                let all = || sides.iter().zip(points.iter());
                let fair = all().all(|(side, of)| {
                    let mut others = all().filter(|(other, _)| *other == side);
                    others.all(|(_, points)| points == of)
                });
                require!(
                    fair,
                    "seats of one side have other points: {sides:?} {points:?}"
                );
            }
        }
    }
    Ok(())
}

/// What a game says of itself, against what all its matches showed.
pub(super) fn flags(info: &Info, seen: &ObservedTraits) -> Result<(), String> {
    let (id, seats) = (info.id, info.seats);
    let agree = |what: &str, said: bool, shown: bool| match (said, shown) {
        (true, false) => Err(format!("it says there is {what}, and no match shows any")),
        (false, true) => Err(format!("it says there is no {what}, and there is")),
        _ => Ok(()),
    };
    agree("chance", info.chance, seen.chance)?;
    agree("simultaneous turn", info.simultaneous, seen.simultaneous)?;
    require!(is_kebab_case(id), "the id {id:?} is not in kebab-case");
    let is_line = |words: &&str| !words.is_empty() && !words.contains('\n');
    let are_lines = [info.title, info.summary].iter().all(is_line);
    require!(are_lines, "title and summary are a line each");
    let within = |&count: &u8| (1..=MAX_SEATS).contains(&count.into());
    let ascend = seats.is_sorted_by(|one, next| one < next);
    let fits = !seats.is_empty() && ascend && seats.iter().all(within);
    require!(fits, "it is for {seats:?} seats");
    Ok(())
}

fn is_kebab_case(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_letter);
    name.split('-').all(is_word)
}

pub(super) fn pictures(play: &Play) -> Verdict {
    for state in play.positions() {
        for viewer in viewers(play.case.seats) {
            let text = state.text(viewer);
            let lines = !text.is_empty() && text.ends_with('\n');
            require!(lines, "the text is not lines: {}", quoted(&text));
            let plain = text.lines().all(|line| !line.contains(char::is_control));
            require!(plain, "the text has control characters: {}", quoted(&text));
            let svg = state.svg(viewer);
            let why = not_svg(&svg);
            require!(
                why.is_none(),
                "the page's drawing {}: {}",
                why.unwrap(),
                quoted(&svg)
            );
        }
    }
    Ok(())
}

pub(super) fn options(subject: &Subject) -> Result<(), String> {
    let Subject {
        game, cases, info, ..
    } = subject;
    let presets = game.presets();
    let set_up = |options: &str, seats| match game.set_up(options, seats) {
        Ok(setup) => Ok(setup.options),
        Err(error) => Err(error.to_string()),
    };
    for seats in 0..=u8::MAX {
        let within = info.seats.contains(&seats);
        match set_up("{}", seats) {
            Ok(_) if !within => return Err(format!("{seats} seats are not refused")),
            Ok(json) if json != presets[0].1 => {
                return Err(format!(
                    "the default is {} and for {{}} it is {json}",
                    presets[0].1
                ));
            }
            Err(why) if within && !why.contains("seats") => {
                return Err(format!("with {seats} seats the default is refused: {why}"));
            }
            Err(why) if !within && !why.contains(&info.seats_in_words()) => {
                return Err(format!(
                    "the refusal of {seats} seats does not name the range: {why}"
                ));
            }
            _ => {}
        }
    }
    for (place, (name, _)) in presets.iter().enumerate() {
        let is_new = presets[..place].iter().all(|(other, _)| other != name);
        require!(
            is_kebab_case(name) && is_new,
            "the preset {name:?} is not in kebab-case, or there twice"
        );
        let fits = cases.iter().any(|case| case.preset == *name);
        require!(fits, "the preset {name:?} fits no number of seats");
    }
    for case in cases {
        match set_up(&case.options, case.seats) {
            Ok(again) if again == case.options => {}
            other => return Err(format!("the preset {} becomes {other:?}", case.options)),
        }
    }
    for &seats in info.seats {
        match set_up(&game.brief(), seats) {
            Ok(options) if options == game.brief() => {}
            other => return Err(format!("the brief options become {other:?}")),
        }
    }
    let seats = cases.first().map_or(info.least_seats(), |case| case.seats);
    refuses_other_options(&presets[0].1, |options| set_up(options, seats))?;
    #[cfg(feature = "schema")]
    for (key, options, bound) in super::schemas::numbers_out_of_range(*game) {
        match set_up(&options.to_string(), seats) {
            Err(why) if why.contains(&key) && why.contains(&bound) => {}
            other => {
                return Err(format!(
                    "the refusal of {options} does not name {key} and {bound}: {other:?}"
                ));
            }
        }
    }
    Ok(())
}

fn refuses_other_options(
    default: &str,
    set_up: impl Fn(&str) -> Result<String, String>,
) -> Result<(), String> {
    let garbage = mutants::garbage();
    let garbage = garbage.iter().map(String::as_str);
    for text in garbage.chain(["17", "{", "{}{}", "{} x"]) {
        // JSON may have spaces around it, and `{}` is the default.
        if text.trim() != "{}" && set_up(text).is_ok() {
            return Err(format!("{} is not refused", quoted(text)));
        }
    }
    let default: Value = serde_json::from_str(default).map_err(|error| error.to_string())?;
    let Value::Object(fields) = default else {
        return Err("options are not an object".into());
    };
    let mut wrong = Vec::new();
    misfits(&fields, &|part| part, &mut wrong);
    for (key, options, must_fail) in wrong {
        match set_up(&options.to_string()) {
            Ok(_) if must_fail => return Err(format!("{options} is not refused")),
            Err(why) if !why.contains(&key) => {
                return Err(format!(
                    "the refusal of {options} does not name {key}: {why}"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Collects options with one value that does not fit or, for numbers, may not: the key, the
/// options, and whether they must be refused.
fn misfits(
    fields: &Map<String, Value>,
    wrap: &dyn Fn(Value) -> Value,
    wrong: &mut Vec<(String, Value, bool)>,
) {
    let mut with = |key: &str, value: Value, must_fail| {
        wrong.push((key.to_owned(), wrap(json!({ key: value })), must_fail));
    };
    with("no_such_option", json!(1), true);
    for (key, value) in fields {
        with(key, json!({ "no_such_option": 1 }), true);
        let others = match value {
            Value::Bool(_) => vec![json!(17), json!("true"), json!(null), json!([])],
            Value::Number(_) => vec![json!("1"), json!(true), json!(null), json!([])],
            Value::String(_) => vec![json!(17), json!(true), json!([]), json!("no such word")],
            Value::Array(_) => vec![json!(17), json!("x"), json!([[[]]]), json!(null)],
            Value::Object(_) => vec![json!(17), json!("x"), json!([]), json!(null)],
            Value::Null => vec![],
        };
        for other in others {
            with(key, other, true);
        }
        if value.is_number() {
            with(key, json!(1.5), value.is_u64());
            for number in [json!(-1), json!(0), json!(u64::MAX), json!(1e300)] {
                with(key, number, false);
            }
        }
    }
    for (key, value) in fields {
        if let Value::Object(inner) = value {
            misfits(inner, &|part| wrap(json!({ key: part })), wrong);
        }
    }
}
