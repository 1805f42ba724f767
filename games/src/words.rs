//! How messages, tables and drawings put things in words.

/// The items as text, with this between every two.
pub fn joined<T: ToString>(items: impl IntoIterator<Item = T>, between: &str) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(between)
}

/// `1 fault`, `2 faults`.
pub fn counted(number: impl Into<u64>, what: &str) -> String {
    match number.into() {
        1 => format!("1 {what}"),
        number => format!("{number} {}", plural(what)),
    }
}

/// `faults`, `matches`, `plies`.
pub fn plural(what: &str) -> String {
    match what.strip_suffix('y') {
        Some(begin) => format!("{begin}ies"),
        None if what.ends_with("ch") => format!("{what}es"),
        None => format!("{what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_told_as_many() {
        for (what, one, more) in [
            ("fault", "1 fault", "2 faults"),
            ("match", "1 match", "0 matches"),
            ("ply", "1 ply", "30 plies"),
        ] {
            let number = |text: &str| text.split(' ').next().unwrap().parse::<u64>().unwrap();
            assert_eq!(
                [one, more].map(|text| counted(number(text), what)),
                [one, more]
            );
        }
    }
}
