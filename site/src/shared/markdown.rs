//! The pages in Markdown as HTML: headings with ids, links to the other pages of this site, tables that scroll. Markup
//! inside of Markdown is shown as text.

use flipside_operations::{Guide, guide};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// Folders and files that are not part of an address.
const FOLDER: &str = "docs/";
const INDEX: &str = "README";

/// The page as HTML, without its first heading.
pub(crate) fn html(guide: &Guide) -> String {
    let text = guide.text.split_once('\n').map_or("", |(_, rest)| rest);
    rendered(text, guide.path)
}

/// The larger parts of a page that was rendered: the id and the heading of each, as HTML without tags.
pub(crate) fn contents(html: &str) -> Vec<(String, String)> {
    let parts = html.split("<h2 id=\"").skip(1);
    let part = |part: &str| {
        let (id, rest) = part.split_once("\">")?;
        let (heading, _) = rest.split_once("</h2>")?;
        let mut words = String::new();
        for piece in heading.split('<') {
            words.push_str(piece.split_once('>').map_or(piece, |(_, words)| words));
        }
        Some((id.to_owned(), words))
    };
    parts.filter_map(part).collect()
}

/// Markdown as HTML; links are read from the place of this file.
pub(crate) fn rendered(markdown: &str, from: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events: Vec<Event<'_>> = Parser::new_ext(markdown, options).collect();
    let mut out = Vec::with_capacity(events.len());
    let mut ids = Vec::new();
    // Whether the links that are open lead somewhere.
    let mut links = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Heading {
                level,
                classes,
                attrs,
                ..
            }) => {
                out.push(Event::Start(Tag::Heading {
                    level: *level,
                    id: Some(id(&events[at + 1..], &mut ids).into()),
                    classes: classes.clone(),
                    attrs: attrs.clone(),
                }));
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let target = target(from, dest_url);
                links.push(target.is_some());
                out.extend(target.map(|dest_url| {
                    Event::Start(Tag::Link {
                        link_type: pulldown_cmark::LinkType::Inline,
                        dest_url: dest_url.into(),
                        title: CowStr::Borrowed(""),
                        id: CowStr::Borrowed(""),
                    })
                }));
            }
            Event::End(TagEnd::Link) => {
                if links.pop() == Some(true) {
                    out.push(event.clone());
                }
            }
            // Alignments would become style attributes, which pages must not have.
            Event::Start(Tag::Table(columns)) => {
                let wide = "<div class=\"wide\" tabindex=\"0\">";
                out.push(Event::Html(wide.into()));
                let none = vec![pulldown_cmark::Alignment::None; columns.len()];
                out.push(Event::Start(Tag::Table(none)));
            }
            Event::End(TagEnd::Table) => {
                out.push(event.clone());
                out.push(Event::Html("</div>\n".into()));
            }
            // Pictures are files of the repository. Here their words stand for them.
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            Event::Html(text) | Event::InlineHtml(text) => out.push(Event::Text(text.clone())),
            Event::Start(Tag::HtmlBlock) => out.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => out.push(Event::End(TagEnd::Paragraph)),
            event => out.push(event.clone()),
        }
    }
    let mut text = String::new();
    html::push_html(&mut text, out.into_iter());
    // What scrolls can be reached with the keyboard, and no heading is empty.
    text.replace("<th></th>", "<td></td>")
        .replace("<th>", "<th scope=\"col\">")
        .replace("<pre>", "<pre tabindex=\"0\">")
}

/// The id of the heading that begins here, by which other pages link to it: as on GitHub, in small letters, without
/// signs, with a number where it is there already.
fn id(events: &[Event<'_>], taken: &mut Vec<String>) -> String {
    let of_heading = events
        .iter()
        .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let mut id = String::new();
    for event in of_heading {
        if let Event::Text(text) | Event::Code(text) = event {
            id.extend(text.chars().filter_map(|letter| match letter {
                ' ' => Some('-'),
                letter if letter.is_alphanumeric() || matches!(letter, '-' | '_') => {
                    Some(letter.to_ascii_lowercase())
                }
                _ => None,
            }));
        }
    }
    let same = taken.iter().filter(|one| **one == id).count();
    taken.push(id.clone());
    match same {
        0 => id,
        same => format!("{id}-{same}"),
    }
}

/// Where a link of a page leads on this site; nothing where the file is not part of it.
fn target(from: &str, link: &str) -> Option<String> {
    if link.starts_with("https://") || link.starts_with("http://") {
        return Some(link.to_owned());
    }
    let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
    let fragment = if fragment.is_empty() {
        String::new()
    } else {
        format!("#{fragment}")
    };
    if path.is_empty() {
        return Some(fragment);
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let found = guide(&parts.join("/"))?;
    Some(address(found) + &fragment)
}

/// Where a page is on this site: `docs/authors/clocks.md` is at `/guides/authors/clocks`.
pub(crate) fn address(guide: &Guide) -> String {
    let path = guide.path.trim_end_matches(".md");
    let path = path.strip_prefix(FOLDER).unwrap_or(path);
    let path = path
        .strip_suffix(INDEX)
        .unwrap_or(path)
        .trim_end_matches('/');
    let path = path
        .rsplit_once('/')
        .filter(|_| !guide.path.starts_with(FOLDER))
        .map_or(path, |(_, name)| name);
    if path.is_empty() {
        return "/guides".into();
    }
    format!("/guides/{}", path.to_lowercase())
}

#[cfg(test)]
mod tests {
    use flipside_operations::guides;

    use super::*;

    #[test]
    fn markup_in_markdown_is_text() {
        let html = rendered(
            "<script>alert(1)</script>\n\na <b>c</b> [x](javascript:alert(1))",
            "a.md",
        );
        assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
        assert!(!html.contains("javascript:"), "{html}");
    }

    #[test]
    fn contents_are_the_headings_of_the_second_level() {
        let html = rendered(
            "# Top\n\n## A `b` & c\n\n### Small\n\n## A `b` & c\n",
            "a.md",
        );
        let entry = |id: &str| (id.to_owned(), "A b &amp; c".to_owned());
        assert_eq!(contents(&html), [entry("a-b--c"), entry("a-b--c-1")]);
    }

    #[test]
    fn no_page_has_a_style_of_its_own() {
        for guide in guides() {
            assert!(!html(guide).contains("style="), "{}", guide.path);
        }
    }

    #[test]
    fn pages_link_to_each_other() {
        let clocks = guide("docs/authors/clocks.md").unwrap();
        assert_eq!(address(clocks), "/guides/authors/clocks");
        assert_eq!(
            address(guide("protocol/PROTOCOL.md").unwrap()),
            "/guides/protocol"
        );
        assert_eq!(
            address(guide("docs/authors/README.md").unwrap()),
            "/guides/authors"
        );
        assert_eq!(
            target("docs/authors/README.md", "../../protocol/PROTOCOL.md#a").unwrap(),
            "/guides/protocol#a"
        );
        assert_eq!(target("docs/README.md", "../CHANGELOG.md"), None);
        let html = rendered(
            "# A `b` c!\n\n## A b c\n\n[x](clocks.md)",
            "docs/authors/x.md",
        );
        assert!(
            html.contains("<h1 id=\"a-b-c\">") && html.contains("<h2 id=\"a-b-c-1\">"),
            "{html}"
        );
        assert!(
            html.contains("<a href=\"/guides/authors/clocks\">x</a>"),
            "{html}"
        );
    }
}
