//! Drawings as lists of pieces of text that many drawings share, and what changes from one to the next.

use std::collections::HashMap;

/// How far the next common piece of two drawings is looked for. If it is further away, the rest is written anew.
const MAX_AHEAD: usize = 96;

/// The pieces of all drawings, each once.
#[derive(Default)]
pub(super) struct ReplayPieces {
    numbers: HashMap<String, u32>,
    all: Vec<String>,
}

impl ReplayPieces {
    /// Returns the numbers of the pieces whose texts, one after the other, are the drawing.
    pub(super) fn of(&mut self, svg: &str) -> Vec<u32> {
        split(svg).map(|piece| self.number(piece)).collect()
    }

    fn number(&mut self, piece: &str) -> u32 {
        if let Some(&number) = self.numbers.get(piece) {
            return number;
        }
        let number = self.all.len() as u32;
        self.numbers.insert(piece.to_owned(), number);
        self.all.push(piece.to_owned());
        number
    }

    /// Returns all pieces, by their numbers.
    pub(super) fn into_all(self) -> Vec<String> {
        self.all
    }
}

/// Begins what is said of a part that moves, after its place.
const MOVING: &str = " class=\"mv\"";

/// Splits a drawing at the tags of its groups and of the elements that stand directly in it. A part that moves is two
/// pieces: where it is, and what it is. Whatever the text is, the pieces make it up.
fn split(svg: &str) -> impl Iterator<Item = &str> {
    let mut cuts = vec![0];
    let mut depth = 0_usize;
    let mut at = 0;
    // The depth of the part that the tag is in.
    let mut part = None;
    while let Some(found) = svg[at..].find('<') {
        let start = at + found;
        let end = svg[start..]
            .find('>')
            .map_or(svg.len(), |found| start + found + 1);
        let tag = &svg[start..end];
        let (opens, closes) = (!tag.starts_with("</"), tag.ends_with("/>"));
        if !opens {
            depth = depth.saturating_sub(1);
        }
        if let Some(of) = part {
            if depth == of {
                cuts.push(end);
                part = None;
            }
            depth += usize::from(opens && !closes);
            at = end;
            continue;
        }
        if let Some(place) = tag.find(MOVING) {
            cuts.extend([start, start + place]);
            part = Some(depth);
            depth += 1;
            at = end;
            continue;
        }
        let is_group = tag.starts_with("<g ") || tag == "<g>" || tag == "</g>";
        let is_child = depth <= 1;
        if is_group || (is_child && opens) {
            cuts.push(start);
        }
        if is_group || (is_child && (!opens || closes)) || depth == 0 {
            cuts.push(end);
        }
        depth += usize::from(opens && !closes);
        at = end;
    }
    cuts.push(svg.len());
    cuts.sort_unstable();
    cuts.dedup();
    let ends = cuts.clone().into_iter().skip(1);
    cuts.into_iter().zip(ends).map(|(from, to)| &svg[from..to])
}

/// Returns what changes from one list to another: `[kept, dropped, added, the added ones..., kept, ...]`. What follows
/// the last change is kept.
pub(super) fn changes(before: &[u32], after: &[u32]) -> Vec<u32> {
    let mut changes = Vec::new();
    let (mut old, mut new, mut kept) = (0, 0, 0);
    while old < before.len() || new < after.len() {
        if old < before.len() && before.get(old) == after.get(new) {
            (old, new, kept) = (old + 1, new + 1, kept + 1);
            continue;
        }
        let (dropped, added) = next_common(&before[old..], &after[new..]);
        changes.extend([kept, dropped as u32, added as u32]);
        changes.extend(&after[new..new + added]);
        (old, new, kept) = (old + dropped, new + added, 0);
    }
    changes
}

/// Returns how many pieces of both lists come before the next common one, as few as possible.
fn next_common(before: &[u32], after: &[u32]) -> (usize, usize) {
    for far in 1..=MAX_AHEAD {
        for dropped in 0..=far {
            let added = far - dropped;
            if dropped < before.len() && before.get(dropped) == after.get(added) {
                return (dropped, added);
            }
        }
    }
    (before.len(), after.len())
}

/// Makes the changes to a list. This is how a script reads them.
#[cfg(test)]
pub(super) fn change(list: &mut Vec<u32>, changes: &[u32]) {
    let mut at = 0;
    let mut rest = changes;
    while let [kept, dropped, added, next @ ..] = rest {
        let (new, next) = next.split_at(*added as usize);
        at += *kept as usize;
        list.splice(at..at + *dropped as usize, new.iter().copied());
        at += new.len();
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_at_groups_and_at_direct_elements() {
        let svg = "<svg a=\"1\"><title>x > y</title><rect/><g f=\"2\"><circle/><g h=\"3\">\
                   <path/></g></g><text>t</text></svg>";
        let pieces: Vec<&str> = split(svg).collect();
        assert_eq!(
            pieces,
            [
                "<svg a=\"1\">",
                "<title>x > y</title>",
                "<rect/>",
                "<g f=\"2\">",
                "<circle/>",
                "<g h=\"3\">",
                "<path/>",
                "</g>",
                "</g>",
                "<text>t</text>",
                "</svg>"
            ]
        );
    }

    #[test]
    fn a_part_that_moves_is_its_place_and_its_look() {
        let svg = "<svg><g transform=\"t\" class=\"mv\"><circle/><g><path/></g></g><g transform=\"u\" \
                   class=\"mv\"></g><rect/></svg>";
        let pieces: Vec<&str> = split(svg).collect();
        assert_eq!(
            pieces,
            [
                "<svg>",
                "<g transform=\"t\"",
                " class=\"mv\"><circle/><g><path/></g></g>",
                "<g transform=\"u\"",
                " class=\"mv\"></g>",
                "<rect/>",
                "</svg>"
            ]
        );
    }

    #[test]
    fn whatever_the_text_is_its_pieces_make_it_up() {
        let long = "<".repeat(300);
        for text in [
            "",
            "x",
            "<",
            "><",
            "</g></g>",
            "<svg><g><",
            "<g/>é<é>",
            "< class=\"mv\"",
            &long,
        ] {
            let pieces: String = split(text).collect();
            assert_eq!(pieces, text);
        }
    }

    #[test]
    fn changes_make_one_list_of_another() {
        let far: Vec<u32> = (0..500).collect();
        let lists: [&[u32]; 8] = [
            &[],
            &[1],
            &[1, 2, 3],
            &[3, 2, 1],
            &[1, 1, 1, 1],
            &[1, 9, 2, 3, 8],
            &far,
            &far[150..300],
        ];
        for before in lists {
            for after in lists {
                let changes = changes(before, after);
                let mut list = before.to_vec();
                change(&mut list, &changes);
                assert_eq!(list, after, "{changes:?}");
                assert_eq!(changes.is_empty(), before == after);
            }
        }
    }

    #[test]
    fn a_change_in_the_middle_is_short() {
        let before: Vec<u32> = (0..100).collect();
        let mut after = before.clone();
        after[40] = 7_000;
        after.insert(80, 8_000);
        assert_eq!(changes(&before, &after), [40, 1, 1, 7_000, 39, 0, 1, 8_000]);
    }
}
