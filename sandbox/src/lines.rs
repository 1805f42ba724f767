//! Bytes that came from a bot, taken a line at a time.

use std::ops::Range;

use flipside_protocol::LONGEST_LINE;

use crate::fault::SandboxFault;

/// Room for the first read; an ordinary answer is a hundred bytes.
const FIRST_ROOM: usize = 4 * 1024;

/// A buffer of lines. It never holds much more than the longest line: its owner stops reading where there is a line to
/// take.
#[derive(Debug)]
pub(crate) struct Lines {
    /// The longest line that is taken, in bytes without its newline.
    pub(crate) longest: usize,
    bytes: Vec<u8>,
    /// Where the line that was taken last ends, its newline included.
    taken: usize,
    /// Up to where no newline was found.
    seen: usize,
}

impl Default for Lines {
    fn default() -> Self {
        Lines {
            longest: LONGEST_LINE,
            bytes: Vec::new(),
            taken: 0,
            seen: 0,
        }
    }
}

impl Lines {
    /// Drops the line that was taken last.
    pub(crate) fn forget(&mut self) {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        self.seen = 0;
    }

    /// Finds the next line that is whole.
    ///
    /// # Errors
    /// The fault of a line that is too long.
    pub(crate) fn find(&mut self) -> Result<Option<Range<usize>>, SandboxFault> {
        let newline = memchr::memchr(b'\n', &self.bytes[self.seen..]).map(|at| self.seen + at);
        let length = newline.unwrap_or(self.bytes.len()) - self.taken;
        if length > self.longest {
            return Err(SandboxFault::TooLong);
        }
        let Some(newline) = newline else {
            self.seen = self.bytes.len();
            return Ok(None);
        };
        let line = self.taken..newline;
        self.taken = newline + 1;
        self.seen = self.taken;
        Ok(Some(line))
    }

    /// The text of a line that was found, without its newline.
    pub(crate) fn text(&self, line: Range<usize>) -> Result<&str, SandboxFault> {
        std::str::from_utf8(&self.bytes[line]).map_err(|error| SandboxFault::NotText {
            at: error.valid_up_to(),
        })
    }

    /// How many bytes are there after the line that was taken last.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.taken
    }

    /// The next line, or what there is of it; nothing where no bytes are left.
    pub(crate) fn rest(&self) -> Option<&[u8]> {
        let rest = &self.bytes[self.taken..];
        let line = rest.split(|&byte| byte == b'\n').next();
        line.filter(|_| !rest.is_empty())
    }

    /// The line that was taken last, with its newline; empty where none was.
    pub(crate) fn last(&self) -> &[u8] {
        &self.bytes[..self.taken]
    }

    /// What is there after the line that was taken last.
    pub(crate) fn unfinished(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// Whether no line has come whole, and what there is could still be one.
    pub(crate) fn lacks_a_line(&self) -> bool {
        let unfinished = self.unfinished();
        unfinished.len() <= self.longest && !unfinished.contains(&b'\n')
    }

    /// The buffer, with room to read into.
    pub(crate) fn room(&mut self) -> &mut Vec<u8> {
        if self.bytes.len() == self.bytes.capacity() {
            self.bytes.reserve(FIRST_ROOM.max(self.bytes.len()));
        }
        &mut self.bytes
    }

    /// Takes over what is in `more`, and leaves it empty; no copy where nothing is here.
    pub(crate) fn take_over(&mut self, more: &mut Vec<u8>) {
        if self.bytes.is_empty() {
            std::mem::swap(&mut self.bytes, more);
        } else {
            self.bytes.append(more);
        }
    }

    /// Drops everything.
    pub(crate) fn clear(&mut self) {
        self.taken = self.bytes.len();
        self.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Lines {
        let mut lines = Lines::default();
        lines.take_over(&mut bytes.to_vec());
        lines
    }

    #[test]
    fn lines_come_one_at_a_time() {
        let mut lines = lines(b"one\n\ntwo");
        for (text, left) in [("one", 4), ("", 3)] {
            lines.forget();
            let line = lines.find().unwrap().unwrap();
            assert_eq!(lines.text(line), Ok(text));
            assert_eq!(lines.left(), left);
        }
        lines.forget();
        assert_eq!(lines.find(), Ok(None));
        lines.room().extend_from_slice(b"!\n");
        let line = lines.find().unwrap().unwrap();
        assert_eq!(lines.text(line), Ok("two!"));
    }

    #[test]
    fn the_longest_line_is_taken_and_a_longer_one_is_not() {
        let mut longest = vec![b'x'; LONGEST_LINE];
        assert_eq!(lines(&longest).find(), Ok(None));
        longest.push(b'\n');
        assert_eq!(lines(&longest).find(), Ok(Some(0..LONGEST_LINE)));
        longest.insert(0, b'x');
        assert_eq!(lines(&longest).find(), Err(SandboxFault::TooLong));
        longest.pop();
        assert_eq!(lines(&longest).find(), Err(SandboxFault::TooLong));
    }
}
