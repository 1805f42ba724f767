//! The colours and the frame of the pictures of all games.
//!
//! A picture has its own background, so it is legible on light and dark pages. It has no ids, so a
//! page can show several.

use std::fmt::{Display, Write as _};
use std::ops::Range;

use crate::game::SeatLook;
use crate::seats::Seat;

/// The background of every picture.
pub(crate) const FRAME: &str = "#2e3842";

/// Important text on the background.
pub(crate) const INK: &str = "#e8e4da";

/// Less important text and lines on the background.
pub(crate) const FAINT: &str = "#a9b0b6";

/// The dark and the light squares of a plain board.
pub(crate) const PLAIN: [&str; 2] = ["#e6dcc6", "#efe7d6"];

/// The colour of each seat and a darker one for its rim. They differ in brightness too, for people
/// who see few colours (after Okabe and Ito, "Color universal design", 2008).
pub(crate) const SEATS: [(&str, &str); 6] = [
    ("#e69f00", "#8a5f00"),
    ("#56b4e9", "#22698f"),
    ("#d55e00", "#7c3600"),
    ("#009e73", "#005c43"),
    ("#cc79a7", "#7d3f61"),
    ("#f0e442", "#8f8710"),
];

/// Returns what the pieces of a seat look like in games in which seats have these colours.
pub(crate) fn look(seat: Seat) -> Option<SeatLook> {
    let (fill, rim) = *SEATS.get(usize::from(seat))?;
    Some(SeatLook {
        name: None,
        fill,
        rim,
    })
}

/// Opens a picture of this size, with a title for screen readers. The caller closes it with
/// `</svg>`.
pub(crate) fn open(title: &str, width: usize, height: usize) -> String {
    open_as("", title, width, height)
}

/// The class of what stays where it is when people turn a board around.
pub(crate) const STILL: &str = "still";

/// Opens a picture of a board that people can turn around, to see it from the other seat. It is symmetrical, but for
/// what has the class [`STILL`].
pub(crate) fn open_board(title: &str, width: usize, height: usize) -> String {
    open_as(" class=\"turns\"", title, width, height)
}

fn open_as(class: &str, title: &str, width: usize, height: usize) -> String {
    let title = escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\"{class} viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"14\">\
         <title>{title}</title>\
         <rect width=\"{width}\" height=\"{height}\" rx=\"12\" fill=\"{FRAME}\"/>"
    )
}

/// Opens the group of a part that may be elsewhere in the next picture: a piece, a token, a card. What it holds is
/// drawn around the origin, which is at its middle. The caller closes the group with `</g>`.
///
/// `kind` is what the part looks like from far away, such as its owner, `face` the face that is up, in games in which
/// parts are turned over, and `size` half the width. Parts have no identity. A script pairs the parts of two pictures
/// that have the same kind, and lets them move. So a kind says only what everybody who sees the picture sees.
pub(crate) fn open_part(
    svg: &mut String,
    kind: impl Display,
    face: &str,
    size: usize,
    (x, y): (usize, usize),
) {
    let _ = write!(
        svg,
        "<g transform=\"translate({x} {y})\" class=\"mv\" data-kind=\"{kind}\" \
         data-face=\"{face}\" data-size=\"{size}\">"
    );
}

/// Draws a round piece around the origin: its shadow, its rim and, on larger ones, a ring.
pub(crate) fn disc(svg: &mut String, radius: usize, fill: &str, rim: &str) {
    let is_large = radius > 12;
    if is_large {
        tag!(svg, "circle", cy: 3, r: radius, fill: "#000", opacity: "0.28");
    }
    let width = if is_large { 3 } else { 2 };
    tag!(svg, "circle", r: radius, fill, stroke: rim, "stroke-width": width);
    if is_large {
        tag!(svg, "circle", r: radius - 5, fill: "none", stroke: rim, "stroke-opacity": "0.45");
    }
}

/// Opens a group of what is drawn around the origin and stands at a place.
pub(crate) fn open_at(svg: &mut String, class: &str, (x, y): (usize, usize)) {
    let _ = write!(
        svg,
        "<g class=\"{class}\" transform=\"translate({x} {y})\">"
    );
}

/// The attribute of what people can point at.
pub(crate) const MARK: &str = "data-mark";

/// A drawing without its marks, for where nobody points at it: elements that are there for their marks alone are left
/// out, and of others the marks. A text that is not well-formed stays as it is.
pub fn unmarked(svg: &str) -> String {
    if !svg.contains(MARK) {
        return svg.to_owned();
    }
    let mut plain = String::with_capacity(svg.len());
    let (mut from, mut at) = (0, 0);
    // For each element that is open, whether it or one around it has a stroke.
    let mut open: Vec<bool> = Vec::new();
    while let Some(found) = svg[at..].find('<') {
        let start = at + found;
        let Some(tag) = Tag::read(&svg[start..]) else {
            return svg.to_owned();
        };
        at = start + tag.len;
        let is_stroked = tag.has_stroke || open.last() == Some(&true);
        if let Some(mark) = tag.mark {
            let is_empty = tag.is_closed || svg[at..].starts_with("</");
            let is_unseen = tag.is_hollow && !is_stroked && is_empty;
            let (until, next) = match is_unseen {
                true if tag.is_closed => (start, at),
                true => (
                    start,
                    svg[at..].find('>').map_or(svg.len(), |end| at + end + 1),
                ),
                false => (start + mark.start, start + mark.end),
            };
            plain.push_str(&svg[from..until]);
            from = next;
            if is_unseen {
                at = next;
                continue;
            }
        }
        match (tag.is_end, tag.is_closed) {
            (true, _) => drop(open.pop()),
            (_, false) => open.push(is_stroked),
            (_, true) => {}
        }
    }
    plain + &svg[from..]
}

/// A tag of a drawing.
#[derive(Default)]
struct Tag {
    /// Its bytes.
    len: usize,
    is_end: bool,
    /// Whether it is a whole element: `<rect/>`.
    is_closed: bool,
    has_stroke: bool,
    /// Whether it has the fill `none`.
    is_hollow: bool,
    /// Its mark, with the space before it.
    mark: Option<Range<usize>>,
}

impl Tag {
    /// Reads the tag that a text begins with; nothing where it does not end.
    fn read(text: &str) -> Option<Self> {
        let mut tag = Tag {
            is_end: text.starts_with("</"),
            ..Tag::default()
        };
        let mut at = 1;
        loop {
            let next = at + text[at..].find(['=', '>'])?;
            if text[next..].starts_with('>') {
                tag.len = next + 1;
                tag.is_closed = text[..next].ends_with('/');
                return Some(tag);
            }
            let before = text[at..next].trim_end();
            let name = before.rsplit(char::is_whitespace).next()?;
            let begins = at + before.len() - name.len();
            let quote = next + 1 + text[next + 1..].find(['"', '\''])?;
            let value = &text[quote + 1..];
            let value = &value[..value.find(&text[quote..=quote])?];
            at = quote + value.len() + 2;
            match name {
                MARK => tag.mark = Some(begins.saturating_sub(1)..at),
                "stroke" => tag.has_stroke = true,
                "fill" => tag.is_hollow = value == "none",
                _ => {}
            }
        }
    }
}

/// Escapes a text for a picture.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Appends an element to a picture: `tag!(svg, "text", x, y: top + 8, "font-size": 12; words)`. The
/// words are escaped. With `open` after the name, the element is left open.
macro_rules! tag {
    ($svg:expr, $tag:literal $(, $name:tt $(: $value:expr)?)*; $words:expr) => {{
        $crate::paint::tag!($svg, $tag open $(, $name $(: $value)?)*);
        $svg.push_str(&$crate::paint::escaped(&$words.to_string()));
        $svg.push_str(concat!("</", $tag, ">"));
    }};
    ($svg:expr, $tag:literal open $(, $name:tt $(: $value:expr)?)*) => {{
        $svg.push_str(concat!("<", $tag));
        $($crate::paint::attribute!($svg, $name $(: $value)?);)*
        $svg.push('>');
    }};
    ($svg:expr, $tag:literal $(, $name:tt $(: $value:expr)?)*) => {{
        $svg.push_str(concat!("<", $tag));
        $($crate::paint::attribute!($svg, $name $(: $value)?);)*
        $svg.push_str("/>");
    }};
}

/// Appends an attribute. Without a value it is that of the variable of its name.
macro_rules! attribute {
    ($svg:expr, $name:ident) => {
        $crate::paint::attribute!($svg, $name: $name)
    };
    ($svg:expr, $name:ident: $value:expr) => {
        let _ = write!($svg, concat!(" ", stringify!($name), "=\"{}\""), $value);
    };
    ($svg:expr, $name:literal: $value:expr) => {
        let _ = write!($svg, concat!(" ", $name, "=\"{}\""), $value);
    };
}

pub(crate) use {attribute, tag};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_left_out_with_what_is_there_for_them_alone() {
        let svg = "<svg><rect x=\"1\" fill=\"none\" data-mark=\"a\"/><g data-mark=\"b\"><rect fill=\"none\" \
                   stroke=\"red\" data-mark=\"c\"/></g><g stroke=\"red\"><rect fill=\"none\" data-mark='d' \
                   x=\"1\"/></g><text>e</text></svg>";
        let plain = "<svg><g><rect fill=\"none\" stroke=\"red\"/></g><g stroke=\"red\"><rect fill=\"none\" \
                     x=\"1\"/></g><text>e</text></svg>";
        assert_eq!(unmarked(svg), plain);
        assert_eq!(unmarked(plain), plain);
    }

    #[test]
    fn what_only_looks_like_a_mark_stays() {
        let unseen = "<svg><rect fill=\"none\" data-mark = 'a' ></rect><g fill='none' data-mark='b'> </g></svg>";
        assert_eq!(unmarked(unseen), "<svg><g fill='none'> </g></svg>");
        for svg in [
            "<svg><text font-family='a data-mark=\"'>\" onload='alert(1)' </text></svg>",
            "<svg><text> data-mark=\"a\"</text></svg>",
            "<g data-mark=\"a",
        ] {
            assert_eq!(unmarked(svg), svg);
        }
    }
}
