//! Texts and JSON that are nearly right, and texts that are quite wrong.

use rand_core::Rng;
use serde_json::{Value, json};

use crate::chance::{below, one_of};

/// What no game takes for an action or a draw.
pub(super) fn garbage() -> Vec<String> {
    let mut garbage: Vec<String> = [
        "",
        " ",
        "\n",
        "\0",
        "\t-\t",
        "\"",
        "\\",
        "\u{7f}",
        "é",
        "α1-α2",
        "ａ１-ａ２",
        "🎲",
        "\u{feff}a1",
        "a1\u{301}",
        "١٢",
        "null",
        "true",
        "[]",
        "{}",
        "[[]]",
        "-",
        "--",
        "+-+",
        "-1",
        "1e999",
        "NaN",
        "18446744073709551616",
        "{\"type\":\"act\"}",
        "a1-a2;b1-b2",
        "resign",
        "a",
        "z9-z9",
        "%s%n",
        "'",
        "../..",
    ]
    .map(String::from)
    .into();
    garbage.push("x".repeat(100_000));
    garbage.push("é".repeat(40_000));
    garbage.push("[".repeat(50_000));
    garbage.push(r#"{"a":"#.repeat(50_000));
    garbage
}

/// A text with one thing changed, as a slip or a lenient reader would have it.
pub(super) fn text(text: &str, rng: &mut dyn Rng) -> String {
    /// What lenient number readers, trimmers and case folders let through.
    const SLIPS: [&str; 14] = [
        " ", "\n", "\t", "\0", "+", "-", "0", "1", ",", ".", "\u{a0}", "\u{200b}", "é", "１",
    ];
    let mut letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return (*one_of(rng, &SLIPS)).into();
    }
    let place = below(rng, letters.len() as u32) as usize;
    let other = below(rng, letters.len() as u32) as usize;
    let slip = |rng: &mut dyn Rng| one_of(rng, &SLIPS).chars();
    match below(rng, 10) {
        0 => drop(letters.remove(place)),
        1 => letters.insert(place, letters[place]),
        2 => letters.swap(place, other),
        3 => letters[place] = letters[other],
        4 => drop(letters.splice(place..place, slip(rng))),
        5 => drop(letters.splice(place..=place, slip(rng))),
        6 => letters.extend(slip(rng)),
        7 => letters[place] = other_case(letters[place]),
        8 => letters
            .iter_mut()
            .for_each(|letter| *letter = other_case(*letter)),
        _ => letters[place] = char::from_u32(letters[place] as u32 ^ 1).unwrap_or('?'),
    }
    letters.into_iter().collect()
}

fn other_case(letter: char) -> char {
    if letter.is_ascii_lowercase() {
        letter.to_ascii_uppercase()
    } else {
        letter.to_ascii_lowercase()
    }
}

/// JSON with one value changed, somewhere in it.
pub(super) fn value(value: &mut Value, rng: &mut dyn Rng) {
    let mut place = below(rng, count(value));
    change(value, &mut place, rng);
}

fn count(value: &Value) -> u32 {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// Changes the value that is reached after `place` others, and says whether that was here.
fn change(value: &mut Value, place: &mut u32, rng: &mut dyn Rng) -> bool {
    if *place == 0 {
        change_here(value, rng);
        return true;
    }
    *place -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| change(item, place, rng)),
        Value::Object(fields) => fields.values_mut().any(|field| change(field, place, rng)),
        _ => false,
    }
}

fn change_here(value: &mut Value, rng: &mut dyn Rng) {
    let strange = match below(rng, 12) {
        0 => Some(json!(null)),
        1 => Some(json!(-1)),
        2 => Some(json!("x")),
        3 => Some(json!([])),
        _ => None,
    };
    if let Some(strange) = strange {
        *value = strange;
        return;
    }
    match value {
        Value::Null => {
            let others = [json!(0), json!(1), json!([0]), json!({}), json!("")];
            value.clone_from(one_of(rng, &others));
        }
        Value::Bool(yes) => *yes = !*yes,
        Value::Number(number) => {
            let near = number.as_i64().unwrap_or(0);
            let choice = [
                json!(near.wrapping_add(1)),
                json!(near.wrapping_sub(1)),
                json!(near.wrapping_neg()),
                json!(near.wrapping_add(2)),
                json!(0),
                json!(1),
                json!(255),
                json!(i32::MAX),
                json!(u32::MAX),
                json!(u64::MAX),
                json!(1.5),
            ];
            if let Value::Number(changed) = one_of(rng, &choice) {
                number.clone_from(changed);
            }
        }
        Value::String(words) => *words = text(words, rng),
        Value::Array(items) if !items.is_empty() => {
            let place = below(rng, items.len() as u32) as usize;
            let other = below(rng, items.len() as u32) as usize;
            match below(rng, 4) {
                0 => drop(items.remove(place)),
                1 => items.insert(place, items[other].clone()),
                2 => items.swap(place, other),
                _ => items.clear(),
            }
        }
        Value::Array(items) => {
            items.push(one_of(rng, &[json!(0), json!("x"), json!(null)]).clone());
        }
        Value::Object(fields) => {
            let keys: Vec<String> = fields.keys().cloned().collect();
            if keys.is_empty() || below(rng, 3) == 0 {
                fields.insert("no_such_key".into(), json!(1));
            } else {
                let key = one_of(rng, &keys);
                let gone = fields.remove(key).unwrap_or_default();
                if below(rng, 2) == 0 {
                    fields.insert(one_of(rng, &keys).clone(), gone);
                }
            }
        }
    }
}
