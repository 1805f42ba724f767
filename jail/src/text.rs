//! Short texts and paths without an allocator.

use core::ffi::CStr;
use core::fmt;

use crate::sys::{Errno, Result};

/// The longest path that the kernel takes, with the null at its end.
pub(crate) const LONGEST_PATH: usize = 4096;

/// A path.
pub(crate) type Path = JailText<LONGEST_PATH>;

/// A number or a word of an option.
pub(crate) type Word = JailText<24>;

/// A text of fewer than `N` bytes, which a null follows.
#[derive(Clone)]
pub(crate) struct JailText<const N: usize> {
    bytes: [u8; N],
    length: usize,
    /// Whether something did not fit.
    cut: bool,
}

impl<const N: usize> JailText<N> {
    pub(crate) const fn new() -> Self {
        JailText {
            bytes: [0; N],
            length: 0,
            cut: false,
        }
    }

    /// The text of these arguments, as `format_args!` gives them.
    pub(crate) fn of(arguments: fmt::Arguments<'_>) -> Self {
        let mut text = JailText::new();
        // What does not fit is told when the text is used.
        let _ = fmt::write(&mut text, arguments);
        text
    }

    /// Several pieces, one after the other.
    pub(crate) fn joined(pieces: &[&[u8]]) -> Self {
        let mut text = JailText::new();
        pieces.iter().for_each(|piece| text.push(piece));
        text
    }

    /// The decimal digits of a number.
    pub(crate) fn number(number: u64) -> Self {
        JailText::of(format_args!("{number}"))
    }

    pub(crate) fn push(&mut self, more: &[u8]) {
        let room = N - 1 - self.length;
        let fits = more.len().min(room);
        self.bytes[self.length..self.length + fits].copy_from_slice(&more[..fits]);
        self.length += fits;
        self.cut |= fits < more.len();
    }

    /// Cuts it off after this many bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        if length < self.length {
            self.bytes[length..self.length].fill(0);
            self.length = length;
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// As the kernel reads it; an error where it was too long, or has a null in it.
    pub(crate) fn c_str(&self) -> Result<&CStr> {
        if self.cut {
            return Err(Errno::NAMETOOLONG);
        }
        CStr::from_bytes_with_nul(&self.bytes[..=self.length]).map_err(|_| Errno::INVAL)
    }
}

impl<const N: usize> fmt::Write for JailText<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

impl<const N: usize> fmt::Debug for JailText<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.bytes().escape_ascii())
    }
}

/// The decimal number that a text is.
pub(crate) fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// The lines of a text, without their ends.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n')
}

/// The words of a line.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for value in [0, 7, 10, 4096, u64::from(u32::MAX), u64::MAX] {
            let text = Word::number(value);
            assert_eq!(text.bytes(), value.to_string().as_bytes());
            assert_eq!(number(text.bytes()), Some(value));
        }
        for nonsense in ["", "-1", "1x", "18446744073709551616", " 1"] {
            assert_eq!(number(nonsense.as_bytes()), None, "{nonsense}");
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error_and_not_another_path() {
        let mut text = JailText::<4>::joined(&[b"ab", b"c"]);
        assert_eq!(text.c_str().unwrap(), c"abc");
        text.push(b"d");
        assert_eq!(text.c_str(), Err(Errno::NAMETOOLONG));
        assert_eq!(JailText::<8>::joined(&[b"a\0b"]).c_str(), Err(Errno::INVAL));
    }

    #[test]
    fn a_text_that_was_cut_off_ends_there() {
        let mut text = JailText::<8>::joined(&[b"abcdef"]);
        text.truncate(2);
        text.push(b"x");
        assert_eq!(text.c_str().unwrap(), c"abx");
    }
}
