//! A number of bytes, in the words people type: `500M`, `64G`.

use std::fmt;
use std::str::FromStr;

/// A number of bytes above 0.
///
/// It reads and prints as people write it, with K, M, G or T for a power of 1024:
///
/// ```
/// use flipside_protocol::Size;
/// let size: Size = "512M".parse()?;
/// assert_eq!((size.bytes(), size.to_string()), (512 << 20, "512M".to_owned()));
/// # Ok::<(), flipside_protocol::SizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(u64);

/// Why a text is not a size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a size is a whole number, with K, M, G or T behind it: 500M")]
pub struct SizeError;

impl Size {
    /// Returns a size of so many bytes, or of one for 0.
    pub const fn of(bytes: u64) -> Self {
        Size(if bytes == 0 { 1 } else { bytes })
    }

    /// Returns the number of bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

/// The letters of a size, with what each stands for: 1024 to this power.
const UNITS: [(char, u32); 4] = [('T', 4), ('G', 3), ('M', 2), ('K', 1)];

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(typed: &str) -> Result<Self, SizeError> {
        let unit = UNITS.iter().find(|(letter, _)| typed.ends_with(*letter));
        let (number, power) = match unit {
            Some((_, power)) => (&typed[..typed.len() - 1], *power),
            None => (typed, 0),
        };
        let number = number.parse::<u64>().ok();
        number
            .and_then(|number| number.checked_mul(1024u64.pow(power)))
            .filter(|&bytes| bytes > 0)
            .map(Size)
            .ok_or(SizeError)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |&&(_, power): &&(char, u32)| self.0 % 1024u64.pow(power) == 0;
        match UNITS.iter().find(whole) {
            Some((letter, power)) => write!(f, "{}{letter}", self.0 / 1024u64.pow(*power)),
            None => write!(f, "{}", self.0),
        }
    }
}

text_json!(Size);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_shown() {
        for (text, bytes) in [("1", 1), ("1000", 1000), ("3K", 3072), ("64G", 64 << 30)] {
            let size: Size = text.parse().unwrap();
            assert_eq!((size, size.to_string()), (Size(bytes), text.to_owned()));
            let json = serde_json::to_string(&size).unwrap();
            assert_eq!(json, format!("{text:?}"));
            assert_eq!(serde_json::from_str::<Size>(&json).unwrap(), size);
        }
        for text in [
            "",
            "0",
            "G",
            "-1",
            "1.5G",
            "1GG",
            "99999999999T",
            "1g",
            "5 G",
        ] {
            assert_eq!(text.parse::<Size>(), Err(SizeError), "{text}");
        }
        assert!(serde_json::from_str::<Size>("5").is_err());
    }
}
