//! Numbers on the command line: read with their ranges, and refused in plain words.

use std::fmt::Display;
use std::str::FromStr;

/// Reads a whole number from `least` to `most`.
pub(crate) fn whole<T>(least: T, most: T) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: Copy + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    move |typed| {
        let number = typed.parse::<T>().ok();
        let fits = |number: &T| (least..=most).contains(number);
        let is_plain = !typed.starts_with('+');
        number
            .filter(|number| is_plain && fits(number))
            .ok_or_else(|| format!("a whole number from {least} to {most}, not {typed}"))
    }
}

/// Reads a share, such as `2%`, as a number from 0 to 1.
pub(crate) fn share(typed: &str) -> Result<f64, String> {
    let number = typed
        .strip_suffix('%')
        .and_then(|number| number.parse::<f64>().ok());
    number
        .filter(|percent| (0.0..=100.0).contains(percent) && !typed.starts_with(['+', '-']))
        .map(|percent| percent / 100.0)
        .ok_or_else(|| format!("a share from 0% to 100%, not {typed}"))
}

/// Reads a whole number that is in its range or near it: what is near is refused later, with the reason.
pub(crate) fn near<T: FromStr>(
    least: impl Display + Copy,
    most: impl Display + Copy,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |typed| {
        let refused = |_| format!("a whole number from {least} to {most}, not {typed}");
        typed.parse::<T>().map_err(refused)
    }
}

/// The command with options that take what begins with a minus and a digit for their value. Otherwise `--seed -1`
/// would be told that there is no option -1, and not what a seed is.
pub(crate) fn with_negatives(command: clap::Command) -> clap::Command {
    let takes = |arg: &clap::Arg| {
        let values = arg.get_num_args();
        let has_value = values.is_none_or(|values| values.takes_values());
        arg.get_long().is_some() && arg.get_action().takes_values() && has_value
    };
    let command = command.mut_args(|arg| {
        if takes(&arg) {
            arg.allow_negative_numbers(true)
        } else {
            arg
        }
    });
    command.mut_subcommands(with_negatives)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_read_within_its_range_and_refused_with_it() {
        let read = whole(1u32, 1000);
        assert_eq!([read("1"), read("1000")], [Ok(1), Ok(1000)]);
        for typed in [
            "0",
            "-1",
            "1001",
            "4294967296",
            "1.5",
            "1e2",
            "x",
            "",
            " 1",
            "+1",
            "0x1",
        ] {
            let why = format!("a whole number from 1 to 1000, not {typed}");
            assert_eq!(read(typed), Err(why));
        }
        assert_eq!(whole(0, u64::MAX)("18446744073709551615"), Ok(u64::MAX));
        assert!(whole(0, u64::MAX)("18446744073709551616").is_err());
    }
}
