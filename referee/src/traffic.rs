//! The last lines between the referee and a bot, for the author of a bot that fails.

/// How many lines are kept, of both directions together.
pub const TRAFFIC_LINES: usize = 8;

/// How many bytes are kept of each of them; of longer ones, the beginning.
pub const TRAFFIC_LINE: usize = 4 * 1024;

/// A line that was sent or received.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficLine {
    /// Whether the bot wrote it; else it was written to the bot.
    pub from_bot: bool,
    /// The line, without its end; at most [`TRAFFIC_LINE`] bytes of it.
    pub line: String,
    /// Its whole length in bytes.
    pub bytes: u64,
}

/// Keeps the last [`TRAFFIC_LINES`] lines. Questions are written into its buffers, which are used again, and
/// asked from there: to keep them costs nothing.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    lines: [BufferedLine; TRAFFIC_LINES],
    /// How many were pushed.
    pushed: usize,
}

#[derive(Debug, Default)]
struct BufferedLine {
    from_bot: bool,
    /// All of a line to the bot; of a line from it, what is kept.
    text: Vec<u8>,
    /// The length of a line from the bot.
    bytes: usize,
}

impl BufferedLine {
    fn exchanged(&self) -> TrafficLine {
        let text = self.text.strip_suffix(b"\n").unwrap_or(&self.text);
        TrafficLine {
            from_bot: self.from_bot,
            // A character may have been cut in two.
            line: String::from_utf8_lossy(&text[..text.len().min(TRAFFIC_LINE)]).into_owned(),
            bytes: if self.from_bot {
                self.bytes
            } else {
                text.len()
            } as u64,
        }
    }
}

impl Traffic {
    /// Where the next line to the bot is written.
    pub(crate) fn next_line(&mut self) -> &mut Vec<u8> {
        let kept = &mut self.lines[self.pushed % TRAFFIC_LINES];
        self.pushed += 1;
        kept.from_bot = false;
        kept.text.clear();
        &mut kept.text
    }

    /// The line that was written last.
    pub(crate) fn written(&self) -> &[u8] {
        match self.pushed.checked_sub(1) {
            Some(last) => &self.lines[last % TRAFFIC_LINES].text,
            None => &[],
        }
    }

    /// The line that was written last is not sent.
    pub(crate) fn unsent(&mut self) {
        self.pushed = self.pushed.saturating_sub(1);
    }

    pub(crate) fn received(&mut self, line: &str) {
        let kept = &mut self.lines[self.pushed % TRAFFIC_LINES];
        self.pushed += 1;
        kept.from_bot = true;
        kept.bytes = line.len();
        kept.text.clear();
        kept.text
            .extend_from_slice(&line.as_bytes()[..line.len().min(TRAFFIC_LINE)]);
    }

    /// What is kept, the oldest first.
    pub(crate) fn exchanged(&self) -> Vec<TrafficLine> {
        let from = self.pushed.saturating_sub(TRAFFIC_LINES);
        (from..self.pushed)
            .map(|at| self.lines[at % TRAFFIC_LINES].exchanged())
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
            let question = format!("question {number}\n");
            traffic.next_line().extend_from_slice(b"never asked");
            traffic.unsent();
            traffic.next_line().extend_from_slice(question.as_bytes());
            assert_eq!(traffic.written(), question.as_bytes());
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
        traffic
            .next_line()
            .extend_from_slice(&[b'x'; 2 * TRAFFIC_LINE]);
        let last = traffic.exchanged().pop().unwrap();
        assert_eq!(last.bytes, 2 * TRAFFIC_LINE as u64);
        assert_eq!(last.line, "x".repeat(TRAFFIC_LINE));
    }
}
