//! The tags of a page that this site has made: well formed, with values in double quotes.

/// A tag, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Tag<'a> {
    /// Where it begins, and where what follows it begins.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) name: &'a str,
    /// Whether it ends an element.
    pub(super) closes: bool,
    /// As they stand in the page, with entities.
    attributes: Vec<(&'a str, Option<&'a str>)>,
}

impl<'a> Tag<'a> {
    /// The first tag at or after a place of the page.
    pub(super) fn next(html: &'a str, from: usize) -> Option<Self> {
        let mut from = from;
        loop {
            let start = from + html.get(from..)?.find('<')?;
            let inner = &html[start + 1..];
            let (closes, inner) = match inner.strip_prefix('/') {
                Some(rest) => (true, rest),
                None => (false, inner),
            };
            let name = leading(inner, |c| c.is_ascii_alphanumeric() || c == '-');
            if name.is_empty() {
                from = start + 1;
                continue;
            }
            let mut rest = &inner[name.len()..];
            let mut attributes = Vec::new();
            loop {
                rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
                if let Some(after) = rest.strip_prefix('>') {
                    let end = html.len() - after.len();
                    return Some(Tag {
                        start,
                        end,
                        name,
                        closes,
                        attributes,
                    });
                }
                let key = leading(rest, |c| !c.is_ascii_whitespace() && !"=>/".contains(c));
                if key.is_empty() {
                    return None;
                }
                rest = &rest[key.len()..];
                let value = match rest.strip_prefix("=\"") {
                    Some(quoted) => {
                        let length = quoted.find('"')?;
                        rest = &quoted[length + 1..];
                        Some(&quoted[..length])
                    }
                    None => None,
                };
                attributes.push((key, value));
            }
        }
    }

    /// The value of an attribute; empty where it has none.
    pub(super) fn get(&self, key: &str) -> Option<String> {
        let found = self.attributes.iter().find(|(known, _)| *known == key)?;
        Some(found.1.map(unescaped).unwrap_or_default())
    }

    /// Whether it has an attribute of this value.
    pub(super) fn is(&self, key: &str, value: &str) -> bool {
        self.get(key).is_some_and(|found| found == value)
    }

    /// The same tag with these attributes, in place of those of the same name; one without a value goes.
    pub(super) fn with(&self, changes: &[(&str, Option<String>)]) -> String {
        let mut text = format!("<{}", self.name);
        let is_changed = |key: &str| changes.iter().any(|(changed, _)| *changed == key);
        for (key, value) in self.attributes.iter().filter(|(key, _)| !is_changed(key)) {
            text += &match value {
                Some(value) => format!(" {key}=\"{value}\""),
                None => format!(" {key}"),
            };
        }
        for (key, value) in changes {
            match value.as_deref() {
                None => {}
                Some("") if *key != "value" => text += &format!(" {key}"),
                Some(value) => text += &format!(" {key}=\"{}\"", escaped(value)),
            }
        }
        text.push('>');
        text
    }
}

fn leading(text: &str, fits: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !fits(c)).unwrap_or(text.len());
    &text[..end]
}

/// A text as it stands in a page.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '<' | '>' | '"' | '\'' => safe += &format!("&#{};", u32::from(c)),
            _ => safe.push(c),
        }
    }
    safe
}

/// What a text of a page says.
pub(super) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain += &rest[..at];
        rest = &rest[at..];
        let entity = rest.find(';').map(|end| &rest[1..end]);
        let meant = entity.and_then(|entity| match entity {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            _ => char::from_u32(entity.strip_prefix('#')?.parse().ok()?),
        });
        match (meant, entity) {
            (Some(meant), Some(entity)) => {
                plain.push(meant);
                rest = &rest[entity.len() + 2..];
            }
            _ => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_and_written_with_other_values() {
        let html =
            "a < b <p class=\"x\"><input id=\"n\" name=\"n\" required value=\"a&#34;&amp;b\"></p>";
        let paragraph = Tag::next(html, 0).unwrap();
        assert_eq!((paragraph.name, paragraph.closes), ("p", false));
        let input = Tag::next(html, paragraph.end).unwrap();
        assert_eq!(input.get("value").unwrap(), "a\"&b");
        assert_eq!(input.get("required").unwrap(), "");
        assert_eq!(input.get("min"), None);
        let changed = input.with(&[
            ("value", Some("<'>".into())),
            ("required", None),
            ("autofocus", Some(String::new())),
        ]);
        assert_eq!(
            changed,
            "<input id=\"n\" name=\"n\" value=\"&#60;&#39;&#62;\" autofocus>"
        );
        assert!(Tag::next(html, input.end).unwrap().closes);
        assert!(Tag::next("no <tag", 0).is_none());
    }

    #[test]
    fn what_is_escaped_is_read_as_it_was() {
        for text in ["", "a&b;c", "<\"'>&amp;", "&#60", "& &; &x;", "ä&#0;"] {
            assert_eq!(unescaped(&escaped(text)), text);
        }
    }
}
