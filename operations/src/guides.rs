//! The pages for authors and organisers, built in: what the command shows of them, the site shows too.

/// A page in Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guide {
    /// Its path in the repository, by which other pages link to it: `docs/authors/clocks.md`.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

const GUIDES: &[Guide] = include!(concat!(env!("OUT_DIR"), "/guides.rs"));

/// All pages, by path.
pub fn guides() -> &'static [Guide] {
    GUIDES
}

/// The page of this path.
pub fn guide(path: &str) -> Option<&'static Guide> {
    GUIDES.iter().find(|guide| guide.path == path)
}

impl Guide {
    /// Its title: its first heading, without marks.
    pub fn title(&self) -> String {
        self.head().trim_start_matches(['#', ' ']).replace('`', "")
    }

    /// Its first line.
    pub(crate) fn head(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_title_and_the_first_ones_are_there() {
        for guide in guides() {
            assert!(guide.text.starts_with("# "), "{}", guide.path);
            assert!(!guide.title().is_empty(), "{}", guide.path);
        }
        for path in [
            "docs/authors/README.md",
            "docs/rules/README.md",
            "protocol/PROTOCOL.md",
        ] {
            assert!(guide(path).is_some(), "{path}");
        }
    }
}
