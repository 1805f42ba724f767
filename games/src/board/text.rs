//! Boards drawn as text for a terminal.

use std::fmt::Write as _;

use super::picture::{Ground, Picture, PictureSide};
use super::{Squares, files};

impl<const N: usize> Picture<'_, N> {
    /// Draws a headline, the board, the pieces in hand and the legend.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}\n\n", self.headline());
        for rank in (0..N as i8).rev() {
            let _ = write!(text, "  {} ", rank + 1);
            for square in Squares::rank(rank as usize) {
                let letter = self.board.at(square) as char;
                let (open, empty, close) = (self.look.ground)(square).around();
                let letter = if letter == '.' { empty } else { letter };
                let _ = write!(text, " {open}{letter}{close}");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text.push_str("    ");
        for file in files(N) {
            let _ = write!(text, "  {file} ");
        }
        text.truncate(text.trim_end().len());
        text.push_str("\n\n");
        if self.look.has_hands {
            let ([first, second], [one, other]) =
                (self.hands, self.look.sides.map(PictureSide::name));
            let _ = writeln!(text, "in hand: {one} {first}, {other} {second}");
        }
        let _ = writeln!(text, "{}", self.look.legend);
        text
    }
}

impl Ground {
    /// Returns the letters before a piece, in its place if the square is empty, and after it.
    fn around(self) -> (char, char, char) {
        match self {
            Ground::Plain | Ground::Neutral => (' ', '.', ' '),
            Ground::Goal | Ground::White => ('[', ' ', ']'),
            Ground::Blue => ('(', ' ', ')'),
        }
    }
}
