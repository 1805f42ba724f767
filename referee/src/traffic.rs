//! The last lines between the referee and a bot, for the author of a bot that fails.

/// How many lines are kept, of both directions together.
pub const TRAFFIC_LINES: usize = 8;

/// How many bytes are kept of each of them; of longer ones, the beginning.
pub const TRAFFIC_LINE: usize = 4 * 1024;

/// A line that was sent or received.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchanged {
    /// Whether the bot wrote it; else it was written to the bot.
    pub from_bot: bool,
    /// The line, without its end; at most [`TRAFFIC_LINE`] bytes of it.
    pub line: String,
    /// Its whole length in bytes.
    pub bytes: u64,
}

/// Keeps the last [`TRAFFIC_LINES`] lines. Its buffers are used again: in a match that goes on, a line
/// costs no more than to copy it.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    lines: [Kept; TRAFFIC_LINES],
    /// How many were pushed.
    pushed: usize,
}

#[derive(Debug, Default)]
struct Kept {
    from_bot: bool,
    text: Vec<u8>,
    bytes: usize,
}

impl Traffic {
    pub(crate) fn sent(&mut self, line: &[u8]) {
        self.push(false, line);
    }

    pub(crate) fn received(&mut self, line: &str) {
        self.push(true, line.as_bytes());
    }

    fn push(&mut self, from_bot: bool, line: &[u8]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let kept = &mut self.lines[self.pushed % TRAFFIC_LINES];
        kept.from_bot = from_bot;
        kept.bytes = line.len();
        kept.text.clear();
        kept.text
            .extend_from_slice(&line[..line.len().min(TRAFFIC_LINE)]);
        self.pushed += 1;
    }

    /// What is kept, the oldest first.
    pub(crate) fn exchanged(&self) -> Vec<Exchanged> {
        let from = self.pushed.saturating_sub(TRAFFIC_LINES);
        (from..self.pushed)
            .map(|at| &self.lines[at % TRAFFIC_LINES])
            .map(|kept| Exchanged {
                from_bot: kept.from_bot,
                // A character may have been cut in two.
                line: String::from_utf8_lossy(&kept.text).into_owned(),
                bytes: kept.bytes as u64,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_in_order_and_long_ones_are_cut() {
        let mut traffic = Traffic::default();
        assert_eq!(traffic.exchanged(), []);
        for number in 0..3 * TRAFFIC_LINES {
            traffic.sent(format!("question {number}\n").as_bytes());
            traffic.received(&format!("answer {number}"));
            let all = traffic.exchanged();
            assert_eq!(all.len(), TRAFFIC_LINES.min(2 * number + 2));
            for (line, back) in all.iter().rev().zip(0..) {
                let number = number - back / 2;
                let text = match line.from_bot {
                    true => format!("answer {number}"),
                    false => format!("question {number}"),
                };
                assert_eq!(line.from_bot, back % 2 == 0);
                assert_eq!((line.bytes, &line.line), (text.len() as u64, &text));
            }
        }
        traffic.received(&"ä".repeat(TRAFFIC_LINE));
        let last = traffic.exchanged().pop().unwrap();
        assert_eq!(last.bytes, 2 * TRAFFIC_LINE as u64);
        assert_eq!(last.line, "ä".repeat(TRAFFIC_LINE / 2));
    }
}
