//! The last of what a bot wrote to its error stream.

/// How much of a bot's error stream is kept, in bytes.
pub const STDERR_TAIL: usize = 16 * 1024;

/// Keeps the last [`STDERR_TAIL`] bytes of what is pushed.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    /// At most twice the limit: it is cut only then, so that a byte is moved once and not often.
    bytes: Vec<u8>,
    /// How many bytes were pushed in all.
    pub(crate) written: u64,
}

impl Tail {
    pub(crate) fn push(&mut self, new: &[u8]) {
        self.written += new.len() as u64;
        let new = if new.len() > STDERR_TAIL {
            self.bytes.clear();
            &new[new.len() - STDERR_TAIL..]
        } else {
            new
        };
        if self.bytes.len() + new.len() > 2 * STDERR_TAIL {
            self.bytes.drain(..self.bytes.len() - STDERR_TAIL);
        }
        self.bytes.extend_from_slice(new);
    }

    /// What was pushed since there were so many bytes, which becomes how many there are now: the last of it as text.
    /// What is not UTF-8 is replaced. Where the beginning is lost, the text begins with "…".
    pub(crate) fn take_since(&self, mark: &mut u64) -> String {
        let text = self.since(*mark);
        *mark = self.written;
        text
    }

    fn since(&self, mark: u64) -> String {
        let new = usize::try_from(self.written.saturating_sub(mark)).unwrap_or(usize::MAX);
        let kept = new.min(STDERR_TAIL).min(self.bytes.len());
        let mut last = &self.bytes[self.bytes.len() - kept..];
        if kept == new {
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
        assert_eq!(tail.since(0), "begin end");
        for number in 0..100_000 {
            tail.push(format!("{number}\n").as_bytes());
            assert!(tail.bytes.len() <= 2 * STDERR_TAIL);
        }
        let text = tail.since(0);
        assert!(text.starts_with('…') && text.ends_with("\n99999\n"));
        assert_eq!(text.len(), STDERR_TAIL + "…".len());
        tail.push(&vec![b'x'; 1 << 20]);
        assert_eq!(tail.since(0), format!("…{}", "x".repeat(STDERR_TAIL)));
    }

    #[test]
    fn what_came_since_a_mark_is_told_apart() {
        let mut tail = Tail::default();
        tail.push(b"before");
        let mut mark = 0;
        assert_eq!(tail.take_since(&mut mark), "before");
        assert_eq!(tail.since(mark), "");
        tail.push(b" after");
        assert_eq!(tail.since(mark), " after");
        assert_eq!(tail.since(0), "before after");
        tail.push(&vec![b'x'; STDERR_TAIL - 6]);
        assert!(tail.since(mark).starts_with(" afterx"));
        tail.push(b"x");
        assert!(tail.since(mark).starts_with("…afterx"));
        tail.push(&vec![b'x'; 3 * STDERR_TAIL]);
        assert_eq!(tail.since(tail.written - 2), "xx");
    }

    #[test]
    fn a_cut_goes_between_characters() {
        let mut tail = Tail::default();
        tail.push("é".repeat(STDERR_TAIL).as_bytes());
        tail.push(b"x");
        assert!(!tail.since(0).contains('\u{fffd}'));
    }
}
