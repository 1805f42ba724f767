//! All actions of a game: the texts that its notation matches.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::RandomState;
use regex_syntax::hir::{Class, Hir, HirKind};

/// The most actions that are listed.
pub(super) const MAX_ACTIONS: usize = 65_536;

/// The most bytes that the texts of all actions may have together.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// All texts that a notation matches, in byte order. The position of a text is the index of the action.
pub(super) struct Vocabulary {
    texts: Vec<String>,
    /// Each legal action of each position is looked up here.
    indices: HashMap<String, u32, RandomState>,
}

impl Vocabulary {
    /// The texts that a regular expression matches as a whole; nothing if they are too many, or if they are not so many
    /// texts but any number of them.
    pub(super) fn of(notation: &str) -> Option<Self> {
        let mut parser = regex_syntax::ParserBuilder::new()
            .unicode(false)
            .utf8(false)
            .build();
        let words = words(&parser.parse(notation).ok()?)?;
        let texts: Option<Vec<String>> = (words.into_iter())
            .map(|word| String::from_utf8(word).ok())
            .collect();
        let texts = texts?;
        let indices = texts.iter().cloned().zip(0..).collect();
        Some(Vocabulary { texts, indices })
    }

    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn index(&self, action: &str) -> Option<u32> {
        self.indices.get(action).copied()
    }

    pub(super) fn action(&self, index: u32) -> Option<&str> {
        self.texts.get(index as usize).map(String::as_str)
    }
}

type Words = BTreeSet<Vec<u8>>;

/// The words of an expression, if they are few enough.
fn words(expression: &Hir) -> Option<Words> {
    match expression.kind() {
        // Anchors match nothing of their own, and the notation matches whole texts anyway.
        HirKind::Empty | HirKind::Look(_) => Some(Words::from([Vec::new()])),
        HirKind::Literal(literal) => Some(Words::from([literal.0.to_vec()])),
        HirKind::Class(class) => of_class(class),
        HirKind::Capture(capture) => words(&capture.sub),
        HirKind::Alternation(choices) => {
            let mut all = Words::new();
            for choice in choices {
                all.append(&mut words(choice)?);
            }
            within_bounds(all)
        }
        HirKind::Concat(parts) => {
            let mut all = Words::from([Vec::new()]);
            for part in parts {
                all = joined(&all, &words(part)?)?;
            }
            Some(all)
        }
        HirKind::Repetition(repetition) => {
            let once = words(&repetition.sub)?;
            let mut row = Words::from([Vec::new()]);
            for _ in 0..repetition.min {
                row = joined(&row, &once)?;
            }
            let mut all = row.clone();
            for _ in repetition.min..repetition.max? {
                row = joined(&row, &once)?;
                let known = all.len();
                all.extend(row.iter().cloned());
                if all.len() == known {
                    break;
                }
                all = within_bounds(all)?;
            }
            Some(all)
        }
    }
}

fn of_class(class: &Class) -> Option<Words> {
    let Class::Bytes(class) = class else {
        return None;
    };
    let bytes = class
        .ranges()
        .iter()
        .flat_map(|range| range.start()..=range.end());
    Some(bytes.map(|byte| vec![byte]).collect())
}

/// Every word of the one set followed by every word of the other.
fn joined(first: &Words, second: &Words) -> Option<Words> {
    if first.len().checked_mul(second.len())? > MAX_ACTIONS {
        return None;
    }
    let bytes = |words: &Words| words.iter().map(Vec::len).sum::<usize>();
    if bytes(first) * second.len() + bytes(second) * first.len() > MAX_BYTES {
        return None;
    }
    let all = first
        .iter()
        .flat_map(|head| second.iter().map(move |tail| [&head[..], tail].concat()));
    Some(all.collect())
}

fn within_bounds(words: Words) -> Option<Words> {
    let bytes: usize = words.iter().map(Vec::len).sum();
    (words.len() <= MAX_ACTIONS && bytes <= MAX_BYTES).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(notation: &str) -> Option<Vec<String>> {
        Vocabulary::of(notation).map(|all| all.texts)
    }

    #[test]
    fn a_notation_is_spelt_out_in_byte_order() {
        let spelt = texts("[+x][ab]1|pass|[a-b]-?[1-2]{1,2}").expect("few");
        let plain = [
            "+a1", "+b1", "a-1", "a-11", "a-12", "a-2", "a-21", "a-22", "a1", "a11", "a12", "a2",
            "a21", "a22", "b-1", "b-11", "b-12", "b-2", "b-21", "b-22", "b1", "b11", "b12", "b2",
            "b21", "b22", "pass", "xa1", "xb1",
        ];
        assert_eq!(spelt, plain);
    }

    #[test]
    fn texts_without_end_or_beyond_the_bounds_are_not_listed() {
        for notation in [
            "a*",
            "a+",
            "[0-9]{6}",
            ".*",
            "((a{1000}){1000}){5}",
            "(",
            "([a-z]{3}x?){2}",
        ] {
            assert_eq!(texts(notation), None, "{notation}");
        }
        assert_eq!(texts("[0-9]{4}").expect("few").len(), 10_000);
        assert_eq!(texts("(|a){0,40}").expect("few").len(), 41);
    }

    #[test]
    fn an_index_is_a_position() {
        let all = Vocabulary::of("[a-c][1-3]").expect("few");
        for (index, text) in (0..).zip(all.texts()) {
            assert_eq!(all.index(text), Some(index));
            assert_eq!(all.action(index), Some(&**text));
        }
        assert_eq!(all.index("d1"), None);
        assert_eq!(all.action(9), None);
    }
}
