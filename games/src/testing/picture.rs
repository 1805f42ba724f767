//! The drawing of a game for tests.

use crate::paint::escaped;

/// A page's drawing that is only text: enough for a game that nobody watches.
pub(super) fn picture(text: &str) -> String {
    const LINE: usize = 20;
    const LETTER: usize = 10;
    let lines: Vec<&str> = text.lines().collect();
    let longest = lines.iter().map(|line| line.len()).max().unwrap_or(0);
    let (width, height) = ((longest + 2) * LETTER, (lines.len() + 1) * LINE);
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="monospace" font-size="16">"#
    );
    for (row, line) in lines.iter().enumerate() {
        let (y, line) = ((row + 1) * LINE, escaped(line));
        svg += &format!(r#"<text x="{LETTER}" y="{y}">{line}</text>"#);
    }
    svg + "</svg>"
}
