//! How people point at actions on drawings of game programs: which paths a page can follow.

use std::collections::BTreeSet;

use flipside_protocol::game::ActionPath;

use super::drawing::is_mark;
use super::limits::{LONGEST_CHOICE, MAX_MARKS};
use crate::paint::MARK;

/// Says why paths are not those of so many actions on a drawing, if so.
pub fn not_paths(paths: &[ActionPath], actions: usize, svg: &str) -> Option<String> {
    if paths.len() != actions {
        return Some(format!("there are {} for {actions} actions", paths.len()));
    }
    let marks = marks(svg);
    let mut known = BTreeSet::new();
    for path in paths {
        if let Some(why) = not_path(path) {
            return Some(format!("{} {why}", written(path)));
        }
        if let Some(mark) = path.marks.iter().find(|mark| !marks.contains(*mark)) {
            let path = written(path);
            return Some(format!("the drawing has no mark {mark:?}, as in {path}"));
        }
        let mut pointed = path.clone();
        if path.choice.is_some() {
            pointed.marks.sort_unstable();
        }
        if !known.insert(pointed) {
            return Some(format!("{} is there twice", written(path)));
        }
    }
    let (alone, chosen): (Vec<_>, Vec<_>) = known.iter().partition(|path| path.choice.is_none());
    // In order, what a path begins comes right after it.
    let mut pairs = alone.iter().zip(alone.iter().skip(1));
    let begun = pairs.find(|(path, next)| next.marks.starts_with(&path.marks));
    let begun = begun.map(|(path, _)| path).or_else(|| {
        let begins = |path: &&ActionPath| {
            let mut others = chosen.iter();
            others.any(|other| is_within(&path.marks, &other.marks))
        };
        alone.iter().find(|path| begins(path))
    });
    begun.map(|path| format!("{} begins another path", written(path)))
}

/// Says what is wrong with the form of a path.
pub(super) fn not_path(path: &ActionPath) -> Option<&'static str> {
    let ActionPath { marks, choice } = path;
    if marks.is_empty() && choice.is_none() {
        Some("has neither marks nor a choice")
    } else if marks.len() > MAX_MARKS {
        Some("has too many marks")
    } else if !marks.iter().all(|mark| is_mark(mark)) {
        Some("has a mark that is not 1 to 40 letters, digits and . _ * ^ + = -")
    } else if choice.as_ref().is_some_and(|choice| !is_choice(choice)) {
        Some("has a choice that is not one line of 1 to 80 characters")
    } else {
        None
    }
}

fn is_choice(text: &str) -> bool {
    (1..=LONGEST_CHOICE).contains(&text.chars().count()) && !text.contains(char::is_control)
}

/// Returns whether each of these marks is among the others, as often.
fn is_within(few: &[String], all: &[String]) -> bool {
    let count = |marks: &[String], mark| marks.iter().filter(|other| *other == mark).count();
    few.iter().all(|mark| count(few, mark) <= count(all, mark))
}

/// Returns the marks of a drawing.
fn marks(svg: &str) -> BTreeSet<String> {
    let xml = roxmltree::Document::parse(svg);
    let nodes = xml.iter().flat_map(roxmltree::Document::descendants);
    let marks = nodes.filter_map(|node| node.attribute(MARK));
    marks.map(str::to_owned).collect()
}

fn written(path: &ActionPath) -> String {
    serde_json::to_string(path).expect("a path is JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"><rect data-mark=\"a\"/><g>\
                       <rect data-mark=\"b\"/><rect data-mark=\"b\"/></g></svg>";

    #[test]
    fn paths_lead_over_the_marks_of_a_drawing_to_one_action_each() {
        let on = |marks: &str| ActionPath::on(marks.split(' '));
        let (a, b) = (on("a"), on("b"));
        let fits: [&[ActionPath]; 5] = [
            &[a.clone(), b],
            &[on("a b"), on("b a"), on("b b")],
            &[
                on("a b").choose("x"),
                on("a b").choose("y"),
                on("a").choose("x"),
            ],
            &[on("a a"), a.clone().choose("x"), ActionPath::beside("x")],
            &[],
        ];
        for paths in fits {
            assert_eq!(not_paths(paths, paths.len(), SVG), None, "{paths:?}");
        }
        let wrong: [(&[ActionPath], &str); 9] = [
            (&[a.clone(), a.clone()], "is there twice"),
            (&[a.clone(), on("a b")], "begins another path"),
            (&[a, on("b a").choose("x")], "begins another path"),
            (
                &[on("a b").choose("x"), on("b a").choose("x")],
                "is there twice",
            ),
            (&[ActionPath::default()], "has neither"),
            (&[on("c")], "has no mark \"c\""),
            (&[on("é")], "has a mark that is not"),
            (&[ActionPath::beside("")], "has a choice that is not"),
            (&[ActionPath::on(["a"; 33])], "has too many marks"),
        ];
        for (paths, why) in wrong {
            let found = not_paths(paths, paths.len(), SVG);
            assert!(
                found.as_ref().is_some_and(|found| found.contains(why)),
                "{found:?}"
            );
        }
        let missing = not_paths(&[], 1, SVG);
        assert_eq!(missing.as_deref(), Some("there are 0 for 1 actions"));
    }
}
