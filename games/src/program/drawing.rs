//! Drawings of game programs, which stand within pages: what they may be made of, and what stands in for one.

use std::fmt::Write;

use super::limits::LONGEST_WORD;
use crate::paint::MARK;

/// The elements that a drawing may have.
const ELEMENTS: [&str; 20] = [
    "svg",
    "g",
    "path",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "text",
    "tspan",
    "defs",
    "linearGradient",
    "radialGradient",
    "stop",
    "title",
    "desc",
    "clipPath",
    "pattern",
    "mask",
];

/// The attributes that they may have.
const ATTRIBUTES: [&str; 63] = [
    "aria-label",
    "clip-path",
    "clip-rule",
    "clipPathUnits",
    "cx",
    "cy",
    "d",
    "dominant-baseline",
    "dx",
    "dy",
    "fill",
    "fill-opacity",
    "fill-rule",
    "font-family",
    "font-size",
    "font-style",
    "font-weight",
    "fx",
    "fy",
    "gradientTransform",
    "gradientUnits",
    "height",
    "id",
    "letter-spacing",
    "mask",
    "maskUnits",
    "offset",
    "opacity",
    "paint-order",
    "patternTransform",
    "patternUnits",
    "points",
    "preserveAspectRatio",
    "r",
    "role",
    "rotate",
    "rx",
    "ry",
    "shape-rendering",
    "space",
    "spreadMethod",
    "stop-color",
    "stop-opacity",
    "stroke",
    "stroke-dasharray",
    "stroke-dashoffset",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-miterlimit",
    "stroke-opacity",
    "stroke-width",
    "text-anchor",
    "textLength",
    "transform",
    "vector-effect",
    "viewBox",
    "width",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
];

/// What replays know parts by that move, as in the drawings of built-in games.
const CLASSES: [&str; 7] = ["mv", "src", "die", "rolled", "side", "turns", "still"];
const MOVING: [&str; 3] = ["data-kind", "data-face", "data-size"];

/// The most nodes of a drawing.
const MAX_NODES: u32 = 50_000;

/// The width and the height of a character of a text that is drawn, in units of the drawing.
const CHARACTER: (usize, usize) = (8, 18);

/// Says why a text is not one `<svg>` element that can stand within any page, and can do nothing there.
pub fn not_svg(svg: &str) -> Option<String> {
    if !svg.starts_with("<svg") {
        return Some("does not begin with <svg".into());
    }
    // Readers of HTML see the end of these elsewhere than readers of XML.
    if svg.contains("<!") || svg.contains("<?") {
        return Some("has a comment, a DTD, CDATA or a processing instruction".into());
    }
    let options = roxmltree::ParsingOptions {
        nodes_limit: MAX_NODES,
        ..roxmltree::ParsingOptions::default()
    };
    let xml = match roxmltree::Document::parse_with_options(svg, options) {
        Err(error) => return Some(format!("is not XML: {error}")),
        Ok(xml) => xml,
    };
    let root = xml.root_element();
    if !root.has_tag_name(("http://www.w3.org/2000/svg", "svg")) {
        return Some("is not SVG by its name space".into());
    }
    for node in xml.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        if !ELEMENTS.contains(&name) {
            return Some(format!("has the element {name:?}"));
        }
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            if name == MARK && !is_mark(value) {
                return Some(format!("has the mark {value:?}"));
            }
            let is_ours = name == MARK
                || MOVING.contains(&name)
                || name == "class" && CLASSES.contains(&value);
            if !ATTRIBUTES.contains(&name) && !is_ours {
                return Some(format!("has the attribute {name:?}"));
            }
            if leads_out(value) {
                return Some(format!("has the value {value:?} of the attribute {name}"));
            }
        }
    }
    None
}

/// Whether a text has the form of a mark.
pub(super) fn is_mark(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._*^+=-".contains(&byte);
    (1..=LONGEST_WORD).contains(&text.len()) && text.bytes().all(is_plain)
}

/// Whether a value of an attribute may name something outside of the drawing.
fn leads_out(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let words = [
        "\\",
        "//",
        "@",
        ":",
        "image",
        "src(",
        "attr(",
        "var(",
        "expression",
    ];
    let refers = lower.split("url(").skip(1);
    words.iter().any(|word| lower.contains(word)) || { refers }
        .any(|rest| !rest.trim_start_matches([' ', '\'', '"']).starts_with('#'))
}

/// Draws lines of text, for a game whose program does not draw otherwise.
pub(super) fn of_text(text: &str) -> String {
    let columns = text
        .lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0)
        .max(1);
    let rows = text.lines().count().max(1);
    let (width, height) = (columns * CHARACTER.0, rows * CHARACTER.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"13\" fill=\"currentColor\">"
    );
    for (row, line) in text.lines().enumerate() {
        let y = row * CHARACTER.1 + 13;
        let _ = write!(svg, "<text x=\"0\" y=\"{y}\" xml:space=\"preserve\">");
        for letter in line.chars() {
            match letter {
                '&' => svg += "&amp;",
                '<' => svg += "&lt;",
                '>' => svg += "&gt;",
                // What XML does not have.
                '\0'..' ' | '\u{fffe}'..='\u{ffff}' => svg.push(' '),
                letter => svg.push(letter),
            }
        }
        svg += "</text>";
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(inside: &str) -> String {
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\">{inside}</svg>")
    }

    #[test]
    fn a_drawing_can_do_nothing_within_a_page() {
        for inside in [
            "",
            "<g transform=\"rotate(5)\"><circle cx=\"1\" cy=\"2\" r=\"3\" fill=\"#fff\"/></g>",
            "<defs><clipPath id=\"c\"><rect width=\"1\" height=\"1\"/></clipPath></defs><g clip-path=\"url(#c)\"/>",
            "<text x=\"1\" y=\"2\" xml:space=\"preserve\">a &lt; b</text>",
            "<rect width=\"1\" height=\"1\" fill=\"none\" data-mark=\"r7^=5.-_*+\"/>",
        ] {
            assert_eq!(not_svg(&svg(inside)), None, "{inside}");
        }
        for inside in [
            "<script>alert(1)</script>",
            "<!--><img src=x onerror=alert(1)>-->",
            "<?x ><img src=x>?>",
            "<desc><g><![CDATA[><img src=x>]]></g></desc>",
            "<image href=\"http://example.org\"/>",
            "<a href=\"javascript:alert(1)\"/>",
            "<g onclick=\"alert(1)\"/>",
            "<g style=\"fill:red\"/>",
            "<g class=\"board\"/>",
            "<g overflow=\"visible\"/>",
            "<g data-mark=\"\"/>",
            "<g data-mark=\"a b\"/>",
            "<rect fill=\"url(http://example.org)\"/>",
            "<rect fill=\"\\75rl(http://example.org)\"/>",
            "<rect fill=\"image-set('x' 1x)\"/>",
            "<foreignObject/>",
            "<g>",
        ] {
            assert!(not_svg(&svg(inside)).is_some(), "{inside}");
        }
        assert!(not_svg("<svg/>").is_some());
        assert!(not_svg(&svg(&"<g/>".repeat(MAX_NODES as usize))).is_some());
    }

    #[test]
    fn text_that_stands_in_for_a_drawing_is_a_drawing() {
        for text in ["", "x", "a<b>&\"\n\u{1}\u{ffff}\n"] {
            assert_eq!(not_svg(&of_text(text)), None, "{text:?}");
        }
    }
}
