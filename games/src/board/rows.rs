//! The board of a view: one string per rank, from the top rank down.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Square, Squares};
use crate::json::inline_schema;

/// The ranks of an `N` by `N` board from the top down, each a string of `N` letters from file
/// `a` on. It needs no allocation, since it is written at every ply.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Rows<const N: usize>([LineRow<N>; N]);

/// The letters of one rank; always visible ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
struct LineRow<const N: usize>([u8; N]);

impl<const N: usize> Rows<N> {
    /// Returns the board with these letters.
    ///
    /// # Panics
    /// Panics when a letter is not visible ASCII.
    pub fn of(letter: impl Fn(Square<N>) -> u8) -> Self {
        let mut rows = Rows([LineRow([b' '; N]); N]);
        for square in Square::all() {
            let letter = letter(square);
            assert!(
                letter.is_ascii_graphic(),
                "a square is drawn by a visible ASCII letter"
            );
            rows.0[N - 1 - square.rank() as usize].0[square.file() as usize] = letter;
        }
        rows
    }

    /// Appends the board as JSON.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        for (at, LineRow(letters)) in self.0.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b"[\"" } else { b",\"" });
            out.extend_from_slice(letters);
            out.push(b'"');
        }
        out.push(b']');
    }

    /// Returns the letters row by row, from the top rank down.
    pub(crate) fn letters(&self) -> impl Iterator<Item = u8> {
        self.0
            .iter()
            .flat_map(|LineRow(letters)| letters.iter().copied())
    }

    /// Returns the squares with this letter.
    pub(crate) fn with(&self, letter: u8) -> Squares<N> {
        Square::all()
            .filter(|&square| self.at(square) == letter)
            .collect()
    }

    /// Returns the letter on a square.
    pub fn at(&self, square: Square<N>) -> u8 {
        self.0[N - 1 - square.rank() as usize].0[square.file() as usize]
    }
}

impl<const N: usize> LineRow<N> {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.0).expect("rows are ASCII")
    }
}

impl<const N: usize> fmt::Debug for Rows<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(LineRow::text))
            .finish()
    }
}

impl<const N: usize> Serialize for Rows<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(LineRow::text))
    }
}

impl<'de, const N: usize> Deserialize<'de> for Rows<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Ranks<const N: usize>;
        impl<'de, const N: usize> Visitor<'de> for Ranks<N> {
            type Value = Rows<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{N} strings, one a rank")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut ranks: A) -> Result<Rows<N>, A::Error> {
                let mut rows = [LineRow([b' '; N]); N];
                for (at, row) in rows.iter_mut().enumerate() {
                    *row = ranks
                        .next_element()?
                        .ok_or_else(|| A::Error::invalid_length(at, &self))?;
                }
                match ranks.next_element::<serde::de::IgnoredAny>()? {
                    None => Ok(Rows(rows)),
                    Some(_) => Err(A::Error::invalid_length(N + 1, &self)),
                }
            }
        }
        deserializer.deserialize_seq(Ranks)
    }
}

impl<'de, const N: usize> Deserialize<'de> for LineRow<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Letters<const N: usize>;
        impl<const N: usize> Visitor<'_> for Letters<N> {
            type Value = LineRow<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a rank of {N} letters")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<LineRow<N>, E> {
                match <[u8; N]>::try_from(text.as_bytes()) {
                    Ok(letters) if letters.iter().all(u8::is_ascii_graphic) => Ok(LineRow(letters)),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_str(Letters)
    }
}

inline_schema!(
    Rows<N> where [const N: usize],
    schemars::json_schema!({
        "type": "array",
        "items": { "type": "string", "minLength": N, "maxLength": N },
        "minItems": N,
        "maxItems": N
    })
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_from_the_top_rank_down() {
        let rows = Rows::<3>::of(|square| match square.to_string().as_str() {
            "a3" => b'x',
            "c1" => b'y',
            _ => b'.',
        });
        let json = serde_json::to_string(&rows).expect("JSON");
        assert_eq!(json, r#"["x..","...","..y"]"#);
        assert_eq!(serde_json::from_str::<Rows<3>>(&json).expect("rows"), rows);
    }

    #[test]
    fn rows_of_another_shape_are_refused() {
        for json in [
            r#"["...","..."]"#,
            r#"["...","...","...","..."]"#,
            r#"["...","..","..."]"#,
            r#"["...","....","..."]"#,
            r#"["...","é.","..."]"#,
            r#"["...",". .","..."]"#,
            r#"["...",".\u001b.","..."]"#,
            r#"["...",3,"..."]"#,
            r#""...""#,
            "[]",
        ] {
            assert!(serde_json::from_str::<Rows<3>>(json).is_err(), "{json}");
        }
    }
}
