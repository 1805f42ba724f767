//! The last of what a bot wrote to its error stream.

/// How much of a bot's error stream is kept, in bytes.
pub const STDERR_TAIL: usize = 16 * 1024;

/// Keeps the last [`STDERR_TAIL`] bytes of what is pushed.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    /// At most twice the limit: it is cut only then, so that a byte is moved once and not often.
    bytes: Vec<u8>,
    /// Whether the beginning is lost.
    cut: bool,
}

impl Tail {
    pub(crate) fn push(&mut self, new: &[u8]) {
        let new = if new.len() > STDERR_TAIL {
            self.bytes.clear();
            self.cut = true;
            &new[new.len() - STDERR_TAIL..]
        } else {
            new
        };
        if self.bytes.len() + new.len() > 2 * STDERR_TAIL {
            self.bytes.drain(..self.bytes.len() - STDERR_TAIL);
            self.cut = true;
        }
        self.bytes.extend_from_slice(new);
    }

    /// The last bytes as text; what is not UTF-8 is replaced. Where the beginning is lost, the text
    /// begins with "…".
    pub(crate) fn text(&self) -> String {
        let over = self.bytes.len().saturating_sub(STDERR_TAIL);
        let mut last = &self.bytes[over..];
        if over == 0 && !self.cut {
            return String::from_utf8_lossy(last).into_owned();
        }
        // The cut may have gone through a character: its rest is at most three bytes.
        let rest = last
            .iter()
            .take(3)
            .take_while(|&&byte| byte & 0xC0 == 0x80)
            .count();
        last = &last[rest..];
        format!("…{}", String::from_utf8_lossy(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bytes_are_kept() {
        let mut tail = Tail::default();
        tail.push(b"begin ");
        tail.push(b"end");
        assert_eq!(tail.text(), "begin end");
        for number in 0..100_000 {
            tail.push(format!("{number}\n").as_bytes());
            assert!(tail.bytes.len() <= 2 * STDERR_TAIL);
        }
        let text = tail.text();
        assert!(text.starts_with('…') && text.ends_with("\n99999\n"));
        assert_eq!(text.len(), STDERR_TAIL + "…".len());
        tail.push(&vec![b'x'; 1 << 20]);
        assert_eq!(tail.text(), format!("…{}", "x".repeat(STDERR_TAIL)));
    }

    #[test]
    fn a_cut_goes_between_characters() {
        let mut tail = Tail::default();
        tail.push("é".repeat(STDERR_TAIL).as_bytes());
        tail.push(b"x");
        assert!(!tail.text().contains('\u{fffd}'));
    }
}
