//! The colours and the frame of the pictures of all games.
//!
//! A picture has its own background, so it is legible on light and dark pages. It has no ids, so a
//! page can show several.

use std::fmt::{Display, Write as _};

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
/// out, and of others the marks.
pub fn unmarked(svg: &str) -> String {
    let Ok(document) = roxmltree::Document::parse(svg) else {
        return svg.to_owned();
    };
    let (mut plain, mut from) = (String::with_capacity(svg.len()), 0);
    for element in document.descendants().filter(roxmltree::Node::is_element) {
        let Some(mark) = element.attributes().find(|it| it.name() == MARK) else {
            continue;
        };
        let has_stroke = |it: roxmltree::Node<'_, '_>| it.has_attribute("stroke");
        let is_unseen = element.attribute("fill") == Some("none")
            && !element.ancestors().any(has_stroke)
            && !element.has_children();
        let left_out = match is_unseen {
            true => element.range(),
            false => mark.range(),
        };
        let before = &svg[from..left_out.start];
        let space = if is_unseen { "" } else { " " };
        plain.push_str(before.strip_suffix(space).unwrap_or(before));
        from = left_out.end;
    }
    plain + &svg[from..]
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
        for svg in [
            "<svg><text font-family='a data-mark=\"'>\" onload='alert(1)' </text></svg>",
            "<svg><text> data-mark=\"a\"</text></svg>",
            "<g data-mark=\"a",
        ] {
            assert_eq!(unmarked(svg), svg);
        }
    }
}
