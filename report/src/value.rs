//! What a cell of a table holds.

use std::cmp::Ordering;

/// What a cell holds. How it is written is up to its column and the renderer.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing is known, or it does not apply: `-` for people, an empty field for programs.
    Nothing,
    /// Words, which may be a stranger's.
    Text(String),
    /// A count.
    Count(u64),
    /// A measured or computed number.
    Number(f64),
    /// An interval.
    Range(f64, f64),
}

impl Value {
    pub(super) fn is_zero(&self) -> bool {
        matches!(self, Value::Count(0) | Value::Nothing) || *self == Value::Number(0.0)
    }

    /// The order of two cells of a column: numbers as such, words regardless of case, and nothing last either way.
    pub(super) fn order(&self, other: &Self, descending: bool) -> Ordering {
        let is_there = |value: &Self| !matches!(value, Value::Nothing);
        let order = match (is_there(self), is_there(other)) {
            (true, true) => self.among(other),
            (one, other) => return other.cmp(&one),
        };
        if descending { order.reverse() } else { order }
    }

    fn among(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Text(one), Value::Text(other)) => one.to_lowercase().cmp(&other.to_lowercase()),
            _ => self.number().total_cmp(&other.number()),
        }
    }

    fn number(&self) -> f64 {
        match self {
            Value::Count(count) => *count as f64,
            Value::Number(number) | Value::Range(number, _) => *number,
            Value::Nothing | Value::Text(_) => f64::NEG_INFINITY,
        }
    }
}

macro_rules! values {
    ($($from:ty => |$value:ident| $to:expr),* $(,)?) => {$(
        impl From<$from> for Value {
            fn from($value: $from) -> Self {
                $to
            }
        }
    )*};
}

values! {
    u8 => |count| Value::Count(count.into()),
    u32 => |count| Value::Count(count.into()),
    u64 => |count| Value::Count(count),
    usize => |count| Value::Count(count as u64),
    f64 => |number| Value::Number(number),
    Option<(f64, f64)> => |bounds| bounds.map_or(Value::Nothing, |(low, high)| Value::Range(low, high)),
    Option<u64> => |count| count.map_or(Value::Nothing, Value::Count),
    Option<bool> => |is| is.map_or(Value::Nothing, |is| Value::Text(is.to_string())),
    Option<f64> => |number| number.map_or(Value::Nothing, Value::Number),
    &str => |text| Value::Text(text.to_owned()),
    String => |text| Value::Text(text),
}

/// An interval with so many digits after the point, whose ends may be infinite.
pub(super) fn range(low: f64, high: f64, decimals: usize) -> String {
    let [least, most] = [low, high].map(|end| fixed(end, decimals));
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{least} to {most}"),
        (true, false) => format!("at least {least}"),
        (false, true) => format!("at most {most}"),
        (false, false) => "-".into(),
    }
}

/// A number with so many digits after the point; no minus stands before a zero.
pub(super) fn fixed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}
